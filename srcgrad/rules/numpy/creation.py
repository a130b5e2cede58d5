"""Functions that make arrays: constant in shapes and counts, linear in the numbers they lay out."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.book import Array, Shape, linear, nondiff, vjp
from srcgrad.rules.broadcast import sum_to
from srcgrad.rules.numpy.elementary import natural_log

nondiff(
    np.zeros, np.ones, np.empty, np.zeros_like, np.ones_like, np.empty_like, np.eye, np.identity,
    np.tri, np.fromfunction, np.bartlett, np.blackman, np.hamming, np.hanning,
)  # fmt: skip

linear(np.full, shape=None,
    fill_value=lambda ct, fill_value_shape: sum_to(ct, fill_value_shape))
linear(np.full_like, a=None,
    fill_value=lambda ct, fill_value_shape: sum_to(ct, fill_value_shape))


@linear(np.arange, "start",
        like=lambda start, stop=None, step=1, dtype=None, *, device=None, like=None: None)
def arange_start(ct: Array, stop: Array) -> Array:
    return None if stop is None else np.sum(ct)  # one argument is the stop


linear(np.arange, stop=None, step=lambda ct: np.sum(ct * (np.cumsum(np.ones_like(ct)) - 1)))


def _fractions(ct: Array, num: Any, endpoint: bool, axis: int) -> Array:
    """The weight of ``stop`` in each sample, along the first axis."""
    ct = np.moveaxis(ct, axis, 0)
    return (np.cumsum(np.ones_like(ct), axis=0) - 1) / _intervals(num, endpoint)


def _intervals(num: Any, endpoint: bool) -> Any:
    if not endpoint:
        return num
    return max(num - 1, 1) if isinstance(num, int) else np.maximum(num - 1, 1)


def _end(ct: Any, num: Any, endpoint: bool, retstep: bool, axis: int, shape: Shape,
         stop: bool) -> Array:
    """The cotangent of the ``stop``, or the start, of equally spaced samples."""
    samples, step = ct if retstep else (ct, None)
    d: Array = None
    if samples is not None:
        share = _fractions(samples, num, endpoint, axis)
        d = sum_to(np.moveaxis(samples, axis, 0) * (share if stop else 1 - share), shape)
    if step is not None:
        by_step = (sum_to(step, shape) if stop else -sum_to(step, shape)) / _intervals(
            num, endpoint)
        d = by_step if d is None else d + by_step
    return d


linear(np.linspace, num=None,
    start=lambda ct, num, endpoint, retstep, axis, start_shape:
        _end(ct, num, endpoint, retstep, axis, start_shape, stop=False),
    stop=lambda ct, num, endpoint, retstep, axis, stop_shape:
        _end(ct, num, endpoint, retstep, axis, stop_shape, stop=True))
vjp(np.geomspace,
    start=lambda ct, ans, num, endpoint, axis, start, start_shape:
        _end(ct * ans, num, endpoint, False, axis, start_shape, stop=False) / start,
    stop=lambda ct, ans, num, endpoint, axis, stop, stop_shape:
        _end(ct * ans, num, endpoint, False, axis, stop_shape, stop=True) / stop)


@vjp(np.logspace, "start")
def logspace_start(ct: Array, ans: Array, num: Any, endpoint: bool, base: Array, axis: int,
                   start_shape: Shape) -> Array:
    d = ct * ans * natural_log(base)
    return _end(d, num, endpoint, False, axis, start_shape, stop=False)


@vjp(np.logspace, "stop")
def logspace_stop(ct: Array, ans: Array, num: Any, endpoint: bool, base: Array, axis: int,
                  stop_shape: Shape) -> Array:
    d = ct * ans * natural_log(base)
    return _end(d, num, endpoint, False, axis, stop_shape, stop=True)


@vjp(np.vander, "x")
def vander_x(ct: Array, ans: Array, increasing: bool) -> Array:
    if not increasing:
        ct, ans = np.flip(ct, -1), np.flip(ans, -1)
    powers = np.cumsum(np.ones_like(ct[..., 1:]), axis=-1)
    return np.sum(ct[..., 1:] * powers * ans[..., :-1], axis=-1)
