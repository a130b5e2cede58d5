"""Cotangents that go from one iteration to the next, natively: few operations are waited for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_order import check, kernels_of, plain_python

__all__ = ["plain_python"]

X = np.array([0.3, -1.2, 0.7, 2.0, -0.4])


def leapfrog(x, y):
    """Two cotangents, each of which becomes part of the other."""
    p, v = 0.5, y[0]
    for i in range(len(x)):
        p = p + 0.1 * v
        v = v - 0.2 * x[i] * p * p
        p = p + 0.1 * v
    return p * v


def blended(x, y):
    """What is added to a cotangent depends on integers, and goes to an array."""
    mean, total = 0.0, 0.0
    for i in range(len(x)):
        gap = x[i] - mean
        mean = mean + 0.5 * gap / (i + 2) * y[i]
        total += gap * (x[i] - mean) * (i + 1)
    return total + mean


def swapped(x, y):
    """Three cotangents that change places, one of them without end."""
    a, b, c = 1.0, x[0], y[0]
    for i in range(len(x)):
        a, b, c = b, 0.5 * c + x[i] * a, a - y[i] * b - 0.3 * c
    return a * b + c


def branching(x, y):
    """A cotangent goes through a branch."""
    s, t = 1.0, 0.0
    for i in range(len(x)):
        if x[i] > 0.0:
            s = s * x[i] - 0.5 * t
        t = t + (s - 0.1 * t) * y[i] - 0.2 * s
    return s + t


def leaving(x, y):
    s, t = 1.0, 0.0
    for i in range(len(x)):
        s, t = 0.9 * s - x[i] * t, 0.8 * t + (y[i] - 0.1 * s) * 0.3
        if s > 2.0:
            break
    return s * t


def of_five(x, y):
    a, b, c, d, e = 1.0, 0.5, x[0], y[0], 0.2
    for i in range(len(x)):
        a, b, c, d, e = 0.5 * b - c, c * x[i], 0.1 * d + a, e - b, a * y[i] + 0.3 * e
    return a + b * c + d * e


@pytest.mark.parametrize("fn", [leapfrog, blended, swapped, branching, leaving, of_five])
@pytest.mark.parametrize("n", [1, 2, 5])
def test_recurrences(fn: Any, n: int, plain_python: None) -> None:
    check(fn, X[:n], 0.5 + X[::-1][:n] ** 2)


def test_factors_are_computed_apart(plain_python: None) -> None:
    assert "d_p_2 = d_p * t2 - d_v * (2.0 * t1)" in kernels_of(leapfrog, X, X)


def entropies(x, y):
    s, total = 0.5, 0.0
    for i in range(len(x)):
        total += np.log(s) + x[i] * y[i] / s
        s = 0.1 + 0.9 * s + x[i] * x[i]
    return total


def test_quotients_are_products_where_the_inverse_is_there(plain_python: None) -> None:
    check(entropies, X, X)
    assert "x_i * y_i / s * t1" in kernels_of(entropies, X, X)
