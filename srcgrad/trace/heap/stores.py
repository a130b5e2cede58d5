"""Stores: where the objects of one class lie that loops make, change or go through.

A store has a *column* for each attribute, an ordinary list of the trace; what stands for an object
is a :class:`Reference`, the store and a number.  ``r.x`` is the item of a column, ``r.x = v``
replaces it, and two references are one object where their numbers are equal, so neither identity
nor aliasing needs an analysis: what loops carry, and where branches meet, are lists and numbers.
Where a place may hold None, too, its number is -1 then (:class:`Link`).

A store may hold objects from outside, too.  Its columns are inputs then, and what is
written to a column is set on the object itself as well, there and then.

Dicts with the same texts as keys are objects, too, as if the keys were attributes (those that hold
nothing but lists are of another kind than others); so are tuples
from outside that a name goes through by data.

Objects are instances of Python's own until it turns out that they must lie in a store; then tracing
starts again, and the objects of that class are put into one as they are made.
"""

from __future__ import annotations

import functools
from typing import Any, NoReturn

from ...types.kinds import INT
from ..assumptions import StoredObjects, Withdrawn
from ..flow.control import Restart
from ..record.tracers import Choice, Late, StandIn, Whole, chosen

FEW = 8  # objects that a loop goes through one by one
FEW_NAMED = 32  # the same of objects that texts or states tell apart: they are rather settings
NONE = -1  # the number where there is no object


class Content:
    """Base of what stands for the classes of dicts, tuples and lists: dicts with the same texts as
    keys are of one kind, and tuples of one length; lists have one part, their items."""

    cls: type = dict
    names: tuple[Any, ...] = ()


@functools.cache
def kind_of_contents(cls: type, names: tuple[Any, ...], of_lists: bool = False) -> type[Content]:
    """What stands for the class of dicts, tuples or lists with these keys, or of dicts of lists."""
    return type(cls.__name__, (Content,), {
        "cls": cls, "names": names,
        "__module__": f"a {cls.__name__} of {'lists at ' * of_lists}{names}"})


LISTS = kind_of_contents(list, ("items",))


def kind_of(obj: Any) -> type:
    """The class of an object, or the kind of a dict with texts as keys, or of a tuple."""
    if type(obj) is dict and obj and all(type(key) is str for key in obj):
        return kind_of_contents(dict, tuple(obj), all(type(v) is list for v in obj.values()))
    return kind_of_contents(tuple, tuple(range(len(obj)))) if type(obj) is tuple else type(obj)


def are_contents(cls: type) -> bool:
    """Is it a kind of dicts, tuples or lists, whose parts are items?"""
    return issubclass(cls, (Content, tuple))


def python_class(cls: type) -> type:
    """The class of the program that a kind stands for, or a class itself."""
    return cls.cls if issubclass(cls, Content) else cls


def part_of(obj: Any, name: Any) -> Any:
    """What an object holds under a name."""
    return obj[name] if isinstance(obj, tuple) or type(obj) is dict else (
        object.__getattribute__(obj, name))


class Store(Whole):
    """The objects of class ``cls`` that the program has made: ``columns`` by attribute.  Or those
    from outside: ``found`` is the run-time list of them, ``fixed`` what is the same for all,
    ``unread`` the attributes that may not be read.
    ``rows``: the form of the items, where an attribute holds a list of objects; ``queues``: the
    lengths of deques, where it holds such."""

    __slots__ = ("cls", "columns", "fixed", "found", "machine", "queues", "rows", "unread")

    def __init__(self, machine: Any, cls: type, columns: dict[str, list[Any]]) -> None:
        self.machine = machine
        self.cls = cls
        self.columns = columns
        self.fixed: dict[str, Any] = {}
        self.found: Any = None
        self.rows: dict[str, Any] = {}
        self.queues: dict[str, int | None] = {}
        self.unread: set[str] = set()

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes of its objects."""
        return (*self.columns, *self.fixed)


class Placed(StandIn):
    """Base of what stands for a place in a store."""

    __slots__ = ("index", "store")

    def __init__(self, store: Store, index: Any) -> None:
        self.store = store
        self.index = index

    @property
    def kept_under(self) -> Withdrawn:  # type: ignore[override]
        """Under this, the objects of the store are instances."""
        return Withdrawn(stored_as(self.store.cls, self.store.found is not None))


class Reference(Placed):
    """An object in a store, by its number."""

    __slots__ = ()

    @property
    def cls(self) -> type:
        """The class of the program."""
        return python_class(self.store.cls)

    def _as_instance(self, *_: Any) -> NoReturn:
        """Start again with instances: code of C asks for the identity of an object."""
        raise Restart(self.kept_under)

    __eq__ = __hash__ = _as_instance


class Link(Placed):
    """What a variable holds that may be None or an object in a store: its number."""

    __slots__ = ()


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
    return chosen(state.predicate, first, second, INT.but(expr=None))


def class_key(cls: type) -> tuple[str, str]:
    """What a class is known by from one tracing to the next, in which it may be another object."""
    return cls.__module__, cls.__qualname__


def stored_as(cls: type, outside: bool = False, **of_attribute: Any) -> StoredObjects:
    """The assumption that objects of a class lie in a store."""
    return StoredObjects(class_key(cls), outside, **of_attribute)
