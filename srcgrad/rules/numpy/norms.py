"""Norms of vectors and matrices, and condition numbers; all are 0-subgradient at 0."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.rules.book import Array, Dtype, NoRule, static, vjp
from srcgrad.rules.numpy.linear_algebra import inverse_or_nan
from srcgrad.rules.numpy.products import conj_complex
from srcgrad.rules.numpy.reductions import extremum_share, keep_axes


def _length(x: Array, dtype: Dtype) -> tuple[Array, Array]:
    """|x| and the (conjugate) direction of each element."""
    if dtype.kind == "c":
        size = np.abs(x)
        return size, np.conj(x) / np.where(size == 0, 1, size)
    return np.abs(x), np.sign(x)


def _vector_norm(ct: Array, ans: Array, x: Array, dtype: Dtype, order: Any, axis: Any) -> Array:
    """``ct`` and ``ans`` keep their reduced axes."""
    if order is None or (isinstance(order, int | float) and order == 2):
        return ct * conj_complex(x, dtype) / np.where(ans == 0, 1, ans)
    if isinstance(order, int | float) and order == 0:
        return None
    size, direction = _length(x, dtype)
    if not isinstance(order, int | float):  # symbolic: the p-norm; also right at infinity
        scaled = direction * (size / np.where(ans == 0, 1, ans)) ** (order - 1)
        return np.where(order == 0, 0, ct * scaled)
    if order == 1:
        return ct * direction
    if order in (math.inf, -math.inf):
        return extremum_share(ct, size, ans, axis, dtype, "split") * direction
    return ct * direction * (size / np.where(ans == 0, 1, ans)) ** (order - 1)


def _matrix_norm(ct: Array, x: Array, dtype: Dtype, order: Any) -> Array:
    """Norms of the last two axes; ``ct`` has two more, of size 1."""
    if not isinstance(order, int | float | str):
        raise NoRule("a matrix norm has a derivative rule for a plain number ord= only")
    if order in (1, -1, math.inf, -math.inf):
        size, direction = _length(x, dtype)
        sums = np.sum(size, axis=-2 if order in (1, -1) else -1, keepdims=True)
        ends = (-2, -1)
        if order in (1, math.inf):
            best = np.max(sums, axis=ends, keepdims=True, initial=0)
            return extremum_share(ct, sums, best, ends, dtype, "split", initial=0) * direction
        best = np.min(sums, axis=ends, keepdims=True)
        return extremum_share(ct, sums, best, ends, dtype, "split") * direction
    u, _, vh = np.linalg.svd(x, full_matrices=False)
    if order == "nuc":
        return ct * conj_complex(u @ vh, dtype)
    return ct * conj_complex(_rank_one(u, vh, _FIRST if order == 2 else _LAST), dtype)


_FIRST, _LAST = slice(None, 1), slice(-1, None)


def _rank_one(u: Array, vh: Array, one: slice) -> Array:
    """The product of the left and right singular vectors that ``one`` selects, if there are any."""
    return u[..., one] @ vh[..., one, :]


@vjp(np.linalg.norm, "x")
def norm_x(ct: Array, ans: Array, x: Array, x_ndim: int, x_dtype: Dtype, ord: Any, axis: Any,
           keepdims: bool) -> Array:
    if axis is None and ord is not None:
        axis = tuple(range(x_ndim))
    if isinstance(axis, tuple | list) and len(axis) == 1:
        axis = axis[0]
    ct, ans = keep_axes(ct, axis, keepdims), keep_axes(ans, axis, keepdims)
    if ord is None or (isinstance(ord, str) and ord == "fro"):
        return _vector_norm(ct, ans, x, x_dtype, None, axis)
    if not isinstance(axis, tuple | list):
        return _vector_norm(ct, ans, x, x_dtype, ord, axis)
    ends = (-2, -1)
    moved = _matrix_norm(np.moveaxis(ct, axis, ends), np.moveaxis(x, axis, ends), x_dtype, ord)
    return np.moveaxis(moved, ends, axis)


@vjp(np.linalg.vector_norm, "x")
def vector_norm_x(ct: Array, ans: Array, x: Array, x_dtype: Dtype, ord: Any, axis: Any,
                  keepdims: bool) -> Array:
    ct, ans = keep_axes(ct, axis, keepdims), keep_axes(ans, axis, keepdims)
    return _vector_norm(ct, ans, x, x_dtype, ord, axis)


vjp(np.linalg.matrix_norm,
    x=lambda ct, ans, x, x_ndim, x_dtype, ord, keepdims:
        norm_x(ct, ans, x, x_ndim, x_dtype, ord, (-2, -1), keepdims))


@vjp(np.linalg.cond, "x")
def cond_x(ct: Array, ans: Array, x: Array, x_dtype: Dtype, p: Any) -> Array:
    if x.ndim > 2:
        ct, ans = np.expand_dims(ct, (-1, -2)), np.expand_dims(ans, (-1, -2))
    if p in (None, 2, -2):
        u, s, vh = np.linalg.svd(x, full_matrices=False)
        largest, smallest = s[..., 0], s[..., -1]
        if x.ndim > 2:
            largest, smallest = (np.expand_dims(v, (-1, -2)) for v in (largest, smallest))
        high, low = _rank_one(u, vh, _FIRST) / largest, _rank_one(u, vh, _LAST) / smallest
        return ct * ans * conj_complex(low - high if p == -2 else high - low, x_dtype)
    inverse = inverse_or_nan(x)
    ends = (-2, -1)
    size, inverse_size = (np.linalg.norm(m, p, ends, keepdims=True) for m in (x, inverse))
    direct = norm_x(ct * inverse_size, size, x, x.ndim, x_dtype, p, ends, True)
    through = norm_x(ct * size, inverse_size, inverse, x.ndim, x_dtype, p, ends, True)
    t = np.swapaxes(inverse, -1, -2)
    return direct - t @ through @ t

for _function in (np.linalg.norm, np.linalg.vector_norm, np.linalg.matrix_norm):
    static(_function, "ord")
static(np.linalg.cond, "p")
