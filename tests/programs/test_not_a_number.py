"""What Python's functions find in lists with NaN, and the types of the truth values that they give."""

from __future__ import annotations

import bisect
import heapq

import numpy as np
import pytest
from chain import same

import srcgrad as sg

NAN = float("nan")
DATA = ([NAN, 1.0, 2.0, 0.5, 3.0], [1.0, NAN, 0.5, 2.0, NAN], [3.0, 2.0, NAN, 1.0, 0.2],
        [NAN, NAN, 1.0, 4.0, -1.0], [0.5, 1.5, 1.5, 2.0, 1.2])


def some(x):
    return [v for v in x if not v < 0.3]


def sorted_both_ways(x):
    return sorted(some(x)), sorted(some(x), reverse=True), sorted(some(x), key=lambda v: -v)


def extremes(x):
    return max(x), min(x), max(some(x)), min(some(x), key=lambda v: v * v), max(x[0], x[1])


def largest(x):
    return heapq.nlargest(2, some(x)), heapq.nlargest(3, x), heapq.nlargest(1, some(x))


def smallest(x):
    return heapq.nsmallest(2, some(x)), heapq.nsmallest(3, x, key=lambda v: -v)


def heap(x):
    found = []
    for v in some(x):
        heapq.heappush(found, v)
    return [heapq.heappop(found) for _ in range(len(found))]


def places(x):
    found = some(x)
    return bisect.bisect(found, 1.5), bisect.bisect_left(x, x[0]), bisect.bisect(found, x[1], 1)


def put_in_order(x):
    found = some(x)
    bisect.insort(found, x[0])
    bisect.insort_left(found, 1.0)
    return found


def members(x):
    found = [x[0], x[1]] if x[2] > 1 else [x[1]]
    return (x[0] in found, x[0] in (x[1], x[0]), x[0] in x, x[0] not in x, x[1] in some(x),
            1.5 in found, x[2] not in {1.5, x[1]})


PROGRAMS = (sorted_both_ways, extremes, largest, smallest, heap, places, put_in_order, members)


@pytest.mark.parametrize("fn", PROGRAMS)
def test_program(fn):
    traced = sg.jit(fn)
    for data in DATA if fn is not members else DATA[-1:]:
        assert same(traced(np.array(data)), fn(np.array(data))), data


def lists(x):
    """Lists of run-time length, in which a NaN is the one that it is."""
    return some(x), x.tolist(), list(x), [v for v in x]


def first_places(x):
    found = []
    for l in lists(x):
        found.append(l.index(l[0]))
        found.append(l.index(max(l)))
        found.append(l.index(l[-1]))
    return found


def counts(x):
    found = []
    for l in lists(x):
        found.append(l.count(l[0]) + (l[-1] in l))
        found.append(l[0] in (l[-1], l[0]))
        found.append([l[0], 1] in [[l[-1], 1], [l[0], 1]])
    return found


def without_one(x):
    found = []
    for l in lists(x):
        l.remove(l[1])
        found.append(len(l))
    return found


def best_so_far(x):
    l = some(x)
    best = l[0]
    for v in l:
        if v > best or v != v:
            best = v
    return l.index(best), l.count(best)


def rows(x):
    l = [(v, 1) for v in x if not v < 0.3]
    return l.index(l[1]), l.count((l[1][0], 1)), l.count(l[0]), l[0] == (l[0][0], 1)


def numbers_that_are_made(x):
    l = some(x)
    return l.count(l[0] + 0.0), (l[0] * 1.0) in l, [l[0]] == [l[0]], [l[0]] == [+l[0] * 1.0]


def merged(x):
    return (list(heapq.merge(some(x), [1.0, 2.0])), list(heapq.merge([0.5, 4.0], x.tolist())),
            list(heapq.merge(some(x), [2.0, 1.0], reverse=True)))


@pytest.mark.parametrize("fn", (first_places, counts, without_one, best_so_far, rows,
                                numbers_that_are_made, merged))
def test_a_number_is_itself(fn):
    traced = sg.jit(fn)
    for data in DATA:
        assert same(traced(np.array(data)), fn(np.array(data))), data
