"""Calls of library functions: a node, a plain run while tracing, or an effect at each call."""

from __future__ import annotations

import array
import ast
import collections
import csv
import dataclasses
import datetime
import decimal
import fractions
import functools
import inspect
import json
import pathlib
import re
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import UnsupportedOperation
from ...graph.generic import Demand, name_of
from ...graph.purity import may_probe
from ...rules.book import lookup
from ...stage.function import definition
from ...types.guards import Native, Path
from ...types.kinds import OPAQUE, Kind
from ...types.spelling import Method
from ...types.structure import found_in, mapped
from ..boundary.process_state import note_exact, told_by_place, told_by_process
from ..collaborator import Args, Collaborator, Kwargs
from ..iteration.iteration import Range, Staged
from ..numpy.written_out import Flat, ufunc_method
from ..record.journal import Lost
from ..record.states import Columns
from ..record.tracers import ArrayTracer, OpaqueTracer, Tracer, contains_tracer, is_tracer
from .library_errors import is_of_scipy

PURE_MODULES = frozenset({"math", "cmath", "operator", "itertools", "functools", "collections",
                          "dataclasses", "typing", "abc", "enum", "string", "re", "copy", "types",
                          "numbers", "fractions", "_operator", "_functools", "_collections",
                          "contextlib", "inspect", "_abc", "statistics", "bisect", "_bisect",
                          "heapq", "_heapq"})

IMPURE_BUILTINS = frozenset({"print", "open", "input", "exec", "eval", "breakpoint",
                             "__import__", "compile"})

RANDOM = ("numpy.random.", "random.", "time.", "datetime.", "os.", "io.", "json.", "logging.",
          "sys.", "pathlib.", "uuid.", "secrets.", "warnings.", "_warnings.", "pickle.", "socket.",
          "subprocess.", "threading.", "posix.", "nt.", "_io.", "_random.")


COMPLEX: frozenset[Any] = frozenset({
    abs, np.abs, np.real, np.imag, np.conj, np.angle, Method("conjugate"), Method("__abs__")})
FILES = frozenset(map(id, (np.save, np.savetxt, np.savez, np.savez_compressed)))


