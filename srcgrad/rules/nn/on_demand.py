"""Functions of ``scipy.special``, imported when they are called."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any


def special(name: str) -> Callable[..., Any]:
    """The function of ``scipy.special`` of this name.

    Raises ``ModuleNotFoundError`` where SciPy, which is optional, is not installed.

    >>> float(special("i0")(0.0))
    1.0
    """
    try:
        found: Callable[..., Any] = getattr(importlib.import_module("scipy.special"), name)
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            f"scipy.special.{name} is needed here and SciPy is not installed: "
            "pip install scipy, or pip install 'srcgrad[scipy]'", name="scipy") from None
    return found
