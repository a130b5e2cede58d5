"""Names that loops bind to one array after another, and arrays of theirs that change."""

from __future__ import annotations

import numpy as np

X = np.array([0.5, 1.3, 2.1])
Y = np.array([0.7, -0.4, 1.1])
CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


@case(X)
def replaced_then_written(x):
    b = x * 2.0
    old, k = b, 0
    while k < 3 and x[0] < 5.0:
        k += 1
        b = np.sin(b)
    b[1] += 0.5
    return np.sum(old * b)


@case(X, Y)
@case(X * 0.1, Y)
def names_that_loops_bind_anew(x, y):
    c, d = x + y, x * 2.0
    pair = [c, y * 0.5]
    for i in range(int(x[0] * 7.0)):
        if x[i % 3] > 0.4:
            c = pair[0]
        d = np.sin(d)
        c, d = d, c
    for _ in range(int(x[2] * 2.0)):
        d[1] += 0.3 * x[1]
        pair[1] = d
        pair[0][1:] += 0.1 * x[:-1]
    c[1:] += 0.1 * x[:-1]
    return np.sum(c * c) + np.sum(d) + np.sum(pair[0] * pair[1])


@case(X)
@case(X * 0.1)
def written_then_replaced(x):
    b = x * 2.0
    old = b
    for _ in range(int(x[0] * 7.0)):
        b[0] = b[1] * 2.0
        b = np.sin(b)
    b[1] += 0.5
    return np.sum(old * b)


@case(X)
@case(X[::-1].copy())
def left_early(x):
    b = x * 2.0
    old = b
    for v in x:
        if v > 2.0:
            break
        b[0] = b[1] * v
        b = np.sin(b)
    b[1] += 0.5
    return np.sum(old * b) + np.sum(b * b)


@case(X, Y)
def one_from_before_by_data(x, y):
    a, k = x * 0.5, 0
    while k < 4 and np.sum(a * a) < 9.0:
        k += 1
        if a[0] > 0.5:
            a = y
        a[1:] += 0.1 * a[:-1] + 0.3
    return np.sum(a * x) + np.sum(y * y)


@case(X, Y)
def loops_in_a_loop(x, y):
    a = x * 0.5 + y
    b = np.zeros(3)
    k = 0
    while k < 3 and y[0] < 5.0:
        k += 1
        j = 0
        while j < 2 and y[1] < 5.0:
            j += 1
            a[:2] *= 0.5 + x[:2]
            a = b if k == 2 else a * 1.5
    return np.sum(a * x) + np.sum(b * b) + k


@case(X, Y)
def attributes_change_places(x, y):
    class Cell:
        def __init__(self, u):
            self.u = u

    first, second = Cell(x * 2.0), Cell(y)
    k = 0
    while k < 3 and first.u[0] < 5.0:
        k += 1
        first.u, second.u = second.u, first.u * 1.5
        first.u[0] += 0.25
    return np.sum(first.u * x) + np.sum(second.u * y)


@case(X, Y)
def items_change_places(x, y):
    pair, b = [x * 2.0, y * 1.0], np.ones(3)
    for i in range(int(x[1] * 3.0)):
        pair[0], b = b, pair[0]
        b[::2] *= 0.7 + 0.1 * i
    b[-1] += x[0]
    return np.sum(pair[0] * x) + np.sum(b * y)


@case(X, Y)
def after_a_branch(x, y):
    a = x * 0.5
    held = a
    if np.sum(y) > 0.1:
        k = 0
        while k < 3 and np.sum(a) < 5.0:
            k += 1
            a = np.tanh(x + a)
    v = a[1:]
    v += np.tanh(y[1])
    return np.sum(a * held)


@case(X, Y)
def one_of_two_or_a_new_one(x, y):
    u, w = x * 1.0, y * 1.0
    a = u
    for i in range(len(x) * 2):
        if x[i % 3] > 1.0:
            a = w
        elif y[i % 3] > 0.9:
            a = a * 1.1
        a[i % 3] += 0.2 * x[i % 3]
    return np.sum(a * a) + np.sum(u * x) + np.sum(w * y)


