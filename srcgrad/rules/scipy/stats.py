"""Densities and distribution functions of ``scipy.stats``.

Each continuous distribution is declared by the slope of its standard log-density and by the
log-density's partial derivatives for its shape parameters; rules for ``pdf``, ``logpdf``,
``cdf``, ``logcdf``, ``sf``, ``logsf`` and ``ppf`` follow from these.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import scipy.special as sp
import scipy.stats as st

from srcgrad.rules.book import Array, Body, NoRule, Shape, elementwise, inactive, vjp
from srcgrad.rules.broadcast import dispatching, sum_to
from srcgrad.rules.numpy.decompositions import read_triangle
from srcgrad.rules.numpy.linear_algebra import adjoint_matrix

Standard = Callable[..., Array]


def _with_parameters(body: Callable[..., Any], names: tuple[str, ...]) -> Body:
    """``body``, which takes a mapping, as a function of the named parameters."""

    def named(**have: Any) -> Any:
        return body(have)

    parameters = [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY) for n in names]
    named.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return named


def _method_signature(variable: str, shapes: tuple[str, ...]) -> Body:
    def like(*args: Any) -> None:
        """The parameters of a distribution's method."""

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    required = [inspect.Parameter(n, kind) for n in (variable, *shapes)]
    optional = [inspect.Parameter(n, kind, default=d) for n, d in (("loc", 0), ("scale", 1))]
    like.__signature__ = inspect.Signature(required + optional)  # type: ignore[attr-defined]
    return like


def _continuous(dist: Any, slope: Standard, **partials: Standard) -> None:
    """Declare a distribution: ``slope(z, *shapes)`` is d log f / dz of the standard density,
    ``partials`` its partial derivatives for the shape parameters, in their order."""
    shapes = tuple(partials)
    density = dispatching(dist.pdf)

    def standard(have: Mapping[str, Any], variable: Array) -> tuple[Array, ...]:
        return ((variable - have["loc"]) / have["scale"], *(have[s] for s in shapes))

    def log_partials() -> dict[str, Callable[[Mapping[str, Any]], Array]]:
        def of_x(have: Mapping[str, Any]) -> Array:
            return slope(*standard(have, have["x"])) / have["scale"]

        def of_scale(have: Mapping[str, Any]) -> Array:
            point = standard(have, have["x"])
            return -(1 + point[0] * slope(*point)) / have["scale"]

        def of_shape(partial: Standard) -> Callable[[Mapping[str, Any]], Array]:
            return lambda have: partial(*standard(have, have["x"]))

        return {"x": of_x, "loc": lambda have: -of_x(have), "scale": of_scale} | {
            name: of_shape(partial) for name, partial in partials.items()
        }

    needs = ("x", *shapes, "loc", "scale")
    like = _method_signature("x", shapes)

    def scaled(partial: Callable[[Mapping[str, Any]], Array]) -> Callable[..., Array]:
        return lambda have: have["ans"] * partial(have)

    for name, partial in log_partials().items():
        elementwise(dist.logpdf, name, like=like)(_with_parameters(partial, needs))
        elementwise(dist.pdf, name, like=like)(_with_parameters(scaled(partial), ("ans", *needs)))

    def pdf(have: Mapping[str, Any], variable: Array) -> Array:
        return density(variable, *(have[s] for s in shapes), have["loc"], have["scale"])

    along: dict[str, Callable[[Mapping[str, Any]], Array]] = {
        "x": lambda have: 1,
        "loc": lambda have: -1,
        "scale": lambda have: -standard(have, have["x"])[0],
    }

    def cumulative(direction: Any, sign: int, logarithm: bool) -> Callable[..., Array]:
        def partial(have: Mapping[str, Any]) -> Array:
            d = sign * direction(have) * pdf(have, have["x"])
            return d / np.exp(have["ans"]) if logarithm else d

        return partial

    for function, sign, logarithm in (
        (dist.cdf, 1, False), (dist.logcdf, 1, True), (dist.sf, -1, False), (dist.logsf, -1, True),
    ):  # fmt: skip
        for name, direction in along.items():
            body = cumulative(direction, sign, logarithm)
            elementwise(function, name, like=like)(_with_parameters(body, ("ans", *needs)))

    quantile_like, quantile_needs = _method_signature("q", shapes), ("ans", *shapes, "loc", "scale")
    for name, partial in (
        ("q", lambda have: 1 / pdf(have, have["ans"])),
        ("loc", lambda have: 1),
        ("scale", lambda have: standard(have, have["ans"])[0]),
    ):
        elementwise(dist.ppf, name, like=quantile_like)(_with_parameters(partial, quantile_needs))


