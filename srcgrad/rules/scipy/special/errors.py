"""Error functions, the normal distribution and profiles of lines."""

from __future__ import annotations

import math

import numpy as np
import scipy.special as sp

from srcgrad.rules.book import Array, elementwise, variant
from srcgrad.rules.nn.error_function import erf, erfc, erfcx
from srcgrad.rules.nn.special_functions import erfinv, ndtr, ndtri


def _faddeeva_slope(z: Array, w: Array) -> Array:
    """Abramowitz and Stegun 7.1.20: of the Faddeeva function ``w = exp(-z**2) * erfc(-1j * z)``."""
    return 2j / math.sqrt(math.pi) - 2 * z * w


def _voigt(x1: Array, x2: Array, x3: Array) -> tuple[Array, Array]:
    """Where the profile reads the Faddeeva function, and the slope there, scaled."""
    z = (x1 + 1j * x3) / (x2 * math.sqrt(2))
    return z, _faddeeva_slope(z, sp.wofz(z)) / (2 * x2 * x2 * math.sqrt(math.pi))


for _function in (erf, erfc, erfcx, erfinv, ndtr, ndtri):
    variant(_function, getattr(sp, _function.__name__))
elementwise(sp.erfcinv, x=lambda ans: -0.5 * math.sqrt(math.pi) * np.exp(ans * ans))


elementwise(sp.wofz, x=lambda x, ans: _faddeeva_slope(x, ans))
elementwise(sp.erfi, x=lambda x: 2 / math.sqrt(math.pi) * np.exp(x * x))
elementwise(sp.dawsn, x=lambda ans, x: 1 - 2 * x * ans)
elementwise(sp.log_ndtr, x=lambda ans, x: np.exp(-0.5 * x * x - ans) / math.sqrt(2 * math.pi))
elementwise(sp.ndtri_exp, x=lambda x, ans: np.exp(x + 0.5 * ans * ans) * math.sqrt(2 * math.pi))

elementwise(sp.owens_t,
    x1=lambda x1, x2:
        -np.exp(-0.5 * x1 * x1) * sp.erf(x1 * x2 / math.sqrt(2)) / math.sqrt(8 * math.pi))


@elementwise(sp.owens_t, "x2")
def owens_t_a(x1: Array, x2: Array) -> Array:
    square = 1 + x2 * x2
    return np.exp(-0.5 * x1 * x1 * square) / (2 * math.pi * square)


elementwise(sp.voigt_profile,
    x1=lambda x1, x2, x3: np.real(_voigt(x1, x2, x3)[1]),
    x3=lambda x1, x2, x3: -np.imag(_voigt(x1, x2, x3)[1]))


@elementwise(sp.voigt_profile, "x2")
def voigt_profile_sigma(x1: Array, x2: Array, x3: Array, ans: Array) -> Array:
    z, slope = _voigt(x1, x2, x3)
    return -ans / x2 - math.sqrt(2) * np.real(slope * z)
