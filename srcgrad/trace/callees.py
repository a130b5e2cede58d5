"""What is known of a function that is traced as a graph of its own."""

from __future__ import annotations

import re
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..graph.ir import Block, Value
from ..stage.machine import UNBOUND
from .forms import Arguments, Handed, Outer
from .journal import Cell
from .shapes import Sequence, Shape
from .tracers import Home


@dataclass(slots=True)
class Callee:
    """A function that is, or was, traced as a graph of its own.

    ``result`` is None while nothing is known of it.  ``aliases`` tells for each result leaf the
    arrays that it may be (or be a view of): numbers of argument leaves, homes from around the
    function.  ``stored`` are those that the body may have put into a list of unknown length, and
    ``listed`` the result leaves that may lie in one.

    What the body changes outside of itself goes through the calls: ``cells`` are further
    arguments and results, ``written`` the numbers of the array arguments it writes to.  The body
    works on copies of such arrays, its callers write the results back.
    """

    name: str
    function: types.FunctionType
    taker: Any  # see Activation
    arguments: Arguments
    result: Shape | None = None
    returned: Any = None
    aliases: list[set[int | Home]] = field(default_factory=list)
    stored: set[int | Home] = field(default_factory=set)
    listed: set[int] = field(default_factory=set)
    head: tuple[Any, ...] = ()
    params: tuple[Value, ...] = ()
    block: Block | None = None
    inside: dict[str, int] = field(default_factory=dict)
    effects: int = 0
    free: tuple[Value, ...] = ()
    cells: list[Cell] = field(default_factory=list)
    written: list[int] = field(default_factory=list)
    grown: bool = False
    layer: int = 0
    handed: dict[int, Handed] = field(default_factory=dict)
    older: dict[int, Outer] = field(default_factory=dict)
    remade: bool = False  # the adjoint of a call runs it again
    new_results: bool = False  # an argument is returned on some paths only
    open_lists: bool = False  # lists of numbers in results have any length
    lists: dict[int, list[Any]] = field(default_factory=dict)  # lists among the arguments
    shares: bool = False  # it may return a list that it was given

    def names(self, parameters: tuple[str, ...]) -> list[str]:
        """A name for each argument: that of its parameter, or of what is changed."""
        outside = [re.sub(r"\W+", "_", label_of_cell(c)).strip("_") for c in self.cells]
        return [*parameters, *(name or "outside" for name in outside)]


def label_of_cell(cell: Cell) -> str:
    """The user's name for a place, or what it is."""
    label = getattr(cell, "name", None) or getattr(cell.owner, "label", None)
    return label if isinstance(label, str) else f"a {type(cell.owner).__name__}"


def swapped(value: Any, other: Callable[[Any], Any]) -> Any:
    """A result with parts replaced."""
    if isinstance(value, tuple):
        items = [swapped(v, other) for v in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return other(value)


def rebuilt(shape: Shape, state: Any) -> list[Any]:
    """The containers and instances that were made anew for the body from what was handed in."""
    if not isinstance(shape, Sequence) or state is UNBOUND:
        return []
    return [state, *(c for item, part in zip(shape.items, shape.parts(state), strict=True)
                     for c in rebuilt(item, part))]


def parts_of(shape: Shape) -> list[Shape]:
    """The shapes inside a shape."""
    items: list[Shape] = list(getattr(shape, "items", ()))
    return items + [p for item in items for p in parts_of(item)]
