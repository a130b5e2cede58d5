"""Outlines: what like objects from outside have in common.

The type of each number, and the classes and names of the tuples, dicts and instances around them.
Code that was generated for a list serves every list of the same outline, however long.
"""

from __future__ import annotations

import enum
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ...types.dataclasses import dataclass, replace
from ...types.subclasses import native_class, own_namespace
from ...types.tree import children
from ..boundary.input_arrays import kind_of_array
from ..objects.special_methods import python_method
from ..record.structures import record_fields
from .stores import class_key, kind_of

PLAIN = (bool, int, float, complex)
FIXED = (str, bytes, type(None))
DEEPEST = 8  # of structures that are looked into


class Unlike(LookupError):
    """Items have no common outline, or hold other things than numbers."""


@dataclass(frozen=True, slots=True)
class Number:
    """Numbers of one type; texts, or members of an enumeration; ``optional``: or None."""

    type: Any  # the type, or a weak reference to it
    optional: bool = False


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


@dataclass(frozen=True, slots=True)
class Referred:
    """Objects of some classes that are known by numbers; or, if ``optional``, None; or numbers
    of the type ``beside``."""

    classes: tuple[Any, ...]  # the classes in order, or weak references to them
    optional: bool = False
    beside: Any = None

    @property
    def names(self) -> list[str]:
        """For each class but the last, what tells its objects apart; before them None, and
        numbers."""
        told = [*["_is_number"] * (self.beside is not None),
                *(f"_is_{cls.__name__.lower()}" for cls in self.classes[:-1])]
        return ["_is_none", *told] if self.optional and told else told


@dataclass(frozen=True, slots=True)
class Unread:
    """What nobody reads: it need not be alike, and has so many columns of nothing."""

    columns: int = 0


Outline = Number | Constant | Arrays | Lists | Record | Referred | Unread


def is_plain(obj: Any) -> bool:
    """Is it a number, an array, a text or None?"""
    return type(obj) in (*PLAIN, *FIXED, np.ndarray) or isinstance(obj, np.generic)


def nowhere(cls: type) -> bool:
    """Objects of no class are known by numbers."""
    return False


def outline(obj: Any, numbered: Callable[[type], bool] = nowhere, depth: int = 0) -> Outline:
    """The outline of an item of a list; :class:`Unlike` if it has none.  Objects of ``numbered``
    classes are known by numbers.

    >>> outline([1, 2]) == Lists(Number(int))
    True
    """
    cls = type(obj)
    if cls in PLAIN or (isinstance(obj, np.generic) and obj.dtype.kind in "biufc"):
        return Number(cls)
    if cls in FIXED:
        return Constant(obj)
    if isinstance(obj, enum.Enum) and depth:
        return Number(cls)
    if cls is np.ndarray and kind_of_array(obj) is None and obj.dtype.isnative:
        return Arrays(obj.dtype, obj.shape)
    if numbered(kind_of(obj)):
        return Referred((kind_of(obj),))
    if depth > DEEPEST:
        raise Unlike
    if cls is list:
        found: Any = None
        for item in obj:
            found = _common_part(found, outline(item, numbered, depth + 1))
        if isinstance(found, Arrays) and depth:
            raise Unlike
        return Lists(Number(str) if isinstance(found, Constant) and type(found.value) is str
                     else found)
    names = names_in(obj)
    return Record(cls, names, tuple(
        [outline(p, numbered, depth + 1) for p in parts_in(obj, names)]))


def common_outline(first: Outline | None, second: Outline | None) -> Outline | None:
    """The outline of two items: lists in them may be empty."""
    if first is None or second is None or first == second:
        return second if first is None else first
    if isinstance(first, Lists) and isinstance(second, Lists):
        return Lists(_common_part(first.inner, second.inner))
    if isinstance(first, Record) and isinstance(second, Record) and (
            first.cls is second.cls and first.names == second.names):
        return Record(first.cls, first.names, tuple(map(_common_part, first.parts, second.parts)))
    if isinstance(first, Referred) or isinstance(second, Referred):
        one, other = map(_as_referred, (first, second))
        if one.beside in (None, other.beside) or other.beside is None:
            return referred_to({*one.classes, *other.classes}, one.optional or other.optional,
                               one.beside or other.beside)
    raise Unlike


def _common_part(first: Any, second: Any) -> Any:
    """The outline of two items of lists, or of what two hold under a name: texts may differ."""
    for one, other in ((first, second), (second, first)):
        if isinstance(one, Constant) and one != other and (
                isinstance(other, (Constant, Number)) and type(one.value) is (
                    other.type if isinstance(other, Number) else type(other.value))):
            return Number(type(one.value))
    return common_outline(first, second)


def _as_referred(found: Outline) -> Referred:
    """None and numbers as what may lie beside objects."""
    if isinstance(found, Number) and found.type in PLAIN:
        return Referred((), found.optional, found.type)
    if found == Constant(None):
        return Referred((), True)
    if not isinstance(found, Referred):
        raise Unlike
    return found


def referred_to(classes: Iterable[type], optional: bool = False, beside: Any = None) -> Referred:
    """Objects of some classes, which are always in the same order."""
    return Referred(tuple(sorted(classes, key=class_key)), optional, beside)


def outline_of_object(obj: Any, numbered: Callable[[type], bool]) -> Record:
    """The outline of an object that is known by a number: what it holds."""
    def part(held: Any) -> Outline:
        try:
            return outline(held, numbered, 1)
        except Unlike:
            return Unread()

    names = names_in(obj)
    return Record(kind_of(obj), names, tuple(map(part, parts_in(obj, names))))


