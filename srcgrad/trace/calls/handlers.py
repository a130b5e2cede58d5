"""The table of functions that mean something of their own while tracing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...types.dataclasses import dataclass

HANDLERS: dict[Any, Callable[..., Any]] = {}


def handles(*functions: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register what a function means while tracing; the machine is the first argument."""

    def register(handler: Callable[..., Any]) -> Callable[..., Any]:
        for function in functions:
            HANDLERS[function] = handler
        return handler

    return register


def primitive(handler: Callable[..., Any]) -> Callable[..., Any]:
    """Register what only code of ours that is staged calls: it leaves the machine out."""
    HANDLERS[handler] = handler
    return handler


@dataclass(frozen=True)
class Traced:
    """A function that exists while tracing only: calls of it are handed to ``apply``.  It may
    stand for a ``function`` of the program."""

    apply: Callable[..., Any]
    function: Any = None

    def __srcgrad_trace__(self, machine: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self.apply(*args, **kwargs)


def inlined(function: Any) -> Callable[..., Any]:
    """A handler that stages a function: Python written out, or a library's own source."""
    return lambda machine, *args, **kwargs: machine.calls.inline(function, args, kwargs)
