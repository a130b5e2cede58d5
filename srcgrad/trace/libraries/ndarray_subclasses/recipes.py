"""What NumPy does with instances of the user's classes that derive from ndarray, done on traced
arrays by the recipe that an example gives (:mod:`.array_examples`)."""

from __future__ import annotations

import functools
import importlib
import inspect
import types
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ....errors import SrcgradError, UnsupportedOperation
from ....graph.probing import dummy
from ....types.kinds import Aval, Kind
from ....types.public_names import public_name
from ...calls.refused import endless_container
from ...collaborator import Collaborator
from ...record.tracers import ArrayTracer, ClassedArray, OpaqueTracer, Poison, is_tracer
from . import examples as array_examples
from .examples import BASE, Event, Made, Operand, Recipe, Several

if TYPE_CHECKING:
    from ... import dispatch as parts

SMALL = 9  # the greatest size of an example, where that will do
SAME = (type(None), bool, str, type, np.dtype, np.ufunc, type(Ellipsis), type(np._NoValue), Operand)
methods_of_numpy: Any = importlib.import_module("numpy._core._methods")
METHODS = {"mean": "mean", "var": "var", "std": "std", "sum": "sum", "prod": "prod", "max": "amax",
           "min": "amin", "any": "any", "all": "all", "clip": "clip", "ptp": "ptp"}


