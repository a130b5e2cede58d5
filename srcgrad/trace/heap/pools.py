"""Objects from outside that lie in stores: all that can be reached from where one was found.

The objects of a class have one numbering, wherever they are found: in lists, in attributes of one
another, under names of their own.  So two places that hold one object hold one number, and a list
of objects is a list of numbers.  At each call all of them are gathered at once
(:func:`~srcgrad.trace.heap.gathering.gathered`), and each column is an input.
"""

from __future__ import annotations

import functools
import operator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

from ...graph.ir import Value
from ...types.guards import Path
from ...types.kinds import INT, OPAQUE, Aval, Kind
from ...types.spelling import Attribute, Method
from ..assumptions import NOTHING
from ..collaborator import Collaborator
from ..flow.control import Restart
from ..record.states import Columns
from ..record.structures import leaf_aval
from ..record.tracers import OpaqueTracer
from .forms import Column, Form, Numbered, Rows
from .gathering import (
    Numbers,
    Reading,
    are_apart,
    column_name,
    columns,
    columns_path,
    form_of_items,
    gathered,
    gathered_at,
    held_objects,
    held_under,
    is_held,
    links,
    native_step,
    number_of,
    numbered_columns,
    referred,
)
from .outlines import (
    Constant,
    Lists,
    Number,
    Outline,
    Record,
    Referred,
    Unlike,
    Unread,
    are_links,
    common_record,
    has_columns,
    is_numeric,
    outline,
    outline_of_object,
    referred_to,
    refers,
    weak,
)
from .stores import (
    FEW_NAMED,
    Content,
    Reference,
    Store,
    Unlinked,
    are_contents,
    class_key,
    kind_of,
    may_be_none,
    part_of,
    python_class,
    stored_as,
    stores_in,
)
from .unlike import NUMBER, sort_key, things_in

# numbers that may lie where all objects had None
PUT_INSTEAD = {Kind.BOOL: bool, Kind.INT: int, Kind.FLOAT: float, Kind.SCALAR: float,
               Kind.NUMBER: float}

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator


