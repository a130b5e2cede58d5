"""Places that hold one of several unlike things: ``last = None`` before a loop and
``last = (t, v)`` in it, a node of a tree that may be a dict or a number, ``node = node.next`` at
the end of a list.

What such a place may hold is told apart by *sorts*: None and other constants, numbers, objects in
one store, things of one class with the same parts.  Its form is a truth value for each sort but the
last, and a content for each: the parts of a tuple, the value of a number.  Objects in stores of
several classes have one content, the number in whichever store it is.
"""

from __future__ import annotations

import types
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.ir import Value
from ...stage.function import definition
from ...stage.machine import UNBOUND
from ...types.dataclasses import dataclass
from ...types.kinds import BOOL, NUMERIC, Aval, Kind
from ..assumptions import Assumption
from ..flow.shapes import Apart, Failed, Leaf, Numbered, OneOf, Same, Shape
from ..record.structures import (
    IMMUTABLE,
    is_library,
    is_mutable,
    leaf_aval,
    record_fields,
)
from ..record.tracers import (
    ArrayTracer,
    BoundMethod,
    Choice,
    Late,
    StandIn,
    Whole,
    chosen,
    in_line,
    is_tracer,
)
from .stores import Link, Reference, Store, kind_of, may_be_none, number_in, store_of, stored_as

if TYPE_CHECKING:
    from ..flow.joins import Join

SPARES = {Kind.INT: 0, Kind.FLOAT: 0.0, Kind.COMPLEX: 0j}  # where another thing is
MOST_SORTS = 8  # unlike things in one place
NUMBER = ("number",)
STORED = ("stored",)
LISTED = ("list",)  # lists of numbers
EQUAL = frozenset({"constant", "function"})  # what has the same key is the same


@dataclass(slots=True)
class Sort:
    """Things that have one form.  ``only``: the one thing of the sort, in a tuple, which stays
    itself.  ``stores``: they lie in one of these."""

    key: Any
    only: tuple[Any, ...] = ()
    stores: tuple[Store, ...] = ()

    @property
    def held_under(self) -> Any:
        """The key of what holds the content of its things."""
        return STORED if self.stores else self.key

    @property
    def name(self) -> str:
        """What the things of the sort are called."""
        cls = self.stores[0].cls if self.stores else (
            type(self.only[0]) if self.only and self.only[0] is not None else None)
        return self.key[0] if self.key in (NUMBER, LISTED) else (
            "none" if cls is None else cls.__name__.lower())

    def has(self, thing: Any) -> bool:
        """Is a thing of this sort?"""
        if self.stores:
            return type(thing) is Reference and thing.store in self.stores
        return bool(sort_key(thing) == self.key) and (
            not self.only or self.key[0] in EQUAL or thing is self.only[0])

    def content(self, thing: Any) -> Any:
        """What tells which thing of the sort it is: its number, or itself."""
        if self.stores:
            return thing.index
        return self.only[0] if self.only else thing

    def thing(self, content: Any) -> Any:
        """The thing that a content tells."""
        if self.stores:
            return Reference(self.stores[0], content)
        return self.only[0] if self.only else content


def stored_sort(store: Store) -> Sort:
    """The sort of the objects in a store."""
    return Sort(("stored", store), stores=(store,))


class Unsorted(Exception):
    """A thing is of none of the sorts."""


def sort_key(thing: Any) -> Any:
    """What things of one sort have in common; None for what has no sort."""
    if type(thing) is Reference:
        return ("stored", thing.store)
    aval = leaf_aval(thing)
    if aval is not None and aval.kind in NUMERIC - {Kind.ANY} and not aval.optional:
        return NUMBER
    if aval is not None and (is_tracer(thing) or not isinstance(thing, IMMUTABLE)):
        return None
    if isinstance(thing, IMMUTABLE):
        return ("constant", type(thing), thing)
    return likeness(thing)


