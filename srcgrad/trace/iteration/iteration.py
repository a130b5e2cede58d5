"""What a staged ``for`` can run over: things with a length and an item for each index."""

from __future__ import annotations

import collections.abc
import functools
import types
from collections.abc import Iterator
from typing import Any, cast

from ...types.dataclasses import dataclass, field
from ...types.kinds import SCALARS, Kind
from ..heap.written_out import column, narrowest
from ..numpy.written_out import Flat
from ..objects.special_methods import class_name
from ..record.structures import VIEWS
from ..record.tracers import ArrayTracer, Choice, Tracer, is_tracer
from .elements import NdIter


class Staged:
    """Base of iterables that stand for Python's while tracing."""

    __slots__ = ()


@dataclass(slots=True)
class Range(Staged):
    """``range(start, stop, step)`` with traced parts."""

    start: Any
    stop: Any
    step: Any


@dataclass(slots=True)
class Rows(Staged):
    """An array: its rows (or its numbers)."""

    array: Any


@dataclass(slots=True)
class Entries(Staged):
    """The keys, values or items of a dict whose keys depend on data, each with whether it is
    there; ``list`` holds those that are, once it is asked for.  ``ordered``: do they come in
    this order on every path?  ``part``: of what of the dict they are, as long as they are in its
    order."""

    items: list[tuple[Any, Any]]
    ordered: bool
    source: Any
    part: str = ""
    list: Any = None


@dataclass(slots=True)
class Turns(Staged):
    """The items of a part of a dict, or of a set, as they were when its iterator was made, with
    its keys then."""

    owner: Any
    part: str
    items: list[Any]
    start: tuple[tuple[Any, Any], ...]


@dataclass(slots=True)
class Items(Staged):
    """A list of unknown length."""

    list: Any


@dataclass(slots=True)
class Numbers(Items):
    """A list of known numbers, or a known text."""

    numbers: tuple[Any, ...]


@dataclass(slots=True)
class Zip(Staged):
    parts: tuple[Any, ...]
    strict: bool = False


@dataclass(slots=True)
class Enumerate(Staged):
    inner: Any
    start: Any = 0


@dataclass(slots=True)
class Reversed(Staged):
    inner: Any


@dataclass(slots=True)
class Mapped(Staged):
    """``map(function, *parts)``."""

    function: Any
    parts: tuple[Any, ...]


@dataclass(slots=True)
class Cursor(Staged):
    """An iterator: a sequence and the position of its next item (a slot in the journal).
    ``kept``: it has a name; ``shared``: something may have taken a part of its items; ``ahead``:
    what was read to compute them before they are taken."""

    inner: Any
    position: Any = 0
    kept: bool = False
    shared: Any = False
    ahead: Any = field(default=None, compare=False)


@dataclass(slots=True)
class Transposed(Staged):
    """``*rows`` as the argument of ``zip``: the columns of a list of unknown length."""

    rows: Any


def cursor_of(obj: Any) -> Any:
    """The iterator that an object is: ``x.flat`` with a name keeps one."""
    return obj.cursor if type(obj) is Flat and obj.cursor is not None else obj


def staged_iterable(machine: Any, obj: Any) -> Any:
    """The staged form of an iterable that depends on traced values; None for the others."""
    obj = cursor_of(obj)
    if isinstance(obj, Staged):
        return obj
    if type(obj) is ArrayTracer:
        return Rows(obj)
    if type(obj) in (Flat, NdIter):
        return staged_iterable(machine, machine.call_method(obj, "elements"))
    obj = machine.references.seen(obj) if type(obj) is list else obj
    if isinstance(obj, list) and id(obj) in machine.symbolic_lists:
        return Items(obj)
    if isinstance(obj, Tracer) and is_tracer(obj):
        if obj.aval.kind in SCALARS and not obj.aval.optional:
            raise TypeError(f"{class_name(obj.__class__)!r} object is not iterable")
        return Items(obj) if obj.aval.kind in (Kind.LIST, Kind.OPAQUE) else Rows(obj)
    long = machine.opening.open_long(obj) if type(obj) is list else None
    return None if long is None else Items(long)


