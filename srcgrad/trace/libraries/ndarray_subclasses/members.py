"""What ndarray has, as functions with handlers: the members of :class:`ClassedArray`.

Each of them works on the array itself, and makes of the result what NumPy makes of it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ....errors import UnsupportedOperation
from ....types.subclasses import ARRAY, is_array_class
from ...calls.calls import is_users
from ...calls.handlers import HANDLERS, handles
from ...iteration.elements import items_of
from ...objects.protocols import UFUNCS
from ...objects.special_methods import COMPARE, DUNDER, UNARY_DUNDER, python_method
from ...record.journal import Field
from ...record.tracers import ArrayTracer, ClassedArray, is_tracer
from ...values.operators import BINARY, UNARY
from .classes import is_native

PLAIN_ATTRIBUTES = ("shape", "ndim", "size", "dtype", "itemsize", "nbytes", "strides", "flags",
                    "base", "ctypes", "data", "device")
VIEWS = ("T", "mT", "real", "imag")
# methods whose result has nothing to do with the class, or that give none
PLAIN_METHODS = ("tolist", "item", "tobytes", "tofile", "dump", "dumps", "fill", "sort",
                 "partition", "put", "resize", "setflags", "setfield")
SKIPPED = frozenset({
    "__new__", "__init__", "__getattribute__", "__setattr__", "__delattr__", "__hash__",
    "__repr__", "__str__", "__format__", "__class__", "__doc__", "__dir__", "__init_subclass__",
    "__subclasshook__", "__class_getitem__", "__reduce__", "__reduce_ex__", "__sizeof__",
    "__getstate__", "__setstate__", "__array_interface__", "__array_struct__", "__index__",
    "__dlpack__", "__dlpack_device__", "__array_priority__", "__array_namespace__"})


def _native(name: str, handler: Callable[..., Any]) -> Any:
    """A function that stands for a member of ndarray."""
    def native(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        return self.machine.call(native, self, *args, **kwargs)

    native.__name__ = native.__qualname__ = name
    native.of_ndarray = True  # type: ignore[attr-defined]
    HANDLERS[native] = handler
    return native


def _add(name: str, handler: Callable[..., Any]) -> None:
    setattr(ClassedArray, name, _native(name, handler))


# ---- attributes --------------------------------------------------------------------------------
def _read(machine: Any, obj: Any, *, name: str) -> Any:
    return machine.getattr(machine.array_classes.array_of(obj), name)


def _read_view(machine: Any, obj: Any, *, name: str) -> Any:
    return machine.array_recipes.by_example(getattr(np.ndarray, name).__get__, (obj,), {},
                              lambda array: machine.getattr(array, name))


def _write(machine: Any, obj: Any, value: Any, *, name: str) -> None:
    array = machine.array_classes.array_of(obj)
    if name == "shape" and id(obj) not in machine.found_functions.paths:
        view = machine.call(np.reshape, array, value)
        if type(view) is ArrayTracer and view.home is array.home:
            machine.journal.write(Field(obj, ARRAY), view)
            return
    machine.setattr(machine.array_classes.array_of(obj), name,
                    machine.array_classes.unclassed(value))


for _name in (*PLAIN_ATTRIBUTES, "flat", *VIEWS):
    setattr(ClassedArray, _name, property(
        _native(_name, functools.partial(_read_view if _name in VIEWS else _read, name=_name)),
        _native(_name, functools.partial(_write, name=_name))))


# ---- methods -----------------------------------------------------------------------------------
def _method(machine: Any, obj: Any, /, *args: Any, name: str, **kwargs: Any) -> Any:
    def run(array: Any, *rest: Any, **named: Any) -> Any:
        return machine.call_method(array, name, *rest, **named)

    return machine.array_recipes.by_example(getattr(np.ndarray, name), (obj, *args), kwargs, run)


def _plain_method(machine: Any, obj: Any, /, *args: Any, name: str, **kwargs: Any) -> Any:
    return machine.call_method(machine.array_classes.array_of(obj), name, *
                               machine.array_classes.unclassed(args),
                               **machine.array_classes.unclassed(kwargs))


def _view(machine: Any, obj: Any, /, *wanted: Any, **named: Any) -> Any:
    cls = next((w for w in (*wanted, *named.values()) if isinstance(w, type) and issubclass(
        w, np.ndarray)), None)
    if cls is np.ndarray:
        return machine.array_classes.handle(machine.array_classes.array_of(obj))
    if is_array_class(cls):
        return machine.array_classes.as_class(cls,
            machine.array_classes.handle(machine.array_classes.array_of(obj)), obj)
    return _method(machine, obj, *wanted, name="view", **named)


def _finalize(machine: Any, obj: Any, source: Any) -> None:
    """``super().__array_finalize__(obj)``: ndarray has nothing to do."""


def _wrap(machine: Any, obj: Any, array: Any, context: Any = None,
          return_scalar: Any = False) -> Any:
    """``super().__array_wrap__(...)``: the array as an instance of the class."""
    if isinstance(array, ClassedArray) and array.cls is obj.cls:
        return array
    return machine.array_classes.as_class(obj.cls, machine.array_classes.unclassed(array), obj)


def _array_ufunc(machine: Any, obj: Any, ufunc: Any, method: str, *inputs: Any,
                 **kwargs: Any) -> Any:
    """``super().__array_ufunc__(...)``: the ufunc, if no operand has an override."""
    operands = (*inputs, *(kwargs.get("out") or ()))
    if any(python_method(x, "__array_ufunc__") is not None and not is_native(
            python_method(x, "__array_ufunc__")) for x in operands):
        return NotImplemented
    return machine.call(ufunc if method == "__call__" else getattr(ufunc, method), *inputs,
                        **kwargs)


def _array_function(machine: Any, obj: Any, function: Any, kinds: Any, args: Any,
                    kwargs: Any) -> Any:
    """``super().__array_function__(...)``: NumPy's function, without asking the operands."""
    return machine.array_recipes.without_asking(function, args, kwargs)