class LibraryCalls(Collaborator):
    """Functions without Python source to inline."""

    speaks_to = ("calls", "class_attributes", "containers", "effects", "escapes", "foreigners",
                 "found_functions", "list_methods", "merges", "operators", "pushes", "recorder",
                 "sources", "tuples")

    def __init__(self) -> None:
        self.natives: dict[Any, Native] = {}

    def apply_opaque(self, fn: Any, args: Args, kwargs: Kwargs) -> Any:
        """A pure node with a result of unknown type."""
        given, named = (self.recorder.values_in(self.tuples.with_tuples(part))
                        for part in (args, kwargs))
        return self.recorder.computed(fn, OPAQUE, *given, **named)

    def call_of(self, path: Path, args: tuple[Any, ...]) -> Path:
        """The place of what is given, at each call, by what a path leads to."""
        key = (path, tuple(map(type, args)), args)
        return path.child("native", self.natives.setdefault(key, Native.calling(*args)))

    def settled_call(self, function: Any, args: Args, kwargs: Kwargs) -> Any:
        """The result of a call that can be settled while tracing; NotImplemented if it cannot."""
        if not is_settled(function):
            return NotImplemented
        args = tuple(self.opened(a) for a in args)
        if not all(is_plain(a, self._changes) for a in (*args, *kwargs.values())):
            return NotImplemented
        found = settled(function, args, kwargs)
        return self._adopt_parts(note_exact(self.machine, found))

    def _changes(self, container: Any) -> bool:
        return id(container) in self.found_functions.paths or id(container) in self.symbolic_lists

    def _adopt_parts(self, result: Any) -> Any:
        if type(result) in (list, dict):
            for part in result if type(result) is list else result.values():
                self._adopt_parts(part)
        return self.calls.adopt(result)

    def call_library(self, function: Any, args: Args, kwargs: Kwargs) -> Any:
        """A function without Python source to inline: a node, a plain run, or an effect."""
        if (result := self.settled_call(function, args, kwargs)) is not NotImplemented:
            return result
        if isinstance(getattr(function, "__self__", None), types.GeneratorType):
            self.pushes.check_iterator(function.__self__)
            return function(*args, **kwargs)
        if self.is_effect(function):
            return self.effects.emit_effect(function, args, kwargs, functools.partial(
                self.effects.effect_aval, function))
        if function in (np.array, np.asarray) and args and type(
                self.symbolic_lists.get(id(args[0]))) is Columns:
            return self.list_methods.stacked_columns(args[0], kwargs)
        if Flat in map(type, [kwargs.get("out"), *args[getattr(function, "nin", len(args)):]]):
            raise TypeError("return arrays must be of ArrayType")
        if function is np.array and type(args[0]) is Flat:  # which copies no more than asarray
            function = np.asarray
        args = tuple(self.opened(a) for a in args)
        kwargs = {k: self.opened(v) for k, v in kwargs.items()}
        if is_of_scipy(function):  # permissions that need not be used
            permitted = _permitted(function, args, kwargs)
            kwargs = {k: v for k, v in kwargs.items() if not k.startswith("overwrite_")}
            if permitted:
                found = self.call_library(function, args, kwargs)
                self._lose(function, permitted)
                return found
        traced = contains_tracer(args) or contains_tracer(kwargs) or self.has_symbolic(args)
        if not traced:
            return self._call_static(function, args, kwargs)
        if isinstance(function, np.ufunc) and "O" in function.types[0]:
            raise self.recorder.fatal(UnsupportedOperation(
                "np.frompyfunc", why="it makes arrays of objects", fix="use np.vectorize"))
        if isinstance(function, np.ufunc) and len(args) > function.nin:
            args, kwargs = args[:function.nin], {**kwargs, "out": args[function.nin:]}
        if kwargs.get("out") is Ellipsis:  # an array, also where it has no axes
            found = self.numeric_call(function, args, {
                k: v for k, v in kwargs.items() if k != "out"})
            return tuple(self.recorder.apply(np.asarray, (r,), {}) for r in found) if isinstance(
                found, tuple) else self.recorder.apply(np.asarray, (found,), {})
        if "out" in kwargs and kwargs["out"] is not None:
            return self.effects.call_out(function, args, kwargs)
        if any(type(a) is OpaqueTracer for a in (*args, *kwargs.values())) and not may_probe(
                function) and isinstance(function, types.BuiltinFunctionType):
            # nothing is known of it
            return self.effects.emit_effect(function, args, kwargs, OPAQUE)
        if (helper := ufunc_method(function, args)) is not None:
            return self.calls.inline(helper, (function.__self__, *args), kwargs)
        return self.numeric_call(function, args, kwargs)

    def _lose(self, function: Any, permitted: dict[str, Any]) -> None:
        """What a call was allowed to write into is not read afterwards: who knows its content?"""
        for option, given in permitted.items():
            for part in given if type(given) is tuple else (given,):
                if type(part) is ArrayTracer and part.home.lost is None:
                    self.journal.write(Lost(part.home), (
                        f"{name_of(function)} was allowed to write into it ({option}=True)"))

    def opened(self, arg: Any) -> Any:
        """An argument of a library function."""
        if type(arg) is Flat:
            return self.machine.call_method(arg, "as_array")
        if type(arg) in (list, tuple) and Flat in map(type, arg):
            return type(arg)(map(self.opened, arg))
        return self.containers.resolved(arg)

    def has_symbolic(self, args: tuple[Any, ...]) -> bool:
        return any(isinstance(a, Staged) or (isinstance(a, list) and id(a) in self.symbolic_lists)
                   for a in args)

    def numeric_call(self, function: Any, args: Args, kwargs: Kwargs) -> Any:
        """A node for a function of traced values; numbers it needs now are demanded."""
        if self.operators.powers and _tells_complex(function):
            self.operators.want_complex(args)
        as_array = _takes_arrays(function)
        args = tuple(self.plain(a, as_array) for a in args)
        kwargs = {k: self.plain(v, as_array) for k, v in kwargs.items()}
        if isinstance(kwargs.get("where"), (list, tuple)):
            kwargs["where"] = self.recorder.apply(np.array, (kwargs["where"],), {})
        args, kwargs = self._settled(function, args, kwargs)
        if not _looks_at_numbers(function) and any(
                is_tracer(a) and a.aval.kind is Kind.ANY for a in (*args, *kwargs.values())):
            self.merges.tell_apart()
        for _ in range(16):
            try:
                return self.recorder.apply(function, args, kwargs)
            except Demand as need:
                args, kwargs = self._demanded(args, kwargs, need, function)
        name = getattr(function, "__name__", getattr(function, "name", "the function"))
        raise self.recorder.fatal(UnsupportedOperation(
            f"{name} with numbers that follow from how many axes an array has, which only a run "
            "knows", why="a variable or the elements of a list are arrays of different ranks",
            fix="use one name for each rank, or give all the same rank (np.atleast_2d)"))

    def _settled(self, function: Any, args: Args,
                 kwargs: Kwargs) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Numbers for the settings that derivative rules branch on (the order of ``np.diff``)."""
        entry = lookup(function)
        if entry is None or not entry.static:
            return args, kwargs
        named = entry.bind(args, kwargs)
        wanted = {id(part) for name in entry.static for part in found_in(named.get(name), Tracer)
                  if part.aval.kind is Kind.INT}
        if not wanted:
            return args, kwargs
        settled: tuple[Args, Kwargs] = mapped(
            (args, kwargs), Tracer, lambda part: part if id(part) not in wanted else (
                self.escapes.demand(part, f"a setting of {getattr(function, '__name__', '')}")))
        return settled

    def plain(self, arg: Any, as_array: bool) -> Any:
        """An argument without staged iterables and other trace-time objects; ``as_array``: with
        arrays for ranges."""
        if as_array and isinstance(arg, (Range, range)):
            return self.machine.call(np.arange, arg.start, arg.stop, arg.step)
        if isinstance(arg, Staged):
            return self.machine.iterate(arg)
        arg = self.containers.resolved(arg)
        if isinstance(arg, (list, tuple)) and not hasattr(type(arg), "_fields"):
            if any(isinstance(a, (Staged, list, tuple)) for a in arg) and (
                    id(arg) not in self.symbolic_lists):
                return type(arg)(self.plain(a, as_array) for a in arg)
        return arg

    def _demanded(self, args: Args, kwargs: Kwargs, need: Demand,
                  function: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Replace the traced ints whose numbers a function needs now."""
        counter = [0]
        name = getattr(function, "__name__", getattr(function, "name", "the function"))

        def visit(part: Any) -> Any:
            if is_tracer(part):
                position = counter[0]
                counter[0] += 1
                if position in need.leaves:
                    return self.escapes.demand(part, f"an argument of {name}")
                return part
            if isinstance(part, tuple):
                items = [visit(p) for p in part]
                return type(part)(*items) if hasattr(type(part), "_fields") else tuple(items)
            if isinstance(part, list) and id(part) not in self.symbolic_lists:
                return [visit(p) for p in part]
            if isinstance(part, list):
                counter[0] += 1
                return part
            if isinstance(part, dict):
                return {k: visit(v) for k, v in part.items()}
            if isinstance(part, slice):
                return slice(visit(part.start), visit(part.stop), visit(part.step))
            return part

        new_args = tuple(visit(a) for a in args)
        return new_args, {k: visit(v) for k, v in kwargs.items()}

    def _call_static(self, function: Any, args: Args, kwargs: Kwargs) -> Any:
        """No traced value goes in.  Results that are new arrays are made at each call; other
        results of library functions are computed now; unknown functions are effects."""
        for held in (function, getattr(function, "__self__", None), *args, *kwargs.values()):
            self.sources.as_it_is(held)
        module = getattr(function, "__module__", None) or ""
        owner = getattr(function, "__self__", None)
        if isinstance(function, np.ufunc) or module.split(".")[0] in ("numpy", "scipy") or (
                isinstance(owner, np.ufunc)):
            result = function(*args, **kwargs)
            if isinstance(result, np.ndarray) and result.dtype.kind in "biufc":
                return self.numeric_call(function, args, kwargs)
            if isinstance(result, (tuple, list)) and any(isinstance(r, np.ndarray) for r in result):
                return self.numeric_call(function, args, kwargs)
            return result if args or kwargs or owner is not None else (
                told_by_process(self.machine, function, result))
        if isinstance(function, types.FunctionType) and function.__closure__ and (
                id(function) in self.found_functions.paths) and len(args) == 1 and isinstance(
                    args[0], type):
            found = function(*args)  # the dispatch of functools.singledispatch
            return found if definition(found) is not None else self.foreigners.outside(
                found, self.call_of(self.found_functions.paths[id(function)], args))
        if function is collections.namedtuple or function is dataclasses.make_dataclass:
            return self.class_attributes.made_class(function(*args, **kwargs))
        if module in PURE_MODULES or isinstance(owner, (str, bytes, tuple, list, dict, set,
                                                        int, float, complex, property)) or (
                any(owner is cls for cls in (int, float, bytes, str))) or (
                isinstance(owner, types.MappingProxyType) and (
                    id(owner) not in self.found_functions.paths)):
            return self.calls.adopt(function(*args, **kwargs))
        if module == "builtins" and getattr(function, "__name__", "") not in IMPURE_BUILTINS:
            return function(*args, **kwargs)
        if isinstance(function, (types.WrapperDescriptorType, types.MethodWrapperType,
                                 types.MethodDescriptorType, types.ClassMethodDescriptorType)):
            return function(*args, **kwargs)
        if (found := told_by_place(self.machine, function, args, kwargs)) is not NotImplemented:
            return found
        if isinstance(owner, array.array) and id(owner) not in self.found_functions.paths:
            raise self.recorder.fatal(UnsupportedOperation(
                f"array.array.{function.__name__} in a traced function",
                why="the array is made while the code is generated, and shared by all calls",
                fix="use a list, or an array of NumPy"))
        return self.effects.emit_effect(function, args, kwargs, OPAQUE)

    def is_effect(self, function: Any) -> bool:
        """Must the function run at every call, because it does or reads something outside?"""
        owner = getattr(function, "__self__", None)
        if isinstance(owner, (np.random.Generator, np.random.RandomState)) or (
                id(function) in FILES):
            return True
        module = getattr(function, "__module__", None)
        if module is None and owner is not None:
            module = type(owner).__module__
        if module == "builtins":
            return getattr(function, "__name__", "") in IMPURE_BUILTINS
        return module is not None and f"{module}.".startswith(RANDOM)


