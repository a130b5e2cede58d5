"""Graphs, searches, memo tables and sets whose members are picked by data."""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from functools import cache, lru_cache

import numpy as np

CASES = []


def case(*args):
    def keep(fn):
        CASES.append((fn, args))
        return fn
    return keep


V = np.array([0.43, -0.36, 1.14, -0.93, 0.75, -0.22, 0.61, 1.32, -0.57, 0.18])
P = np.abs(V) + 0.1
EDGES = np.array([[0, 1], [0, 2], [1, 3], [2, 3], [3, 4], [2, 4], [4, 5], [1, 5], [5, 6], [3, 6]])


@case(P)
def dijkstra_over_lists(w):
    graph = {0: [(1, 0), (2, 1)], 1: [(3, 2), (5, 7)], 2: [(3, 3), (4, 5)], 3: [(4, 4), (6, 9)],
             4: [(5, 6)], 5: [(6, 8)], 6: []}
    heap, done = [(0.0, 0)], {}
    while heap:
        d, u = heapq.heappop(heap)
        if u in done:
            continue
        done[u] = d
        for v, e in graph[u]:
            if v not in done:
                heapq.heappush(heap, (d + w[e], v))
    return sum(d * (u + 1) for u, d in done.items())


@case(P)
def dijkstra_over_dicts(w):
    graph = {"a": {"b": w[0], "c": w[1]}, "b": {"d": w[2], "e": w[3]}, "c": {"b": w[4], "d": w[5]},
             "d": {"e": w[6]}, "e": {}}
    distance = {name: math.inf for name in graph}
    distance["a"] = 0.0
    left = set(graph)
    while left:
        u = min(left, key=distance.get)
        left.remove(u)
        for v, length in graph[u].items():
            if distance[u] + length < distance[v]:
                distance[v] = distance[u] + length
    return distance["e"] * distance["d"] + distance["b"]


@case(P)
def dijkstra_with_unvisited_min(w):
    graph = {0: {1: w[0], 2: w[1]}, 1: {3: w[2]}, 2: {1: w[3], 3: w[4]}, 3: {}}
    dist = {k: float("inf") for k in graph}
    dist[0] = 0.0
    queue = list(graph)
    while queue:
        u = min(queue, key=lambda k: dist[k])
        queue.remove(u)
        for v, c in graph[u].items():
            dist[v] = min(dist[v], dist[u] + c)
    return dist[3] ** 2 + dist[1]


@case(P, EDGES)
def topological(w, edges):
    indegree, follow = defaultdict(int), defaultdict(list)
    for e, (a, b) in enumerate(edges):
        follow[int(a)].append((int(b), e))
        indegree[int(b)] += 1
    longest = defaultdict(float)
    ready = [0]
    while ready:
        u = ready.pop()
        for v, e in follow[u]:
            longest[v] = max(longest[v], longest[u] + w[e])
            indegree[v] -= 1
            if indegree[v] == 0:
                ready.append(v)
    return longest[6] ** 2


@case(P, EDGES)
def longest_path_known_nodes(w, edges):
    longest = {k: 0.0 for k in range(7)}
    for e in range(len(edges)):
        a, b = int(edges[e, 0]), int(edges[e, 1])
        longest[b] = max(longest[b], longest[a] + w[e])
    return longest[6] * longest[4]


@case(P, EDGES)
def union_find(w, edges):
    parent = {k: k for k in range(7)}

    def find(k):
        while parent[k] != k:
            parent[k] = parent[parent[k]]
            k = parent[k]
        return k

    total = 0.0
    for e in np.argsort(w):
        a, b = find(int(edges[e, 0])), find(int(edges[e, 1]))
        if a != b:
            parent[a] = b
            total += w[e] ** 2
    return total


@case(P, EDGES)
def union_find_recursive(w, edges):
    parent = list(range(7))

    def find(k):
        if parent[k] != k:
            parent[k] = find(parent[k])
        return parent[k]

    total = 0.0
    for e in np.argsort(w):
        a, b = find(int(edges[e, 0])), find(int(edges[e, 1]))
        if a != b:
            parent[a] = b
            total += w[e]
    return total * total


