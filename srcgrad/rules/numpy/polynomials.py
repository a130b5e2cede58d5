"""Polynomials as arrays of coefficients, the highest power first."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.book import Array, Dtype, NoRule, Shape, linear, static, vjp
from srcgrad.rules.broadcast import arange, as_array, dispatching, larger, resize_axis, scatter_add
from srcgrad.rules.numpy.creation import vander_x
from srcgrad.rules.numpy.decompositions import real_of_real
from srcgrad.rules.numpy.joining import unstack
from srcgrad.rules.numpy.linear_algebra import cut_pinv_a
from srcgrad.rules.numpy.products import conj_complex

_vander = dispatching(np.vander)  # with a symbolic number of columns too


@vjp(np.polyval, "p")
def polyval_p(ct: Array, x: Array, p_shape: Any) -> Any:
    n = len(p_shape) if isinstance(p_shape, list) else p_shape[0]
    d = np.reshape(ct, -1) @ _vander(np.reshape(x, -1), n)
    return unstack(d, p_shape)


@vjp(np.polyval, "x")
def polyval_x(ct: Array, p: Any, x: Array) -> Array:
    coefficients = as_array(p)
    degree = np.shape(coefficients)[0] - 1
    dtype = coefficients.dtype
    factors = arange(degree, 0, -1, dtype=float if dtype.kind == "b" else dtype)
    return ct * np.polyval(coefficients[:-1] * factors, x)


@linear(np.polyder, "p")
def polyder_p(ct: Array, p_shape: Shape, m: int) -> Array:
    for done in reversed(range(m)):
        size = larger(p_shape[0] - done, 0) if done else p_shape[0]
        factors = arange(size - 1, 0, -1, dtype=ct.dtype)
        ct = scatter_add(ct * factors, slice(None, -1), (size,))
    return ct


def _design(x: Array, deg: int, w: Array) -> Array:
    matrix = np.vander(x, deg + 1)
    return matrix if w is None else matrix * np.expand_dims(w, -1)


def _scaled(x: Array, deg: int, rcond: float | None, w: Array) -> tuple[Array, Array, Array]:
    """The columns whose solution of least norm NumPy finds, scaled to one; their norms before, and
    their pseudo-inverse."""
    matrix = _design(x, deg, w)
    scale = np.sqrt(np.sum(matrix * matrix, axis=0))
    if rcond is None:
        rcond = np.shape(x)[0] * 2.0 ** (-23 if x.dtype == np.float32 else -52)
    scaled = matrix / scale
    return scaled, scale, np.linalg.pinv(scaled, rcond)


def _plain_fit(full: bool, cov: Any) -> None:
    if full or cov:
        raise NoRule("np.polyfit has no derivative rule with full= or cov=")


@vjp(np.polyfit, "y")
def polyfit_y(ct: Array, x: Array, y_ndim: int, deg: int, rcond: float | None, w: Array,
              full: bool, cov: Any) -> Array:
    _plain_fit(full, cov)
    _, scale, inverse = _scaled(x, deg, rcond, w)
    d = inverse.T @ (ct / (scale if np.ndim(ct) == 1 else np.expand_dims(scale, -1)))
    if w is None:
        return d
    return d * (w if y_ndim == 1 else np.expand_dims(w, -1))


def _scaled_problem(ct: Array, ans: Array, x: Array, y: Array, deg: int, rcond: float | None,
                    w: Array) -> tuple[Array, Array]:
    """Cotangents of the (weighted) matrix of powers and of the (weighted) values in columns."""
    values = y if np.ndim(y) == 2 else np.expand_dims(y, -1)
    if w is not None:
        values = values * np.expand_dims(w, -1)
    if np.ndim(y) == 1:
        ans, ct = np.expand_dims(ans, -1), np.expand_dims(ct, -1)
    scaled, scale, inverse = _scaled(x, deg, rcond, w)
    g = ct / np.expand_dims(scale, -1)
    d_scaled = cut_pinv_a(g @ values.T, inverse, scaled, scaled.dtype, rcond)
    d_scale = np.sum(g * ans, axis=1) + np.sum(d_scaled * scaled, axis=0) / scale
    return d_scaled / scale - scaled * d_scale, inverse.T @ g


@vjp(np.polyfit, "x")
def polyfit_x(ct: Array, ans: Array, x: Array, y: Array, deg: int, rcond: float | None, w: Array,
              full: bool, cov: Any) -> Array:
    _plain_fit(full, cov)
    d, _ = _scaled_problem(ct, ans, x, y, deg, rcond, w)
    if w is not None:
        d = d * np.expand_dims(w, -1)
    return vander_x(d, np.vander(x, deg + 1), False)


@vjp(np.polyfit, "w")
def polyfit_w(ct: Array, ans: Array, x: Array, y: Array, y_ndim: int, deg: int,
              rcond: float | None, w: Array, full: bool, cov: Any) -> Array:
    _plain_fit(full, cov)
    d_matrix, d_values = _scaled_problem(ct, ans, x, y, deg, rcond, w)
    values = y if y_ndim == 2 else np.expand_dims(y, -1)
    by_matrix = np.sum(d_matrix * np.vander(x, deg + 1), axis=1)
    return by_matrix + np.sum(d_values * values, axis=1)


def _lowest(ct: Array, shape: Shape) -> Array:
    """The cotangents of the last coefficients; of a number, which is a polynomial too, the one."""
    return ct[np.shape(ct)[0] - shape[0] :] if shape else ct[-1]


linear(np.polyadd,
    a1=lambda ct, a1_shape: _lowest(ct, a1_shape),
    a2=lambda ct, a2_shape: _lowest(ct, a2_shape))
linear(np.polysub,
    a1=lambda ct, a1_shape: _lowest(ct, a1_shape),
    a2=lambda ct, a2_shape: -_lowest(ct, a2_shape))


@vjp(np.polymul, "a1")
def polymul_a1(ct: Array, a2: Array, a1_shape: Shape, a2_dtype: Dtype) -> Array:
    """NumPy strips leading zeros: coefficients that the product does not have get nothing.  No
    coefficients are one that is 0."""
    if not a1_shape:
        return polymul_a1(ct, a2, (1,), a2_dtype)[0]
    a2 = np.atleast_1d(a2)
    n, m = larger(a1_shape[0], 1), larger(np.shape(a2)[0], 1)
    other = resize_axis(conj_complex(a2, a2_dtype), m, 0)
    whole = resize_axis(np.flip(ct), n + m - 1, 0)
    return np.flip(np.correlate(whole, np.flip(other), "valid"))[: a1_shape[0]]


vjp(np.polymul, a2=lambda ct, a1, a2_shape, a1_dtype: polymul_a1(ct, a1, a2_shape, a1_dtype))


@linear(np.polyint, "p")
def polyint_p(ct: Array, p_shape: Shape, m: int) -> Array:
    for done in range(m, 0, -1):
        ct = ct[:-1] / arange(p_shape[0] + done - 1, 0, -1, dtype=ct.dtype)
    return ct


@vjp(np.roots, "p")
def roots_p(ct: Array, ans: Array, p: Array, p_shape: Shape, p_dtype: Dtype) -> Array:
    """Of simple roots: ``p(r) = 0`` differentiated."""
    slopes = np.polyval(p[:-1] * arange(p_shape[0] - 1, 0, -1), ans)
    return real_of_real(-(ct / slopes) @ _vander(ans, p_shape[0]), p_dtype)
static(np.polyder, "m")
static(np.polyint, "m")
