"""``obj.name(...)``."""

from __future__ import annotations

import collections
import functools
import types
from typing import Any

import numpy as np

from ...types.kinds import BOOL, INT, OPAQUE
from ...types.public_names import of_scipy
from ...types.spelling import Method
from ...types.subclasses import native_class
from ..collaborator import Args, Collaborator, Kwargs
from ..heap.written_out import indices_of
from ..iteration.iteration import Staged
from ..libraries import registry as libraries
from ..objects.special_methods import (
    WRITING_METHODS,
    class_attribute,
    class_name,
    is_native_method,
    operation,
    python_method,
)
from ..record.tracers import ArrayTracer, OpaqueTracer, contains_tracer, is_tracer
from .refused import of_method

GIVEN = {"center": (1,), "ljust": (1,), "rjust": (1,), "zfill": (1,), "count": ("",),
                  "find": ("",), "index": ("",), "rfind": ("",), "rindex": ("",),
                  "replace": ("", ""), "startswith": ("",), "endswith": ("",),
                  "removeprefix": ("",), "removesuffix": ("",)}


@functools.cache
def type_of_text_method(name: str) -> type:
    """What a method of texts returns: that of an empty text tells it."""
    try:
        return type(getattr("", name)(*GIVEN.get(name, ())))
    except (TypeError, ValueError, AttributeError):
        return object


class MethodCalls(Collaborator):
    """Calls of methods."""

    speaks_to = ("calls", "containers", "effects", "handed_over", "library_calls", "lists",
                 "native_methods", "presence", "recorder", "selections")

    def called_method(self, obj: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
        if name in WRITING_METHODS and type(obj) is ArrayTracer:
            return self.machine.call(self.machine.getattr(obj, name), *args, **kwargs)
        if name[:2] == "__" and (special := operation(obj, name, args)) is not None:
            return self.machine.call(special[0], *special[1])
        if type(obj) is ArrayTracer or (is_tracer(obj) and type(obj) is not OpaqueTracer):
            refused = of_method(obj, name, args, kwargs)
            if name == "setflags" and (of_scipy(self.recorder.where()) or self._protected(
                    obj, args, kwargs)):
                return None  # protects what it returns
            if refused is not None:
                raise self.recorder.fatal(refused)
            return self._call_array_method(obj, name, args, kwargs)
        if (library := libraries.of_constant(obj)) is not None:
            return library.constant_method(self.machine, obj, name, args, kwargs)
        if type(obj) is OpaqueTracer and obj.type is str:
            return self._string_method(obj, name, args, kwargs)
        if type(obj) is OpaqueTracer:
            return self.effects.emit_effect(
                Method(name), (obj, *args), kwargs,
                lambda given, named: self.effects.drawn(obj, name, given[1:], named))
        if type(obj) in (list, dict, set, frozenset, collections.deque):
            return self.calls.adopt(self.presence.container_method(obj, name, args, kwargs))
        if isinstance(obj, tuple) and name in ("index", "count"):
            held = self.containers.resolved(obj)
            if contains_tracer((held, args)):
                return self.machine.call_method(list(held), name, *args)
        if type(obj) is slice and name == "indices":
            known = not contains_tracer((obj.start, obj.stop, obj.step, args))
            return obj.indices(*args) if known else self.machine.call(indices_of, obj, *args)
        if native_class(type(obj)) is not None and is_native_method(
                class_attribute(type(obj), name)):
            return self.calls.adopt(self.native_methods.native_method(obj, name, args, kwargs))
        if isinstance(obj, np.ufunc):
            return self._ufunc_method(obj, name, args, kwargs)
        if isinstance(obj, types.ModuleType):
            return self.machine.called(self.machine.getattr(obj, name), args, kwargs)
        if isinstance(obj, (np.random.Generator, np.random.RandomState)):
            return self.effects.emit_effect(
                Method(name), (obj, *args), kwargs, lambda given, named: self.effects.effect_aval(
                    getattr(obj, name), given[1:], named))
        if isinstance(obj, str) and python_method(obj, name) is None:
            return self._string_method(obj, name, args, kwargs)
        if isinstance(obj, Staged):
            return getattr(self.machine.iterate(obj), name)(*args, **kwargs)
        return self.machine.called(self.machine.getattr(obj, name), args, kwargs)

    def _protected(self, obj: Any, args: Args, kwargs: Kwargs) -> bool:
        """``setflags(write=False)`` of an array that the program has made: writes are refused."""
        if dict(zip(("write",), args)) | kwargs != {"write": False} or (
                type(obj) is not ArrayTracer or obj.home.outside):
            return False
        obj.home.protected = True
        return True

    def _string_method(self, obj: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
        if name == "join" and len(args) == 1 and not is_tracer(args[0]) and not (
                isinstance(args[0], (list, tuple, str))):
            args = (self.machine.call(list, args[0]),)
        args = tuple(self.handed_over.as_run_time(self.containers.resolved(a)) for a in args)
        kwargs = {k: self.handed_over.as_run_time(self.containers.resolved(v)) for k,
                  v in kwargs.items()}
        if not contains_tracer((obj, *args)) and not contains_tracer(kwargs):
            return self.calls.adopt(getattr(obj, name)(*args, **kwargs))
        for arg in args:
            if isinstance(arg, list) and id(arg) in self.symbolic_lists:
                self.lists.unroll_maker(arg)  # texts are best known while tracing
        result = type_of_text_method(name)
        found = self.recorder.computed(
            Method(name), INT if result is int else BOOL if result is bool else OPAQUE,
            *self.recorder.values_in((obj, *args)), **self.recorder.values_in(kwargs))
        return self.selections.of_class(found, str) if result is str else found

    def _ufunc_method(self, obj: np.ufunc, name: str, args: Args, kwargs: Kwargs) -> Any:
        return self.effects.ufunc_at(obj, *
                                     args) if name == "at" else self.library_calls.call_library(
            getattr(obj, name), args, kwargs)

    def _call_array_method(self, obj: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
        special = getattr(self.effects, f"array_{name}", None)
        if special is not None and type(obj) is ArrayTracer:
            return special(obj, *args, **kwargs)
        if name == "tolist":  # of a number
            name = "item"
        cls = obj.__class__
        if not hasattr(cls, name):
            raise AttributeError(f"'{class_name(cls)}' object has no attribute '{name}'")
        if kwargs.get("out") is not None:
            return self.effects.call_out(Method(name), (obj, *args), kwargs)
        return self.library_calls.numeric_call(Method(name), (obj, *args), kwargs)
