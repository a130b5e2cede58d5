"""``heapq`` in Python, as it is staged for things that compare by a method of their own.

The comparisons are those that ``heapq`` makes, in its order.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any


def rises(heap: Any, place: int, first: int) -> None:
    """Put an item where none above it, down from ``first``, is greater."""
    item = heap[place]
    while place > first:
        above = (place - 1) // 2
        if not item < heap[above]:
            break
        heap[place] = heap[above]
        place = above
    heap[place] = item


def sinks(heap: Any, first: int) -> None:
    """Let the lesser items below a place rise, and put its item where that leaves a gap."""
    place, item = first, heap[first]
    below = 2 * place + 1
    while below < len(heap):
        if below + 1 < len(heap) and not heap[below] < heap[below + 1]:
            below += 1
        heap[place] = heap[below]
        place, below = below, 2 * below + 1
    heap[place] = item
    rises(heap, place, first)


def pushed(heap: Any, item: Any) -> None:
    heap.append(item)
    rises(heap, len(heap) - 1, 0)


def popped(heap: Any) -> Any:
    last = heap.pop()
    return replaced(heap, last) if heap else last


def replaced(heap: Any, item: Any) -> Any:
    first = heap[0]
    heap[0] = item
    sinks(heap, 0)
    return first


def pushed_and_popped(heap: Any, item: Any) -> Any:
    return replaced(heap, item) if heap and heap[0] < item else item


def ordered(heap: Any) -> None:
    for place in reversed(range(len(heap) // 2)):
        sinks(heap, place)


WRITTEN_OUT: dict[Any, Callable[..., Any]] = {
    heapq.heapify: ordered, heapq.heappush: pushed, heapq.heappop: popped,
    heapq.heapreplace: replaced, heapq.heappushpop: pushed_and_popped}
