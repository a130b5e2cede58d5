"""Iterators, generators and lists of lists as programs use them, with keys, ends and bounds that
depend on data."""

from __future__ import annotations

import heapq
import math
from itertools import chain, combinations, compress, groupby, islice

import numpy as np

CASES = []


def case(*args):
    def keep(fn):
        CASES.append((fn, args))
        return fn

    return keep


RNG = np.random.default_rng(3)
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
    runs = [(k, list(g)) for k, g in groupby(x.tolist(), key=lambda v: v > 0.0)]
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


@case(X)
def buckets_sorted(x):
    buckets = [[] for _ in range(4)]
    for v in x:
        buckets[min(3, int((math.tanh(v) + 1) * 2))].append(v)
    for b in buckets:
        b.sort()
    return sum((v * i for i, v in enumerate(chain.from_iterable(buckets))), 0.0)


@case(X, 2)
def rows_in_order(x, m):
    rows = [[a, 1.0 - a] for a in x]
    rows[m].sort()
    for r in rows[3:]:
        r.reverse()
    rows[0].clear()
    rows[0].append(x[1])
    return sum(i * b[0] for i, b in enumerate(rows))


@case(X)
def rows_change_length(x):
    rows = [[a, 1.0 - a] for a in x]
    s = 0.0
    for i in range(5):
        r = rows[i]
        s += rows[i + 1].pop() * r[0]
        r.insert(0, x[i] ** 2)
        r.insert(0, s)
        s += r[0] + rows[i][1]
    rows[2] += [s, x[0]]
    rows[3].extend(x)
    rows[1].append(x[0] * x[1])
    return s * sum(b[0] * b[-1] for b in rows)


@case(X)
def heaps_in_rows(x):
    heaps = [[] for _ in range(2)]
    for i, v in enumerate(x):
        heapq.heappush(heaps[i % 2], v)
    total = 0.0
    for _ in range(3):
        for h in heaps:
            total = 0.5 * total + heapq.heappop(h)
    return total


@case(X)
def rows_overwritten(x):
    rows = [[a, 1.0 - a, a * a] for a in x]
    for i in range(5):
        rows[i][:] = [x[i], x[i + 1], 2.0]
    return sum(r[0] * r[-1] for r in rows)


@case(X)
def rows_repeated(x):
    rows = [[a, 1.0 - a, a * a] for a in x]
    for i in range(5):
        rows[i] *= 2
        rows[i + 1] += rows[i]
    return sum(r[0] * r[-1] * len(r) for r in rows)


@case(X)
def rows_cut(x):
    rows = [[a, 1.0 - a, a * a] for a in x]
    for i in range(5):
        rows[i][1:] = [x[i]]
    return sum(r[0] * r[-1] for r in rows)


@case(X)
def rows_by_name(x):
    rows = [[a, 1.0 - a, a * a] for a in x]
    for i in range(5):
        r = rows[i]
        r *= 2
        r += [1.0]
        r.remove(x[i])
    return sum(r[0] * r[-1] * len(r) for r in rows)


@case(X)
def rows_as_heaps(x):
    rows = [[a, 1.0 - a, a * a] for a in x]
    for i in range(5):
        r = rows[i]
        heapq.heapify(r)
        r[0], r[1] = r[1], r[0]
    return sum(i * r[0] + r[1] for i, r in enumerate(rows))


@case(X)
def rows_of_themselves(x):
    rows = [[a, 1.0] for a in x]
    for r in rows:
        r.append(sum(r))
    for r in rows:
        r.extend(r)
    return sum(chain(*rows))


@case(X)
def neighbouring_rows(x):
    rows = [[a, 1.0] for a in x]
    for a, b in zip(rows, rows[1:]):
        a[0] += b[0]
    for i, r in enumerate(rows):
        r[i % 2] *= 2.0
    return sum(chain.from_iterable(rows))


@case(X)
def slices_of_a_list(x):
    a = [v * v for v in x]
    a[:] = [v + 1 for v in a]
    b = a
    for i in range(3):
        a[2:4] = [x[i], x[i] * 2, 3.0]
        a *= 2
        del a[1:3]
        a[-2:] = [x[1]]
    return sum(v * i for i, v in enumerate(b))


@case(X)
def slices_of_a_grown_list(x):
    a = []
    for v in x:
        if v > 0:
            a.append(v)
        if len(a) > 3:
            del a[:2]
            a[:0] = [v, 2 * v]
    k = int(abs(x[0]) * 3) % 3
    a[k:] = [x[3]]
    a[:] = sorted(a)
    a *= 3
    return sum(v * i for i, v in enumerate(a))


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
