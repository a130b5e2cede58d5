"""Gamma, beta and zeta functions, factorials and binomial coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special as sp

from srcgrad.rules.book import Array, elementwise, nondiff, static, vjp
from srcgrad.rules.broadcast import dispatching

_polygamma = dispatching(sp.polygamma)
_zeta = dispatching(sp.zeta)


elementwise(sp.gamma, x=lambda ans, x: ans * sp.psi(x))
elementwise(sp.rgamma, x=lambda ans, x: -ans * sp.psi(x))
for _function in (sp.gammaln, sp.loggamma):
    elementwise(_function)(lambda x: sp.psi(x))
elementwise(sp.psi, x=lambda x: _zeta(2, x))
elementwise(sp.polygamma, like=lambda n, x: None, n=None, x=lambda n, x: _polygamma(n + 1, x))
elementwise(sp.poch,
    x1=lambda ans, x1, x2: ans * (sp.psi(x1 + x2) - sp.psi(x1)),
    x2=lambda ans, x1, x2: ans * sp.psi(x1 + x2))
elementwise(sp.beta,
    x1=lambda ans, x1, x2: ans * (sp.psi(x1) - sp.psi(x1 + x2)),
    x2=lambda ans, x1, x2: ans * (sp.psi(x2) - sp.psi(x1 + x2)))
elementwise(sp.betaln,
    x1=lambda x1, x2: sp.psi(x1) - sp.psi(x1 + x2),
    x2=lambda x1, x2: sp.psi(x2) - sp.psi(x1 + x2))


@elementwise(sp.gammainc, "x2")
def gamma_density(x1: Array, x2: Array) -> Array:
    """The density of the gamma distribution of shape ``x1`` at ``x2``."""
    return np.exp(sp.xlogy(x1 - 1, x2) - x2 - sp.gammaln(x1))


elementwise(sp.gammaincc, x2=lambda x1, x2: -gamma_density(x1, x2))
elementwise(sp.gammaincinv, x2=lambda ans, x1: 1 / gamma_density(x1, ans))
elementwise(sp.gammainccinv, x2=lambda x1, ans: -1 / gamma_density(x1, ans))


@elementwise(sp.betainc, "x3")
def beta_density(x1: Array, x2: Array, x3: Array) -> Array:
    """The density of the beta distribution at ``x3``."""
    return np.exp(sp.xlogy(x1 - 1, x3) + sp.xlog1py(x2 - 1, -x3) - sp.betaln(x1, x2))


elementwise(sp.betaincc, x3=lambda x1, x2, x3: -beta_density(x1, x2, x3))
elementwise(sp.betaincinv, x3=lambda ans, x1, x2: 1 / beta_density(x1, x2, ans))
elementwise(sp.zeta, like=lambda x, q=None, out=None: None, q=lambda x, q: -x * _zeta(x + 1, q))


@elementwise(sp.zetac)
def zetac(x: Array) -> Array:
    """By a central difference of the eighth order: there is no function for the derivative."""
    h = 0.01
    weights = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
    return sum(w * (sp.zetac(x + k * h) - sp.zetac(x - k * h)) / h
               for k, w in enumerate(weights, 1))


elementwise(sp.multigammaln, like=lambda a, d: None,
    a=lambda a, d: np.sum(sp.psi(np.expand_dims(a, -1) - 0.5 * np.arange(d)), axis=-1))
static(sp.multigammaln, "d")
elementwise(sp.binom,
    x1=lambda x1, x2, ans: ans * (sp.psi(x1 + 1) - sp.psi(x1 - x2 + 1)),
    x2=lambda x1, x2, ans: ans * (sp.psi(x1 - x2 + 1) - sp.psi(x2 + 1)))


@vjp(sp.comb, "N", broadcasts=True)
def comb_n(ct: Array, ans: Array, N: Array, k: Any, repetition: bool) -> Array:
    if repetition:
        return ct * ans * (sp.psi(N + k) - sp.psi(N))
    return ct * ans * (sp.psi(N + 1) - sp.psi(N - k + 1))


vjp(sp.perm, broadcasts=True,
    N=lambda ct, ans, N, k: ct * ans * (sp.psi(N + 1) - sp.psi(N - k + 1)))


@vjp(sp.factorial, "n")
def factorial_n(ct: Array, ans: Array, n: Array) -> Array:
    """The factorial of a real number is ``gamma(n + 1)``."""
    return ct * ans * np.where(n < 0, 0, sp.psi(np.where(n < 0, 1, n + 1)))


nondiff(sp.gammasgn, sp.bernoulli, sp.euler)
