"""Padding, resampling and rearrangement of images."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import basis as torch
from ...calling_errors import refuse, whole
from ...nodes import named
from ...tensor import Tensor
from ..signatures import builtin
from . import nodes
from .pool import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d

Array = Any


@builtin
def pad(input: Tensor, pad: Sequence[int], mode: str = "constant",
        value: float | None = None) -> Any:
    """``input`` padded along its last axes; ``pad`` is (left, right, top, bottom, ...).

    ``mode`` is ``"constant"`` (negative widths crop), ``"reflect"``, ``"replicate"`` or
    ``"circular"``.
    """
    for place, n in enumerate(pad):
        refuse(not whole(n), "pad(): argument 'pad' (position 2) must be tuple of ints, but found "
               "element of type {} at pos {}", type(n).__name__, place, kind=TypeError)
    widths = [int(n) for n in pad]
    refuse(len(widths) % 2, "Padding length must be divisible by 2")
    count = len(widths) // 2
    refuse(count > input.dim(), "Padding length should be less than or equal to two times the "
           "input dimension but got padding length {} and input of dimension {}",
           len(widths), input.dim())
    before, after = tuple(widths[0::2][::-1]), tuple(widths[1::2][::-1])
    if mode == "constant":
        size = input.shape[input.dim() - count:]
        if any(n + b + a < 0 for n, b, a in zip(size, before, after)):
            raise RuntimeError("narrow(): length must be non-negative.")
        return nodes.constant_pad(input, before, after, 0.0 if value is None else value)
    refuse(value not in (None, 0), "Padding mode \"{}\" doesn't take in value argument", mode)
    refuse(mode not in _PLACED, "Unrecognised padding mode {}", mode, kind=NotImplementedError)
    if input.dim() - count not in (1, 2) or count > 3:
        raise NotImplementedError(
            f"Padding size {len(widths)} is not supported for {input.dim()}D input "
            "tensor.\nSupported combinations for non-constant padding:\n  - 2D or 3D input: "
            "padding size = 2 (pads last dimension)\n  - 3D or 4D input: padding size = 4 (pads "
            "last 2 dimensions)\n  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)")
    return _pad_by_places(input, before, after, mode)


_PLACED = {"reflect": "Reflection", "replicate": "Replication", "circular": "Circular"}


def _pad_by_places(input: Any, before: Any, after: Any, mode: str) -> Any:
    count = len(before)
    places = []
    given = list(input.shape)
    refuse(mode != "circular" and 0 in given[input.dim() - count - 1:], "Expected {}D or {}D "
           "(batch mode) tensor with possibly 0 batch size and other non-zero dimensions for "
           "input, but got: {}", count + 1, count + 2, given)
    size = [int(n) for n in given[input.dim() - count:]]
    for axis in reversed(range(count if mode == "reflect" else 0)):
        if max(before[axis], after[axis]) >= size[axis]:
            raise RuntimeError("Argument #4: Padding size should be less than the corresponding "
                               f"input dimension, but got: padding ({before[axis]}, {after[axis]}) "
                               f"at dimension {input.dim() - count + axis} of input {given}")
    out = [n + b + a for n, b, a in zip(size, before, after)]
    if mode != "circular" and min(out) < 1:
        raise RuntimeError(f"input ({_lettered(size, ' ')}) is too small. Calculated output "
                           + _lettered(out, " "))
    for n, b, a in zip(size, before, after):
        at = np.arange(-b, n + a)
        if mode == "reflect":
            at = n - 1 - np.abs(n - 1 - np.abs(at))
        elif mode == "replicate":
            at = np.clip(at, 0, n - 1)
        else:
            refuse(b > n or a > n, "Padding value causes wrapping around more than once.")
            cut = max(-b, 0)  # negative widths crop first; what is left goes round
            left = n - cut - max(-a, 0)
            refuse(left < 0, "Negative padding value is resulting in an empty dimension")
            at = cut + np.arange(-max(b, 0), left + max(a, 0)) % max(left, 1)
        places.append(at)
    return nodes.pad_by_places[_PLACED[mode], count](input, tuple(places))


def _lettered(sizes: list[int], between: str) -> str:
    """``D: 2, H: 3, W: 4``."""
    return between.join(f"{letter}: {n}" for letter, n in zip("DHW"[3 - len(sizes):], sizes))


def pixel_shuffle(input: Any, upscale_factor: int) -> Any:
    """``(..., C * r * r, H, W)`` to ``(..., C, H * r, W * r)``."""
    _planes("pixel_shuffle", input)
    refuse(upscale_factor <= 0, "pixel_shuffle expects a positive upscale_factor, but got {}",
           upscale_factor)
    if input.size(-3) % upscale_factor**2:
        raise RuntimeError("pixel_shuffle expects its input's 'channel' dimension to be divisible "
                           f"by the square of upscale_factor, but input.size(-3)={input.size(-3)} "
                           f"is not divisible by {upscale_factor**2}")
    return nodes.pixel_shuffle(input, upscale_factor)


def _planes(name: str, input: Any) -> None:
    refuse(input.dim() < 3, "{} expects input to have at least 3 dimensions, but got input with {} "
           "dimension(s)", name, input.dim())


def pixel_unshuffle(input: Any, downscale_factor: int) -> Any:
    """``(..., C, H * r, W * r)`` to ``(..., C * r * r, H, W)``."""
    _planes("pixel_unshuffle", input)
    refuse(downscale_factor <= 0, "pixel_unshuffle expects a positive downscale_factor, but got {}",
           downscale_factor)
    for axis, name in ((-2, "height"), (-1, "width")):
        if input.size(axis) % downscale_factor:
            raise RuntimeError(f"pixel_unshuffle expects {name} to be divisible by "
                               f"downscale_factor, but input.size({axis})={input.size(axis)} is "
                               f"not divisible by {downscale_factor}")
    return nodes.pixel_unshuffle(input, downscale_factor)


def channel_shuffle(input: Any, groups: int) -> Any:
    """Channels of ``groups`` groups interleaved."""
    refuse(input.dim() < 3, "channel_shuffle expects input with > 2 dims, but got input with sizes "
           "{}", list(input.shape))
    refuse(groups <= 0, "Number of groups to divide channels in must be positive. Value of "
           "groups:{}", groups)
    n, c = input.shape[:2]
    refuse(c % groups, "Number of channels must be divisible by groups. Got {} channels and {} "
           "groups.", c, groups)
    parts = input.reshape(n, groups, c // groups, *input.shape[2:])
    return named(parts.transpose(1, 2).reshape(input.shape), "ChannelShuffleBackward0")


# -- resampling --------------------------------------------------------------------------


def _nearest_places(n: int, m: int, step: float, exact: bool, image: bool) -> Array:
    # PyTorch's loop over images treats the same and the double size apart, whatever the step
    if image and not exact and m in (n, 2 * n):
        return np.arange(m) // (m // n)
    shift = np.float32(0.5 if exact else 0.0)
    at = (np.arange(m, dtype=np.float32) + shift) * np.float32(step)
    return np.minimum(np.floor(at).astype(np.int64), n - 1)


def _source(n: int, m: int, step: float, align: bool, kind: Any) -> Array:
    """The source coordinate of each output place."""
    at = np.arange(m, dtype=kind)
    if align:
        return at * kind((n - 1) / (m - 1) if m > 1 else 0.0)
    return (at + kind(0.5)) * kind(step) - kind(0.5)


def _linear_matrix(n: int, m: int, step: float, align: bool, kind: Any) -> Array:
    """The matrix of linear interpolation along one axis."""
    if n == m:
        return np.eye(n, dtype=kind)
    at = np.maximum(_source(n, m, step, align, kind), 0)
    low = np.minimum(at.astype(np.int64), n - 1)
    high = np.minimum(low + 1, n - 1)
    part = at - low.astype(kind)
    matrix = np.zeros((m, n), kind)
    rows = np.arange(m)
    np.add.at(matrix, (rows, low), 1 - part)
    np.add.at(matrix, (rows, high), part)
    return matrix


def cubic_weights(t: Any, a: float = -0.75) -> list[Any]:
    """Keys's weights of the four neighbours at distances ``1 + t, t, 1 - t, 2 - t`` (1981)."""
    def near(x: Any) -> Any:
        return ((a + 2) * x - (a + 3)) * x * x + 1

    def far(x: Any) -> Any:
        return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a

    return [far(t + 1), near(t), near(1 - t), far(2 - t)]


