"""Plain Python and staged code agree on every program of the corpus."""

import pytest

from tests.stage import (  # noqa: F401  (imported for the programs they register)
    control_programs,
)
from tests.stage.programs import PROGRAMS, compare


@pytest.mark.parametrize("deep", [False, True], ids=["shallow", "deep"])
@pytest.mark.parametrize("function, arguments", PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
def test_program(function, arguments, deep):
    for args in arguments:
        compare(function, args, deep)


def test_the_corpus_is_large():
    assert len(PROGRAMS) >= 100
