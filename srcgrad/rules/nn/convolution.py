"""Convolutions over any number of spatial axes, and the moves between images and columns.

Three bilinear functions that are each other's transposes:

* :func:`correlate` ``f(x, w)``: what neural networks call convolution;
* :func:`correlate_input` ``B(g, w)``: its transpose in ``x`` (a transposed convolution);
* :func:`correlate_weight` ``W(g, x)``: its transpose in ``w``.

With ``<g, f(x, w)> = <B(g, w), x> = <W(g, x), w>`` every derivative, of any order, is one of
the three again.  Each is one matrix product per group over columns (im2col).

Layout: images ``(N, C, *size)``, weights ``(O, C // groups, *kernel)``; ``stride``,
``padding`` and ``dilation`` are tuples, one entry per spatial axis.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
from numpy.lib.stride_tricks import as_strided

from srcgrad.rules.book import Array, linear, vjp
from srcgrad.rules.broadcast import runtime
from srcgrad.rules.nn.grids import Grid, grid_correlate, grid_input, grid_weight

Ints = tuple[int, ...]


def output_size(size: Ints, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints) -> Ints:
    """The spatial size of a convolution's result.

    >>> output_size((5,), (3,), (2,), (0,), (1,))
    (2,)
    """
    return tuple(
        (n + 2 * p - d * (k - 1) - 1) // s + 1
        for n, k, s, p, d in zip(size, kernel, stride, padding, dilation)
    )


def _padded(x: Array, padding: Ints) -> Array:
    if not any(padding):
        return x
    shape = x.shape[:2] + tuple(n + 2 * p for n, p in zip(x.shape[2:], padding))
    out = np.zeros(shape, x.dtype)
    inner = tuple(slice(p, p + n) for n, p in zip(x.shape[2:], padding))
    out[(slice(None), slice(None), *inner)] = x
    return out


def _windows(x: Array, kernel: Ints, stride: Ints, dilation: Ints, out: Ints) -> Array:
    """A view ``(N, C, *kernel, *out)`` of a padded image."""
    steps = x.strides[2:]
    return as_strided(
        x,
        x.shape[:2] + kernel + out,
        x.strides[:2]
        + tuple(s * d for s, d in zip(steps, dilation))
        + tuple(s * t for s, t in zip(steps, stride)),
        writeable=False,
    )


def _taps(kernel: Ints, stride: Ints, dilation: Ints,
          out: Ints) -> Iterator[tuple[Ints, tuple[slice, ...]]]:
    """Each position in the kernel, with the slices of the padded image it touches."""
    for tap in itertools.product(*(range(k) for k in kernel)):
        yield tap, tuple(
            slice(t * d, t * d + s * (n - 1) + 1, s)
            for t, d, s, n in zip(tap, dilation, stride, out)
        )


def _columns(x: Array, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints,
             out: Ints) -> Array:
    """``(N, C * prod(kernel), prod(out))``; ``out`` may leave out positions at the ends."""
    windows = _windows(_padded(x, padding), kernel, stride, dilation, out)
    n, c = x.shape[:2]
    return windows.reshape(n, c * math.prod(kernel), math.prod(out))


def _images(columns: Array, size: Ints, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints,
            out: Ints) -> Array:
    """The transpose of :func:`_columns`: columns added back to images of ``size``."""
    n = columns.shape[0]
    parts = columns.reshape(n, columns.shape[1] // math.prod(kernel), *kernel, *out)
    full = tuple(m + 2 * p for m, p in zip(size, padding))
    image = np.zeros((n, parts.shape[1], *full), columns.dtype)
    every = (slice(None), slice(None))
    for tap, where in _taps(kernel, stride, dilation, out):
        image[every + where] += parts[every + tap]
    inner = tuple(slice(p, p + m) for m, p in zip(size, padding))
    return image[every + inner] if any(padding) else image


def _is_pointwise(kernel: Ints, stride: Ints, padding: Ints) -> bool:
    return all(k == 1 for k in kernel) and all(s == 1 for s in stride) and not any(padding)


@runtime
def correlate(x: Array, w: Array, stride: Ints, padding: Ints, dilation: Ints, groups: int,
              out: Ints | None = None) -> Array:
    """``out[n, o, i] = sum over c, t of x[n, c, i*stride + t*dilation - padding] * w[o, c, t]``.

    ``out`` is the spatial size of the result, all positions if None.

    >>> correlate(np.arange(4.0).reshape(1, 1, 4), np.ones((1, 1, 2)), (1,), (0,), (1,), 1)
    array([[[1., 3., 5.]]])
    """
    n = x.shape[0]
    o, kernel = w.shape[0], w.shape[2:]
    if out is None:
        out = output_size(x.shape[2:], kernel, stride, padding, dilation)
    if len(out) == 2 and stride == (1, 1) and not _is_pointwise(kernel, stride, padding):
        return grid_correlate(x, w, Grid(x.shape[2:], kernel, padding, dilation, out), groups)
    columns = _columns(x, kernel, stride, padding, dilation, out)
    width = math.prod(w.shape[1:])
    if groups == 1:
        result = np.matmul(w.reshape(o, width), columns)
    else:
        grouped = columns.reshape(n, groups, width, columns.shape[-1])
        result = np.matmul(w.reshape(groups, o // groups, width), grouped)
    return result.reshape(n, o, *out)


@runtime
def correlate_input(g: Array, w: Array, size: Ints, stride: Ints, padding: Ints, dilation: Ints,
                    groups: int) -> Array:
    """The transpose of :func:`correlate` in ``x``; ``size`` is the image's spatial size."""
    kernel = w.shape[2:]
    if _is_pointwise(kernel, stride, padding) and tuple(g.shape[2:]) == tuple(size):
        return _turned_product(g, w, groups).reshape(g.shape[0], w.shape[1] * groups, *size)
    if len(size) == 2 and stride == (1, 1):
        grid = Grid(tuple(size), kernel, padding, dilation, g.shape[2:])
        return grid_input(g, w, grid, groups)
    columns = _turned_product(g, w, groups)
    return _images(columns, size, kernel, stride, padding, dilation, g.shape[2:])


