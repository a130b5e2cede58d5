"""What objects in stores hold: numbers, arrays, other objects, and lists of these."""

from __future__ import annotations

import collections
import functools
import operator
from typing import Any

import numpy as np

from ...errors import UnsupportedOperation
from ..assumptions import Withdrawn
from ..collaborator import Collaborator
from ..flow.control import Restart
from ..record.states import Columns, Maybe, SymbolicList
from ..record.tracers import ArrayTracer
from .columns import list_item_aval
from .forms import Column, Numbered, Unfit, common
from .queues import Queue, queue_of
from .stores import (
    Reference,
    Store,
    Unlinked,
    class_key,
    number_in,
    store_of,
    stored_as,
)
from .unlike import things_in


class StoredAttributes(Collaborator):
    """The attributes of objects in stores, each an item of a column."""

    speaks_to = ("among", "containers", "effects", "elements", "list_rows", "lists", "merges",
                 "pools", "recorder", "references", "stored_lists")

    def __init__(self) -> None:
        self.places: dict[int, tuple[Store, str]] = {}  # what a column holds, by its id

    def read(self, obj: Any, name: str) -> Any:
        """What an object holds under a name that has a column."""
        column, row = obj.store.columns[name], self._row_form(obj.store, name)
        if row is not None:
            self.lists.of_unknown_length(column)
        read = self.machine.getitem(column, obj.index)
        if row is not None:
            for one in things_in(read, {}):
                if id(one) in self.list_rows.list_owners:
                    self.list_rows.list_owners[id(one)].form = row
                elif one is not None:
                    raise self.no_attribute(obj, name)
            return read
        if name in obj.store.queues:
            return self.containers.made(queue_of(read, obj.store.queues[name]))
        return self.elements.read(obj.store, name, obj.index, read)

    def _row_form(self, store: Store, name: str) -> Any:
        """The form of the items where an attribute holds lists of objects; None where it does
        not."""
        if name not in store.rows:
            known = self.assumed.held_by(class_key(store.cls), name)
            held = self._store_for(known[0]) if known else None
            if held is None:
                return None
            store.rows[name] = Numbered(held, False)
        return store.rows[name]

    def _store_for(self, key: Any) -> Store | None:
        """The one store of the classes of a name, if there is one."""
        found = [store for cls, store in self.references.stores.items() if class_key(cls) == key]
        return found[0] if len(found) == 1 else None

    def put(self, obj: Any, name: str, value: Any) -> None:
        """Put something into an object under a name."""
        if name in obj.store.fixed:
            self.pools.check_fits(obj.store, name, value)
            if type(value) is str and value == obj.store.fixed[name]:
                self.effects.emit_effect(self._setter(obj), (obj, name, value), {}, None)
                return
            if value is None is obj.store.fixed[name]:
                return
        if name not in obj.store.columns:
            raise self.no_attribute(obj, name, " is set")
        if self.elements.is_in_place(obj.store, name, obj.index, value):
            return
        kept = self.kept(obj.store, name, value)
        if obj.store.found is not None:
            self.effects.emit_effect(self._setter(obj), (obj, name, value), {}, None)
            if type(value) is ArrayTracer and self.elements.copies(
                    obj.store, name) in self.assumed:
                kept = self.recorder.apply(np.copy, (value,), {})
        self.elements.given(obj.store, name, value, functools.partial(
            self.machine.setitem, obj.store.columns[name], obj.index, kept))

    @staticmethod
    def _setter(obj: Any) -> Any:
        """What puts something into an object at run time."""
        return operator.setitem if obj.cls is dict else setattr

    def kept(self, store: Store, name: str, value: Any) -> Any:
        """What a column holds for the value of an attribute: numbers for objects in stores."""
        if type(value) is Maybe:
            raise self.not_stored(
                store.cls, f"only some paths set {name} of a {store.cls.__name__}",
                store.found is not None)
        row = self._row_form(store, name)
        if row is not None and type(value) is list:
            return self._numbers_in(row, value)
        if store.found is not None:
            self.pools.check_fits(store, name, value)
            return value
        if type(value) is Queue:
            return self._items_of_queue(store, name, value)
        if type(value) is list:
            for one in self.containers.outside_items(value):
                self.check_row(store.columns[name], one)
        if isinstance(value, (dict, set, collections.deque)) or (
                isinstance(value, list) and list_item_aval(self.merges.join(), value) is None):
            self.references.store_instead(value)
            raise self.not_stored(
                store.cls, f"{name} of a {store.cls.__name__} is a {type(value).__name__}")
        return value

    def _items_of_queue(self, store: Store, name: str, value: Any) -> Any:
        """The list behind a deque, which must lie in a store, too."""
        items: Any = value.items
        self.stored_lists.store_instead(items)
        if type(items) is not Reference or (
                store.queues.setdefault(name, value.maxlen) != value.maxlen):
            raise self.not_stored(store.cls, f"{name} of a {store.cls.__name__} is a deque")
        return items

    def _numbers_in(self, form: Numbered, items: list[Any]) -> list[Any]:
        """The numbers of objects in a list, as a list that is another one: that of the program may
        not change any more."""
        state = self.symbolic_lists.get(id(items))
        if type(state) is SymbolicList and state.value.aval.elem is None:
            return self.lists.held_list(state)
        try:
            if state is not None:
                common(form, state.form if type(state) is Columns else Column())
                made = self.lists.held_list(state.columns[0])
            else:
                made = self.containers.made([self.among.computed(number_in(form.store, one))
                                             for one in self.containers.outside_items(items)])
        except (Unfit, Unlinked):
            raise self.lists.unfit_item(form, items) from None
        if items or state is not None:
            self.journal.seal(items)
        return made

    def check_row(self, column: Any, item: Any) -> None:
        """An item is put into a list that lies in a column: start again where it is an object in a
        store, as the first one there."""
        other = store_of(item)
        store, name = self.places.get(id(column), (None, ""))
        if other is not None and store is not None and store.found is None:
            raise Restart(stored_as(store.cls, name=name, holds=class_key(other.cls)))

    def no_attribute(self, obj: Any, name: str, change: str = "") -> Any:
        what = "the key" if obj.cls is dict else "the attribute"
        return self.not_stored(obj.store.cls, f"{what} {name} of a {obj.cls.__name__}{change}",
                               obj.store.found is not None)

    def not_stored(self, cls: type, what: str, found: bool = False) -> Any:
        """The refusal of what a store cannot hold; that class is kept out of them then."""
        return self.recorder.fatal(UnsupportedOperation(
            what, why="objects that loops make or go through are kept attribute by attribute",
            fix="set all attributes in __init__, to numbers, arrays of one kind or lists of them"),
            Withdrawn(stored_as(cls, outside=found)))
