"""Functions of ``scipy.fft``: NumPy's transforms again, and cosine and sine transforms."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.fft as sf

from srcgrad.rules.book import Array, NoRule, linear, nondiff, static, variant
from srcgrad.rules.broadcast import dispatching, resize_axis
from srcgrad.rules.numpy.joining import along

for _names, _like in (
    (("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"), lambda a, n=None, axis=-1, norm=None,
     overwrite_x=False, workers=None, *, plan=None: None),
    (("fft2", "ifft2", "rfft2", "irfft2"), lambda a, s=None, axes=(-2, -1), norm=None,
     overwrite_x=False, workers=None, *, plan=None: None),
    (("fftn", "ifftn", "rfftn", "irfftn"), lambda a, s=None, axes=None, norm=None,
     overwrite_x=False, workers=None, *, plan=None: None),
):
    for _name in _names:
        variant(getattr(np.fft, _name), getattr(sf, _name), _like)
variant(np.fft.fftshift, sf.fftshift, lambda x, axes=None: None)
variant(np.fft.ifftshift, sf.ifftshift, lambda x, axes=None: None)
for _name in ("fftfreq", "rfftfreq"):
    if getattr(sf, _name) is not getattr(np.fft, _name):
        variant(getattr(np.fft, _name), getattr(sf, _name),
                lambda n, d=1.0, *, xp=None, device=None: None)
nondiff(sf.next_fast_len)


def _scaled(x: Array, axis: int, cosine: bool, factor: float) -> Array:
    """``x`` with its first entry (cosines) or last entry (sines) along ``axis`` multiplied."""
    axis = axis % np.ndim(x)
    border = 1 if cosine else -1
    head, tail = x[along(axis, slice(None, border))], x[along(axis, slice(border, None))]
    parts = [factor * head, tail] if cosine else [head, factor * tail]
    return np.concatenate(parts, axis=axis)


def _ends_scaled(x: Array, axis: int, factor: float) -> Array:
    """``x`` with its first and its last entry along ``axis`` multiplied."""
    axis = axis % np.ndim(x)
    parts = [factor * x[along(axis, slice(None, 1))], x[along(axis, slice(1, -1))],
             factor * x[along(axis, slice(-1, None))]]
    return np.concatenate(parts, axis=axis)


def cosine_transpose(function: Any, inverse: Any, cosine: bool, forward: bool) -> Any:
    """The rule of a cosine or sine transform: an orthogonal one turns into its inverse, types 2
    and 3 are each other's transposes up to the weight of one entry, type 4 is symmetric, and so
    is type 1 of sines; that of cosines counts its ends half."""
    same, back = dispatching(function), dispatching(inverse)

    def transposed(ct: Array, type: int, axis: int, norm: Any) -> Array:
        if norm == "ortho":
            return back(ct, type=type, axis=axis, norm=norm)
        if type == 1 and cosine:
            inner = same(_ends_scaled(ct, axis, 2), type=1, axis=axis, norm=norm)
            return _ends_scaled(inner, axis, 0.5)
        if type in (1, 4):
            return same(ct, type=type, axis=axis, norm=norm)
        if (type == 2) == forward:
            return same(_scaled(ct, axis, cosine, 2), type=5 - type, axis=axis, norm=norm)
        return _scaled(same(ct, type=5 - type, axis=axis, norm=norm), axis, cosine, 0.5)

    def transform_x(ct: Array, x_shape: tuple[int, ...], type: int, n: Any, axis: int, norm: Any,
                    orthogonalize: Any) -> Array:
        if orthogonalize is not None or type not in (1, 2, 3, 4):
            raise NoRule(
                "cosine and sine transforms have a derivative rule for types 1 to 4, "
                "without orthogonalize="
            )
        d = transposed(ct, type, axis, norm)
        return d if n is None else resize_axis(d, x_shape[axis], axis)

    return transform_x


def over_axes(transform_x: Any, ct: Array, x_shape: tuple[int, ...], type: int, shape: Any,
              axes: Any, norm: Any) -> Array:
    """The rule of a transform along several axes, from that along one."""
    if shape is not None:
        raise NoRule("cosine and sine transforms of several axes have a derivative rule without "
                     "a shape")
    which = range(len(x_shape)) if axes is None else axes if isinstance(axes, tuple | list) else (
        axes,)
    for axis in which:
        ct = transform_x(ct, x_shape, type, None, axis, norm)
    return ct


def _parameters(x: Any, type: Any = 2, n: Any = None, axis: Any = -1, norm: Any = None,
                overwrite_x: Any = False, workers: Any = None, orthogonalize: Any = None) -> None:
    """The parameters of the cosine and sine transforms."""


def _several(x: Any, type: Any = 2, s: Any = None, axes: Any = None, norm: Any = None,
             overwrite_x: Any = False, workers: Any = None, orthogonalize: Any = None) -> None:
    """The parameters of those along several axes."""


def _declare(name: str, other: str, forward: bool) -> None:
    one = cosine_transpose(getattr(sf, name), getattr(sf, other), "dct" in name, forward)

    def several_x(ct: Array, x_shape: Any, type: int, s: Any, axes: Any, norm: Any,
                  orthogonalize: Any) -> Array:  # fmt: skip
        def along_one(ct: Array, *given: Any) -> Array:
            return one(ct, *given, orthogonalize)

        return over_axes(along_one, ct, x_shape, type, s, axes, norm)

    linear(getattr(sf, name), "x", like=_parameters)(one)
    linear(getattr(sf, f"{name}n"), "x", like=_several)(several_x)
    static(getattr(sf, name), "type")
    static(getattr(sf, f"{name}n"), "type", "axes")


for _name in ("dct", "dst"):
    _declare(_name, f"i{_name}", forward=True)
    _declare(f"i{_name}", _name, forward=False)
