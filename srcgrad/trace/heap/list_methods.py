"""Methods of lists of unknown length: what changes them, copies them, or puts them in order."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import UnsupportedOperation
from ...graph.ir import Ref, Suggested
from ...rules.broadcast import array_of_rows
from ...rules.python.orders import extreme_places, sorted_places
from ...types.dims import is_of_call
from ...types.kinds import SCALARS, Aval, Kind, int_aval
from ...types.spelling import place_of_greatest, place_of_least
from ..collaborator import PASSED, Args, Collaborator, Kwargs
from ..iteration.iteration import Cursor, Rows, Staged, length, staged_iterable
from ..record.journal import Snapshot
from ..record.states import Columns, SymbolicList
from ..record.tracers import is_tracer, users_class
from .forms import Column, Form, Parts, size


class ListMethods(Collaborator):
    """Methods of lists of unknown length."""

    speaks_to = ("containers", "keys", "list_rows", "listed_arrays", "lists", "opening",
                 "presence", "recorder", "searches", "stored_lists")

    def __init__(self) -> None:
        self.held: Any = None

    def symbolic_method(self, obj: list[Any], name: str, args: Args, kwargs: Kwargs) -> Any:
        """A method of a list of unknown length."""
        if name == "append" and self.list_rows.write_in_row(obj, name, args[0]):
            return None
        if name in ("index", "count") and len(args) == 1:
            found = self.searches.found(obj, name, args[0])
            return self.lists.no_method(obj, f"list.{name}") if found is PASSED else found
        state = self.symbolic_lists[id(obj)]
        if name == "append":
            return self._append(obj, args[0])
        if name == "insert":
            return self._take(name, obj, args[1], args[0])
        if name == "pop":
            return self._pop(obj, state, args)
        if name == "extend":
            return self._extend(obj, args[0])
        if name == "copy":
            return self.lists.made_with(self._copy(state), obj)
        if name == "remove":
            place = self.symbolic_method(obj, "index", args, {})
            self.symbolic_method(obj, "pop", (place,), {})
            return None
        if name == "reverse":
            return self.refill(obj, self.lists.list_get(obj, slice(None, None, -1)))
        if name == "clear":
            return self.refill(obj, self.lists.held_list(Snapshot(list, ())))
        if name == "sort":
            return self.refill(obj, self.sorted_list(obj, **kwargs))
        return self.lists.no_method(obj, f"list.{name}")

    def refill(self, obj: list[Any], other: list[Any]) -> None:
        """Give a list the content of another one."""
        if id(obj) in self.list_rows.list_owners:  # a row of a list of lists
            if id(other) not in self.symbolic_lists:
                self.lists.made_unknown(other)
            state = self.symbolic_lists[id(other)]
            self.lists.set_list(obj, (state.columns[0] if type(state) is Columns else state).value)
            return
        self.journal.write(self.lists.content_of(obj), self.lists.content_of(other).get())

    def put_slice(self, obj: Any, key: slice, items: Any) -> None:
        """``items[a:b] = ...``, or with nothing its deletion."""
        ends = (key.start, key.stop)
        if key.step not in (None, 1) or (None not in ends and not (
                all(type(e) is int for e in ends) and 0 <= key.start <= key.stop)):
            self.lists.no_method(obj, "assignment to such a slice")
        made = [] if key.start is None else self.lists.list_get(obj, slice(None, key.start))
        made = self.machine.binary("+", made, self.machine.call(list, items))
        if key.stop is not None:
            made = self.machine.binary("+", made, self.lists.list_get(obj, slice(key.stop, None)))
        self.refill(obj, made)

    def _append(self, obj: list[Any], item: Any) -> None:
        self._take("append", obj, item)
        if self.opening.may_open() and type(self.symbolic_lists[id(obj)]) is not Columns:
            self.list_rows.at_end(obj, item)

    def _take(self, op: str, obj: list[Any], item: Any, *places: Any) -> None:
        """A list, or each of its columns, gets one item more."""
        state = self.lists.taking(obj, self.symbolic_lists[id(obj)], item)
        if type(state) is Columns:
            take = self._append if op == "append" else functools.partial(self._take, op)
            self.lists.into_columns(obj, state, item, lambda c, part: take(c, part, *places))
            return
        value, aval = self.lists.new_item(obj, item)
        (new,) = self.recorder.emit(
            op, (state.value, value, *map(self.recorder.as_value, places)), (aval,))
        self.lists.set_list(obj, new, self.list_rows.rows_before_end(obj) if op == "append" else (
            None))

    def _pop(self, obj: list[Any], state: Any, args: tuple[Any, ...]) -> Any:
        if any(isinstance(a, slice) for a in args):
            return self.put_slice(obj, args[0], [])
        if type(state) is Columns:
            return self.lists.column_pop(obj, state, args)
        elem = state.value.aval.elem
        if elem is None:
            raise IndexError("pop from empty list")
        extra = tuple(self.recorder.as_value(a) for a in args)
        new, value = self.recorder.emit("pop", (state.value, *extra),
                               (state.value.aval, self.lists.element_aval(elem)))
        self.lists.set_list(obj, new)
        return self.lists.list_object(value) if elem.kind is Kind.LIST else self.lists.element(
            value)

    def _copy(self, state: Any) -> list[Any]:
        if type(state) is Columns:
            found: list[Any] = self.lists.each_column(
                state, lambda c: self._copy(self.symbolic_lists[id(c)]), whole=True)
            return found
        self.lists.rows_copied(state)
        (value,) = self.recorder.emit("copy", (state.value,), (state.value.aval,))
        return self.lists.list_object(value)

    def _extend(self, obj: list[Any], items: Any) -> None:
        if id(items) in self.symbolic_lists or self.of_unknown_length(items):
            self.extend_symbolic(obj, items)
            return
        for one in self.machine.iterate(items):
            self.symbolic_method(obj, "append", (one,), {})

    def of_unknown_length(self, items: Any) -> bool:
        """Does only a run know how many items something staged has?"""
        staged = staged_iterable(self.machine, items) if is_tracer(items) else items
        if isinstance(staged, Cursor):
            staged = staged.inner
        if not isinstance(staged, Staged):
            return False
        size = length(self.machine, staged)
        return is_tracer(size) and not is_of_call(size.aval.expr)

    def extend_symbolic(self, obj: list[Any], items: Any) -> None:
        """Append the items of something of unknown length."""
        self.machine.for_(items, lambda one: self.hold_item(one), lambda: self.append_item(obj))

    def add_lists(self, left: list[Any], right: list[Any]) -> Any:
        """``left + right`` where one of them has an unknown length; None otherwise."""
        if id(left) not in self.symbolic_lists and id(right) not in self.symbolic_lists:
            return None
        made: list[Any] = self.presence.container_method(left, "copy", (), {}) if (
            id(left) in self.symbolic_lists) else self.lists.held_list(
                Snapshot(list, tuple(self.containers.outside_items(left))))
        self.presence.container_method(made, "extend", (right,), {})
        return made

    def sorted_list(self, obj: list[Any], key: Any = None, reverse: Any = False,
                    count: Any = None) -> list[Any]:
        """``sorted`` of a list of unknown length: a gather in an order that a run looks up;
        with ``count`` as many of the first ones, as ``heapq`` finds them."""
        keys: list[Any] = obj
        if key is not None:
            keys = self.lists.held_list(Snapshot(list, ()))
            self.machine.for_(obj, self.hold_item, lambda: self.append_item(
                keys, lambda one: self.machine.call(key, one)))
            self.lists.of_unknown_length(keys)
        keys = self.stored_lists.given_out(keys)  # lists are compared by their items
        return self._sorted_rows(obj, self.symbolic_lists[id(keys)],
                                 bool(self.keys.static_key(reverse)), count)

    def _sorted_rows(self, obj: list[Any], state: Any, backwards: bool,
                     count: Any) -> list[Any]:
        """The same by keys that are numbers, texts, or tuples or lists of these."""
        if type(state) is Columns and not state.form.is_plain:
            self.lists.no_method(obj, "sorting objects")
        columns = state.columns if type(state) is Columns else (state,)
        first = () if count is None else (self.recorder.as_value(count),)
        (order,) = self.recorder.emit(
            "apply", (*first, *(c.value for c in columns)), (Aval(
                Kind.ARRAY, np.dtype(np.intp), (self.fresh("k"),)),),
            fn=extreme_places if first else sorted_places,
            args=tuple(map(Ref, range(len(first) + len(columns)))),
            kwargs={"reverse": True} if backwards else {}, many=False)
        return self._chosen(obj, self.recorder.wrap(order))

    def place_of_extreme(self, obj: Any, function: Any) -> Any:
        """Where ``min`` or ``max`` finds what it returns, in a list of numbers of unknown length;
        None if it is another list."""
        state = self.symbolic_lists.get(id(obj))
        if type(state) is not SymbolicList:
            return None
        elem = state.value.aval.elem
        if elem is None or elem.kind not in SCALARS or elem.optional:
            return None
        (place,) = self.recorder.emit(
            "apply", (state.value,), (int_aval(self.fresh("place", low=0)),),
            fn=place_of_least if function is min else place_of_greatest, args=(Ref(0),),
            kwargs={}, many=False)
        place.hint = Suggested("least" if function is min else "greatest")
        return self.recorder.wrap(place)

    def _chosen(self, source: list[Any], places: Any) -> list[Any]:
        """The items of a list at an array of places."""
        made: list[Any] = self.lists.held_list(Snapshot(list, ()))
        self.machine.for_(Rows(places), self.hold_item, lambda: self.append_item(
            made, lambda place: self.machine.getitem(source, place)))
        return self.lists.made_with(made, source)

    def stacked_columns(self, obj: list[Any], kwargs: dict[str, Any]) -> Any:
        """``np.array(hist)`` of a list of tuples: the columns side by side."""
        state = self.symbolic_lists[id(obj)]
        state = self.listed_arrays.plain(state)
        if type(state) is not Columns:
            return self.machine.call(np.array, self.lists.held_list(state), **kwargs)
        made = self._stacked(state.form, [*map(self.lists.held_list, state.columns)])
        sizes = self.recorder.list_sizes
        if not sizes.fills(sizes.of(state.columns[0].value)):
            made = self.machine.call(array_of_rows, made)
        return self.machine.call(np.array if "ndmin" in kwargs else np.asarray, made,
                                 **kwargs) if kwargs else made

    def _stacked(self, form: Form, columns: list[list[Any]]) -> Any:
        """The array of the items of a form, from their columns, which are consumed."""
        if type(form) is Column:
            return self.machine.call(np.array, columns.pop(0))
        if isinstance(form, Parts) and issubclass(users_class(form.key[0]), np.ndarray):
            made = self._stacked(form.items[0], columns)
            del columns[:sum(map(size, form.items[1:]))]
            return made
        if not isinstance(form, Parts) or not issubclass(form.key[0], (tuple, list)):
            raise self.recorder.of_forms(UnsupportedOperation(
                "an array is made of a list whose length depends on data and that holds objects",
                why="its elements would be the objects themselves",
                fix="make a list of their numbers first: `np.array([p.x for p in items])`"))
        return self.machine.call(np.stack, [self._stacked(part, columns) for part in form.items],
                                 axis=1)

    def hold_item(self, one: Any) -> None:
        self.held = one

    def append_item(self, obj: list[Any], change: Callable[[Any], Any] | None = None) -> int:
        item = self.held if change is None else change(self.held)
        self.presence.container_method(obj, "append", (item,), {})
        return 0
