"""What the items of a list have in common, whose length is only known at run time.

The :class:`Form` of its items says which parts are values, each of which has a column, a list of
its own in the graph.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...types.dataclasses import dataclass, is_frozen
from ...types.subclasses import own_namespace
from ..record.earlier import Whereabouts
from ..record.structures import leaf_aval, rebuilder, structure_parts
from ..record.tracers import Choice
from .stores import (
    LISTS,
    Store,
    class_key,
    may_be_none,
    store_of,
)
from .unlike import (
    LISTED,
    NUMBER,
    Sort,
    holders,
    labels_of,
    sort_key,
    sorted_apart,
    stored_sort,
    things_in,
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
        """Is an item a value, or a tuple of such, which compares as tuples do?"""
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
class Listed(Column):
    """A list of numbers."""


@dataclass(frozen=True, slots=True)
class Numbered(Form):
    """An object in a store, or with ``optional`` None: its number."""

    store: Store
    optional: bool


@dataclass(frozen=True, slots=True, eq=False)
class Lying(Form):
    """An array that is told by where it lies."""

    of: Whereabouts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Lying) and self.of.place == other.of.place

    @property
    def count(self) -> int:
        """The number of columns: there is one for the length of the list at least."""
        return max(1, self.of.count)

    @property
    def held(self) -> tuple[Any, ...]:
        return self.of.keeps


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
        cls = self.key[0]
        return (cls in (tuple, list) or (issubclass(cls, tuple) and cls.__lt__ is tuple.__lt__)
                ) and all(i.is_plain for i in self.items)

    @property
    def mutable(self) -> bool:
        cls = self.key[0]
        return not (issubclass(cls, tuple) or is_frozen(cls)) or any(
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
        return tuple(obj for sort in self.sorts for obj in sort.only)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Several) and [s.key for s in self.sorts] == [
            s.key for s in other.sorts]

    @property
    def told(self) -> list[Sort]:
        """The sorts that need a column for what tells the thing."""
        return [s for s in holders(self.sorts) if not s.only]


def objects_of(stores: list[Store], optional: bool, numbers: bool = False) -> Form:
    """The form of an object in one of some stores; or of None, or a number."""
    if len(stores) == 1 and not numbers:
        return Numbered(stores[0], optional)
    return several([*[nothing()] * optional, *[Sort(NUMBER)] * numbers,
                    *map(stored_sort, stores)])


def nothing() -> Sort:
    """The sort of None."""
    return Sort(sort_key(None), (None,))


class Unfit(TypeError):
    """An item does not have the form of the list's other items."""


def item_key(obj: Any) -> tuple[Any, ...]:
    if type(obj) is dict:
        return (dict, *obj)
    parts = structure_parts(obj) or ()
    names = tuple(obj.__dict__) if own_namespace(obj, None) is not None else ()
    return (type(obj), len(parts), *names)


def form_of(joining: Join, item: Any, whole: bool = True, depth: int = 0) -> Form:
    """The form of one item; :class:`Unfit` if it contains itself.  ``whole``: what was found
    outside stays itself."""
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
    where = joining.machine.listed_arrays.where(item, joining.holder)
    if where is not None:
        return Lying(where)
    if leaf_aval(item) is not None:
        return Column()
    if type(item) is list and not depth and not joining.outside(item) and _are_alike(item):
        if LISTS in joining.machine.references.stores:
            joining.machine.stored_lists.store_instead(item)
        return Listed()
    sorts = sorted_apart(things_in(item, {})) if type(item) is Choice else None
    if sorts is not None and not any(s.key[0] in ("tuple", "list", "object", "dict")
                                     for s in sorts):
        return several(sorts)
    stays = whole and joining.outside(item) and not isinstance(item, tuple)
    parts = None if stays else parts_of_item(joining, item)
    if parts is None:
        return Fixed(item)
    return Parts(item_key(item), rebuilder(item), [
        form_of(joining, p, whole, depth + 1) for p in parts])


def _are_alike(items: list[Any]) -> bool:
    """Are items numbers or arrays, and not counts beside other numbers?"""
    avals = [leaf_aval(one) for one in items]
    counts = {a.dtype is not None and a.dtype.kind in "biu" for a in avals if a is not None}
    return None not in avals and len(counts) < 2


def parts_of_item(joining: Join, item: Any) -> tuple[Any, ...] | None:
    """The parts of an item; of one from outside as the program would read them."""
    if type(item) is list and joining.outside(item):
        return tuple(joining.machine.containers.content_outside(item))
    return joining.parts_inside(item)


