"""Random draws whose parameters are differentiated: the numbers of plain NumPy, their slopes."""

from __future__ import annotations

import random

import numpy as np

V = np.array([0.5, 1.2, 2.0])
CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


@case(V, 0.7)
def normal_all(m, s):
    rng = np.random.default_rng(3)
    a = rng.normal(m, s)
    b = rng.normal(m[0], s, size=4)
    c = rng.normal(loc=0.0, scale=s)
    d = rng.normal(m, s, (2, 3))
    return np.sum(a * b[:3]) + c**2 + np.sum(d * d)


@case(0.3, 2.0)
def uniform_all(lo, hi):
    rng = np.random.default_rng(3)
    return np.sum(rng.uniform(lo, hi, 5) ** 2) + rng.uniform(lo, hi) * rng.uniform(high=hi, low=0.1)


@case(0.8, 1.5, V)
def families(a, b, v):
    rng = np.random.default_rng(1)
    t = (
        np.sum(rng.exponential(b, 3))
        + np.sum(rng.laplace(a, b, 3) ** 2)
        + np.sum(rng.gumbel(a, v))
        + rng.logistic(a, b)
    )
    t += (
        np.sum(rng.lognormal(a, b, 4))
        + rng.rayleigh(b)
        + np.sum(rng.weibull(v))
        + rng.pareto(b)
        + np.sum(rng.power(b, 2))
    )
    return t


@case(0.8, 1.5)
def legacy(a, b):
    np.random.seed(4)
    x = np.random.normal(a, b, (3,))
    y = np.random.uniform(a, b)
    r = np.random.RandomState(5)
    random.seed(3)
    return np.sum(x**2) * y + np.sum(r.normal(a, b, 2)) + random.gauss(a, b) * random.uniform(a, b)


@case(0.8, 1.5)
def loop(a, b):
    rng = np.random.default_rng(4)
    x = a
    for i in range(5):
        x = x + 0.1 * rng.normal(x, b)
        if x > 1.0:
            x = x * rng.uniform(0.5, b)
    return x


@case(V, V[:2].copy())
def shapes2(a, b):
    rng = np.random.default_rng(4)
    z = rng.normal(a[:, None], b)
    return np.sum(z * z) + rng.normal(np.array([0.1, 0.2]), b).sum()
