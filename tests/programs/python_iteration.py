"""Iterators and generators as programs use them, with keys, ends and bounds that depend on data."""

from __future__ import annotations

import heapq
from itertools import combinations, compress, groupby, islice

import numpy as np

CASES = []


def case(*args):
    def keep(fn):
        CASES.append((fn, args))
        return fn

    return keep


X = np.array([0.9, 0.4, -0.7, 1.3, 0.2, -1.1, -0.3, 0.6])


class Source:
    def __init__(self, x):
        self.x = x
        self.i = 0

    def __call__(self):
        v = self.x[self.i]
        self.i += 1
        return v if self.i < len(self.x) else None


@case(X)
def group_by_sign(x):
    total = 0.0
    for positive, group in groupby(x, key=lambda v: v > 0):
        s = sum(group)
        total += s * s if positive else -s
    return total


@case(X)
def groups_in_a_list(x):
    runs = [(k, list(g)) for k, g in groupby(x, key=lambda v: v > 0.0)]
    return sum(len(g) * sum(g) for k, g in runs)


@case(X)
def longest_run(x):
    best = max((sum(g) for k, g in groupby(x, lambda v: v > 0.0) if k), default=0.0)
    n = max(len(list(g)) for _, g in groupby(x > 0))
    return best * n


@case(X)
def groups_of_pairs(x):
    bins = [int(v * 2) for v in x]
    total = 0.0
    for k, g in groupby(zip(bins, x), key=lambda p: p[0]):
        total += k * sum(v for _, v in g) ** 2
    return total


@case(X)
def chunks(x):
    def chunk(a, n):
        it = iter(a)
        while True:
            c = list(islice(it, n))
            if not c:
                return
            yield c

    return sum(max(c) * len(c) for c in chunk(x.tolist(), 3))


@case(X)
def head_and_tail(x):
    it = iter(x.tolist())
    head = list(islice(it, 3))
    return sum(head) * sum(it)


@case(X)
def slices_by_data(x):
    k = 1 + int(abs(x[0]) * 2) % 3
    a = x.tolist()
    return sum(islice(x, k, None)) + sum(v * v for v in islice(a, k)) + sum(a[k:]) * max(a[:k])


@case(X)
def slices_by_index(x):
    a = x.tolist()
    total = 0.0
    for i in range(1, len(a)):
        total += max(a[i:]) * min(a[:i]) + sum(a[i - 1:i + 1])
    return total


@case(X)
def chosen_pairs(x):
    total = sum(a * b for a, b in combinations(x, 2) if a > b)
    return total + sum(compress(x, [v > 0 for v in x]))


@case(X)
def until_none(x):
    return sum(v * v for v in iter(Source(x), None))


@case(np.sort(X), 0.61 * X[::-1] + 0.03)
def merged(x, y):
    xs = sorted(x.tolist(), key=abs, reverse=True)
    ys = sorted([v * 0.5 for v in y], key=abs, reverse=True)
    total = sum(v * i for i, v in enumerate(heapq.merge(xs, ys, [0.37], key=abs, reverse=True)))
    return total + sum(v * i for i, v in enumerate(heapq.merge(x, sorted(y))))


@case(X)
def merged_tuples(x):
    xs = sorted((v, 1.0) for v in x)
    ys = sorted((v * 0.53 + 0.01, 2.0) for v in x)
    return sum(v * i * w for i, (v, w) in enumerate(heapq.merge(xs, ys)))


def parts_in_turn(*parts):
    for part in parts:
        yield from part


@case(X)
def parts_of_unknown_length(x):
    above, below = [], []
    for v in x:
        if v > 0:
            above.append(v)
        else:
            below.append(v)
    total = 0.0
    for i, v in enumerate(parts_in_turn(above, below)):
        total += i * v
    for v in parts_in_turn(below, above):
        total = 0.5 * total + v
    return total


@case(X)
def the_last_of_them(x):
    best = x[0]
    for v in x:
        best = v
    return best * x[0]


@case(X)
def nothing_to_go_through(x):
    total = np.sum(x)
    for _ in iter(()):
        total = total * 2.0
    for a, b in zip(x, iter([])):
        total = total + a * b
    for i, v in enumerate(reversed(())):
        total = total - i * v
    return total * x[0]


class Past:
    def __init__(self):
        self.values = []

    def __len__(self):
        return len(self.values)

    def __getitem__(self, number):
        return self.values[number]

    def __iter__(self):
        return iter(self.values)


@case(X)
def sums_of_what_is_empty_so_far(x):
    past = Past()
    total = 1.0
    for v in x[:3]:
        total += v * sum(past) + len(past)
    past.values.append(x[1])
    return total * (sum(past) + x[0])


@case(X)
def chosen_by_a_truth_value(x):
    total = 0.0
    for v in x:
        total += (0.5 * v, v * v)[bool(v > 0.3)]
    return total * [x[0], 2.0][bool(total < x[1])]


@case(X)
def function_that_would_raise_for_each_of_no_items(x):
    empty, n = [], int(x[0])
    total = sum(map(lambda i: empty[i], range(n)))
    for y in map(lambda i: empty[i] * 2.0, range(n)):
        total += y
    return total + x[0] * x[1]


@case(X)
def sums_of_floats_that_come_one_by_one(x):
    numbers = x.tolist()
    mixed = numbers[:4]
    mixed[1] = x[1]
    rest = iter(numbers)
    next(rest)
    return sum(map(lambda v: v * 0.1, numbers)) + sum(reversed(numbers)) * sum(rest) + sum(mixed) * x[0]
