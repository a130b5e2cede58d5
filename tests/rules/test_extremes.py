"""Extremes, order statistics and screens of data with NaN, infinities, ties and signed zeros.

Functions that choose elements follow a shift of the data: where the value is finite their gradient
adds up to 1 (0 for a range, the sum of the weights for a sorted vector), whatever the data.  Where
it is missing the gradient says so: it is not 0 at every missing element.
"""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest
from compiled import assert_same, function_of

import srcgrad as sg

nan, inf = np.nan, np.inf
KINDS = [
    [nan, 1.0, 3.0], [nan, nan, 1.0], [inf, 1.0, 3.0], [-inf, 1.0, 3.0], [inf, inf, 1.0],
    [-inf, -inf, 1.0], [inf, -inf, 1.0], [nan, inf, 1.0], [nan, -inf, 1.0], [2.0, 2.0, 1.0],
    [2.0, 2.0, 2.0], [0.0, -0.0, 1.0], [0.0, -0.0, -1.0], [1.0, 1.0, 3.0], [nan, nan, nan],
]
DATA = [np.array(x) for kind in KINDS for x in dict.fromkeys(itertools.permutations(kind))]
ADDS_UP = {
    "np.max(x)": 1, "np.min(x)": 1, "np.amax(x)": 1, "np.minimum.reduce(x)": 1, "np.median(x)": 1,
    "np.fmax.reduce(x)": 1, "np.fmin.reduce(x)": 1, "np.nanmax(x)": 1, "np.nanmin(x)": 1,
    "np.nanmedian(x)": 1, "np.quantile(x, 0.5)": 1, "np.percentile(x, 100)": 1,
    "np.quantile(x, 0.3)": 1, "np.nanquantile(x, 0.5)": 1, "np.nanpercentile(x, 30)": 1,
    "np.ptp(x)": 0, "np.sort(x)[0]": 1, "np.sort(x)[-1]": 1, "np.partition(x, 1)[1]": 1,
    "np.maximum.accumulate(x)[1]": 1, "np.minimum.accumulate(x)[-1]": 1, "np.max(x[:2])": 1,
    "np.logaddexp(np.logaddexp(x[0], x[1]), x[2])": 1, "np.logaddexp.reduce(x)": 1,
    "np.maximum(np.maximum(x[0], x[1]), x[2])": 1, "np.fmin(np.fmin(x[0], x[1]), x[2])": 1,
    "x[np.argmax(x)]": 1, "x[np.argmin(x)]": 1, "np.unique(x)[0]": 1, "max(x[0], x[1])": 1,
    "np.where(x[0] > x[1], x[0], x[1])": 1, "np.take_along_axis(x, np.argsort(x), 0)[1]": 1,
}  # fmt: skip
SKIPS = ("nan", "fmax", "fmin")  # functions that leave missing elements out
CONSTANT = ["np.argmax(x) * 1.0", "np.argmin(x) * 1.0", "np.sum(np.argsort(x)) * 1.0",
            "np.searchsorted(x, 1.5) * 1.0"]  # fmt: skip


@pytest.mark.parametrize("text", [*ADDS_UP, *CONSTANT])
def test_choices(text):
    function = function_of(text, {"np": np}, ("x",))
    slope, value = sg.grad(function), sg.jit(function)
    for x in DATA:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            want = function(x)
            assert_same(value(x), want, f"{text} of {x}")
            found = slope(x)
        if text in CONSTANT:
            assert not found.any(), (text, x, found)
        elif np.isfinite(want):
            np.testing.assert_allclose(np.sum(found), ADDS_UP[text], atol=1e-12,
                                       err_msg=f"{text} of {x}: {found}")
        elif np.isnan(want) and np.isnan(x).any() and not any(s in text for s in SKIPS):
            assert np.any(found[np.isnan(x)] != 0), (text, x, found)


SCREENED = [
    "np.where(x > 0, np.sqrt(np.maximum(x, 0)), 0)", "np.where(x > 0, np.log(np.maximum(x, 0)), 0)",
    "np.where(x > 0, np.sqrt(np.where(x > 0, x, 1)), 0)",
    "np.where(x != 0, np.sin(x) / np.where(x != 0, x, 1), 1.0)", "np.where(x > 0, np.log1p(x), x)",
    "np.where(x > 0, 1 / np.where(x > 0, x, 1), 0)", "np.where(x > 0, np.sqrt(x.clip(0)), 0)",
    "np.where(x > 0, np.maximum(x, 0) * np.log(np.maximum(x, 1e-300)), 0)", "np.abs(x)",
    "np.hypot(x, 0.0 * x)", "np.maximum(x, -x)", "np.exp(np.minimum(x, 0))", "np.std(0 * x)",
    "np.linalg.norm(0 * x)", "np.log(np.where(x > 0, x, 1))", "np.logaddexp(x, 0)",
    "np.where(x > 0, np.maximum(x, 0) ** 0.5, 0)", "np.where(x > 0, np.cbrt(x), 0)",
    "np.where(x > 1e-3, np.power(np.maximum(x, 0), 0.3), 0)",
]


@pytest.mark.parametrize("text", SCREENED)
def test_what_is_screened_neither_warns_nor_raises(text):
    function = function_of(f"np.sum({text})", {"np": np}, ("x",))
    for x in (np.array([0.0, 0.5, -0.5, 2.0]), np.zeros(3), np.array([-0.0, 0.0, 1.0, -1.0])):
        with np.errstate(all="ignore"):
            with_value = sg.value_and_grad(function)(x)
        with np.errstate(all="raise"), warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                function(x)
            except FloatingPointError:
                assert "log" in text
                continue
            alone = sg.grad(function)(x)
        assert np.isfinite(alone).all()
        np.testing.assert_array_equal(alone, with_value[1])
