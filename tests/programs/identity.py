"""Programs in which objects and arrays have several names, or names that depend on the path."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

X = np.linspace(0.1, 1.0, 4)
Y = np.linspace(0.2, 0.9, 4)
CASES = []
RIGHT_OR_REFUSED = []


def both(fn):
    """Register a program with arguments for both ways of its branches."""
    CASES.extend((fn, (X * scale, Y * scale)) for scale in (1.0, 0.2))
    return fn


def stored(fn):
    """Register a program that writes to an array which lies in a list of unknown length."""
    RIGHT_OR_REFUSED.append(fn)
    return fn


class Cell:
    def __init__(self, u, k):
        self.u = u
        self.k = k


@dataclass
class State:
    x: np.ndarray
    v: np.ndarray
    t: float = 0.0


def bump(w, c):
    w[::2] += c
    return w


@both
def replaced_by_a_helper_then_written(x, y):
    a = x * 0.5 + y
    if np.sum(a) < 1.07:
        a = bump(a.copy(), 0.2)
    a[0] = 0.3
    return np.sum(a * y)


@both
def replaced_then_written_through_a_view(x, y):
    b = np.zeros(4)
    if np.sum(x) < 1.74:
        b = x.copy()
    v4 = b[1:3]
    v4 += y[0]
    return np.sum(y * b)


@both
def view_of_one_of_two(x, y):
    b = x * 1.0
    if np.sum(x) < 1.74:
        v = b[1:3]
    else:
        v = y.copy()[1:3]
    v *= 2.0
    return np.sum(y * b) + np.sum(v)


@both
def view_with_bounds_of_its_arm(x, y):
    b = x * 1.0
    i = 0
    if np.sum(x) < 1.74:
        i = int(np.sum(x) > 1.0) + i
        v = b[i : i + 2]
    else:
        v = y.copy()[1:3]
    v *= 2.0
    return np.sum(y * b) + np.sum(v)


@both
def choice_among_choices(x, y):
    a = x * 1.0
    b = y * 1.0
    c = a
    if x[0] > 0:
        c = b
    d = c
    if y[0] > 0.5:
        d = a
    d *= 2.0
    c += 1.0
    return np.sum(a * b) + np.sum(c * d)


@both
def list_that_is_one_of_two(x, y):
    L1 = [x[0]]
    L2 = [x[1] * 2]
    L = L1 if np.sum(x) > 1 else L2
    L.append(x[2] * 3)
    return L1[-1] * L2[-1]


@both
def object_that_is_one_of_two(x, y):
    o1 = Cell(x * 2, x[0])
    o2 = Cell(y * 2, y[0])
    o = o1 if np.sum(x) > 1 else o2
    o.k = x[2] * 3
    return o1.k * o2.k


@both
def array_of_an_object_that_is_one_of_two(x, y):
    o1 = Cell(x * 2, x[0])
    o2 = Cell(y * 2, y[0])
    if np.sum(x) > 1:
        o = o1
    else:
        o = o2
    o.u[0] = x[2] * 3
    o.u += 1.0
    return np.sum(o1.u * o2.u)


@both
def dict_that_is_one_of_two(x, y):
    d1 = {"a": x * 2}
    d2 = {"a": y * 3}
    d = d1
    if np.sum(x) > 1:
        d = d2
    d["a"] = x * y
    return np.sum(d1["a"] * d2["a"])


@both
def lists_in_a_loop(x, y):
    d1 = [x * 2]
    d2 = [y * 3]
    d = d1
    for i in range(3):
        d.append(x * i)
        d = d2
    return np.sum(d1[-1] * d2[-1]) + len(d2)


@both
def objects_that_swap(x, y):
    o1 = Cell(x * 2, x[0])
    o2 = Cell(y * 2, y[0])
    o = o1
    k = 0
    while k < 3:
        k += 1
        o.k = o.k * 2
        o, o2 = o2, o
    return o1.k * 2 + o2.k * 3 + o.k


@both
def rows_written_in_a_loop(x, y):
    for row in (X := np.outer(x, y)):
        row *= x[0]
    return np.sum(X**2)


@both
def rows_written_and_read(x, y):
    X = np.outer(x, y)
    tot = 0.0
    for row in X:
        row *= x[0]
        tot += row.sum()
    return np.sum(X**2) * tot


@both
def list_of_one_buffer(x, y):
    L = []
    u = x * 1.0
    for i in range(3):
        L.append(u)
        u[0] += 1.0 * x[1]
    return np.sum(np.stack(L) ** 2)


@both
def objects_in_nested_loops(x, y):
    os = [Cell(x * i, y[0] * i) for i in range(3)]
    for t in range(4):
        for o in os:
            o.u = o.u + 0.1 * o.k
            o.k *= 0.9
            o.u[0] *= 2.0
    return sum([np.sum(o.u) * o.k for o in os])


@stored
def element_written(x, y):
    L = []
    t = x * 1.0
    while np.sum(t) < 10:
        t = t * 2
        L.append(t * x[0])
    e = L[-1]
    e[0] = 5.0 * x[1]
    return np.sum(np.stack(L))


@stored
def elements_written_in_a_loop(x, y):
    L = []
    t = x * 1.0
    while np.sum(t) < 10:
        t = t * 2
        L.append(t * x[0])
    for e in L:
        e *= x[1]
    return np.sum(np.stack(L))


@stored
def buffer_written_after_append(x, y):
    L = []
    u = x * 1.0
    k = 0
    while k < 3 + (x[0] > 5):
        k += 1
        L.append(u)
        u[0] += 1.0 * x[1]
    return np.sum(np.stack(L) ** 2)


@stored
def carried_array_written_after_append(x, y):
    L = []
    t = x * 1.0
    while np.sum(t) < 10:
        t = t * 2
        L.append(t)
    t += y[0]
    return np.sum(np.stack(L))


@stored
def array_of_a_list_that_grows(x, y):
    u = x * y
    L = [u]
    t = x * 1.0
    while np.sum(t) < 10:
        t = t * 2
        L.append(t.copy())
    u += y[0]
    return np.sum(np.stack(L) ** 2)


@stored
def appended_in_an_arm_after_rebinding(x, y):
    L = []
    t = x * 1.0
    if np.sum(t) < 1:
        t = t * 2
        L.append(t)
    t += y[0]
    return np.sum(L[-1] ** 2) if L else np.sum(t)


@stored
def appended_in_an_arm(x, y):
    L = []
    t = x * 1.0
    if np.sum(t) < 1:
        L.append(t)
    t += y[0]
    return np.sum(L[-1] ** 2) if L else np.sum(t)


@stored
def view_appended(x, y):
    L = []
    v = x[1:3] * 1.0
    t = x * 1.0
    while np.sum(t) < 10:
        t = t * 2
        L.append(t[1:3])
        t[1] += y[0]
    return np.sum(np.stack(L) ** 2)


@stored
def written_in_an_arm(x, y):
    L = []
    t = x * 1.0
    while np.sum(t) < 10:
        t = t * 2
        L.append(t)
        if t[0] > 1:
            t[1] += y[0]
    return np.sum(np.stack(L) ** 2)


@stored
def head_appended(x, y):
    L = []
    t = x * 1.0
    while np.sum(t) < 10:
        L.append(t)
        if t[0] > 1:
            t = t * 2
        else:
            t = t * 3
            t += y
    t[0] = 3.0
    return np.sum(np.stack(L) ** 2)


@stored
def appended_sometimes(x, y):
    L = []
    t = x * 1.0
    for i in range(3):
        if x[0] * i > 0.05:
            L.append(t)
        t[0] += 1.0
    return np.sum(np.stack(L) ** 2) if L else t[0]


@both
def previous_of_a_range(x, y):
    total = 0.0
    for i in range(4):
        current = np.tanh(x * i)
        if i > 0:
            total += np.sum(current * previous)  # noqa: F821
        previous = current
    return total


@both
def previous_of_rows(x, y):
    total = 0.0
    for i in range(len(x)):
        current = x[i] * y
        if i > 0:
            total = total + np.sum(current * previous) * total + 1.0  # noqa: F821
        previous = current
    return total


@both
def previous_of_a_while(x, y):
    total, k = 0.0, 0
    while k < len(x):
        current = x[k] * y
        if k:
            total = total + np.sum(np.sin(current * previous)) * total + 1.0  # noqa: F821
        previous = current
        k += 1
    return total


@both
def previous_or_none(x, y):
    a, b, total, last = x * 0.5, y * 1.0, 0.0, None
    for _ in range(3):
        b, a = a.copy(), b
        if last is not None:
            total += 0.1 * np.sum(last * a)
        last = a * 0.5
    return total


@both
def sums_in_nested_loops(x, y):
    total = 0.0
    for _ in range(3):
        for _ in range(2):
            total += 0.1 * sum([v for v in x if v > 0.3])
        total += sum(v * w for v, w in zip(x, y))
    return total


@both
def object_made_in_an_arm(x, y):
    o = Cell(x.copy(), y[0])
    q = o if np.sum(y * 2.0) < 2.34 else Cell(x.copy(), 0.5)
    return np.sum(q.u * y) + q.k + np.sum(o.u) + o.k


@both
def objects_returned(x, y):
    o, q = Cell(x * 2.0, y[0]), Cell(y * 3.0, x[0])

    def better(a, b):
        return a if a.k * a.u[0] > b.k * b.u[1] else b

    best = better(o, q)
    best.u[0] = 0.5
    best.k += 1.0
    return np.sum(o.u * q.u) + o.k * q.k


@both
def object_replaced_in_a_loop(x, y):
    o = Cell(x * 1.0, x[0])
    k = 0
    while k < 3 + (y[0] > 5):
        k += 1
        o.k *= 2.0
        o = Cell(o.u * o.k, o.k)
    return np.sum(o.u) * o.k


@both
def state_replaced(x, y):
    s = State(x * 1.0, y * 1.0)
    k = 0
    while np.sum(s.x) < 20 and k < 5:
        s = replace(s, x=s.x + 0.1 * s.v, t=s.t + 0.1)
        s.v[0] *= 0.5
        k += 1
    return np.sum(s.x * s.v) * s.t


@both
def objects_swapped_in_a_while(x, y):
    a = Cell(x * 1.0, x[0])
    b = Cell(y * 1.0, y[0])
    k = 0
    while k < 3:
        k += 1
        a, b = b, a
        a.k *= 2.0
        b.u[0] += a.k
    return np.sum(a.u) * a.k + np.sum(b.u) * b.k * 3


@both
def list_rebuilt(x, y):
    L = [x * 1.0, y * 1.0]
    for i in range(3):
        L = [L[1], L[0] * 0.5]
        L[0][0] += 0.3
    return np.sum(L[0] * x) + np.sum(L[1])


@both
def list_rebuilt_in_a_while(x, y):
    L = [x * 1.0, y * 1.0]
    k = 0
    while k < 3:
        k += 1
        L = [L[1], L[0] * 0.5]
        L[0][0] += 0.3
    return np.sum(L[0] * x) + np.sum(L[1])


@both
def dict_rebuilt(x, y):
    d = {"a": x * 1.0, "b": y * 1.0}
    k = 0
    while k < 3:
        k += 1
        d = {"a": d["b"], "b": d["a"] * 0.5}
        d["a"][0] += 0.1
    return np.sum(d["a"] * x) + np.sum(d["b"])


@both
def one_of_two_carried(x, y):
    c = x * 1.0
    k = 0
    a = x * 2.0
    b = y * 3.0
    c = a
    while k < 3:
        k += 1
        c[0] += 0.1 * x[1]
        if a[0] > 0.3:
            c = b
    return np.sum(a * b) + np.sum(c)


@both
def swapped_sometimes(x, y):
    u = x * 1.0
    un = y * 1.0
    k = 0
    while k < 3:
        k += 1
        if u[0] > 0.3:
            u, un = un, u
        u[1:] += 0.1 * un[:-1]
    return np.sum(u * x) + np.sum(un)


@both
def one_of_two_made_in_an_arm(x, y):
    o, q = Cell(x.copy(), y[0]), Cell(x * 0.5 + y, 0.0)
    if np.sum(q.u) < 2.01:
        q = o if np.sum(y * y) > 0.80 else Cell(x.copy(), 0.5)
    return np.sum(q.u * y) + q.k + np.sum(o.u) + o.k


@both
def dict_replaced_or_changed(x, y):
    d = {"p": x * 0.5, "q": x * y}
    if d["q"][-2] > 0.40:
        d = {"p": y * 2.0, "q": d["p"]}
    else:
        d["q"] = x
    return np.sum(d["p"] * y) + np.sum(d["q"] * x)


@stored
def reshaped_copy_of_an_alias(x, y):
    a = x * 0.5 + y
    q = a
    for _ in range(3):
        a.reshape(2, 2).T[0] *= 0.6
        a = np.cumsum(q) * 0.3
    return np.sum(a * y) + np.sum(q)


@both
def read_in_an_else_of_a_loop(x, y):
    a, last, total, k = x * 0.5 + y, None, 0.0, 0
    while k < 3 and total < 5.0:
        k += 1
        last = a * k
    else:
        total += np.sum(last * y)
    return total


@both
def view_read_before_and_in_a_try(x, y):
    q = x * y
    a = q[::-1]
    a -= 0.1 * x
    try:
        u = np.linalg.solve(np.eye(2) * 3.0, a[:2])
    except np.linalg.LinAlgError:
        u = np.zeros(2)
    return np.sum(u) + np.sum(q)


def settle(w, c):
    for _ in range(3):
        if w[0] > c:
            return w
        w[0] += 0.3
    return w.copy()


@both
def returned_from_a_loop(x, y):
    b, u = np.zeros(4), x.copy()
    if np.sum(y) < 1.71:
        if np.sum(x) < 2.97:
            b = np.sin(u)
        b = settle(b, 0.86)
    return np.sum(b * y) + np.sum(u)
