"""Functions of ``scipy.special``.

Formulas: NIST Digital Library of Mathematical Functions.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.special as sp

from srcgrad.rules.book import Array, alias, elementwise, nondiff, static, variant, vjp
from srcgrad.rules.broadcast import dispatching, sum_to
from srcgrad.rules.nn.error_function import erf, erfc, erfcx
from srcgrad.rules.nn.special_functions import entr, erfinv, ndtr, ndtri, xlog1py, xlogy
from srcgrad.rules.numpy.elementary import log_share
from srcgrad.rules.numpy.reductions import keep_axes, reduced


def summed(ct: Any, partials: Any) -> Any:
    """The cotangent of what several outputs were made of."""
    parts = [c * p for c, p in zip(ct, partials) if c is not None]
    return sum(parts[1:], parts[0]) if parts else None


# -- logistic functions, logarithms, exponentials, powers, entropies, angles in degrees ---------

DEGREE = math.pi / 180
for _function in (entr, xlogy, xlog1py, np.exp2, np.expm1, np.log1p):
    variant(_function, getattr(sp, _function.__name__))
alias(np.cbrt, sp.cbrt)
alias(np.sinc, sp.sinc)
elementwise(sp.expit, x=lambda ans: ans * (1 - ans))
elementwise(sp.log_expit, x=lambda x: sp.expit(-x))
vjp(sp.logit, x=lambda ct, x: ct / (x * (1 - x)))
elementwise(sp.exp10, x=lambda ans: ans * math.log(10))
elementwise(sp.cosm1, x=lambda x: -np.sin(x))

# (exp(x) - exprel(x)) / x without its cancellation at 0
elementwise(sp.exprel, x=lambda x: sp.hyp1f1(2, 3, x) / 2)

elementwise(sp.rel_entr, x1=lambda x1, x2: np.log(x1 / x2) + 1)
vjp(sp.rel_entr, x2=lambda ct, x1, x2: -ct * x1 / x2)
elementwise(sp.kl_div, x1=lambda x1, x2: np.log(x1 / x2))
vjp(sp.kl_div, x2=lambda ct, x1, x2: ct * (1 - x1 / x2))
elementwise(sp.huber,
    x2=lambda x1, x2: np.clip(x2, -x1, x1),
    x1=lambda x1, x2: np.maximum(np.abs(x2) - x1, 0))
elementwise(sp.pseudo_huber, x2=lambda x1, x2: x2 / np.sqrt(1 + (x2 / x1) ** 2))
vjp(sp.boxcox, x1=lambda ct, x1, x2: ct * x1 ** (x2 - 1))
vjp(sp.boxcox1p, x1=lambda ct, x1, x2: ct * (1 + x1) ** (x2 - 1))
vjp(sp.inv_boxcox, x1=lambda ct, ans, x2: ct * ans ** (1 - x2))
elementwise(sp.inv_boxcox1p, x1=lambda x1, x2, ans: np.power(1 + ans, 1 - x2))
elementwise(sp.sindg, x=lambda x: DEGREE * sp.cosdg(x))
elementwise(sp.cosdg, x=lambda x: -DEGREE * sp.sindg(x))
elementwise(sp.tandg, x=lambda ans: DEGREE * (1 + ans * ans))
elementwise(sp.cotdg, x=lambda ans: -DEGREE * (1 + ans * ans))
elementwise(sp.powm1,
    x1=lambda x1, x2: x2 * np.power(x1, x2 - 1),
    x2=lambda x1, x2: np.power(x1, x2) * np.log(x1))
elementwise(sp.wrightomega, x=lambda ans: ans / (1 + ans))

vjp(sp.lambertw, like=lambda z, k=0, tol=1e-8: None, broadcasts=True,
    z=lambda ct, ans: ct * np.exp(-ans) / (1 + ans))

nondiff(sp.round)


# -- gamma, beta and zeta functions, factorials and binomial coefficients -----------------------

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


# -- error functions, the normal distribution and profiles of lines -----------------------------

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


# -- Bessel, spherical Bessel, Hankel, Airy, Kelvin and Struve functions ------------------------

elementwise(sp.j0, x=lambda x: -sp.j1(x))
elementwise(sp.y0, x=lambda x: -sp.y1(x))
elementwise(sp.j1, x=lambda x: 0.5 * (sp.j0(x) - sp.jv(2, x)))
elementwise(sp.y1, x=lambda x: 0.5 * (sp.y0(x) - sp.yv(2, x)))
elementwise(sp.jv, x2=lambda x1, x2: 0.5 * (sp.jv(x1 - 1, x2) - sp.jv(x1 + 1, x2)))
for _function in (sp.yv, sp.yn):
    elementwise(_function, "x2")(
        lambda x1, x2: 0.5 * (sp.yv(x1 - 1, x2) - sp.yv(x1 + 1, x2)))
elementwise(sp.iv, x2=lambda x1, x2: 0.5 * (sp.iv(x1 - 1, x2) + sp.iv(x1 + 1, x2)))
for _function in (sp.kv, sp.kn):
    elementwise(_function, "x2")(
        lambda x1, x2: -0.5 * (sp.kv(x1 - 1, x2) + sp.kv(x1 + 1, x2)))
elementwise(sp.ive,
    x2=lambda ans, x1, x2: 0.5 * (sp.ive(x1 - 1, x2) + sp.ive(x1 + 1, x2)) - np.sign(x2) * ans)
elementwise(sp.kve, x2=lambda ans, x1, x2: ans - 0.5 * (sp.kve(x1 - 1, x2) + sp.kve(x1 + 1, x2)))
elementwise(sp.i0, x=lambda x: sp.i1(x))
elementwise(sp.i1, x=lambda x: 0.5 * (sp.i0(x) + sp.iv(2, x)))
elementwise(sp.i0e, x=lambda ans, x: sp.i1e(x) - np.sign(x) * ans)
elementwise(sp.i1e, x=lambda ans, x: 0.5 * (sp.i0e(x) + sp.ive(2, x)) - np.sign(x) * ans)
elementwise(sp.k0, x=lambda x: -sp.k1(x))
elementwise(sp.k1, x=lambda x: -0.5 * (sp.k0(x) + sp.kv(2, x)))
elementwise(sp.k0e, x=lambda x, ans: ans - sp.k1e(x))
elementwise(sp.k1e, x=lambda x, ans: ans * (1 - 1 / x) - sp.k0e(x))


@vjp(sp.airy)
def airy(ct: Any, x: Array, ans: Any) -> Array:
    first, first_slope, second, second_slope = ans
    return summed(ct, (first_slope, x * first, second_slope, x * second))


elementwise(sp.hankel1, x2=lambda x1, x2: 0.5 * (sp.hankel1(x1 - 1, x2) - sp.hankel1(x1 + 1, x2)))
elementwise(sp.hankel2, x2=lambda x1, x2: 0.5 * (sp.hankel2(x1 - 1, x2) - sp.hankel2(x1 + 1, x2)))
elementwise(sp.jve, x2=lambda x1, x2: 0.5 * (sp.jve(x1 - 1, x2) - sp.jve(x1 + 1, x2)))
elementwise(sp.yve, x2=lambda x1, x2: 0.5 * (sp.yve(x1 - 1, x2) - sp.yve(x1 + 1, x2)))
elementwise(sp.ber, x=lambda x: sp.berp(x))
elementwise(sp.bei, x=lambda x: sp.beip(x))
elementwise(sp.ker, x=lambda x: sp.kerp(x))
elementwise(sp.kei, x=lambda x: sp.keip(x))
elementwise(sp.berp, x=lambda x, ans: -sp.bei(x) - ans / x)
elementwise(sp.beip, x=lambda x, ans: sp.ber(x) - ans / x)
elementwise(sp.kerp, x=lambda x, ans: -sp.kei(x) - ans / x)
elementwise(sp.keip, x=lambda x, ans: sp.ker(x) - ans / x)


@elementwise(sp.struve, "x2")
def struve_x(x1: Array, x2: Array) -> Array:
    first = np.power(0.5 * x2, x1) * sp.rgamma(x1 + 1.5) / math.sqrt(math.pi)
    return 0.5 * (sp.struve(x1 - 1, x2) - sp.struve(x1 + 1, x2) + first)


@elementwise(sp.modstruve, "x2")
def modstruve_x(x1: Array, x2: Array) -> Array:
    first = np.power(0.5 * x2, x1) * sp.rgamma(x1 + 1.5) / math.sqrt(math.pi)
    return 0.5 * (sp.modstruve(x1 - 1, x2) + sp.modstruve(x1 + 1, x2) + first)


def _spherical(applied: Any, sign: int) -> Any:
    """The function is a solution of ``z**2 f'' + 2 z f' = (n (n + 1) - sign z**2) f``."""

    def spherical_z(ct: Array, n: Any, z: Array, derivative: bool) -> Array:
        slope = applied(n, z, True)
        if not derivative:
            return ct * slope
        return ct * ((n * (n + 1) / (z * z) - sign) * applied(n, z) - 2 / z * slope)

    return spherical_z


