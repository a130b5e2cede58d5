"""Programs that change lists of numbers, and of rows of numbers, from outside."""

from __future__ import annotations

import numpy as np


def in_place(t, xs):
    for i in range(len(xs) - 1):
        xs[i] = xs[i] + t * xs[i + 1]
    total = 0.0
    for x in xs:
        total += x * x
    return total


def bubble_sort(t, xs):
    n = len(xs)
    for i in range(n):
        for j in range(n - 1 - i):
            if xs[j] > xs[j + 1]:
                xs[j], xs[j + 1] = xs[j + 1], xs[j]
    total = 0.0
    for i in range(n):
        total += t * (i + 1) * xs[i]
    return total


def appended(t, xs):
    for _ in range(3):
        xs.append(xs[-1] * t)
    return sum(xs) * len(xs)


def scaled(t, xs):
    for i in range(len(xs)):
        xs[i] *= t
    xs[0] = 5.0
    return xs[0] * xs[-1] + max(xs)


def whole_slice(t, xs):
    xs[:] = [x * t for x in xs]
    return sum(xs)


def read_before(t, xs):
    total = xs[0] * t
    for i in range(1, len(xs)):
        xs[i] += xs[i - 1] * t
    return total + xs[-1] + xs[0]


def inserted_and_deleted(t, xs):
    xs.insert(0, t)
    for i in range(1, len(xs)):
        xs[i] += xs[i - 1]
    del xs[1]
    return xs[-1] * t + len(xs)


def sorted_and_reversed(t, xs):
    xs.sort()
    for i in range(len(xs)):
        xs[i] *= i * t
    xs.reverse()
    return xs[0] + xs[1]


def raises_on_the_way(t, xs):
    for i in range(len(xs)):
        xs[i] = xs[i] * t
        if xs[i] > 1e3:
            raise ValueError(i)
    return sum(xs)


def two_lists(t, xs, ys):
    for i in range(len(xs)):
        xs[i] = xs[i] + t * ys[i]
        ys[i] = ys[i] - t * xs[i]
    return sum(xs) * sum(ys)


def counts(t, xs, seen):
    for i in range(len(xs)):
        seen[i % len(seen)] += 1
        xs[i] = xs[i] * t
    return sum(xs) * seen[0]


def rows(t, u):
    for i in range(1, len(u) - 1):
        for j in range(len(u[0])):
            u[i][j] = u[i][j] + t * (u[i + 1][j] - u[i - 1][j])
    total = 0.0
    for row in u:
        for v in row:
            total += v * v
    return total


def rows_by_name(t, u):
    for i in range(len(u)):
        row = u[i]
        row[0] = row[1] * t
        row[1] += 1.0
    return sum(row[0] for row in u)


def rows_through(t, u):
    for row in u:
        for j in range(1, len(row)):
            row[j] = row[j] + t * row[j - 1]
    return u[-1][-1] + u[0][0]


def longer_rows(t, u):
    for i in range(len(u)):
        u[i].append(t * u[i][0])
    return sum(row[-1] for row in u) * len(u[0])


def elimination(t, A, b):
    n = len(b)
    for k in range(n):
        A[k][k] += t
        for i in range(k + 1, n):
            m = A[i][k] / A[k][k]
            for j in range(k, n):
                A[i][j] -= m * A[k][j]
            b[i] -= m * b[k]
    x = [0.0] * n
    for i in range(n - 1, -1, -1):
        s = b[i]
        for j in range(i + 1, n):
            s -= A[i][j] * x[j]
        x[i] = s / A[i][i]
    return sum(x)


def grid(t, g):
    for _ in range(2):
        new = [row[:] for row in g]
        for i in range(len(g)):
            for j in range(len(g[0])):
                new[i][j] = t * (g[i - 1][j] + g[i][j - 1]) + 0.1 * g[i][j]
        for i in range(len(g)):
            for j in range(len(g[0])):
                g[i][j] = new[i][j]
    total = 0.0
    for row in g:
        for v in row:
            total += v
    return total


def rows_swapped(t, u):
    for i in range(len(u) - 1):
        u[i][0] = u[i][0] * t
    u[0], u[1] = u[1], u[0]
    return u[0][0] * t


def a_row_outside(t, u, v):
    first = u[0]
    for i in range(1, len(u)):
        for j in range(len(u[i])):
            u[i][j] += t * u[i - 1][j]
    return sum(v) + first[0]


def one_list_twice(t, xs, ys):
    for i in range(len(xs)):
        xs[i] = xs[i] * t
    return sum(ys)


R = np.random.default_rng(11)


def floats(n):
    return [float(v) for v in R.normal(size=n)]


def table(n):
    return [floats(3) for _ in range(n)]


def regular(n):
    return [[float(v) for v in row] for row in R.normal(size=(n, n)) + 5 * np.eye(n)]


def with_a_row(n):
    u = table(n)
    return u, u[2]


def a_row_twice(n):
    u = table(n - 1)
    return ([*u, u[0]],)


def each_of_many(t, lists):
    total = 0.0
    for xs in lists:
        for i in range(len(xs)):
            xs[i] = xs[i] * t
        total += xs[0]
    return total


MADE_BY = [  # the program, what makes its lists, and whether it has one text for all lengths
    *((fn, lambda n: (floats(n),), True) for fn in (
        in_place, bubble_sort, appended, scaled, whole_slice, read_before, inserted_and_deleted, sorted_and_reversed,
        raises_on_the_way)),
    (two_lists, lambda n: (floats(n), floats(n)), True),
    (counts, lambda n: (floats(n), [0, 0, 0]), True),
    *((fn, lambda n: (table(n),), True) for fn in (rows, rows_by_name, rows_through, longer_rows, grid)),
    (elimination, lambda n: (regular(n), floats(n)), True),
    (rows_swapped, lambda n: (table(n),), False),
    (rows, a_row_twice, False),
    (rows_by_name, a_row_twice, False),
    (a_row_outside, with_a_row, False),
    (one_list_twice, lambda n: (floats(n),) * 2, True),
    (each_of_many, lambda n: (tuple(floats(n) for _ in range(30)),), True),
]
