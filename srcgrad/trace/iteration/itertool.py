"""itertools while tracing."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable
from typing import Any

from ...types.kinds import Kind
from ..calls.handlers import HANDLERS, handles
from ..record.tracers import ArrayTracer, is_tracer
from .ahead import Ahead
from .iteration import Cursor, Enumerate, Items, Range, Rows, Staged, Zip, length, staged_iterable
from .iterator_tools import (
    TOOLS,
    check_same,
    combined,
    crossed,
    cycled,
    longest,
    merged,
    permuted,
    read_by,
    unnoticed,
)


def _items(machine: Any, arg: Any) -> Any:
    """An argument of an itertool: traced iterables as lists of their items."""
    if is_tracer(arg) and arg.aval.kind is not Kind.ARRAY:
        return arg
    if staged_iterable(machine, arg) is not None:
        return list(machine.iterate(arg))
    return machine.walks.watched(machine.containers.outside_items(arg)) if hasattr(type(arg),
        "__iter__") else arg


def _itertool(function: Any) -> Callable[..., Any]:
    """A tool whose items are Python's own; counts and places are demanded."""

    def handler(machine: Any, *args: Any, **kwargs: Any) -> Any:
        given = [a if function is itertools.repeat and i == 0 else _items(machine, a)
                 for i, a in enumerate(args)]
        plain = [machine.keys.static_key(a) if is_tracer(a) and a.aval.kind is Kind.INT and (
            function is not itertools.repeat or i) else a for i, a in enumerate(given)]
        named = {k: machine.keys.static_key(v) if k in ("repeat", "r", "times") else v
                 for k, v in kwargs.items()}
        return function(*plain, **named)

    return handler


def _is_lazy(obj: Any) -> bool:
    """Does it compute its items when they are taken?"""
    return isinstance(obj, Cursor) or hasattr(type(obj), "__next__")


def _ahead(tool: Callable[..., Any]) -> Callable[..., Any]:
    """A tool whose items are computed before they are taken."""

    def handler(machine: Any, *args: Any, **kwargs: Any) -> Any:
        if not any(map(_is_lazy, args)):
            return tool(machine, *args, **kwargs)
        ahead = Ahead(machine, (args, kwargs))
        items = machine.cursors.unnoticed(lambda: machine.call(
            list, tool(machine, *args, **kwargs)))
        return machine.containers.made(Cursor(items, ahead=ahead))

    return handler


def _staged(tool: Callable[..., Any]) -> Callable[..., Any]:
    """A tool that is a generator function: what it is given may depend on data."""

    def handler(machine: Any, *args: Any, **kwargs: Any) -> Any:
        return machine.call(tool, *args, **kwargs)

    return handler


for _tool in (itertools.product, itertools.combinations, itertools.permutations,
              itertools.repeat, itertools.cycle, itertools.pairwise, itertools.zip_longest,
              itertools.combinations_with_replacement):
    HANDLERS[_tool] = _itertool(_tool)
for _name, _form in TOOLS.items():
    if _name not in (enumerate, map, itertools.pairwise):
        HANDLERS[_name] = _staged(_form)


def _is_long(machine: Any, items: Any) -> bool:
    """Does only a run know how many items there are?"""
    found = staged_iterable(machine, items)
    return found is not None and type(length(machine, found)) is not int


def _pool(machine: Any, items: Any) -> Any:
    """What a tool takes before it gives anything: numbers as they are now."""
    found = staged_iterable(machine, items)
    if type(items) is range:
        return Range(items.start, items.stop, items.step)
    if type(found) is Range:
        return found
    if type(found) is Rows and type(found.array) is ArrayTracer:
        is_of_views = found.array.aval.ndim != 1
        return found.array if is_of_views else machine.recorder.as_it_is(found.array)
    if isinstance(items := found.list if isinstance(found, Items) else items, list) and (
            id(items) in machine.symbolic_lists):
        return machine.lists.held_list(machine.symbolic_lists[id(items)])
    if type(found) is Enumerate:
        found = Enumerate(_part(machine, found.inner), found.start)
    elif type(found) is Zip and not found.strict:
        found = Zip(tuple([_part(machine, p) for p in found.parts]))
    else:
        return machine.call(list, items)
    return machine.containers.made(Cursor(found))


