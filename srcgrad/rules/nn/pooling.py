"""Pooling, resampling and padding of images.

Layout: ``(..., *size)``, the spatial axes last.  Everything here is linear once the places of
the maxima are known, and each function has its transpose beside it.
"""

from __future__ import annotations

import functools
import itertools
import math

import numpy as np

from srcgrad.rules.book import Array, linear, nondiff, vjp
from srcgrad.rules.broadcast import runtime

Ints = tuple[int, ...]


def pooled_size(size: Ints, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints,
                ceil_mode: bool) -> Ints:
    """The spatial size after pooling; with ``ceil_mode`` windows may hang over the end, but
    must start inside the image or its left padding."""
    out = []
    for n, k, s, p, d in zip(size, kernel, stride, padding, dilation):
        reach = n + 2 * p - d * (k - 1) - 1
        m = (reach + (s - 1 if ceil_mode else 0)) // s + 1
        if ceil_mode and (m - 1) * s >= n + p:
            m -= 1
        out.append(m)
    return tuple(out)


def _taps_with_room(size: Ints, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints,
                    out: Ints) -> tuple[Ints, list[tuple[slice, ...]]]:
    """Room needed at the end of each axis, and the slices of the padded image per tap."""
    room = tuple(
        max(0, (m - 1) * s + (k - 1) * d + 1 - n - p)
        for n, k, s, p, d, m in zip(size, kernel, stride, padding, dilation, out)
    )
    taps = [
        tuple(
            slice(t * d, t * d + s * (m - 1) + 1, s)
            for t, d, s, m in zip(tap, dilation, stride, out)
        )
        for tap in itertools.product(*(range(k) for k in kernel))
    ]
    return room, taps


def _framed(x: Array, padding: Ints, room: Ints, value: float) -> Array:
    """``x`` with ``padding`` before and ``room`` after each spatial axis."""
    if not any(padding) and not any(room):
        return x
    lead = x.ndim - len(padding)
    widths = [(0, 0)] * lead + list(zip(padding, room))
    return np.pad(x, widths, constant_values=value)


@runtime
def max_places(input: Array, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints,
               ceil_mode: bool) -> Array:
    """The flat place in its image plane of each window's maximum (the first; the last NaN); -1
    where a dilated window lies in the padding alone."""
    size = input.shape[-len(kernel):]
    out = pooled_size(size, kernel, stride, padding, dilation, ceil_mode)
    room, taps = _taps_with_room(size, kernel, stride, padding, dilation, out)
    lowest = -np.inf if input.dtype.kind == "f" else np.iinfo(input.dtype).min
    image = _framed(input, padding, room, lowest)
    places = _framed(np.arange(math.prod(size)).reshape(size), padding, room, -1)
    best = image[(..., *taps[0])]
    where = np.broadcast_to(places[taps[0]], best.shape)
    for tap in taps[1:]:
        value, place = image[(..., *tap)], places[tap]
        better = (value > best) | (value != value) | (where < 0)
        best = np.where(better, value, best)
        where = np.where(better, place, where)
    return where


nondiff(max_places)


def _flat_rows(x: Array, axes: int) -> tuple[Array, Ints]:
    """``x`` with its last ``axes`` axes made one, and its leading shape."""
    lead = tuple(x.shape[: x.ndim - axes])
    return x.reshape(*lead, math.prod(x.shape[x.ndim - axes:])), lead


@runtime
def pick(input: Array, places: Array, axes: int) -> Array:
    """``input`` at flat ``places`` of its last ``axes`` axes, shaped like ``places``; at -1 less
    than all numbers."""
    rows, lead = _flat_rows(input, axes)
    flat, _ = _flat_rows(places, axes)
    out = np.take_along_axis(rows, flat, -1)
    if flat.size and flat.min() < 0:
        out[flat < 0] = -np.inf if out.dtype.kind == "f" else np.iinfo(out.dtype).min
    return out.reshape(*lead, *places.shape[len(lead):])


@runtime
def put_back(values: Array, places: Array, size: Ints) -> Array:
    """Zeros with spatial ``size`` and ``values`` added at ``places`` (none at -1): transpose of
    :func:`pick`."""
    axes = len(size)
    flat, lead = _flat_rows(values, axes)
    at, _ = _flat_rows(places, axes)
    if at.size and at.min() < 0:
        flat, at = np.where(at < 0, 0, flat), np.where(at < 0, 0, at)
    plane = math.prod(size)
    rows = math.prod(lead)
    index = at.reshape(rows, at.shape[-1]) + (np.arange(rows) * plane)[:, None]
    if values.dtype.kind == "c":
        out = np.zeros(rows * plane, values.dtype)
        np.add.at(out, index.ravel(), flat.ravel())
    else:
        out = np.bincount(index.ravel(), flat.ravel(), rows * plane).astype(values.dtype)
    return out.reshape(*lead, *size)


