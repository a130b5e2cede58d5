"""The gamma function and its relatives on arrays: lgamma and digamma; polygamma, zeta and the
incomplete gamma functions are SciPy's.

Formulas: log-gamma by S. Moshier's rational approximations (Cephes), digamma by recurrence and
asymptotic series (Abramowitz and Stegun, chapter 6).
"""

from __future__ import annotations

import math

import numpy as np

from srcgrad.rules.book import Array, elementwise
from srcgrad.rules.broadcast import runtime
from srcgrad.rules.nn.error_function import horner, widened
from srcgrad.rules.nn.on_demand import special

_STIRLING = (8.11614167470508450300e-4, -5.95061904284301438324e-4, 7.93650340457716943945e-4,
             -2.77777777730099687205e-3, 8.33333333333331927722e-2)
_ABOVE = (-1.37825152569120859100e3, -3.88016315134637840924e4, -3.31612992738871184744e5,
          -1.16237097492762307383e6, -1.72173700820839662146e6, -8.53555664245765465627e5)
_BELOW = (1.0, -3.51815701436523470549e2, -1.70642106651881159223e4, -2.20528590553854454839e5,
          -1.13933444367982507207e6, -2.53252307177582951285e6, -2.01889141433532773231e6)
# B_2k / (2k): the asymptotic series of digamma
_DIGAMMA = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)


def _lgamma_positive(x: Array) -> Array:
    small = np.minimum(np.maximum(x, 1e-300), 13.0)
    product = np.ones_like(x)
    for _ in range(11):  # down to [2, 3)
        high = small >= 3.0
        small = np.where(high, small - 1.0, small)
        product = np.where(high, product * small, product)
    for _ in range(2):
        low = small < 2.0
        product = np.where(low, product / small, product)
        small = np.where(low, small + 1.0, small)
    t = small - 2.0
    near = np.log(np.abs(product)) + t * horner(_ABOVE, t) / horner(_BELOW, t)
    large = np.maximum(x, 13.0)
    inverse = 1.0 / large
    far = (large - 0.5) * np.log(large) - large + 0.91893853320467274178
    far = far + horner(_STIRLING, inverse * inverse) * inverse
    return np.where(x < 13.0, near, np.where(np.isinf(x), np.inf, far))


def log_gamma(x: Array) -> Array:
    """``log(abs(gamma(x)))`` of float64 numbers; infinite at 0, -1, -2 ..."""
    y = np.abs(x)
    sine = np.abs(np.sin(math.pi * np.where(np.isinf(y), 0.5, y - np.floor(y))))
    reflected = math.log(math.pi) - np.log(y * sine) - _lgamma_positive(y)
    out = np.where(x > 0, _lgamma_positive(y), np.where(np.isinf(y), np.inf, reflected))
    return np.where((x <= 0) & (x == np.floor(x)), np.inf, np.where(np.isnan(x), np.nan, out))


@runtime
def lgamma(x: Array) -> Array:
    """``log(abs(gamma(x)))``, elementwise.

    >>> float(lgamma(np.array(2.0)))
    0.0
    """
    wide, kind = widened(x)
    with np.errstate(all="ignore"):
        return log_gamma(wide).astype(kind)


def _digamma_of_number(x: float) -> float:
    """As :func:`digamma` of an array, in a fiftieth of the time."""
    if not math.isfinite(x) or x == 0:
        return x if x > 0 or math.isnan(x) else math.copysign(math.inf, -x) if x == 0 else math.nan
    y, shift = 1.0 - x if x < 0 else x, 0.0
    while y < 10.0:
        shift, y = shift + 1.0 / y, y + 1.0
    inverse = 1.0 / (y * y)
    value: float = math.log(y) - 0.5 / y - inverse * horner(_DIGAMMA[::-1], inverse) - shift
    fraction = math.fmod(x, 1.0)
    if x > 0:
        return value
    return value - math.pi / math.tan(math.pi * fraction) if fraction else math.nan


@runtime
def digamma(x: Array) -> Array:
    """The logarithmic derivative of the gamma function, elementwise."""
    if isinstance(x, float):  # a number of Python's, or of NumPy's
        return type(x)(_digamma_of_number(x))
    wide, kind = widened(x)
    with np.errstate(all="ignore"):
        negative = wide < 0
        y = np.where(negative, 1.0 - wide, wide)
        shift = np.zeros_like(y)
        for _ in range(10):
            low = y < 10.0
            shift = np.where(low, shift + 1.0 / y, shift)
            y = np.where(low, y + 1.0, y)
        inverse = 1.0 / (y * y)
        tail = inverse * horner(_DIGAMMA[::-1], inverse)
        value = np.log(y) - 0.5 / y - tail - shift
        fraction = wide - np.trunc(wide)
        value = np.where(negative, value - math.pi / np.tan(math.pi * fraction), value)
        value = np.where(negative & (fraction == 0), np.nan, value)
        value = np.where(wide == 0, np.copysign(np.inf, -wide), value)
        return np.where(np.isposinf(wide), np.inf, value).astype(kind)


@runtime
def zeta(x1: Array, x2: Array) -> Array:
    """The Hurwitz zeta function: the sum of ``(x2 + k) ** -x1`` over ``k = 0, 1, ...``."""
    return special("zeta")(x1, x2)


@runtime
def polygamma(n: int, x: Array) -> Array:
    """The ``n``-th derivative of :func:`digamma`, in the dtype of ``x``."""
    if n == 0:
        return digamma(x)
    return special("polygamma")(n, x).astype(widened(x)[1])


@runtime
def igamma(x1: Array, x2: Array) -> Array:
    """The regularised lower incomplete gamma function P(x1, x2)."""
    return special("gammainc")(x1, x2)


@runtime
def igammac(x1: Array, x2: Array) -> Array:
    """The regularised upper incomplete gamma function Q(x1, x2)."""
    return special("gammaincc")(x1, x2)


elementwise(lgamma, x=lambda x: digamma(x))
elementwise(digamma, x=lambda x: polygamma(1, x))
elementwise(polygamma, n=None, x=lambda n, x: polygamma(n + 1, x))

elementwise(zeta, x2=lambda x1, x2: -x1 * zeta(x1 + 1, x2))


@elementwise(igamma, "x2")
def igamma_x2(x1: Array, x2: Array) -> Array:
    return np.exp((x1 - 1) * np.log(x2) - x2 - lgamma(x1))


elementwise(igammac, x2=lambda x1, x2: -igamma_x2(x1, x2))


@runtime
def mvlgamma(x: Array, p: int) -> Array:
    """The logarithm of the multivariate gamma function of dimension ``p``."""
    total = np.full_like(x, 0.25 * p * (p - 1) * math.log(math.pi))
    for i in range(p):
        total = total + lgamma(x - 0.5 * i)
    return total


@elementwise(mvlgamma, "x")
def mvlgamma_x(x: Array, p: int) -> Array:
    total = digamma(x)
    for i in range(1, p):
        total = total + digamma(x - 0.5 * i)
    return total
