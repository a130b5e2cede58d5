"""Slices and elements written at index arrays; elements taken by a mask."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.book import Array, Shape, linear
from srcgrad.rules.broadcast import runtime, scatter_add, sum_to
from srcgrad.rules.nn.flat_functions import refusing


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
