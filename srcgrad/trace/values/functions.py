"""Builtin operators, numbers, types and attributes while tracing."""

from __future__ import annotations

import functools
import importlib
import operator
import sys
from collections.abc import Callable
from typing import Any

from ...errors import UnsupportedOperation
from ...rules.marks import stop_gradient
from ...stage.machine import UNBOUND
from ...types.kinds import BOOL, INT, OPAQUE, Kind, int_aval, possible_classes
from ...types.operators import BINARY, COMPARE, INPLACE, UNARY
from ...types.subclasses import own_namespace
from ...types.tree import children, tree_map
from ..boundary.scratch import ITEM, TOTAL
from ..calls.handlers import HANDLERS, handles
from ..calls.library import Selector
from ..calls.nested import opened
from ..flow.partial import DELETED
from ..heap.run_time import check_no_table
from ..iteration import iteration
from ..iteration.iteration import Cursor, Mapped, Reversed, staged_iterable
from ..libraries import registry as libraries
from ..objects.classes import lineage_of
from ..objects.special_methods import (
    class_attribute,
    compared_fields,
    python_method,
    users_type,
)
from ..objects.written_out import attribute_or, has_attribute
from ..record.homes import may_be
from ..record.scopes import on_top
from ..record.states import Maybe
from ..record.structures import is_library
from ..record.tracers import (
    POSING,
    ArrayTracer,
    ClassedArray,
    OpaqueTracer,
    ScalarTracer,
    contains_tracer,
    is_tracer,
)

COMPENSATED = sys.version_info >= (3, 12)  # does ``sum`` keep what rounding loses of floats?

for _operator, _table in (("binary", BINARY), ("inplace", INPLACE), ("unary", UNARY),
                          ("compare", COMPARE)):
    for _op, _fn in _table.items():
        HANDLERS[_fn] = functools.partial(lambda m, *operands, operator, op: getattr(
            m, operator)(op, *operands), operator=_operator, op=_op)
HANDLERS[operator.concat] = lambda m, a, b: m.binary("+", a, b)
HANDLERS[operator.iconcat] = lambda m, a, b: m.inplace("+", a, b)
HANDLERS[operator.inv] = lambda m, a: m.unary("~", a)
HANDLERS[operator.is_] = lambda m, a, b: m.compare("is", a, b)
HANDLERS[operator.is_not] = lambda m, a, b: m.compare("is not", a, b)
HANDLERS[operator.contains] = lambda m, a, b: m.compare("in", b, a)
HANDLERS[operator.delitem] = lambda m, a, b: m.delitem(a, b)
HANDLERS[operator.truth] = lambda m, a: m.call(bool, a)
HANDLERS[operator.abs] = lambda m, a: m.call(abs, a)


@handles(operator.itemgetter)
def itemgetter(machine: Any, *keys: Any) -> Any:
    if len(keys) == 1:
        return Selector(lambda x: machine.getitem(x, keys[0]))
    return Selector(lambda x: tuple(machine.getitem(x, k) for k in keys))


@handles(operator.attrgetter)
def attrgetter(machine: Any, *names: str) -> Any:
    def one(obj: Any, name: str) -> Any:
        for part in name.split("."):
            obj = machine.getattr(obj, part)
        return obj

    if len(names) == 1:
        return Selector(lambda x: one(x, names[0]))
    return Selector(lambda x: tuple(one(x, n) for n in names))


# ---- numbers ---------------------------------------------------------------------------------
@handles(bool)
def to_bool(machine: Any, value: Any = False) -> Any:
    value = machine.condition(value)
    known = machine.static_truth(value)
    if known is not None:
        return known
    tested = machine.predicate(value)
    if type(tested) is bool or (tested.aval.kind is Kind.BOOL and not tested.aval.optional):
        return tested
    return machine.recorder.computed(bool, BOOL, tested)


