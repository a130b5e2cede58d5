"""Lists and objects from outside, gathered column by column: one input for each number that they
hold.

Objects of some classes are known by numbers, and all that can be reached from some places are
gathered together (:func:`gathered`).
"""

from __future__ import annotations

import enum
import functools
import itertools
import operator
from collections.abc import Callable, Iterable, Iterator
from types import NoneType
from typing import Any

import numpy as np

from ...types.guards import Native, Path
from ...types.kinds import BOOL, INT, Aval, Kind, aval_of, list_of
from ...types.subclasses import own_namespace
from ...types.tree import children
from ..record.structures import rebuilder, record_fields
from .forms import Column, Fixed, Form, Parts, Rows, Several, item_key, nothing, objects_of
from .outlines import (
    Arrays,
    Constant,
    Lists,
    Number,
    Outline,
    Record,
    Referred,
    Unlike,
    Unread,
    class_of,
    classes_of,
    is_plain,
    names_in,
    parts_in,
    refers,
    weak,
)
from .stores import NONE, Store, are_contents, kind_of, part_of, python_class
from .unlike import NUMBER, Sort

Numbers = dict[Any, dict[int, int]]  # of objects, by class and id
NONE_AT = id(None)


# ---- at each call ------------------------------------------------------------------------------
def columns(items: list[Any], found: Outline, numbers: Numbers | None = None) -> list[list[Any]]:
    """The columns of items that have an outline, in lists of their own; :class:`Unlike` if they
    have another one.

    >>> columns([(1, 2.5), (3, -1.0)], Record(tuple, (0, 1), (Number(int), Number(float))))
    [[1, 3], [2.5, -1.0]]
    """
    if isinstance(found, Number):
        if found.optional:
            missing = [i is None for i in items]
            items = [found.type() if i is None else i for i in items]
        if {*map(type, items)} - {class_of(found)}:
            raise Unlike
        return [missing, items] if found.optional else [[*items]]
    if isinstance(found, Constant):
        if any(type(i) is not type(found.value) or i != found.value for i in items):
            raise Unlike
        return []
    if isinstance(found, Arrays):
        if {*map(type, items)} - {np.ndarray} or any(
                i.dtype != found.dtype or i.shape != items[0].shape for i in items):
            raise Unlike
        return [[*items]]
    if isinstance(found, Lists):
        return _own_lists(items, found, numbers)
    if isinstance(found, Unread):
        return [[] for _ in range(found.columns)]
    if isinstance(found, Referred):
        return _numbered(items, found, numbers or {})
    check_items(items, found)
    return [column for held, part in _parts_of(items, found)
            for column in columns(held, part, numbers)]


def check_items(items: list[Any], found: Record) -> None:
    """:class:`Unlike` if items are not of the class of an outline, with its names."""
    cls = python_class(class_of(found))
    if {*map(type, items)} - {cls} or not _are_named(items, found, cls):
        raise Unlike


def _numbered(items: list[Any], found: Referred, numbers: Numbers) -> list[list[Any]]:
    """For objects of some classes, whether they are of each class but the last, None, or numbers;
    the numbers beside them; and those of the objects."""
    classes, beside = classes_of(found), found.beside
    known = {**({NONE_AT: NONE} if found.optional else {}), **numbers[classes[0]]}
    if len(classes) == 1 and beside is None:
        return [[known[id(i)] for i in items]]
    for cls in classes[1:]:
        known.update(numbers[cls])
    kinds = [*map(kind_of, items)]
    told = [NoneType] * found.optional + [beside] * (beside is not None) + classes[:-1]
    values = [] if beside is None else [
        [i if kind is beside else beside() for i, kind in zip(items, kinds, strict=True)]]
    return [*([kind is cls for kind in kinds] for cls in told), *values,
            [0 if kind is beside else known[id(i)] for i, kind in zip(items, kinds, strict=True)]]


def _reader(found: Record) -> Any:
    """What makes what reads the part of an item with a name."""
    cls = class_of(found)
    return operator.itemgetter if are_contents(cls) or cls is dict else operator.attrgetter


def _parts_of(items: list[Any], found: Record) -> Iterator[tuple[list[Any], Outline]]:
    """What items hold, name by name, and its outline."""
    reader = _reader(found)
    for name, part in zip(found.names, found.parts, strict=True):
        yield [*map(reader(name), items)], part


