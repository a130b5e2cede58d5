"""Small everyday programs, one construct each."""

from __future__ import annotations

import functools
import math

import numpy as np

R = np.random.RandomState(0)
X = R.rand(4) + 0.5
CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


@case(X)
def first_element_special(x):
    y = np.zeros(4)
    for i in range(4):
        if i == 0:
            y[i] = x[i]
        else:
            y[i] = x[i] * y[i - 1] + 0.5
    return y[-1]


@case(X)
def list_of_numbers(x):
    out = []
    for i in range(len(x)):
        out.append(np.sin(x[i]))
    return sum(out)


@case(X)
def comprehension(x):
    return sum([a * a for a in x])


@case(X)
def dictionary(x):
    d = {"a": x, "b": 2.0}
    d["c"] = d["a"] * d["b"]
    return np.sum(d["c"] * d["a"])


@case(X)
def try_without_danger(x):
    try:
        y = x / 2
    except Exception:
        y = x
    return y.sum()


@case(X)
def errstate(x):
    with np.errstate(all="ignore"):
        y = np.log(x)
    return y.sum()


@case(X)
def star_unpacking(x):
    a, b, *c = x
    return a * b + sum(c)


@case(X)
def max_and_min(x):
    m = max(x[0], x[1])
    n = min(x)
    return m * n


@case(X)
def reduced_product(x):
    return functools.reduce(lambda a, b: a * b, [x[i] for i in range(4)])


@case(R.rand(3, 3), X[:3])
def solve_system(A, b):
    return np.linalg.solve(A + 3 * np.eye(3), b).sum()


@case(X)
def repeated_indices(x):
    y = x.copy()
    y[[0, 0, 1]] += x[:3]
    np.add.at(y, [0, 0, 2], x[1:])
    y[x > 1.0] = 0.3
    return np.sum(y * x)


@case(X)
def while_true(x):
    i = 0
    s = 0.0
    while True:
        s += x[i] ** 2
        i += 1
        if i >= len(x):
            break
    return s


@case(X)
def for_else(x):
    for i in range(4):
        if x[i] > 0.9:
            s = x[i] * 3
            break
    else:
        s = x[0]
    return s


@case(0.5)
def complex_modulus(x):
    z = complex(x, 1.0)
    return abs(z * z)


@case(X)
def math_functions(x):
    return math.sin(x[0]) * math.exp(x[1]) + float(x[2])


@case(X)
def sum_of_a_generator(x):
    def gen():
        for i in range(3):
            yield x[i] * i

    return sum(gen())


class Layer:
    def __init__(self, W, b):
        self.W = W
        self.b = b

    def __call__(self, h):
        return np.tanh(h @ self.W + self.b)


@case(R.rand(4, 3), R.rand(3), X)
def layers(W, b, x):
    net = [Layer(W, b)]
    for l in net:
        x = l(x)
    return x.sum()


@case(X)
def numbers_into_an_array(x):
    return np.sum(np.array([x[0] * x[1], math.cos(x[2]), 3.0]))


@case(R.rand(4, 4))
def rows_swapped(A):
    B = A.copy()
    B[0], B[1] = B[1].copy(), B[0].copy()
    B[[2, 3]] = B[[3, 2]]
    B.T[0] *= 2
    return np.sum(B * np.arange(16).reshape(4, 4))


@case(X)
def matched_length(x):
    match len(x):
        case 3:
            return x.sum()
        case 4:
            return (x * x).sum()
    return 0.0
