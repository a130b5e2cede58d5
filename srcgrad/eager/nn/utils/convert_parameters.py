"""All parameters as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ... import basis as torch


def parameters_to_vector(parameters: Iterable[Any]) -> Any:
    """All parameters as one vector."""
    return torch.cat([p.view(-1) for p in parameters])


def vector_to_parameters(vec: Any, parameters: Iterable[Any]) -> None:
    """Slices of a vector into the parameters' data."""
    if not isinstance(vec, torch.Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {torch.typename(vec)}")
    values: Any = vec
    start = 0
    for p in parameters:
        count = p.numel()
        p.data = values[start:start + count].view_as(p).data
        start += count