for _function, _sign in ((sp.spherical_jn, 1), (sp.spherical_yn, 1), (sp.spherical_in, -1),
                         (sp.spherical_kn, -1)):
    vjp(_function, "z", broadcasts=True)(_spherical(dispatching(_function), _sign))
nondiff(sp.jn_zeros, sp.yn_zeros)


# -- exponential, trigonometric, Fresnel and elliptic integrals; elliptic and hypergeometric ----

vjp(sp.expi, x=lambda ct, x: ct * np.exp(x) / x)
vjp(sp.exp1, x=lambda ct, x: -ct * np.exp(-x) / x)
elementwise(sp.expn, x2=lambda x1, x2: -sp.expn(x1 - 1, x2))

vjp(sp.sici, x=lambda ct, x: summed(ct, (np.sinc(x / math.pi), np.cos(x) / x)))
vjp(sp.shichi, x=lambda ct, x: summed(ct, (np.sinh(x) / x, np.cosh(x) / x)))


@vjp(sp.fresnel)
def fresnel(ct: Any, x: Array) -> Array:
    phase = 0.5 * math.pi * x * x
    return summed(ct, (np.sin(phase), np.cos(phase)))


elementwise(sp.spence, x=lambda x: np.where(x == 1, -1, np.log(x) / np.where(x == 1, 1, 1 - x)))
vjp(sp.ellipk, x=lambda ct, ans, x: ct * (sp.ellipe(x) - (1 - x) * ans) / (2 * x * (1 - x)))
vjp(sp.ellipe, x=lambda ct, ans, x: ct * (ans - sp.ellipk(x)) / (2 * x))
elementwise(sp.ellipkinc, x1=lambda x1, x2: 1 / np.sqrt(1 - x2 * np.sin(x1) ** 2))


