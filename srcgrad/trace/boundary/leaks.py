"""Objects that would carry tracers out of the trace: functions made in the program that read its
numbers, bound methods, partial functions, classes, views of dicts, slices.

A result or an effect hands objects to code that runs after tracing.  What stands for a number
there is replaced by the number; what is hidden in a function's closure cannot be.
"""

from __future__ import annotations

import functools
import types
from collections import deque
from collections.abc import Iterator
from typing import Any

from ...errors import SrcgradError, TracingError
from ...stage.function import definition
from ...types.subclasses import own_namespace
from ..libraries import registry as libraries
from ..record.structures import VIEWS, record_fields
from ..record.tracers import POSING, BoundMethod, contains_tracer, is_tracer

DEPTH = 6  # containers within containers that are looked into


def holds_tracer(obj: Any) -> bool:
    """Does an exception or instance hold a traced value?"""
    parts = obj.args if isinstance(obj, BaseException) else _visible(obj)
    return any(_has_tracer(part, DEPTH, set()) for part in parts)


def leak(obj: Any, place: str) -> SrcgradError | None:
    """The error for an object that holds traced values where they cannot be replaced; None for
    others.  ``place`` says where the object goes."""
    holder = _holder(obj, DEPTH, set())
    if holder is None and place == "returned":
        holder = _not_rebuilt(obj, DEPTH)
    if holder is None:
        return None
    held = "" if isinstance(holder, types.GeneratorType) else " that holds traced values"
    return TracingError(
        f"{_described(holder)}{held} is {place}",
        why="it would be used after the trace, where the numbers are others",
        fix="hand out the numbers themselves: an array, or a list, tuple or dict of them")


def _not_rebuilt(obj: Any, depth: int) -> Any:
    """A slice or bounded deque of traced values in a result, which is not put together again."""
    if is_tracer(obj) or not depth:
        return None
    bounded = isinstance(obj, deque) and obj.maxlen is not None
    if (bounded or isinstance(obj, slice)) and contains_tracer(obj):
        return obj
    found = (_not_rebuilt(part, depth - 1) for part in _visible(obj))
    return next((f for f in found if f is not None), None)


def _described(obj: Any) -> str:
    if isinstance(obj, types.FunctionType):
        return f"the function {obj.__name__}"
    if type(obj) is BoundMethod:
        return f"the bound method {obj.name}"
    if isinstance(obj, (types.MethodType, types.BuiltinMethodType)):
        return f"the bound method {obj.__name__}"
    if isinstance(obj, functools.partial):
        return "a functools.partial"
    if isinstance(obj, type):
        return f"the class {obj.__name__}"
    return f"a {(libraries.class_of(obj) or type(obj)).__name__}"


def _holder(obj: Any, depth: int, seen: set[int]) -> Any:
    """The function, method, class ... that holds a tracer, found below ``obj``."""
    if depth == 0 or id(obj) in seen:
        return None
    if isinstance(obj, types.GeneratorType) or libraries.class_of(obj) is not None:
        return obj
    parts = _hidden(obj)
    if parts is None:
        for part in _visible(obj):
            found = _holder(part, depth - 1, seen)
            if found is not None:
                return found
        return None
    seen.add(id(obj))
    for part in parts:
        if is_tracer(part) or isinstance(part, POSING):
            return obj
        if _has_tracer(part, depth - 1, seen):
            return obj
    return None


def _has_tracer(obj: Any, depth: int, seen: set[int]) -> bool:
    """Is a tracer anywhere in it?"""
    if is_tracer(obj) or isinstance(obj, POSING):
        return True
    if depth == 0 or id(obj) in seen:
        return False
    hidden = _hidden(obj)
    if hidden is not None:
        seen.add(id(obj))
    parts = _visible(obj) if hidden is None else hidden
    return any(_has_tracer(part, depth - 1, seen) for part in parts)


def _visible(obj: Any) -> Iterator[Any]:
    """The parts of containers, whose numbers are replaced."""
    if isinstance(obj, (list, tuple, deque)):
        yield from obj
    elif isinstance(obj, dict):
        yield from obj.values()
    elif not type(obj).__module__.startswith("srcgrad."):
        yield from (getattr(obj, name, None) for name in record_fields(obj) or ())


def _hidden(obj: Any) -> Iterator[Any] | None:
    """What an object holds out of sight; None for what has no such parts."""
    if isinstance(obj, types.FunctionType):
        return _of_function(obj)
    if type(obj) is BoundMethod:
        return iter((obj.owner,))
    if isinstance(obj, functools.partial):
        return iter((obj.func, *obj.args, *obj.keywords.values()))
    if isinstance(obj, types.MethodType):
        return iter((obj.__self__, *_attributes(obj.__self__)))
    if isinstance(obj, types.BuiltinMethodType) and not isinstance(obj.__self__, types.ModuleType):
        return iter((obj.__self__,))
    if isinstance(obj, VIEWS):
        return iter([*obj])  # type: ignore[misc]
    if isinstance(obj, type) and "<locals>" in getattr(obj, "__qualname__", ""):
        return iter(list(vars(obj).values()))
    return None


def _of_function(function: types.FunctionType) -> Iterator[Any]:
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
    made = definition(function)
    if made is not None:  # by the program: its variables live in staged frames
        frame: Any = made.parent
        while frame is not None:
            yield from (v for n, v in frame.slots.items() if n in made.staged.mentions)
            frame = frame.parent
        return
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not bound yet
            continue


def _attributes(obj: Any) -> list[Any]:
    if is_tracer(obj) or isinstance(obj, (type, types.ModuleType)):
        return []
    return list((own_namespace(obj, None) or {}).values())
