"""Running sums, products and extrema, and the linear recurrence their adjoints are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.rules.book import Array, Shape, linear, variant, vjp
from srcgrad.rules.broadcast import runtime, scatter_along_axis


@runtime
def recurrence(b: Array, factor: Array) -> Array:
    """``y[i] = b[i] + factor[i] * y[i - 1]`` along the last axis, ``y[-1] = 0``.

    >>> recurrence(np.array([1.0, 1.0, 1.0]), np.array([5.0, 2.0, 3.0]))
    array([ 1.,  3., 10.])

    Long lines are halved: every other element follows from the one two places before it.
    (G. Blelloch, Prefix sums and their applications, 1990, section 1.4.1.)  Where products of
    factors leave the range of the numbers, the elements are taken one by one.
    """
    y = np.array(np.broadcast_arrays(b, factor)[0], dtype=np.result_type(b, factor))
    grows = np.any(np.abs(factor) > 1)  # else what is too small to be seen stays so
    try:
        with np.errstate(over="raise", invalid="raise", under="raise" if grows else "ignore"):
            _halved(y, np.broadcast_to(factor, y.shape).copy())
    except FloatingPointError:
        y[...] = b
        _one_by_one(y, factor)
    return y


_LONG = 48  # elements from which on a line is halved


def _one_by_one(y: Array, factor: Array) -> None:
    for i in range(1, y.shape[-1]):
        y[..., i] += factor[..., i] * y[..., i - 1]


def _halved(y: Array, factor: Array) -> None:
    """Turn ``b`` into ``y``; ``factor`` is used up."""
    if y.shape[-1] < _LONG:
        return _one_by_one(y, factor)
    count = y.shape[-1] // 2 * 2
    y[..., 1:count:2] += factor[..., 1:count:2] * y[..., :count:2]
    factor[..., 1:count:2] *= factor[..., :count:2]
    _halved(y[..., 1::2], factor[..., 1::2])
    y[..., 2::2] += factor[..., 2::2] * y[..., 1:y.shape[-1] - 1:2]
    return None


def shift_right(x: Array, fill: int) -> Array:
    """``x`` moved by one place along the last axis, ``fill`` coming in."""
    return np.concatenate([np.full_like(x[..., :1], fill), x[..., :-1]], axis=-1)


@vjp(recurrence, "b")
def recurrence_b(ct: Array, factor: Array) -> Array:
    return np.flip(recurrence(np.flip(ct, -1), shift_right(np.flip(factor, -1), 0)), -1)


vjp(recurrence, factor=lambda ct, ans, factor: recurrence_b(ct, factor) * shift_right(ans, 0))


def shift_left(x: Array) -> Array:
    """The transpose of ``shift_right(x, 0)``."""
    return np.concatenate([x[..., 1:], np.zeros_like(x[..., :1])], axis=-1)


def _products_before(a: Array) -> Array:
    return np.cumprod(shift_right(a, 1), axis=-1)


@runtime
def products_of_others(a: Array) -> Array:
    """The product of all elements but one along the last axis, exact for zeros.

    >>> products_of_others(np.array([2.0, 0.0, 5.0]))
    array([ 0., 10.,  0.])
    """
    return _products_before(a) * np.flip(_products_before(np.flip(a, -1)), -1)


@vjp(products_of_others, "a")
def products_of_others_a(ct: Array, a: Array) -> Array:
    reverse = np.flip(a, -1)
    before = _products_before_a(ct * np.flip(_products_before(reverse), -1), a)
    after = _products_before_a(np.flip(ct * _products_before(a), -1), reverse)
    return before + np.flip(after, -1)


def _products_before_a(ct: Array, a: Array) -> Array:
    return shift_left(_cumprod_last(ct, shift_right(a, 1)))


@linear(np.cumsum, "a")
def cumsum_a(ct: Array, a_shape: Shape, axis: int | None) -> Array:
    if axis is None:
        return np.reshape(np.flip(np.cumsum(np.flip(ct))), a_shape)
    return np.flip(np.cumsum(np.flip(ct, axis), axis=axis), axis)


vjp(np.nancumsum, a=lambda ct, a, axis: np.where(np.isnan(a), 0, cumsum_a(ct, np.shape(a), axis)))


@runtime
def through_cumprod(x: Array, a: Array, axis: int) -> Array:
    """The cotangent of ``a`` for the cotangent ``x`` of ``np.cumprod(a, axis)``: a Horner
    recurrence, no division by ``a``.

    >>> through_cumprod(np.array([1.0, 1.0, 1.0]), np.array([2.0, 0.0, 5.0]), 0)
    array([ 1., 12.,  0.])
    """
    return _along_last(_cumprod_last, axis, x, a)


def _along_last(function: Callable[..., Array], axis: int, *arrays: Array) -> Array:
    """A function of the last axis along another one."""
    return np.moveaxis(function(*(np.moveaxis(x, axis, -1) for x in arrays)), -1, axis)


def _cumprod_last(ct: Array, a: Array) -> Array:
    return _products_before(a) * _after(ct, a)


def _after(ct: Array, a: Array) -> Array:
    """The cotangent of the product of all elements up to each."""
    return np.flip(recurrence(np.flip(ct, -1), shift_right(np.flip(a, -1), 0)), -1)


def _running_rate(ct: Array, a: Array) -> Array:
    """The tangent of ``cumprod`` along the last axis."""
    return recurrence(ct * _products_before(a), a)


def _cumprod_last_a(ct: Array, x: Array, a: Array) -> Array:
    after = _after(x, a)
    later = shift_right(_running_rate(ct, a) * shift_left(after), 0)
    return later + _products_before_a(ct * after, a)


@vjp(through_cumprod, "x", "a")
def through_cumprod_x_a(ct: Array, x: Array, a: Array, axis: int) -> tuple[Array, Array]:
    return (_along_last(_running_rate, axis, ct, a),
            _along_last(_cumprod_last_a, axis, ct, x, a))


@vjp(np.cumprod, "a")
def cumprod_a(ct: Array, a: Array, axis: int | None) -> Array:
    if axis is None:
        return np.reshape(through_cumprod(ct, np.reshape(a, -1), 0), np.shape(a))
    return through_cumprod(ct, a, axis)


@vjp(np.nancumprod, "a")
def nancumprod_a(ct: Array, a: Array, axis: int | None) -> Array:
    missing = np.isnan(a)
    return np.where(missing, 0, cumprod_a(ct, np.where(missing, 1, a), axis))


def accumulate(a: Any, axis: Any = 0, dtype: Any = None, out: Any = None) -> None:
    """The parameters of ``ufunc.accumulate``, under the names of ``np.cumsum``."""


variant(np.cumsum, np.add.accumulate, accumulate)
variant(np.cumprod, np.multiply.accumulate, accumulate)


def attains(a: Array, extreme: Array, skip_nan: bool = False) -> Array:
    """Where ``a`` is the extreme of its line: a NaN is, unless it is skipped for others."""
    missing = np.isnan(a)
    return (a == extreme) | (missing & np.isnan(extreme) if skip_nan else missing)


@vjp(np.maximum.accumulate, "a", like=accumulate)
@vjp(np.minimum.accumulate, "a", like=accumulate)
def running_extremum_a(ct: Array, ans: Array, a: Array, axis: int) -> Array:
    places = np.cumsum(np.ones_like(a, dtype=np.intp), axis=axis) - 1
    latest = np.maximum.accumulate(np.where(attains(a, ans), places, 0), axis=axis)
    return scatter_along_axis(ct, latest, axis, np.shape(a))


def _running_total_a(ct: Array, x_shape: Shape, axis: int | None, include_initial: bool) -> Array:
    axis = 0 if axis is None else axis
    if include_initial:
        ct = ct[(slice(None),) * (axis % len(x_shape)) + (slice(1, None),)]
    return cumsum_a(ct, x_shape, axis)


def _running_product_a(ct: Array, x: Array, axis: int | None, include_initial: bool) -> Array:
    axis = 0 if axis is None else axis
    if include_initial:
        ct = ct[(slice(None),) * (axis % np.ndim(x)) + (slice(1, None),)]
    return cumprod_a(ct, x, axis)


if hasattr(np, "cumulative_sum"):  # NumPy 2.1
    linear(np.cumulative_sum, "x")(_running_total_a)
    vjp(np.cumulative_prod, "x")(_running_product_a)