def _tells_complex(function: Any) -> bool:
    """Does a function do something else with complex numbers than with real ones?"""
    return function in COMPLEX or (getattr(function, "__module__", None) or "") == "cmath"


def _takes_arrays(function: Any) -> bool:
    """Is it a function or method of NumPy's or SciPy's, which makes arrays of sequences?"""
    return isinstance(function, (np.ufunc, Method)) or (
        getattr(function, "__module__", None) or "").startswith(("numpy", "scipy"))


def _looks_at_numbers(function: Any) -> bool:
    """Does a function take numbers and arrays of any rank alike?"""
    entry = lookup(function)
    return isinstance(function, np.ufunc) or function is np.sum or (
        entry is not None and entry.broadcasts)


WHOLE = frozenset({"textwrap", "string", "struct", "_struct", "binascii", "base64", "html",
                   "unicodedata", "calendar", "decimal", "_decimal", "fractions", "colorsys",
                   "zlib", "_strptime"})
NAMED = (json.loads, json.dumps, ast.literal_eval, csv.reader)
CLOCK = frozenset({"now", "today", "utcnow"})
_VALUES = (re.Pattern, re.Match, datetime.date, datetime.time, datetime.timedelta,
           datetime.tzinfo, decimal.Decimal, fractions.Fraction, pathlib.PurePath)
