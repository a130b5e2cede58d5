"""Lists from outside that change: one text for every length, and the effects of plain Python."""

from __future__ import annotations

import copy

import changed_lists
import numpy as np
import pytest
from changed_lists import MADE_BY

import srcgrad as sg
from srcgrad.types.tree import ravel_some

SIZES = (20, 33, 5, 9)
T = 0.7


def shared(args):
    """Which lists are one."""
    met = [*args, *(row for arg in args for row in arg if isinstance(row, list))]
    return [[a is b for b in met] for a in met]


@pytest.mark.parametrize(("fn", "make", "one_text"), MADE_BY, ids=lambda v: getattr(v, "__name__", None))
def test_values_slopes_and_effects(fn, make, one_text):
    df = sg.value_and_grad(fn)
    for n in SIZES:
        args = make(n)
        plain, traced = copy.deepcopy(args), copy.deepcopy(args)
        want = fn(T, *plain)
        value, slope = df(T, *traced)
        assert value == want and type(value) is type(want)
        assert repr(plain) == repr(traced) and shared(plain) == shared(traced)
        low, high = (fn(T + h, *copy.deepcopy(args)) for h in (-1e-6, 1e-6))
        np.testing.assert_allclose(slope, (high - low) / 2e-6, rtol=1e-4, atol=1e-5)
    assert (len(df.signatures) == 1) is one_text


@pytest.mark.parametrize("fn", [
    changed_lists.in_place, changed_lists.bubble_sort, changed_lists.appended, changed_lists.inserted_and_deleted,
    changed_lists.sorted_and_reversed, changed_lists.rows, changed_lists.longer_rows, changed_lists.grid],
    ids=lambda fn: fn.__name__)
def test_gradients_with_respect_to_what_changes(fn):
    make = next(make for known, make, _ in MADE_BY if known is fn)
    df = sg.grad(fn, argnums=1)
    for n in SIZES:
        (xs,) = make(n)
        flat, unravel, ravel = ravel_some(xs, lambda leaf: isinstance(leaf, float))
        gradient = ravel(df(T, copy.deepcopy(xs)))
        slope = [(fn(T, unravel(flat + e)) - fn(T, unravel(flat - e))) / 2e-6 for e in 1e-6 * np.eye(flat.size)]
        np.testing.assert_allclose(gradient, slope, rtol=1e-4, atol=1e-5)
    assert len(df.signatures) == 1


def test_what_was_changed_when_an_exception_leaves():
    df = sg.grad(changed_lists.raises_on_the_way)
    for n in (20, 24):
        xs, ys = ([1.0] * (n - 3) + [1e5, 2.0, 3.0] for _ in range(2))
        with pytest.raises(ValueError, match=str(n - 3)):
            df(T, xs)
        with pytest.raises(ValueError, match=str(n - 3)):
            changed_lists.raises_on_the_way(T, ys)
        assert xs == ys


class Filter:
    def __init__(self, memory):
        self.memory = memory

    def step(self, x):
        for i in range(len(self.memory) - 1, 0, -1):
            self.memory[i] = self.memory[i - 1]
        self.memory[0] = x
        return sum(self.memory) / len(self.memory)


def test_lists_on_objects_and_in_closures():
    for n in (4, 20):
        plain, traced = Filter(changed_lists.floats(n)), None
        traced = copy.deepcopy(plain)
        want = [plain.step(x) for x in (1.0, 2.0, 3.0)]
        slope = sg.value_and_grad(lambda x, f: f.step(x))
        got = [slope(x, traced) for x in (1.0, 2.0, 3.0)]
        assert [value for value, _ in got] == want and traced.memory == plain.memory
        assert all(d == pytest.approx(1.0 / n) for _, d in got)
    log = [0.0] * 20

    def logged(x):
        for i in range(len(log)):
            log[i] += x * i
        return log[3] * x

    assert sg.value_and_grad(logged)(2.0) == (12.0, 12.0)
    assert log == [2.0 * i for i in range(20)]
    assert sg.value_and_grad(logged)(2.0) == (24.0, 18.0)


def test_a_row_that_is_one_of_several_stays_the_list_that_it_is():
    def swapped(x, rows):
        q = int(abs(x) * 7.0) % 3
        rows[q], rows[q] = rows[q], rows[q]
        for i in range(1, 3):
            rows[i][0] = rows[i][i] * rows[1][q]
        rows[-1], rows[q] = rows[q], rows[-1]
        rows[q][1] += x
        return x * rows[0][0]

    args = ([[0.6, -0.2, -0.7], [-0.8, 0.3, 0.1], [-0.9, -0.8, -0.5]],)
    df = sg.value_and_grad(swapped)
    for x in (0.05, -0.632, 0.3):
        plain, traced = copy.deepcopy(args), copy.deepcopy(args)
        before = [*traced[0]]
        want = swapped(x, *plain)
        assert df(x, *traced)[0] == want
        assert plain == traced
        assert {*map(id, before)} == {*map(id, traced[0])}