@elementwise(sp.ellipkinc, "x2")
def ellipkinc_m(x1: Array, x2: Array, ans: Array) -> Array:
    root = np.sqrt(1 - x2 * np.sin(x1) ** 2)
    second = sp.ellipeinc(x1, x2)
    return (second / (x2 * (1 - x2)) - ans / x2 - np.sin(2 * x1) / (2 * (1 - x2) * root)) / 2


elementwise(sp.ellipeinc,
    x1=lambda x1, x2: np.sqrt(1 - x2 * np.sin(x1) ** 2),
    x2=lambda x1, x2, ans: (ans - sp.ellipkinc(x1, x2)) / (2 * x2))
elementwise(sp.ellipkm1, x=lambda x, ans: -(sp.ellipe(1 - x) - x * ans) / (2 * x * (1 - x)))


@vjp(sp.ellipj, "x1")
def ellipj_u(ct: Any, ans: Any, x2: Array) -> Array:
    sn, cn, dn, _ = ans
    return summed(ct, (cn * dn, -sn * dn, -x2 * sn * cn, dn))


elementwise(sp.hyp1f1, x3=lambda x1, x2, x3: x1 / x2 * sp.hyp1f1(x1 + 1, x2 + 1, x3))
elementwise(sp.hyp2f1,
    x4=lambda x1, x2, x3, x4: x1 * x2 / x3 * sp.hyp2f1(x1 + 1, x2 + 1, x3 + 1, x4))
