"""Images sampled at given places: `affine_grid` and `grid_sample`."""

from __future__ import annotations

import functools
import itertools
import math
import operator
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import basis as torch
from ...calling_errors import refuse
from ...nodes import named
from ...ops.arguments import refuse_kinds, unexpected_type
from .activation import hardtanh
from .vision import cubic_weights


def _corners(align_corners: bool | None) -> bool:
    if align_corners is not None:
        return align_corners
    warnings.warn("Default grid_sample and affine_grid behavior has changed to align_corners=False "
                  "since 1.3.0. Please specify align_corners=True if the old behavior is desired. "
                  "See the documentation of grid_sample for details.", stacklevel=3)
    return False


def affine_grid(theta: Any, size: Sequence[int], align_corners: bool | None = None) -> Any:
    """Sampling places ``(N, *spatial, d)`` of affine maps ``(N, d, d + 1)``, in [-1, 1]."""
    align_corners = _corners(align_corners)
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    d = len(size) - 2
    refuse(d not in (2, 3), "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine "
           "transforms, respectively. Got size {}.", size, kind=NotImplementedError)
    if theta.dim() != 3 or tuple(theta.shape[-2:]) != (d, d + 1):
        raise ValueError(f"Expected a batch of {d}D affine matrices of shape Nx{d}x{d + 1} for "
                         f"size {size}. Got {theta.shape}.")
    if align_corners and min(size[2:]) == 1:
        warnings.warn("Since version 1.3.0, affine_grid behavior has changed for unit-size grids "
                      "when align_corners=True. This is not an intended use case of affine_grid. "
                      "See the documentation of affine_grid for details.", stacklevel=2)
    refuse(min(size) <= 0, "Expected non-zero, positive output size. Got {}", size, kind=ValueError)
    spatial = list(size[2:])
    kind = torch.raw(theta).dtype
    lines = []
    for n in spatial:
        line = np.linspace(-1, 1, n, dtype=kind) if n > 1 else np.zeros(1, kind)
        lines.append(line if align_corners else (line * ((n - 1) / n)).astype(kind))
    mesh = np.meshgrid(*lines, indexing="ij")
    base = np.stack([*mesh[::-1], np.ones(spatial, kind)], -1).reshape(1, -1, d + 1)
    places = torch.from_numpy(base).expand(int(size[0]), -1, -1).bmm(theta.transpose(1, 2))
    places = places.view(int(size[0]), *spatial, d).clone()
    return named(places, "AffineGridGeneratorBackward0")


_MODES = {"bilinear", "nearest", "bicubic"}
_PADDINGS = {"zeros", "border", "reflection"}


def _check(input: Any, grid: Any, mode: str, padding_mode: str) -> None:
    refuse(mode not in _MODES, "nn.functional.grid_sample(): expected mode to be 'bilinear', "
           "'nearest' or 'bicubic', but got: '{}'", mode, kind=ValueError)
    refuse(padding_mode not in _PADDINGS, "nn.functional.grid_sample(): expected padding_mode to "
           "be 'zeros', 'border', or 'reflection', but got: '{}'", padding_mode, kind=ValueError)
    refuse(input.shape[0] != grid.shape[0], "grid_sampler(): expected grid and input to have same "
           "batch size, but got input with sizes {} and grid with sizes {}",
           list(input.shape), list(grid.shape))
    refuse(grid.shape[-1] != input.dim() - 2, "grid_sampler(): expected grid to have size {} in "
           "last dimension, but got grid with sizes {}", input.dim() - 2, list(grid.shape))
    refuse(input.dim() not in (4, 5) or grid.dim() != input.dim(), "grid_sampler(): expected 4D or "
           "5D input and grid with same number of dimensions, but got input with sizes {} and grid "
           "with sizes {}", list(input.shape), list(grid.shape))
    for axis in range(2, input.dim()):
        refuse(input.shape[axis] == 0, "grid_sampler(): expected input to have non-empty spatial "
               "dimensions, but input has sizes {} with dimension {} being empty",
               list(input.shape), axis)
    if mode == "bicubic" and input.dim() == 5:
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
    refuse_kinds("biuc", f"grid_sampler_{input.dim() - 2}d_cpu_kernel_impl", input._dt)
    if input.dtype is not grid.dtype:
        raise unexpected_type(input.dtype, grid.dtype)


