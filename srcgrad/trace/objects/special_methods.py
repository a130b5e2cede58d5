"""Special methods of users' classes, by operator."""

from __future__ import annotations

import collections
import dataclasses
import operator
import types
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...stage.machine import UNBOUND
from ...stage.source import is_generated
from ...types.subclasses import NATIVE, PLAIN, native_class
from ..heap.stores import Reference
from ..record.tracers import Choice, contains_tracer, is_tracer

DUNDER = {"+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod",
          "**": "pow", "@": "matmul", "&": "and", "|": "or", "^": "xor", "<<": "lshift",
          ">>": "rshift", "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}

LIBRARY_BASES = frozenset({"collections", "enum", "numpy", "typing"})

UNARY_DUNDER = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}

CONTAINERS = (list, tuple, dict, set, frozenset, str, bytes, bytearray, collections.deque)

NATIVE_TYPES = frozenset({*CONTAINERS, bool, int, float, complex, type(None), np.ndarray,
                          np.float64})


OPERATIONS: dict[str, Any] = {  # what a special method does, called by its name
    **{f"__{name}__": getattr(operator, f"__{name}__") for name in (
        *DUNDER.values(), *(f"i{n}" for n in DUNDER.values() if hasattr(operator, f"__i{n}__")),
        "neg", "pos", "invert", "getitem", "setitem", "delitem", "contains")},
    "__len__": len, "__abs__": abs, "__float__": float, "__int__": int, "__bool__": bool,
    "__complex__": complex,
    "__round__": round, "__divmod__": divmod, "__iter__": iter,
}
REFLECTED = {f"__r{name}__": getattr(operator, f"__{name}__") for name in DUNDER.values()
             if hasattr(float, f"__r{name}__") or name == "matmul"}


# methods of arrays that write to them
WRITING_METHODS = frozenset({
    "__iadd__", "__isub__", "__imul__", "__itruediv__", "__ifloordiv__", "__imod__",
    "__ipow__", "__imatmul__", "__iand__", "__ior__", "__ixor__", "__ilshift__",
    "__irshift__", "__setitem__"})


def operation(obj: Any, name: str, args: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]] | None:
    """The function and the arguments that a special method of a traced value or a container
    stands for, called by its name; None for other methods and objects."""
    if not (is_tracer(obj) or type(obj) in NATIVE_TYPES):
        return None
    if name in OPERATIONS:
        return OPERATIONS[name], (obj, *args)
    return (REFLECTED[name], (*args, obj)) if name in REFLECTED and len(args) == 1 else None


def python_method(obj: Any, name: str) -> Any:
    """A special method written in Python on the object's class, or None."""
    cls = type(obj)
    if is_tracer(obj) or cls in NATIVE_TYPES:
        return None
    cls = users_type(obj)
    method = getattr(cls, name, None)
    if not hasattr(method, "__code__"):
        return None
    if issubclass(cls, (*CONTAINERS, np.ndarray, np.generic, int, float)) and (
            method.__module__.split(".")[0] in LIBRARY_BASES):
        return None  # of a class such as Counter or IntFlag: it runs as it is
    return method


def of_ndarray(function: Any) -> Any:
    """Mark a function as standing for what ndarray has."""
    function.of_ndarray = True
    return function


def is_of_ndarray(found: Any) -> bool:
    """Does what a class holds under a name stand for what ndarray has there?"""
    found = found.fget if isinstance(found, property) else found
    found = found.__func__ if isinstance(found, types.MethodType) else found
    return isinstance(found, types.FunctionType) and "of_ndarray" in vars(found)


def own_method(obj: Any, name: str) -> Any:
    """A special method written in Python of a class of the user's, or None; what stands for that
    of ndarray is none."""
    method = python_method(obj, name)
    return None if is_of_ndarray(method) else method


