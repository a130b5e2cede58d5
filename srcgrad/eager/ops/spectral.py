"""Discrete Fourier transforms: `torch.fft`."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager import device as devices
from srcgrad.eager import dtype as dt
from srcgrad.eager.dispatch import Space, within
from srcgrad.eager.ops.casts import convert
from srcgrad.eager.ops.rearranging import roll
from srcgrad.eager.ops.shapes import wrap_dim, wrap_each
from srcgrad.eager.primitive import Primitive
from srcgrad.eager.tensor import Tensor, wrap

FFT = Space("fft_")
_R2C, _C2C, _C2R = "FftR2CBackward0", "FftC2CBackward0", "FftC2RBackward0"
_NODES = {"fft": _C2C, "ifft": _C2C, "rfft": _R2C, "irfft": _C2R, "hfft": _C2R, "ihfft": _R2C,
          "fftn": _C2C, "ifftn": _C2C, "rfftn": _R2C, "irfftn": _C2R}
_PRIMS = {name: Primitive(getattr(np.fft, name), node) for name, node in _NODES.items()}
_R2C_FULL = Primitive(np.fft.fft, _R2C)


def _real_numbers(name: str, input: Tensor) -> Tensor:
    if input._dt.category == dt.COMPLEX:
        raise RuntimeError(f"{name} expects a real input tensor, but got {input._dt.tensor_name}")
    return _floats(input)


def _floats(input: Tensor) -> Tensor:
    if input._dt in (dt.float16, dt.bfloat16):
        raise RuntimeError(f"Unsupported dtype {input._dt.tensor_name}")
    if input._dt.category < dt.FLOATING:
        return convert(input, dt.get_default_dtype())
    return input


def _complex_numbers(input: Tensor) -> Tensor:
    t = _floats(input)
    return t if t._dt.category == dt.COMPLEX else convert(t, t._dt.to_complex())


def _norm(norm: str | None) -> str | None:
    if norm not in (None, "forward", "backward", "ortho"):
        raise RuntimeError(f'Invalid normalization mode: "{norm}"')
    return norm


def _one(name: str, prepare: Any) -> None:
    prim = _PRIMS[name]

    def transform(input: Tensor, n: int | None = None, dim: int = -1,
                  norm: str | None = None) -> Any:
        t = prepare(input)
        i = wrap_dim(dim, t)
        if t._a.ndim == 0:
            raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
        points = t._a.shape[i] if n is None else n
        if points < 1:
            raise RuntimeError(f"Invalid number of data points ({points}) specified")
        plain = name == "fft" and t._dt.category == dt.FLOATING
        return (_R2C_FULL if plain else prim)(t, n, i, _norm(norm))

    within(FFT, name)(transform)


for _kind in ("ifft", "irfft", "hfft"):
    _one(_kind, _complex_numbers)
_one("fft", _floats)
_one("rfft", lambda t: _real_numbers("rfft", t))
_one("ihfft", lambda t: _real_numbers("ihfft", t))


def _axes(dim: Any, input: Tensor) -> tuple[int, ...]:
    return wrap_each(dim if isinstance(dim, tuple | list) else (dim,), input)


def _several(name: str, prepare: Any, default: Any) -> None:
    whole = name.replace("2", "n")
    prim = _PRIMS[whole]

    def transform(input: Tensor, s: Any = None, dim: Any = default, norm: str | None = None) -> Any:
        t = prepare(input)
        if t._a.ndim == 0 and dim:
            raise IndexError(f"Dimension specified as {dim[0]} but tensor has no dimensions")
        if dim is None:
            count = t._a.ndim if s is None else len(s)
            axes = tuple(range(t._a.ndim - count, t._a.ndim))
        else:
            axes = _axes(dim, t)
        sizes = None if s is None else tuple(
            t._a.shape[i] if k == -1 else k for k, i in zip(s, axes))
        return prim(t, sizes, axes, _norm(norm))

    within(FFT, name)(transform)


for _kind, _prepare in (
    ("fft", _complex_numbers), ("ifft", _complex_numbers), ("irfft", _complex_numbers),
    ("rfft", lambda t: _real_numbers("rfftn", t)),
):  # fmt: skip
    _several(_kind + "2", _prepare, (-2, -1))
    _several(_kind + "n", _prepare, None)


def _frequencies(name: str, make: Any) -> None:
    def frequencies(n: int, d: float = 1.0, *, dtype: dt.dtype | None = None, layout: Any = None,
                    device: Any = None, requires_grad: bool = False) -> Tensor:
        devices.check(device)
        kind = dtype or dt.get_default_dtype()
        steps = (make(n) * n).astype(kind.numpy)
        t = wrap(steps * kind.numpy.type(1.0 / (n * d)), kind)
        return t.requires_grad_() if requires_grad else t

    within(FFT, name)(frequencies)


_frequencies("fftfreq", np.fft.fftfreq)
_frequencies("rfftfreq", np.fft.rfftfreq)


def _shift(name: str, amount: Any) -> None:
    def shift(input: Tensor, dim: Any = None) -> Any:
        axes = tuple(range(input._a.ndim)) if dim is None else _axes(dim, input)
        return roll(input, tuple(amount(input._a.shape[i]) for i in axes), axes)

    within(FFT, name, out=False)(shift)


_shift("fftshift", lambda n: n // 2)
_shift("ifftshift", lambda n: (n + 1) // 2)