@case(X)
@case(np.array([1.3, 0.2, 2.0]))
def two_names_for_what_the_loop_makes(x):
    b = x * 2.0
    old, u = b, x * 1.0
    for v in x:
        if v > 1.0:
            u = np.sin(b)
            b = u
        b[0] += 1.0
    b[1] += 0.5
    return np.sum(old * b) + np.sum(u * u)


@case(X)
def an_item_and_a_name(x):
    b = x * 2.0
    old, rows = b, [b, x * 3.0]
    for v in x:
        if v > 1.0:
            b = np.sin(b)
            rows[0] = b
        if v < 0.6:
            b = rows[1]
        b[0] += 1.0
    b[1] += 0.5
    return np.sum(old * b) + np.sum(rows[0] * rows[1])


@case(X)
def a_view_that_follows(x):
    b = x * 2.0
    old, w = b, b[1:]
    for v in x:
        if v > 1.0:
            b = np.sin(b)
            w = b[1:]
        b[2] += 1.0
        w[0] += v
    b[1] += 0.5
    return np.sum(old * b) + np.sum(w)


@case(X)
@case(X * 0.1)
def two_that_may_be_a_third(x):
    b = x * 2.0
    c = b
    for _ in range(int(x[0] * 7.0)):
        b = x * 3.0
    for _ in range(int(x[0] * 7.0)):
        c = np.sin(b)
    b *= 0.8
    return np.sum(b) + np.sum(c * x)


@case(X)
@case(X * 0.1)
def third_of_three_written(x):
    b = x * 2.0
    c = d = b
    for _ in range(int(x[0] * 7.0)):
        b = x * 3.0
    for _ in range(int(x[0] * 7.0)):
        c = np.sin(b)
    for _ in range(int(x[0] * 7.0)):
        d = x + c
    for i in range(int(x[0] * 7.0) + 1):
        b[i % 3] = 0.3
    c *= 0.8
    return np.sum(b * x) + np.sum(c * x) + np.sum(d * d)


@case(X)
@case(np.array([0.9, 0.2, 1.1, 0.4]))
def best_row_of_rows_that_move(x):
    rows = np.outer(x, x)
    best, least = rows[0], 1e9
    for _ in range(3):
        for i in range(len(x)):
            size = np.sum(rows[i] ** 2)
            if size < least:
                least, best = size, rows[i]
        for i in range(len(x)):
            rows[i] += 0.1 * (best - rows[i])
    return np.sum(best * x)


@case(X)
@case(np.array([0.9, 0.2, 1.1, 0.4]))
def none_or_a_row(x):
    rows = np.outer(x, x)
    best, least = None, 1e9
    for i in range(len(x)):
        if np.sum(rows[i]) < least:
            least, best = np.sum(rows[i]), rows[i]
    rows *= 0.9
    rows[0] += 1.0
    return np.sum(best * x)


@case(X)
@case(X[::-1].copy())
def an_element_of_two_axes_or_another_array(x):
    cube = np.multiply.outer(np.outer(x, x), x)
    other = x * 2.0
    held = other
    for i in range(len(x)):
        for j in range(i):
            if cube[i, j, 0] > 0.5:
                held = cube[i, j]
        if x[i] > 2.0:
            held = other
    cube *= 0.5
    other[1] = x[0] * 3.0
    held[0] += 1.0
    return np.sum(held * x) + np.sum(cube) + np.sum(other)


@case(X, Y)
@case(X, Y * 3.0)
def swapped_or_not(x, y):
    b, c = y * 1.0, x + y
    d = c
    for i in range(int(abs(y[0]) * 4.0)):
        if x[i % 3] > 2.0:
            continue
        b, d = d, b
    b[1:] += 0.2 * y[:2]
    return np.sum(b * y) + np.sum(c * c) + np.sum(d)


@case(X, Y)
@case(X, Y * 3.0)
def swapped_with_an_item(x, y):
    b, c = y * 1.0, x + y
    pair = [c, y * 0.5]
    for i in range(int(abs(y[0]) * 4.0)):
        if x[i % 3] > 2.0:
            break
        b, pair[0] = pair[0], b
    b[1:] += 0.2 * y[:2]
    return np.sum(b * y) + np.sum(c * c) + np.sum(pair[0] * pair[1])