@runtime
def place(values: Array, places: Array, size: Ints) -> Array:
    """Zeros with spatial ``size`` and ``values`` at ``places``: of several values for one place
    the last stays, but each gets the gradient of the place (as in max-unpooling)."""
    flat, lead = _flat_rows(values, len(size))
    at, _ = _flat_rows(places, len(size))
    plane = math.prod(size)
    rows = math.prod(lead)
    out = np.zeros(rows * plane, values.dtype)
    index = at.reshape(rows, at.shape[-1]) + (np.arange(rows) * plane)[:, None]
    out[index.ravel()] = flat.ravel()
    return out.reshape(*lead, *size)


vjp(place, values=lambda ct, places, size: pick(ct, places, len(size)))

linear(pick,
    input=lambda ct, places, input_shape, axes:
        put_back(ct, places, tuple(input_shape[len(input_shape) - axes:])))

linear(put_back, values=lambda ct, places, size: pick(ct, places, len(size)))


def _divisors(size: Ints, kernel: Ints, stride: Ints, padding: Ints, out: Ints,
              include_pad: bool) -> Array:
    """How many elements each window averages over."""
    axes = []
    for n, k, s, p, m in zip(size, kernel, stride, padding, out):
        start = np.arange(m) * s - p
        end = np.minimum(start + k, n + p)
        axes.append(end - start if include_pad else np.minimum(end, n) - np.maximum(start, 0))
    return functools.reduce(np.multiply.outer, axes)


def _average_scale(size: Ints, kernel: Ints, stride: Ints, padding: Ints, out: Ints,
                   include_pad: bool, divisor: int | None) -> Array:
    if divisor is not None:
        return divisor
    return _divisors(size, kernel, stride, padding, out, include_pad)


@runtime
def average_pool(input: Array, kernel: Ints, stride: Ints, padding: Ints, ceil_mode: bool,
                 include_pad: bool, divisor: int | None) -> Array:
    """The mean of each window.

    >>> average_pool(np.arange(4.0), (2,), (2,), (0,), False, True, None)
    array([0.5, 2.5])
    """
    size = input.shape[-len(kernel):]
    ones = (1,) * len(kernel)
    out = pooled_size(size, kernel, stride, padding, ones, ceil_mode)
    room, taps = _taps_with_room(size, kernel, stride, padding, ones, out)
    image = _framed(input, padding, room, 0)
    total = np.array(image[(..., *taps[0])])
    for tap in taps[1:]:
        total += image[(..., *tap)]
    scale = _average_scale(size, kernel, stride, padding, out, include_pad, divisor)
    return (total / scale).astype(input.dtype, copy=False)


@runtime
def spread_average(g: Array, size: Ints, kernel: Ints, stride: Ints, padding: Ints, ceil_mode: bool,
                   include_pad: bool, divisor: int | None) -> Array:
    """The transpose of :func:`average_pool`: each value shared among its window."""
    ones = (1,) * len(kernel)
    out = pooled_size(size, kernel, stride, padding, ones, ceil_mode)
    room, taps = _taps_with_room(size, kernel, stride, padding, ones, out)
    share = g / _average_scale(size, kernel, stride, padding, out, include_pad, divisor)
    lead = tuple(g.shape[: g.ndim - len(size)])
    full = tuple(n + p + r for n, p, r in zip(size, padding, room))
    image: Array = np.zeros(lead + full, g.dtype)
    for tap in taps:
        image[(..., *tap)] += share
    inner = tuple(slice(p, p + n) for n, p in zip(size, padding))
    return np.ascontiguousarray(image[(..., *inner)])


@linear(average_pool, "input")
def average_pool_input(ct: Array, input_shape: Ints, kernel: Ints, stride: Ints, padding: Ints,
                       ceil_mode: bool, include_pad: bool, divisor: int | None) -> Array:
    size = tuple(input_shape[len(input_shape) - len(kernel):])
    return spread_average(ct, size, kernel, stride, padding, ceil_mode, include_pad, divisor)


