"""Lists, deques, dicts and sets."""

from __future__ import annotations

import operator
from collections import defaultdict, deque

import numpy as np
from table import construct

R = np.random.RandomState(59)
V3 = R.rand(3) + 0.5
V4 = R.rand(4) + 0.3
V5 = R.randn(5)
W6 = R.randn(6)
V8 = R.randn(8)
M34 = R.randn(3, 4)
M44 = R.randn(4, 4)
S33 = R.rand(3, 3) + 3 * np.eye(3)


@construct("list.append", W6, 0.3)
def peaks_and_valleys(x, a):
    peaks, valleys = [], []
    for i in range(1, len(x) - 1):
        if x[i - 1] < x[i] > x[i + 1]:
            peaks.append(x[i])
        elif x[i] < min(x[i - 1], x[i + 1]):
            valleys.append(a * x[i])
    gap = [p - v for p, v in zip(peaks, valleys)]
    return sum(g * g for g in gap) + (peaks[-1] if peaks else 0.0) * len(valleys)


@construct("list.append", V4, 0.2)
def tape_of_operations(x, h):
    tape = []

    def record(op, *values):
        out = op(*values)
        tape.append((op.__name__, out))
        return out

    y = x
    for k in range(3):
        y = record(np.multiply, y, record(np.tanh, y)) if k % 2 else record(np.add, y, h)
    total = 0.0
    for name, value in tape:
        total += value.sum() if name == "tanh" else value @ x
    return total * len(tape)


@construct("list.append", M34, 1.5)
def append_views(M, c):
    rows = []
    append = rows.append
    for k, row in enumerate(M):
        append(row if k else row.copy())
        rows[-1] *= c
    M[0, 0] += 1.0
    return sum(np.sum(r * r) for r in rows) + M.sum()


@construct("list.extend", V5, 0.4)
def extended_state(x, a):
    states = [a]
    states.extend(x[:2])
    states.extend(v * a for v in x if v > 0)
    states += [s ** 2 for s in states[:2]]
    states.extend([np.sum(x)] * 2)
    return sum((k + 1) * s for k, s in enumerate(states)) / len(states)


@construct("list.extend", W6, 0.5)
def intervals_refined(x, tol):
    todo, done = [(0.0, 1.0)], []
    while todo:
        lo, hi = todo.pop()
        mid = 0.5 * (lo + hi)
        f = np.sin(x[0] * lo) + np.sin(x[1] * hi) - 2 * np.sin(x[2] * mid)
        if abs(f) > 0.1 * tol and hi - lo > 0.3:
            todo.extend([(lo, mid), (mid, hi)])
        else:
            done.extend([f * (hi - lo), f ** 2])
    return sum(done) + tol * len(done)


@construct("list.extend", M34, 0.1)
def extend_with_rows(M, eps):
    pool = list(M[0])
    for row in M[1:]:
        if row.sum() > 0:
            pool.extend(row[row > 0] * eps)
        else:
            pool.extend(-row[:2])
    return sum(p ** 2 for p in pool) + pool[-1]


@construct("list.insert", W6, 2.0)
def insertion_sort(x, power):
    ordered = []
    for v in x:
        k = 0
        while k < len(ordered) and ordered[k] < v:
            k += 1
        ordered.insert(k, v)
    return sum((i + 1) ** 0.5 * np.abs(v) ** power for i, v in enumerate(ordered))