class Pools(Collaborator):
    """The stores of objects from outside."""

    speaks_to = ("attributes", "class_attributes", "effects", "found_functions", "lists", "opening",
                 "recorder", "references", "sources", "whole_lists")

    def __init__(self) -> None:
        self.stores: dict[type, Store] = {}
        self.outlines: dict[type, Record] = {}  # of the objects in them
        self.numbers: Numbers = {}  # of those of this call
        self.roots: list[tuple[Outline, Any]] = []  # where they are found, in this call
        # the same for later calls
        self.later: tuple[list[Record], list[Outline]] = ([], [])
        self.whole: Path | None = None  # to all that is gathered
        self.numbered_lists: dict[int, list[Any]] = {}  # what stands for lists of objects
        self.leading: list[tuple[Path, Any]] = []  # to numbers, and columns of numbers, of objects
        self.gathered: list[list[Any]] = []  # what is gathered in this call
        self.written: set[tuple[type, str]] = set()  # attributes whose lists change
        self.tried: set[tuple[type, type]] = set()  # kinds that cannot lie in stores, and owners
        self.inputs: dict[tuple[type, str], list[Value]] = {}  # for the columns of an attribute

    def holds(self, cls: type) -> bool:
        """Do the objects of a class that are found outside lie in a store?"""
        return self.opening.may_open() and self.assumed.stores(class_key(cls), outside=True)

    def store_of(self, cls: type) -> Store:
        return self.stores[cls]

    # ---- which objects lie in stores -----------------------------------------------------------
    def store_instead(self, obj: Any, read: bool = False) -> None:
        """Start again with the objects that something from outside holds, or is, in stores, if
        they can lie there.  Few that are only ``read``, and hold texts or other things beside
        numbers, are rather settings than state: they stay as they are."""
        if not self.opening.may_open() or not self.whole_lists.may_store(obj):
            return
        one = obj[0] if type(obj) is list and obj else obj
        in_tuples = isinstance(one, tuple) and self.holds(kind_of(one))

        def may_hold(cls: type) -> bool:
            return self._may_hold(cls) or (
                in_tuples and issubclass(python_class(cls), tuple) and self.assumed.open(
                    stored_as(cls, outside=True)))

        try:
            objects, outlines = _reached(outline(obj, may_hold), obj, may_hold)
            self._check_constant(objects, outlines, may_hold,
                                 self.whole_lists.above - self.whole_lists.fitting)
        except Unlike:
            return
        found = outlines.values()
        if not any(map(has_columns, found)) or (
                read and len(objects) <= FEW_NAMED and not all(map(is_numeric, found))):
            return
        for cls in outlines:
            if not self.holds(cls):
                raise Restart(stored_as(cls, outside=True))

    def _may_hold(self, cls: type) -> bool:
        return self.holds(cls) or self.references.may_store(cls, outside=True)

    def change(self, obj: Any) -> None:
        """An object from outside changes: if it is one of a list, or such a list, start again with
        them in a store."""
        if type(obj) is list and obj and self._may_hold(kind_of(obj[0])):
            self.store_instead(obj)
        path = self.found_functions.paths[id(obj)]
        self._with_owner(obj, path, 1, list)

    def follow(self, obj: Any, path: Path) -> None:
        """An object was found at a path: if it hangs on another one like it, start again with both
        in a store."""
        self._with_owner(obj, path, 2 if path.steps[-1:] and path.steps[-1][0] == "item" else 1,
                         kind_of(obj))

    def _with_owner(self, obj: Any, path: Path, steps: int, kind: type) -> None:
        """Start again with an object in a store if what holds it, so many steps before, is of a
        kind; where that does not help, it is not tried again."""
        if len(path.steps) < steps or (kind_of(obj), kind) in self.tried:
            return
        owner = self.sources.by_path.get(Path(path.root, path.steps[:-steps]))
        if owner is not None and kind_of(owner[1]) is kind and self._may_hold(kind_of(obj)):
            self.store_instead(obj if kind is list else owner[1])
            self.tried.add((kind_of(obj), kind))

    # ---- what stands for them --------------------------------------------------------------------
    def reference(self, obj: Any, path: Path) -> Any:
        """What stands for an object found at a path."""
        cls, known = kind_of(obj), self.sources.by_path.get(path)
        if known is not None:
            return known[0]
        try:
            self.include(Referred((cls,)), obj, path)
        except Unlike:
            self.references.without_found(cls)
        assert self.whole is not None
        step = Reading(functools.partial(number_of, [*self.outlines].index(cls)), (path,))
        number = native_step(self.whole, step, f"the number of {path}")
        self.sources.guard("type", number, int)  # there is one
        value = self.sources.input(INT, number, "scalar")
        value.hint = column_name(path)
        self.leading.append((number, self.numbers[cls][id(obj)]))
        made = Reference(self.stores[cls], self.recorder.wrap(value))
        self.sources.by_path[path] = (made, obj)
        return made

    def list_of_found(self, obj: Any) -> Any:
        """What stands for a list from outside whose objects lie in a store; None if they do not."""
        path = self.found_functions.paths.get(id(obj))
        if type(obj) is not list or path is None:
            return None
        first = next((one for one in obj if one is not None), None)
        if first is None or not self.holds(kind_of(first)):
            return None
        if id(obj) in self.numbered_lists:
            return self.numbered_lists[id(obj)]
        try:
            found = outline(obj, self.holds)
        except Unlike:
            return None  # each is one of its class
        assert isinstance(found, Lists)
        try:
            return self.numbered(obj, path, found)
        except Unlike:
            self.references.without_found(kind_of(first))

    def numbered(self, obj: list[Any], path: Path, found: Lists) -> list[Any]:
        """A list that stands for one of objects: of their numbers."""
        if id(obj) not in self.numbered_lists:
            self.include(found, obj, path)
            form, named = form_of_items(found.inner, obj, self.store_of)
            whole, held = self.columns_path(path, found.inner), columns(
                obj, found.inner, self.numbers)
            self.leading += _links(whole, held, are_links(found.inner))
            states = self.opening.column_inputs(
                whole, [(column_name(path) + name, aval) for name, aval in named], held)
            made = self.lists.held_list(Columns(form, tuple(states)))
            self.journal.older(made)
            self.numbered_lists[id(obj)] = made
        return self.numbered_lists[id(obj)]

    def columns_path(self, path: Path, found: Outline) -> Path:
        """The way to the columns of a list, with numbers for the objects in its items."""
        if self.whole is None or not refers(found):
            return columns_path(path, found)
        step = Reading(functools.partial(numbered_columns, self.later[0], weak(found)), (path,))
        return native_step(self.whole, step, f"the columns of {path}")

    # ---- what changes --------------------------------------------------------------------------
    def check_fits(self, store: Store, name: str, value: Any) -> None:
        """Something is put into an attribute: start again where it held nothing like that."""
        record = self.outlines[store.cls]
        part = dict(zip(record.names, record.parts, strict=True))[name]
        if isinstance(part, Constant) and (cls := _class_put(part.value, value)) is not None:
            self._put(store.cls, name, class_key(cls))
        if isinstance(part, Referred):
            held = stores_in(value) - {None}
            if part.beside is not None and all(sort_key(one) == NUMBER for one in things_in(
                    value, {}) if stores_in(one) == {Unlinked}):
                held -= {Unlinked}
            new = held - {self.stores[cls] for cls in part.classes}
            if not new and may_be_none(value) > part.optional:
                self._put(store.cls, name, NOTHING)
            for other in new:
                if not isinstance(other, Store) or self.stores.get(other.cls) is not other:
                    self.references.without_found(part.classes[0])
                self._put(store.cls, name, class_key(other.cls))

    @staticmethod
    def _put(cls: type, name: str, holds: Any) -> NoReturn:
        """Start again with something in an attribute beside what was found there."""
        raise Restart(stored_as(cls, True, name=name, holds=holds))

    def write_back(self, column: Any, op: str, path: tuple[Any, ...], item: Any) -> None:
        """Change the list that an object from outside holds, or a row of a list, as its row in a
        column was."""
        held: Any = self.whole_lists.owner(column)
        rest = [*path]
        if held is None:
            store, name = self.attributes.places.get(id(column), (None, ""))
            if store is None or store.found is None:
                return
            self._check_apart(store.cls, name)
            obj = Reference(store, rest.pop(0))
            held = self.effects.emit_effect(operator.getitem, (obj, name), {}, OPAQUE) if (
                are_contents(store.cls)) else self.effects.emit_effect(
                    Attribute(name), (obj,), {}, OPAQUE)
        if op == "put":
            *rest, last = rest or (slice(None),)
        for key in rest:
            held = self.effects.emit_effect(operator.getitem, (held, key), {}, OPAQUE)
        if op == "append":
            self.effects.emit_effect(Method(op), (held, item), {}, None)
        else:
            self.effects.emit_effect(operator.setitem, (held, last, item), {}, None)

    def _check_apart(self, cls: type, name: str) -> None:
        """The lists that objects hold change: each must have its own."""
        if (cls, name) not in self.written:
            self.written.add((cls, name))
            where, objects = self.objects(cls)
            if not self.sources.gives(are_apart, (objects, name), (where, name)):
                self.references.without_found(cls)

    def check(self) -> None:
        """At the end: what objects hold themselves does not change by other names, and their lists
        that change are found nowhere else."""
        for cls, record in self.outlines.items():
            self.opening.outlines.append((*self.objects(cls), weak(record)))
        for cls, name in self.written:
            where, objects = self.objects(cls)
            if self.whole_lists.is_found_as(is_held, (objects, name), (where, name)):
                self.references.without_found(cls)

    def guard_links(self, places: Container[int]) -> None:
        """Objects of the classes at some places refer to one another as they do now, at each
        call."""
        assert self.whole is not None
        found = [*self.leading]
        for place, record in enumerate(self.outlines.values()):
            if place in places:
                part, held = self.part(record.cls)
                found += _links(part, held, [False, False, *are_links(record)])
        self.sources.gives(links, tuple([column for _, column in found]),
                           tuple([path for path, _ in found]))

    def leave_out(self, used: Container[Value]) -> None:
        """Do not gather what the program does not read; arrays are, as they are guarded."""
        unused = {store.found.value for store in self.stores.values()
                  if store.found.value not in used}
        for (cls, name), values in self.inputs.items():
            if any(v in used or v.aval.elem is None or v.aval.elem.is_array for v in values):
                continue
            unused.update(values)
            place = [*self.outlines].index(cls)
            record = self.later[0][place]
            self.later[0][place] = Record(record.cls, record.names, tuple(
                Unread(len(values)) if n == name and not refers(part) else part  # which lead on
                for n, part in zip(record.names, record.parts, strict=True)))
        self.sources.leave_out(unused)

    def part(self, cls: type) -> tuple[Path, list[Any]]:
        """What is gathered of a class, and the way to it."""
        assert self.whole is not None
        place = [*self.outlines].index(cls)
        return self.whole.child("item", place), self.gathered[place]

    def objects(self, cls: type) -> tuple[Path, list[Any]]:
        """The objects of a class that are gathered, and the way to them."""
        whole, part = self.part(cls)
        return whole.child("item", 0), part[0]

    def column_values(self, cls: type) -> tuple[Value, ...]:
        """The inputs for the columns of a class, in the order of its outline."""
        return tuple([value for name in self.outlines[cls].names
                      for value in self.inputs.get((cls, name), ())])

    # ---- gathering -----------------------------------------------------------------------------
    def include(self, found: Outline, obj: Any, path: Path) -> None:
        """Gather all objects that can be reached from what is found at a path, too; what it
        holds, ``found`` says.  :class:`Unlike` if they cannot lie in stores."""
        objects, reached = _reached(found, obj, self.holds)
        self._check_constant(objects, reached, self.holds, self.whole_lists.above)
        if all(id(one) in self.numbers.get(kind_of(one), ()) for one in objects):
            return
        self.store_instead(obj)  # with those that they refer to
        new = [cls for cls in reached if cls not in self.outlines]
        for cls, record in reached.items():
            self._check_alike(self.outlines.get(cls, record), record)
        self.stores.update((cls, Store(self.machine, cls, {})) for cls in new)
        for cls in new:
            self.outlines[cls] = self._widened(reached[cls])
            self.outlines[cls] = self._readable(self.outlines[cls], [
                one for one in objects if kind_of(one) is cls])
            self.later[0].append(weak(self.outlines[cls]))
            if not are_contents(cls):
                self.class_attributes.note_class(cls)
        self._add_root(found, obj, path)
        self.gathered = gathered(self.outlines.values(), self.roots)
        self.numbers = {cls: part[1] for cls, part in zip(
            self.outlines, self.gathered, strict=True)}
        for cls in new:
            self._fill(cls, path, found)
        for one in objects:
            self._keep_held(one)

    def _keep_held(self, obj: Any) -> None:
        """What an object holds itself may not change by other names."""
        for held in _held(obj, self.outlines[kind_of(obj)], self.holds):
            self.opening.keep_as_found(held)

    def _check_constant(self, objects: list[Any], outlines: dict[type, Record],
                        numbered: Callable[[type], bool], above: set[int]) -> None:
        """:class:`Unlike` if a derivative is taken for what some objects hold, and not for a whole
        column: they are ``above`` a leaf."""
        for obj in objects:
            if any(id(one) in above for one in (
                    obj, *_held(obj, outlines[kind_of(obj)], numbered))):
                raise Unlike

    def _check_alike(self, known: Record, found: Record) -> None:
        """:class:`Unlike` if other objects of a class have another outline; start again where
        that is because of a None."""
        for name, part, wider in zip(known.names, known.parts, common_record(
                known, found).parts, strict=True):
            if isinstance(part, Referred) and wider == replace(part, optional=True) and (
                    not part.optional):
                self._put(known.cls, name, NOTHING)
            if isinstance(part, Referred) and isinstance(wider, Referred):
                for cls in {*wider.classes} - {*part.classes}:
                    self._put(known.cls, name, class_key(cls))
            if wider != part:
                raise Unlike

    def _readable(self, record: Record, objects: list[Any]) -> Record:
        """An outline of objects without what cannot lie in columns."""
        def part(name: str, held: Outline) -> Outline:
            try:
                _, named = self._form(held, objects, name)
            except Unlike:
                return Unread()
            return held if named or isinstance(held, Constant) else Unread()

        return Record(record.cls, record.names, tuple(map(part, record.names, record.parts)))

    def _form(self, part: Outline, objects: list[Any],
              name: str) -> tuple[Form, list[tuple[str, Aval]]]:
        """The form of what objects hold under a name, and its columns; :class:`Unlike` if it has
        none."""
        return form_of_items(part, [part_of(one, name) for one in objects], self.store_of)

    def _widened(self, record: Record) -> Record:
        """An outline with what the program puts into attributes."""
        key = class_key(record.cls)
        classes = {class_key(cls): cls for cls in (*self.stores, *PUT_INSTEAD.values(), str)}

        def part(name: str, held: Outline) -> Outline:
            held_by = self.assumed.held_by(key, name, outside=True)
            put = [classes[c] for c in held_by if c in classes]
            if put and isinstance(held, Constant) and put[0] not in self.stores:
                return Number(put[0], held.value is None)
            if put and isinstance(held, Constant):
                return referred_to(put, True)
            return referred_to({*held.classes, *put}, held.optional or NOTHING in held_by,
                               held.beside) if isinstance(held, Referred) else held

        return Record(record.cls, record.names, tuple(map(part, record.names, record.parts)))

    def _add_root(self, found: Outline, obj: Any, path: Path) -> None:
        self.roots.append((found, obj))
        self.later[1].append(weak(found))
        if self.whole is None:
            step = Reading(functools.partial(gathered_at, *self.later))
            self.whole = native_step(path, step, f"the objects of {path}")
        else:
            self.whole.steps[-1][1].others += (path,)

    def _fill(self, cls: type, path: Path, found: Outline) -> None:
        """Make the inputs for the columns of a store."""
        store, record = self.stores[cls], self.outlines[cls]
        whole, held = self.part(cls)
        by_path = found == Lists(Referred((cls,))) or issubclass(cls, Content)
        name = column_name(path) if by_path else cls.__name__.lower()
        objects = whole.child("item", 0)
        store.found = self.recorder.wrap(
            self.sources.input(Aval(Kind.OPAQUE), objects, "object"))
        store.found.value.hint = f"{name}_objects"
        forms = {n: self._form(p, held[0], n) for n, p in zip(
            record.names, record.parts, strict=True) if not isinstance(p, (Constant, Unread))}
        states = iter(self.opening.column_inputs(whole, [
            (f"{name}_{cls._fields[n] if hasattr(cls, '_fields') else n}{rest}", aval)
            for n, (_, named) in forms.items()
            for rest, aval in named], held))
        for n, (form, named) in forms.items():
            own = [next(states) for _ in named]
            self.inputs[cls, n] = [state.value for state in own]
            if isinstance(form, Rows) and isinstance(form.inner, Numbered):
                store.rows[n] = form.inner
            column = self.lists.holding(list, own[0] if n in store.rows or isinstance(
                form, Column) else Columns(form, tuple(own)))
            self.journal.older(column)
            store.columns[n] = column
            self.attributes.places[id(column)] = store, n
            if named[0][1].kind is Kind.ARRAY and form == Column():
                step = Reading(functools.partial(held_under, n))
                self.sources.array_lists.append((
                    native_step(objects, step, f"{path}.{n}"), held_under(n, held[0]), column))
        store.unread = {n for n, p in zip(record.names, record.parts, strict=True)
                        if isinstance(p, Unread)}
        store.fixed = {n: p.value for n, p in zip(record.names, record.parts, strict=True)
                       if isinstance(p, Constant)}
        self.journal.keep.append(store)


