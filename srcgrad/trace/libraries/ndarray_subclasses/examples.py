"""What NumPy does with instances of a subclass of ndarray, found by example.

Which class a result has, and of which array NumPy makes it (the argument of
``__array_finalize__``), is not written down for each function: the function is run on tiny arrays
of classes that record what is asked of them.  They mirror the user's classes: a method that these
override is recorded too, and not run.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

# what a class may define without a function of NumPy ever calling it for what it computes
UNASKED = frozenset({
    "__new__", "__init__", "__doc__", "__array_finalize__", "__repr__", "__str__", "__format__",
    "__reduce__", "__reduce_ex__", "__setstate__", "__hash__", "__init_subclass__",
    "__class_getitem__", "__getattribute__", "__setattr__", "__delattr__", "__dir__",
    "__sizeof__", "__subclasshook__", "__class__", "__array_priority__", "__getstate__"})


Operands = Callable[[Any, Any], Any]


@dataclass(frozen=True, slots=True)
class Operand:
    """An argument that is an array, by its number."""

    number: int


@dataclass(frozen=True, slots=True)
class Made:
    """What an event has made, by the number of the event."""

    number: int


@dataclass(frozen=True, slots=True)
class Several:
    """A tuple or list of results."""

    parts: tuple[Any, ...]


class Number(int):
    """An integer that is one object, unlike small ones of Python."""


NUMBERS = (Number, float, complex, np.generic)
BASE = "an array of NumPy's own class"  # that only NumPy has seen
AS_IT_IS = "no instance of a subclass"


@dataclass(slots=True)
class Event:
    """NumPy made an instance of ``cls`` from ``source`` (``name`` is None), or called a method
    that the class overrides on ``source``."""

    cls: Any
    source: Any
    name: str | None = None
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    returned: Any = None  # by the method
    again: Made | None = None  # the instance was made by an earlier event


@dataclass(slots=True)
class Recipe:
    """What a call does: its events in order, and of which of them the result is."""

    events: list[Event]
    result: Any

    def asked(self) -> list[Event]:
        """The calls of methods that a class overrides."""
        return [e for e in self.events if e.name is not None]


class _Record:
    """The events of one run."""

    def __init__(self, without: frozenset[str]) -> None:
        self.without = without
        self.known: list[tuple[Any, Any]] = []  # arrays, and what they are; kept alive
        self.events: list[Event] = []
        self.hidden = 0
        self.classes: dict[type, type] = {}
        self.root = type("ndarray", (np.ndarray,), {"__array_finalize__": self._finalize()})

    def place(self, obj: Any) -> Any:
        """What an array is."""
        for known, what in self.known:
            if known is obj:
                return what
        return None if obj is None else BASE

    def _finalize(self) -> Any:
        record = self

        def __array_finalize__(self: Any, obj: Any) -> None:
            if record.hidden:
                return
            before = record.place(self)  # NumPy calls it once more for some results
            again = before if type(before) is Made else None
            record.events.append(Event(type(self).stands_for, record.place(obj), again=again))
            if again is None:
                record.known.append((self, Made(len(record.events) - 1)))

        return __array_finalize__

    def mirror(self, cls: type) -> type:
        """The recording class for a class of the user's."""
        if cls not in self.classes:
            bases = tuple(self.mirror(b) for b in cls.__bases__
                          if issubclass(b, np.ndarray) and b is not np.ndarray)
            namespace: dict[str, Any] = {"stands_for": cls}
            for owner in reversed([k for k in cls.__mro__ if k is cls or not any(
                    k in b.__mro__ for b in cls.__bases__ if issubclass(b, np.ndarray))]):
                namespace.update({n: self._member(n, v) for n, v in vars(owner).items()
                                  if hasattr(np.ndarray, n) and n not in self.without and (
                                      n not in UNASKED or n == "__array_priority__")})
            self.classes[cls] = type(cls.__name__, bases or (self.root,), namespace)
        return self.classes[cls]

    def _member(self, name: str, given: Any) -> Any:
        if name == "__array_priority__" or given is None:
            return given
        if not callable(given):
            return property(lambda obj: self._asked(obj, name, (), {}, getattr(np.ndarray, name)
                                                    .__get__))

        def method(obj: Any, *args: Any, **kwargs: Any) -> Any:
            native = _plain_ufunc if name == "__array_ufunc__" else getattr(np.ndarray, name)
            return self._asked(obj, name, args, kwargs, native)

        return method

    def _asked(self, obj: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any],
               native: Callable[..., Any]) -> Any:
        """A method that is overridden: recorded, and what NumPy's own would give returned."""
        if self.hidden:
            return native(obj, *args, **kwargs)
        self.events.append(Event(type(obj).stands_for, self.place(obj), name,
                                 self.places(args), self.places(kwargs)))
        number = len(self.events) - 1
        self.hidden += 1
        try:
            found = native(obj, *args, **kwargs)
        finally:
            self.hidden -= 1
        if found is not NotImplemented and self.place(found) == BASE:
            self.known.append((found, Made(number)))
        self.events[number].returned = self.place(found)
        return found

    def places(self, structure: Any) -> Any:
        """Arguments with what they are for arrays."""
        if isinstance(structure, (np.ndarray, *NUMBERS)):
            found = self.place(structure)
            return found if found != BASE or isinstance(structure, np.ndarray) else structure
        if type(structure) in (tuple, list):
            return type(structure)(self.places(s) for s in structure)
        if type(structure) is dict:
            return {k: self.places(v) for k, v in structure.items()}
        return structure

    def described(self, result: Any) -> Any:
        """Which parts of a result are instances of subclasses, and where they come from."""
        found = self.place(result)
        if isinstance(result, self.root) or type(found) is Made:
            return found
        if isinstance(result, (tuple, list)):
            parts = tuple(map(self.described, result))
            return AS_IT_IS if all(p == AS_IT_IS for p in parts) else Several(parts)
        return AS_IT_IS


