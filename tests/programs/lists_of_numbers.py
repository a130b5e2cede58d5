"""Lists of Python's numbers: what is sliced, taken apart and chosen among stays numbers."""

from __future__ import annotations

import math

import numpy as np

X = np.random.RandomState(6).normal(size=11)
CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


@case(X)
@case(X[:1])
def quicksort(x):
    def ordered(items):
        if len(items) <= 1:
            return items
        pivot, rest = items[0], items[1:]
        return ordered([v for v in rest if v < pivot]) + [pivot] + ordered(
            [v for v in rest if v >= pivot])

    return sum(v * v * i for i, v in enumerate(ordered([v for v in x])))


@case(X)
def merge_sort(x):
    def merged(a, b):
        if not a:
            return b
        if not b:
            return a
        if a[0] <= b[0]:
            return [a[0]] + merged(a[1:], b)
        return [b[0]] + merged(a, b[1:])

    def ordered(items):
        if len(items) <= 1:
            return items
        middle = len(items) // 2
        return merged(ordered(items[:middle]), ordered(items[middle:]))

    return sum(v * v * i for i, v in enumerate(ordered([v for v in x])))


def positive(x):
    return [v * v for v in x if v > 0]


@case(X)
@case(-X)
@case(-np.abs(X))
def slices(x):
    items = positive(x)
    total = 0.0
    for part in (items[1:], items[:-1], items[2:5], items[-3:], items[::2], items[::-1],
                 items[4:1:-1], items[-2::-2], items[7:]):
        for i, v in enumerate(part):
            total += (i + 1) * v * v
    return total + sum(items)


@case(X)
def slices_changed(x):
    items = positive(x)
    rest = items[1:]
    rest[0] = rest[0] * items[0]
    items[1] = 2.0 * items[0]
    rest.append(items[-1])
    return sum(v * i for i, v in enumerate(rest)) + sum(v * v for v in items)


@case(X, 3)
def slices_again_and_again(x, n):
    items = positive(x)
    total = 0.0
    for _ in range(n):
        head, items = items[0], items[1:]
        total = 0.7 * total + head * sum(items)
    return total


@case(X)
@case(-X)
@case(np.array([0.5, 0.0, 1.0]))
def roots_that_may_not_be(x):
    total = 0.0
    for v in x:
        try:
            total += math.sqrt(v + 0.25)
        except ValueError:
            total -= v
    return total


@case(X)
def roots_that_are_hidden(x):
    total = 0.0
    for v in x:
        try:
            total = 0.5 * total + math.sqrt(v) * float(v > 0)
        except ValueError:
            total = total * v
    return total


@case(X)
def numbers_that_numpy_chooses(x):
    total = 0.0
    for v in x:
        total += np.where(v > 0, v * v, 2 * v) * np.maximum(v, 0.1) + np.minimum(total, v) * 0.5
    return total
