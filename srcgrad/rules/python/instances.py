"""Instances of classes, made from their attributes."""

from __future__ import annotations

from typing import Any


def instance_of(cls: Any, **attributes: Any) -> Any:
    """An instance with these attributes; ``__init__`` does not run.

    >>> class Place: pass
    >>> vars(instance_of(Place, x=1.0))
    {'x': 1.0}
    """
    try:
        made = object.__new__(cls)
    except TypeError:  # a class of C code, such as SimpleNamespace
        made = cls.__new__(cls)
    for name, value in attributes.items():
        object.__setattr__(made, name, value)
    return made
