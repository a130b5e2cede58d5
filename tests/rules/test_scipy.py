"""Rules of SciPy's functions, found as soon as SciPy has been imported."""

import importlib

import numpy as np
import pytest
from checking import check, cplx, real, signed

import srcgrad as sg

sp = pytest.importorskip("scipy.special")

UNARY = """
erf erfc erfcx erfinv erfcinv erfi dawsn ndtr ndtri log_ndtr expit log_expit logit exp10 exp2
expm1 log1p cbrt cosm1 exprel entr gamma rgamma gammaln psi j0 y0 j1 y1 i0 i1 i0e i1e k0 k1
expi exp1 sici fresnel spence ellipk ellipe lambertw loggamma digamma
""".split()
SECOND = """
jv yv iv ive kv kve kn yn expn gammainc gammaincc gammaincinv huber pseudo_huber polygamma zeta
""".split()
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


sl = pytest.importorskip("scipy.linalg")


def well(*shape):
    return signed(*shape) + 2 * np.eye(shape[-1])


def spd(n):
    a = signed(n, n)
    return a @ a.T + np.eye(n)


def test_systems():
    a = well(3, 3)
    for b in (signed(3), signed(3, 2)):
        check(sl.solve, a, b)
        check(sl.solve, spd(3), b, assume_a="pos")
        check(sl.solve, spd(3), b, assume_a="sym", lower=True)
        for lower in (False, True):
            for trans in (0, 1):
                check(sl.solve_triangular, a, b, trans, lower)
            check(sl.solve_triangular, a, b, 0, lower, True)
            check(
                sl.cho_solve,
                (np.linalg.cholesky(spd(3)) if lower else np.linalg.cholesky(spd(3)).T, lower),
                b,
            )
        lu, piv = sl.lu_factor(np.roll(a, 1, 0))
        check(sl.lu_solve, (lu, piv), b)
        check(sl.lu_solve, (lu, piv), b, 1)
        check(sl.lstsq, signed(4, 3), b[:1] + signed(4, 1)[:, 0] if b.ndim == 1 else signed(4, 2))
    check(sl.cholesky, spd(3))
    check(sl.cholesky, spd(3), lower=True)
    check(sl.solve_sylvester, signed(2, 2), signed(3, 3) + 3 * np.eye(3), signed(2, 3))
    check(sl.solve_continuous_lyapunov, well(3, 3), signed(3, 3))
    check(sl.solve_discrete_lyapunov, 0.4 * signed(3, 3), signed(3, 3))


def test_functions_of_matrices():
    for f in (sl.expm, sl.sinm, sl.cosm, sl.tanhm):
        check(f, signed(3, 3), tol=1e-5)
    for f in (sl.logm, sl.sqrtm):
        check(f, spd(3), tol=1e-5)
    check(sl.expm, signed(2, 3, 3))


def test_of_a_matrix():
    a = well(3, 3)
    for f in (sl.inv, sl.det, sl.pinv, sl.svdvals, sl.norm):
        check(f, a)
    check(sl.svd, a, full_matrices=False, tol=1e-5)
    check(sl.svd, signed(4, 3), compute_uv=False)
    check(sl.eigh, np.diag([1.0, 2.0, 4.0]) + 0.2 * signed(3, 3), tol=1e-5)
    check(sl.eigh, spd(3), lower=False, eigvals_only=True)
    check(sl.eigvalsh, spd(3))
    check(sl.eigvals, np.diag([1.0, 2.0, 4.0]) + 0.2 * signed(3, 3))
    check(sl.qr, a, tol=1e-5)
    check(sl.qr, signed(4, 2), mode="economic", tol=1e-5)
    check(sl.lu_factor, a)
    check(sl.block_diag, signed(2, 3), signed(2), signed(1, 1))


