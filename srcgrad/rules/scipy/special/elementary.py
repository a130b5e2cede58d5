"""Logistic functions, logarithms, exponentials, powers, entropies, angles in degrees."""

from __future__ import annotations

import math

import numpy as np
import scipy.special as sp

from srcgrad.rules.book import Array, alias, elementwise, nondiff, vjp
from srcgrad.rules.nn.special_functions import entr_x, xlog1py_x1, xlog1py_x2, xlogy_x1, xlogy_x2
from srcgrad.rules.numpy.exponential import exp2, expm1, log1p

DEGREE = math.pi / 180
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
elementwise(sp.expit)(lambda ans: ans * (1 - ans))
elementwise(sp.log_expit)(lambda x: sp.expit(-x))
vjp(sp.logit)(lambda ct, x: ct / (x * (1 - x)))
elementwise(sp.exp10)(lambda ans: ans * math.log(10))
elementwise(sp.cosm1)(lambda x: -np.sin(x))


@elementwise(sp.exprel)
def exprel(x: Array) -> Array:
    return sp.hyp1f1(2, 3, x) / 2  # (exp(x) - exprel(x)) / x without its cancellation at 0


elementwise(sp.rel_entr, "x1")(lambda x1, x2: np.log(x1 / x2) + 1)
vjp(sp.rel_entr, "x2")(lambda ct, x1, x2: -ct * x1 / x2)
elementwise(sp.kl_div, "x1")(lambda x1, x2: np.log(x1 / x2))
vjp(sp.kl_div, "x2")(lambda ct, x1, x2: ct * (1 - x1 / x2))
elementwise(sp.huber, "x2")(lambda x1, x2: np.clip(x2, -x1, x1))
elementwise(sp.huber, "x1")(lambda x1, x2: np.maximum(np.abs(x2) - x1, 0))
elementwise(sp.pseudo_huber, "x2")(lambda x1, x2: x2 / np.sqrt(1 + (x2 / x1) ** 2))
vjp(sp.boxcox, "x1")(lambda ct, x1, x2: ct * x1 ** (x2 - 1))
vjp(sp.boxcox1p, "x1")(lambda ct, x1, x2: ct * (1 + x1) ** (x2 - 1))
vjp(sp.inv_boxcox, "x1")(lambda ct, ans, x2: ct * ans ** (1 - x2))
elementwise(sp.inv_boxcox1p, "x1")(lambda x1, x2, ans: np.power(1 + ans, 1 - x2))
elementwise(sp.sindg)(lambda x: DEGREE * sp.cosdg(x))
elementwise(sp.cosdg)(lambda x: -DEGREE * sp.sindg(x))
elementwise(sp.tandg)(lambda ans: DEGREE * (1 + ans * ans))
elementwise(sp.cotdg)(lambda ans: -DEGREE * (1 + ans * ans))
elementwise(sp.powm1, "x1")(lambda x1, x2: x2 * np.power(x1, x2 - 1))
elementwise(sp.powm1, "x2")(lambda x1, x2: np.power(x1, x2) * np.log(x1))
elementwise(sp.wrightomega)(lambda ans: ans / (1 + ans))


@vjp(sp.lambertw, "z", like=lambda z, k=0, tol=1e-8: None, broadcasts=True)
def lambertw_z(ct: Array, ans: Array) -> Array:
    return ct * np.exp(-ans) / (1 + ans)


nondiff(sp.round)
