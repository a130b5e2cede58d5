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


def put_state(made: Any, state: Any) -> None:
    """What ``copy`` does with the state of a new object."""
    if hasattr(made, "__setstate__"):
        made.__setstate__(state)
        return
    held, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
    if held:
        made.__dict__.update(held)
    if slots:
        for name, value in slots.items():
            setattr(made, name, value)
