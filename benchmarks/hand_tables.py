"""Values and gradients by hand, for Numba, of the programs of ``tests/native/loop_programs.py``
over paths, tables, places and pairs, under the same names; with respect to the first argument."""

from __future__ import annotations

import numpy as np


def floyd_warshall(w):
    n = w.shape[0]
    d = w * w
    taken = np.zeros((n, n, n), np.bool_)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                through = d[i, k] + d[k, j]
                if through < d[i, j]:
                    d[i, j] = through
                    taken[k, i, j] = True
    g = np.ones((n, n))
    for k in range(n - 1, -1, -1):
        for i in range(n - 1, -1, -1):
            for j in range(n - 1, -1, -1):
                if taken[k, i, j]:
                    t = g[i, j]
                    g[i, j] = 0.0
                    g[i, k] += t
                    g[k, j] += t
    return np.sum(d), 2.0 * w * g


def time_warping(x, y):
    n, m = len(x), len(y)
    d = np.full((n + 1, m + 1), 1e6)
    d[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            gap = x[i - 1] - y[j - 1]
            best = d[i - 1, j - 1]
            if d[i - 1, j] < best:
                best = d[i - 1, j]
            if d[i, j - 1] < best:
                best = d[i, j - 1]
            d[i, j] = gap * gap + best
    d_x = np.zeros(n)
    i, j = n, m
    while i > 0 and j > 0:  # back along the path
        d_x[i - 1] += 2.0 * (x[i - 1] - y[j - 1])
        if d[i - 1, j - 1] <= d[i - 1, j] and d[i - 1, j - 1] <= d[i, j - 1]:
            i, j = i - 1, j - 1
        elif d[i - 1, j] <= d[i, j - 1]:
            i -= 1
        else:
            j -= 1
    return d[n, m], d_x


def viterbi(moves, seen):
    n, m = seen.shape
    score, place = np.zeros((n, m)), np.zeros((n, m), np.int64)
    score[0, :] = seen[0]
    for t in range(1, n):
        for j in range(m):
            best = score[t - 1, 0] + moves[0, j]
            where = 0
            for k in range(1, m):
                other = score[t - 1, k] + moves[k, j]
                if other > best:
                    best = other
                    where = k
            score[t, j] = best + seen[t, j]
            place[t, j] = where
    j = 0
    for k in range(1, m):
        if score[n - 1, k] > score[n - 1, j]:
            j = k
    best = score[n - 1, j]
    d = np.zeros(moves.shape)
    for t in range(n - 1, 0, -1):  # back along the path
        d[place[t, j], j] += 1.0
        j = place[t, j]
    return best, d


def knapsack_of_parts(value, weight):
    n = len(value)
    table = np.zeros(12)
    chosen = np.zeros((n, 12), np.bool_)
    for i in range(n):
        for c in range(11, 2, -1):
            taken = table[c - 3] + value[i] * weight[i]
            if taken > table[c]:
                table[c] = taken
                chosen[i, c] = True
    d = np.zeros(n)
    c = 11
    for i in range(n - 1, -1, -1):
        if chosen[i, c]:
            d[i] = weight[i]
            c -= 3
    return table[11], d


def gathered(x, where):
    s = 0.0
    d = np.zeros(len(x))
    for i in range(len(where)):
        s += x[where[i]] * x[where[i]]
        d[where[i]] += 2.0 * x[where[i]]
    return s, d


def scattered(x, where):
    bins = np.zeros(len(x))
    for i in range(len(where)):
        bins[where[i]] += x[i]
    value = 0.0
    for i in range(len(bins)):
        value += bins[i] * bins[i]
    d = np.zeros(len(x))
    for i in range(len(where)):
        d[i] = 2.0 * bins[where[i]]
    return value, d


def swaps(x, where):
    n = len(x)
    y = x.copy()
    for i in range(len(where)):
        y[i], y[where[i]] = y[where[i]], y[i]
    s = 0.0
    d = np.empty(n)
    for i in range(n):
        s += (i + 1) * y[i]
        d[i] = i + 1
    for i in range(len(where) - 1, -1, -1):
        d[i], d[where[i]] = d[where[i]], d[i]
    return s, d


def bubble_sort(x):
    n = len(x)
    y = x.copy()
    origin = np.arange(n)
    for i in range(n):
        for j in range(n - 1 - i):
            if y[j] > y[j + 1]:
                y[j], y[j + 1] = y[j + 1], y[j]
                origin[j], origin[j + 1] = origin[j + 1], origin[j]
    s = 0.0
    d = np.zeros(n)
    for i in range(n):
        s += i * y[i]
        d[origin[i]] = i
    return s, d


def pair_energy(x, m):
    n = len(x)
    e = 0.0
    d = np.zeros(n)
    for i in range(n):
        for j in range(i):
            r = x[i] - x[j]
            q = r * r + 0.01
            u = m[i] * m[j] / np.sqrt(q)
            e += u
            t = -u / q * r
            d[i] += t
            d[j] -= t
    return e, d


def bodies_on_a_line(x, v, steps):
    n, steps = len(x), min(steps, 3)
    x, v = x.copy(), v.copy()
    kept = np.empty((steps, n))
    for t in range(steps):
        kept[t] = x
        for i in range(n):
            a = 0.0
            for j in range(n):
                gap = x[j] - x[i]
                a += gap / (gap * gap + 0.1)
            v[i] += 0.01 * a
        for i in range(n):
            x[i] += 0.01 * v[i]
    value = 0.0
    d_x, d_v = np.empty(n), np.zeros(n)
    for i in range(n):
        value += x[i] * x[i]
        d_x[i] = 2.0 * x[i]
    for t in range(steps - 1, -1, -1):
        for i in range(n):
            d_v[i] += 0.01 * d_x[i]
        for i in range(n):
            d = 0.01 * d_v[i]
            for j in range(n):
                gap = kept[t, j] - kept[t, i]
                q = gap * gap + 0.1
                slope = d * (0.1 - gap * gap) / (q * q)
                d_x[j] += slope
                d_x[i] -= slope
    return value, d_x
