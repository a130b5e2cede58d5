"""Shapes: the forms of a state that two paths, or the rounds of a loop, have in common.

A shape is a tree that says which parts are the same object on both paths and which are *leaves*,
values that differ and become outputs of an ``if`` or carried values of a loop.  A shape can list
the parts of a state that stand at its leaves, and build the joined state from values for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ...errors import JoinError
from ...graph.ir import Value
from ...stage.machine import UNBOUND
from ...types.dataclasses import dataclass, field
from ...types.kinds import SCALARS, Aval, Kind
from ..assumptions import Assumption
from ..record.journal import Snapshot
from ..record.tracers import Choice, Poison


class Spare:
    """A number where another thing is: any will do."""

    __slots__ = ()


class Shape:
    """Base of shapes."""

    __slots__ = ()


@dataclass(slots=True)
class Same(Shape):
    """The same object on both paths."""

    obj: Any


@dataclass(slots=True)
class Leaf(Shape):
    """A value that differs.  ``version_of`` is set for the version of a home."""

    aval: Aval
    version_of: Any = None
    opened: frozenset[int] = frozenset()
    key: Any = None  # leaves of equal key are one object
    label: str | None = None
    rows: Any = None  # of a list of lists that holds the same lists on both paths
    steady: bool = False  # a loop's array whose initial value is a constant number


@dataclass(slots=True)
class Sequence(Shape):
    """A tuple, list or content snapshot of equal length on both paths.  ``labels``: what is put
    behind the name of a place to name the items."""

    build: Callable[[list[Any]], Any]
    items: list[Shape]
    parts: Callable[[Any], tuple[Any, ...]]
    labels: tuple[str, ...] = field(default=(), kw_only=True)


@dataclass(slots=True)
class Numbered(Sequence):
    """An object in a store, or with ``optional`` None: its part is its number."""

    optional: bool


@dataclass(slots=True)
class Ended(Sequence):
    """Two lists of which an arm has changed one: its parts are those at the end of that arm."""

    lists: tuple[Any, Any]


def ended_lists(shape: Shape) -> Iterator[Ended]:
    """The lists in a shape that are replaced although an arm has changed them."""
    if isinstance(shape, Ended):
        yield shape
    for item in getattr(shape, "items", ()):
        yield from ended_lists(item)


@dataclass(slots=True)
class Perhaps(Sequence):
    """Something that only some paths bind: its parts are whether it is bound, and its content."""


@dataclass(slots=True)
class OneOf(Perhaps):
    """One of several unlike things: its parts are which of them it is, and the contents."""


@dataclass(slots=True)
class Keyed(Sequence):
    """The content of a dict or set whose keys depend on the path."""

    keys: tuple[Any, ...] = ()
    ordered: bool = True


@dataclass(slots=True)
class Failed(Shape):
    """Parts that have no common form; reading the joined slot raises the error.  ``remedies``
    are assumptions under which they would have one."""

    error: JoinError
    remedies: tuple[Assumption, ...] = ()


@dataclass(slots=True)
class Apart(Shape):
    """Two objects that stay two: after a branch on ``predicate`` the slot holds one of them.
    ``forms`` say how each is known after the branch."""

    predicate: Value
    objects: tuple[Any, Any]
    forms: tuple[Shape, Shape]


def failures(shape: Shape) -> Iterator[Failed]:
    """The parts of a shape that have no common form."""
    if isinstance(shape, Failed):
        yield shape
    for item in getattr(shape, "items", ()):
        yield from failures(item)


SPARE = Spare()


class Misfit(Exception):
    """A state has another number of parts than a form."""


def leaves(shape: Shape, state: Any) -> list[Any]:
    """The parts of a state at the shape's leaves, in order; :class:`Misfit` if it has others."""
    if isinstance(shape, Leaf):
        return [state]
    if isinstance(shape, Apart):
        sides = [state if state is o else UNBOUND for o in shape.objects]
        return [p for form, side in zip(shape.forms, sides, strict=True)
                for p in leaves(form, side)]
    if isinstance(shape, Sequence):
        if type(state) is Poison or (state is UNBOUND and not isinstance(shape, Perhaps)):
            return [p for item in shape.items for p in leaves(item, UNBOUND)]
        parts = shape.parts(state)
        found: list[Any] = []
        if parts is None or len(parts) != len(shape.items):
            raise Misfit
        for item, part in zip(shape.items, parts, strict=True):
            if part is UNBOUND and isinstance(shape, OneOf) and isinstance(item, Leaf) and (
                    item.aval.kind in SCALARS):
                found.append(SPARE)
            elif part is UNBOUND and isinstance(shape, Perhaps):  # nothing reads it: any list
                found.extend(Snapshot(list, ()) if leaf.aval.kind is Kind.LIST else UNBOUND
                             for leaf in leaf_shapes(item))
            else:
                found.extend(leaves(item, part))
        return found
    return []


def leaf_shapes(shape: Shape) -> list[Leaf]:
    """The leaves of a shape, in order."""
    if isinstance(shape, Leaf):
        return [shape]
    if isinstance(shape, Apart):
        return [leaf for form in shape.forms for leaf in leaf_shapes(form)]
    if isinstance(shape, Sequence):
        return [leaf for item in shape.items for leaf in leaf_shapes(item)]
    return []


def build(shape: Shape, made: list[Any], built: dict[int, Any]) -> Any:
    """The joined state; ``made`` holds an object for each leaf and is consumed.  ``built``
    remembers what was built for a shape: shapes that occur twice are one object."""
    if isinstance(shape, Same):
        return shape.obj
    if isinstance(shape, Failed):
        return Poison(shape.error, shape.remedies)
    if isinstance(shape, Leaf):
        return made.pop(0)
    if isinstance(shape, Apart):
        new: Any = Choice(shape.predicate, *(build(f, made, built) for f in shape.forms))
    else:
        assert isinstance(shape, Sequence)
        new = shape.build([build(item, made, built) for item in shape.items])
    return built.setdefault(id(shape), new)
