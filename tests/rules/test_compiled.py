"""Sweep of compiled functions over tables of expressions (see ``compiled.py``).

A line of a table is an expression; ``# not: empty`` names the forms of operands for which the
program is refused, or raises with other words than NumPy.
"""

from pathlib import Path

import pytest
from compiled import CONSTANTS, FORMS, Case

TABLES = Path(__file__).parent / "tables"


def lines(name):
    text = (TABLES / f"{name}.txt").read_text()
    return [line for line in text.splitlines() if line.strip()]


def split(line):
    text, _, forms = line.partition("  # not: ")
    return text, {f for f in forms.split(", ") if f}


NUMPY = [line for name in ("functions", "arrays", "linear_algebra", "python")
         for line in lines(f"numpy_{name}")]  # fmt: skip


@pytest.mark.parametrize("line", NUMPY[::16])
def test_expressions(line):
    text, _ = split(line)
    Case(text, CONSTANTS).check()


@pytest.mark.sweep
@pytest.mark.parametrize("line", NUMPY)
def test_every_expression(line):
    text, without = split(line)
    case = Case(text, CONSTANTS)
    case.check()
    for form in FORMS:
        if form not in without:
            case.check_form(form)
