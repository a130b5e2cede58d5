"""Objects of other libraries as plain data: tables, labelled arrays, and what they give.

What is done with such an object and no traced value is done by Python, now and at every call: it
is a step of a path.  ``frame["a"].to_numpy()`` is the way from ``frame`` to an array, which is an
input like any other, guarded by its type and rank; what is known of it while tracing (a length, a
name, a truth) is guarded by its value.
"""

from __future__ import annotations

import functools
import operator
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import UnsupportedOperation
from ...graph.infer import freeze
from ...stage.function import definition
from ...types.guards import Native, Path
from ...types.kinds import Kind
from ...types.operators import BINARY, COMPARE, UNARY
from ...types.structure import found_in, mapped
from ..calls.handlers import Traced
from ..collaborator import PASSED, Args, Collaborator, Kwargs
from ..record.structures import is_library
from ..record.tracers import (
    ArrayTracer,
    ClassedArray,
    ScalarTracer,
    Whole,
    contains_tracer,
    is_tracer,
)

DATA = ("__array__", "__array_wrap__", "__dataframe__", "__arrow_c_stream__", "to_dataframe")
ANSWERED = (isinstance, issubclass, type, len, float, int, bool, complex, str, repr, hash, callable,
            hasattr, getattr, format, abs, round)
ITERATING = (zip, enumerate, list, tuple, set, dict, sum, sorted, min, max, any, all, map, filter,
             iter, reversed)
CHANGING = frozenset({"insert", "pop", "popitem", "update", "clear", "setdefault", "__setitem__",
                      "__delitem__", "setflags"})
NUMBERS = (bool, int, float, complex, str, bytes, type(None), np.generic, np.dtype)


class Foreign(Whole):
    """An object of another library while tracing, and the way to it."""

    __slots__ = ("machine", "obj", "path")

    def __init__(self, machine: Any, obj: Any, path: Path) -> None:
        self.machine, self.obj, self.path = machine, obj, path

    def __repr__(self) -> str:
        return f"<{type(self.obj).__name__} {self.path}>"


def is_data(cls: Any) -> bool:
    """Is it a class of an installed library whose objects hold data, as tables do?"""
    if is_library(cls.__module__) or issubclass(cls, np.ndarray) or cls.__module__.startswith(
            "srcgrad"):
        return False
    home = getattr(sys.modules.get(cls.__module__.partition(".")[0]), "__file__", "")
    return "-packages" in (home or "") and any(hasattr(cls, name) for name in DATA)


def is_foreign_array(obj: Any) -> bool:
    """Is it an array of texts, dates or objects?"""
    return type(obj) is np.ndarray and obj.dtype.kind in "OSUMm" and obj.dtype.names is None


def holds_foreign(structure: Any) -> bool:
    return any(True for _ in found_in(structure, Foreign))


