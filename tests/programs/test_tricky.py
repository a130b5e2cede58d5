"""The table of :mod:`tricky`: every row's programs through the whole chain."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import tricky  # noqa: E402
import tricky_calls  # noqa: E402
import tricky_control  # noqa: E402
import tricky_homes  # noqa: E402
import tricky_integers  # noqa: E402
import tricky_types  # noqa: E402
from chain import check  # noqa: E402

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
