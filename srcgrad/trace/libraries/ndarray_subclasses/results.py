"""What NumPy makes of instances of classes that derive from ndarray, asked of NumPy itself.

Which class a result has, and of which array NumPy makes it (the argument of
``__array_finalize__``), is not written down for each function: the function is called with arrays
of classes that mirror the user's and record what NumPy makes.  Then it is called with the traced
arrays themselves, and instances are made of the results in the same order.
"""

from __future__ import annotations

import importlib
import inspect
import types
import warnings
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np

from ....errors import UnsupportedOperation
from ....graph.probing import dummy
from ....types.kinds import Kind
from ....types.public_names import public_name
from ....types.structure import mapped
from ...collaborator import Args, Collaborator, Kwargs
from ...record.tracers import ClassedArray, OpaqueTracer, Poison, Tracer, is_tracer

ASKED = vars(np.ndarray).keys() - {"__new__", "__doc__", "__array_finalize__", "__class_getitem__"}
LEAVES = (ClassedArray, Tracer, np.ndarray, list, types.FunctionType, types.MethodType)
methods_of_numpy: Any = importlib.import_module("numpy._core._methods")


class Example:
    """One call with arrays of numbers of ours, and what it has shown.  What an array is says its
    attribute ``what``: an operand, or the number of what was made."""

    def __init__(self) -> None:
        self.made: list[tuple[int, Any, Any]] = []  # number, class, and of what
        self.asked = ""  # an overridden member that NumPy would have used
        self.wrapped: Any = None  # of what an ``__array_wrap__`` was called, and with what
        self.mirrors: dict[type, Any] = {np.ndarray: type("ndarray", (np.ndarray,), {
            "__array_finalize__": lambda made, source: self._finalized(made, source)})}

    def _finalized(self, made: Any, source: Any) -> None:
        if not hasattr(made, "what"):  # NumPy finalizes some results twice
            made.what = len(self.made)
        self.made.append((made.what, made.cls, source if source is None else getattr(
            source, "what", Poison)))
        if isinstance(made, np.matrix):
            count = len(self.made)
            np.matrix.__array_finalize__(made, None)
            del self.made[count:]  # what it makes to set the shape

    def mirror(self, cls: Any) -> Any:
        """The recording class for a class of the user's."""
        if cls not in self.mirrors:
            above = next(k for k in cls.__mro__[1:] if issubclass(k, np.ndarray))
            asked = (np.matrix,) if cls is np.matrix else ()  # functions ask for this class
            self.mirrors[cls] = type(cls.__name__, (self.mirror(above), *asked), {"cls": cls, **{
                name: self._member(f"{k.__name__}.{name}", name, given)
                for k in reversed(cls.__mro__) if k not in np.ndarray.__mro__
                for name, given in vars(k).items() if name in ASKED}})
        return self.mirrors[cls]

    def _member(self, label: str, name: str, given: Any) -> Any:
        """What stands for a member of ndarray that a class overrides."""
        def wrap(obj: Any, array: Any, *rest: Any) -> Any:
            self.wrapped = label, obj.what, rest
            return np.ndarray.__array_wrap__(obj, array)

        def asked(*_: Any, **__: Any) -> Any:
            self.asked = label
            raise TypeError(f"{label} is not called by an example")

        if name == "__array_priority__" or given is None:
            return given
        return wrap if name == "__array_wrap__" else asked if callable(given) else property(asked)


