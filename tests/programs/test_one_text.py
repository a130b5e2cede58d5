"""Programs over any number of items have one text, which is right for each number."""

from __future__ import annotations

import numpy as np
import pytest
from chain import same
from one_text import CASES

import srcgrad as sg


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
