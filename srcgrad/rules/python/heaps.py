"""Heaps as ``heapq`` keeps them: what stands in one for an item that lies elsewhere."""

from __future__ import annotations

from typing import Any


class Place(int):
    """The number of an item, in which two entries of a heap do not differ."""

    def __eq__(self, other: object) -> bool:
        return type(other) is Place or int.__eq__(self, other)

    __hash__ = None  # type: ignore[assignment]


class Unordered(int):
    """What tells a thing that has no order: it is equal to itself alone."""

    def __lt__(self, other: object) -> bool:
        raise TypeError("'<' not supported between items of a heap whose numbers are equal: what "
                        "comes after these numbers is not compared")

    __gt__ = __lt__


def heap_item(place: int, *key: Any) -> tuple[Any, ...]:
    """What stands for item number ``place`` in a heap: the parts by which it is compared.

    Items whose parts are equal are in no order, as tuples of these parts are.

    >>> heap_item(5, 0.5, 2) < heap_item(0, 0.5, 3), heap_item(5, 0.5) < heap_item(6, 0.5)
    (True, False)
    """
    return (*key, Place(place))


def heap_item_of(place: int, told: int, *key: Any) -> tuple[Any, ...]:
    """The same where a thing that has no order comes after these parts; ``told`` is its number.

    >>> heap_item_of(5, 1, 0.5) < heap_item_of(6, 2, 0.5)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    TypeError: '<' not supported between items of a heap whose numbers are equal: ...
    """
    return (*key, Unordered(told), Place(place))