def _cubic_matrix(n: int, m: int, step: float, align: bool, kind: Any) -> Array:
    """The matrix of cubic convolution along one axis."""
    at = _source(n, m, step, align, kind)
    low = np.floor(at)
    matrix = np.zeros((m, n), kind)
    for offset, weight in enumerate(cubic_weights(at - low), -1):
        places = np.clip(low.astype(np.int64) + offset, 0, n - 1)
        np.add.at(matrix, (np.arange(m), places), weight)
    return matrix


_NEEDS = {"linear": 3, "bilinear": 4, "trilinear": 5, "bicubic": 4}
_ONLY = (
    "Input Error: Only 3D, 4D and 5D input Tensors supported (got {}D) for the modes: nearest | "
    "linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact (got {})")
_AREA = {3: adaptive_avg_pool1d, 4: adaptive_avg_pool2d, 5: adaptive_avg_pool3d}


def _sizes(input: Any, size: Any, scale_factor: Any,
           recompute: bool | None) -> tuple[list[int], list[float] | None]:
    """Output sizes, and the scale factors to derive steps from (None: from the sizes)."""
    count = input.dim() - 2
    given = list(input.shape[2:])
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is not None:
        if recompute:
            raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
        sizes = list(size) if isinstance(size, (list, tuple)) else [size] * count
        refuse(len(sizes) != count, "Input and output must have the same number of spatial "
               "dimensions, but got input with spatial dimensions of {} and output size of {}. "
               "Please provide input tensor in (N, C, d1, d2, ...,dK) format and output size in "
               "(o1, o2, ...,oK) format.", given, size, kind=ValueError)
        if not all(map(whole, sizes)):
            kinds = [type(n) for n in sizes]
            raise TypeError("expected size to be one of int or Tuple[int] or Tuple[int, int] or "
                            f"Tuple[int, int, int], but got size with types {kinds}")
        return [int(n) for n in sizes], None
    refuse(scale_factor is None, "either size or scale_factor should be defined", kind=ValueError)
    many = isinstance(scale_factor, (list, tuple))
    factors = [float(f) for f in scale_factor] if many else [float(scale_factor)] * count
    refuse(len(factors) != count, "Input and scale_factor must have the same number of spatial "
           "dimensions, but got input with spatial dimensions of {} and scale_factor of shape {}. "
           "Please provide input tensor in (N, C, d1, d2, ...,dK) format and scale_factor in (s1, "
           "s2, ...,sK) format.", given, scale_factor, kind=ValueError)
    sizes = [math.floor(n * f) for n, f in zip(given, factors)]
    return sizes, None if recompute else factors


