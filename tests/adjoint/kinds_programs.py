"""Values of a kind that only a run knows, arrays without axes, and writes on a diagonal."""

from __future__ import annotations

import numpy as np

X = np.array([0.3, 0.7, 1.1, 0.9])
CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


@case(X)
def diagonal_of_an_outer_product(x):
    A = np.outer(x[:2], x[:2])
    np.fill_diagonal(A, x[2])
    return np.sum(A ** 3)


@case(X)
def diagonal_of_a_view(x):
    A = np.outer(x, x)
    B = A[:2, :2]
    np.fill_diagonal(B, x[2])
    return np.sum(A ** 3)


@case(X)
def diagonal_of_values(x):
    A = np.outer(x, x)
    np.fill_diagonal(A[1:, 1:], x[:3])
    return np.sum(A ** 3)


@case(X)
def diagonal_of_a_transpose(x):
    A = np.outer(x, x)
    np.fill_diagonal(A.T, np.sin(x))
    return np.sum(A ** 3)


@case(X, np.array(1.5))
def no_axes_in_place(x, a):
    a += 1
    a *= x[0]
    a[...] = a * x[1]
    return a * np.sum(x)


@case(X, np.array(1.5))
def no_axes_rebound(x, a):
    b = a
    b += x[0]
    a = a * 2
    return a * x[1] + b


@case(X)
def eigenvalues(x):
    A = np.array([[0.0, 1.0], [-1.0, 0.3]]) * x[0] + np.outer(x[:2], x[1:3])
    w = np.linalg.eigvals(A)
    return np.sum(np.abs(w) ** 2) + np.sum(w.real ** 3)


@case(X)
def complex_eigenvalues(x):
    A = np.outer(x, x[::-1]) + np.diag(x) + np.array([[0, 3.0, 0, 0], [-3.0, 0, 0, 0], [0, 0, 0, 1.0], [0, 0, -1.0, 0]])
    w, v = np.linalg.eig(A)
    return np.sum(w.real ** 2 * np.abs(w.imag))


@case(X)
def roots_of_a_cubic(x):
    r = np.roots(x)
    return np.sum(np.abs(r) ** 2)


@case(X)
def roots_of_a_square(x):
    r = np.roots(np.array([1.0, x[0], x[1] + 4]))
    return np.sum((r * r).real) + np.sum(r.imag ** 4)


@case(X, np.array(1.5))
def sums_of_no_axes(x, a):
    v, t = np.zeros(()), 0.0
    for k in range(3):
        v += x[k] * a
        t = t + np.sum(v)
    a += x[3]
    return t + np.sum(v) * np.sum(a) + np.mean(a)


@case(X, np.array(1.5))
def sums_in_turns(x, a):
    held = [np.zeros(3), np.zeros(())]
    t = 0.0
    for k in range(6):
        v = held[k % 2]
        v += x[0] * a
        t = t + np.sum(v) * x[1]
    return t


class _Momentum:
    def __init__(self, rate, decay):
        self.rate, self.decay, self.speed = rate, decay, {}

    def step(self, values, slopes):
        for name, slope in slopes.items():
            v = self.speed.setdefault(name, np.zeros_like(slope))
            v *= self.decay
            v += slope
            values[name] = values[name] - self.rate * v


@case(X, 0.1, 0.9)
def vectors_and_numbers_in_place(x, rate, decay):
    method, values = _Momentum(rate, decay), {"w": np.zeros(len(x)), "b": np.array(0.1)}
    for _ in range(6):
        off = x * values["w"] + values["b"] - 1.0
        method.step(values, {"w": x * off, "b": np.asarray(off.mean())})
    return np.mean((x * values["w"] + values["b"] - 1.0) ** 2)
