"""Reductions: sums, means, products, extrema, over any axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.rules.book import Array, Dtype, Shape, alias, inactive, linear, nondiff, variant, vjp
from srcgrad.rules.broadcast import larger, size_of
from srcgrad.rules.numpy.cumulative import attains, products_of_others
from srcgrad.rules.numpy.elementary import log_share

Axis = Any  # None, an int or a tuple of ints


def keep_axes(x: Array, axis: Axis, keepdims: bool, ndim: int | None = None) -> Array:
    """A reduced value made to broadcast against the input: reduced axes back, of size 1.

    Given the input's rank ``ndim``, leading axes are left to broadcasting.
    """
    if keepdims or axis is None or ndim == 0:
        return x
    if ndim is not None:
        axes = [i % ndim for i in (axis if isinstance(axis, tuple) else (axis,))]
        if sorted(axes) == list(range(len(axes))):
            return x
    return np.expand_dims(x, axis)


def reduced(function: Callable[..., Array], a: Array, axis: Axis, **options: Any) -> Array:
    """``function`` over ``axis``, to broadcast against ``a``."""
    if axis is None:
        return function(a, **options)
    return function(a, axis=axis, keepdims=True, **options)


def number_of(mask: Array, axis: Axis, dtype: Dtype) -> Array:
    """How many elements of ``mask`` are true, in a dtype that leaves ``dtype`` as it is."""
    real = np.finfo(dtype).dtype
    return reduced(np.sum, mask, axis, **({} if real == np.float64 else {"dtype": real}))


def reduced_size(shape: Shape, axis: Axis) -> int:
    """How many elements of an array of ``shape`` go into one element of the result."""
    if axis is None:
        return size_of(shape)
    return size_of([shape[i] for i in (axis if isinstance(axis, tuple) else (axis,))])


def count(shape: Shape, axis: Axis, where: Array, dtype: Dtype) -> Array:
    """:func:`reduced_size` under a mask; axes are kept."""
    if where is True:
        return reduced_size(shape, axis)
    return number_of(np.broadcast_to(where, shape), axis, dtype)


def at_least_one(n: Any) -> Any:
    """A divisor for what belongs to ``n`` elements: if there are none, nothing is divided."""
    return np.maximum(n, 1) if getattr(n, "ndim", 0) else larger(n, 1)


def flatten_axes(x: Array, axis: Axis, ndim: int) -> Array:
    """Move the reduced axes to the end, as one."""
    if axis is None:
        return np.reshape(x, -1)
    axes = tuple(i % ndim for i in (axis if isinstance(axis, tuple) else (axis,)))
    if len(axes) == 1:
        return np.moveaxis(x, axes[0], -1)
    kept = tuple(i for i in range(ndim) if i not in axes)
    moved = np.transpose(x, kept + axes)
    sizes = moved.shape[len(kept):]  # -1 says nothing of an array that is empty
    return np.reshape(moved, (*moved.shape[:len(kept)], size_of(sizes)))


def restore_axes(x: Array, axis: Axis, shape: Shape) -> Array:
    """The inverse of :func:`flatten_axes`: back to ``shape``."""
    if axis is None:
        return np.reshape(x, shape)
    ndim = len(shape)
    axes = tuple(i % ndim for i in (axis if isinstance(axis, tuple) else (axis,)))
    if len(axes) == 1:
        return np.moveaxis(x, -1, axes[0])
    order = tuple(i for i in range(ndim) if i not in axes) + axes
    moved = np.reshape(x, tuple(shape[i] for i in order))
    return np.transpose(moved, tuple(order.index(i) for i in range(ndim)))


def spread(ct: Array, shape: Shape, where: Array) -> Array:
    """A cotangent with kept axes, laid out over the input; nothing where masked out."""
    if where is not True:
        ct = np.where(where, ct, 0)
    return np.broadcast_to(ct, shape)


linear(np.sum, initial=lambda ct: np.sum(ct),
    a=lambda ct, a_shape, a_ndim, axis, keepdims, where:
        spread(keep_axes(ct, axis, keepdims, a_ndim), a_shape, where))


@linear(np.mean, "a")
def mean_a(ct: Array, a_shape: Shape, a_ndim: int, a_dtype: Dtype, axis: Axis,
           keepdims: bool, where: Array) -> Array:
    n = at_least_one(count(a_shape, axis, where, a_dtype))
    return spread(keep_axes(ct, axis, keepdims, a_ndim) / n, a_shape, where)


@vjp(np.nansum, "a")
def nansum_a(ct: Array, a: Array, axis: Axis, keepdims: bool, where: Array) -> Array:
    ct = keep_axes(ct, axis, keepdims, np.ndim(a))
    return spread(np.where(np.isnan(a), 0, ct), np.shape(a), where)


@vjp(np.nanmean, "a")
def nanmean_a(ct: Array, a: Array, a_dtype: Dtype, axis: Axis, keepdims: bool,
              where: Array) -> Array:
    present = ~np.isnan(a) if where is True else ~np.isnan(a) & where
    n = number_of(present, axis, a_dtype)
    return np.where(present, keep_axes(ct, axis, keepdims, np.ndim(a)) / n, 0)


def _others(ct: Array, a: Array, axis: Axis, keepdims: bool, shape: Shape) -> Array:
    """``ct`` times the product of all other elements, without a division (zeros, order 2)."""
    flat = flatten_axes(a, axis, len(shape))
    others = restore_axes(products_of_others(flat), axis, shape)
    return keep_axes(ct, axis, keepdims, len(shape)) * others


def _scaled(ct: Array, initial: Array) -> Array:
    return ct if initial is None else ct * initial


@vjp(np.prod, "a")
def prod_a(ct: Array, a: Array, a_shape: Shape, axis: Axis, keepdims: bool, where: Array,
           initial: Array) -> Array:
    if where is not True:
        a = np.where(where, a, 1)
    d = _others(_scaled(ct, initial), a, axis, keepdims, a_shape)
    return d if where is True else np.where(where, d, 0)


@vjp(np.prod, "initial")
def prod_initial(ct: Array, a: Array, axis: Axis, keepdims: bool, where: Array) -> Array:
    if where is not True:
        a = np.where(where, a, 1)
    return np.sum(ct * np.prod(a, axis=axis, keepdims=keepdims))


@vjp(np.nanprod, "a")
def nanprod_a(ct: Array, a: Array, a_shape: Shape, axis: Axis, keepdims: bool, where: Array,
              initial: Array) -> Array:
    used = ~np.isnan(a) if where is True else ~np.isnan(a) & where
    d = _others(_scaled(ct, initial), np.where(used, a, 1), axis, keepdims, a_shape)
    return np.where(used, d, 0)


def extremum_share(ct: Array, a: Array, ans: Array, axis: Axis, dtype: Dtype, ties: str,
                   where: Array = True, initial: Array = None, skip_nan: bool = False) -> Array:
    """The cotangent of the elements of ``a`` that attain ``ans`` (kept axes): shared evenly
    (``ties="split"``; with ``ties="equal"`` NaN attains nothing, and is what all get then) or
    given to the first in order (``ties="first"``)."""
    if ties == "equal":
        chosen = a == ans
        return chosen * ct / np.sum(chosen, axis=axis, keepdims=True)
    chosen = attains(a, ans, skip_nan)
    if where is not True:
        chosen = chosen & where
    if ties == "first":
        if axis is None:
            ahead = np.reshape(np.cumsum(chosen), np.shape(a))
        else:
            ahead = np.cumsum(chosen, axis=axis)
        return np.where(chosen & (ahead == 1), ct, 0)
    n = number_of(chosen, axis, dtype)
    if initial is not None or where is not True:
        n = np.maximum(n + (ans == initial), 1)
    return np.where(chosen, ct / n, 0)


@vjp(np.max, "a", settings={"ties": "split"})
@vjp(np.min, "a", settings={"ties": "split"})
def extremum_a(ct: Array, ans: Array, a: Array, a_dtype: Dtype, axis: Axis, keepdims: bool,
               where: Array, initial: Array, ties: str) -> Array:
    ndim = np.ndim(a)
    ct, ans = keep_axes(ct, axis, keepdims, ndim), keep_axes(ans, axis, keepdims, ndim)
    return extremum_share(ct, a, ans, axis, a_dtype, ties, where, initial)


@vjp(np.nanmax, "a", settings={"ties": "split"})
@vjp(np.nanmin, "a", settings={"ties": "split"})
def present_extremum_a(ct: Array, ans: Array, a: Array, a_dtype: Dtype, axis: Axis,
                       keepdims: bool, where: Array, initial: Array, ties: str) -> Array:
    ndim = np.ndim(a)
    ct, ans = keep_axes(ct, axis, keepdims, ndim), keep_axes(ans, axis, keepdims, ndim)
    return extremum_share(ct, a, ans, axis, a_dtype, ties, where, initial, skip_nan=True)


@vjp(np.max, "initial", settings={"ties": "split"})
@vjp(np.min, "initial", settings={"ties": "split"})
@vjp(np.nanmax, "initial", settings={"ties": "split"})
@vjp(np.nanmin, "initial", settings={"ties": "split"})
def extremum_initial(ct: Array, ans: Array, a: Array, a_dtype: Dtype, axis: Axis,
                     keepdims: bool, where: Array, initial: Array, ties: str) -> Array:
    ndim = np.ndim(a)
    ct, ans = keep_axes(ct, axis, keepdims, ndim), keep_axes(ans, axis, keepdims, ndim)
    n = number_of(a == ans if where is True else (a == ans) & where, axis, a_dtype)
    if ties == "first":
        return np.sum(np.where((ans == initial) & (n == 0), ct, 0))
    return np.sum(np.where(ans == initial, ct / (n + 1), 0))


@vjp(np.ptp, "a", settings={"ties": "split"})
def ptp_a(ct: Array, a: Array, a_dtype: Dtype, axis: Axis, keepdims: bool, ties: str) -> Array:
    ct = keep_axes(ct, axis, keepdims, np.ndim(a))
    high = extremum_share(ct, a, reduced(np.max, a, axis), axis, a_dtype, ties)
    low = extremum_share(ct, a, reduced(np.min, a, axis), axis, a_dtype, ties)
    return np.where(np.isnan(a), a, high - low)  # both extremes are NaN there


def log_sum_a(ct: Array, ans: Array, a: Array, axis: Axis, keepdims: bool) -> Array:
    ndim = np.ndim(a)
    ct, ans = keep_axes(ct, axis, keepdims, ndim), keep_axes(ans, axis, keepdims, ndim)
    return ct * np.exp(log_share(a, ans))


def _reduce(a: Any, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: bool = False,
            initial: Any = None, where: Any = True) -> None:  # fmt: skip
    """The parameters of ``ufunc.reduce``, under the names of ``np.sum``."""


alias(np.max, np.amax)
alias(np.min, np.amin)
for _target, _ufunc in (
    (np.sum, np.add), (np.prod, np.multiply), (np.max, np.maximum), (np.min, np.minimum),
    (np.nanmax, np.fmax), (np.nanmin, np.fmin),
):  # fmt: skip
    variant(_target, _ufunc.reduce, _reduce)
vjp(np.logaddexp.reduce, like=_reduce, a=log_sum_a)
for _function in (np.sum, np.mean, np.nansum, np.nanmean, np.prod, np.nanprod, np.max, np.min,
                  np.nanmax, np.nanmin):  # fmt: skip
    inactive(_function, "where")

nondiff(
    np.argmax, np.argmin, np.nanargmax, np.nanargmin, np.any, np.all, np.count_nonzero,
    np.logical_and.reduce, np.logical_or.reduce, np.logical_xor.reduce,
    np.bitwise_and.reduce, np.bitwise_or.reduce, np.bitwise_xor.reduce,
)  # fmt: skip
