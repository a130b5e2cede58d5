"""Lists from outside that are columns from where they are found on: those for whose parts
derivatives are taken, and those of numbers that change.

Each column is an input, and so has a gradient of its own, which has the same text for every length.
Nothing may read the parts of such a list one by one.  So that it is gathered is known before: by
its path (:class:`~srcgrad.trace.assumptions.GatheredLists`), or because the objects in it lie in a
store, where they can change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...graph.ir import Value
from ...types.dataclasses import dataclass
from ...types.guards import Path
from ..assumptions import CalledFunction, GatheredLists, Withdrawn
from ..collaborator import Collaborator
from ..flow.control import Restart
from ..record.states import Columns
from ..record.structures import LONG
from .gathering import (
    are_distinct,
    are_numbered,
    column_name,
    form_of_items,
    held_objects,
    is_row,
    numbers_met,
)
from .outlines import (
    Lists,
    Number,
    Outline,
    Record,
    Referred,
    Unlike,
    Unread,
    column_at,
    common_record,
    has_parts,
    may_vary,
    nowhere,
    outline,
    outline_of_object,
    refers,
    weak,
)
from .stores import kind_of

ColumnPlaces = tuple[Outline, tuple[int, ...], int]


@dataclass(frozen=True, slots=True)
class ListColumns:
    """What the items of a list, or of a dict, have in common, the inputs for the columns, and how
    many steps lead to an item."""

    found: Outline
    values: tuple[Value, ...]
    levels: int = 1


class WholeLists(Collaborator):
    """Lists that are columns from the start."""

    speaks_to = ("foreigners", "found_functions", "found_tables", "opening", "pools", "references",
                 "sources")

    def __init__(self) -> None:
        self.known: dict[Path, ListColumns] = {}
        self.gathered_ids: set[int] = set()
        self.rows: dict[int, list[Any]] = {}  # those that hold rows
        self.columns_of_rows: dict[int, int] = {}  # which of these a column stands for, by its id
        self.written: set[int] = set()  # those whose rows change
        # objects on the ways to leaves that are no columns, and those of them that could be
        self.above: set[int] = set()
        # of leaves that objects in stores hold, the column, the object and the type of a number
        self.held: dict[Path, tuple[Value, Any, Any]] = {}
        self.tops: dict[Path, Any] = {}  # what was found of such objects in arguments
        # lists that have all objects of a class
        self.of_class: dict[type, tuple[list[Any], Path]] = {}
        self.fitting: set[int] = set()

    # ---- which lists are gathered --------------------------------------------------------------
    def gather_instead(self, obj: list[Any], path: Path, changes: bool = False) -> None:
        """Start again with a list gathered, if it can be: what ``changes`` holds numbers."""
        wanted = GatheredLists(str(path))
        if not self.assumed.open(GatheredLists()) or not self.assumed.open(wanted):
            return
        try:
            found = outline([*obj])
            if isinstance(found, Lists) and (not changes or can_change(found.inner)) and (
                    form_of_items(found.inner, obj)[1]) and has_parts(found.inner, obj[0]):
                raise Restart(wanted)
        except Unlike:
            self.pools.store_instead(obj, read=True)

    def gather_one(self) -> None:
        """Start again with a list gathered whose few items were known, where loops over known items
        make much text; functions that call themselves and are inlined must know how many."""
        if self.opening.may_open() and not any(type(w.of) is CalledFunction for w in (
                self.assumed.of(Withdrawn))):
            for obj in [*self.found_functions.pinned.values()]:
                if type(obj) is list and len(obj) > 1 and self.sources.is_differentiated(obj):
                    self.gather_before(obj, changes=False)

    def changing(self, obj: Any, place: Any) -> list[Any] | None:
        """What stands for a list that changes at a place; if it was not gathered, start again with
        it, or the one that it is a row of, gathered if it is long, or the run tells the place."""
        if id(obj) in self.rows:
            self.not_gathered()  # a row would get another holder
        if id(obj) in self.gathered_ids:
            self._name_object(obj)
            return self.gathered(obj)
        if type(obj) is list and self.opening.may_open() and (
                len(obj) > LONG or self.opening.is_unknown_place(place)):
            self.gather_before(obj)
        return None

    def gather_before(self, obj: Any, changes: bool = True) -> None:
        """Start again with a list, or the one that it is a row of, gathered before it changes, or
        before its items are needed one by one."""
        path = self.found_functions.paths.get(id(obj))
        if type(obj) is not list or path is None:
            return
        lists = [(obj, path)]
        while path.steps:
            owner = self.sources.by_path.get(Path(path.root, path.steps[:-1]))
            if owner is None or type(owner[1]) is not list:
                break
            path = self.found_functions.paths[id(owner[1])]
            lists.append((owner[1], path))
        for one, found_at in lists[-1:] if changes else lists[::-1]:
            self.gather_instead(one, found_at, changes)

    def rows_change(self, made: list[Any]) -> None:
        """A row changes of what stands for a list, or a list that one of its objects holds: start
        again with it gathered before, or with them in a store."""
        value = self.symbolic_lists.raw(made).value
        for key, known in self.opening.gathered_lists.items():
            state = self.symbolic_lists[id(known)]
            if any(column.value is value for column in (
                    state.columns if type(state) is Columns else (state,))):
                obj = self.found_functions.pinned[key]
                self.found_tables.check_rows(obj)
                self.gather_instead(obj, self.found_functions.paths[key], changes=True)
                self.pools.store_instead(obj)

    def _name_object(self, obj: list[Any]) -> None:
        """Name the list itself, beside the one that stands for it."""
        name = column_name(self.found_functions.paths[id(obj)])
        self.sources.object_value(obj).hint = f"{name}_given"

    def owner(self, column: Any) -> list[Any] | None:
        """The list of rows that a column stands for, which is about to be written to."""
        obj = self.rows.get(self.columns_of_rows.get(id(column), 0))
        if obj is not None and id(obj) not in self.written:
            self.written.add(id(obj))
            self._name_object(obj)
            if not self.sources.gives(are_distinct, (obj,), (self.found_functions.paths[id(obj)],)):
                self.not_gathered()
        return obj

    def check(self) -> None:
        """At the end: rows that change are found nowhere else; leaves have the same places at each
        call."""
        for cls, (items, path) in self.of_class.items():
            where, objects = self.pools.objects(cls)
            if not self.sources.gives(are_numbered, (objects, items), (where, path)):
                raise Restart(Withdrawn(GatheredLists(str(path))))  # then leaf by leaf
        met: set[int] = set()
        for obj in self.tops.values():
            found = numbers_met(self.pools.gathered, obj)
            if len({*found}) < len(found):  # one object at two places
                self.references.without_found(kind_of(obj))
            met.update(place for place, _ in found)
        if met:
            self.pools.guard_links(met)
        for number in self.written:
            if self.is_found_as(is_row, (self.rows[number],), (
                    self.found_functions.paths[number],)):
                self.not_gathered()

    def is_found_as(self, asked: Callable[..., bool], objects: tuple[Any, ...],
                    paths: tuple[Any, ...]) -> bool:
        """Is a list that was found elsewhere what is asked of some objects, by their paths?"""
        return any(type(other) is list and self.sources.gives(
            asked, (*objects, other), (*paths, path)) for other, path in [
                (self.found_functions.pinned.get(key), path)
                for key, path in self.found_functions.paths.items()])

    def note(self, obj: Any) -> None:
        """Gather a list that was found, if that is assumed."""
        path = self.found_functions.paths.get(id(obj)) if type(obj) in (list, tuple) else None
        if path is None or id(obj) in self.gathered_ids or not self.assumed.gathers(str(path)) or (
                self.pools.holds(kind_of(obj[0])) or not self.opening.at_start()):
            return
        self.assumed.risk(Withdrawn(GatheredLists()))
        try:
            found, states = self.opening.gather(obj, path, can_change(outline(obj[0])))
        except Unlike:
            raise Restart(Withdrawn(GatheredLists())) from None
        self.gathered_ids.add(id(obj))
        if isinstance(found, Lists):
            self.rows[id(obj)] = obj
            self.columns_of_rows[id(self.gathered(obj))] = id(obj)
        if refers(found):  # derivatives are taken for what those objects hold
            if may_vary(found):
                raise Restart(Withdrawn(GatheredLists()))
            return
        self.known[path] = ListColumns(weak(found), tuple(s.value for s in states))

    def may_store(self, obj: Any) -> bool:
        """May something from outside lie in a store, as far as derivatives matter?"""
        return not self.sources.is_differentiated(obj) or self.assumed.open(GatheredLists())

    def gather(self, leaf: Path, root: Any) -> bool:
        """Gather the list that a leaf of an argument lies in; False if it is none that is."""
        within = row = False
        for count, obj in enumerate(leaf.met(root)):
            path = leaf.before(count)
            if path in self.known or self.found_tables.gather(obj, path):
                return True
            held = type(obj) is list and obj and self.pools.holds(kind_of(obj[0]))
            if held and not row and Withdrawn(GatheredLists(str(path))) not in self.assumed and (
                    _record_of(obj, self.pools.holds) is not None):
                self._gather_objects(obj, path)
                return True
            if held or self.pools.holds(kind_of(obj)):
                self._gather_leaf(leaf, root, path)
                return True
            row = type(obj) is list
            within = within or self.references.may_store(kind_of(obj), outside=True)
            if within:
                self.fitting.add(id(obj))
            if self.assumed.gathers(str(path)):
                self.foreigners.outside(obj, path)
                if path in self.known:
                    return True
            if id(obj) not in self.above and type(obj) is list:
                self._look_at(obj, path)
            self.above.add(id(obj))
        return False

    def _look_at(self, obj: list[Any], path: Path) -> None:
        """A list that is not gathered: could its objects lie in a store, and is it so long that
        it is gathered whatever the program does with it?"""
        if _record_of(obj) is not None:
            self.fitting.update(map(id, held_objects(obj, nowhere)))
        if len(obj) > LONG and self.opening.may_open():
            self.gather_instead(obj, path)

    def _gather_objects(self, obj: list[Any], path: Path) -> None:
        """Gather a list whose objects lie in a store: all of them, and no others, so that their
        numbers are those of its items."""
        self.foreigners.outside(obj, path)
        cls, found = kind_of(obj[0]), _record_of(obj, self.pools.holds)
        if found is None:
            self.references.without_found(cls)
        try:
            self.pools.numbered(obj, path, Lists(Referred((cls,))))
        except Unlike:
            self.references.without_found(cls)
        self.of_class[cls] = obj, path
        record = self.pools.outlines[cls]
        if Unread() in record.parts:
            self.references.without_found(cls)
        self.known[path] = ListColumns(weak(record), self.pools.column_values(cls))

    def _gather_leaf(self, leaf: Path, root: Any, top: Path) -> None:
        """A leaf that an object in a store holds, below the one at ``top``: an item of a column."""
        if top not in self.tops:
            self.tops[top] = top.resolve(root)
            self.foreigners.outside(self.tops[top], top)
        met = [*leaf.met(root)]
        held = [k for k, obj in enumerate(met) if kind_of(obj) in self.pools.outlines]
        if not held:
            self.pools.store_instead(self.tops[top])  # with those that are not held yet
            self.references.without_found(kind_of(met[len(top.steps) + 1]))
        cls, ((_, name), *steps) = kind_of(met[held[-1]]), leaf.steps[held[-1]:]
        record = self.pools.outlines[cls]
        if hasattr(cls, "_fields"):
            name = cls._fields.index(name)
        values = self.pools.inputs.get((cls, name))
        part = record.parts[record.names.index(name)]
        if values is None or isinstance(part, Lists):
            self.references.without_found(cls)
        kind = None if type(met[-1]) is np.ndarray else type(met[-1])
        self.held[leaf] = values[column_at(part, tuple(steps))], met[held[-1]], kind

    def leaf_columns(self, inputs: list[Value]) -> dict[Path, int]:
        """The places among inputs of the columns that hold leaves."""
        return {leaf: inputs.index(column) for leaf, (column, *_) in self.held.items()}

    def leaf_places(self) -> dict[Path, tuple[int, int, Any]]:
        """Where leaves lie in these columns, how long they are, and the types of numbers."""
        numbers = self.pools.numbers
        return {leaf: (numbers[kind_of(obj)][id(obj)], len(numbers[kind_of(obj)]), kind)
                for leaf, (_, obj, kind) in self.held.items()}

    # ---- what was gathered ---------------------------------------------------------------------
    def gathered(self, obj: Any) -> list[Any] | None:
        """What stands for a list or tuple; None if it was not gathered."""
        return self.opening.gathered_lists[id(obj)] if id(obj) in self.gathered_ids else None

    def not_gathered(self) -> None:
        """Start again without, if anything was gathered."""
        if self.known:
            raise Restart(Withdrawn(GatheredLists()))

    def values(self) -> Iterator[Value]:
        """The inputs for all columns."""
        for held in (*self.known.values(), *self.found_tables.known.values()):
            yield from held.values
        yield from (column for column, *_ in self.held.values())

    def columns(self, inputs: list[Value]) -> dict[Path, ColumnPlaces]:
        """For each list or dict the outline of its items, the places of its columns among inputs,
        and how many steps lead to an item."""
        return {path: (held.found, tuple(map(inputs.index, held.values)), held.levels)
                for path, held in (*self.known.items(), *self.found_tables.known.items())}


def can_change(found: Any) -> bool:
    """Are the items of a list numbers, or rows of numbers, so that what stands for it changes as it
    does?"""
    return isinstance(found, Number) or (isinstance(found, Lists) and can_change(found.inner))


def leaf_inputs(leaves: list[Path], columns: dict[Path, ColumnPlaces]) -> dict[Path, int]:
    """The places of the inputs that hold the leaves which lie in columns."""
    return {leaf: places[column_at(found, leaf.steps[len(path.steps) + levels:])]
            for leaf in leaves for path, (found, places, levels) in columns.items()
            if leaf.leads_through(path)}


def _record_of(obj: Any, numbered: Callable[[type], bool] = nowhere) -> Record | None:
    """The outline of the objects in a list, if derivatives can be taken for their columns: they
    hold nothing but numbers, arrays, and lists and records of these."""
    if type(obj) is not list or not obj:
        return None
    try:
        found: Any = None
        for item in obj:
            made = outline_of_object(item, numbered)
            found = made if found is None else common_record(found, made)
        fits = Unread() not in found.parts and not refers(found) and has_parts(found, obj[0])
    except (Unlike, TypeError):
        return None
    return found if fits else None
