"""Functions of ``scipy.fftpack``: transforms with other parameters and other layouts than those of
``scipy.fft``, and operators on periodic sequences."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.fft as sf
import scipy.fftpack as fp

from srcgrad.rules.book import Array, linear, static, variant
from srcgrad.rules.broadcast import arange, dispatching, resize_axis
from srcgrad.rules.scipy.fft import cosine_transpose, over_axes

for _name in ("fft", "ifft"):
    variant(getattr(np.fft, _name), getattr(fp, _name),
            lambda a, n=None, axis=-1, overwrite_x=False, norm=None: None)
for _name in ("fft2", "ifft2"):
    variant(getattr(np.fft, _name), getattr(fp, _name),
            lambda a, s=None, axes=(-2, -1), overwrite_x=False, norm=None: None)
for _name in ("fftn", "ifftn"):
    variant(getattr(np.fft, _name), getattr(fp, _name),
            lambda a, s=None, axes=None, overwrite_x=False, norm=None: None)
for _shift in (fp.fftshift, fp.ifftshift):
    if _shift not in (np.fft.fftshift, np.fft.ifftshift):
        variant(getattr(np.fft, _shift.__name__), _shift, lambda x, axes=None: None)
variant(np.fft.rfftfreq, fp.rfftfreq, lambda n, d=1.0: None)

_rfft, _irfft = dispatching(fp.rfft), dispatching(fp.irfft)


def _weights(ct: Array, axis: int) -> Array:
    """What ``rfft`` times its transpose is: a number for each of its rows."""
    n = np.shape(ct)[axis]
    places = arange(n)
    single = (places == 0) | ((places == n - 1) & (n % 2 == 0))
    behind = np.ndim(ct) - 1 - axis % np.ndim(ct)
    return np.reshape(np.where(single, n, 0.5 * n), (-1, *(1,) * behind))


@linear(fp.rfft, "x")
def rfft_x(ct: Array, x_shape: tuple[int, ...], axis: int, n: Any) -> Array:
    """Real and imaginary parts one after the other, all but the ends counted once of twice."""
    d = _irfft(_weights(ct, axis) * ct, axis=axis)
    return d if n is None else resize_axis(d, x_shape[axis], axis)


@linear(fp.irfft, "x")
def irfft_x(ct: Array, x_shape: tuple[int, ...], axis: int, n: Any) -> Array:
    d = _rfft(ct, axis=axis) / _weights(ct, axis)
    return d if n is None else resize_axis(d, x_shape[axis], axis)


_INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}


def _cosines(name: str) -> None:
    """Rules of a transform, its inverse (without a norm: the unscaled one) and theirs of several
    axes."""
    there, back = getattr(sf, name), getattr(sf, f"i{name}")
    cosine = name == "dct"
    forward = cosine_transpose(there, back, cosine, True)
    inverse = cosine_transpose(back, there, cosine, False)

    def transform_x(ct: Array, x_shape: Any, type: int, n: Any, axis: int, norm: Any) -> Array:
        return forward(ct, x_shape, type, n, axis, norm, None)

    def inverse_x(ct: Array, x_shape: Any, type: int, n: Any, axis: int, norm: Any) -> Array:
        if norm is None:
            return forward(ct, x_shape, _INVERSE[type], n, axis, norm, None)
        return inverse(ct, x_shape, type, n, axis, norm, None)

    linear(getattr(fp, name), "x")(transform_x)
    linear(getattr(fp, f"i{name}"), "x")(inverse_x)

    def several_x(ct: Array, x_shape: Any, type: int, shape: Any, axes: Any, norm: Any) -> Array:
        return over_axes(transform_x, ct, x_shape, type, shape, axes, norm)

    def several_inverse_x(ct: Array, x_shape: Any, type: int, shape: Any, axes: Any, norm: Any
                          ) -> Array:
        return over_axes(inverse_x, ct, x_shape, type, shape, axes, norm)

    linear(getattr(fp, f"{name}n"), "x")(several_x)
    linear(getattr(fp, f"i{name}n"), "x")(several_inverse_x)
    for function in (name, f"i{name}", f"{name}n", f"i{name}n"):
        static(getattr(fp, function), "type")


_cosines("dct")
_cosines("dst")


# ---- operators on periodic sequences: transposed they are themselves, or turn the sign ----------
_hilbert, _ihilbert, _diff = (dispatching(f) for f in (fp.hilbert, fp.ihilbert, fp.diff))
_tilbert, _itilbert, _moved = (dispatching(f) for f in (fp.tilbert, fp.itilbert, fp.shift))
linear(fp.hilbert, x=lambda ct: -_hilbert(ct))
linear(fp.ihilbert, x=lambda ct: -_ihilbert(ct))
linear(fp.tilbert, x=lambda ct, h, period: -_tilbert(ct, h, period))
linear(fp.itilbert, x=lambda ct, h, period: -_itilbert(ct, h, period))
linear(fp.diff, x=lambda ct, order, period: (-1) ** order * _diff(ct, order, period))
linear(fp.shift, x=lambda ct, a, period: _around(_moved(_around(ct), a, period)))


def _around(x: Array) -> Array:
    """``x[-i]`` for each ``i``: what a circulant matrix is transposed by, from both sides."""
    return np.roll(np.flip(x), 1)
