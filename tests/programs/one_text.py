"""Programs over as many items as there are, by the tools that people use for them: they have one text
for every number of items."""

from __future__ import annotations

import bisect
import collections
import functools
import heapq
import math
import operator
import statistics
from collections import deque
from dataclasses import dataclass
from itertools import (
    accumulate,
    chain,
    combinations,
    combinations_with_replacement,
    islice,
    pairwise,
    permutations,
    product,
)
from typing import NamedTuple

import numpy as np

CASES = []


def case(program):
    CASES.append(program)
    return program


class Body:
    def __init__(self, place, mass):
        self.place, self.mass, self.force = place, mass, 0.0

    @property
    def size(self):
        return self.mass


@case
def pairs_of_indices(x):
    energy = 0.0
    for i, j in combinations(range(len(x)), 2):
        energy += (x[i] - x[j]) ** 2
    return energy


@case
def pairs_of_numbers(x):
    return sum(a * b * a for a, b in combinations(x, 2) if a < b)


@case
def pairs_of_rows(x):
    far = 0.0
    for p, q in combinations(np.outer(x, x), 2):
        far = max(far, np.sum((p - q) ** 2))
    return far


@case
def pairs_of_objects(x):
    bodies = [Body(v, 1.0 + v * v) for v in x]
    for a, b in combinations(bodies, 2):
        pull = a.mass * b.mass * (b.place - a.place)
        a.force += pull
        b.force -= pull
    return sum(b.force * b.place for b in bodies)


@case
def numbered_pairs(x):
    total = 0.0
    for (i, a), (j, b) in combinations(enumerate(x), 2):
        total += a * b * (j - i)
    return total


@case
def pairs_of_pairs(x):
    total = 0.0
    for (a, m), (b, n) in combinations(zip(x, np.cos(x)), 2):
        total += a * b * (m - n) ** 2
    return total


@case
def pairs_while_numbers_change(x):
    x, total = x.copy(), 0.0
    for a, b in combinations(x, 2):
        x[0] += 0.1 * a * b
        total += a * b * x[0]
    return total


@case
def pairs_while_rows_change(x):
    rows, total = np.outer(x, x), 0.0
    for a, b in combinations(rows, 2):
        a -= 0.1 * b
        total += a @ b
    return total


@case
def pairs_of_a_list_that_grows(x):
    items = [v * v for v in x]
    total = 0.0
    for a, b in combinations(items, 2):
        items.append(0.1 * a * b)
        total += a
    return total + sum(items)


@case
def pairs_up_to_one(x):
    total = 0.0
    for a, b in combinations(x, 2):
        if a * b > 5.0:
            break
        total += a * b
    else:
        total *= 2.0
    return total


@case
def pairs_in_an_array(x):
    found = np.array([[a, b] for a, b in combinations(x, 2)])
    return np.sum(found[:, 0] * found[:, 1] ** 2)


@case
def triples(x):
    total = 0.0
    for i, j, k in combinations(range(len(x)), 3):
        total += x[i] * x[j] ** 2 + x[k]
    return total


@case
def pairs_with_themselves(x):
    return sum(a * b ** 2 for a, b in combinations_with_replacement(x, 2))


@case
def ordered_pairs(x):
    total = 0.0
    for i, j in permutations(range(len(x)), 2):
        total += x[i] * x[j] ** 2
    return total


@case
def all_pairs(x):
    total = 0.0
    for i, j in product(range(len(x)), repeat=2):
        if i != j:
            total += x[i] * x[j] ** 2
    return total


@case
def neighbours_of_all(x):
    total = 0.0
    for i, step in product(range(len(x)), (-1, 1)):
        total += step * x[(i + step) % len(x)] * x[i] ** 2
    return total


@case
def first_product_that_is_large(x):
    for a, b in product(x, x):
        if a * b > 5.0:
            return a * b
    return x[0]


@case
def sums_on_the_way(x):
    return sum(v * v for v in accumulate(x)) + sum(b - a * a for a, b in pairwise(x))


@case
def chained_and_sliced(x):
    return sum(v * v for v in chain(x, x[::-1])) + sum(v * v for v in islice(x, 1, None))


@case
def window(x):
    last, total = deque(maxlen=3), 0.0
    for v in x:
        last.append(v)
        total += sum(last) / len(last)
    return total


@case
def newest_first(x):
    last, y = deque(maxlen=2), 1.0
    for v in x:
        y = v + 0.5 * sum(last) if last else v
        last.appendleft(y)
    return y


@case
def list_of_the_last(x):
    last, total = [], 0.0
    for v in x:
        last.append(v)
        if len(last) > 3:
            last.pop(0)
        total += sum(last) / len(last)
    return total


@case
def first_and_others(x):
    first, *others = x
    *front, last = x
    return first * sum(others) + last * sum(front)


