"""Variances, medians, quantiles, averages, covariances."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.book import Array, Dtype, NoRule, Shape, entry, inactive, linear, nondiff, vjp
from srcgrad.rules.broadcast import as_array, larger, runtime, scatter_along_axis, size_of, sum_to
from srcgrad.rules.numpy.products import conj_complex
from srcgrad.rules.numpy.reductions import (
    Axis,
    at_least_one,
    count,
    flatten_axes,
    keep_axes,
    reduced,
    reduced_size,
    restore_axes,
)


def _correction(named: dict[str, Any]) -> dict[str, Any]:
    """``correction=`` is the array API's name of ``ddof``."""
    correction = named.pop("correction", None)
    if correction is not None:
        named["ddof"] = correction
    return named


for _function in (np.var, np.std, np.nanvar, np.nanstd):
    entry(
        _function,
        like=lambda a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True,
        mean=None, correction=None: None,
        adapt=_correction,
    )  # fmt: skip
    inactive(_function, "where")


def _degrees_of_freedom(shape: Shape, axis: Axis, where: Array, dtype: Dtype, ddof: Any) -> Array:
    n = count(shape, axis, where, dtype)
    if isinstance(ddof, int) and ddof == 0:
        return n
    return larger(n - ddof, 0) if where is True else np.maximum(n - ddof, 0)


def _deviation(a: Array, axis: Axis, where: Array, mean: Array) -> Array:
    if mean is None:
        mean = reduced(np.mean, a, axis, **({} if where is True else {"where": where}))
    return a - mean if where is True else np.where(where, a - mean, 0)


@vjp(np.var, "a")
def var_a(ct: Array, a: Array, a_shape: Shape, a_dtype: Dtype, axis: Axis, ddof: Any,
          keepdims: bool, where: Array, mean: Array) -> Array:
    n = _degrees_of_freedom(a_shape, axis, where, a_dtype, ddof)
    deviation = conj_complex(_deviation(a, axis, where, mean), a_dtype)
    ct = keep_axes(ct, axis, keepdims, len(a_shape))
    if isinstance(ddof, int) and ddof == 0:  # no elements: there is no deviation either
        return ct * (2 / at_least_one(n)) * deviation
    return 2 * ct * deviation / n


@vjp(np.std, "a")
def std_a(ct: Array, ans: Array, a: Array, a_shape: Shape, a_dtype: Dtype, axis: Axis,
          ddof: Any, keepdims: bool, where: Array, mean: Array) -> Array:
    ndim = len(a_shape)
    n = _degrees_of_freedom(a_shape, axis, where, a_dtype, ddof)
    ct, ans = keep_axes(ct, axis, keepdims, ndim), keep_axes(ans, axis, keepdims, ndim)
    deviation = conj_complex(_deviation(a, axis, where, mean), a_dtype)
    return ct / (n * np.where(ans == 0, 1, ans)) * deviation  # 0 where all are equal


def _present(a: Array, where: Array) -> Array:
    return ~np.isnan(a) if where is True else ~np.isnan(a) & where


vjp(np.var,
    mean=lambda ct, a, a_shape, a_dtype, axis, ddof, keepdims, where, mean, mean_shape:
        -sum_to(var_a(ct, a, a_shape, a_dtype, axis, ddof, keepdims, where, mean), mean_shape))
vjp(np.std,
    mean=lambda ct, ans, a, a_shape, a_dtype, axis, ddof, keepdims, where, mean, mean_shape:
        -sum_to(std_a(ct, ans, a, a_shape, a_dtype, axis, ddof, keepdims, where, mean), mean_shape))
vjp(np.nanvar,
    a=lambda ct, a, a_shape, a_dtype, axis, ddof, keepdims, where, mean:
        var_a(ct, a, a_shape, a_dtype, axis, ddof, keepdims, _present(a, where), mean))
vjp(np.nanstd,
    a=lambda ct, ans, a, a_shape, a_dtype, axis, ddof, keepdims, where, mean:
        std_a(ct, ans, a, a_shape, a_dtype, axis, ddof, keepdims, _present(a, where), mean))


