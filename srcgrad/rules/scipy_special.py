"""Functions of ``scipy.special``; registered when the user has imported it.

Formulas: NIST Digital Library of Mathematical Functions.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.special as sp

from srcgrad.rules.book import Array, alias, elementwise, entry, inactive, nondiff, static, vjp
from srcgrad.rules.broadcast import dispatching, sum_to
from srcgrad.rules.error_function import erf_x, erfc_x, erfcx_x
from srcgrad.rules.exponential import exp2, expm1, log1p, log_share
from srcgrad.rules.reductions import keep_axes, reduced
from srcgrad.rules.special_functions import (
    entr_x,
    erfinv_x,
    ndtr_x,
    ndtri_x,
    xlog1py_x1,
    xlog1py_x2,
    xlogy_x1,
    xlogy_x2,
)

Shape = tuple[int, ...]
_polygamma = dispatching(sp.polygamma)
_zeta = dispatching(sp.zeta)

# ---- error functions and the normal distribution ----------------------------------------------

elementwise(sp.erf)(erf_x)
elementwise(sp.erfc)(erfc_x)
elementwise(sp.erfcx)(erfcx_x)
elementwise(sp.erfinv)(erfinv_x)
elementwise(sp.ndtr)(ndtr_x)
elementwise(sp.ndtri)(ndtri_x)
elementwise(sp.entr)(entr_x)
elementwise(sp.xlogy, "x1")(xlogy_x1)
vjp(sp.xlogy, "x2")(xlogy_x2)
elementwise(sp.xlog1py, "x1")(xlog1py_x1)
vjp(sp.xlog1py, "x2")(xlog1py_x2)
elementwise(sp.exp2)(exp2)
elementwise(sp.expm1)(expm1)
vjp(sp.log1p)(log1p)
alias(np.cbrt, sp.cbrt)
alias(np.sinc, sp.sinc)


@elementwise(sp.erfcinv)
def erfcinv(ans: Array) -> Array:
    return -0.5 * math.sqrt(math.pi) * np.exp(ans * ans)


@elementwise(sp.wofz)
def wofz(x: Array, ans: Array) -> Array:
    """Abramowitz and Stegun 7.1.20, for the Faddeeva function ``exp(-x**2) * erfc(-1j * x)``."""
    return 2j / math.sqrt(math.pi) - 2 * x * ans


@elementwise(sp.erfi)
def erfi(x: Array) -> Array:
    return 2 / math.sqrt(math.pi) * np.exp(x * x)


@elementwise(sp.dawsn)
def dawsn(ans: Array, x: Array) -> Array:
    return 1 - 2 * x * ans


@elementwise(sp.log_ndtr)
def log_ndtr(ans: Array, x: Array) -> Array:
    return np.exp(-0.5 * x * x - ans) / math.sqrt(2 * math.pi)


# ---- logistic functions, logarithms, exponentials ---------------------------------------------


@elementwise(sp.expit)
def expit(ans: Array) -> Array:
    return ans * (1 - ans)


@elementwise(sp.log_expit)
def log_expit(x: Array) -> Array:
    return sp.expit(-x)


@vjp(sp.logit)
def logit(ct: Array, x: Array) -> Array:
    return ct / (x * (1 - x))


@elementwise(sp.exp10)
def exp10(ans: Array) -> Array:
    return ans * math.log(10)


@elementwise(sp.cosm1)
def cosm1(x: Array) -> Array:
    return -np.sin(x)


@elementwise(sp.exprel)
def exprel(x: Array) -> Array:
    return sp.hyp1f1(2, 3, x) / 2  # (exp(x) - exprel(x)) / x without its cancellation at 0


@elementwise(sp.hyp1f1, "x3")
def hyp1f1_x3(x1: Array, x2: Array, x3: Array) -> Array:
    return x1 / x2 * sp.hyp1f1(x1 + 1, x2 + 1, x3)


@elementwise(sp.hyp2f1, "x4")
def hyp2f1_x4(x1: Array, x2: Array, x3: Array, x4: Array) -> Array:
    return x1 * x2 / x3 * sp.hyp2f1(x1 + 1, x2 + 1, x3 + 1, x4)


@elementwise(sp.rel_entr, "x1")
def rel_entr_x1(x1: Array, x2: Array) -> Array:
    return np.log(x1 / x2) + 1


@vjp(sp.rel_entr, "x2")
def rel_entr_x2(ct: Array, x1: Array, x2: Array) -> Array:
    return -ct * x1 / x2


@elementwise(sp.kl_div, "x1")
def kl_div_x1(x1: Array, x2: Array) -> Array:
    return np.log(x1 / x2)


@vjp(sp.kl_div, "x2")
def kl_div_x2(ct: Array, x1: Array, x2: Array) -> Array:
    return ct * (1 - x1 / x2)


@elementwise(sp.huber, "x2")
def huber_x2(x1: Array, x2: Array) -> Array:
    return np.clip(x2, -x1, x1)


@elementwise(sp.huber, "x1")
def huber_x1(x1: Array, x2: Array) -> Array:
    return np.maximum(np.abs(x2) - x1, 0)


@elementwise(sp.pseudo_huber, "x2")
def pseudo_huber_x2(x1: Array, x2: Array) -> Array:
    return x2 / np.sqrt(1 + (x2 / x1) ** 2)


@vjp(sp.boxcox, "x1")
def boxcox_x1(ct: Array, x1: Array, x2: Array) -> Array:
    return ct * x1 ** (x2 - 1)


@vjp(sp.boxcox1p, "x1")
def boxcox1p_x1(ct: Array, x1: Array, x2: Array) -> Array:
    return ct * (1 + x1) ** (x2 - 1)


@vjp(sp.inv_boxcox, "x1")
def inv_boxcox_x1(ct: Array, ans: Array, x2: Array) -> Array:
    return ct * ans ** (1 - x2)


# ---- gamma, beta and zeta functions ------------------------------------------------------------


@elementwise(sp.gamma)
def gamma(ans: Array, x: Array) -> Array:
    return ans * sp.psi(x)


@elementwise(sp.rgamma)
def rgamma(ans: Array, x: Array) -> Array:
    return -ans * sp.psi(x)


@elementwise(sp.gammaln)
@elementwise(sp.loggamma)
def gammaln(x: Array) -> Array:
    return sp.psi(x)


@elementwise(sp.psi)
def psi(x: Array) -> Array:
    return _zeta(2, x)


entry("polygamma", sp.polygamma, like=lambda n, x: None)


@elementwise(sp.polygamma, "x")
def polygamma_x(n: Any, x: Array) -> Array:
    return _polygamma(n + 1, x)


inactive(sp.polygamma, "n")


@elementwise(sp.poch, "x1")
def poch_x1(ans: Array, x1: Array, x2: Array) -> Array:
    return ans * (sp.psi(x1 + x2) - sp.psi(x1))


@elementwise(sp.poch, "x2")
def poch_x2(ans: Array, x1: Array, x2: Array) -> Array:
    return ans * sp.psi(x1 + x2)


@elementwise(sp.beta, "x1")
def beta_x1(ans: Array, x1: Array, x2: Array) -> Array:
    return ans * (sp.psi(x1) - sp.psi(x1 + x2))


@elementwise(sp.beta, "x2")
def beta_x2(ans: Array, x1: Array, x2: Array) -> Array:
    return ans * (sp.psi(x2) - sp.psi(x1 + x2))


@elementwise(sp.betaln, "x1")
def betaln_x1(x1: Array, x2: Array) -> Array:
    return sp.psi(x1) - sp.psi(x1 + x2)


@elementwise(sp.betaln, "x2")
def betaln_x2(x1: Array, x2: Array) -> Array:
    return sp.psi(x2) - sp.psi(x1 + x2)


@elementwise(sp.gammainc, "x2")
def gammainc_x2(x1: Array, x2: Array) -> Array:
    return np.exp(sp.xlogy(x1 - 1, x2) - x2 - sp.gammaln(x1))


@elementwise(sp.gammaincc, "x2")
def gammaincc_x2(x1: Array, x2: Array) -> Array:
    return -gammainc_x2(x1, x2)


@elementwise(sp.gammaincinv, "x2")
def gammaincinv_x2(ans: Array, x1: Array) -> Array:
    return 1 / gammainc_x2(x1, ans)


@elementwise(sp.betainc, "x3")
def betainc_x3(x1: Array, x2: Array, x3: Array) -> Array:
    return np.exp(sp.xlogy(x1 - 1, x3) + sp.xlog1py(x2 - 1, -x3) - sp.betaln(x1, x2))


@elementwise(sp.betaincc, "x3")
def betaincc_x3(x1: Array, x2: Array, x3: Array) -> Array:
    return -betainc_x3(x1, x2, x3)


@elementwise(sp.betaincinv, "x3")
def betaincinv_x3(ans: Array, x1: Array, x2: Array) -> Array:
    return 1 / betainc_x3(x1, x2, ans)


entry("zeta", sp.zeta, like=lambda x, q=None, out=None: None)


@elementwise(sp.zeta, "q")
def zeta_q(x: Array, q: Array) -> Array:
    return -x * _zeta(x + 1, q)


entry("multigammaln", sp.multigammaln, like=lambda a, d: None)


@elementwise(sp.multigammaln, "a")
def multigammaln_a(a: Array, d: int) -> Array:
    return np.sum(sp.psi(np.expand_dims(a, -1) - 0.5 * np.arange(d)), axis=-1)


# ---- Bessel functions ----------------------------------------------------------------------------


@elementwise(sp.j0)
def j0(x: Array) -> Array:
    return -sp.j1(x)


@elementwise(sp.y0)
def y0(x: Array) -> Array:
    return -sp.y1(x)


@elementwise(sp.j1)
def j1(x: Array) -> Array:
    return 0.5 * (sp.j0(x) - sp.jv(2, x))


@elementwise(sp.y1)
def y1(x: Array) -> Array:
    return 0.5 * (sp.y0(x) - sp.yv(2, x))


@elementwise(sp.jv, "x2")
def jv_x2(x1: Array, x2: Array) -> Array:
    return 0.5 * (sp.jv(x1 - 1, x2) - sp.jv(x1 + 1, x2))


@elementwise(sp.yv, "x2")
@elementwise(sp.yn, "x2")
def yv_x2(x1: Array, x2: Array) -> Array:
    return 0.5 * (sp.yv(x1 - 1, x2) - sp.yv(x1 + 1, x2))


@elementwise(sp.iv, "x2")
def iv_x2(x1: Array, x2: Array) -> Array:
    return 0.5 * (sp.iv(x1 - 1, x2) + sp.iv(x1 + 1, x2))


@elementwise(sp.kv, "x2")
@elementwise(sp.kn, "x2")
def kv_x2(x1: Array, x2: Array) -> Array:
    return -0.5 * (sp.kv(x1 - 1, x2) + sp.kv(x1 + 1, x2))


@elementwise(sp.ive, "x2")
def ive_x2(ans: Array, x1: Array, x2: Array) -> Array:
    return 0.5 * (sp.ive(x1 - 1, x2) + sp.ive(x1 + 1, x2)) - np.sign(x2) * ans


@elementwise(sp.kve, "x2")
def kve_x2(ans: Array, x1: Array, x2: Array) -> Array:
    return ans - 0.5 * (sp.kve(x1 - 1, x2) + sp.kve(x1 + 1, x2))


@elementwise(sp.i0)
def i0(x: Array) -> Array:
    return sp.i1(x)


@elementwise(sp.i1)
def i1(x: Array) -> Array:
    return 0.5 * (sp.i0(x) + sp.iv(2, x))


@elementwise(sp.i0e)
def i0e(ans: Array, x: Array) -> Array:
    return sp.i1e(x) - np.sign(x) * ans


@elementwise(sp.i1e)
def i1e(ans: Array, x: Array) -> Array:
    return 0.5 * (sp.i0e(x) + sp.ive(2, x)) - np.sign(x) * ans


@elementwise(sp.k0)
def k0(x: Array) -> Array:
    return -sp.k1(x)


@elementwise(sp.k1)
def k1(x: Array) -> Array:
    return -0.5 * (sp.k0(x) + sp.kv(2, x))


# ---- integrals -----------------------------------------------------------------------------------


@vjp(sp.expi)
def expi(ct: Array, x: Array) -> Array:
    return ct * np.exp(x) / x


@vjp(sp.exp1)
def exp1(ct: Array, x: Array) -> Array:
    return -ct * np.exp(-x) / x


@elementwise(sp.expn, "x2")
def expn_x2(x1: Array, x2: Array) -> Array:
    return -sp.expn(x1 - 1, x2)


@vjp(sp.sici)
def sici(ct: Any, x: Array) -> Array:
    d: Array = None
    if ct[0] is not None:
        d = ct[0] * np.sinc(x / math.pi)
    if ct[1] is not None:
        cosine = ct[1] * np.cos(x) / x
        d = cosine if d is None else d + cosine
    return d


@vjp(sp.fresnel)
def fresnel(ct: Any, x: Array) -> Array:
    phase = 0.5 * math.pi * x * x
    d: Array = None
    if ct[0] is not None:
        d = ct[0] * np.sin(phase)
    if ct[1] is not None:
        cosine = ct[1] * np.cos(phase)
        d = cosine if d is None else d + cosine
    return d


@elementwise(sp.spence)
def spence(x: Array) -> Array:
    return np.where(x == 1, -1, np.log(x) / np.where(x == 1, 1, 1 - x))


@vjp(sp.ellipk)
def ellipk(ct: Array, ans: Array, x: Array) -> Array:
    return ct * (sp.ellipe(x) - (1 - x) * ans) / (2 * x * (1 - x))


@vjp(sp.ellipe)
def ellipe(ct: Array, ans: Array, x: Array) -> Array:
    return ct * (ans - sp.ellipk(x)) / (2 * x)


@vjp(sp.lambertw, "z", like=lambda z, k=0, tol=1e-8: None, broadcasts=True)
def lambertw_z(ct: Array, ans: Array) -> Array:
    return ct * np.exp(-ans) / (1 + ans)


# ---- reductions ----------------------------------------------------------------------------------

entry(
    "logsumexp",
    sp.logsumexp,
    like=lambda a, axis=None, b=None, keepdims=False, return_sign=False: None,
)


@vjp(sp.logsumexp, "a")
def logsumexp_a(
    ct: Any, ans: Any, a: Array, a_shape: Shape, axis: Any, b: Array, keepdims: bool,
    return_sign: bool,
) -> Array:  # fmt: skip
    value_ct, value = (ct[0], ans[0]) if return_sign else (ct, ans)
    value = keep_axes(value, axis, keepdims)
    weights = np.exp(log_share(a, value))
    if b is not None:
        weights = weights * b
    if return_sign:
        weights = weights * keep_axes(ans[1], axis, keepdims)
    return sum_to(keep_axes(value_ct, axis, keepdims) * weights, a_shape)


@vjp(sp.logsumexp, "b")
def logsumexp_b(
    ct: Any, ans: Any, a: Array, b_shape: Shape, axis: Any, keepdims: bool, return_sign: bool
) -> Array:
    value_ct, value = (ct[0], ans[0]) if return_sign else (ct, ans)
    value = keep_axes(value, axis, keepdims)
    weights = np.exp(log_share(a, value))
    if return_sign:
        weights = weights * keep_axes(ans[1], axis, keepdims)
    return sum_to(keep_axes(value_ct, axis, keepdims) * weights, b_shape)


@vjp(sp.softmax, "x", like=lambda x, axis=None: None)
def softmax_x(ct: Array, ans: Array, axis: Any) -> Array:
    return ans * (ct - reduced(np.sum, ct * ans, axis))


@vjp(sp.log_softmax, "x", like=lambda x, axis=None: None)
def log_softmax_x(ct: Array, ans: Array, axis: Any) -> Array:
    return ct - np.exp(ans) * reduced(np.sum, ct, axis)


nondiff(sp.gammasgn, sp.round)
for _function in (sp.comb, sp.perm):  # of numbers that are not differentiated
    entry(_function.__name__, _function)


@vjp(sp.factorial, "n")
def factorial_n(ct: Array, ans: Array, n: Array) -> Array:
    """The factorial of a real number is ``gamma(n + 1)``."""
    return ct * ans * np.where(n < 0, 0, sp.psi(np.where(n < 0, 1, n + 1)))

static(sp.multigammaln, "d")
