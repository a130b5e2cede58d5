"""Every construct of the table, on its programs, through the whole chain."""

from __future__ import annotations

from pathlib import Path

import pytest
from chain import check, check_exported, check_orders
from table import LEAST, families, page

PAGE = Path(__file__).parents[2] / "docs" / "language.md"
PROGRAMS = [
    pytest.param(program, id=f"{family}-{program.fn.__name__}")
    for family, _, constructs in families()
    for programs in constructs.values()
    for program in programs
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_value_and_gradient(program):
    check(program.fn, program.args, staged=False, passes=False, oracle=False)


@pytest.mark.sweep
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_whole_chain(program, tmp_path):
    check(program.fn, program.args, oracle=False)
    check_orders(program.fn, program.args, smooth=program.smooth)
    if program.exported:
        check_exported(program.fn, program.args, tmp_path)


def test_every_construct_has_its_programs():
    few = {(family, name): len(programs) for family, _, constructs in families()
           for name, programs in constructs.items() if len(programs) < LEAST}
    assert not few


def test_the_page_is_up_to_date():
    assert PAGE.read_text() == page()


if __name__ == "__main__":
    PAGE.write_text(page())
