"""The table of :mod:`tricky`: every row's programs through the whole chain."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import tricky
import tricky_calls
import tricky_control
import tricky_homes
import tricky_integers
import tricky_types
from chain import check

HERE = Path(__file__).parent

MODULES = (tricky_calls, tricky_control, tricky_homes, tricky_integers, tricky_types)
TESTS = ("test_tricky_homes.py", "test_tricky_types.py")


@pytest.mark.parametrize(
    ("fn", "args"), tricky.CASES,
    ids=[f"{tricky.NUMBERS[fn.__name__]:02}-{fn.__name__}" for fn, _ in tricky.CASES])
def test_program(fn, args):
    check(fn, args)


def test_every_row_has_two_programs_or_tests():
    """A row and a relative of it at least."""
    found = dict.fromkeys(tricky.ROWS, 0)
    assert list(sorted(found)) == list(range(1, 51))
    for number in tricky.NUMBERS.values():
        found[number] += 1
    for file in TESTS:
        for number in re.findall(r"def test_row_(\d\d)_", (HERE / file).read_text()):
            found[int(number)] += 1
    assert [n for n, count in found.items() if count < 2] == []