def _convert(cls: type) -> Callable[..., Any]:
    def handler(machine: Any, *args: Any, **kwargs: Any) -> Any:
        if args and is_tracer(args[0]):
            if cls is int and args[0].aval.kind is Kind.INT and not args[0].aval.optional:
                return args[0]
            if cls is float and args[0].aval.kind is Kind.FLOAT and not args[0].aval.optional:
                return args[0]
            if type(args[0]) is OpaqueTracer:
                return machine.recorder.computed(
                    cls, {int: INT, float: machine.float_aval, complex: machine.complex_aval}[cls],
                    args[0].value, *args[1:])
            result = machine.library_calls.numeric_call(cls, args, kwargs)
            if cls is int and type(result) is ScalarTracer and result.aval.expr is None:
                result.value.aval = int_aval(machine.fresh("i", low=None))
            return result
        if args and python_method(args[0], f"__{cls.__name__}__") is not None:
            return machine.call(python_method(args[0], f"__{cls.__name__}__"), args[0])
        if any(map(is_tracer, (*args, *kwargs.values()))):  # the imaginary part
            return machine.library_calls.numeric_call(cls, args, kwargs)
        return cls(*args, **kwargs)

    return handler


for _cls in (float, int, complex):
    HANDLERS[_cls] = _convert(_cls)


@handles(abs)
def absolute(machine: Any, value: Any) -> Any:
    method = python_method(value, "__abs__")
    if method is not None:
        return machine.call(method, value)
    return machine.library_calls.numeric_call(abs, (value,), {}) if is_tracer(value) else abs(value)


def _plain(function: Any, name: str) -> Callable[..., Any]:
    def handler(machine: Any, *args: Any, **kwargs: Any) -> Any:
        method = python_method(args[0], name) if args else None
        if method is not None:
            return machine.call(method, *args, **kwargs)
        if contains_tracer(args) or contains_tracer(kwargs):
            if function is pow and len(args) + len(kwargs) == 2:
                return machine.binary("**", *args, *kwargs.values())
            if function is divmod and len(args) == 2 and not any(
                    is_tracer(a) and a.aval.kind is Kind.FLOAT for a in args):
                return (machine.binary("//", *args), machine.binary("%", *args))
            return machine.library_calls.numeric_call(function, args, kwargs)
        return function(*args, **kwargs)

    return handler


HANDLERS[round] = _plain(round, "__round__")
HANDLERS[divmod] = _plain(divmod, "__divmod__")
HANDLERS[pow] = _plain(pow, "__pow__")


@handles(sum)
def total(machine: Any, iterable: Any, /, start: Any = 0) -> Any:
    iterable = iteration.opened(machine, iterable)
    staged = staged_iterable(machine, iterable)
    if COMPENSATED and isinstance(staged, Mapped | Reversed | Cursor):
        return total(machine, machine.call(list, iterable), start)
    if staged is not None:
        frame = machine.scratch_frame(TOTAL, start)
        machine.for_(iterable, lambda x: machine.store(frame, ITEM, x),
                     lambda: machine.add_item(frame))
        return machine.load(frame, TOTAL)
    items = list(machine.iterate(iterable))
    if COMPENSATED and type(start) in (int, float) and len(items) > 2 and (
            all(map(_is_number, items)) and any(map(is_tracer, items))
            and any(map(_is_float, (start, *items)))):
        return machine.library_calls.numeric_call(sum, (items, start) if start else (items,), {})
    result = start
    for item in items:
        result = machine.binary("+", result, item)
    return result


def _is_number(item: Any) -> bool:
    return type(item) in (int, float) or (type(item) is ScalarTracer and item.aval.kind in (
        Kind.FLOAT, Kind.INT, Kind.NUMBER, Kind.SCALAR))


def _is_float(item: Any) -> bool:
    return type(item) is float or (
        type(item) is ScalarTracer and item.aval.kind in (Kind.FLOAT, Kind.NUMBER))


