"""What ndarray has, as functions with handlers: the members of :class:`ClassedArray`.

Each of them works on the array itself, and makes of the result what NumPy makes of it.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ....errors import UnsupportedOperation
from ....graph.indexing import is_basic
from ....types.subclasses import is_array_class
from ...calls.calls import is_users
from ...calls.handlers import HANDLERS, handles
from ...iteration.elements import items_of
from ...objects.special_methods import of_ndarray, own_method, python_method
from ...record.tracers import ArrayTracer, ClassedArray, Poison

# what gives no instance, and is not called with numbers of an example
PLAIN = frozenset({
    "tofile", "dump", "dumps", "item", "resize", "setflags", "__delitem__",
    "__contains__", "__len__", "__bool__", "__float__", "__int__", "__complex__"})
SKIPPED = frozenset({  # as ClassedArray is no array for NumPy
    "__new__", "__doc__", "__hash__", "__repr__", "__str__", "__format__", "__index__",
    "__class_getitem__", "__array_interface__", "__array_struct__", "__array_priority__",
    "__array_namespace__", "__dlpack__", "__dlpack_device__", "__buffer__"})


def _native(name: str, handler: Callable[..., Any]) -> Any:
    """A function that stands for a member of ndarray."""
    def native(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        return self.machine.call(native, self, *args, **kwargs)

    native.__name__ = native.__qualname__ = name
    HANDLERS[native] = handler
    return of_ndarray(native)


def _method(machine: Any, obj: Any, /, *args: Any, name: str, **kwargs: Any) -> Any:
    return machine.array_results.of(
        getattr(np.ndarray, name), (obj, *args), kwargs,
        lambda array, *rest, **named: machine.call_method(array, name, *rest, **named))


def _plain(machine: Any, obj: Any, /, *args: Any, name: str, **kwargs: Any) -> Any:
    plain = machine.array_classes.unclassed
    return machine.call_method(plain(obj), name, *plain(args), **plain(kwargs))


def _setitem(machine: Any, obj: Any, key: Any, value: Any) -> None:
    """NumPy asks the class's own ``__getitem__`` for the view that a slice writes to, and its shape
    counts."""
    plain = machine.array_classes.unclassed
    key = plain(key)
    items = tuple(getattr(k, "aval", k) for k in (key if isinstance(key, tuple) else (key,)))
    is_view = is_basic(items) and (len(items) < obj.ndim or any(
        k is None or k is Ellipsis or isinstance(k, slice) for k in items))
    part = machine.getitem(obj, key) if is_view and own_method(obj, "__getitem__") else obj
    machine.setitem(plain(part), key if part is obj else Ellipsis, plain(value))


def _operator(machine: Any, obj: Any, *others: Any, name: str) -> Any:
    """An operator, by the ufunc that it calls where that asks its operands."""
    asks = any(own_method(x, asked) for asked in ("__array_ufunc__", "__array_wrap__")
               for x in (obj, *others))
    for other in others:
        if not isinstance(other, ClassedArray) and is_users(other):
            back = name[:2] + name[3:] if name[2] == "r" else f"__r{name[2:]}"
            if getattr(type(other), "__array_ufunc__", None) is None and (
                    python_method(other, back) is not None):
                return NotImplemented
            asks = True
    if asks:
        return machine.array_results.of_operator(name, (obj, *others))
    return _method(machine, obj, *others, name=name)


def _read(machine: Any, obj: Any, *, name: str) -> Any:
    return machine.array_results.of(getattr(np.ndarray, name).__get__, (obj,), {},
                                    lambda array: machine.getattr(array, name))


def _write(machine: Any, obj: Any, value: Any, *, name: str) -> None:
    plain = machine.array_classes.unclassed
    machine.setattr(plain(obj), name, plain(value))


# ---- those that mean something of their own ----------------------------------------------------
def _view(machine: Any, obj: Any, /, *wanted: Any, **named: Any) -> Any:
    cls = next((w for w in (*wanted, *named.values()) if isinstance(w, type) and issubclass(
        w, np.ndarray)), None)
    if cls is None:
        return _method(machine, obj, *wanted, name="view", **named)
    view = machine.array_classes.handle(machine.array_classes.array_of(obj))
    return machine.array_classes.as_class(cls, view, obj) if is_array_class(cls) else view


def _wrap(machine: Any, obj: Any, array: Any, *rest: Any) -> Any:
    """``super().__array_wrap__(...)``: the array as an instance of the class."""
    return array if getattr(array, "cls", None) is obj.cls else machine.array_classes.as_class(
        obj.cls, machine.array_classes.unclassed(array), obj)


def _array_ufunc(machine: Any, obj: Any, ufunc: Any, method: str, *inputs: Any,
                 **kwargs: Any) -> Any:
    """``super().__array_ufunc__(...)``: the ufunc, if no operand has an override."""
    if any(own_method(x, "__array_ufunc__") for x in (*inputs, *(kwargs.get("out") or ()))):
        return NotImplemented
    return machine.call(ufunc if method == "__call__" else getattr(ufunc, method), *inputs,
                        **kwargs)


def _array_function(machine: Any, obj: Any, function: Any, kinds: Any, args: Any,
                    kwargs: Any) -> Any:
    """``super().__array_function__(...)``: NumPy's function, without asking the operands."""
    return machine.array_results.of(function._implementation, args, kwargs,
                                    functools.partial(machine.call, function))


