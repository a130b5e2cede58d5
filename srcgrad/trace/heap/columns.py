"""Lists of tuples or records whose length is only known at run time: ``hist.append((t, y))``.

Such a list is kept column by column: the :class:`Form` of its items says which parts are
values, and each of these has a list of its own in the graph.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ...errors import JoinError
from ...stage.machine import UNBOUND
from ...types.kinds import BOOL, INT, NUMERIC, OPAQUE, PYTHON_SCALARS, Aval, Kind, list_of
from ..assumptions import Assumption, PartsOfItems
from ..flow.shapes import Failed
from ..record.journal import Snapshot
from ..record.states import Columns, SymbolicList
from ..record.structures import is_mutable, leaf_aval, rebuilder, structure_parts
from ..record.tracers import Choice, Late, Picked
from .run_time import are_negative
from .stores import (
    NONE,
    Link,
    Reference,
    Store,
    Unlinked,
    class_key,
    kind_of_dicts,
    may_be_none,
    number_in,
    store_of,
    stored_as,
)
from .unlike import (
    NUMBER,
    STORED,
    Sort,
    Unsorted,
    content_in,
    flag_of,
    holders,
    labels_of,
    sort_key,
    sorted_apart,
    stored_sort,
    things_in,
    together,
)

if TYPE_CHECKING:
    from ..flow.joins import Join

MAX_DEPTH = 20  # of the structure of an item; deeper ones are taken for cyclic


class Form:
    """What the items of a list have in common."""

    __slots__ = ()

    @property
    def is_row(self) -> bool:
        """Is an item a plain tuple of values?"""
        return False

    @property
    def is_plain(self) -> bool:
        """Is an item a value, or a tuple of such?"""
        return False

    @property
    def mutable(self) -> bool:
        """Can an item be changed in place?"""
        return False

    @property
    def held(self) -> tuple[Any, ...]:
        """The known objects that items may be, or have as parts."""
        return ()


@dataclass(frozen=True, slots=True)
class Column(Form):
    """A part that is a value."""

    @property
    def is_plain(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Fixed(Form):
    """A part that is the same object in each item."""

    obj: Any

    @property
    def held(self) -> tuple[Any, ...]:
        return (self.obj,)


@dataclass(frozen=True, slots=True)
class Nothing(Column):
    """A part that is None, as far as is known."""


@dataclass(frozen=True, slots=True)
class Numbered(Form):
    """An object in a store, or with ``optional`` None: its number."""

    store: Store
    optional: bool


@dataclass(frozen=True, slots=True)
class Rows(Form):
    """A list of any length of objects in a store, or of tuples or records: a list of their
    numbers, or for each part."""

    inner: Form

    @property
    def held(self) -> tuple[Any, ...]:
        return self.inner.held


@dataclass(slots=True)
class Parts(Form):
    """A tuple, list, dict or instance; ``key`` tells its type and the names of its parts."""

    key: tuple[Any, ...]
    build: Callable[[list[Any]], Any]
    items: list[Form]

    @property
    def names(self) -> list[str]:
        """What is put behind the name of a list to name the columns of the parts."""
        cls = self.key[0]
        names = getattr(cls, "_fields", self.key[1:] if cls is dict else self.key[2:])
        if len(names) != len(self.items):
            return [""] * len(self.items)
        return [f"_{n}" if type(n) is str and n.isidentifier() else "" for n in names]

    @property
    def is_row(self) -> bool:
        return self.key[0] is tuple and all(isinstance(i, Column) for i in self.items)

    @property
    def is_plain(self) -> bool:
        return self.key[0] is tuple and all(i.is_plain for i in self.items)

    @property
    def mutable(self) -> bool:
        cls = self.key[0]
        frozen = getattr(getattr(cls, "__dataclass_params__", None), "frozen", False)
        return not (issubclass(cls, tuple) or frozen) or any(
            isinstance(i, Parts) and i.mutable for i in self.items)

    @property
    def held(self) -> tuple[Any, ...]:
        return tuple(obj for item in self.items for obj in item.held)


@dataclass(slots=True)
class Several(Form):
    """One of several things, some of which are known objects that stay themselves: which sort it
    is of, and what tells the thing of each sort."""

    sorts: list[Sort]

    @property
    def held(self) -> tuple[Any, ...]:
        return tuple(obj for sort in self.sorts for obj in sort.objects)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Several) and [s.key for s in self.sorts] == [
            s.key for s in other.sorts] and all(
                len(s.objects) == len(o.objects) and _is_prefix(s.objects, o.objects)
                for s, o in zip(self.sorts, other.sorts, strict=True))

    @property
    def told(self) -> list[Sort]:
        """The sorts that need a column for what tells the thing."""
        return [s for s in holders(self.sorts) if not s.constant]


def _is_prefix(objects: tuple[Any, ...], longer: tuple[Any, ...]) -> bool:
    return len(objects) <= len(longer) and all(
        a is b for a, b in zip(objects, longer, strict=False))


def objects_in(stores: list[Store], optional: bool) -> Form:
    """The form of an object in one of some stores."""
    if len(stores) == 1:
        return Numbered(stores[0], optional)
    return several([*[nothing()] * optional, *map(stored_sort, stores)])


def nothing() -> Sort:
    """The sort of None."""
    return Sort(sort_key(None), (None,), True)


class Unfit(TypeError):
    """An item does not have the form of the list's other items."""


