"""Further functions of ``scipy.special``: of angles in degrees, probabilities by their old names,
elliptic integrals, Airy, Hankel, Kelvin and Struve functions (NIST DLMF)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.special as sp

from srcgrad.rules.book import Array, elementwise, nondiff, vjp
from srcgrad.rules.broadcast import dispatching

DEGREE = math.pi / 180


# ---- angles in degrees, powers, logarithms -------------------------------------------------------
@elementwise(sp.sindg)
def sindg(x: Array) -> Array:
    return DEGREE * sp.cosdg(x)


@elementwise(sp.cosdg)
def cosdg(x: Array) -> Array:
    return -DEGREE * sp.sindg(x)


@elementwise(sp.tandg)
def tandg(ans: Array) -> Array:
    return DEGREE * (1 + ans * ans)


@elementwise(sp.cotdg)
def cotdg(ans: Array) -> Array:
    return -DEGREE * (1 + ans * ans)


@elementwise(sp.powm1, "x1")
def powm1_x1(x1: Array, x2: Array) -> Array:
    return x2 * np.power(x1, x2 - 1)


@elementwise(sp.powm1, "x2")
def powm1_x2(x1: Array, x2: Array) -> Array:
    return np.power(x1, x2) * np.log(x1)


@elementwise(sp.inv_boxcox1p, "x1")
def inv_boxcox1p_x1(x1: Array, x2: Array, ans: Array) -> Array:
    return np.power(1 + ans, 1 - x2)


@elementwise(sp.wrightomega)
def wrightomega(ans: Array) -> Array:
    return ans / (1 + ans)


@elementwise(sp.zetac)
def zetac(x: Array) -> Array:
    """By a central difference of the eighth order: there is no function for the derivative."""
    h = 0.01
    weights = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
    return sum(w * (sp.zetac(x + k * h) - sp.zetac(x - k * h)) / h
               for k, w in enumerate(weights, 1))


# ---- binomial coefficients -----------------------------------------------------------------------
@elementwise(sp.binom, "x1")
def binom_n(x1: Array, x2: Array, ans: Array) -> Array:
    return ans * (sp.psi(x1 + 1) - sp.psi(x1 - x2 + 1))


@elementwise(sp.binom, "x2")
def binom_k(x1: Array, x2: Array, ans: Array) -> Array:
    return ans * (sp.psi(x1 - x2 + 1) - sp.psi(x2 + 1))


# ---- distributions by their old names ------------------------------------------------------------
def _beta_density(a: Array, b: Array, x: Array) -> Array:
    return np.exp(sp.xlogy(a - 1, x) + sp.xlog1py(b - 1, -x) - sp.betaln(a, b))


def _gamma_density(a: Array, x: Array) -> Array:
    return np.exp(sp.xlogy(a - 1, x) - x - sp.gammaln(a))


@elementwise(sp.bdtr, "x3")
def bdtr_p(x1: Array, x2: Array, x3: Array) -> Array:
    k = np.floor(x1)
    return -_beta_density(k + 1, x2 - k, x3)


@elementwise(sp.bdtrc, "x3")
def bdtrc_p(x1: Array, x2: Array, x3: Array) -> Array:
    k = np.floor(x1)
    return _beta_density(k + 1, x2 - k, x3)


@elementwise(sp.nbdtr, "x3")
def nbdtr_p(x1: Array, x2: Array, x3: Array) -> Array:
    return _beta_density(x2, np.floor(x1) + 1, x3)


@elementwise(sp.nbdtrc, "x3")
def nbdtrc_p(x1: Array, x2: Array, x3: Array) -> Array:
    return -_beta_density(x2, np.floor(x1) + 1, x3)


@elementwise(sp.pdtr, "x2")
def pdtr_m(x1: Array, x2: Array) -> Array:
    return -_gamma_density(np.floor(x1) + 1, x2)


@elementwise(sp.pdtrc, "x2")
def pdtrc_m(x1: Array, x2: Array) -> Array:
    return _gamma_density(np.floor(x1) + 1, x2)


@elementwise(sp.chdtr, "x2")
def chdtr_x(x1: Array, x2: Array) -> Array:
    return 0.5 * _gamma_density(0.5 * x1, 0.5 * x2)


@elementwise(sp.chdtrc, "x2")
def chdtrc_x(x1: Array, x2: Array) -> Array:
    return -0.5 * _gamma_density(0.5 * x1, 0.5 * x2)


@elementwise(sp.chdtri, "x2")
def chdtri_p(x1: Array, ans: Array) -> Array:
    return -2 / _gamma_density(0.5 * x1, 0.5 * ans)


@elementwise(sp.gdtr, "x1")
def gdtr_a(x1: Array, x2: Array, x3: Array) -> Array:
    return x3 * _gamma_density(x2, x1 * x3)


@elementwise(sp.gdtr, "x3")
def gdtr_x(x1: Array, x2: Array, x3: Array) -> Array:
    return x1 * _gamma_density(x2, x1 * x3)


@elementwise(sp.gdtrc, "x1")
def gdtrc_a(x1: Array, x2: Array, x3: Array) -> Array:
    return -x3 * _gamma_density(x2, x1 * x3)


@elementwise(sp.gdtrc, "x3")
def gdtrc_x(x1: Array, x2: Array, x3: Array) -> Array:
    return -x1 * _gamma_density(x2, x1 * x3)


def _ratio_density(x1: Array, x2: Array, x3: Array) -> Array:
    """The density of the F distribution."""
    share = x1 * x3 / (x2 + x1 * x3)
    return _beta_density(0.5 * x1, 0.5 * x2, share) * x1 * x2 / (x2 + x1 * x3) ** 2


@elementwise(sp.fdtr, "x3")
def fdtr_x(x1: Array, x2: Array, x3: Array) -> Array:
    return _ratio_density(x1, x2, x3)


@elementwise(sp.fdtrc, "x3")
def fdtrc_x(x1: Array, x2: Array, x3: Array) -> Array:
    return -_ratio_density(x1, x2, x3)


@elementwise(sp.fdtri, "x3")
def fdtri_p(x1: Array, x2: Array, ans: Array) -> Array:
    return 1 / _ratio_density(x1, x2, ans)


@elementwise(sp.stdtrit, "x2")
def stdtrit_p(x1: Array, ans: Array) -> Array:
    half = 0.5 * (x1 + 1)
    scale = sp.gammaln(half) - sp.gammaln(0.5 * x1) - 0.5 * np.log(math.pi * x1)
    return np.exp(half * np.log1p(ans * ans / x1) - scale)


@elementwise(sp.ndtri_exp)
def ndtri_exp(x: Array, ans: Array) -> Array:
    return np.exp(x + 0.5 * ans * ans) * math.sqrt(2 * math.pi)


@elementwise(sp.gammainccinv, "x2")
def gammainccinv_p(x1: Array, ans: Array) -> Array:
    return -1 / _gamma_density(x1, ans)


@elementwise(sp.owens_t, "x1")
def owens_t_h(x1: Array, x2: Array) -> Array:
    return -np.exp(-0.5 * x1 * x1) * sp.erf(x1 * x2 / math.sqrt(2)) / math.sqrt(8 * math.pi)


@elementwise(sp.owens_t, "x2")
def owens_t_a(x1: Array, x2: Array) -> Array:
    square = 1 + x2 * x2
    return np.exp(-0.5 * x1 * x1 * square) / (2 * math.pi * square)


@elementwise(sp.voigt_profile, "x1")
def voigt_profile_x(x1: Array, x2: Array, x3: Array) -> Array:
    z = (x1 + 1j * x3) / (x2 * math.sqrt(2))
    return np.real(_faddeeva_slope(z)) / (2 * x2 * x2 * math.sqrt(math.pi))


@elementwise(sp.voigt_profile, "x3")
def voigt_profile_gamma(x1: Array, x2: Array, x3: Array) -> Array:
    z = (x1 + 1j * x3) / (x2 * math.sqrt(2))
    return -np.imag(_faddeeva_slope(z)) / (2 * x2 * x2 * math.sqrt(math.pi))


@elementwise(sp.voigt_profile, "x2")
def voigt_profile_sigma(x1: Array, x2: Array, x3: Array, ans: Array) -> Array:
    z = (x1 + 1j * x3) / (x2 * math.sqrt(2))
    slope = np.real(_faddeeva_slope(z) * z) / (x2 * x2 * math.sqrt(2 * math.pi))
    return -ans / x2 - slope


def _faddeeva_slope(z: Array) -> Array:
    return 2j / math.sqrt(math.pi) - 2 * z * sp.wofz(z)


# ---- elliptic integrals and functions ------------------------------------------------------------
@elementwise(sp.ellipkinc, "x1")
def ellipkinc_phi(x1: Array, x2: Array) -> Array:
    return 1 / np.sqrt(1 - x2 * np.sin(x1) ** 2)


@elementwise(sp.ellipkinc, "x2")
def ellipkinc_m(x1: Array, x2: Array, ans: Array) -> Array:
    root = np.sqrt(1 - x2 * np.sin(x1) ** 2)
    second = sp.ellipeinc(x1, x2)
    return (second / (x2 * (1 - x2)) - ans / x2 - np.sin(2 * x1) / (2 * (1 - x2) * root)) / 2


@elementwise(sp.ellipeinc, "x1")
def ellipeinc_phi(x1: Array, x2: Array) -> Array:
    return np.sqrt(1 - x2 * np.sin(x1) ** 2)


@elementwise(sp.ellipeinc, "x2")
def ellipeinc_m(x1: Array, x2: Array, ans: Array) -> Array:
    return (ans - sp.ellipkinc(x1, x2)) / (2 * x2)


@elementwise(sp.ellipkm1)
def ellipkm1(x: Array, ans: Array) -> Array:
    return -(sp.ellipe(1 - x) - x * ans) / (2 * x * (1 - x))


@vjp(sp.ellipj, "x1")
def ellipj_u(ct: Any, ans: Any, x2: Array) -> Array:
    sn, cn, dn, _ = ans
    return _summed(ct, (cn * dn, -sn * dn, -x2 * sn * cn, dn))


def _summed(ct: Any, partials: Any) -> Any:
    parts = [c * p for c, p in zip(ct, partials) if c is not None]
    return sum(parts[1:], parts[0]) if parts else None


# ---- Bessel, Airy, Hankel, Kelvin, Struve --------------------------------------------------------
@vjp(sp.airy)
def airy(ct: Any, x: Array, ans: Any) -> Array:
    first, first_slope, second, second_slope = ans
    return _summed(ct, (first_slope, x * first, second_slope, x * second))


@elementwise(sp.hankel1, "x2")
def hankel1_z(x1: Array, x2: Array) -> Array:
    return 0.5 * (sp.hankel1(x1 - 1, x2) - sp.hankel1(x1 + 1, x2))


@elementwise(sp.hankel2, "x2")
def hankel2_z(x1: Array, x2: Array) -> Array:
    return 0.5 * (sp.hankel2(x1 - 1, x2) - sp.hankel2(x1 + 1, x2))


@elementwise(sp.jve, "x2")
def jve_x(x1: Array, x2: Array) -> Array:
    return 0.5 * (sp.jve(x1 - 1, x2) - sp.jve(x1 + 1, x2))


@elementwise(sp.yve, "x2")
def yve_x(x1: Array, x2: Array) -> Array:
    return 0.5 * (sp.yve(x1 - 1, x2) - sp.yve(x1 + 1, x2))


@elementwise(sp.ber)
def ber(x: Array) -> Array:
    return sp.berp(x)


@elementwise(sp.bei)
def bei(x: Array) -> Array:
    return sp.beip(x)


@elementwise(sp.ker)
def ker(x: Array) -> Array:
    return sp.kerp(x)


@elementwise(sp.kei)
def kei(x: Array) -> Array:
    return sp.keip(x)


@elementwise(sp.berp)
def berp(x: Array, ans: Array) -> Array:
    return -sp.bei(x) - ans / x


@elementwise(sp.beip)
def beip(x: Array, ans: Array) -> Array:
    return sp.ber(x) - ans / x


@elementwise(sp.kerp)
def kerp(x: Array, ans: Array) -> Array:
    return -sp.kei(x) - ans / x


@elementwise(sp.keip)
def keip(x: Array, ans: Array) -> Array:
    return sp.ker(x) - ans / x


@elementwise(sp.struve, "x2")
def struve_x(x1: Array, x2: Array) -> Array:
    first = np.power(0.5 * x2, x1) * sp.rgamma(x1 + 1.5) / math.sqrt(math.pi)
    return 0.5 * (sp.struve(x1 - 1, x2) - sp.struve(x1 + 1, x2) + first)


@elementwise(sp.modstruve, "x2")
def modstruve_x(x1: Array, x2: Array) -> Array:
    first = np.power(0.5 * x2, x1) * sp.rgamma(x1 + 1.5) / math.sqrt(math.pi)
    return 0.5 * (sp.modstruve(x1 - 1, x2) + sp.modstruve(x1 + 1, x2) + first)


@elementwise(sp.hyp0f1, "x2")
def hyp0f1_z(x1: Array, x2: Array) -> Array:
    return sp.hyp0f1(x1 + 1, x2) / x1


@elementwise(sp.hyperu, "x3")
def hyperu_x(x1: Array, x2: Array, x3: Array) -> Array:
    return -x1 * sp.hyperu(x1 + 1, x2 + 1, x3)


@vjp(sp.shichi)
def shichi(ct: Any, x: Array) -> Array:
    return _summed(ct, (np.sinh(x) / x, np.cosh(x) / x))


# ---- orthogonal polynomials ----------------------------------------------------------------------
@elementwise(sp.eval_genlaguerre, "x3")
def eval_genlaguerre_x(x1: Array, x2: Array, x3: Array) -> Array:
    return -sp.eval_genlaguerre(x1 - 1, x2 + 1, x3) * (x1 > 0)


@elementwise(sp.eval_laguerre, "x2")
def eval_laguerre_x(x1: Array, x2: Array) -> Array:
    return -sp.eval_genlaguerre(x1 - 1, 1.0, x2) * (x1 > 0)


@elementwise(sp.eval_sh_legendre, "x2")
def eval_sh_legendre_x(x1: Array, x2: Array) -> Array:
    return (x1 + 1) * sp.eval_jacobi(x1 - 1, 1.0, 1.0, 2 * x2 - 1)


@elementwise(sp.eval_sh_chebyt, "x2")
def eval_sh_chebyt_x(x1: Array, x2: Array) -> Array:
    return 2 * x1 * sp.eval_chebyu(x1 - 1, 2 * x2 - 1)


@elementwise(sp.eval_sh_chebyu, "x2")
def eval_sh_chebyu_x(x1: Array, x2: Array) -> Array:
    return 4 * sp.eval_gegenbauer(x1 - 1, 2.0, 2 * x2 - 1)


@elementwise(sp.eval_chebyc, "x2")
def eval_chebyc_x(x1: Array, x2: Array) -> Array:
    return x1 * sp.eval_chebyu(x1 - 1, 0.5 * x2)


@elementwise(sp.eval_chebys, "x2")
def eval_chebys_x(x1: Array, x2: Array) -> Array:
    return sp.eval_gegenbauer(x1 - 1, 2.0, 0.5 * x2)


@elementwise(sp.lpmv, "x3")
def lpmv_x(x1: Array, x2: Array, x3: Array, ans: Array) -> Array:
    return (x2 * x3 * ans - (x1 + x2) * sp.lpmv(x1, x2 - 1, x3)) / (x3 * x3 - 1)


# ---- functions of two settings ------------------------------------------------------------------
_spherical_jn = dispatching(sp.spherical_jn)
_spherical_yn = dispatching(sp.spherical_yn)
_spherical_in = dispatching(sp.spherical_in)
_spherical_kn = dispatching(sp.spherical_kn)


def _spherical(applied: Any, sign: int, ct: Array, n: Any, z: Array, derivative: bool) -> Array:
    """The function is a solution of ``z**2 f'' + 2 z f' = (n (n + 1) - sign z**2) f``."""
    if not derivative:
        return ct * applied(n, z, True)
    return ct * ((n * (n + 1) / (z * z) - sign) * applied(n, z) - 2 / z * applied(n, z, True))


