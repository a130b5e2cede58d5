"""Protocols of the user's classes: ``__array_ufunc__``, ``__array_function__`` and ``__array__``
of NumPy, ``__index__``; calls of slot wrappers."""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from ...types.kinds import Kind
from ..calls.calls import is_users
from ..calls.refused import foreign, of_objects
from ..collaborator import Args, Collaborator, Kwargs
from ..heap.written_out import items_of
from ..record.structures import is_library
from ..record.tracers import ArrayTracer, ClassedArray, is_tracer
from ..values.comparisons import MIRROR
from ..values.texts import filled, format_by, formatted, is_staged_text
from .special_methods import CONTAINERS, DUNDER, own_method, python_method, users_type

UFUNCS: dict[str, np.ufunc] = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.true_divide, "//": np.floor_divide,
    "%": np.remainder, "**": np.power, "@": np.matmul, "<": np.less, "<=": np.less_equal,
    ">": np.greater, ">=": np.greater_equal, "==": np.equal, "!=": np.not_equal,
    "&": np.bitwise_and, "|": np.bitwise_or, "^": np.bitwise_xor, "<<": np.left_shift,
    ">>": np.right_shift,
}
OPTIONS = {"reduce": (1, ("axis", "dtype", "out", "keepdims", "initial", "where")),
           "accumulate": (1, ("axis", "dtype", "out")), "reduceat": (2, ("axis", "dtype", "out"))}


