"""Loops over lists of numbers run natively: values, gradients, what the caller's list holds after
the call, and exceptions are those of NumPy's text."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from test_native import native, plain_python  # noqa: F401

import srcgrad as sg

pytest.importorskip("numba")


@dataclass
class Body:
    x: float
    v: float
    n: int = 3


def floats(n):
    return [float(v) for v in np.random.default_rng(n).normal(size=n)]


def positive(n):
    return [abs(v) + 0.5 for v in floats(n)]


def numpys(n):
    return [np.float64(v) for v in floats(n)]


def singles(n):
    return [np.float32(v) for v in floats(n)]


def counts(n):
    return [int(v) for v in np.random.default_rng(n).integers(-3, 4, size=n)]


def pairs(n):
    return [*zip(floats(n), positive(n), strict=True)]


def bodies(n):
    return [Body(x, v) for x, v in pairs(n)]


def squares(xs):
    s = 0.0
    for x in xs:
        s += x * x
    return s


def neighbours(xs):
    s = 0.0
    for i in range(len(xs) - 1):
        s = s + xs[i] * np.sin(xs[i + 1])
    return s + xs[0]


def from_the_end(xs):
    s = 0.0
    for i in range(len(xs)):
        s += xs[-i - 1] * xs[i] * (i + 1)
    return s


def smoothed(xs):
    m = out = 0.0
    for x in xs:
        m = 0.9 * m + 0.1 * x
        if x > m:
            out += (x - m) * (x - m)
        else:
            out -= x * m
    return out


def logarithms(xs):
    s = 0.0
    for x in xs:
        s += math.log(x) / x
    return s


def collected(xs):
    ys = []
    for i in range(len(xs)):
        ys.append(xs[i] * xs[i] * xs[i - 1])
    s = 0.0
    for i in range(len(ys) - 1):
        s += ys[i] * ys[i + 1]
    return s


def a_sum(xs):
    return sum(x * x for x in xs) + xs[-1] * len(xs)


def as_an_array_too(xs):
    ys = []
    for x in xs:
        ys.append(x * x)
    return np.sum(np.array(ys) ** 3)


def differences(xs):
    s = 0.0
    for a, b in zip(xs, xs[1:], strict=False):
        s += (b - a) * (b - a)
    return s


def products(xs):
    s = 0.0
    for a, b in xs:
        s += a * b * b
    return s


def attracted(bs):
    e = 0.0
    for i in range(len(bs)):
        for j in range(i + 1, len(bs)):
            d = bs[i].x - bs[j].x
            e += bs[i].v * bs[j].v * bs[i].n / (d * d + 0.1)
    return e


def weighted(xs, ks):
    s = 0.0
    for x, k in zip(xs, ks, strict=True):
        s += x * k
    return s


def picked(xs, ks):
    s = 0.0
    for k in ks:
        s += xs[k] * xs[k]
    return s


def too_far(xs):
    s = 0.0
    for i in range(len(xs)):
        s += xs[i] * xs[i + 1]
    return s


def changed(xs):
    for i in range(1, len(xs)):
        xs[i] = 0.9 * xs[i - 1] + xs[i] * xs[i]
    s = 0.0
    for x in xs:
        s += x
    return s


def changed_by_number(xs):
    for t in range(3):
        for i in range(len(xs) - 1):
            xs[i] = xs[i] * 0.5 + xs[i + 1] * t
    return sum(xs)


def rooted(xs):
    for i in range(len(xs)):
        xs[i] = math.sqrt(xs[i] * xs[i])
    s = 0.0
    for x in xs:
        s += x
    return s


def flagged(xs, flags):
    s = 0.0
    for x, flag in zip(xs, flags, strict=True):
        if flag:
            s += x * x
    return s


def stored_too_far(xs):
    for i in range(len(xs)):
        xs[i + 1] = xs[i] * 0.5
    return xs[0]


def divided(xs):
    for i in range(1, len(xs)):
        xs[i] = xs[i] / (xs[i - 1] - 0.25)
    return xs[-1]


def found(xs):
    lo, hi = 0, len(xs)
    while hi - lo > 1:
        m = (lo + hi) // 2
        if xs[m] < 0.3:
            lo = m
        else:
            hi = m
    return xs[lo] * 2.0


PROGRAMS: list[tuple[Any, Any, bool]] = [  # the program, its arguments of a size, is it a kernel
    (squares, lambda n: (floats(n),), True), (squares, lambda n: (numpys(n),), True),
    (squares, lambda n: (singles(n),), False), (neighbours, lambda n: (floats(n),), True),
    (from_the_end, lambda n: (floats(n),), True), (smoothed, lambda n: (floats(n),), True),
    (logarithms, lambda n: (positive(n),), True), (collected, lambda n: (floats(n),), True),
    (a_sum, lambda n: (floats(n),), True), (as_an_array_too, lambda n: (floats(n),), True),
    (differences, lambda n: (floats(n),), True), (products, lambda n: (pairs(n),), True),
    (attracted, lambda n: (bodies(n),), True),
    (weighted, lambda n: (floats(n), counts(n)), True),
    (picked, lambda n: (floats(n), [k % n for k in counts(n)]), True),
    (flagged, lambda n: (floats(n), [x > 0.0 for x in floats(n)]), True),
    (changed, lambda n: (floats(n),), True), (changed_by_number, lambda n: (floats(n),), True),
    (found, lambda n: (sorted(floats(n)),), False),  # it would take longer to convert the list
]


def of(fn, args, backend):
    """The value and gradient, and what the arguments are after the call."""
    args = copy.deepcopy(args)
    df = native(sg.value_and_grad, fn, 0) if backend == "numba" else sg.value_and_grad(fn, 0)
    return *df(*args), args


def alike(got, want):
    """Have two gradients the same structure, types and numbers (sums may be regrouped)?"""
    assert type(got) is type(want)
    if isinstance(want, (list, tuple)):
        assert len(got) == len(want)
        for g, w in zip(got, want, strict=True):
            alike(g, w)
    elif isinstance(want, Body):
        alike([got.x, got.v, got.n], [want.x, want.v, want.n])
    elif isinstance(want, str):
        assert got == want
    elif want is not None:
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-12)


def same(fn, args, typed=True):
    """``typed``: with types, which kernels that run as Python do not tell apart."""
    want, got = of(fn, args, "numpy"), of(fn, args, "numba")
    if "sin" not in fn.__code__.co_names:
        assert float(got[0]) == float(want[0])
    if typed:
        alike(got[0], want[0])
    alike(got[1], want[1])
    assert repr(got[2]) == repr(want[2])


@pytest.mark.parametrize("fn, make, is_kernel", PROGRAMS,
                         ids=[f"{p[0].__name__}-{i}" for i, p in enumerate(PROGRAMS)])
@pytest.mark.usefixtures("plain_python")
def test_text(fn, make, is_kernel):
    for n in (600, 1, 2, 9, 40):
        same(fn, make(n), typed=False)
    assert ("njit" in native(sg.value_and_grad, fn, 0).source(*make(600))) is is_kernel


@pytest.mark.parametrize("fn, make", [p[:2] for p in PROGRAMS if p[2]],
                         ids=[f"{p[0].__name__}-{i}" for i, p in enumerate(PROGRAMS) if p[2]])
def test_compiled(fn, make):
    pytest.importorskip("numba")
    for n in (600, 40):
        same(fn, make(n))


@pytest.mark.parametrize("fn, make", [
    (too_far, floats), (stored_too_far, floats),
    (divided, lambda n: [0.5, 0.25, 2.0, *floats(n)]),
    (picked, lambda n: (floats(n), [0, 1, n, *counts(n)])),
    (logarithms, lambda n: [*positive(n), -1.0]), (rooted, lambda n: [*floats(n), 0.0, 1.0]),
], ids=lambda v: getattr(v, "__name__", ""))
def test_exceptions_and_what_is_left(fn, make):
    """The exception's text is Python's, and the list holds what was put into it before."""
    given = make(200)
    given = given if isinstance(given, tuple) else (given,)
    left = {}
    for backend in ("numpy", "numba"):
        args = copy.deepcopy(given)
        df = native(sg.value_and_grad, fn, 0) if backend == "numba" else sg.value_and_grad(fn, 0)
        try:
            result = df(*args)
        except Exception as error:
            result = type(error), str(error)
        left[backend] = repr((result, args))
    assert left["numba"] == left["numpy"]


@pytest.mark.parametrize("first, second", [
    (floats(600), [1, *floats(99)]), ([1, *floats(99)], floats(600)),
    (floats(600), [True, *floats(99)]), (floats(600), [np.float64(2.0), *floats(99)]),
    (floats(600), floats(3)), (floats(600), []), (numpys(600), floats(600))])
@pytest.mark.parametrize("fn", [squares, neighbours, a_sum, changed])
def test_other_lists(fn, first, second):
    """Numbers of several types, and other lengths, in a later call."""
    left = {}
    for backend in ("numpy", "numba"):
        df = sg.value_and_grad(fn, backend=backend)
        df.cache_clear()
        for xs in (first, second):
            xs = [*xs]
            try:
                result = df(xs)
            except IndexError as error:
                result = str(error)
            left.setdefault(backend, []).append((result, xs))
    for (got, after), (want, changed_to) in zip(left["numba"], left["numpy"], strict=True):
        assert repr(after) == repr(changed_to)
        alike(got, want)


@pytest.mark.parametrize("k", [2 ** 31, -2 ** 40, 2 ** 63, 2 ** 70])
def test_long_integers(k):
    """Integers that do not fit, or might not when they are computed with, are Python's."""
    def programs(xs, ks):
        s = 0.0
        for i in range(len(xs)):
            s += xs[i] * (ks[i] % 7)
        return s

    same(programs, (floats(600), counts(600)))
    same(programs, (floats(600), [*counts(599), k]))


def test_special_numbers():
    same(squares, ([*floats(600), math.inf, -0.0],))
    xs = [*floats(600), math.nan]
    assert math.isnan(sg.value_and_grad(squares, backend="numba")(xs)[0])


def test_other_transforms():
    def total(xs):
        s = 0.0
        for i in range(1, len(xs)):
            s += xs[i] * xs[i] * xs[i - 1]
        return s

    xs, seeds = floats(600), floats(601)[1:]
    assert native(sg.jit, total)(xs) == total(xs)
    want = sg.jvp(total, (xs,), (seeds,))
    got = sg.jvp(total, (xs,), (seeds,), backend="numba")
    np.testing.assert_allclose(got, want, rtol=1e-10)


def test_what_is_said():
    """A loop that stays in NumPy says why."""
    df = sg.value_and_grad(found, backend="numba")
    df(sorted(floats(600)))
    assert "a list may be longer than the loop" in str(df.explain(sorted(floats(600))))
