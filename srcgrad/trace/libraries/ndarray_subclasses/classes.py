"""Instances of the user's classes that derive from ndarray.

While tracing, such an instance is a :class:`~srcgrad.trace.record.tracers.ClassedArray`: it holds
the array as one of NumPy's own class, and its attributes like any instance.  Its class has the
methods of the user's class, over functions for those of ndarray (:mod:`.members`); so
branches, loops, lists and journals treat it like an instance of any class.

What NumPy's functions make of instances is found by example (:mod:`.results`): they are called
with the arrays themselves, then instances are made of the results, and ``__array_finalize__`` is
called as NumPy does.
"""

from __future__ import annotations

import functools
import types
from typing import Any

import numpy as np

from ....graph.purity import may_probe
from ....types.guards import Path
from ....types.structure import mapped
from ....types.subclasses import attributes_of_array, base_array, is_array_class
from ...collaborator import Args, Collaborator, Kwargs
from ...objects.protocols import UFUNCS, as_asked
from ...objects.special_methods import class_attribute, is_of_ndarray
from ...record.structures import rebuilder, record_fields
from ...record.tracers import ArrayTracer, Choice, ClassedArray, Poison, holds_classed, is_tracer
from .results import refusal

LIBRARIES = frozenset({"numpy", "scipy", "math"})
METHODS_OF_MATRICES = "numpy.matrixlib.defmatrix"
KEPT = ("__new__", "__slots__", "__init_subclass__", "__module__", "__qualname__", "__doc__")
OWN = (types.MethodDescriptorType, types.WrapperDescriptorType)
PLACES = (types.MemberDescriptorType, types.GetSetDescriptorType)  # slots, ``__dict__``


