"""The switches of a backend, set together and restored."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any


def never(*_: Any, **__: Any) -> bool:
    """False: nothing of it exists here."""
    return False


Flags = Callable[..., AbstractContextManager[None]]


def flags_of(switches: dict[str, Any], names: tuple[str, ...]) -> tuple[Any, Flags]:
    """``set_flags`` and ``flags`` for the switches that are a module's globals."""

    def set_flags(*values: Any, **named: Any) -> tuple[Any, ...]:
        """Set the switches that are given; returns what all of them were."""
        before = tuple(switches[name] for name in names)
        given = dict(zip(names, values)) | named
        for name, value in given.items():
            if name not in names:
                raise TypeError(f"set_flags() got an unexpected keyword argument '{name}'")
            if value is not None:
                switches[name] = value
        return before

    @contextmanager
    def flags(*values: Any, **named: Any) -> Iterator[None]:
        """Set switches within a ``with`` statement."""
        before = set_flags(*values, **named)
        try:
            yield
        finally:
            switches.update(zip(names, before))

    return set_flags, flags
