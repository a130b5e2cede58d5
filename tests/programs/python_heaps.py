"""Heaps of traced numbers, tuples and objects."""

from __future__ import annotations

import heapq

import numpy as np

X = np.array([0.3, -1.2, 2.0, 0.7])
Y = np.array([1.5, 0.2, -0.4, 0.9])
CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


class P:
    def __init__(self, x, w):
        self.x = x
        self.w = w


@case(X, Y)
def heap_objs(x, y):
    h = []
    for i in range(4):
        heapq.heappush(h, (x[i], i, P(x[i], y[i])))
    t = 0.0
    k = 1.0
    while h:
        c, _, p = heapq.heappop(h)
        t += k * c * p.w
        k *= 0.5
    return t


@case(X)
def heap_nums(x):
    h = list(x)
    heapq.heapify(h)
    t = 0.0
    while len(h) > 1:
        a = heapq.heappop(h)
        b = heapq.heappop(h)
        t += a * b
        heapq.heappush(h, a + b)
    return t + h[0]


@case(X, Y)
def heap_mix(x, y):
    h = [x[0], x[1]]
    heapq.heapify(h)
    a = heapq.heappushpop(h, y[0])
    b = heapq.heapreplace(h, y[1] * 2)
    return a * b + h[0] * 3 + h[1] + sum(heapq.nsmallest(2, x)) * heapq.nlargest(1, y)[0]


@case(
    np.array(
        [[0.0, 1.2, 4.0, 9.0], [1.2, 0.0, 1.5, 5.0], [4.0, 1.5, 0.0, 1.1], [9.0, 5.0, 1.1, 0.0]]
    )
)
def dijkstra(W):
    n = len(W)
    dist = [np.inf] * n
    dist[0] = 0.0
    done = [False] * n
    h = [(0.0, 0)]
    while h:
        d, u = heapq.heappop(h)
        if done[u]:
            continue
        done[u] = True
        for v in range(n):
            if v != u and d + W[u, v] < dist[v]:
                dist[v] = d + W[u, v]
                heapq.heappush(h, (dist[v], v))
    return dist[3] + dist[2] ** 2


@case(X, 4)
def heap_stream(x, n):
    h = []
    for i in range(n):
        heapq.heappush(h, x[i] ** 2)
        if len(h) > 2:
            heapq.heappop(h)
    return sum(h)


@case(np.abs(X), Y)
def events(x, y):
    q = [(v, i) for i, v in enumerate(x)]
    heapq.heapify(q)
    t = 0.0
    s = 0.0
    for _ in range(6):
        t, i = heapq.heappop(q)
        s += t * y[i]
        heapq.heappush(q, (t + x[i] * 0.7 + 0.1, i))
    return s


@case(X, Y)
def negative_picks(x, y):
    ps = [P(x[i], y[i]) for i in range(4)]
    k = int(x[2] + 0.5) - 4
    q = ps[k]
    q.w = q.w * 3
    r = ps[k + 1]
    ps.append(P(x[0] * y[0], 1.5))
    ps.sort(key=lambda p: p.x)
    s = ps[-1]
    s.w += q.x
    return q.w * r.w + sum((i + 1) * p.w for i, p in enumerate(ps))
