"""Arrays as memory: addresses, strided views, layouts, overlaps, undoing broadcasts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

Array = Any


def address(a: Array) -> int:
    """Where the first element of ``a`` lies."""
    return int(a.__array_interface__["data"][0])


def as_strided_bytes(
    a: Array, shape: tuple[int, ...], strides: tuple[int, ...], offset: int
) -> Array:
    """The memory from ``a``'s first element on, seen with a shape, byte strides and offset."""
    if 0 in shape:
        return as_strided(a.ravel()[:0], shape, strides)
    memory = a if a.flags.c_contiguous else _flat_span(a)
    return as_strided(np.ndarray((1,), a.dtype, memory, offset), shape, strides)


def _flat_span(a: Array) -> Array:
    """A 1-d array over all memory that ``a`` spans."""
    span = 1 + sum((n - 1) * s for n, s in zip(a.shape, a.strides)) // a.itemsize
    return as_strided(a, (max(span, 0),), (a.itemsize,))


def laid_out(shape: tuple[int, ...], strides: tuple[int, ...], d: Any) -> Array:
    """Zeros with the given byte strides (contiguous if these overlap or leave gaps)."""
    item = d.itemsize
    if 0 in shape:
        return np.zeros(shape, d)
    span = 1 + sum((n - 1) * s for n, s in zip(shape, strides)) // item
    return as_strided(np.zeros(span, d), shape, strides)


def strided_transpose(ct: Array, saved: tuple[Any, ...]) -> Array:
    """The transpose of taking a strided view: ``ct`` added into zeros of the base's layout."""
    base_shape, base_strides, geometry, replay = saved
    out = laid_out(base_shape, base_strides, ct.dtype)
    target = as_strided_bytes(out, *geometry) if replay is None else replay(out)
    if overlaps(target):
        dense = np.zeros(out.size, ct.dtype)
        np.add.at(dense, strided_places(out, geometry), ct)
        return dense.reshape(base_shape)
    target[...] = ct
    return out


def strided_places(base: Array, geometry: Any) -> Array:
    """Where in the flattened base each element of a strided view lies."""
    shape, strides, offset = geometry
    flat = np.arange(base.size)
    item = base.itemsize
    return as_strided_bytes(flat, shape, tuple(s // item * 8 for s in strides), offset // item * 8)


def overlaps(a: Array) -> bool:
    """Whether two elements of ``a`` may share memory (expanded or unfolded views)."""
    steps = sorted((abs(s), n) for s, n in zip(a.strides, a.shape) if n > 1)
    reach = a.itemsize
    for step, n in steps:
        if step < reach:
            return bool(a.size > 0)
        reach = step * (n - 1) + reach
    return False


def reduce_to(g: Array, shape: tuple[int, ...], d: Any) -> Array:
    """``g`` summed to ``shape`` (undoing a broadcast) and converted to NumPy dtype ``d``."""
    have = g.shape
    if have != shape:
        lead = len(have) - len(shape)
        axes = tuple(range(lead)) + tuple(
            i + lead for i, n in enumerate(shape) if n == 1 and have[i + lead] != 1)
        g = np.sum(g, axis=axes, keepdims=True).reshape(shape) if axes else g.reshape(shape)
    if g.dtype is not d:
        if g.dtype.kind == "c" and d.kind != "c":
            g = g.real
        g = g.astype(d)
    return g


def shape_text(shape: tuple[int, ...]) -> str:
    return "[" + ", ".join(map(str, shape)) + "]"


def is_dense(a: Array) -> bool:
    """Whether the elements fill one stretch of memory, each place once."""
    expected = a.itemsize
    for step, n in sorted((s, n) for s, n in zip(a.strides, a.shape) if n != 1):
        if step != expected:
            return False
        expected *= n
    return True


def partly_same(a: Array, b: Array) -> bool:
    """Whether two dense arrays share memory without being the same elements in the same order."""
    if not a.size or not b.size or not is_dense(a) or not is_dense(b):
        return False
    start, other = address(a), address(b)
    if start == other and a.size == b.size:
        return bool(a.strides != b.strides)
    return bool(start < other + b.nbytes and other < start + a.nbytes)
