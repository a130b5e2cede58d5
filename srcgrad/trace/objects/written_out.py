"""What Python does with attributes where code of the program finds them, as it is staged."""

from __future__ import annotations

from typing import Any


def attribute_or(obj: Any, name: str, default: Any) -> Any:
    """``getattr(obj, name, default)``."""
    try:
        return getattr(obj, name)
    except AttributeError:
        return default


def has_attribute(obj: Any, name: str) -> bool:
    """``hasattr(obj, name)``."""
    try:
        getattr(obj, name)
    except AttributeError:
        return False
    return True
