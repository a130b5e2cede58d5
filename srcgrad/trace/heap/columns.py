"""Lists of tuples, records or objects whose length is only known at run time, column by column:
``hist.append((t, y))``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...errors import JoinError
from ...stage.machine import UNBOUND
from ...types.kinds import BOOL, INT, NUMERIC, OPAQUE, PYTHON_SCALARS, Aval, Kind, list_of
from ..assumptions import PARTS, StoredObjects
from ..flow.shapes import Failed
from ..record.journal import Snapshot
from ..record.states import Columns, SymbolicList
from ..record.structures import leaf_aval
from ..record.tracers import Late
from .forms import (
    Column,
    Fixed,
    Form,
    Listed,
    Lying,
    Nothing,
    Numbered,
    Parts,
    Rows,
    Several,
    Unfit,
    common,
    form_of,
    item_key,
    may_be_told,
    parts_of_item,
    same_numbers,
    size,
    store_lists,
    told_by_sorts,
)
from .run_time import are_negative
from .stores import (
    NONE,
    Link,
    Reference,
    Unlinked,
    kind_of,
    kind_of_contents,
    may_be_none,
    number_in,
    stored_as,
)
from .unlike import (
    LISTED,
    NUMBER,
    STORED,
    Sort,
    Unsorted,
    content_in,
    flag_of,
    holders,
    things_in,
    together,
)

if TYPE_CHECKING:
    from ..flow.joins import Join


def taken_apart(joining: Join, form: Form, item: Any) -> list[Any]:
    """The parts of an item at the columns; :class:`Unfit` if it has another form.  Parts that
    can be changed in place may not be from now on."""
    if isinstance(form, Column):
        if not isinstance(form_of(joining, item), Column):
            raise Unfit
        for thing in things_in(item, {}):
            if type(thing) is list:
                joining.machine.journal.seal(thing)
        return [joining.machine.containers.resolved(item)]
    if isinstance(form, Numbered):
        if may_be_none(item) > form.optional:
            raise Unfit
        try:
            return [number_in(form.store, item)]
        except Unlinked:
            store_lists(joining, form, item)
            raise Unfit from None
    if isinstance(form, Fixed):
        if item is not form.obj:
            raise Unfit
        return []
    if isinstance(form, Lying):
        indices = form.of.indices(item)
        if indices is None:
            raise Unfit
        return indices or [0]
    if isinstance(form, Rows):
        common(form, form_of(joining, item))
        joining.machine.journal.seal(item)
        return [*map(joining.machine.lists.held_list, joining.symbolic[id(item)].columns)]
    if isinstance(form, Several):
        return _told_apart(joining, form, item)
    assert isinstance(form, Parts)
    parts = parts_of_item(joining, item)
    if parts is None or item_key(item) != form.key:
        raise Unfit
    joining.machine.journal.seal(item)
    return [v for f, p in zip(form.items, parts, strict=True)
            for v in taken_apart(joining, f, p)]


def _told_apart(joining: Join, form: Several, item: Any) -> list[Any]:
    """What tells which of several things an item is."""
    things = things_in(item, {})
    if not all(any(s.has(t) for s in form.sorts) for t in things):
        raise Unfit
    try:
        contents = [content_in(s, item, {}) for s in form.told]
    except Unsorted:
        raise Unfit from None
    return [*(flag_of(s, item, {}) for s in form.sorts[:-1]),
            *(_spare(joining, s) if c is UNBOUND else c
              for s, c in zip(form.told, contents, strict=True))]


def _spare(joining: Join, sort: Sort) -> Any:
    """What stands for the content of a sort where another thing is; :class:`Unfit` where nothing
    can."""
    if sort.key == LISTED:
        return joining.machine.containers.made([])
    if not sort.stores:
        raise Unfit
    return 0


def _several(form: Several, made: list[Any]) -> Any:
    """One of several things, from what tells which it is."""
    flags = [made.pop(0) for _ in form.sorts[:-1]]
    contents = [None if s.only else made.pop(0) for s in holders(form.sorts)]
    return together(form.sorts, flags, contents)


def kind_of_items(state: Any) -> Kind | None:
    """Of what kind the items of a list of unknown length are that is no list of columns: NONE if
    it holds nothing but None, as far as is known; None without items."""
    elem = state.value.aval.elem if type(state) is SymbolicList else None
    return None if elem is None else elem.kind


def is_empty(state: Any) -> bool:
    """Does a list of unknown length hold nothing, as far as is known?"""
    return type(state) is SymbolicList and state.value.aval.elem is None


def told(state: Any) -> Any:
    """The content of a list of nothing but None, or of lists, as a column of such things."""
    kind = kind_of_items(state)
    form = Nothing() if kind is Kind.NONE else Listed() if kind is Kind.LIST else None
    return state if form is None else Columns(form, (state,))


def put_together(joining: Join, form: Form, made: list[Any]) -> Any:
    """An item from the values at its columns; ``made`` is consumed."""
    if isinstance(form, Column):
        return made.pop(0)
    if isinstance(form, Fixed):
        return form.obj
    if isinstance(form, Lying):
        return form.of.at([made.pop(0) for _ in range(form.count)])
    if isinstance(form, Numbered):
        kind = Link if form.optional else Reference
        return form.store.machine.references.linked(kind(form.store, made.pop(0)))
    if isinstance(form, Several):
        return _several(form, made)
    if isinstance(form, Rows):
        parts = [joining.symbolic[id(made.pop(0))] for _ in range(size(form))]
        row = joining.machine.lists.held_list(Columns(form.inner, tuple(parts)))
        joining.machine.journal.copied(row)
        return row
    assert isinstance(form, Parts)
    item = form.build([put_together(joining, f, made) for f in form.items])
    joining.machine.journal.born(item)
    joining.machine.journal.copied(item)
    return item


def column_states(joining: Join, form: Form, state: Any) -> tuple[Any, ...]:
    """The content of each column of a list in some state; :class:`Unfit` if the list has items
    of another form."""
    count, state = size(form), told(state)
    if isinstance(state, Columns):
        if common(form, state.form) != form and len(state.columns) != count:
            raise Unfit
        if same_numbers(form, state.form):
            return state.columns
        if isinstance(form, (Several, Numbered)) and may_be_told(form, state.form):
            return told_widely(form, state)
        raise Unfit
    if isinstance(state, SymbolicList):  # a list without items so far
        if state.value.aval.elem is not None:
            raise Unfit
        return tuple(Snapshot(list, ()) for _ in range(count))
    rows = [taken_apart(joining, form, item) for item in state.items]
    return tuple(Snapshot(list, tuple(row[i] for row in rows)) for i in range(count))


def told_widely(form: Form, state: Columns) -> tuple[Late, ...]:
    """The columns of a list whose items are told by more sorts than theirs so far; :class:`Unfit`
    where that cannot be."""
    known, number = told_by_sorts(state.form), state.columns[-1]

    def read(column: SymbolicList) -> Late:
        return Late(column.value.aval, lambda machine: machine.lists.held_list(column))

    def each(item: Any, aval: Aval) -> Late:
        return Late(list_of(aval), lambda machine: machine.lists.of_unknown_length(
            machine.containers.repeated_list(
                [item], machine.length(machine.lists.held_list(number)))))

    def held(sort: Sort) -> Late:
        found = contents.get(sort.key)
        if found is None and sort.key is NUMBER:
            raise Unfit
        return found or (each([], list_of(None)) if sort.key == LISTED else each(0, INT))

    if isinstance(form, Numbered):
        return (each(NONE, INT) if isinstance(state.form, Nothing) else read(number),)
    columns = [*map(read, state.columns)]
    contents = dict(zip([s.key for s in Several(known).told], columns[len(known) - 1:]))
    if isinstance(state.form, Numbered):
        contents = {STORED: columns[0]}
        columns = [Late(list_of(BOOL), lambda machine: machine.operators.helped(
            are_negative, machine.lists.held_list(number)))]
    flags = dict(zip([s.key for s in known], [*columns[:len(known) - 1], each(True, BOOL)]))
    wide = Several(told_by_sorts(form))
    return (*(flags.get(s.key, each(False, BOOL)) for s in wide.sorts[:-1]),
            *map(held, wide.told))


def common_form(joining: Join, states: tuple[Any, ...]) -> tuple[Form, list[Aval]] | None:
    """The form of the items of a list in two states, and the types of its columns; None if
    they have no common form."""
    return _common_form(joining, states, True) or _common_form(joining, states, False)


def _common_form(joining: Join, states: tuple[Any, ...],
                 whole: bool) -> tuple[Form, list[Aval]] | None:
    form: Form | None = None
    try:
        for state in states:
            for one in _forms(joining, state, whole):
                form = one if form is None else common(form, one)
        if form is None or not size(form):
            return None
        columns = [column_states(joining, form, state) for state in states]
    except Unfit:
        return None
    avals = [_joined(joining, pair) for pair in zip(*columns, strict=True)]
    return None if any(a is None for a in avals) else (form, [a for a in avals if a is not None])


def _forms(joining: Join, state: Any, whole: bool) -> list[Form]:
    state = told(state)
    if isinstance(state, Columns):
        return [state.form]
    if isinstance(state, SymbolicList):
        if state.value.aval.elem is not None:
            raise Unfit
        return []
    return [form_of(joining, item, whole) for item in state.items]


def _joined(joining: Join, states: tuple[Any, ...]) -> Aval | None:
    """The type of one column in both states."""
    elem: Aval | None = None
    for state in states:
        found = list_elem(joining, state)
        if found is False:
            return None
        if found is not None:
            elem = found if elem is None else joining.join_avals(elem, found)
    if elem is not None and elem.kind not in NUMERIC | {Kind.OPAQUE, Kind.NONE, Kind.LIST}:
        return None
    return list_of(elem)


def form_apart(joining: Join, *states: Any) -> tuple[Form, list[Aval]] | Failed:
    """The form of items that are taken apart, and the types of its columns.  What can be changed
    in place lies in a store where it may, for its parts could not change from then on."""
    found = common_form(joining, states)
    if found is not None and (PARTS in joining.machine.assumed or all(
            cls in (list, dict) or issubclass(cls, tuple) for cls in _classes(found[0]))):
        return found
    return Failed(JoinError(
        "a list whose length depends on data holds values of unlike kinds",
        why="its elements must be numbers, arrays of one rank, or tuples of them of one form",
        fix="keep unlike things in separate lists"), tuple(
            kept_otherwise(joining, found and found[0], states)))


def kept_otherwise(joining: Join, form: Form | None,
                   states: tuple[Any, ...]) -> list[StoredObjects]:
    """The assumptions under which items lie in a store that can be changed in place, or that have
    no common ``form``."""
    may_store = joining.machine.references.may_store
    if form is not None:
        return [*(stored_as(cls) for cls in _classes(form) if may_store(cls)), PARTS][:1]
    kinds = {kind_of(item): None for state in states if type(state) is Snapshot
             for item in state.items if type(item) is not tuple}
    return [stored_as(kind) for kind in kinds if may_store(kind)]


def _classes(form: Form) -> list[type]:
    """The classes of an item and of its parts that can be changed in place."""
    if not (isinstance(form, Parts) and form.mutable):
        return []
    cls = form.key[0]
    if cls is dict and all(type(key) is str for key in form.key[1:]):
        cls = kind_of_contents(dict, form.key[1:], all(
            isinstance(item, (Listed, Rows)) or (isinstance(item, Parts) and item.key[0] is list)
            for item in form.items))
    return [cls, *(cls for item in form.items for cls in _classes(item))]


def list_elem(joining: Join, state: Any) -> Any:
    """The joined element type of a list state; None if empty, False if there is none."""
    if type(state) in (SymbolicList, Late):
        return leaf_aval(state).elem  # type: ignore[union-attr]
    if type(state) is Columns or lie(joining, state.items):
        return False
    elem: Aval | None = None
    for item in state.items:
        aval = list_item_aval(joining, item)
        if aval is None:
            return False
        elem = aval if elem is None else joining.join_avals(elem, aval)
        if elem.kind is Kind.LIST and elem.optional:
            return False
    return elem


def lie(joining: Join, items: Sequence[Any]) -> bool:
    """Are the items of a list arrays that are told by where they lie?"""
    where = joining.machine.listed_arrays.where
    return bool(items) and all(where(item, joining.holder) is not None for item in items)


def _has_counts(items: list[Any], elem: Aval | None) -> bool:
    """Do integers stand beside other numbers in a list?"""
    if elem is None or elem.kind is not Kind.NUMBER:
        return False
    avals = [leaf_aval(i) for i in items]
    return len({a.dtype.kind in "biu" for a in avals if a is not None and a.dtype is not None}) > 1


def list_item_aval(joining: Join, item: Any) -> Aval | None:
    """The type of an item of a list of unknown length; lists may nest."""
    if type(item) is list:
        found = joining.symbolic.get(id(item))
        inner = list_elem(joining, found if found is not None else Snapshot(list, tuple(item)))
        if inner is False or (found is None and _has_counts(item, inner)
                              and not joining.machine.merges.uneven_rows()):
            return None
        return list_of(inner)
    aval = leaf_aval(item)
    if aval is None or (aval.kind not in NUMERIC and aval is not OPAQUE
                        and aval.kind is not Kind.OPAQUE and aval.kind is not Kind.NONE):
        return None
    if aval.kind in PYTHON_SCALARS and isinstance(aval.expr, int):
        return aval.but(expr=None)
    return aval
