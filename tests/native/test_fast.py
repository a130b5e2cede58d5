"""``precision="fast"``: polynomials within one unit in the last place, of which decimal arithmetic is
the judge, and sums in another order."""

from __future__ import annotations

import decimal
import math
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from test_native import (
    CASES,
    FEW,
    arguments,
    native,
    outcome,
    plain_python,
)

import srcgrad as sg
from srcgrad.native import backend
from srcgrad.native.approximate import APPROXIMATIONS, fast_erf, fast_exp, fast_log, fast_tanh

__all__ = ["plain_python"]
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862")


def exact_tanh(x: Decimal) -> Decimal:
    squared = (2 * x).exp()
    return (squared - 1) / (squared + 1)


def exact_erf(x: Decimal) -> Decimal:
    """By its series, whose terms are at most ``exp(x * x)``."""
    term, total, n = x, x, 0
    while term and abs(term) > abs(total) * Decimal(10) ** -50:
        n += 1
        term = -term * x * x / n
        total += term / (2 * n + 1)
    return 2 * total / PI.sqrt()


RNG = np.random.default_rng(3)
POINTS = {
    fast_exp: (Decimal.exp, [RNG.uniform(-1, 1, 200), RNG.uniform(-745, 709.7, 200), [1e-300, -37.5]]),
    fast_log: (Decimal.ln, [RNG.uniform(0.5, 1.5, 200), np.exp(RNG.uniform(-740, 700, 200)),
                            [5e-324, 1e-310, 0.5 ** 0.5, 2 ** 0.5, 1.0 + 2.0 ** -52]]),
    fast_tanh: (exact_tanh, [RNG.uniform(-1.2, 1.2, 200), RNG.uniform(-20, 20, 200), [1e-9, 1.0]]),
    fast_erf: (exact_erf, [RNG.uniform(-1.2, 1.2, 200), RNG.uniform(-6.5, 6.5, 200), [1e-9, 1.0]]),
}


def errors(fast: Any, called: Any) -> float:
    """The largest error in units of the last place."""
    exact, parts = POINTS[fast]
    worst = 0.0
    with decimal.localcontext() as context:
        context.prec = 80
        for x in np.concatenate(parts):
            want = exact(Decimal(float(x)))
            got = float(called(float(x)))
            worst = max(worst, float(abs(Decimal(got) - want) / Decimal(math.ulp(float(want)))))
    return worst


@pytest.mark.parametrize("fast", POINTS)
def test_errors_are_below_one_unit(fast: Any) -> None:
    assert errors(fast, fast) < 1.0


@pytest.mark.parametrize("fast", POINTS)
@pytest.mark.parametrize("x", [0.0, -0.0, math.inf, -math.inf, math.nan, 1e308, -1e308, 711.0, -747.0])
def test_what_is_no_ordinary_number(fast: Any, x: float) -> None:
    plain = next(f for f, found in APPROXIMATIONS.items() if found is fast)
    with np.errstate(all="ignore"):
        want = np.float64(plain(np.float64(x)))
        got = np.float64(fast(x))
    assert got == want or (np.isnan(got) and np.isnan(want))
    assert np.isnan(want) or np.signbit(got) == np.signbit(want)


@pytest.mark.sweep
@pytest.mark.parametrize("fast", POINTS)
def test_errors_of_compiled_code(fast: Any) -> None:
    numba = pytest.importorskip("numba")
    assert errors(fast, backend._compiled(numba.njit)[fast.__name__]) < 1.0


def mixture(x, w):
    s = h = 0.0
    for i in range(len(x)):
        y = np.tanh(w * x[i])
        s += np.exp(-y) * np.log(2.0 + y) + math.erf(y)
    for i in range(len(x)):
        h = np.tanh(h + x[i])
    return s * h


def test_fast_code_says_so(plain_python: None) -> None:
    x = np.linspace(-1.0, 1.0, 9)
    df = sg.value_and_grad(mixture)
    fast = df.with_backend("numba", precision="fast")
    text = fast.source(x, 0.5)
    assert "nogil=True, fastmath={'reassoc', 'arcp', 'contract'})" in text
    assert all(f"{name}(" in text for name in ("fast_tanh", "fast_exp", "fast_log", "fast_erf"))
    assert "h = np.tanh(h + x[i])" in text  # one after the other
    assert "fast: sums and products may be reordered" in fast.explain()
    strict = df.source(x, 0.5, backend="numba")
    assert "fast" not in strict and "fast:" not in df.explain(x, 0.5, backend="numba")
    assert df.source(precision="fast") == df.source()
    (value, slope), (want, expected) = fast(x, 0.5), df(x, 0.5)
    np.testing.assert_allclose(value, want, rtol=1e-14)
    np.testing.assert_allclose(slope, expected, rtol=1e-13)


def test_fast_code_raises_what_python_raises(plain_python: None) -> None:
    def logs(x, n):
        s = 0.0
        for i in range(n):
            s += math.log(x - i)
        return s

    with pytest.raises(ValueError, match="math domain error"):
        sg.grad(logs, backend="numba", precision="fast")(2.0, 4)


@pytest.mark.parametrize(("fn", "makers", "sizes"), [
    *FEW, *(pytest.param(*c, marks=pytest.mark.sweep) for c in CASES if c not in FEW)],
    ids=lambda value: getattr(value, "__name__", ""))
def test_fast_is_close(fn, makers, sizes, plain_python) -> None:
    args = arguments(makers, sizes[-1])
    want = outcome(sg.value_and_grad(fn), args)
    fast = native(lambda *a, **how: sg.value_and_grad(*a, precision="fast", **how), fn)
    got = outcome(fast, args)
    if isinstance(want, type):
        assert got is want
    else:
        for g, w in zip(got, want, strict=True):
            np.testing.assert_allclose(g, w, rtol=1e-4 if np.asarray(w).dtype == np.float32 else 1e-8,
                                       atol=1e-10)
