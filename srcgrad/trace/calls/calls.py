"""Calls: what is staged and inlined, what is a node, what the machine does itself."""

from __future__ import annotations

import collections
import enum
import functools
import operator
import random
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import JoinError, SourceNotFound, UnsupportedOperation
from ...rules.book import lookup
from ...rules.methods import resolve
from ...stage.function import Staged as StagedFunction
from ...stage.function import definition, stage
from ...stage.machine import Frame
from ...stage.stack import has_room
from ...types.guards import Path
from ...types.kinds import OPAQUE
from ...types.spelling import Method
from ...types.subclasses import own_namespace
from ..assumptions import CalledFunction, Withdrawn
from ..boundary.cached import call_cached, clear_cache
from ..collaborator import Args, Collaborator, Kwargs
from ..flow.control import Restart
from ..heap.written_out import fromkeys
from ..iteration.iteration import Staged
from ..libraries import registry as libraries
from ..numpy.vectorized import vectorized
from ..numpy.written_out import is_written_out
from ..objects.special_methods import (
    is_native_new,
    native_call,
    python_method,
)
from ..record.scopes import on_top
from ..record.structures import POLYNOMIALS, is_library, parts_of_iterator, reaches_tracer
from ..record.tracers import BoundMethod, OpaqueTracer, contains_tracer, is_tracer
from ..values.state_of_c import DRAWING, owner_outside
from .aside import ruled_call
from .handlers import HANDLERS
from .library_errors import is_of_scipy, named_for_users
from .refused import is_outward, refusal, too_deep

if TYPE_CHECKING:
    from ..boundary.cached import Memo

INLINED = ("collections.abc", "contextlib")  # mixin methods of the user's, managers
WRAPPERS = (collections.ChainMap, collections.UserDict, collections.UserList)
# defaults whose content cannot change: which object a default is, is guarded
UNCHANGING = (bool, int, float, complex, str, bytes, type(None), type, slice, range, enum.Enum,
              types.BuiltinFunctionType, types.ModuleType, np.generic, np.dtype, np.ufunc)
MAX_DEPTH = 960  # plain Python has room for about as many


# the generators behind the functions of the modules
HIDDEN: tuple[Any, ...] = (random.seed.__self__,  # type: ignore[attr-defined]
                           np.random.rand.__self__)  # type: ignore[attr-defined]