def opened(machine: Any, obj: Any) -> Any:
    """What iteration runs over: for an object with an ``__iter__`` in Python, what that gives."""
    if isinstance(obj, Staged):
        return obj
    method = machine.operators.special_method(obj, "__iter__")
    if method is None or hasattr(type(obj), "__next__"):
        return obj
    if method is collections.abc.Sequence.__iter__:  # it asks for items until there are no more
        size = machine.call(len, obj)
        return obj if not is_tracer(size) else Mapped(
            types.MethodType(type(obj).__getitem__, obj), (Range(0, size, 1),))
    return machine.call(method, obj)


def static_items(machine: Any, obj: Any) -> list[Any] | None:
    """The items of an iterable whose number is known now; None if it depends on the call."""
    found = lazy_items(machine, obj)
    return None if found is None else list(found)


def lazy_items(machine: Any, obj: Any) -> Iterator[Any] | None:
    """The same items, each computed when it is taken."""
    if isinstance(obj, Range):
        parts = (obj.start, obj.stop, obj.step)
        return iter(range(*parts)) if all(type(p) is int for p in parts) else None
    if isinstance(obj, Rows):
        size = machine.length(obj.array)
        return (machine.getitem(obj.array, i) for i in range(size)) if type(size) is int else None
    if isinstance(obj, Numbers):
        return iter(obj.numbers)
    if isinstance(obj, Enumerate):
        inner = lazy_items(machine, obj.inner)
        return None if inner is None else (
            (machine.binary("+", obj.start, i), x) for i, x in enumerate(inner))
    if isinstance(obj, Reversed):
        items = static_items(machine, obj.inner)
        return None if items is None else iter(items[::-1])
    if isinstance(obj, Zip):
        return _lazy_rows(machine, obj)
    if isinstance(obj, Mapped):
        rows = _lazy_rows(machine, Zip(obj.parts))
        return None if rows is None else (machine.call(obj.function, *p) for p in rows)
    if isinstance(obj, Cursor):
        machine.cursors.check_ahead(obj)
        inner = lazy_items(machine, obj.inner)
        if inner is None or type(obj.position) is not int:
            return None
        size = length(machine, obj.inner)
        return (item(machine, obj.inner, i) for i in range(obj.position, size)) if (
            obj.position) else inner
    if isinstance(obj, Turns):
        return (item(machine, obj, i) for i in range(length(machine, obj)))
    if isinstance(obj, Staged) or is_tracer(obj) or type(obj) is Choice:
        return None
    return iter(list(machine.containers.outside_items(obj)))


def _lazy_rows(machine: Any, obj: Zip) -> Iterator[Any] | None:
    columns = [lazy_items(machine, p) for p in obj.parts]
    if any(c is None for c in columns):
        return None
    return zip(*cast(Any, columns), strict=obj.strict)


def _at_start(cursor: Cursor) -> bool:
    """Is nothing taken from an iterator yet?"""
    return type(cursor.position) is int and cursor.position == 0


def length(machine: Any, obj: Any) -> Any:
    """The number of items: an int or a traced int."""
    if isinstance(obj, Range):
        return machine.range_length(obj.start, obj.stop, obj.step)
    if isinstance(obj, Rows):
        return machine.length(obj.array)
    if isinstance(obj, Entries):
        return machine.length(machine.contents.listed_entries(obj))
    if isinstance(obj, Turns):
        machine.walks.check(obj.owner, obj.start)
        return len(obj.items)
    if isinstance(obj, Transposed):
        return machine.call(narrowest, obj.rows)
    if isinstance(obj, Numbers) and is_tracer(obj.list):
        return len(obj.numbers)
    if isinstance(obj, Items) and type(obj.list) is not Choice:
        return machine.length(obj.list)
    if isinstance(obj, Items):  # of one of two lists
        return machine.call(len, obj.list)
    if isinstance(obj, (Enumerate, Reversed)):
        return length(machine, obj.inner)
    if isinstance(obj, Cursor):
        machine.cursors.check_ahead(obj)
        size = length(machine, obj.inner)
        return size if _at_start(obj) else machine.binary("-", size, obj.position)
    if isinstance(obj, (Zip, Mapped)):
        sizes = [length(machine, p) for p in obj.parts]
        result = sizes[0]
        for size in sizes[1:]:
            if not _equal(result, size):
                result = machine.call(min, result, size)
        return result
    if type(obj) is Choice:
        return machine.call(len, obj)
    return machine.length(obj) if type(obj) is list else len(machine.references.loaded(obj))


