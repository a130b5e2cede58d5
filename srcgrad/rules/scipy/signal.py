"""Convolutions, correlations and filters of ``scipy.signal``."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.signal as sp

from srcgrad.rules.book import Array, Dtype, NoRule, Shape, linear, nondiff, vjp
from srcgrad.rules.broadcast import dispatching, runtime
from srcgrad.rules.numpy.products import conj_complex
from srcgrad.rules.scipy.ndimage_ranks import picked_back

# -- convolutions and correlations of ``scipy.signal``, in any number of dimensions -------------
# ``convolve(x, k)`` is linear in each input.  Its transpose puts the cotangent into the middle of
# an array of the size of the full convolution (that is where ``"same"`` and ``"valid"`` cut it out)
# and correlates that with the other input.

def _middle(full: Shape, shape: Shape) -> tuple[slice, ...]:
    """Where an array of ``shape`` lies in the middle of a larger one."""
    return tuple(slice((f - n) // 2, (f - n) // 2 + n) for f, n in zip(full, shape))


@runtime
def convolved_back(part: Array, other: Array, shape: Shape) -> Array:
    """The cotangent of the input of ``shape`` whose convolution with ``other`` has in its middle
    the cotangent ``part``.

    >>> convolved_back(np.array([1.0, 0.0, 0.0]), np.array([5.0, 7.0]), (2,))
    array([5., 0.])
    """
    full = np.zeros([n + m - 1 for n, m in zip(shape, other.shape)],
                    np.result_type(part.dtype, other.dtype))
    full[_middle(full.shape, part.shape)] = part
    return np.asarray(sp.correlate(full, np.conj(other), mode="valid"))


@runtime
def convolved_middle(x: Array, other: Array, shape: Shape) -> Array:
    """The middle, of ``shape``, of the full convolution of two arrays.

    >>> convolved_middle(np.array([1.0, 2.0]), np.array([5.0, 7.0]), (1,))
    array([17.])
    """
    full = np.asarray(sp.convolve(x, other))
    return full[_middle(full.shape, shape)]


vjp(convolved_back,
    part=lambda ct, part_shape, other: convolved_middle(ct, other, part_shape),
    other=lambda ct, part, other_shape: convolved_back(part, ct, other_shape))
vjp(convolved_middle,
    x=lambda ct, x_shape, other: convolved_back(ct, other, x_shape),
    other=lambda ct, x, other_shape: convolved_back(ct, x, other_shape))


def _with_zeros(ct: Array, name: str, boundary: str, fillvalue: Any) -> Array:
    """The cotangent, of a convolution whose boundary is filled with zeros."""
    if boundary != "fill" or not (isinstance(fillvalue, int | float) and fillvalue == 0):
        raise NoRule(f"scipy.signal.{name} has a derivative rule for a boundary filled with "
                     "zeros only")
    return ct


def _of_all_axes(ct: Array, axes: Any) -> Array:
    """The cotangent, of a convolution along all axes."""
    if axes is not None:
        raise NoRule("convolutions along some axes= have no derivative rule")
    return ct


vjp(sp.convolve,
    in1=lambda ct, in1_shape, in2: convolved_back(ct, in2, in1_shape),
    in2=lambda ct, in1, in2_shape: convolved_back(ct, in1, in2_shape))
for _function in (sp.fftconvolve, sp.oaconvolve):
    vjp(_function,
        in1=lambda ct, in1_shape, in2, axes:
            convolved_back(_of_all_axes(ct, axes), in2, in1_shape),
        in2=lambda ct, in1, in2_shape, axes:
            convolved_back(_of_all_axes(ct, axes), in1, in2_shape))
vjp(sp.convolve2d,
    in1=lambda ct, in1_shape, in2, boundary, fillvalue:
        convolved_back(_with_zeros(ct, "convolve2d", boundary, fillvalue), in2, in1_shape),
    in2=lambda ct, in1, in2_shape, boundary, fillvalue:
        convolved_back(_with_zeros(ct, "convolve2d", boundary, fillvalue), in1, in2_shape))

# ---- correlation: convolution with the conjugate of the second input, turned round -------------
vjp(sp.correlate,
    in1=lambda ct, in1_shape, in2, in2_dtype:
        convolved_back(ct, conj_complex(np.flip(in2), in2_dtype), in1_shape),
    in2=lambda ct, in1, in2_shape, in2_dtype:
        conj_complex(np.flip(convolved_back(ct, in1, in2_shape)), in2_dtype))


@vjp(sp.correlate2d, "in1")
def correlate2d_in1(ct: Array, in1_shape: Shape, in2: Array, in2_dtype: Dtype, boundary: str,
                    fillvalue: Any) -> Array:
    """Its middle is the other one of the two middles of an even size."""
    turned = np.flip(_with_zeros(ct, "correlate2d", boundary, fillvalue))
    return np.flip(convolved_back(turned, conj_complex(in2, in2_dtype), in1_shape))


@vjp(sp.correlate2d, "in2")
def correlate2d_in2(ct: Array, in1: Array, in2_shape: Shape, in2_dtype: Dtype, boundary: str,
                    fillvalue: Any) -> Array:
    turned = np.flip(_with_zeros(ct, "correlate2d", boundary, fillvalue))
    return conj_complex(convolved_back(turned, np.flip(in1), in2_shape), in2_dtype)


# ---- places of peaks -----------------------------------------------------------------------------
@runtime
def is_peak(x: Array, settings: Any) -> Array:
    """Where ``scipy.signal.find_peaks`` finds the peaks of a vector, as truth values.

    >>> is_peak(np.array([0.0, 2.0, 1.0, 3.0, 0.0]), {"height": 2.5})
    array([False, False, False,  True, False])
    """
    found = np.zeros(np.shape(x), bool)
    found[sp.find_peaks(x, **settings)[0]] = True
    return found


nondiff(is_peak)


# -- linear filters of ``scipy.signal``: ``lfilter`` and ``sosfilt`` ----------------------------
# With ``a(z) y = b(z) x`` the transpose filters the reversed cotangent; the coefficients meet lags
# of the signals filtered by ``1 / a``.

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
