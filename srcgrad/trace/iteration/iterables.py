"""Iteration while tracing: range, zip, map, sorted, itertools and their like."""

from __future__ import annotations

import collections
import functools
import itertools
import operator
from typing import Any

from ...errors import UnsupportedOperation
from ...rules.python.orders import sorted_places
from ...stage.machine import NORMAL
from ...types import dims
from ...types.kinds import INT, OPAQUE, Kind
from ..calls.handlers import HANDLERS, handles
from ..heap.tables import Table, View, counted_all, marked_all, stored_all
from ..heap.written_out import fold
from ..objects.special_methods import python_method
from ..record.journal import Field
from ..record.scopes import during
from ..record.settling import FEW
from ..record.structures import VIEWS
from ..record.tracers import Choice, StandIn, contains_tracer, is_tracer
from . import iteration
from .iteration import (
    Cursor,
    Entries,
    Enumerate,
    Items,
    Mapped,
    Range,
    Reversed,
    Staged,
    Transposed,
    Zip,
    cursor_of,
    staged_iterable,
)
from .iterator_tools import called, next_or, strictly_zipped, subscripted_backwards

EMPTY_REDUCTION = "reduce() of empty iterable with no initial value"


# ---- iteration -------------------------------------------------------------------------------
@handles(range)
def range_(machine: Any, *args: Any) -> Any:
    if not contains_tracer(args):
        return range(*args)
    args = tuple(machine.call(operator.index, a) if is_tracer(a) and a.aval.kind is Kind.NUMBER
                 else a for a in args)
    for a in args:
        if is_tracer(a) and a.aval.kind is not Kind.INT and (
                a.aval.dtype is None or a.aval.dtype.kind not in "iu"):
            raise TypeError(f"'{a.__class__.__name__}' object cannot be interpreted as an integer")
    if len(args) == 1:
        return Range(0, args[0], 1)
    if len(args) > 2 and is_tracer(args[2]):
        _check_step(machine, args)
    return Range(args[0], args[1], args[2] if len(args) > 2 else 1)


def _check_step(machine: Any, args: tuple[Any, ...]) -> None:
    """Raise where the step is zero, whether or not anybody goes through the range."""
    expr = args[2].aval.expr
    if expr is None or dims.is_varying(expr):
        machine.recorder.computed(range, OPAQUE, *map(machine.recorder.values_in, args))
    elif dims.evaluate(expr, machine.sources.numbers) == 0:
        machine.escapes.demand(args[2], "the step of a range")
        range(0, 0, 0)  # raises Python's own error
    else:
        machine.sources.guard_size("eq0", expr)


@handles(len)
def length(machine: Any, obj: Any) -> Any:
    if isinstance(obj, Staged):
        return iteration.length(machine, obj)
    method = python_method(obj, "__len__")
    if method is not None:
        return machine.call(method, obj)
    if is_tracer(obj):
        return machine.length(obj)
    obj = machine.references.seen(obj)
    size = machine.length(obj) if isinstance(obj, list) else len(obj)
    if type(size) is int:
        machine.sources.note_container(obj)
    return size


def _any_staged(machine: Any, parts: tuple[Any, ...]) -> bool:
    return any(staged_iterable(machine, p) is not None for p in parts)


@handles(zip)
def zip_(machine: Any, *parts: Any, strict: bool = False) -> Any:
    if len(parts) == 1 and type(parts[0]) is Transposed:
        return machine.tuples.columns_of(parts[0])
    parts = tuple(iteration.opened(machine, p) for p in parts)
    if not _any_staged(machine, parts):
        return machine.opening.walk_of(zip(*[
            machine.walks.watched(machine.containers.outside_items(p), True)
            for p in parts], strict=strict), parts)
    if any(_is_endless(p) for p in parts):  # each is as long as the shortest of them
        return zip(*[machine.iterate(p) for p in parts], strict=strict)
    staged = []
    for p in parts:
        found = staged_iterable(machine, p)
        staged.append(found if found is not None else machine.listed(p))
    rows = Zip(tuple(staged), strict)
    if not strict or iteration.are_equally_long(machine, rows):
        return rows
    sizes = [iteration.length(machine, p) for p in staged]
    return machine.call(strictly_zipped, Zip(rows.parts), sizes)


def _is_endless(part: Any) -> bool:
    """Is it an iterator that may not end, such as ``itertools.count()`` or a generator?"""
    return hasattr(type(part), "__next__") and not isinstance(part, Staged)


