"""Iterators of classes are right, in one text, for any number of items."""

from __future__ import annotations

import numpy as np
import pytest
from chain import check, same
from own_iterators import CASES, X

import srcgrad as sg

PROGRAMS = [program for program, _ in CASES]


@pytest.mark.parametrize(("program", "args"), CASES, ids=lambda p: getattr(p, "__name__", ""))
def test_chain(program, args):
    check(program, args)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_numbers_of_items(program):
    derivative = sg.value_and_grad(program)
    for n in (7, 0, 1, 2, 12):
        try:
            expected = program(X, n)
        except Exception as error:
            with pytest.raises(type(error)):
                derivative(X, n)
            continue
        value, slope = derivative(X, n)
        assert same(value, expected)
        step = 1e-6
        moved = [[program(X + sign * step * e, n) for e in np.eye(3)] for sign in (1, -1)]
        assert np.allclose(slope, np.subtract(*moved) / (2 * step), rtol=1e-5, atol=1e-6)
    assert len({derivative.source(X, n) for n in (5, 9)}) == 1
