"""Lists of arrays that change in place, whose length only a run knows: where each item lies.

Such a list holds numbers.  Its items are views of one array, which is older than the list, and are
told by their indices; or arrays that the program has made, and that lie in a *pool*: a list of the
trace, as old as the lists whose items it has.  So what is written to an item is seen wherever it
has another name.
"""

from __future__ import annotations

import itertools
from typing import Any, ClassVar

import numpy as np

from ...types.dataclasses import dataclass
from ..assumptions import ALL, FollowedArrays, Withdrawn
from ..collaborator import Collaborator
from ..record.earlier import Whereabouts, earlier
from ..record.homes import is_active, is_derived
from ..record.journal import Snapshot
from ..record.regions import Region
from ..record.states import Columns, SymbolicList
from ..record.tracers import ArrayTracer
from .elements import Elements, Held, is_steady, place_in_pool
from .forms import Column, Form, Lying, Parts, size


@dataclass(frozen=True, slots=True, eq=False)
class Pooled:
    """The arrays in a pool, which their number tells apart."""

    sample: ArrayTracer
    held: Held
    count: ClassVar[int] = 1

    @property
    def label(self) -> str:
        return self.held.name

    @property
    def place(self) -> Any:
        return id(self.held)

    @property
    def keeps(self) -> tuple[ArrayTracer, ...]:
        return ()

    @property
    def at_hand(self) -> ArrayTracer | None:
        return self.sample if is_active(self.sample.home) else None

    def indices(self, state: Any) -> list[Any] | None:
        whole = type(state) is ArrayTracer and not state.steps
        lies = place_in_pool(state.home) if whole else None
        return [lies.index] if lies is not None and lies.held is self.held else None

    def at(self, indices: list[Any]) -> ArrayTracer:
        elements: Elements = self.sample.machine.elements
        return elements.at(self.held, indices[0], self.sample.aval)


