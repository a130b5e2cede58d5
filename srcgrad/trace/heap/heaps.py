"""``heapq`` on traced values: a run-time heap tells the order, what its items hold lies in lists.

Such a list is a :class:`Row` of the places that ``heapq`` itself keeps in order; nothing is ever
taken away from the lists, so that what carries derivatives is only appended to and read.  Things
that compare by a method of their own stay in a list, in which staged Python keeps the order.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any

from ...errors import UnsupportedOperation
from ...types.kinds import OPAQUE
from ..calls.handlers import HANDLERS
from ..record.tracers import is_tracer
from .outlines import is_plain
from .rows import Row
from .written_out import ordered, popped, pushed, pushed_and_popped, replaced

WRITTEN_OUT: dict[Any, Callable[..., Any]] = {
    heapq.heapify: ordered, heapq.heappush: pushed, heapq.heappop: popped,
    heapq.heapreplace: replaced, heapq.heappushpop: pushed_and_popped}


def _in_order(machine: Any, function: Callable[..., Any], heap: Any, *items: Any) -> Any:
    """What a function of ``heapq`` does to a list; the item that it returns."""
    if type(heap) is Row:
        machine.keys.check_heap(heap)
        places = [machine.call_method(heap.cells, "place_for", item) for item in items]
        gives = function not in (heapq.heappush, heapq.heapify)
        found = machine.effects.emit_effect(function, (heap.places, *places), {},
                                            OPAQUE if gives else None)
        return machine.call_method(heap.cells, "read", found) if gives else None
    if not isinstance(heap, list) or machine.merges.is_outside(heap):
        raise machine.recorder.fatal(UnsupportedOperation(
            "heapq on a list from outside", why="its order would change for the caller",
            fix="make a list of its items inside of the function"))
    if id(heap) in machine.symbolic_lists or not all(map(_is_known, [*heap, *items])):
        row = machine.keys.as_heap(heap)
        if row is None:
            return machine.operators.helped(WRITTEN_OUT[function], heap, *items)
        found = _in_order(machine, function, row, *items)
        made = machine.call(list, row)
    else:
        made = list(heap)
        found = function(made, *items)
    machine.list_methods.refill(heap, made)
    return found


def _is_known(item: Any) -> bool:
    """Is it known while compiling how an item compares?"""
    return all(map(_is_known, item)) if type(item) is tuple else (
        is_plain(item) and not is_tracer(item))


def _handler(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda machine, heap, *items: _in_order(machine, function, heap, *items)


HANDLERS.update((function, _handler(function)) for function in WRITTEN_OUT)


def _extremes(largest: bool) -> Callable[..., Any]:
    def handler(machine: Any, n: Any, iterable: Any, key: Any = None) -> Any:
        items = machine.call(list, iterable)
        if type(items) is list and id(items) in machine.symbolic_lists:
            return machine.list_methods.sorted_list(items, key, largest, n)
        ordered = machine.call(sorted, items, key=key, reverse=largest)
        return machine.getitem(ordered, slice(None, n, None))

    return handler


HANDLERS[heapq.nsmallest] = _extremes(False)
HANDLERS[heapq.nlargest] = _extremes(True)