elementwise(sp.hyp0f1, x2=lambda x1, x2: sp.hyp0f1(x1 + 1, x2) / x1)
elementwise(sp.hyperu, x3=lambda x1, x2, x3: -x1 * sp.hyperu(x1 + 1, x2 + 1, x3))


# -- orthogonal polynomials, the associated Legendre functions and the nodes of quadratures -----

elementwise(sp.eval_genlaguerre,
    x3=lambda x1, x2, x3: -sp.eval_genlaguerre(x1 - 1, x2 + 1, x3) * (x1 > 0))
elementwise(sp.eval_laguerre, x2=lambda x1, x2: -sp.eval_genlaguerre(x1 - 1, 1.0, x2) * (x1 > 0))
elementwise(sp.eval_sh_legendre,
    x2=lambda x1, x2: (x1 + 1) * sp.eval_jacobi(x1 - 1, 1.0, 1.0, 2 * x2 - 1))
elementwise(sp.eval_sh_chebyt, x2=lambda x1, x2: 2 * x1 * sp.eval_chebyu(x1 - 1, 2 * x2 - 1))
elementwise(sp.eval_sh_chebyu, x2=lambda x1, x2: 4 * sp.eval_gegenbauer(x1 - 1, 2.0, 2 * x2 - 1))
elementwise(sp.eval_chebyc, x2=lambda x1, x2: x1 * sp.eval_chebyu(x1 - 1, 0.5 * x2))
elementwise(sp.eval_chebys, x2=lambda x1, x2: sp.eval_gegenbauer(x1 - 1, 2.0, 0.5 * x2))

elementwise(sp.lpmv,
    x3=lambda x1, x2, x3, ans:
        (x2 * x3 * ans - (x1 + x2) * sp.lpmv(x1, x2 - 1, x3)) / (x3 * x3 - 1))

elementwise(sp.eval_legendre,
    x2=lambda x1, x2: 0.5 * (x1 + 1) * sp.eval_jacobi(x1 - 1, 1.0, 1.0, x2))

elementwise(sp.eval_jacobi,
    x4=lambda x1, x2, x3, x4: 0.5 * (x1 + x2 + x3 + 1) * sp.eval_jacobi(x1 - 1, x2 + 1, x3 + 1, x4))

elementwise(sp.eval_chebyt, x2=lambda x1, x2: x1 * sp.eval_chebyu(x1 - 1, x2))
elementwise(sp.eval_chebyu, x2=lambda x1, x2: 2 * sp.eval_gegenbauer(x1 - 1, 2.0, x2))
elementwise(sp.eval_gegenbauer,
    x3=lambda x1, x2, x3: 2 * x2 * sp.eval_gegenbauer(x1 - 1, x2 + 1, x3))
elementwise(sp.eval_hermite, x2=lambda x1, x2: 2 * x1 * sp.eval_hermite(np.maximum(x1 - 1, 0), x2))
elementwise(sp.eval_hermitenorm,
    x2=lambda x1, x2: x1 * sp.eval_hermitenorm(np.maximum(x1 - 1, 0), x2))
nondiff(sp.roots_legendre, sp.roots_hermite, sp.roots_hermitenorm, sp.roots_laguerre,
        sp.roots_chebyt, sp.roots_chebyu)


# -- distribution functions by their old names --------------------------------------------------

def _ratio_density(x1: Array, x2: Array, x3: Array) -> Array:
    """The density of the F distribution."""
    share = x1 * x3 / (x2 + x1 * x3)
    return beta_density(0.5 * x1, 0.5 * x2, share) * x1 * x2 / (x2 + x1 * x3) ** 2


