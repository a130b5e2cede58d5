"""What holds while something runs, and not after it, however it ends."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def on_top(stack: list[Any], item: Any) -> Iterator[None]:
    """``with on_top(stack, item):`` the item is the last one of a list.

    >>> held = []
    >>> with on_top(held, 1): print(held)
    [1]
    >>> held
    []
    """
    stack.append(item)
    try:
        yield
    finally:
        stack.pop()


@contextlib.contextmanager
def during(owner: Any, **values: Any) -> Iterator[None]:
    """``with during(owner, name=value):`` attributes have other values."""
    before = {name: getattr(owner, name) for name in values}
    try:
        for name, value in values.items():
            setattr(owner, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(owner, name, value)
