"""Programs that fill dicts under keys made of loop indices or data."""

from __future__ import annotations

import copy
import heapq
import math
from collections import defaultdict

import numpy as np

CASES = []


def case(*args):
    def keep(fn):
        CASES.append((fn, args))
        return fn
    return keep


V = np.array([0.43, -0.36, 1.14, -0.93, 0.75, -0.22, 0.61, 1.32, -0.57, 0.18])
W = np.array([0.11, 0.72, -0.44, 0.93, -0.31, 0.64, -0.85, 0.27, 0.36, -1.14])


@case(V, W)
def warping_distance(x, y):
    cost = {}
    n, m = len(x), len(y)
    for i in range(n + 1):
        cost[i, 0] = 1e3
    for j in range(m + 1):
        cost[0, j] = 1e3
    cost[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost[i, j] = (x[i - 1] - y[j - 1]) ** 2 + min(
                cost[i - 1, j], cost[i, j - 1], cost[i - 1, j - 1])
    return cost[n, m]


@case(V)
def sparse_sums(x):
    sums = {}
    for i in range(len(x)):
        k = (i * 7) % 5
        if k in sums:
            sums[k] += x[i] ** 2
        else:
            sums[k] = x[i]
    return sum(a * (k + 1) for k, a in sums.items())


@case(V)
def histogram_by_data(x):
    bins = defaultdict(float)
    for v in x:
        bins[int(v * 2)] += v * v
    return sum(a**2 for a in bins.values()) * len(bins)


@case(V)
def triangle_of_pairs(x):
    table = {}
    n = len(x)
    for i in range(n):
        for j in range(i + 1):
            table[i, j] = x[i] * x[j]
    total = 0.0
    for i in range(n):
        for j in range(n):
            total += table.get((i, j), 0.1) * (i - j)
    return total


@case(V)
def rows_by_number(x):
    rows = {}
    for i in range(len(x)):
        rows[i] = x * i
    return sum(rows[i].sum() * x[i] for i in range(len(x)))


@case(12, V)
def recurrence_in_a_dict(n, x):
    terms = {0: x[0], 1: x[1]}
    for i in range(2, n):
        terms[i] = terms[i - 1] * 0.5 + terms[i - 2] * x[2]
    return terms[n - 1]


@case(6, V)
def memoised(n, x):
    memo = {}

    def ways(k):
        if k <= 0:
            return 1.0
        if k not in memo:
            memo[k] = x[0] * ways(k - 1) + x[1] * ways(k - 2)
        return memo[k]

    return ways(n)


@case(V)
def grid_memoised(x):
    cache = {}

    def value(i, j):
        if i < 0 or j < 0:
            return 0.0
        if (i, j) not in cache:
            cache[i, j] = x[i] * x[j] + 0.5 * value(i - 1, j) + 0.3 * value(i, j - 1)
        return cache[i, j]

    return value(4, 4)


@case(V)
def iterated(x):
    sums = defaultdict(float)
    for i in range(len(x)):
        sums[i % 4] += x[i] * i
    total = 0.0
    for k in sums:
        total += k * sums[k]
    for k, v in sorted(sums.items()):
        total += v**2 * k
    return total + max(sums.values()) + sums[0] * len(sums)


@case(V)
def needed_as_a_dict(x):
    squares = {}
    for i in range(len(x)):
        squares[i] = x[i] ** 2
    assert isinstance(squares, dict) and type(squares) is dict
    other, third = dict(squares), copy.copy(squares)
    other[0], third[1] = 7.0, 8.0
    del squares[2]
    return sum(squares.values()) + sum(other.values()) * 2 + sum(third.values()) * x[0] + (
        squares.pop(3) * len(f"{squares.keys()}"))


@case(V)
def list_copied(x):
    squares = []
    for v in x:
        if v > 0:
            squares.append(v * v)
    others = list(squares)
    others[0] += 3.0
    return sum(a**2 for a in others) + sum(squares) + squares.copy()[-1] + squares[:][0]


D = np.array([[0.3, 1.2, 0.7, 2.4], [1.1, 0.2, 0.3, 0.9], [0.8, 0.4, 0.5, 1.7],
              [2.1, 0.6, 1.3, 0.1]])


@case(D)
def shortest_paths(w):
    n = len(w)
    distance, heap, done = [math.inf] * n, [(0.0, 0)], set()
    distance[0] = 0.0
    while heap:
        d, u = heapq.heappop(heap)
        if u in done:
            continue
        done.add(u)
        for v in range(n):
            if v != u and d + w[u, v] < distance[v]:
                distance[v] = d + w[u, v]
                heapq.heappush(heap, (distance[v], v))
    return sum((k + 1) * d for k, d in enumerate(distance)) * len(done)


@case(np.abs(V) + 0.1)
def code_length(p):
    heap, total = list(p), 0.0
    heapq.heapify(heap)
    while len(heap) > 1:
        both = heapq.heappop(heap) + heapq.heappop(heap)
        total += both
        heapq.heappush(heap, both)
    return total * total


@case(V)
def best_and_worst(x):
    values = list(x)
    heapq.heapify(values)
    first = heapq.heappushpop(values, x[0] * x[1]) + 2 * heapq.heapreplace(values, x[2] ** 2)
    return first + sum(heapq.nlargest(3, values)) - heapq.nsmallest(2, x)[1] * values[0]


@case(V)
def first_of_each_kind(x):
    seen, total = set(), 0.0
    for v in x:
        kind = int(v * 3)
        if kind not in seen:
            seen.add(kind)
            total += v * v
        elif kind == 0:
            seen.discard(0)
    return total * len(seen)


@case(V, W)
def hull_area(px, py):
    points = sorted(zip(px, py))

    def turn(o, a, b):
        return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])

    lower, upper = [], []
    for p in points:
        while len(lower) >= 2 and turn(lower[-2], lower[-1], p) <= 0:
            lower.pop()
        lower.append(p)
    for p in reversed(points):
        while len(upper) >= 2 and turn(upper[-2], upper[-1], p) <= 0:
            upper.pop()
        upper.append(p)
    hull = lower[:-1] + upper[:-1]
    return 0.5 * abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(hull, hull[1:] + hull[:1])))


