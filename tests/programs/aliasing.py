"""Programs with aliases, views, writes and closures."""

from __future__ import annotations

import numpy as np

R = np.random.RandomState(1)
X = R.rand(4) + 0.5
CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


@case(X, X * 2)
def a1(x, y):  # T1
    a = x.copy()
    b = y.copy()
    c = a
    if x[0] > 0.1:
        c = b
    c[0] = 5.0 * x[1]
    return np.sum(c * x)


@case(X, X * 2)
def a1b(x, y):  # T1 reading member after
    a = x.copy()
    b = y.copy()
    c = a
    if x[0] > 0.1:
        c = b
    c[0] = 5.0 * x[1]
    return np.sum(a * x) + np.sum(b)


@case(X, X * 2)
def a1c(x, y):
    a = x.copy()
    b = y.copy()
    c = a
    z = np.sin(a) * b
    w = z * a
    if x[0] > 0.1:
        c = b
    t = c * c * w
    c *= 2.0
    c[0] = 5.0 * x[1]
    return np.sum(c * x * t)


@case(X, 3)
def a2(x, n):  # T2
    a = np.ones(4)
    b = a
    s = 0.0
    for i in range(n):
        b += x
        s += np.sum(a * a)
    return s


@case(X, 3)
def a3(x, n):
    a = x.copy()
    b = a
    for i in range(n):
        b = b + x
        a[0] = b[1]
    return np.sum(a * b)


@case(X)
def a29(x):
    x = x.copy()
    y = x if x[0] > 0.1 else x.copy()
    y += 1
    return np.sum(x * x)


@case(X)
def a33(x):
    act = np.tanh if x[0] > 0.1 else np.sin
    return np.sum(act(x))


@case(X)
def a25(x):
    y = x.T.reshape(-1)
    y[0] = 5
    return x.sum()


@case(R.rand(3, 4))
def a25b(x):
    x = x.copy()
    y = x.reshape(-1)
    y[0] = 5 * x[1, 1]
    return (x * x).sum()


@case(X)
def a49(u):
    L = []
    u = u.copy()
    for i in range(3):
        L.append(u)
        u[0] += 1
    return np.stack(L).sum()


@case(X)
def a49b(u):
    L = []
    u = u.copy()
    for i in range(3):
        L.append(u.copy())
        u[0] *= 2
    return (np.stack(L) ** 2).sum()


@case(X)
def a3t(x):
    x[0] = 7.0
    return np.sum(x * x)


@case(X, 4)
def a4(x, n):
    u = x.copy()
    v = np.zeros(4)
    for i in range(n):
        if i % 2 == 0:
            u, v = v, u
        u = u + 0.1 * x
        v[1:] = u[:-1] * x[1:]
    return np.sum(u * v)


@case(R.rand(3, 3))
def a5(A):
    A = A.copy()
    for i in range(3):
        r = A[i]
        r /= r.sum()
        c = A[:, i]
        c *= 2
    return np.sum(A * np.arange(9).reshape(3, 3))


@case(X)
def a6(x):
    y = x.copy()
    v = y[1:]
    w = v[1:]
    y *= 2
    v += x[0]
    w[0] = x[1] * y[3]
    y[::2] += w[0]
    return np.sum(y * y) + v[0] * w[-1]


@case(X)
def a7(x):
    L = [x.copy(), x * 2]
    for k in range(3):
        L[0], L[1] = L[1], L[0]
        L[0] += x
    return np.sum(L[0] * L[1])


@case(X)
def a8(x):
    d = {"a": x.copy()}
    for k in range(3):
        d["a"] = d["a"] * x
        if d["a"][0] > 0.5:
            d["a"][1] = 0.1
    return d["a"].sum()


@case(X)
def a9(x):
    y = np.zeros((3, 4))
    y[0] = x
    for i in range(1, 3):
        y[i] = y[i - 1] * x
    return y.sum()


