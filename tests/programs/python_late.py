"""Programs whose iterators read what changes after they were made: variables, closures, attributes,
globals, lists and arrays, also from one iteration to the next."""

from __future__ import annotations

import functools
import itertools
import operator

import numpy as np

X = np.array([0.3, 1.2, 2.0, 0.7])
Y = np.array([1.5, 0.2, 0.4, 0.9])
TABLE = [1.0]
CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


class Scale:
    def __init__(self, c):
        self.c = c

    def times(self, v):
        return v * self.c


@case(X, 0.7)
def closure_that_reads_later(x, c):
    f = lambda v: v * c
    g = (f(v) + 1.0 for v in x)
    c = c * 3
    return sum(g) + c


@case(X, 0.7)
def through_partial_functions_and_methods(x, c):
    b = Scale(c)
    half = functools.partial(operator.mul, 0.5)
    g, h = (b.times(v) for v in x), (half(v) + b.c for v in x)
    b.c = c * c
    return sum(g) + 2 * sum(h)


@case(X, Y)
def containers_and_a_global_that_change(x, y):
    d, rows = {"c": 2.0}, list(y)
    g = (v * d["c"] for v in x)
    h = (v * u * TABLE[0] for v, u in zip(x, rows))
    d["c"] = x[0]
    rows.pop()
    TABLE[0] = y[1]
    total = sum(g) + 2 * sum(h)
    TABLE[0] = 1.0
    return total


@case(X, Y, 0.7)
def generators_of_generators(x, y, c):
    g = (v * c for v in x)
    h = itertools.chain((v + 1 for v in g), y)
    pairs = zip((v * c for v in y), x)
    c = c + 2
    return sum(h) + sum(p * q for p, q in pairs)


@case(X, 0.7)
def changed_by_who_takes_the_items(x, c):
    g = (v * c for v in x)
    total = 0.0
    for v in g:
        c = c + v
        total += v
    for v in map(lambda q: q * c, [x[0], x[1]]):
        c = c + 0.1 * v
        total += v
    return total + c


@case(X, 0.7)
def made_of_known_items(x, c):
    rows = [c, x[1]]
    f, g, h = map(lambda v: v * c, rows), iter(rows), reversed(rows)
    a, b = itertools.tee(rows)
    rows[0] = c = x[2]
    return sum(f) + 2 * sum(g) + 3 * next(h) + sum(a) * next(b)


@case(X)
def unrolled_over_what_its_body_changes(x):
    w, found, c = x * 1.0, {}, 1.0
    for v, name in zip(w, ("a", "b", "c")):
        w[2] += v
        found[name] = v * 2
    for i, v in enumerate(w[:3]):
        w[i:] += v
        found["abc"[i]] += v
    for v, name in zip(map(lambda q: q * c, w), ("a", "b", "c")):
        c = c + 0.1 * v
        found[name] += v * c
    return found["a"] + 2 * found["b"] + 3 * found["c"]


@case(X)
def lists_that_grow_below_a_map(x):
    rows = [x[0], x[1]]
    for i, v in zip(range(3), map(operator.mul, rows, rows)):
        rows.append(0.3 * v + i)
    return sum(i * v for i, v in enumerate(rows))


@case(X, Y)
def values_of_a_dict_that_its_reader_changes(x, y):
    d = {"a": x[0], "b": x[1]}
    total = 0.0
    for v, u in zip(x, d.values()):
        d["b"] = 3.0 * v
        total += v * u
    for g, (name, p) in zip(y, d.items()):
        d[name] = p - 0.1 * g * total
    products = map(operator.mul, y, d.values())
    d["a"] = d["a"] * 2
    return d["a"] * d["b"] + sum(products)


@case(X)
def names_of_one_iterator(x):
    rows = [x[0], x[1], x[2], x[3]]
    doubled = map(lambda v: v * 2, rows)
    first = next(doubled)
    back = reversed(rows)
    last = next(back)
    rows[1] = first * last
    it = iter(rows)
    return sum(a * b for a, b in zip(it, it)) + sum(doubled) + sum(back) * 3


@case(X)
def items_with_effects_once(x):
    made, state = [1.0], [0.5]

    def grown(pair):
        made[0] = made[0] * 1.1
        return made[0] * (pair[0] + 1)

    def log(v):
        state.append(v)
        return v * len(state)

    total = sum(list(map(grown, enumerate(range(3))))) * made[0]
    items = (log(v) for v in x)
    before = len(state)
    return total * x[0] + before * sum(items) + len(state)


@case(X)
def lists_that_grow_by_what_is_in_them(x):
    terms = [x[0], x[1]]
    terms.extend(terms[-1] + 0.5 * terms[-2] for _ in range(3))
    terms += (terms[-1] * v for v in x)
    return sum(terms)


@case(X)
def an_iterator_of_another_one(x):
    squares = (v * v for v in x)
    more = (u + 1 for u in squares)
    first = next(more)
    if first > 0:
        first = first + next(more) * 2
    return first + sum(more)
