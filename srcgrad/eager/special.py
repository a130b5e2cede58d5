"""`torch.special` (the functions are in :mod:`srcgrad.eager.ops.special_functions`)."""

from __future__ import annotations

from typing import Any

from srcgrad.eager.ops.special_functions import SPECIAL

globals().update(SPECIAL)


def __getattr__(name: str) -> Any:
    raise AttributeError(f"module 'torch.special' has no attribute '{name}'")


__all__ = sorted(SPECIAL)
