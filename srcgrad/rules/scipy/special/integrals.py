"""Exponential, trigonometric, Fresnel and elliptic integrals; elliptic and hypergeometric
functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.special as sp

from srcgrad.rules.book import Array, elementwise, vjp
from srcgrad.rules.scipy.special.outputs import summed

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
