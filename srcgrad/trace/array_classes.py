"""Instances of the user's classes that derive from ndarray.

While tracing, such an instance is a :class:`~srcgrad.trace.tracers.ClassedArray`: it holds the
array as one of NumPy's own class, and its attributes like any instance.  Its class has the
methods of the user's class, over functions for those of ndarray (:mod:`.array_members`); so
branches, loops, lists and journals treat it like an instance of any class.

What NumPy's functions make of instances is found by example (:mod:`.array_examples`): they are
called with the arrays themselves, then instances are made of the results, and
``__array_finalize__`` and what else the class overrides is called in the same order.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..errors import SrcgradError, UnsupportedOperation
from ..graph.probing import dummy
from ..graph.purity import may_probe
from ..guards import Path
from ..kinds import OPAQUE, Aval, Kind
from ..public_names import public_name
from ..subclasses import ARRAY, attributes_of_array, base_array, classed_array, is_array_class
from . import array_examples
from .array_examples import BASE, Event, Made, Operand, Recipe, Several
from ..stage.machine import UNBOUND
from .natives import class_attribute
from .protocols import UFUNCS, Protocols
from .refused import classed_operand
from .special_methods import python_method
from .tracers import (
    ArrayTracer,
    ClassedArray,
    OpaqueTracer,
    Picked,
    Poison,
    holds_classed,
    is_tracer,
)

SMALL = 9  # the greatest size of an example, where that will do
LIBRARIES = frozenset({"numpy", "scipy", "math"})
WHOLE = frozenset({"srcgrad.custom", "srcgrad.trace.custom", "srcgrad.batching"})
KEPT = frozenset({"__dict__", "__weakref__", "__slots__", "__init_subclass__", "__module__",
                  "__qualname__", "__doc__"})
SAME = (type(None), bool, str, type, np.dtype, np.ufunc, type(Ellipsis), type(np._NoValue),
        Operand)
methods_of_numpy: Any = importlib.import_module("numpy._core._methods")
METHODS = {"mean": "mean", "var": "var", "std": "std", "sum": "sum", "prod": "prod", "max": "amax",
           "min": "amin", "any": "any", "all": "all", "clip": "clip", "ptp": "ptp"}


class ArrayClasses(Protocols):
    """Calls, operators and attributes of such instances."""

    classed: dict[Any, Any]  # for each class of the user's its class of ClassedArray
    recipes: dict[Any, Any]

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
            self.classed[cls] = type(cls.__name__, bases, {
                **namespace, "cls": cls, "machine": self, "__module__": cls.__module__,
                "__qualname__": cls.__qualname__})
        return self.classed[cls]

    def as_class(self, cls: Any, array: Any, source: Any) -> Any:
        """The array as an instance of ``cls`` that NumPy makes from ``source``."""
        made = object.__new__(self.class_for(cls))
        if not is_tracer(array) and not isinstance(array, Poison) or is_tracer(
                array) and type(array) is not ArrayTracer:
            array = self.call(np.asarray, array)
        made._array_ = array
        self.journal.born(made)
        finalize = self.getattr(made, "__array_finalize__")
        if finalize is not None and not is_native(finalize):
            self.call(finalize, source)
        return made

    def array_of(self, obj: Any) -> Any:
        """The array that an instance is, as one of NumPy's own class."""
        if type(obj._array_) is Poison:
            raise self.fatal(obj._array_.error)
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
        known = self.twins_of.get((id(obj), "array"))
        if known is not None and ("same", str(known[1]), str(path)) in self.assumed:
            self.guard("is_path", path, known[1])
            return known[0]
        array = self.outside(base_array(obj), path.child("base", None))
        self.guard("type", path, type(obj))
        made = object.__new__(self.class_for(type(obj)))
        made._array_ = array
        made.__dict__.update(attributes_of_array(obj))
        self.paths[id(made)] = path
        self.pinned[id(made)], self.pinned[id(obj)] = made, obj
        if known is not None:
            self.twins[id(made)] = self.twins[id(known[0])] = (known[1], path)
        self.twins_of.setdefault((id(obj), "array"), (made, path))
        return made

    # ---- Python's operators ------------------------------------------------------------------
    def getattr(self, obj: Any, name: str) -> Any:
        if not isinstance(obj, ClassedArray):
            return super().getattr(obj, name)
        if name == "__class__":
            return obj.cls
        found = class_attribute(type(obj), name)
        if is_native(found) and name not in obj.__dict__ and (
                name not in self.overlays.get(id(obj), ())):
            if isinstance(found, property):
                return self.call(found.fget, obj)
            return types.MethodType(found, obj)
        if isinstance(found, classmethod):
            return types.MethodType(found.__func__, obj.cls)
        return super().getattr(obj, name)

    def setattr(self, obj: Any, name: str, value: Any) -> None:
        if isinstance(obj, ClassedArray) and not obj.cls.__dictoffset__ and (
                class_attribute(obj.cls, name) is UNBOUND):
            raise AttributeError(
                f"{obj.cls.__name__!r} object has no attribute {name!r} and no __dict__ for "
                "setting new attributes")
        super().setattr(obj, name, value)

    def store(self, frame: Any, name: str, value: Any) -> None:
        if isinstance(value, ClassedArray) and type(value._array_) is ArrayTracer:
            self.label(value._array_, name)
        super().store(frame, name, value)

    def getitem(self, obj: Any, key: Any) -> Any:
        return super().getitem(obj, key if not self.classed else self.unclassed(key))

    def setitem(self, obj: Any, key: Any, value: Any) -> None:
        if self.classed:
            key = self.unclassed(key)
            value = self.unclassed(value) if type(obj) is ArrayTracer else value
        super().setitem(obj, key, value)

    def binary(self, op: str, left: Any, right: Any) -> Any:
        if isinstance(right, ClassedArray) and is_numpy_scalar(left):
            return self.call(UFUNCS[op], left, right)
        return super().binary(op, left, right)

    def inplace(self, op: str, left: Any, right: Any) -> Any:
        if type(left) is ArrayTracer and isinstance(right, ClassedArray):
            if own_method(right, "__array_ufunc__") is not None:
                return self.call(UFUNCS[op], left, right, out=(left,))
            right = self.array_of(right)
        return super().inplace(op, left, right)

    def super_(self, cls: Any, obj: Any) -> Any:
        if isinstance(obj, ClassedArray):
            cls = self.class_for(cls)
        return super().super_(cls, obj)

    def _given_instance(self, obj: Any, attributes: tuple[str, ...]) -> Any:
        if not isinstance(obj, ClassedArray):
            return super()._given_instance(obj, attributes)
        names = [n for n in attributes if n != ARRAY]
        return self.act(classed_array, (
            obj.cls, self.array_of(obj), {n: self.handed_over(getattr(obj, n)) for n in names}), {},
            OPAQUE)

    # ---- calls -------------------------------------------------------------------------------
    def instance(self, cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if not is_array_class(cls):
            return super().instance(cls, args, kwargs)
        made = self.call(cls.__new__, cls, *args, **kwargs)
        if hasattr(cls.__init__, "__code__") and self.call(isinstance, made, cls) is True:
            self.call(cls.__init__, made, *args, **kwargs)
        return made

    def call(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        picked = next((i for i, a in enumerate(args) if type(a) is Picked and issubclass(
            a.cls, ClassedArray)), None) if self.classed else None
        if picked is not None and (is_native(function) or is_of_library(function)):
            return self.each_of(args[picked], lambda o: self.call(
                function, *args[:picked], o, *args[picked + 1:], **kwargs))
        if function is super and len(args) == 2 and isinstance(args[1], ClassedArray):
            return self.super_(*args)
        if isinstance(function, (types.MethodDescriptorType, types.WrapperDescriptorType)) and (
                function.__objclass__ is np.ndarray) and args:
            if isinstance(args[0], ClassedArray):
                return self.call(getattr(ClassedArray, function.__name__), *args, **kwargs)
            return self.call_method(args[0], function.__name__, *args[1:], **kwargs)
        if self.classed and (holds_classed(args) or holds_classed(kwargs)):
            if is_of_library(function):
                return self.library_call(function, args, kwargs)
            if type(function).__module__ in WHOLE:
                raise self.fatal(classed_operand(next(
                    x.cls for x in leaves((args, kwargs)) if isinstance(x, ClassedArray))))
        return super().call(function, *args, **kwargs)

    def call_method(self, obj: Any, name: str, /, *args: Any, **kwargs: Any) -> Any:
        if name == "view" and len((*args, *kwargs)) == 1 and is_tracer(obj) and is_array_class(
                wanted := (*args, *kwargs.values())[0]):
            made = self.as_class(wanted, obj, obj)
            return made if type(obj) is ArrayTracer else obj  # a scalar stays one
        if isinstance(obj, np.ufunc) and self.classed and (
                holds_classed(args) or holds_classed(kwargs)):
            return self.call(getattr(obj, name), *args, **kwargs)
        if type(obj) is ArrayTracer:
            if self.classed and (holds_classed(args) or holds_classed(kwargs)):
                return self.by_example(getattr(np.ndarray, name), (obj, *args), kwargs,
                                       lambda own, *a, **k: self.call_method(own, name, *a, **k))
        return super().call_method(obj, name, *args, **kwargs)

    def library_call(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A function of NumPy or SciPy, or of ``math``, with instances among its arguments."""
        if isinstance(getattr(function, "__self__", function), np.ufunc):
            args, kwargs = with_outputs(function, args, kwargs)
        found = self._asked(function, args, kwargs)
        if found is not NotImplemented:
            return found
        run = functools.partial(super().call, function)
        if self.is_effect(function) or not may_probe(function):
            return run(*self.unclassed(args), **self.unclassed(kwargs))
        return self.by_example(function, args, kwargs, run)

    def by_example(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any],
                   run: Callable[..., Any], without: frozenset[str] = frozenset()) -> Any:
        """A call on the arrays themselves, by ``run``, with what NumPy does with the instances."""
        try:
            recipe, operands = self._recipe(function, args, kwargs, without)
        except Exception as failure:
            run(*self.unclassed(args), **self.unclassed(kwargs))  # raises the user's error
            raise self.fatal(_no_example(function, failure)) from None
        asked = recipe.asked()
        if len(asked) == 1 and asked[0].name != "__array_wrap__" and (
                recipe.result == asked[0].returned) and _is_passed(asked[0], args, kwargs):
            return self._delegated(asked[0], operands)
        if any(e.name != "__array_wrap__" for e in asked):
            source = source_of(function)
            if source is None:
                raise self.fatal(_not_followed(function, asked))
            return self.inline(source, args, kwargs)
        result = run(*self.unclassed(args), **self.unclassed(kwargs))
        return self._made_by_recipe(recipe, operands, result)

    def _delegated(self, event: Event, operands: list[Any]) -> Any:
        """The call of a method that the class overrides."""
        def placed(x: Any) -> Any:
            if isinstance(x, Operand):
                return operands[x.number]
            if type(x) in (tuple, list):
                return type(x)(map(placed, x))
            return {k: placed(v) for k, v in x.items()} if type(x) is dict else x

        method = self.getattr(placed(event.source), str(event.name))
        return self.call(method, *placed(event.args), **placed(event.kwargs)) if isinstance(
            method, types.MethodType) else method

    def own_method(self, obj: Any, name: str) -> Any:
        return own_method(obj, name)

    def without_asking(self, function: Any, args: Any, kwargs: Any) -> Any:
        """A function of NumPy that does not ask for ``__array_function__`` of its operands."""
        return self.by_example(function, args, kwargs, functools.partial(
            super().call, function), frozenset({"__array_function__"}))

    # ---- what NumPy does, done ---------------------------------------------------------------
    def _made_by_recipe(self, recipe: Recipe, operands: list[Any], result: Any) -> Any:
        """A result of plain arrays, with instances made of it as the recipe says."""
        arrays: dict[int, Any] = {}
        self._arrays_made(recipe.result, result, arrays)
        made: dict[int, Any] = {}

        def there(place: Any, number: int) -> Any:
            if isinstance(place, Operand):
                return operands[place.number]
            if isinstance(place, Made):
                return made[place.number]
            if type(place) is tuple:
                return tuple(there(p, number) for p in place)
            return arrays[number] if place == BASE else place

        for number, event in enumerate(recipe.events):
            held = arrays.setdefault(number, Poison(_unknown(event)))
            if event.name is None:
                made[number] = self.as_class(event.cls, held, there(event.source, number))
                continue
            if type(held) is not Poison and not (is_tracer(held) and type(held) is ArrayTracer):
                arrays[number] = self.call(np.asarray, held)
            method = self.getattr(there(event.source, number), event.name)
            given = there(event.args, number)
            made[number] = self.call(method, *(given if len(given) > 2 or _takes(
                method, len(given)) else given), **event.kwargs)
        return self._classed_result(recipe.result, result, operands, made)

    def _arrays_made(self, place: Any, result: Any, arrays: dict[int, Any]) -> None:
        """The arrays of the events that made the parts of a result."""
        if isinstance(place, Made):
            arrays[place.number] = result
        elif isinstance(place, Several) and isinstance(result, (tuple, list)) and len(
                result) == len(place.parts):
            for part, item in zip(place.parts, result, strict=True):
                self._arrays_made(part, item, arrays)

    def _classed_result(self, place: Any, result: Any, operands: list[Any], made: dict[int, Any]) -> Any:
        if isinstance(place, Operand):
            return operands[place.number]
        if isinstance(place, Made):
            return made[place.number]
        if not isinstance(place, Several):
            return result
        if not isinstance(result, (tuple, list)) or len(result) != len(place.parts):
            raise self.fatal(UnsupportedOperation(
                "a list of unknown length of arrays of a subclass",
                why="which class each of them has is needed while the code is made",
                fix="call the function with np.asarray(...) of the array"))
        parts = [self._classed_result(p, r, operands, made)
                 for p, r in zip(place.parts, result, strict=True)]
        if hasattr(result, "_fields"):
            return type(result)(*parts)
        return self.adopt(parts) if isinstance(result, list) else tuple(parts)

    def _recipe(self, function: Any, args: Any, kwargs: Any,
                without: frozenset[str]) -> tuple[Recipe, list[Any]]:
        """What a function does with instances, and its operands."""
        operands: list[Any] = []
        signature = (id(function), without, self._recipe_key((args, kwargs), operands))
        found = self.recipes.get(signature)
        if found is None:
            for sizes in (_small(self.numbers), self.numbers):
                try:
                    found = array_examples.recipe(function, functools.partial(
                        self._small_arguments, args, kwargs, _Sizes(sizes)), without)
                    break
                except Exception:
                    if sizes is self.numbers:
                        raise
            self.recipes[signature] = found
            self.journal.keep.append(function)
        return found, operands

    def _recipe_key(self, x: Any, operands: list[Any]) -> Any:
        """What the recipe of a call depends on; collects the operands."""
        if isinstance(x, (ClassedArray, np.ndarray)) or is_tracer(x):
            operands.append(x)
            if isinstance(x, np.ndarray):
                return "array", x.dtype.str, x.shape
            aval = (self.array_of(x) if isinstance(x, ClassedArray) else x).aval
            return (getattr(x, "cls", None) if isinstance(x, ClassedArray) else aval.kind,
                    str(aval.dtype), str(aval.shape))
        if isinstance(x, dict):
            return tuple((k, self._recipe_key(v, operands)) for k, v in x.items())
        if isinstance(x, (tuple, list)) and id(x) not in self.symbolic_lists:
            return (type(x), *(self._recipe_key(p, operands) for p in x))
        return repr(x)

    def _small_arguments(self, args: Any, kwargs: Any, sizes: Any, operand: Any) -> tuple[Any, Any]:
        """Small arrays and numbers like the arguments."""
        def example(x: Any) -> Any:
            if isinstance(x, ClassedArray):
                return operand(dummy(self.array_of(x).aval, sizes), x.cls)
            if type(x) is OpaqueTracer or isinstance(x, (types.FunctionType, types.MethodType)):
                raise TypeError("an argument of unknown type, or a function")
            if is_tracer(x):
                return operand(_number(x.aval) or dummy(x.aval, sizes), None)
            if isinstance(x, np.ndarray):
                return operand(x.copy(), None)
            held = self.symbolic_lists.get(id(x)) if isinstance(x, list) else None
            if held is not None:
                return dummy(self.rows_value(held).aval, sizes)
            if isinstance(x, dict):
                return {k: example(v) for k, v in x.items()}
            if isinstance(x, slice):
                return slice(example(x.start), example(x.stop), example(x.step))
            if isinstance(x, (tuple, list)):
                return type(x)(*map(example, x)) if hasattr(x, "_fields") else (
                    type(x)(map(example, x)))
            return x

        return example(args), example(kwargs)


class _Sizes(dict[Any, int]):
    """The numbers of sizes; 3 for those that only a run knows."""

    def __missing__(self, atom: Any) -> int:
        return 3


def _number(aval: Aval) -> Any:
    """A number where a run decides of which of several types it is; None for other values."""
    if aval.kind not in (Kind.NUMBER, Kind.ANY):
        return None
    return 2 if aval.dtype is not None and aval.dtype.kind in "iu" else 0.75


def _small(numbers: dict[Any, int]) -> dict[Any, int]:
    """Sizes with small ones in place of large ones; equal ones stay equal."""
    return {atom: n if n <= SMALL else SMALL - 4 + n % 4 for atom, n in numbers.items()}


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
    """Arguments of a ufunc as ``__array_ufunc__`` gets them: outputs in a tuple."""
    if isinstance(function, np.ufunc) and len(args) > function.nin:
        args, kwargs = args[:function.nin], {**kwargs, "out": args[function.nin:]}
    out = kwargs.get("out")
    if out is None and "out" in kwargs:
        kwargs = {k: v for k, v in kwargs.items() if k != "out"}
    elif out is not None and not isinstance(out, tuple):
        kwargs = {**kwargs, "out": (out,)}
    return args, kwargs


def leaves(structure: Any) -> Iterator[Any]:
    """The parts of nested tuples, lists and dicts."""
    if type(structure) in (tuple, list):
        for part in structure:
            yield from leaves(part)
    elif type(structure) is dict:
        yield from leaves(list(structure.values()))
    else:
        yield structure


def _is_passed(event: Event, args: Any, kwargs: Any) -> bool:
    """Are the arguments of an overridden method the same whatever the numbers are?"""
    given = [g for g in leaves((args, kwargs)) if not (
        is_tracer(g) or isinstance(g, (ClassedArray, np.ndarray)))]
    return all(x != BASE and isinstance(x, SAME) or any(
        type(x) is type(g) and x == g for g in given)
        for x in leaves((event.args, event.kwargs)))


def _takes(method: Any, count: int) -> bool:
    """May a method be called with so many arguments?"""
    try:
        inspect.signature(method).bind(*range(count))
    except TypeError:
        return False
    return True


def source_of(function: Any) -> Any:
    """NumPy's function in Python behind a function or method; None where it is code of C."""
    if isinstance(function, types.MethodDescriptorType):
        return getattr(methods_of_numpy, f"_{METHODS.get(function.__name__, '')}", None)
    found = inspect.unwrap(function) if callable(function) else None
    return found if isinstance(found, types.FunctionType) else None


def _named(function: Any) -> str:
    name = getattr(function, "__name__", "the function")
    owner = getattr(function, "__objclass__", None)
    return f"ndarray.{name}" if owner is np.ndarray else public_name(function)


def _no_example(function: Any, failure: Exception) -> SrcgradError:
    return UnsupportedOperation(
        f"{_named(function)} of an array of a subclass of ndarray",
        why=f"which class the result has could not be found by an example ({failure})",
        fix="call it with np.asarray(...) of the array")


def _not_followed(function: Any, asked: list[Event]) -> SrcgradError:
    names = ", ".join(sorted({f"{e.cls.__name__}.{e.name}" for e in asked}))
    return UnsupportedOperation(
        f"{_named(function)} of an array whose class overrides what it calls ({names})",
        why="the call happens in code of C, with numbers that are not known while compiling",
        fix="call it with np.asarray(...) of the array, or write the formula with ufuncs")


def _unknown(event: Event) -> SrcgradError:
    return UnsupportedOperation(
        f"the numbers of an intermediate {event.cls.__name__} that NumPy makes are used in its "
        f"{event.name or '__array_finalize__'}",
        why="NumPy has made it inside of a function, whose steps are not traced",
        fix="let the method look at attributes only, or call the function with np.asarray(...)")
