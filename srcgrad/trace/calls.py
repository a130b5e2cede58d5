"""Calls: what is a node, what is staged and inlined, what simply runs, what is an effect."""

from __future__ import annotations

import functools
import random
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import JoinError, SourceNotFound, UnsupportedOperation
from ..graph.generic import Demand
from ..graph.ir import Value, abstract
from ..kinds import OPAQUE, Aval, Kind, aval_of
from ..rules.book import lookup
from ..rules.methods import resolve
from ..spelling import Method
from ..stage.function import Staged as StagedFunction
from ..stage.function import definition, make_function, stage
from ..stage.machine import Frame
from .access import is_library
from .construct import Construction
from .control import Refusal, Restart
from .iteration import EqualArrays, Staged
from .operators import python_method
from .refused import is_outward, refusal
from .tracers import (
    ArrayTracer,
    BoundMethod,
    Columns,
    OpaqueTracer,
    contains_tracer,
    is_tracer,
)
from .vectorized import vectorized
from .written_out import STAGED_MODULES, Flat, ufunc_method

MAX_DEPTH = 400
PURE_MODULES = frozenset({"math", "cmath", "operator", "itertools", "functools", "collections",
                          "dataclasses", "typing", "abc", "enum", "string", "re", "copy", "types",
                          "numbers", "fractions", "_operator", "_functools", "_collections",
                          "contextlib", "_abc", "statistics", "bisect", "_bisect", "heapq",
                          "_heapq"})
IMPURE_BUILTINS = frozenset({"print", "open", "input", "exec", "eval", "breakpoint",
                             "__import__", "compile"})
RANDOM = ("numpy.random", "random", "time", "datetime", "os", "io", "json", "logging", "sys",
          "pathlib", "uuid", "secrets", "warnings", "pickle", "socket", "subprocess", "threading")


