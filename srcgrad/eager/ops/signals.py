"""Sampled signals and their like: short-time Fourier transforms, gradients, histograms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.eager import dtype as dt
from srcgrad.eager.dispatch import op, register
from srcgrad.eager.nodes import named
from srcgrad.eager.ops.casts import convert
from srcgrad.eager.ops.complex_views import view_as_real
from srcgrad.eager.ops.joining import cat
from srcgrad.eager.ops.rearranging import narrow
from srcgrad.eager.ops.shapes import reshape, squeeze_fresh, transpose, wrap_dim
from srcgrad.eager.ops.spectral import FFT
from srcgrad.eager.primitive import Primitive
from srcgrad.eager.return_types import struct
from srcgrad.eager.tensor import Tensor, wrap

_FREXP = Primitive(np.frexp, "FrexpBackward0", outputs=2, inactive_outputs=(1,))
_FREXP_RESULT = struct("frexp", "mantissa", "exponent")
_HISTOGRAM = struct("histogram", "hist", "bin_edges")


@op(out=False)
def frexp(input: Tensor) -> Any:
    """Mantissa in [0.5, 1) and exponent of 2."""
    if input._dt.category != dt.FLOATING:
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    mantissa, exponent = _FREXP(input)
    return _FREXP_RESULT(mantissa, exponent)


# -- numerical gradients -------------------------------------------------------------------


def gradient(input: Tensor, *, spacing: Any = 1, dim: Any = None, edge_order: int = 1) -> Any:
    """Differences that approximate the derivative along each dimension, as a list."""
    spacing = 1 if spacing is None else spacing
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    n = input._a.ndim
    if dim is None:
        dims = list(range(n))
    else:
        dims = [wrap_dim(d, input) for d in (dim if isinstance(dim, tuple | list) else (dim,))]
    if len(set(dims)) < len(dims):
        twice = next(d for d in dims if dims.count(d) > 1)
        raise RuntimeError(f"dim {twice} appears multiple times in the list of dims")
    given = list(spacing) if isinstance(spacing, tuple | list) else [spacing] * len(dims)
    if isinstance(spacing, Tensor):
        given = [spacing]
    if len(given) != len(dims) and dim is not None:
        raise RuntimeError(
            "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim "
            "arguments to have the same length, but got a spacing argument of length "
            f"{len(given)} and a dim argument of length {len(dims)}.")
    if len(given) != len(dims):
        raise RuntimeError(
            f"torch.gradient expected spacing to be unspecified, a scalar, or a list of length "
            f"equal to 'self.dim() = {n}', but got a list of length {len(given)}")
    return tuple(_one_gradient(input, d, h, edge_order) for d, h in zip(dims, given))


def _one_gradient(f: Tensor, dim: int, spacing: Any, edge_order: int) -> Tensor:
    n = f._a.shape[dim]
    if n < edge_order + 1:
        raise RuntimeError(
            "torch.gradient expected each dimension size to be at least edge_order+1")

    def part(start: int, length: int) -> Tensor:
        return narrow(f, dim, start, length)

    if isinstance(spacing, Tensor) and spacing._a.ndim:
        shape = [-1 if d == dim else 1 for d in range(f._a.ndim)]
        steps = reshape(narrow(spacing, 0, 1, n - 1) - narrow(spacing, 0, 0, n - 1), *shape)
        left, right = narrow(steps, dim, 0, n - 2), narrow(steps, dim, 1, n - 2)
        inner = (part(0, n - 2) * (-right / (left * (left + right)))
                 + part(1, n - 2) * ((right - left) / (left * right))
                 + part(2, n - 2) * (left / (right * (left + right))))
        first, last = narrow(steps, dim, 0, 1), narrow(steps, dim, n - 2, 1)
        second = narrow(steps, dim, 1, 1) if n > 2 else first
        before = narrow(steps, dim, n - 3, 1) if n > 2 else last
    else:
        first = last = second = before = spacing
        inner = (part(2, n - 2) - part(0, n - 2)) / (2 * spacing)
    if edge_order == 1:
        low = (part(1, 1) - part(0, 1)) / first
        high = (part(n - 1, 1) - part(n - 2, 1)) / last
    else:
        both, ends = first + second, before + last
        low = (part(1, 1) * (both / (first * second)) - part(2, 1) * (first / (second * both))
               - part(0, 1) * ((2 * first + second) / (first * both)))
        high = (part(n - 1, 1) * ((2 * last + before) / (last * ends))
                - part(n - 2, 1) * (ends / (last * before))
                + part(n - 3, 1) * (last / (before * ends)))
    return cat([low, inner, high], dim)  # type: ignore[no-any-return]


register("gradient", gradient, method=False)


@op()
def histogram(input: Tensor, bins: Any = 100, *, range: Any = None, weight: Tensor | None = None,
              density: bool = False) -> Any:
    """Counts in intervals, and the edges of these."""
    if isinstance(bins, Tensor):
        edges = bins._a
    else:
        ends = (float(input._a.min(initial=np.inf)), float(input._a.max(initial=-np.inf)))
        low, high = (ends if input._a.size else (0.0, 0.0)) if range is None else range
        if low == high:
            low, high = low - 0.5, high + 0.5
        edges = np.linspace(low, high, bins + 1, dtype=input._a.dtype)
    counts, _ = np.histogram(
        input._a.ravel(), edges, weights=None if weight is None else weight._a.ravel(),
        density=density)
    return _HISTOGRAM(wrap(counts.astype(input._a.dtype), input._dt),
                      wrap(np.array(edges), input._dt))


def unravel_index(indices: Tensor, shape: Any) -> Any:
    """Flat indices as one tensor of subscripts per dimension."""
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    n = math.prod(sizes)
    found = np.unravel_index(np.mod(indices._a.astype(np.int64), max(n, 1)), sizes)
    return tuple(wrap(np.asarray(i, np.int64), dt.int64) for i in found)


register("unravel_index", unravel_index, method=False)


# -- short-time Fourier transforms ---------------------------------------------------------


def _window(name: str, window: Tensor | None, n_fft: int, length: int, like: dt.dtype) -> Tensor:
    if window is None:
        w = wrap(np.ones(length, like.to_real().numpy), like.to_real())
    else:
        if window._a.ndim != 1 or window._a.shape[0] != length:
            raise RuntimeError(
                f"{name}: expected a 1D window tensor of size equal to win_length={length}, but "
                f"got window with size {list(window._a.shape)}")
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
    if return_complex is None and input._dt.category != dt.COMPLEX:
        raise RuntimeError("stft requires the return_complex parameter be given for real inputs, "
                           "and will further require that return_complex=True in a future PyTorch "
                           "release.")
    hop = n_fft // 4 if hop_length is None else hop_length
    length = n_fft if win_length is None else win_length
    if not 0 < length <= n_fft:
        raise RuntimeError(f"stft: expected 0 < win_length <= n_fft, but got win_length={length}")
    if hop <= 0:
        raise RuntimeError(f"stft: expected hop_length > 0, but got hop_length={hop}")
    x = input if input._a.ndim == 2 else input.unsqueeze(0)
    if center:
        x = _padded(x, n_fft // 2, pad_mode)
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
    if input._dt.category != dt.COMPLEX:
        raise RuntimeError("istft requires a complex-valued input tensor matching the output from "
                           "stft with return_complex=True.")
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


@op(inplace=True, out=False)
def index_reduce(input: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *,
                 include_self: bool = True) -> Any:
    """``source`` combined with the slices at ``index`` by prod, mean, amax or amin."""
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError("index_reduce(): Expected reduce to be one of prod, mean, amax or amin "
                           f"but got {reduce}.")
    i = wrap_dim(dim, input)
    if input._a.ndim == 0:
        line = index_reduce(reshape(input, 1), 0, index, reshape(source, 1), reduce,
                            include_self=include_self)
        return named(reshape(line, ()), "IndexReduceBackward0")
    shape = [1] * input._a.ndim
    shape[i] = -1
    spread = reshape(index, *shape).expand(source._a.shape)
    out = input.scatter_reduce(i, spread, source, reduce, include_self=include_self)
    return named(out, "IndexReduceBackward0")


