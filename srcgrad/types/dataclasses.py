"""Dataclasses that are quickly made: the standard ones, with methods that are shared or closures.

The standard library writes and compiles a text for each method of each class, a third of what
importing srcgrad took, and instances of frozen classes take three times as long to make.  Here
only ``__init__`` is made so, and that nothing assigns to a field of a ``frozen`` class is for the
type checker to say, which takes these for standard ones.
"""

from __future__ import annotations

import dataclasses
import operator
import reprlib
from collections.abc import Callable
from dataclasses import field, fields, replace
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass", "field", "is_frozen", "replace"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    def dataclass(cls: Any = None, /, *, frozen: bool = False, slots: bool = False,
                  eq: bool = True) -> Any:
        """The standard decorator.

        >>> @dataclass(frozen=True)
        ... class Point:
        ...     x: int
        ...     y: int = 0
        >>> Point(1), Point(1) == Point(1, 0), len({Point(1), Point(1), Point(2)})
        (Point(x=1, y=0), True, 2)
        """
        if cls is None:
            return lambda cls: dataclass(cls, frozen=frozen, slots=slots, eq=eq)
        own = {name for name, value in vars(cls).items() if value is not None}
        made = dataclasses.dataclass(cls, slots=slots, repr=False, eq=False)
        methods: dict[str, Any] = {"__repr__": _shown([f.name for f in fields(made) if f.repr])}
        if eq:
            key = _key([f.name for f in fields(made) if f.compare])
            methods["__eq__"] = lambda self, other: key(self) == key(other) if (
                other.__class__ is self.__class__) else NotImplemented
            methods["__hash__"] = (lambda self: hash(key(self))) if frozen else None
        for name in methods.keys() - own:
            setattr(made, name, methods[name])
        made.__srcgrad_frozen__ = frozen  # in its parameters it would bind derived classes
        return made


def is_frozen(cls: type) -> bool:
    """Is it a frozen dataclass, a standard one or one of these?

    >>> is_frozen(dataclass(frozen=True)(type("Point", (), {}))), is_frozen(int)
    (True, False)
    """
    standard = getattr(getattr(cls, "__dataclass_params__", None), "frozen", False)
    return standard or getattr(cls, "__srcgrad_frozen__", False)


def _key(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """What instances are compared by."""
    if not names:
        return lambda self: ()
    get = operator.attrgetter(*names)
    return get if names[1:] else lambda self: (get(self),)


def _shown(names: list[str]) -> Callable[[Any], str]:
    """What shows instances with these fields."""
    @reprlib.recursive_repr()
    def shown(self: Any) -> str:
        parts = ", ".join([f"{name}={getattr(self, name)!r}" for name in names])
        return f"{type(self).__qualname__}({parts})"

    return shown