_PLAIN = (str, bytes, int, float, complex, bool, type(None), type(...), *_VALUES)


def is_settled(function: Any) -> bool:
    """Does the result of a function of the standard library depend on its arguments alone?"""
    module = getattr(function, "__module__", None) or ""
    if module in WHOLE or any(function is known for known in NAMED):
        return True
    name = getattr(function, "__name__", "")
    if isinstance(function, types.FunctionType):
        return (module.startswith("pathlib") and hasattr(pathlib.PurePath, name)) or (
            module == "shlex" and name != "shlex")
    owner = getattr(function, "__self__", None)
    if isinstance(owner, type):
        return issubclass(owner, _VALUES) and name not in CLOCK
    return isinstance(owner, _VALUES)


def is_plain(value: Any, changes: Callable[[Any], bool]) -> bool:
    """Is it a value that nothing traced is in?  ``changes`` tells containers that are not what
    they seem: those from outside, and those whose content is known at run time only."""
    if type(value) in (list, tuple, dict):
        parts = [*value, *value.values()] if type(value) is dict else value
        return not changes(value) and all(is_plain(part, changes) for part in parts)
    return isinstance(value, _PLAIN) and not is_tracer(value)


def settled(function: Callable[..., Any], args: Args, kwargs: Kwargs) -> Any:
    """The result; what would be read bit by bit, later, is read at once."""
    result = function(*args, **kwargs)
    return iter(list(result)) if hasattr(type(result), "__next__") else result


def _permitted(function: Any, args: Args, kwargs: Kwargs) -> dict[str, Any]:
    """By name, the options of a call that let it write into arguments, and these."""
    if not any(name.startswith("overwrite_") and value is not False
               for name, value in kwargs.items()):
        return {}
    named = inspect.signature(function).bind(*args, **kwargs).arguments
    return {name: named.get(name.removeprefix("overwrite_"), next(iter(named.values())))
            for name, value in kwargs.items() if name.startswith("overwrite_") and (
                value is not False)}