class Foreigners(Collaborator):
    """Operations on foreign objects."""

    speaks_to = ("containers", "escapes", "found_functions", "library_calls", "recorder",
                 "references", "sources", "variables")

    has_foreign = False

    def outside(self, obj: Any, path: Path) -> Any:
        cls: Any = type(obj)
        if is_data(cls):
            self.sources.guard("type", path, cls)
            return self.foreign(obj, path)
        return self.references.outside(obj, path)

    def foreign(self, obj: Any, path: Path) -> Foreign:
        known = self.sources.by_path.get(path)
        if known is not None and type(known[0]) is Foreign:
            return known[0]
        self.has_foreign = True
        made = Foreign(self.machine, obj, path)
        self.sources.by_path[path] = (made, obj)
        self.found_functions.lies(made, path)
        return made

    # ---- what Python does ------------------------------------------------------------------
    def native(self, function: Any, args: Args, kwargs: Kwargs) -> Any:
        """The result of a call that involves no traced value, as what it is at each call."""
        holders: list[Foreign] = []
        template, values = self._given((args, kwargs), function, holders)
        self._refuse_effects(function, kwargs)
        paths = tuple(h.path for h in holders)
        state = np.random.get_state()[1:3]  # type: ignore[index]
        failure: BaseException | None = None
        try:
            result = function(*values[0], **values[1])
        except Exception as error:
            failure, result = error, type(error)
        if not np.array_equal(state[0], np.random.get_state()[1]) or (  # type: ignore[index]
                state[1] != np.random.get_state()[2]):  # type: ignore[index]
            raise self.recorder.fatal(UnsupportedOperation(
                f"{_named(function)} of {_described(holders)} draws random numbers",
                why="it is done before each call of the generated code, not in its order",
                fix="draw outside of the function, or with NumPy inside of it"))
        listed = hasattr(type(result), "__next__") and failure is None
        if listed:
            result = list(result)
        key = (function, paths[:1], freeze(template), paths, listed, failure is not None)
        step = self.library_calls.natives.setdefault(key, Native(
            function, template, paths[1:], bool(paths), listed, failure is not None))
        start = paths[0] if paths else Path(self.variables.pin(function, _named(function)), (),
                                            _named(function))
        path = Path(start.root, (*start.steps, ("native", step)),
                    f"{start}.{_named(function)}(...)" if paths else f"{start}(...)")
        if failure is not None:
            self.sources.guard("is", path, result)
            raise failure
        return self.given_back(result, path)

    def given_back(self, result: Any, path: Path) -> Any:
        """What Python's result is in the trace."""
        if isinstance(result, NUMBERS) or (type(result) is np.ndarray and (
                not is_foreign_array(result))):
            return self.outside(result, path)
        if type(result) in (list, tuple):
            self.sources.guard("type", path, type(result))
            self.sources.guard("length", path, len(result))
            return self.containers.made(type(result)(self.given_back(r, path.child("item", i))
                                          for i, r in enumerate(result)))
        if type(result) is dict and all(isinstance(k, (str, int, float, tuple)) for k in result):
            self.sources.guard("type", path, dict)
            self.sources.guard("keys", path, tuple(result))
            return self.containers.made({k: self.given_back(r, path.child("item", k))
                              for k, r in result.items()})
        if isinstance(result, (types.FunctionType, types.ModuleType, type)):
            return self.outside(result, path)
        return self.foreign(result, path)

    def _given(self, structure: Any, function: Any, holders: list[Foreign]) -> tuple[Any, Any]:
        """A structure with the numbers of its foreign objects, and with the objects."""
        if type(structure) is Foreign:
            if not any(h is structure for h in holders):
                holders.append(structure)
            place = next(i for i, h in enumerate(holders) if h is structure)
            return Native.Place(place), structure.obj
        if type(structure) is ScalarTracer and structure.aval.kind is Kind.INT:
            number = self.escapes.demand(structure, f"an argument of {_named(function)}")
            return number, number
        if is_tracer(structure) or isinstance(structure, ClassedArray):
            raise self.recorder.fatal(UnsupportedOperation(
                f"{_named(function)} of {_described(holders)} with a traced value",
                why="it is code of another library, which cannot be differentiated",
                fix="take arrays out first (.to_numpy(), .values, np.asarray(...)), and compute "
                    "with these"))
        structure = self.library_calls.opened(structure)
        if isinstance(structure, (list, tuple)):
            parts = [self._given(s, function, holders) for s in structure]
            make: Callable[..., Any] = (lambda items: type(structure)(*items)) if hasattr(
                structure, "_fields") else type(structure)
            return make([p[0] for p in parts]), make([p[1] for p in parts])
        if type(structure) is dict:
            found = {k: self._given(v, function, holders) for k, v in structure.items()}
            return {k: v[0] for k, v in found.items()}, {k: v[1] for k, v in found.items()}
        if type(structure) is slice:
            ends = [self._given(s, function, holders) for s in (
                structure.start, structure.stop, structure.step)]
            return slice(*(e[0] for e in ends)), slice(*(e[1] for e in ends))
        if isinstance(structure, types.FunctionType) and definition(structure) is not None:
            raise self.recorder.fatal(UnsupportedOperation(
                f"{_named(function)} of {_described(holders)} with a function that is traced",
                why="it is code of another library that would call it",
                fix="take arrays out first (.to_numpy()), and compute with these"))
        self.found_functions.fix(structure)
        if id(structure) in self.found_functions.paths and not isinstance(structure,
                types.FunctionType):
            self.sources.guard("is", self.found_functions.paths[id(structure)], structure)
        return structure, structure

    def _refuse_effects(self, function: Any, kwargs: dict[str, Any]) -> None:
        if _named(function) in CHANGING or kwargs.get("inplace") or function in (
                operator.setitem, operator.delitem, setattr, delattr):
            raise self.recorder.fatal(UnsupportedOperation(
                f"{_named(function)} changes an object of another library",
                why="what is done with such objects is done before the generated code runs",
                fix="change it before the call, or work on arrays (.to_numpy())"))

    def _items(self, obj: Foreign) -> Any:
        return self.native(list, (obj,), {})

    def _as_arrays(self, structure: Any) -> Any:
        """Foreign objects as the arrays that NumPy makes of them."""
        return mapped(structure, Foreign, lambda one: self.native(np.asarray, (one,), {}))

    # ---- Python's operations -------------------------------------------------------------------
    def getattr(self, obj: Any, name: str) -> Any:
        if callable(getattr(type(obj.obj), name, None)) and not isinstance(
                getattr(type(obj.obj), name), type):
            return Traced(functools.partial(self._method, obj, name))
        return self.native(getattr, (obj, name), {})

    def _method(self, obj: Foreign, name: str, *args: Any, **kwargs: Any) -> Any:
        return self.native(_Method.of(name), (obj, *args), kwargs)

    def setattr(self, obj: Any, name: str, value: Any) -> None:
        self._refuse_effects(setattr, {})

    def getitem(self, obj: Any, key: Any) -> Any:
        if type(obj) is Foreign:
            return self.native(operator.getitem, (obj, key), {})
        return self.next.getitem(obj, self._as_arrays(key) if self.has_foreign and holds_foreign(
            key) else key)

    def setitem(self, obj: Any, key: Any, value: Any) -> None:
        if type(obj) is Foreign:
            self._refuse_effects(operator.setitem, {})
        if self.has_foreign and type(obj) is ArrayTracer and holds_foreign((key, value)):
            key, value = self._as_arrays(key), self._as_arrays(value)
        self.next.setitem(obj, key, value)

    def binary(self, op: str, left: Any, right: Any) -> Any:
        return self.native(BINARY[op], (left, right), {})

    def inplace(self, op: str, left: Any, right: Any) -> Any:
        if type(left) is Foreign:
            self._refuse_effects(operator.setitem, {})
        return self.machine.inplace(op, left, self._as_arrays(right)) if type(
            left) is ArrayTracer else PASSED

    def unary(self, op: str, operand: Any) -> Any:
        return self.native(UNARY[op], (operand,), {})

    def compare(self, op: str, left: Any, right: Any) -> Any:
        if op in ("in", "not in"):
            found = self.native(operator.contains, (right, left), {})
            return found if op == "in" else self.machine.not_(found)
        return self.native(COMPARE[op], (left, right), {})

    def condition(self, value: Any) -> Any:
        return self.native(bool, (value,), {})

    def static_truth(self, value: Any) -> bool | None:
        return bool(self.native(bool, (value,), {}))

    def iterate(self, iterable: Any) -> Any:
        return self.machine.iterate(self._items(iterable))

    def for_(self, iterable: Any, target: Any, body: Any, orelse: Any = None,
             rest: Any = None) -> Any:
        return self.next.for_(self._items(iterable) if type(iterable) is Foreign else iterable,
                              target, body, orelse, rest)

    def length(self, obj: Any) -> Any:
        return self.native(len, (obj,), {})

    def called_method(self, obj: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
        if type(obj) is Foreign:
            return self.machine.call(self.machine.getattr(obj, name), *args, **kwargs)
        if self.has_foreign and type(obj) is ArrayTracer and holds_foreign(args):
            args = self._as_arrays(args)
        return self.next.called_method(obj, name, args, kwargs)

    def called(self, function: Any, args: Args, kwargs: Kwargs) -> Any:
        if type(function) is Foreign:
            return self.native(_call, (function, *args), kwargs)
        if isinstance(function, type) and is_data(function) and not contains_tracer((args, kwargs)):
            return self.native(function, args, kwargs)
        if not self.has_foreign or not holds_foreign((args, kwargs)) or (
                self._takes_objects(function)):
            return self.next.called(function, args, kwargs)
        if function in ITERATING:
            args = tuple(self._items(a) if type(a) is Foreign else a for a in args)
            return self.next.called(function, args, kwargs)
        if function not in ANSWERED and contains_tracer((args, kwargs)) and not isinstance(
                function, np.ufunc):
            return self.next.called(function, self._as_arrays(args), {
                k: self._as_arrays(v) for k, v in kwargs.items()})
        if self.library_calls.is_effect(function):
            return self.next.called(function, args, kwargs)
        return self.native(function, args, kwargs)

    def _takes_objects(self, function: Any) -> bool:
        """Is it a function or class of the user's, which takes such objects as any other?"""
        if hasattr(type(function), "__srcgrad_trace__") or isinstance(
                function, (functools.partial, types.MethodType)):
            return True
        return isinstance(function, (types.FunctionType, type)) and not is_library(
            function.__module__)


class _Method:
    """A method by its name: one object for each name."""

    made: dict[str, _Method] = {}  # noqa: RUF012

    def __init__(self, name: str) -> None:
        self.__name__ = name

    @classmethod
    def of(cls, name: str) -> _Method:
        return cls.made.setdefault(name, cls(name))

    def __call__(self, obj: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(obj, self.__name__)(*args, **kwargs)


def _call(function: Any, *args: Any, **kwargs: Any) -> Any:
    return function(*args, **kwargs)


def _named(function: Any) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


def _described(holders: list[Foreign]) -> str:
    return f"{holders[0].path}, a {type(holders[0].obj).__name__}" if holders else "other objects"
