"""Instances of classes, made from their attributes."""

from __future__ import annotations

from typing import Any

from ...types.tree import assemble


def instance_of(cls: Any, **attributes: Any) -> Any:
    """An instance with these attributes; ``__init__`` does not run.

    >>> class Place: pass
    >>> vars(instance_of(Place, x=1.0))
    {'x': 1.0}
    """
    return assemble(cls, tuple(attributes), list(attributes.values()))
