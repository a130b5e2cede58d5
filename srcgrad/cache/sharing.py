"""Generated code that several functions share: those with one code object, and the same wishes."""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .anchors import BARE, NOWHERE, Anchor, generated_for


def find_shared(anchor: Anchor, signature: inspect.Signature, request: Any,
                args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """What was generated for another function with the same code, if it serves this call."""
    for entry in [*generated_for(anchor, signature, request)]:
        if entry.only is None or entry.only() is anchor.identity:
            found = entry.bound(anchor, signature)
            if found.matches(args, kwargs):
                return found
    return None


def share(made: Any, request: Any, most: int) -> None:
    """Keep generated code for other functions with the same code, as long as that lives."""
    kept = generated_for(made.anchor, made.signature, request)
    only = None
    if not made.traced.shareable:
        try:
            only = weakref.ref(made.anchor.identity)
        except TypeError:  # code of C
            return
    kept[:] = [replace(made, anchor=NOWHERE, signature=BARE, only=only),
               *(e for e in kept if not e.dispatch.caller.stale)][:most]


def forget_shared(anchor: Anchor, signature: inspect.Signature, request: Any) -> None:
    """Forget what was generated for functions with the same code."""
    generated_for(anchor, signature, request).clear()
