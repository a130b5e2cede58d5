"""A deque as a list, whose length may depend on data: a class that is staged like the user's."""

from __future__ import annotations

import collections
import operator
from collections.abc import Iterable
from typing import Any

from ..assumptions import KnownLengths
from ..record.tracers import StandIn
from .run_time import note_turn, walk


def queue_of(items: Any, maxlen: int | None) -> Any:
    """What stands for the deque with these items, which lie in a store."""
    made = object.__new__(Queue)
    made.items, made.maxlen, made.turns = items, maxlen, None
    return made


def is_deque(obj: Any) -> bool:
    """Is it a deque, for the program?"""
    return isinstance(obj, collections.deque)


def turns_of(queue: Any) -> int:
    """What is another number when a deque has changed."""
    return len(queue.items) if queue.turns is None else queue.turns


class Queue(StandIn):
    """Stands for a ``collections.deque`` that the program makes."""

    cls = collections.deque
    kept_under = KnownLengths()

    def __init__(self, items: Iterable[Any] = (), maxlen: int | None = None) -> None:
        self.items: list[Any] = []
        self.maxlen = maxlen
        self.turns: int | None = 0  # how often it has changed, which its iterators look at
        self.extend(items)

    def turn(self) -> None:
        """It changes, other than by what an item is."""
        note_turn(self)
        if self.turns is not None:
            self.turns += 1

    def append(self, item: Any) -> None:
        self.turn()
        self.items.append(item)
        if self.maxlen is not None and len(self.items) > self.maxlen:
            self.items.pop(0)

    def appendleft(self, item: Any) -> None:
        self.turn()
        self.items.insert(0, item)
        if self.maxlen is not None and len(self.items) > self.maxlen:
            self.items.pop()

    def extend(self, items: Iterable[Any]) -> None:
        for item in items:
            self.append(item)

    def extendleft(self, items: Iterable[Any]) -> None:
        for item in items:
            self.appendleft(item)

    def pop(self) -> Any:
        if len(self.items) == 0:
            raise IndexError("pop from an empty deque")
        self.turn()
        return self.items.pop()

    def popleft(self) -> Any:
        if len(self.items) == 0:
            raise IndexError("pop from an empty deque")
        self.turn()
        return self.items.pop(0)

    def rotate(self, n: int = 1) -> None:
        if len(self.items) > 1:
            self.turn()
        for _ in range(n):
            if len(self.items) > 0:
                self.items.insert(0, self.items.pop())
        for _ in range(-n):
            if len(self.items) > 0:
                self.items.append(self.items.pop(0))

    def clear(self) -> None:
        self.turn()
        self.items.clear()

    def copy(self) -> Any:
        return Queue(self.items, self.maxlen)

    __copy__ = copy

    def count(self, item: Any) -> int:
        return self.items.count(item)

    def index(self, item: Any, *ends: int) -> int:
        return self.items.index(item, *ends)

    def insert(self, index: int, item: Any) -> None:
        if self.maxlen is not None and len(self.items) >= self.maxlen:
            raise IndexError("deque already at its maximum size")
        self.turn()
        self.items.insert(index, item)

    def remove(self, item: Any) -> None:
        if item not in self.items:
            raise ValueError(f"{item!r} is not in deque")
        self.turn()
        self.items.remove(item)

    def reverse(self) -> None:
        self.items.reverse()

    def __len__(self) -> int:
        return len(self.items)

    def __bool__(self) -> bool:
        return len(self.items) > 0

    def __iter__(self) -> Any:
        return walk(self, iter(self.items))

    def __reversed__(self) -> Any:
        return walk(self, reversed(self.items))

    def __contains__(self, item: Any) -> bool:
        return item in self.items

    def __getitem__(self, index: int) -> Any:
        if isinstance(index, slice):
            raise TypeError("sequence index must be integer, not 'slice'")
        return self.items[index]

    def __setitem__(self, index: int, item: Any) -> None:
        self.items[operator.index(index)] = item

    def __delitem__(self, index: int) -> None:
        self.turn()
        del self.items[operator.index(index)]

    def __eq__(self, other: Any) -> Any:
        return self.items == other.items if is_deque(other) else NotImplemented

    def __lt__(self, other: Any) -> Any:
        return self.items < other.items if is_deque(other) else NotImplemented

    def __le__(self, other: Any) -> Any:
        return self.items <= other.items if is_deque(other) else NotImplemented

    def __gt__(self, other: Any) -> Any:
        return self.items > other.items if is_deque(other) else NotImplemented

    def __ge__(self, other: Any) -> Any:
        return self.items >= other.items if is_deque(other) else NotImplemented

    __hash__ = object.__hash__

    def __add__(self, other: Any) -> Any:
        if not is_deque(other):
            return NotImplemented
        made = self.copy()
        made.extend(other)
        return made

    def __mul__(self, count: int) -> Any:
        return Queue(self.items * count, self.maxlen)

    __rmul__ = __mul__

    def __imul__(self, count: int) -> Any:
        if count < 1:
            self.clear()
        elif count > 1 and (self.maxlen is None or len(self.items) < self.maxlen):
            self.extend(self.items * (count - 1))
        return self

    def __iadd__(self, items: Iterable[Any]) -> Any:  # type: ignore[misc]
        self.extend(items)
        return self
