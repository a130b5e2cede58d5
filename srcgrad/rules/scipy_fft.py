"""Functions of ``scipy.fft``: NumPy's transforms again, and cosine and sine transforms."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.fft as sf

from srcgrad.rules.book import Array, NoRule, linear, nondiff, variant
from srcgrad.rules.broadcast import dispatching
from srcgrad.rules.joining import along

for _name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    variant(
        getattr(np.fft, _name),
        getattr(sf, _name),
        lambda a, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None: None,
    )
for _name in ("fft2", "ifft2", "rfft2", "irfft2"):
    variant(
        getattr(np.fft, _name),
        getattr(sf, _name),
        lambda a, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None:
        None,
    )
for _name in ("fftn", "ifftn", "rfftn", "irfftn"):
    variant(
        getattr(np.fft, _name),
        getattr(sf, _name),
        lambda a, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None: None,
    )
variant(np.fft.fftshift, sf.fftshift, lambda x, axes=None: None)
variant(np.fft.ifftshift, sf.ifftshift, lambda x, axes=None: None)
nondiff(sf.fftfreq, sf.rfftfreq, sf.next_fast_len)


def _scaled(x: Array, axis: int, cosine: bool, factor: float) -> Array:
    """``x`` with its first entry (cosines) or last entry (sines) along ``axis`` multiplied."""
    axis = axis % np.ndim(x)
    border = 1 if cosine else -1
    head, tail = x[along(axis, slice(None, border))], x[along(axis, slice(border, None))]
    parts = [factor * head, tail] if cosine else [head, factor * tail]
    return np.concatenate(parts, axis=axis)


def _transpose(function: Any, inverse: Any, cosine: bool, forward: bool) -> Any:
    """The rule of a cosine or sine transform: an orthogonal one turns into its inverse, types 2
    and 3 are each other's transposes up to the weight of one entry, type 4 is symmetric."""
    same, back = dispatching(function), dispatching(inverse)

    def transform_x(
        ct: Array, type: int, n: Any, axis: int, norm: Any, orthogonalize: Any
    ) -> Array:
        if n is not None or orthogonalize is not None or type not in (2, 3, 4):
            raise NoRule(
                "cosine and sine transforms have a derivative rule for types 2 to 4, "
                "without n= and orthogonalize="
            )
        if norm == "ortho":
            return back(ct, type=type, axis=axis, norm=norm)
        if type == 4:
            return same(ct, type=type, axis=axis, norm=norm)
        if (type == 2) == forward:
            return same(_scaled(ct, axis, cosine, 2), type=5 - type, axis=axis, norm=norm)
        return _scaled(same(ct, type=5 - type, axis=axis, norm=norm), axis, cosine, 0.5)

    return transform_x


def _parameters(x: Any, type: Any = 2, n: Any = None, axis: Any = -1, norm: Any = None,
                overwrite_x: Any = False, workers: Any = None,
                orthogonalize: Any = None) -> None:  # fmt: skip
    """The parameters of the cosine and sine transforms."""


linear(sf.dct, "x", like=_parameters)(_transpose(sf.dct, sf.idct, cosine=True, forward=True))
linear(sf.idct, "x", like=_parameters)(_transpose(sf.idct, sf.dct, cosine=True, forward=False))
linear(sf.dst, "x", like=_parameters)(_transpose(sf.dst, sf.idst, cosine=False, forward=True))
linear(sf.idst, "x", like=_parameters)(_transpose(sf.idst, sf.dst, cosine=False, forward=False))