def grid_sample(input: Any, grid: Any, mode: str = "bilinear", padding_mode: str = "zeros",
                align_corners: bool | None = None) -> Any:
    """``input`` ``(N, C, *size)`` at places ``grid`` ``(N, *out, d)`` in [-1, 1], ``x`` first."""
    align_corners = _corners(align_corners)
    _check(input, grid, mode, padding_mode)
    sizes = [int(n) for n in input.shape[2:]]
    places = []
    for n, column in zip(sizes, reversed(grid.unbind(-1))):
        x = (column + 1) / 2 * (n - 1) if align_corners else ((column + 1) * n - 1) / 2
        places.append(x if mode == "bicubic" else _inside(x, n, padding_mode, align_corners))
    out = (_cubic if mode == "bicubic" else _nearest if mode == "nearest" else _linear)(
        input, places, sizes, padding_mode, align_corners)
    return named(out, f"GridSampler{len(sizes)}DBackward0")


def _inside(x: Any, n: int, padding_mode: str, align_corners: bool) -> Any:
    """Places brought into the image as ``padding_mode`` says."""
    if padding_mode == "zeros":
        return x
    if padding_mode == "reflection":
        low, span = (0.0, n - 1.0) if align_corners else (-0.5, float(n))
        x = _reflected(x, low, span)
    # a place beyond (or at) the border has no gradient
    return hardtanh(x, 0.0, n - 1.0) if n > 1 else x * 0


def _reflected(x: Any, low: float, span: float) -> Any:
    if span == 0:
        return x * 0
    away = (x - low).abs()
    turns = torch.raw(away) // span
    rest = away - torch.from_numpy(np.asarray(turns * span, torch.raw(x).dtype))
    return torch.where(torch.from_numpy(np.asarray(turns % 2 == 0)), rest + low, span - rest + low)


def _values(input: Any, at: list[Any], sizes: list[int]) -> Any:
    """``(N, C, *out)``: the image at whole places ``at`` (arrays), zero outside."""
    inside = np.ones(at[0].shape, bool)
    flat = np.zeros(at[0].shape, np.int64)
    for where, n in zip(at, sizes):
        ok = (where >= 0) & (where < n)
        inside &= ok
        flat = flat * n + np.where(ok, where, 0).astype(np.int64)
    n, c = input.shape[:2]
    spots = math.prod(inside.shape[1:])
    index = torch.from_numpy(np.broadcast_to(
        np.where(inside, flat, 0).reshape(n, 1, spots), (n, c, spots)).copy())
    picked = input.reshape(n, c, math.prod(sizes)).gather(2, index).reshape(n, c, *at[0].shape[1:])
    if inside.all():
        return picked
    return picked.masked_fill(torch.from_numpy(~inside[:, None]), 0.0)


def _linear(input: Any, places: list[Any], sizes: list[int], *_: Any) -> Any:
    floors = [np.floor(torch.raw(x)) for x in places]
    shares = [x - torch.from_numpy(np.asarray(f)) for x, f in zip(places, floors)]
    terms = []
    for corner in itertools.product((0, 1), repeat=len(sizes)):
        weight = functools.reduce(operator.mul, (
            share if up else 1 - share for up, share in zip(corner, shares)))
        values = _values(input, [f + up for f, up in zip(floors, corner)], sizes)
        terms.append(values * weight.unsqueeze(1))
    return functools.reduce(operator.add, terms)


def _nearest(input: Any, places: list[Any], sizes: list[int], *_: Any) -> Any:
    values = _values(input, [np.rint(torch.raw(x)) for x in places], sizes)
    # the places have a gradient all the same: zero
    return torch.where(torch.ones((), dtype=torch.bool), values, places[0].unsqueeze(1))


def _cubic(input: Any, places: list[Any], sizes: list[int], padding_mode: str,
           align_corners: bool) -> Any:
    floors = [np.floor(torch.raw(x)) for x in places]
    weights = [cubic_weights(x - torch.from_numpy(np.asarray(f))) for x, f in zip(places, floors)]
    at = []  # the four neighbours along each axis, brought inside
    for f, n in zip(floors, sizes):
        at.append([torch.raw(_inside(torch.from_numpy(f + k), n, padding_mode, align_corners))
                   for k in (-1, 0, 1, 2)])
    rows = []
    for i, down in enumerate(weights[0]):
        terms = (_values(input, [at[0][i], at[1][j]], sizes) * across.unsqueeze(1)
                 for j, across in enumerate(weights[1]))
        rows.append(functools.reduce(operator.add, terms) * down.unsqueeze(1))
    return functools.reduce(operator.add, rows)
