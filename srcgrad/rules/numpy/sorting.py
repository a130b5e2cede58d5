"""Sorting: a permutation that the cotangent goes through backwards."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.book import Array, Shape, nondiff, vjp
from srcgrad.rules.broadcast import scatter_add, scatter_along_axis


def _unpermuted(ct: Array, order: Array, axis: int | None, shape: Shape) -> Array:
    if axis is None:
        return np.reshape(scatter_along_axis(ct, order, 0, np.shape(ct)), shape)
    return scatter_along_axis(ct, order, axis, shape)


@vjp(np.sort, "a")
def sort_a(ct: Array, a: Array, axis: int | None) -> Array:
    return _unpermuted(ct, _order(a, axis), axis, np.shape(a))


def _order(a: Array, axis: int | None) -> Array:
    """A permutation that sorts; stable, so that ties fall alike on every machine."""
    if axis == -1:
        return np.argsort(a, kind="stable")
    return np.argsort(a, axis=axis, kind="stable")


vjp(np.sort_complex, a=lambda ct, a: sort_a(ct, a, -1))


@vjp(np.partition, "a", kth=None)
def partition_a(ct: Array, ans: Array, a: Array, axis: int | None) -> Array:
    """``a`` and its partition have equal elements at equal ranks."""
    along = 0 if axis is None else axis
    ranked = np.take_along_axis(ct, _order(ans, along), along)
    return _unpermuted(ranked, _order(a, axis), axis, np.shape(a))


@vjp(np.unique, "ar")
def unique_ar(ct: Any, ar: Array, axis: int | None) -> Array:
    values_ct = ct[0] if isinstance(ct, tuple | list) else ct
    if values_ct is None:
        return None
    first = np.unique(ar, return_index=True, axis=axis)[1]
    if axis is None:
        flat = scatter_add(values_ct, first, np.shape(np.reshape(ar, -1)))
        return np.reshape(flat, np.shape(ar))
    return scatter_add(values_ct, (slice(None),) * (axis % np.ndim(ar)) + (first,), np.shape(ar))


nondiff(np.argsort, np.argpartition, np.lexsort, np.searchsorted, np.isin)
