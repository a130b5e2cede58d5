"""Methods of lists of unknown length: what changes them, copies them, or puts them in order."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dims import is_varying
from ..graph.ir import Ref, Suggested
from ..kinds import SCALARS, Aval, Kind, int_aval
from ..rules.orders import sorted_places
from ..spelling import place_of_greatest, place_of_least
from .columns import common_form
from .iteration import Cursor, Rows, Staged, length, staged_iterable
from .joins import list_item_aval
from .journal import Snapshot
from .long_tuples import LongTuples
from .states import Columns, SymbolicList
from .tracers import is_tracer


class ListMethods(LongTuples):
    """Methods of lists of unknown length."""

    def symbolic_method(self, obj: list[Any], name: str, args: tuple[Any, ...],
                        kwargs: dict[str, Any]) -> Any:
        """A method of a list of unknown length."""
        if name == "append" and self.append_to_row(obj, args[0]):
            return None
        state = self.symbolic_lists[id(obj)]
        if name == "append":
            return self._append(obj, state, args[0])
        if name == "insert":
            return self._insert(obj, state, *args)
        if name == "pop":
            return self._pop(obj, state, args)
        if name == "extend":
            return self._extend(obj, args[0])
        if name == "copy":
            return self.made_with(self._copy(state), obj)
        if name == "remove":
            self.symbolic_method(obj, "pop", (self.symbolic_method(obj, "index", args, {}),), {})
            return None
        if name == "reverse":
            return self.refill(obj, self.list_get(obj, slice(None, None, -1)))
        if name == "clear":
            return self.refill(obj, self.held_list(Snapshot(list, ())))
        if name == "sort":
            return self.refill(obj, self.sorted_list(obj, **kwargs))
        return self.no_method(obj, f"list.{name}")

    def refill(self, obj: list[Any], other: list[Any]) -> None:
        """Give a list the content of another one."""
        if id(obj) in self.list_owners:  # a row of a list of lists
            if id(other) not in self.symbolic_lists:
                self.made_unknown(other)
            self.set_list(obj, self.symbolic_lists[id(other)].value)
            return
        self.journal.write(self.content_of(obj), self.content_of(other).get())

    def put_slice(self, obj: Any, key: slice, items: Any) -> None:
        """``items[a:b] = ...``, or with nothing its deletion."""
        ends = (key.start, key.stop)
        if key.step not in (None, 1) or (None not in ends and not (
                all(type(e) is int for e in ends) and 0 <= key.start <= key.stop)):
            self.no_method(obj, "assignment to such a slice")
        made = [] if key.start is None else self.list_get(obj, slice(None, key.start))
        made = self.binary("+", made, self.call(list, items))
        if key.stop is not None:
            made = self.binary("+", made, self.list_get(obj, slice(key.stop, None)))
        self.refill(obj, made)

    def _append(self, obj: list[Any], state: Any, item: Any) -> None:
        state = self._taking(obj, state, item)
        if type(state) is Columns:
            self._into_columns(obj, state, item,
                               lambda c, p: self._append(c, self.symbolic_lists[id(c)], p))
            return
        value, aval = self._new_item(obj, item)
        (new,) = self.emit("append", (state.value, value), (aval,))
        self.set_list(obj, new)
        if self.may_open():
            self.at_end(obj, item)

    def _taking(self, obj: list[Any], state: Any, item: Any) -> Any:
        """The content of a list that takes an item: the first one decides what its columns are."""
        joining = self.join()
        if type(state) is Columns or state.value.aval.elem is not None or (
                list_item_aval(joining, item) is not None):
            return state
        found = common_form(joining, (Snapshot(list, (item,)),))
        if found is None or (found[0].mutable and not joining.records):
            return state
        made = Columns(found[0], tuple(self._unknown([]) for _ in found[1]))
        self.journal.write(self.content_of(obj), made)
        return made

    def _insert(self, obj: list[Any], state: Any, index: Any, item: Any) -> None:
        if type(state) is Columns:
            self._into_columns(obj, state, item, lambda c, p: self._insert(
                c, self.symbolic_lists[id(c)], index, p))
            return
        value, aval = self._new_item(obj, item)
        (new,) = self.emit("insert", (state.value, value, self.as_value(index)), (aval,))
        self.set_list(obj, new)

    def _pop(self, obj: list[Any], state: Any, args: tuple[Any, ...]) -> Any:
        if any(isinstance(a, slice) for a in args):
            return self.put_slice(obj, args[0], [])
        if type(state) is Columns:
            return self._column_pop(obj, state, args)
        elem = state.value.aval.elem
        if elem is None:
            raise IndexError("pop from empty list")
        extra = tuple(self.as_value(a) for a in args)
        new, value = self.emit("pop", (state.value, *extra),
                               (state.value.aval, self.element_aval(elem)))
        self.set_list(obj, new)
        return self.list_object(value) if elem.kind is Kind.LIST else self.element(value)

    def _copy(self, state: Any) -> list[Any]:
        if type(state) is Columns:
            found: list[Any] = self._each_column(
                state, lambda c: self._copy(self.symbolic_lists[id(c)]), whole=True)
            return found
        self.rows_copied(state)
        (value,) = self.emit("copy", (state.value,), (state.value.aval,))
        return self.list_object(value)

    def _extend(self, obj: list[Any], items: Any) -> None:
        if isinstance(items, list) and id(items) in self.symbolic_lists:
            self.extend_symbolic(obj, items)
            return
        if self.of_unknown_length(items):
            self.extend_symbolic(obj, items)
            return
        for one in self.iterate(items):
            self.symbolic_method(obj, "append", (one,), {})

    def of_unknown_length(self, items: Any) -> bool:
        """Does only a run know how many items something staged has?"""
        staged = staged_iterable(self, items) if is_tracer(items) else items
        if isinstance(staged, Cursor):
            staged = staged.inner
        if not isinstance(staged, Staged):
            return False
        size = length(self, staged)
        return is_tracer(size) and (size.aval.expr is None or is_varying(size.aval.expr))

    def extend_symbolic(self, obj: list[Any], items: Any) -> None:
        """Append the items of something of unknown length."""
        self.for_(items, lambda one: self._hold(one), lambda: self._append_held(obj))

    def add_lists(self, left: list[Any], right: list[Any]) -> Any:
        """``left + right`` where one of them has an unknown length; None otherwise."""
        if id(left) not in self.symbolic_lists and id(right) not in self.symbolic_lists:
            return None
        made: list[Any] = self.container_method(left, "copy", (), {}) if (
            id(left) in self.symbolic_lists) else self.held_list(
                Snapshot(list, tuple(self.outside_items(left))))
        self.container_method(made, "extend", (right,), {})
        return made

    def sorted_list(self, obj: list[Any], key: Any = None, reverse: Any = False) -> list[Any]:
        """``sorted`` of a list of unknown length: a gather in the order of an argsort."""
        keys: list[Any] = obj
        if key is not None:
            keys = self.held_list(Snapshot(list, ()))
            self.for_(obj, self._hold, lambda: self._append_key(keys, key))
        state = self.symbolic_lists[id(keys)]
        if type(state) is Columns or _is_opaque(state):
            return self._sorted_rows(obj, state, bool(self.static_key(reverse)))
        order = self.call(np.argsort, self.call(np.array, keys), kind="stable")
        if self.static_key(reverse):
            backwards = self.call(np.argsort, self.getitem(
                self.call(np.array, keys), slice(None, None, -1)), kind="stable")
            last = self.binary("-", self.length(obj), 1)
            order = self.binary("-", last, self.getitem(backwards, slice(None, None, -1)))
        made: list[Any] = self.held_list(Snapshot(list, ()))
        self.for_(Rows(order), self._hold, lambda: self._append_chosen(made, obj))
        return self.made_with(made, obj)

    def _sorted_rows(self, obj: list[Any], state: Any, backwards: bool) -> list[Any]:
        """The same by keys that are tuples, or texts: their order is looked up at run time."""
        if type(state) is Columns and not state.form.is_plain:
            self.no_method(obj, "sorting objects")
        columns = state.columns if type(state) is Columns else (state,)
        (order,) = self.emit(
            "apply", tuple(c.value for c in columns), (Aval(Kind.ARRAY, np.dtype(np.intp), (
                self.fresh("k"),)),), fn=sorted_places, args=tuple(map(Ref, range(len(columns)))),
            kwargs={"reverse": True} if backwards else {}, many=False)
        made: list[Any] = self.held_list(Snapshot(list, ()))
        self.for_(Rows(self.wrap(order)), self._hold, lambda: self._append_chosen(made, obj))
        return self.made_with(made, obj)

    def place_of_extreme(self, obj: Any, function: Any) -> Any:
        """Where ``min`` or ``max`` finds what it returns, in a list of numbers of unknown length;
        None if it is another list."""
        state = self.symbolic_lists.get(id(obj))
        if type(state) is not SymbolicList:
            return None
        elem = state.value.aval.elem
        if elem is None or elem.kind not in SCALARS or elem.optional:
            return None
        (place,) = self.emit(
            "apply", (state.value,), (int_aval(self.fresh("place", low=0)),),
            fn=place_of_least if function is min else place_of_greatest, args=(Ref(0),),
            kwargs={}, many=False)
        place.hint = Suggested("least" if function is min else "greatest")
        return self.wrap(place)

    def _append_key(self, keys: list[Any], key: Any) -> int:
        self.container_method(keys, "append", (self.call(key, self.held),), {})
        return 0

    def _append_chosen(self, made: list[Any], source: list[Any]) -> int:
        self.container_method(made, "append", (self.getitem(source, self.held),), {})
        return 0

    def stacked_columns(self, function: Any, obj: list[Any], kwargs: dict[str, Any]) -> Any:
        """``np.array(hist)`` of a list of tuples: the columns side by side."""
        state = self.symbolic_lists[id(obj)]
        columns = [self.call(np.array, self.held_list(c)) for c in state.columns]
        return self.call(np.asarray, self.call(np.stack, columns, axis=1), **kwargs)

    held: Any

    def _hold(self, one: Any) -> None:
        self.held = one

    def _append_held(self, obj: list[Any]) -> int:
        self.container_method(obj, "append", (self.held,), {})
        return 0


def _is_opaque(state: SymbolicList) -> bool:
    """Are the items neither numbers nor arrays?"""
    elem = state.value.aval.elem
    return elem is not None and elem.kind is Kind.OPAQUE