def _plain_ufunc(obj: Any, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """What a ufunc gives for arrays of a subclass whose override only passes them on."""
    def plain(x: Any) -> Any:
        return np.ndarray.view(x, np.ndarray) if isinstance(x, np.ndarray) else x

    out = kwargs.get("out")
    if out is not None:
        kwargs = {**kwargs, "out": tuple(map(plain, out))}
    found = getattr(ufunc, method)(*map(plain, inputs), **kwargs)
    if out is not None:
        return out[0] if len(out) == 1 else out
    parts = found if isinstance(found, tuple) else (found,)
    made = tuple(np.asarray(p).view(type(obj)) for p in parts)
    return made if isinstance(found, tuple) else made[0]


def recipe(fn: Callable[..., Any], examples: Callable[[Operands], Any],
           without: frozenset[str]) -> Recipe:
    """What ``fn`` does; ``examples`` gives the arguments, each array of which it hands to a
    function together with the user's class of it (None for NumPy's own).  Overridden methods of
    the names ``without`` are not asked."""
    record = _Record(without)
    count = 0

    def operand(array: Any, cls: type | None) -> Any:
        nonlocal count
        record.hidden += 1
        made = array if cls is None else array.view(record.mirror(cls))
        record.hidden -= 1
        if type(made) in (int, float, complex):  # an object of its own, which is known again
            made = Number(made) if type(made) is int else made + 0.0
        if isinstance(made, (np.ndarray, *NUMBERS)):
            record.known.append((made, Operand(count)))
        count += 1
        return made

    args, kwargs = examples(operand)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        result = fn(*args, **kwargs)
    return Recipe(record.events, record.described(result))


def overridden(cls: type) -> frozenset[str]:
    """The names of ndarray that a class of the user's, or a base of it, defines anew."""
    owners = [k for k in cls.__mro__ if k not in (np.ndarray, object)]
    return frozenset(n for k in owners for n in vars(k)
                     if hasattr(np.ndarray, n) and n not in UNASKED)
