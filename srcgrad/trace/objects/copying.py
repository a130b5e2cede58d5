"""Copies of objects, and dataclasses as tuples and dicts."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable
from typing import Any

from ..calls.handlers import HANDLERS, handles
from ..heap.stores import Reference
from ..record.tracers import ArrayTracer
from .special_methods import python_method

CLASS_VARIABLE: Any = vars(dataclasses)["_FIELD_CLASSVAR"]
INIT_VARIABLE: Any = vars(dataclasses)["_FIELD_INITVAR"]


@handles(copy.copy)
def copy_(machine: Any, obj: Any) -> Any:
    if type(obj) is ArrayTracer:
        return machine.call_method(obj, "copy")
    own = python_method(obj, "__copy__")
    if own is not None:
        return machine.call(own, obj)
    if type(obj) in (list, dict):
        return machine.call(type(obj), obj)
    return machine.copied(obj, False, {})


HANDLERS[copy.deepcopy] = lambda machine, obj, memo=None: (
    machine.copied(obj, True, {} if memo is None else memo))


def each_copied(items: list[Any]) -> list[Any]:
    """The deep copy of a list of unknown length, as it is staged."""
    return [copy.deepcopy(item) for item in items]


@handles(dataclasses.astuple)
def astuple(machine: Any, obj: Any, *, tuple_factory: Any = tuple) -> Any:
    """The fields' values, in depth; arrays and other objects are copied."""
    return machine.call(tuple_factory, [_plain_parts(machine, machine.getattr(obj, f.name), lambda
                                                     o: astuple(machine, o))
                                        for f in _fields_of(machine, obj)])


@handles(dataclasses.asdict)
def asdict(machine: Any, obj: Any, *, dict_factory: Any = dict) -> Any:
    """The fields by name, in depth; arrays and other objects are copied."""
    return machine.call(dict_factory, [
        (f.name, _plain_parts(machine, machine.getattr(obj, f.name), lambda o: asdict(machine, o)))
        for f in _fields_of(machine, obj)])


@handles(dataclasses.replace)
def replace(machine: Any, obj: Any, /, **changes: Any) -> Any:
    """A new object with the fields of another one, but for the changes."""
    cls = machine.getattr(obj, "__class__")
    if not hasattr(cls, "__dataclass_fields__"):
        raise TypeError("replace() should be called on dataclass instances")
    fields = [f for f in cls.__dataclass_fields__.values() if f._field_type is not CLASS_VARIABLE]
    if any(f.name in changes if not f.init else f.name not in changes and (
            f._field_type is INIT_VARIABLE and f.default is dataclasses.MISSING) for f in fields):
        return dataclasses.replace(object.__new__(cls), **changes, **{
            f.name: None for f in dataclasses.fields(cls) if f.init and f.name not in changes})
    return machine.call(cls, **changes, **{
        f.name: machine.getattr(obj, f.name) for f in fields if f.init and f.name not in changes})


def _fields_of(machine: Any, obj: Any) -> tuple[dataclasses.Field[Any], ...]:
    return dataclasses.fields(machine.getattr(obj, "__class__"))


def _plain_parts(machine: Any, value: Any, convert: Callable[[Any], Any]) -> Any:
    if not isinstance(value, type) and dataclasses.is_dataclass(
            value.cls if type(value) is Reference else value):
        return convert(value)
    if type(value) in (list, tuple) and id(value) not in machine.symbolic_lists:
        return machine.containers.made(type(value)(_plain_parts(machine, machine.getitem(value, i),
            convert)
                                        for i in range(len(value))))
    if type(value) is dict:
        return machine.containers.made({k: _plain_parts(machine, machine.getitem(value, k), convert)
                             for k in value})
    return machine.call(copy.deepcopy, value)
