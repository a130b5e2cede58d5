"""Views of arrays in names, lists and dicts that loops over generators bind, and generators that
call themselves."""

from __future__ import annotations

import itertools

import numpy as np

CASES = []


def case(*args):
    def keep(fn):
        CASES.append((fn, args))
        return fn

    return keep


X = np.array([1.2, 0.7, 0.3])


def upto(n):
    for i in range(n):
        yield i


@case(X)
def a_view_from_two_nested_generators(x):
    a = np.zeros((2, 3))
    a[1] = x
    for _ in upto(2):
        for _ in upto(2):
            v = a[0]
    a[0] = x
    total = np.sum(v * v)
    v[:] = x * x
    return total + np.sum(a * a)


@case(X)
def a_view_from_nested_chains(x):
    a = np.outer(x, x)
    for q in itertools.chain(upto(2), range(1)):
        for r in itertools.chain(upto(2), range(1)):
            v = a[0]
    a *= x
    return np.sum(v * v)


@case(X)
def views_in_a_list(x):
    a = np.zeros((2, 3))
    a[1] = x
    views = []
    for _ in upto(2):
        for r in upto(2):
            views.append(a[r])
    a[0] = x * 2
    rows = list(a)
    a[1] *= x
    return np.sum(views[0] * views[1]) + np.sum(views[-2]) + np.sum(rows[0] * rows[1])


@case(X)
def a_view_after_a_loop_that_is_left(x):
    a = np.outer(x, x)
    for _ in upto(2):
        for r in upto(2):
            if x[r] > 1:
                break
            v = a[0]
        else:
            v = a[1]
        v = a[2]
    a *= 2
    return np.sum(v)


def down(x, n):
    yield x[n]
    if n < 2 and x[n] > 0.5:
        yield from down(x, n + 1)
    yield x[n] * x[n]


def halves(x, size):
    if size > 0.33:
        for item in halves(x, size * 0.5):
            yield item
    yield x[0] * size


@case(X)
def left_early(x):
    total = 0.0
    for v in down(x, 0):
        total = total * 0.9 + v
        if total > 1.5:
            break
    for v in halves(x, x[0]):
        if v < 0.5:
            continue
        total = total * 0.8 + v
        if total > 3:
            return total * 2
    return total


@case(X)
def one_in_the_other(x):
    total = 0.0
    for v in down(x, 0):
        for u in halves(x, x[0]):
            total = total * 0.9 + v * u
    return total


def a_number_or_a_view(x, y, cut, n):
    """A name is a number, or a view of which only one path knows the size."""
    for _ in x:
        e = 0.0
        if y[0] > 0.64:
            e = y[:cut(n, x)]
    if n > 1:
        e = e + x
    return np.dot(e, e)


def one_more(n, x):
    return n + 1


def divided(n, x):
    return 6 // n


def left_of(n, x):
    return len(x[n - 2:])


for _first in (0.3, 1.3):
    for _cut in (one_more, divided, left_of):
        CASES.append((a_number_or_a_view, (X, np.array([_first, 0.2, 0.7]), _cut, 2)))
