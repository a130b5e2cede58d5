"""Facts about region functions: what they assign and read, and how they may end."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from .liveness import Names
from .machine import CAN_BREAK, CAN_RETURN
from .scopes import bound_by, expressions, statements_of


@dataclass
class RegionInfo:
    """What a region function was made from, and what its text says of it.

    ``kind`` is ``then``, ``orelse``, ``elif``, ``body``, ``rest``, ``try``, ``except``,
    ``finally``, ``with`` or ``case``; ``node`` is the user's statement (of a ``rest``: the first
    of its statements).  ``jumps`` are the jumps it can make, ``falls`` tells whether it can run
    to its end.
    """

    kind: str
    node: Any
    body: list[ast.stmt]
    jumps: int = 0
    falls: bool = True

    @property
    def line(self) -> int:
        return getattr(self.node, "lineno", 0)

    @property
    def may_break(self) -> bool:
        """Whether it can end in ``break``."""
        return bool(self.jumps & CAN_BREAK)

    @property
    def may_return(self) -> bool:
        """Whether it can return from the function."""
        return bool(self.jumps & CAN_RETURN)

    @property
    def assigned(self) -> frozenset[str]:
        """Names that its statements may bind or delete (in the user's text)."""
        found: set[str] = set()
        for node in statements_of(self.body):
            found.update(bound_by(node))
            found.update(inner.target.id for inner in expressions(node)
                         if isinstance(inner, ast.NamedExpr) and isinstance(inner.target, ast.Name))
        return frozenset(found)

    @cached_property
    def asks_for_error(self) -> bool:
        """Whether a handler needs the exception itself: it names it, raises it again, or looks it
        up."""
        return getattr(self.node, "name", None) is not None or any(
            (isinstance(inner, ast.Raise) and inner.exc is None)
            or getattr(inner, "attr", getattr(inner, "id", None)) == "exc_info"
            for node in self.body for inner in ast.walk(node))


def region_info(region: Callable[..., Any]) -> RegionInfo | None:
    """The facts of a region function; None for thunks of expressions and the empty region."""
    unit = _unit_of(region)
    found: RegionInfo | None = None if unit is None else unit.regions.get(
        id(region.__code__))
    return found


def names_read(when: Literal["after", "head", "left"], region: Any) -> Names | None:
    """The variables of its function that may be read ``after`` the statement a region is part of;
    for a loop's body also from the ``head`` of an iteration on, or once the loop is ``left`` (upper
    bounds; None where that is not known)."""
    info = region_info(region)
    owner = None if info is None else _unit_of(region).owners.get(id(region.__code__))
    if info is None or owner is None or owner.is_generator or owner.kind == "class":
        return None
    later = owner.read_later
    return None if later is None else getattr(later, when).get(id(info.node))


def _unit_of(region: Any) -> Any:
    return getattr(region, "__globals__", {}).get("__srcgrad_unit__")
