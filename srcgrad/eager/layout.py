"""Memory formats and layouts: names that PyTorch programs pass about."""

from __future__ import annotations

from typing import Any

import numpy as np


class _Named:
    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"


class memory_format(_Named):
    """How the elements of a copy are ordered in memory."""


class layout(_Named):
    """How the elements of a tensor are stored; only ``strided`` exists here."""


preserve_format = memory_format("preserve_format")
contiguous_format = memory_format("contiguous_format")
channels_last = memory_format("channels_last")
channels_last_3d = memory_format("channels_last_3d")
_RANKS = {"channels_last": 4, "channels_last_3d": 5}
_ORDERS = {4: (1, 3, 2, 0), 5: (1, 4, 3, 2, 0)}  # the axes of channels-last memory, innermost first


def arranged(a: Any, form: memory_format | None) -> Any:
    """``a`` in the order that ``form`` names: itself if it has that order, else a copy."""
    if form is None or form is preserve_format:
        return a
    rank = _RANKS.get(form.name)
    if rank is None:
        return a if a.flags.c_contiguous else a.copy("C")
    if a.ndim != rank:
        raise RuntimeError(f"required rank {rank} tensor to use {form.name} format")
    return a if is_arranged(a, form) else np.moveaxis(np.moveaxis(a, 1, -1).copy("C"), -1, 1)


def is_arranged(a: Any, form: memory_format | None) -> bool:
    """Whether the elements of ``a`` are in the order that ``form`` names."""
    rank = None if form is None else _RANKS.get(form.name)
    if rank is None:
        return bool(a.flags.c_contiguous)
    if a.ndim != rank:
        return False
    step = a.itemsize
    for axis in _ORDERS[rank]:
        if a.shape[axis] != 1:
            if a.strides[axis] != step:
                return False
            step *= a.shape[axis]
    return True


def format_strides(shape: tuple[int, ...], item: int,
                   form: memory_format | None = None) -> tuple[int, ...]:
    """The byte strides of a dense array of this shape, with items of ``item`` bytes."""
    rank = None if form is None else _RANKS.get(form.name)
    if rank is not None and rank != len(shape):
        raise RuntimeError(f"required rank {rank} tensor to use {form.name} format")  # type: ignore[union-attr]
    strides = [0] * len(shape)
    for axis in range(len(shape))[::-1] if rank is None else _ORDERS[rank]:
        strides[axis] = item
        item *= shape[axis]
    return tuple(strides)


def suggested(a: Any) -> memory_format:
    """The format that results computed from ``a`` have: channels last if its strides grow in that
    order, whether or not ``a`` is dense."""
    order = _ORDERS.get(a.ndim)
    if order is None or a.strides[1] == 0:
        return contiguous_format
    least = 0
    for axis in order:
        stride = a.strides[axis]
        if a.shape[axis] == 0 or stride < least or (axis == 0 and least == a.strides[1]):
            return contiguous_format  # the last: one channel and one place fit either order
        least = stride * max(a.shape[axis], 1)
    return channels_last if a.ndim == 4 else channels_last_3d


strided = layout("strided")

__all__ = ["channels_last", "channels_last_3d", "contiguous_format", "layout", "memory_format",
           "preserve_format", "strided"]
