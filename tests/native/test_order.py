"""Loops that run in another order, or as part of others, natively, and loops that may not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_native import native, outcome, plain_python

import srcgrad as sg

__all__ = ["plain_python"]


def kernels_of(fn: Any, *args: Any) -> str:
    """The text without that for NumPy."""
    text = native(sg.value_and_grad, fn).source(*args)
    return "\n\n\n".join(p for p in text.split("\n\n\n")
                         if f"def {fn.__name__}_value_and_grad_in_numpy(" not in p)


def check(fn: Any, *args: Any) -> Any:
    """Do both backends give the same?"""
    argnums = tuple(i for i, a in enumerate(args) if isinstance(a, np.ndarray)
                    and a.dtype.kind == "f")
    want = outcome(sg.value_and_grad(fn, argnums), args)
    got = outcome(native(sg.value_and_grad, fn, argnums), args)
    if isinstance(want, type):
        assert got is want
        return want
    assert type(got[0]) is type(want[0])
    np.testing.assert_array_equal(got[0], want[0])
    for g, w in zip(got[1], want[1], strict=True):
        np.testing.assert_allclose(g, w, rtol=1e-12, atol=1e-14)
    return got


X, Y = np.array([0.3, -1.2, 0.7, 2.0, -0.4]), np.array([1.5, 0.2, -0.3, 0.8, 1.1])


def weighted(x, y):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * x[i] * y[i]
    return s


def branches(x, y):
    s = 0.0
    for i in range(len(x)):
        if x[i] > 0.0:
            s += x[i] * y[i]
        else:
            s -= y[i] * y[i]
    return s


def gathered(x, y):
    s = 0.0
    for i in range(len(x)):
        s += x[i // 2] * y[0]
    return s


def pairs(x, y):
    s = 0.0
    for i in range(len(x)):
        for j in range(i):
            s += np.sqrt((x[i] - x[j]) * (x[i] - x[j]) + y[i] * y[i])
    return s


def kept_by_two(x, y):
    s = 0.0
    p = 1.0
    for i in range(len(x)):
        p = 1.0
        for j in range(3):
            p *= 1.0 + x[i] * y[j]
        s += p
    return s


@pytest.mark.parametrize("fn", [weighted, branches, gathered, pairs, kept_by_two])
def test_the_backward_part_of_an_iteration_joins_the_forward_part(fn, plain_python) -> None:
    check(fn, X, Y)
    check(fn, X[:3], Y[:3])
    text = kernels_of(fn, X, Y)
    assert text.count("for i in ") == 1, text


def test_what_joins_is_not_kept(plain_python: None) -> None:
    text = kernels_of(pairs, X, Y)
    assert "_saved" not in text and "append" not in text, text


# ---- what may not join -----------------------------------------------------------------------


def scaled_at_last(x, y):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * y[i]
    return s * s * s


def recurrence(x, y):
    h = 0.5
    for i in range(len(x)):
        h = h * x[i] + y[i]
    return h


def later_writes(x, y):
    z = x.copy()
    s = 0.0
    for i in range(len(z) - 1):
        z[i + 1] += z[i] * y[i]
        s += z[i] * z[i]
    return s


def overwritten(x, y):
    z = x.copy()
    s = 0.0
    for i in range(len(z)):
        s += z[i] * y[i]
        z[i] = s
    return s


def shifted(x, y):
    z = y.copy()
    for i in range(len(x) - 1):
        z[i] = x[i + 1] * x[i] * y[i]
    return np.sum(z * z)


def stops(x, y):
    s = 0.0
    for i in range(len(x)):
        if x[i] > 1.5:
            break
        s += x[i] * y[i]
    return s


def leaves_its_last(x, y):
    last = 0.0
    s = 0.0
    for i in range(len(x)):
        last = x[i] * y[i]
        s += last
    return s + last * last


def permuted(x, y):
    z = np.zeros_like(x)
    for i in range(len(x)):
        z[(3 * i) % 5] = x[i] * y[i]
    return np.sum(z * z * y)


@pytest.mark.parametrize("fn", [scaled_at_last, recurrence, later_writes, overwritten, shifted,
                                stops, leaves_its_last, permuted])
def test_what_depends_on_order_keeps_it(fn, plain_python) -> None:
    for n in (5, 2, 1):
        check(fn, X[:n].copy(), Y[:n].copy())


@pytest.mark.sweep
@pytest.mark.parametrize("fn", [weighted, branches, gathered, pairs, kept_by_two, scaled_at_last,
                                recurrence, later_writes, overwritten, shifted, stops,
                                leaves_its_last, permuted])
def test_compiled(fn) -> None:
    pytest.importorskip("numba")
    check(fn, X, Y)


# ---- directions --------------------------------------------------------------------------------


def rows(x, y):
    z = np.zeros((len(x), len(y)))
    for i in range(len(x)):
        for j in range(len(y)):
            z[i, j] = x[i] * y[j]
    return np.sum(z * z)


def test_independent_iterations_run_forwards(plain_python: None) -> None:
    check(rows, X, Y)
    assert "-1, -1, -1" not in kernels_of(shifted, X, Y).replace("range(x.shape[0] - 2", "")


# ---- memory --------------------------------------------------------------------------------------


def stencil(x, steps):
    u = x.copy()
    for _ in range(steps):
        u[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u * u)


def test_loops_do_not_allocate(plain_python: None) -> None:
    check(stencil, X, 3)
    check(stencil, X, 0)
    inside = [line for line in kernels_of(stencil, X, 3).splitlines()
              if "np.empty" in line and line.startswith("        ")]
    assert not inside


def replaced(x, y):
    z = x * 1.0
    for i in range(3, len(x)):
        z = y * x[i]
    return np.sum(z * z)


def handed_on(x, y):
    before = x * 1.0
    s = 0.0
    for i in range(len(x)):
        now = y * x[i]
        s += np.sum(now * before)
        before = now
    return s


@pytest.mark.parametrize("fn", [replaced, handed_on])
def test_what_lives_on_has_memory_of_its_own(fn, plain_python) -> None:
    for n in (5, 3, 1):
        check(fn, X[:n].copy(), Y[:n].copy())


# ---- what adds nothing ---------------------------------------------------------------------------


def shortest(x, y):
    n = len(x)
    d = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            d[i, j] = x[i] * x[i] + y[j] * y[j]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                through = d[i, k] * 0.5 + d[k, j]
                if through < d[i, j]:
                    d[i, j] = through
    return np.sum(d)


def greatest(x, y):
    s = 0.0
    for i in range(len(x)):
        best = x[i]
        for j in range(len(y)):
            other = x[i] * y[j] + y[j]
            if other > best:
                best = other
        s += best * best
    return s


def both_ways(x, y):
    z = x.copy()
    for i in range(1, len(x)):
        other = z[i - 1] * y[i]
        if other > 0.1:
            z[i] = other - z[i]
        else:
            z[0] = z[0] + other
    return np.sum(z * z * y)


def used_again(x, y):
    z = x.copy()
    s = 0.0
    for i in range(1, len(x)):
        a = z[i] * y[i]
        if a > 0.0:
            b = z[i - 1]
        else:
            b = a
        z[i - 1] = b * y[0]
        z[i] = b - a * x[i]
        s += b * s
    return s + np.sum(z)


@pytest.mark.parametrize("fn", [shortest, greatest, both_ways, used_again])
def test_what_adds_nothing_is_not_done(fn, plain_python) -> None:
    for n in (5, 3, 2, 1):
        check(fn, X[:n].copy(), Y[:n].copy())


def test_additions_of_zero_are_part_of_the_branch(plain_python: None) -> None:
    assert "d_through = 0.0" not in kernels_of(shortest, X, Y)


def best_path(x, y):
    n, m = len(x), len(y)
    d = np.zeros((n + 1, m + 1))
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            best = d[i - 1, j - 1]
            for k in range(j):
                other = d[i - 1, k] + x[i - 1] * y[k]
                if other > best:
                    best = other
            d[i, j] = best + (x[i - 1] - y[j - 1]) * y[0]
    return d[n, m]


def kept_factor(x, y):
    """A cotangent of zero times infinity is no zero."""
    d = x * 1.0
    for i in range(1, len(x)):
        t = d[i - 1] / y[i]
        if t > d[i]:
            t = t - d[i] * d[i]
        d[i] = t * d[0]
    return d[len(x) - 1]


def summed_behind(x, y):
    d = np.zeros(len(x) + 1)
    total = 0.0
    for i in range(len(x)):
        a = d[i]
        if x[i] > y[i]:
            a = a + x[i]
        else:
            a = a * y[i]
        total += a * a
        d[i + 1] = a
    return total + d[len(x)]


@pytest.mark.parametrize("fn", [best_path, kept_factor, summed_behind])
def test_what_no_path_leads_to_is_left_out(fn, plain_python) -> None:
    with np.errstate(all="ignore"):
        for n in (5, 3, 2, 1):
            check(fn, X[:n].copy(), Y[:n].copy())
        check(fn, X, np.zeros(len(X)))
    asked = [line for line in kernels_of(fn, X, Y).splitlines() if " == 0.0:" in line]
    assert len(asked) == (1 if fn is best_path else 0), asked


# ---- what both parts need ------------------------------------------------------------------------


def hinges(x, y):
    s = 0.0
    for i in range(len(x)):
        if x[i] > 0.5:
            if x[i] > 1.0:
                s += x[i] * x[i]
            else:
                s += 2.0 * x[i]
        elif x[i] < -0.5:
            s -= x[i] * 3.0
    return s


def counted_between(x, y):
    s, n = 0.0, 0
    for i in range(len(x)):
        if i % 2 == 1:
            n += 1
            s += x[i] * n
        if x[i] > 0.0:
            s += x[i] * y[n]
    return s


@pytest.mark.parametrize("fn", [hinges, counted_between, weighted, pairs])
def test_what_both_parts_need_is_there_once(fn, plain_python) -> None:
    for n in (5, 3, 2, 1):
        check(fn, X[:n].copy(), Y[:n].copy())
    text = kernels_of(fn, X, Y)
    if fn is not counted_between:
        assert "taken" not in text and text.count(" = x[i]") <= 1, text


# ---- indices -------------------------------------------------------------------------------------


def beside(x, y):
    s = 0.0
    for i in range(1, len(x)):
        t = 0.0
        for j in range(1, len(y)):
            t += x[i - 1] * y[j] * x[i - 1]
        s += t * t
    return s


def test_an_element_at_a_steady_place_is_a_number(plain_python: None) -> None:
    check(beside, X, Y)
    check(beside, X[:1], Y)
    check(beside, X, Y[:1])
    assert "d_x_part = plus(" in kernels_of(beside, X, Y)


# ---- division ------------------------------------------------------------------------------------


def quotients(x, y, start):
    h = start
    for i in range(len(x)):
        h = x[i] + 1.0 / h
    return h


def quotients_of_both(x, y, start):
    h, k = 0.0, 1.0
    for i in range(len(x)):
        if x[i] > 0.0:
            k = k / (h + start)
        h = x[i] - x[i]
        k = k + y[i] / (h + 1.0)
    return k / (h + 1.0)


@pytest.mark.parametrize("fn", [quotients, quotients_of_both])
@pytest.mark.parametrize("start", [0.0, 1.0])
def test_whose_number_a_divisor_is_the_run_tells(fn, start, plain_python) -> None:
    with np.errstate(all="ignore"):
        for x in (X, np.zeros(3), np.ones(0)):
            check(fn, x, np.ones(len(x)), start)
    assert "@njit" in native(sg.value_and_grad, fn).source(X, Y, start)
