"""LU factorisations by elimination with partial pivoting, and their factors."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.book import Array, Dtype, nondiff, vjp
from srcgrad.rules.broadcast import runtime
from srcgrad.rules.numpy.linear_algebra import adjoint_matrix
from srcgrad.rules.numpy.products import conj_complex, matrix_transpose


@runtime
def lu_compact(a: Array, pivot: bool = True) -> tuple[Array, Array]:
    """``(lu, pivots)`` of matrices ``(..., m, n)`` as LAPACK's getrf gives them.

    ``lu`` holds U on and above the diagonal and the strict lower part of L below; ``pivots``
    (int32, from 1) names the row that row ``k`` was exchanged with.

    >>> lu_compact(np.array([[1.0, 2.0], [2.0, 2.0]]))
    (array([[2. , 2. ],
           [0.5, 1. ]]), array([2, 2], dtype=int32))
    """
    m, n = a.shape[-2:]
    out = np.array(a)
    pivots = np.zeros((*a.shape[:-2], min(m, n)), np.int32)
    for where in np.ndindex(a.shape[:-2]):
        u = out[where]
        for j in range(min(m, n)):
            best = j
            if pivot:
                best += int(np.argmax(np.abs(u[j:, j].real) + np.abs(u[j:, j].imag)))
            u[[j, best]] = u[[best, j]]
            pivots[where][j] = best + 1
            if u[j, j] != 0:
                u[j + 1 :, j] /= u[j, j]
                u[j + 1 :, j + 1 :] -= np.outer(u[j + 1 :, j], u[j, j + 1 :])
    return out, pivots


@runtime
def permutation_of(pivots: Array, rows: int) -> Array:
    """The matrices ``P`` (float64) with ``a = P @ L @ U`` that row exchanges make."""
    out = np.zeros((*pivots.shape[:-1], rows, rows))
    for where in np.ndindex(pivots.shape[:-1]):
        order = np.arange(rows)
        for j, other in enumerate(pivots[where]):
            order[[j, other - 1]] = order[[other - 1, j]]
        out[where][order, np.arange(rows)] = 1
    return out


nondiff(permutation_of)


def _pulled(d_low: Array, d_up: Array, low: Array, up: Array, dtype: Dtype) -> Array:
    """The cotangent of ``L @ U`` from those of its factors; wide, square or tall."""
    m, n = np.shape(low)[-2], np.shape(up)[-1]
    k = min(m, n)
    g_low, g_up = conj_complex(d_low, dtype), conj_complex(d_up, dtype)
    l_h, u_h = adjoint_matrix(low[..., :k, :], dtype), adjoint_matrix(up[..., :, :k], dtype)
    g_head, g_square = g_low[..., :k, :], g_up[..., :, :k]
    rest = None
    if n > m:  # the columns behind the square: up[:, m:] = inv(L) @ a[:, m:]
        rest = np.linalg.solve(l_h, g_up[..., k:])
        g_head = g_head - rest @ adjoint_matrix(up[..., k:], dtype)
    elif m > n:  # the rows below it: low[n:] = a[n:] @ inv(U)
        rest = matrix_transpose(np.linalg.solve(
            matrix_transpose(u_h), matrix_transpose(g_low[..., k:, :])))
        g_square = g_square - adjoint_matrix(low[..., k:, :], dtype) @ rest
    inner = np.tril(l_h @ g_head, -1) + np.triu(g_square @ u_h)
    inner = np.linalg.solve(l_h, inner)
    g = matrix_transpose(np.linalg.solve(matrix_transpose(u_h), matrix_transpose(inner)))
    if n > m:
        g = np.concatenate([g, rest], axis=-1)
    elif m > n:
        g = np.concatenate([g, rest], axis=-2)
    return conj_complex(g, dtype)


def _unit_lower(lu: Array) -> Array:
    m, n = np.shape(lu)[-2:]
    k = min(m, n)
    return np.tril(lu[..., :k], -1) + np.eye(m, k, dtype=lu.dtype)


@vjp(lu_compact, "a")
def lu_compact_a(ct: Any, ans: Any, a_shape: tuple[int, ...], a_dtype: Dtype) -> Array:
    m, n = a_shape[-2:]
    k = min(m, n)
    lu, g = ans[0], ct[0]
    d = _pulled(np.tril(g[..., :k], -1), np.triu(g[..., :k, :]), _unit_lower(lu),
                np.triu(lu[..., :k, :]), a_dtype)
    return permutation_of(ans[1], m).astype(d.dtype) @ d


@runtime
def lu_parts(a: Array, pivot: bool = True) -> tuple[Array, Array, Array]:
    """``p, l, u`` with ``a = p @ l @ u``, by elimination with partial pivoting."""
    parts: tuple[Array, Array, Array] = unpacked(*lu_compact(a, pivot))
    return parts


@vjp(lu_parts, "a")
def lu_parts_a(ct: Any, ans: Any, a_dtype: Dtype) -> Array:
    p, low, up = ans
    d_low = np.zeros_like(low) if ct[1] is None else np.tril(ct[1], -1)
    d_up = np.zeros_like(up) if ct[2] is None else np.triu(ct[2])
    return p @ _pulled(d_low, d_up, low, up, a_dtype)


@runtime
def unpacked(lu: Array, pivots: Array) -> tuple[Array, Array, Array]:
    """The three factors of what :func:`lu_compact` returned."""
    m, n = lu.shape[-2:]
    p = permutation_of(pivots, m).astype(lu.dtype)
    return p, _unit_lower(lu), np.triu(lu[..., : min(m, n), :])


@vjp(unpacked, "lu")
def unpacked_lu(ct: Any, lu_shape: tuple[int, ...]) -> Array:
    m, n = lu_shape[-2:]
    k = min(m, n)
    total = None
    if ct[1] is not None:
        low = np.tril(ct[1], -1)
        total = low if n == k else np.concatenate(
            [low, np.zeros((*lu_shape[:-1], n - k), dtype=low.dtype)], axis=-1)
    if ct[2] is not None:
        up = np.triu(ct[2])
        up = up if m == k else np.concatenate(
            [up, np.zeros((*lu_shape[:-2], m - k, n), dtype=up.dtype)], axis=-2)
        total = up if total is None else total + up
    return total

