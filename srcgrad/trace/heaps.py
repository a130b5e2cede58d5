"""``heapq`` on traced values: the order of the heap is looked up when the code runs."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import UnsupportedOperation
from ..kinds import NUMERIC
from ..rules.heaps import heap_places
from .handlers import HANDLERS, handles
from .iteration import Rows
from .journal import Content, Snapshot
from .states import Columns
from .structures import leaf_aval
from .tracers import ArrayTracer, contains_tracer


def _reordered(machine: Any, heap: list[Any], operation: str) -> None:
    """Give a list the order that it has after an operation of ``heapq``."""
    state = machine.symbolic_lists.get(id(heap))
    if state is not None:
        _unknown_reordered(machine, heap, operation, state)
        return
    items = list(heap)
    rows = [_key(item) for item in items]
    if items and not contains_tracer(rows) and all(len(r) == len(rows[0]) for r in rows):
        places: Any = heap_places(operation, np.array(rows)).tolist()
        found = [items[i] for i in places]
    elif not items:
        found = []
    else:
        keys = machine.call(np.array, [row[0] if len(row) == 1 else row for row in rows])
        places = machine.call(heap_places, operation, keys)
        count = len(items) - (operation == "heappop")
        found = [machine.picks.pick(items, machine.getitem(places, i)) for i in range(count)]
    if any(f is None for f in found):
        raise machine.recorder.of_forms(UnsupportedOperation(
            "a heap of unlike things", why="which of them comes first depends on data",
            fix="keep tuples of one form in the heap"))
    machine.journal.write(Content(heap, machine.symbolic_lists), Snapshot(list, tuple(found)))


def _key(item: Any) -> list[Any]:
    """The numbers by which an item is compared: those at the front of a tuple."""
    parts = item if isinstance(item, tuple) else (item,)
    key: list[Any] = []
    for part in parts:
        aval = leaf_aval(part)
        if aval is None or aval.kind not in NUMERIC or type(part) is ArrayTracer:
            break
        key.append(part)
    if not key:
        raise TypeError(f"'<' not supported between instances of {type(item).__name__!r}")
    return key


def _unknown_reordered(machine: Any, heap: list[Any], operation: str, state: Any) -> None:
    """The same for a list whose length only a run knows."""
    columns = state.columns if type(state) is Columns else (state,)
    keys = [machine.call(np.array, machine.lists.held_list(c)) for c in columns
            if c.value.aval.elem is not None and c.value.aval.elem.kind in NUMERIC]
    table = keys[0] if len(keys) == 1 else machine.call(np.stack, keys, axis=1)
    places = machine.call(heap_places, operation, table)
    made: list[Any] = machine.lists.held_list(Snapshot(list, ()))

    def append() -> int:
        machine.presence.container_method(made, "append",
                                          (machine.getitem(heap, machine.list_methods.held),), {})
        return 0

    machine.for_(Rows(places), machine.hold, append)
    machine.list_methods.refill(heap, made)


def _known(machine: Any, heap: Any) -> None:
    if not isinstance(heap, list) or machine.merges.is_outside(heap):
        raise machine.recorder.fatal(UnsupportedOperation(
            "heapq on a list from outside", why="its order would change for the caller",
            fix="make a list of its items inside of the function"))


@handles(heapq.heapify)
def heapify(machine: Any, heap: list[Any]) -> None:
    _known(machine, heap)
    _reordered(machine, heap, "heapify")


@handles(heapq.heappush)
def heappush(machine: Any, heap: list[Any], item: Any) -> None:
    _known(machine, heap)
    machine.presence.container_method(heap, "append", (item,), {})
    _reordered(machine, heap, "heappush")


@handles(heapq.heappop)
def heappop(machine: Any, heap: list[Any]) -> Any:
    _known(machine, heap)
    if id(heap) not in machine.symbolic_lists and not heap:
        raise IndexError("index out of range")
    first = machine.getitem(heap, 0)
    _reordered(machine, heap, "heappop")
    return first


@handles(heapq.heappushpop)
def heappushpop(machine: Any, heap: list[Any], item: Any) -> Any:
    """The item itself where the heap has nothing smaller, else the smallest of the heap."""
    if id(heap) not in machine.symbolic_lists and not heap:
        return item

    def exchanged() -> Any:
        return heapreplace(machine, heap, item)

    smaller = machine.compare("<", machine.getitem(heap, 0), item)
    return machine.if_expression(smaller, exchanged, lambda: item)


@handles(heapq.heapreplace)
def heapreplace(machine: Any, heap: list[Any], item: Any) -> Any:
    first = machine.getitem(heap, 0)
    machine.setitem(heap, 0, item)
    _known(machine, heap)
    _reordered(machine, heap, "heapreplace")
    return first


def _extremes(largest: bool) -> Callable[..., Any]:
    def handler(machine: Any, n: Any, iterable: Any, key: Any = None) -> Any:
        ordered = machine.call(sorted, iterable, key=key, reverse=largest)
        return machine.getitem(ordered, slice(None, n, None))

    return handler


HANDLERS[heapq.nsmallest] = _extremes(False)
HANDLERS[heapq.nlargest] = _extremes(True)