def item_key(obj: Any) -> tuple[Any, ...]:
    if type(obj) is dict:
        return (dict, *obj)
    parts = structure_parts(obj) or ()
    names = tuple(obj.__dict__) if hasattr(obj, "__dict__") else ()
    return (type(obj), len(parts), *names)


def form_of(joining: Join, item: Any, known: bool = True, depth: int = 0) -> Form:
    """The form of one item; :class:`Unfit` if it contains itself.  ``known``: known objects are
    told by numbers, not by their parts."""
    if depth > MAX_DEPTH:
        raise Unfit
    if item is None:
        return Nothing()
    store = store_of(item)
    if store is not None:
        return Numbered(store, may_be_none(item))
    if type(item) is list and id(item) in joining.symbolic:
        owned = joining.machine.list_rows.list_owners.get(id(item))
        state = joining.symbolic.raw(item)
        inner = owned.form if owned is not None else getattr(state, "form", None)
        return Column() if inner is None else Rows(inner)
    if leaf_aval(item) is not None:
        return Column()
    sorts = known_sorts(joining, item) if known else None
    if sorts is not None:
        return several(sorts)
    whole = known and joining.outside(item) and not isinstance(item, tuple)
    parts = None if whole else _parts_in(joining, item)
    if parts is None:
        return Fixed(item)
    return Parts(item_key(item), rebuilder(item), [
        form_of(joining, p, known, depth + 1) for p in parts])


def _parts_in(joining: Join, item: Any) -> tuple[Any, ...] | None:
    """The parts of an item; of one from outside as the program would read them."""
    if type(item) is list and joining.outside(item):
        return tuple(joining.machine.containers.content_outside(item))
    return joining.parts_inside(item)


def known_sorts(joining: Join, item: Any) -> list[Sort] | None:
    """The sorts of a thing that is, or may be, a known object."""
    things = things_in(item, {})
    if type(item) not in (Choice, Picked) and not (
            type(item) is not dict and is_mutable(item) and joining.stays(item)):
        return None
    sorts = sorted_apart(things)
    if sorts is None or any(s.key[0] in ("tuple", "list") for s in sorts) or not all(
            joining.stays(o) for s in sorts for o in s.objects):
        return None
    for sort in sorts:
        if not sort.constant and sort.objects:
            among = joining.machine.among
            sort.objects = among.grouped(tuple(
                o for o in among.closure(list(sort.objects)) if sort_key(o) == sort.key))
    return sorts


def _all_sorts(first: list[Sort], second: list[Sort]) -> list[Sort]:
    """The sorts of either; objects that are known to the first keep their numbers."""
    found = {s.key: s for s in first}
    for sort in second:
        known = found.get(sort.key)
        if known is None:
            found[sort.key] = sort
        else:
            extra = tuple(o for o in sort.objects if not any(o is k for k in known.objects))
            found[sort.key] = replace(known, objects=known.objects + extra)
    return [*found.values()]


def several(sorts: list[Sort]) -> Several:
    """The form of what is of one of some sorts: those of objects in stores come last, and always
    in the same order."""
    return Several(sorted(sorts, key=lambda sort: [
        (class_key(store.cls), store.found is not None) for store in sort.stores]))