def _as_array(machine: Any, obj: Any, *args: Any, **kwargs: Any) -> Any:
    return machine.call(np.asarray, machine.array_classes.array_of(obj), *args, **kwargs)


def _copied(machine: Any, obj: Any, *memo: Any) -> Any:
    return _method(machine, obj, name="copy")


_add("view", _view)
_add("__array_finalize__", _finalize)
_add("__array_wrap__", _wrap)
_add("__array_ufunc__", _array_ufunc)
_add("__array_function__", _array_function)
_add("__array__", _as_array)
_add("__copy__", _copied)
_add("__deepcopy__", _copied)
for _name in PLAIN_METHODS:
    _add(_name, functools.partial(_plain_method, name=_name))


# ---- operators -----------------------------------------------------------------------------------
_UFUNCS = {**UFUNCS, "&": np.bitwise_and, "|": np.bitwise_or, "^": np.bitwise_xor,
           "<<": np.left_shift, ">>": np.right_shift}


def _gives_up(obj: Any, other: Any, name: str) -> bool:
    """Does the operator of an array leave the operation to the other operand?"""
    if isinstance(other, ClassedArray) or is_tracer(other) or not is_users(other):
        return False
    return getattr(type(other), "__array_ufunc__", ...) is None or (
        python_method(other, name) is not None and python_method(
            other, "__array_ufunc__") is None)


def _operator(machine: Any, obj: Any, other: Any, *, op: str, name: str, back: str) -> Any:
    if _gives_up(obj, other, back):
        return NotImplemented
    if not isinstance(other, ClassedArray) and not is_tracer(other) and is_users(other):
        pair = (other, obj) if name.startswith("__r") and op not in COMPARE else (obj, other)
        return machine.call(_UFUNCS[op], *pair)
    reflected = name == f"__r{DUNDER[op]}__"

    def run(a: Any, b: Any) -> Any:
        left, right = (b, a) if reflected else (a, b)
        return (machine.compare if op in COMPARE else machine.binary)(op, left, right)

    return machine.array_recipes.by_example(getattr(np.ndarray, name), (obj, other), {}, run)


def _in_place(machine: Any, obj: Any, other: Any, *, op: str, name: str) -> Any:
    return machine.array_recipes.by_example(getattr(np.ndarray, name), (obj, other), {},
                              lambda a, b: machine.inplace(op, a, b))


def _unary(machine: Any, obj: Any, *, op: str, name: str) -> Any:
    return machine.array_recipes.by_example(getattr(np.ndarray, name), (obj,), {},
                              lambda a: machine.unary(op, a))