@construct("list.insert", V4, 0.7)
def priority_insert(x, a):
    queue = [x[0], a]
    for v in x[1:]:
        if v > a:
            queue.insert(0, v)
        else:
            queue.insert(-1, v * a)
        queue.insert(len(queue) // 2, queue[0] * queue[-1])
    return sum(q / (k + 1) for k, q in enumerate(queue))


@construct("list.insert", M34, 0.3)
def insert_rows(M, a):
    rows = [M[2]]
    rows.insert(0, M[0] * a)
    rows.insert(1, M[1])
    rows.insert(10, rows[0] + rows[1])
    rows[1] += 1.0
    return np.sum(np.array(rows) ** 2) + M[1, 0]


@construct("list.pop", V5, 0.6)
def stack_machine(x, a):
    stack = list(x)
    while len(stack) > 1:
        p, q = stack.pop(), stack.pop(0)
        stack.append(p * q if p > q else a * (p + q))
        if len(stack) == 3:
            stack.insert(1, stack.pop(1) ** 2)
    return stack.pop() ** 2


@construct("list.pop", W6, 0.2)
def depth_first(x, a):
    children = {0: [1, 2], 1: [3, 4], 2: [5], 3: [], 4: [], 5: []}
    todo, total, order = [(0, 1.0)], 0.0, []
    while todo:
        node, weight = todo.pop()
        order.append(node)
        total += weight * x[node]
        for child in children[node]:
            todo.append((child, weight * (a if x[child] > 0 else 2 * a)))
    return total * len(order)


@construct("list.pop", M34, 3)
def pop_from_the_front(M, n):
    queue = [row for row in M]
    total = 0.0
    for _ in range(n):
        row = queue.pop(0)
        if row[0] > 0:
            total += row @ queue[-1] if queue else row.sum()
        else:
            queue.append(np.abs(row) * 0.5)
    last = queue.pop(-1) if queue else M[0]
    return total + last.sum()


@construct("slice assignment of lists", V5, 0.3)
def replaced_slices(x, a):
    items = list(x)
    items[1:3] = [a * v for v in items[1:3]]
    items[::2] = items[::-2]
    if x[0] > 0:
        items[:1] = [x[0], a]
    else:
        items[-1:] = [x[0] ** 2, a]
    del items[2:3]
    return sum((k + 1) * v for k, v in enumerate(items))


@construct("slice assignment of lists", W6, 2)
def rotate_in_place(x, k):
    def rotate(lst, k):
        lst[:] = lst[k:] + lst[:k]

    items = [v ** 2 for v in x]
    alias = items
    rotate(items, k)
    alias[2:4] = []
    items[1:1] = [sum(x)]
    return sum(i * v for i, v in enumerate(alias))


@construct("slice assignment of lists", M34, 0.5)
def swap_blocks(M, a):
    rows = [M[0], M[1] * a, M[2]]
    rows[0:2] = rows[1], rows[0]
    rows[-1:] = [r * r for r in rows[:2]]
    if rows[0].sum() > 0:
        rows[:2] = rows[1::-1]
    return rows[0] @ rows[1] + rows[-1].sum()


@construct("sort by key", W6, 0.5)
def sorted_by_distance(x, target):
    order = sorted(x, key=lambda v: abs(v - target))
    order.sort(key=lambda v: v * v, reverse=True)
    return sum(v / (k + 1) for k, v in enumerate(order)) + order[0] * order[-1]


@construct("sort by key", M34, V3)
def sort_pairs(M, w):
    pairs = [(row.sum(), k, row) for k, row in enumerate(M)]
    pairs.sort(key=lambda p: p[0])
    total = 0.0
    for rank, (s, k, row) in enumerate(pairs):
        total += (rank + 1) * s * w[k] + row[rank]
    pairs.sort(key=operator.itemgetter(1), reverse=True)
    return total + pairs[0][0]


@construct("sort by key", V5, 0.2)
def sort_records(x, a):
    jobs = [{"cost": v * v + a, "name": f"j{i}", "rank": i % 2} for i, v in enumerate(x)]
    jobs.sort(key=lambda j: (j["rank"], j["cost"]))
    finish, total = 0.0, 0.0
    for j in jobs:
        finish += j["cost"]
        total += finish * (1.5 if j["rank"] else 1.0)
    return total + jobs[0]["cost"]


@construct("deque", V5, 0.3)
def delay_line(x, g):
    line = deque([0.0, 0.0, 0.0])
    total = 0.0
    for v in x:
        echo = line.popleft()
        line.append(v + g * echo)
        line.rotate(1)
        if echo < 0:
            line.appendleft(line.pop() * g)
        total += echo * v + line[0]
    return total + sum(k * v for k, v in enumerate(reversed(line)))


@construct("deque", M44, 0.4)
def breadth_first(M, a):
    seen, queue, reach = {0}, deque([(0, 1.0)]), np.zeros(4)
    while queue:
        node, flow = queue.popleft()
        reach[node] += flow
        for other in range(4):
            if other not in seen and other <= node + 2:
                seen.add(other)
                queue.append((other, flow * a * (M[node, other] if M[node, other] > 0 else 1.0)))
    return reach @ M[0] + len(seen)


@construct("dicts with computed keys", V5, 0.6)
def sparse_polynomial(x, t):
    p = {(0,): x[0], (1,): x[1]}
    for k in range(3):
        nxt = {}
        for powers, c in p.items():
            for j in (0, 1):
                key = (powers[0] + j,)
                nxt[key] = nxt.get(key, 0.0) + c * x[2 + j]
        p = nxt
    return sum(c * t ** k for (k,), c in sorted(p.items()))


@construct("dicts with computed keys", W6, 3)
def histogram_by_bin(x, n):
    bins = defaultdict(float)
    for i, v in enumerate(x):
        bins[f"b{i % n}"] += v * v if v > 0 else -v
    total = 0.0
    for name in sorted(bins, reverse=True):
        total = total * 0.5 + bins[name]
    return total * len(bins)


@construct("dicts with computed keys", M34, 0.1)
def graph_laplacian(M, c):
    edges = {}
    for i in range(3):
        for j in range(i + 1, 4):
            edges[min(i, j), max(i, j)] = M[i, j] ** 2
    degree = {}
    for (i, j), w in edges.items():
        for k in (i, j):
            degree[k] = degree.get(k, c) + w
    heaviest = max(degree, key=degree.get) if degree[0] < 100 else 0
    return sum(w / (degree[i] * degree[j]) for (i, j), w in edges.items()) + degree[heaviest]


@construct("sets of static values", V5, 0.5)
def visited_cells(x, a):
    visited, at, total = {0}, 0, 0.0
    for k in range(6):
        at = (at * 2 + 1) % 5
        if at in visited:
            total += a * x[at]
            visited.discard(at)
        else:
            visited |= {at}
            total -= x[at] ** 2
    return total + sum(x[i] for i in sorted(visited))


@construct("sets of static values", W6, 0.2)
def primes_by_sieve(x, a):
    composite = {m for k in range(2, 4) for m in range(2 * k, 12, k)}
    primes = set(range(2, 12)) - composite
    total = 0.0
    for p in sorted(primes):
        v = x[p % 6]
        total += v ** p if abs(v) < 1 else a * v
    return total * len(primes & {2, 3, 5}) + (7 in primes) * a


@construct("sets of static values", M44, 0.3)
def connected_components(M, cut):
    groups = [{i} for i in range(4)]
    for i, j in [(0, 1), (2, 3), (1, 1)]:
        a = next(g for g in groups if i in g)
        b = next(g for g in groups if j in g)
        if a is not b:
            a |= b
            groups.remove(b)
    total = 0.0
    for g in groups:
        block = M[np.ix_(sorted(g), sorted(g))]
        total += np.sum(block ** 2) if block[0, 0] > cut else cut * block.sum()
    return total * len(groups)


@construct("deque", W6, 0.5)
def lagged_products(x, a):
    window, out = deque(maxlen=3), []
    for v in x:
        window.append(v)
        mean = sum(window) / len(window)
        out.append(mean if mean > 0 else a * mean)
        if len(window) == window.maxlen:
            window[0] *= a
            out[-1] += window[0] * window[-1]
    return sum(o * o for o in out) + max(window)
