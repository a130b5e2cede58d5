"""Rows of :mod:`tricky` about calls, objects and effects."""

from __future__ import annotations

import time

import numpy as np
from tricky import R, X, row

import srcgrad as sg


class Body:
    def __init__(self, u, v):
        self.u = u
        self.v = v

    def push(self):
        self.v[1:] -= self.u[:-1] * 0.1

    def move(self, dt):
        me = self
        me.u = self.u + dt * me.v
        self.push()


@row(11, X, X * 0.3)
def attributes_through_a_function(u, v):
    s = Body(u.copy(), v.copy())

    def kick(p):
        p.v[1:] -= p.u[:-1] * 0.1

    for t in range(3):
        s.u = s.u + 0.1 * s.v
        kick(s)
    return np.sum(s.u * s.v)


@row(11, X, X * 0.3, 4)
def attributes_through_methods(u, v, n):
    s = Body(u.copy(), v.copy())
    for t in range(n):
        s.move(0.1 * t)
    return np.sum(s.u * s.v)


@row(13, 3.7)
def halved_in_a_loop(x):
    while x >= 1:
        x = x / 2
    return x * x


@row(14, X)
def shuffled_indices(x):
    order = np.random.RandomState(3).permutation(4)
    return np.sum(x[order] * np.arange(4.0))


@row(15, X)
def appended_in_both_arms(x):
    loss = np.sum(x)
    L = []
    if loss > 1e3:
        L.append(1)
    else:
        L.append(2)
    return loss * L[-1]


@row(15, X)
def lists_and_dicts_in_arms(x):
    L, d = [x[0]], {"a": 1.0}
    for i in range(3):
        if x[i] > 0.9:
            L.append(x[i] * d["a"])
            d["a"] = d["a"] + x[i]
        else:
            L[-1] = L[-1] * 2
            d["a"] = d["a"] * x[i]
    return sum(L) + d["a"] * L[0]


@row(16, X, R.rand(4))
def gradient_in_a_loop(w, x):
    def inner(w):
        return np.sum(np.tanh(w * x) ** 2)

    for _ in range(3):
        w = w - 0.1 * sg.grad(inner)(w)
    return np.sum(w * w)


@row(16, 1.3, 0.4)
def gradient_of_a_gradient(x, y):
    def inner(z):
        return sg.grad(lambda t: np.sin(t * y) * t * x)(z) * y

    return inner(x) + sg.value_and_grad(inner)(y * x)[1]


@row(44, R.rand(3, 3) + 3 * np.eye(3))
def unused_inverse(A):
    inv = np.linalg.inv(A)
    return np.sum(A * A)


@row(47, R.rand(4), R.rand(4))
def argsort(x, c):
    idx = np.argsort(x)
    return np.sum(x[idx] * np.arange(4) * c)


@row(47, R.rand(5), R.rand(5))
def sorted_by_a_traced_key(costs, gains):
    items = [(c, g) for c, g in zip(costs, gains)]
    total = 0.0
    for place, (cost, gain) in enumerate(sorted(items, key=lambda p: p[0])):
        total += gain * place * cost
    return total


@row(47, R.rand(5))
def smallest_and_largest(x):
    values = [v * v for v in x]
    values.sort()
    low, high = min(values), max(x, key=lambda v: -v)
    return low * high + values[2]


@row(39, X)
def timed(x):
    start = time.perf_counter()
    total = np.sum(x ** 2)
    if time.perf_counter() - start > 1e9:
        total = total * 2
    return total


@row(50, 1.5, 3)
def power_by_a_loop(x, n):
    r = 1.0
    for i in range(n):
        r = r * x
    return r
