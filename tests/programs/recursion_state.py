"""Recursive programs that change what lives outside of the calls: counters, lists, arrays."""

from __future__ import annotations

import numpy as np

import srcgrad as sg

R = np.random.RandomState(5)
X = R.rand(6) + 0.5
CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


@case(X)
def counter(x):
    count = 0

    def f(y):
        nonlocal count
        count += 1
        return y if y < 0.3 else f(y * 0.6) + 0.1

    r = f(x[0])
    return r * count


@case(X)
def accumulates_nonlocal(x):
    total = 0.0

    def f(y):
        nonlocal total
        total += y * y
        if y > 0.3:
            f(y * 0.6)

    f(x[0])
    return total * x[1]


@case(X)
def appends(x):
    out = []

    def f(y):
        out.append(y * x[1])
        if y > 0.3:
            f(y * 0.6)

    f(x[0])
    return sum(out) + out[0]


@case(X)
def appends_arg(x):

    def f(y, out):
        out.append(y)
        if y > 0.3:
            f(y * 0.6, out)
        return out

    l = f(x[0], [])
    return np.sum(np.array(l) ** 2)


@case(X)
def fills_argument(x):

    def f(u, i):
        if u[i] > 3.0:
            return u
        u[i] *= 1.7
        return f(u, (i + 1) % 6)

    u = x * 1.0
    f(u, 0)
    return np.sum(u * x)


@case(X)
def fills_and_returns(x):

    def f(u):
        if u[0] > 3.0:
            return u
        u[0] *= 1.7
        u[1] += u[0]
        return f(u)

    u = x * 1.0
    v = f(u)
    return np.sum(u * x) + v[1]


@case(X)
def fills_captured(x):
    u = x * 1.0

    def f(n):
        if u[0] > 3.0:
            return 0.0
        u[0] *= 1.7
        u[n:] = u[n:] + u[0]
        return f(n + 1) + u[1]

    r = f(1)
    return np.sum(u) * r


@case(X, 5)
def memo_array(x, n):
    memo = np.zeros(n + 1)

    def fib(k):
        if k < 2:
            return x[k]
        if memo[k] != 0.0:
            return memo[k]
        r = fib(k - 1) + np.sin(fib(k - 2))
        memo[k] = r
        return r

    return fib(n) + np.sum(memo)


@case(X)
def quicksort_inplace(x):

    def sort(a, lo, hi):
        if lo >= hi:
            return
        p = a[hi]
        i = lo
        for j in range(lo, hi):
            if a[j] < p:
                t = a[i] * 1.0
                a[i] = a[j]
                a[j] = t
                i += 1
        t = a[i] * 1.0
        a[i] = a[hi]
        a[hi] = t
        sort(a, lo, i - 1)
        sort(a, i + 1, hi)

    u = x.copy()
    sort(u, 0, 5)
    return np.sum(u * np.arange(6.0))


