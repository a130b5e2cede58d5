"""Linear filters of ``scipy.signal``: ``lfilter`` and ``sosfilt``.

With ``a(z) y = b(z) x`` the transpose filters the reversed cotangent; the coefficients meet lags
of the signals filtered by ``1 / a``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.signal as sp

from srcgrad.rules.book import Array, NoRule, Shape, linear, vjp
from srcgrad.rules.broadcast import dispatching, runtime
from srcgrad.rules.scipy.ndimage_ranks import picked_back

_lfilter = dispatching(sp.lfilter)
_sosfilt = dispatching(sp.sosfilt)


@runtime
def lag_products(weights: Array, signal: Array, count: int, axis: int) -> Array:
    """The sums of ``weights[n] * signal[n - k]`` along an axis and all others, for each lag k.

    >>> lag_products(np.array([1.0, 2.0, 3.0]), np.array([1.0, 10.0, 100.0]), 2, 0)
    array([321.,  32.])
    """
    weights, signal = np.moveaxis(weights, axis, -1), np.moveaxis(signal, axis, -1)
    size = weights.shape[-1]
    sums = [np.sum(weights[..., k:] * signal[..., : max(size - k, 0)]) for k in range(count)]
    return np.array(sums, np.result_type(weights.dtype, signal.dtype))


def _backwards(b: Array, a: Any, x: Array, axis: int) -> Array:
    return np.flip(_lfilter(b, a, np.flip(x, axis), axis=axis), axis)


vjp(lag_products,
    weights=lambda ct, signal, axis: _lfilter(ct, 1.0, signal, axis=axis),
    signal=lambda ct, weights, axis: _backwards(ct, 1.0, weights, axis))


@vjp(sp.lfilter, "x")
def lfilter_x(ct: Any, b: Array, a: Array, axis: int, zi: Any) -> Array:
    if zi is None:
        return _backwards(b, a, ct, axis)
    return _of_first(ct, lambda d: _backwards(b, a, d, axis))


def _of_first(ct: Any, pull: Any) -> Any:
    out, last = ct
    if last is not None:
        raise NoRule("scipy.signal.lfilter has no derivative rule for its final state")
    return None if out is None else pull(out)


@vjp(sp.lfilter, "b")
def lfilter_b(ct: Any, b_shape: Shape, a: Array, x: Array, axis: int, zi: Any) -> Array:
    def pull(d: Array) -> Array:
        return lag_products(d, _lfilter(np.ones(1), a, x, axis=axis), b_shape[0], axis)

    return pull(ct) if zi is None else _of_first(ct, pull)


@vjp(sp.lfilter, "a")
def lfilter_a(ct: Any, ans: Any, a: Array, a_shape: Shape, axis: int, zi: Any) -> Array:
    if zi is not None:
        raise NoRule("scipy.signal.lfilter has no derivative rule for a with zi=")
    if not a_shape:
        return -np.sum(ct * ans) / a
    return -lag_products(ct, _lfilter(np.ones(1), a, ans, axis=axis), a_shape[0], axis)


@vjp(sp.lfilter, "zi")
def lfilter_zi(ct: Any, a: Array, x: Array, zi_ndim: int, zi_shape: Shape, axis: int) -> Array:
    """The state enters as the response of ``1 / a`` to one pulse for each of its numbers."""

    def pull(d: Array) -> Array:
        return np.flip(_lfilter(np.ones(1), a, np.flip(d, axis), axis=axis), axis)[
            _first_of(axis, zi_ndim, zi_shape)]

    return _of_first(ct, pull)


def _first_of(axis: int, ndim: int, shape: Shape) -> Any:
    axis = axis % ndim
    return tuple(slice(None, shape[i]) if i == axis else slice(None) for i in range(ndim))


@linear(sp.sosfilt, "x")
def sosfilt_x(ct: Any, sos: Array, axis: int, zi: Any) -> Array:
    if zi is not None:
        raise NoRule("scipy.signal.sosfilt has no derivative rule with zi=")
    return np.flip(_sosfilt(sos, np.flip(ct, axis), axis=axis), axis)


@vjp(sp.medfilt, "volume")
def medfilt_volume(ct: Array, ans: Array, volume: Array, kernel_size: Any) -> Array:
    size = 3 if kernel_size is None else kernel_size
    return picked_back(ct, volume, ans, size, None, "constant", 0, 0.0)