@case(X)
def a10(x):
    y = x.copy()
    z = y
    z = z + 1
    y[0] = 0.0
    return np.sum(y * z)


@case(X)
def a11(x):
    h = np.exp(x)
    g = h * h
    h += 1
    return np.sum(g * h)


@case(X)
def a12(x):
    x = x.copy()
    s = 0.0
    for i in range(4):
        s += x[i] * x[i]
        x[i] = s
    return s


@case(X)
def a13(x):
    y = x[::-1].copy()
    y[1:3] = y[0:2]
    return np.sum(y * x)


@case(X)
def a14(x):
    y = np.empty(4)
    np.multiply(x, 2, out=y)
    np.add(y, x, out=y[:])
    np.sin(y, out=y)
    return y.sum()


@case(R.rand(3, 3))
def a15(A):
    s = 0.0
    for i in range(3):
        for j in range(i, 3):
            if A[i, j] > 0.9:
                break
            if A[i, j] < 0.1:
                continue
            s += A[i, j] ** 2
        else:
            s *= 2
    return s


@case(3.0)
def a16(x):
    def rec(n, y):
        if n == 0:
            return y
        return rec(n - 1, y * x)

    return rec(3, 1.0)


@case(2.0, 3)
def a17(x, n):
    def f(x, n):
        if n == 0:
            return x
        return x * f(x, n - 1)

    return f(x, n)


@case(X)
def a18(x):
    best = None
    arg = -1
    for i, v in enumerate(x):
        if best is None or v > best:
            best = v
            arg = i
    return best * x[arg]


@case(X)
def a19(x):
    s = 0.0
    for a, b in zip(x[:-1], x[1:]):
        s += a * b
    for i, (a, b) in enumerate(zip(x, x)):
        s += i * a * b
    for v in reversed(x):
        s = s * 0.5 + v
    return s


@case(X)
def a20(x):
    y = []
    for v in x:
        if v > 0.7:
            y.append(v * v)
    return sum(y)


@case(X)
def a21(x):
    q = [1.0]
    for i in range(5):
        q.append(q[-1] * x[0])
        if len(q) > 3:
            q.pop(0)
    return q[0] + q[-1]


@case(R.rand(5, 2), R.rand(2))
def a22(X, c):
    d = [np.sqrt(np.sum((row - c) ** 2)) for row in X]
    return min(d) * max(d)


@case(X)
def a23(x):
    f = lambda a, b=2.0, *r, k=1.0: a * b * k + sum(r)
    return f(x[0]) + f(x[1], x[2], x[3], k=3.0) + f(*x)


@case(X)
def a24(x):
    c = 0.0

    def add(v):
        nonlocal c
        c = c + v * v

    for v in x:
        add(v)
    return c


def fac(x, n):
    return x if n <= 1 else x * fac(x, n - 1) + n


@case(1.3, 5)
def a30(x, n):
    return fac(x, n)


@case(X, 0.7)
def replaced_by_a_loop_in_a_branch(x, s):
    b = np.zeros(4)
    if s > 0:
        while s < 3:
            s += 1
            b = np.concatenate([b[2:], x[:2] * s])
    b[::2] += s
    return np.sum(b * x)


@case(X, 0.7)
def replaced_or_not_where_a_dead_name_had_a_part(x, s):
    a = x * 0.5
    part = a[1:][:2]
    part[::-1][0] += 0.1
    if np.sum(x) < 9.0:
        for i in range(3):
            if x[i] > 1.0:
                continue
            a = a * np.tanh(s)
    window = a[1:][:2]
    window *= 0.7
    return np.sum(a * x)


@case(X, 0.2)
def written_by_another_name_that_a_closure_reads(x, s):
    v = x * 1.0

    def read():
        return np.sum(v * x)

    b = v
    if s > 0.5:
        b = x * 2
    b[0] += 10 * x[1]
    return read()
