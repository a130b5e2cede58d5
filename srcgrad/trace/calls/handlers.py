"""The table of functions that mean something of their own while tracing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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
