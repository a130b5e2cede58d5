"""Convolutions of stride 1 in two dimensions, on grids as wide as the padded image.

With rows of that width, what one position of the kernel sees of an image is one contiguous run,
shifted by a constant: columns are filled, and gradients added up, by long copies.  The spare
positions at the ends of rows are dropped (in results) or zero (in cotangents).  Images are
handled in blocks whose columns fit the cache.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from srcgrad.rules.book import Array

Ints = tuple[int, ...]
_BLOCK = 1 << 21  # bytes of columns in one block


class Grid:
    """The geometry of one convolution: padded images as flat planes, outputs as runs."""

    def __init__(self, size: Ints, kernel: Ints, padding: Ints, dilation: Ints, out: Ints) -> None:
        self.size, self.kernel, self.padding, self.out = size, kernel, padding, out
        self.dilation = dilation
        self.tall, self.wide = size[0] + 2 * padding[0], size[1] + 2 * padding[1]
        self.run = out[0] * self.wide
        # the last run reaches behind the image by what the kernel spans within a row
        self.plane = self.tall * self.wide + (kernel[1] - 1) * dilation[1]
        self.taps = math.prod(kernel)

    def starts(self) -> Iterator[int]:
        """Where the run of each position in the kernel begins."""
        for row in range(self.kernel[0]):
            for column in range(self.kernel[1]):
                yield row * self.dilation[0] * self.wide + column * self.dilation[1]

    def reversible(self) -> bool:
        """Whether the transpose is a correlation with padded cotangents."""
        reach = [d * (k - 1) for d, k in zip(self.dilation, self.kernel)]
        return all(p <= r and m == n + 2 * p - r for p, r, m, n in zip(
            self.padding, reach, self.out, self.size))

    def reverse(self) -> Grid:
        """The geometry of that correlation, from cotangents to images."""
        padding = tuple(d * (k - 1) - p for d, k, p in zip(
            self.dilation, self.kernel, self.padding))
        return Grid(self.out, self.kernel, padding, self.dilation, self.size)

    def block(self, images: int, channels: int, itemsize: int) -> int:
        """How many images are handled at once."""
        each = channels * self.taps * self.run * itemsize
        return max(1, min(images, _BLOCK // max(each, 1)))

    def inside(self, planes: Array) -> Array:
        """The images within padded planes ``(..., plane)``."""
        (top, left), (height, width) = self.padding, self.size
        image = planes[..., : self.tall * self.wide].reshape(
            *planes.shape[:-1], self.tall, self.wide)
        return image[..., top : top + height, left : left + width]

    def columns(self, planes: Array, count: int, room: Array) -> Array:
        """Fill ``room`` ``(C, *kernel, B, run)`` from planes ``(B, C, plane)``; two-dimensional
        in the end: ``(C * taps, count * run)``."""
        block, channel, item = planes.strides
        down, across = self.dilation[0] * self.wide * item, self.dilation[1] * item
        view = as_strided(planes, (planes.shape[1], *self.kernel, count, self.run),
                          (channel, down, across, block, item), writeable=False)
        target = room[:, :, :, :count] if count == room.shape[3] else np.empty(
            (*room.shape[:3], count, self.run), room.dtype)
        np.copyto(target, view)
        return target.reshape(planes.shape[1] * self.taps, count * self.run)

    def runs(self, g: Array, room: Array) -> Array:
        """Cotangents ``(B, O, *out)`` on zeros in ``room`` ``(O, B, run)``: ``(O, B * run)``."""
        count = g.shape[0]
        target = room[:, :count] if count == room.shape[1] else np.zeros(
            (room.shape[0], count, self.run), room.dtype)
        rows = target.reshape(room.shape[0], count, self.out[0], self.wide)
        rows[..., : self.out[1]] = g.transpose(1, 0, 2, 3)
        return target.reshape(room.shape[0], count * self.run)


def _planes(grid: Grid, x: Array, room: Array) -> Array:
    """Images ``x`` written into padded planes whose borders are zero."""
    grid.inside(room[: x.shape[0]])[...] = x
    return room


def _reversed(w: Array, groups: int) -> Array:
    """Kernels turned round, from outputs to inputs: ``(C, O // groups, *kernel)``."""
    o, share, height, width = w.shape
    parts = w[..., ::-1, ::-1].reshape(groups, o // groups, share, height, width)
    return parts.swapaxes(1, 2).reshape(groups * share, o // groups, height, width)


def grid_correlate(x: Array, w: Array, grid: Grid, groups: int) -> Array:
    """``(N, O, *out)``: the correlation of images with kernels."""
    n, c = x.shape[:2]
    o = w.shape[0]
    if groups == c == o:
        return channel_correlate(x, w, grid)
    kind = np.result_type(x, w)
    result = np.empty((n, o, *grid.out), kind)
    flat = w.reshape(groups, o // groups, -1)
    size = grid.block(n, c, x.itemsize)
    planes = np.zeros((size, c, grid.plane), x.dtype)
    room = np.empty((c, *grid.kernel, size, grid.run), x.dtype)
    for i in range(0, n, size):
        count = min(size, n - i)
        columns = grid.columns(_planes(grid, x[i : i + count], planes), count, room)
        grouped = columns.reshape(groups, -1, columns.shape[-1])
        product = np.matmul(flat, grouped).reshape(o, count, grid.out[0], grid.wide)
        result[i : i + count] = product[..., : grid.out[1]].transpose(1, 0, 2, 3)
    return result


def grid_weight(g: Array, x: Array, grid: Grid, groups: int) -> Array:
    """``(O, C // groups * taps)``: the transpose of :func:`grid_correlate` in the kernels."""
    n, o = g.shape[:2]
    c = x.shape[1]
    if groups == c == o:
        return channel_weight(g, x, grid)
    total: Any = np.zeros((groups, o // groups, c // groups * grid.taps), np.result_type(g, x))
    size = grid.block(n, c, x.itemsize)
    planes = np.zeros((size, c, grid.plane), x.dtype)
    room = np.empty((c, *grid.kernel, size, grid.run), x.dtype)
    runs = np.zeros((o, size, grid.run), g.dtype)
    for i in range(0, n, size):
        count = min(size, n - i)
        columns = grid.columns(_planes(grid, x[i : i + count], planes), count, room)
        laid = grid.runs(g[i : i + count], runs).reshape(groups, o // groups, -1)
        total += np.matmul(laid, columns.reshape(groups, -1, columns.shape[-1]).swapaxes(1, 2))
    return total.reshape(o, -1)


def grid_input(g: Array, w: Array, grid: Grid, groups: int) -> Array:
    """``(N, C, *size)``: the transpose of :func:`grid_correlate` in the images."""
    n, o = g.shape[:2]
    c = w.shape[1] * groups
    if groups == c == o:
        return channel_input(g, w, grid)
    if o <= 2 * c and grid.reversible():
        return grid_correlate(g, _reversed(w, groups), grid.reverse(), groups)
    kind = np.result_type(g, w)
    result = np.empty((n, c, *grid.size), kind)
    turned = w.reshape(groups, o // groups, -1).swapaxes(1, 2)
    size = grid.block(n, c, g.itemsize)
    runs = np.zeros((o, size, grid.run), g.dtype)
    for i in range(0, n, size):
        count = min(size, n - i)
        laid = grid.runs(g[i : i + count], runs).reshape(groups, o // groups, -1)
        parts = np.matmul(turned, laid).reshape(c, grid.taps, count, grid.run)
        planes = np.zeros((c, count, grid.plane), kind)
        for tap, start in enumerate(grid.starts()):
            planes[..., start : start + grid.run] += parts[:, tap]
        result[i : i + count] = grid.inside(planes).transpose(1, 0, 2, 3)
    return result


def _cotangent_runs(grid: Grid, g: Array) -> Array:
    """``(O, N, run)``: cotangents of all images, zero at the ends of rows."""
    return grid.runs(g, np.zeros((g.shape[1], g.shape[0], grid.run), g.dtype)).reshape(
        g.shape[1], g.shape[0], grid.run)


def _image_planes(grid: Grid, x: Array) -> Array:
    """``(C, N, plane)``: all padded images."""
    planes = np.zeros((x.shape[1], x.shape[0], grid.plane), x.dtype)
    grid.inside(planes)[...] = x.transpose(1, 0, 2, 3)
    return planes


def _blocks(grid: Grid, n: int, channels: int, itemsize: int) -> Iterator[slice]:
    """Ranges of images whose planes fit the cache together."""
    size = max(1, _BLOCK // max(channels * grid.plane * itemsize, 1))
    for i in range(0, n, size):
        yield slice(i, min(i + size, n))


def channel_correlate(x: Array, w: Array, grid: Grid) -> Array:
    """:func:`grid_correlate` with one kernel per channel: sums of shifted, scaled runs."""
    n, c = x.shape[:2]
    scales = w.reshape(c, -1, 1, 1)
    result = np.empty((n, c, *grid.out), np.result_type(x, w))
    for block in _blocks(grid, n, c, x.itemsize):
        planes = _image_planes(grid, x[block])
        total: Any = None
        for tap, start in enumerate(grid.starts()):
            run = planes[..., start : start + grid.run]
            if total is None:
                total = run * scales[:, tap]
                term = np.empty_like(total)
            else:
                np.multiply(run, scales[:, tap], out=term)
                total += term
        rows = total.reshape(*total.shape[:2], grid.out[0], grid.wide)
        result[block] = rows[..., : grid.out[1]].transpose(1, 0, 2, 3)
    return result


def channel_weight(g: Array, x: Array, grid: Grid) -> Array:
    """``(C, taps)``: the transpose of :func:`channel_correlate` in the kernels."""
    n, c = x.shape[:2]
    total = np.zeros((c, grid.taps), np.result_type(g, x))
    for block in _blocks(grid, n, c, x.itemsize):
        planes, runs = _image_planes(grid, x[block]), _cotangent_runs(grid, g[block])
        for tap, start in enumerate(grid.starts()):
            total[:, tap] += np.einsum("cnr,cnr->c", runs, planes[..., start : start + grid.run])
    return total


def channel_input(g: Array, w: Array, grid: Grid) -> Array:
    """``(N, C, *size)``: the transpose of :func:`channel_correlate` in the images."""
    n, c = g.shape[:2]
    scales = w.reshape(c, -1, 1, 1)
    result = np.empty((n, c, *grid.size), np.result_type(g, w))
    for block in _blocks(grid, n, c, g.itemsize):
        runs = _cotangent_runs(grid, g[block])
        planes = np.zeros((*runs.shape[:2], grid.plane), result.dtype)
        term = np.empty_like(runs, result.dtype)
        for tap, start in enumerate(grid.starts()):
            np.multiply(runs, scales[:, tap], out=term)
            planes[..., start : start + grid.run] += term
        result[block] = grid.inside(planes).transpose(1, 0, 2, 3)
    return result
