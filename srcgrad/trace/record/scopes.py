"""What holds while something runs, and not after it, however it ends."""

from __future__ import annotations

from typing import Any


class on_top:
    """``with on_top(stack, item):`` the item is the last one of a list.

    >>> held = []
    >>> with on_top(held, 1):
    ...     held
    [1]
    >>> held
    []
    """

    def __init__(self, stack: list[Any], item: Any) -> None:
        self.stack = stack
        self.item = item

    def __enter__(self) -> None:
        self.stack.append(self.item)

    def __exit__(self, *_: object) -> None:
        self.stack.pop()


class during:
    """``with during(owner, name=value):`` an attribute has another value."""

    def __init__(self, owner: Any, **values: Any) -> None:
        self.owner = owner
        self.values = values

    def __enter__(self) -> None:
        before = {name: getattr(self.owner, name) for name in self.values}
        self._set()
        self.values = before

    def __exit__(self, *_: object) -> None:
        self._set()

    def _set(self) -> None:
        for name, value in self.values.items():
            setattr(self.owner, name, value)