def _getitem(machine: Any, obj: Any, key: Any) -> Any:
    """A part that is an array is made from the whole."""
    found = machine.getitem(machine.array_classes.array_of(obj), key)
    if type(found) is not ArrayTracer or isinstance(key, str):
        return found
    return machine.array_classes.as_class(obj.cls, found, obj)


def _iter(machine: Any, obj: Any) -> Any:
    """The elements of a vector are numbers; other items are what ``[i]`` gives."""
    array = machine.array_classes.array_of(obj)
    of_vector = array.aval.ndim < 2 and own_method(obj, "__getitem__") is None
    return machine.call(iter, array) if of_vector else machine.call(items_of, obj)


SPECIAL: dict[str, Callable[..., Any]] = {
    "view": _view, "__array_wrap__": _wrap, "__getitem__": _getitem, "__iter__": _iter,
    "__array_ufunc__": _array_ufunc, "__array_function__": _array_function,
    "__array_finalize__": lambda machine, obj, source: None,
    "__setitem__": _setitem,
    "__array__": lambda machine, obj, *args, **kwargs: machine.call(
        np.asarray, machine.array_classes.array_of(obj), *args, **kwargs),
    **dict.fromkeys(("__copy__", "__deepcopy__"), lambda machine, obj, *memo: _method(
        machine, obj, name="copy"))}

for _name, _member in vars(np.ndarray).items():
    if isinstance(_member, types.GetSetDescriptorType) and _name not in SKIPPED:
        setattr(ClassedArray, _name, property(
            _native(_name, functools.partial(_read, name=_name)),
            _native(_name, functools.partial(_write, name=_name))))
    elif _name not in SKIPPED:
        setattr(ClassedArray, _name, _native(_name, SPECIAL.get(_name) or functools.partial(
            _plain if _name in PLAIN else _operator if isinstance(
                _member, types.WrapperDescriptorType) else _method, name=_name)))
ClassedArray.__hash__ = None  # type: ignore[assignment]


@handles(np.matrix.__array_finalize__)
def finalize_matrix(machine: Any, made: Any, source: Any) -> None:
    """One that only NumPy has seen is not given two axes."""
    machine.setattr(made, "_getitem", False)
    if type(made._array_) is not Poison:
        machine.calls.inline(np.matrix.__array_finalize__, (made, source), {})


@handles(np.ndarray.__new__)
def new(machine: Any, cls: Any, shape: Any, dtype: Any = float, buffer: Any = None,
        offset: Any = 0, strides: Any = None, order: Any = None) -> Any:
    """``np.ndarray.__new__(cls, shape)``: memory that is not initialised, or that of an array."""
    memory = machine.array_classes.unclassed(buffer)
    if not strides is order is None or (buffer is not None and not (
            offset == 0 and isinstance(memory, (ArrayTracer, np.ndarray))
            and memory.dtype == np.dtype(dtype))):
        raise machine.recorder.fatal(UnsupportedOperation(
            "np.ndarray over a part of a buffer, or in an order",
            why="which elements it shares with the buffer is not followed",
            fix="make it as a view: np.asarray(...).view(cls)"))
    array = machine.call(np.empty, shape, dtype) if buffer is None else machine.call(
        np.reshape, memory, shape)
    return array if cls is np.ndarray else machine.array_classes.as_class(cls, array, None)
