"""Devices: the CPU is the only one; every other request is refused as a CPU build does."""

from __future__ import annotations

from typing import Any

_KNOWN_TEXT = ("cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, "
               "lazy, vulkan, mps, meta, hpu, mtia, privateuseone")
_KNOWN = frozenset(_KNOWN_TEXT.split(", "))


class device:
    """Where a tensor lives: ``device("cpu")``, ``device("cpu", 0)``.

    >>> device("cpu")
    device(type='cpu')
    """

    __slots__ = ("index", "type")

    def __init__(self, type: Any = "cpu", index: int | None = None) -> None:
        if isinstance(type, device):
            self.type: str = type.type
            self.index: int | None = type.index
            return
        name, colon, number = str(type).partition(":")
        if name not in _KNOWN:
            raise RuntimeError(f"Expected one of {_KNOWN_TEXT} device type at start of device "
                               f"string: {name}")
        if colon:
            if not number.isdigit():
                raise RuntimeError(f"Invalid device string: '{type}'")
            index = int(number)
        self.type, self.index = name, index

    def __repr__(self) -> str:
        tail = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{tail})"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, device) and self.type == other.type and self.index == other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __reduce__(self) -> tuple[Any, ...]:
        return rebuilt, (self.type, self.index)


def rebuilt(type: str, index: int | None) -> device:
    """A device from its pickled form."""
    return device(type, index)


device.__module__ = "torch"


CPU = device("cpu")


def check(requested: Any) -> None:
    """Raise unless ``requested`` (a device, a string or None) is the CPU."""
    if requested is None:
        return
    asked = requested if isinstance(requested, device) else device(requested)
    if asked.type == "cpu":
        return
    if asked.type == "cuda":
        raise AssertionError("Torch not compiled with CUDA enabled")
    raise RuntimeError(f"PyTorch is not linked with support for {asked.type} devices: only cpu "
                       "exists here")