def _told_by_sorts(form: Form) -> list[Sort]:
    """The sorts of the things of a form; :class:`Unfit` where they are no objects, nor None."""
    if isinstance(form, Several):
        return form.sorts
    if isinstance(form, Numbered):
        return [*[nothing()] * form.optional, stored_sort(form.store)]
    if isinstance(form, Nothing):
        return [nothing()]
    raise Unfit


def common(first: Form, second: Form) -> Form:
    """The form of two items; :class:`Unfit` if they have none."""
    if isinstance(first, Several) and first == second:
        return first
    for one, other in ((first, second), (second, first)):
        if isinstance(one, Several) and isinstance(other, Column) and any(s.key == (
                sort_key(None) if isinstance(other, Nothing) else NUMBER) for s in one.sorts):
            return one
    if isinstance(first, Column) and isinstance(second, Column):
        return first if first == second else Column()
    numbered = [f for f in (first, second) if isinstance(f, Numbered)]
    if numbered and all(isinstance(f, Nothing) or (isinstance(f, Numbered) and f.store is (
            numbered[0].store)) for f in (first, second)):
        return Numbered(numbered[0].store, len(numbered) < 2 or any(f.optional for f in numbered))
    if isinstance(first, Fixed) and isinstance(second, Fixed) and first.obj is second.obj:
        return first
    if isinstance(first, Rows) and isinstance(second, Rows):
        return Rows(common(first.inner, second.inner))
    if isinstance(first, Parts) and isinstance(second, Parts) and first.key == second.key:
        return Parts(first.key, first.build,
                     [common(a, b) for a, b in zip(first.items, second.items, strict=True)])
    return several(_all_sorts(_told_by_sorts(first), _told_by_sorts(second)))


def size(form: Form) -> int:
    """The number of columns."""
    if isinstance(form, Parts):
        return sum(size(i) for i in form.items)
    if isinstance(form, Several):
        return len(form.sorts) - 1 + len(form.told)
    if isinstance(form, Rows):
        return size(form.inner)
    return 1 if isinstance(form, (Column, Numbered)) else 0


def column_labels(form: Form) -> tuple[str, ...]:
    """What names the columns behind the name of a list."""
    if isinstance(form, Several):
        return labels_of(form.sorts)[:size(form)]
    if isinstance(form, Parts):
        names = form.names
        return tuple(name + label for name, item in zip(names, form.items, strict=True)
                     for label in column_labels(item))
    return column_labels(form.inner) if isinstance(form, Rows) else ("",) * size(form)


def taken_apart(joining: Join, form: Form, item: Any) -> list[Any]:
    """The parts of an item at the columns; :class:`Unfit` if it has another form.  Parts that
    can be changed in place may not be from now on."""
    if isinstance(form, Column):
        if not isinstance(form_of(joining, item), Column):
            raise Unfit
        return [joining.machine.containers.resolved(item)]
    if isinstance(form, Numbered):
        if may_be_none(item) > form.optional:
            raise Unfit
        try:
            return [number_in(form.store, item)]
        except Unlinked:
            raise Unfit from None
    if isinstance(form, Fixed):
        if item is not form.obj:
            raise Unfit
        return []
    if isinstance(form, Rows):
        common(form, form_of(joining, item))
        joining.machine.journal.seal(item)
        return [*map(joining.machine.lists.held_list, joining.symbolic[id(item)].columns)]
    if isinstance(form, Several):
        return _told_apart(form, item)
    assert isinstance(form, Parts)
    parts = _parts_in(joining, item)
    if parts is None or item_key(item) != form.key:
        raise Unfit
    joining.machine.journal.seal(item)
    return [v for f, p in zip(form.items, parts, strict=True)
            for v in taken_apart(joining, f, p)]


def _told_apart(form: Several, item: Any) -> list[Any]:
    """What tells which of several things an item is."""
    things = things_in(item, {})
    if not all(any(s.has(t) for s in form.sorts) for t in things):
        raise Unfit
    try:
        contents = [content_in(s, item, {}) for s in form.told]
    except Unsorted:
        raise Unfit from None
    if any(c is UNBOUND and not (s.objects or s.stores)
           for s, c in zip(form.told, contents, strict=True)):
        raise Unfit  # no number to stand for what is no number
    return [*(flag_of(s, item, {}) for s in form.sorts[:-1]),
            *(0 if c is UNBOUND or len(s.objects) == 1 else c
              for s, c in zip(form.told, contents, strict=True))]


