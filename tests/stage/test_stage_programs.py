"""Plain Python and staged code agree on every program of the corpus."""

import control_programs  # noqa: F401  (imported for the programs it registers)
import data_programs  # noqa: F401
import edge_programs  # noqa: F401
import function_programs  # noqa: F401
import library_programs  # noqa: F401
import pytest
from comparison import PROGRAMS, compare


@pytest.mark.parametrize("deep", [False, True], ids=["shallow", "deep"])
@pytest.mark.parametrize("function, arguments", PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
def test_program(function, arguments, deep):
    for args in arguments:
        compare(function, args, deep)


def test_the_corpus_is_large():
    assert len(PROGRAMS) >= 100