class _Asks(np.ndarray):
    """An array that answers with the call of a ufunc that an operator makes."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return ufunc, inputs, kwargs


class ArrayResults(Collaborator):
    """Results of calls with such instances."""

    speaks_to = ("array_classes", "calls", "recorder", "sources")

    def of(self, function: Any, args: Args, kwargs: Kwargs, run: Callable[..., Any]) -> Any:
        """A call, by ``run`` on plain arrays, with what NumPy does with the instances."""
        plain = self.array_classes.unclassed((args, kwargs))
        example = Example()
        try:
            given = self._like((args, kwargs), example)
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                example.made.clear()
                shown = function(*given[0], **given[1])
            for part in shown if isinstance(shown, (tuple, list)) else (shown,):
                if isinstance(part, types.BuiltinMethodType | types.MethodType):
                    example.asked = f"ndarray.{part.__name__}"
        except Exception as failure:
            if not example.asked:
                run(*plain[0], **plain[1])  # raises the user's error
                raise self.recorder.fatal(refusal(function, (
                    f"which class the result has could not be found by an example ({failure})"
                ))) from None
        of_ufunc = isinstance(getattr(function, "__self__", function), np.ufunc)
        if example.wrapped and not (of_ufunc and isinstance(example.wrapped[1], ClassedArray)):
            example.asked = example.wrapped[0]
        if not example.asked:
            result = run(*plain[0], **plain[1])
            if example.wrapped:
                return self._wrapped(function, args, kwargs, example.wrapped, result)
            return self._made(function, example, shown, result)
        if (source := _source_of(function)) is not None:
            return self.calls.inline(source, args, kwargs)
        raise self.recorder.fatal(refusal(function, (
            f"NumPy's code of C calls {example.asked}, which the class overrides, with numbers "
            "that are not known while compiling")))

    def of_operator(self, name: str, operands: tuple[Any, ...]) -> Any:
        """An operator as the call of a ufunc that it is: ``np.square`` for ``x**2``."""
        array = self.array_classes.array_of(operands[0]).aval
        small = [np.ones((1,) * array.ndim, array.dtype).view(_Asks), *(
            x if isinstance(x, (int, float, complex)) else 3 if is_tracer(x) and (
                x.aval.kind is Kind.INT) else 0.75 for x in operands[1:])]
        ufunc, inputs, kwargs = getattr(np.ndarray, name)(*small)
        given = [operands[[s is x for s in small].index(True)] for x in inputs]
        return self.machine.call(ufunc, *given, **{**kwargs, "out": operands[:1]} if (
            "out" in kwargs) else kwargs)

    def _like(self, structure: Any, example: Example) -> Any:
        """Arrays and numbers like the arguments; sizes that only a run knows are 3."""
        sizes = defaultdict(lambda: 3, self.sources.numbers)

        def like(x: Any) -> Any:
            if isinstance(x, ClassedArray):
                array = dummy(self.array_classes.array_of(x).aval, sizes, definite=True)
                made = np.ndarray.view(array, example.mirror(x.cls))
                made.what = x
                return made
            if isinstance(x, list):
                held = self.symbolic_lists.get(id(x))
                return [mapped(v, LEAVES, like) for v in x] if held is None else dummy(
                    self.recorder.rows_value(held).aval, sizes)
            if type(x) is OpaqueTracer or isinstance(x, (types.FunctionType, types.MethodType)):
                raise TypeError("an argument of unknown type, or a function")
            return x.copy() if not is_tracer(x) else 0.75 if x.aval.kind in (
                Kind.NUMBER, Kind.ANY) else dummy(x.aval, sizes)

        return mapped(structure, LEAVES, like)

    def _wrapped(self, function: Any, args: Any, kwargs: Any, wrapped: Any, result: Any) -> Any:
        """What the ``__array_wrap__`` of an instance makes of the results of a ufunc."""
        method = self.machine.getattr(wrapped[1], "__array_wrap__")
        out = kwargs.get("out") or ()
        out = out if isinstance(out, tuple) else (out,)
        context = (function, (*args, *out)) if isinstance(function, np.ufunc) else None
        found = []
        for i, array in enumerate(out or (result if type(result) is tuple else (result,))):
            given = (self.machine.call(np.asanyarray, array), context and (*context, i),
                     *wrapped[2][1:])
            try:
                inspect.signature(method).bind(*given)
            except TypeError:  # it does not know of ``return_scalar``
                given = given[:2]
            found.append(self.machine.call(method, *given))
        return tuple(found) if isinstance(result, tuple) else found[0]

    def _made(self, function: Any, example: Example, shown: Any, result: Any) -> Any:
        """A result of plain arrays, with instances made of it as the example has shown."""
        several = isinstance(shown, (tuple, list)) and isinstance(result, (tuple, list))
        parts, found = (shown, list(result)) if several else ((shown,), [result])
        if len(parts) != len(found) or any(isinstance(p, (tuple, list)) for p in parts):
            if not example.made:
                return result
            raise self.recorder.fatal(refusal(
                function, "which arrays it gives is not known while compiling"))
        places = [getattr(p, "what", None) for p in parts]
        arrays = {p: f for p, f in zip(places, found, strict=True) if type(p) is int}
        made: dict[int, Any] = {}
        for number, cls, place in example.made:
            unknown = Poison(refusal(function, f"the numbers of a {cls.__name__} that only NumPy "
                                                "has seen are used in its __array_finalize__"))
            source = self.array_classes.bare(np.ndarray, unknown) if place is Poison else (
                made[place] if type(place) is int else place)
            if number not in made:
                made[number] = self.array_classes.bare(cls, arrays.get(number, unknown))
            self.array_classes.finalize(made[number], source)
        classed = [made[p] if type(p) is int else f if p is None else p
                   for p, f in zip(places, found, strict=True)]
        if not several or all(a is b for a, b in zip(classed, found, strict=True)):
            return result if several else classed[0]
        if hasattr(result, "_fields"):
            return type(result)(*classed)
        return self.calls.adopt(classed) if isinstance(result, list) else tuple(classed)


def _source_of(function: Any) -> Any:
    """NumPy's function in Python behind a function or method; None where it is code of C."""
    if isinstance(function, types.MethodDescriptorType):
        name = {"max": "amax", "min": "amin"}.get(function.__name__, function.__name__)
        return getattr(methods_of_numpy, f"_{name}", None)
    found = inspect.unwrap(function) if callable(function) else None
    return found if isinstance(found, types.FunctionType) else None


def refusal(function: Any, why: str) -> UnsupportedOperation:
    """The refusal of a call with instances."""
    owner = getattr(function, "__objclass__", None)
    named = f"ndarray.{function.__name__}" if owner is np.ndarray else public_name(function)
    return UnsupportedOperation(
        f"{named} of an array of a subclass of ndarray", why=why,
        fix="call it with np.asarray(...) of the array, or write the formula with ufuncs")
