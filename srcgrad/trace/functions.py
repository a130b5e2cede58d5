"""Builtins and library functions that mean something of their own while tracing."""

from __future__ import annotations

import builtins
import copy
import functools
import itertools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import dims
from ..errors import UnsupportedOperation
from ..kinds import BOOL, INT, OPAQUE, Kind, int_aval
from . import iteration
from .iteration import Cursor, Enumerate, Mapped, Range, Reversed, Staged, Zip, staged_iterable
from .journal import Field
from .operators import BINARY, COMPARE, INPLACE, UNARY, python_method
from .recorder import contains_tracer
from .tracers import ArrayTracer, OpaqueTracer, ScalarTracer, is_tracer

HANDLERS: dict[Any, Callable[..., Any]] = {}


def handles(*functions: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register what a function means while tracing; the machine is the first argument."""

    def register(handler: Callable[..., Any]) -> Callable[..., Any]:
        for function in functions:
            HANDLERS[function] = handler
        return handler

    return register


for _op, _fn in BINARY.items():
    HANDLERS[_fn] = functools.partial(lambda m, a, b, op: m.binary(op, a, b), op=_op)
for _op, _fn in INPLACE.items():
    HANDLERS[_fn] = functools.partial(lambda m, a, b, op: m.inplace(op, a, b), op=_op)
for _op, _fn in UNARY.items():
    HANDLERS[_fn] = functools.partial(lambda m, a, op: m.unary(op, a), op=_op)
for _op, _fn in COMPARE.items():
    HANDLERS[_fn] = functools.partial(lambda m, a, b, op: m.compare(op, a, b), op=_op)


@handles(operator.not_)
def not_(machine: Any, operand: Any) -> Any:
    return machine.not_(operand)


@handles(operator.getitem)
def getitem(machine: Any, obj: Any, key: Any) -> Any:
    return machine.getitem(obj, key)


@handles(operator.setitem)
def setitem(machine: Any, obj: Any, key: Any, value: Any) -> None:
    machine.setitem(obj, key, value)


@handles(operator.itemgetter)
def itemgetter(machine: Any, *keys: Any) -> Any:
    if len(keys) == 1:
        return _Getter(machine, lambda x: machine.getitem(x, keys[0]))
    return _Getter(machine, lambda x: tuple(machine.getitem(x, k) for k in keys))


@handles(operator.attrgetter)
def attrgetter(machine: Any, *names: str) -> Any:
    def one(obj: Any, name: str) -> Any:
        for part in name.split("."):
            obj = machine.getattr(obj, part)
        return obj

    if len(names) == 1:
        return _Getter(machine, lambda x: one(x, names[0]))
    return _Getter(machine, lambda x: tuple(one(x, n) for n in names))


class _Getter:
    def __init__(self, machine: Any, function: Callable[[Any], Any]) -> None:
        self.function = function

    def __call__(self, obj: Any) -> Any:
        return self.function(obj)


# ---- numbers ---------------------------------------------------------------------------------
@handles(bool)
def to_bool(machine: Any, value: Any = False) -> Any:
    known = machine.static_truth(value)
    if known is not None:
        return known
    tested = machine.predicate(value)
    if type(tested) is bool or tested.aval.kind is Kind.BOOL:
        return tested
    return machine.opaque_apply(bool, (machine.value_of(tested),), BOOL)


def _convert(cls: type) -> Callable[..., Any]:
    def handler(machine: Any, *args: Any, **kwargs: Any) -> Any:
        if args and is_tracer(args[0]):
            if cls is int and args[0].aval.kind is Kind.INT and not args[0].aval.optional:
                return args[0]
            if cls is float and args[0].aval.kind is Kind.FLOAT and not args[0].aval.optional:
                return args[0]
            if type(args[0]) is OpaqueTracer:
                return machine.opaque_apply(cls, (args[0].value,), {
                    int: INT, float: machine.float_aval, complex: machine.complex_aval}[cls])
            result = machine.numeric_call(cls, args, kwargs)
            if cls is int and type(result) is ScalarTracer and result.aval.expr is None:
                result.value.aval = int_aval(machine.fresh("i", low=None))
            return result
        if args and python_method(args[0], f"__{cls.__name__}__") is not None:
            return machine.call(python_method(args[0], f"__{cls.__name__}__"), args[0])
        return cls(*args, **kwargs)

    return handler


for _cls in (float, int, complex):
    HANDLERS[_cls] = _convert(_cls)


@handles(abs)
def absolute(machine: Any, value: Any) -> Any:
    method = python_method(value, "__abs__")
    if method is not None:
        return machine.call(method, value)
    return machine.numeric_call(abs, (value,), {}) if is_tracer(value) else abs(value)


def _plain(function: Any, name: str) -> Callable[..., Any]:
    def handler(machine: Any, *args: Any, **kwargs: Any) -> Any:
        method = python_method(args[0], name) if args else None
        if method is not None:
            return machine.call(method, *args, **kwargs)
        if contains_tracer(args):
            if function is pow and len(args) == 2:
                return machine.binary("**", *args)
            if function is divmod:
                return (machine.binary("//", *args), machine.binary("%", *args))
            return machine.numeric_call(function, args, kwargs)
        return function(*args, **kwargs)

    return handler


HANDLERS[round] = _plain(round, "__round__")
HANDLERS[divmod] = _plain(divmod, "__divmod__")
HANDLERS[pow] = _plain(pow, "__pow__")


def _extreme(function: Any, op: str) -> Callable[..., Any]:
    def handler(machine: Any, *args: Any, key: Any = None, **kwargs: Any) -> Any:
        items = list(machine.iterate(args[0])) if len(args) == 1 else list(args)
        if not items:
            return function(items, key=key, **kwargs)
        if not contains_tracer(items) and key is None and all(
                python_method(i, "__lt__") is None for i in items):
            return function(items)
        if key is None and all(_is_int(i) for i in items):
            return _symbolic_extreme(machine, function, items)
        best, best_key = items[0], machine.call(key, items[0]) if key else items[0]
        for one in items[1:]:
            one_key = machine.call(key, one) if key is not None else one
            better = machine.compare(op, one_key, best_key)
            kept, kept_key = best, best_key
            best = machine.if_expression(better, lambda one=one: one, lambda kept=kept: kept)
            if key is None:
                best_key = best
            else:
                best_key = machine.if_expression(better, lambda k=one_key: k,
                                                 lambda k=kept_key: k)
        return best

    return handler


HANDLERS[min] = _extreme(min, "<")
HANDLERS[max] = _extreme(max, ">")


def _is_int(item: Any) -> bool:
    return type(item) is int or (is_tracer(item) and item.aval.kind is Kind.INT
                                 and item.aval.expr is not None)


def _symbolic_extreme(machine: Any, function: Any, items: list[Any]) -> Any:
    """``min`` and ``max`` of sizes: one node with a symbolic number."""
    combine = dims.minimum if function is min else dims.maximum
    expr = items[0] if type(items[0]) is int else items[0].aval.expr
    for one in items[1:]:
        expr = combine(expr, one if type(one) is int else one.aval.expr)
    if isinstance(expr, int):
        return expr
    for one in items:
        if is_tracer(one) and one.aval.expr == expr:
            return one
    values = tuple(machine.value_of(i) for i in items)
    return machine.opaque_apply(function, values, int_aval(expr))


@handles(sum)
def total(machine: Any, iterable: Any, /, start: Any = 0) -> Any:
    staged = staged_iterable(machine, iterable)
    if staged is not None:
        frame = machine.scratch_frame(start)
        machine.for_(iterable, lambda x: machine.store(frame, "item", x),
                     lambda: machine.add_item(frame))
        return machine.load(frame, "total")
    result = start
    for item in machine.iterate(iterable):
        result = machine.binary("+", result, item)
    return result


@handles(any)
def any_of(machine: Any, iterable: Any) -> Any:
    if type(iterable) is ArrayTracer:
        return to_bool(machine, machine.call_method(iterable, "any"))
    return to_bool(machine, machine.or_(False, *_thunks(machine.iterate(iterable))))


@handles(all)
def all_of(machine: Any, iterable: Any) -> Any:
    if type(iterable) is ArrayTracer:
        return to_bool(machine, machine.call_method(iterable, "all"))
    return to_bool(machine, machine.and_(True, *_thunks(machine.iterate(iterable))))


def _same(item: Any) -> Any:
    return item


def _thunks(items: Any) -> list[Callable[[], Any]]:
    return [functools.partial(_same, item) for item in items]


# ---- iteration -------------------------------------------------------------------------------
@handles(range)
def range_(machine: Any, *args: Any) -> Any:
    if not contains_tracer(args):
        return range(*args)
    for a in args:
        if is_tracer(a) and a.aval.kind is not Kind.INT and (
                a.aval.dtype is None or a.aval.dtype.kind not in "iu"):
            raise TypeError(f"'{a.__class__.__name__}' object cannot be interpreted as an integer")
    if len(args) == 1:
        return Range(0, args[0], 1)
    return Range(args[0], args[1], args[2] if len(args) > 2 else 1)


@handles(len)
def length(machine: Any, obj: Any) -> Any:
    if isinstance(obj, Staged):
        return iteration.length(machine, obj)
    method = python_method(obj, "__len__")
    if method is not None:
        return machine.call(method, obj)
    if is_tracer(obj):
        return machine.length(obj)
    obj = machine.seen(obj)
    machine.note_container(obj)
    return machine.length(obj) if isinstance(obj, list) else len(obj)


def _any_staged(machine: Any, parts: tuple[Any, ...]) -> bool:
    return any(staged_iterable(machine, p) is not None for p in parts)


@handles(zip)
def zip_(machine: Any, *parts: Any, strict: bool = False) -> Any:
    if not _any_staged(machine, parts):
        return zip(*[machine.outside_items(p) for p in parts], strict=strict)
    staged = []
    for p in parts:
        found = staged_iterable(machine, p)
        staged.append(found if found is not None else machine.listed(p))
    return Zip(tuple(staged), strict)


@handles(enumerate)
def enumerate_(machine: Any, iterable: Any, start: Any = 0) -> Any:
    found = staged_iterable(machine, iterable)
    if found is None and isinstance(iterable, range):
        found = Range(iterable.start, iterable.stop, iterable.step)
    if found is None:
        return enumerate(machine.outside_items(iterable), start)
    return Enumerate(found, start)


@handles(reversed)
def reversed_(machine: Any, iterable: Any) -> Any:
    found = staged_iterable(machine, iterable)
    if found is None:
        if isinstance(iterable, dict) or not isinstance(iterable, (list, tuple, str, range)):
            return reversed(iterable)
        if isinstance(iterable, range):
            return iterable[::-1]
        return reversed(list(machine.outside_items(iterable)))
    if isinstance(found, Range):
        size = iteration.length(machine, found)
        last = machine.binary("+", found.start, machine.binary(
            "*", machine.binary("-", size, 1), found.step))
        return Range(last, machine.binary("-", found.start, found.step),
                     machine.unary("-", found.step))
    return Reversed(found)


@handles(map)
def map_(machine: Any, function: Any, *parts: Any) -> Any:
    if _any_staged(machine, parts):
        staged = tuple(staged_iterable(machine, p) or machine.listed(p) for p in parts)
        return Mapped(function, staged)
    return iter([machine.call(function, *items)
                 for items in zip(*[machine.outside_items(p) for p in parts])])


@handles(filter)
def filter_(machine: Any, function: Any, iterable: Any) -> Any:
    kept = []
    for item in machine.iterate(iterable):
        test = item if function is None else machine.call(function, item)
        if machine.truth(test):
            kept.append(item)
    return iter(kept)


@handles(iter)
def iter_(machine: Any, obj: Any, *sentinel: Any) -> Any:
    found = staged_iterable(machine, obj)
    if found is not None:
        return Cursor(found)
    method = python_method(obj, "__iter__")
    if method is not None:
        return machine.call(method, obj)
    if isinstance(obj, (list, tuple)):
        return Cursor(list(machine.outside_items(obj)))
    return iter(obj, *sentinel)


@handles(next)
def next_(machine: Any, iterator: Any, *default: Any) -> Any:
    if isinstance(iterator, Cursor):
        size = iteration.length(machine, iterator.inner)
        position = iterator.position
        if type(size) is int and type(position) is int and position >= size:
            if default:
                return default[0]
            raise StopIteration
        value = iteration.item(machine, iterator.inner, position)
        machine.journal.write(Field(iterator, "position"), machine.binary("+", position, 1))
        return value
    method = python_method(iterator, "__next__")
    if method is not None:
        return machine.call(method, iterator)
    return next(iterator, *default)


@handles(sorted)
def sorted_(machine: Any, iterable: Any, *, key: Any = None, reverse: Any = False) -> Any:
    items = list(machine.iterate(iterable))
    keys = [machine.call(key, i) if key is not None else i for i in items]
    if not any(is_tracer(k) for k in keys):
        if any(python_method(k, "__lt__") is not None for k in keys):
            raise machine.fatal(UnsupportedOperation(
                "sorting by a user-written comparison",
                why="the order would have to be known while compiling",
                fix="sort by a number: sorted(items, key=...)"))
        order = sorted(range(len(items)), key=keys.__getitem__, reverse=reverse)
        return [items[i] for i in order]
    return machine.sort_traced(items, keys, reverse)


@handles(list)
def list_(machine: Any, iterable: Any = ()) -> Any:
    if isinstance(iterable, list) and id(iterable) in machine.symbolic_lists:
        return machine.call_method(iterable, "copy")
    found = staged_iterable(machine, iterable)
    if found is not None and iteration.static_items(machine, found) is None:
        made: list[Any] = machine.build_list()
        machine.for_(found, machine.hold, lambda: machine.append_held(made))
        return made
    return machine.made(list(machine.iterate(iterable)))


@handles(tuple)
def tuple_(machine: Any, iterable: Any = ()) -> Any:
    return tuple(machine.iterate(iterable))


@handles(set, frozenset)
def set_(machine: Any, iterable: Any = ()) -> Any:
    return machine.made({machine.static_key(i) for i in machine.iterate(iterable)})


@handles(dict)
def dict_(machine: Any, *args: Any, **kwargs: Any) -> Any:
    if args:
        source = args[0]
        if isinstance(source, dict):
            items = list(machine.container_method(source, "items", (), {}))
        else:
            items = [tuple(machine.iterate(pair)) for pair in machine.iterate(source)]
        return machine.made({**{machine.static_key(k): v for k, v in items}, **kwargs})
    return machine.made(dict(**kwargs))


def _itertool(function: Any) -> Callable[..., Any]:
    def handler(machine: Any, *args: Any, **kwargs: Any) -> Any:
        given: list[Any] = [list(machine.iterate(a)) if isinstance(a, Staged) or (is_tracer(a) and (
            a.aval.kind is Kind.ARRAY)) else a for a in args]
        if function is itertools.accumulate:
            return iter(_accumulated(machine, *given, **kwargs))
        if function is itertools.starmap:
            return iter([machine.call(given[0], *x) for x in machine.iterate(given[1])])
        plain: list[Any] = [machine.static_key(a) if is_tracer(a) and a.aval.kind is Kind.INT and (
            function is not itertools.repeat or i) else a for i, a in enumerate(given)]
        return function(*plain, **kwargs)

    return handler


for _tool in (itertools.count, itertools.chain, itertools.product, itertools.combinations,
              itertools.permutations, itertools.accumulate, itertools.islice, itertools.repeat,
              itertools.cycle, itertools.pairwise, itertools.zip_longest, itertools.starmap,
              itertools.takewhile, itertools.dropwhile,
              itertools.combinations_with_replacement):
    HANDLERS[_tool] = _itertool(_tool)


def _accumulated(machine: Any, items: Any, func: Any = None, *, initial: Any = None) -> list[Any]:
    result: list[Any] = []
    running = initial
    if initial is not None:
        result.append(initial)
    for item in machine.iterate(items):
        if running is None:
            running = item
        elif func is None:
            running = machine.binary("+", running, item)
        else:
            running = machine.call(func, running, item)
        result.append(running)
    return result


@handles(functools.reduce)
def reduce(machine: Any, function: Any, iterable: Any, *initial: Any) -> Any:
    items = list(machine.iterate(iterable))
    if initial:
        items.insert(0, initial[0])
    if not items:
        raise TypeError("reduce() of empty iterable with no initial value")
    result = items[0]
    for item in items[1:]:
        result = machine.call(function, result, item)
    return result


# ---- types and attributes ------------------------------------------------------------------
@handles(isinstance)
def isinstance_(machine: Any, obj: Any, classes: Any) -> Any:
    if is_tracer(obj):
        if type(obj) is OpaqueTracer or obj.aval.kind in (Kind.NUMBER, Kind.ANY) or (
                obj.aval.optional):
            return machine.opaque_apply(isinstance, (machine.value_of(obj), classes), BOOL)
        return issubclass(obj.__class__, classes)
    return isinstance(obj, classes)


@handles(type)
def type_(machine: Any, *args: Any) -> Any:
    if len(args) == 1 and is_tracer(args[0]):
        if type(args[0]) is OpaqueTracer or args[0].aval.kind in (Kind.NUMBER, Kind.ANY):
            return machine.opaque_apply(type, (machine.value_of(args[0]),), OPAQUE)
        return args[0].__class__
    return type(*args)


@handles(getattr)
def getattr_(machine: Any, obj: Any, name: str, *default: Any) -> Any:
    try:
        return machine.getattr(obj, name)
    except AttributeError:
        if default:
            return default[0]
        raise


@handles(hasattr)
def hasattr_(machine: Any, obj: Any, name: str) -> Any:
    try:
        machine.getattr(obj, name)
    except AttributeError:
        return False
    return True


@handles(setattr)
def setattr_(machine: Any, obj: Any, name: str, value: Any) -> None:
    machine.setattr(obj, name, value)


@handles(delattr)
def delattr_(machine: Any, obj: Any, name: str) -> None:
    machine.delattr(obj, name)


@handles(object.__setattr__)
def object_setattr(machine: Any, obj: Any, name: str, value: Any) -> None:
    machine.journal.touch(Field(obj, name))
    object.__setattr__(obj, name, value)


@handles(callable)
def callable_(machine: Any, obj: Any) -> bool:
    return callable(obj) and not is_tracer(obj)


@handles(id)
def id_(machine: Any, obj: Any) -> int:
    return obj.obj if type(obj) is ArrayTracer else id(obj)


@handles(vars)
def vars_(machine: Any, *args: Any) -> Any:
    return machine.getattr(args[0], "__dict__")


def _text(function: Any, method: str) -> Callable[..., Any]:
    def handler(machine: Any, *args: Any, **kwargs: Any) -> Any:
        own = python_method(args[0], method) if args else None
        if own is not None:
            return machine.call(own, *args)
        if contains_tracer(args):
            return machine.apply_opaque(function, args, kwargs)
        return function(*args, **kwargs)

    return handler


HANDLERS[str] = _text(str, "__str__")
HANDLERS[repr] = _text(repr, "__repr__")
HANDLERS[format] = _text(format, "__format__")
HANDLERS[ascii] = _text(ascii, "__repr__")


@handles(copy.copy)
def copy_(machine: Any, obj: Any) -> Any:
    if type(obj) is ArrayTracer:
        return machine.call_method(obj, "copy")
    if isinstance(obj, list):
        return list_(machine, obj)
    if isinstance(obj, dict):
        return dict_(machine, obj)
    own = python_method(obj, "__copy__")
    if own is not None:
        return machine.call(own, obj)
    return machine.copied(obj, False, {})


@handles(copy.deepcopy)
def deepcopy_(machine: Any, obj: Any, memo: Any = None) -> Any:
    return machine.copied(obj, True, {})


# ---- NumPy -------------------------------------------------------------------------------------
@handles(np.copyto)
def copyto(machine: Any, dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    machine.copyto(dst, src, casting, where)


@handles(np.fill_diagonal)
def fill_diagonal(machine: Any, a: Any, val: Any, wrap: bool = False) -> None:
    machine.fill_diagonal(a, val, wrap)


@handles(np.putmask)
def putmask(machine: Any, a: Any, mask: Any, values: Any) -> None:
    machine.putmask(a, mask, values)


@handles(np.place)
def place(machine: Any, arr: Any, mask: Any, vals: Any) -> None:
    machine.place(arr, mask, vals)


@handles(np.put)
def put(machine: Any, a: Any, ind: Any, v: Any, mode: str = "raise") -> None:
    machine.put(a, ind, v, mode)


@handles(np.ndim)
def ndim(machine: Any, a: Any) -> Any:
    return a.aval.ndim if is_tracer(a) and a.aval.ndim is not None else np.ndim(a)


@handles(np.shape)
def shape(machine: Any, a: Any) -> Any:
    if type(a) is ArrayTracer:
        return machine.getattr(a, "shape")
    if is_tracer(a):
        return ()
    return machine.getattr(machine.call(np.asarray, a), "shape")


@handles(np.size)
def size(machine: Any, a: Any, axis: Any = None) -> Any:
    if type(a) is ArrayTracer and axis is not None:
        return machine.size_of(a, axis)
    return machine.getattr(a, "size") if is_tracer(a) else np.size(a, axis)


@handles(np.ndenumerate)
def ndenumerate(machine: Any, a: Any) -> Any:
    if type(a) is not ArrayTracer:
        return np.ndenumerate(a)
    return [(index, machine.getitem(a, index)) for index in ndindex(machine, a.aval.shape)]


@handles(np.ndindex)
def ndindex(machine: Any, *shape: Any) -> Any:
    if len(shape) == 1 and isinstance(shape[0], tuple):
        shape = shape[0]
    sizes = [machine.demand(machine.size_tracer(s), "the shape of np.ndindex")
             if not isinstance(s, int) else s for s in shape]
    return list(np.ndindex(*sizes))


@handles(np.isscalar)
def isscalar(machine: Any, element: Any) -> Any:
    if is_tracer(element):
        return element.aval.kind is not Kind.ARRAY
    return np.isscalar(element)


HANDLERS[np.iscomplexobj] = lambda machine, x: (
    x.aval.dtype.kind == "c" if is_tracer(x) and x.aval.dtype is not None else np.iscomplexobj(x))
HANDLERS[np.isrealobj] = lambda machine, x: not HANDLERS[np.iscomplexobj](machine, x)
HANDLERS[np.require] = lambda machine, a, *args, **kwargs: machine.call(np.asarray, a)


@handles(np.apply_along_axis)
def apply_along_axis(machine: Any, func1d: Any, axis: Any, arr: Any, *args: Any,
                     **kwargs: Any) -> Any:
    """Rows of a matrix, one call each (the number of rows is demanded)."""
    if not is_tracer(arr):
        return np.apply_along_axis(func1d, axis, arr, *args, **kwargs)
    moved = machine.call(np.moveaxis, arr, axis, -1)
    return _along(machine, func1d, moved, arr.aval.ndim - 1, axis, args, kwargs)


def _along(machine: Any, func1d: Any, moved: Any, depth: int, axis: int, args: Any,
           kwargs: Any) -> Any:
    if depth == 0:
        return machine.call(func1d, moved, *args, **kwargs)
    rows = [_along(machine, func1d, r, depth - 1, axis, args, kwargs)
            for r in machine.iterate(moved)]
    result = machine.call(np.stack if type(rows[0]) is ArrayTracer else np.array, rows)
    if depth == moved.aval.ndim - 1 and result.aval.ndim == moved.aval.ndim:
        return machine.call(np.moveaxis, result, -1, axis)
    return result


# ---- effects -----------------------------------------------------------------------------------
@handles(print)
def print_(machine: Any, *args: Any, **kwargs: Any) -> None:
    parts = [list(machine.iterate(a)) if isinstance(a, Staged) else a for a in args]
    machine.emit_effect(print, tuple(parts), kwargs, None)


@handles(builtins.locals, builtins.globals)
def namespace(machine: Any) -> Any:
    raise machine.fatal(UnsupportedOperation(
        "locals() or globals() in a traced function",
        why="variables of a staged function do not live in a Python namespace",
        fix="name the variables that you want"))


@handles(exec, eval)
def dynamic_code(machine: Any, *args: Any) -> Any:
    raise machine.fatal(UnsupportedOperation(
        "exec or eval in a traced function", why="code made at run time cannot be staged",
        fix="write the code in the function"))


def _fold(function: Any, op: str, start: Any) -> Callable[..., Any]:
    def handler(machine: Any, iterable: Any, **kwargs: Any) -> Any:
        items = list(machine.iterate(iterable))
        if not contains_tracer(items):
            return function(items, **kwargs)
        if function is math.prod:
            result = kwargs.get("start", start)
            for item in items:
                result = machine.binary(op, result, item)
            return result
        return machine.apply(function, (items,), kwargs)

    return handler


HANDLERS[math.fsum] = _fold(math.fsum, "+", 0.0)
HANDLERS[math.prod] = _fold(math.prod, "*", 1)


def sort_node(machine: Any, keys: list[Any], reverse: bool) -> Any:
    """The order of traced keys as an array of positions (stable)."""
    stacked = machine.call(np.array, keys)
    if reverse:
        backwards = machine.call(np.argsort, machine.getitem(stacked, slice(None, None, -1)),
                                 kind="stable")
        flipped = machine.getitem(backwards, slice(None, None, -1))
        return machine.binary("-", len(keys) - 1, flipped)
    return machine.call(np.argsort, stacked, kind="stable")
