"""Stores: where the objects of one class lie that loops make, change or go through.

A store has a *column* for each attribute, an ordinary list of the trace; what stands for an object
is a :class:`Reference`, the store and a number.  ``r.x`` is the item of a column, ``r.x = v``
replaces it, and two references are one object where their numbers are equal, so neither identity
nor aliasing needs an analysis: what loops carry, and where branches meet, are lists and numbers.
Where a place may hold None, too, its number is -1 then (:class:`Link`).

A store may hold the objects of a list from outside, too.  Its columns are inputs then, and what is
written to a column is set on the object itself as well, there and then.

Objects are instances of Python's own until it turns out that they must lie in a store; then tracing
starts again, and the objects of that class are put into one as they are made.
"""

from __future__ import annotations

from typing import Any, NoReturn

from ...types.kinds import INT
from ..assumptions import StoredObjects, Withdrawn
from ..flow.control import Restart
from ..record.tracers import Choice, Late, StandIn, Whole

FEW = 8  # objects that a loop goes through one by one
NONE = -1  # the number where there is no object


class Store(Whole):
    """The objects of class ``cls`` that the program has made: ``columns`` by attribute.  Or those
    of a list from outside: ``found`` is the run-time list of them, ``fixed`` what is the same for
    all."""

    __slots__ = ("cls", "columns", "fixed", "found", "machine")

    def __init__(self, machine: Any, cls: type, columns: dict[str, list[Any]]) -> None:
        self.machine = machine
        self.cls = cls
        self.columns = columns
        self.fixed: dict[str, Any] = {}
        self.found: Any = None


class Reference(StandIn):
    """An object in a store, by its number."""

    __slots__ = ("index", "store")
    kept_under = Withdrawn(StoredObjects())

    def __init__(self, store: Store, index: Any) -> None:
        self.store = store
        self.index = index

    @property
    def cls(self) -> type:
        """The class of the program."""
        return self.store.cls

    def _as_instance(self, *_: Any) -> NoReturn:
        """Start again with instances: code of C asks for the identity of an object."""
        raise Restart(self.kept_under)

    __eq__ = __hash__ = _as_instance


class Link(StandIn):
    """What a variable holds that may be None or an object in a store: its number."""

    __slots__ = ("index", "store")
    kept_under = Withdrawn(StoredObjects())

    def __init__(self, store: Store, index: Any) -> None:
        self.store = store
        self.index = index


class Unlinked(Exception):
    """Something is neither None nor an object in the store."""


def stores_in(state: Any) -> set[Any]:
    """The stores of the objects that a place may hold, None for none; what is no object in a store
    is in it as it is."""
    if type(state) in (Reference, Link):
        return {state.store} if type(state) is Reference else {state.store, None}
    if type(state) is Choice:
        return stores_in(state.first) | stores_in(state.second)
    return {None} if state is None else {Unlinked}


def store_of(*states: Any) -> Store | None:
    """The one store whose objects some places hold, if they hold nothing else but None."""
    found = {store for state in states for store in stores_in(state)} - {None}
    store = found.pop() if len(found) == 1 else None
    return store if isinstance(store, Store) else None


def may_be_none(state: Any) -> bool:
    """May a place hold None?"""
    return None in stores_in(state)


def number_in(store: Store, state: Any) -> Any:
    """The number of what a place holds; :class:`Unlinked` if it holds something else."""
    if state is None:
        return NONE
    if type(state) in (Reference, Link):
        if state.store is not store:
            raise Unlinked
        return state.index
    if type(state) is not Choice:
        raise Unlinked
    first, second = number_in(store, state.first), number_in(store, state.second)
    for number, other in ((first, second), (second, first)):
        if other is NONE and type(number) not in (int, Late) and (
                store.machine.references.tells_link(state.predicate, number)):
            return number
    return Late(INT.but(expr=None), lambda machine: machine.branches.choose(
        state.predicate, lambda: machine.among.computed(first),
        lambda: machine.among.computed(second)))


def class_key(cls: type) -> tuple[str, str]:
    """What a class is known by from one tracing to the next, in which it may be another object."""
    return cls.__module__, cls.__qualname__


def stored_as(cls: type, outside: bool = False) -> StoredObjects:
    """The assumption that objects of a class lie in a store."""
    return StoredObjects(class_key(cls), outside)
