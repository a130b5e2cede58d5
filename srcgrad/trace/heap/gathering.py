"""Lists from outside, gathered column by column: one input for each number that their items hold.

What like items have in common is their *outline*: the type of each number, and the classes and
names of the tuples, dicts and instances around them.  Code that was generated for a list serves
every list of the same outline, however long.
"""

from __future__ import annotations

import itertools
import operator
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...types.guards import Native, Path
from ...types.kinds import Aval, Kind, aval_of, list_of
from ...types.subclasses import native_class
from ..boundary.input_arrays import kind_of_array
from ..objects.special_methods import python_method
from ..record.structures import rebuilder, record_fields
from .columns import Column, Fixed, Form, Parts, item_key

PLAIN = (bool, int, float, complex)
FIXED = (str, bytes, type(None))
DEEPEST = 8  # of structures that are looked into


class Unlike(LookupError):
    """Items have no common outline, or hold other things than numbers."""


@dataclass(frozen=True, slots=True)
class Number:
    """Numbers of one type."""

    type: type


@dataclass(frozen=True, slots=True)
class Constant:
    """The same text, or None."""

    value: Any


@dataclass(frozen=True, slots=True)
class Arrays:
    """Arrays of one dtype and shape; for later calls, of any one shape."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Lists:
    """Lists of what has one outline; None if all are empty."""

    inner: Any


@dataclass(frozen=True, slots=True)
class Record:
    """Tuples of one length, dicts of the same keys, or instances with the same attributes."""

    cls: Any  # the class, or a weak reference to it
    names: tuple[Any, ...]
    parts: tuple[Any, ...]


Outline = Number | Constant | Arrays | Lists | Record


def is_plain(obj: Any) -> bool:
    """Is it a number, an array, a text or None?"""
    return type(obj) in (*PLAIN, *FIXED, np.ndarray) or isinstance(obj, np.generic)


def outline(obj: Any, depth: int = 0) -> Outline:
    """The outline of an item of a list; :class:`Unlike` if it has none.

    >>> outline([1, 2]) == Lists(Number(int))
    True
    """
    cls = type(obj)
    if cls in PLAIN or (isinstance(obj, np.generic) and obj.dtype.kind in "biufc"):
        return Number(cls)
    if cls in FIXED:
        return Constant(obj)
    if cls is np.ndarray and kind_of_array(obj) is None and obj.dtype.isnative:
        return Arrays(obj.dtype, obj.shape)
    if depth > DEEPEST:
        raise Unlike
    if cls is list:
        found: Any = None
        for item in obj:
            found = _common(found, outline(item, depth + 1))
        if isinstance(found, Arrays):
            raise Unlike
        return Lists(found)
    names = _names(obj)
    return Record(cls, names, tuple([outline(p, depth + 1) for p in _parts(obj, names)]))


def _common(first: Outline | None, second: Outline | None) -> Outline | None:
    """The outline of two items: lists in them may be empty."""
    if first is None or second is None or first == second:
        return second if first is None else first
    if isinstance(first, Lists) and isinstance(second, Lists):
        return Lists(_common(first.inner, second.inner))
    if isinstance(first, Record) and isinstance(second, Record) and (
            first.cls is second.cls and first.names == second.names):
        return Record(first.cls, first.names, tuple(
            [_common(a, b) for a, b in zip(first.parts, second.parts, strict=True)]))
    raise Unlike


def _names(obj: Any) -> tuple[Any, ...]:
    """The names of the parts of a tuple, of a dict with texts as keys, or of a plain instance."""
    cls = type(obj)
    if isinstance(obj, tuple) and (cls is tuple or hasattr(cls, "_fields")):
        return tuple(range(len(obj)))
    if cls is dict and all(type(key) is str for key in obj):
        return tuple(obj)
    names = None if native_class(cls) is not None else record_fields(obj)
    if not names or any(python_method(obj, name) is not None for name in (
            "__getattribute__", "__getattr__")) or any(
            hasattr(type(getattr(cls, name, None)), "__set__") and hasattr(obj, "__dict__")
            for name in names):
        raise Unlike
    return names


def _parts(obj: Any, names: tuple[Any, ...]) -> list[Any]:
    return [obj[name] if isinstance(obj, (tuple, dict)) else getattr(obj, name) for name in names]


# ---- at each call ------------------------------------------------------------------------------
def columns(items: list[Any], found: Outline) -> list[list[Any]]:
    """The columns of items that have an outline, in lists of their own; :class:`Unlike` if they
    have another one.

    >>> columns([(1, 2.5), (3, -1.0)], Record(tuple, (0, 1), (Number(int), Number(float))))
    [[1, 3], [2.5, -1.0]]
    """
    if isinstance(found, Number):
        if {*map(type, items)} - {found.type}:
            raise Unlike
        return [[*items]]
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
        return [_own_lists(items, found)]
    cls = _class_of(found)
    if {*map(type, items)} - {cls} or not _are_named(items, found, cls):
        raise Unlike
    return [column for held, part in _parts_of(items, found) for column in columns(held, part)]


def _class_of(found: Record) -> Any:
    return found.cls() if isinstance(found.cls, weakref.ref) else found.cls


def _parts_of(items: list[Any], found: Record) -> Iterator[tuple[list[Any], Outline]]:
    """What items hold, name by name, and its outline."""
    reader: Any = (operator.itemgetter if issubclass(_class_of(found), (tuple, dict))
                   else operator.attrgetter)
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


def numbered_columns(items: list[Any], found: Outline) -> list[list[Any]]:
    """Objects, no two of which are one; their numbers; and their columns, with copies of arrays
    in C order."""
    if len({*map(id, items)}) < len(items):
        raise Unlike
    return [[*items], [*range(len(items))], *map(_own_arrays, columns(items, found))]


def _own_arrays(column: list[Any]) -> list[Any]:
    if type(column[0]) is not np.ndarray:
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
    if any(not hasattr(item, "__dict__") for item in items[:1]):
        return all(record_fields(item) == found.names for item in items)
    return not {*map(tuple, map(vars, items))} - {found.names}


def _own_lists(items: list[Any], found: Lists) -> list[Any]:
    """Lists of numbers, or of such lists, as copies."""
    if {*map(type, items)} - {list} or (found.inner is None and any(items)):
        raise Unlike
    if isinstance(found.inner, Lists):
        return [_own_lists(item, found.inner) for item in items]
    if found.inner is not None:
        columns([*itertools.chain.from_iterable(items)], found.inner)
    return [[*item] for item in items]


# ---- while tracing -----------------------------------------------------------------------------
def form_of_items(found: Outline, items: list[Any]) -> tuple[Form, list[tuple[str, Aval]]]:
    """The form of items with an outline, and for each column its name and the type of what it
    holds; :class:`Unlike` where lists hold other things than numbers."""
    example = items[0]
    if isinstance(found, Constant):
        return Fixed(example), []
    if isinstance(found, (Number, Arrays, Lists)):
        return Column(), [("", column_type(found))]
    rows = [_parts(item, found.names) for item in items[:1]]
    inner = [form_of_items(part, [row[i] for row in rows]) for i, part in enumerate(found.parts)]
    names = getattr(type(example), "_fields", found.names)
    named = [(f"_{name}{rest}", aval) for name, (_, columns) in zip(names, inner, strict=True)
             for rest, aval in columns]
    return Parts(item_key(example), rebuilder(example), [form for form, _ in inner]), named


def column_type(found: Any) -> Aval:
    """The type of what a column holds."""
    if isinstance(found, Number):
        return aval_of(found.type()).but(expr=None)
    if isinstance(found, Arrays):
        return Aval(Kind.ARRAY, found.dtype, found.shape)
    if isinstance(found, Lists):
        return list_of(None if found.inner is None else column_type(found.inner))
    raise Unlike


def columns_path(path: Path, found: Outline, reader: Any = columns) -> Path:
    """The way to the columns of a list."""
    step = Native(reader, ((Native.Place(0), weak(found)), {}), (), True, False, False)
    return Path(path.root, (*path.steps, ("native", step)), f"the columns of {path}")


def weak(found: Any) -> Any:
    """An outline for later calls, which does not keep classes of the user's alive."""
    if isinstance(found, Arrays):
        return Arrays(found.dtype, None)
    if isinstance(found, Lists):
        return Lists(weak(found.inner))
    if isinstance(found, Record):
        own = found.cls in (tuple, dict)
        return Record(found.cls if own else weakref.ref(found.cls), found.names,
                      tuple(map(weak, found.parts)))
    return found


