"""What a kernel holds besides its loops is checked as well: indices of views, sizes, and what
stands in front of the first loop; arrays without axes are the numbers in them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_native import native, outcome, plain_python

import srcgrad as sg

__all__ = ["plain_python"]

X = np.array([0.3, -1.2, 0.7])
A = np.arange(9.0).reshape(3, 3) / 7.0


def row_written(x, a, k):
    b = a * 0.5
    for e in range(k):
        row = b[e % 2]
        row[e] = -1.0 * x[0]
    return np.sum(b)


def column_written(x, a, k):
    b = a * 0.5
    for e in range(k):
        b[:, 1:][1][e - 1] = x[e % 3] * b[0, e % 3]
    return np.sum(b)


def read_in_front(x, a, k):
    y = np.zeros(len(x))
    s = x[k - 2]
    for i in range(len(x)):
        y[i] = s * x[i]
    return np.sum(y)


def changed_in_front(x, a, k):
    b = a.copy()
    b[k - 1][k - 2] *= 2.0
    for i in range(len(x)):
        b[i, 0] = b[i, 0] * x[i]
    return np.sum(b)


def divided_in_front(x, a, k):
    t = 7 % (k - 3)
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = t * x[i]
    return np.sum(y)


def between_loops(x, a, k):
    """The derivative of a maximum is a choice from arrays without axes."""
    s = 0.0
    for i in range(len(x)):
        s += x[i] * a[i, 0]
    s -= 0.3 * np.maximum(x[1], 0.5)
    for i in range(len(x)):
        s += np.minimum(x[i], a[i, 1]) * s + np.clip(x[i], -0.5, 0.5)
    return s


def array_without_axes(x, a, k):
    s = 0.0
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = np.where(x[i] > 0.0, x[i] * x[i], a[i, 0])
        s += y[i]
    return np.where(s > 0.1, s, y[0])


def constant_choice(x, a, k):
    b, s = False, 0.0
    for i in range(len(x)):
        s += np.where(b, x[i], a[i, 0] * x[i])
    return s


def sizes_of_the_way_forward(x, a, k):
    b, s, t = a * 0.5, x[0], 1.0
    for i in range(2):
        for j in range(a.shape[1]):
            s = 0.5 * s + 0.5 * b[-1][i] * x[1]
    for i in range(k):
        t *= 0.5 * s
    t += 0.3 * b[-1][-1]
    return s + t


def kept_in_one_iteration(x, y, a, b):
    held, s = [1.0, b, 1.0], x[0]
    w = x.copy()
    for i in range(a.shape[1]):
        if i % 2:
            e = 0
            while e < len(x) and held[(i * 3) % len(x)] < 3:
                s = 0.9 * s + 0.1 * (3 + b)
        if s > i:
            s = 0.9 * s + 0.1 * y[i:].sum()
    w[0] = np.dot(x, x)
    return s + np.sum(a) + sum(held)


def test_number_of_iterations_of_a_kernel(plain_python: None) -> None:
    args = np.array([0.7]), np.array([-0.4]), np.array([[1.3]]), 0.3
    want = sg.value_and_grad(kept_in_one_iteration, (0, 1, 2))(*args)
    got = native(sg.value_and_grad, kept_in_one_iteration, (0, 1, 2))(*args)
    assert got[0] == want[0] and all(map(np.array_equal, got[1], want[1]))


@pytest.mark.parametrize("fn", [
    row_written, column_written, read_in_front, changed_in_front, divided_in_front, between_loops,
    array_without_axes, constant_choice, sizes_of_the_way_forward])
@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 6])
def test_checks(fn: Any, k: int, plain_python: None) -> None:
    want = outcome(sg.value_and_grad(fn, (0, 1)), (X, A, k))
    got = outcome(native(sg.value_and_grad, fn, (0, 1)), (X, A, k))
    if isinstance(want, type):
        assert got is want
        return
    assert type(got[0]) is type(want[0])
    np.testing.assert_allclose(got[0], want[0], rtol=1e-14)
    for g, w in zip(got[1], want[1], strict=True):
        np.testing.assert_allclose(g, w, rtol=1e-12)


@pytest.mark.parametrize(("fn", "asked"), [
    (row_written, "k > a.shape[1]"), (read_in_front, "if outside("),
    (changed_in_front, "if outside("), (divided_in_front, "1 > k - 3")])
def test_calls_or_kernels_ask(fn: Any, asked: str, plain_python: None) -> None:
    text = native(sg.value_and_grad, fn).source(X, A, 1)
    kernel, _, rest = text.partition("_in_numpy(")
    assert asked in kernel + rest.partition("\n\n\n")[2]


@pytest.mark.parametrize("fn", [between_loops, array_without_axes])
def test_choices_run_natively(fn: Any, plain_python: None) -> None:
    assert "np.where" not in native(sg.value_and_grad, fn, (0, 1)).source(X, A, 1).partition(
        "_in_numpy(")[0]
