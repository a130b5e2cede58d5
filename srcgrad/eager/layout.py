"""Memory formats and layouts: names that PyTorch programs pass about."""

from __future__ import annotations


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
strided = layout("strided")
