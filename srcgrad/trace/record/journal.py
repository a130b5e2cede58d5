"""The journal: what tracing did to Python objects, so that it can be undone and merged.

Both arms of a branch and the body of a loop run as Python while tracing.  Every mutation goes
through a :class:`Cell` (a variable of a frame, an attribute, the content of a list, dict or
set, the version of a home).  A *layer* remembers the state each cell had when the layer first
touched it; ending the layer gives the changes and restores the old states.
"""

from __future__ import annotations

import contextlib
import types
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, NamedTuple, Protocol

from ...stage.machine import UNBOUND, Frame
from ...types.dataclasses import dataclass, field
from ...types.identifiers import is_name
from ...types.subclasses import content_of, refill
from .states import Maybe


class Cell(Protocol):
    """A place that can hold different states.  ``key`` identifies it (cells are made anew at
    each access); ``owner`` keeps the object alive, so that its id stays its own."""

    @property
    def key(self) -> tuple[Any, ...]: ...
    @property
    def owner(self) -> Any: ...
    def get(self) -> Any: ...
    def put(self, state: Any) -> None: ...


@dataclass(frozen=True, slots=True)
class Slot:
    """A variable of a frame."""

    owner: Frame
    name: str

    @property
    def key(self) -> tuple[Any, ...]:
        return ("slot", id(self.owner), self.name)

    def get(self) -> Any:
        return self.owner.slots.get(self.name, UNBOUND)

    def put(self, state: Any) -> None:
        if state is UNBOUND:
            self.owner.slots.pop(self.name, None)
        else:
            self.owner.slots[self.name] = state


@dataclass(frozen=True, slots=True)
class Field:
    """An attribute of an instance that was made while tracing, or an overlay of one that came
    from outside (``overlay`` maps names to values; the object itself is never touched)."""

    owner: Any
    name: str
    overlay: dict[str, Any] | None = None

    @property
    def key(self) -> tuple[Any, ...]:
        return ("field", id(self.owner), self.name)

    def get(self) -> Any:
        if self.overlay is not None:
            return self.overlay.get(self.name, UNBOUND)
        held = self._held()
        if held is not None:
            return held.get(self.name, UNBOUND)
        try:
            return object.__getattribute__(self.owner, self.name)
        except AttributeError:
            return UNBOUND

    def _held(self) -> dict[str, Any] | None:
        """The ``__dict__`` of the owner, which holds the attribute whatever the class has under
        its name (a default, a property, a cached property); None where it lies in a slot."""
        found = next((vars(c)[self.name] for c in type(self.owner).__mro__
                      if self.name in vars(c)), None)
        if isinstance(found, (types.MemberDescriptorType, types.GetSetDescriptorType)):
            return None
        try:
            held: dict[str, Any] = object.__getattribute__(self.owner, "__dict__")
        except AttributeError:
            return None
        return held

    def put(self, state: Any) -> None:
        held = self._held() if self.overlay is None else self.overlay
        cls: Any = object
        if self.overlay is None and isinstance(self.owner, type):
            held, cls = None, type  # the dict of a class cannot be changed directly
        gone = state is UNBOUND or (
            self.overlay is None and type(state) is Maybe and state.bound is False)
        if held is not None:
            if gone:
                held.pop(self.name, None)
            else:
                held[self.name] = state
        elif gone:
            with contextlib.suppress(AttributeError):
                cls.__delattr__(self.owner, self.name)
        else:
            cls.__setattr__(self.owner, self.name, state)


@dataclass(frozen=True, slots=True)
class Content:
    """The whole content of a list, dict, set or deque, as an immutable snapshot.

    ``symbolic`` is the table of lists whose content is a graph value (see
    :class:`srcgrad.trace.record.states.SymbolicList`); their state is that object.
    """

    owner: Any
    symbolic: Any

    @property
    def key(self) -> tuple[Any, ...]:
        return ("content", id(self.owner))

    def get(self) -> Any:
        found = self.symbolic.raw(self.owner)
        if found is not None:
            return found
        kind = next((k for k in (dict, list) if isinstance(self.owner, k)), type(self.owner))
        return Snapshot(kind, content_of(self.owner))

    def put(self, state: Any) -> None:
        if not isinstance(state, Snapshot):
            self.symbolic[id(self.owner)] = state
            if isinstance(self.owner, list):
                refill(self.owner, [self.symbolic.hidden])
            else:
                hidden = self.symbolic.hidden_keys
                refill(self.owner, [(hidden, hidden) if isinstance(self.owner, dict) else hidden])
            return
        self.symbolic.pop(id(self.owner), None)
        refill(self.owner, state.items)


def item_name(container: str, key: Any) -> str | None:
    """A variable's name for an item of a named container."""
    made = f"{container}_{key}" if type(key) in (str, int) else ""
    return made if is_name(made) else None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The content of a container at one moment (pairs for a dict)."""

    type: type
    items: tuple[Any, ...]

    def same(self, other: Any) -> bool:
        """Identity of all items: equality of tracers means nothing here."""
        if not isinstance(other, Snapshot) or len(self.items) != len(other.items):
            return False
        if self.type is dict:
            return all(k == j and v is w
                       for (k, v), (j, w) in zip(self.items, other.items, strict=True))
        return all(a is b for a, b in zip(self.items, other.items, strict=True))


@dataclass(frozen=True, slots=True)
class Part:
    """A cell that is one attribute of the tracer's own objects, whose name each kind tells."""

    owner: Any
    attribute: ClassVar[str]

    @property
    def key(self) -> tuple[Any, ...]:
        return (self.attribute, id(self.owner))

    def get(self) -> Any:
        return getattr(self.owner, self.attribute)

    def put(self, state: Any) -> None:
        setattr(self.owner, self.attribute, state)


