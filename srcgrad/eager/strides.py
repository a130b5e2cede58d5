"""Arrays as memory: addresses, strided views, layouts, overlaps, undoing broadcasts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

Array = Any
# Shape and byte strides of an array; those of a view of it, its offset, its dtype (None: the same).
Seen = tuple[tuple[int, ...], tuple[int, ...], tuple[Any, ...]]


def address(a: Array) -> int:
    """Where the first element of ``a`` lies."""
    return int(a.__array_interface__["data"][0])


def strided(a: Array, shape: tuple[int, ...], strides: tuple[int, ...], offset: int = 0,
            d: Any = None) -> Array:
    """The memory that ``a`` spans, seen with a shape, byte strides and offset (and dtype ``d``).

    All strided arrays are made here: NumPy checks that no element lies outside that memory.
    """
    if 0 in shape:
        return np.ndarray(shape, d or a.dtype, np.empty(0), 0, strides)
    d = d or a.dtype
    try:
        return np.ndarray(shape, d, memory(a), offset, strides)
    except ValueError:
        item = d.itemsize
        if offset < 0:
            raise RuntimeError(f"Tensor: invalid storage offset {offset // item}") from None
        raise RuntimeError(
            f"setStorage: sizes {list(shape)}, strides {[s // item for s in strides]}, storage "
            f"offset {offset // item}, and itemsize {item} requiring a storage size of "
            f"{offset + extent(shape, strides, item)} are out of bounds for storage of size "
            f"{memory(a).nbytes}") from None


def memory(a: Array) -> Array:
    """A contiguous array over all memory that ``a`` spans, from its first element on."""
    flags = a.flags
    if flags.c_contiguous or flags.f_contiguous:
        return a
    item = a.itemsize
    return as_strided(a, (extent(a.shape, a.strides, item) // item,), (item,))


def extent(shape: tuple[int, ...], strides: tuple[int, ...], item: int) -> int:
    """How many bytes an array of this geometry reaches over."""
    return 0 if 0 in shape else item + sum((n - 1) * s for n, s in zip(shape, strides))


def laid_out(shape: tuple[int, ...], strides: tuple[int, ...], d: Any) -> Array:
    """Zeros with the given byte strides."""
    item = d.itemsize
    return strided(np.zeros(extent(shape, strides, item) // item, d), shape, strides)


class Scattering:
    """How the transpose of a strided view spreads a cotangent over the base.

    Both are seen as places of one stretch of memory, of which the view may have elements that
    the base does not see.  Where the base has several elements at one place, these share what
    arrives there.  (``simple``: nothing overlaps and the view lies inside the base.)
    """

    def __init__(self, saved: Seen, d: Any) -> None:
        self.shape, self.strides, self.geometry = saved
        shape, strides, offset, kind = self.geometry
        item = d.itemsize
        reach = extent(self.shape, self.strides, item)
        last = offset + extent(shape, strides, item)
        self.shared = overlapping(self.shape, self.strides, item)
        self.simple = 0 in shape or kind is not None or (
            offset >= 0 and last <= reach and not self.shared
            and not overlapping(shape, strides, item))
        if not self.simple:
            start = min(0, offset)
            self.size = (max(reach, last) - start) // item
            self.source = _places(shape, strides, offset - start, item)
            self.base = _places(self.shape, self.strides, -start, item)

    def counts(self, d: Any) -> Array:
        """How many elements of the base lie at each place (1 where there is none)."""
        return np.maximum(np.bincount(self.base.ravel(), minlength=self.size), 1).astype(d)


def _places(shape: tuple[int, ...], strides: tuple[int, ...], offset: int, item: int) -> Array:
    """The number of the place where each element of a strided array lies."""
    places = np.full(shape, offset // item)
    for axis, (n, s) in enumerate(zip(shape, strides)):
        places += (np.arange(n) * (s // item)).reshape(-1, *(1,) * (len(shape) - axis - 1))
    return places


def strided_transpose(ct: Array, saved: Seen, d: Any) -> Array:
    """The transpose of taking a strided view of an array of dtype ``d``: ``ct`` added into zeros of
    the base's layout."""
    spread = Scattering(saved, d)
    if spread.simple:
        out = laid_out(spread.shape, spread.strides, d)
        strided(out, *spread.geometry)[...] = ct
        return out
    dense = np.zeros(spread.size, d)
    np.add.at(dense, spread.source, ct)
    if spread.shared:
        dense /= spread.counts(d)
    return dense[spread.base]


def overlaps(a: Array) -> bool:
    """Whether two elements of ``a`` may share memory (expanded or unfolded views)."""
    return overlapping(a.shape, a.strides, a.itemsize)


def overlapping(shape: tuple[int, ...], strides: tuple[int, ...], item: int) -> bool:
    """:func:`overlaps` of an array of this geometry."""
    reach = item
    for step, n in sorted((abs(s), n) for s, n in zip(strides, shape) if n > 1):
        if step < reach:
            return 0 not in shape
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


def refuse_negative(shape: Sequence[int]) -> None:
    """Raise if a length is negative."""
    for n in shape:
        if n < 0:
            raise RuntimeError(
                f"Trying to create tensor with negative dimension {n}: {list(shape)}")


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