def _of_all(function: Any) -> Callable[..., Any]:
    """``any`` or ``all``."""
    def handler(machine: Any, iterable: Any) -> Any:
        if type(iterable) is ArrayTracer:
            return to_bool(machine, machine.call_method(iterable, function.__name__))
        fold = machine.or_ if function is any else machine.and_
        return to_bool(machine, fold(function is all, *[
            functools.partial(_same, item) for item in machine.iterate(iterable)]))

    return handler


HANDLERS[any] = _of_all(any)
HANDLERS[all] = _of_all(all)


def _same(item: Any) -> Any:
    return item


@handles(ord)
def ord_(machine: Any, text: Any) -> Any:
    return machine.recorder.computed(ord, INT, text) if is_tracer(text) else ord(text)


# ---- types and attributes ------------------------------------------------------------------
def _may_be(tracer: Any) -> list[type]:
    """The classes that a traced value may be of at run time; none if that is not known."""
    aval = tracer.aval
    if type(tracer) is OpaqueTracer or aval.kind in (Kind.OPAQUE, Kind.LIST):
        return [] if getattr(tracer, "type", None) is None else [tracer.type]
    found = possible_classes(aval) if _has_open_type(tracer) else [tracer.__class__]
    return [*found, type(None)] if aval.optional else found


def _has_open_type(tracer: Any) -> bool:
    """Does only a run know the class of a traced value?"""
    aval = tracer.aval
    return type(tracer) is OpaqueTracer or aval.kind in (Kind.NUMBER, Kind.ANY) or (
        aval.kind is Kind.SCALAR and aval.least is not None)


def _posed_class(obj: Any) -> Any:
    """The class of the program or a library that an object of the trace stands for one of."""
    return obj.cls if isinstance(obj, POSING) else libraries.class_of(obj)


@handles(isinstance)
def isinstance_(machine: Any, obj: Any, classes: Any) -> Any:
    classes = machine.containers.resolved(classes)
    if is_tracer(obj):
        if _has_open_type(obj) or obj.aval.optional:
            answers = {issubclass(c, classes) for c in _may_be(obj)}
            if len(answers) == 1:
                return answers.pop()
            return machine.recorder.computed(isinstance, BOOL, obj, classes)
        return issubclass(obj.__class__, classes)
    if machine.tuples.is_long(obj):
        return issubclass(tuple, classes)
    if (posed := _posed_class(obj)) is not None:
        return issubclass(posed, classes)
    check_no_table(machine, obj)
    return _is_of(machine, obj, classes)


def _is_of(machine: Any, obj: Any, classes: Any) -> Any:
    """``isinstance`` where the classes may say themselves what is an instance of theirs."""
    if isinstance(classes, tuple):
        return to_bool(machine, machine.or_(False, *(
            functools.partial(_is_of, machine, obj, c) for c in classes)))
    check = python_method(classes, "__instancecheck__")
    if check is None or type(obj) is classes or not isinstance(classes, type):
        return isinstance(obj, classes)
    if not is_library(check.__module__):
        return to_bool(machine, machine.call(check, classes, obj))
    if id(obj) in machine.found_functions.paths:
        return machine.sources.gives(isinstance, (obj, classes),
                                     (machine.found_functions.paths[id(obj)], classes))
    return isinstance(obj, classes) if is_library(type(obj).__module__) else machine.sources.gives(
        issubclass, (type(obj), classes), (type(obj), classes))


@handles(issubclass)
def issubclass_(machine: Any, cls: Any, classes: Any) -> Any:
    classes = machine.containers.resolved(classes)
    if is_tracer(cls):
        return machine.recorder.computed(issubclass, BOOL, cls, classes)
    if isinstance(classes, tuple):
        return to_bool(machine, machine.or_(False, *(
            functools.partial(issubclass_, machine, cls, c) for c in classes)))
    check = python_method(classes, "__subclasscheck__")
    if check is None or not isinstance(cls, type) or is_library(cls.__module__):
        return issubclass(cls, classes)
    if not is_library(check.__module__):
        return to_bool(machine, machine.call(check, classes, cls))
    return machine.sources.gives(issubclass, (cls, classes), (cls, classes))