_continuous(st.norm, lambda z: -z)
_continuous(st.expon, lambda z: -1)
_continuous(st.uniform, lambda z: 0)
_continuous(st.laplace, lambda z: -np.sign(z))
_continuous(st.logistic, lambda z: -np.tanh(0.5 * z))
_continuous(st.cauchy, lambda z: -2 * z / (1 + z * z))
_continuous(st.halfnorm, lambda z: -z)
_continuous(st.gumbel_r, lambda z: np.exp(-z) - 1)
_continuous(
    st.t,
    lambda z, df: -(df + 1) * z / (df + z * z),
    df=lambda z, df: 0.5
    * (
        sp.psi(0.5 * (df + 1)) - sp.psi(0.5 * df) - 1 / df - np.log1p(z * z / df)
        + (df + 1) * z * z / (df * (df + z * z))
    ),
)  # fmt: skip
_continuous(
    st.gamma, lambda z, a: (a - 1) / z - 1, a=lambda z, a: np.log(z) - sp.psi(a)
)
_continuous(
    st.invgamma, lambda z, a: (1 / z - a - 1) / z, a=lambda z, a: -np.log(z) - sp.psi(a)
)
_continuous(
    st.beta,
    lambda z, a, b: (a - 1) / z - (b - 1) / (1 - z),
    a=lambda z, a, b: np.log(z) - sp.psi(a) + sp.psi(a + b),
    b=lambda z, a, b: np.log1p(-z) - sp.psi(b) + sp.psi(a + b),
)
_continuous(
    st.chi2,
    lambda z, df: (0.5 * df - 1) / z - 0.5,
    df=lambda z, df: 0.5 * (np.log(0.5 * z) - sp.psi(0.5 * df)),
)
_continuous(
    st.lognorm,
    lambda z, s: -(1 + np.log(z) / (s * s)) / z,
    s=lambda z, s: ((np.log(z) / s) ** 2 - 1) / s,
)
_continuous(
    st.weibull_min,
    lambda z, c: (c - 1 - c * z**c) / z,
    c=lambda z, c: 1 / c + np.log(z) * (1 - z**c),
)
_continuous(st.pareto, lambda z, b: -(b + 1) / z, b=lambda z, b: 1 / b - np.log(z))


@elementwise(st.poisson.logpmf, "mu", like=lambda k, mu, loc=0: None)
def poisson_logpmf_mu(k: Array, mu: Array, loc: Array) -> Array:
    return (k - loc) / mu - 1


elementwise(st.poisson.pmf, like=lambda k, mu, loc=0: None,
    mu=lambda ans, k, mu, loc: ans * poisson_logpmf_mu(k, mu, loc))


@elementwise(st.binom.logpmf, "p", like=lambda k, n, p, loc=0: None)
def binom_logpmf_p(k: Array, n: Array, p: Array, loc: Array) -> Array:
    return (k - loc) / p - (n - k + loc) / (1 - p)


elementwise(st.binom.pmf, like=lambda k, n, p, loc=0: None,
    p=lambda ans, k, n, p, loc: ans * binom_logpmf_p(k, n, p, loc))
elementwise(st.bernoulli.logpmf, like=lambda k, p, loc=0: None,
    p=lambda k, p, loc: binom_logpmf_p(k, 1, p, loc))

for _function in (st.poisson.logpmf, st.poisson.pmf, st.binom.logpmf, st.binom.pmf,
                  st.bernoulli.logpmf):  # fmt: skip
    inactive(_function, "k")


def _normal_like(x: Any, mean: Any = None, cov: Any = 1, allow_singular: bool = False,
                 **options: Any) -> None:  # fmt: skip
    """The parameters of ``multivariate_normal``'s densities."""


@vjp(st.multivariate_normal.logpdf, "x", "mean", "cov", like=_normal_like,
     settings={"triangle": "read"})
def multivariate_normal_logpdf(ct: Array, x: Array, x_shape: Shape, mean: Array, mean_shape: Any,
                               cov: Array, cov_ndim: int, cov_shape: Any, cov_dtype: Any,
                               triangle: str) -> Any:
    centred = x if mean is None else x - mean
    if cov_ndim != 2 and (mean is None or len(mean_shape) != 1):
        raise NoRule("multivariate_normal has a derivative rule for a matrix cov=, or a vector "
                     "mean=, only")
    d_x: Array
    if cov_ndim != 2:
        scaled = centred / cov
        d_x = -np.expand_dims(ct, -1) * scaled
        each = 0.5 * np.expand_dims(ct, -1) * (scaled * scaled - 1 / cov)
        return sum_to(d_x, x_shape), sum_to(-d_x, mean_shape), sum_to(each, cov_shape)
    inverse = np.linalg.inv(np.tril(cov) + adjoint_matrix(np.tril(cov, -1), cov_dtype))
    pull = centred @ inverse.T
    d_x = -np.expand_dims(ct, -1) * pull
    both = np.expand_dims(pull, -1) * np.expand_dims(pull, -2) - inverse.T
    d_cov = sum_to(0.5 * np.expand_dims(ct, (-1, -2)) * both, cov_shape)
    d_cov = read_triangle(d_cov, cov_dtype, False, triangle)
    return sum_to(d_x, x_shape), None if mean is None else sum_to(-d_x, mean_shape), d_cov


vjp(st.multivariate_normal.pdf, "x", "mean", "cov", like=_normal_like,
    settings={"triangle": "read"})(
    lambda ct, ans, x, x_shape, mean, mean_shape, cov, cov_ndim, cov_shape, cov_dtype, triangle:
        multivariate_normal_logpdf(ct * ans, x, x_shape, mean, mean_shape, cov, cov_ndim,
                                   cov_shape, cov_dtype, triangle))

vjp(st.dirichlet.logpdf, like=lambda x, alpha: None,
    x=lambda ct, x, x_ndim, alpha: ct * (_upright(alpha, x_ndim) - 1) / x)


@vjp(st.dirichlet.logpdf, "alpha")
def dirichlet_logpdf_alpha(ct: Array, x: Array, x_ndim: int, alpha: Array) -> Array:
    each = np.log(x) - _upright(sp.psi(alpha) - sp.psi(np.sum(alpha)), x_ndim)
    return ct * each if x_ndim == 1 else each @ ct


def _upright(alpha: Array, x_ndim: int) -> Array:
    """Points are the columns of a matrix ``x``."""
    return alpha if x_ndim == 1 else np.expand_dims(alpha, -1)
