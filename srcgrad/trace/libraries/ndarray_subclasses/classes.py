"""Instances of the user's classes that derive from ndarray.

While tracing, such an instance is a :class:`~srcgrad.trace.record.tracers.ClassedArray`: it holds
the array as one of NumPy's own class, and its attributes like any instance.  Its class has the
methods of the user's class, over functions for those of ndarray (:mod:`.members`); so
branches, loops, lists and journals treat it like an instance of any class.

What NumPy's functions make of instances is found by example (:mod:`.array_examples`): they are
called with the arrays themselves, then instances are made of the results, and
``__array_finalize__`` and what else the class overrides is called in the same order.
"""

from __future__ import annotations

import functools
import operator
import types
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ....errors import UnsupportedOperation
from ....graph.purity import may_probe
from ....stage.machine import UNBOUND
from ....types.guards import Path
from ....types.kinds import OPAQUE, Kind
from ....types.subclasses import (
    ARRAY,
    attributes_of_array,
    base_array,
    classed_array,
    is_array_class,
)
from ...calls.refused import classed_operand
from ...collaborator import Collaborator
from ...objects.protocols import UFUNCS
from ...objects.special_methods import class_attribute, python_method
from ...record.structures import rebuilder, record_fields
from ...record.tracers import ArrayTracer, ClassedArray, Picked, Poison, holds_classed, is_tracer
from .recipes import leaves

if TYPE_CHECKING:
    from ... import dispatch as parts

LIBRARIES = frozenset({"numpy", "scipy", "math"})
WHOLE = frozenset({"srcgrad.public.custom", "srcgrad.trace.calls.custom",
                   "srcgrad.public.batching"})
KEPT = frozenset({"__dict__", "__weakref__", "__slots__", "__init_subclass__", "__module__",
                  "__qualname__", "__doc__"})