@pytest.mark.parametrize("lower", [False, True])
def test_cholesky_factors_solve(lower):
    """The chain cho_factor -> cho_solve has the derivative of a solve, for what is read of a."""
    from srcgrad.rules import lookup
    from srcgrad.rules.numpy.decompositions import read_triangle

    a, b, ct = spd(3), signed(3), signed(3)
    c = sl.cho_factor(a, lower)
    x = sl.cho_solve(c, b)
    d_c, d_b = lookup(sl.cho_solve).rules["b"].body(ct, x, c)
    d_a = lookup(sl.cho_factor).rules["a"].body(d_c, c, a.dtype, lower, "read")
    want = read_triangle(-np.outer(np.linalg.solve(a, ct), x), a.dtype, not lower, "read")
    np.testing.assert_allclose(d_a, want, atol=1e-12)
    np.testing.assert_allclose(d_b, np.linalg.solve(a, ct), atol=1e-12)


def test_transforms():
    sf = pytest.importorskip("scipy.fft")
    for f in (sf.fft, sf.ifft, sf.rfft):
        check(f, signed(5), 6)
        check(f, signed(4, 2), axis=0, norm="ortho")
    check(sf.irfft, cplx(4))
    check(sf.rfft2, signed(3, 4))
    check(sf.fftn, signed(3, 4))
    check(sf.fftshift, signed(5))
    for f in (sf.dct, sf.idct, sf.dst, sf.idst):
        for kind in (2, 3, 4):
            for norm in (None, "ortho", "forward"):
                check(f, signed(2, 5), kind, norm=norm)
                check(f, signed(5, 2), kind, axis=0, norm=norm)


st = pytest.importorskip("scipy.stats")
SHAPES = dict(
    norm=0,
    expon=0,
    uniform=0,
    laplace=0,
    logistic=0,
    cauchy=0,
    halfnorm=0,
    gumbel_r=0,
    t=1,
    gamma=1,
    invgamma=1,
    beta=2,
    chi2=1,
    lognorm=1,
    weibull_min=1,
    pareto=1,
)


@pytest.mark.parametrize("name", SHAPES)
def test_distributions(name):
    dist = getattr(st, name)
    shapes = [1 + real(2, 1) for _ in range(SHAPES[name])]
    x = 1.2 + 0.2 * real(3) if name == "pareto" else 0.6 * real(3)
    fixed = tuple(range(1, 1 + len(shapes)))
    loc, scale = np.array(-0.05), np.array(1.1)
    if name == "pareto":
        x = x + 1
    for method in ("logpdf", "pdf"):
        check(getattr(dist, method), x, *shapes, loc, scale, tol=1e-5)
        check(getattr(dist, method), x, *shapes)
    for method in ("cdf", "logcdf", "sf", "logsf", "ppf"):
        check(
            getattr(dist, method),
            real(3) if method == "ppf" else x,
            *shapes,
            loc,
            scale,
            fixed=fixed,
            tol=1e-5,
        )


def test_discrete_distributions():
    k = np.array([0, 1, 3])
    check(st.poisson.logpmf, k, 1 + real(3))
    check(st.poisson.pmf, k, 1 + real(2, 1))
    check(st.binom.logpmf, k, 5, real(3))
    check(st.binom.pmf, k, 5, real(3))
    check(st.bernoulli.logpmf, np.array([0, 1, 1]), real(3))


def test_multivariate_distributions():
    for f in (st.multivariate_normal.logpdf, st.multivariate_normal.pdf):
        for cov in (spd(3), real(3), np.array(0.7)):
            check(f, signed(3), signed(3), cov)
            check(f, signed(4, 3), signed(3), cov)
    from srcgrad.rules import lookup

    d_x = lookup(st.dirichlet.logpdf).rules
    alpha, x = 1 + real(3), np.array([0.2, 0.3, 0.5])
    np.testing.assert_allclose(d_x["x"].body(2.0, x, 1, alpha), 2 * (alpha - 1) / x)
    h = np.array([1e-6, 0, 0])
    want = (st.dirichlet.logpdf(x, alpha + h) - st.dirichlet.logpdf(x, alpha - h)) / 2e-6
    np.testing.assert_allclose(d_x["alpha"].body(1.0, x, 1, alpha)[0], want, rtol=1e-6)


