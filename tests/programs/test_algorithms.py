"""Algorithms on lists have a text of some size, which is compiled quickly, for few items and for many."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from algorithms import CASES
from chain import same

import srcgrad as sg

LONGEST = 320  # lines


def moved(value, by):
    """A structure with other numbers in the place of its floats, and what was added to each."""
    if isinstance(value, list):
        return [moved(item, by) for item in value]
    return value + next(by) if isinstance(value, float) else value


def inner(slopes, value, by):
    """How much a function grows where its argument is moved so."""
    if isinstance(value, list):
        return sum(inner(s, v, by) for s, v in zip(slopes, value, strict=True))
    return slopes * next(by) if isinstance(value, float) else 0.0


@pytest.mark.parametrize(("program", "make"), CASES, ids=lambda p: getattr(p, "__name__", ""))
def test_few_items_and_many(program, make):
    lines = []
    for count in (6, 24):
        given = make(count)
        derived = tuple(i for i, a in enumerate(given) if isinstance(a, (list, float)))
        derivative = sg.value_and_grad(program, argnums=derived)
        value, slopes = derivative(*copy.deepcopy(given))
        assert same(value, program(*copy.deepcopy(given)))
        lines.append(len(derivative.source(*given).splitlines()))

        def along(h, given=given):
            steps = iter(h * np.random.default_rng(1).normal(size=2000))
            return program(*[moved(a, steps) for a in given])

        steps = iter(np.random.default_rng(1).normal(size=2000))
        found = sum(inner(slopes[derived.index(i)], a, steps) for i, a in enumerate(given) if i in derived)
        assert np.isclose(found, (along(1e-6) - along(-1e-6)) / 2e-6, rtol=1e-5, atol=1e-6)
    if program.__name__ != "matrix_chain":  # the least of as many as a run has is not known yet
        assert max(lines) < LONGEST, lines


def test_what_a_cache_of_some_size_forgets_is_no_effect():
    """How often a function runs whose cache forgets is not told: it is refused, or it is right."""
    def program(x, n):
        import functools
        count = 0

        @functools.lru_cache(maxsize=2)
        def fibonacci(k):
            nonlocal count
            count += 1
            return x if k < 2 else fibonacci(k - 1) + 0.5 * fibonacci(k - 2)

        return fibonacci(n) * count

    try:
        value = sg.value_and_grad(program)(0.7, 20)[0]
    except sg.SrcgradError:
        return
    assert same(value, program(0.7, 20))
