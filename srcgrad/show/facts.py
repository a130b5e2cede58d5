"""Guards in words, and as Python conditions."""

from __future__ import annotations

import enum
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..cache.dispatch import size_text
from ..errors import Where
from ..graph.generic import name_of
from ..stage.machine import UNBOUND
from ..types.dims import Atom
from ..types.guards import FACTS, Guard, Held, Path
from ..types.operators import COMPARE
from ..types.subclasses import special_members

_WRITABLE = (bool, int, float, complex, str, bytes, type(None))


def in_words(guard: Guard) -> str:
    """What a guard states, for a reader.

    >>> in_words(Guard("length", Path(("arg", "xs"), (), "xs"), 3))
    'len(xs) is 3'
    """
    path, data = guard.path, guard.data
    if guard.kind == "size":
        relation, dim, number = data
        return f"{dim} {relation} {number}"
    if guard.kind == "distinct":
        return f"{', '.join(map(str, data[0]))}: no other objects of their type"
    if guard.kind == "gives":
        function, args, result = data
        if function is special_members:
            return f"the special methods of {_named(args[0])} are those they were"
        return f"{name_of(function)}({', '.join(map(_named, args))}) gives {_named(result)}"
    if guard.kind == "array":
        return f"{path} is {array_in_words(*data)}"
    if guard.kind == "type":
        name = getattr(data.get(), "__name__", "class that is gone")
        return f"{path} is {'an' if name[0] in 'aeiou' else 'a'} {name}"
    if guard.kind == "keys":
        return f"the keys of {path} are {list(data)}"
    if guard.kind == "builtin":
        return f"{data[0]} is the builtin it was" if data[1] is not UNBOUND else (
            f"{data[0]} is no global variable")
    if guard.kind != "contiguous":
        return guard.filled(FACTS[guard.kind][0], str(path), str)
    return f"{path} is{' ' if data else ' not '}contiguous"


def _named(obj: Any) -> str:
    """A place, a value or an object for a reader."""
    if isinstance(obj, Path):
        return str(obj)
    if isinstance(obj, type) or hasattr(obj, "__code__"):
        return str(obj.__qualname__)
    if type(obj) is list:
        return f"[{', '.join(_named(h.get()) for h in obj[:4])}{', ...' if len(obj) > 4 else ''}]"
    text = repr(obj)
    return text if len(text) < 60 else f"{text[:56]} ..."


def array_in_words(dtype: np.dtype[Any], rank: int, units: tuple[int, ...]) -> str:
    """``array of float64, rank 2, axis 0 of length 1``."""
    text = f"an array of {dtype}, rank {rank}"
    if units:
        axes = ", ".join(map(str, units))
        return f"{text}, {'axis' if len(units) == 1 else 'axes'} {axes} of length 1"
    return f"{text}, no axis of length 1" if rank else text


def place(where: Where | None) -> str:
    """``file.py:12: the user's line``; empty where it is not known."""
    if where is None:
        return ""
    name = where.filename.replace("\\", "/").rsplit("/", 1)[-1]
    return f"{name}:{where.line}: {where.text.strip()}"


def condition(guard: Guard, text: Callable[[Path], str],
              names: Mapping[Atom, str]) -> str | None:
    """A guard as a Python condition over ``np``; None if it cannot be checked in a module that
    knows nothing of the user's classes."""
    data = guard.data
    if guard.kind == "size":
        relation, dim, number = data
        return f"{size_text(dim, names)} {relation} {number}"
    if guard.kind == "distinct":
        ids = [f"id({text(p)})" for p in data[0]]
        rest = ", ".join(f"id({text(p)})" for p in data[1])
        return f"len({{{', '.join(ids)}}} - {{{rest}}}) == {len(ids)}" if rest else (
            f"len({{{', '.join(ids)}}}) == {len(ids)}")
    if guard.kind == "gives":
        function, args, result = data
        return _gives_condition(function, args, result, text)
    assert guard.path is not None
    subject = text(guard.path)
    if guard.kind == "array":
        return _array_condition(subject, *data)
    if guard.kind == "type":
        return _type_condition(subject, data.get())
    held = data.get() if isinstance(data, Held) else data
    if guard.kind in ("is", "equals") and isinstance(held, enum.Enum):
        return (f"type({subject}).__name__ == {type(held).__name__!r} and "
                f"{subject}.name == {held.name!r}")
    if guard.kind == "equals" and type(data) in _WRITABLE:
        same = data is None or isinstance(data, bool)
        return f"{subject} {'is' if same else '=='} {data!r}"
    if guard.kind == "keys" and all(type(k) in _WRITABLE for k in data):
        return f"tuple({subject}) == {data!r}"
    if guard.kind == "overlap":
        return f"not np.shares_memory({subject}, {text(data)})"
    found = FACTS[guard.kind][1] if guard.kind in FACTS else None
    return None if found is None else guard.filled(found, subject, text)


_OPERATORS = {function: symbol for symbol, function in COMPARE.items()}


def _gives_condition(function: Any, args: tuple[Any, ...], result: Any,
                     text: Callable[[Path], str]) -> str | None:
    """A comparison as a condition; None for other functions."""
    compares = function is operator.contains or function in _OPERATORS
    if not compares or not all(isinstance(a, Path) or _is_writable(a) for a in args):
        return None
    one, two = (text(a) if isinstance(a, Path) else repr(a) for a in args[:2])
    if function is operator.contains:
        return f"({two} in {one}) is {result}"
    return f"({one} {_OPERATORS[function]} {two}) is {result}"


def _is_writable(obj: Any) -> bool:
    if type(obj) is dict:
        return all(map(_is_writable, (*obj, *obj.values())))
    if type(obj) in (list, tuple, set):
        return bool(obj) and all(map(_is_writable, obj))
    return type(obj) in _WRITABLE


def _array_condition(subject: str, dtype: np.dtype[Any], rank: int,
                     units: tuple[int, ...]) -> str:
    checks = [f"type({subject}) is np.ndarray", f"{subject}.dtype == {dtype.str!r}",
              f"{subject}.ndim == {rank}"]
    if rank and not units:
        checks.append(f"1 not in {subject}.shape")
    elif rank:
        checks += [f"{subject}.shape[{i}] {'==' if i in units else '!='} 1" for i in range(rank)]
    return " and ".join(checks)


def _type_condition(subject: str, cls: type) -> str | None:
    if cls is type(None):
        return f"{subject} is None"
    if cls.__module__ == "builtins":
        return f"type({subject}) is {cls.__name__}"
    if issubclass(cls, np.generic):
        return f"type({subject}) is np.{cls.__name__}"
    return None
