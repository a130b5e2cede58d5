"""Inverses, linear systems, determinants, powers of matrices."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.rules.book import Array, Dtype, NoRule, Shape, nondiff, static, vjp
from srcgrad.rules.broadcast import resize_axis, runtime, size_of, sum_to
from srcgrad.rules.numpy.cofactors import cofactors
from srcgrad.rules.numpy.products import matrix_transpose

ROUNDED = 1e-8  # of the greatest singular value: smaller ones count as zeros that were rounded


def adjoint_matrix(x: Array, dtype: Dtype) -> Array:
    """The conjugate transpose of each matrix of a stack."""
    t = matrix_transpose(x)
    return np.conj(t) if dtype.kind == "c" else t


@runtime
def inverse_or_nan(a: Array) -> Array:
    """The inverse, NaN for a singular matrix.

    >>> inverse_or_nan(np.array([[[2.0]], [[0.0]]])).tolist()
    [[[0.5]], [[nan]]]
    """
    try:
        return np.linalg.inv(a)
    except np.linalg.LinAlgError:
        if np.ndim(a) == 2:
            return np.full_like(a, math.nan)
        return np.stack([inverse_or_nan(part) for part in a])


@vjp(np.linalg.inv, "a")
@vjp(inverse_or_nan, "a")
def inv_a(ct: Array, ans: Array) -> Array:
    t = matrix_transpose(ans)
    return -(t @ ct @ t)


@runtime
def solution_or_nan(a: Array, b: Array) -> Array:
    """The solution of ``a @ x = b`` for matrices, NaN where ``a`` is singular.

    >>> solution_or_nan(np.zeros((1, 1)), np.ones((1, 2)))
    array([[nan, nan]])
    """
    try:
        return np.linalg.solve(a, b)
    except np.linalg.LinAlgError:
        return inverse_or_nan(a) @ b


@vjp(solution_or_nan, "a", "b")
def solution_or_nan_a_b(ct: Array, ans: Array, a: Array, a_shape: Shape, b_shape: Shape) -> Any:
    d_b = solution_or_nan(matrix_transpose(a), ct)
    return sum_to(-(d_b @ matrix_transpose(ans)), a_shape), sum_to(d_b, b_shape)


@vjp(np.linalg.solve, "a", "b")
def solve_a_b(ct: Array, ans: Array, a: Array, a_shape: Shape, b_shape: Shape) -> Any:
    vector = len(b_shape) == 1
    if vector and len(a_shape) > 2:
        ct, ans = np.expand_dims(ct, -1), np.expand_dims(ans, -1)
        d_b = np.linalg.solve(matrix_transpose(a), ct)
        return -(d_b @ matrix_transpose(ans)), sum_to(np.squeeze(d_b, -1), b_shape)
    d_b = np.linalg.solve(matrix_transpose(a), ct)
    if vector:
        return -np.outer(d_b, ans), d_b
    return sum_to(-(d_b @ matrix_transpose(ans)), a_shape), sum_to(d_b, b_shape)


vjp(np.linalg.det, a=lambda ct, a: _per_matrix(ct, a) * cofactors(a))


def _per_matrix(x: Array, a: Array) -> Array:
    """A number for each matrix of the stack ``a``, made to broadcast."""
    return x if np.ndim(a) == 2 else np.expand_dims(x, (-1, -2))


@vjp(np.linalg.slogdet, "a")
def slogdet_a(ct: Any, ans: Any, a: Array, a_dtype: Dtype) -> Array:
    """``d log det = tr(a^-1 da)``; its imaginary part turns the sign of a complex matrix."""
    sign_ct, log_ct = ct
    if a_dtype.kind == "c" and sign_ct is not None:
        turn = -1j * np.real(1j * sign_ct * ans[0])
        log_ct = turn if log_ct is None else log_ct + turn
    if log_ct is None:
        return None
    return _per_matrix(log_ct, a) * matrix_transpose(inverse_or_nan(a))


def pinv_a(ct: Array, ans: Array, a: Array, a_dtype: Dtype) -> Array:
    """Golub and Pereyra (1973), for constant rank."""
    g = np.conj(ct) if a_dtype.kind == "c" else ct
    p, g_h, p_h = ans, adjoint_matrix(g, a_dtype), adjoint_matrix(ans, a_dtype)
    outside = g_h - a @ (p @ g_h)
    within = g_h - (g_h @ p) @ a
    d = outside @ p @ p_h + p_h @ p @ within - p_h @ g @ p_h
    return np.conj(d) if a_dtype.kind == "c" else d


def cut_pinv_a(ct: Array, ans: Array, a: Array, a_dtype: Dtype, rcond: Any,
               least: Any = None) -> Array:
    """The pseudo-inverse of what is left of ``a`` without the singular values that are not above
    ``least`` and ``rcond`` times the greatest one.

    If those may be more than a zero that was rounded, this is a generalised matrix function, whose
    slopes between two singular values are divided differences (Noferini 2017)."""
    rounded = max(ROUNDED, np.finfo(a_dtype).eps ** 0.5)
    if least is None and (rcond is None or (isinstance(rcond, (int, float)) and rcond <= rounded)):
        return pinv_a(ct, ans, a, a_dtype)
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    u_h, v = adjoint_matrix(u, a_dtype), adjoint_matrix(vh, a_dtype)
    share = 0.0 if rcond is None else rcond
    bound = np.max(s, axis=-1, keepdims=True) * (
        share if isinstance(share, (int, float)) else np.expand_dims(share, -1))
    kept = s > (bound if least is None else bound + least)
    r = np.where(kept, 1 / np.where(kept, s, 1), 0)
    (s_i, r_i, kept_i), (s_j, r_j, kept_j) = (
        [np.expand_dims(x, axis) for x in (s, r, kept)] for axis in (-1, -2))
    apart = kept_i != kept_j
    gaps = np.where(apart, np.abs(s_i * s_i - s_j * s_j), 1)
    g_h = adjoint_matrix(np.conj(ct) if a_dtype.kind == "c" else ct, a_dtype)
    within = u_h @ g_h @ v
    turned = np.where(apart, (r_i * s_j + s_i * r_j) / gaps, -r_i * r_j)
    d = u @ (np.where(apart, within / gaps, 0) + turned * adjoint_matrix(within, a_dtype)) @ vh
    d = d + (g_h @ v - u @ within) @ (r_i * r_i * vh)
    d = d + (u * (r_j * r_j)) @ (u_h @ g_h - within @ vh)
    return np.conj(d) if a_dtype.kind == "c" else d


@vjp(np.linalg.lstsq, "a", "b")
def lstsq_a_b(ct: Any, ans: Any, a: Array, b: Array, a_dtype: Dtype, b_ndim: int,
              rcond: Any) -> tuple[Array, Array]:
    x_ct, residual_ct, _, s_ct = ct
    columns, x = (b, ans[0]) if b_ndim == 2 else (np.expand_dims(b, -1), np.expand_dims(ans[0], -1))
    d_a: list[Array] = []
    d_b: list[Array] = []
    if x_ct is not None:
        g = x_ct if b_ndim == 2 else np.expand_dims(x_ct, -1)
        if isinstance(rcond, (int, float)) and rcond < 0:
            rcond = float(np.finfo(a_dtype).eps)
        p = np.linalg.pinv(a, rtol=rcond)
        d_a.append(cut_pinv_a(g @ columns.T, p, a, a_dtype, rcond))
        d_b.append(p.T @ g)
    if residual_ct is not None:
        miss = columns - a @ x
        residual_ct = resize_axis(residual_ct, np.shape(columns)[1], 0)  # none if rank-deficient
        weighted = 2 * (np.conj(miss) if a_dtype.kind == "c" else miss) * residual_ct
        d_a.append(-(weighted @ x.T))
        d_b.append(weighted)
    if s_ct is not None:
        u, _, vh = np.linalg.svd(a, full_matrices=False)
        values = (u * s_ct) @ vh
        d_a.append(np.conj(values) if a_dtype.kind == "c" else values)
    total_b = _total(d_b)
    if total_b is not None and b_ndim == 1:
        total_b = np.squeeze(total_b, -1)
    return _total(d_a), total_b


def _total(parts: list[Array]) -> Array:
    if not parts:
        return None
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def frechet_transpose(function: Callable[[Array], Array], ct: Array, a: Array) -> Array:
    """The cotangent of ``a`` in a function of matrices: ``f([[a, e], [0, a]])`` has the derivative
    along ``e`` in its corner (Mathias 1996), and the transpose is the derivative at ``a.T``."""
    t = matrix_transpose(a)
    upper = np.concatenate([t, ct], axis=-1)
    lower = np.concatenate([np.zeros_like(ct), t], axis=-1)
    n = np.shape(a)[-1]
    square = (*np.shape(a)[:-2], 2 * n, 2 * n)  # said for engines that only know it was a's
    return function(np.reshape(np.concatenate([upper, lower], axis=-2), square))[..., :n, n:]


@vjp(np.linalg.matrix_power, "a")
def matrix_power_a(ct: Array, a: Array, n: int) -> Array:
    if not isinstance(n, int):
        return frechet_transpose(lambda x: np.linalg.matrix_power(x, n), ct, a)
    if n == 0:
        return None
    if n < 0:
        inverse = np.linalg.inv(a)
        return inv_a(matrix_power_a(ct, inverse, -n), inverse)
    t = matrix_transpose(a)
    total = ct @ np.linalg.matrix_power(t, n - 1) if n > 1 else ct
    for i in range(1, n):
        left = np.linalg.matrix_power(t, i) @ ct
        total = total + (left if i == n - 1 else left @ np.linalg.matrix_power(t, n - 1 - i))
    return total


@vjp(np.linalg.tensorinv, "a")
def tensorinv_a(ct: Array, ans: Array, a_shape: Shape, ind: int) -> Array:
    rows, columns = size_of(a_shape[ind:]), size_of(a_shape[:ind])
    d = inv_a(np.reshape(ct, (rows, columns)), np.reshape(ans, (rows, columns)))
    return np.reshape(d, a_shape)


@vjp(np.linalg.tensorsolve, "a", "b")
def tensorsolve_a_b(ct: Array, ans: Array, a: Array, b_shape: Shape,
                    axes: Any) -> tuple[Array, Array]:
    if axes is not None:
        raise NoRule("np.linalg.tensorsolve has no derivative rule with axes=; transpose first")
    n = size_of(b_shape)
    matrix = np.reshape(a, (n, n))
    d_b = np.linalg.solve(matrix.T, np.reshape(ct, n))
    d_a = -np.outer(d_b, np.reshape(ans, n))
    return np.reshape(d_a, np.shape(a)), np.reshape(d_b, b_shape)


@vjp(np.linalg.multi_dot, "arrays", sequence=True)
def multi_dot_arrays(ct: Array, arrays: Any, arrays_shape: list[Shape]) -> list[Array]:
    matrices = list(arrays)
    if len(arrays_shape[0]) == 1:
        matrices[0] = np.expand_dims(matrices[0], 0)
        ct = np.expand_dims(ct, 0)
    if len(arrays_shape[-1]) == 1:
        matrices[-1] = np.expand_dims(matrices[-1], -1)
        ct = np.expand_dims(ct, -1)
    turned = [m.T for m in matrices]
    return [
        np.reshape(_chain([*turned[:i][::-1], ct, *turned[i + 1 :][::-1]]), arrays_shape[i])
        for i in range(len(matrices))
    ]


def _chain(matrices: list[Array]) -> Array:
    return matrices[0] if len(matrices) == 1 else np.linalg.multi_dot(matrices)


nondiff(np.linalg.matrix_rank)

static(np.linalg.matrix_power, "n")
