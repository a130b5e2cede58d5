"""Distribution functions by their old names."""

from __future__ import annotations

import math

import numpy as np
import scipy.special as sp

from srcgrad.rules.book import Array, elementwise
from srcgrad.rules.scipy.special.gamma import beta_density, gamma_density


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
