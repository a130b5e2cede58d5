"""Programs in which a name is a list from outside on one path, and one that the program makes on the other."""

from __future__ import annotations

import numpy as np


def weighted(v):
    s = 0.0
    for i in range(len(v)):
        s += v[i] * v[i] * (i + 1)
    return s


def in_one_arm(v, x):
    if x > 0:
        v = [a * 2.0 for a in v]
    return weighted(v)


def in_the_other_arm(v, x):
    w = v if x > 0 else [a * x for a in v]
    return weighted(w)


def longer(v, x):
    if x > 0:
        v = [a * 2.0 for a in v] + [x]
    return weighted(v)


def written_before(v, x):
    for i in range(len(v)):
        v[i] = v[i] * v[i]
    if x > 0:
        v = [a * 2.0 for a in v]
    return weighted(v)


def written_after(v, x):
    if x > 0:
        v = [a * 2.0 for a in v]
    for i in range(len(v)):
        v[i] = v[i] * v[i]
    return sum(v)


def written_by_another_name(v, x):
    w = v
    if x > 0:
        v = [a * 2.0 for a in v]
    for i in range(len(v)):
        w[i] = w[i] * 0.5
    return weighted(v) + weighted(w)


def in_a_loop(v, x):
    s = 0.0
    for k in range(3):
        if x * k > 1:
            v = [a * 2.0 for a in v]
        s += weighted(v)
    return s


def after_an_exception(v, x):
    try:
        if x > 0:
            raise ValueError
        w = v
    except ValueError:
        w = [a * 2.0 for a in v]
    return weighted(w)


def returned(v, x):
    def pick():
        return v if x > 0 else [a * x for a in v]

    return weighted(pick())


def as_an_attribute(holder, x):
    if x > 0:
        holder.w = [a * x for a in holder.w]
    return weighted(holder.w)


TABLE = [1.0, 2.0, 3.0]
ROWS = [[1.0, 2.0], [3.0, 4.0]]


def a_table(v, x):
    w = [v[i] * x for i in range(len(v))] if x > 0 else TABLE
    return weighted(w) + np.sum(v)


def rows_of_a_table(v, x):
    w = [[v[i], x] for i in range(len(v))] if x > 0 else ROWS
    s = np.sum(v)
    for i in range(len(w)):
        for j in range(2):
            s += w[i][j] * (i + j)
    return s


def a_table_written_to(v, x):
    w = [v[i] * x for i in range(len(v))] if x > 0 else TABLE
    for i in range(len(w)):
        w[i] = w[i] * x
    return weighted(w) + np.sum(v)


PROGRAMS = [in_one_arm, in_the_other_arm, longer, written_before, written_after, written_by_another_name, in_a_loop,
            after_an_exception, returned]
TABLES = [a_table, rows_of_a_table]
CASES = [(fn, ([0.3, -0.5, 0.7], x)) for fn in PROGRAMS for x in (1.3, -1.3)]
CASES += [(fn, (np.array([0.3, -0.5, 0.7]), x)) for fn in TABLES for x in (1.3, -1.3)]
