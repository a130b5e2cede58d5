"""Dataclasses that are quickly made: the standard ones, with methods that are shared or closures.

The standard library writes and compiles a text for each method of each class, a third of what
importing srcgrad took, and instances of frozen classes take three times as long to make.  Here
only ``__init__`` is made so, once for all classes with as many fields, and that nothing assigns to
a field of a ``frozen`` class is for the type checker to say, which takes these for standard ones.
"""

from __future__ import annotations

import dataclasses
import operator
import reprlib
import sys
from collections.abc import Callable
from dataclasses import MISSING, field, fields, replace
from functools import cache
from types import CellType, CodeType, FunctionType
from typing import TYPE_CHECKING, Any

_LEFT: Any = dataclasses._HAS_DEFAULT_FACTORY  # type: ignore[attr-defined]  # out of a call

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
        cls.__doc__ = cls.__doc__ or cls.__name__  # else it is made of a signature, which is slow
        made = dataclasses.dataclass(cls, init=False, slots=slots, repr=False, eq=False)
        methods: dict[str, Any] = {"__init__": _init(made, slots),
                                   "__repr__": _shown([f.name for f in fields(made) if f.repr])}
        if eq:
            key = _key([f.name for f in fields(made) if f.compare])
            methods["__eq__"] = lambda self, other: key(self) == key(other) if (
                other.__class__ is self.__class__) else NotImplemented
            methods["__hash__"] = (lambda self: hash(key(self))) if frozen else None
        for name in methods.keys() - own:
            setattr(made, name, methods[name])
        made.__srcgrad_frozen__ = frozen  # in its parameters it would bind derived classes
        return made


def _init(made: Any, slots: bool) -> FunctionType:
    """``__init__`` of a class: the code of all with such fields, with its names."""
    parts, kinds, defaults = fields(made), [], []
    keywords: dict[str, Any] = {}
    known: dict[str, Any] = {"LEFT": _LEFT}
    for i, f in enumerate(parts):
        given = f.default if f.default_factory is MISSING else _LEFT
        known[f"make{i}"] = f.default_factory if given is _LEFT else given
        kinds.append((f.init, f.kw_only, "()" if given is _LEFT else (
            "" if slots and not f.init and given is not MISSING else None)))
        if f.init and given is not MISSING:
            if f.kw_only:
                keywords[f.name] = given
            else:
                defaults.append(given)
    code = _assigning(tuple(kinds), hasattr(made, "__post_init__"))
    names = {f"field{i}": f.name for i, f in enumerate(parts)}
    code = code.replace(co_names=tuple([names.get(n, n) for n in code.co_names]),
                        co_varnames=tuple([names.get(n, n) for n in code.co_varnames]))
    around = getattr(sys.modules.get(made.__module__), "__dict__", {})
    found = FunctionType(code, around, "__init__", tuple(defaults),
                         tuple([CellType(known[n]) for n in code.co_freevars]))
    found.__kwdefaults__, found.__qualname__ = keywords, f"{made.__qualname__}.__init__"
    found.__annotations__ = {f.name: f.type for f in parts if f.init} | {"return": None}
    return found


@cache
def _assigning(kinds: tuple[tuple[bool, bool, str | None], ...], followed: bool) -> CodeType:
    """The code of an ``__init__`` for fields of which is known whether it takes them, by keyword
    only, and whether it makes what it is not given, with a call; ``followed`` by
    ``__post_init__``."""
    takes = [[f"field{i}" for i, (given, keyword, _) in enumerate(kinds)
              if given and keyword is by_keyword] for by_keyword in (False, True)]
    head = ", ".join(["self", *takes[0], *["*"][:len(takes[1])], *takes[1]])
    lines = [f"self.field{i} = " + (f"field{i}" if call is None else f"make{i}{call}" + (
        f" if field{i} is LEFT else field{i}" if given else ""))
        for i, (given, _, call) in enumerate(kinds) if given or call is not None]
    lines += ["self.__post_init__()"][:followed] or ["pass"]
    around = ", ".join(["LEFT", *[f"make{i}" for i in range(len(kinds))]])
    made: dict[str, Any] = {}
    exec(f"def around({around}):\n def __init__({head}):\n  " + "\n  ".join(lines)
         + "\n return __init__", made)
    code: CodeType = made["around"](*[None] * (len(kinds) + 1)).__code__
    return code


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
