"""Reads through arrays of indices, and additions at them, natively: what NumPy gives, also where
places are repeated, count from the end or lie outside."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_native import native, plain_python
from test_order import check, kernels_of

import srcgrad as sg

__all__ = ["plain_python"]

X = np.array([0.3, -1.2, 0.7, 2.0, -0.4])
Y = np.array([1.5, 0.2, -0.3, 0.8, 1.1])
A = np.outer(X, Y) + np.eye(5)
PLACES = [np.array([4, 0, 0, 2, -1]), np.array([1, 1, 1, 1, 1], np.int32),
          np.array([3, -5, 4, 0, 2], np.int8), np.arange(10)[::2] % 5]


def bag(e, words, w):
    s = 0.0
    for _ in range(3):
        u = np.tanh(e[words]) * w
        s += np.sum(u)
        e = e * 0.5
    return s


def mesh(u, left, steps):
    v = u.copy()
    right = left[::-1]
    for _ in range(steps):
        flux = 0.1 * (v[right] - v[left])
        d = np.zeros_like(v)
        np.add.at(d, left, flux)
        np.add.at(d, right, -flux)
        v = v + d
    return np.sum(v * v)


def of_rows(a, where, n):
    s = 0.0
    for k in range(n):
        b = a[where] * (k + 1.0)
        s += np.sum(b[:, 0] * b[:, 1]) + np.sum(a[where, where] * a[:, where][0])
    return s


def of_tables(x, where, n):
    table = np.zeros((n, len(where)), int) + where
    v = x * 1.0
    for t in range(n):
        near = v[table[t]]
        v = 0.5 * v + 0.5 * near * near
    return np.sum(v)


def overwritten_after(x, where, n):
    v = x.copy()
    s = 0.0
    for k in range(n):
        g = v[where]
        v[1:] = v[:-1] * 0.5
        v += g
        s += g[0] * g[k]
    return s + np.sum(v)


def read_and_added(x, where, n):
    v = x.copy()
    for _ in range(n):
        np.add.at(v, where, 0.1 * v[where])
        v *= 0.9
    return np.sum(v * v)


def summed_at(x, where, n):
    s = 0.0
    for k in range(n):
        s += np.max(x[where]) * np.mean(x[where] * (k + 1.0))
    return s


def computed(x, where, n):
    s = 0.0
    for k in range(n):
        s += np.sum(x[where + k - 2] * x[np.abs(where)])
    return s


def once_then_all(x, where, n):
    s = np.zeros(len(where))
    for k in range(n):
        s += x[where] + x[where] * x[where[k]]
    return np.sum(s * s)


NATIVE = [mesh, of_tables, overwritten_after, read_and_added, once_then_all, of_rows, bag]
ALL = [*NATIVE, summed_at, computed]


@pytest.mark.parametrize("where", PLACES, ids=["repeated", "one", "int8", "strided"])
@pytest.mark.parametrize("fn", ALL)
def test_gathers_are_those_of_numpy(fn: Any, where: Any, plain_python: None) -> None:
    x = A if fn is of_rows else X
    check(fn, x, where, Y if fn is bag else 3)
    if fn is not bag:
        check(fn, x, where, 0)
        check(fn, x, where[:1], 1)


@pytest.mark.parametrize("fn", NATIVE)
def test_gathers_stay_in_kernels(fn: Any, plain_python: None) -> None:
    args = (A if fn is of_rows else X, PLACES[0], Y if fn is bag else 3)
    text = native(sg.value_and_grad, fn).explain(*args)
    assert "array" not in text[text.index("native code"):] and "in NumPy" not in text, text


@pytest.mark.parametrize("fn", [bag, mesh, of_rows, once_then_all])
@pytest.mark.parametrize("bad", [5, -6])
def test_places_outside_are_named(fn: Any, bad: int, plain_python: None) -> None:
    where = np.array([0, 1, bad, 7, 2])
    args = (A if fn is of_rows else X, where, Y if fn is bag else 3)
    messages = []
    for df in (sg.value_and_grad(fn), native(sg.value_and_grad, fn)):
        df(*(PLACES[0] if a is where else a for a in args))
        with pytest.raises(IndexError) as raised:
            df(*args)
        messages.append(str(raised.value).splitlines()[0])
    assert messages[0] == messages[1]


def writes_before(x, y, where):
    s = 0.0
    for k in range(2):
        y[:] = x * (k + 2.0)
        s += np.sum(y * x[where])
    return s


def test_what_is_written_before_an_exception_is(plain_python: None) -> None:
    for df in (sg.value_and_grad(writes_before), native(sg.value_and_grad, writes_before)):
        df(X, Y.copy(), PLACES[0])
        y = Y.copy()
        with pytest.raises(IndexError):
            df(X, y, np.array([0, 1, 2, 3, 9]))
        np.testing.assert_array_equal(y, X * 2.0)


def masked(x, where, n):
    s = 0.0
    for _ in range(n):
        s += np.sum(x[where > 1] * x[[0, 1]][0])
    return s


def buffered(x, where, n):
    y = np.zeros_like(x)
    for _ in range(n):
        y[where] += x * 2.0
        y[where] = y[where] * x
    return np.sum(y * y)


@pytest.mark.parametrize("fn", [masked, buffered])
def test_other_ways_to_select_stay_in_numpy(fn: Any, plain_python: None) -> None:
    for where in PLACES:
        check(fn, X, where, 2)


@pytest.mark.sweep
@pytest.mark.parametrize("fn", ALL)
def test_compiled(fn: Any) -> None:
    pytest.importorskip("numba")
    for where in PLACES:
        check(fn, A if fn is of_rows else X, where, Y if fn is bag else 3)


def test_indices_are_asked_once(plain_python: None) -> None:
    text = kernels_of(once_then_all, X, PLACES[0], 3)
    assert text.count("any_outside(") == 1, text
