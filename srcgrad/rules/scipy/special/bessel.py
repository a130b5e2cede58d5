"""Bessel, spherical Bessel, Hankel, Airy, Kelvin and Struve functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.special as sp

from srcgrad.rules.book import Array, elementwise, nondiff, vjp
from srcgrad.rules.broadcast import dispatching
from srcgrad.rules.scipy.special.outputs import summed

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
