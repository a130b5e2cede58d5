"""An array cut into several along one axis; elements copied to new places."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.book import Array, Dtype, Shape, linear, nondiff, vjp
from srcgrad.rules.broadcast import runtime, scatter_along_axis
from srcgrad.rules.numpy.joining import along
from srcgrad.rules.numpy.shapes import sum_of_copies


@runtime
def split_sizes(a: Array, sizes: tuple[int, ...], axis: int) -> tuple[Array, ...]:
    """Parts of the given lengths along ``axis``.

    >>> [part.tolist() for part in split_sizes(np.arange(3), (1, 2), 0)]
    [[0], [1, 2]]
    """
    parts, start = [], 0
    for n in sizes:
        parts.append(a[along(axis, slice(start, start + n))])
        start += n
    return tuple(parts)


@linear(split_sizes, "a")
def split_sizes_a(ct: Any, a_shape: Shape, a_dtype: Dtype, sizes: tuple[int, ...],
                  axis: int) -> Array:
    parts = [
        np.zeros((*a_shape[:axis], n, *a_shape[axis + 1 :]), a_dtype) if c is None else c
        for c, n in zip(ct, sizes)
    ]
    return np.concatenate(parts, axis=axis)


@runtime
def unbind(a: Array, axis: int) -> tuple[Array, ...]:
    """The slices along ``axis``, without it."""
    return tuple(a[along(axis, i)] for i in range(a.shape[axis]))


@linear(unbind, "a")
def unbind_a(ct: Any, a_shape: Shape, a_dtype: Dtype, axis: int) -> Array:
    rest = (*a_shape[:axis], *a_shape[axis + 1 :])
    parts = [np.zeros(rest, a_dtype) if c is None else c for c in ct]
    return np.stack(parts, axis=axis)


@runtime
def put_slice(a: Array, source: Array, place: Any) -> Array:
    """A copy of ``a`` with ``source`` at the (basic) subscript ``place``."""
    out = np.array(a)
    out[place] = source
    return out


linear(put_slice,
    a=lambda ct, source_shape, source_dtype, place:
        put_slice(ct, np.zeros(source_shape, source_dtype), place),
    source=lambda ct, place: ct[place])


@runtime
def put_diagonal(a: Array, source: Array, offset: int, axis1: int, axis2: int) -> Array:
    """A copy of ``a`` with ``source`` on a diagonal."""
    out = np.array(a)
    rows = np.moveaxis(out, (axis1, axis2), (-2, -1))
    i = np.arange(source.shape[-1])
    rows[..., i - min(offset, 0), i + max(offset, 0)] = source
    return out


linear(put_diagonal,
    a=lambda ct, source_shape, source_dtype, offset, axis1, axis2:
        put_diagonal(ct, np.zeros(source_shape, source_dtype), offset, axis1, axis2),
    source=lambda ct, offset, axis1, axis2: np.diagonal(ct, offset, axis1, axis2))


@runtime
def embed_diagonal(a: Array, offset: int, axis1: int, axis2: int) -> Array:
    """Zeros with the last axis of ``a`` on a diagonal of two new axes."""
    n = a.shape[-1] + abs(offset)
    out = np.zeros((*a.shape[:-1], n, n), a.dtype)
    i = np.arange(a.shape[-1])
    out[..., i - min(offset, 0), i + max(offset, 0)] = a
    return np.moveaxis(out, (-2, -1), (axis1, axis2))


linear(embed_diagonal, a=lambda ct, offset, axis1, axis2: np.diagonal(ct, offset, axis1, axis2))


@runtime
def repeat_blocks(a: Array, repeats: tuple[int, ...]) -> Array:
    """``np.tile`` with one count per axis of the result."""
    return np.tile(a, repeats)


@linear(repeat_blocks, "a")
def repeat_blocks_a(ct: Array, a_shape: Shape, repeats: tuple[int, ...]) -> Array:
    return sum_of_copies(ct, a_shape, repeats)


@runtime
def block_diagonal(arrays: list[Array]) -> Array:
    """Matrices along the diagonal of a matrix of zeros."""
    rows, columns = sum(a.shape[0] for a in arrays), sum(a.shape[1] for a in arrays)
    out = np.zeros((rows, columns), np.result_type(*arrays))
    i = j = 0
    for a in arrays:
        out[i : i + a.shape[0], j : j + a.shape[1]] = a
        i, j = i + a.shape[0], j + a.shape[1]
    return out


@linear(block_diagonal, "arrays")
def block_diagonal_arrays(ct: Array, arrays_shape: list[Shape]) -> list[Array]:
    parts, i, j = [], 0, 0
    for n, m in arrays_shape:
        parts.append(ct[i : i + n, j : j + m])
        i, j = i + n, j + m
    return parts


@runtime
def gather(a: Array, indices: Array, axis: int) -> Array:
    """``out[i][j] = a[i][indices[i][j]]`` along ``axis``; ``indices`` may be smaller than ``a``."""
    if np.ndim(a) == 0:
        return np.broadcast_to(a, np.shape(indices)).copy()
    if np.size(indices) == 0:
        return np.empty(np.shape(indices), np.asarray(a).dtype)
    return a[_grid(indices, axis)]


def _grid(indices: Array, axis: int) -> tuple[Array, ...]:
    grid = list(np.ix_(*(np.arange(n) for n in indices.shape)))
    grid[axis] = indices
    return tuple(grid)


@linear(gather, "a", indices=None)
def gather_a(ct: Array, a_shape: Shape, indices: Array, axis: int) -> Array:
    if not a_shape:
        return np.sum(ct)
    return scatter_along_axis(ct, indices, axis, a_shape)


@runtime
def scatter(a: Array, indices: Array, source: Array, axis: int, how: str) -> Array:
    """``a`` with ``source`` written (``how="set"``) or added (``"add"``) at ``indices``."""
    out = np.array(np.atleast_1d(a))
    indices = np.atleast_1d(indices)
    place = _grid(indices, axis)
    values = source
    if np.ndim(source):
        values = np.atleast_1d(source)[tuple(slice(0, n) for n in indices.shape)]
    if how == "add":
        np.add.at(out, place, values)
    else:
        out[place] = values
    return np.reshape(out, np.shape(a))


linear(scatter,
    a=lambda ct, indices, axis, how:
        ct if how == "add" else scatter(ct, indices, np.zeros((), ct.dtype), axis, how))


@linear(scatter, "source", indices=None)
def scatter_source(ct: Array, source_shape: Shape, indices: Array, axis: int) -> Array:
    ct = np.reshape(ct, np.shape(ct) or (1,))
    taken = gather(ct, np.atleast_1d(indices), axis)
    pads = [(0, n - m) for n, m in zip(source_shape, taken.shape)]
    out = np.pad(taken, pads) if any(p[1] for p in pads) else taken
    return np.reshape(out, source_shape)


@runtime
def scatter_extreme(a: Array, indices: Array, source: Array, axis: int, how: str,
                    include_self: bool) -> Array:
    """``a`` combined with ``source`` at ``indices`` by ``prod``, ``mean``, ``amax`` or ``amin``."""
    out = np.array(np.atleast_1d(a))
    indices = np.atleast_1d(indices)
    place = _grid(indices, axis)
    values = np.atleast_1d(source)[tuple(slice(0, n) for n in indices.shape)]
    if not include_self:
        out[place] = _NEUTRAL[how](out.dtype)
    _COMBINE[how].at(out, place, values)
    if how == "mean":
        count = scatter_count(np.shape(out), indices, axis, include_self)
        out = (out // count if out.dtype.kind in "iu" else out / count).astype(out.dtype)
    return np.reshape(out, np.shape(a))


@runtime
def scatter_count(shape: Shape, indices: Array, axis: int, include_self: bool) -> Array:
    """How many numbers were combined at each place (at least 1)."""
    count = np.full(shape, 1 if include_self else 0)
    np.add.at(count, _grid(np.atleast_1d(indices), axis), 1)
    return np.maximum(count, 1)


nondiff(scatter_count)


def _least(dtype: Dtype) -> Any:
    return -np.inf if dtype.kind == "f" else False if dtype.kind == "b" else np.iinfo(dtype).min


def _most(dtype: Dtype) -> Any:
    return np.inf if dtype.kind == "f" else True if dtype.kind == "b" else np.iinfo(dtype).max


_NEUTRAL: dict[str, Any] = {
    "prod": lambda dtype: 1, "mean": lambda dtype: 0, "sum": lambda dtype: 0, "amax": _least,
    "amin": _most,
}
_COMBINE: dict[str, Any] = {
    "prod": np.multiply, "mean": np.add, "sum": np.add, "amax": np.maximum, "amin": np.minimum,
}


@vjp(scatter_extreme, "a", "source", indices=None)
def scatter_extreme_rule(ct: Array, ans: Array, a: Array, indices: Array, source: Array, axis: int,
                         how: str, include_self: bool, source_shape: Shape,
                         a_shape: Shape) -> tuple[Array, Array]:
    mine = scatter(np.ones(a_shape), indices, np.zeros(()), axis, "set") if not include_self else (
        np.ones(a_shape))
    if how in ("sum", "mean"):
        if how == "mean":
            ct = ct / scatter_count(a_shape or (1,), indices, axis, include_self).reshape(a_shape)
        return ct * mine, scatter_source(ct, source_shape, indices, axis)
    if how == "prod":
        return _product_shares(ct, ans, a, indices, source, axis, include_self, mine)
    here = gather(ans, indices, axis)
    used = source[tuple(slice(0, n) for n in np.shape(indices))]
    wins = (used == here).astype(ct.dtype)
    own = (a == ans).astype(ct.dtype)  # an equal number shares even where it was not included
    ties = own + scatter(np.zeros(a_shape, ct.dtype), indices, wins, axis, "add")
    share = ct / np.where(ties == 0, 1, ties)
    touched = scatter(np.zeros(a_shape), indices, np.ones(()), axis, "set")
    d_a = np.where(touched == 0, ct, own * share * mine)
    return d_a, gather(share, indices, axis) * wins


def _product_shares(ct: Array, ans: Array, a: Array, indices: Array, source: Array, axis: int,
                    include_self: bool, mine: Array) -> tuple[Array, Array]:
    """Each factor's cotangent: the product of the others, also where one factor is 0."""
    used = source[tuple(slice(0, n) for n in np.shape(indices))]
    own = np.where(a == 0, 1, a)
    without_own = scatter_extreme(own, indices, source, axis, "prod", include_self) / own
    zero = (used == 0).astype(ct.dtype)
    zeros = scatter(np.zeros(np.shape(a), ct.dtype), indices, zero, axis, "add")
    lone = (used == 0) & (gather(zeros, indices, axis) == 1)
    filled = np.where(lone, 1, used)
    others = scatter_extreme(a, indices, filled, axis, "prod", include_self)
    through = np.where(
        lone, gather(ct * others, indices, axis),
        gather(ct * ans, indices, axis) / np.where(used == 0, 1, used))
    several = (used == 0) & (gather(zeros, indices, axis) > 1)
    return ct * without_own * mine, shares_but_for(through, several)


