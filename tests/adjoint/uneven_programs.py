"""Loops whose arrays change their size, and lists of arrays of different sizes."""

from __future__ import annotations

import numpy as np

import srcgrad as sg

X = np.array([0.3, 0.7, 1.1, 0.9])
X8 = np.linspace(0.2, 1.3, 8)
CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


@case(X8)
def butterflies(x):
    n = len(x)
    X = np.array([[1.0]]) * x.reshape(1, n)
    while X.shape[0] < n:
        h = X.shape[1] // 2
        even = X[:, :h]
        odd = X[:, h:]
        ph = np.exp(-0.3 * np.arange(X.shape[0]) / X.shape[0])[:, None]
        X = np.vstack([even + ph * odd * even, even - ph * odd])
    return np.sum(X ** 2)


@case(X)
def doubling_by_size(x):
    a = x[:1]
    while a.shape[0] < len(x):
        a = np.concatenate([a, np.sin(a) * x[a.shape[0]]])
    return np.sum(a ** 3)


@case(X, 3)
def doubling_by_count(x, n):
    a = x[:1]
    for i in range(n):
        a = np.concatenate([a, np.sin(a) * x[i]])
    return np.sum(a ** 3)


@case(X8)
def halving(x):
    a = x * 1.0
    while len(a) > 1:
        a = a[::2] * a[1::2] + a[::2]
    return a[0] ** 2


@case(X8)
def halving_by_count(x):
    a = x * 1.0
    for k in range(2):
        h = len(a) // 2
        a = np.tanh(a[:h] * a[h:])
    return np.sum(a)


@case(X)
def growing_products(x):
    a = np.outer(x[:1], x[:2])
    k = 0
    while k < 2:
        a = np.kron(a, x[:2]) * a.sum()
        k += 1
    return np.sum(a)


@case(X)
def pooling(x):
    img = np.outer(x, x)
    while img.shape[0] > 1:
        h = img.shape[0] // 2
        img = img.reshape(h, 2, h, 2).max(axis=(1, 3)) ** 2 + 0.1 * img[:h, :h]
    return img[0, 0]


@case(X)
def growing_and_listing(x):
    out = []
    a = x[:1]
    for i in range(3):
        a = np.concatenate([a, a * x[i]])
        out.append(np.sum(a * a))
    return sum(out)


@case(X8)
def v_cycle(x):
    stack = []
    u = x ** 2
    while len(u) > 1:
        stack.append(u)
        u = 0.5 * (u[::2] + u[1::2]) * u[::2]
    while stack:
        f = stack.pop()
        u = np.repeat(u, 2) * f + np.sin(f)
    return np.sum(u)


@case(X)
def shrinking_by_one(x):
    s = 0.0
    u = x
    for level in range(3):
        s += np.sum(u) ** 2 * u[0]
        u = u[1:] * u[:-1]
    return s


@case(X)
def last_slice(x):
    for i in range(3):
        v = x[:i + 1] * x[0]
    return np.sum(v ** 2)


@case(X)
def last_slices(x):
    for i in range(3):
        v = np.sin(x[i:])
        w = v[:1] * 2
    return np.sum(v ** 2) * w[0]


@case(X8)
def two_pops(x):
    st = []
    u = x
    while len(u) > 1:
        st.append(u[:1] * 2)
        st.append(u)
        u = u[::2] * u[1::2]
    s = 0.0
    while st:
        a = st.pop()
        b = st.pop()
        s += np.sum(a * b * a)
    return s


@case(X8)
def neighbours_in_a_list(x):
    st = []
    u = x
    while len(u) > 1:
        st.append(u)
        u = u[::2] * u[1::2]
    s = 0.0
    for i in range(len(st) - 1):
        s += np.sum(st[i][:len(st[i + 1])] * st[i + 1]) + np.sum(st[-1] * st[i][0])
    return s


@case(X)
def growing_or_shrinking(x):
    a = x
    k = 0
    while k < 3:
        if a[0] > 0.5:
            a = a[1:] * x[0]
        else:
            a = np.concatenate([a, a[:1] ** 2])
        k += 1
    return np.sum(a ** 2)


@case(X8)
def wavelets(x):
    c = x
    out = []
    n = len(x)
    while n > 1:
        lo = 0.5 * (c[0::2] + c[1::2])
        hi = c[0::2] * c[1::2]
        out.append(hi)
        c = lo
        n = n // 2
    out.append(c)
    return np.sum(np.concatenate(out) ** 2)


@case(X)
def convolutions(x):
    s = 0.0
    for i in range(1, len(x)):
        p = x[:i]
        for j in range(2):
            p = np.convolve(p, x[:2])
        s += np.sum(p ** 2)
    return s


@case(X)
def polynomial(x):
    p = np.array([1.0])
    for r in x:
        p = np.convolve(p, np.array([1.0, -1.0])) * r + np.sum(p)
    return np.sum(p ** 2)


