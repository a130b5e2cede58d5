"""`torch.linalg`: linear algebra (the functions are in :mod:`srcgrad.eager.ops.linear_algebra`)."""

from __future__ import annotations

from typing import Any

from srcgrad.eager.ops import factorizations, norms
from srcgrad.eager.ops.linear_algebra import LINALG, LinAlgError

_COMPLETE = (factorizations, norms)  # these add to the table
globals().update(LINALG)


def __getattr__(name: str) -> Any:
    raise AttributeError(f"module 'torch.linalg' has no attribute '{name}'")


__all__ = ["LinAlgError", *sorted(LINALG)]
