"""Heaps of traced numbers, tuples and objects."""

from __future__ import annotations

import heapq
import random
from collections import deque, namedtuple
from dataclasses import dataclass, field, replace

import numpy as np
from object_stores import shortest_paths

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
    return shortest_paths(W, [[v for v in range(n) if v != u] for u in range(n)])


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


# ---- heaps whose sizes depend on data ------------------------------------------------------------
LONG = np.array([0.3, -1.2, 2.0, 0.7, -0.4, 1.1, 0.05])


@case(LONG)
def huffman(x):
    h = [(v**2, i) for i, v in enumerate(x)]
    heapq.heapify(h)
    n = len(x)
    cost = 0.0
    while len(h) > 1:
        a, _ = heapq.heappop(h)
        b, _ = heapq.heappop(h)
        cost += a * b + a
        heapq.heappush(h, (a + b, n))
        n += 1
    return cost


@case(LONG)
def running_medians(x):
    lower, upper = [], []
    total = 0.0
    for v in x:
        heapq.heappush(lower, -v)
        heapq.heappush(upper, -heapq.heappop(lower))
        if len(upper) > len(lower):
            heapq.heappush(lower, -heapq.heappop(upper))
        middle = -lower[0] if len(lower) > len(upper) else 0.5 * (upper[0] - lower[0])
        total += middle**2
    return total


class Queue:
    def __init__(self):
        self.items = []
        self.count = 0

    def push(self, priority, item):
        heapq.heappush(self.items, (priority, self.count, item))
        self.count += 1

    def pop(self):
        return heapq.heappop(self.items)[2]


@case(LONG)
def queue_of_objects(x):
    queue = Queue()
    for i, v in enumerate(x):
        queue.push(-v, P(v, i))
    total = 0.0
    while queue.items:
        total = 0.7 * total + queue.pop().x
    return total


@case(LONG)
def heaps_by_key(x):
    heaps = {}
    for i, v in enumerate(x):
        heapq.heappush(heaps.setdefault(i % 2, []), v)
    return heapq.heappop(heaps[0]) * heapq.heappop(heaps[1])


@case(LONG)
def heap_of_arrays(x):
    h = []
    for i in range(len(x)):
        heapq.heappush(h, (x[i], i, x * i))
    total = 0.0
    while h:
        least, _, row = heapq.heappop(h)
        total = 0.5 * total + least * row[0]
    return total


@case(LONG)
def heap_of_words(x):
    h = []
    for i, v in enumerate(x):
        heapq.heappush(h, (abs(v), "odd" if i % 2 else "even"))
    total = 0.0
    while h:
        v, word = heapq.heappop(h)
        total = 0.5 * total + (v if word == "odd" else 2 * v)
    return total


@case(LONG)
def made_in_other_ways(x):
    first, second, third = sorted(x), [x[0], *x][1:], [2.0] + [v * v for v in x]
    heapq.heapify(second)
    heapq.heapify(third)
    total = 0.0
    while len(first) > 1:
        total += heapq.heappop(first) * heapq.heappop(second) + heapq.heappushpop(third, total)
        heapq.heapreplace(second, total)
    return total + sum(third) + second[0]


@case(LONG)
def looked_through(x):
    h = []
    for i, v in enumerate(x):
        heapq.heappush(h, (v, i))
        if len(h) > 4:
            heapq.heappop(h)
    return sum(i * v for v, i in h) + max(h)[0] + sorted(h)[1][0]


@dataclass(order=True)
class Event:
    time: float
    kind: str = field(compare=False)
    who: int = field(compare=False, default=0)


class Job:
    def __init__(self, start, size):
        self.start, self.size = start, size

    def __lt__(self, other):
        return self.start < other.start


@case(1.1, 0.7, 3.0)
def one_counter(gap, service, end):
    rng, events = random.Random(3), [Event(0.1 * gap, "arrives")]
    waiting, busy, cost, now = deque(), None, 0.0, 0.0
    while events:
        event = heapq.heappop(events)
        if event.time > end:
            break
        cost += len(waiting) * (event.time - now)
        now = event.time
        if event.kind == "arrives":
            waiting.append(event)
            later = now + gap * (0.5 + rng.random())
            heapq.heappush(events, Event(later, "arrives", event.who + 1))
        else:
            busy = None
        if busy is None and waiting:
            busy = waiting.popleft()
            heapq.heappush(events, Event(now + service * (0.4 + rng.random()), "leaves", busy.who))
    return cost + now * now