def _several(form: Several, made: list[Any]) -> Any:
    """One of several things, from what tells which it is."""
    flags = [made.pop(0) for _ in form.sorts[:-1]]
    contents = [None if s.constant else made.pop(0) for s in holders(form.sorts)]
    return together(form.sorts, flags, contents)


def wider_form(joining: Join, form: Form, item: Any) -> Form:
    """The form of a list that gets another item, if the items that it has can be told by it."""
    if not (has_known(form) or isinstance(form, (Several, Numbered, Nothing))):
        return form
    wider = common(form, form_of(joining, item))
    told = isinstance(wider, (Several, Numbered))
    return wider if told or size(wider) == size(form) else form


def is_of_nothing(state: Any) -> bool:
    """Does a list hold nothing but None, as far as is known?"""
    elem = state.value.aval.elem if type(state) is SymbolicList else None
    return elem is not None and elem.kind is Kind.NONE


def has_known(form: Form) -> bool:
    """Are there known objects among the parts of items?"""
    if isinstance(form, Several):
        return any(sort.objects and not sort.constant for sort in form.sorts)
    return isinstance(form, Parts) and any(map(has_known, form.items))


def put_together(joining: Join, form: Form, made: list[Any]) -> Any:
    """An item from the values at its columns; ``made`` is consumed."""
    if isinstance(form, Column):
        return made.pop(0)
    if isinstance(form, Fixed):
        return form.obj
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
    joining.machine.journal.copied(item)
    return item


def column_states(joining: Join, form: Form, state: Any) -> tuple[Any, ...]:
    """The content of each column of a list in some state; :class:`Unfit` if the list has items
    of another form."""
    count = size(form)
    if is_of_nothing(state):
        state = Columns(Nothing(), (state,))
    if isinstance(state, Columns):
        if common(form, state.form) != form and len(state.columns) != count:
            raise Unfit
        if isinstance(form, (Several, Numbered)) and form != state.form and _may_be_told(
                form, state.form):
            return told_widely(form, state)
        if not _same_numbers(form, state.form):
            refuse = functools.partial(_refuse_numbers, remedies=_stored_instead(joining, form))
            return tuple(Late(c.value.aval, refuse) for c in state.columns)
        return state.columns
    if isinstance(state, SymbolicList):  # a list without items so far
        if state.value.aval.elem is not None:
            raise Unfit
        return tuple(Snapshot(list, ()) for _ in range(count))
    rows = [taken_apart(joining, form, item) for item in state.items]
    return tuple(Snapshot(list, tuple(row[i] for row in rows)) for i in range(count))


def _may_be_told(form: Form, narrow: Form) -> bool:
    """Are the things of another form told by these sorts, in their order, by the same numbers?"""
    sorts, told = _told_by_sorts(form), _told_by_sorts(narrow)
    held = [sort for sort in sorts if any(sort.key == one.key for one in told)]
    return [s.key for s in held] == [s.key for s in told] and all(
        _is_prefix(one.objects, sort.objects) for one, sort in zip(told, held, strict=True))


def told_widely(form: Form, state: Columns) -> tuple[Late, ...]:
    """The columns of a list whose items are told by more sorts than theirs so far; :class:`Unfit`
    where that cannot be."""
    known, number = _told_by_sorts(state.form), state.columns[-1]

    def read(column: SymbolicList) -> Late:
        return Late(column.value.aval, lambda machine: machine.lists.held_list(column))

    def each(item: Any, aval: Aval) -> Late:
        return Late(list_of(aval), lambda machine: machine.containers.repeated_list(
            [item], machine.length(machine.lists.held_list(number))))

    def held(sort: Sort) -> Late:
        found = contents.get(sort.key)
        if found is None and sort.key is NUMBER:
            raise Unfit
        return found or each(0, INT)

    if isinstance(form, Numbered):
        return (each(NONE, INT) if isinstance(state.form, Nothing) else read(number),)
    columns = [*map(read, state.columns)]
    contents = dict(zip([s.key for s in Several(known).told], columns[len(known) - 1:]))
    if isinstance(state.form, Numbered):
        contents = {STORED: columns[0]}
        columns = [Late(list_of(BOOL), lambda machine: machine.operators.helped(
            are_negative, machine.lists.held_list(number)))]
    flags = dict(zip([s.key for s in known], [*columns[:len(known) - 1], each(True, BOOL)]))
    wide = Several(_told_by_sorts(form))
    return (*(flags.get(s.key, each(False, BOOL)) for s in wide.sorts[:-1]),
            *map(held, wide.told))