def likeness(obj: Any) -> Any:
    """What like objects have in common: the class with the attributes or keys."""
    cls = type(obj)
    if cls is dict:
        return ("dict", *obj)
    if isinstance(obj, tuple):
        return ("tuple", cls, len(obj))
    if cls is list:
        return LISTED
    if isinstance(obj, (types.FunctionType, types.BuiltinFunctionType, np.ufunc, type)):
        return ("function", id(obj))
    names = record_fields(obj)
    if names is None or is_tracer(obj) or isinstance(obj, (StandIn, Whole)) or is_library(
            cls.__module__) or cls in (Choice, BoundMethod) or hasattr(cls, "__next__"):
        return None
    return ("object", cls, names)


def defined_again(things: Iterable[Any]) -> bool:
    """Are there functions that one ``def`` of one frame has made, one after the other?"""
    functions = {id(t): definition(t) for t in things}
    made = [(id(a.staged), id(a.parent)) for a in functions.values() if a is not None]
    return len(set(made)) < len(made)


def things_in(state: Any, facts: dict[Value, bool]) -> list[Any]:
    """The things that a place may hold."""
    if type(state) is Link:
        there = [None, Reference(state.store, state.index)]
        return there if type(state.index) is not int else [there[state.index >= 0]]
    if type(state) is not Choice:
        return [state]
    known = facts.get(state.predicate)
    sides = [s for s, truth in ((state.first, True), (state.second, False))
             if known is not (not truth)]
    return [thing for side in sides for thing in things_in(side, facts)]


def flag_of(sort: Sort, state: Any, facts: dict[Value, bool]) -> Any:
    """Does a place hold a thing of a sort: a bool, the value of one, or how to compute it."""
    if type(state) is Link and type(state.index) is not int:
        if not any(map(sort.has, things_in(state, facts))):
            return False
        sign = ">=" if sort.stores else "<"
        return Late(BOOL, lambda machine: machine.compare(sign, state.index, 0))
    if type(state) is not Choice:
        return all(map(sort.has, things_in(state, facts)))
    known = facts.get(state.predicate)
    if known is not None:
        return flag_of(sort, state.first if known else state.second, facts)
    first, second = (flag_of(sort, s, facts) for s in (state.first, state.second))
    if first is second:
        return first
    if first is True and second is False and state.predicate.aval.kind is Kind.BOOL:
        return state.predicate
    return chosen(state.predicate, first, second, BOOL)


def content_in(sort: Sort, state: Any, facts: dict[Value, bool]) -> Any:
    """What tells which thing of a sort a place holds; UNBOUND where it holds none."""
    if type(state) is not Choice:
        there = [thing for thing in things_in(state, facts) if sort.has(thing)]
        return sort.content(there[0]) if there else UNBOUND
    known = facts.get(state.predicate)
    if known is not None:
        return content_in(sort, state.first if known else state.second, facts)
    first, second = (content_in(sort, s, facts) for s in (state.first, state.second))
    if first is second or (first is UNBOUND and _is_everywhere(second)) or (
            second is UNBOUND and _is_everywhere(first)):
        return second if first is UNBOUND else first
    if first is UNBOUND or second is UNBOUND:
        there = second if first is UNBOUND else first
        spare = _spare(there.aval)
        if spare is None:
            raise Unsorted
        first, second = (spare if c is UNBOUND else c for c in (first, second))
    avals = [leaf_aval(c) for c in (first, second)]
    if None in avals or any(a.is_array for a in avals if a is not None):
        raise Unsorted
    kinds = {a.kind for a in avals if a is not None}
    if len(kinds) != 1:
        raise Unsorted
    if type(first) is type(second) is int and first == second:
        return first
    return chosen(state.predicate, first, second, avals[0].but(expr=None))  # type: ignore[union-attr]


def _spare(aval: Aval) -> Any:
    """A number of a type, where another thing is; None where there is none."""
    if aval.kind is Kind.SCALAR and aval.dtype is not None:
        return aval.dtype.type(0)
    return SPARES.get(aval.kind)