class Version(Part):
    """The current version of a home."""

    attribute = "current"


class Lost(Part):
    """The reason why a home's content is unknown, or None."""

    attribute = "lost"


class Stored(Part):
    """Does a home's array lie in a list of unknown length?"""

    attribute = "stored"


class Box:
    """A slot for the value of a conditional expression."""

    content: Any = UNBOUND


class BoxCell(Part):
    """The cell of a :class:`Box`."""

    attribute = "content"


def same_state(a: Any, b: Any) -> bool:
    """Is the state of a cell unchanged?"""
    if a is b:
        return True
    return isinstance(a, Snapshot) and a.same(b)


@dataclass(slots=True)
class Change:
    """A cell with its state before and after a layer."""

    cell: Cell
    before: Any
    after: Any


@dataclass(slots=True)
class Layer:
    """One region's mutations: cells with the state they had at the region's start, the
    objects that were made in the region (their mutations there need not be undone)."""

    before: dict[tuple[Any, ...], tuple[Cell, Any]] = field(default_factory=dict)
    born: dict[int, None] = field(default_factory=dict)


class Layered(NamedTuple):
    """What a layer did: its real changes by key, in order, and the objects made in it."""

    changes: dict[tuple[Any, ...], Change]
    born: list[int]


def _nothing(owner: Any) -> None:
    """The action on a change of a sealed object before a machine has set its own."""


class Journal:
    """A stack of layers."""

    def __init__(self) -> None:
        self.layers: list[Layer] = [Layer()]
        self.births: dict[int, int] = {}
        self.keep: list[Any] = []
        self.sealed: dict[int, Any] = {}
        self.copies: set[int] = set()
        self.shared: set[int] = set()
        self.on_sealed: Callable[[Any], None] = _nothing

    def born(self, obj: Any) -> None:
        """Say that an object was made just now: until the innermost layer ends, it exists in
        that layer alone."""
        self.keep.append(obj)
        self.births[id(obj)] = len(self.layers)
        self.layers[-1].born[id(obj)] = None

    def born_in(self, obj: Any, layer: int) -> None:
        """Say that an object is as old as those made in an outer layer, counted from 1."""
        self.keep.append(obj)
        self.births[id(obj)] = layer
        self.layers[layer - 1].born[id(obj)] = None

    def older(self, obj: Any) -> None:
        """Say that an object is older than any branch or loop, wherever it was found."""
        self.births.pop(id(obj), None)
        for layer in self.layers:
            layer.born.pop(id(obj), None)

    def is_young(self, obj: Any) -> bool:
        """Was the object made in the innermost layer?"""
        return self.births.get(id(obj), 0) >= len(self.layers)

    def write(self, cell: Cell, state: Any) -> None:
        """Change a cell; remembers its old state in the innermost layer."""
        self.touch(cell)
        cell.put(state)

    def touch(self, cell: Cell) -> None:
        """Say that a cell is about to change."""
        if id(cell.owner) in self.sealed:
            self.on_sealed(cell.owner)
        if self.births.get(id(cell.owner), 0) >= len(self.layers):
            return
        layer = self.layers[-1]
        if cell.key not in layer.before:
            layer.before[cell.key] = (cell, cell.get())
            self.keep.append(cell.owner)

    def seal(self, obj: Any) -> None:
        """Say that an object may not change any more: a copy of its parts lies in a list of
        unknown length, which stands for it on this path.  ``on_sealed`` is called if it does."""
        self.sealed[id(obj)] = obj

    def copied(self, obj: Any) -> None:
        """Say that an object was put together from its parts in a list of unknown length: it
        may not change, and stands for an object that may have other names."""
        self.sealed[id(obj)] = obj
        self.copies.add(id(obj))

    def share(self, obj: Any) -> None:
        """Seal a list that a function which calls itself was given, or has returned."""
        self.sealed[id(obj)] = obj
        self.shared.add(id(obj))

    def push(self, born: Iterable[int] = ()) -> None:
        """Start a layer; ``born`` are the objects made in an earlier part of the region."""
        self.layers.append(Layer(born=dict.fromkeys(born)))
        for key in self.layers[-1].born:
            self.births[key] = len(self.layers)

    def pop(self) -> Layered:
        """End the innermost layer; states are restored."""
        layer = self.layers.pop()
        changes = {}
        for key, (cell, before) in layer.before.items():
            after = cell.get()
            if not same_state(before, after):
                changes[key] = Change(cell, before, after)
        for cell, before in layer.before.values():
            cell.put(before)
        for made in layer.born:
            self.births[made] = len(self.layers)
        if self.layers:
            self.layers[-1].born.update(layer.born)
        return Layered(changes, list(layer.born))

    def changed(self, depth: int) -> list[Cell]:
        """The cells of older objects whose state is not what it was when the layer number
        ``depth`` (counted from 1) began."""
        first: dict[tuple[Any, ...], tuple[Cell, Any]] = {}
        for layer in self.layers[depth - 1:]:
            for key, (cell, before) in layer.before.items():
                if self.births.get(id(cell.owner), 0) < depth:
                    first.setdefault(key, (cell, before))
        return [cell for cell, before in first.values() if not same_state(before, cell.get())]

    def commit(self) -> None:
        """End the innermost layer and keep its mutations as the outer layer's own."""
        layer = self.layers.pop()
        outer = self.layers[-1]
        for made in layer.born:
            self.births[made] = len(self.layers)
        outer.born.update(layer.born)
        for key, (cell, before) in layer.before.items():
            if self.births.get(id(cell.owner), 0) < len(self.layers):
                outer.before.setdefault(key, (cell, before))
