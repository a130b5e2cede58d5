"""Objects written as columns: lists of numbers and of arrays that loops and branches change."""

from __future__ import annotations

import numpy as np

R = np.random.default_rng(21)
X, V = R.normal(size=5), R.normal(size=5)


def flags(pos, vel, steps):
    p, v, n = list(pos), list(vel), len(pos)
    alive, energy = [True] * n, [1.0] * n
    out = 0.0
    for t in range(steps):
        for i in range(n):
            if alive[i]:
                p[i] = p[i] + 0.3 * v[i]
                energy[i] = energy[i] - 0.1 * p[i] ** 2
                if energy[i] < 0.3:
                    alive[i] = False
                    out = out + p[i]
                elif p[i] > 1.0:
                    v[i] = -v[i]
    for i in range(n):
        if alive[i]:
            out = out + energy[i] * p[i]
    return out


def search_tree(keys, w):
    left, right, key, val = [-1], [-1], [keys[0]], [w[0]]
    for i in range(1, len(keys)):
        at = 0
        while True:
            if keys[i] < key[at]:
                if left[at] < 0:
                    left[at] = len(key)
                    break
                at = left[at]
            else:
                if right[at] < 0:
                    right[at] = len(key)
                    break
                at = right[at]
        key.append(keys[i])
        val.append(w[i] * val[at])
        left.append(-1)
        right.append(-1)
    s = 0.0
    for i in range(len(key)):
        s = s + val[i] * key[i]
    return s


def forces(x, m, steps):
    pos = [x * i for i in range(m)]
    out = 1.0
    for t in range(steps):
        frc = [np.zeros(5) for i in range(m)]
        for i in range(m):
            for j in range(m):
                if i != j:
                    frc[i] = frc[i] + 0.1 * (pos[j] - pos[i]) * x
        for i in range(m):
            pos[i] = pos[i] + 0.01 * frc[i] * out
        out = out + sum(np.sum(p ** 2) for p in pos)
    return out


def new_each_step(x, steps):
    w = [v for v in x]
    s = 0.0
    for t in range(steps):
        f = [0.0] * len(w)
        for i in range(len(w)):
            f[i] = np.sin(w[i])
        for i in range(len(w)):
            w[i] = w[i] + 0.1 * f[i]
        s = s + w[0] * w[-1]
    return s


def counted_by_an_argument(x, k):
    s = 0.0
    for t in range(3):
        row = [1.0] * k
        for i in range(len(row)):
            row[i] = row[i] * x[i % len(x)] + s
        row.append(x[0])
        for i in range(len(row)):
            s = s + np.sin(row[i])
    return s


def grows_in_one_arm(x, steps):
    e = [v for v in x]
    for t in range(steps):
        for i in range(len(e)):
            e[i] = e[i] * 1.1
            if e[i] > 0.5:
                e[i] = 0.5 * e[i]
                e.append(0.9 * e[i])
    s = 0.0
    for i in range(len(e)):
        s = s + e[i] ** 2
    return s


def rows_of_two_lengths(x):
    out = 0.0
    for t in range(3):
        rows = [x * 1.0, x * 2.0]
        for i in range(2):
            if x[i] > 0:
                rows[i] = rows[i][1:] * x[t]
            rows[i] = np.sin(rows[i])
        out = out + np.sum(rows[0]) * np.sum(rows[1])
    return out


def one_of_two_lists(x, y):
    s = 0.0
    for t in range(3):
        a = [v for v in x]
        if y > 0.3 * t:
            a = [v * y for v in x] + [y]
        for i in range(len(a)):
            a[i] = a[i] * a[0]
        s = s + sum(a)
    return s


def emptied(x, k):
    s = 0.0
    for t in range(2):
        q = [v * (t + 1) for v in x]
        while len(q) > k:
            last = q.pop()
            q[0] = q[0] + last ** 2
        for i in range(len(q)):
            q[i] = q[i] * s + q[i]
        s = s + sum(q)
    return s


CASES = [
    (flags, (X, V, 4)), (flags, (X * 2, -V, 6)), (search_tree, (X, V + 2.0)),
    (forces, (X, 3, 2)), (forces, (X, 1, 2)), (forces, (X, 2, 0)), (new_each_step, (X, 3)),
    (new_each_step, (X[:1], 3)), (counted_by_an_argument, (X, 3)), (counted_by_an_argument, (X, 0)),
    (counted_by_an_argument, (X, -2)), (grows_in_one_arm, (np.abs(X), 3)),
    (rows_of_two_lengths, (X,)), (one_of_two_lists, (X, 0.4)), (emptied, (X, 2)),
]