@handles(dir)
def dir_(machine: Any, obj: Any) -> Any:
    method = python_method(obj, "__dir__")
    if method is not None:
        return machine.call(sorted, machine.call(method, obj))
    if is_tracer(obj):
        return dir(obj)
    path = machine.found_functions.paths.get(id(obj))
    cls = obj if path is not None else type(obj)
    machine.sources.gives(dir, (cls,), (path or cls,))
    stored = (machine.sources.overlays.get(id(one), {}) for one in (obj, *lineage_of(obj)))
    return sorted({*dir(obj), *(name for names in stored for name, value in names.items()
                                if value is not UNBOUND and value is not DELETED)})


@handles(type)
def type_(machine: Any, *args: Any) -> Any:
    if len(args) == 1 and (posed := _posed_class(args[0])) is not None:
        return posed
    check_no_table(machine, args[0] if args else None)
    if len(args) == 1 and machine.tuples.is_long(args[0]):
        return tuple
    if len(args) == 1 and is_tracer(args[0]):
        if _has_open_type(args[0]) or args[0].aval.optional:
            found = machine.recorder.computed(type, OPAQUE, args[0])
            found.classes = _may_be(args[0])
            return found
        return args[0].__class__
    return type(*args)


def _by_name(act: Callable[..., Any]) -> Callable[..., Any]:
    """A function of an object and the name of an attribute, also of one of a few names."""
    def handler(machine: Any, obj: Any, name: Any, *rest: Any) -> Any:
        names = machine.keys.alternatives(name) if machine.keys.open_key(name) else None
        if names is None:
            return act(machine, obj, machine.keys.static_key(name), *rest)
        return machine.keys.by_key(name, names, lambda one: act(machine, obj, one, *rest), None)

    return handler


@handles(getattr)
@_by_name
def getattr_(machine: Any, obj: Any, name: str, *default: Any) -> Any:
    if not default:
        return machine.getattr(obj, name)
    if is_tracer(obj) and is_tracer(has := hasattr_(machine, obj, name)):
        return machine.if_expression(has, lambda: machine.getattr(obj, name), lambda: default[0])
    if _is_found_by_code(machine, obj, name):
        return machine.call(attribute_or, obj, name, default[0])
    holder = machine.class_attributes.holder(obj, name)
    own = machine.access.maybe_attribute(holder, name)
    if type(own) is Maybe and not own.inherits:
        return machine.presence.present(own, lambda: _default(machine, holder, name, default[0]))
    try:
        return _looked_up(machine, obj, name)
    except AttributeError:
        return default[0]


def _default(machine: Any, obj: Any, name: str, default: Any) -> Any:
    """``getattr(obj, name, default)`` where the instance does not hold the attribute itself."""
    try:
        with on_top(machine.recorder.trying, machine.recorder.region):
            return machine.access.without(obj, name)
    except AttributeError:
        return default


def _is_found_by_code(machine: Any, obj: Any, name: str) -> bool:
    """Does code of the program tell whether an object has an attribute: a property, a descriptor,
    ``__getattr__``?"""
    if is_tracer(obj) or isinstance(obj, type):
        return False
    found = class_attribute(users_type(obj), name)
    code = getattr(found, "fget", None) or getattr(found, "func", None) or getattr(
        type(found), "__get__", None)
    if found is UNBOUND and machine.access.maybe_attribute(obj, name) is UNBOUND and (
            name not in own_namespace(obj)):
        code = python_method(obj, "__getattr__")
    return any(hasattr(c, "__code__") and not is_library(c.__module__) for c in (
        code, python_method(obj, "__getattribute__")))


def _looked_up(machine: Any, obj: Any, name: str) -> Any:
    """An attribute whose absence is caught here, wherever the trace is."""
    with on_top(machine.recorder.trying, machine.recorder.region):
        return machine.getattr(obj, machine.keys.static_key(name))