def _turned_product(g: Array, w: Array, groups: int) -> Array:
    """``w.T @ g`` per image: columns ``(N, C * prod(kernel), positions)``."""
    n, o = g.shape[:2]
    flat = g.reshape(n, groups, o // groups, math.prod(g.shape[2:]))
    width = math.prod(w.shape[1:])
    turned = np.swapaxes(w.reshape(groups, o // groups, width), 1, 2)
    columns = np.matmul(turned[0], flat[:, 0]) if groups == 1 else np.matmul(turned, flat)
    return columns.reshape(n, groups * width, flat.shape[-1])


@runtime
def correlate_weight(g: Array, x: Array, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints,
                     groups: int) -> Array:
    """The transpose of :func:`correlate` in ``w``; ``kernel`` is the kernel's spatial size."""
    n, o = g.shape[:2]
    if len(kernel) == 2 and stride == (1, 1) and not _is_pointwise(kernel, stride, padding):
        grid = Grid(x.shape[2:], tuple(kernel), padding, dilation, g.shape[2:])
        return grid_weight(g, x, grid, groups).reshape(o, x.shape[1] // groups, *kernel)
    columns = _columns(x, kernel, stride, padding, dilation, g.shape[2:])
    spots = columns.shape[-1]
    if groups == 1:
        flat = g.reshape(n, o, spots)
        result = flat[0] @ columns[0].T if n else np.zeros((o, columns.shape[1]), g.dtype)
        for i in range(1, n):
            result += flat[i] @ columns[i].T
    else:
        flat = g.reshape(n, groups, o // groups, spots)
        grouped = columns.reshape(n, groups, columns.shape[1] // groups, spots)
        result = np.matmul(flat, np.swapaxes(grouped, 2, 3)).sum(axis=0)
    return result.reshape(o, x.shape[1] // groups, *kernel)


vjp(correlate,
    x=lambda ct, w, x_shape, stride, padding, dilation, groups:
        correlate_input(ct, w, tuple(x_shape[2:]), stride, padding, dilation, groups),
    w=lambda ct, x, w_shape, stride, padding, dilation, groups:
        correlate_weight(ct, x, tuple(w_shape[2:]), stride, padding, dilation, groups))
vjp(correlate_input,
    g=lambda ct, w, g_shape, stride, padding, dilation, groups:
        correlate(ct, w, stride, padding, dilation, groups, tuple(g_shape[2:])),
    w=lambda ct, g, w_shape, stride, padding, dilation, groups:
        correlate_weight(g, ct, tuple(w_shape[2:]), stride, padding, dilation, groups))
vjp(correlate_weight,
    g=lambda ct, x, g_shape, stride, padding, dilation, groups:
        correlate(x, ct, stride, padding, dilation, groups, tuple(g_shape[2:])),
    x=lambda ct, g, x_shape, stride, padding, dilation, groups:
        correlate_input(g, ct, tuple(x_shape[2:]), stride, padding, dilation, groups))


def _along_channels(bias: Array, ndim: int) -> Array:
    return np.reshape(bias, (1, -1) + (1,) * (ndim - 2))


@runtime
def convolution(input: Array, weight: Array, bias: Array, stride: Ints, padding: Ints,
                dilation: Ints, transposed: bool, output_padding: Ints, groups: int) -> Array:
    """A convolution layer: :func:`correlate`, or with ``transposed`` its transpose, and a bias
    per output channel (or None)."""
    if transposed:
        size = transposed_size(
            input.shape[2:], weight.shape[2:], stride, padding, dilation, output_padding
        )
        out = correlate_input(input, weight, size, stride, padding, dilation, groups)
    else:
        out = correlate(input, weight, stride, padding, dilation, groups)
    if bias is not None:
        out += _along_channels(bias, out.ndim)
    return out


def transposed_size(size: Ints, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints,
                    output_padding: Ints) -> Ints:
    """The spatial size of a transposed convolution's result."""
    return tuple(
        (n - 1) * s - 2 * p + d * (k - 1) + q + 1
        for n, k, s, p, d, q in zip(size, kernel, stride, padding, dilation, output_padding)
    )


@vjp(convolution, "input")
def convolution_input(ct: Array, weight: Array, input_shape: Ints, stride: Ints, padding: Ints,
                      dilation: Ints, transposed: bool, groups: int) -> Array:
    if transposed:
        size = tuple(input_shape[2:])
        return correlate(ct, weight, stride, padding, dilation, groups, size)
    return correlate_input(ct, weight, tuple(input_shape[2:]), stride, padding, dilation, groups)


@vjp(convolution, "weight")
def convolution_weight(ct: Array, input: Array, weight_shape: Ints, stride: Ints, padding: Ints,
                       dilation: Ints, transposed: bool, groups: int) -> Array:
    kernel = tuple(weight_shape[2:])
    if transposed:
        return correlate_weight(input, ct, kernel, stride, padding, dilation, groups)
    return correlate_weight(ct, input, kernel, stride, padding, dilation, groups)


@vjp(convolution, "bias")
def convolution_bias(ct: Array, input_ndim: int) -> Array:
    rows = np.sum(ct, axis=tuple(range(2, input_ndim)))
    return np.sum(rows, axis=0)


@runtime
def im2col(input: Array, kernel: Ints, dilation: Ints, padding: Ints, stride: Ints) -> Array:
    """The patches of images as columns, ``(N, C * prod(kernel), positions)``."""
    out = output_size(input.shape[2:], kernel, stride, padding, dilation)
    return np.ascontiguousarray(_columns(input, kernel, stride, padding, dilation, out))


@runtime
def col2im(input: Array, size: Ints, kernel: Ints, dilation: Ints, padding: Ints,
           stride: Ints) -> Array:
    """Columns added back to images of spatial ``size``: the transpose of :func:`im2col`."""
    out = output_size(size, kernel, stride, padding, dilation)
    return np.ascontiguousarray(_images(input, size, kernel, stride, padding, dilation, out))


linear(im2col,
    input=lambda ct, input_shape, kernel, dilation, padding, stride:
        col2im(ct, tuple(input_shape[2:]), kernel, dilation, padding, stride))
linear(col2im,
    input=lambda ct, kernel, dilation, padding, stride:
        im2col(ct, kernel, dilation, padding, stride))
