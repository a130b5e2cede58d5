"""Known objects that data chooses from: which there are, which of them a place may hold, and what
has been told of the number that chooses."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..graph.ir import Value
from ..stage.machine import UNBOUND
from .collaborator import Collaborator
from .regions import Region
from .structures import IMMUTABLE, record_fields, structure_parts
from .tracers import Choice, Late, Picked, ScalarTracer, is_tracer
from .unlike import MOST_SORTS, NUMBER, Sort, Unsorted, content_in, flag_of, sorted_apart, together

if TYPE_CHECKING:
    from . import dispatch as parts

MOST_OBJECTS = 5000  # that can be reached from some
HOLDING = (tuple, list, dict)


class Among(Collaborator):
    """Groups of objects, and numbers that choose from them."""

    lists: parts.Lists
    merges: parts.Merges
    picks: parts.Picks
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

    # ---- unlike objects ----------------------------------------------------------------------
    def pick_unlike(self, items: list[Any], index: Any) -> Any:
        """One of several things of a few sorts; None where they cannot be told by sorts."""
        sorts = self._sorts(items)
        if sorts is None or len(sorts) < 2:
            return None
        try:
            flags = [[self.computed(flag_of(sort, item, {})) for item in items]
                     for sort in sorts[:-1]]
            contents = [self._contents(sort, items) for sort in sorts]
        except Unsorted:
            return None
        read = [self.picks.pick(column, index) for column in contents]
        if any(r is None for r in read):
            return None
        return together(sorts, [self.table_read(column, index) for column in flags], read)

    def _sorts(self, items: list[Any]) -> list[Sort] | None:
        """The sorts of things, where they are few and can be numbered."""
        sorts = sorted_apart(items)
        if sorts is None or len(sorts) > MOST_SORTS or any(s.key[0] == "list" for s in sorts):
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

    def replaced_unlike(self, before: list[Any], index: Any, value: Any,
                        numbers: Callable[[list[Any], Any, Any], list[Any] | None]
                        ) -> list[Any] | None:
        """Things with the one at a traced place replaced; None if they cannot be told by
        sorts.  ``numbers`` does it for numbers."""
        sorts = self._sorts([*before, value])
        if sorts is None:
            return None
        columns = []
        try:
            for sort in sorts[:-1]:
                flags = [self.computed(flag_of(sort, item, {})) for item in (*before, value)]
                columns.append(numbers(flags[:-1], index, flags[-1]))
            for sort in sorts:
                found = self._contents(sort, [*before, value])
                columns.append(found[:-1] if all(c is found[0] for c in found) else numbers(
                    found[:-1], index, found[-1]))
        except Unsorted:
            return None
        if any(c is None for c in columns):
            return None
        count = len(sorts) - 1
        return [together(sorts, list(row[:count]), list(row[count:]))
                for row in zip(*columns, strict=True)]


def _holds(obj: Any) -> bool:
    """Can something hold other things?"""
    return isinstance(obj, HOLDING) or record_fields(obj) is not None
