"""Copies of objects, and dataclasses as tuples and dicts."""

from __future__ import annotations

import collections
import copy
import dataclasses
import functools
import operator
from collections.abc import Callable
from typing import Any

from ...errors import UnsupportedOperation
from ...stage.machine import UNBOUND
from ...types.subclasses import hold, native_class
from ...types.tree import blank
from ..calls.handlers import HANDLERS, handles
from ..flow.presence import do_nothing
from ..heap.run_time import check_no_table
from ..heap.stores import Reference, are_contents
from ..record.states import Maybe
from ..record.structures import is_library, record_fields
from ..record.tracers import ArrayTracer, StandIn, is_tracer
from .special_methods import python_method, users_type
from .written_out import put_state

CLASS_VARIABLE: Any = vars(dataclasses)["_FIELD_CLASSVAR"]
INIT_VARIABLE: Any = vars(dataclasses)["_FIELD_INITVAR"]


@handles(copy.copy)
def copy_(machine: Any, obj: Any) -> Any:
    if type(obj) is ArrayTracer:
        return machine.call_method(obj, "copy")
    own = python_method(obj, "__copy__")
    if own is not None:
        return machine.call(own, obj)
    if type(obj) in (list, dict) and not machine.tuples.is_long(obj):
        return machine.call(type(obj), obj)
    return copied(machine, obj, False, {})


HANDLERS[copy.deepcopy] = lambda machine, obj, memo=None: (
    copied(machine, obj, True, {} if memo is None else memo))


def each_copied(items: list[Any]) -> list[Any]:
    """The deep copy of a list of unknown length, as it is staged."""
    return [copy.deepcopy(item) for item in items]


def copied(machine: Any, obj: Any, deep: bool, memo: dict[int, Any]) -> Any:
    """``copy.copy`` and ``copy.deepcopy`` of objects that hold traced values."""
    if isinstance(obj, StandIn) and type(obj) is not Reference and obj.cls is not None and (
            not deep):
        return machine.call_method(obj, "copy")
    check_no_table(machine, obj)
    if id(obj) in memo:
        return memo[id(obj)]
    own = python_method(obj, "__deepcopy__") if deep else None
    if own is not None:
        memo[id(obj)] = machine.call(own, obj, memo)
        return memo[id(obj)]
    if is_tracer(obj):
        if type(obj) is ArrayTracer and deep:
            memo[id(obj)] = machine.call_method(obj, "copy")
            return memo[id(obj)]
        return obj
    found = _container(machine, obj, deep, memo)
    return _instance(machine, obj, deep, memo) if found is None else found


def _part(machine: Any, deep: bool, memo: dict[int, Any], value: Any) -> Any:
    return copied(machine, value, True, memo) if deep else value


def _container(machine: Any, obj: Any, deep: bool, memo: dict[int, Any]) -> Any:
    """The copy of a container; None of other things."""
    if machine.tuples.is_long(obj) or (type(obj) is tuple and not deep):
        return obj  # it holds nothing that may change, or the same
    obj = machine.references.seen(obj) if type(obj) is list else obj
    part = functools.partial(_part, machine, deep, memo)
    if native_class(type(obj)) is not None or isinstance(obj, collections.deque):
        memo[id(obj)] = machine.native_methods.copied_native(obj, part)
        return memo[id(obj)]
    if isinstance(obj, list) and deep and id(obj) in machine.symbolic_lists:
        memo[id(obj)] = machine.operators.helped(each_copied, obj)
        return memo[id(obj)]
    if isinstance(obj, (list, tuple)):
        items = list(machine.containers.outside_items(obj))
        made: Any = machine.containers.made([])
        if isinstance(obj, list):
            memo[id(obj)] = made  # which it may contain
        made.extend(map(part, items))
        if type(obj) is tuple and all(map(operator.is_, items, made)):
            memo[id(obj)] = obj
        elif not isinstance(obj, list):
            memo[id(obj)] = type(obj)(*made) if hasattr(type(obj), "_fields") else tuple(made)
        return memo[id(obj)]
    if isinstance(obj, dict):
        pairs = machine.presence.container_method(obj, "items", (), {})
        memo[id(obj)] = machine.containers.made({})
        memo[id(obj)].update((k, part(v)) for k, v in pairs)
        return memo[id(obj)]
    return None


def _instance(machine: Any, obj: Any, deep: bool, memo: dict[int, Any]) -> Any:
    stored = type(obj) is Reference
    if stored and are_contents(obj.store.cls):
        return machine.references.owned(
            copied(machine, machine.references.content(obj), deep, memo))
    if stored and obj.store.unread:
        raise machine.attributes.no_attribute(obj, min(obj.store.unread))
    if not stored and record_fields(obj) is None:
        return copy.deepcopy(obj) if deep else copy.copy(obj)
    if (found := _reduced(machine, obj)) is not None:
        return _rebuilt(machine, obj, deep, memo, *found)
    part = functools.partial(_part, machine, deep, memo)
    new = blank(users_type(obj))
    memo[id(obj)] = new
    unsure = []
    for name in obj.store.names if stored else machine.presence.names(obj):
        value = machine.getattr(obj, name) if stored else machine.presence.own(obj, name)
        if type(value) is Maybe:
            unsure.append((name, value))
        elif value is not UNBOUND:
            hold(new, name, part(machine.references.loaded(value)))
    made = memo[id(obj)] = machine.references.owned(new)
    for name, value in unsure:  # what only some paths have given the object
        machine.presence.either_way(machine.presence.is_bound(value), lambda n=name, v=value: (
            machine.assignment.set_plain(made, n, part(machine.references.loaded(v.content)))),
            do_nothing)
    return made


def _reduced(machine: Any, obj: Any) -> tuple[Any, ...] | None:
    """What an object is put together from where its class says so (``__reduce__``,
    ``__getstate__``, ``__setstate__``): a function, its arguments, and a state."""
    for name, given in (("__reduce_ex__", (4,)), ("__reduce__", ())):
        if (own := _own(obj, name)) is not None:
            found = machine.call(own, obj, *given)
            if type(found) is tuple and 2 <= len(found) <= 3:
                return found
            raise machine.recorder.fatal(UnsupportedOperation(
                f"a copy of a {users_type(obj).__name__}, whose {name} returns no function, "
                "arguments and a state alone", why="copies are made of these",
                fix="write a method that makes the copy"))
    getter = _own(obj, "__getstate__")
    if getter is None and _own(obj, "__setstate__") is None:
        return None
    cls = users_type(obj)
    state = machine.call(getter, obj) if getter is not None else machine.call(
        dict, machine.getattr(obj, "__dict__"))
    return object.__new__, (cls,), state


def _own(obj: Any, name: str) -> Any:
    """A special method of the program's classes, or None."""
    method = python_method(obj, name)
    return None if method is None or is_library(method.__module__) else method


def _rebuilt(machine: Any, obj: Any, deep: bool, memo: dict[int, Any], make: Any, args: Any,
            state: Any = None) -> Any:
    """The object that a function makes of its arguments, which then gets a state."""
    part = functools.partial(_part, machine, deep, memo)
    made = memo[id(obj)] = machine.call(make, *map(part, args))
    if state is not None:
        machine.call(put_state, made, part(state))
    return made


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
