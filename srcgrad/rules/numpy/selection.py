"""Sorting, elements picked along an axis, and reductions that are one of the elements."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.rules.book import Array, Dtype, Shape, linear, nondiff, vjp
from srcgrad.rules.broadcast import runtime, scatter_add, scatter_along_axis
from srcgrad.rules.numpy.cumulative import accumulate, recurrence, shift_left
from srcgrad.rules.numpy.reductions import log_sum_a

# -- sorting: a permutation that the cotangent goes through backwards ---------------------------

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


# -- elements picked along an axis, and reductions that are one of the elements -----------------

@runtime
def pick(a: Array, indices: Array, axis: int, keepdims: bool) -> Array:
    """One element of each line along ``axis``; ``indices`` keeps that axis with length 1.

    >>> pick(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1], [0]]), 1, False)
    array([2., 3.])
    """
    if np.ndim(a) == 0:
        return np.array(a)
    taken = np.take_along_axis(a, indices, axis)
    return taken if keepdims else np.squeeze(taken, axis)


@linear(pick, "a", indices=None)
def pick_a(ct: Array, a_shape: Shape, indices: Array, axis: int, keepdims: bool) -> Array:
    if not a_shape:
        return ct
    if not keepdims:
        ct = np.expand_dims(ct, axis)
    return scatter_along_axis(ct, indices, axis, a_shape)


@runtime
def lower_median(a: Array, skip_nan: bool) -> Array:
    """The lower of the middle elements of all of ``a``; NaN if there is one that is not skipped."""
    flat = np.sort(np.ravel(a))
    missing = np.count_nonzero(np.isnan(flat)) if flat.dtype.kind == "f" else 0
    if missing and not skip_nan:
        return np.asarray(flat[-1])
    present = flat.size - missing
    if not present:
        return np.asarray(flat[-1]) if flat.size else np.asarray(np.nan, flat.dtype)
    return np.asarray(flat[(present - 1) // 2])


@vjp(lower_median, "a")
def lower_median_a(ct: Array, ans: Array, a: Array, a_dtype: Dtype) -> Array:
    same = (a == ans) | (np.isnan(a) & np.isnan(ans))
    return np.where(same, ct / np.sum(same, dtype=a_dtype), 0)


@runtime
def log_sum_exp(a: Array, axis: Any, keepdims: bool) -> Array:
    """``log(sum(exp(a)))`` over axes, without overflow."""
    real = np.real(a)
    top = np.max(real, axis=axis, keepdims=True) if np.size(a) else np.full(
        np.sum(real, axis=axis, keepdims=True).shape, -math.inf, real.dtype)
    shift = np.where(np.isfinite(top), top, 0)
    with np.errstate(all="ignore"):
        total = np.log(np.sum(np.exp(a - shift), axis=axis, keepdims=True)) + shift
    return total if keepdims else np.squeeze(total, axis) if axis is not None else np.reshape(
        total, ())


vjp(log_sum_exp, a=log_sum_a)


@runtime
def log_cumsum_exp(a: Array, axis: int) -> Array:
    """``log(cumsum(exp(a)))`` along an axis, without overflow."""
    if np.ndim(a) == 0:
        return np.array(a)
    if np.iscomplexobj(a):
        top = np.max(np.real(a), axis=axis, keepdims=True)
        return np.log(np.cumsum(np.exp(a - top), axis=axis)) + top
    return np.logaddexp.accumulate(a, axis=axis)


@vjp(log_cumsum_exp, "a")
@vjp(np.logaddexp.accumulate, "a", like=accumulate)
def log_cumsum_exp_a(ct: Array, ans: Array, a: Array, a_shape: Shape, axis: int) -> Array:
    """Each sum of exponentials is a part of the next one, each exponential of its own sum."""
    if not a_shape:
        return ct
    nothing = ans == -math.inf
    total = np.where(nothing, 0, ans)
    sums = np.moveaxis(total, axis, -1)
    share = np.where(np.moveaxis(nothing, axis, -1), 0, np.exp(sums - shift_left(sums)))
    later = recurrence(np.flip(np.moveaxis(ct, axis, -1), -1), np.flip(share, -1))
    return np.moveaxis(np.flip(later, -1), -1, axis) * np.where(nothing, 0, np.exp(a - total))


@runtime
def unfold(a: Array, axis: int, size: int, step: int) -> Array:
    """Windows of ``size`` elements every ``step`` elements along ``axis``, in a new last axis."""
    windows = np.lib.stride_tricks.sliding_window_view(a, size, axis)
    return windows[(slice(None),) * axis + (slice(None, None, step),)]


@linear(unfold, "a")
def unfold_a(ct: Array, a_shape: Shape, axis: int, size: int, step: int) -> Array:
    places = unfold(np.arange(a_shape[axis]), 0, size, step)
    moved = np.moveaxis(ct, axis, -2)
    lead = moved.shape[:-2]
    flat = np.reshape(moved, (*lead, places.size))
    index = np.broadcast_to(np.reshape(places, -1), flat.shape)
    out = scatter_along_axis(flat, index, -1, (*lead, a_shape[axis]))
    return np.moveaxis(out, -1, axis)
