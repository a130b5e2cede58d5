"""Programs over any number of items have one text, which is right for each number."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement, permutations, product

import numpy as np
import pytest
from chain import same
from groups import CASES as GROUPS
from one_text import CASES as TOOLS

import srcgrad as sg

CASES = [*TOOLS, *GROUPS]


def numbers(count):
    return np.arange(count) * 0.9 + 0.5 + 0.01 * np.arange(count) ** 2


@pytest.mark.parametrize("program", CASES, ids=lambda p: p.__name__)
def test_one_text(program):
    derivative = sg.value_and_grad(program)
    assert len({derivative.source(numbers(count)) for count in (4, 5, 7)}) == 1
    for count in (4, 7):
        x, h = numbers(count), 1e-6
        value, slope = derivative(x)
        assert same(value, program(x))
        expected = [(program(x + h * e) - program(x - h * e)) / (2 * h) for e in np.eye(count)]
        assert np.allclose(slope, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("program", CASES, ids=lambda p: p.__name__)
def test_few_items(program):
    """With one item, or none, what Python does is done, exceptions too."""
    for count in (0, 1, 2):
        x = numbers(count)
        try:
            expected = program(x)
        except Exception as error:
            with pytest.raises(type(error)):
                sg.value_and_grad(program)(x)
        else:
            assert same(sg.jit(program)(x), expected)


@pytest.mark.parametrize("choose", [
    lambda x: combinations(x, -1), lambda x: combinations(x, None), lambda x: permutations(x, -2),
    lambda x: product(x, repeat=-1), lambda x: combinations_with_replacement(x, 1.0)])
def test_what_is_no_count_raises_as_in_python(choose):
    def program(x):
        return sum(x[0] for _ in choose(x))

    with pytest.raises((ValueError, TypeError)) as error:
        program(numbers(3))
    with pytest.raises(error.type, match=str(error.value)[:20]):
        sg.jit(program)(numbers(3))


def test_permutations_of_all():
    def program(x):
        return sum(p[0] * p[1] for p in permutations(x, None))

    assert same(sg.jit(program)(numbers(3)), program(numbers(3)))