def test_factorial():
    check(sp.factorial, real(3) + 1, tol=2e-5)
    check(sp.factorial, np.array([2.5, -1.5, 0.3]), tol=2e-5)


def _sorted_out(x):
    return scipy_module("signal").medfilt2d(x[:, None], 3)[1, 0]


def _damped(x):
    return scipy_module("ndimage").fourier_ellipsoid(x, 2)[1]


def _taken(x):
    return scipy_module("ndimage").geometric_transform(x, lambda c: (c[0] / 2,))[2]


def _solution(x):
    return scipy_module("linalg").schur(x[:, None] * x)[0][0, 0]


def scipy_module(name):
    return importlib.import_module(f"scipy.{name}")


@pytest.mark.parametrize("function, name", [
    (_sorted_out, "scipy.signal.medfilt2d"), (_damped, "scipy.ndimage.fourier_ellipsoid"),
    (_taken, "scipy.ndimage.geometric_transform"), (_solution, "scipy.linalg.schur")])
def test_compiled_helpers_are_no_pure_functions(function, name):
    """They write into buffers that they are given: nothing may be concluded from a trial."""
    with pytest.raises(sg.SrcgradError, match=name):
        sg.grad(function)(np.array([0.5, 0.7, 0.2, 0.9]))


def test_faddeeva():
    check(sp.wofz, cplx(3), tol=2e-5)


def test_riccati_equations():
    sl = pytest.importorskip("scipy.linalg")
    a, b = np.array([[0.2, 1.0], [-0.4, -0.3]]), np.array([[0.1], [0.8]])

    for function, scale in ((sl.solve_continuous_are, 1.0), (sl.solve_discrete_are, 0.8)):
        check(function, scale * a, b, np.eye(2), np.eye(1), fixed=(2, 3), tol=2e-5)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_convolutions(mode):
    signal = pytest.importorskip("scipy.signal")
    for function in (signal.convolve, signal.fftconvolve, signal.oaconvolve, signal.correlate):
        check(function, signed(7), signed(3), mode=mode)
        check(function, signed(6), signed(2), mode=mode)
        check(function, signed(4, 5), signed(2, 3), mode=mode)
    for function in (signal.convolve2d, signal.correlate2d):
        check(function, signed(5, 4), signed(2, 3), mode=mode)
        check(function, signed(5, 4), signed(3, 2), mode=mode)
    check(signal.convolve, signed(2), signed(5), mode=mode)


DISTANCES = [("euclidean", {}), ("sqeuclidean", {}), ("cityblock", {}), ("chebyshev", {}),
             ("minkowski", {"p": 3}), ("cosine", {}), ("correlation", {}),
             ("seuclidean", {"V": np.array([0.5, 2.0, 1.0])}),
             ("mahalanobis", {"VI": np.diag([0.5, 2.0, 1.0])})]  # fmt: skip


@pytest.mark.parametrize("metric, options", DISTANCES, ids=lambda d: str(d))
def test_distances(metric, options):
    sd = pytest.importorskip("scipy.spatial.distance")
    check(sd.cdist, signed(4, 3), signed(2, 3), metric, tol=2e-5, **options)
    check(sd.pdist, signed(4, 3), metric, tol=2e-5, **options)


def test_condensed_distances():
    sd = pytest.importorskip("scipy.spatial.distance")
    check(sd.squareform, real(6))
    check(sd.squareform, signed(3, 3), "no", False)


def test_filters():
    signal = pytest.importorskip("scipy.signal")
    b, a = signed(3), np.array([1.5, 0.3, -0.2])
    check(signal.lfilter, b, a, signed(7), tol=2e-5)
    check(signal.lfilter, b, a, signed(2, 7), axis=1, tol=2e-5)
    check(signal.lfilter, b, np.array([2.0]), signed(5), tol=2e-5)
    sections = signal.butter(4, 0.3, output="sos")
    check(signal.sosfilt, sections, signed(8), fixed=(0,))
    check(signal.sosfilt, sections, signed(8, 2), 0, fixed=(0,))