def _weights_over(weights: Array, weights_ndim: int, ndim: int, axis: Axis) -> Array:
    """1-D weights laid out along their axis; weights of full or partial shape as they are."""
    if axis is None or weights_ndim == ndim:
        return weights
    axes = tuple(i % ndim for i in (axis if isinstance(axis, tuple) else (axis,)))
    moved = np.transpose(weights, sorted(range(len(axes)), key=lambda i: axes[i]))
    return np.expand_dims(moved, tuple(i for i in range(ndim) if i not in axes))


@vjp(np.average, "a")
def average_a(ct: Any, a_shape: Shape, axis: Axis, weights: Array, weights_ndim: Any,
              returned: bool, keepdims: bool) -> Array:
    ct = keep_axes(ct[0] if returned else ct, axis, keepdims, len(a_shape))
    if weights is None:
        return np.broadcast_to(ct / at_least_one(reduced_size(a_shape, axis)), a_shape)
    w = _weights_over(weights, weights_ndim, len(a_shape), axis)
    return np.broadcast_to(ct * w / reduced(np.sum, w, axis), a_shape)


@vjp(np.average, "weights")
def average_weights(ct: Any, ans: Any, a: Array, axis: Axis, weights: Array, weights_ndim: int,
                    returned: bool, keepdims: bool) -> Array:
    ndim = np.ndim(a)
    mean, total_ct = (ans[0], ct[1]) if returned else (ans, None)
    w = _weights_over(weights, weights_ndim, ndim, axis)
    ct = keep_axes(ct[0] if returned else ct, axis, keepdims, ndim)
    d = ct * (a - keep_axes(mean, axis, keepdims, ndim)) / reduced(np.sum, w, axis)
    if total_ct is not None:
        d = d + keep_axes(total_ct, axis, keepdims)
    if axis is None or weights_ndim == ndim:
        return d
    axes = tuple(i % ndim for i in (axis if isinstance(axis, tuple) else (axis,)))
    d = np.sum(d, axis=tuple(i for i in range(ndim) if i not in axes))
    return np.transpose(d, [sorted(axes).index(i) for i in axes])


@runtime
def quantile_places(a: Array, q: Array, method: Any) -> Array:
    """The (fractional) place in the sorted last axis of ``a`` that ``np.quantile`` reads, for
    each of the flattened ``q``: the quantile of 0, 1, 2, ..."""
    n = np.shape(a)[-1]
    return np.quantile(np.arange(n, dtype=float) if n else [0.0], np.ravel(q), method=method)


@vjp(quantile_places, "q", a=None)
def quantile_places_q(ct: Array, a: Array, q_shape: tuple[int, ...], method: str) -> Array:
    if method != "linear":
        raise NoRule(f"np.quantile has no derivative rule for q with method={method!r}")
    return np.reshape(ct * (np.shape(a)[-1] - 1), q_shape)


@runtime
def sorted_places(a: Array, ranks: Array) -> Array:
    """Where the elements of ``a`` stand that its sorted last axis has at ``ranks`` (1-D), the
    last one for ranks beyond it.  In a line with NaN it is the NaN that is read, whatever the rank.

    >>> sorted_places(np.array([[3.0, 1.0, 2.0], [3.0, np.nan, 2.0]]), np.array([0, 1]))
    array([[1, 2],
           [1, 1]])
    """
    if not np.shape(a)[-1]:
        return np.zeros((*np.shape(a)[:-1], len(ranks)), np.intp)
    order = np.argsort(a, kind="stable")
    last = order[..., -1:]
    missing = np.isnan(np.take_along_axis(a, last, -1))
    return np.where(missing, last, np.take(order, ranks, -1, mode="clip"))


nondiff(sorted_places)


def _between(a: Array, places: Array) -> tuple[Array, Array, Array]:
    """The elements that stand below and above fractional places of the sorted last axis of ``a``,
    and the share of the upper ones."""
    low = np.floor(places)
    ranks = np.concatenate([low, np.ceil(places)]).astype(np.intp)
    below, above = np.split(sorted_places(a, ranks), 2, axis=-1)
    return below, above, (places - low).astype(a.dtype)


