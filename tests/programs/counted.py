"""Whole numbers that follow from data beside the counters of loops; ranges as indices; names that
inner loops bind; tuples that are compared; numbers that are arrays on another path."""

from __future__ import annotations

import bisect
import heapq

import numpy as np

CASES = []


def case(*args):
    def keep(fn):
        CASES.append((fn, args))
        return fn

    return keep


X = np.array([1.2, 0.7, 0.3, 0.9])
Y = np.array([0.4, 0.7, 0.3, 1.9])
W = np.array([1.3, 0.8, 1.5, 0.6, 0.4])


# ---- counters and numbers from data --------------------------------------------------------------
@case(X, W, 2)
@case(X, W, 3)
@case(X, W, -1)
def an_index_in_steps(x, w, step):
    for i in range(0, len(x), 2):
        x = x * w[int(x[0])]
    for i in range(0, len(x), step):
        x = x * w[int(x[0])] + w[i]
    for _ in range(len(x) - 1, -1, -2):
        x = x * w[int(np.sum(x > 0.5))]
    return np.sum(x)


@case(X, W)
def a_factor_in_steps(x, w):
    for i in reversed(range(0, len(x), 2)):
        x = x * int(x[0] + 2) * w[i + int(x[0] > 1)]
    return np.sum(x)


@case(X, W)
def steps_that_do_not_start_at_zero(x, w):
    total = 0.0
    for i in range(2, 8, 3):
        total += x[i % 4] * w[i // 2] * w[int(x[0])]
    return total


@case(X, W)
def a_counter_that_runs_down(x, w):
    a = np.concatenate([x, x, x])
    k = 3
    for i in range(4):
        a[k + 1] = a[k] * a[k] * x[i]
        if x[i] > 0.5:
            k -= 1
    return np.sum(a * a) * w[k]


@case(X, W)
def a_counter_of_a_while(x, w):
    k, a = 1, np.concatenate([x, x])
    while k < 6:
        a[k + 1] = a[k] * w[int(a[k] * 2) % 5]
        k += 1 + int(x[k % 4] > 0.8)
    return np.sum(a)


# ---- ranges as indices ---------------------------------------------------------------------------
@case(X, 3)
def picked_by_a_range(x, n):
    table = np.outer(x, x)
    table[range(n), range(n)] = x[:n] ** 3
    return (np.sum(x[range(n)] ** 2) - np.log(table[np.argsort(x), range(len(x))]).mean()
            + np.sum(np.take(x, range(n))) + x[range(0, n, 2)][0] + np.mean(range(n)) * x[1])


# ---- names that inner loops bind -----------------------------------------------------------------
@case(X)
def masks_in_loops(x):
    for i in range(3):
        for j in range(2):
            v = x[x > 0.4 * x[j]]
        u = v * 2
    return np.sum(u ** 2) + np.sum(v)


@case(X)
def a_list_of_an_arm(x):
    total = 0.0
    for i in range(4):
        if x[i] > 0.5:
            items = [x[j] * x[i] for j in range(i + 1)]
        if i > 0:
            for v in items:
                total += v
    return total


@case(X, 3)
def an_array_of_a_list_that_a_loop_fills(x, n):
    rows = []
    for i in range(n):
        rows.append(np.sin(x * i))
    return np.dot(x, np.array(rows)[-1]) + np.sum(np.stack(rows) @ np.outer(x, x))


# ---- tuples --------------------------------------------------------------------------------------
@case(X)
def sorted_by_nested_tuples(x):
    line = [(x[i], (i, 2)) if i % 2 else (x[i], (i,)) for i in range(4)]
    line.sort()
    other = sorted([(x[0],), (x[1], x[2]), (x[1], x[3])], reverse=True)
    heap = []
    for i in range(4):
        heapq.heappush(heap, (x[i], (i, 2)) if i % 2 else (x[i], (i,)))
    return line[0][0] * 3 + line[1][0] + other[0][0] * 2 + other[2][0] + heapq.heappop(heap)[0]


@case(X, 4)
def bisected_by_tuples(x, n):
    line, unlike = [], []
    for i in range(n):
        bisect.insort(line, ((x[i], i), i * 1.0))
    for i in range(4):
        bisect.insort(unlike, (x[i], (i, 2)) if i % 2 else (x[i], (i,)))
    place = bisect.bisect([(x[2], x[1]), (x[1], x[2]), (x[1], x[3])], (x[1], x[2] * 2))
    return line[0][0][0] * 2 + line[-1][0][0] + place * x[0] + unlike[1][0]


@case(X)
def one_of_some_tuples_is_equal(x):
    rows = [(x[0], (1, 2)), (x[1], (1,)), (x[2], 4)]
    k = int(x[0] * 2) % 3
    return x[0] * (2 if rows[k] == (x[2], 4) else 3) * (5 if rows[k] < (x[1], (1,)) else 7)


# ---- a number on one path, an array on the other -------------------------------------------------
@case(X)
@case(Y)
def looked_at_whole(x):
    a = 1.0
    if x[0] > 1:
        a = x
    b = np.asarray(a)
    return (np.sum(b ** 2) + b.sum() + np.clip(b, 0.25, 0.8).sum() + np.mean(a) + np.max(a)
            + np.linalg.norm(a) + np.sum(np.dot(a, x)) + np.size(a) * x[1] + np.var(a)
            + np.atleast_1d(a)[0] + np.sum(np.where(a > 0.5, a, 2 * a)))


@case(X)
@case(Y)
def changed_in_place(x):
    a = 1.0
    if x[0] > 1:
        a = x
    a += 1.0
    a *= 2.0
    return np.sum(a) * x[1]


@case(X, 0)
@case(X, 2)
def a_sum_that_starts_from_a_number(x, k):
    a = 0.0
    for i in range(k):
        a = a + x * i
    return np.sum(np.maximum(a, 0.5)) + x[0]


@case(X, 3)
@case(Y, 3)
def joined_more_than_once(x, k):
    a = 0.0
    if x[0] > 1:
        a = x
    if x[1] > 0.8:
        a = 2.0
    held = {"a": [a, x]}
    b = np.maximum(a, 0.5)
    if x[2] > 0.1:
        b = b + a
    total = 0.0
    for i in range(k):
        total = total + np.mean(b) * i
    return np.sum(total * held["a"][0]) + np.linalg.norm(np.outer(x, x) if x[0] > 1 else x)
