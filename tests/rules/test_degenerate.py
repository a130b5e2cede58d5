"""Derivatives where data is missing, infinite, tied or empty.

The numbers were made with PyTorch 2.13 (``loss.backward()`` in float64) where it has the function.
"""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from compiled import function_of

import srcgrad as sg

nan, inf = np.nan, np.inf


def gradient(text, **operands):
    """The gradient of ``text`` for its operands; warnings only where the value has some too."""
    source = function_of(text, {"np": np}, tuple(operands))
    with warnings.catch_warnings(record=True) as before:
        warnings.simplefilter("always")
        value = source(*operands.values())
    with warnings.catch_warnings(record=True) as after:
        warnings.simplefilter("always")
        ours, found = sg.value_and_grad(source, argnums=tuple(range(len(operands))))(
            *operands.values())
    assert np.array_equal(value, ours, equal_nan=True)
    assert before or not after, f"{text}: {after[0].message}"
    return found


MISSING = [
    ("np.max(x)", [0, 1, 0]), ("np.min(x)", [0, 1, 0]), ("np.amax(x)", [0, 1, 0]),
    ("np.maximum.reduce(x)", [0, 1, 0]), ("np.ptp(x)", [0, nan, 0]),
    ("np.median(x)", [0, 1, 0]), ("np.quantile(x, 0.3)", [0, 1, 0]),
    ("np.percentile(x, 30)", [0, 1, 0]), ("np.nanmax(x)", [0, 0, 1]), ("np.nanmin(x)", [1, 0, 0]),
    ("np.nanmedian(x)", [0.5, 0, 0.5]), ("np.nanquantile(x, 0.3)", [0.7, 0, 0.3]),
    ("np.fmax.reduce(x)", [0, 0, 1]), ("np.sum(np.maximum.accumulate(x))", [1, 2, 0]),
    ("np.sum(np.sort(x) * np.array([1.0, 2.0, 3.0]))", [1, 3, 2]),
    ("np.sum(np.clip(x, 0.0, 2.0))", [1, 1, 0]), ("np.sum(np.maximum(x, 2.0))", [0, 1, 1]),
    ("np.sum(np.minimum(x, 2.0))", [1, 1, 0]), ("np.sum(np.fmax(x, 2.0))", [0, 0, 1]),
    ("np.linalg.norm(x, np.inf)", [0, nan, 0]), ("np.sum(x * x)", [2, nan, 6]),
    ("np.max(np.stack([x, x]), axis=1)[0]", [0, 1, 0]),
]


@pytest.mark.parametrize(("text", "want"), MISSING, ids=[t for t, _ in MISSING])
def test_a_missing_value_is_what_was_chosen(text, want):
    found, = gradient(text, x=np.array([1.0, nan, 3.0]))
    np.testing.assert_allclose(found, want)


def test_several_missing_values_share_evenly():
    found, = gradient("np.max(x)", x=np.array([nan, 1.0, nan]))
    np.testing.assert_allclose(found, [0.5, 0, 0.5])


PAIRS = {
    (1.0, inf): (0, 1), (1.0, -inf): (1, 0), (inf, -inf): (1, 0), (inf, 1.0): (1, 0),
    (nan, 1.0): (nan, nan), (-inf, -inf): (0, 0), (inf, inf): (1, 1),
}


@pytest.mark.parametrize("pair", PAIRS, ids=str)
@pytest.mark.parametrize("name", ["logaddexp", "logaddexp2"])
def test_logaddexp_at_infinity(name, pair):
    np.testing.assert_allclose(gradient(f"np.{name}(x, y)", x=pair[0], y=pair[1]), PAIRS[pair])
    if name == "logaddexp":
        found, = gradient("np.logaddexp.reduce(x)", x=np.array(pair))
        np.testing.assert_allclose(found, PAIRS[pair])


@pytest.mark.parametrize("pair", [(nan, 1.0), (1.0, nan), (nan, nan)], ids=str)
def test_nobody_loses_against_a_missing_value(pair):
    for name in ("maximum", "minimum"):
        np.testing.assert_allclose(gradient(f"np.{name}(x, y)", x=pair[0], y=pair[1]), (1, 1))
    for name in ("fmax", "fmin"):
        want = {(nan, 1.0): (0, 1), (1.0, nan): (1, 0)}.get(pair, (0.5, 0.5))
        np.testing.assert_allclose(gradient(f"np.{name}(x, y)", x=pair[0], y=pair[1]), want)


