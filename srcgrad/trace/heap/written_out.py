"""What is done to lists and tuples, written out in Python.

Where the items or their number depend on data, the function here is staged in place of Python's.
"""

from __future__ import annotations

from typing import Any


def must_be_in_list(found: Any, item: Any) -> None:
    """``list.index`` of what is not there."""
    if not found:
        raise ValueError(f"{item!r} is not in list")


def is_or_equals(one: Any, item: Any) -> Any:
    """What lists ask of their items, where which object one is can be told."""
    return one is item or one == item


def place_of_equal(items: Any, item: Any, equal: Any) -> Any:
    """``items.index(item)``."""
    for place, one in enumerate(items):
        if equal(one, item):
            return place
    raise ValueError(f"{item!r} is not in list" if isinstance(item, tuple) else
                     "list.index(x): x not in list")


def count_of_equal(items: Any, item: Any, equal: Any) -> Any:
    """``items.count(item)``."""
    total = 0
    for one in items:
        if equal(one, item):
            total += 1
    return total


def is_equal_to_one(items: Any, item: Any, equal: Any) -> Any:
    """``item in items``."""
    return any(equal(one, item) for one in items)


def fromkeys(cls: Any, keys: Any, value: Any = None) -> Any:
    """``cls.fromkeys`` of ``dict`` and its subclasses."""
    made = cls()
    for key in keys:
        made[key] = value
    return made


def place_before(items: Any, x: Any) -> int:
    """Where ``x`` belongs in sorted items, before those that equal it."""
    low, high = 0, len(items)
    while low < high:
        middle = (low + high) // 2
        if items[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low


def place_after(items: Any, x: Any) -> int:
    """Where ``x`` belongs in sorted items, after those that equal it."""
    low, high = 0, len(items)
    while low < high:
        middle = (low + high) // 2
        if x < items[middle]:
            high = middle
        else:
            low = middle + 1
    return low


def fold(function: Any, result: Any, items: Any) -> Any:
    """``functools.reduce`` with an initial value."""
    for item in items:
        result = function(result, item)
    return result


def contents(lists: Any) -> Any:
    """Copies of lists that lie in a store."""
    return [one[:] for one in lists]


def items_of(sequence: Any) -> Any:
    """The items of an object that has a length and subscripts."""
    return [sequence[i] for i in range(len(sequence))]


def items_at(items: Any, places: Any) -> Any:
    """The items at some places."""
    return [items[k] for k in places]


def part_of_list(items: Any, start: Any, stop: Any) -> Any:
    """``items[start:stop]`` where the bounds are known at run time only."""
    size = len(items)
    if start is None:
        start = 0
    elif start < 0:
        start = max(start + size, 0)
    if stop is None:
        stop = size
    elif stop < 0:
        stop = stop + size
    else:
        stop = min(stop, size)
    return [items[i] for i in range(start, stop)]


def indices_of(part: Any, size: Any) -> Any:
    """``part.indices(size)`` of a slice."""
    if size < 0:
        raise ValueError("length should not be negative")
    step = 1 if part.step is None else part.step
    if step == 0:
        raise ValueError("slice step cannot be zero")
    least, most = (0, size) if step > 0 else (-1, size - 1)
    start, stop = (least, most) if step > 0 else (most, least)
    if part.start is not None:
        start = part.start
        start = max(start + size, least) if start < 0 else min(start, most)
    if part.stop is not None:
        stop = part.stop
        stop = max(stop + size, least) if stop < 0 else min(stop, most)
    return start, stop, step


def check_count(size: Any, need: int, star: bool) -> None:
    """Raise what unpacking raises where there are not as many items as names."""
    if star:
        if size < need:
            raise ValueError(f"not enough values to unpack (expected at least {need}, got {size})")
    elif size < need:
        raise ValueError(f"not enough values to unpack (expected {need}, got {size})")
    elif size > need:
        raise ValueError(f"too many values to unpack (expected {need})")


def insert_at(items: list[Any], place: Any, value: Any) -> None:
    """``items.insert(place, value)``: the items behind the place move on by one."""
    size = len(items)
    place = max(place + size, 0) if place < 0 else min(place, size)
    items.append(value)
    for j in range(size, 0, -1):
        if j > place:
            items[j] = items[j - 1]
        elif j == place:
            items[j] = value
    if place == 0:
        items[0] = value


def pop_at(items: list[Any], place: Any) -> Any:
    """``items.pop(place)``: the items behind the place move up by one."""
    size = len(items)
    if size == 0:
        raise IndexError("pop from empty list")
    if place < -size or place >= size:
        raise IndexError("pop index out of range")
    place = place + size if place < 0 else place
    value = items[place]
    for j in range(size - 1):
        if j >= place:
            items[j] = items[j + 1]
    items.pop()
    return value


def narrowest(rows: Any) -> Any:
    """How many columns ``zip(*rows)`` has."""
    width = 0
    for i, row in enumerate(rows):
        if i == 0 or len(row) < width:
            width = len(row)
    return width


def column(rows: Any, number: Any) -> Any:
    """A column of ``zip(*rows)``."""
    return [row[number] for row in rows]


# ---- heapq, whose comparisons are made in its order, for things with a method of their own -------
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
