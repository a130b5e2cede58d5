"""What kernels ask before they go on: questions whose answer Python gives by an exception.

They are ordinary functions; the kernels call their compiled forms.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.native.approximate import APPROXIMATIONS, fast_erf, fast_exp, fast_log, fast_tanh

__all__ = ["fast_erf", "fast_exp", "fast_log", "fast_tanh"]



def overflowed(result: float, x: float) -> bool:
    """Did a function of a finite number give an infinite one?"""
    return abs(result) == np.inf and abs(x) != np.inf and x == x


def outside(index: int, size: int) -> bool:
    """Does an index lie outside of an axis?

    >>> outside(2, 2), outside(-2, 2)
    (True, False)
    """
    return index >= size or index < -size


def any_outside(indices: Any, size: int) -> bool:
    """Does one of many indices lie outside of an axis?"""
    found = False
    for index in indices.flat:
        found |= index >= size or index < -size
    return found


def first_outside(indices: Any, size: int) -> int:
    """The first of many indices that lies outside of an axis.

    >>> first_outside(np.array([0, -3, 2]), 2)
    -3
    """
    for index in indices.flat:
        if index >= size or index < -size:
            return int(index)
    return 0


def undefined(result: float, x: float) -> bool:
    """Did a function leave its domain: no number of a number, infinity of what is finite?

    >>> nan = float("nan")
    >>> undefined(nan, -1.0), undefined(nan, nan), undefined(-np.inf, 0.0)
    (True, False, True)
    """
    return (result != result and x == x) or (
        abs(result) == np.inf and abs(x) != np.inf and x == x)


def pythons(*numbers: Any) -> bool:
    """Are all of these numbers Python's?  Kernels do not call it: flags tell them.

    >>> pythons(1.0, 2), pythons(1.0, np.float64(2.0))
    (True, False)
    """
    return all(type(number) in (int, float, bool) for number in numbers)


def plus(total: float, term: float) -> float:
    """A sum that may be regrouped with others of its kind (see :mod:`srcgrad.native.regrouped`)."""
    return total + term


def minus(total: float, term: float) -> float:
    """A sum that may be regrouped, less a term."""
    return total - term


def last_nonzero(row: Any, start: int, stop: int) -> int:
    """The last place from ``start`` down to above ``stop`` where a row is not zero, or ``stop``.

    >>> last_nonzero(np.array([3.0, 0.0, 1.0, 0.0]), 3, -1), last_nonzero(np.zeros(20), 19, 0)
    (2, 0)
    """
    place = start
    while place - 8 >= stop:
        k = at(place - 7)
        if (abs(row[k]) + abs(row[k + 1]) + abs(row[k + 2]) + abs(row[k + 3])
                + (abs(row[k + 4]) + abs(row[k + 5]) + abs(row[k + 6]) + abs(row[k + 7]))) == 0.0:
            place -= 8
        else:
            break
    while place > stop and row[at(place)] == 0.0:
        place -= 1
    return place


def too_large(number: int) -> bool:
    """Might sums and products of such integers not fit the machine's?"""
    return number >= 2147483648 or number <= -2147483648


def signed(index: int) -> int:
    """The index of a parallel loop, which Numba counts without a sign: ``-index`` is below zero."""
    return index + 0


def at(index: int) -> Any:
    """An index that does not count from the end (see :mod:`srcgrad.native.unsigned`)."""
    return np.uint64(index)


def sign_of(x: Any) -> Any:
    """``np.sign`` of a float: Numba's gives minus zero of minus zero.

    >>> float(sign_of(-0.0)), float(sign_of(-2.5))
    (0.0, -1.0)
    """
    return abs(x) if x == 0 else np.sign(x)


def rise(heap: Any, start: int, place: int) -> None:
    """Lets an item of a heap rise to its place, at most to ``start``.

    The last part of an item, which tells where it lies, is not compared (see
    :mod:`srcgrad.rules.python.heaps`).
    """
    item = heap[place]
    while place > start:
        above = (place - 1) // 2
        if not item[:-1] < heap[above][:-1]:
            break
        heap[place] = heap[above]
        place = above
    heap[place] = item


def sift(heap: Any) -> None:
    """Lets the last item of a heap, which was appended, rise to its place."""
    rise(heap, 0, len(heap) - 1)


