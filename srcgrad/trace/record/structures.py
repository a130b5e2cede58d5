"""What states are made of: the parts of containers and instances."""

from __future__ import annotations

import enum
import functools
import gc
import types
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.polynomial._polybase import ABCPolyBase

from ...graph.ir import Value
from ...stage.machine import UNBOUND
from ...types.dataclasses import is_frozen
from ...types.kinds import SCALARS, Aval, aval_of, in_words
from ...types.subclasses import assembled, hold, native_class, own_namespace, parts_of
from ...types.tree import blank
from ..heap.stores import Reference
from .journal import Snapshot
from .states import SymbolicList
from .tracers import (
    ArrayTracer,
    BoundMethod,
    Choice,
    ClassedArray,
    Late,
    ScalarTracer,
    Whole,
    contains_tracer,
    is_tracer,
)

IMMUTABLE = (str, bytes, bool, int, float, complex, np.generic, np.dtype, type(None), enum.Enum)
LIBRARIES = ("numpy", "scipy", "math", "cmath", "operator", "functools", "itertools", "builtins",
             "collections", "dataclasses", "typing", "abc", "copy", "time", "random", "warnings",
             "enum", "types", "contextlib", "string", "re", "os", "sys", "json", "logging",
             "numbers", "inspect", "bisect", "heapq", "statistics", "fractions", "decimal",
             "datetime")
POLYNOMIALS = (np.poly1d, ABCPolyBase)
VIEWS: tuple[type, ...] = tuple(type(getattr({}, n)()) for n in ("keys", "values", "items"))
LONG = 16  # a list of more numbers is not gone through while tracing
LONG_TEXT = 6000  # bytes of staged code: more iterations over numbers or keys are not written out


def keys_or_parts(view: Any) -> Any:
    """What a membership test on a view of a dict goes through: the dict itself for its keys."""
    return gc.get_referents(view)[0] if type(view) is VIEWS[0] else tuple(view)


def is_library(name: str | None) -> bool:
    """Is a module part of NumPy, SciPy or the standard library (whose functions do not change
    while a program runs)?"""
    return isinstance(name, str) and name.split(".")[0] in LIBRARIES


def is_mutable(obj: Any) -> bool:
    """Is it an object whose identity matters: can it be changed in place?"""
    if isinstance(obj, (list, dict, set)):
        return True
    if isinstance(obj, tuple) or record_fields(obj) is None or type(obj) in (
            BoundMethod, Choice, Reference):
        return False
    return not is_frozen(type(obj))


def contains_choice(obj: Any) -> bool:
    """Is a result, or a part of it, one of several things?"""
    if type(obj) is Choice:
        return True
    if isinstance(obj, (tuple, list)):
        return any(contains_choice(o) for o in obj)
    return type(obj) is dict and any(contains_choice(o) for o in obj.values())


def identity(obj: Any) -> int:
    """The number of an array object; the id of anything else."""
    return obj.obj if type(obj) is ArrayTracer else id(obj)


def label_of(obj: Any) -> str | None:
    """The user's name of an array."""
    return obj.home.label if type(obj) is ArrayTracer else None


def same_constant(a: Any, b: Any) -> bool:
    """Are two constants the same to the last bit (nan is nan, 0.0 is not -0.0)?"""
    if isinstance(a, (float, complex, np.generic)):
        return repr(a) == repr(b)
    return bool(a == b)


def same_key(a: Any, b: Any) -> bool:
    """Are two keys made of the same numbers or texts, known or traced?"""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(same_key, a, b))
    if type(a) is not type(b):
        return False
    if isinstance(a, slice):
        return all(map(same_key, (a.start, a.stop, a.step), (b.start, b.stop, b.step)))
    if type(a) is ScalarTracer:
        return a.value is b.value or (a.aval.expr is not None and a.aval.expr == b.aval.expr)
    return a is b or (type(a) in (bool, int, str) and bool(a == b))


def leaf_aval(obj: Any) -> Aval | None:
    """The abstract value of something that can be one run-time value; None for structures."""
    if is_tracer(obj):
        return obj.aval  # type: ignore[no-any-return]
    if isinstance(obj, Value) or type(obj) is Late:
        return obj.aval
    if type(obj) is SymbolicList:
        return obj.value.aval
    if isinstance(obj, IMMUTABLE):
        return aval_of(obj)
    return None


def is_number(item: Any) -> bool:
    """Is it a traced or known number?"""
    aval = leaf_aval(item)
    return aval is not None and aval.kind in SCALARS and not aval.optional


class MadeOf(NamedTuple):
    """The parts of an object in a fixed order, what another one of its class must have in common
    with it beside their number (the keys of its content, the names of its attributes, which method
    it is), and what makes such an object of new parts."""

    parts: tuple[Any, ...]
    outline: Any
    build: Callable[[list[Any]], Any]


