"""Rows of :mod:`tricky` about control flow, lists and what is kept for the backward part."""

from __future__ import annotations

import numpy as np
from tricky import R, X, row

A = R.rand(4, 4)
SPD = A @ A.T + 4 * np.eye(4)


@row(2, 3.0)
def list_filled_by_a_while(x):
    r = x
    L = []
    while r > 0.1:
        L.append(x * r * r)
        r = r / 2
    return np.sum(np.stack(L))


@row(2, X, 2.0)
def list_read_and_shortened_in_the_loop(x, tol):
    L = [x]
    total = 0.0
    while np.sum(L[-1]) > tol * 0.1:
        L.append(L[-1] * 0.5)
        total += np.sum(L[-1]) * len(L)
        if len(L) > 4:
            L.pop()
            L[-1] = L[-1] * L[0]
            break
    return total + np.sum(np.stack(L) ** 2)


@row(6, R.rand(3, 3), 0.8)
def return_from_the_inner_loop(a, s):
    t = 0.7
    for i in range(3):
        for j in range(3):
            if a[i, j] > t:
                return s * a[i, j]
            s = s * a[i, j] + s
    return s


@row(6, R.rand(3, 4), 0.5)
def exits_of_every_sort(a, s):
    for i in range(3):
        for j in range(4):
            if j == i:
                continue
            s = s + a[i, j] * s
            if s > 2.5:
                break
        else:
            s = s * 0.9
            continue
        while s > 2.0:
            s *= a[i, 0] * 0.5 + 0.4
            if s < 1.0:
                return s * a[0, 0]
    return s * s


@row(12, np.diag([2.0, 4.0]), X[:2])
def solve_with_a_fallback(a, b):
    try:
        z = np.linalg.solve(a, b)
    except np.linalg.LinAlgError:
        z = np.linalg.lstsq(a, b, rcond=None)[0]
    return np.sum(z * z)


@row(12, X, 3)
def cholesky_with_growing_jitter(x, n):
    a = np.outer(x, x)
    jitter = 1e-3
    for _ in range(n):
        try:
            low = np.linalg.cholesky(a - 2.0 * np.eye(4) + jitter * np.eye(4))
            break
        except np.linalg.LinAlgError:
            jitter *= 100
            low = np.eye(4) * x[0]
    return np.sum(low)


@row(17, X)
def next_in_a_loop(xs):
    it = iter(xs)
    s = 0.0
    for k in range(3):
        v = next(it)
        s += v * v
    return s


@row(17, X)
def next_in_a_while(xs):
    it = iter(xs)
    s, v = 0.0, 2.0
    while v > 0.9:
        v = next(it, 0.0)
        s = s * 0.5 + v * v
    return s


@row(17, X)
def generator_in_a_loop(x):
    def gen():
        for i in range(3):
            yield x[i] * i

    total = 0.0
    for item in gen():
        total += item * item
    return total


@row(19, 4.0)
def while_on_floats(x):
    err = x
    s = 0.0
    while err > 0.01:
        err = err * 0.5 * x / 4.0
        s += err * err
    return s


@row(19, X)
def newton_to_convergence(x):
    y = np.ones(4)
    err = 1.0
    while err > 1e-13:
        new = 0.5 * (y + x / y)
        err = np.max(np.abs(new - y))
        y = new
    return np.sum(y * x)


@row(31, 2.0)
def long_range_left_by_break(x):
    s = 0.0
    for k in range(10**6):
        d = x / 2**k
        s += d * d
        if abs(d) < 1e-3:
            break
    return s


@row(31, X)
def long_range_left_by_break_with_arrays(x):
    y = x.copy()
    for k in range(10**6):
        step = 0.5 * (y - x / y)
        y = y - step
        if np.linalg.norm(step) < 1e-9:
            break
    return np.sum(y)


@row(32, SPD)
def cholesky(A):
    n = A.shape[0]
    L = np.zeros((n, n))
    for i in range(n):
        for j in range(i):
            L[i, j] = (A[i, j] - L[i, :j] @ L[j, :j]) / L[j, j]
        L[i, i] = np.sqrt(A[i, i] - L[i, :i] @ L[i, :i])
    return np.sum(np.log(np.diag(L)))


@row(32, SPD, X)
def forward_substitution(A, b):
    y = np.zeros_like(b)
    for i in range(len(b)):
        y[i] = (b[i] - np.sin(A[i, :i]) @ y[:i]) / A[i, i]
    return np.sum(y[::-1] * y)


@row(34, X, R.rand(4, 3), R.rand(3, 2), R.rand(3), R.rand(2))
def ragged_lists_made_inside(x, W0, W1, b0, b1):
    Ws = [W0, W1]
    bs = [b0, b1]
    h = x
    for i in range(len(Ws)):
        h = np.tanh(h @ Ws[i] + bs[i])
    return h.sum()


@row(34, X, [R.rand(4, 3), R.rand(3, 2)], [R.rand(3), R.rand(2)])
def ragged_lists(x, Ws, bs):
    h = x
    for i in range(len(Ws)):
        h = np.tanh(h @ Ws[i] + bs[i])
    return h.sum()


@row(34, X, [R.rand(4) for _ in range(12)])
def equal_arrays(x, layers):
    h = x
    for w in layers:
        h = np.tanh(h * w)
    return np.sum(h)


def heat(u0, alpha, steps):
    u = u0.copy()
    for _ in range(steps):
        u[1:-1] += alpha * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u ** 2)


@row(41, R.rand(5), 0.1, -1)
def heat_backwards_in_time(u0, alpha, steps):
    return heat(u0, alpha, steps)


@row(41, R.rand(1), 0.1, 2)
def heat_of_one_point(u0, alpha, steps):
    return heat(u0, alpha, steps)


@row(41, R.rand(0), 0.1, 2)
def heat_of_no_point(u0, alpha, steps):
    return heat(u0, alpha, steps)


@row(41, R.rand(2), 0.1, 0)
def heat_of_two_points(u0, alpha, steps):
    return heat(u0, alpha, steps)


@row(42, X, 2)
def six_loops(x, n):
    a = b = c = d = e = f = 0
    for i in range(n):
        a = a + x[0]
        for j in range(n):
            b = b + a * x[1]
            for k in range(n):
                c = c + b * 0.1
                for l in range(n):
                    d = d + c * x[2] * 0.1
                    for m in range(n):
                        e = e + d * 0.1
                        for o in range(n):
                            f = f + e * x[3] * 0.1
    return a + b + c + d + e + f


@row(43, X, X * 2, 4)
def shapes_are_checked(x, y, n):
    if x.shape[0] != y.shape[0]:
        raise ValueError("x and y differ in length")
    if n == 0:
        return None
    return np.sum(x * y) * n


@row(45, X)
def errors_of_floating_point_raise(a):
    with np.errstate(all="raise"):
        a = a.copy()
        h = np.exp(a)
        a += 1
    return np.sum(h * np.sqrt(a))
