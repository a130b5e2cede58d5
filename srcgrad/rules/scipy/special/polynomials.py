"""Orthogonal polynomials, the associated Legendre functions and the nodes of quadratures."""

from __future__ import annotations

import numpy as np
import scipy.special as sp

from srcgrad.rules.book import elementwise, nondiff

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