def are_equally_long(machine: Any, rows: Zip) -> bool:
    """Have all parts surely one length?"""
    first, *others = (length(machine, p) for p in rows.parts)
    return all(_equal(first, size) for size in others)


def _equal(a: Any, b: Any) -> bool:
    if type(a) is int and type(b) is int:
        return a == b
    return is_tracer(a) and is_tracer(b) and a.aval.expr is not None and (
        a.aval.expr == b.aval.expr)


def sliced(machine: Any, obj: Range, key: slice) -> Range:
    """``range(...)[key]``, by the rules of ``slice.indices``."""
    size, step = length(machine, obj), 1 if key.step is None else key.step
    low, high = (0, size) if step > 0 else (-1, machine.binary("-", size, 1))

    def bound(given: Any, default: Any) -> Any:
        if given is None:
            return default
        if type(given) is int:
            given = machine.binary("+", size, given) if given < 0 else given
        else:
            given = machine.if_expression(machine.compare("<", given, 0),
                                          lambda: machine.binary("+", size, given), lambda: given)
        return machine.call(min, machine.call(max, given, low), high)

    start, stop = (bound(key.start, low), bound(key.stop, high)) if step > 0 else (
        bound(key.start, high), bound(key.stop, low))
    first, last = (machine.binary("+", obj.start, machine.binary("*", end, obj.step))
                   for end in (start, stop))
    return Range(first, last, obj.step * step)


def item(machine: Any, obj: Any, index: Any) -> Any:
    """Item number ``index`` (counted from 0, traced or not)."""
    if isinstance(obj, Range):
        if type(obj.start) is int and obj.start == 0 and type(obj.step) is int and obj.step == 1:
            return index
        if type(index) is int and index == 0:
            return obj.start
        scaled = index if type(obj.step) is int and obj.step == 1 else machine.binary(
            "*", index, obj.step)
        return machine.binary("+", obj.start, scaled)
    if isinstance(obj, Rows):
        return machine.getitem(obj.array, index)
    if isinstance(obj, Entries):
        return machine.getitem(machine.contents.listed_entries(obj), index)
    if isinstance(obj, Turns):
        index = machine.keys.static_key(index)
        return machine.walks.turn(obj.owner, obj.part, obj.start[index][0], obj.items[index])
    if isinstance(obj, Transposed):
        return machine.tuples.as_tuple(machine.call(column, obj.rows, index))
    if isinstance(obj, Items):
        return machine.getitem(obj.list, index)
    if isinstance(obj, Enumerate):
        number = index if type(obj.start) is int and obj.start == 0 else machine.binary(
            "+", obj.start, index)
        return (number, item(machine, obj.inner, index))
    if isinstance(obj, Reversed):
        last = machine.binary("-", length(machine, obj.inner), 1)
        return item(machine, obj.inner, machine.binary("-", last, index))
    if isinstance(obj, Zip):
        return _row(machine, obj.parts, index)
    if isinstance(obj, Mapped):
        return machine.call(obj.function, *_row(machine, obj.parts, index))
    if isinstance(obj, Cursor):
        machine.cursors.check_ahead(obj)
        return item(machine, obj.inner, index if _at_start(obj) else machine.binary(
            "+", index, obj.position))
    if isinstance(obj, VIEWS):  # of a dict that may change meanwhile
        obj = machine.containers.made(list(machine.iterate(obj)))
    return machine.getitem(obj, index)


def _row(machine: Any, parts: tuple[Any, ...], index: Any) -> tuple[Any, ...]:
    """Item number ``index`` of each part.  Of one that is longer than a later part Python takes
    one more in the end, which nobody may notice."""
    if not any(map(is_computed, parts[:-1])):
        return tuple([item(machine, p, index) for p in parts])
    sizes = [length(machine, p) for p in parts]
    found = []
    for i, part in enumerate(parts):
        take = functools.partial(item, machine, part, index)
        even = not is_computed(part) or all(_equal(sizes[i], size) for size in sizes[i + 1:])
        found.append(take() if even else machine.cursors.unnoticed(take))
    return tuple(found)


def is_computed(part: Any) -> bool:
    """Does a function of the program make the items?"""
    if isinstance(part, Zip):
        return any(map(is_computed, part.parts))
    return isinstance(part, Mapped) or (
        isinstance(part, (Cursor, Enumerate, Reversed)) and is_computed(part.inner))
