"""Dicts and sets whose keys are only known at run time, as programs over lists.

A dict that a function makes and fills under keys made of loop indices or data is traced as a
:class:`Table`: a run-time dict tells the place of each key, and the numbers lie in a list.  The
class is staged like one of the user's, so branches, loops and derivatives need to know nothing
of it.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

from ..kinds import BOOL, INT, OPAQUE
from ..spelling import Method
from .control import Restart
from .handlers import handles
from .tracers import StandIn


def new_set() -> Any:
    """A run-time set."""
    raise AssertionError("only called while tracing")


def add_item(items: Any, item: Any) -> None:
    """Adds to a run-time set."""
    raise AssertionError("only called while tracing")


def drop_item(items: Any, item: Any, needed: bool) -> None:
    """Removes from a run-time set; ``needed``: raise KeyError if it is not there."""
    raise AssertionError("only called while tracing")


def count_of(items: Any) -> int:
    """The size of a run-time set."""
    raise AssertionError("only called while tracing")


def new_index() -> Any:
    """The run-time dict from keys to places."""
    raise AssertionError("only called while tracing")


def open_list() -> list[Any]:
    """A list whose length is only known at run time, empty at first."""
    raise AssertionError("only called while tracing")


def only_a_dict() -> Any:
    """What a table cannot do: tracing starts again with the dict itself."""
    raise AssertionError("only called while tracing")


def has_place(index: Any, key: Any) -> bool:
    """Does a key have a place?"""
    raise AssertionError("only called while tracing")


def is_tried(index: Any, key: Any) -> bool:
    """May the program catch what a missing key raises?"""
    raise AssertionError("only called while tracing")


def place_of(index: Any, key: Any) -> int:
    """The place of a key; raises the KeyError that the program would see."""
    raise AssertionError("only called while tracing")


def add_place(index: Any, key: Any, place: int) -> None:
    """Gives a new key a place."""
    raise AssertionError("only called while tracing")


class Table(StandIn):
    """What stands for a dict: ``places`` and, side by side, the keys and what they hold."""

    def __init__(self, factory: Any) -> None:
        self.default_factory = factory
        self.places = new_index()
        self.held_keys: list[Any] = []
        self.held = open_list()

    def __getitem__(self, key: Any) -> Any:
        if self.default_factory is not None:
            if not has_place(self.places, key):
                self.insert(key, self.default_factory())
        elif is_tried(self.places, key):
            only_a_dict()
        return self.held[place_of(self.places, key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        if has_place(self.places, key):
            self.held[place_of(self.places, key)] = value
        else:
            self.insert(key, value)

    def insert(self, key: Any, value: Any) -> None:
        add_place(self.places, key, len(self.held))
        self.held_keys.append(key)
        self.held.append(value)

    def __contains__(self, key: Any) -> bool:
        return has_place(self.places, key)

    def __len__(self) -> int:
        return len(self.held)

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self.held_keys))

    def keys(self) -> list[Any]:
        return list(self.held_keys)

    def values(self) -> list[Any]:
        return list(self.held)

    def items(self) -> Any:
        return zip(self.held_keys, self.held)

    def get(self, key: Any, default: Any = None) -> Any:
        if has_place(self.places, key):
            return self.held[place_of(self.places, key)]
        return default

    def setdefault(self, key: Any, default: Any = None) -> Any:
        if not has_place(self.places, key):
            self.insert(key, default)
        return self.held[place_of(self.places, key)]

    def update(self, other: Any) -> None:
        for key, value in other.items():
            self[key] = value

    def __getattr__(self, name: str) -> Any:
        return only_a_dict()

    def __eq__(self, other: object) -> bool:
        return bool(only_a_dict())

    def __delitem__(self, key: Any) -> None:
        only_a_dict()

    def __or__(self, other: Any) -> Any:
        return only_a_dict()

    __ior__ = __ror__ = __or__
    __hash__ = None  # type: ignore[assignment]


class Marks(StandIn):
    """What stands for a set: a run-time set, which the program adds to and asks."""

    def __init__(self) -> None:
        self.items = new_set()

    def __contains__(self, item: Any) -> bool:
        return has_place(self.items, item)

    def __len__(self) -> int:
        return count_of(self.items)

    def add(self, item: Any) -> None:
        add_item(self.items, item)

    def remove(self, item: Any) -> None:
        drop_item(self.items, item, True)

    def discard(self, item: Any) -> None:
        drop_item(self.items, item, False)

    def __iter__(self) -> Any:
        return only_a_dict()

    def __getattr__(self, name: str) -> Any:
        return only_a_dict()

    def __eq__(self, other: object) -> bool:
        return bool(only_a_dict())

    def __or__(self, other: Any) -> Any:
        return only_a_dict()

    __and__ = __sub__ = __xor__ = __ior__ = __iand__ = __isub__ = __or__
    __ror__ = __rand__ = __rsub__ = __lt__ = __le__ = __gt__ = __ge__ = __or__
    __hash__ = None  # type: ignore[assignment]


@handles(new_set)
def _new_set(machine: Any) -> Any:
    return machine.emit_effect(set, (), {}, OPAQUE)


@handles(add_item)
def _add_item(machine: Any, items: Any, item: Any) -> None:
    machine.emit_effect(Method("add"), (items, item), {}, None)


@handles(drop_item)
def _drop_item(machine: Any, items: Any, item: Any, needed: bool) -> None:
    machine.emit_effect(Method("remove" if needed else "discard"), (items, item), {}, None)


@handles(count_of)
def _count_of(machine: Any, items: Any) -> Any:
    return machine.emit_effect(len, (items,), {}, INT)


@handles(new_index)
def _new_index(machine: Any) -> Any:
    return machine.emit_effect(dict, (), {}, OPAQUE)


@handles(open_list)
def _open_list(machine: Any) -> Any:
    return machine.made_unknown(machine.build_list())


def check_no_table(obj: Any) -> None:
    """Start again with dicts where the dict itself is needed."""
    if isinstance(obj, StandIn):
        raise Restart(("assume", ("dicts",)))


@handles(only_a_dict)
def _only_a_dict(machine: Any) -> Any:
    raise Restart(("assume", ("dicts",)))


@handles(has_place)
def _has_place(machine: Any, index: Any, key: Any) -> Any:
    if machine.known_place(index, key) is not None:
        return True
    return machine.emit_effect(operator.contains, (index, key), {}, BOOL)


@handles(is_tried)
def _is_tried(machine: Any, index: Any, key: Any) -> bool:
    return bool(machine.trying) and machine.known_place(index, key) is None


@handles(place_of)
def _place_of(machine: Any, index: Any, key: Any) -> Any:
    known = machine.known_place(index, key)
    if known is not None:
        return known
    place = machine.emit_effect(operator.getitem, (index, key), {}, INT)
    machine.note_key(index, key, place)
    return place


@handles(add_place)
def _add_place(machine: Any, index: Any, key: Any, place: Any) -> None:
    machine.emit_effect(operator.setitem, (index, key, place), {}, None)
    machine.note_key(index, key, place)
