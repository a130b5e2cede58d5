"""Orthogonal polynomials and a few more functions of ``scipy.special`` (NIST DLMF 18.9)."""

from __future__ import annotations

import math

import numpy as np
import scipy.special as sp

from srcgrad.rules.book import Array, elementwise


@elementwise(sp.eval_legendre, "x2")
def eval_legendre_x(x1: Array, x2: Array) -> Array:
    return 0.5 * (x1 + 1) * sp.eval_jacobi(x1 - 1, 1.0, 1.0, x2)


@elementwise(sp.eval_jacobi, "x4")
def eval_jacobi_x(x1: Array, x2: Array, x3: Array, x4: Array) -> Array:
    return 0.5 * (x1 + x2 + x3 + 1) * sp.eval_jacobi(x1 - 1, x2 + 1, x3 + 1, x4)


@elementwise(sp.eval_chebyt, "x2")
def eval_chebyt_x(x1: Array, x2: Array) -> Array:
    return x1 * sp.eval_chebyu(x1 - 1, x2)


@elementwise(sp.eval_chebyu, "x2")
def eval_chebyu_x(x1: Array, x2: Array) -> Array:
    return 2 * sp.eval_gegenbauer(x1 - 1, 2.0, x2)


@elementwise(sp.eval_gegenbauer, "x3")
def eval_gegenbauer_x(x1: Array, x2: Array, x3: Array) -> Array:
    return 2 * x2 * sp.eval_gegenbauer(x1 - 1, x2 + 1, x3)


@elementwise(sp.eval_hermite, "x2")
def eval_hermite_x(x1: Array, x2: Array) -> Array:
    return 2 * x1 * sp.eval_hermite(np.maximum(x1 - 1, 0), x2)


@elementwise(sp.eval_hermitenorm, "x2")
def eval_hermitenorm_x(x1: Array, x2: Array) -> Array:
    return x1 * sp.eval_hermitenorm(np.maximum(x1 - 1, 0), x2)


@elementwise(sp.k0e)
def k0e(x: Array, ans: Array) -> Array:
    return ans - sp.k1e(x)


@elementwise(sp.k1e)
def k1e(x: Array, ans: Array) -> Array:
    return ans * (1 - 1 / x) - sp.k0e(x)


@elementwise(sp.stdtr, "x2")
def stdtr_t(x1: Array, x2: Array) -> Array:
    half = 0.5 * (x1 + 1)
    scale = sp.gammaln(half) - sp.gammaln(0.5 * x1) - 0.5 * np.log(math.pi * x1)
    return np.exp(scale - half * np.log1p(x2 * x2 / x1))