class ArrayClasses(Collaborator):
    """Calls, operators and attributes of such instances."""

    access: parts.Access
    array_recipes: parts.ArrayRecipes
    class_attributes: parts.ClassAttributes
    construction: parts.Construction
    effects: parts.Effects
    foreigners: parts.Foreigners
    found_functions: parts.FoundFunctions
    handed_over: parts.HandedOver
    library_calls: parts.LibraryCalls
    unions: parts.Unions
    protocols: parts.Protocols
    recorder: parts.Recorder
    sources: parts.Sources
    variables: parts.Variables

    def __init__(self) -> None:
        self.classed: dict[Any, Any] = {}  # for each class of the user's its class of ClassedArray

    # ---- classes and instances ---------------------------------------------------------------
    def class_for(self, cls: Any) -> Any:
        """The class of the trace that stands for one of the user's."""
        if cls is np.ndarray:
            return ClassedArray
        if not is_array_class(cls):
            return cls
        if cls not in self.classed:
            bases = tuple(dict.fromkeys(map(self.class_for, cls.__bases__)))
            slots = vars(cls).get("__slots__", ())
            slots = (slots,) if isinstance(slots, str) else slots
            namespace = {n: v for n, v in vars(cls).items() if n not in (*KEPT, *slots)}
            # what it overrides is looked up while tracing
            if self.class_attributes.from_outside(cls):
                self.class_attributes.register_class(cls)
                self.sources.guard("keys", self.found_functions.paths[id(cls)].child("attr",
                    "__dict__"),
                           tuple(vars(cls)))
            self.classed[cls] = type(cls.__name__, bases, {
                **namespace, "cls": cls, "machine": self.machine, "__module__": cls.__module__,
                "__qualname__": cls.__qualname__})
            # what is read from the stand-in is the user's
            if id(cls) in self.found_functions.paths:
                self.found_functions.paths[id(self.classed[cls])] = self.found_functions.paths[
                    id(cls)]
        return self.classed[cls]

    def as_class(self, cls: Any, array: Any, source: Any) -> Any:
        """The array as an instance of ``cls`` that NumPy makes from ``source``."""
        made = object.__new__(self.class_for(cls))
        if type(array) not in (ArrayTracer, Poison):
            array = self.machine.call(np.asarray, array)
        made._array_ = array
        self.journal.born(made)
        self.finalize(made, source)
        return made

    def finalize(self, made: Any, source: Any) -> None:
        """Call the ``__array_finalize__`` of an instance."""
        method = self.machine.getattr(made, "__array_finalize__")
        if method is not None and not is_native(method):
            self.machine.call(method, source)

    def unseen(self, error: Poison) -> Any:
        """What stands for an array of NumPy's own class that only NumPy has seen."""
        made: Any = object.__new__(type("ndarray", (ClassedArray,), {
            "cls": np.ndarray, "machine": self.machine, "__module__": "numpy"}))
        made._array_ = error
        return made

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
        if isinstance(structure, ClassedArray):
            return self.array_of(structure)
        if not holds_classed(structure):
            return structure
        if isinstance(structure, dict):
            return {k: self.unclassed(v) for k, v in structure.items()}
        if isinstance(structure, slice):
            return slice(*map(self.unclassed, (structure.start, structure.stop, structure.step)))
        parts = [self.unclassed(part) for part in structure]
        return parts if isinstance(structure, list) else tuple(parts)

    def classed_outside(self, obj: Any, path: Path) -> Any:
        """What stands for an instance from outside."""
        known = self.sources.twins_of.get((id(obj), "array"))
        if known is not None and self.assumed.are_one(str(known[1]), str(path)):
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
        if is_native(found) and name not in obj.__dict__ and (
                name not in self.sources.overlays.get(id(obj), ())):
            if isinstance(found, property):
                return self.machine.call(found.fget, obj)
            return types.MethodType(found, obj)
        if isinstance(found, classmethod):
            return types.MethodType(found.__func__, obj.cls)
        return self.next.getattr(obj, name)

    def setattr(self, obj: Any, name: str, value: Any) -> None:
        if isinstance(obj, ClassedArray) and not obj.cls.__dictoffset__ and (
                class_attribute(obj.cls, name) is UNBOUND):
            raise AttributeError(
                f"{obj.cls.__name__!r} object has no attribute {name!r} and no __dict__ for "
                "setting new attributes")
        self.next.setattr(obj, name, value)

    def store(self, frame: Any, name: str, value: Any) -> None:
        if isinstance(value, ClassedArray) and type(value._array_) is ArrayTracer:
            self.variables.label(value._array_, name)
        self.next.store(frame, name, value)

    def getitem(self, obj: Any, key: Any) -> Any:
        return self.next.getitem(obj, key if not self.classed else self.unclassed(key))

    def setitem(self, obj: Any, key: Any, value: Any) -> None:
        if self.classed:
            key = self.unclassed(key)
            value = self.unclassed(value) if type(obj) is ArrayTracer else value
        self.next.setitem(obj, key, value)

    def binary(self, op: str, left: Any, right: Any) -> Any:
        if isinstance(right, ClassedArray) and is_numpy_scalar(left):
            return self.machine.call(UFUNCS[op], left, right)
        return self.next.binary(op, left, right)

    def inplace(self, op: str, left: Any, right: Any) -> Any:
        if type(left) is ArrayTracer and isinstance(right, ClassedArray):
            if own_method(right, "__array_ufunc__") is not None:
                return self.machine.call(UFUNCS[op], left, right, out=(left,))
            right = self.array_of(right)
        return self.next.inplace(op, left, right)

    def super_(self, cls: Any, obj: Any) -> Any:
        if isinstance(obj, ClassedArray):
            cls = self.class_for(cls)
        return self.next.super_(cls, obj)

    def fields_of_instance(self, obj: Any) -> tuple[str, ...] | None:
        if isinstance(obj, ClassedArray) and id(obj) in self.journal.births:
            return record_fields(obj)
        return self.handed_over.fields_of_instance(obj)

    def given_instance(self, obj: Any, attributes: tuple[str, ...]) -> Any:
        if not isinstance(obj, ClassedArray):
            return self.handed_over.given_instance(obj, attributes)
        names = [n for n in attributes if n != ARRAY]
        return self.effects.act(classed_array, (
            obj.cls, self.array_of(obj), {n: self.handed_over.handed_over(getattr(obj, n))
                                          for n in names}), {},
            OPAQUE)

    # ---- calls -------------------------------------------------------------------------------
    def instance(self, cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if not is_array_class(cls):
            return self.construction.instance(cls, args, kwargs)
        made = self.machine.call(cls.__new__, cls, *args, **kwargs)
        if hasattr(cls.__init__, "__code__") and self.machine.call(isinstance, made, cls) is True:
            self.machine.call(cls.__init__, made, *args, **kwargs)
        return made

    def called(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        picked = next((i for i, a in enumerate(args) if type(a) is Picked and issubclass(
            a.cls, ClassedArray)), None) if self.classed else None
        if picked is not None and (is_native(function) or is_of_library(function)):
            return self.unions.each(args[picked], lambda o: self.machine.call(
                function, *args[:picked], o, *args[picked + 1:], **kwargs))
        if function is object.__getattribute__ and isinstance(args[0], ClassedArray):
            return self._by_default(*args)
        if is_of_library(function) and any(
                type(x) is Picked and issubclass(x.cls, ClassedArray)
                for x in self.parts_of_all((*args, *kwargs.values()))):
            args = tuple(map(self._with_copies, args))
        if function is hash and isinstance(args[0], ClassedArray) and (
                python_method(args[0], "__hash__") is None):
            raise TypeError(f"unhashable type: {args[0].cls.__name__!r}")
        if function is iter and len(args) == 1 and isinstance(args[0], ClassedArray):
            items = self.machine.call_method(args[0], "__iter__")
            return self.next.called(iter, (items,), {}) if type(items) is ArrayTracer else items
        if function is super and len(args) == 2 and isinstance(args[1], ClassedArray):
            return self.machine.super_(*args)
        if isinstance(function, (types.MethodDescriptorType, types.WrapperDescriptorType)) and (
                function.__objclass__ is np.ndarray) and args:
            if isinstance(args[0], ClassedArray):
                return self.machine.call(getattr(ClassedArray, function.__name__), *args, **kwargs)
            return self.machine.call_method(args[0], function.__name__, *args[1:], **kwargs)
        if self.classed and (holds_classed(args) or holds_classed(kwargs)):
            if is_of_library(function):
                return self.library_call(function, args, kwargs)
            if type(function).__module__ in WHOLE:
                raise self.recorder.fatal(classed_operand(next(
                    x.cls for x in leaves((args, kwargs)) if isinstance(x, ClassedArray))))
        return self.next.called(function, args, kwargs)

    def _by_default(self, obj: Any, name: str) -> Any:
        """An attribute past the ``__getattr__`` of the class."""
        if name != "__dict__" and self.access.maybe_attribute(obj, name) is UNBOUND and (
                class_attribute(type(obj), name) is UNBOUND):
            raise AttributeError(f"{obj.cls.__name__!r} object has no attribute {name!r}")
        return self.machine.getattr(obj, name)

    def parts_of_all(self, args: Iterable[Any]) -> list[Any]:
        """The parts of the containers among arguments; refuses one that contains itself, since
        the walks that follow would not end."""
        try:
            return [x for a in args if isinstance(a, (list, tuple, dict)) for x in leaves(a)]
        except UnsupportedOperation as error:
            raise self.recorder.fatal(error) from None

    def _with_copies(self, structure: Any) -> Any:
        """Copies of instances that a traced number picks, in lists and tuples."""
        if not isinstance(structure, (list, tuple)):
            return structure
        return type(structure)(
            self.gathered_copy(x) if type(x) is Picked else self._with_copies(x) for x in structure)

    def gathered_copy(self, picked: Picked) -> Any:
        """One instance with the parts of whichever it is."""
        first = picked.objects[0]
        made = rebuilder(first)([
            self.unions.gathered(picked, operator.attrgetter(n)) for n in record_fields(first)
            or ()])
        self.journal.born(made)
        return made

    def called_method(self, obj: Any, name: str, args: tuple[Any, ...],
                      kwargs: dict[str, Any]) -> Any:
        if name == "view" and len((*args, *kwargs)) == 1 and is_tracer(obj) and is_array_class(
                wanted := (*args, *kwargs.values())[0]):
            if type(obj) is ArrayTracer:
                return self.as_class(wanted, self.handle(obj), obj)
            self.as_class(wanted, obj, obj)
            return obj  # a scalar stays one
        if isinstance(obj, np.ufunc) and self.classed and (
                holds_classed(args) or holds_classed(kwargs)):
            return self.machine.call(getattr(obj, name), *args, **kwargs)
        if type(obj) is ArrayTracer:
            if self.classed and (holds_classed(args) or holds_classed(kwargs)):
                return self.array_recipes.by_example(getattr(np.ndarray, name), (obj, *args),
                                                     kwargs,
                                       lambda own, *a,
                                       **k: self.machine.call_method(own, name, *a, **k))
        return self.next.called_method(obj, name, args, kwargs)

    def library_call(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A function of NumPy or SciPy, or of ``math``, with instances among its arguments."""
        if isinstance(getattr(function, "__self__", function), np.ufunc):
            args, kwargs = with_outputs(function, args, kwargs)
        found = self.protocols.asked(function, args, kwargs)
        if found is not NotImplemented:
            return found
        run = functools.partial(self.machine.call, function)
        if self.library_calls.is_effect(function) or not may_probe(function):
            return run(*self.unclassed(args), **self.unclassed(kwargs))
        return self.array_recipes.by_example(function, args, kwargs, run)

    def own_method(self, obj: Any, name: str) -> Any:
        return own_method(obj, name)

def is_native(found: Any) -> bool:
    """Does what a class holds under a name stand for what ndarray has there?"""
    found = found.fget if isinstance(found, property) else getattr(found, "__func__", found)
    return getattr(found, "of_ndarray", False) is True


def own_method(obj: Any, name: str) -> Any:
    """A method written in Python of a class of the user's; None if it is that of ndarray."""
    method = python_method(obj, name)
    return None if is_native(method) else method


def is_of_library(function: Any) -> bool:
    """Is it a function of NumPy, SciPy or ``math``?"""
    if isinstance(getattr(function, "__self__", function), np.ufunc):
        return True
    if isinstance(function, type):
        return issubclass(function, np.generic)
    return (getattr(function, "__module__", None) or "").split(".")[0] in LIBRARIES


def is_numpy_scalar(obj: Any) -> bool:
    """Is it a scalar of NumPy's, which does not ask for the other operand's method?"""
    return isinstance(obj, np.generic) or (is_tracer(obj) and obj.aval.kind is Kind.SCALAR)


def with_outputs(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Arguments of a ufunc as ``__array_ufunc__`` gets them: outputs in a tuple.  (``out=...`` asks
    for an array, which instances are.)"""
    if isinstance(function, np.ufunc) and len(args) > function.nin:
        args, kwargs = args[:function.nin], {**kwargs, "out": args[function.nin:]}
    out = kwargs.get("out")
    if (out is None or out is Ellipsis) and "out" in kwargs:
        kwargs = {k: v for k, v in kwargs.items() if k != "out"}
    elif out is not None and not isinstance(out, tuple):
        kwargs = {**kwargs, "out": (out,)}
    return args, kwargs