def _is_everywhere(content: Any) -> bool:
    """Is a content known whichever path was taken?"""
    return content is UNBOUND or not (is_tracer(content) or type(content) is Late)


def holders(sorts: list[Sort]) -> list[Sort]:
    """The sorts that have contents of their own: objects in stores have one for all of them."""
    stores = tuple(store for sort in sorts for store in sort.stores)
    held = {sort.held_under: sort for sort in sorts}
    return [Sort(key, stores=stores) if key is STORED else sort for key, sort in held.items()]


def labels_of(sorts: list[Sort]) -> tuple[str, ...]:
    """What names the flags and contents of sorts, behind the name of a place."""
    return (*(f"_is_{sort.name}" for sort in sorts[:-1]), *("" for _ in holders(sorts)))


def together(sorts: list[Sort], flags: list[Any], contents: list[Any]) -> Any:
    """What a place holds: ``flags`` tell for all sorts but the last whether it is of them, after
    those before it; ``contents`` are those of their holders."""
    held = {one.key: content for one, content in zip(holders(sorts), contents, strict=True)}
    thing = sorts[-1].thing(held[sorts[-1].held_under])
    return in_line(flags, [sort.thing(held[sort.held_under]) for sort in sorts[:-1]], thing)


def numbered(store: Store, item: Shape, optional: bool) -> Numbered:
    """The form of an object in a store whose number has the form ``item``."""
    kind = Link if optional else Reference
    return Numbered(lambda parts: kind(store, parts[0]), [item], lambda state: (
        UNBOUND if state is UNBOUND else number_in(store, state),), optional)


def one_of(join: Join, a: Any, b: Any) -> Shape | None:
    """The form of a place that holds one of several things; None where it has another form,
    or a branch itself tells which of two things it is."""
    store = store_of(a, b)
    if store is not None:
        return _numbered(join, store, a, b)
    sides = [things_in(s, facts) for s, facts in zip((a, b), join.facts, strict=True)]
    keys = [[sort_key(t) for t in side] for side in sides]
    every = list(dict.fromkeys(k for side in keys for k in side))
    if None in every or len(every) > MOST_SORTS or not _is_open(join, a, b, keys) or all(
            key[0] in ("number", "constant") for key in every):
        return None
    if join.predicate is None and defined_again(t for side in sides for t in side):
        return None  # there would be one more in each iteration
    sorts, forms = [], []
    try:
        for key in every:
            held = [[t for t, k in zip(side, ks, strict=True) if k == key]
                    for side, ks in zip(sides, keys, strict=True)]
            found = _sort(join, key, held, len(every) > 1 or any(
                type(s) is Choice for s in (a, b)), sides)
            if found is None:
                return None
            sorts.append(found)
        for sort in holders(sorts):
            form = _content(join, sort, a, b)
            if isinstance(form, (Failed, Apart)):
                return None
            forms.append(form)
        flags = [_flag(join, sort, a, b) for sort in sorts[:-1]]
    except Unsorted:
        return None
    return _shape(join, sorts, flags, forms, (a, b))


def _numbered(join: Join, store: Store, a: Any, b: Any) -> Shape:
    """The form of a place that holds an object in a store, or None: its number."""
    item = join.unify(number_in(store, a), number_in(store, b))
    if isinstance(item, Same) and type(a) is not Choice:
        return Same(a)
    return numbered(store, item, may_be_none(a) or may_be_none(b))


def remedies_for(join: Join, *states: Any) -> tuple[Assumption, ...]:
    things = [t for s in states for t in things_in(s, {})]
    for thing in things:
        outside = join.outside(thing)
        kind = kind_of(thing)
        if isinstance(thing, tuple):
            may = outside and join.machine.assumed.open(stored_as(kind, True))
        else:
            may = (record_fields(thing) is not None or kind is not type(thing)) and (
                join.machine.references.may_store(kind, outside))
        if may:
            return (stored_as(kind, outside),)
    lists = [t for t in things if type(t) is list]
    ways = [way for one in lists for way in join.machine.stored_lists.ways(one)]
    return tuple(ways or (join.machine.list_rows.ways() if lists else ()))