class Calls(Collaborator):
    """``f(...)`` and ``obj.name(...)``."""

    speaks_to = ("access", "assignment", "branches", "class_attributes", "construction",
                 "containers", "effects", "foreigners", "found_functions", "guarded", "items",
                 "keys", "library_calls", "merges", "native_methods", "pushes", "recorder",
                 "sources")

    def __init__(self) -> None:
        self.memos: dict[int, Memo] = {}
        self.cleared: set[int] = set()
        self.handlers: dict[Any, Callable[..., Any]] = HANDLERS
        self.depth = 0
        self.iterators: dict[int, tuple[Any, Any]] = {}

    def called(self, function: Any, args: Args, kwargs: Kwargs) -> Any:
        """What a call gives; handed on as it is, so that no layer takes room on C's stack."""
        refused = refusal(function, args, kwargs)
        if refused is not None:
            raise self.recorder.fatal(refused)
        if is_tracer(function):
            return self._call_traced(function, args, kwargs)
        if is_of_scipy(function):
            with named_for_users(self.machine, function, args):
                return self._call_known(function, args, kwargs)
        return self._call_known(function, args, kwargs)

    def _call_known(self, function: Any, args: Args, kwargs: Kwargs) -> Any:
        handler = self.handler(function)
        if handler is not None:
            return self.adopt(handler(self.machine, *args, **kwargs))
        if isinstance(function, BoundMethod):
            return self.machine.called_method(function.owner, function.name, args, kwargs)
        if isinstance(function, types.MethodWrapperType) and function.__name__ == "__setattr__":
            return self.assignment.set_by_default(function.__self__, *args)
        if isinstance(function, types.MethodWrapperType) and function.__name__ == "__delattr__":
            return self.assignment.delete_by_default(function.__self__, *args)
        if isinstance(function, types.MethodWrapperType) and (
                function.__name__ == "__getattribute__"):
            return self.access.attribute_by_default(function.__self__, *args)
        if isinstance(function, types.MethodWrapperType) and function.__name__ == "__get__" and (
                isinstance(function.__self__, types.FunctionType)):
            return function(*args)  # a method
        if is_native_new(function) and args and issubclass(args[0], type):
            return self.class_attributes.made_class(function(*args, **kwargs))
        if (native := native_call(function, args)) is not None:
            return self.adopt(self.native_methods.native_method(*native, kwargs))
        if isinstance(function, types.BuiltinMethodType) and isinstance(function.__self__, str):
            return self.machine.called_method(function.__self__, function.__name__, args, kwargs)
        if isinstance(function, types.BuiltinMethodType) and function.__name__ == "fromkeys":
            return self.machine.call(fromkeys, function.__self__, *args)
        if owner_outside(function, self.found_functions.paths) is not None or (
                isinstance(function, types.MethodType) and isinstance(
                    function.__self__, DRAWING)):
            if function.__self__ in HIDDEN:
                return self.effects.emit_effect(function, args, kwargs, functools.partial(
                    self.effects.effect_aval, function))
            return self.effects.emit_effect(
                Method(function.__name__), (function.__self__, *args), kwargs,
                lambda given, named: self.effects.effect_aval(function, given[1:], named))
        if isinstance(function, types.MethodType):
            ruled = function if lookup(function) is not None else (
                libraries.shared_method(function))
            if ruled is not None:  # a ruled method, such as scipy.stats.norm.pdf
                return self.library_calls.call_library(ruled, args, kwargs)
            return self.machine.called(function.__func__, (function.__self__, *args), kwargs)
        if isinstance(function, types.FunctionType):
            return self.call_function(function, args, kwargs)
        if isinstance(function, staticmethod):
            return self.machine.called(function.__func__, args, kwargs)
        if isinstance(function, functools.partial):
            inner, held, named = self._parts_of_partial(function)
            return self.machine.called(inner, (*held, *args), {**named, **kwargs})
        if isinstance(function, type):
            return self.construction.construct(function, args, kwargs)
        transform = getattr(type(function), "__srcgrad_trace__", None)
        if transform is not None:
            return transform(function, self.machine, args, kwargs)
        if isinstance(function, np.vectorize):
            return vectorized(self.machine, function, args, kwargs)
        wrapped = getattr(function, "__wrapped__", None)
        if hasattr(function, "cache_info") and isinstance(wrapped, types.FunctionType):
            return call_cached(self.machine, function, args, kwargs)
        if hasattr(getattr(function, "__self__", None), "cache_info") and isinstance(
                function, types.BuiltinMethodType):
            if function.__name__ == "cache_clear":
                return clear_cache(self.machine, function.__self__)
            return self.effects.emit_effect(Method(function.__name__), (function.__self__,), {},
                                            OPAQUE)
        if isinstance(function, (operator.itemgetter, operator.attrgetter, operator.methodcaller)):
            made: Any = function.__reduce__()
            return self.machine.call(self.machine.call(made[0], *made[1]), *args)
        if not callable(function):
            raise TypeError(f"'{type(function).__name__}' object is not callable")
        method = python_method(function, "__call__")
        if method is not None and lookup(function) is not None:
            return ruled_call(self.machine, function, args, kwargs)
        if method is not None:
            return self.machine.called(method, (function, *args), kwargs)
        return self.library_calls.call_library(function, args, kwargs)

    def adopt(self, result: Any) -> Any:
        """A container that library code has just made belongs to the present region."""
        if type(result) in (list, dict, set) and id(result) not in self.journal.births and (
                id(result) not in self.found_functions.paths):
            self.journal.born(result)
            for part in result.values() if type(result) is dict else result:
                if type(part) in (list, dict, set):
                    self.adopt(part)
            return self.keys.made_list(result) if type(result) is list else result
        if hasattr(type(result), "__next__"):
            self.note_iterator(result)
        return result

    def note_iterator(self, made: Any) -> None:
        """Remember the region in which a Python iterator was made."""
        if not isinstance(made, Staged) and id(made) not in self.iterators:
            self.iterators[id(made)] = (made, self.recorder.region)

    def check_iterator(self, iterator: Any) -> None:
        """A Python iterator is advanced while tracing, so it must be in the region where it was
        made, which is run once; a for loop of known length can be unrolled."""
        found = self.iterators.get(id(iterator))
        if found is not None and found[1] is None:
            raise self.recorder.fatal(UnsupportedOperation(
                "an iterator is used again after a loop over it that data may end early",
                why="how far it has got depends on data",
                fix="make a list of the items first, and use slices of it"))
        if self.guarded.cleaning and isinstance(iterator, types.GeneratorType) and (
                iterator.gi_frame is None or iterator.gi_suspended):
            raise self.recorder.fatal(JoinError(
                "a generator is resumed for an exception that may never come",
                why="it runs while compiling, once"))
        if found is not None and found[1] is not self.recorder.region:
            raise self.recorder.fatal(JoinError(
                "a generator is advanced in a branch or loop that depends on data",
                why="it was made outside of it, and it runs while compiling, once",
                fix="collect its items in a list before, or make it inside"))

    def leave(self, iterator: Any) -> None:
        """Data decide how far an iterator of Python's, and those that it goes through, get."""
        self.iterators[id(iterator)] = iterator, None
        for part in parts_of_iterator(iterator):
            self.leave(part)

    def handler(self, function: Any) -> Callable[..., Any] | None:
        try:
            return self.handlers.get(function) or libraries.handler_of(function)
        except TypeError:
            return None

    def _call_traced(self, function: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        if type(function) is OpaqueTracer:
            return self.effects.emit_effect(_apply, (function, *args), kwargs, OPAQUE)
        raise TypeError(f"'{function.__class__.__name__}' object is not callable")

    # ---- Python functions ------------------------------------------------------------------
    def call_function(self, function: Any, args: Args, kwargs: Kwargs) -> Any:
        """A function written in Python: ruled functions are nodes, others are inlined."""
        if (result := self.library_calls.settled_call(function, args,
                                                      kwargs)) is not NotImplemented:
            return result
        if is_outward(function):
            return self.effects.emit_effect(function, args, kwargs, OPAQUE)
        if definition(function) is None:
            if (function.__module__ or "").split(".")[0] == "srcgrad" and (
                    "<locals>" not in function.__qualname__) and not (
                    (function.__module__ or "").startswith("srcgrad.rules")) and not (
                    is_written_out(function)):
                read = self.containers.resolved
                return function(*map(read, args), **{k: read(v) for k, v in kwargs.items()})
            if self._is_ruled(function, args, kwargs):
                return self.library_calls.call_library(function, args, kwargs)
            if not is_library(function.__module__) and lookup(function) is not None:
                return ruled_call(self.machine, function, args, kwargs)
            if function.__module__ in INLINED or (
                    function.__module__ == "collections" and args and isinstance(
                        args[0], WRAPPERS)):
                return self.inline(function, args, kwargs)
            if is_library(function.__module__) and not (
                    contains_tracer(args) or contains_tracer(kwargs) or (
                        any(is_users(a) or self._is_looked_through(a) for a in args))):
                return self.library_calls.call_library(function, args, kwargs)
            hidden = getattr(function, "__wrapped__", None)
            if is_library(function.__module__) and hidden is not None and (
                    function.__module__ or "").startswith("numpy"):
                return self.library_calls.call_library(function, args, kwargs)
        return self.inline(function, args, kwargs)

    def _is_looked_through(self, obj: Any) -> bool:
        """Is an instance of a library's class one whose methods are staged, for it holds numbers
        that are traced, or may be others at the next call?"""
        return holds_tracer(obj) or (isinstance(obj, POLYNOMIALS)
                                     and id(obj) in self.found_functions.paths)

    def _parts_of_partial(self, function: Any) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
        """What a ``functools.partial`` calls, and what with, as it is at each call."""
        inner, held, named = function.func, function.args, function.keywords
        path = self.found_functions.paths.get(id(function))
        if path is None:
            return inner, held, named
        self.sources.guard("length", path.child("attr", "args"), len(held))
        self.sources.guard("keys", path.child("attr", "keywords"), tuple(named))
        return self.foreigners.outside(inner, path.child("attr", "func")), tuple(
            self.foreigners.outside(v, path.child("attr", "args").child("item", i))
            for i, v in enumerate(held)), {
            k: self.foreigners.outside(v, path.child("attr", "keywords").child("item", k))
            for k, v in named.items()}

    def _is_ruled(self, function: Any, args: Args, kwargs: Kwargs) -> bool:
        if not is_library(getattr(function, "__module__", None)) and (
                not (getattr(function, "__module__", "") or "").startswith("srcgrad.rules")):
            return False
        try:
            return resolve(function, args, kwargs) is not None
        except TypeError:
            return True

    def inline(self, function: types.FunctionType, args: Args, kwargs: Kwargs) -> Any:
        """Run the staged body of a function in place of the call."""
        self.check_depth(function)
        self.class_attributes.note_method(function, args)
        self.note_function(function)
        try:
            staged = stage(function)
        except SourceNotFound as error:
            if function.__name__ == "__new__" and args and hasattr(args[0], "_fields"):
                return function(*args, **kwargs)  # made by namedtuple: it only stores
            if any(reaches_tracer(a) for a in (*args, *kwargs.values())):
                raise self.recorder.fatal(error) from None
            return self.library_calls.call_library(function, args, kwargs)
        if id(function) not in self.found_functions.paths and definition(
                function) is None and not is_library(
                function.__module__) and (function.__closure__ or not (
                    function.__module__ or "").startswith("srcgrad.")):
            self.found_functions.unguarded = True
        if (function.__defaults__
            or function.__kwdefaults__) and id(function) in self.found_functions.paths:
            args, kwargs = self._with_defaults(function, args, kwargs)
        where = self.recorder.where()
        site = (where.filename, where.line, where.column) if where is not None else None
        self.branches.call_sites.append((function.__code__, site))
        named = where is not None and not is_written_out(function)
        if where is not None and named:
            self.recorder.callers.append(where)
        self.depth += 1
        try:
            frame = staged.frame(args, kwargs, function)
            self.journal.born(frame)
            for value in frame.slots.values():
                self.adopt(value)
            return self.pushes.run_frame(function, staged, frame)
        finally:
            self.depth -= 1
            self.branches.call_sites.pop()
            if named:
                self.recorder.callers.pop()

    def run_frame(self, staged: StagedFunction, frame: Frame) -> Any:
        """Run the staged body of a function in a frame whose parameters are bound."""
        try:
            with on_top(self.merges.frames, frame):
                result = staged.enter(self.machine, frame)
            if hasattr(type(result), "__next__"):
                self.note_iterator(result)
            return result
        finally:
            while self.merges.scopes and self.merges.scopes[-1][0] > len(self.merges.frames):
                self.merges.scopes.pop()

    def check_depth(self, function: types.FunctionType) -> None:
        """Refuse recursion that does not stop while tracing."""
        same = sum(1 for code, _ in self.branches.call_sites if code is function.__code__)
        if same >= 3 and self.recorder.region is not self.recorder.root:
            self.guard_recursion(function)
        if same and self.recorder.region is not self.recorder.root and same > self.recursion_limit:
            error = self.assumed.refusal_of(CalledFunction(function.__code__))
            if error is not None:
                raise self.recorder.of_forms(error)
            self.items.unroll_list_makers(
                "a list that it fills may decide how deep a recursion goes")
            raise self.recorder.fatal(UnsupportedOperation(
                f"recursion of {function.__qualname__!r} that stops on data",
                why="each level is inlined, and tracing it does not come to an end",
                fix="write the recursion as a while loop"))
        if self.depth > MAX_DEPTH or not has_room():
            raise self.recorder.fatal(too_deep(function, self.depth - 1))

    recursion_limit = 60

    def guard_recursion(self, function: types.FunctionType) -> None:
        """Recursion under a branch on a number that is fixed during the call: start again with
        the outcomes of such branches guarded, so that each level is decided while tracing."""
        code = function.__code__
        if not self.assumed.inlines(code) and any(
                fixed and depth and self.branches.call_sites[depth - 1][0] is code
                for fixed, depth in self.branches.open_tests):
            raise Restart(Withdrawn(CalledFunction(code)))

    def note_function(self, function: types.FunctionType) -> None:
        """Guard what of a function from outside could change: its defaults."""
        path = self.found_functions.paths.get(id(function))
        if path is None or id(function) in self.sources.noted:
            return
        self.sources.noted.add(id(function))
        defaults = path.child("attr", "__defaults__")
        if function is self.found_functions.anchored:
            return
        if id(function) not in self.found_functions.loose or not function.__defaults__:
            self.sources.guard("is", defaults, function.__defaults__)
        else:
            self.sources.guard("length", defaults, len(function.__defaults__))
        if function.__kwdefaults__:
            named = path.child("attr", "__kwdefaults__")
            self.sources.guard("keys", named, tuple(function.__kwdefaults__))
            for name, value in function.__kwdefaults__.items():
                if id(function) not in self.found_functions.loose:
                    self._guard_value(value, named.child("item", name))

    def _guard_value(self, value: Any, path: Path) -> None:
        if isinstance(value, (bool, int, str, type(None))):
            self.sources.guard("type", path, type(value))
            self.sources.guard("equals", path, value)
        else:
            self.sources.guard("is", path, value)

    def _with_defaults(self, function: types.FunctionType, args: Args,
                       kwargs: Kwargs) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Defaults whose content may change are read from the function at each call; all of them
        where another function may be found there."""
        code = function.__code__
        names = code.co_varnames[:code.co_argcount]
        defaults = function.__defaults__ or ()
        whole = self.found_functions.paths[id(function)]
        loose = function is self.found_functions.anchored or id(
            function) in self.found_functions.loose

        def default(value: Any, path: Path) -> Any:
            return self.foreigners.outside(value, path) if loose or not isinstance(
                value, UNCHANGING) else value

        path = whole.child("attr", "__defaults__")
        kwargs = dict(kwargs)
        for i, value in enumerate(defaults):
            place = len(names) - len(defaults) + i
            if place < code.co_posonlyargcount:
                if place == len(args):
                    args = (*args, default(value, path.child("item", i)))
            elif place >= len(args) and names[place] not in kwargs:
                kwargs[names[place]] = default(value, path.child("item", i))
        path = whole.child("attr", "__kwdefaults__")
        for name, value in (function.__kwdefaults__ or {}).items():
            if name not in kwargs:
                kwargs[name] = default(value, path.child("item", name))
        return args, kwargs


def is_users(obj: Any) -> bool:
    """Is the object an instance of a class of the user's, whose methods are to be staged?"""
    cls = type(obj)
    return not isinstance(obj, (type, types.FunctionType, types.ModuleType)) and (
        cls.__module__ != "builtins" and not is_library(cls.__module__) and not is_tracer(obj))


def holds_tracer(obj: Any, depth: int = 3) -> bool:
    """Does an instance of a library's class hold traced values in its attributes?"""
    module = type(obj).__module__ or ""
    if not depth or not (isinstance(obj, np.poly1d) or module.startswith(
            ("scipy", "numpy.polynomial", "numpy.lib"))):
        return False
    slots = [getattr(obj, name, None) for cls in type(obj).__mro__
             for name in getattr(cls, "__slots__", ()) if isinstance(name, str)]
    return any(contains_tracer(part) or holds_tracer(part, depth - 1)
               for part in (*own_namespace(obj).values(), *slots))


def _apply(function: Any, *args: Any, **kwargs: Any) -> Any:
    return function(*args, **kwargs)