@case
def described(x):
    return (statistics.mean(x) * x[0] + statistics.fmean(x) * x[1] + statistics.stdev(x)
            + statistics.pvariance(x) + statistics.median(x) * x[1])


@case
def other_means(x):
    return (statistics.geometric_mean(x) + statistics.harmonic_mean(x)
            + statistics.covariance(x, x ** 2) + statistics.variance([v * v for v in x]))


@case
def line_through(x):
    line = statistics.linear_regression(x, x ** 2)
    return line.slope * line.intercept


@case
def exact_sums(x):
    return math.fsum(v * v for v in x) + math.prod(x) + math.dist(x, x ** 2)


@case
def slices_of_a_list(x):
    items = [v * v for v in x]
    return sum(items[1:]) + sum(items[::2]) + sum(items[:-1]) * items[-1] + sum(items[-2:])


@case
def by_key(x):
    items = sorted((v * v, i) for i, v in enumerate(x))
    return sum(k * v for k, (v, _) in enumerate(items)) + max(x, key=math.sin) ** 2


@case
def folded(x):
    return functools.reduce(lambda a, b: a * b + b, x) + sum(map(operator.mul, x, x[::-1]))


@case
def merged_by_a_heap(x):
    heap, total = list(x), 0.0
    heapq.heapify(heap)
    while len(heap) > 1:
        a, b = heapq.heappop(heap), heapq.heappop(heap)
        total += a * b
        heapq.heappush(heap, a + b)
    return total


@case
def grouped_by_parity(x):
    groups = collections.defaultdict(list)
    for i, v in enumerate(x):
        groups[i % 2].append(v)
    return sum(sum(items) * key for key, items in groups.items())


@case
def below_the_limit(x):
    items = sorted(x)
    return sum(items[:bisect.bisect(items, 1.7)])


@case
def clusters(x):
    centers = [x[0], x[-1]]
    for _ in range(2):
        groups = [[], []]
        for v in x:
            groups[0 if abs(v - centers[0]) < abs(v - centers[1]) else 1].append(v)
        centers = [sum(g) / len(g) if g else c for g, c in zip(groups, centers)]
    return centers[0] * centers[1]


@case
def solved_by_rows(x):
    n = len(x)
    rows, b = (np.outer(x, x) + np.eye(n) * 3).tolist(), list(x)
    for i in range(n):
        p = max(range(i, n), key=lambda k: abs(rows[k][i]))
        rows[i], rows[p] = rows[p], rows[i]
        b[i], b[p] = b[p], b[i]
        for k in range(i + 1, n):
            f = rows[k][i] / rows[i][i]
            for j in range(i, n):
                rows[k][j] -= f * rows[i][j]
            b[k] -= f * b[i]
    y = [0.0] * n
    for i in reversed(range(n)):
        y[i] = (b[i] - sum(rows[i][j] * y[j] for j in range(i + 1, n))) / rows[i][i]
    return sum(y)


@case
def swarm(x):
    def cost(z):
        return np.sum(z ** 2)

    places = [x * (1 + 0.1 * k) for k in range(4)]
    best = [p.copy() for p in places]
    leader = min(best, key=cost).copy()
    for _ in range(3):
        for i, p in enumerate(places):
            p += 0.3 * (best[i] - p) + 0.3 * (leader - p)
            if cost(p) < cost(best[i]):
                best[i] = p.copy()
        leader = min(best, key=cost).copy()
    return cost(leader)


class Part(NamedTuple):
    name: str
    size: float


@dataclass
class Piece:
    size: float
    name: str = "piece"


class Lump:
    def __init__(self, size):
        self.size = size

    def __eq__(self, other):
        return self.size == other.size

    __hash__ = None


def size_of(item):
    return item["size"] if isinstance(item, dict) else item.size


def taken_out(make):
    """Items of one kind, the smallest of which is found, counted and removed, time after time."""
    def program(x):
        items = [make(i, v) for i, v in enumerate(x)]
        total = 0.0
        for step in range(len(x) // 2):
            least = min(items, key=size_of)
            total += items.index(least) * size_of(items[0]) + items.count(least)
            if least in items[1:]:
                items.remove(least)
            else:
                total += size_of(items.pop()) ** 2
        return total + sum(size_of(item) for item in items)

    return program


for make in (lambda i, v: {"size": v * (3 - i) ** 2},
             lambda i, v: Part(f"part {i}", v * (3 - i) ** 2),
             lambda i, v: Piece(v * (3 - i) ** 2), lambda i, v: Lump(v * (3 - i) ** 2),
             lambda i, v: Body(0.0, v * (3 - i) ** 2)):
    program = taken_out(make)
    program.__name__ = f"taken_out_{type(make(0, 1.0)).__name__}"
    CASES.append(program)