@vjp(sp.spherical_jn, "z", broadcasts=True)
def spherical_jn_z(ct: Array, n: Any, z: Array, derivative: bool) -> Array:
    return _spherical(_spherical_jn, 1, ct, n, z, derivative)


@vjp(sp.spherical_yn, "z", broadcasts=True)
def spherical_yn_z(ct: Array, n: Any, z: Array, derivative: bool) -> Array:
    return _spherical(_spherical_yn, 1, ct, n, z, derivative)


@vjp(sp.spherical_in, "z", broadcasts=True)
def spherical_in_z(ct: Array, n: Any, z: Array, derivative: bool) -> Array:
    return _spherical(_spherical_in, -1, ct, n, z, derivative)


@vjp(sp.spherical_kn, "z", broadcasts=True)
def spherical_kn_z(ct: Array, n: Any, z: Array, derivative: bool) -> Array:
    return _spherical(_spherical_kn, -1, ct, n, z, derivative)


@vjp(sp.comb, "N", broadcasts=True)
def comb_n(ct: Array, ans: Array, N: Array, k: Any, repetition: bool) -> Array:
    if repetition:
        return ct * ans * (sp.psi(N + k) - sp.psi(N))
    return ct * ans * (sp.psi(N + 1) - sp.psi(N - k + 1))


@vjp(sp.perm, "N", broadcasts=True)
def perm_n(ct: Array, ans: Array, N: Array, k: Any) -> Array:
    return ct * ans * (sp.psi(N + 1) - sp.psi(N - k + 1))


nondiff(
    sp.roots_legendre, sp.roots_hermite, sp.roots_hermitenorm, sp.roots_laguerre,
    sp.roots_chebyt, sp.roots_chebyu, sp.jn_zeros, sp.yn_zeros, sp.bernoulli, sp.euler,
)
