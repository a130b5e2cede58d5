"""Lists of tuples or records whose length is only known at run time: ``hist.append((t, y))``.

Such a list is kept column by column: the :class:`Form` of its items says which parts are
values, and each of these has a list of its own in the graph.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..kinds import NUMERIC, Aval, Kind, list_of
from .joins import Join, list_elem, unlike_items
from .journal import Snapshot
from .optionals import OptionalJoin
from .shapes import Leaf, Sequence, Shape
from .structures import leaf_aval, rebuilder, structure_parts
from .tracers import Columns, SymbolicList

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


@dataclass(slots=True)
class Parts(Form):
    """A tuple, list, dict or instance; ``key`` tells its type and the names of its parts."""

    key: tuple[Any, ...]
    build: Callable[[list[Any]], Any]
    items: list[Form]

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


class Unfit(TypeError):
    """An item does not have the form of the list's other items."""


def _key(obj: Any) -> tuple[Any, ...]:
    if type(obj) is dict:
        return (dict, *obj)
    parts = structure_parts(obj) or ()
    names = tuple(obj.__dict__) if hasattr(obj, "__dict__") else ()
    return (type(obj), len(parts), *names)


def form_of(joining: Join, item: Any, depth: int = 0) -> Form:
    """The form of one item; :class:`Unfit` if it contains itself."""
    if depth > MAX_DEPTH:
        raise Unfit
    if leaf_aval(item) is not None or (type(item) is list and id(item) in joining.symbolic):
        return Column()
    parts = None if joining.outside(item) else structure_parts(item)
    if parts is None:
        return Fixed(item)
    return Parts(_key(item), rebuilder(item), [form_of(joining, p, depth + 1) for p in parts])


def common(first: Form, second: Form) -> Form:
    """The form of two items; :class:`Unfit` if they have none."""
    if isinstance(first, Column) and isinstance(second, Column):
        return first
    if isinstance(first, Fixed) and isinstance(second, Fixed) and first.obj is second.obj:
        return first
    if isinstance(first, Parts) and isinstance(second, Parts) and first.key == second.key:
        return Parts(first.key, first.build,
                     [common(a, b) for a, b in zip(first.items, second.items, strict=True)])
    raise Unfit


def size(form: Form) -> int:
    """The number of columns."""
    if isinstance(form, Parts):
        return sum(size(i) for i in form.items)
    return 1 if isinstance(form, Column) else 0


def taken_apart(joining: Join, form: Form, item: Any) -> list[Any]:
    """The parts of an item at the columns; :class:`Unfit` if it has another form.  Parts that
    can be changed in place may not be from now on."""
    if isinstance(form, Column):
        if form_of(joining, item) != form:
            raise Unfit
        return [item]
    if isinstance(form, Fixed):
        if item is not form.obj:
            raise Unfit
        return []
    assert isinstance(form, Parts)
    parts = structure_parts(item)
    if parts is None or _key(item) != form.key:
        raise Unfit
    joining.seal(item)
    return [v for f, p in zip(form.items, parts, strict=True)
            for v in taken_apart(joining, f, p)]


def put_together(joining: Join, form: Form, made: list[Any]) -> Any:
    """An item from the values at its columns; ``made`` is consumed."""
    if isinstance(form, Column):
        return made.pop(0)
    if isinstance(form, Fixed):
        return form.obj
    assert isinstance(form, Parts)
    item = form.build([put_together(joining, f, made) for f in form.items])
    joining.seal(item)
    return item


def column_states(joining: Join, form: Form, state: Any) -> tuple[Any, ...]:
    """The content of each column of a list in some state; :class:`Unfit` if the list has items
    of another form."""
    count = size(form)
    if isinstance(state, Columns):
        if common(form, state.form) != form and len(state.columns) != count:
            raise Unfit
        return state.columns
    if isinstance(state, SymbolicList):  # a list without items so far
        if state.value.aval.elem is not None:
            raise Unfit
        return tuple(Snapshot(list, ()) for _ in range(count))
    rows = [taken_apart(joining, form, item) for item in state.items]
    return tuple(Snapshot(list, tuple(row[i] for row in rows)) for i in range(count))


def common_form(joining: Join, states: tuple[Any, ...]) -> tuple[Form, list[Aval]] | None:
    """The form of the items of a list in two states, and the types of its columns; None if
    they have no common form."""
    form: Form | None = None
    try:
        for state in states:
            for one in _forms(joining, state):
                form = one if form is None else common(form, one)
        if form is None or not size(form):
            return None
        columns = [column_states(joining, form, state) for state in states]
    except Unfit:
        return None
    avals = [_joined(joining, pair) for pair in zip(*columns, strict=True)]
    return None if any(a is None for a in avals) else (form, [a for a in avals if a is not None])


def _forms(joining: Join, state: Any) -> list[Form]:
    if isinstance(state, Columns):
        return [state.form]
    if isinstance(state, SymbolicList):
        if state.value.aval.elem is not None:
            raise Unfit
        return []
    return [form_of(joining, item) for item in state.items]


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



class ColumnJoin(OptionalJoin):
    """A join that takes lists of tuples or records apart."""

    def column_lists(self, a: Any, b: Any) -> Shape:
        """Lists whose items are tuples or records: one list for each part.  Items that can be
        changed in place are taken apart only where nothing else helps (``records``), for they
        may not be changed from then on."""
        found = common_form(self, (a, b))
        if found is None:
            return unlike_items()
        form, avals = found
        if form.mutable and not self.records:
            return unlike_items(("records",))
        return Sequence(lambda vs: Columns(form, tuple(vs)), [Leaf(aval) for aval in avals],
                        lambda state: column_states(self, form, state))
