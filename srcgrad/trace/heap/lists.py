"""Python lists whose length is only known at run time: their content is a graph value.

The list object keeps its identity; its state in the journal is a
:class:`~srcgrad.trace.record.states.SymbolicList`, or
:class:`~srcgrad.trace.record.states.Columns` for items that are tuples or records, which are kept
column by column.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any, NoReturn

from ...errors import JoinError, UnsupportedOperation
from ...graph.ir import Ref, Value
from ...types.dims import Poly, is_varying, slice_length
from ...types.kinds import INT, Aval, Kind, list_of
from ..assumptions import MIXED_ROWS, KnownLengths, UnrolledLoop
from ..collaborator import Collaborator
from ..flow.control import Restart
from ..flow.joins import is_nonnegative
from ..flow.shapes import Failed
from ..flow.widening import stable_elem
from ..record.journal import Content, Snapshot
from ..record.regions import Region
from ..record.settling import FEW
from ..record.states import Columns, Owned, Rows, SymbolicList
from ..record.structures import is_mutable
from ..record.tracers import ArrayTracer, Late, ScalarTracer, is_tracer
from .among import places_of
from .columns import (
    column_states,
    common_form,
    form_apart,
    kind_of_items,
    lie,
    list_item_aval,
    put_together,
    taken_apart,
    told,
)
from .forms import Form, Lying, Numbered, Several, Unfit, wider_form
from .stores import kind_of, stored_as
from .unlike import things_in
from .written_out import part_of_list

MOST_STATIC = 10_000  # items that code which runs while tracing reads one by one


class Lists(Collaborator):
    """Operations on lists of unknown length."""

    speaks_to = ("among", "attributes", "containers", "items", "joined_values", "keys",
                 "list_methods", "list_rows", "listed_arrays", "merges", "opening", "recorder",
                 "references", "stored_lists", "tuples", "variables")

    def __init__(self) -> None:
        self.lists_made: dict[tuple[Any, ...], tuple[Value, Any]] = {}
        self.element_sizes: dict[tuple[Value, Any], Aval] = {}
        # truth values that were read, which tell what is known of what is read again
        self.flags_read: dict[tuple[Value, Any], tuple[Value, Region]] = {}
        self.gets: dict[Value, tuple[Value, Value]] = {}  # which item of which list was read
        self.subscripting = 0  # reads items one by one until there is an IndexError

    def content_of(self, obj: list[Any]) -> Content:
        """The cell of a list's content."""
        return Content(obj, self.symbolic_lists)

    def set_list(self, obj: list[Any], value: Value, rows: Rows | None = None) -> None:
        """Give a list a new content, which has the ``rows`` that it had."""
        if self.list_rows.put_row(obj, value):
            return
        if id(obj) in self.list_rows.list_owners:  # the change belongs into the list of lists, too
            self.list_rows.store_rows()
            self.unroll_maker(self.list_rows.list_owners[id(obj)].owner)
            raise self._row_changed()
        value.obj = self.symbolic_lists[id(obj)].obj
        self.journal.write(self.content_of(obj), SymbolicList(value, value.obj, rows))

    def list_object(self, value: Value) -> list[Any]:
        """A Python list that stands for a list value."""
        value.obj = self.recorder.new_obj(value)
        return self.held_list(SymbolicList(value, value.obj))

    def held_list(self, state: Any) -> list[Any]:
        """A Python list with a given content."""
        made: list[Any] = self.holding(list, state)
        return made

    def holding(self, kind: type, state: Any) -> Any:
        """A Python list, dict or set with a given content."""
        made: Any = kind()
        self.journal.born(made)
        self.journal.write(self.content_of(made), state)
        return made

    def made_unknown(self, obj: list[Any]) -> list[Any]:
        """The same list with its content as a graph value."""
        self.journal.write(self.content_of(obj), self.unknown_state(obj))
        return obj

    def of_unknown_length(self, obj: list[Any]) -> list[Any]:
        """The same list with its content as a graph value, if it is none."""
        return obj if id(obj) in self.symbolic_lists else self.made_unknown(obj)

    def items_seen(self, obj: Any) -> list[Any]:
        return list(self.containers.outside_items(obj))

    def unknown_state(self, obj: list[Any]) -> Any:
        """The content of a list of known length as a graph value, or as one for each column."""
        joining = self.merges.join()
        items = list(self.containers.outside_items(obj))
        joining.holder = obj
        if not lie(joining, items) and all(
                list_item_aval(joining, i) is not None for i in items):
            state = self.unknown(items)
            state.value.hint = self.variables.name_of(obj)
            return state
        known = Snapshot(list, tuple(items))
        found = form_apart(joining, known)
        if isinstance(found, Failed):
            self.merges.check_content(self.content_of(obj), found)
        assert isinstance(found, tuple)
        rows = [taken_apart(joining, found[0], i) for i in items]
        return Columns(found[0], tuple(
            self.unknown(list(column)) for column in zip(*rows, strict=True)))

    def unknown(self, items: list[Any]) -> SymbolicList:
        value = self.joined_values.list_value(items)
        return SymbolicList(value, value.obj or 0)

    def list_read(self, obj: Any, key: Any) -> Any:
        joining = self.merges.join()
        items = list(self.containers.outside_items(obj))
        seen = tuple(items) if isinstance(obj, tuple) else items
        avals = [list_item_aval(joining, i) for i in items]
        if not items or any(a is None for a in avals):
            if not items:
                return None
            found = None
            if not any(map(_may_change, items)):
                found = common_form(joining, (Snapshot(list, tuple(items)),))
            if found is None:
                return self.among.pick(items, self.among.number_among(seen, key))
            columns = zip(*(taken_apart(joining, found[0], i) for i in items), strict=True)
            return put_together(joining, found[0], [self.list_read(list(c), key) for c in columns])
        elem = functools.reduce(joining.join_avals, [a for a in avals if a is not None])
        if elem.kind is Kind.ANY:
            return self.one_among(seen, key)
        if elem.kind is Kind.ARRAY or (elem.kind is Kind.LIST and not self.opening.may_open()):
            return self.one_among(seen, key)  # which may be changed
        (value,) = self.recorder.emit("get", (self.list_of_numbers(items), self.recorder.as_value(
            key)), (elem,))
        return self._element(obj, value)

    def list_of_numbers(self, items: list[Any]) -> Value:
        """A list of known length as a graph value; that of an earlier one with the same numbers
        where there is one."""
        key = _values_in(items)
        if key is None:
            return self.joined_values.list_value(items)
        known = self.lists_made.get(key)
        if known is None or not known[1].active or known[0] in self.recorder.gone:
            known = self.lists_made[key] = (self.joined_values.list_value(items),
                                            self.recorder.region)
        return known[0]

    def one_among(self, items: list[Any] | tuple[Any, ...], key: Any) -> Any:
        """One of several arrays or other objects, told by branches, so that it stays the same
        object; None if they are too many."""
        size = len(items)
        if size > FEW:
            return None
        place = self.recorder.computed(operator.getitem, INT, places_of(items), key)
        found = items[-1]
        for i in reversed(range(size - 1)):
            found = self._either(self.machine.compare("==", place, i), items[i], found)
        return found

    def _either(self, test: Any, first: Any, second: Any) -> Any:
        return self.machine.if_expression(test, lambda: first, lambda: second)

    # ---- loops that made a list ----------------------------------------------------------
    def unroll_maker(self, obj: list[Any]) -> None:
        """A list of unknown length is needed with a known one: if a for loop made it, start
        again with that loop unrolled."""
        for unrolled in self.maker_unrolled(obj):
            raise Restart(unrolled)

    def maker_unrolled(self, obj: list[Any]) -> tuple[UnrolledLoop, ...]:
        """The assumption that the for loop is unrolled that made a list of unknown length, or the
        list that it lies in."""
        state = self.symbolic_lists.get(id(obj))
        if state is None:  # a list of known length
            return ()
        value = state.columns[0].value if type(state) is Columns else state.value
        site = self.items.list_sites.get(value)
        if site is None and id(obj) in self.list_rows.list_owners:
            return self.maker_unrolled(self.list_rows.list_owners[id(obj)].owner)
        return () if site is None or self.assumed.unrolls(site) else (
            UnrolledLoop(site, "a list that it fills is needed with its length"),)

    def made_with(self, made: list[Any], source: list[Any]) -> list[Any]:
        """A list made of another one: where its length is needed, it is that of the other."""
        values = [[c.value for c in (state.columns if type(state) is Columns else (state,))]
                  for state in (self.symbolic_lists.get(id(x)) for x in (made, source))
                  if state is not None]
        if len(values) == 2:
            site = self.items.list_sites.get(values[1][0])
            for value in values[0]:
                self.items.list_sites.pop(value, None)
                if site is not None:
                    self.items.list_sites[value] = site
        return made

    def refuse_sealed(self, owner: Any) -> None:
        """An object whose parts lie in a list of unknown length changes: start again with the
        loops that made lists unrolled, or refuse."""
        if id(owner) in self.journal.shared:
            raise self.recorder.fatal(UnsupportedOperation(
                "a list changes that a function which calls itself was given, or has returned",
                why="on some paths it returns the very list that it was given, so that both "
                    "would change",
                fix="return a copy of the list (`return items[:]`)"))
        self.stored_lists.store_instead(owner)
        if type(owner) is list and MIXED_ROWS in self.assumed.risks and (
                self.assumed.open(MIXED_ROWS)):
            raise Restart(MIXED_ROWS)
        self.items.unroll_list_makers("a list that it fills holds objects that change")
        if type(owner) is list:
            raise self._row_changed()
        raise self.recorder.of_forms(UnsupportedOperation(
            "an object is changed that lies in a list whose length depends on data",
            why="such a list is kept part by part, so the change would not be seen there",
            fix="put a new object into the list (`items[i] = replace(...)`), or keep the parts "
                "in arrays"))

    def _row_changed(self) -> BaseException:
        refusal: BaseException = self.recorder.of_forms(UnsupportedOperation(
            "a list is changed that has been put into a list whose length depends on data",
            why="the change could not be followed to where the list is read again",
            fix="fill the list first and append it then, or use an array, such as "
                "np.zeros((n, m)), in place of a list of lists"))
        return refusal

    # ---- items ---------------------------------------------------------------------------
    def list_item_value(self, item: Any, owner: Any = None, key: Any = None) -> Value:
        """The value of an item that goes into a list."""
        if type(item) is list:
            self.tuples.note_row(owner, item)
            return self.list_rows.given_row(owner, item, key)
        self.joined_values.note_stored(item)
        return self.recorder.as_value(item)

    def element(self, value: Value) -> Any:
        """An element of a list of unknown length: an array there may be in the list twice."""
        found = self.recorder.wrap(value)
        if type(found) is ArrayTracer:
            found.home.stored = True
        return found

    def new_item(self, obj: list[Any], item: Any, key: Any = None) -> tuple[Value, Aval]:
        """The value of an item that is put into a list, and the facts about the list then."""
        if id(item) not in self.list_rows.list_owners:
            aval = self._list_aval(obj, item)
            return self.list_item_value(item, obj, key), aval
        value = self.list_item_value(item, obj, key)  # a row of a list of lists
        return value, list_of(self.elem_with(
            self.symbolic_lists[id(obj)].value.aval.elem, value.aval))

    def elem_with(self, elem: Aval | None, item: Aval) -> Aval:
        """The type of the items of a list that gets one more."""
        return item if elem is None else stable_elem(self.merges.join(), elem, item)

    def _list_aval(self, obj: list[Any], item: Any) -> Any:
        aval = list_item_aval(self.merges.join(), item)
        if aval is None:
            joining, known = self.merges.join(), Snapshot(list, (item,))
            failed = form_apart(joining, known)
            raise self.recorder.of_forms(UnsupportedOperation(
                f"a {type(item).__name__} is put into a list whose length depends on data",
                why="the elements of such a list must be numbers or arrays of one kind",
                fix="keep the parts in separate lists"),
                *(failed.remedies if isinstance(failed, Failed) else ()))
        return list_of(self.elem_with(self.symbolic_lists[id(obj)].value.aval.elem, aval))

    def list_get(self, obj: Any, key: Any) -> Any:
        """``items[k]``."""
        if isinstance(key, slice):
            part = self._part(obj, key)
            return self.tuples.as_tuple(part) if self.tuples.is_long(obj) else (
                self.keys.made_list(part))
        found = self.list_rows.get_in_row(obj, key)
        if found is not None:
            return found
        state = self.symbolic_lists[id(obj)]
        if type(state) is Columns:
            return self.each_column(state, lambda c: self.list_get(c, key))
        if type(key) is int and (self.subscripting or key >= MOST_STATIC):
            self._gone_through(obj)
        elem = state.value.aval.elem
        if elem is None:
            raise IndexError("list index out of range")
        if elem.kind is Kind.LIST and self.opening.may_open():
            row = self.list_rows.part_of(obj, key)
            return self.tuples.as_tuple(row) if self.tuples.holds_long(obj) else row
        index = self.recorder.as_value(key)
        known = (state.value, key if type(key) is int else index)
        if known in self.flags_read and self.flags_read[known][1].active:
            return self.recorder.wrap(self.flags_read[known][0])
        if known not in self.element_sizes:
            self.element_sizes[known] = self.element_aval(elem)
        has = id(obj) in self.attributes.places or self.recorder.list_sizes.has(state.value, index)
        inside: Any = {"inside": True} if has else {}  # objects have numbers of their columns
        (value,) = self.recorder.emit("get", (state.value, index), (self.element_sizes[known],),
                                      **inside)
        self.gets[value] = state.value, index
        if elem.kind is Kind.BOOL:
            self.flags_read[known] = value, self.recorder.region
        return self._element(obj, value)

    def _part(self, obj: Any, key: slice) -> list[Any]:
        """``items[a:b]``."""
        if self.items.ends_by_data(key) or (key.step in (None, 1) and any(
                is_tracer(p) and isinstance(p.aval.expr, Poly) and not is_varying(p.aval.expr)
                for p in (key.start, key.stop))):
            made: list[Any] = self.machine.call(part_of_list, obj, key.start, key.stop)
            return made
        state, key = self.symbolic_lists[id(obj)], self.keys.static_key(key)
        if type(state) is Columns:
            made = self.each_column(state, lambda c: self._part(c, key), whole=True)
            return made
        self.rows_copied(state)
        (value,) = self.recorder.emit(
            "apply", (state.value,), (state.value.aval,), fn=operator.getitem,
            args=(Ref(0), key), kwargs={}, many=False)
        self.recorder.list_sizes.known[value] = slice_length(
            key.start, key.stop, key.step, self.recorder.list_sizes.of(state.value))
        return self.made_with(self.list_object(value), obj)

    def _gone_through(self, obj: list[Any]) -> NoReturn:
        """Python code that runs while tracing reads item after item and waits for an IndexError:
        it would never come."""
        self.unroll_maker(obj)
        if KnownLengths() in self.assumed.risks and KnownLengths() not in self.assumed:
            raise Restart(KnownLengths())
        raise self.recorder.of_forms(UnsupportedOperation(
            "the items of a list whose length depends on data are read one by one until an "
            "IndexError says that there are no more",
            why="the generated code is made before the length is known",
            fix="give the class an __iter__ that returns iter(the list), or loop over "
                "range(len(...))"))

    def element_aval(self, elem: Aval) -> Aval:
        """The facts about one element: what varies in a list may be of any size in each, and
        any number."""
        if elem.kind is Kind.INT and is_varying(elem.expr):
            return elem.but(expr=self.fresh("i", low=0 if is_nonnegative(elem) else None))
        if elem.kind is not Kind.ARRAY or not any(map(is_varying, elem.shape or ())):
            return elem
        return elem.but(shape=tuple(self.fresh("k") if is_varying(d) else d
                                    for d in elem.shape or ()))

    def _element(self, obj: Any, value: Value) -> Any:
        """The object of an element that was read."""
        if value.aval.kind is not Kind.LIST:
            return self.element(value)
        inner = self.list_object(value)
        self.list_rows.list_owners[id(inner)] = Owned(obj, inner, None)
        return inner

    def list_put(self, obj: Any, key: Any, value: Any) -> None:
        """``items[k] = value``."""
        if self.tuples.is_long(obj):
            raise TypeError("'tuple' object does not support item assignment")
        if isinstance(key, slice):
            self.list_methods.put_slice(obj, key, value)
            return
        if self.list_rows.write_in_row(obj, "put", value, key):
            return
        state = self.symbolic_lists[id(obj)]
        if kind_of_items(state) is Kind.NONE:
            state = self.taking(obj, state, value)
        if type(state) is Columns:
            if not self._is_in_place(state, key, value):
                self.into_columns(obj, state, value,
                                  lambda c, part: self.list_put(c, key, part))
            return
        if state.value.aval.elem is None:
            raise IndexError("list assignment index out of range")
        item, aval = self.new_item(obj, value, key)
        index = self.recorder.as_value(key)
        (new,) = self.recorder.emit("put", (state.value, item, index), (aval,))
        if state.value in self.items.list_sites:  # it has as many items as before
            self.items.list_sites[new] = self.items.list_sites[state.value]
        self.set_list(obj, new)

    def _is_in_place(self, state: Columns, key: Any, item: Any) -> bool:
        """Is an array put where it was read, as the second half of ``rows[i] += v`` does?"""
        if type(item) is not ArrayTracer or not isinstance(state.form, Lying):
            return False
        index = self.recorder.as_value(key)
        return all(type(i) is ScalarTracer and self.gets.get(i.value) == (column.value, index)
                   for i, column in zip(state.form.of.indices(item) or [None], state.columns,
                                        strict=True))

    # ---- columns -------------------------------------------------------------------------
    def each_column(self, state: Columns, act: Callable[[list[Any]], Any],
                     whole: bool = False) -> Any:
        """The item (or with ``whole`` the list) that an action on each column gives."""
        columns = [self.held_list(c) for c in state.columns]
        self.opening.hoisted.update((id(c), c) for c in columns)  # their rows may not change
        found = [act(c) for c in columns]
        if whole:
            return self.held_list(Columns(state.form, tuple(
                self.symbolic_lists[id(f)] for f in found)))
        return put_together(self.merges.join(), state.form, found)

    def taking(self, obj: list[Any], state: Any, item: Any) -> Any:
        """The content of a list that takes an item: the first one that is no value decides what
        its columns are."""
        joining = self.merges.join()
        joining.holder = obj
        if kind_of_items(state) is Kind.LIST and item is None:
            return told(state)
        if type(state) is Columns or kind_of_items(state) not in (None, Kind.NONE):
            return state
        self.listed_arrays.enter(obj, item)
        if list_item_aval(joining, item) is not None and (
                self.listed_arrays.where(item, obj) is None):
            return state
        if kind_of_items(state) is Kind.NONE:
            return told(state)
        found = form_apart(joining, Snapshot(list, (item,)))
        if isinstance(found, Failed):
            return state
        made = Columns(found[0], tuple(self.unknown([]) for _ in found[1]))
        self.journal.write(self.content_of(obj), made)
        return made

    def into_columns(self, obj: list[Any], state: Columns, item: Any,
                      act: Callable[[list[Any], Any], None]) -> None:
        """Do something with each column and the part of an item that belongs into it."""
        for one in things_in(item, {}):  # where some lie in stores, new ones do
            if self.references.could_lie_with_found(kind_of(one)):
                raise Restart(stored_as(kind_of(one)))
        self.listed_arrays.enter(obj, item)
        joining = self.merges.join()
        joining.holder = obj
        try:
            form = wider_form(joining, state.form, item)
            parts = taken_apart(joining, form, item)
            held = column_states(joining, form, state)
        except Unfit:
            raise self.unfit_item(state.form, item) from None
        state = Columns(form, state.columns)
        columns = [self.among.computed(c) if type(c) is Late else self.held_list(c) for c in held]
        for column, part in zip(columns, parts, strict=True):
            act(column, self.among.computed(part))
        self._set_columns(obj, state, columns)

    def unfit_item(self, form: Form, item: Any) -> BaseException:
        """The refusal of an item that has not the form of the others."""
        made = isinstance(form, (Numbered, Several)) and self.references.may_store(kind_of(item))
        refusal: BaseException = self.recorder.of_forms(JoinError(
            "an item of another form is put into a list whose length depends on data",
            why="its items must be tuples or records of one form",
            fix="keep unlike things in separate lists"),
            *(stored_as(kind_of(item)),) * made)
        return refusal

    def _set_columns(self, obj: list[Any], state: Columns, columns: list[list[Any]]) -> None:
        if id(obj) in self.list_rows.list_owners:  # of numbers
            self.set_list(obj, self.symbolic_lists[id(columns[0])].value)
            return
        self.journal.write(self.content_of(obj), Columns(state.form, tuple(
            self.symbolic_lists[id(c)] for c in columns)))

    def column_pop(self, obj: list[Any], state: Columns, args: tuple[Any, ...]) -> Any:
        columns = [self.held_list(c) for c in state.columns]
        parts = [self.list_methods.symbolic_method(c, "pop", args, {}) for c in columns]
        self._set_columns(obj, state, columns)
        return put_together(self.merges.join(), state.form, parts)

    def no_method(self, obj: list[Any], what: str) -> Any:
        self.unroll_maker(obj)
        raise self.recorder.of_forms(UnsupportedOperation(
            f"{what} on a list whose length depends on data",
            why="only append, insert, pop, extend, copy, sort, reverse, clear, indexing and len "
                "are staged there",
            fix="keep the values in an array, or make the list's length independent of data"))

    def rows_copied(self, state: SymbolicList) -> None:
        if kind_of_items(state) is Kind.LIST:
            self.list_rows.share_rows()


def _may_change(item: Any) -> bool:
    """Is an item, or a part of it, an object whose identity matters, or one of such?"""
    if isinstance(item, tuple):
        return any(map(_may_change, item))
    return any(map(is_mutable, things_in(item, {})))


def _values_in(items: list[Any]) -> tuple[Any, ...] | None:
    """The values of a list of traced numbers, or of lists of such; None if it is another list."""
    found: list[Any] = []
    for item in items:
        value = _values_in(item) if type(item) is list else (
            item.value if type(item) is ScalarTracer else None)
        if value is None:
            return None
        found.append(value)
    return tuple(found)
