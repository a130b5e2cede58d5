"""What keeps innermost loops from vector instructions natively: what iterations add to places around
their own is gathered, indices that are not below zero are not asked about."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_order import check, kernels_of, plain_python

__all__ = ["plain_python"]


def smoothed(x, y):
    v = x.copy()
    for _ in range(3):
        w = v.copy()
        for i in range(1, len(v) - 1):
            v[i] = w[i] + 0.1 * (w[i - 1] - 2.0 * w[i] + w[i + 1])
    return np.sum(v * v)


def wide(x, y):
    """Places that are far, on one side, and factors that differ from place to place."""
    v = x.copy()
    for _ in range(2):
        w = v.copy()
        for i in range(2, len(v) - 3):
            v[i] = 0.5 * w[i + 3] * y[i] - w[i + 1] * y[i - 2] + 0.25 * w[i - 2]
    return np.sum(v * y)


def of_squares(x, y):
    """The term reads elsewhere than at its own place."""
    v = x.copy()
    for _ in range(2):
        w = v.copy()
        for i in range(1, len(v) - 1):
            v[i] = w[i - 1] * w[i + 1] + 0.5 * w[i] * y[i]
    return np.sum(v)


def two_rows(x, y):
    """Rows above and below, in which one place each is added to, beside a row with two."""
    n = len(x)
    a, b = np.outer(x, y), np.zeros((n, n))
    for _ in range(2):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                b[i, j] = a[i - 1, j] + a[i + 1, j] + 0.5 * (a[i, j - 1] - a[i, j + 1])
        for i in range(n):
            for j in range(n):
                a[i, j] = 0.3 * a[i, j] + b[i, j]
    return np.sum(a)


def nine(x, y):
    """Three rows of three places."""
    n = len(x)
    a, b = np.outer(x, y), np.zeros((n, n))
    for _ in range(2):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                s = 0.0
                for k in range(-1, 2):
                    s += a[i + k, j - 1] + 2.0 * a[i + k, j] - a[i + k, j + 1]
                b[i, j] = 0.1 * s
        for i in range(n):
            for j in range(n):
                a[i, j] = a[i, j] + b[i, j]
    return np.sum(a)


def in_place(x, y):
    """What is read was written by the iteration before."""
    v = x.copy()
    for _ in range(2):
        for i in range(1, len(v) - 1):
            v[i] = 0.5 * v[i - 1] + 0.25 * v[i + 1] + y[i]
    return np.sum(v * v)


def differences(x, y):
    """One loop of the program alone, and a sum."""
    s = 0.0
    for i in range(len(x) - 1):
        s += (x[i + 1] - x[i]) * y[i]
    return s


def triangles(x, y):
    """Loops that begin where another one is; and the name of what says so of indices."""
    n, at = len(x), 0.5 * y[0]
    a = np.outer(x, y) + 3.0 * np.eye(n)
    for k in range(n):
        for i in range(k + 1, n):
            a[i, k] = a[i, k] / (2.0 + a[k, k] * a[k, k])
            for j in range(k + 1, n):
                a[i, j] -= at * a[i, k] * a[k, j]
    return np.sum(a)


def before_the_first(x, y):
    """An index that is below zero in the first iterations, and one that may be."""
    s = 0.0
    for i in range(2, len(x)):
        s += x[i - 3] * y[i - 2] + x[-i]
    return s


FUNCTIONS = [triangles, before_the_first, smoothed, wide, of_squares, two_rows, nine, in_place, differences]


@pytest.mark.parametrize("fn", FUNCTIONS)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 7, 12])
def test_stencils(fn: Any, n: int, plain_python: None) -> None:
    rng = np.random.default_rng(n)
    check(fn, rng.standard_normal(n), rng.standard_normal(n))


@pytest.mark.parametrize("fn", [smoothed, wide, two_rows])
def test_they_are_gathered(fn: Any, plain_python: None) -> None:
    x = np.ones(5)
    assert "min(" in kernels_of(fn, x, x)


def test_indices_that_are_never_below_zero_are_not_asked(plain_python: None) -> None:
    x = np.ones(5)
    assert "a[i, at_j] -=" in kernels_of(triangles, x, x)


@pytest.mark.sweep
@pytest.mark.parametrize("fn", FUNCTIONS)
def test_compiled(fn: Any) -> None:
    pytest.importorskip("numba")
    for n in (1, 2, 3, 5, 40):
        x = np.random.default_rng(n).standard_normal(n)
        check(fn, x, x[::-1].copy())