@case(X)
def views_written(x):

    def f(v):
        n = len(v)
        v *= 1.1
        if n <= 1:
            return
        f(v[:n // 2])
        f(v[n // 2:])
        v[0] += 1.0

    u = x * 1.0
    f(u)
    return np.sum(u * x)


class Stats:

    def __init__(self):
        self.calls = 0
        self.total = 0.0

    def visit(self, y):
        self.calls += 1
        self.total += np.sin(y)
        if y > 0.3:
            self.visit(y * 0.7)


@case(X)
def attribute_counter(x):
    s = Stats()
    s.visit(x[0])
    s.visit(x[1])
    return s.total * s.calls


@case(X)
def dict_counter(x):
    d = {"n": 0, "s": 0.0}

    def f(y):
        d["n"] += 1
        d["s"] = d["s"] + y
        return y if y < 0.3 else f(y * 0.6)

    r = f(x[0])
    return r * d["n"] + d["s"]


@case(X)
def array_accumulator(x):
    g = np.zeros(6)

    def f(y, k):
        g[k % 6] += y
        if y > 0.2:
            f(y * 0.5, k + 1)
            f(y * 0.4, k + 2)

    f(x[0] * x[1], 0)
    return np.sum(g * x)


@case(X)
def mutual_counters(x):
    n = 0.0

    def a(y):
        nonlocal n
        n += y
        return y if y < 0.3 else b(y * 0.8)

    def b(y):
        nonlocal n
        n *= 1.1
        return y if y < 0.2 else a(y * 0.7) + n

    return a(x[0]) + b(x[1]) * n


@case(X)
def reads_view_of_written(x):
    u = x * 1.0
    w = u[2:]

    def f(k):
        u[2] *= 1.3
        if w[0] > 3.0:
            return np.sum(w)
        return f(k + 1) + w[1]

    r = f(0)
    return r + np.sum(w * x[2:])


@case(X)
def best_so_far(x):
    best = None

    def f(y, k):
        nonlocal best
        if best is None or y > best:
            best = y
        if k < 3:
            f(np.sin(y) * 1.2, k + 1)
            f(y * 0.9 + 0.05, k + 1)

    f(x[0], 0)
    return best ** 2


@case(X, 3)
def gray_path(x, n):
    path = []
    total = 0.0

    def walk(k, w):
        nonlocal total
        if k == 0 or w < 0.01:
            total += w * sum(path)
            return
        for c in range(2):
            path.append(x[k] * (c + 1))
            walk(k - 1, w * 0.5 * x[c])
            path.pop()

    walk(n, 1.0)
    return total


@case(X)
def arg_then_returns_copy(x):

    def f(u, k):
        u += 0.1
        if np.sum(u) > 9.0:
            return u.copy()
        return f(u * 1.1, k + 1)

    u = x * 1.0
    v = f(u, 0)
    return np.sum(u * v)


@case(X * 1.0, X * 2.0)
def writes_user_array(u, x):

    def f(i):
        if u[i] > 3.0:
            return
        u[i] *= 1.7
        f((i + 1) % 6)

    f(0)
    return np.sum(u * x)


@case(X)
def argument_or_new_array_returned(x):
    def f(v, y):
        v[0] = v[0] * 0.5 + 0.1
        if y < 0.4:
            return v
        return v * 0.88 + f(v, y * 0.6)

    u = x * 1.0
    w = f(u, x[1])
    return np.sum(w * u)


@case(X)
def returned_array_written_later(x):
    def f(v):
        v[0] = v[0] * 0.5 + 0.1
        if v[0] < 0.4:
            return v
        return f(v)

    u = x * 1.0
    w = f(u)
    w[1] = w[0] * 3.0
    return np.sum(w * u)


@case(X, 3)
def records_in_nested_loops(x, n):

    def f(y, v):
        return np.sum(v) * y if y < 1.0 else f(y * 0.5, v * 0.9) + v[0]

    s = 0.0
    for i in range(n):
        for j in range(i + 1):
            s = s + f(x[i] * 5.0 + s * 0.01, x * (j + 1))
    return s


@case(X, 2)
def written_in_loop(x, n):
    buf = np.zeros(4)

    def f(y, k):
        buf[k % 4] += y
        if y > 0.3:
            f(y * 0.5, k + 1)

    for i in range(n):
        f(x[i], i)
        buf *= 0.9
    return np.sum(buf ** 2)


@case(X)
def branch_with_state(x):
    c = 0.0

    def f(y):
        nonlocal c
        if y > 1.0:
            c = c + y
            f(y * 0.5)
        else:
            c = c * y

    if x[0] > 0.2:
        f(x[1] * 4)
    else:
        f(x[2])
    return c


@case(X)
def comprehension_of_calls(x):

    def f(y, d):
        return y if y < 0.5 else f(y * 0.6, d + 1) + d

    return sum([f(v, 0) ** 2 for v in x]) + max(f(x[0], 1), f(x[1], 2))


class Tree:


    def __init__(self, w):
        self.w = w
        self.hits = 0


    def eval(self, t, depth):
        self.hits += 1
        if depth == 0 or t < 0.05:
            return t * self.w[0]
        if t > self.w[1]:
            return self.eval(t - self.w[1] * 0.5, depth - 1) + self.w[2]
        return self.eval(t * 0.8, depth - 1) * self.w[3]


@case(X, 5)
def model(x, d):
    t = Tree(x)
    s = 0.0
    for v in x:
        s += t.eval(v, d)
    return s * t.hits


@case(X)
def haar(x):

    def w(v):
        if len(v) < 2:
            return v
        n = len(v) // 2
        return np.concatenate((w((v[:2 * n:2] + v[1:2 * n:2]) * 0.5), v[:2 * n:2] - v[1:2 * n:2]))

    return np.sum(w(np.concatenate((x, x[:2]))) ** 3)


@case(X)
def static_and_data(x):

    def f(y, mode, n):
        if n == 0:
            return y
        if mode == "a":
            return f(np.sin(y) + x[0], "a", n - 1) if y < 2.0 else y
        return f(y * 2, mode, n - 1)

    return f(x[1], "a", 4) * f(x[2], "b", 3)


@case(X)
def hermite_closure(x):

    def make(k):

        def h(n, t):
            if n == 0:
                return 1.0
            if n == 1:
                return k * t
            return k * t * h(n - 1, t) - k * (n - 1) * h(n - 2, t)
        return h

    h = make(2.0)
    s = 0.0
    for n in range(5):
        s += h(n, x[n])
    return s


@case(X)
def inner_grad_of_recursion(x):

    def f(y):
        return y * y if y < 1.0 else f(y * 0.5) * y

    g = sg.grad(f)
    s = 0.0
    for v in x:
        s += g(v * 3) * v
    return s