@handles(hasattr)
@_by_name
def hasattr_(machine: Any, obj: Any, name: str) -> Any:
    if is_tracer(obj) and (_has_open_type(obj) or obj.aval.optional) and (
            getattr(obj, "type", None) is None):
        answers = {hasattr(c, name) for c in _may_be(obj)}
        return answers.pop() if len(answers) == 1 else (
            machine.recorder.computed(hasattr, BOOL, obj, name))
    if _is_found_by_code(machine, obj, name):
        return machine.call(has_attribute, obj, name)
    holder = machine.class_attributes.holder(obj, name)
    own = machine.access.maybe_attribute(holder, name)
    if type(own) is Maybe and not own.inherits:
        missing = object()
        if _default(machine, holder, name, missing) is missing:
            return machine.presence.is_bound(own)
    try:
        _looked_up(machine, obj, name)
    except AttributeError:
        return False
    return True


@handles(stop_gradient)
def stop_gradient_(machine: Any, x: Any) -> Any:
    """The same object, as a constant of differentiation; of containers and instances all leaves."""
    if not is_tracer(x) and not isinstance(x, ClassedArray):
        tree = opened(machine, x)
        if not is_tracer(tree) and children(tree) is not None:
            return tree_map(functools.partial(machine.call, stop_gradient), tree)
    if isinstance(x, ClassedArray):
        return machine.array_classes.anew(x,
            machine.call(stop_gradient, machine.array_classes.array_of(x)))
    if not is_tracer(x):
        return x
    result = machine.recorder.computed(stop_gradient, x.aval, x)
    if type(result) is ArrayTracer and type(x) is ArrayTracer:
        may_be(result.home, x.home)
    return result


@handles(hash)
def hash_(machine: Any, obj: Any) -> int:
    method = python_method(obj, "__hash__")
    names = None if method is None else compared_fields(obj, "__hash__")
    if names is not None:
        return hash(machine.keys.static_key(tuple([machine.getattr(obj, n) for n in names])))
    if method is not None:
        return hash(machine.keys.static_key(machine.call(method, obj)))
    machine.sources.as_it_is(obj)
    return hash(machine.keys.static_key(obj))


@handles(id)
def id_(machine: Any, obj: Any) -> int:
    machine.identity.note_identity(obj)
    machine.sources.check_twin(obj)
    check_no_table(machine, obj)
    return obj.obj if type(obj) is ArrayTracer else id(obj)


HANDLERS[importlib.import_module] = lambda machine, name, package=None: (
    importlib.import_module(name, package))
HANDLERS[operator.not_] = lambda machine, operand: machine.not_(operand)
HANDLERS[operator.getitem] = lambda machine, obj, key: machine.getitem(obj, key)
HANDLERS[operator.setitem] = lambda machine, obj, key, value: machine.setitem(obj, key, value)
HANDLERS[setattr] = _by_name(lambda machine, obj, name, value: machine.setattr(obj, name, value))
HANDLERS[delattr] = _by_name(lambda machine, obj, name: machine.delattr(obj, name))
HANDLERS[object.__setattr__] = lambda machine, obj, name, value: (
    machine.assignment.set_by_default(obj, name, value))
HANDLERS[object.__delattr__] = lambda machine, obj, name: (
    machine.assignment.delete_by_default(obj, name))
HANDLERS[object.__getattribute__] = lambda machine, obj, name: (
    machine.access.attribute_by_default(obj, machine.keys.static_key(name)))
HANDLERS[callable] = lambda machine, obj: callable(obj) and not is_tracer(obj)
HANDLERS[vars] = lambda machine, *args: machine.getattr(args[0], "__dict__")


# ---- effects -----------------------------------------------------------------------------------
@handles(exec, eval)
def dynamic_code(machine: Any, *args: Any) -> Any:
    raise machine.recorder.fatal(UnsupportedOperation(
        "exec or eval in a traced function", why="code made at run time cannot be staged",
        fix="write the code in the function"))
