"""What was generated as bytes, and from bytes again in another process.

Everything of the program's own that it holds (functions, classes, code, modules) is an object
outside (:mod:`.outside`); the rest is data of srcgrad's, plain values and arrays.
"""

from __future__ import annotations

import enum
import functools
import io
import pickle
import weakref
from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterable, Mapping
from types import CodeType
from typing import Any, Final

import numpy as np

from ..types.guards import Guard, Held, Path
from .outside import NotKept, Outside, Way, by_path, found_again, is_of_library, module_of

_DATA: Final = frozenset({OrderedDict, defaultdict, deque, functools.partial, slice, range, complex,
                          bytearray, type(...), type(NotImplemented)})
_ROOMS: Final = frozenset({"adjoint", "array_api", "cache", "compile", "emit", "errors", "graph",
                           "rules", "trace", "types"})  # whose objects are data


def outside(number: int) -> Any:
    """Stands in the bytes for an object of the list of those outside."""
    raise AssertionError("found by the reader of the bytes")


def held(number: int) -> Held:
    """Stands for one that a guard compares with, or a path starts from."""
    raise AssertionError("found by the reader of the bytes")


class _Writer(pickle.Pickler):
    """Writes data of srcgrad's; for all that is the program's own, its number in a list."""

    def __init__(self, file: io.BytesIO, table: Outside) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._table = table

    def reducer_override(self, obj: Any) -> Any:
        kind = type(obj)
        known = _KNOWN.get(kind)
        if known is None:
            known = _KNOWN[kind] = _is_data(kind)
        if known:
            return NotImplemented
        if kind is Held:
            return held, (self._table.number(obj.get()),)
        if kind is weakref.ref:
            return weakref.ref, (obj(),)
        if kind is np.ndarray:
            if obj.dtype.hasobject:
                raise NotKept("an array of objects")
            return NotImplemented
        if kind is CodeType and self._table.way(obj) is None:  # tells places of the program apart
            return str, (obj.co_qualname,)
        if isinstance(obj, enum.Enum):
            return getattr, (kind, obj.name)
        if isinstance(obj, tuple) and hasattr(kind, "_fields"):
            return NotImplemented
        if module_of(obj).startswith("srcgrad."):
            return NotImplemented  # by its name
        return outside, (self._table.number(obj),)


_KNOWN: dict[type, bool] = {}


def _is_data(kind: type) -> bool:
    """Are the objects of a class written as what they hold?"""
    if kind in _DATA or (issubclass(kind, (np.dtype, np.generic)) and is_of_library(kind)):
        return True
    parts = kind.__module__.split(".")
    return parts[0] == "srcgrad" and parts[1] in _ROOMS and (
        kind is not Held and not issubclass(kind, type))


class _Reader(pickle.Unpickler):
    def __init__(self, content: bytes, found: list[Any]) -> None:
        super().__init__(io.BytesIO(content))
        self._found = found

    def find_class(self, module: str, name: str) -> Any:
        if module == __name__ and name == outside.__name__:
            return self._found.__getitem__
        if module == __name__ and name == held.__name__:
            return lambda number: Held(self._found[number])
        return super().find_class(module, name)


def packed(content: Any, guards: Iterable[Guard], pinned: Mapping[int, Held],
           roles: Mapping[int, str]) -> bytes:
    """Data with what it relies on: ``guards`` on paths from arguments, and from the objects
    ``pinned``, of which those with ``roles`` are another process's own.

    Raises :class:`NotKept` if something in it means nothing to another process."""
    table = Outside()
    _enter_guarded(table, sorted(guards, key=lambda g: (
        g.path is None, g.path and len(g.path.steps))), pinned, roles)
    file = io.BytesIO()
    try:
        _Writer(file, table).dump(content)
    except (pickle.PicklingError, TypeError, AttributeError, RecursionError) as error:
        raise NotKept(str(error)) from None
    return pickle.dumps((table.ways, file.getvalue()))


def _enter_guarded(table: Outside, guards: Iterable[Guard], pinned: Mapping[int, Held],
                   roles: Mapping[int, str]) -> None:
    """Enter the objects that guards compare with: where no name leads to them, as what is found
    where the guard looks."""
    def at(path: Path, member: Any = None) -> Way:
        kind, key = path.root
        root = ("argument", key) if kind == "arg" else ("role", roles[key]) if key in roles else (
            table.way(pinned[key].get()))
        return by_path(path, root, member)

    for guard in guards:
        if guard.kind in ("is", "type", "holds") and guard.path is not None:
            member, obj = guard.data if guard.kind == "holds" else (
                type if guard.kind == "type" else None, guard.data.get())
            if table.way(obj) is None:
                table.enter(obj, at(guard.path, member))
        elif guard.kind == "gives" and type(guard.data[2]) is list:
            function, args, result = guard.data
            call = "called", function, [at(arg) for arg in args]
            for number, found in enumerate(result):
                if table.way(found.get()) is None:
                    table.enter(found.get(), (*call, number))


def unpacked(content: bytes, roots: Mapping[Way, Any]) -> Any:
    """What was packed, with the objects of this process.  ``roots`` are those that paths start
    from.  Raises :class:`NotKept` where there are none that are as they were."""
    ways, data = pickle.loads(content)
    return _Reader(data, found_again(ways, roots)).load()