@case(X)
def polynomial_in_place(x):
    p = np.ones(1)
    for r in x:
        q = np.zeros(len(p) + 1)
        q[:-1] += p
        q[1:] -= r * p
        p = q
    return np.sum(p ** 2)


@case(X)
def gram_schmidt(x):
    Q = []
    A = np.outer(x, x) + np.diag(x)
    for j in range(4):
        v = A[:, j].copy()
        for q in Q:
            v -= q @ v * q
        Q.append(v / np.linalg.norm(v))
    return np.sum(np.array(Q) ** 3)


@case(X)
def neville(x):
    p = x ** 2
    for k in range(1, len(x)):
        p = ((2.0 - x[k:]) * p[:-1] - (2.0 - x[:-k]) * p[1:]) / (x[:-k] - x[k:] - 3.0)
    return p[0]


@case(X)
def elimination(x):
    A = np.outer(x, np.sin(x)) + np.eye(len(x))
    d = 1.0
    while A.shape[0] > 1:
        d = d * A[0, 0]
        A = A[1:, 1:] - np.outer(A[1:, 0], A[0, 1:]) / A[0, 0]
    return d * A[0, 0]


@case(X, 3, 0.13)
@case(X, 3, 1.2)
def returned_from_a_loop(x, n, limit):
    def first(a):
        for i in range(n):
            if a[-1] * (i + 1) > limit:
                return np.tanh(a) * x[i]
        return a * 2.0

    return np.sum(first(np.tanh(x[:2])) ** 2)


@case(X)
@case(X[:2])
def slices_by_the_index(x):
    """The inner loop leaves an array behind that is longer in each outer iteration."""
    s = 0.0
    for i in range(len(x)):
        t = x[:i + 1]
        for _ in range(2):
            v = t * 1.5
        s = s + np.sum(v ** 2)
    return s


@case(X)
def slices_by_the_index_at_last(x):
    for i in range(len(x)):
        t = x[:i + 1]
        for _ in range(2):
            v = np.sin(t) * 1.5
    return np.sum(v ** 2)


@case(X)
def slices_filled(x):
    s = 0.0
    for i in range(3):
        t = x[:i + 1]
        w = np.zeros(i + 1)
        for j in range(i + 1):
            w[j] = t[j] ** 2
            v = w * 1.5
        s = s + np.sum(v ** 2)
    return s


@case(X)
def slices_three_loops_deep(x):
    s = 0.0
    for i in range(len(x)):
        t = x[:i + 1]
        for _ in range(2):
            for _ in range(2):
                v = t * 1.5
            u = v * t
        s = s + np.sum(u)
    return s


@case(X)
def slices_in_loops_that_may_not_run(x):
    s = 0.0
    for i in range(len(x)):
        t = x[:i + 1]
        for j in range(i):
            v = t * 1.5 + x[j]
            s = s + np.sum(np.sin(v))
    return s


@case(X[:3])
@case(X)
def rows_that_never_fit(x):
    """The arm is not taken: what it would store has further axes that are no single rows."""
    b = np.outer(x, x)
    if len(x) == 2:
        b[0] *= b[1:]
    return np.sum(b * b)


@case(X)
def rows_with_further_axes(x):
    b = np.outer(x, x)
    b[0] = np.sin(x)[None, :]
    b[:, 0] = x[0:1][None] ** 2
    b[1:2] = np.reshape(x * 3.0, (1, 1, -1))
    return np.sum(b * b * x)


@case(X, X[::-1] * 1.3)
def number_that_becomes_an_array(x, y):
    c = x[0] * 2.0
    c *= y
    c += x
    return np.sum(sg.jacobian(lambda x: _scaled(x, y))(x) * c)


def _scaled(x, y):
    c = x[0] * 2.0
    c *= y
    return c


@case(X[:2])
@case(X)
def shorter_than_its_kernel(x):
    def smooth(y):
        return np.convolve(y, [y[0], 1.0, y[1]], mode="same")

    return np.sum(sg.jacfwd(smooth)(x)) + np.sum(smooth(x) ** 2)


def _blocks(x, size):
    for i in range(0, len(x), size):
        yield x[i:i + size]


@case(X8, 0.3, 5)
@case(X, 0.4, 3)
def filtered_in_blocks(x, f, size):
    z, out = np.zeros(2), []
    for block in _blocks(x, size):
        y = np.empty_like(block)
        for n in range(len(block)):
            y[n] = f * block[n] + z[0]
            z[0] = block[n] - f * y[n] + z[1]
            z[1] = f * block[n] - y[n] ** 2
        out.append(y)
    return np.sum(np.concatenate(out) ** 2)


@case(X8, 0.3, 3)
def starts_joined(x, f, size):
    out, s = [], 0.0
    for i in range(1, len(x), size):
        y = x[:i] ** 2
        for n in range(len(y)):
            s = s * f + y[n] ** 2
            y[n] *= s
        out.append(y)
    z = np.hstack(out)
    return np.sum(z ** 2 * np.arange(len(z))) + s * (len(z) % len(out))
