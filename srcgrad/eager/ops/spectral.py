"""Fourier transforms: `torch.fft`, and those of the windows of a signal."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager import device as devices
from srcgrad.eager.calling_errors import refuse
from srcgrad.eager.dispatch import Primitive, Space, Tensor, dt, op, within, wrap
from srcgrad.eager.nodes import named
from srcgrad.eager.ops.arguments import warn_once
from srcgrad.eager.ops.casts import convert
from srcgrad.eager.ops.complex_views import complex_of, view_as_real
from srcgrad.eager.ops.joining import cat
from srcgrad.eager.ops.pointwise import as_floating
from srcgrad.eager.ops.rearranging import narrow, roll
from srcgrad.eager.ops.shapes import reshape, squeeze_fresh, transpose, wrap_dim, wrap_each

FFT = Space("fft", "fft_")
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
    refuse(input._dt in (dt.float16, dt.bfloat16), "Unsupported dtype {}", input._dt.tensor_name)
    return as_floating(input)


def _complex_numbers(input: Tensor) -> Tensor:
    return complex_of(_floats(input))


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
        refuse(points < 1, "Invalid number of data points ({}) specified", points)
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


def _window(name: str, window: Tensor | None, n_fft: int, length: int, like: dt.dtype) -> Tensor:
    if window is None:
        w = wrap(np.ones(length, like.to_real().numpy), like.to_real())
    else:
        refuse(window._a.ndim != 1 or window._a.shape[0] != length, "{}: expected a 1D window "
               "tensor of size equal to win_length={}, but got window with size {}",
               name, length, list(window._a.shape))
        w = window
    if length == n_fft:
        return w
    left = (n_fft - length) // 2
    return cat([w.new_zeros(left), w, w.new_zeros(n_fft - length - left)])  # type: ignore[no-any-return]


def _padded(x: Tensor, pad: int, mode: str) -> Tensor:
    n = x._a.shape[-1]
    if mode == "constant":
        zeros = x.new_zeros(x._a.shape[0], pad)
        return cat([zeros, x, zeros], 1)  # type: ignore[no-any-return]
    if mode == "reflect" and pad >= n:
        raise RuntimeError(
            f"Argument #4: Padding size should be less than the corresponding input dimension, but "
            f"got: padding ({pad}, {pad}) at dimension 2 of input {[1, *x._a.shape]}")
    if mode == "reflect":
        return cat([narrow(x, 1, 1, pad).flip(1), x,  # type: ignore[no-any-return]
                    narrow(x, 1, n - pad - 1, pad).flip(1)], 1)
    if mode == "replicate":
        return cat([narrow(x, 1, 0, 1).expand(-1, pad), x,  # type: ignore[no-any-return]
                    narrow(x, 1, n - 1, 1).expand(-1, pad)], 1)
    return cat([narrow(x, 1, n - pad, pad), x, narrow(x, 1, 0, pad)], 1)  # type: ignore[no-any-return]


@op(out=False)
def stft(input: Tensor, n_fft: int, hop_length: int | None = None, win_length: int | None = None,
         window: Tensor | None = None, center: bool = True, pad_mode: str = "reflect",
         normalized: bool = False, onesided: bool | None = None,
         return_complex: bool | None = None) -> Any:
    """The Fourier transforms of overlapping windows of a signal: (..., frequency, frame)."""
    hop = n_fft // 4 if hop_length is None else hop_length
    length = n_fft if win_length is None else win_length
    if not 0 < length <= n_fft:
        raise RuntimeError(f"stft: expected 0 < win_length <= n_fft, but got win_length={length}")
    refuse(hop <= 0, "stft: expected hop_length > 0, but got hop_length={}", hop)
    x = input if input._a.ndim == 2 else input.unsqueeze(0)
    if center:
        x = _padded(x, n_fft // 2, pad_mode)
    refuse(return_complex is None and input._dt.category != dt.COMPLEX, "stft requires the "
           "return_complex parameter be given for real inputs, and will further require that "
           "return_complex=True in a future PyTorch release.")
    if window is None:
        warn_once("A window was not provided. A rectangular window will be applied,which is known "
                  "to cause spectral leakage. Other windows such as torch.hann_window or "
                  "torch.hamming_window are recommended to reduce spectral leakage.To suppress "
                  "this warning and use a rectangular window, explicitly set "
                  "`window=torch.ones(n_fft, device=<device>)`.")
    weights = _window("stft", window, n_fft, length, input._dt)
    frames = x.unfold(1, n_fft, hop) * weights
    one = input._dt.category != dt.COMPLEX if onesided is None else onesided
    spectra = FFT["rfft" if one else "fft"](frames, norm="ortho" if normalized else None)
    out = named(transpose(spectra, 1, 2), "TransposeBackward1")
    if input._a.ndim == 1:
        out = squeeze_fresh(out, 0)
    if return_complex or (return_complex is None and input._dt.category == dt.COMPLEX):
        return out
    return view_as_real(out)


@op(out=False)
def istft(input: Tensor, n_fft: int, hop_length: int | None = None, win_length: int | None = None,
          window: Tensor | None = None, center: bool = True, normalized: bool = False,
          onesided: bool | None = None, length: int | None = None,
          return_complex: bool = False) -> Any:
    """The signal whose :func:`stft` comes closest to ``input``."""
    refuse(input._dt.category != dt.COMPLEX, "istft requires a complex-valued input tensor "
           "matching the output from stft with return_complex=True.")
    hop = n_fft // 4 if hop_length is None else hop_length
    width = n_fft if win_length is None else win_length
    spectra = transpose(input if input._a.ndim == 3 else input.unsqueeze(0), 1, 2)
    one = not return_complex if onesided is None else onesided
    norm = "ortho" if normalized else None
    if not one and not return_complex:  # the signal is real: half of the spectrum tells it
        spectra = narrow(spectra, -1, 0, n_fft // 2 + 1)
    frames = (FFT["ifft"](spectra, norm=norm) if return_complex
              else FFT["irfft"](spectra, n_fft, norm=norm))
    weights = _window("istft", window, n_fft, width, frames._dt)
    count = frames._a.shape[1]
    total = n_fft + hop * (count - 1)
    places = np.arange(count)[:, None] * hop + np.arange(n_fft)
    index = wrap(places.reshape(-1), dt.int64)
    batch = frames._a.shape[0]
    zeros = frames.new_zeros(batch, total)
    summed = zeros.index_add(1, index, reshape(frames * weights, batch, -1))
    squares = convert(weights * weights, frames._dt).unsqueeze(0).expand(count, n_fft)
    envelope = frames.new_zeros(total).index_add(0, index, reshape(squares, -1))
    start = n_fft // 2 if center else 0
    end = total - start if center else total
    if length is not None:
        end = min(start + length, total)
    inside, scale = narrow(summed, 1, start, end - start), narrow(envelope, 0, start, end - start)
    if float(np.min(np.abs(scale._a), initial=np.inf)) < 1e-11:
        raise RuntimeError("istft(...) window overlap add min: 1")
    signal = inside / scale
    if length is not None and end - start < length:
        signal = cat([signal, signal.new_zeros(batch, length - (end - start))], 1)
    return signal.squeeze(0) if input._a.ndim == 2 else signal
