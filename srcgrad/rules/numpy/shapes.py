"""Functions that move elements about: reshape, transpose, flip, roll, tile, broadcast."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.book import Array, NoRule, Shape, linear, nondiff, variant
from srcgrad.rules.broadcast import arange, repeat, scatter_add, size_of, sum_to


@linear(np.reshape, "a", shape=None,
        like=lambda a, shape=None, order="C", newshape=None, copy=None: None)
@linear(np.ravel, "a")
def reshape_a(ct: Array, a_shape: Shape, order: str) -> Array:
    if order == "C" or (len(a_shape) < 2 and np.ndim(ct) < 2):
        return np.reshape(ct, a_shape)
    if order == "F":
        return np.reshape(ct, a_shape, order="F")
    raise NoRule(
        f"np.reshape or np.ravel with order={order!r} depends on the memory layout; "
        "its derivative is known for order='C' and order='F'"
    )


def inverse_permutation(axes: Any, ndim: int) -> Shape:
    """The axes that undo ``np.transpose(x, axes)``."""
    positive = [int(i) % ndim for i in axes]
    return tuple(positive.index(i) for i in range(ndim))


@linear(np.transpose, "a")
def transpose_a(ct: Array, a_ndim: int, axes: Any) -> Array:
    if axes is None:
        return np.transpose(ct)
    return np.transpose(ct, inverse_permutation(axes, a_ndim))


for _function in (np.matrix_transpose, np.linalg.matrix_transpose):
    linear(_function, x=lambda ct: np.swapaxes(ct, -1, -2))


linear(np.swapaxes, a=lambda ct, axis1, axis2: np.swapaxes(ct, axis1, axis2))
linear(np.moveaxis, a=lambda ct, source, destination: np.moveaxis(ct, destination, source))


@linear(np.rollaxis, "a")
def rollaxis_a(ct: Array, a_ndim: int, axis: int, start: int) -> Array:
    axis, start = axis % a_ndim, start + a_ndim if start < 0 else start
    return np.moveaxis(ct, start - 1 if axis < start else start, axis)


linear(np.squeeze,
    a=lambda ct, a_shape, axis:
        np.reshape(ct, a_shape) if axis is None else np.expand_dims(ct, axis))

linear(np.expand_dims, a=lambda ct, axis: np.squeeze(ct, axis))
linear(np.broadcast_to, shape=None, array=lambda ct, array_shape: sum_to(ct, array_shape))

linear(np.broadcast_arrays,
    args=lambda ct, args_shape:
        [None if c is None else sum_to(c, s) for c, s in zip(ct, args_shape)])


@linear(np.meshgrid, "xi")
def meshgrid_xi(ct: Any, xi_shape: list[Shape], sparse: bool, indexing: str) -> list[Array]:
    swap = indexing == "xy" and len(xi_shape) > 1
    result: list[Array] = []
    for i, (c, shape) in enumerate(zip(ct, xi_shape)):
        own = 1 - i if swap and i < 2 else i
        if c is not None and not sparse:
            c = np.sum(c, axis=tuple(j for j in range(len(xi_shape)) if j != own))
        result.append(c if c is None else np.reshape(c, shape))
    return result


@linear(np.atleast_1d, "arys")
@linear(np.atleast_2d, "arys")
@linear(np.atleast_3d, "arys")
def atleast_arys(ct: Any, arys_shape: list[Shape]) -> list[Array]:
    cts = (ct,) if len(arys_shape) == 1 else ct
    return [None if c is None else np.reshape(c, s) for c, s in zip(cts, arys_shape)]


linear(np.flip, m=lambda ct, axis: np.flip(ct, axis))
linear(np.fliplr, m=lambda ct: np.fliplr(ct))
linear(np.flipud, m=lambda ct: np.flipud(ct))


@linear(np.roll, "a", shift=None)
def roll_a(ct: Array, shift: Any, axis: Any) -> Array:
    back = tuple(-s for s in shift) if isinstance(shift, tuple | list) else -shift
    return np.roll(ct, back) if axis is None else np.roll(ct, back, axis)


linear(np.rot90, m=lambda ct, k, axes: np.rot90(ct, -k, axes))


@linear(np.tile, "A", reps=None)
def tile_a(ct: Array, A_shape: Shape, reps: Any) -> Array:
    copies = tuple(reps) if isinstance(reps, tuple | list) else (reps,)
    return sum_of_copies(ct, A_shape, (1,) * (len(A_shape) - len(copies)) + copies)


def sum_of_copies(ct: Array, shape: Shape, copies: Shape) -> Array:
    """What comes of the copies of an array of ``shape`` that lie along each axis.  One that the
    array does not have is an axis of copies."""
    parts: list[Any] = []
    repeated: list[int] = []
    own = (None,) * (len(copies) - len(shape)) + tuple(shape)
    for number, size in zip(copies, own):
        if type(number) is not int or number != 1 or size is None:
            repeated.append(len(parts))
            parts.append(number)
        if size is not None:
            parts.append(size)
    apart = ct if len(parts) == len(copies) else np.reshape(ct, tuple(parts))
    if not repeated:
        return apart
    return np.sum(apart, axis=tuple(repeated) if len(repeated) > 1 else repeated[0])


@linear(np.repeat, "a", repeats=None)
def repeat_a(ct: Array, a_shape: Shape, repeats: Any, repeats_ndim: Any, axis: int | None) -> Array:
    if repeats_ndim == 0:
        if axis is None:
            return np.sum(np.reshape(ct, (*a_shape, repeats)), axis=-1)
        axis = axis % len(a_shape)
        split = (*a_shape[: axis + 1], repeats, *a_shape[axis + 1 :])
        return np.sum(np.reshape(ct, split), axis=axis + 1)
    if axis is None:
        flat = np.reshape(arange(size_of(a_shape)), a_shape)
        origin = repeat(flat, repeats)
        return np.reshape(scatter_add(ct, origin, (size_of(a_shape),)), a_shape)
    axis = axis % len(a_shape)
    origin = repeat(arange(a_shape[axis]), repeats)
    return scatter_add(ct, (slice(None),) * axis + (origin,), a_shape)


variant(np.ravel, np.ndarray.flatten, lambda a, order="C": None)
nondiff(np.shape, np.ndim, np.size, np.broadcast_shapes, np.unravel_index, np.ravel_multi_index)
nondiff(np.may_share_memory, np.shares_memory, np.result_type, np.can_cast, np.isfortran, len)