def _check_resampled(input: Any, given: list[int], sizes: list[int]) -> None:
    if min(given) <= 0 or min(sizes) <= 0:
        raise RuntimeError("Input and output sizes should be greater than 0, but got input "
                           f"({_lettered(given, ', ')}) and output ({_lettered(sizes, ', ')})")
    refuse(len(input) and not input.shape[1], "Non-empty {}D data tensor expected but got a tensor "
           "with sizes {}", input.dim(), list(input.shape))


def interpolate(input: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
                align_corners: bool | None = None, recompute_scale_factor: bool | None = None,
                antialias: bool = False) -> Any:
    """``input`` resampled to ``size`` or by ``scale_factor`` along its spatial axes."""
    corners = ("linear", "bilinear", "bicubic", "trilinear")
    if align_corners is not None and mode not in corners:
        raise ValueError("align_corners option can only be set with the interpolating modes: "
                         "linear | bilinear | bicubic | trilinear")
    refuse(antialias, "antialias=True is not available. Resample without it, or average first with "
           "avg_pool2d.", kind=ValueError)
    sizes, factors = _sizes(input, size, scale_factor, recompute_scale_factor)
    if mode == "area" and input.dim() in _AREA:
        return _AREA[input.dim()](input, sizes)
    count = input.dim() - 2
    given = [int(n) for n in input.shape[2:]]
    if 1 <= count <= 3:
        _check_resampled(input, given, sizes)
    steps = [n / m if factors is None else 1.0 / f
             for n, m, f in zip(given, sizes, factors or [0.0] * count)]
    if mode in ("nearest", "nearest-exact") and 1 <= count <= 3:
        exact = mode == "nearest-exact"
        places = tuple(_nearest_places(n, m, step, exact, count == 2) for n, m,
                       step in zip(given, sizes, steps))
        return nodes.upsample["NearestExact" if exact else "Nearest", count](input, places)
    needs, has = _NEEDS.get(mode), input.dim()
    if needs is None or not 1 <= count <= 3 or (mode == "bicubic" and needs != has):
        raise NotImplementedError(_ONLY.format(has, mode))
    if needs != has:
        raise NotImplementedError(f"Got {has}D input, but {mode} mode needs {needs}D input")
    if input.dtype is torch.uint8:  # computed in single precision, rounded at the end
        exact = interpolate(input.float(), size, scale_factor, mode, align_corners,
                            recompute_scale_factor)
        return exact.round().clamp(0, 255).to(torch.uint8)
    nodes.upsample[mode.capitalize(), count].check(input)
    build = _cubic_matrix if mode == "bicubic" else _linear_matrix
    kind = torch.raw(input).dtype.type
    matrices = tuple(build(n, m, step, bool(align_corners), kind) for n, m,
                     step in zip(given, sizes, steps))
    return nodes.upsample[mode.capitalize(), count](input, matrices)


def _renamed(name: str) -> None:
    warnings.warn(f"`nn.functional.{name}` is deprecated. Use `nn.functional.interpolate` instead.",
                  stacklevel=3)


def upsample(input: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
             align_corners: bool | None = None) -> Any:
    """The old name of :func:`interpolate`."""
    _renamed("upsample")
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input: Any, size: Any = None, scale_factor: Any = None) -> Any:
    """:func:`interpolate` by the nearest neighbour."""
    _renamed("upsample_nearest")
    return interpolate(input, size, scale_factor, "nearest")


def upsample_bilinear(input: Any, size: Any = None, scale_factor: Any = None) -> Any:
    """:func:`interpolate` bilinearly, corners on corners."""
    _renamed("upsample_bilinear")
    return interpolate(input, size, scale_factor, "bilinear", align_corners=True)