@case(P, EDGES)
def union_find_grown(w, edges):
    parent, size = {}, {}

    def find(k):
        if k not in parent:
            parent[k], size[k] = k, 1.0
        while parent[k] != k:
            k = parent[k]
        return k

    total = 0.0
    for e in range(len(edges)):
        a, b = find(int(edges[e, 0])), find(int(edges[e, 1]))
        if a != b:
            if size[a] < size[b]:
                a, b = b, a
            parent[b] = a
            size[a] += size[b] * w[e]
            total += size[a]
    return total


@case(P)
def visited_set_in_walk(w):
    visited, u, total = set(), 0, 0.0
    while u not in visited:
        visited.add(u)
        total += w[u] * len(visited)
        u = int(w[u] * 7) % len(w)
    return total


@case(P, EDGES)
def depth_first_stack(w, edges):
    n = 7
    stack, visited, total = [(0, 1.0)], set(), 0.0
    while stack:
        u, p = stack.pop()
        if u in visited:
            continue
        visited.add(u)
        total += p ** 2
        for e in range(len(edges)):
            if int(edges[e, 0]) == u and int(edges[e, 1]) not in visited:
                stack.append((int(edges[e, 1]), p * w[e]))
    return total * len(visited) / n


@case(V)
def sum_over_distinct(x):
    kinds = set()
    for v in x:
        kinds.add(int(v * 3))
    total = 0.0
    for k in sorted(kinds):
        total += np.sin(k + x[0])
    return total * len(kinds)


@case(V)
def set_of_comprehension(x):
    kinds = {int(v * 2) for v in x}
    return sum(x) ** 2 * len(kinds) + (x[0] if 1 in kinds else x[1]) + sum(kinds)


@case(V)
def sets_combined(x):
    low = {i for i in range(len(x)) if x[i] < 0.5}
    high = {i for i in range(len(x)) if x[i] > -0.3}
    both = low & high
    return sum(x[i] ** 2 for i in sorted(both)) + len(low | high) * x[0] + len(low - high)


@case(V)
def set_discarded_and_popped(x):
    left, total = set(range(len(x))), 0.0
    for i in range(len(x)):
        j = int(abs(x[i]) * 10) % len(x)
        if j in left:
            left.remove(j)
            total += x[j] ** 2
        left.discard(i - 5)
    return total + sum(x[i] for i in left)


@case(V, 6)
def knapsack(x, n):
    weights = [2, 3, 1, 4, 2, 3]
    memo = {}

    def best(i, room):
        if i == n:
            return 0.0
        if (i, room) in memo:
            return memo[(i, room)]
        value = best(i + 1, room)
        if weights[i] <= room:
            value = max(value, x[i] + best(i + 1, room - weights[i]))
        memo[(i, room)] = value
        return value

    return best(0, 7)


@case(V)
def edit_distance_memo(x):
    y = x[::-1] * 0.5
    memo = {}

    def distance(i, j):
        if i == 0 or j == 0:
            return 0.3 * (i + j)
        if (i, j) not in memo:
            memo[i, j] = min(distance(i - 1, j) + 0.3, distance(i, j - 1) + 0.3,
                             distance(i - 1, j - 1) + abs(x[i - 1] - y[j - 1]))
        return memo[i, j]

    return distance(5, 5)


@case(P)
def cached_with_lru(x):
    @lru_cache(maxsize=None)
    def paths(i, j):
        if i == 0 or j == 0:
            return 1.0
        return x[i] * paths(i - 1, j) + x[j] * paths(i, j - 1)

    return paths(3, 4)


@case(P, 6)
def cached_with_n(x, n):
    @cache
    def term(k):
        if k < 2:
            return x[k]
        return term(k - 1) * x[2] + term(k - 2)

    return term(n)


@case(P)
def cached_on_data(x):
    @lru_cache
    def cost(k):
        return np.sin(x[k]) * k

    total = 0.0
    for v in x:
        total += cost(int(v * 5) % len(x))
    return total


@lru_cache(maxsize=None)
def binomial(n, k):
    if k == 0 or k == n:
        return 1
    return binomial(n - 1, k - 1) + binomial(n - 1, k)


@case(P)
def cached_coefficients(x):
    return sum(binomial(5, k) * x[k] ** k * (1 - x[k]) ** (5 - k) for k in range(6))


@case(P)
def coin_change(x):
    coins = {1: x[0], 3: x[1], 4: x[2]}
    best = {0: 0.0}
    for amount in range(1, 11):
        for c, cost in coins.items():
            if amount - c in best:
                candidate = best[amount - c] + cost
                if amount not in best or candidate < best[amount]:
                    best[amount] = candidate
    return best[10] + best[7] ** 2