class ListedArrays(Collaborator):
    """Where the arrays lie that are items of lists of unknown length."""

    speaks_to = ("call_nodes", "elements", "list_methods", "lists", "recorder",
                 "variables")

    def __init__(self) -> None:
        self.columns: dict[tuple[Any, ...], tuple[Region, Held]] = {}

    def follows(self, holder: Any) -> bool:
        """Are the arrays in a list told by where they lie?"""
        return FollowedArrays() in self.assumed and id(holder) not in self.elements.columns

    def pooled(self, array: Any) -> Pooled | None:
        """Where an array lies in a pool; None if it does not."""
        whole = type(array) is ArrayTracer and not array.steps
        lies = place_in_pool(array.home) if whole else None
        return None if lies is None else Pooled(array, lies.held)

    def where(self, item: Any, holder: Any = None) -> Whereabouts | None:
        """Where an item of a list lies; None where that may end before the list, or it is known by
        its content."""
        if not self.follows(holder) or not is_steady(item):
            return None
        found: Whereabouts | None = self.pooled(item)
        home = item.home
        if isinstance(found, Pooled):
            layer = self.journal.births.get(id(found.held.column), 0)
        elif not is_derived(home) and home.lost is None:
            layer, found = 0 if home.region is None else home.region.layer, earlier(item, True)
        if found is None or (  # or made later than the list
                holder is not None and layer > self.journal.births.get(id(holder), 0)):
            return None
        self.assumed.risk(Withdrawn(FollowedArrays()))
        return found

    def begins(self, holder: list[Any], item: Any) -> bool:
        """Is an array the first item of a list that is older than the loop, or arm?"""
        return self.follows(holder) and not holder and not self.journal.is_young(holder) and any(
            type(part) is ArrayTracer for part in (item if type(item) is tuple else (item,)))

    def enter(self, holder: list[Any], item: Any) -> None:
        """Something is put into a list: new arrays lie in a pool from now on."""
        if type(item) is tuple:
            for part in item:
                self.enter(holder, part)
        elif self.follows(holder) and is_steady(item) and self.pooled(item) is None and (
                self._in_pool(holder) or self.where(item, holder) is None):
            if self._is_new(item):
                born = 0 if self._in_pool(holder) else self.journal.births.get(id(holder), 0)
                self._enter(max(1, born), item, self.variables.name_of(holder))
            elif item.home.lies is not None:  # since another path, or where the list outlives it
                self.elements.follow(item.home.label)

    def _in_pool(self, holder: Any) -> bool:
        """Do the arrays in a list lie in a pool from the start?"""
        return FollowedArrays(name=self.variables.name_of(holder) or ALL) in self.assumed

    def named(self, array: Any, name: str) -> None:
        """An array is bound to a name: those of some lie in a pool from the start."""
        if type(array) is ArrayTracer and self.assumed.follows_arrays(name) and (
                is_steady(array) and self._is_new(array)):
            self._enter(1, array, name)

    def named_list(self, obj: Any, name: str) -> None:
        """A list is bound to a name: the arrays in some lie in a pool from the start."""
        if type(obj) is list and self._in_pool(obj) and id(obj) not in self.symbolic_lists and (
                self.journal.is_young(obj)):
            for item in obj:
                self.enter(obj, item)
            self.lists.made_unknown(obj)

    def meet(self, holder: Any, *states: Any) -> None:
        """Paths meet on which a list has other lengths: start again with its arrays in a pool if
        they are told by where they lie."""
        name = self.variables.name_of(holder)
        if name is not None and FollowedArrays() in self.assumed and all(
                type(state) is Snapshot for state in states) and any(
                is_steady(item) for state in states for item in state.items):
            self.elements.follow(name)

    def _enter(self, layer: int, array: ArrayTracer, name: str | None) -> None:
        """Put a new array into the pool for those of its kind, which is as old as a layer."""
        self.assumed.risk(Withdrawn(FollowedArrays()))
        held = self._pool(layer, array)
        if name is not None:
            self._name(held, name)
        number = self.machine.length(held.column)
        self.elements.append(held, number, array)

    def _is_new(self, array: ArrayTracer) -> bool:
        """Has this iteration made an array, which nothing else holds?"""
        home = array.home
        inner = itertools.takewhile(lambda r: r is not home.region, self.recorder.region.around())
        return not (array.steps or home.outside or home.stored or home.held or home.choice
                    or home.aliases or home.lost or self.call_nodes.tracing) and (
            home.region is not None and all(r.given or r.control is not r for r in inner))

    def _pool(self, layer: int, array: ArrayTracer) -> Held:
        region = next(r for r in self.recorder.region.around() if 0 < r.layer <= layer)
        key = id(region), array.aval.dtype, array.aval.shape
        if key not in self.columns:
            held = self.elements.held(Held([], array.home.label))
            self.journal.born_in(held.column, region.layer)
            self.columns[key] = region, held
        return self.columns[key][1]

    def label(self, state: Any, name: str) -> None:
        """A list gets a name: so does the pool of its items."""
        form = state.form if type(state) is Columns else None
        if isinstance(form, Lying) and isinstance(form.of, Pooled):
            self._name(form.of.held, name)

    def _name(self, held: Held, name: str) -> None:
        held.name = self.variables.name_items(held.column, name) or held.name

    # ---- contents --------------------------------------------------------------------------------
    def plain(self, state: Columns) -> Any:
        """The content of a list with the contents of the arrays in it."""
        return self._plain(state.form, [*state.columns])

    def _plain(self, form: Form, columns: list[SymbolicList]) -> Any:
        own, columns[:] = columns[:size(form)], columns[size(form):]
        if isinstance(form, Column):
            return own[0]
        if isinstance(form, Lying):
            return self.symbolic_lists[id(self._copies(self.lists.held_list(
                Columns(form, tuple(own)))))]
        if not isinstance(form, Parts) or not all(isinstance(i, (Column, Lying, Parts))
                                                  for i in form.items):
            return Columns(form, tuple(own))
        parts = [self._plain(i, own) for i in form.items]
        return Columns(Parts(form.key, form.build, [
            part.form if type(part) is Columns else Column() for part in parts]), tuple(
            column for part in parts for column in (
                part.columns if type(part) is Columns else (part,))))

    def _copies(self, items: list[Any]) -> list[Any]:
        """A list of the contents of arrays."""
        made = self.lists.made_unknown(self.lists.held_list(Snapshot(list, ())))

        def append() -> int:
            self.elements.appended(made, self.machine.call(np.copy, self.list_methods.held))
            return 0

        self.machine.for_(items, self.list_methods.hold_item, append)
        return made
