"""Forms of keys that are only known at run time: types of numbers, and of what class tuples are.

A run-time dict has frozen dataclasses that compare by their fields as tuples of these: all keys of
a dict are of one class then.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from types import FunctionType
from typing import Any

import numpy as np

from ...types.dataclasses import is_frozen
from ...types.kinds import OPAQUE, SCALARS, Aval, Kind, aval_of
from ...types.tree import blank
from ..record.tracers import is_tracer


class NamedForm(tuple[Any, ...]):
    """The form of keys that are named tuples, or records, of a class."""

    cls: Any

    @classmethod
    def of(cls, named: type, parts: Iterable[Any]) -> NamedForm:
        made = cls(parts)
        made.cls = named
        return made

    def __eq__(self, other: object) -> bool:
        return type(other) is NamedForm and self.cls is other.cls and tuple.__eq__(self, other)

    def __hash__(self) -> int:
        return hash((self.cls, *self))


def joined(form: Any, other: Any) -> Any:
    """The form of keys that have one of two forms: the type of a value, or a tuple of forms."""
    if form == other or form is None:
        return other
    if isinstance(form, tuple) and isinstance(other, tuple) and len(form) == len(other):
        named = {f.cls for f in (form, other) if type(f) is NamedForm}
        if len(named) < 2:
            parts = tuple(joined(f, o) for f, o in zip(form, other, strict=True))
            return NamedForm.of(named.pop(), parts) if named else parts
    if isinstance(form, Aval) and isinstance(other, Aval) and form.dtype == other.dtype and (
            {form.kind, other.kind} <= SCALARS):
        return Aval(Kind.NUMBER, form.dtype)
    return OPAQUE


def has_classes_of(form: Any, key: Any) -> bool:
    """Is a key, with its parts, of the classes that keys of a form have?"""
    parts = parts_of_key(key)
    if parts is None:
        return not has_records(form)
    if not isinstance(form, tuple):
        return type(key) is tuple
    return getattr(form, "cls", tuple) is type(key) and all(map(has_classes_of, form, parts))


def is_record(cls: type) -> bool:
    """Is it a frozen dataclass whose objects are equal, and have one hash, where all their fields
    are equal, by the methods that the decorator makes?"""
    made = [vars(cls).get(name) for name in ("__eq__", "__hash__")]
    return "__dataclass_params__" in vars(cls) and is_frozen(cls) and all(
        isinstance(one, FunctionType) and one.__code__.co_filename == "<string>" for one in made
        ) and all(f.compare and f.hash is None for f in fields(cls))


def parts_of_key(key: Any) -> tuple[Any, ...] | None:
    """The parts of a key that is a tuple or a record; None for other keys."""
    if isinstance(key, tuple):
        return key
    if is_tracer(key) or not is_record(type(key)):
        return None
    return tuple([getattr(key, f.name) for f in fields(key)])


def has_records(form: Any) -> bool:
    """Are keys of this form records, or tuples with records in them?"""
    return isinstance(form, tuple) and (
        not issubclass(getattr(form, "cls", tuple), tuple) or any(map(has_records, form)))


def form_of_key(key: Any) -> Any:
    """The type of a key, or those of its parts."""
    parts = parts_of_key(key)
    if parts is not None:
        inner = tuple(map(form_of_key, parts))
        return inner if type(key) is tuple else NamedForm.of(type(key), inner)
    found: Aval = key.aval if is_tracer(key) else aval_of(key) if isinstance(
        key, (bool, int, float, np.integer)) else OPAQUE
    return found.but(expr=None)


def as_tuples(key: Any) -> Any:
    """A key as the run-time dict has it: tuples in the place of records."""
    parts = parts_of_key(key)
    if parts is None:
        return key
    inner = [as_tuples(part) for part in parts]
    if isinstance(key, tuple) and all(a is b for a, b in zip(inner, parts, strict=True)):
        return key
    return type(key)(*inner) if hasattr(type(key), "_fields") else tuple(inner)


def key_of(cls: Any, parts: list[Any]) -> Any:
    """A key of a class, as the program sees it."""
    if issubclass(cls, tuple):
        return tuple.__new__(cls, parts)
    made = blank(cls)
    for field, part in zip(fields(cls), parts, strict=True):
        object.__setattr__(made, field.name, part)
    return made
