"""The namespace that the libraries (``nn``, ``optim``, ``utils``) are written in.

It holds what :mod:`srcgrad.eager` exports of the core, without the libraries themselves, so
that they can say ``from .. import basis as torch``; and two functions for code that works on
buffers directly.
"""

# ruff: noqa: F403  (what dtype and grad_mode list in their __all__)
from __future__ import annotations

from typing import Any

import numpy as np

from . import attributes, autograd, constructors, linalg, ops, random, recording
from .device import device
from .dispatch import NAMESPACE
from .dtype import *
from .dtype import bool_ as bool
from .dtype import dtype
from .grad_mode import *
from .promotion import result_type
from .saving import guard
from .size import Size
from .tensor import Tensor

_MODULES = (attributes, constructors, ops, recording)  # attach methods and fill NAMESPACE
globals().update(NAMESPACE)


def raw(t: Tensor) -> np.ndarray[Any, Any]:
    """The NumPy array of a tensor, sharing its memory whatever its gradient flags are."""
    return t._a  # type: ignore[no-any-return]


def increment_version(t: Tensor) -> None:
    """Say that a tensor's buffer was written to."""
    t._ver[0] += 1
    t._ver[2] = None


def typename(value: Any) -> str:
    """``"torch.FloatTensor"`` for a tensor, else the qualified name of its type.

    >>> typename(3), typename(None)
    ('int', 'NoneType')
    """
    if isinstance(value, Tensor):
        return str(value.type())
    kind = value if isinstance(value, type) else type(value)
    if kind.__module__ in ("builtins", "__builtin__"):
        return kind.__qualname__
    return f"{kind.__module__}.{kind.__qualname__}"


def __getattr__(name: str) -> Any:
    raise AttributeError(f"module 'srcgrad.eager' has no attribute '{name}'")


__all__ = ["Size", "Tensor", "autograd", "bool", "device", "dtype", "guard", "increment_version",
           "linalg", "random", "raw", "result_type",
           "typename"]
