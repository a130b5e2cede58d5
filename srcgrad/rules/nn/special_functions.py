"""Functions of statistics on arrays: normal distribution, entropy, logit, products with logarithms.

Quantiles start from P. J. Acklam's rational approximation and are polished by Halley's method.
"""

from __future__ import annotations

import math

import numpy as np

from srcgrad.rules.book import Array, elementwise, vjp
from srcgrad.rules.broadcast import runtime
from srcgrad.rules.nn.error_function import erf, erfc, erfcx, ratio, widened

_ROOT_TWO_PI = math.sqrt(2 * math.pi)
_CENTRE = (
    (-3.969683028665376e1, 2.209460984245205e2, -2.759285104469687e2, 1.383577518672690e2,
     -3.066479806614716e1, 2.506628277459239e0),
    (-5.447609879822406e1, 1.615858368580409e2, -1.556989798598866e2, 6.680131188771972e1,
     -1.328068155288572e1, 1.0),
)  # fmt: skip
_TAIL = (
    (-7.784894002430293e-3, -3.223964580411365e-1, -2.400758277161838e0, -2.549732539343734e0,
     4.374664141464968e0, 2.938163982698783e0),
    (7.784695709041462e-3, 3.224671290700398e-1, 2.445134137142996e0, 3.754408661907416e0, 1.0),
)  # fmt: skip


def _lower_quantile(p: Array) -> Array:
    """The quantile of the normal distribution for ``p`` in (0, 1/2]."""
    centred = p - 0.5
    middle = centred * ratio(_CENTRE, centred * centred)
    tail = ratio(_TAIL, np.sqrt(-2 * np.log(p)))
    x = np.where(p > 0.02425, middle, tail)
    for _ in range(2):
        # relative error of the distribution function, from erfcx so that tails do not underflow
        share = 0.5 * erfcx(-x * math.sqrt(0.5))
        error = share - np.exp(np.log(p) + 0.5 * x * x)
        u = error * _ROOT_TWO_PI
        x = x - u / (1 + 0.5 * x * u)
    return x


@runtime
def ndtri(x: Array) -> Array:
    """The quantile function of the standard normal distribution.

    >>> float(ndtri(np.array(0.5)))
    0.0
    """
    p, kind = widened(x)
    with np.errstate(all="ignore"):
        low = p <= 0.5
        inside = (p > 0) & (p < 1)
        tail = np.where(inside, np.where(low, p, 1 - p), 0.5)
        value = np.where(low, 1.0, -1.0) * _lower_quantile(tail)
        value = np.where(p == 0.5, 0.0, value)
        value = np.where(p == 0, -np.inf, np.where(p == 1, np.inf, value))
        return np.where(inside | (p == 0) | (p == 1), value, np.nan).astype(kind)


@runtime
def erfinv(x: Array) -> Array:
    """The inverse of the error function on (-1, 1).

    >>> float(erfinv(np.array(0.0)))
    0.0
    """
    y, kind = widened(x)
    with np.errstate(all="ignore"):
        size = np.abs(y)
        rest = np.where(size < 1, 1 - size, 0.5)
        value = -_lower_quantile(0.5 * rest) * math.sqrt(0.5)
        for _ in range(2):  # near 0 the complement has lost digits; erf has not
            slope = 2 / math.sqrt(math.pi) * np.exp(-value * value)
            value = np.where(size < 0.7, value - (erf(value) - size) / slope, value)
        value = np.where(size == 1, np.inf, np.where(size > 1, np.nan, value))
        return np.where(np.isnan(y), np.nan, np.copysign(value, y)).astype(kind)


elementwise(erfinv, x=lambda ans: 0.5 * math.sqrt(math.pi) * np.exp(ans * ans))
elementwise(ndtri, x=lambda ans: _ROOT_TWO_PI * np.exp(0.5 * (ans * ans)))


@runtime
def ndtr(x: Array) -> Array:
    """The distribution function of the standard normal distribution."""
    return 0.5 * erfc(-x * math.sqrt(0.5))


elementwise(ndtr, x=lambda x: np.exp(-0.5 * (x * x)) / _ROOT_TWO_PI)


@runtime
def log_ndtr(x: Array) -> Array:
    """The logarithm of :func:`ndtr`, accurate in both tails."""
    wide, kind = widened(x)
    with np.errstate(all="ignore"):
        t = wide * math.sqrt(0.5)
        below = np.log(0.5 * erfcx(-np.minimum(t, 0))) - t * t
        return np.where(wide < -1.0, below, np.log1p(-0.5 * erfc(t))).astype(kind)


elementwise(log_ndtr, x=lambda x: math.sqrt(2 / math.pi) / erfcx(-x * math.sqrt(0.5)))


@runtime
def entr(x: Array) -> Array:
    """``-x * log(x)``, 0 at 0 and -inf below."""
    with np.errstate(all="ignore"):
        positive = x > 0
        value = -x * np.log(np.where(positive, x, 1))
        out = np.where(positive, value, np.where(x == 0, 0, -np.inf))
        return np.where(np.isnan(x), x, out).astype(value.dtype)


elementwise(entr, x=lambda x: -1 - np.log(x))


@runtime
def xlogy(x1: Array, x2: Array) -> Array:
    """``x1 * log(x2)``, 0 where ``x1`` is 0 and ``x2`` is not NaN."""
    return np.where((x1 == 0) & ~np.isnan(x2), 0, x1 * np.log(x2))


elementwise(xlogy, x1=lambda x1, x2: np.log(np.where((x1 == 0) & (x2 <= 0), 1, x2)))
vjp(xlogy, x2=lambda ct, x1, x2: ct * x1 / x2)


@runtime
def xlog1py(x1: Array, x2: Array) -> Array:
    """``x1 * log1p(x2)``, 0 where ``x1`` is 0 and ``x2`` is not NaN."""
    return np.where((x1 == 0) & ~np.isnan(x2), 0, x1 * np.log1p(x2))


elementwise(xlog1py, x1=lambda x1, x2: np.log1p(np.where((x1 == 0) & (x2 <= -1), 0, x2)))
vjp(xlog1py, x2=lambda ct, x1, x2: ct * x1 / (x2 + 1))


@runtime
def logit(x: Array, eps: float | None = None) -> Array:
    """``log(x / (1 - x))``; with ``eps``, of ``x`` clamped to [eps, 1 - eps]."""
    if eps is not None:
        x = np.clip(x, eps, 1 - eps)
    return np.log(x / (1 - x))


@vjp(logit, "x", eps=None, broadcasts=True)
def logit_x(ct: Array, x: Array, eps: float | None) -> Array:
    if eps is None:
        return np.where((x < 0) | (x > 1), np.nan, ct / (x * (1 - x)))
    return np.where((x < eps) | (x > 1 - eps), 0, ct / (x * (1 - x)))


@runtime
def rsqrt(x: Array) -> Array:
    """``1 / sqrt(x)``."""
    return 1 / np.sqrt(x)


vjp(rsqrt, broadcasts=True, x=lambda ct, ans: -0.5 * ct * ans * ans * ans)