def held_objects(items: Any) -> Iterator[Any]:
    """A list, and the lists, dicts and instances in it."""
    yield items
    for part in items if type(items) is list else _parts(items, _names(items)):
        if not is_plain(part):
            yield from held_objects(part)


def instances_in(item: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """The instances of classes in an item, and the ways to them."""
    if is_plain(item) or type(item) is list:
        return
    names = _names(item)
    kind = "item" if isinstance(item, (tuple, dict)) else "attr"
    for name, part in zip(names, _parts(item, names), strict=True):
        yield from instances_in(part, path.child(kind, name))
    if type(item) not in (tuple, dict):
        yield path, item


def parts_read(machine: Any, obj: Any) -> tuple[Any, ...]:
    """The parts of a tuple, dict or instance from outside, as the program would read them."""
    names = _names(obj)
    machine.sources.note_container(obj)
    read = machine.getitem if isinstance(obj, (tuple, dict)) else machine.getattr
    return tuple([read(obj, name) for name in names])


def column_name(path: Path) -> str:
    """A variable's name for what a path leads to."""
    named = [str(key) for kind, key in path.steps if kind in ("attr", "slot")]
    name = named[-1] if named else path.label.rpartition(".")[2] or str(path.root[1])
    return "".join(c if c.isalnum() else "_" for c in name).strip("_") or "items"
