"""Loops that go back over what was kept have no index, and nobody counts for them."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg


def settles(x, n):
    total = 0.0
    for _ in range(n):
        y = x
        while y > 0.5:
            z = np.cos(y)
            y = y * z * 0.9 if z > 0.7 else y * 0.8
            total = total + y * y
        x = x * 0.99
    return total


def leaves_early(x, n):
    for _ in range(n):
        if x > 1.0:
            x = x * np.sin(x)
        else:
            x = x * x * 0.9 + 0.01
        if x < 0.3:
            break
    return x


def leaves_early_with_a_place_for_each(x, n):
    y = np.sin(x)
    for _ in range(n):
        if y > 0.7:
            y = y * np.exp(-y) + np.sin(y)
        if y < 0.1:
            break
        y = y * 0.7
    return y * x


def counts(x, n):
    steps = 0
    while x > 0.1 and steps < n:
        x = x * np.cos(x) * 0.9
        steps += 1
    return x * steps


def uses_its_index(x, n):
    total = 0.0
    for i in range(n):
        x = np.sin(x) * i + np.cos(x)
        total += x * i
    return total


@pytest.mark.parametrize("function", [
    settles, leaves_early, leaves_early_with_a_place_for_each, counts, uses_its_index])
@pytest.mark.parametrize("x", [0.95, 1.5, 2.5])
def test_derivatives(function, x):
    n, h = 4, 1e-6
    value, slope = sg.value_and_grad(function)(x, n)
    assert value == function(x, n)
    assert np.isclose(slope, (function(x + h, n) - function(x - h, n)) / (2 * h), rtol=1e-6)
    first = sg.grad(function)
    assert np.isclose(sg.grad(first)(x, n), (first(x + h, n) - first(x - h, n)) / (2 * h),
                      rtol=1e-5)


def test_what_is_kept_is_gone_through():
    text = sg.grad(settles).source(1.5, 4)
    assert "in reversed(kept):" in text and "in reversed(kept_2):" in text
    assert "while y > 0.5:\n            z = " in text  # which counts nothing


def test_a_list_with_a_place_for_each_iteration_is_longer():
    text = sg.grad(leaves_early).source(1.5, 7)
    assert "[None] * " in text and "reversed(range(len(" in text


def test_an_index_that_serves_something_else_stays():
    assert "for i in reversed(range(n)):" in sg.grad(uses_its_index).source(1.5, 4)