def _part(machine: Any, items: Any) -> Any:
    pool = _pool(machine, items)
    return staged_iterable(machine, pool) or pool


def _product(machine: Any, *parts: Any, repeat: Any = 1) -> Any:
    count = machine.keys.static_key(repeat)
    itertools.product(repeat=count)  # Python's error, if it is no count
    return machine.call(crossed, *[_pool(machine, part) for part in parts] * count)


def _chosen(tool: Callable[..., Any], form: Callable[..., Any], *how: Any) -> Callable[..., Any]:
    def chosen(machine: Any, iterable: Any, r: Any) -> Any:
        count = machine.keys.static_key(r)
        tool((), count)  # Python's error, if it is no count
        return machine.call(form, _pool(machine, iterable), count, *how)

    return chosen


def _is_looped(machine: Any, items: Any) -> bool:
    """Is there a loop where a program goes through the items itself?"""
    return type(items) is range or type(staged_iterable(machine, items)) is Range or _is_long(
        machine, items)


def _as_loops(tool: Callable[..., Any], form: Callable[..., Any]) -> Callable[..., Any]:
    """A tool that is a generator function where items that it is given are gone through by a
    loop."""
    short = HANDLERS[tool]

    def handler(machine: Any, *args: Any, **kwargs: Any) -> Any:
        count = next(iter((*args[1:], *kwargs.values())), None)
        is_of_all = tool is itertools.permutations and count is None
        parts = args if tool is itertools.product else args[:1]
        used = form if not is_of_all and any(_is_looped(machine, a) for a in parts) else short
        return used(machine, *args, **kwargs)

    return handler


for _tool, _form, *_how in (
        (itertools.combinations, combined, False, -1), (itertools.permutations, permuted),
        (itertools.combinations_with_replacement, combined, True, 0)):
    HANDLERS[_tool] = _as_loops(_tool, _chosen(_tool, _form, *_how))
HANDLERS[itertools.product] = _as_loops(itertools.product, _product)
HANDLERS[heapq.merge] = _ahead(_staged(merged))
_cycle = HANDLERS[itertools.cycle]
_longest, _longest_of_long = _ahead(HANDLERS[itertools.zip_longest]), _ahead(_staged(longest))
_pairwise = HANDLERS[itertools.pairwise]


@handles(itertools.zip_longest)
def zip_longest(machine: Any, *parts: Any, **kwargs: Any) -> Any:
    long = any(_is_long(machine, part) for part in parts)
    return (_longest_of_long if long else _longest)(machine, *parts, **kwargs)


@handles(itertools.pairwise)
def pairwise(machine: Any, iterable: Any) -> Any:
    if type(iterable) is str:
        return machine.call(zip, iterable, iterable[1:])
    if not _is_long(machine, iterable):
        return _pairwise(machine, iterable)
    items = staged_iterable(machine, iterable)
    made = machine.containers.made
    return made(Cursor(Zip((items, made(Cursor(items, 1))))))


@handles(itertools.cycle)
def cycle(machine: Any, iterable: Any) -> Any:
    return machine.call(cycled, iterable) if _is_lazy(iterable) else _cycle(machine, iterable)


@handles(unnoticed)
def unnoticed_(machine: Any, function: Any, item: Any) -> Any:
    return machine.cursors.unnoticed(lambda: machine.call(function, item))


@handles(read_by)
def read_by_(machine: Any, *makers: Any) -> Ahead:
    return Ahead(machine, makers)


@handles(check_same)
def check_same_(machine: Any, read: Ahead) -> None:
    machine.cursors.check_same(read)


@handles(itertools.tee)
def tee(machine: Any, iterable: Any, n: int = 2) -> tuple[Any, ...]:
    found = staged_iterable(machine, iterable) or iterable
    if not isinstance(found, (Staged, list, tuple)):
        ahead = Ahead(machine, iterable)
        items = machine.containers.made(machine.cursors.unnoticed(
            lambda: list(machine.iterate(iterable))))
        return tuple([machine.containers.made(Cursor(items, ahead=ahead)) for _ in range(n)])
    return tuple(machine.containers.made(Cursor(found)) for _ in range(n))
