"""Facts about region functions: what they assign and read, and how they may end."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cached_property
from typing import Any

from ..errors import Where
from .convert.context import CAN_BREAK, CAN_CONTINUE, CAN_RETURN, RegionPlan
from .liveness import Later, Names
from .scopes import bound_by, expressions, statements_of


class RegionInfo:
    """Static facts of one region function, found by :func:`region_info`.

    ``kind`` is ``then``, ``orelse``, ``elif``, ``body``, ``rest``, ``try``, ``except``,
    ``finally``, ``with`` or ``case``.  ``may_break``, ``may_continue``, ``may_return`` tell which
    jumps it can make, ``falls`` whether it can run to its end.
    """

    def __init__(self, plan: RegionPlan, filename: str) -> None:
        self._plan = plan
        self.filename = filename
        self.kind = plan.kind
        self.line: int = getattr(plan.node, "lineno", 0)
        self.column: int = getattr(plan.node, "col_offset", 0)

    @property
    def node(self) -> ast.AST:
        """The user's statement (of a ``rest``: the first of its statements)."""
        return self._plan.node

    @property
    def site(self) -> tuple[str, int, int]:
        """File, line and column of the statement: the same at each tracing."""
        return self.filename, self.line, self.column

    @property
    def where(self) -> Where:
        """The place of the statement."""
        return Where(self.filename, self.line)

    @property
    def may_break(self) -> bool:
        """Whether it can end in ``break``."""
        return bool(self._plan.jumps & CAN_BREAK)

    @property
    def may_continue(self) -> bool:
        """Whether it can end in ``continue``."""
        return bool(self._plan.jumps & CAN_CONTINUE)

    @property
    def may_return(self) -> bool:
        """Whether it can return from the function."""
        return bool(self._plan.jumps & CAN_RETURN)

    @property
    def falls(self) -> bool:
        """Whether it can run to its end."""
        return self._plan.falls

    @cached_property
    def assigned(self) -> frozenset[str]:
        """Names that its statements may bind or delete (in the user's text)."""
        found: set[str] = set()
        for node in statements_of(self._plan.body):
            found.update(bound_by(node))
            found.update(inner.target.id for inner in expressions(node)
                         if isinstance(inner, ast.NamedExpr) and isinstance(inner.target, ast.Name))
        return frozenset(found)

    @cached_property
    def asks_for_error(self) -> bool:
        """Whether a handler needs the exception itself: it names it, raises it again, or looks it
        up."""
        return getattr(self._plan.node, "name", None) is not None or any(
            (isinstance(inner, ast.Raise) and inner.exc is None)
            or getattr(inner, "attr", getattr(inner, "id", None)) == "exc_info"
            for node in self._plan.body for inner in ast.walk(node))

    @cached_property
    def reads(self) -> frozenset[str]:
        """Names that its statements read, nested functions and comprehensions included."""
        return frozenset(inner.id for node in self._plan.body for inner in ast.walk(node)
                         if isinstance(inner, ast.Name) and not isinstance(inner.ctx, ast.Store))


def names_read_after(region: Callable[..., Any]) -> Names | None:
    """The variables of its function that may be read after the statement a region is part of
    (an upper bound); None where that is not known."""
    later, node = _later(region)
    return None if later is None else later.after.get(id(node))


def names_read_at_head(body: Callable[..., Any]) -> Names | None:
    """The variables that may be read from the head of an iteration on, for a loop's body."""
    later, node = _later(body)
    return None if later is None else later.head.get(id(node))


def names_read_after_loop(body: Callable[..., Any]) -> Names | None:
    """The variables that may be read once a loop has ended, for its body."""
    later, node = _later(body)
    return None if later is None else later.left.get(id(node))


def _later(region: Any) -> tuple[Later | None, ast.AST | None]:
    unit = getattr(region, "__globals__", {}).get("__srcgrad_unit__")
    if unit is None:
        return None, None
    info, owner = unit.regions.get(id(region.__code__)), unit.owners.get(id(region.__code__))
    if info is None or owner is None or owner.is_generator or owner.kind == "class":
        return None, None
    return owner.read_later, info.node


def region_info(region: Callable[..., Any]) -> RegionInfo | None:
    """The facts of a region function; None for thunks of expressions and the empty region."""
    function: Any = region
    unit = function.__globals__.get("__srcgrad_unit__")
    if unit is None:
        return None
    found: RegionInfo | None = unit.regions.get(id(function.__code__))
    return found
