"""Selecting elements and writing them: subscripts, take, diagonals, triangles, masks."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcgrad.rules.book import Array, Dtype, Shape, linear, nondiff, sequence
from srcgrad.rules.broadcast import (
    arange,
    eye,
    last_write_mask,
    runtime,
    scatter_add,
    scatter_along_axis,
    scatter_diagonal,
    size_of,
    sum_to,
)
from srcgrad.rules.nn.flat_functions import refusing
from srcgrad.rules.numpy.joining import along

# -- selecting elements: subscripts, take, diagonals, triangles, choice by condition ------------

linear(operator.getitem, b=None, like=lambda a, b, /: None,
    a=lambda ct, a_shape, b: scatter_add(ct, b, a_shape))


@linear(np.take, "a", indices=None)
def take_a(ct: Array, a_shape: Shape, indices: Array, axis: int | None, mode: str) -> Array:
    if axis is None:
        flat = size_of(a_shape)
        return np.reshape(scatter_add(ct, _within(indices, flat, mode), (flat,)), a_shape)
    axis = axis % len(a_shape)
    return scatter_add(ct, along(axis, _within(indices, a_shape[axis], mode)), a_shape)


def _within(indices: Array, n: int, mode: str) -> Array:
    if mode == "wrap":
        return np.remainder(indices, n)
    if mode == "clip":
        return np.clip(indices, 0, n - 1)
    return indices


@linear(np.take_along_axis, "arr", indices=None)
def take_along_axis_arr(ct: Array, arr_shape: Shape, indices: Array, axis: int | None) -> Array:
    if axis is None:
        flat = size_of(arr_shape)
        return np.reshape(scatter_along_axis(ct, indices, 0, (flat,)), arr_shape)
    return scatter_along_axis(ct, indices, axis, arr_shape)


linear(np.compress, condition=None,
    a=lambda ct, a_shape, condition, axis:
        take_a(ct, a_shape, np.flatnonzero(condition), axis, "raise"))

linear(np.extract, condition=None,
    arr=lambda ct, arr_shape, condition:
        take_a(ct, arr_shape, np.flatnonzero(condition), None, "raise"))

linear(np.where, condition=None, broadcasts=True, like=lambda condition, x=None, y=None: None,
    x=lambda ct, condition: np.where(condition, ct, 0),
    y=lambda ct, condition: np.where(condition, 0, ct))


@linear(np.choose, "choices", sequence=True, a=None)
def choose_choices(ct: Array, a: Array, choices_shape: Any, mode: str) -> list[Array]:
    n = len(choices_shape)
    chosen = _within(a, n, mode)
    return [sum_to(np.where(np.equal(chosen, i), ct, 0), s) for i, s in enumerate(choices_shape)]


@linear(np.select, "choicelist")
def select_choicelist(ct: Array, condlist: Any, choicelist_shape: Any) -> list[Array]:
    result = []
    for condition, shape in zip(condlist, choicelist_shape):
        result.append(sum_to(np.where(condition, ct, 0), shape))
        ct = np.where(condition, 0, ct)
    return result


@linear(np.select, "default", condlist=None)
def select_default(ct: Array, condlist: Any, default_shape: Shape) -> Array:
    for condition in condlist:
        ct = np.where(condition, 0, ct)
    return sum_to(ct, default_shape)


@linear(np.diag, "v")
def diag_v(ct: Array, v_shape: Shape, k: int) -> Array:
    offset = () if _is_zero(k) else (k,)
    if len(v_shape) == 1:
        return np.diagonal(ct, *offset)
    return scatter_diagonal(ct, v_shape, *offset)


def _is_zero(k: Any) -> bool:
    """Is the offset plainly 0?  (Other settings may be symbolic.)"""
    return isinstance(k, int) and k == 0


linear(np.diagflat, v=lambda ct, v_shape, k: np.reshape(np.diagonal(ct, k), v_shape))
linear(np.diagonal,
    a=lambda ct, a_shape, offset, axis1, axis2: scatter_diagonal(ct, a_shape, offset, axis1, axis2))
linear(np.linalg.diagonal,
    x=lambda ct, x_shape, offset: scatter_diagonal(ct, x_shape, offset, -2, -1))


@linear(np.trace, "a")
def trace_a(ct: Array, a_shape: Shape, a_dtype: Dtype, offset: int, axis1: int,
            axis2: int) -> Array:
    if len(a_shape) == 2 and (axis1 % 2, axis2 % 2) == (0, 1):
        options: dict[str, Any] = {} if _is_zero(offset) else {"k": offset}
        if a_dtype != np.float64:
            options["dtype"] = a_dtype
        return ct * eye(*a_shape, **options)
    return scatter_diagonal(np.expand_dims(ct, -1), a_shape, offset, axis1, axis2)


linear(np.linalg.trace,
    x=lambda ct, x_shape, offset: scatter_diagonal(np.expand_dims(ct, -1), x_shape, offset, -2, -1))

linear(np.tril, m=lambda ct, m_shape, k: sum_to(np.tril(ct, k), m_shape))  # of a row, too

linear(np.triu, m=lambda ct, m_shape, k: sum_to(np.triu(ct, k), m_shape))


@linear(np.delete, "arr")
def delete_arr(ct: Array, arr_shape: Shape, obj: Any, axis: int | None) -> Array:
    extent = size_of(arr_shape) if axis is None else arr_shape[axis]
    kept = np.delete(arange(extent), obj)
    return take_a(ct, arr_shape, kept, axis, "raise")


nondiff(
    np.nonzero, np.argwhere, np.flatnonzero, np.ix_, np.tril_indices, np.triu_indices,
    np.tril_indices_from, np.triu_indices_from, np.diag_indices, np.diag_indices_from, np.indices,
    np.mask_indices,
)  # fmt: skip

sequence(np.select, "choicelist", "condlist")


# -- slices and elements written at index arrays; elements taken by a mask ----------------------

@runtime
def masked_take(a: Array, mask: Array) -> Array:
    """The elements of ``a`` (broadcast to ``mask``) where ``mask`` is true."""
    return np.broadcast_to(a, np.broadcast_shapes(np.shape(a), np.shape(mask)))[mask]


linear(masked_take, mask=None,
    a=lambda ct, a_shape, mask: sum_to(scatter_add(ct, mask, np.shape(mask)), a_shape))


@runtime
def put_indices(a: Array, source: Array, place: Any, how: str) -> Array:
    """A copy of ``a`` with ``source`` written or added (``how="add"``) at index ``place``."""
    out = np.array(np.atleast_1d(a))
    values = np.atleast_1d(source) if np.ndim(source) else source
    if how == "add":
        np.add.at(out, place, values)
    else:
        out[place] = values
    return np.reshape(out, np.shape(a))


linear(put_indices,
    a=lambda ct, place, how:
        ct if how == "add" else put_indices(ct, np.zeros((), ct.dtype), place, how))


@linear(put_indices, "source")
def put_indices_source(ct: Array, source_shape: Shape, place: Any, how: str) -> Array:
    if not source_shape and how == "set":  # one number: each place counts once
        return np.sum(ct - put_indices(ct, np.zeros((), ct.dtype), place, how))
    taken = np.reshape(ct, -1)[place] if np.ndim(ct) == 0 else ct[place]
    return sum_to(taken, source_shape)


@runtime
def put_flat(a: Array, source: Array, indices: Array, how: str) -> Array:
    """A copy of ``a`` with ``source`` written or added at places of the flattened array."""
    flat = np.array(np.ravel(a))
    if how == "add":
        np.add.at(flat, np.ravel(indices), np.ravel(source))
    else:
        flat[np.ravel(indices)] = np.ravel(source)
    return np.reshape(flat, np.shape(a))


linear(put_flat, indices=None,
    a=lambda ct, indices, how:
        ct if how == "add" else put_flat(ct, np.zeros(np.shape(indices), ct.dtype), indices, how),
    source=lambda ct, source_shape, indices:
        np.reshape(np.take(np.reshape(ct, -1), np.reshape(indices, -1)), source_shape))


@runtime
def unique_values(a: Array) -> Array:
    """The different elements in order; not differentiable here."""
    return np.unique(a)


refusing(unique_values, ("a",), "the derivative for '_unique2' is not implemented.",
         NotImplementedError)


# -- writes as functions: a copy of an array with some elements replaced or added to ------------

@runtime
def put(a: Array, values: Array, key: Any) -> Array:
    """A copy of ``a`` with ``values`` (broadcast) at ``key``; the last write to a place stays.

    >>> put(np.zeros(3), 1.0, ([0, 2],))
    array([1., 0., 1.])
    """
    out = a.copy()
    out[key] = values
    return out


@runtime
def put_add(a: Array, values: Array, key: Any) -> Array:
    """A copy of ``a`` with ``values`` added at ``key``, repeated places several times.

    >>> put_add(np.zeros(3), 1.0, ([0, 0],))
    array([2., 0., 0.])
    """
    out = a.copy()
    np.add.at(out, key, values)
    return out


linear(put, a=lambda ct, key: put(ct, 0, key))


@linear(put, "values", settings={"repeated": "last"})
def put_values(ct: Array, a_shape: Shape, values_shape: Shape, key: Any, repeated: str) -> Array:
    if repeated == "each":  # every value written to a place counts, also those overwritten
        return sum_to(ct[key], values_shape)
    return sum_to(np.where(last_write_mask(a_shape, key), ct[key], 0), values_shape)


linear(put_add,
    a=lambda ct: ct,
    values=lambda ct, values_shape, key: sum_to(ct[key], values_shape))
