"""The error function on arrays, by rational approximations (NumPy has none).

W. J. Cody, "Rational Chebyshev approximation for the error function", Math. Comp. 23 (1969):
three ranges of ``|x|``, relative error below 1e-16.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.rules.book import Array, Dtype, elementwise
from srcgrad.rules.broadcast import runtime

_SMALL = (
    (1.85777706184603153e-1, 3.16112374387056560e0, 1.13864154151050156e2,
     3.77485237685302021e2, 3.20937758913846947e3),
    (1.0, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3,
     2.84423683343917062e3),
)  # fmt: skip
_MIDDLE = (
    (2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594e0,
     6.61191906371416295e1, 2.98635138197400131e2, 8.81952221241769090e2,
     1.71204761263407058e3, 2.05107837782607147e3, 1.23033935479799725e3),
    (1.0, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2,
     1.62138957456669019e3, 3.29079923573345963e3, 4.36261909014324716e3,
     3.43936767414372164e3, 1.23033935480374942e3),
)  # fmt: skip
_LARGE = (
    (1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1,
     1.25781726111229246e-1, 1.60837851487422766e-2, 6.58749161529837803e-4),
    (1.0, 2.56852019228982242e0, 1.87295284992346725e0, 5.27905102951428412e-1,
     6.05183413124413191e-2, 2.33520497626869185e-3),
)  # fmt: skip
_BORDER = 0.46875
_ROOT_PI = math.sqrt(math.pi)


def horner(coefficients: tuple[float, ...], t: Array) -> Array:
    """The polynomial with these coefficients, that of the highest power first."""
    value: Any = coefficients[0]
    for c in coefficients[1:]:
        value = value * t + c
    return value


def ratio(coefficients: tuple[tuple[float, ...], tuple[float, ...]], t: Array) -> Array:
    """The quotient of two polynomials."""
    return horner(coefficients[0], t) / horner(coefficients[1], t)


def _scaled_complement(y: Array) -> Array:
    """``exp(y * y) * erfc(y)`` for ``y > 0.46875``."""
    inverse_square = 1.0 / (y * y)
    tail = (1.0 / _ROOT_PI - inverse_square * ratio(_LARGE, inverse_square)) / y
    return np.where(y <= 4.0, ratio(_MIDDLE, np.minimum(y, 4.0)), tail)


def _complement(y: Array) -> Array:
    """``erfc(y)`` for ``y > 0.46875``."""
    # exp(-y*y) with the square split, so that its rounding error is not amplified
    coarse = np.trunc(y * 16.0) / 16.0
    scale = np.exp(-coarse * coarse) * np.exp(-(y - coarse) * (y + coarse))
    return scale * _scaled_complement(y)


# Odd and even parts of a rational approximation on [-4, 4] good to single precision, in the
# form of Eigen's vectorised erf (a minimax fit; the largest error is 4e-7).
_SINGLE_TOP = (
    -2.72614225801306e-10, 2.77068142495902e-08, -2.10102402082508e-06, -5.69250639462346e-05,
    -7.34990630326855e-04, -2.95459980854025e-03, -1.60960333262415e-02,
)  # fmt: skip
_SINGLE_BOTTOM = (
    -1.45660718464996e-05, -2.13374055278905e-04, -1.68282697438203e-03, -7.37332916720468e-03,
    -1.42647390514189e-02,
)  # fmt: skip


def _polynomial(coefficients: tuple[float, ...], t: Array) -> Array:
    """Horner's scheme in one array."""
    total = np.multiply(t, coefficients[0])
    for c in coefficients[1:-1]:
        total += c
        total *= t
    total += coefficients[-1]
    return total


def _erf_single(x: Array) -> Array:
    """:func:`erf` of a float32 array, without leaving single precision."""
    clipped = np.clip(x, np.float32(-4), np.float32(4))
    square = clipped * clipped
    top = _polynomial(_SINGLE_TOP, square)
    top *= clipped
    top /= _polynomial(_SINGLE_BOTTOM, square)
    return np.asarray(np.clip(top, np.float32(-1), np.float32(1)))


def widened(x: Array) -> tuple[Array, Dtype]:
    """``x`` in float64, and the dtype a result is to have."""
    x = np.asarray(x)
    kind = x.dtype if x.dtype.kind == "f" else np.dtype(np.float64)
    return x.astype(np.float64), kind


@runtime
def erf(x: Array) -> Array:
    """The error function, elementwise, in the dtype of ``x``.

    >>> float(erf(np.array(0.5))) == math.erf(0.5)
    True
    """
    if getattr(x, "dtype", None) == np.float32 and np.ndim(x):
        return _erf_single(x)
    wide, kind = widened(x)
    with np.errstate(all="ignore"):
        y = np.abs(wide)
        small = wide * ratio(_SMALL, np.minimum(y, _BORDER) ** 2)
        large = np.copysign(1.0 - _complement(np.maximum(y, _BORDER)), wide)
        out = np.where(y <= _BORDER, small, np.where(y > 30.0, np.sign(wide), large))
    return np.where(np.isnan(wide), np.nan, out).astype(kind)


@runtime
def erfc(x: Array) -> Array:
    """``1 - erf(x)`` without cancellation, elementwise, in the dtype of ``x``.

    >>> abs(float(erfc(np.array(3.0))) / math.erfc(3.0) - 1) < 1e-15
    True
    """
    wide, kind = widened(x)
    with np.errstate(all="ignore"):
        y = np.abs(wide)
        small = 1.0 - wide * ratio(_SMALL, np.minimum(y, _BORDER) ** 2)
        tail = np.where(y > 30.0, 0.0, _complement(np.maximum(y, _BORDER)))
        out = np.where(y <= _BORDER, small, np.where(wide < 0, 2.0 - tail, tail))
    return np.where(np.isnan(wide), np.nan, out).astype(kind)


@runtime
def erfcx(x: Array) -> Array:
    """``exp(x * x) * erfc(x)``, elementwise, in the dtype of ``x``.

    >>> float(erfcx(np.array(0.0)))
    1.0
    """
    wide, kind = widened(x)
    with np.errstate(all="ignore"):
        y = np.abs(wide)
        small = np.exp(y * y) * (1.0 - wide * ratio(_SMALL, np.minimum(y, _BORDER) ** 2))
        tail = _scaled_complement(np.maximum(y, _BORDER))
        out = np.where(y <= _BORDER, small, np.where(
            wide < 0, 2.0 * np.exp(wide * wide) - tail, tail))
    return np.where(np.isnan(wide), np.nan, out).astype(kind)


elementwise(erfcx, x=lambda ans, x: 2.0 * x * ans - 2.0 / _ROOT_PI)
elementwise(erf, x=lambda x: 2.0 / _ROOT_PI * np.exp(-(x * x)))
elementwise(erfc, x=lambda x: -2.0 / _ROOT_PI * np.exp(-(x * x)))