@runtime
def shares_but_for(x: Array, several: Array) -> Array:
    """``x``, the factors' cotangents: right where ``several`` zeros meet, but only to first
    order."""
    return x


linear(shares_but_for, several=None, x=lambda ct, several: refused_where(ct, several))


@runtime
def refused_where(x: Array, several: Array) -> Array:
    """``x``, unless ``several`` zeros met somewhere."""
    if np.any(several):
        raise RuntimeError(
            "scatter_reduce(): Double backward is unsupported for src when >1 zeros in src are "
            "scattered to the same position in self")
    return x


linear(refused_where, several=None, x=lambda ct, several: refused_where(ct, several))


@runtime
def masked_scatter(a: Array, mask: Array, source: Array) -> Array:
    """``a`` with consecutive elements of ``source`` where ``mask`` is true."""
    a, mask = np.broadcast_arrays(a, mask)
    out = np.array(a)
    out[mask] = np.ravel(source)[: np.count_nonzero(mask)]
    return out


linear(masked_scatter, broadcasts=True, a=lambda ct, mask: np.where(mask, 0, ct))


@linear(masked_scatter, "source", mask=None)
def masked_scatter_source(ct: Array, mask: Array, source_shape: Shape) -> Array:
    taken = ct[np.broadcast_to(mask, np.shape(ct))]
    total = int(np.prod(source_shape))
    return np.reshape(np.pad(taken, (0, total - taken.shape[0])), source_shape)
