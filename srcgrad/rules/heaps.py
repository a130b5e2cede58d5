"""Heaps as ``heapq`` keeps them: where the items of a list stand after an operation on it."""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np

from .book import nondiff
from .broadcast import runtime

Array = np.ndarray[Any, Any]


@runtime
def heap_places(operation: str, keys: Array) -> Array:
    """The numbers of the items of a heap in its order after an operation of ``heapq``.

    ``keys`` has a key for each item, or a row of numbers that are compared from left to right.
    After ``"heappush"`` the last item is in the heap, after ``"heappop"`` the first one is not;
    ``"heapreplace"`` finds the place of a new first item.

    >>> heap_places("heapify", np.array([3.0, 1.0, 2.0]))
    array([1, 0, 2])
    >>> heap_places("heappop", np.array([1.0, 3.0, 2.0]))
    array([2, 1])
    """

    class Item:  # only the keys of items are compared
        def __init__(self, key: tuple[Any, ...], place: int) -> None:
            self.key = key
            self.place = place

        def __lt__(self, other: Any) -> bool:
            return bool(self.key < other.key)

    rows = keys.reshape(len(keys), -1).tolist()
    heap = [Item(tuple(row), i) for i, row in enumerate(rows)]
    if operation == "heapify":
        heapq.heapify(heap)
    elif heap and operation == "heappush":
        heapq.heappush(heap, heap.pop())
    elif heap and operation == "heappop":
        heapq.heappop(heap)
    elif heap and operation == "heapreplace":  # a new item is in the first place
        new, heap[0] = heap[0], Item((), -1)
        heapq.heapreplace(heap, new)
    return np.array([item.place for item in heap], dtype=np.intp)


nondiff(heap_places)