class Calls(Construction):
    """``f(...)`` and ``obj.name(...)``."""

    handlers: dict[Any, Callable[..., Any]]

    def call(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        refused = refusal(function, args, kwargs)
        if refused is not None:
            raise self.fatal(refused)
        handler = self._handler(function)
        if handler is not None:
            return self.adopt(handler(self, *args, **kwargs))
        if is_tracer(function):
            return self._call_traced(function, args, kwargs)
        if isinstance(function, BoundMethod):
            return self.call_method(function.owner, function.name, *args, **kwargs)
        if isinstance(function, types.MethodWrapperType) and function.__name__ == "__setattr__":
            return self.setattr(function.__self__, *args)
        if isinstance(function, types.MethodType) and isinstance(function.__self__, random.Random):
            return self.emit_effect(function, args, kwargs,
                                    self.effect_aval(function, args, kwargs))
        if isinstance(function, types.MethodType):
            if lookup(function) is not None:  # a ruled method, such as scipy.stats.norm.pdf
                return self.call_library(function, args, kwargs)
            return self.call(function.__func__, function.__self__, *args, **kwargs)
        if isinstance(function, types.FunctionType):
            return self.call_function(function, args, kwargs)
        if isinstance(function, functools.partial):
            return self.call(function.func, *function.args, *args,
                             **{**function.keywords, **kwargs})
        if isinstance(function, type):
            return self.construct(function, args, kwargs)
        transform = getattr(type(function), "__srcgrad_trace__", None)
        if transform is not None:
            return transform(function, self, args, kwargs)
        if isinstance(function, np.vectorize):
            return vectorized(self, function, args, kwargs)
        wrapped = getattr(function, "__wrapped__", None)
        if hasattr(function, "cache_info") and isinstance(wrapped, types.FunctionType):
            return self._call_cached(wrapped, args, kwargs)
        method = python_method(function, "__call__")
        if method is not None:
            return self.call(method, function, *args, **kwargs)
        return self.call_library(function, args, kwargs)

    def adopt(self, result: Any) -> Any:
        """A container that library code has just made belongs to the present region."""
        if type(result) in (list, dict, set) and id(result) not in self.journal.births and (
                id(result) not in self.paths):
            self.journal.born(result)
        elif hasattr(type(result), "__next__"):
            self.note_iterator(result)
        return result

    iterators: dict[int, tuple[Any, Any]]

    def note_iterator(self, made: Any) -> None:
        """Remember the region in which a Python iterator was made."""
        if not isinstance(made, Staged) and id(made) not in self.iterators:
            self.iterators[id(made)] = (made, self.region)

    def check_iterator(self, iterator: Any) -> None:
        """A Python iterator is advanced while tracing, so it must be in the region where it was
        made, which is run once; a for loop of known length can be unrolled."""
        found = self.iterators.get(id(iterator))
        if found is not None and found[1] is not self.region:
            raise self.fatal(JoinError(
                "a generator is advanced in a branch or loop that depends on data",
                why="it was made outside of it, and it runs while compiling, once",
                fix="collect its items in a list before, or make it inside"))

    def _handler(self, function: Any) -> Callable[..., Any] | None:
        try:
            return self.handlers.get(function)
        except TypeError:
            return None

    def _call_traced(self, function: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        if type(function) is OpaqueTracer:
            return self.emit_effect(_apply, (function, *args), kwargs, OPAQUE)
        raise TypeError(f"'{function.__class__.__name__}' object is not callable")

    def _call_cached(self, function: types.FunctionType, args: tuple[Any, ...],
                     kwargs: dict[str, Any]) -> Any:
        """A function behind ``lru_cache``: looked through if its body has no effects."""
        before = self.region.effects
        result = self.call_function(function, args, kwargs)
        if self.region.effects != before:
            raise self.fatal(UnsupportedOperation(
                f"{function.__qualname__} is cached by functools and has effects",
                why="whether the effects happen depends on earlier calls",
                fix="take the decorator off, or the effects out"))
        return result

    def opaque_function(self, function: Any, primal: Any, args: tuple[Any, ...],
                        kwargs: dict[str, Any]) -> Any:
        """One node for a function with a derivative of its own; tracing its primal aside tells
        the types of the results."""
        held: list[Any] = []
        arm = self.trace_arm(lambda: held.append(self.call(primal, *args, **kwargs)))
        if arm.changes or arm.region.effects:
            raise self.fatal(UnsupportedOperation(
                f"{getattr(function, '__name__', 'a function')} has a derivative of its own and "
                "changes something outside",
                why="its call is one operation of the graph", fix="return what it changes"))
        results = held[0] if isinstance(held[0], tuple) else (held[0],)
        avals = tuple(r.aval if is_tracer(r) else aval_of(r) for r in results)
        inputs: list[Value] = []
        template = abstract(self.values_in(tuple(self.opened(a) for a in args)), inputs)
        keywords = abstract(self.values_in(kwargs), inputs)
        many = isinstance(held[0], tuple)
        outputs = self.emit("apply", tuple(inputs), avals, fn=function, args=template,
                            kwargs=keywords, many=many)
        made = tuple(self.wrap(v) for v in outputs)
        return made if many else made[0]

    # ---- Python functions ------------------------------------------------------------------
    def call_function(self, function: Any, args: tuple[Any, ...],
                      kwargs: dict[str, Any]) -> Any:
        """A function written in Python: ruled functions are nodes, others are inlined."""
        if is_outward(function):
            return self.emit_effect(function, args, kwargs, OPAQUE)
        if definition(function) is None:
            if (function.__module__ or "").split(".")[0] == "srcgrad" and (
                    "<locals>" not in function.__qualname__) and not (
                    (function.__module__ or "").startswith("srcgrad.rules")) and (
                    function.__module__ not in STAGED_MODULES):
                return function(*args, **kwargs)
            if self._is_ruled(function, args, kwargs):
                return self.call_library(function, args, kwargs)
            if function.__module__ == "collections.abc":  # mixin methods of users' classes
                return self.inline(function, args, kwargs)
            if is_library(function.__module__) and not (
                    contains_tracer(args) or contains_tracer(kwargs) or (
                        any(is_users(a) for a in args))):
                return self.call_library(function, args, kwargs)
            hidden = getattr(function, "__wrapped__", None)
            if is_library(function.__module__) and hidden is not None and (
                    function.__module__ or "").startswith("numpy"):
                return self.call_library(function, args, kwargs)
        return self.inline(function, args, kwargs)

    def _is_ruled(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        if not is_library(getattr(function, "__module__", None)) and (
                not (getattr(function, "__module__", "") or "").startswith("srcgrad.rules")):
            return resolve(function, (), {}) is not None if function in self.ruled else False
        try:
            return resolve(function, args, kwargs) is not None
        except TypeError:
            return True

    ruled: frozenset[Any]

    def inline(self, function: types.FunctionType, args: tuple[Any, ...],
               kwargs: dict[str, Any]) -> Any:
        """Run the staged body of a function in place of the call."""
        self.check_depth(function)
        self.note_function(function)
        try:
            staged = stage(function)
        except SourceNotFound as error:
            if contains_tracer(args) or contains_tracer(kwargs):
                raise self.fatal(error) from None
            return self.call_library(function, args, kwargs)
        if function.__defaults__ and id(function) in self.paths:
            args, kwargs = self._with_defaults(function, args, kwargs)
        where = self.where()
        site = (where.filename, where.line, where.column) if where is not None else None
        self.call_sites.append((function.__code__, site))
        if where is not None:
            self.callers.append(where)
        self.depth += 1
        try:
            frame = staged.frame(args, kwargs, function)
            self.journal.born(frame)
            for value in frame.slots.values():
                self.adopt(value)
            return self.run_frame(function, staged, frame)
        finally:
            self.depth -= 1
            self.call_sites.pop()
            if where is not None:
                self.callers.pop()

    def run_frame(self, function: types.FunctionType, staged: StagedFunction,
                  frame: Frame) -> Any:
        """Run the staged body of a function in a frame whose parameters are bound."""
        self.frames.append(frame)
        try:
            result = staged.enter(self, frame)  # type: ignore[arg-type]
            if hasattr(type(result), "__next__"):
                self.note_iterator(result)
            return result
        finally:
            self.frames.pop()
            while self.scopes and self.scopes[-1][0] > len(self.frames):
                self.scopes.pop()

    depth: int

    def check_depth(self, function: types.FunctionType) -> None:
        """Refuse recursion that does not stop while tracing."""
        same = sum(1 for code, _ in self.call_sites if code is function.__code__)
        if same >= 3 and self.region is not self.root:
            self.guard_recursion(function)
        if same and self.region is not self.root and same > self.recursion_limit:
            for fact in self.assumed:
                if fact[0] == "refused" and fact[1] is function.__code__:
                    raise Refusal(fact[2])
            raise self.fatal(UnsupportedOperation(
                f"recursion of {function.__qualname__!r} that stops on data",
                why="each level is inlined, and tracing it does not come to an end",
                fix="write the recursion as a while loop"))
        if self.depth > MAX_DEPTH:
            raise self.fatal(UnsupportedOperation(
                f"calls nested deeper than {MAX_DEPTH} at {function.__qualname__!r}",
                why="every call is inlined into the generated code",
                fix="write the recursion as a loop"))

    recursion_limit = 60

    def guard_recursion(self, function: types.FunctionType) -> None:
        """Recursion under a branch on a number that is fixed during the call: start again with
        the outcomes of that branch guarded, so that each level is decided while tracing."""
        for site, fixed, depth in reversed(self.open_tests):
            code = self.call_sites[depth - 1][0] if depth else None
            if code is function.__code__ and fixed and ("guard", site) not in self.assumed:
                raise Restart(("assume", ("guard", site)))

    def note_function(self, function: types.FunctionType) -> None:
        """Guard what of a function from outside could change: its defaults."""
        path = self.paths.get(id(function))
        if path is None or id(function) in self.noted:
            return
        self.noted.add(id(function))
        self.guard("is", path.child("attr", "__defaults__"), function.__defaults__)

    def _with_defaults(self, function: types.FunctionType, args: tuple[Any, ...],
                       kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Defaults that hold numbers or arrays are read from the function at each call."""
        code = function.__code__
        names = code.co_varnames[:code.co_argcount]
        defaults = function.__defaults__ or ()
        path = self.paths[id(function)].child("attr", "__defaults__")
        kwargs = dict(kwargs)
        for i, value in enumerate(defaults):
            place = len(names) - len(defaults) + i
            if place >= len(args) and names[place] not in kwargs and place >= (
                    code.co_posonlyargcount):
                if isinstance(value, (np.ndarray, list, dict)):
                    kwargs[names[place]] = self.outside(value, path.child("item", i))
        return args, kwargs

    def define(self, staged: Any, frame: Any, defaults: tuple[Any, ...],
               kwdefaults: dict[str, Any], annotations: dict[str, Any]) -> Any:
        return make_function(staged, frame, defaults, kwdefaults, annotations)

    # ---- library functions -------------------------------------------------------------------
    def call_library(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A function without Python source to inline: a node, a plain run, or an effect."""
        if isinstance(getattr(function, "__self__", None), types.GeneratorType):
            self.check_iterator(function.__self__)
            return function(*args, **kwargs)
        if self.is_effect(function):
            return self.emit_effect(function, args, kwargs, self.effect_aval(function, args,
                                                                            kwargs))
        if function in (np.array, np.asarray) and args and type(
                self.symbolic_lists.get(id(args[0]))) is Columns:
            return self.stacked_columns(function, args[0], kwargs)
        args = tuple(self.opened(a) for a in args)
        kwargs = {k: self.opened(v) for k, v in kwargs.items()}
        traced = contains_tracer(args) or contains_tracer(kwargs) or self.has_symbolic(args)
        if not traced:
            return self._call_static(function, args, kwargs)
        if isinstance(function, np.ufunc) and "O" in function.types[0]:
            raise self.fatal(UnsupportedOperation(
                "np.frompyfunc", why="it makes arrays of objects", fix="use np.vectorize"))
        if isinstance(function, np.ufunc) and len(args) > function.nin:
            args, kwargs = args[:function.nin], {**kwargs, "out": args[function.nin:]}
        if "out" in kwargs and kwargs["out"] is not None:
            return self.call_out(function, args, kwargs)
        if (helper := ufunc_method(function, args)) is not None:
            return self.inline(helper, (function.__self__, *args), kwargs)
        return self.numeric_call(function, args, kwargs)

    def stacked_columns(self, function: Any, obj: list[Any], kwargs: dict[str, Any]) -> Any:
        raise AttributeError

    def opened(self, arg: Any) -> Any:
        """An argument of a library function: containers from outside are read by their paths,
        so that their numbers are those of each call."""
        arg = self.seen(arg)
        if type(arg) is EqualArrays:
            arg.apart()
        if type(arg) is Flat:
            return self.call(np.ravel, arg.base)
        if type(arg) in (list, tuple) and id(arg) not in self.symbolic_lists:
            if id(arg) in self.paths:
                return type(arg)(self.opened(x) for x in self.outside_items(arg))
            if any(type(x) in (list, tuple, dict) for x in arg):
                return type(arg)(self.opened(x) for x in arg)
        if type(arg) is dict and id(arg) in self.paths:
            return {k: self.opened(v) for k, v in self.container_method(arg, "items", (), {})}
        return arg

    def has_symbolic(self, args: tuple[Any, ...]) -> bool:
        return any(isinstance(a, Staged) or (isinstance(a, list) and id(a) in self.symbolic_lists)
                   for a in args)

    def numeric_call(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A node for a function of traced values; numbers it needs now are demanded."""
        args = tuple(self.plain(a) for a in args)
        kwargs = {k: self.plain(v) for k, v in kwargs.items()}
        args, kwargs = self._settled(function, args, kwargs)
        for _ in range(16):
            try:
                return self.apply(function, args, kwargs)
            except Demand as need:
                args, kwargs = self._demanded(args, kwargs, need, function)
        raise AssertionError("a demand was not met")

    def _settled(self, function: Any, args: tuple[Any, ...],
                 kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Numbers for the settings that derivative rules branch on (the order of ``np.diff``)."""
        entry = lookup(function)
        if entry is None or not entry.static:
            return args, kwargs
        named = entry.bind(args, kwargs)
        wanted = {id(named[name]) for name in entry.static
                  if is_tracer(named.get(name)) and named[name].aval.kind is Kind.INT}

        def settle(arg: Any) -> Any:
            if id(arg) not in wanted:
                return arg
            return self.demand(arg, f"a setting of {getattr(function, '__name__', 'a function')}")

        return tuple(settle(a) for a in args), {k: settle(v) for k, v in kwargs.items()}

    def plain(self, arg: Any) -> Any:
        """An argument without staged iterables and other trace-time objects."""
        if isinstance(arg, Staged):
            return self.iterate(arg)
        if isinstance(arg, (list, tuple)) and not hasattr(arg, "_fields"):
            if any(isinstance(a, (Staged, list, tuple)) for a in arg) and (
                    id(arg) not in self.symbolic_lists):
                return type(arg)(self.plain(a) for a in arg)
        return arg

    def _demanded(self, args: tuple[Any, ...], kwargs: dict[str, Any], need: Demand,
                  function: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Replace the traced ints whose numbers a function needs now."""
        counter = [0]
        name = getattr(function, "__name__", getattr(function, "name", "the function"))

        def visit(part: Any) -> Any:
            if is_tracer(part):
                position = counter[0]
                counter[0] += 1
                if position in need.leaves:
                    return self.demand(part, f"an argument of {name}")
                return part
            if isinstance(part, tuple):
                items = [visit(p) for p in part]
                return type(part)(*items) if hasattr(part, "_fields") else tuple(items)
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

    def _call_static(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """No traced value goes in.  Results that are new arrays are made at each call; other
        results of library functions are computed now; unknown functions are effects."""
        module = getattr(function, "__module__", None) or ""
        owner = getattr(function, "__self__", None)
        if isinstance(function, np.ufunc) or module.split(".")[0] in ("numpy", "scipy") or (
                isinstance(owner, np.ufunc)):
            result = function(*args, **kwargs)
            if isinstance(result, np.ndarray) and result.dtype.kind in "biufc":
                return self.numeric_call(function, args, kwargs)
            if isinstance(result, (tuple, list)) and any(
                    isinstance(r, np.ndarray) for r in result):
                return self.numeric_call(function, args, kwargs)
            return result
        if module in PURE_MODULES or isinstance(owner, (str, bytes, tuple, list, dict, set,
                                                        int, float, complex)):
            return self.adopt(function(*args, **kwargs))
        if module == "builtins" and getattr(function, "__name__", "") not in IMPURE_BUILTINS:
            return function(*args, **kwargs)
        if isinstance(function, (types.WrapperDescriptorType, types.MethodWrapperType,
                                 types.MethodDescriptorType, types.ClassMethodDescriptorType)):
            return function(*args, **kwargs)
        return self.emit_effect(function, args, kwargs, OPAQUE)

    def is_effect(self, function: Any) -> bool:
        """Must the function run at every call, because it does or reads something outside?"""
        owner = getattr(function, "__self__", None)
        if isinstance(owner, (np.random.Generator, np.random.RandomState)):
            return True
        module = getattr(function, "__module__", None)
        if module is None and owner is not None:
            module = type(owner).__module__
        if module == "builtins":
            return getattr(function, "__name__", "") in IMPURE_BUILTINS
        return module is not None and any(
            module == m or module.startswith(m + ".") for m in RANDOM)

    def effect_aval(self, function: Any, args: tuple[Any, ...],
                    kwargs: dict[str, Any]) -> Aval | None:
        return OPAQUE

    def call_out(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        raise AttributeError

    # ---- methods -----------------------------------------------------------------------------
    def call_method(self, obj: Any, name: str, /, *args: Any, **kwargs: Any) -> Any:
        if type(obj) is ArrayTracer or (is_tracer(obj) and type(obj) is not OpaqueTracer):
            return self._call_array_method(obj, name, args, kwargs)
        if type(obj) is OpaqueTracer:
            aval = self.drawn(obj, name, args, kwargs)
            return self.emit_effect(Method(name), (obj, *args), kwargs, aval)
        if type(obj) in (list, dict, set) or type(obj).__name__ == "deque":
            return self.adopt(self.container_method(obj, name, args, kwargs))
        if isinstance(obj, np.ufunc):
            return self._ufunc_method(obj, name, args, kwargs)
        if isinstance(obj, types.ModuleType):
            return self.call(self.getattr(obj, name), *args, **kwargs)
        if isinstance(obj, (np.random.Generator, np.random.RandomState)):
            return self.emit_effect(Method(name), (obj, *args), kwargs,
                                    self.effect_aval(getattr(obj, name), args, kwargs))
        if isinstance(obj, str):
            return self._string_method(obj, name, args, kwargs)
        if type(obj) is EqualArrays:
            obj.apart()
        if isinstance(obj, Staged):
            return getattr(self.iterate(obj), name)(*args, **kwargs)
        return self.call(self.getattr(obj, name), *args, **kwargs)

    def drawn(self, obj: Any, name: str, args: tuple[Any, ...],
              kwargs: dict[str, Any]) -> Aval | None:
        raise AttributeError

    def container_method(self, obj: Any, name: str, args: tuple[Any, ...],
                         kwargs: dict[str, Any]) -> Any:
        raise AttributeError

    def _string_method(self, obj: str, name: str, args: tuple[Any, ...],
                       kwargs: dict[str, Any]) -> Any:
        if not contains_tracer(args) and not contains_tracer(kwargs):
            if name == "join" and args and isinstance(args[0], Staged):
                args = (self.iterate(args[0]),)
            return getattr(obj, name)(*args, **kwargs)
        for arg in args:
            if isinstance(arg, list) and id(arg) in self.symbolic_lists:
                self.unroll_maker(arg)  # texts are best known while tracing
        return self.apply_opaque(Method(name), (obj, *args), kwargs)

    def unroll_maker(self, obj: list[Any]) -> None:
        raise AttributeError

    def apply_opaque(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A pure node with a result of unknown type."""
        inputs: list[Value] = []
        template = abstract(self.values_in(args), inputs)
        keywords = abstract(self.values_in(kwargs), inputs)
        (value,) = self.emit("apply", tuple(inputs), (OPAQUE,), fn=fn, args=template,
                             kwargs=keywords, many=False)
        return self.wrap(value)

    def _ufunc_method(self, obj: np.ufunc, name: str, args: tuple[Any, ...],
                      kwargs: dict[str, Any]) -> Any:
        return self.ufunc_at(obj, *args) if name == "at" else self.call_library(
            getattr(obj, name), args, kwargs)

    def ufunc_at(self, ufunc: np.ufunc, target: Any, index: Any, *value: Any) -> None:
        raise AttributeError

    def _call_array_method(self, obj: Any, name: str, args: tuple[Any, ...],
                           kwargs: dict[str, Any]) -> Any:
        special = getattr(self, f"array_{name}", None)
        if special is not None and type(obj) is ArrayTracer:
            return special(obj, *args, **kwargs)
        cls = obj.__class__
        if not hasattr(cls, name):
            raise AttributeError(f"'{_class_name(cls)}' object has no attribute '{name}'")
        if kwargs.get("out") is not None:
            return self.call_out(Method(name), (obj, *args), kwargs)
        return self.numeric_call(Method(name), (obj, *args), kwargs)

    held: Any

    # ---- effects (made by the effects part) ---------------------------------------------------
    def iterate(self, iterable: Any) -> Any:
        raise AttributeError


def is_users(obj: Any) -> bool:
    """Is the object an instance of a class of the user's, whose methods are to be staged?"""
    cls = type(obj)
    return not isinstance(obj, (type, types.FunctionType, types.ModuleType)) and (
        cls.__module__ != "builtins" and not is_library(cls.__module__) and not is_tracer(obj))


def _apply(function: Any, *args: Any, **kwargs: Any) -> Any:
    return function(*args, **kwargs)


def _class_name(cls: type) -> str:
    return "numpy.ndarray" if cls is np.ndarray else cls.__name__
