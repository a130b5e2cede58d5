"""Arrays in columns, which are written in place: ``p.pos[0] = v``, ``o.W += e``, ``rows[i] -= r``.

A column belongs to an attribute of the objects in a store, or is a pool of the arrays that lists
hold (:mod:`srcgrad.trace.heap.listed_arrays`).

What is read from a column is a handle to its *place*, the column and the number of the object, as a
row of a list of lists is: its content is read from there when it is needed, and a write to it puts
a changed copy there.  That is right as long as the store alone holds each array.  What gives an
array a second holder and a write in place exclude each other: where both occur, tracing starts
again without the column.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from ...graph.ir import Steps, Value
from ...types.dataclasses import dataclass
from ...types.dims import is_varying
from ...types.kinds import OPAQUE, Aval, Kind, list_of
from ..assumptions import COPIES, FollowedArrays, StoredObjects, Withdrawn
from ..collaborator import Collaborator
from ..flow.control import Restart
from ..record.homes import is_stored, reach
from ..record.journal import Version
from ..record.regions import Region
from ..record.states import SymbolicList
from ..record.structures import same_key
from ..record.tracers import ArrayTracer, Home
from .stores import Reference, Store, are_contents, stored_as


class Held:
    """What happens to the arrays of a column: ``written`` in place, or asked which it is;
    ``shared`` with others (under some ``names``), replaced (how often), and ``kept`` by a name from
    one iteration to the next.  Pools have no ``store``."""

    __slots__ = ("column", "kept", "name", "names", "replaced", "shared", "store", "written")

    def __init__(self, column: list[Any], name: str, store: Store | None = None) -> None:
        self.store = store
        self.name = name
        self.column = column
        self.written = self.shared = self.kept = False
        self.replaced = 0
        self.names: dict[str, None] = {}

    @property
    def item_name(self) -> str:
        """What one of the arrays is called: not as the list of all."""
        return self.name.removesuffix("s") if self.name.endswith("_items") else self.name

    @property
    def is_outside(self) -> bool:
        """Do objects from outside hold the arrays?"""
        return self.store is not None and self.store.found is not None


@dataclass(frozen=True, slots=True)
class Place:
    """Where an array lies: a column, and the number of the object.  One that only some paths have
    put there (``arm``) lies there until the region ends."""

    held: Held
    index: Any
    region: Region
    replaced: int
    arm: bool = False

    @property
    def holds(self) -> bool:
        """Does it lie there now?"""
        return not self.arm or self.region.active


class Elements(Collaborator):
    """Arrays that lie in stores."""

    speaks_to = ("call_nodes", "choices", "effects", "lists", "recorder", "recursion")

    def __init__(self) -> None:
        self.columns: dict[int, Held] = {}
        self.versions: dict[Value, Value] = {}  # of which column an array was read

    def held_in(self, store: Store, name: str) -> Held:
        return self.held(Held(store.columns[name], name, store))

    def held(self, made: Held) -> Held:
        """What is known of a column."""
        return self.columns.setdefault(id(made.column), made)

    def is_written(self, column: Any) -> bool:
        """Is an array of a column written to in place?"""
        return id(column) in self.columns and self.columns[id(column)].written

    # ---- into a store and out of it --------------------------------------------------------------
    def given(self, store: Store, name: str, value: Any, put: Callable[[], None],
              number: Any = None) -> None:
        """Put the value of an attribute into a column: an array lies there from now on, that of
        the new object with a ``number`` in its place."""
        homes = reach(value.home) if type(value) is ArrayTracer else []
        held = self.held_in(store, name) if homes else None
        alone = held is not None
        for home in homes:
            if value.steps or home.outside or home.stored or home.held or len(homes) > 1:
                for one in homes:
                    self._share(one)
                held.shared, alone = True, False  # type: ignore[union-attr]
        if alone and number is not None and is_steady(value):
            self.append(held, number, value)  # type: ignore[arg-type]
            return
        put()
        if held is not None:
            held.replaced += number is None
            for home in homes:
                home.held |= {held}

    def is_in_place(self, store: Store, name: str, index: Any, value: Any) -> bool:
        """Does an array lie where it is put, as the second half of ``p.pos += v`` does?"""
        place = value.home.place if type(value) is ArrayTracer and not value.steps else None
        return place is not None and place.held is self.held_in(store, name) and (
            same_key(place.index, index)) and place.replaced == place.held.replaced

    def read(self, store: Store, name: str, index: Any, found: Any) -> Any:
        """What was read from a column: an array is known by its place from here on."""
        column = store.columns[name]
        state = self.symbolic_lists.get(id(column))
        if type(state) is SymbolicList and is_steady(found) and not found.steps:
            self._lies(found.home, self.held_in(store, name), index)
            self.versions[found.home.current] = state.value
        return found

    def _lies(self, home: Home, held: Held, index: Any) -> None:
        region = self.recorder.region
        arm = home.region is not None and home.region.control is not region.control
        home.held = frozenset({held})
        home.lies = Place(held, index, region, held.replaced, arm)

    def at(self, held: Held, index: Any, aval: Aval) -> ArrayTracer:
        """The array with a number in a column, which is read when its content is needed."""
        (content,) = self.recorder.emit("undef", (), (aval,))
        found: ArrayTracer = self.recorder.wrap(content, held.name)
        self._lies(found.home, held, index)
        return found

    def append(self, held: Held, number: Any, array: ArrayTracer) -> None:
        """Put a new array at the end of a column, where it has a number and lies from now on."""
        column = self.appended(held.column, array)
        self._lies(array.home, held, number)
        self.versions[array.home.current] = column

    def appended(self, column: list[Any], array: ArrayTracer) -> Value:
        """A list with the content of one more array."""
        self.lists.of_unknown_length(column)
        before, value = self.symbolic_lists[id(column)].value, self.recorder.as_value(array)
        (new,) = self.recorder.emit("append", (before, value), (list_of(
            self.lists.elem_with(before.aval.elem, value.aval)),))
        self.lists.set_list(column, new)
        return new

    def same(self, left: ArrayTracer, right: ArrayTracer) -> Any:
        """Are two arrays one, by the numbers of their places in a column?  None where they do not
        tell."""
        one, other = left.home.place, right.home.place
        if one is None or other is None or one.held is not other.held or left.steps or right.steps:
            return None
        one.held.written = True  # which it may not be if it lies in another place, too
        return self.machine.compare("==", one.index, other.index)

    # ---- contents --------------------------------------------------------------------------------
    def before_read(self, home: Home) -> None:
        """The content of an array is about to be read."""
        if home.place is not None:
            self._refresh(home, home.place)
        elif home.choice is not None:
            return  # its members are read
        elif home.held or (is_stored(home) and any(h.held for h in reach(home))):
            for one in reach(home):
                self._share(one)

    def version(self, home: Home) -> Any:
        """What the content of an array follows from: a version of the column that it lies in."""
        state = None if home.place is None else self.symbolic_lists.get(id(home.place.held.column))
        return state.value if type(state) is SymbolicList else None

    def _share(self, home: Home) -> None:
        """An array has, or may have, another holder."""
        for held in home.held:
            held.shared = True
            held.names[home.label] = None

    def share(self, tracer: ArrayTracer) -> None:
        """The world outside gets an array: it must be the very one that an object from there
        holds."""
        for home in reach(tracer.home):
            self._share(home)
            for held in home.held:
                if held.is_outside:
                    self._withdraw(held)

    def note_stored(self, home: Home) -> None:
        """An array is put into a list: is it another one than the column?"""
        if home.held and (home.place is not None or home.stored):
            self._share(home)

    def _refresh(self, home: Home, place: Place) -> None:
        """Read the content of an array from its place, if that has changed."""
        held = place.held
        if place.replaced != held.replaced:
            self._withdraw(held)
        inside = itertools.takewhile(lambda r: r is not place.region, self.recorder.region.around())
        held.kept = held.kept or any(region.given is None for region in inside)
        state = self.symbolic_lists.get(id(held.column))
        if type(state) is not SymbolicList:  # another path has it as a list of known length
            self._withdraw(held)
        whole = state.value
        if self.versions.get(home.current) is whole:
            return
        if self.call_nodes.tracing:
            self._withdraw(held)
        (value,) = self.recorder.emit("get", (whole, self.recorder.as_value(place.index)),
                                      (home.current.aval,))
        value.obj, value.hint = home.obj, home.current.hint
        self.versions[value] = whole
        self.journal.write(Version(home), value)

    def write(self, tracer: ArrayTracer, op: str, steps: Steps, value: Value,
              dyn: tuple[Value, ...], **params: Any) -> None:
        """Write to an array where it lies: a changed copy takes its place."""
        home, place = tracer.home, tracer.home.place
        assert place is not None
        whole = ArrayTracer(self.machine, home.current.aval, home, (), (), home.obj, home.current,
                            self.recorder.region)
        copied = self.recorder.apply(np.copy, (whole,), {})
        copied.home.current.hint = place.held.item_name
        target = self.choices.same_view(copied, tracer)
        self.recorder.write_version(target, op, steps, value, dyn, **params)
        made, column = copied.home.current, place.held.column
        before = self.symbolic_lists[id(column)].value
        (after,) = self.recorder.emit(
            "put", (before, made, self.recorder.as_value(place.index)), (before.aval,))
        self.lists.set_list(column, after)
        place.held.written = True
        self._write_back(place.held, place.index, copied)
        self.versions[made] = after
        self.journal.write(Version(home), made)

    def _write_back(self, held: Held, index: Any, content: ArrayTracer) -> None:
        """Write to the array that an object from outside holds, too."""
        if held.store is None or held.store.found is None:
            return
        owner = Reference(held.store, index)
        reader = operator.getitem if are_contents(held.store.cls) else getattr
        array = self.effects.emit_effect(reader, (owner, held.name), {}, OPAQUE)
        self.effects.emit_effect(operator.setitem, (array, Ellipsis, content), {}, None)

    # ---- when all is known -----------------------------------------------------------------------
    def check(self) -> None:
        """At the end: arrays that are written in place have no other holder."""
        for held in self.columns.values():
            if held.written and held.replaced and held.store is not None and held.is_outside and (
                    self.copies(held.store, held.name) not in self.assumed):
                raise Restart(self.copies(held.store, held.name))
            if held.written and (held.shared or (held.kept and held.replaced)
                                 or self.recursion.callees):
                self._withdraw(held)

    def copies(self, store: Store, name: str) -> StoredObjects:
        """The assumption that a column holds copies of what objects from outside get."""
        return stored_as(store.cls, True, name=name, holds=COPIES)

    def _withdraw(self, held: Held) -> NoReturn:
        if held.store is not None:
            raise Restart(Withdrawn(stored_as(held.store.cls, held.is_outside)))
        for name in held.names:
            self.follow(name)
        raise Restart(Withdrawn(FollowedArrays()))

    def follow(self, name: str) -> None:
        """Start again with the arrays of a name in a pool, if that has not been tried."""
        if FollowedArrays() in self.assumed and self.assumed.open(FollowedArrays(name=name)):
            raise Restart(FollowedArrays(name=name))


def is_steady(item: Any) -> bool:
    """Is it an array whose sizes are the same in each iteration?"""
    return type(item) is ArrayTracer and item.aval.kind is Kind.ARRAY and not any(
        map(is_varying, item.aval.shape or ()))


def place_in_pool(home: Home) -> Place | None:
    """The place in a pool where an array surely lies."""
    place: Place | None = home.place
    return place if home.choice is None and place is not None and place.held.store is None else None