def made_of(obj: Any) -> MadeOf | None:
    """What a tuple, list, dict, bound method or plain instance is made of."""
    cls: Any = type(obj)
    if native_class(cls) is not None and not isinstance(obj, (set, frozenset)):
        found = parts_of(obj)
        keys = [key for _, key, _ in found]
        return MadeOf(tuple(part for _, _, part in found), keys,
                      lambda parts: assembled(cls, keys, parts, obj))
    if isinstance(obj, tuple):
        return MadeOf(tuple(obj), None,
                      (lambda parts: cls(*parts)) if hasattr(cls, "_fields") else tuple)
    if isinstance(obj, list):
        return MadeOf(tuple(obj), None, list)
    if cls is dict:
        keys = list(obj)
        return MadeOf(tuple(obj.values()), keys,
                      lambda parts: dict(zip(keys, parts, strict=True)))
    if cls is slice:
        return MadeOf((obj.start, obj.stop, obj.step), None, lambda parts: slice(*parts))
    if cls is BoundMethod:
        return MadeOf((obj.owner,), obj.name,
                      lambda parts: BoundMethod(obj.machine, parts[0], obj.name))
    if cls is Choice:
        return MadeOf((obj.first, obj.predicate, obj.second), None, lambda parts: Choice(
            getattr(parts[1], "value", parts[1]), parts[0], parts[2]))
    if cls is Reference:
        return MadeOf((obj.index,), obj.store, lambda parts: Reference(obj.store, parts[0]))
    names = record_fields(obj)
    return None if names is None else MadeOf(
        tuple([object.__getattribute__(obj, n) for n in names]), names,
        functools.partial(_instance, cls, names))


def _instance(cls: type, names: tuple[str, ...], parts: list[Any]) -> Any:
    new = blank(cls)
    for name, part in zip(names, parts, strict=True):
        hold(new, name, part)
    return new


def structure_parts(obj: Any) -> tuple[Any, ...] | None:
    """The parts of a tuple, list, dict, bound method or plain instance, in a fixed order."""
    made = made_of(obj)
    return None if made is None else made.parts


def outline(obj: Any) -> Any:
    """What another object of its class must have in common with this one."""
    made = made_of(obj)
    return None if made is None else made.outline


def rebuilder(obj: Any) -> Callable[[list[Any]], Any]:
    """A function that makes an object like ``obj`` from new parts."""
    made = made_of(obj)
    return functools.partial(_instance, type(obj), ()) if made is None else made.build


def reaches_tracer(obj: Any, depth: int = 8, seen: frozenset[int] = frozenset()) -> bool:
    """Does an object hold something traced, in an attribute or deeper?"""
    if contains_tracer(obj) or type(obj) is Choice:
        return True
    if not depth or id(obj) in seen or isinstance(obj, IMMUTABLE):
        return False
    return any(reaches_tracer(part, depth - 1, seen | {id(obj)})
               for part in structure_parts(obj) or ())


def parts_of_iterator(obj: Any) -> tuple[Any, ...]:
    """What an iterator of Python's that takes items from others was made of."""
    return tuple(obj.__reduce__()[1]) if isinstance(obj, (map, zip, filter, enumerate)) else ()


def record_fields(obj: Any) -> tuple[str, ...] | None:
    """The attribute names of a plain instance of a Python class; None for other things."""
    cls = type(obj)
    if isinstance(obj, ClassedArray):
        return ("_array_", *obj.__dict__)
    if cls.__module__ == "builtins" or isinstance(
            obj, (type, enum.Enum, Whole, Reference, functools.partial)):
        return None
    if hasattr(cls, "__get__") or issubclass(cls, np.ndarray) or (
            cls.__flags__ & (1 << 9) == 0 and cls is not types.SimpleNamespace):
        return None  # a class of C code
    if own_namespace(obj, None) is not None:
        return tuple(obj.__dict__)
    slots = [s for k in cls.__mro__ for s in getattr(k, "__slots__", ())]
    if slots:
        return tuple(s for s in slots if hasattr(obj, s))
    return None


def describe(obj: Any) -> str:
    """A few words for an object in messages."""
    if obj is UNBOUND:
        return "nothing (unbound)"
    if is_tracer(obj):
        return in_words(obj.aval)
    if isinstance(obj, (int, float, str, type(None))):
        return repr(obj)
    if type(obj) is Choice:
        return "one of several things"
    if callable(obj) and hasattr(obj, "__name__"):
        return f"the function {obj.__name__!r}"
    if type(obj) is Snapshot:
        return f"a {obj.type.__name__} of {len(obj.items)} items"
    return f"a {type(obj).__name__}"