def common_record(first: Record, second: Record) -> Record:
    """The outline of two objects of a class that are known by numbers: what else they do not have
    in common may not be read."""
    def part(a: Outline, b: Outline) -> Any:
        for one, other in ((a, b), (b, a)):
            if isinstance(one, Number) and one.type in PLAIN and (
                    other in (Constant(None), Number(one.type))):
                return Number(one.type, one.optional or other != one)
        try:
            return Unread() if Unread() in (a, b) else _common_part(a, b)
        except Unlike:
            return Unread()

    if first.names != second.names:
        raise Unlike
    return Record(first.cls, first.names, tuple(map(part, first.parts, second.parts)))


def names_in(obj: Any) -> tuple[Any, ...]:
    """The names of the parts of a tuple, of a dict with texts as keys, or of a plain instance."""
    cls = type(obj)
    if isinstance(obj, tuple) and (cls is tuple or hasattr(cls, "_fields")):
        return tuple(range(len(obj)))
    if cls is dict and all(type(key) is str for key in obj):
        return tuple(obj)
    names = None if native_class(cls) is not None else record_fields(obj)
    if names is None or any(python_method(obj, name) is not None for name in (
            "__getattribute__", "__getattr__")) or any(
            hasattr(type(getattr(cls, name, None)), "__set__") and (
                own_namespace(obj, None) is not None)
            for name in names):
        raise Unlike
    return names


def parts_in(obj: Any, names: tuple[Any, ...]) -> list[Any]:
    return [obj[name] if isinstance(obj, (tuple, dict)) else getattr(obj, name) for name in names]


def has_parts(found: Any, item: Any) -> bool:
    """Are the parts of an item, as trees have them, those of its outline?  Lists in it must hold
    what a derivative can be taken for: they tell how long they are."""
    if isinstance(found, Lists):
        return may_vary(found.inner) and all(has_parts(found.inner, one) for one in item)
    if not isinstance(found, Record):
        return True
    names = tuple(key for _, key, _ in children(item) or ())
    return names == getattr(type(item), "_fields", found.names) and all(
        map(has_parts, found.parts, parts_in(item, found.names)))


def leaves(found: Any) -> Iterator[Any]:
    """What lies in an outline of records and lists, and is none itself."""
    if isinstance(found, Record):
        for part in found.parts:
            yield from leaves(part)
    elif isinstance(found, Lists):
        yield from leaves(found.inner)
    else:
        yield found


def may_vary(found: Any) -> bool:
    """Are there numbers in an outline that a derivative can be taken for?"""
    return any(not part.optional and np.dtype(part.type).kind in "fc" if isinstance(part, Number)
               else isinstance(part, Arrays) and part.dtype.kind in "fc" for part in leaves(found))


def width(found: Any) -> int:
    """The number of columns of what has an outline."""
    return len(are_links(found))


def are_links(found: Any) -> list[bool]:
    """For each column, does it tell which objects are there?"""
    if isinstance(found, Record):
        return [told for part in found.parts for told in are_links(part)]
    if isinstance(found, Lists):
        return are_links(found.inner) if isinstance(found.inner, (Record, Referred)) else [False]
    if isinstance(found, Referred):
        return [*[True] * len(found.names), *[False] * (found.beside is not None), True]
    if isinstance(found, Unread):
        return [False] * found.columns
    return [] if isinstance(found, Constant) else [False] * (
        1 + (isinstance(found, Number) and found.optional))


def column_at(found: Any, steps: tuple[tuple[str, Any], ...]) -> int:
    """The number of the column in which a leaf of an item with an outline lies, by the steps to
    it."""
    if isinstance(found, Lists):
        return column_at(found.inner, steps[1:])
    if isinstance(found, Referred):
        return len(found.names)
    if not isinstance(found, Record):
        return int(isinstance(found, Number) and found.optional)
    cls, name = class_of(found), steps[0][1]
    place = found.names.index(cls._fields.index(name) if hasattr(cls, "_fields") else name)
    return sum(map(width, found.parts[:place])) + column_at(found.parts[place], steps[1:])


def class_of(found: Record | Number) -> Any:
    return _alive(found.type if isinstance(found, Number) else found.cls)


def classes_of(found: Referred) -> list[Any]:
    return [*map(_alive, found.classes)]


def _alive(cls: Any) -> Any:
    """A class, from a weak reference to it."""
    return cls() if isinstance(cls, weakref.ref) else cls


def has_columns(found: Record) -> bool:
    """Do objects hold anything that may differ?"""
    return any(not isinstance(part, (Constant, Unread)) for part in found.parts)


def is_numeric(found: Any) -> bool:
    """Are there neither texts that differ, nor what may not be read?"""
    return not any(isinstance(part, Unread) or (
        isinstance(part, Number) and part.type not in PLAIN
        and not issubclass(part.type, np.generic)) for part in leaves(found))


def refers(found: Any) -> bool:
    """Are there objects in an outline that are known by numbers?"""
    return any(isinstance(part, Referred) for part in leaves(found))


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
    if isinstance(found, Referred):
        return replace(found, classes=tuple(map(weakref.ref, found.classes)))
    if isinstance(found, Number) and issubclass(found.type, enum.Enum):
        return Number(weakref.ref(found.type))
    return found
