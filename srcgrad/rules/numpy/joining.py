"""Joining and splitting arrays; lists made into arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.book import Array, Shape, alias, linear, nondiff
from srcgrad.rules.broadcast import arange, larger, runtime, scatter_add, size_of, sum_to


def along(axis: int, part: Any) -> Any:
    """An index that applies ``part`` on a non-negative ``axis``."""
    return (*((slice(None),) * axis), part) if axis else part


def pieces(ct: Array, extents: list[int], axis: int) -> list[Array]:
    """``ct`` cut along ``axis`` into parts of the given extents."""
    result, start = [], None
    for i, extent in enumerate(extents):
        stop = extent if start is None else start + extent
        last = None if i == len(extents) - 1 else stop
        result.append(ct[along(axis, slice(start, last))] if len(extents) > 1 else ct)
        start = stop
    return result


def _join_transpose(ct: Array, shapes: Any, promoted: Any, axis: int) -> Any:
    """Cotangents of the arrays of ``shapes`` (a list, or one shape of an array that serves as a
    sequence) that were joined along ``axis``, each after promotion to ``promoted(shape)``."""
    if isinstance(shapes, list):
        plain = [_array_shape(s) for s in shapes]
        parts = pieces(ct, [promoted(s)[axis] for s in plain], axis)
        reshaped = [
            part if len(promoted(shape)) == len(shape) else np.reshape(part, shape)
            for part, shape in zip(parts, plain)
        ]
        return [unstack(p, s) if isinstance(s, list) else p for p, s in zip(reshaped, shapes)]
    n, item = shapes[0], promoted(shapes[1:])
    split = np.reshape(ct, (*item[:axis], n, *item[axis:]))
    return np.reshape(np.moveaxis(split, axis, 0), shapes)


def _at_least_1d(shape: Shape) -> Shape:
    return shape or (1,)


def _at_least_2d(shape: Shape) -> Shape:
    return (1,) * (2 - len(shape)) + shape


def _first(shapes: list[Shape] | Shape) -> Shape:
    return _array_shape(shapes[0]) if isinstance(shapes, list) else shapes[1:]


@linear(np.concatenate, "arrays", sequence=True,
        like=lambda arrays, axis=0, out=None, *, dtype=None, casting="same_kind": None)
def concatenate_arrays(ct: Array, arrays_shape: Any, axis: int | None) -> Any:
    if axis is None:
        return _join_flat(ct, arrays_shape)
    return _join_transpose(ct, arrays_shape, lambda shape: shape, axis % len(_first(arrays_shape)))


def _join_flat(ct: Array, shapes: Any) -> Any:
    if not isinstance(shapes, list):
        return np.reshape(ct, shapes)
    plain = [_array_shape(s) for s in shapes]
    parts = pieces(ct, [size_of(s) for s in plain], 0)
    return [unstack(np.reshape(p, s), n) for p, s, n in zip(parts, plain, shapes)]


@linear(np.stack, "arrays", sequence=True)
def stack_arrays(ct: Array, arrays_shape: Any, axis: int) -> Any:
    axis = axis % (len(_first(arrays_shape)) + 1)
    if not isinstance(arrays_shape, list):
        return np.moveaxis(ct, axis, 0)
    parts = [ct[along(axis, i)] for i in range(len(arrays_shape))]
    return [unstack(p, s) if isinstance(s, list) else p for p, s in zip(parts, arrays_shape)]


linear(np.vstack, sequence=True,
    tup=lambda ct, tup_shape: _join_transpose(ct, tup_shape, _at_least_2d, 0))
linear(np.hstack, sequence=True,
    tup=lambda ct, tup_shape: _join_transpose(
        ct, tup_shape, _at_least_1d, 0 if len(_first(tup_shape)) < 2 else 1))
linear(np.dstack, sequence=True,
    tup=lambda ct, tup_shape: _join_transpose(
        ct, tup_shape, lambda s: (*_at_least_2d(s), 1) if len(s) < 3 else s, 2))
linear(np.column_stack, sequence=True,
    tup=lambda ct, tup_shape: _join_transpose(
        ct, tup_shape, lambda s: (*_at_least_1d(s), 1) if len(s) < 2 else s, 1))


def _extent(shapes: Any, axis: int, depth: int) -> int:
    """The size along ``axis`` (negative) of a block of nested lists ``depth`` deep."""
    if isinstance(shapes, tuple):
        return shapes[axis] if len(shapes) >= -axis else 1
    if axis == -depth:
        extents = [_extent(s, axis, depth - 1) for s in shapes]
        return sum(extents[1:], start=extents[0])
    return _extent(shapes[0], axis, depth - 1)


def _depth(shapes: Any) -> int:
    return 1 + max(_depth(s) for s in shapes) if isinstance(shapes, list) else 0


def _unblock(ct: Array, shapes: Any, depth: int) -> Any:
    if not isinstance(shapes, list):
        return np.reshape(ct, shapes)
    extents = [_extent(s, -depth, depth - 1) for s in shapes]
    parts = pieces(ct, extents, np.ndim(ct) - depth)
    return [_unblock(p, s, depth - 1) for p, s in zip(parts, shapes)]


linear(np.block, sequence=True,
    arrays=lambda ct, arrays_shape: _unblock(ct, arrays_shape, _depth(arrays_shape)))


def _unpacked(ct: Array, shapes: Any) -> Any:
    """Cotangents of what was made into an array, which may have got further axes in front.  Rows of
    which there are none have no shape to be asked for."""
    shape, rank = _array_shape(shapes), np.ndim(ct)
    if not isinstance(shape, tuple) or type(rank) is not int or rank != len(shape):
        ct = np.reshape(ct, shape)
    return unstack(ct, shapes) if isinstance(shapes, list) else ct


def unstack(ct: Array, shapes: Any) -> Any:
    """Cotangents of the items of a nested list that was made into an array."""
    if not isinstance(shapes, list):
        return np.reshape(ct, shapes)
    return [unstack(ct[i], s) for i, s in enumerate(shapes)]


@linear(np.append, "arr", sequence=True)
def append_arr(ct: Array, arr_shape: Any, axis: int | None) -> Any:
    if axis is None:
        head = ct[: size_of(_array_shape(arr_shape))]
    else:
        axis = axis % np.ndim(ct)
        head = ct[along(axis, slice(None, _array_shape(arr_shape)[axis]))]
    return unstack(np.reshape(head, _array_shape(arr_shape)), arr_shape)


@linear(np.append, "values", sequence=True)
def append_values(ct: Array, arr_shape: Any, values_shape: Any, axis: int | None) -> Any:
    if axis is None:
        tail = ct[size_of(_array_shape(arr_shape)) :]
    else:
        axis = axis % np.ndim(ct)
        tail = ct[along(axis, slice(_array_shape(arr_shape)[axis], None))]
    return unstack(np.reshape(tail, _array_shape(values_shape)), values_shape)


def _array_shape(shapes: Any) -> Shape:
    """The shape of the array that a nested list of arrays becomes."""
    if not isinstance(shapes, list):
        return shapes  # type: ignore[no-any-return]
    return (len(shapes), *_array_shape(shapes[0])) if shapes else (0,)


@linear(np.array, "object", sequence=True,
        like=lambda object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0, ndmax=0,
        like=None: None)  # fmt: skip
def array_object(ct: Array, object_shape: Any) -> Any:
    return _unpacked(ct, object_shape)


def _asarray(a: Any, dtype: Any = None, order: Any = None, *, device: Any = None,
             copy: Any = None, like: Any = None) -> None:  # fmt: skip
    """The parameters of ``np.asarray`` and its kin."""


@linear(np.asarray, "a", like=_asarray, sequence=True)
@linear(np.asanyarray, "a", like=_asarray, sequence=True)
@linear(np.ascontiguousarray, "a", like=_asarray, sequence=True)
@linear(np.asfortranarray, "a", like=_asarray, sequence=True)
@linear(np.asarray_chkfinite, "a", sequence=True)
@linear(np.require, "a", sequence=True)
@linear(np.copy, "a", sequence=True)
def asarray_a(ct: Array, a_shape: Any) -> Any:
    return _unpacked(ct, a_shape)


linear(np.split, ary=lambda ct, ans, axis: _joined(ct, ans, axis))
linear(np.array_split, ary=lambda ct, ans, axis: _joined(ct, ans, axis))

linear(np.vsplit, ary=lambda ct, ans: _joined(ct, ans, 0))
linear(np.hsplit, ary=lambda ct, ans, ary_ndim: _joined(ct, ans, 0 if ary_ndim == 1 else 1))
linear(np.dsplit, ary=lambda ct, ans: _joined(ct, ans, 2))


def _joined(ct: Any, ans: Any, axis: int) -> Array:
    parts = [np.zeros_like(a) if c is None else c for c, a in zip(ct, ans)]
    return np.concatenate(parts, axis=axis)


def unstack_x(ct: Any, ans: Any, axis: int) -> Array:
    return np.stack([np.zeros_like(a) if c is None else c for c, a in zip(ct, ans)], axis=axis)


if hasattr(np, "unstack"):  # NumPy 2.1
    linear(np.unstack, "x")(unstack_x)


def _resized(ct: Array, a_shape: Shape) -> Array:
    """``np.resize`` repeats the flat array as often as it fits, the last time in part."""
    n = size_of(a_shape)
    whole = larger(n, 1)  # of nothing NumPy makes zeros
    places = np.remainder(arange(size_of(np.shape(ct))), whole)
    return np.reshape(scatter_add(np.reshape(ct, -1), places, (whole,))[:n], a_shape)


linear(np.resize, a=_resized)
if getattr(np, "row_stack", np.vstack) is not np.vstack:  # NumPy 2.5 has it no more
    alias(np.vstack, np.row_stack)


@runtime
def inserted(arr: Array, obj: Any, values: Array, axis: int | None) -> Array:
    """Where along its axis (or flat) the result of ``np.insert`` holds inserted elements."""
    shape = np.shape(arr) if axis is not None else (np.size(arr),)
    at = 0 if axis is None else axis % len(shape)
    extent = shape[at]
    if _is_one_place(obj):
        count = np.array(values, ndmin=len(shape)).shape[0]
    else:
        count = np.size(np.arange(extent)[obj] if isinstance(obj, slice) else obj)
    return np.insert(np.zeros(extent, bool), obj, np.ones(count, bool))


nondiff(inserted)


def _is_one_place(obj: Any) -> bool:
    """For one place, NumPy moves the first axis of the values to the axis of insertion."""
    return not isinstance(obj, slice) and np.ndim(obj) == 0


@linear(np.insert, "arr")
def insert_arr(ct: Array, arr: Array, arr_shape: Shape, obj: Any, values: Array,
               axis: int | None) -> Array:  # fmt: skip
    kept = ~inserted(arr, obj, values, axis)
    if axis is None:
        return np.reshape(ct[kept], arr_shape)
    return ct[along(axis % len(arr_shape), kept)]


@linear(np.insert, "values", obj=None)
def insert_values(ct: Array, arr: Array, arr_shape: Shape, obj: Any, values: Array,
                  values_shape: Shape, axis: int | None) -> Array:  # fmt: skip
    new = inserted(arr, obj, values, axis)
    if axis is None:
        return sum_to(ct[new], values_shape)
    d = ct[along(axis % len(arr_shape), new)]
    return sum_to(np.moveaxis(d, axis, 0) if _is_one_place(obj) else d, values_shape)