class Protocols(Collaborator):
    """Calls and operators with operands that NumPy would ask."""

    speaks_to = ("containers", "recorder", "references")

    def getitem(self, obj: Any, key: Any) -> Any:
        return self.next.getitem(obj, self._place(obj, key, "__getitem__"))

    def setitem(self, obj: Any, key: Any, value: Any) -> None:
        if type(obj) is ArrayTracer and _is_sequence(value):
            value = self._as_array(value)
        self.next.setitem(obj, self._place(obj, key, "__setitem__"), value)

    def delitem(self, obj: Any, key: Any) -> None:
        self.next.delitem(obj, self._place(obj, key, "__delitem__"))

    def _place(self, obj: Any, key: Any, name: str) -> Any:
        """A subscript, with what was found outside read by its path; of an array or sequence with
        numbers for objects that have ``__index__``."""
        if python_method(obj, name) is not None:
            return key
        key = self.containers.resolved(key)
        parts = key if type(key) is tuple else (
            key.start, key.stop, key.step) if type(key) is slice else (key,)
        if not any(type(p) is slice or _is_index(p) for p in parts) or isinstance(obj, dict):
            return key
        if type(key) is tuple:
            return tuple(self._place(obj, k, name) for k in key)
        numbers = [self._index_of(p) for p in parts]
        return slice(*numbers) if type(key) is slice else numbers[0]

    def _index_of(self, obj: Any) -> Any:
        """The number that an object is as an index."""
        return self.machine.call(python_method(obj, "__index__"), obj) if _is_index(obj) else obj

    def called(self, function: Any, args: Args, kwargs: Kwargs) -> Any:
        if function is range and any(map(_is_index, args)):
            args = tuple(map(self._index_of, args))
        if isinstance(function, types.MethodWrapperType) and function.__name__ == "__call__":
            owner = function.__self__
            if isinstance(owner, np.ufunc):
                return self.machine.call(owner, *args, **kwargs)
            if isinstance(owner, type):
                return self.references.instance(owner, args, kwargs)
        if any(is_users(a) or _holds_sequence(a) for a in args) and _of_numpy(function):
            found = self.asked(function, *as_asked(function, args, kwargs))
            if found is not NotImplemented:
                return found
            args = tuple(self._as_array(a) for a in args)
        return self.next.called(function, args, kwargs)

    def asked(self, function: Any, args: Args, kwargs: Kwargs) -> Any:
        """What an operand's own method makes of the call; NotImplemented if there is none."""
        owner = getattr(function, "__self__", function)
        of_ufunc = isinstance(owner, np.ufunc)
        if not of_ufunc and not hasattr(function, "_implementation"):  # np.asarray asks nobody
            return NotImplemented
        name = "__array_ufunc__" if of_ufunc else "__array_function__"
        operands = [a for a in _operands(args, kwargs, of_ufunc)
                    if own_method(a, name)]
        operands.sort(key=lambda a: sum(issubclass(type(b), type(a)) and type(b) is not type(a)
                                        for b in operands))
        for operand in operands:
            method = python_method(operand, name)
            if of_ufunc:
                how = "__call__" if owner is function else function.__name__
                found = self.machine.call(method, operand, owner, how, *args, **kwargs)
            else:
                kinds = tuple(dict.fromkeys(self.machine.call(type, a) for a in operands))
                found = self.machine.call(method, operand, function, kinds, args, kwargs)
            if found is not NotImplemented:
                return found
        if operands:
            raise TypeError(f"operand type(s) all returned NotImplemented from {name}")
        return NotImplemented

    def _as_array(self, obj: Any) -> Any:
        """The array that NumPy makes of an object: by ``__array__``, or of its items; or a list
        of such."""
        if _holds_sequence(obj):
            return self.machine.containers.made([self._as_array(item) for item in obj])
        method = python_method(obj, "__array__") if is_users(obj) else None
        if method is not None:
            return self.machine.call(method, obj)
        if not _is_sequence(obj):
            return obj
        listed = list if python_method(obj, "__iter__") is not None else items_of
        return self.machine.call(np.array, self.machine.call(listed, obj))

    def format(self, value: Any, conversion: str, spec: Any) -> Any:
        if is_staged_text(self.machine, value):
            return formatted(self.machine, value, conversion, spec)
        return self.next.format(value, conversion, spec)

    def called_method(self, obj: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
        if name == "format" and type(obj) is str and any(
                is_staged_text(self.machine, a) for a in (*args, *kwargs.values())):
            return format_by(self.machine, obj, args, kwargs)
        return self.next.called_method(obj, name, args, kwargs)

    def binary(self, op: str, left: Any, right: Any) -> Any:
        if op == "%" and type(left) is str and is_staged_text(self.machine, right):
            return filled(self.machine, left, right)
        refused = foreign(right) if is_tracer(left) else foreign(left) if is_tracer(right) else None
        if refused is not None:
            raise self.recorder.fatal(refused)
        if _asks(left, right, f"__r{DUNDER[op]}__", True) or _asks(
                right, left, f"__{DUNDER[op]}__", False):
            return self.machine.call(UFUNCS[op], left, right)
        if type(left) is ArrayTracer and _is_plain(right) and (
                python_method(right, f"__r{DUNDER[op]}__") is not None):
            raise self.recorder.fatal(of_objects(
                "set __array_ufunc__ = None in its class, so that NumPy leaves the operator to it"))
        return self.next.binary(op, left, right)

    def inplace(self, op: str, left: Any, right: Any) -> Any:
        if type(left) is ArrayTracer and is_users(right):
            right = self._as_array(right)
            if _is_plain(right):
                raise self.recorder.fatal(of_objects())
        return self.next.inplace(op, left, right)

    def compare(self, op: str, left: Any, right: Any) -> Any:
        if op in MIRROR and (_asks(left, right, f"__{DUNDER[MIRROR[op]]}__", True) or _asks(
                right, left, f"__{DUNDER[op]}__", False)):
            return self.machine.call(UFUNCS[op], left, right)
        return self.next.compare(op, left, right)


def _asks(array: Any, other: Any, own: str, first: bool) -> bool:
    """Does the operator of an array, which may be the first operand, hand the other operand, whose
    own method for it is called ``own``, to a ufunc?"""
    if is_tracer(other) or not is_users(other):
        return False
    if isinstance(other, ClassedArray):  # a scalar of NumPy's does not call its own __radd__
        return own.startswith("__r") and (isinstance(array, np.generic) or (
            is_tracer(array) and array.aval.kind is Kind.SCALAR))
    if _is_sequence(other) and (first or python_method(other, own) is None):
        return isinstance(array, (np.ndarray, np.generic)) or (
            is_tracer(array) and array.aval.kind in (Kind.ARRAY, Kind.SCALAR))
    if type(array) is not ArrayTracer:
        return False
    asked = getattr(users_type(other), "__array_ufunc__", ...)
    if asked is None:
        return False
    if hasattr(asked, "__code__") and own.startswith("__r"):
        return True
    return python_method(other, own) is None and (
        hasattr(asked, "__code__") or python_method(other, "__array__") is not None)


def _is_plain(obj: Any) -> bool:
    """Is an object of the user's one that NumPy neither asks nor gives way to?"""
    cls = users_type(obj)
    return is_users(obj) and not is_library(cls.__module__) and (
        not cls.__module__.startswith("srcgrad.") and not isinstance(obj, (
            *CONTAINERS, np.ndarray, np.generic, int, float, complex))
        and not any(hasattr(cls, n) for n in (
            "__array__", "__array_ufunc__", "__array_priority__", "__array_interface__")))


def _is_sequence(obj: Any) -> bool:
    """Does NumPy make an array of the items of an object, as it has a length and subscripts?"""
    return _is_plain(obj) and all(
        python_method(obj, name) is not None for name in ("__len__", "__getitem__"))


def _holds_sequence(obj: Any) -> bool:
    """Is it a list or tuple with such an object?"""
    return type(obj) in (list, tuple) and any(map(_is_sequence, obj))


def as_asked(function: Any, args: Args, kwargs: Kwargs) -> Any:
    """The arguments of a ufunc, or of a method of one, as ``__array_ufunc__`` gets them: options by
    name, outputs in a tuple.  (``out=...`` asks for an array.)"""
    ufunc = getattr(function, "__self__", function)
    if not isinstance(ufunc, np.ufunc):
        return args, kwargs
    inputs, names = (ufunc.nin, ()) if ufunc is function else OPTIONS.get(
        function.__name__, (len(args), ()))
    named = {**dict(zip(names, args[inputs:], strict=False)), **kwargs}
    out = named.pop("out", None) if names or len(args) <= inputs else args[inputs:]
    out = out if isinstance(out, tuple) else (out,)
    if not all(o is None or o is Ellipsis for o in out):
        named["out"] = out
    if named.get("initial") is np._NoValue:
        del named["initial"]
    return args[:inputs], named


def _operands(args: Args, kwargs: Kwargs, of_ufunc: bool) -> list[Any]:
    """What NumPy asks about a call: the inputs and outputs of a ufunc; for other functions also
    the arrays in lists."""
    if of_ufunc:
        return [*args, *kwargs.get("out", ())]
    return [x for a in (*args, *kwargs.values()) for x in (
        a if isinstance(a, (list, tuple)) else (a,))]


def _of_numpy(function: Any) -> bool:
    """Is it a function or ufunc of NumPy that asks its operands?"""
    owner = getattr(function, "__self__", function)
    return isinstance(owner, np.ufunc) or (
        (getattr(function, "__module__", None) or "").split(".")[0] == "numpy"
        and not isinstance(function, type))


def _is_index(obj: Any) -> bool:
    """Does an object of the user's stand for an int?"""
    return is_users(obj) and python_method(obj, "__index__") is not None