def _same_numbers(form: Form, other: Form) -> bool:
    """Do numbers in columns mean the same things in two forms?"""
    if isinstance(form, Several):
        return form == other
    if isinstance(form, Parts) and isinstance(other, Parts):
        return len(form.items) == len(other.items) and all(
            map(_same_numbers, form.items, other.items))
    return type(form) is type(other)


def _stored_instead(joining: Join, form: Form) -> tuple[Assumption, ...]:
    """What makes known objects, which a form tells, lie in stores."""
    if isinstance(form, Parts):
        return tuple(one for item in form.items for one in _stored_instead(joining, item))
    known = [] if not isinstance(form, Several) else [
        (type(o), joining.outside(o)) for sort in form.sorts for o in sort.objects]
    return tuple(dict.fromkeys(stored_as(cls, outside) for cls, outside in known
                               if joining.machine.references.may_store(cls, outside)))


def _refuse_numbers(machine: Any, remedies: tuple[Assumption, ...]) -> Any:
    """The numbers in a list mean other objects than those in the list that it becomes."""
    raise machine.recorder.of_forms(JoinError(
        "lists of objects are joined that were made of different objects",
        why="which objects a list may hold has to be known where it is made",
        fix="put objects of both kinds into one list before the branch or loop"), *remedies)


def common_form(joining: Join, states: tuple[Any, ...]) -> tuple[Form, list[Aval]] | None:
    """The form of the items of a list in two states, and the types of its columns; None if
    they have no common form.  Known objects beside others are taken apart like those."""
    return _common_form(joining, states, True) or _common_form(joining, states, False)


def _common_form(joining: Join, states: tuple[Any, ...],
                 known: bool) -> tuple[Form, list[Aval]] | None:
    form: Form | None = None
    try:
        for state in states:
            for one in _forms(joining, state, known):
                form = one if form is None else common(form, one)
        if form is None or not size(form):
            return None
        columns = [column_states(joining, form, state) for state in states]
    except Unfit:
        return None
    avals = [_joined(joining, pair) for pair in zip(*columns, strict=True)]
    return None if any(a is None for a in avals) else (form, [a for a in avals if a is not None])


def _forms(joining: Join, state: Any, known: bool) -> list[Form]:
    if isinstance(state, Columns):
        return [state.form]
    if is_of_nothing(state):
        return [Nothing()]
    if isinstance(state, SymbolicList):
        if state.value.aval.elem is not None:
            raise Unfit
        return []
    return [form_of(joining, item, known) for item in state.items]


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



def kept_otherwise(joining: Join, form: Form) -> Assumption:
    """The assumption under which items that can be changed in place may lie in a list."""
    cls = next((c for c in _classes(form) if joining.machine.references.may_store(c)), None)
    return PartsOfItems() if cls is None else stored_as(cls)


def _classes(form: Form) -> list[type]:
    """The classes of an item and of its parts that can be changed in place."""
    if not (isinstance(form, Parts) and form.mutable):
        return []
    cls = form.key[0]
    if cls is dict and all(type(key) is str for key in form.key[1:]):
        cls = kind_of_dicts(form.key[1:])
    return [cls, *(cls for item in form.items for cls in _classes(item))]


def unlike_items(*remedies: Assumption) -> Failed:
    """The failure of a list whose items have no common form."""
    return Failed(JoinError(
        "a list whose length depends on data holds values of unlike kinds",
        why="its elements must be numbers, arrays of one rank, or tuples of them of one form",
        fix="keep unlike things in separate lists"), remedies)


def list_elem(joining: Join, state: Any) -> Any:
    """The joined element type of a list state; None if empty, False if there is none."""
    if type(state) in (SymbolicList, Late):
        return leaf_aval(state).elem  # type: ignore[union-attr]
    if type(state) is Columns:
        return False
    elem: Aval | None = None
    for item in state.items:
        aval = list_item_aval(joining, item)
        if aval is None:
            return False
        elem = aval if elem is None else joining.join_avals(elem, aval)
    return elem


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