@pytest.mark.parametrize("call", ["np.mean(x)", "np.var(x)", "np.std(x)", "np.average(x)",
                                  "np.median(x)", "np.sum(x)", "np.prod(x)",
                                  "np.mean(x[x > 10])", "np.var(x[x > 10])", "np.nanmean(x)",
                                  "np.sum(np.mean(np.outer(x, x), axis=0))",
                                  "np.sum(np.var(np.outer(x, np.ones(3)), axis=1))"])
@pytest.mark.parametrize("size", [0, 3])
def test_reductions_of_nothing(call, size):
    found, = gradient(call, x=np.arange(float(size)))
    assert found.shape == (size,)
    assert size == 0 or "10" not in call or not found.any()


@pytest.mark.parametrize("call", ["np.max(x)", "np.min(x)", "np.ptp(x)", "np.max(x[x > 10])"])
def test_extrema_of_nothing_raise_as_numpys(call):
    with pytest.raises(ValueError, match="zero-size array to reduction operation"):
        gradient(call, x=np.empty(0))


def test_variance_without_degrees_of_freedom():
    with np.errstate(all="ignore"):
        found, = gradient("np.var(x, ddof=5)", x=np.array([1.0, 2.0, 4.0]))
    assert not np.isfinite(found).any()


LENGTHS = {
    "np.sum(np.abs(x) ** 2)": 2, "np.sum(abs(x) ** 2.0)": 2, "np.sum(np.abs(x) * np.abs(x))": 2,
    "np.sum(np.square(np.fabs(x)))": 2, "np.dot(np.abs(x), np.abs(x))": 2,
    "np.sum(np.hypot(x, 2 * x) ** 2)": 10, "np.sum(np.abs(x + 3j * x) ** 2)": 20,
    "np.linalg.norm(x) ** 2": 2, "np.sum(np.linalg.norm(x[:, None], axis=1) ** 2)": 2,
    "np.sum(np.linalg.vector_norm(x[None], axis=0, keepdims=True) ** 2)": 2,
    "np.sum(abs(x[0]) ** 2 + math.hypot(x[1], x[2]) ** 2)": 2,
    "np.sum(np.sqrt(x * x) ** 2)": 2, "r = np.sqrt(x * x); return np.sum(r * r)": 2,
    "math.sqrt(x @ x) ** 2": 2, "np.sum(np.sqrt(x * x) ** 4)": 0,
    "r = np.abs(x); r **= 2; return np.sum(r)": 2, "np.sum(np.abs(x) ** 4)": 0,
    "np.sum(np.where(x == 0, np.abs(x) ** 2, np.abs(x)))": 2, "np.sum(np.abs(x) ** 3)": 0,
}


@pytest.mark.parametrize("text", LENGTHS)
def test_even_powers_of_lengths_have_no_kink(text):
    f = function_of(text, {"np": np, "math": math}, ("x",))
    x, want = np.zeros(3), LENGTHS[text] * np.eye(3)
    assert np.array_equal(sg.grad(f)(x), x)
    assert np.array_equal(sg.hessian(f)(x), want)
    assert np.array_equal(sg.jacobian(lambda x: sg.jvp(f, (x,), (np.ones(3),))[1])(x), want.sum(0))
    second = sg.jvp(lambda x: sg.jvp(f, (x,), (np.ones(3),))[1], (x,), (np.ones(3),))[1]
    assert second == want.sum()


@pytest.mark.parametrize("columns", [0, 2])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_fits_of_too_few_points(columns, dtype):
    """NumPy scales the powers before it takes the solution of least norm."""
    places = np.array([1.0, 1.0, 2.0, 2.0], dtype)
    y = np.array([0.3, 0.5, 0.9, 0.1], dtype)
    y = np.stack([y, y ** 2], axis=1) if columns else y
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for direction in np.eye(y.size).reshape(-1, *y.shape):
            moved = np.polyfit(places, direction.astype(dtype), 3)
            _, pulled = sg.vjp(lambda y: np.polyfit(places, y, 3), y)
            assert np.allclose(np.sum(pulled(moved)[0] * direction), np.sum(moved * moved),
                               rtol=1e-3 if dtype is np.float32 else 1e-9)
