"""What a loop carries, and what one round of tracing its body has found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..dims import Atom
from ..graph.ir import Value
from .journal import Cell, Change
from .regions import Region
from .shapes import Same, Shape, leaves


@dataclass(slots=True)
class Carried:
    """One cell that the loop carries: its form, and its states while the body is traced.

    ``head`` is the state at the head of an iteration, which the body may change in place;
    ``pristine`` is the same as it was, ``heads`` its parts at the leaves."""

    cell: Cell
    shape: Shape
    entry: Any
    head: Any = None
    end: Any = None
    pristine: Any = None
    heads: list[Any] = field(default_factory=list)
    params: list[Value] = field(default_factory=list)

    @property
    def is_unchanged(self) -> bool:
        """Did an iteration leave the cell as it found it?"""
        if self.end is not self.head or isinstance(self.shape, Same):
            return False
        parts = leaves(self.shape, self.end)
        return len(parts) == len(self.heads) and all(
            a is b for a, b in zip(parts, self.heads, strict=True))


@dataclass(slots=True)
class Round:
    """What one round of tracing left behind."""

    carried: dict[tuple[Any, ...], Carried]
    changes: dict[tuple[Any, ...], Change]
    jump: Any
    region: Region
    test: Region | None
    predicate: Any
    index: Value | None
    tested: dict[tuple[Any, ...], Change] | None = None
    own: frozenset[Atom] = frozenset()  # the symbols of the loop's index


@dataclass(frozen=True, slots=True)
class Place:
    """A variable of a frame (by its number among the running ones); ``is_version``: of the
    array that it holds, the version."""

    frame: int
    name: str
    is_version: bool = False
