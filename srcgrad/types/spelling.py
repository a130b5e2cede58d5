"""How a user spelled an operation: as a method, an attribute, an operator or a function.

The forward part of generated code repeats the user's spelling (``x.sum()`` and ``np.sum(x)``
take different paths through NumPy), while derivative rules are declared once on the NumPy
function.  These small callables are the spelled forms; they know nothing of any engine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Method:
    """Call of a method: ``Method("sum")(x, axis=0)`` is ``x.sum(axis=0)``."""

    name: str

    def __call__(self, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        return getattr(obj, self.name)(*args, **kwargs)


@dataclass(frozen=True, slots=True)
class Attribute:
    """Read of an attribute: ``Attribute("T")(x)`` is ``x.T``."""

    name: str

    def __call__(self, obj: Any, /) -> Any:
        return getattr(obj, self.name)


@dataclass(frozen=True, slots=True)
class Part:
    """One item of what a function returns: ``Part(np.split, 1)(x, 3)`` is ``np.split(x, 3)[1]``."""

    fn: Callable[..., Any]
    index: int

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.fn(*args, **kwargs)[self.index]


@dataclass(frozen=True, slots=True)
class At:
    """A function whose argument of interest is not the first one:
    ``At(np.einsum, 1)(x, "ii->i")`` is ``np.einsum("ii->i", x)``."""

    fn: Callable[..., Any]
    place: int

    def order(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments as ``fn`` takes them."""
        first, *rest = args
        return (*rest[:self.place], first, *rest[self.place:])

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.fn(*self.order(args), **kwargs)


def place_of_least(items: list[Any]) -> int:
    """``min(range(len(items)), key=items.__getitem__)``: where ``min`` finds what it returns."""
    return min(range(len(items)), key=items.__getitem__)


def place_of_greatest(items: list[Any]) -> int:
    """``max(range(len(items)), key=items.__getitem__)``."""
    return max(range(len(items)), key=items.__getitem__)


PLACES: dict[Callable[..., Any], str] = {place_of_least: "min", place_of_greatest: "max"}


def sums(first: list[Any], second: list[Any]) -> list[Any]:
    """``[a + b for a, b in zip(first, second)]``."""
    return [a + b for a, b in zip(first, second, strict=False)]


_CONVERSIONS: dict[str, Callable[[Any], str]] = {"r": repr, "s": str, "a": ascii}


def format_value(value: Any, conversion: str, spec: str) -> str:
    """One field of an f-string."""
    if conversion:
        value = _CONVERSIONS[conversion](value)
    return format(value, spec)


def join_parts(*parts: Any) -> str:
    """The f-string made of its parts."""
    return "".join(parts)


def raise_exception(cls: type[BaseException] | BaseException, *args: Any, **kwargs: Any) -> None:
    """``raise cls(*args, **kwargs)`` as a function; an exception that was caught is raised
    again."""
    raise cls(*args, **kwargs) if isinstance(cls, type) else cls


def raise_from(cause: BaseException | None, cls: type[BaseException] | BaseException,
               *args: Any, **kwargs: Any) -> None:
    """``raise cls(*args, **kwargs) from cause`` as a function."""
    raise (cls(*args, **kwargs) if isinstance(cls, type) else cls) from cause


def unbound_message(name: str) -> str:
    """What plain Python says of a variable that holds nothing."""
    return f"cannot access local variable '{name}' where it is not associated with a value"


def require_bound(value: Any, name: str) -> None:
    """The error of plain Python where the variable ``name`` holds nothing: None stands for it.

    >>> require_bound(2.5, "v")
    >>> require_bound(None, "v")
    Traceback (most recent call last):
    ...
    UnboundLocalError: cannot access local variable 'v' where it is not associated with a value
    """
    if value is None:
        raise UnboundLocalError(unbound_message(name))


def begin_guarded() -> None:
    """Marks where the statements of a ``try`` begin whose ``finally`` part does something that
    can be seen outside."""


def begin_cleanup() -> None:
    """Marks where they end: what follows, up to :func:`end_cleanup`, runs only if one of them
    raised, before the exception goes on."""


def end_cleanup() -> None:
    """Marks the end of what runs if a statement raised."""