def pop_least(heap: Any) -> Any:
    """The least item of a heap, which loses it: items are moved as ``heapq`` moves them.

    >>> heap = []
    >>> for item in [(2.0, 0), (1.0, 1), (3.0, 2), (1.0, 3)]:
    ...     heap.append(item)
    ...     sift(heap)
    >>> [pop_least(heap)[-1] for _ in range(4)]
    [1, 3, 0, 2]
    """
    if len(heap) == 0:
        raise IndexError("index out of range")
    item = heap.pop()
    size = len(heap)
    if size == 0:
        return item
    least, heap[0] = heap[0], item
    sink(heap, 0)
    return least


def sink(heap: Any, start: int) -> None:
    """Lets an item of a heap sink to the end, and rise from there to its place."""
    item, size, place, below = heap[start], len(heap), start, 2 * start + 1
    while below < size:
        if below + 1 < size and not heap[below][:-1] < heap[below + 1][:-1]:
            below += 1
        heap[place] = heap[below]
        place, below = below, 2 * below + 1
    heap[place] = item
    rise(heap, start, place)


def in_order(heap: Any) -> None:
    """Makes a heap of a list, as ``heapq`` does."""
    for start in range(len(heap) // 2 - 1, -1, -1):
        sink(heap, start)


def array_of(items: Any, type_: Any) -> Any:
    """The array of a list of numbers.  (Numba takes ``np.array(items)`` beside the loop that fills
    the list for an array that the loop fills.)"""
    return np.array(items, dtype=type_)


def total(values: Any) -> Any:
    """``np.sum`` of float64 in NumPy's order: from 0.0 on, pairwise within blocks of 128.

    >>> x = np.random.default_rng(0).standard_normal(1000)
    >>> bool(total(x) == np.sum(x)), float(total(np.array([-0.0])))
    (True, 0.0)
    """
    if values.ndim == 1:
        return 0.0 + pairwise(values, 0, values.shape[0])
    if values.flags.c_contiguous:
        return 0.0 + pairwise(values.ravel(), 0, values.size)
    if values.flags.f_contiguous:
        return 0.0 + pairwise(values.T.ravel(), 0, values.size)
    return 0.0 + pairwise(np.ascontiguousarray(values).ravel(), 0, values.size)


def pairwise(values: Any, start: int, count: int) -> Any:
    """The sum of ``count`` elements from ``start`` on, half by half.

    It does not call itself: what Numba makes of such a function cannot be kept on disk.
    """
    if count <= 128:
        return block(values, start, count)
    counts, first = np.empty(64, np.int64), np.empty(64)  # of halves, and the sums of first ones
    counts[0], depth, second = count, 0, 0  # bits of ``second``: is it the second half?
    while True:
        while counts[depth] > 128:
            half = counts[depth] // 2
            depth += 1
            counts[depth] = half - half % 8
        found = block(values, start, counts[depth])
        start += counts[depth]
        while (second >> depth) & 1:
            second -= 1 << depth
            depth -= 1
            found = first[depth] + found
        if depth == 0:
            return found
        first[depth - 1] = found
        second += 1 << depth
        counts[depth] = counts[depth - 1] - counts[depth]


def block(values: Any, start: int, count: int) -> Any:
    """The sum of at most 128 elements from ``start`` on.  (Numba asks of indices with a sign
    whether they count from the end.)"""
    if count < 8:
        found = 0.0
        for i in range(start, start + count):
            found += values[i]
        return found
    at, end = np.uint64(start), np.uint64(start + count - count % 8)
    a, b, c, d = values[start], values[start + 1], values[start + 2], values[start + 3]
    e, f, g, h = values[start + 4], values[start + 5], values[start + 6], values[start + 7]
    at += np.uint64(8)
    while at < end:
        a += values[at]
        b += values[at + np.uint64(1)]
        c += values[at + np.uint64(2)]
        d += values[at + np.uint64(3)]
        e += values[at + np.uint64(4)]
        f += values[at + np.uint64(5)]
        g += values[at + np.uint64(6)]
        h += values[at + np.uint64(7)]
        at += np.uint64(8)
    found = ((a + b) + (c + d)) + ((e + f) + (g + h))
    for i in range(start + count - count % 8, start + count):
        found += values[i]
    return found


PREDICATES: frozenset[Any] = frozenset({outside, any_outside, first_outside, undefined, overflowed,
                                         too_large, pythons, plus, minus, at,
                                         *APPROXIMATIONS.values()})
CALLED = frozenset({"array_of", "in_order", "last_nonzero", "pop_least", "sift", "sign_of",
                    "signed", "too_large", "total"})  # by kernels, beside what the graph names
