"""Logistic functions, logarithms, exponentials, powers, entropies, angles in degrees."""

from __future__ import annotations

import math

import numpy as np
import scipy.special as sp

from srcgrad.rules.book import alias, elementwise, nondiff, variant, vjp
from srcgrad.rules.nn.special_functions import entr, xlog1py, xlogy

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