class ArrayRecipes(Collaborator):
    """Calls with such instances."""

    array_classes: parts.ArrayClasses
    calls: parts.Calls
    recorder: parts.Recorder
    sources: parts.Sources

    def __init__(self) -> None:
        self.recipes: dict[Any, Recipe] = {}

    def by_example(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any],
                   run: Callable[..., Any], without: frozenset[str] = frozenset()) -> Any:
        """A call on the arrays themselves, by ``run``, with what NumPy does with the instances."""
        try:
            recipe, operands = self._recipe(function, args, kwargs, without)
        except Exception as failure:
            # raises the user's error
            run(*self.array_classes.unclassed(args), **self.array_classes.unclassed(kwargs))
            raise self.recorder.fatal(_no_example(function, failure)) from None
        asked = recipe.asked()
        if len(asked) == 1 and asked[0].name != "__array_wrap__" and (
                recipe.result == asked[0].returned) and _is_passed(asked[0], args, kwargs):
            return self._delegated(asked[0], operands)
        if any(e.name != "__array_wrap__" for e in asked):
            source = source_of(function)
            if source is None:
                raise self.recorder.fatal(_not_followed(function, asked))
            return self.calls.inline(source, args, kwargs)
        result = run(*self.array_classes.unclassed(args), **self.array_classes.unclassed(kwargs))
        return self._made_by_recipe(recipe, operands, result)

    def _delegated(self, event: Event, operands: list[Any]) -> Any:
        """The call of a method that the class overrides."""
        def placed(x: Any) -> Any:
            if isinstance(x, Operand):
                return operands[x.number]
            if type(x) in (tuple, list):
                return type(x)(map(placed, x))
            return {k: placed(v) for k, v in x.items()} if type(x) is dict else x

        method = self.machine.getattr(placed(event.source), str(event.name))
        return self.machine.call(method, *placed(event.args), **placed(event.kwargs)) if isinstance(
            method, types.MethodType) else method

    def without_asking(self, function: Any, args: Any, kwargs: Any) -> Any:
        """A function of NumPy that does not ask for ``__array_function__`` of its operands."""
        return self.by_example(function, args, kwargs, functools.partial(
            self.machine.call, function), frozenset({"__array_function__"}))

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
            if place == BASE:
                held = arrays[number]
                return self.array_classes.unseen(held) if type(held) is Poison else held
            return place

        for number, event in enumerate(recipe.events):
            held = arrays.setdefault(number, Poison(_unknown(event)))
            if event.again is not None:
                self.array_classes.finalize(there(event.again, number), there(event.source, number))
                continue
            if event.name is None:
                made[number] = self.array_classes.as_class(event.cls, held,
                                                           there(event.source, number))
                continue
            if type(held) not in (ArrayTracer, Poison):
                arrays[number] = self.machine.call(np.asarray, held)
            method = self.machine.getattr(there(event.source, number), event.name)
            given = there(event.args, number)
            given = given if _takes(method, len(given)) else given[:2]  # no ``return_scalar``
            made[number] = self.machine.call(method, *given, **event.kwargs)
        return self._classed_result(recipe.result, result, operands, made)

    def _arrays_made(self, place: Any, result: Any, arrays: dict[int, Any]) -> None:
        """The arrays of the events that made the parts of a result."""
        if isinstance(place, Made):
            arrays[place.number] = result
        elif isinstance(place, Several) and isinstance(result, (tuple, list)) and len(
                result) == len(place.parts):
            for part, item in zip(place.parts, result, strict=True):
                self._arrays_made(part, item, arrays)

    def _classed_result(self, place: Any, result: Any, operands: list[Any],
                        made: dict[int, Any]) -> Any:
        if isinstance(place, Operand):
            return operands[place.number]
        if isinstance(place, Made):
            return made[place.number]
        if not isinstance(place, Several):
            return result
        if not isinstance(result, (tuple, list)) or len(result) != len(place.parts):
            raise self.recorder.fatal(UnsupportedOperation(
                "a list of unknown length of arrays of a subclass",
                why="which class each of them has is needed while the code is made",
                fix="call the function with np.asarray(...) of the array"))
        parts = [self._classed_result(p, r, operands, made)
                 for p, r in zip(place.parts, result, strict=True)]
        if hasattr(result, "_fields"):
            return type(result)(*parts)
        return self.calls.adopt(parts) if isinstance(result, list) else tuple(parts)

    def _recipe(self, function: Any, args: Any, kwargs: Any,
                without: frozenset[str]) -> tuple[Recipe, list[Any]]:
        """What a function does with instances, and its operands."""
        operands: list[Any] = []
        signature = (id(function), without, self._recipe_key((args, kwargs), operands))
        if signature not in self.recipes:
            self.recipes[signature] = self._found_recipe(function, args, kwargs, without)
            self.journal.keep.append(function)
        return self.recipes[signature], operands

    def _found_recipe(self, function: Any, args: Any, kwargs: Any,
                      without: frozenset[str]) -> Recipe:
        """By small arrays; by arrays of the sizes of this call where these do not fit."""
        for sizes in (_small(self.sources.numbers), self.sources.numbers):
            examples = functools.partial(self._small_arguments, args, kwargs, _Sizes(sizes))
            try:
                return array_examples.recipe(function, examples, without)
            except Exception:
                if sizes is self.sources.numbers:
                    raise
        raise AssertionError

    def _recipe_key(self, x: Any, operands: list[Any]) -> Any:
        """What the recipe of a call depends on; collects the operands."""
        if isinstance(x, (ClassedArray, np.ndarray)) or is_tracer(x):
            operands.append(x)
            if isinstance(x, np.ndarray):
                return "array", x.dtype.str, x.shape
            aval = (self.array_classes.array_of(x) if isinstance(x, ClassedArray) else x).aval
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
                return operand(dummy(self.array_classes.array_of(x).aval, sizes), x.cls)
            if type(x) is OpaqueTracer or isinstance(x, (types.FunctionType, types.MethodType)):
                raise TypeError("an argument of unknown type, or a function")
            if is_tracer(x):
                return operand(_number(x.aval) or dummy(x.aval, sizes), None)
            if isinstance(x, np.ndarray):
                return operand(x.copy(), None)
            held = self.symbolic_lists.get(id(x)) if isinstance(x, list) else None
            if held is not None:
                return dummy(self.recorder.rows_value(held).aval, sizes)
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


def leaves(structure: Any, above: frozenset[int] = frozenset()) -> Iterator[Any]:
    """The parts of nested tuples, lists and dicts; refuses one that is a part of itself."""
    if type(structure) not in (tuple, list, dict):
        yield structure
        return
    if id(structure) in above:
        raise endless_container(structure)
    above = above | {id(structure)}
    for part in structure.values() if type(structure) is dict else structure:
        yield from leaves(part, above)


def _is_passed(event: Event, args: Any, kwargs: Any) -> bool:
    """Are the arguments of an overridden method the same whatever the numbers are?"""
    given = [g for g in leaves((args, kwargs)) if not (
        is_tracer(g) or isinstance(g, (ClassedArray, np.ndarray)))]
    return all((x != BASE and isinstance(x, SAME)) or any(
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
