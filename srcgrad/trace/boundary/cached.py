"""Functions behind ``functools.lru_cache``.

A call with arguments that were met before, in a region that is still open, has the result of
that call: the same object, and none of its effects.  Elsewhere the function is looked through,
which is the same as long as it changes nothing.  Of a function from outside, what it had kept
before the call is found in its cache, and what it may not give again is kept there.  What one of
the program's own has kept for counts that only the run knows lies in a dict.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import UnsupportedOperation
from ...stage.function import definition
from ...stage.machine import NORMAL
from ...types.caches import cached_value, is_cached, keep_or_compare
from ...types.dataclasses import dataclass, field
from ...types.dims import is_varying
from ...types.guards import Path
from ...types.kinds import Kind
from ...types.spelling import Method
from ..heap.tables import Table
from ..record.regions import Region
from ..record.structures import IMMUTABLE
from ..record.tracers import ArrayTracer, contains_tracer, is_tracer

REASON = "an argument of a cached function"


@dataclass(slots=True)
class Memo:
    """What the calls of one cached function have returned, each with its region.  ``home`` is the
    region that has made the function, if the first call is in it."""

    cached: Any
    home: Region | None
    results: dict[Any, list[tuple[Any, Region]]] = field(default_factory=dict)
    # the dict of what it has returned, which is used where an argument is a count that only the run
    # knows, and the region that has made the dict
    kept: tuple[Any, Region] | None = None
    cells: set[Any] = field(default_factory=set)  # that change where that dict does


def call_cached(machine: Any, cached: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The value of a call of a cached function."""
    function = cached.__wrapped__
    region = machine.recorder.region
    memo = machine.calls.memos.get(id(cached))
    if memo is None:
        memo = machine.calls.memos[id(cached)] = Memo(
            cached, region if _is_made_here(machine, function) else None)
    if is_own(cached):
        if not kwargs and _keeps(machine, memo, args):
            return _remembered(machine, memo, args)
        args = tuple([_settled(machine, a) for a in args])
        kwargs = {k: _settled(machine, v) for k, v in kwargs.items()}
    key = _key((args, tuple(kwargs.items())))
    found = memo.results.get(key, [])
    for result, made_in in found:
        if made_in.active:
            return result
    traced = contains_tracer((args, kwargs))
    known = None if traced else _outside_call(machine, cached, args, kwargs)
    if known is not None and _was_kept(machine, cached, known):
        return _kept(machine, cached, known)
    effects, reads = region.effects, machine.sources.outside_reads
    result, changes = _followed(
        machine, lambda: machine.calls.call_function(function, args, kwargs))
    if machine.sources.outside_reads != reads or changes or region.effects != effects or (
            _may_change(result)):
        known = known or _outside_call(machine, cached, args, kwargs)
    else:
        known = None  # it gives the same again
    if (region.effects != effects or changes) and not _is_first(machine, memo, found) and (
            # inner calls with one number may not have met; what a try statement tries is undone
            known is None or found or traced or machine.recorder.trying):
        raise machine.recorder.fatal(UnsupportedOperation(
            f"{function.__qualname__} is cached by functools and has effects",
            why="whether the effects happen depends on earlier calls",
            fix="take the decorator off, or the effects out"))
    if known is not None and _was_kept(machine, cached, known):  # for a number known later
        return _kept(machine, cached, known)
    if known is not None or _may_differ(machine, cached, machine.sources.outside_reads != reads):
        given = known or (args, tuple(kwargs.items()))
        held = machine.handed_over.on_hand_over(keep_or_compare, (result,))
        machine.effects.emit_effect(keep_or_compare, (cached, *given, *held), {}, None)
    memo.results.setdefault(key, []).append((result, region))
    return result


def _keeps(machine: Any, memo: Memo, args: tuple[Any, ...]) -> bool:
    """Does what a function of the program has returned lie in a dict, whose keys may be counts that
    only the run knows?  (Where each level is inlined, it knows all.)"""
    if machine.assumed.inlines(memo.cached.__wrapped__.__code__):
        return False
    if not args or memo.cached.cache_parameters()["typed"] or any(
            a.aval.kind is not Kind.INT if is_tracer(a) else contains_tracer(a) for a in args):
        return False
    _key(args)  # it has a hash
    if memo.kept is None or not memo.kept[1].active:
        memo.kept = machine.keys.made({}, "cache"), machine.recorder.region
    kept = memo.kept[0]
    return type(kept) is Table or bool(
        any(map(is_tracer, args)) and not memo.results and machine.keys.may_be_table(kept))