@runtime
def spread_places(d: Array, a: Array, places: Array) -> Array:
    """The transpose of reading ``places`` (1-D) of the sorted last axis of ``a``; ``d`` has them
    last, or is a number.

    >>> spread_places(np.array([4.0]), np.array([3.0, 1.0, 2.0]), np.array([0.25]))
    array([0., 3., 1.])
    """
    below, above, share = _between(a, places)
    return np.asarray(scatter_along_axis(d * (1 - share), below, -1, np.shape(a))
                      + scatter_along_axis(d * share, above, -1, np.shape(a)))


@runtime
def read_places(x: Array, a: Array, places: Array) -> Array:
    """``x`` at the (fractional) ``places`` of the sorted last axis of ``a``."""
    below, above, share = _between(a, places)
    return np.asarray(np.take_along_axis(x, below, -1) * (1 - share)
                      + np.take_along_axis(x, above, -1) * share)


def _rise(x: Array, a: Array, places: Array) -> Array:
    """How much ``x`` rises from below places of the sorted last axis of ``a`` to above them."""
    above = sorted_places(a, np.ceil(places).astype(np.intp))
    below = sorted_places(a, np.floor(places).astype(np.intp))
    return np.take_along_axis(x, above, -1) - np.take_along_axis(x, below, -1)


vjp(spread_places, a=None,
    d=lambda ct, d_shape, a, places: sum_to(read_places(ct, a, places), d_shape),
    places=lambda ct, d, a, places, places_shape: sum_to(d * _rise(ct, a, places), places_shape))
vjp(read_places, a=None,
    x=lambda ct, a, places: spread_places(ct, a, places),
    places=lambda ct, x, a, places, places_shape: sum_to(ct * _rise(x, a, places), places_shape))


def _quantile(ct: Array, a: Array, q: Array, axis: Axis, method: str, keepdims: bool) -> Array:
    q = as_array(q)
    q_ndim = np.ndim(q)
    shape = np.shape(a)
    if keepdims:  # the reduced axes, and after them nothing but the kept ones
        reduced = axis if axis is not None else tuple(range(len(shape)))
        axes = reduced if isinstance(reduced, tuple) else (reduced,)
        ct = np.squeeze(ct, tuple(i % len(shape) + q_ndim for i in axes))
    kept = np.shape(ct)[q_ndim:]
    if kept or q_ndim:
        ct = np.moveaxis(np.reshape(ct, (size_of(np.shape(q)), *kept)), 0, -1)
    flat = flatten_axes(a, axis, len(shape))
    d = spread_places(ct, flat, quantile_places(flat, q, method))
    return restore_axes(d, axis, shape)


def _share(q: Array, weights: Array) -> Array:
    """Percent as a share, where there are no weights."""
    return np.divide(_unweighted(q, weights), 100)


def _unweighted(q: Array, weights: Array) -> Array:
    """The probabilities, where there are no weights."""
    if weights is not None:
        raise NoRule("np.quantile and np.percentile have no derivative rule with weights=")
    return as_array(q)


vjp(np.quantile,
    a=lambda ct, a, q, axis, method, keepdims, weights:
        _quantile(ct, a, _unweighted(q, weights), axis, method, keepdims))
vjp(np.percentile,
    a=lambda ct, a, q, axis, method, keepdims, weights:
        _quantile(ct, a, _share(q, weights), axis, method, keepdims))


@vjp(np.quantile, "q")
def quantile_q(ct: Array, a: Array, q: Array, q_shape: tuple[int, ...], axis: Axis, method: str,
               keepdims: bool, weights: Array) -> Array:
    """The slope between two neighbours in the sorted sample."""
    q = _unweighted(q, weights)
    if method != "linear":
        raise NoRule(f"np.quantile has no derivative rule for q with method={method!r}")
    flat = flatten_axes(a, axis, np.ndim(a))
    places = quantile_places(flat, q, method)
    rise = np.moveaxis(_rise(flat, flat, places), -1, 0) * (np.shape(flat)[-1] - 1)
    d = np.reshape(ct, np.shape(rise)) * rise
    return np.reshape(np.sum(d, axis=tuple(range(1, np.ndim(d)))), q_shape)


