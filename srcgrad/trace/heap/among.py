"""Known objects that data chooses from: which there are, which of them a place may hold, and one
of them by a number that is known at run time: ``bodies[k]``, the least of some objects, objects in
the order of a traced key (:class:`~srcgrad.trace.record.tracers.Picked`)."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.ir import Value
from ...stage.machine import UNBOUND
from ...types.dims import proves_nonnegative
from ...types.kinds import INT, NUMERIC, Kind
from ...types.spelling import Method
from ..collaborator import Collaborator
from ..record.journal import Content
from ..record.regions import Region
from ..record.structures import IMMUTABLE, leaf_aval, rebuilder, record_fields, structure_parts
from ..record.tracers import Choice, Late, Picked, ScalarTracer, is_tracer
from .unlike import (
    MOST_SORTS,
    NUMBER,
    Sort,
    Unsorted,
    content_in,
    flag_of,
    holders,
    sorted_apart,
    together,
)

if TYPE_CHECKING:
    from .. import dispatch as parts

PLACES = frozenset({np.argmin, np.argmax, Method("argmin"), Method("argmax"), len})
RECENT = 50  # operations that are looked through for what made a number
MOST_OBJECTS = 5000  # that can be reached from some
HOLDING = (tuple, list, dict)


class Among(Collaborator):
    """Groups of objects, and numbers that choose from them."""

    lists: parts.Lists
    merges: parts.Merges
    recorder: parts.Recorder
    rounds: parts.Rounds
    truths: parts.Truths

    def __init__(self) -> None:
        self.groups: list[tuple[Any, ...]] = []
        self.tables_read: dict[Value, tuple[Value, tuple[bool, ...]]] = {}

    def computed(self, content: Any) -> Any:
        """A number that may have to be computed now."""
        return content.make(self.machine) if type(content) is Late else content

    # ---- which objects there are -------------------------------------------------------------
    def closure(self, objects: list[Any]) -> list[Any]:
        """Objects and all that can be reached from them, in the order in which they are met."""
        found: dict[int, Any] = {}
        todo = list(reversed(objects))
        while todo and len(found) < MOST_OBJECTS:
            obj = todo.pop()
            if id(obj) in found or is_tracer(obj) or isinstance(obj, IMMUTABLE):
                continue
            if type(obj) is Picked:
                todo.extend(reversed(obj.objects))
            elif type(obj) is Choice:
                todo.extend((obj.second, obj.first))
            elif id(obj) not in self.symbolic_lists:
                found[id(obj)] = obj
                todo.extend(reversed(self._held_by(obj)))
        return list(found.values())

    def _held_by(self, obj: Any) -> list[Any]:
        """What an object holds; of one from outside what can hold something itself, as the
        program would read it."""
        if not self.merges.is_outside(obj):
            return list(structure_parts(obj) or ())
        if isinstance(obj, HOLDING):
            keys: Any = obj if isinstance(obj, dict) else range(len(obj))
            return [self.machine.getitem(obj, k) for k in keys if _holds(obj[k])]
        return [self.machine.getattr(obj, n) for n in record_fields(obj) or ()
                if _holds(object.__getattribute__(obj, n))]

    def grouped(self, objects: tuple[Any, ...]) -> tuple[Any, ...]:
        """The group that objects are numbered in: one that has them all, or a new one."""
        ids = {id(o) for o in objects}
        for group in self.groups:
            if ids <= {id(o) for o in group}:
                return group
        if len(objects) > 1:
            self.groups.insert(0, objects)
        return objects

    def is_grouped(self, objects: list[Any]) -> bool:
        """Were objects numbered in one group before?"""
        ids = {id(o) for x in objects for o in (x.objects if type(x) is Picked else (x,))}
        return any(ids <= {id(o) for o in group} for group in self.groups)

    # ---- which of them it may be -------------------------------------------------------------
    def places_told(self, index: Value, facts: dict[Value, bool]) -> frozenset[int] | None:
        """Which places a number may be, from what was read at it; None if nothing is known."""
        found: frozenset[int] | None = None
        for value, truth in facts.items():
            if value in self.tables_read and self.tables_read[value][0] is index:
                places = frozenset(
                    k for k, told in enumerate(self.tables_read[value][1]) if told is truth)
                found = places if found is None else found & places
        return found

    def possible(self, index: Any, count: int) -> list[int]:
        """The places that a traced number may be here."""
        every = list(range(count))
        if type(index) is not ScalarTracer:
            return every
        told = [self.rounds.within.get(index.value)]
        region: Region | None = self.recorder.region
        while region is not None:
            if region.given is not None:
                told.append(self.places_told(index.value, self.truths.facts(*region.given)))
            region = region.parent
        found = [k for k in every if all(t is None or k in t for t in told)]
        return found or every

    def only_possible(self, items: list[Any], index: Any) -> list[Any]:
        """Items of which only those at possible places matter."""
        places = self.possible(index, len(items))
        if len(places) == len(items):
            return items
        there = frozenset(places)
        return [item if k in there else items[places[0]] for k, item in enumerate(items)]

    def table_read(self, items: list[Any], index: Any) -> Any:
        """The item of a list of truth values at a place."""
        first = items[0]
        if type(first) is bool and all(i is first for i in items):
            return first
        found = self.lists.list_read(items, index)
        if type(found) is ScalarTracer and all(type(i) is bool for i in items) and (
                type(index) is ScalarTracer):
            self.tables_read[found.value] = (index.value, tuple(items))
        return found

    # ---- one of several ----------------------------------------------------------------------
    def pick(self, items: list[Any], index: Any) -> Any:
        """The item with a traced number; None if the items have too little in common."""
        items = self.only_possible(items, index)
        first = items[0]
        if all(i is first for i in items):
            return first
        if all(type(i) is bool for i in items):
            return self.table_read(items, index)
        if all(type(i) is int for i in items) and items == list(range(len(items))):
            return index
        if all(leaf_aval(i) is not None for i in items):
            found = self.lists.list_read(items, index)
            return self.lists.one_among(items, index) if found is None else found
        if isinstance(first, tuple) and not self.is_grouped(items) and all(
                type(i) is type(first) and len(i) == len(first) for i in items):
            parts = [self.pick(list(column), index)
                     for column in zip(*map(self.lists.items_seen, items), strict=True)]
            if not any(p is None for p in parts):
                return rebuilder(first)(parts)
        found = self.pick_object(items, index)
        return self.lists.one_among(items, index) if found is None else found

    def pick_object(self, items: list[Any], index: Any, least: int = 1) -> Any:
        """One of several things of ``least`` or a few more sorts: objects of a sort by their
        numbers in the group where they were picked first, so that ``node.next`` is a node of the
        graph that ``node`` was picked from; None where they cannot be told by sorts."""
        sorts = self._sorts(items)
        if sorts is None or len(sorts) < least or (
                len(sorts) == 1 and sorts[0].key[0] == "tuple" and not self.is_grouped(items)):
            return None
        try:
            flags = [[self.computed(flag_of(sort, item, {})) for item in items]
                     for sort in sorts[:-1]]
            contents = [self._contents(sort, items) for sort in holders(sorts)]
        except Unsorted:
            return None
        read = [self.pick(column, index) for column in contents]
        if any(r is None for r in read):
            return None
        return together(sorts, [self.table_read(column, index) for column in flags], read)

    def _sorts(self, items: list[Any]) -> list[Sort] | None:
        """The sorts of things, where they are few and can be numbered."""
        sorts = sorted_apart(items)
        if sorts is None or len(sorts) > MOST_SORTS or any(
                s.key[0] == "list" and not self.is_grouped([*s.objects]) for s in sorts):
            return None
        if all(s.key is NUMBER or s.constant for s in sorts):
            return None  # None or a number is one value
        for sort in sorts:
            if sort.key is not NUMBER and not sort.constant:
                sort.objects = self.grouped(sort.objects)
        return sorts

    def _contents(self, sort: Sort, items: list[Any]) -> list[Any]:
        """What tells which thing of a sort each item is; anything where it is of another."""
        if sort.constant or len(sort.objects) == 1:
            return [0] * len(items)
        found = [self.computed(content_in(sort, item, {})) for item in items]
        spare = next(c for c in found if c is not UNBOUND)
        return [spare if c is UNBOUND else c for c in found]

    def number_among(self, items: list[Any] | tuple[Any, ...], index: Any) -> Any:
        """The place that an index of a list or tuple names, counted from its beginning."""
        if type(index) is int:
            return range(len(items))[index]
        if (is_tracer(index) and index.aval.expr is not None and proves_nonnegative(
                index.aval.expr)) or self._is_place(index.value):
            return index
        return self.recorder.computed(operator.getitem, INT, places_of(items), index)

    def _is_place(self, value: Value) -> bool:
        """Is a number what a search has found: never negative?"""
        for node in reversed(self.recorder.region.builder.nodes[-RECENT:]):
            if value in node.outputs:
                fn = node.params.get("fn")
                if fn is int or fn is operator.getitem:
                    return fn is int and self._is_place(node.inputs[0])
                return fn in PLACES
        return False

    def put_among(self, obj: list[Any], key: Any, value: Any) -> None:
        place = self.number_among(obj, key)
        self.journal.touch(Content(obj, self.symbolic_lists))
        for i, old in enumerate(list(obj)):
            test = self.machine.compare("==", place, i)
            other = self.machine.if_expression(test, lambda: 0, lambda: 1)
            found = self.pick([value, old], other)
            obj[i] = found if found is not None else self.machine.if_expression(
                test, lambda: value, lambda old=old: old)

    def replaced(self, before: list[Any], index: Any, value: Any) -> list[Any] | None:
        """Numbers with the one at a traced place replaced; None if they are not of one kind."""
        avals = [leaf_aval(v) for v in (*before, value)]
        kinds = {a.kind for a in avals if a is not None}
        if None in avals or len(kinds) != 1 or not kinds <= NUMERIC - {Kind.ARRAY, Kind.ANY}:
            return None
        return self.lists.list_replaced(before, index, value)


def _holds(obj: Any) -> bool:
    """Can something hold other things?"""
    return isinstance(obj, HOLDING) or record_fields(obj) is not None


def places_of(items: list[Any] | tuple[Any, ...]) -> list[int] | tuple[int, ...]:
    """The numbers of the items, in what says the same of an index that lies outside."""
    return tuple(range(len(items))) if isinstance(items, tuple) else list(range(len(items)))
