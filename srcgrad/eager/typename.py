"""The type names that PyTorch's messages use."""

from __future__ import annotations

from typing import Any

from . import basis as torch


def typename(value: Any) -> str:
    """``"torch.FloatTensor"`` for a tensor, else the qualified name of its type.

    >>> typename(3), typename(None)
    ('int', 'NoneType')
    """
    if isinstance(value, torch.Tensor):
        return str(value.type())
    kind = value if isinstance(value, type) else type(value)
    if kind.__module__ in ("builtins", "__builtin__"):
        return kind.__qualname__
    return f"{kind.__module__}.{kind.__qualname__}"