def holds(items: list[Any], found: Outline, obj: Any) -> bool:
    """Is an object one of some items, or in them?"""
    if not isinstance(found, (Record, Lists)):
        return False
    if any(item is obj for item in items):
        return True
    if isinstance(found, Record):
        return any(holds(held, part, obj) for held, part in _parts_of(items, found))
    return holds([*itertools.chain.from_iterable(items)], found.inner, obj)


def referred(items: list[Any], found: Outline) -> Iterator[tuple[type, list[Any]]]:
    """The objects that are known by numbers in some items, class by class."""
    if isinstance(found, Referred):
        classes = classes_of(found)
        held = [i for i in items if not (found.optional and i is None) and (
            type(i) is not found.beside)]
        if len(classes) == 1:
            yield classes[0], held
            return
        for cls in classes:
            yield cls, [i for i in held if kind_of(i) is cls]
    elif isinstance(found, Lists) and found.inner is not None:
        if {*map(type, items)} - {list}:
            raise Unlike
        yield from referred([*itertools.chain.from_iterable(items)], found.inner)
    elif isinstance(found, Record):
        check_items(items, found)
        for held, part in _parts_of(items, found):
            yield from referred(held, part)


def gathered(outlines: Iterable[Record], roots: Iterable[tuple[Outline, Any]]) -> list[list[Any]]:
    """For each outline of a class all objects of that class which can be reached from some roots;
    their numbers by their ids; and their columns, with copies of arrays in C order.

    >>> class Node: pass
    >>> node = Node(); node.w, node.next = 1.5, node
    >>> (objects, numbers, *columns), = gathered(
    ...     [Record(Node, ("w", "next"), (Number(float), Referred((Node,))))],
    ...     [(Referred((Node,)), node)])
    >>> objects == [node], columns
    (True, [[1.5], [0]])
    """
    known = {class_of(found): found for found in outlines}
    numbers: Numbers = {cls: {} for cls in known}
    objects: dict[Any, list[Any]] = {cls: [] for cls in known}
    leading = {cls: _leading(found) for cls, found in known.items()}
    todo: list[tuple[type, Any]] = []

    def meet(cls: type, group: Iterable[Any]) -> None:
        numbered, held = numbers[cls], objects[cls]
        for obj in group:
            if id(obj) not in numbered:
                numbered[id(obj)] = len(held)
                held.append(obj)
                todo.append((cls, obj))

    for found, obj in roots:
        for cls, group in referred([obj], found):
            meet(cls, group)
    for cls, obj in todo:  # which grows meanwhile
        for read, part in leading[cls]:
            for inner, group in referred([read(obj)], part):
                meet(inner, group)
    return [[objects[cls], numbers[cls],
             *map(_own_arrays, columns(objects[cls], found, numbers))]
            for cls, found in known.items()]


def _leading(found: Record) -> list[tuple[Callable[[Any], Any], Outline]]:
    """What reads from an object what leads to others, and its outline."""
    reader = _reader(found)
    return [(reader(name), part) for name, part in zip(found.names, found.parts, strict=True)
            if refers(part)]


class Reading(Native):
    """A step that reads objects found at some paths; there is nothing where it fails."""

    def __init__(self, function: Callable[..., Any], others: tuple[Path, ...] = ()) -> None:
        super().__init__(function, ((Native.Place(0),), {}), others, True, False, False)

    def __call__(self, *found: Any) -> Any:
        try:
            return self.function(*found)
        except Exception as error:
            raise LookupError(str(error)) from error


def gathered_at(outlines: list[Record], roots: list[Outline], *found: Any) -> list[list[Any]]:
    """What is gathered from what is found at the roots' places."""
    return gathered(outlines, zip(roots, found, strict=True))


def number_of(place: int, whole: list[list[Any]], obj: Any) -> int:
    """The number of an object of the class at a place."""
    number: int = whole[place][1][id(obj)]
    return number


def rows_in(items: list[Any]) -> list[Any]:
    """The rows of a list of rows, and those in them."""
    found = [*items]
    for row in found:  # which grows meanwhile
        found += [inner for inner in row if type(inner) is list]
    return found


def are_distinct(items: list[Any]) -> bool:
    """Are the rows of a list lists of their own?"""
    found = rows_in(items)
    return len({*map(id, found)}) == len(found)


def is_row(items: list[Any], obj: Any) -> bool:
    """Is a list a row of another?"""
    return any(row is obj for row in rows_in(items))


def are_apart(objects: list[Any], name: str) -> bool:
    """Does each object hold lists of its own under a name?"""
    return are_distinct(held_under(name, objects))