class ArrayClasses(Collaborator):
    """Calls, operators and attributes of such instances."""

    speaks_to = ("array_results", "class_attributes", "containers", "foreigners", "found_functions",
                 "library_calls", "protocols", "recorder", "sources", "variables")

    def __init__(self) -> None:
        # for each class its class of the trace
        self.classed: dict[Any, Any] = {np.ndarray: type("ndarray", (ClassedArray,), {
            "cls": np.ndarray, "machine": self.machine, "__module__": "numpy"})}

    # ---- classes and instances ---------------------------------------------------------------
    def class_for(self, cls: Any) -> Any:
        """The class of the trace that stands for one of the user's."""
        if cls in self.classed or not is_array_class(cls):
            return self.classed.get(cls, cls)
        bases = tuple(dict.fromkeys(map(self.class_for, cls.__bases__)))
        namespace = {n: v for n, v in vars(cls).items()
                     if n not in KEPT and not isinstance(v, PLACES)}
        # what it overrides is looked up while tracing
        if self.class_attributes.from_outside(cls):
            self.class_attributes.register_class(cls)
            self.sources.guard("keys", self.found_functions.paths[id(cls)].child("attr",
                "__dict__"), tuple(vars(cls)))
        made = self.classed[cls] = type(cls.__name__, bases, {
            **namespace, "cls": cls, "machine": self.machine, "__module__": cls.__module__,
            "__qualname__": cls.__qualname__})
        # what is read from the stand-in is the user's
        if id(cls) in self.found_functions.paths:
            self.found_functions.paths[id(made)] = self.found_functions.paths[id(cls)]
        return made

    def bare(self, cls: Any, array: Any) -> Any:
        """The array as an instance of ``cls`` without attributes."""
        made = object.__new__(self.class_for(cls))
        if type(array) not in (ArrayTracer, Poison):
            array = self.machine.call(np.asarray, array)
        made._array_ = array
        self.journal.born(made)
        return made

    def as_class(self, cls: Any, array: Any, source: Any) -> Any:
        """The array as an instance of ``cls`` that NumPy makes from ``source``."""
        made = self.bare(cls, array)
        self.finalize(made, source)
        return made

    def finalize(self, made: Any, source: Any) -> None:
        """Call the ``__array_finalize__`` of an instance."""
        method = self.machine.getattr(made, "__array_finalize__")
        if method is not None:
            self.machine.call(method, source)

    def anew(self, obj: Any, array: Any) -> Any:
        """The same instance with another array."""
        names = (record_fields(obj) or ())[1:]
        made: Any = rebuilder(obj)([array, *(self.machine.getattr(obj, n) for n in names)])
        self.journal.born(made)
        return made

    def handle(self, array: ArrayTracer) -> ArrayTracer:
        """Another object for the same array: the shape of one may be set without the other's."""
        made = ArrayTracer(self.machine, array.aval, array.home, array.steps, array.dyn, array.obj,
                           array.first, self.recorder.region)
        made.seen = array.seen
        return made

    def array_of(self, obj: Any) -> Any:
        """The array that an instance is, as one of NumPy's own class."""
        if type(obj._array_) is Poison:
            raise self.recorder.unjoined(obj._array_)
        return obj._array_

    def unclassed(self, structure: Any) -> Any:
        """A structure with arrays of NumPy's own class in place of instances."""
        if not holds_classed(structure):
            return structure
        return mapped(structure, ClassedArray, self.array_of)

    def classed_outside(self, obj: Any, path: Path) -> Any:
        """What stands for an instance from outside."""
        known = self.sources.twins_of.get((id(obj), "array"))
        if known is not None and self.assumed.knows(str(known[1]), str(path)):
            self.sources.guard("is_path", path, known[1])
            return known[0]
        array = self.foreigners.outside(base_array(obj), path.child("base", None))
        self.sources.guard("type", path, type(obj))
        made = object.__new__(self.class_for(type(obj)))
        made._array_ = array
        made.__dict__.update(attributes_of_array(obj))
        self.found_functions.paths[id(made)] = path
        self.found_functions.pinned[id(made)], self.found_functions.pinned[id(obj)] = made, obj
        if known is not None:
            self.sources.twins[id(made)] = self.sources.twins[id(known[0])] = (known[1], path)
        self.sources.twins_of.setdefault((id(obj), "array"), (made, path))
        return made

    # ---- Python's operators ------------------------------------------------------------------
    def getattr(self, obj: Any, name: str) -> Any:
        if not isinstance(obj, ClassedArray):
            return self.next.getattr(obj, name)
        if name == "__class__":
            return obj.cls
        found = class_attribute(type(obj), name)
        if is_of_ndarray(found) and name not in obj.__dict__ and (
                name not in self.sources.overlays.get(id(obj), ())):
            if isinstance(found, property):
                return self.machine.call(found.fget, obj)
            return types.MethodType(found, obj)
        if isinstance(found, classmethod):
            return types.MethodType(found.__func__, obj.cls)
        return self.next.getattr(obj, name)

    def store(self, frame: Any, name: str, value: Any) -> None:
        if isinstance(value, ClassedArray) and type(value._array_) is ArrayTracer:
            self.variables.label(value._array_, name)
        self.next.store(frame, name, value)

    def getitem(self, obj: Any, key: Any) -> Any:
        return self.next.getitem(obj, self.unclassed(key))

    def setitem(self, obj: Any, key: Any, value: Any) -> None:
        self.next.setitem(obj, self.unclassed(key), self.unclassed(value) if type(
            obj) is ArrayTracer else value)

    def inplace(self, op: str, left: Any, right: Any) -> Any:
        if type(left) is ArrayTracer and isinstance(right, ClassedArray):
            return self.machine.call(UFUNCS[op], left, right, out=(left,))
        return self.next.inplace(op, left, right)

    def super_(self, cls: Any, obj: Any) -> Any:
        return self.next.super_(self.class_for(cls) if isinstance(obj, ClassedArray) else cls, obj)

    # ---- calls -------------------------------------------------------------------------------
    def called(self, function: Any, args: Args, kwargs: Kwargs) -> Any:
        of_library = is_of_library(function)
        if function is super and len(args) == 2 and isinstance(args[1], ClassedArray):
            return self.machine.super_(*args)
        if args and isinstance(function, OWN) and function.__objclass__ is np.ndarray:
            if isinstance(args[0], ClassedArray):
                return self.machine.call(getattr(ClassedArray, function.__name__), *args, **kwargs)
            return self.machine.call_method(args[0], function.__name__, *args[1:], **kwargs)
        if of_library:
            self.containers.check_ends(args)
            if holds_classed((args, kwargs)) and not any(
                    Choice in map(type, a if type(a) in (list, tuple) else (a,)) for a in args):
                return self._library_call(function, args, kwargs)
        return self.next.called(function, args, kwargs)

    def called_method(self, obj: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
        if name == "view" and is_tracer(obj) and any(
                is_array_class(wanted := w) for w in (*args, *kwargs.values())):
            if type(obj) is ArrayTracer:
                return self.as_class(wanted, self.handle(obj), obj)
            self.as_class(wanted, obj, obj)
            return obj  # a scalar stays one
        if isinstance(obj, np.ufunc) and holds_classed((args, kwargs)):
            return self.machine.call(getattr(obj, name), *args, **kwargs)
        if type(obj) is ArrayTracer and holds_classed((args, kwargs)):
            return self.array_results.of(
                getattr(np.ndarray, name), (obj, *args), kwargs,
                lambda own, *a, **k: self.machine.call_method(own, name, *a, **k))
        return self.next.called_method(obj, name, args, kwargs)

    def _library_call(self, function: Any, args: Args, kwargs: Kwargs) -> Any:
        """A function of NumPy or SciPy, or of ``math``, with instances among its arguments."""
        args, kwargs = as_asked(function, args, kwargs)
        found = self.protocols.asked(function, args, kwargs)
        if found is not NotImplemented:
            return found
        run = functools.partial(self.machine.call, function)
        if may_probe(function):
            return self.array_results.of(function, args, kwargs, run)
        result = run(*self.unclassed(args), **self.unclassed(kwargs))
        if result is None or self.library_calls.is_effect(function):
            return result
        raise self.recorder.fatal(refusal(
            function, "which class the result has is not known, as no example of it is called"))


def is_of_library(function: Any) -> bool:
    """Is it a function of NumPy, SciPy or ``math``?"""
    if isinstance(getattr(function, "__self__", function), np.ufunc):
        return True
    if isinstance(function, type):
        return issubclass(function, np.generic)
    module = getattr(function, "__module__", None) or ""
    return module.split(".")[0] in LIBRARIES and module != METHODS_OF_MATRICES