def _is_open(join: Join, a: Any, b: Any, keys: list[list[Any]]) -> bool:
    """Does a branch not tell by itself which of two things a place holds?"""
    if join.predicate is None:
        return True
    return bool({*keys[0]} & {*keys[1]}) and any(type(s) is Choice for s in (a, b))


def _sort(join: Join, key: Any, held: list[list[Any]], several: bool,
          sides: list[list[Any]]) -> Sort | None:
    """The sort with a key, of these things on either side."""
    things = [t for side in held for t in side]
    if key[0] == "stored":
        return stored_sort(things[0].store)
    if key[0] == "constant":
        return Sort(key, (things[0],))
    if key is NUMBER:
        arrays = [t for t in things if type(t) is ArrayTracer]
        return Sort(key) if several and (not arrays or max(map(len, held)) < 2) else None
    if key[0] == "function":
        same = isinstance(join.alone(things[0]), Same)
        return Sort(key, (things[0],)) if same else None
    if _stays(join, things):
        return Sort(key, (things[0],))
    # they may be known by their parts from here on
    if max(map(len, held)) > 1 or any(map(join.outside, things)) or not (
            several and all(isinstance(t, tuple) or id(t) in join.young for t in things)):
        return None
    return Sort(key)


def _stays(join: Join, things: list[Any]) -> bool:
    """Is it one object, which stays itself?"""
    first = things[0]
    return all(t is first for t in things) and is_mutable(first) and type(first) is not list and (
        join.predicate is not None or join.walks) and id(first) not in join.made | join.young


def _content(join: Join, sort: Sort, a: Any, b: Any) -> Shape:
    contents = [content_in(sort, s, facts) for s, facts in zip((a, b), join.facts, strict=True)]
    if sort.only:
        return Same(sort.only[0])
    first, second = contents
    if join.predicate is None and first is UNBOUND and type(second) is list:
        join.objects.append((second, second))  # no other name may be carried with it
        if id(second) in join.symbolic:
            return join.held(second, UNBOUND)
    return join.unify(first, second)


def _flag(join: Join, sort: Sort, a: Any, b: Any) -> Shape:
    there = [flag_of(sort, s, facts) for s, facts in zip((a, b), join.facts, strict=True)]
    if there[0] is there[1]:
        return Same(there[0])
    if there == [True, False] and join.predicate is not None and (
            join.predicate.aval.kind is Kind.BOOL):
        return Same(join.predicate)
    return Leaf(BOOL)


def _shape(join: Join, sorts: list[Sort], flags: list[Shape], forms: list[Shape],
           sides: tuple[Any, Any]) -> Shape:
    count = len(flags)

    def parts(state: Any) -> tuple[Any, ...]:
        if state is UNBOUND:
            return (UNBOUND,) * (count + len(forms))
        known = next((facts for side, facts in zip(sides, join.facts, strict=True)
                      if side is state), {})
        if not all(any(s.has(t) for s in sorts) for t in things_in(state, known)):
            raise Unsorted
        return (*(flag_of(s, state, known) for s in sorts[:-1]),
                *(content_in(s, state, known) for s in holders(sorts)))

    return OneOf(lambda made: together(sorts, made[:count], made[count:]), [*flags, *forms], parts,
                 labels=labels_of(sorts))


def sorted_apart(things: Iterable[Any]) -> list[Sort] | None:
    """The sorts of some things that are all known, one of each; None if some have no sort."""
    sorts: dict[Any, Sort] = {}
    for thing in things:
        key = sort_key(thing)
        if key is None:
            return None
        stored = key[0] == "stored"
        sort = sorts.setdefault(key, stored_sort(key[1]) if stored else Sort(
            key, () if key is NUMBER else (thing,)))
        if sort.only and key[0] not in EQUAL and sort.only[0] is not thing:
            return None
    return [*sorts.values()]