@handles(enumerate)
def enumerate_(machine: Any, iterable: Any, start: Any = 0) -> Any:
    iterable = iteration.opened(machine, iterable)
    found = staged_iterable(machine, iterable)
    if found is None and isinstance(iterable, range):
        found = Range(iterable.start, iterable.stop, iterable.step)
    if found is None:
        items = machine.containers.outside_items(iterable)
        return machine.opening.walk_of(
            enumerate(machine.walks.watched(items, True), start), (iterable,))
    return Enumerate(found, start)


@handles(reversed)
def reversed_(machine: Any, iterable: Any) -> Any:
    found = staged_iterable(machine, iterable)
    if found is None:
        if (own := python_method(iterable, "__reversed__")) is not None:
            return machine.call(own, iterable)
        if python_method(iterable, "__getitem__") is not None:
            return machine.call(subscripted_backwards, iterable)
        if isinstance(iterable, (dict, collections.deque, *VIEWS)):
            return machine.walks.iterator(iterable, backwards=True)
        if not isinstance(iterable, (list, tuple, str, range)):
            return reversed(iterable)
        if isinstance(iterable, range):
            return iterable[::-1]
        if isinstance(iterable, list):
            places = range(len(iterable) - 1, -1, -1)
            return machine.containers.made(Cursor(Mapped(
                functools.partial(operator.getitem, iterable), (places,))))
        return machine.containers.made(
            Cursor(list(machine.containers.outside_items(iterable))[::-1]))
    if isinstance(found, Range):
        if type(found.step) is int and abs(found.step) == 1:
            last = machine.binary("-", found.stop, found.step)
        else:
            steps = machine.binary("-", iteration.length(machine, found), 1)
            last = machine.binary("+", found.start, machine.binary("*", steps, found.step))
        return Range(last, machine.binary("-", found.start, found.step),
                     machine.unary("-", found.step))
    return Reversed(found)


@handles(map)
def map_(machine: Any, function: Any, *parts: Any) -> Any:
    parts = tuple(iteration.opened(machine, p) for p in parts)
    if any(_is_endless(p) for p in parts):
        return map(functools.partial(machine.call, function), *map(machine.iterate, parts))
    if _any_staged(machine, parts) or all(type(p) is range for p in parts):
        staged = tuple(Range(p.start, p.stop, p.step) if type(p) is range else (
            staged_iterable(machine, p) or machine.listed(p)) for p in parts)
        return machine.containers.made(Cursor(Mapped(function, staged)))
    return map(functools.partial(machine.call, function), *[
        machine.walks.watched(machine.containers.outside_items(p), True) for p in parts])


@handles(iter)
def iter_(machine: Any, obj: Any, *sentinel: Any) -> Any:
    found = staged_iterable(machine, obj)
    if found is not None and cursor_of(obj) is not obj:
        return obj
    if found is not None:
        return found if isinstance(found, Cursor) else machine.containers.made(Cursor(found))
    method = python_method(obj, "__iter__")
    if method is not None:
        return machine.call(method, obj)
    if isinstance(obj, (list, tuple)):
        return machine.containers.made(Cursor(obj))
    if isinstance(obj, (dict, set, collections.deque, *VIEWS)):
        return machine.walks.iterator(obj)
    return machine.call(called, obj, *sentinel) if sentinel else iter(obj)


@handles(next)
def next_(machine: Any, iterator: Any, *default: Any) -> Any:
    if isinstance(iterator, Cursor):
        machine.cursors.check_shared(iterator)
        machine.walks.look(iterator)
        size = iteration.length(machine, iterator.inner)
        position = iterator.position
        past = machine.compare(">=", position, size)
        if type(position) is int and is_tracer(past) and (
                machine.comparisons.fixed_condition(past.value) is not None):
            past = machine.truth(past)  # guarded: the text of a few items in a row has no tests
        if default:
            return machine.if_expression(past, lambda: default[0], lambda: taken(machine, iterator))
        machine.if_(past, lambda: machine.raise_(StopIteration, None, False), lambda: NORMAL)
        return taken(machine, iterator)
    method = python_method(iterator, "__next__")
    if method is not None:
        if not default:
            return machine.call(method, iterator)
        with during(machine.branches, demanding=machine.branches.demanding + 1):
            return machine.call(next_or, iterator, default[0])
    if id(iterator) in machine.found_functions.paths:  # it goes on at every call
        counts = type(iterator) is itertools.count and not default
        return machine.effects.emit_effect(next, (iterator, *default), {}, INT if counts
                                           else OPAQUE)
    machine.pushes.check_iterator(iterator)
    return next(iterator, *default)