def is_held(objects: list[Any], name: str, obj: Any) -> bool:
    """Is a list one of those that objects hold under a name?"""
    return is_row(held_under(name, objects), obj)


def are_numbered(objects: list[Any], items: list[Any]) -> bool:
    """Are items all the objects that were gathered, in this order?"""
    return [*map(id, objects)] == [*map(id, items)]


def links(*found: Any) -> tuple[Any, ...]:
    """Numbers, and columns of them, by which objects refer to one another, as a constant."""
    return tuple([links(*one) if type(one) is list else one for one in found])


def numbers_met(whole: list[list[Any]], obj: Any) -> tuple[tuple[int, int], ...]:
    """The classes, by their places, and numbers of all gathered objects in a structure."""
    known = {key: (place, number) for place, part in enumerate(whole)
             for key, number in part[1].items()}
    todo = [obj]
    for one in todo:  # which grows meanwhile
        todo += [part for _, _, part in children(one) or ()]
    return tuple([known[id(one)] for one in todo if id(one) in known])


def numbered_columns(outlines: list[Record], found: Outline, whole: list[list[Any]],
                     items: list[Any]) -> list[list[Any]]:
    """The columns of items that refer to objects which are known by numbers."""
    return columns(items, found, {
        class_of(of): part[1] for of, part in zip(outlines, whole, strict=True)})


def held_under(name: str, objects: list[Any]) -> list[Any]:
    """What objects hold under a name."""
    return [part_of(obj, name) for obj in objects]


def held_in(found: dict[Any, Any], levels: int) -> list[Any]:
    """What a dict holds, or the dicts in it, in order.

    >>> held_in({"a": {1: 2.0}, "b": {1: 3.0, 2: 4.0}}, 2)
    [2.0, 3.0, 4.0]
    """
    values = [*found.values()]
    return values if levels == 1 else [one for inner in values for one in held_in(inner, 1)]


def places_in(found: dict[Any, Any], levels: int) -> dict[Any, Any]:
    """The keys of a dict, or of the dicts in it, with their numbers.

    >>> places_in({"a": {1: 2.0}, "b": {1: 3.0, 2: 4.0}}, 2)
    {'a': {1: 0}, 'b': {1: 1, 2: 2}}
    """
    if levels == 1:
        return {key: i for i, key in enumerate(found)}
    made: dict[Any, Any] = {}
    count = 0
    for key, inner in found.items():
        made[key] = {k: count + i for i, k in enumerate(inner)}
        count += len(inner)
    return made


def kinds_of_keys(found: dict[Any, Any], levels: int) -> Any:
    """The names of the types of keys, level by level; and of the types of the dicts in a dict.

    >>> kinds_of_keys({("a", 1): 2.0, 3: 4.0}, 1)
    ('(str, int)', 'int')
    """
    def name(obj: Any) -> str:
        if type(obj) is tuple:
            return f"({', '.join(map(name, obj))})"
        cls = type(obj)
        return cls.__qualname__ if cls.__module__ == "builtins" else (
            f"{cls.__module__}.{cls.__qualname__}")

    own = tuple(sorted({*map(name, found)}))
    return own if levels == 1 else (
        own, tuple(sorted({type(inner).__name__ for inner in found.values()})),
        tuple(sorted({name(key) for inner in found.values() for key in inner})))


def _own_arrays(column: list[Any]) -> list[Any]:
    if not column or type(column[0]) is not np.ndarray:
        return column
    if not all(array.flags.c_contiguous for array in column):
        raise Unlike
    return [array.copy() for array in column]


def _are_named(items: list[Any], found: Record, cls: type) -> bool:
    """Have items these parts, and no others?"""
    if issubclass(cls, tuple):
        return not {*map(len, items)} - {len(found.names)}
    if cls is dict:
        return not {*map(tuple, items)} - {found.names}
    if any(own_namespace(item, None) is None for item in items[:1]):
        return all(record_fields(item) == found.names for item in items)
    return not {*map(tuple, map(vars, items))} - {found.names}


def _own_lists(items: list[Any], found: Lists, numbers: Numbers | None) -> list[list[Any]]:
    """Lists as copies: of numbers or of such lists, or for lists of records, a list of lists for
    each part."""
    if {*map(type, items)} - {list} or (found.inner is None and any(items)):
        raise Unlike
    if found.inner is None:
        return [[[*item] for item in items]]
    ends = [*itertools.accumulate(map(len, items), initial=0)]
    return [[column[start:end] for start, end in itertools.pairwise(ends)]
            for column in columns([*itertools.chain.from_iterable(items)], found.inner, numbers)]