def class_name(cls: type) -> str:
    """The name of a class as Python's own messages have it: with the module where C defines it."""
    of_c = not cls.__flags__ & 1 << 9 and cls.__module__ != "builtins"
    return f"{cls.__module__}.{cls.__qualname__}" if of_c else cls.__name__


def users_type(obj: Any) -> type:
    """The class of an object, which may lie in a store."""
    cls: type = obj.cls if type(obj) is Reference else type(obj)
    return cls


def compared_fields(obj: Any, name: str) -> tuple[str, ...] | None:
    """The fields that a comparison compares which ``@dataclass`` has made; None for others."""
    cls = users_type(obj)
    owner = next((c for c in cls.__mro__ if name in vars(c)), object)
    fields = vars(owner).get("__dataclass_fields__")
    if fields is None or not is_generated(vars(owner)[name]):
        return None
    return tuple(f.name for f in dataclasses.fields(owner)
                 if (f.compare if name != "__hash__" or f.hash is None else f.hash))


def is_asked(obj: Any) -> bool:
    """Is equality to an object found out while tracing: of traced values, by an ``__eq__``?"""
    return contains_tracer(obj) or type(obj) is Choice or (
        python_method(obj, "__eq__") is not None)


def is_subscripted(obj: Any) -> bool:
    """Are the items of an instance those of its ``__getitem__`` for 0, 1, 2, ..., up to an
    IndexError?"""
    found = getattr(type(obj), "__iter__", None)
    return (found is None or found is Sequence.__iter__) and (
        python_method(obj, "__getitem__") is not None) and (
        not type(obj).__module__.startswith("srcgrad."))  # which knows its length


def truth_method(value: Any) -> Any:
    """The special method written in Python that decides the truth of an object, or None."""
    return python_method(value, "__bool__") or python_method(value, "__len__")


def has_own(op: str, left: Any, right: Any) -> bool:
    """Has one of the operands, such as an instance of a subclass of float, a method written in
    Python for the operator?"""
    name = DUNDER[op]
    return any(python_method(x, f"__{n}__") is not None for x in (left, right)
               if not is_tracer(x) for n in (name, f"r{name}"))


def class_attribute(cls: type, name: str) -> Any:
    """The raw attribute of a class (descriptors are not run); UNBOUND if there is none."""
    for k in cls.__mro__:
        if name in k.__dict__:
            return k.__dict__[name]
    return UNBOUND


def is_native_method(found: Any) -> bool:
    """Is it a method of a container's class of C code?"""
    return isinstance(found, (types.MethodDescriptorType, types.WrapperDescriptorType)) and (
        found.__objclass__ in NATIVE)


def is_native_new(function: Any) -> bool:
    """Is it the ``__new__`` of a class of C code?"""
    return isinstance(function, types.BuiltinMethodType) and function.__name__ == "__new__" and (
        isinstance(function.__self__, type) and function.__self__.__module__ in (
            "builtins", "collections"))


def native_call(function: Any, args: tuple[Any, ...]) -> tuple[Any, str, tuple[Any, ...]] | None:
    """The instance, the name and the arguments of a call of a container's method of C code, bound
    (``super().append``) or not (``list.append``); None for other calls."""
    if is_native_new(function):
        return (args[0], "__new__", args[1:]) if args else None
    if isinstance(function, (types.BuiltinMethodType, types.MethodWrapperType)):
        owner = function.__self__
        if native_class(type(owner)) is not None and is_native_method(
                class_attribute(native_class(type(owner)), function.__name__)):
            return owner, function.__name__, args
    elif is_native_method(function) and args and isinstance(args[0], PLAIN):
        if native_class(type(args[0])) is not None or type(args[0]) in (
                list, dict, set, collections.deque):
            return args[0], function.__name__, args[1:]
    return None


def is_cached_property(found: Any) -> bool:
    """Is an attribute of a class a ``functools.cached_property``?"""
    return type(found).__name__ == "cached_property" and hasattr(found, "func")