def taken(machine: Any, cursor: Cursor) -> Any:
    """The next item of an iterator that has one."""
    machine.cursors.check_ahead(cursor)
    position = cursor.position
    value = iteration.item(machine, cursor.inner, position)
    machine.journal.write(Field(cursor, "position"), machine.binary("+", position, 1))
    return value


def _first(pair: Any) -> Any:
    return pair[0]


def _sorted(machine: Any, iterable: Any, key: Any, reverse: Any) -> Any:
    if type(iterable) is View and iterable.part == "items" and key is None:
        key = _first  # no two keys are equal
    iterable = iteration.opened(machine, iterable)
    if isinstance(iterable, StandIn) or (
            _is_long(machine, iterable) and not isinstance(iterable, (list, Entries))):
        iterable = machine.call(list, iterable)
    items = staged_iterable(machine, iterable) if type(iterable) is list else None
    if isinstance(items, Items):
        iterable = items.list
    if isinstance(iterable, list) and id(iterable) in machine.symbolic_lists:
        return machine.list_methods.sorted_list(iterable, key, reverse)
    if isinstance(iterable, Entries):
        found = machine.contents.sorted_entries(iterable, key, reverse)
        if found is not None:
            return found
        return machine.call(sorted, machine.contents.listed_entries(iterable), key=key,
                            reverse=reverse)
    items = list(machine.iterate(iterable))
    keys = [machine.call(key, i) if key is not None else i for i in items]
    if any(type(k) is Choice or python_method(k, "__lt__") is not None for k in keys) or (
            any(map(contains_tracer, keys)) and not _in_columns(keys)):
        return _sorted_by_less(machine, items, keys, machine.keys.static_key(reverse))
    known = [_known_part(k) for k in keys]
    if not any(contains_tracer(k) for k in keys) or (
            all(isinstance(k, tuple) for k in keys) and _all_differ(known)):
        keys = known
        order = sorted(range(len(items)), key=keys.__getitem__, reverse=reverse)
        return [items[i] for i in order]
    return machine.sort_traced(items, keys, reverse)


def _in_columns(keys: list[Any]) -> bool:
    """Are the keys numbers, or tuples of as many numbers each?"""
    if not any(isinstance(k, (tuple, list)) for k in keys):
        return True
    return all(isinstance(k, tuple) for k in keys) and len({len(k) for k in keys}) == 1 and not any(
        isinstance(part, (tuple, list)) for k in keys for part in k)


def _known_part(key: Any) -> Any:
    """The parts of a tuple before the first traced one."""
    if not isinstance(key, tuple):
        return key
    parts = []
    for part in key:
        if contains_tracer(part):
            break
        parts.append(part)
    return tuple(parts)


def _all_differ(keys: list[Any]) -> bool:
    """Do the known parts of tuples decide their order?"""
    width = min(map(len, keys))
    return all(a[:width] != b[:width] for i, a in enumerate(keys) for b in keys[:i])


def _sorted_by_less(machine: Any, items: list[Any], keys: list[Any], reverse: Any) -> list[Any]:
    """``sorted`` by the ``__lt__`` of the user's class, or by tuples that are not alike: each key
    is compared with those before it, which tells how many come before it in the end."""
    if len(items) > FEW:
        raise machine.recorder.of_forms(UnsupportedOperation(
            f"sorting {len(items)} objects by a user-written comparison, or by unlike tuples",
            why=f"they are compared pair by pair, and at most {FEW} of them are",
            fix="sort by a number: sorted(items, key=...)"))
    if reverse:
        return _sorted_by_less(machine, items[::-1], keys[::-1], False)[::-1]
    ranks: list[Any] = [0] * len(items)
    for i, later in enumerate(keys):
        for j, earlier in enumerate(keys[:i]):
            less = machine.call(bool, machine.compare("<", later, earlier))
            ranks[j] = machine.binary("+", ranks[j], less)
            ranks[i] = machine.binary("+", ranks[i], machine.binary("-", 1, less))
    if not contains_tracer(ranks):
        return [items[i] for i in sorted(range(len(items)), key=ranks.__getitem__)]
    return machine.sort_traced(items, ranks, False)  # type: ignore[no-any-return]