@case(np.array([3.0, 1.0, 2.0, 5.0, 0.5, 0.1, 7.0]))
def jobs_in_parts(x):
    queue = []
    for i, v in enumerate(x):
        heapq.heappush(queue, Job(v, i))
    total = 0.0
    while queue:
        job = heapq.heappop(queue)
        total = 0.5 * total + job.start * job.size
        if job.size > 5:
            heapq.heappush(queue, Job(job.start + 0.1, job.size - 5))
    return total


@case(1.5, 0.7)
def events_in_order(x, y):
    events = [Event(x, "a"), Event(y, "b"), Event(x * y, "c")]
    heapq.heapify(events)
    first = heapq.heapreplace(events, Event(x + y, "d"))
    second = heapq.heappushpop(events, Event(x - y, "e"))
    return first.time + 3.0 * second.time + 5.0 * events[0].time * len(events[1].kind)


@dataclass(order=True)
class Errand:
    start: float
    size: float = field(compare=False)
    name: str = field(compare=False, default="first")


@case(X * X, Y)
def errands_split_by_replace(x, y):
    queue = []
    for a, b in zip(x, y):
        heapq.heappush(queue, Errand(a, b))
    total = 0.0
    while queue:
        one = heapq.heappop(queue)
        total = 0.5 * total + one.start * one.size + (one.name == "rest")
        if one.size > 0.6:
            heapq.heappush(queue, replace(one, size=one.size / 2, name="rest"))
    return total


Cell = namedtuple("Cell", "i j")


@case(X * X + 0.1)
def cells_of_a_grid(x):
    n = 3
    cost = {(i, j): x[(i * n + j) % len(x)] for i in range(n) for j in range(n)}
    walls = [(1, 1), Cell(0, 2)]
    best, heap = {Cell(0, 0): 0.0}, [(0, Cell(0, 0))]
    while heap:
        steps, (i, j) = heapq.heappop(heap)
        for near in (Cell(i + 1, j), Cell(i, j + 1), Cell(i - 1, j)):
            if near not in cost or near in walls:
                continue
            new = best[i, j] + cost[near]
            if near not in best or new < best[near]:
                best[near] = new
                heapq.heappush(heap, (steps + 1, near))
    return best[2, 2] + sum(best.values())


@case(X, Y)
def keys_in_tuples(x, y):
    heap = []
    for k, v in enumerate(x):
        heapq.heappush(heap, (k % 2, (int(v > 0), ("ab"[k % 2], v)), np.array([v, y[k]])))
    total = 0.0
    while heap:
        _, (sign, _), parts = heapq.heappop(heap)
        total = 0.5 * total + parts[0] * parts[1] + sign
    return total


@case(X, Y)
def walk_past_walls(x, y):
    walls, at, total = {(1, 0), (1, 1), (2, 2)}, (0, 0), 0.0
    for v, w in zip(x, y):
        new = (at[0] + 1, at[1]) if v > 0.5 else (at[0], at[1] + 1)
        if new not in walls and new not in ((0, 9), [0, 4]):
            at = new
            total += v * w * (at[0] + 1)
    seen = [(0, 1), (0, 2), at]
    return total + seen.index(at) * x[0] + seen.count((0, at[1])) + ((x[0], 1) in [at, (x[0], 1)])


class Card(namedtuple("Card", "rank suit")):
    def __lt__(self, other):
        return (self.suit, -self.rank) < (other.suit, -other.rank)


@case(X, Y)
def cards_in_their_own_order(x, y):
    alone, behind = [], []
    for i, (v, w) in enumerate(zip(x, y)):
        heapq.heappush(alone, Card(v, "ab"[i % 2]))
        heapq.heappush(behind, (i // 2, Card(w, "ba"[i % 2])))
    total = 0.0
    while alone:
        total = 0.7 * total + heapq.heappop(alone).rank * heapq.heappop(behind)[1].rank
    return total