linear(spread_average,
    g=lambda ct, kernel, stride, padding, ceil_mode, include_pad, divisor:
        average_pool(ct, kernel, stride, padding, ceil_mode, include_pad, divisor))


@runtime
def along_axes(input: Array, matrices: tuple[Array, ...]) -> Array:
    """Each matrix ``(m, n)`` applied along one of the last axes: any separable resampling.

    >>> along_axes(np.arange(4.0), (np.array([[0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5]]),))
    array([0.5, 2.5])
    """
    axes = len(matrices)
    for i, matrix in enumerate(matrices):
        axis = input.ndim - axes + i
        if axis == input.ndim - 1:
            input = np.matmul(input, matrix.T)
        else:
            lead = input.shape[:axis]
            rows = input.reshape(*lead, input.shape[axis], math.prod(input.shape[axis + 1:]))
            input = np.matmul(matrix, rows).reshape(*lead, matrix.shape[0], *input.shape[axis + 1:])
    return input


linear(along_axes,
    input=lambda ct, matrices: along_axes(ct, tuple(matrix.T for matrix in matrices)))


@runtime
def take_along_axes(input: Array, places: tuple[Array, ...]) -> Array:
    """Elements at ``places[i]`` along each of the last axes (nearest neighbour, reflection)."""
    axes = len(places)
    for i, at in enumerate(places):
        input = np.take(input, at, axis=input.ndim - axes + i)
    return input


@runtime
def add_along_axes(g: Array, places: tuple[Array, ...], size: Ints) -> Array:
    """The transpose of :func:`take_along_axes` onto spatial ``size``."""
    for i, (at, n) in enumerate(zip(places, size)):
        axis = g.ndim - len(size) + i
        rows = np.moveaxis(g, axis, 0)
        out = np.zeros((n, *rows.shape[1:]), g.dtype)
        order = np.argsort(at, kind="stable")
        places_sorted = np.asarray(at)[order]
        if len(order):
            starts = np.flatnonzero(np.r_[True, places_sorted[1:] != places_sorted[:-1]])
            out[places_sorted[starts]] = np.add.reduceat(rows[order], starts, axis=0)
        g = np.moveaxis(out, 0, axis)
    return np.ascontiguousarray(g)


linear(take_along_axes,
    input=lambda ct, input_shape, places:
        add_along_axes(ct, places, tuple(input_shape[len(input_shape) - len(places):])))

linear(add_along_axes, g=lambda ct, places: take_along_axes(ct, places))


@runtime
def frame(input: Array, before: Ints, after: Ints, value: float) -> Array:
    """``input`` padded with a constant along its last axes; negative widths crop.

    >>> frame(np.ones(2), (1,), (-1,), 0.0)
    array([0., 1.])
    """
    lead = (slice(None),) * (input.ndim - len(before))
    crop = tuple(
        slice(max(0, -b), n - max(0, -a))
        for b, a, n in zip(before, after, input.shape[len(lead):])
    )
    widths = [(0, 0)] * len(lead) + [(max(0, b), max(0, a)) for b, a in zip(before, after)]
    return np.pad(input[lead + crop], widths, constant_values=value)


vjp(frame,
    input=lambda ct, before, after:
        frame(ct, tuple(-b for b in before), tuple(-a for a in after), 0))


@runtime
def pixel_shuffle(input: Array, factor: int) -> Array:
    """``(..., C * r * r, H, W)`` to ``(..., C, H * r, W * r)`` for ``r = factor``."""
    lead, (c, h, w) = tuple(input.shape[:-3]), input.shape[-3:]
    parts = np.reshape(input, (*lead, c // factor**2, factor, factor, h, w))
    parts = np.moveaxis(parts, (-4, -3), (-3, -1))  # (..., c, h, r, w, r)
    return np.reshape(parts, (*lead, c // factor**2, h * factor, w * factor))


@runtime
def pixel_unshuffle(input: Array, factor: int) -> Array:
    """The inverse of :func:`pixel_shuffle`."""
    lead, (c, h, w) = tuple(input.shape[:-3]), input.shape[-3:]
    parts = np.reshape(input, (*lead, c, h // factor, factor, w // factor, factor))
    parts = np.moveaxis(parts, (-3, -1), (-4, -3))  # (..., c, r, r, h, w)
    return np.reshape(parts, (*lead, c * factor**2, h // factor, w // factor))


linear(pixel_shuffle, input=lambda ct, factor: pixel_unshuffle(ct, factor))
linear(pixel_unshuffle, input=lambda ct, factor: pixel_shuffle(ct, factor))
