"""itertools while tracing."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterator
from typing import Any

from ...stage.machine import BREAK, NORMAL
from ...types.kinds import Kind
from ..assumptions import ListedGenerators
from ..boundary.scratch import FOUND
from ..calls.handlers import HANDLERS, handles
from ..record.tracers import is_tracer
from .iteration import Cursor, Zip, length, staged_iterable
from .iterator_tools import chained, compressed, counted, flattened, grouped, merged


def _items(machine: Any, arg: Any) -> Any:
    """An argument of an itertool: traced iterables as lists of their items."""
    if is_tracer(arg) and arg.aval.kind is not Kind.ARRAY:
        return arg
    if staged_iterable(machine, arg) is not None:
        return list(machine.iterate(arg))
    return machine.containers.watched(machine.containers.outside_items(arg)) if hasattr(type(arg),
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


for _tool in (itertools.chain, itertools.product, itertools.combinations,
              itertools.permutations, itertools.islice, itertools.repeat, itertools.cycle,
              itertools.pairwise, itertools.zip_longest,
              itertools.combinations_with_replacement):
    HANDLERS[_tool] = _itertool(_tool)


@handles(itertools.count)
def count(machine: Any, start: Any = 0, step: Any = 1) -> Any:
    return machine.call(counted, start, step)


def _is_long(machine: Any, items: Any) -> bool:
    """Does only a run know how many items there are?"""
    found = staged_iterable(machine, items)
    return found is not None and type(length(machine, found)) is not int


_chain = HANDLERS[itertools.chain]


@handles(itertools.chain)
def chain(machine: Any, *parts: Any) -> Any:
    if any(_is_long(machine, part) for part in parts):
        return machine.call(chained, *parts)
    return _chain(machine, *parts)


_pairwise = HANDLERS[itertools.pairwise]


@handles(itertools.pairwise)
def pairwise(machine: Any, iterable: Any) -> Any:
    if not _is_long(machine, iterable):
        return _pairwise(machine, iterable)
    items = staged_iterable(machine, iterable)
    made = machine.containers.made
    return made(Cursor(Zip((items, made(Cursor(items, 1))))))


@handles(itertools.chain.from_iterable)
def chain_from(machine: Any, iterables: Any) -> Any:
    if _is_long(machine, iterables):
        return machine.call(flattened, iterables)
    iterables = list(machine.iterate(iterables))
    if any(_is_long(machine, part) for part in iterables):
        return machine.call(chained, *iterables)
    return itertools.chain(*[_items(machine, i) for i in iterables])


@handles(itertools.starmap)
def starmap(machine: Any, function: Any, rows: Any) -> Iterator[Any]:
    return iter([machine.call(function, *machine.iterate(row)) for row in machine.iterate(rows)])


@handles(itertools.tee)
def tee(machine: Any, iterable: Any, n: int = 2) -> tuple[Any, ...]:
    found = staged_iterable(machine, iterable)
    items = found if found is not None else machine.containers.made(list(machine.iterate(iterable)))
    return tuple(machine.containers.made(Cursor(items)) for _ in range(n))


@handles(itertools.compress)
def compress(machine: Any, data: Any, selectors: Any) -> Any:
    if ListedGenerators() in machine.assumed:  # what is kept depends on data
        return machine.call(compressed, data, selectors)
    return iter([d for d, s in zip(machine.iterate(data), machine.iterate(selectors), strict=False)
                 if machine.truth(s)])


@handles(itertools.takewhile)
def takewhile(machine: Any, predicate: Any, iterable: Any) -> Any:
    """The items before the first that fails; a list where that depends on data."""
    kept: list[Any] = machine.containers.made([])

    def keep() -> Any:
        item = machine.list_methods.held
        return machine.if_(machine.call(predicate, item),
                           lambda: machine.append_held_item(kept, item), lambda: BREAK)

    return _chosen(machine, iterable, kept, keep)


@handles(itertools.dropwhile)
def dropwhile(machine: Any, predicate: Any, iterable: Any) -> Any:
    """The items from the first that fails on; a list where that depends on data."""
    kept: list[Any] = machine.containers.made([])
    frame = machine.scratch_frame(FOUND, False)

    def keep() -> Any:
        item = machine.list_methods.held
        goes_on = machine.or_(machine.load(frame, FOUND),
                              lambda: machine.not_(machine.call(predicate, item)))
        machine.store(frame, FOUND, goes_on)
        return machine.if_(goes_on, lambda: machine.append_held_item(kept, item), lambda: NORMAL)

    return _chosen(machine, iterable, kept, keep)


def _chosen(machine: Any, iterable: Any, kept: list[Any], keep: Callable[[], Any]) -> Any:
    """An iterator over what a loop over the items has kept.  (Python's own iterators may be
    endless: they are advanced while the answer is known, and lazily.)"""
    items = staged_iterable(machine, iterable) or machine.iterate(iterable)
    machine.for_(items, machine.hold, keep)
    return machine.containers.made(Cursor(staged_iterable(machine, kept) or kept))


@handles(itertools.filterfalse)
def filterfalse(machine: Any, predicate: Any, iterable: Any) -> Iterator[Any]:
    return machine.call(  # type: ignore[no-any-return]
        filter, lambda i: machine.not_(i if predicate is None else machine.call(predicate, i)),
        iterable)


@handles(itertools.groupby)
def groupby(machine: Any, iterable: Any, key: Any = None) -> Any:
    if ListedGenerators() in machine.assumed:  # the keys depend on data
        return machine.call(grouped, iterable, key)
    groups: list[tuple[Any, list[Any]]] = []
    for item in machine.iterate(iterable):
        label = item if key is None else machine.call(key, item)
        if groups and machine.truth(machine.compare("==", label, groups[-1][0])):
            groups[-1][1].append(item)
        else:
            groups.append((label, machine.containers.made([item])))
    return iter([(label, machine.containers.made(Cursor(items))) for label, items in groups])


@handles(heapq.merge)
def merge(machine: Any, *parts: Any, key: Any = None, reverse: Any = False) -> Any:
    return machine.call(merged, *parts, key=key, reverse=reverse)


@handles(itertools.accumulate)
def accumulate(machine: Any, iterable: Any, func: Any = None, *,
               initial: Any = None) -> Iterator[Any]:
    result: list[Any] = [] if initial is None else [initial]
    for item in machine.iterate(iterable):
        if not result:
            result.append(item)
        elif func is None:
            result.append(machine.binary("+", result[-1], item))
        else:
            result.append(machine.call(func, result[-1], item))
    return iter(result)