vjp(np.percentile,
    q=lambda ct, a, q, q_shape, axis, method, keepdims, weights:
        quantile_q(ct, a, _share(q, weights), q_shape, axis, method, keepdims, weights) / 100)
vjp(np.median, a=lambda ct, a, axis, keepdims: _quantile(ct, a, 0.5, axis, "linear", keepdims))


@runtime
def middle_places(a: Array) -> Array:
    """Where the middle two of those elements stand in the last axis of ``a`` that are not NaN
    (twice the middle one if their number is odd).

    >>> middle_places(np.array([3.0, np.nan, 1.0, 2.0]))
    array([3, 3])
    """
    present = np.sum(~np.isnan(a), axis=-1, keepdims=True)
    middle = np.concatenate([np.maximum(present - 1, 0) // 2, present // 2], axis=-1)
    if not np.shape(a)[-1]:
        return middle
    return np.take_along_axis(np.argsort(a, kind="stable"), middle, -1)


nondiff(middle_places)


@vjp(np.nanmedian, "a")
def nanmedian_a(ct: Array, ans: Array, a: Array, a_dtype: Dtype, axis: Axis,
                keepdims: bool) -> Array:  # fmt: skip
    """Half of it to each of the middle two of those that are there."""
    shape = np.shape(a)
    flat = flatten_axes(a, axis, len(shape))
    kept = np.shape(flat)[:-1]
    places = middle_places(flat)
    half = np.broadcast_to(0.5 * np.reshape(ct, (*kept, 1)), np.shape(places))
    return restore_axes(scatter_along_axis(half, places, -1, np.shape(flat)), axis, shape)


def _no_weights(fweights: Any, aweights: Any) -> None:
    if fweights is not None or aweights is not None:
        raise NoRule("np.cov has no derivative rule with fweights= or aweights=")


@vjp(np.cov, "m")
def cov_m(ct: Array, m: Array, m_ndim: int, m_dtype: Dtype, y: Array, rowvar: bool,
          bias: bool, ddof: Any, fweights: Any, aweights: Any) -> Array:
    _no_weights(fweights, aweights)
    if y is not None:
        raise NoRule("np.cov: no derivative rule with y=; stack the variables with np.vstack")
    by_row = m_ndim == 1 or rowvar
    x = np.atleast_2d(m) if by_row else m.T
    n = np.shape(x)[1] - ((0 if bias else 1) if ddof is None else ddof)
    square = np.reshape(ct, (np.shape(x)[0], np.shape(x)[0]))
    centred = x - np.mean(x, axis=1, keepdims=True)
    if m_dtype.kind == "c":
        d = (square @ np.conj(centred) + np.conj(square.T @ centred)) / n
    else:
        d = (square + square.T) @ centred / n
    return np.reshape(d if by_row else d.T, np.shape(m))


@vjp(np.corrcoef, "x")
def corrcoef_x(ct: Array, ans: Array, x: Array, x_ndim: int, y: Array, rowvar: bool) -> Array:
    if y is not None:
        raise NoRule("np.corrcoef: no derivative rule with y=; stack them with np.vstack")
    by_row = x_ndim == 1 or rowvar
    rows = np.atleast_2d(x) if by_row else x.T
    centred = rows - np.mean(rows, axis=1, keepdims=True)
    length = np.sqrt(np.sum(centred * centred, axis=1, keepdims=True))
    unit = centred / length
    square = np.reshape(ct, (np.shape(rows)[0], np.shape(rows)[0]))
    both = square + square.T
    along = np.sum(both * np.reshape(ans, np.shape(square)), axis=1, keepdims=True) * unit
    d = (both @ unit - along) / length
    return np.reshape(d if by_row else d.T, np.shape(x))


linear(np.bincount, like=lambda x, weights=None, minlength=0: None, weights=lambda ct, x: ct[x])

inactive(np.bincount, "x", "minlength")
nondiff(np.digitize)
