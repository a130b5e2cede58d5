"""Functions behind ``functools.lru_cache``.

A call with arguments that were met before, in a region that is still open, has the result of
that call: the same object, and none of its effects.  Elsewhere the function is looked through,
which is the same as long as it changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..dims import is_varying
from ..errors import UnsupportedOperation
from ..kinds import Kind
from ..stage.function import definition
from .regions import Region
from .tracers import ArrayTracer, is_tracer


@dataclass(slots=True)
class Memo:
    """What the calls of one cached function have returned, each with its region.  ``home`` is the
    region that has made the function, if the first call is in it."""

    cached: Any
    home: Region | None
    results: dict[Any, list[tuple[Any, Region]]] = field(default_factory=dict)


def call_cached(machine: Any, cached: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The value of a call of a cached function."""
    function = cached.__wrapped__
    if is_own(cached):
        args = tuple([_settled(machine, a) for a in args])
        kwargs = {k: _settled(machine, v) for k, v in kwargs.items()}
    memo = machine.memos.get(id(cached))
    if memo is None:
        memo = machine.memos[id(cached)] = Memo(
            cached, machine.region if _is_made_here(machine, function) else None)
    key = _key((args, tuple(kwargs.items())))
    found = memo.results.get(key, [])
    for result, region in found:
        if region.active:
            return result
    region = machine.region
    effects = region.effects
    result, changes = _followed(machine, function, args, kwargs)
    if (region.effects != effects or changes) and not _is_first(machine, memo, found):
        raise machine.fatal(UnsupportedOperation(
            f"{function.__qualname__} is cached by functools and has effects",
            why="whether the effects happen depends on earlier calls",
            fix="take the decorator off, or the effects out"))
    memo.results.setdefault(key, []).append((result, region))
    return result


def _is_made_here(machine: Any, function: Any) -> bool:
    """Does the program make a function in this region (and not before a branch or loop)?"""
    made = definition(function)
    journal = machine.journal
    return made is not None and (
        journal.births.get(id(made.parent), 1) >= len(journal.layers))


def _followed(machine: Any, function: Any, args: tuple[Any, ...],
              kwargs: dict[str, Any]) -> tuple[Any, bool]:
    """The value of a call, and whether the call has changed anything that was there before."""
    journal = machine.journal
    depth = len(journal.layers) + 1
    journal.push()
    try:
        result = machine.call_function(function, args, kwargs)
        return result, bool(journal.changed(depth))
    finally:
        for change in journal.pop()[0].values():
            journal.write(change.cell, change.after)


def clear_cache(machine: Any, cached: Any) -> None:
    """``cached.cache_clear()`` of a function that the program itself has made."""
    machine.memos.pop(id(cached), None)


def is_own(cached: Any) -> bool:
    """Is it a cached function that the program itself has made?"""
    return hasattr(cached, "cache_info") and definition(
        getattr(cached, "__wrapped__", None)) is not None


def _is_first(machine: Any, memo: Memo, found: list[Any]) -> bool:
    """Is it certain that a call with these arguments has not been made before?"""
    most = memo.cached.cache_parameters()["maxsize"]
    return not found and machine.region is memo.home and (
        most is None or len(memo.results) < most)


def _settled(machine: Any, obj: Any) -> Any:
    """An int that is the same during the whole call, as a number."""
    expr = obj.aval.expr if is_tracer(obj) and obj.aval.kind is Kind.INT else None
    if expr is None or is_varying(expr):
        return obj
    return machine.demand(obj, "an argument of a cached function")


def _key(obj: Any) -> Any:
    """Arguments as a key: traced numbers by their identity."""
    if type(obj) is ArrayTracer and obj.aval.kind is Kind.ARRAY:
        raise TypeError("unhashable type: 'numpy.ndarray'")
    if is_tracer(obj):
        return getattr(obj, "value", obj)
    if isinstance(obj, tuple):
        return tuple([_key(part) for part in obj])
    hash(obj)
    return obj
