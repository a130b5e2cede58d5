"""Sweep of compiled functions over tables of expressions (see ``public/compiled.py``).

A line of a table is an expression, and what it does with other forms of its operands:
``# not: empty`` (another exception than NumPy's, or none), ``# refused: one`` (NumPy raises, and
the program is refused), ``# TypeError: ints`` (NumPy raises a TypeError, which elsewhere is a
mistake in the table).
"""

import re
from pathlib import Path

import pytest
from compiled import CONSTANTS, FORMS, Case

TABLES = Path(__file__).parent / "tables"


def lines(name):
    text = (TABLES / f"{name}.txt").read_text()
    return [line for line in text.splitlines() if line.strip()]


def split(line):
    """The expression of a line, and for each mark the forms."""
    text, *marks = line.split("  # ")
    found = {"not": [], "refused": [], "TypeError": []}
    for mark in marks:
        kind, _, forms = mark.partition(": ")
        found[kind] = re.split(", ", forms)
    return text, found


NUMPY = [line for name in ("functions", "arrays", "linear_algebra", "python")
         for line in lines(f"numpy_{name}")]  # fmt: skip


@pytest.mark.parametrize("line", NUMPY[::16])
def test_expressions(line):
    text, _ = split(line)
    Case(text, CONSTANTS).check()


# how many marks of each kind there are: more of them mean that more is refused
MARKS = {"not": 82, "refused": 4, "TypeError": 12}


def test_no_more_is_refused():
    marks = [split(line)[1] for line in NUMPY]
    found = {kind: sum(len(mark[kind]) for mark in marks) for kind in MARKS}
    assert found == MARKS, (
        f"the tables mark {found} forms, {MARKS} is stored: more of them mean that the compiler "
        "serves less than it did; where it serves more, store the new numbers")


@pytest.mark.sweep
@pytest.mark.parametrize("line", NUMPY)
def test_every_expression(line):
    text, marked = split(line)
    case = Case(text, CONSTANTS)
    case.check()
    for form in FORMS:
        if form not in marked["not"]:
            outcome = case.check_form(form)
            expected = [kind for kind in ("refused", "TypeError") if form in marked[kind]]
            assert [outcome] == (expected or [None]), (
                f"{text}, operands of the form {form!r}: {outcome or 'served'}, but the table "
                f"says {expected or 'served'}")