@handles(list)
def list_(machine: Any, iterable: Any = ()) -> Any:
    if isinstance(iterable, list) and id(iterable) in machine.symbolic_lists:
        return machine.keys.made_list(
            machine.list_methods.symbolic_method(iterable, "copy", (), {}))
    iterable = iteration.opened(machine, iterable)
    found = staged_iterable(machine, iterable)
    if found is not None and iteration.lazy_items(machine, found) is None:
        made: list[Any] = machine.containers.made([])
        machine.for_(found, machine.hold, lambda: machine.append_held(made))
        return machine.keys.made_list(made)
    return machine.build_list(*machine.iterate(iterable))


@handles(set)
def set_(machine: Any, iterable: Any = ()) -> Any:
    if _is_long(machine, iterable) or isinstance(iterable, StandIn):
        made = machine.keys.made(set())
        machine.call(marked_all, made, iterable)
        return made
    return machine.build_set(*machine.iterate(iterable))


def _is_long(machine: Any, iterable: Any) -> bool:
    """Is the number of items only known at run time?"""
    found = staged_iterable(machine, iterable)
    return found is not None and iteration.lazy_items(machine, found) is None


@handles(collections.Counter)
def counter(machine: Any, source: Any = None, /, **counts: Any) -> Any:
    made = machine.keys.made(collections.Counter())
    if source is not None and (isinstance(source, (dict, Table))):
        machine.call_method(made, "update", source)
    elif source is not None:
        machine.call(counted_all, made, source)
    if counts:
        machine.call_method(made, "update", counts)
    return made


HANDLERS[sorted] = lambda machine, iterable, *, key=None, reverse=False: (
    machine.keys.made_list(_sorted(machine, iterable, key, reverse), "sorted"))


@handles(tuple)
def tuple_(machine: Any, iterable: Any = ()) -> Any:
    if machine.pushes.fresh_generator(iterable) is not None:
        iterable = machine.pushes.collected(iterable)
    if type(iterable) is tuple or machine.tuples.is_long(iterable):
        return iterable
    if type(iterable) is list and id(iterable) in machine.symbolic_lists:
        size, makers = machine.call(len, iterable), machine.lists.maker_unrolled(iterable)
        if is_tracer(size) and dims.is_varying(size.aval.expr) and makers and (
                makers[0].site not in machine.items.short_sites):  # those may be numbers of axes
            return machine.tuples.as_tuple(machine.call(list, iterable))
    return tuple(machine.iterate(iterable))


HANDLERS[frozenset] = lambda machine, iterable=(): (
    frozenset(machine.keys.static_key(i) for i in machine.iterate(iterable)))


@handles(dict)
def dict_(machine: Any, *args: Any, **kwargs: Any) -> Any:
    if args:
        source = args[0]
        if type(source) is Table:
            return machine.call_method(source, "copy")
        few = machine.loops.few_items(staged_iterable(machine, source))
        if few is not None:
            source = few
        elif _is_long(machine, source):
            made = machine.keys.made(kwargs)
            machine.call(stored_all, made, source)
            return made
        if isinstance(source, dict):
            items = list(machine.presence.container_method(source, "items", (), {}))
        elif hasattr(type(source), "keys"):
            items = machine.mapping_items(source)
        else:
            items = [tuple(machine.iterate(pair)) for pair in machine.iterate(source)]
        return machine.build_dict([*items, *kwargs.items()])
    return machine.keys.made(dict(**kwargs))


@handles(functools.reduce)
def reduce(machine: Any, function: Any, iterable: Any, *initial: Any) -> Any:
    staged = staged_iterable(machine, iterable)
    if staged is not None and iteration.lazy_items(machine, staged) is None:
        return _fold(machine, function, machine.containers.made(Cursor(staged)), *initial)
    items = list(machine.iterate(iterable))
    if initial:
        items.insert(0, initial[0])
    if not items:
        raise TypeError(EMPTY_REDUCTION)
    result = items[0]
    for item in items[1:]:
        result = machine.call(function, result, item)
    return result


def _fold(machine: Any, function: Any, items: Cursor, *initial: Any) -> Any:
    """The reduction of as many items as a run has."""
    if not initial:
        empty = machine.compare("==", iteration.length(machine, items.inner), 0)
        machine.if_(empty, lambda: machine.raise_(TypeError(EMPTY_REDUCTION), None, False),
                    lambda: NORMAL)
        initial = (taken(machine, items),)
    return machine.calls.inline(fold, (function, *initial, items), {})


def sort_node(machine: Any, keys: list[Any], reverse: bool) -> Any:
    """The order of traced keys as an array of positions (stable)."""
    columns = zip(*keys, strict=True) if isinstance(keys[0], tuple) else [keys]
    return machine.recorder.apply(sorted_places, tuple(map(list, columns)),
                                  {"reverse": True} if reverse else {})
