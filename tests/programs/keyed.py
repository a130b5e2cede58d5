"""Dicts, sets and registries whose keys data decide, and which come from outside: graphs, counts,
grids, stocks, memo tables.  They have one text for every number of keys.

A case is a program and what makes its arguments for a size; derivatives are taken for the first.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter, OrderedDict, defaultdict, deque
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

CASES = []


def case(make):
    def register(program):
        CASES.append((program, make))
        return program

    return register


def numbers(n):
    return np.arange(n) * 0.21 + 0.5137 + 0.01 * np.sin(np.arange(n))


def states(n):
    return [(3 * i * i + i) % 4 for i in range(n)]


def words(n):
    return ["abcd"[s] for s in states(n)]


def with_states(n):
    return numbers(n), states(n)


def with_words(n):
    return numbers(n), words(n)


def alone(n):
    return (numbers(n),)


# ---- texts ---------------------------------------------------------------------------------------
@case(with_words)
def pairs_of_words(x, w):
    counts = defaultdict(dict)
    for i, (a, b) in enumerate(zip(w, w[1:])):
        counts[a][b] = counts[a].get(b, 0.0) + x[i]
    return sum(v * v for row in counts.values() for v in row.values())


@case(with_words)
def commonest_word(x, w):
    counts = Counter(w)
    top, k = counts.most_common(1)[0]
    return sum(v * counts[a] for v, a in zip(x, w)) + k * sum(v for v, a in zip(x, w) if a == top)


@case(with_words)
def best_of_scores(x, w):
    score = defaultdict(float)
    for a, v in zip(w, x):
        score[a] += v * v
    best = max(score, key=score.get)
    name, value = max(score.items(), key=lambda kv: kv[1])
    return score[best] * 2.0 + value + len(name)


@case(with_words)
def ranked_scores(x, w):
    score = {}
    for a, v in zip(w, x):
        score[a] = score.get(a, 0.0) + v
    return sum(v / (1 + rank) for rank, (_, v) in enumerate(
        sorted(score.items(), key=lambda kv: -kv[1])))


@case(with_words)
def least_recently_used(x, w):
    cache, total = OrderedDict(), 0.0
    for a, v in zip(w, x):
        if a in cache:
            cache.move_to_end(a)
            total += cache[a]
        else:
            cache[a] = v * v
            if len(cache) > 2:
                cache.popitem(last=False)
    return total + sum(cache.values())


@case(lambda n: (numbers(n), ["a"] * n))
def words_that_are_one(x, w):
    return sum(v * len(a) if a == "a" else v * v for v, a in zip(x, w))


@case(lambda n: (numbers(n), [{"tags": words(i % 4 + 1), "at": i} for i in range(n)]))
def texts_in_lists_of_records(x, items):
    return sum(x[item["at"]] for item in items for tag in item["tags"] if tag != "b")


class Scaled:
    def __init__(self, a):
        self.a = a

    def __call__(self, v):
        return self.a * v


class Shifted:
    def __init__(self, a, by=1.0):
        self.a, self.by = a, by

    def __call__(self, v):
        return 0.5 * v + self.a * self.by


REGISTRY = {"scaled": Scaled, "shifted": Shifted}
FUNCTIONS = {"scaled": lambda a, v: a * v, "shifted": lambda a, v: 0.5 * v + a}


def with_names(n):
    return numbers(n) / n, [("scaled", "shifted")[i * i % 3 % 2] for i in range(n)]


@case(with_names)
def made_by_name(x, names):
    v = 1.0
    for layer in [REGISTRY[name](a) for name, a in zip(names, x)]:
        v = layer(v)
    return v


@case(with_names)
def called_by_name(x, names):
    v = 1.0
    for name, a in zip(names, x):
        v = v + FUNCTIONS[name](a, v) * REGISTRY[name](a)(0.1)
    return v


# ---- dicts from outside that are read ------------------------------------------------------------
def names_or_numbers(n, named):
    return [f"v{i}" if named else i for i in range(n)]


def weighted_graph(named):
    def make(n):
        v, w = names_or_numbers(n, named), numbers(2 * n)
        return {v[i]: [(v[(i + 1) % n], float(w[2 * i])), (v[(i * i + 2) % n], float(w[2 * i + 1]))]
                for i in range(n)}, v[0]

    return make


@case(weighted_graph(named=False))
@case(weighted_graph(named=True))
def shortest_paths(graph, start):
    distance = {u: math.inf for u in graph}
    distance[start] = 0.0
    heap = [(0.0, start)]
    while heap:
        d, u = heapq.heappop(heap)
        if d > distance[u]:
            continue
        for v, w in graph[u]:
            if d + w < distance[v]:
                distance[v] = d + w
                heapq.heappush(heap, (d + w, v))
    return sum(distance.values())


@case(lambda n: (numbers(n), {i: [(i + 1) % n, (i * i + 2) % n] for i in range(n)}))
@case(lambda n: (numbers(n), {np.int64(i): [(i + 1) % n, (i * i + 2) % n] for i in range(n)}))
@case(lambda n: (numbers(n), defaultdict(list, {i: [2 * i, 2 * i + 1] for i in range(n // 2)})))
def breadth_first(x, links):
    level, queue, total = {0: 0}, deque([0]), 0.0
    while queue:
        u = queue.popleft()
        total += x[u] * (1 + level[u])
        for v in links[u]:
            if v not in level:
                level[v] = level[u] + 1
                queue.append(v)
    return total + len(links)


@case(lambda n: (numbers(n), {f"n{i}": [f"n{c}" for c in (2 * i + 1, 2 * i + 2) if c < n]
                              for i in range(n)}, {f"n{i}": i for i in range(n)}))
def tree_by_names(x, children, place):
    total, stack = 0.0, [("n0", 0)]
    while stack:
        name, depth = stack.pop()
        total += x[place[name]] ** 2 / (1 + depth)
        for c in children[name]:
            stack.append((c, depth + 1))
    return total


@case(lambda n: ({i: {(i + 1) % n: float(w), (i * i + 2) % n: float(w) ** 2}
                  for i, w in enumerate(numbers(n))},))
def walk_along_the_least(graph):
    u, total = 1, 0.0
    for _ in range(7):
        best = min(graph[u], key=lambda v: graph[u][v])
        total += graph[u][best] ** 2
        u = best
    return total


@case(lambda n: (numbers(n), defaultdict(dict, {i: {(i + 1) % n: 0.5 * i, (i + 5) % n: 2.0}
                                                for i in range(n) if i % 5})))
def dicts_in_a_dict_that_makes_them(x, graph):
    total = 0.0
    for u in range(len(x)):
        for v, w in graph[u].items():
            total += w * x[u] * x[v]
    return total + len(graph)


@case(lambda n: ({(i, i * i % n): float(v) for i, v in enumerate(numbers(n))}, numbers(n)))
def sparse_form(entries, x):
    return sum(a * a * x[i] * x[j] for (i, j), a in entries.items())


@case(lambda n: ({f"s{i}": {"rate": float(v), "n": i % 3} for i, v in enumerate(numbers(n))},
                 [f"s{i * i % n}" for i in range(n)]))
def records_by_name(stations, route):
    return sum(stations[name]["rate"] ** 2 * stations[name]["n"] for name in route)


@case(lambda n: (numbers(n), {i: np.cos(np.arange(3.0) * i) for i in range(n)}))
def arrays_by_number(x, rows):
    total = 0.0
    for i, v in enumerate(x):
        total += np.sum(rows[(i * i + 1) % len(x)] * v) ** 2
    return total


@case(lambda n: ({i: float(v) for i, v in enumerate(numbers(n))},))
def ranked_argument(score):
    best = max(score, key=score.get)
    return score[best] + sum(v * r for r, (_, v) in enumerate(
        sorted(score.items(), key=lambda kv: -kv[1])))


@case(lambda n: (numbers(n), {i: float(i) for i in range(n) if i % 4}))
def missing_keys_are_caught(x, known):
    total = 0.0
    for i, v in enumerate(x):
        try:
            total += known[(i * i + 3) % len(x)] * v
        except KeyError:
            total += v ** 2
    return total


# ---- dicts from outside that change --------------------------------------------------------------
@case(lambda n: (*with_states(n), {}))
@case(lambda n: (*with_states(n), {1: 2.5}))
@case(lambda n: (*with_states(n), dict(enumerate(numbers(n)))))
def histogram_argument(x, s, counts):
    for k, v in zip(s, x):
        counts[k] = counts.get(k, 0.0) + v
    return sum(v * v for v in counts.values())


@case(lambda n: (*with_states(n), defaultdict(float)))
@case(lambda n: (*with_states(n), Counter([1, 1, 2])))
def counted_argument(x, s, counts):
    for k, v in zip(s, x):
        counts[k] += v
    return sum(v * v for v in counts.values())


@case(lambda n: (*with_states(n), {}))
@case(lambda n: (*with_states(n), {i: (1, 0.5) for i in range(n)}))
def tuples_in_an_argument(x, s, stats):
    for k, v in zip(s, x):
        count, mean = stats.get(k, (0, 0.0))
        stats[k] = (count + 1, mean + (v - mean) / (count + 1))
    return sum(mean * mean * count for count, mean in stats.values())


@case(lambda n: ({i: float(v) for i, v in enumerate(numbers(n))}, list(np.sin(numbers(n)))))
def stock_that_sells(stock, wanted):
    lost = 0.0
    for i, w in enumerate(wanted):
        taken = min(stock[i * i % len(wanted)], w)
        stock[i * i % len(wanted)] -= taken
        lost += (w - taken) ** 2
    return lost + sum(v * v for v in stock.values())


@case(lambda n: (numbers(n), {i: 0.5 * i for i in range(n)}))
def keys_that_go(x, d):
    total = 0.0
    for i, v in enumerate(x):
        k = (i * i + 1) % len(x)
        total += d.pop(k, 1.0) * v
        if k + 1 in d:
            del d[k + 1]
        elif i % 3:
            d[k] = v
    return total + len(d) + sum(d.values())


@case(lambda n: (numbers(n), {i: 0.5 * i for i in range(n)}))
def copy_that_changes(x, d):
    other = dict(d)
    for i, v in enumerate(x):
        other[i * i % (2 * len(x))] = v
    return sum(other.values()) + sum(d.values())


class Histogram:
    def __init__(self):
        self.counts = {}

    def add(self, key, weight):
        self.counts[key] = self.counts.get(key, 0.0) + weight


@case(lambda n: (*with_states(n), Histogram()))
def histogram_attribute(x, s, histogram):
    for k, v in zip(s, x):
        histogram.add(k, v)
    return sum(v * v for v in histogram.counts.values())


MEMO: dict[int, float] = {}


@case(with_states)
def memo_of_the_module(x, s):
    MEMO.clear()
    total = 0.0
    for k in s:
        if k not in MEMO:
            MEMO[k] = np.sin(x[k])
        total += MEMO[k]
    return total


# ---- records as keys -----------------------------------------------------------------------------
@dataclass(frozen=True)
class Cell:
    i: int
    j: int


@dataclass(frozen=True)
class Labelled:
    name: str
    cell: Cell


class Spot(NamedTuple):
    i: int
    j: int


@case(alone)
def grid_of_cells(x):
    grid = defaultdict(list)
    for k, v in enumerate(x):
        grid[Cell(int(v) % 3, k % 2)].append(v)
    return sum((cell.i + 1) * len(g) * sum(g) ** 2 for cell, g in grid.items())


@case(alone)
def grid_of_spots(x):
    grid = {}
    for v in x:
        grid.setdefault(Spot(int(v // 1.5), int(v) % 2), []).append(v)
    return sum((spot.i + 1) * sum(g) ** 2 + spot.j for spot, g in grid.items())


@case(with_states)
def cells_that_were_visited(x, s):
    seen, here, total = set(), Cell(0, 0), 0.0
    for k, v in zip(s, x):
        here = Cell(here.i + (1, 0, -1, 0)[k], here.j + (0, 1, 0, -1)[k])
        if here in seen:
            total += v * v
        seen.add(here)
    return total + len(seen)


@case(alone)
def records_in_records(x):
    found = {}
    for k, v in enumerate(x):
        key = Labelled("ab"[k % 2], Cell(int(v), k % 3)), k % 2
        found[key] = found.get(key, 0.0) + v
    return sum(v * v * key.cell.i + len(key.name) * m for (key, m), v in found.items())


@case(alone)
def cells_that_are_missing(x):
    found, total = {Cell(-1, 0): x[0]}, 0.0
    for k, v in enumerate(x):
        found[Cell(int(v), k % 2)] = v
    for k, v in enumerate(x):
        try:
            total += found[Cell(int(v) + 1, k % 2)]
        except KeyError:
            total += v * v
    return total


# ---- records that a dict holds -------------------------------------------------------------------
@case(with_states)
def records_that_are_made_when_missing(x, s):
    table = {}
    for k, v in zip(s, x):
        if k not in table:
            table[k] = {"count": 0, "total": 0.0}
        table[k]["count"] += 1
        table[k]["total"] += v
    return sum(r["total"] ** 2 / r["count"] for r in table.values())


@case(with_words)
def records_by_factory(x, w):
    table = defaultdict(lambda: {"items": [], "total": 0.0})
    for k, v in zip(w, x):
        row = table[k]
        row["items"].append(v)
        row["total"] += v
    return sum(r["total"] ** 2 / len(r["items"]) for r in table.values())


@case(with_states)
def records_by_default(x, s):
    table = {}
    for k, v in zip(s, x):
        row = table.setdefault(k, {"count": 0, "total": 0.0, "best": -1.0})
        row["count"] += 1
        row["total"] += v
        if v > row["best"]:
            row["best"] = v
    return sum(r["total"] / r["count"] + r["best"] for r in table.values())