@case(V, W)
def sorted_by_several_keys(x, y):
    rows = sorted(((a > 0, b, i) for i, (a, b) in enumerate(zip(x, y))), reverse=True)
    return sum(b * (k + 1) * i for k, (_, b, i) in enumerate(rows))


class Offer:
    def __init__(self, price, amount):
        self.price, self.amount = price, amount

    def __lt__(self, other):
        return self.price < other.price


@case(V[:6])
def sorted_by_own_order(x):
    offers = [Offer(x[i] ** 2, i + 1) for i in range(len(x))]
    up, down = sorted(offers), sorted(offers, reverse=True)
    return sum(o.price * o.amount * k for k, o in enumerate(up)) + (
        down[0].price * min(offers).amount)


@case(V)
def tried_keys(x):
    sums, total = {}, 0.0
    for i in range(len(x)):
        try:
            sums[i % 3] += x[i]
        except KeyError:
            sums[i % 3] = x[i] * 2
    for i in range(len(x)):
        try:
            total += sums[i - 1] * x[i]
        except KeyError:
            total -= x[i]
    return total + sum(v * v for v in sums.values())


@case(V)
def visited_in_a_while(x):
    values, seen, i, total = {}, set(), 0, 0.0
    while i < len(x):
        k = (i * 5) % 7
        if k in seen and k in values:
            total += values[k] * x[i]
        else:
            seen.add(k)
            values[k] = x[i]
        i += 1
    return total + values[0]


class Remembered:
    def __init__(self):
        self.known, self.hits = {}, 0

    def sine(self, i, x):
        if i in self.known:
            self.hits += 1
            return self.known[i]
        self.known[i] = np.sin(x[i]) * i
        return self.known[i]


@case(V)
def remembered_by_an_object(x):
    memory, total = Remembered(), 0.0
    for i in range(len(x)):
        for j in range(i + 1):
            total += memory.sine(j, x) * 0.1
    return total * memory.hits


class Tally:
    def __init__(self, v):
        self.v = v


@case(V)
def kept_object_that_a_name_may_stand_for(x):
    table, k = {}, int(abs(x[0]) * 7) % 3
    one = Tally(x[0])
    table[k] = one
    if x[0] < x[1]:
        one = Tally(x[1])
    one.v *= x[2]
    return table[k].v * x[3] + one.v


@case(V)
def kept_object_with_an_array_that_a_name_may_stand_for(x):
    table, k = {}, int(abs(x[0]) * 7) % 3
    one = Tally(x[:3].copy())
    table[k] = one
    if x[0] < x[1]:
        one = Tally(np.ones(3))
    one.v[0] *= x[2]
    return np.sum(table[k].v) * x[3] + np.sum(one.v)


@case(V)
def groups_that_are_new_lists_each_time(x):
    groups = {}
    for v in x:
        name = "above" if v > 0.5 else "below"
        groups[name] = groups.get(name, []) + [v]
    return sum(len(vs) * sum(vs) for vs in groups.values())


@case(V)
def groups_under_letters_that_data_choose(x):
    groups, total = {}, 0.0
    for v in x:
        k = "abc"[int(v * 7) % 3]
        groups[k] = groups.get(k, []) + [v]
    for k in sorted(groups):
        total = total * 2.0 + sum(groups[k])
    return total


@case(V)
def unlike_things_under_names(x):
    groups = {}
    for i, v in enumerate(x):
        groups.setdefault(i % 2, {})["pair"] = [v, v * 2]
        groups[i % 2]["square"] = v**2
    return groups[0]["square"] * sum(groups[1]["pair"])
