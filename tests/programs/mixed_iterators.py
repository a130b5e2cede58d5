"""Iterators that are kept: taken from by several loops and functions."""

from __future__ import annotations

import collections.abc
import itertools
import math

import numpy as np

CASES = []


def case(*args):
    def reg(f):
        CASES.append((f, args))
        return f

    return reg


X = np.array([0.7, -1.2, 2.1, 0.4, -0.3])


@case(X)
def sum_then_rest(x):
    it = iter(x)
    a = next(it)
    s = sum(it)
    return a * s + sum(it) + len(list(it))


@case(X)
def for_then_rest(x):
    it = iter(x)
    t = 0.0
    for v in it:
        if v > 1:
            break
        t += v * v
    for v in it:
        t = t * 0.5 + v
    return t


@case(X)
def generator_expression_consumed(x):
    g = (v * v for v in x)
    a = next(g)
    b = max(g)
    c = next(g, 5.0)
    return a * b + c


@case(X)
def enumerate_kept(x):
    e = enumerate(x)
    i, v = next(e)
    t = v * i
    for i, v in e:
        t += i * v
    return t + next(e, (0, x[0]))[1]


@case(X)
def zip_kept(x):
    z = zip(x, x[1:])
    a, b = next(z)
    t = a * b
    for p, q in z:
        t += p * q
        if q < 0:
            break
    return t + sum(p for p, _ in z)


@case(X)
def list_then_empty(x):
    m = map(lambda v: v * v, x)
    l = list(m)
    return sum(l) + sum(m) + len(list(m))


@case(X)
def unpack_iterator(x):
    it = iter([x[0], x[1], x[2]])
    a, *r = it
    return a * sum(r) + sum(it)


@case(X)
def sentinel_iteration(x):
    k = [0]

    def read():
        k[0] += 1
        return k[0]

    return sum(x[i] for i in iter(read, 4))


class Reader:
    def __init__(self, x):
        self.x = x
        self.i = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.i >= len(self.x):
            raise StopIteration
        v = self.x[self.i]
        self.i += 1
        return v


@case(X)
def own_iterator(x):
    r = Reader(x)
    a = next(r)
    t = 0.0
    for v in r:
        t += v * a
        if r.i > 2:
            break
    return t + sum(r) + next(r, 1.0)


@case(X)
def two_cursors_over_rows(x):
    m = np.outer(x, x)
    it = iter(m)
    first = next(it)
    t = first.sum()
    while True:
        row = next(it, None)
        if row is None:
            break
        t += row @ first
    return t


class Squares(collections.abc.Sequence):
    """Gone through by its subscripts."""

    def __init__(self):
        self.items = []

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]

    def add(self, v):
        self.items.append(v * v)


class Subscripted:
    def __init__(self):
        self.items = []

    def __getitem__(self, i):
        return self.items[i]


class Waiting:
    """Its iterator waits for an IndexError."""

    def __init__(self):
        self.items = []

    def __iter__(self):
        i = 0
        try:
            while True:
                yield self.items[i]
                i += 1
        except IndexError:
            return


@case(X)
def sequence_of_unknown_length(x):
    s = Squares()
    for v in x:
        if v > 0:
            s.add(v)
    t = 0.0
    for a in s:
        t += a * a
    return t + sum(s) + max(s)


@case(X)
def sequence_asked_backwards(x):
    s = Squares()
    for v in x:
        s.add(v)
    return sum(reversed(s)) * 2 + s.index(x[1] * x[1]) * x[0] + (x[0] * x[0] in s)


@case(X)
def subscripts_until_an_error(x):
    s = Subscripted()
    for v in x:
        s.items.append(v * v)
    t = 0.0
    for a in s:
        t += a * a
    return t + sum(s)


@case(X)
def subscripts_of_unknown_number(x):
    s = Subscripted()
    for v in x:
        if v > 0:
            s.items.append(v * v)
    return sum(s)


@case(X)
def iterator_that_waits(x):
    s = Waiting()
    for v in x:
        s.items.append(v * v)
    return sum(s) + max(s)


def roots(x):
    """Generators whose control depends on data, and whose statements may raise."""
    for v in x:
        try:
            found = math.sqrt(v)
        except ValueError:
            continue
        yield found
        yield 2.0 * found


def halved(v):
    try:
        v = math.sqrt(v)
    except ValueError:
        yield -0.5 * v
        return
    yield v


@case(X)
def first_of_a_generator(x):
    return next(roots(x)) * next(halved(x[1])) + next(roots(-x[:1]), 3.0)


@case(X)
def unpacked_generator(x):
    first, *rest, last = roots(x)
    (one,) = halved(x[1])
    return first + len(rest) * last + sum(rest) * one


@case(X)
def left_in_the_first_iteration(x):
    def first(v):
        for item in halved(v):
            return item * v

    return first(x[0]) + first(x[1])


@case(np.array([[0.2, 0.9, 0.4], [0.5, 0.1, 0.7], [0.8, 0.3, 0.6]]))
def counted_until_it_settles(cost):
    kernel, n = np.exp(-cost / 0.3), len(cost)
    v = np.ones(n) / n
    for k in itertools.count(1):
        u = 1.0 / (kernel @ v)
        before, v = v, 1.0 / (kernel.T @ u)
        if np.abs(v - before).sum() < 1e-3 or k > 15:
            break
    return np.sum(u[:, None] * kernel * v * cost) * k


def sums_of_keys(x):
    found, total = {}, 0.0
    for v in x:
        try:
            total = total + found[int(v)] * v
        except KeyError:
            found[int(v)] = v
    yield total


@case(np.array([1.5, 2.5, 1.2, 1.7, 2.2]))
def keys_that_a_generator_misses(x):
    return next(sums_of_keys(x)) + x[0]
