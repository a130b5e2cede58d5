"""Rules of SciPy's functions, found as soon as SciPy has been imported."""

import numpy as np
import pytest
from checking import check, cplx, real, signed

sp = pytest.importorskip("scipy.special")

UNARY = """erf erfc erfcx erfinv erfcinv erfi dawsn ndtr ndtri log_ndtr expit log_expit logit exp10 exp2
expm1 log1p cbrt cosm1 exprel entr gamma rgamma gammaln psi j0 y0 j1 y1 i0 i1 i0e i1e k0 k1 expi exp1 sici
fresnel spence ellipk ellipe lambertw loggamma digamma""".split()  # fmt: skip
SECOND = """jv yv iv ive kv kve kn yn expn gammainc gammaincc gammaincinv huber pseudo_huber polygamma zeta""".split()
BOTH = "xlogy xlog1py rel_entr kl_div beta betaln poch".split()


@pytest.mark.parametrize("name", UNARY)
def test_of_one_argument(name):
    check(getattr(sp, name), real(3), tol=2e-5)


@pytest.mark.parametrize("name", SECOND)
def test_of_an_order_and_an_argument(name):
    order = np.array([2, 4, 3]) if name in ("kn", "yn", "expn", "polygamma") else real(3) + 1.5
    check(getattr(sp, name), order, real(2, 3) + 0.1 * (name == "zeta"), fixed=(0,), tol=2e-5)


@pytest.mark.parametrize("name", BOTH)
def test_of_two_arguments(name):
    check(getattr(sp, name), real(2, 1), real(3), tol=2e-5)


def test_of_more_arguments():
    for f in (sp.betainc, sp.betaincc, sp.betaincinv, sp.hyp1f1):
        check(f, real(3) + 1, real(3) + 1, real(3), fixed=(0, 1), tol=2e-5)
    check(sp.hyp2f1, real(3), real(3), real(3) + 1, real(3), fixed=(0, 1, 2), tol=2e-5)
    for f in (sp.boxcox, sp.boxcox1p, sp.inv_boxcox):
        check(f, real(3), real(3), fixed=(1,))
    check(sp.multigammaln, real(3) + 3, 2)


def test_reductions():
    for axis, keepdims in [(None, False), (0, False), (-1, True), ((0, 1), False)]:
        check(sp.logsumexp, signed(2, 3), axis=axis, keepdims=keepdims)
    check(sp.logsumexp, signed(2, 3), 1, signed(3), False, True)
    check(sp.logsumexp, signed(2, 3), 1, real(2, 3))
    for f in (sp.softmax, sp.log_softmax):
        check(f, signed(2, 3))
        check(f, signed(2, 3), axis=1)