def _remembered(machine: Any, memo: Memo, args: tuple[Any, ...]) -> Any:
    """The value of a call: what is kept for its arguments, or what is kept for them from now on."""
    assert memo.kept is not None
    (kept, region), function = memo.kept, memo.cached.__wrapped__
    key = args if len(args) > 1 else args[0]
    forgets = region is not memo.home or memo.cached.cache_parameters()["maxsize"] is not None

    def keep() -> int:
        inner = machine.recorder.region
        effects = inner.effects
        value, changes = _followed(
            machine, lambda: machine.calls.call_function(function, args, {}))
        own: set[Any] = set().union(*[m.cells for m in machine.calls.memos.values()])
        if forgets and (changes - own or inner.effects != effects or _may_change(value)):
            raise machine.recorder.of_forms(UnsupportedOperation(
                f"{function.__qualname__} is cached by functools and has effects",
                why="whether they happen depends on what the cache has forgotten",
                fix="take the decorator off, or the effects out"))
        memo.cells |= _followed(machine, lambda: machine.setitem(kept, key, value))[1]
        return NORMAL

    machine.if_(machine.compare("not in", key, kept), keep, lambda: NORMAL)
    return machine.getitem(kept, key)


def _outside_call(machine: Any, cached: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The arguments of a call of a function from outside, as its cache knows them; None for other
    functions, and where data decides."""
    if is_own(cached) or id(cached) in machine.calls.cleared:
        return None
    parts = [machine.escapes.demand(a, REASON) if _is_fixed(machine, a) else a
             for a in (*args, *kwargs.values())]
    if contains_tracer(parts) or any(map(machine.sources.is_differentiated, parts)):
        return None  # what it gives may vary with them
    for part in parts:
        machine.sources.as_it_is(machine.keys.static_key(part))
    return tuple(parts[:len(args)]), tuple(zip(kwargs, parts[len(args):], strict=True))


def _was_kept(machine: Any, cached: Any, known: Any) -> bool:
    """Had the function kept a result when the call began?"""
    return bool(is_cached(cached, *known)) or bool(
        machine.sources.gives(is_cached, (cached, *known), (_path(machine, cached), *known)))


def _kept(machine: Any, cached: Any, known: Any) -> Any:
    return machine.foreigners.outside(cached_value(cached, *known),
                           _path(machine, cached).child("cached", known))


def _path(machine: Any, cached: Any) -> Path:
    machine.sources.as_it_is(cached)
    path: Path = machine.found_functions.paths.setdefault(
        id(cached), Path(machine.variables.pin(cached, cached.__name__), (), cached.__name__))
    return path


def _may_differ(machine: Any, cached: Any, reads: bool) -> bool:
    """May a function from outside have kept something else than it gives now, for numbers that
    only the run knows?"""
    return reads and not is_own(cached) and id(cached) not in machine.calls.cleared


def _may_change(result: Any) -> bool:
    """Can a result be changed, or asked which object it is?"""
    if isinstance(result, tuple):
        return any(map(_may_change, result))
    return type(result) is ArrayTracer or not (is_tracer(result) or isinstance(result, IMMUTABLE))


def _is_made_here(machine: Any, function: Any) -> bool:
    """Does the program make a function in this region (and not before a branch or loop)?"""
    made = definition(function)
    journal = machine.journal
    return made is not None and (journal.births.get(id(made.parent), 1) >= len(journal.layers))


def _followed(machine: Any, act: Callable[[], Any]) -> tuple[Any, set[Any]]:
    """What something gives, and which cells it has changed that were there before."""
    result, cells = machine.guarded.changed_by(act)
    return result, {cell.key for cell in cells}


def clear_cache(machine: Any, cached: Any) -> None:
    """``cached.cache_clear()``."""
    machine.calls.memos.pop(id(cached), None)
    if not is_own(cached):
        machine.calls.cleared.add(id(cached))
        machine.effects.emit_effect(Method("cache_clear"), (cached,), {}, None)


def is_own(cached: Any) -> bool:
    """Is it a cached function that the program itself has made?"""
    return hasattr(cached, "cache_info") and definition(
        getattr(cached, "__wrapped__", None)) is not None


def _is_first(machine: Any, memo: Memo, found: list[Any]) -> bool:
    """Is it certain that a call with these arguments has not been made before?"""
    most = memo.cached.cache_parameters()["maxsize"]
    return not found and machine.recorder.region is memo.home and (
        most is None or len(memo.results) < most)


def _settled(machine: Any, obj: Any) -> Any:
    """An int that is the same during the whole call, as a number."""
    expr = obj.aval.expr if is_tracer(obj) and obj.aval.kind is Kind.INT else None
    if expr is None or is_varying(expr):
        return obj
    return machine.escapes.demand(obj, REASON)


def _is_fixed(machine: Any, obj: Any) -> bool:
    """Is it an int that does not depend on data?"""
    return is_tracer(obj) and obj.aval.kind is Kind.INT and not machine.keys.is_data(obj)


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
