"""Memory formats and layouts: names that PyTorch programs pass about."""

from __future__ import annotations

from typing import Any

import numpy as np


class memory_format:
    """How the elements of a copy are ordered in memory."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"


class layout:
    """How the elements of a tensor are stored; only ``strided`` exists here."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"


preserve_format = memory_format("preserve_format")
contiguous_format = memory_format("contiguous_format")
channels_last = memory_format("channels_last")
channels_last_3d = memory_format("channels_last_3d")
_RANKS = {"channels_last": 4, "channels_last_3d": 5}


def arranged(a: Any, form: memory_format | None) -> Any:
    """``a`` in the order that ``form`` names: itself if it has that order, else a copy."""
    if form is None or form is preserve_format:
        return a
    rank = _RANKS.get(form.name)
    if rank is None:
        return a if a.flags.c_contiguous else a.copy("C")
    if a.ndim != rank:
        raise RuntimeError(f"required rank {rank} tensor to use {form.name} format")
    last = np.moveaxis(a, 1, -1)
    return a if last.flags.c_contiguous else np.moveaxis(last.copy("C"), -1, 1)


def is_arranged(a: Any, form: memory_format | None) -> bool:
    """Whether the elements of ``a`` are in the order that ``form`` names."""
    rank = None if form is None else _RANKS.get(form.name)
    if rank is None:
        return bool(a.flags.c_contiguous)
    return bool(a.ndim == rank and np.moveaxis(a, 1, -1).flags.c_contiguous)
strided = layout("strided")
