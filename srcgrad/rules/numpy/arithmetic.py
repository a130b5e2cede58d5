"""Arithmetic: sums, products, quotients, powers, remainders, absolute values, comparisons."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from srcgrad.rules.book import (
    Array,
    Dtype,
    alias,
    elementwise,
    entry,
    jvp,
    linear,
    nondiff,
    variant,
    vjp,
)
from srcgrad.rules.quotients import divided
from srcgrad.types.operators import UFUNCS
from srcgrad.types.quotients import raised_to

for _operator, _ufunc in UFUNCS.items():
    alias(_ufunc, _operator)
for _name in ("fmod", "fabs", "copysign", "ldexp", "modf", "frexp", "nextafter"):
    alias(getattr(np, _name), getattr(math, _name))
alias(np.power, math.pow, raised_to)
alias(np.divmod, divmod)

elementwise(np.add, x1=lambda: 1, x2=lambda: 1)
elementwise(np.subtract, x1=lambda: 1, x2=lambda: -1)
elementwise(np.positive, x=lambda: 1)
elementwise(np.negative, x=lambda: -1)
elementwise(np.remainder, x1=lambda: 1)
elementwise(np.fmod, x1=lambda: 1)
elementwise(np.nextafter, x1=lambda: 1, x2=None)

vjp(np.multiply,
    x1=lambda ct, x2: ct * x2,
    x2=lambda ct, x1: ct * x1)
vjp(np.divide,
    x1=lambda ct, x2: ct / x2,
    x2=lambda ct, ans, x2: -ct * ans / x2)


@elementwise(np.power, "x1", settings={"of_python": True})
@elementwise(np.float_power, "x1", settings={"of_python": True})
def power_x1(x1: Array, x2: Array, of_python: bool) -> Array:
    if isinstance(x2, int | float):
        if x2 == 0 or x2 == 1:
            return int(x2)
        if x2 == 2:
            return 2 * x1
        return x2 * _raised(x1, x2 - 1, of_python)
    return x2 * _raised(x1, x2 - (x2 != 0), of_python)  # 0, not 0 * inf, for 0**0


def _raised(base: Any, exponent: Any, of_python: bool) -> Any:
    """A power by the function that gave the result: what NumPy computes of Python's floats is
    infinite or NaN where their own powers raise."""
    if getattr(base, "of_python", False) and not of_python:
        return np.power(base, exponent)
    return base ** exponent


@vjp(np.power, "x2")
@vjp(np.float_power, "x2")
def power_x2(ct: Array, ans: Array, x1: Array, x1_dtype: Dtype, x2_dtype: Dtype) -> Array:
    if isinstance(x1, int | float) and x1 > 0:
        return ct * ans * math.log(x1)
    # 0 where the base is 0, unless the power is infinite; the logarithm of a negative base is
    # complex where the power is
    none = (x1 == 0) & (abs(ans) <= 1)
    if x1_dtype.kind == "f" and x1_dtype == np.result_type(x1_dtype, x2_dtype):
        return ct * ans * np.log(x1 + none)
    return ct * ans * np.log(np.where(none, np.ones_like(ans), x1))


variant(np.power, pow, lambda x1, x2, mod=None: None)

elementwise(np.square, x=lambda x: 2 * x)
vjp(np.sqrt, x=lambda ct, ans: divided(0.5 * ct, ans))
vjp(np.cbrt, x=lambda ct, ans: divided(ct, 3 * ans * ans))
vjp(np.reciprocal, x=lambda ct, ans: -ct * ans * ans)
vjp(np.remainder, x2=lambda ct, x1, x2: -ct * np.floor_divide(x1, x2))
vjp(np.fmod, x2=lambda ct, x1, x2: -ct * np.trunc(x1 / x2))
vjp(np.divmod,
    x1=lambda ct: ct[1],
    x2=lambda ct, ans: None if ct[1] is None else -ct[1] * ans[0])


@elementwise(np.absolute)
def absolute(x: Array, ans: Array, x_dtype: Dtype) -> Array:
    if x_dtype.kind == "c":
        return np.conj(x) / np.where(ans == 0, 1, ans)
    return np.sign(x)


elementwise(np.fabs, x=lambda x: np.sign(x))


@vjp(np.sign)
def sign(ct: Array, ans: Array, x: Array, x_dtype: Dtype) -> Array:
    if x_dtype.kind != "c":
        return None
    length = np.absolute(x)
    return (ct - np.real(ct * ans) * np.conj(ans)) / np.where(length == 0, 1, length)


@jvp(np.sign)
def sign_jvp(t: Array, ans: Array, x: Array, x_dtype: Dtype) -> Array:
    if x_dtype.kind != "c":
        return None
    length = np.absolute(x)
    return (t - np.real(t * np.conj(ans)) * ans) / np.where(length == 0, 1, length)


vjp(np.hypot, settings={"origin": "zero"},
    x1=lambda ct, ans, x1, origin: ct * x1 / _length(ans, origin),
    x2=lambda ct, ans, x2, origin: ct * x2 / _length(ans, origin))


def _length(ans: Array, origin: str) -> Array:
    """``origin="zero"``: 1 at the origin, where the derivative is then 0 instead of NaN."""
    return np.where(ans == 0, 1, ans) if origin == "zero" else ans


def _unless_lost(ct: Array, lost: Array, tie: Array, ties: str, first: bool) -> Array:
    """``ct`` unless the other input was chosen, and its share of it on a tie.  Nobody loses
    against NaN: a result that is NaN has no derivative 0."""
    if ties == "split":
        return np.where(lost, 0, np.where(tie, 0.5 * ct, ct))
    if (ties == "first") == first:
        return np.where(lost, 0, ct)
    return np.where(lost | tie, 0, ct)


vjp(np.maximum, settings={"ties": "split"},
    x1=lambda ct, x1, x2, ties: _unless_lost(ct, x1 < x2, x1 == x2, ties, first=True),
    x2=lambda ct, x1, x2, ties: _unless_lost(ct, x1 > x2, x1 == x2, ties, first=False))
vjp(np.minimum, settings={"ties": "split"},
    x1=lambda ct, x1, x2, ties: _unless_lost(ct, x1 > x2, x1 == x2, ties, first=True),
    x2=lambda ct, x1, x2, ties: _unless_lost(ct, x1 < x2, x1 == x2, ties, first=False))


def _tie(x1: Array, x2: Array) -> Array:
    return (x1 == x2) | (np.isnan(x1) & np.isnan(x2))


def _less(x1: Array, x2: Array) -> Array:
    """Is ``x1`` less than ``x2``, or the only one that is NaN?"""
    return (x1 < x2) | (np.isnan(x1) & ~np.isnan(x2))


def _more(x1: Array, x2: Array) -> Array:
    return (x1 > x2) | (np.isnan(x1) & ~np.isnan(x2))


vjp(np.fmax, settings={"ties": "split"},
    x1=lambda ct, x1, x2, ties: _unless_lost(ct, _less(x1, x2), _tie(x1, x2), ties, first=True),
    x2=lambda ct, x1, x2, ties: _unless_lost(ct, _less(x2, x1), _tie(x1, x2), ties, first=False))
vjp(np.fmin, settings={"ties": "split"},
    x1=lambda ct, x1, x2, ties: _unless_lost(ct, _more(x1, x2), _tie(x1, x2), ties, first=True),
    x2=lambda ct, x1, x2, ties: _unless_lost(ct, _more(x2, x1), _tie(x1, x2), ties, first=False))
elementwise(np.copysign, x2=None, x1=lambda ans, x1: np.sign(x1) * np.sign(ans))

vjp(np.heaviside, x1=None, x2=lambda ct, x1: np.where(x1 == 0, ct, 0))

linear(np.ldexp, x2=None, x1=lambda ct, x2: np.ldexp(ct, x2))

vjp(np.modf, x=lambda ct: ct[0])
vjp(np.frexp, x=lambda ct, ans: None if ct[0] is None else np.ldexp(ct[0], -ans[1]))


def _clip_bounds(named: dict[str, Any]) -> dict[str, Any]:
    """``min=`` and ``max=`` are other names of ``a_min`` and ``a_max``."""
    low, high = named.pop("min", None), named.pop("max", None)
    if low is not None:
        named["a_min"] = low
    if high is not None:
        named["a_max"] = high
    return named


entry(
    np.clip,
    like=lambda a, a_min=None, a_max=None, out=None, *, min=None, max=None, **kwargs: None,
    adapt=_clip_bounds,
)


@vjp(np.clip, "a", settings={"bounds": "closed"}, broadcasts=True)
def clip_a(ct: Array, a: Array, a_min: Array, a_max: Array, bounds: str) -> Array:
    below = a_min is not None and (a < a_min if bounds == "closed" else a <= a_min)
    above = a_max is not None and (a > a_max if bounds == "closed" else a >= a_max)
    if a_min is None or a_max is None:
        return np.where(below if a_max is None else above, 0, ct)
    return np.where(below | above, 0, ct)


@vjp(np.clip, "a_min")
def clip_a_min(ct: Array, a: Array, a_min: Array, a_max: Array) -> Array:
    kept = a >= a_min
    return np.where(kept if a_max is None else kept | (a_min >= a_max), 0, ct)


@vjp(np.clip, "a_max")
def clip_a_max(ct: Array, a: Array, a_min: Array, a_max: Array) -> Array:
    kept = a <= a_max
    return np.where(kept if a_min is None else kept & (a_min <= a_max), 0, ct)


vjp(np.nan_to_num, broadcasts=True,
    x=lambda ct, x: np.where(np.isfinite(x), ct, 0),
    nan=lambda ct, x: np.where(np.isnan(x), ct, 0),
    posinf=lambda ct, x: np.where(np.isposinf(x), ct, 0),
    neginf=lambda ct, x: np.where(np.isneginf(x), ct, 0))

nondiff(
    np.floor_divide, np.spacing, np.signbit, np.gcd, np.lcm,
    np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal,
    np.logical_and, np.logical_or, np.logical_xor, np.logical_not,
    np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.invert, np.left_shift, np.right_shift,
    np.bitwise_count, np.isfinite, np.isinf, np.isnan, np.isnat, np.isneginf, np.isposinf,
    np.iscomplex, np.isreal, np.iscomplexobj, np.isrealobj, np.isclose, np.allclose,
    np.array_equal, np.array_equiv, np.isscalar,
    math.isclose, math.isfinite, math.isinf, math.isnan, math.ulp, math.gcd, math.lcm,
    math.factorial, math.comb, math.perm, math.isqrt,
    operator.contains, operator.is_, operator.is_not, operator.truth, operator.index,
    bool, int,
)  # fmt: skip
alias(np.logical_not, operator.not_)
alias(np.invert, operator.inv)