# ---- while tracing -----------------------------------------------------------------------------
def form_of_items(found: Outline, items: list[Any], store: Callable[[type], Store] | None = None,
                  ) -> tuple[Form, list[tuple[str, Aval]]]:
    """The form of items with an outline, and for each column its name and the type of what it
    holds; :class:`Unlike` where lists hold other things than numbers.  ``store`` gives the store of
    a class of objects that are known by numbers."""
    if not items:
        raise Unlike  # nothing shows what it is made of
    example = items[0]
    if isinstance(found, Constant):
        return Fixed(example), []
    if isinstance(found, Referred) and store is not None:
        beside = [] if found.beside is None else [("_number", column_type(Number(found.beside)))]
        return objects_of([*map(store, found.classes)], found.optional, bool(beside)), [
            *((name, BOOL) for name in found.names), *beside, ("", INT)]
    if isinstance(found, Lists) and isinstance(found.inner, (Record, Referred)):
        form, named = form_of_items(found.inner, [*itertools.chain.from_iterable(items)], store)
        return Rows(form), [(name, list_of(aval)) for name, aval in named]
    if isinstance(found, Number) and found.optional:
        return (Several([nothing(), Sort(NUMBER)]),
                [("_is_none", BOOL), ("", column_type(found))])
    if isinstance(found, (Number, Arrays, Lists)):
        return Column(), [("", column_type(found))]
    if not isinstance(found, Record):
        raise Unlike
    rows = [parts_in(item, found.names) for item in items[:1]]
    inner = [form_of_items(part, [row[i] for row in rows], store)
             for i, part in enumerate(found.parts)]
    names = getattr(type(example), "_fields", found.names)
    named = [(f"_{name}{rest}", aval) for name, (_, columns) in zip(names, inner, strict=True)
             for rest, aval in columns]
    return Parts(item_key(example), rebuilder(example), [form for form, _ in inner]), named


def column_type(found: Any) -> Aval:
    """The type of what a column holds."""
    if isinstance(found, Number):
        return aval_of(next(iter(found.type)) if issubclass(
            found.type, enum.Enum) else found.type()).but(expr=None)
    if isinstance(found, Arrays):
        return Aval(Kind.ARRAY, found.dtype, found.shape)
    if isinstance(found, Lists):
        return list_of(None if found.inner is None else column_type(found.inner))
    raise Unlike


def columns_path(path: Path, found: Outline) -> Path:
    """The way to the columns of a list."""
    step = Reading(functools.partial(columns, found=weak(found)))
    return native_step(path, step, f"the columns of {path}")


def native_step(path: Path, step: Native, label: str) -> Path:
    """The way to what Python gives for what a path leads to."""
    return Path(path.root, (*path.steps, ("native", step)), label)


def held_objects(items: Any, numbered: Callable[[type], bool]) -> Iterator[Any]:
    """A list, and the lists, dicts and instances in it that are not known by numbers."""
    yield items
    for part in items if type(items) is list else parts_in(items, names_in(items)):
        if not is_plain(part) and not numbered(kind_of(part)):
            yield from held_objects(part, numbered)


def instances_in(item: Any, path: Path, numbered: Callable[[type], bool],
                 ) -> Iterator[tuple[Path, Any]]:
    """The instances of classes in an item, and the ways to them."""
    if is_plain(item) or type(item) is list or numbered(kind_of(item)):
        return
    names = names_in(item)
    kind = "item" if isinstance(item, (tuple, dict)) else "attr"
    for name, part in zip(names, parts_in(item, names), strict=True):
        yield from instances_in(part, path.child(kind, name), numbered)
    if type(item) not in (tuple, dict):
        yield path, item


def parts_read(machine: Any, obj: Any) -> tuple[Any, ...]:
    """The parts of a tuple, dict or instance from outside, as the program would read them."""
    names = names_in(obj)
    machine.sources.note_container(obj)
    read = machine.getitem if isinstance(obj, (tuple, dict)) else machine.getattr
    return tuple([read(obj, name) for name in names])


def column_name(path: Path) -> str:
    """A variable's name for what a path leads to."""
    named = [str(key) for kind, key in path.steps if kind in ("attr", "slot")]
    name = named[-1] if named else path.label.rpartition(".")[2] or str(path.root[1])
    return "".join(c if c.isalnum() else "_" for c in name).strip("_") or "items"
