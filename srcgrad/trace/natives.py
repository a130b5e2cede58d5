"""Methods of Python's containers, as code of C knows them."""

from __future__ import annotations

import collections
import types
from typing import Any

from ..stage.machine import UNBOUND
from ..subclasses import NATIVE, PLAIN, native_class


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