def several(sorts: list[Sort]) -> Several:
    """The form of what is of one of some sorts: those of objects in stores come last, and always
    in the same order."""
    return Several(sorted(sorts, key=lambda sort: [
        (class_key(store.cls), store.found is not None) for store in sort.stores]))


def told_by_sorts(form: Form) -> list[Sort]:
    """The sorts of the things of a form; :class:`Unfit` where they are no objects, nor None."""
    if isinstance(form, Several):
        return form.sorts
    if isinstance(form, Numbered):
        return [*[nothing()] * form.optional, stored_sort(form.store)]
    if isinstance(form, Nothing):
        return [nothing()]
    if isinstance(form, Listed):
        return [Sort(LISTED)]
    raise Unfit


def common(first: Form, second: Form) -> Form:
    """The form of two items; :class:`Unfit` if they have none."""
    if isinstance(first, Several) and first == second:
        return first
    for one, other in ((first, second), (second, first)):
        if isinstance(one, Several) and isinstance(other, Column) and any(s.key == (
                sort_key(None) if isinstance(other, Nothing) else LISTED if isinstance(
                    other, Listed) else NUMBER) for s in one.sorts):
            return one
    if isinstance(first, Column) and isinstance(second, Column) and not (
            Listed in (type(first), type(second)) and first != second):
        return first if first == second else Column()
    numbered = [f for f in (first, second) if isinstance(f, Numbered)]
    if numbered and all(isinstance(f, Nothing) or (isinstance(f, Numbered) and f.store is (
            numbered[0].store)) for f in (first, second)):
        return Numbered(numbered[0].store, len(numbered) < 2 or any(f.optional for f in numbered))
    if isinstance(first, Fixed) and isinstance(second, Fixed) and first.obj is second.obj:
        return first
    if isinstance(first, Lying) and first == second:
        return first
    if isinstance(first, Rows) and isinstance(second, Rows):
        return Rows(common(first.inner, second.inner))
    if isinstance(first, Parts) and isinstance(second, Parts) and first.key == second.key:
        return Parts(first.key, first.build,
                     [common(a, b) for a, b in zip(first.items, second.items, strict=True)])
    if all(type(f) is Column or _is_of_columns(f) for f in (first, second)):
        return Column()  # lists of other lengths
    sorts = (*told_by_sorts(first), *told_by_sorts(second))
    return several([*{sort.key: sort for sort in sorts}.values()])


def _is_of_columns(form: Form) -> bool:
    """Is it a list of numbers, of one length?"""
    return isinstance(form, Parts) and form.key[0] is list and all(
        type(item) is Column for item in form.items)


def size(form: Form) -> int:
    """The number of columns."""
    if isinstance(form, Parts):
        return sum(size(i) for i in form.items)
    if isinstance(form, Several):
        return len(form.sorts) - 1 + len(form.told)
    if isinstance(form, Rows):
        return size(form.inner)
    if isinstance(form, Lying):
        return form.count
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


def wider_form(joining: Join, form: Form, item: Any) -> Form:
    """The form of a list that gets another item, if the items that it has can be told by it."""
    if not isinstance(form, (Several, Numbered, Nothing, Listed)):
        return form
    store_lists(joining, form, item)
    wider = common(form, form_of(joining, item))
    told = isinstance(wider, (Several, Numbered))
    return wider if told or size(wider) == size(form) else form


def store_lists(joining: Join, form: Form, item: Any) -> None:
    """Start again with lists in a store that are put where such lists are."""
    if isinstance(form, Numbered) and form.store.cls is LISTS:
        for thing in things_in(item, {}):
            joining.machine.stored_lists.store_instead(thing)


def may_be_told(form: Form, narrow: Form) -> bool:
    """Are the things of another form told by these sorts, in their order?"""
    told = [sort.key for sort in told_by_sorts(narrow)]
    return [sort.key for sort in told_by_sorts(form) if sort.key in told] == told


def same_numbers(form: Form, other: Form) -> bool:
    """Do numbers in columns of another form mean the same things in this one?"""
    if isinstance(form, Several):
        return isinstance(other, Several) and len(form.sorts) == len(other.sorts) and (
            may_be_told(form, other))
    if isinstance(form, Parts) and isinstance(other, Parts):
        return len(form.items) == len(other.items) and all(
            map(same_numbers, form.items, other.items))
    return form == other if isinstance(form, Lying) else type(form) is type(other)