@case(P, 9)
def subset_sums(x, n):
    reached = {0: 1.0}
    for i in range(n):
        step = int(x[i] * 4)
        following = dict(reached)
        for total, p in reached.items():
            key = total + step
            following[key] = following.get(key, 0.0) + p * x[i]
        reached = following
    return sum(p * math.sqrt(total + 1) for total, p in reached.items())


@case(V)
def markov_transitions(x):
    states = [int(v > 0) + int(v > 0.6) for v in x]
    counts = {}
    for a, b, v in zip(states, states[1:], x):
        counts[a, b] = counts.get((a, b), 0.0) + v * v
    rows = {}
    for (a, _), c in counts.items():
        rows[a] = rows.get(a, 0.0) + c
    return sum(c * math.log(c / rows[a]) for (a, _), c in counts.items())


@case(P)
def a_star_on_a_grid(w):
    goal = (2, 2)
    heap = [(0.0, 0.0, 0, 0)]
    cost = {(0, 0): 0.0}
    closed = set()
    while heap:
        _, g, i, j = heapq.heappop(heap)
        if (i, j) == goal:
            break
        if (i, j) in closed:
            continue
        closed.add((i, j))
        for di, dj in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            a, b = i + di, j + dj
            if 0 <= a < 3 and 0 <= b < 3:
                new = g + w[3 * a + b]
                if new < cost.get((a, b), 1e9):
                    cost[(a, b)] = new
                    heapq.heappush(heap, (new + 0.1 * (4 - a - b), new, a, b))
    return cost[goal] ** 2


@case(P)
def sparse_matrix_product(x):
    a = {(i, int(x[i] * 5) % 4): x[i] for i in range(4)}
    b = {(int(x[i] * 7) % 4, i): x[i + 4] for i in range(4)}
    c = defaultdict(float)
    for (i, k), v in a.items():
        for (m, j), w in b.items():
            if k == m:
                c[i, j] += v * w
    return sum(v * (i + 1) * (j + 2) for (i, j), v in c.items())


@case(P)
def polynomial_as_dict(x):
    p = {0: 1.0}
    for i in range(4):
        e = int(x[i] * 3)
        q = {}
        for k, c in p.items():
            q[k] = q.get(k, 0.0) + c
            q[k + e] = q.get(k + e, 0.0) + c * x[i]
        p = q
    return sum(c * 0.9 ** k for k, c in p.items())


@case(V)
def run_lengths(x):
    runs, length, sign = {}, 0, x[0] > 0
    for v in x:
        if (v > 0) == sign:
            length += 1
        else:
            runs[length] = runs.get(length, 0.0) + v
            length, sign = 1, v > 0
    return sum(n * v for n, v in runs.items()) + runs[1]


@case(V)
def first_repeat(x):
    seen = {}
    for i, v in enumerate(x):
        k = int(v * 3)
        if k in seen:
            return v * x[seen[k]]
        seen[k] = i
    return x[0]


@case(P)
def page_rank(x):
    links = {0: [1, 2], 1: [2], 2: [0], 3: [0, 2]}
    rank = {k: x[k] for k in links}
    for _ in range(6):
        new = {k: 0.15 for k in links}
        for k, outs in links.items():
            for o in outs:
                new[o] += 0.85 * rank[k] / len(outs)
        rank = new
    return sum(r * (k + 1) for k, r in rank.items())


@case(P, 3)
def hash_join(x, n):
    left = {}
    for i in range(len(x)):
        left.setdefault(int(x[i] * 10) % n, []).append(i)
    total = 0.0
    for j in range(len(x)):
        for i in left.get(j % n, []):
            total += x[i] * x[j]
    return total


@case(P)
def visited_grid(w):
    seen, stack, area = set(), [(0, 0)], 0.0
    while stack:
        i, j = stack.pop()
        if (i, j) in seen or not (0 <= i < 3 and 0 <= j < 3) or w[3 * i + j] < 0.3:
            continue
        seen.add((i, j))
        area += w[3 * i + j] ** 2
        stack.extend([(i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)])
    return area * len(seen)


@case(P, {3: 1.5, 5: 2.5})
def argument_read_by_data(x, table):
    total = 0.0
    for v in x:
        k = int(v * 10)
        if k in table:
            total += table[k] * v
    return total + table[3]