for _op in (*BINARY, *COMPARE):
    _name = f"__{DUNDER[_op]}__"
    _back = f"__r{DUNDER[_op]}__"
    _add(_name, functools.partial(_operator, op=_op, name=_name, back=_back))
    if _op in BINARY:
        _add(_back, functools.partial(_operator, op=_op, name=_back, back=_name))
        _in = f"__i{DUNDER[_op]}__"
        _add(_in, functools.partial(_in_place, op=_op, name=_in))
for _op in UNARY:
    _add(UNARY_DUNDER[_op], functools.partial(_unary, op=_op, name=UNARY_DUNDER[_op]))


def _called(machine: Any, obj: Any, *args: Any, function: Any) -> Any:
    """``float(obj)`` and the like: of the array."""
    return machine.call(function, machine.array_classes.array_of(obj), *args)


def _absolute(machine: Any, obj: Any) -> Any:
    return machine.array_recipes.by_example(np.ndarray.__abs__, (obj,), {},
                                            lambda a: machine.call(abs, a))


def _divmod(machine: Any, obj: Any, other: Any) -> Any:
    return machine.binary("//", obj, other), machine.binary("%", obj, other)


for _name, _function in {"__float__": float, "__int__": int, "__complex__": complex,
                         "__bool__": bool, "__len__": len}.items():
    _add(_name, functools.partial(_called, function=_function))
_add("__abs__", _absolute)
_add("__divmod__", _divmod)


# ---- items ---------------------------------------------------------------------------------------
def _getitem(machine: Any, obj: Any, key: Any) -> Any:
    """A part that is an array is made from the whole."""
    found = machine.getitem(machine.array_classes.array_of(obj), key)
    if type(found) is not ArrayTracer or isinstance(key, str):
        return found
    return machine.array_classes.as_class(obj.cls, found, obj)


def _setitem(machine: Any, obj: Any, key: Any, value: Any) -> None:
    machine.setitem(machine.array_classes.array_of(obj), key,
                    machine.array_classes.unclassed(value))


def _contains(machine: Any, obj: Any, item: Any) -> Any:
    return machine.compare("in", machine.array_classes.unclassed(item),
                           machine.array_classes.array_of(obj))


def _delitem(machine: Any, obj: Any, key: Any) -> None:
    raise ValueError("cannot delete array elements")


def _iter(machine: Any, obj: Any) -> Any:
    """The elements of a vector are numbers; other items are what ``[i]`` gives."""
    array = machine.array_classes.array_of(obj)
    if array.aval.ndim == 0:
        raise TypeError("iteration over a 0-d array")
    own = type(obj).__getitem__
    if array.aval.ndim == 1 and is_native(own):
        return array
    return machine.call(items_of, obj)


_add("__getitem__", _getitem)
_add("__setitem__", _setitem)
_add("__contains__", _contains)
_add("__delitem__", _delitem)
_add("__iter__", _iter)
for _name in dir(np.ndarray):
    if _name not in SKIPPED and not hasattr(ClassedArray, _name) and callable(
            getattr(np.ndarray, _name)):
        _add(_name, functools.partial(_method, name=_name))


# ---- making ------------------------------------------------------------------------------------
@handles(np.ndarray.__new__)
def new(machine: Any, cls: Any, shape: Any, dtype: Any = float, buffer: Any = None,
        offset: Any = 0, strides: Any = None, order: Any = None) -> Any:
    """``np.ndarray.__new__(cls, shape)``: memory that is not initialised, or that of a buffer."""
    if buffer is None and strides is None:
        array = machine.call(np.empty, shape, dtype, **({} if order is None else {"order": order}))
    else:
        array = _over(machine, shape, np.dtype(dtype), machine.array_classes.unclassed(buffer),
                      offset, strides,
                      order)
    return array if cls is np.ndarray else machine.array_classes.as_class(cls, array, None)


def _over(machine: Any, shape: Any, dtype: Any, buffer: Any, offset: Any, strides: Any,
          order: Any) -> Any:
    """An array over the memory of another one that lies in C order and is as large."""
    plain = type(buffer) is ArrayTracer and offset == 0 and strides is None and (
        order in (None, "C")) and dtype == buffer.aval.dtype and machine.sources.layout_of(buffer)
    if plain:
        array = machine.call(np.reshape, buffer, shape)
        return array
    raise machine.recorder.fatal(UnsupportedOperation(
        "np.ndarray over a buffer of another layout or dtype",
        why="which elements it shares with the buffer could not be followed",
        fix="make it as a view: np.asarray(...).reshape(...).view(cls)"))