def _links(path: Path, columns: list[Any], told: list[bool]) -> list[tuple[Path, Any]]:
    """Those of some columns that tell which objects are there, and the ways to them."""
    return [(path.child("item", number), column) for number, (column, is_link) in enumerate(
        zip(columns, told, strict=True)) if is_link]


def _held(obj: Any, record: Record, numbered: Callable[[type], bool]) -> Iterator[Any]:
    """The lists, dicts and instances that an object holds itself."""
    for name, part in zip(record.names, record.parts, strict=True):
        if isinstance(part, (Record, Lists)):
            yield from held_objects(part_of(obj, name), numbered)


def _class_put(held: Any, value: Any) -> type | None:
    """The class of the things that may lie where all objects had one text, or None, before; None
    if nothing else was put there, or it cannot lie there."""
    if type(held) is str:
        other = type(value) is OpaqueTracer or (type(value) is str and value != held)
        return str if other else None
    stores, aval = stores_in(value) - {None}, leaf_aval(value)
    if stores and Unlinked not in stores:
        classes: list[type] = sorted((store.cls for store in stores), key=class_key)
        return classes[0]
    return None if aval is None else PUT_INSTEAD.get(aval.kind)


def _reached(found: Outline, obj: Any,
             numbered: Callable[[type], bool]) -> tuple[list[Any], dict[type, Record]]:
    """The objects that can be reached from one with this outline, and their outlines by class;
    :class:`Unlike` where those of a class have none in common."""
    met: dict[int, Any] = {}
    outlines: dict[type, Record] = {}
    todo: list[tuple[Outline, Any]] = [(found, obj)]
    for inner, one in todo:  # which grows meanwhile
        for cls, group in referred([one], inner):
            for other in group:
                if id(other) not in met:
                    met[id(other)] = other
                    made = outline_of_object(other, numbered)
                    outlines[cls] = common_record(outlines.get(cls, made), made)
                    todo.append((made, other))
    return list(met.values()), outlines
