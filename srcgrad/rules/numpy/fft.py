"""Discrete Fourier transforms: their matrices are symmetric, real ones halve a spectrum."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.book import Array, Shape, linear, vjp
from srcgrad.rules.broadcast import resize_axis, sum_to

_SWAPPED = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}


def _resized(ct: Array, shape: Shape, n: Any, axis: int) -> Array:
    return ct if n is None else resize_axis(ct, shape[axis], axis)


linear(np.fft.fft,
    a=lambda ct, a_shape, n, axis, norm:
        _resized(np.fft.fft(ct, axis=axis, norm=norm), a_shape, n, axis))
linear(np.fft.ifft,
    a=lambda ct, a_shape, n, axis, norm:
        _resized(np.fft.ifft(ct, axis=axis, norm=norm), a_shape, n, axis))


def _axes(axes: Any, s: Any, ndim: int) -> tuple[int, ...]:
    if axes is None:
        return tuple(range(ndim)) if s is None else tuple(range(-len(s), 0))
    return tuple(axes)


def _resized_all(ct: Array, shape: Shape, s: Any, axes: tuple[int, ...]) -> Array:
    if s is not None:
        for axis in axes:
            ct = resize_axis(ct, shape[axis], axis)
    return ct


@linear(np.fft.fftn, "a")
@linear(np.fft.fft2, "a")
def fftn_a(ct: Array, a_shape: Shape, s: Any, axes: Any, norm: Any) -> Array:
    axes = _axes(axes, s, len(a_shape))
    return _resized_all(np.fft.fftn(ct, axes=axes, norm=norm), a_shape, s, axes)


@linear(np.fft.ifftn, "a")
@linear(np.fft.ifft2, "a")
def ifftn_a(ct: Array, a_shape: Shape, s: Any, axes: Any, norm: Any) -> Array:
    axes = _axes(axes, s, len(a_shape))
    return _resized_all(np.fft.ifftn(ct, axes=axes, norm=norm), a_shape, s, axes)


@linear(np.fft.rfft, "a")
def rfft_a(ct: Array, a_shape: Shape, n: Any, axis: int, norm: Any) -> Array:
    whole = np.fft.fft(ct, a_shape[axis] if n is None else n, axis, norm)
    return _resized(np.real(whole), a_shape, n, axis)


@linear(np.fft.irfft, "a")
def irfft_a(ct: Array, a_shape: Shape, n: Any, axis: int, norm: Any) -> Array:
    n = 2 * (a_shape[axis] - 1) if n is None else n
    half = resize_axis(np.fft.ifft(ct, axis=axis, norm=norm), n // 2 + 1, axis)
    place = np.cumsum(np.ones_like(half, dtype=np.intp), axis=axis) - 1
    both = np.where((place == 0) | (2 * place == n), half, 2 * half)
    return resize_axis(both, a_shape[axis], axis)


@linear(np.fft.rfftn, "a")
@linear(np.fft.rfft2, "a")
def rfftn_a(ct: Array, a_shape: Shape, s: Any, axes: Any, norm: Any) -> Array:
    axes = _axes(axes, s, len(a_shape))
    if len(axes) > 1:
        ct = np.fft.fftn(ct, axes=axes[:-1], norm=norm)
    last = rfft_a(ct, a_shape, None if s is None else s[-1], axes[-1], norm)
    return _resized_all(last, a_shape, s and s[:-1], axes[:-1])


@linear(np.fft.irfftn, "a")
@linear(np.fft.irfft2, "a")
def irfftn_a(ct: Array, a_shape: Shape, s: Any, axes: Any, norm: Any) -> Array:
    axes = _axes(axes, s, len(a_shape))
    last = irfft_a(ct, a_shape, None if s is None else s[-1], axes[-1], norm)
    if len(axes) == 1:
        return last
    rest = np.fft.ifftn(last, axes=axes[:-1], norm=norm)
    return _resized_all(rest, a_shape, s and s[:-1], axes[:-1])


linear(np.fft.hfft,
    a=lambda ct, a_shape, n, axis, norm: np.conj(irfft_a(ct, a_shape, n, axis, _SWAPPED[norm])))
linear(np.fft.ihfft,
    a=lambda ct, a_shape, n, axis, norm: rfft_a(np.conj(ct), a_shape, n, axis, _SWAPPED[norm]))
linear(np.fft.fftshift, x=lambda ct, axes: np.fft.ifftshift(ct, axes))
linear(np.fft.ifftshift, x=lambda ct, axes: np.fft.fftshift(ct, axes))


@vjp(np.fft.fftfreq, "d", n=None)
@vjp(np.fft.rfftfreq, "d", n=None)
def fftfreq_d(ct: Array, ans: Array, d: Array, d_shape: Shape) -> Array:
    """Frequencies are whole numbers over the spacing."""
    return -sum_to(ct * ans, d_shape) / d
