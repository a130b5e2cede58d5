"""Special methods of users' classes, by operator."""

from __future__ import annotations

import collections
import operator
from typing import Any

import numpy as np

from .tracers import Picked, is_tracer

COMPARE: dict[str, Any] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "==": operator.eq, "!=": operator.ne,
}

DUNDER = {"+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod",
          "**": "pow", "@": "matmul", "&": "and", "|": "or", "^": "xor", "<<": "lshift",
          ">>": "rshift", "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}

LIBRARY_BASES = frozenset({"collections", "enum", "numpy", "typing"})

UNARY_DUNDER = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}

CONTAINERS = (list, tuple, dict, set, frozenset, str, bytes, bytearray, collections.deque)

NATIVE_TYPES = frozenset({*CONTAINERS, bool, int, float, complex, type(None), np.ndarray,
                          np.float64})


def python_method(obj: Any, name: str) -> Any:
    """A special method written in Python on the object's class, or None."""
    cls = type(obj)
    if is_tracer(obj) or cls in NATIVE_TYPES:
        return None
    cls = obj.cls if cls is Picked else cls
    method = getattr(cls, name, None)
    if not hasattr(method, "__code__"):
        return None
    if issubclass(cls, (*CONTAINERS, np.ndarray, np.generic, int, float)) and (
            method.__module__.split(".")[0] in LIBRARY_BASES):
        return None  # of a class such as Counter or IntFlag: it runs as it is
    return method


def truth_method(value: Any) -> Any:
    """The special method written in Python that decides the truth of an object, or None."""
    return python_method(value, "__bool__") or python_method(value, "__len__")


def has_own(op: str, left: Any, right: Any) -> bool:
    """Has one of the operands, such as an instance of a subclass of float, a method written in
    Python for the operator?"""
    name = DUNDER[op]
    return any(python_method(x, f"__{n}__") is not None for x in (left, right)
               for n in (name, f"r{name}"))