elementwise(sp.bdtr,
    x3=lambda x1, x2, x3: -beta_density(np.floor(x1) + 1, x2 - np.floor(x1), x3))

elementwise(sp.bdtrc,
    x3=lambda x1, x2, x3: beta_density(np.floor(x1) + 1, x2 - np.floor(x1), x3))

elementwise(sp.nbdtr, x3=lambda x1, x2, x3: beta_density(x2, np.floor(x1) + 1, x3))
elementwise(sp.nbdtrc, x3=lambda x1, x2, x3: -beta_density(x2, np.floor(x1) + 1, x3))
elementwise(sp.pdtr, x2=lambda x1, x2: -gamma_density(np.floor(x1) + 1, x2))
elementwise(sp.pdtrc, x2=lambda x1, x2: gamma_density(np.floor(x1) + 1, x2))
elementwise(sp.chdtr, x2=lambda x1, x2: 0.5 * gamma_density(0.5 * x1, 0.5 * x2))
elementwise(sp.chdtrc, x2=lambda x1, x2: -0.5 * gamma_density(0.5 * x1, 0.5 * x2))
elementwise(sp.chdtri, x2=lambda x1, ans: -2 / gamma_density(0.5 * x1, 0.5 * ans))
elementwise(sp.gdtr,
    x1=lambda x1, x2, x3: x3 * gamma_density(x2, x1 * x3),
    x3=lambda x1, x2, x3: x1 * gamma_density(x2, x1 * x3))
elementwise(sp.gdtrc,
    x1=lambda x1, x2, x3: -x3 * gamma_density(x2, x1 * x3),
    x3=lambda x1, x2, x3: -x1 * gamma_density(x2, x1 * x3))
elementwise(sp.fdtr, x3=lambda x1, x2, x3: _ratio_density(x1, x2, x3))
elementwise(sp.fdtrc, x3=lambda x1, x2, x3: -_ratio_density(x1, x2, x3))
elementwise(sp.fdtri, x3=lambda x1, x2, ans: 1 / _ratio_density(x1, x2, ans))


def _log_density(df: Array, t: Array) -> Array:
    """The logarithm of the density of Student's distribution."""
    half = 0.5 * (df + 1)
    scale = sp.gammaln(half) - sp.gammaln(0.5 * df) - 0.5 * np.log(math.pi * df)
    return scale - half * np.log1p(t * t / df)


elementwise(sp.stdtr, x2=lambda x1, x2: np.exp(_log_density(x1, x2)))
elementwise(sp.stdtrit, x2=lambda x1, ans: np.exp(-_log_density(x1, ans)))


# -- sums of exponentials and normalised exponentials over axes ---------------------------------

vjp(sp.logsumexp, like=lambda a, axis=None, b=None, keepdims=False, return_sign=False: None,
    a=lambda ct, ans, a, a_shape, axis, b, keepdims, return_sign:
        sum_to(_shared_out(ct, ans, a, axis, b, keepdims, return_sign), a_shape),
    b=lambda ct, ans, a, b_shape, axis, keepdims, return_sign:
        sum_to(_shared_out(ct, ans, a, axis, None, keepdims, return_sign), b_shape))


def _shared_out(ct: Any, ans: Any, a: Array, axis: Any, b: Array, keepdims: bool,
                return_sign: bool) -> Array:
    """The cotangent of the sum by the share that each term, with its factor ``b``, has in it."""
    value_ct, value = (ct[0], ans[0]) if return_sign else (ct, ans)
    weights = np.exp(log_share(a, keep_axes(value, axis, keepdims)))
    if b is not None:
        weights = weights * b
    if return_sign:
        weights = weights * keep_axes(ans[1], axis, keepdims)
    return keep_axes(value_ct, axis, keepdims) * weights


vjp(sp.softmax, like=lambda x, axis=None: None,
    x=lambda ct, ans, axis: ans * (ct - reduced(np.sum, ct * ans, axis)))
vjp(sp.log_softmax, like=lambda x, axis=None: None,
    x=lambda ct, ans, axis: ct - np.exp(ans) * reduced(np.sum, ct, axis))
