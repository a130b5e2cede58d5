"""A maximum that is taken away for safety has no part in the gradient, and none in its code."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg


def weighted(x):
    z = x - x.max(axis=-1, keepdims=True)
    e = np.exp(z)
    p = e / e.sum(axis=-1, keepdims=True)
    return np.sum(p ** 2 * np.arange(4.0))


def one_probability(x):
    e = np.exp(x[0] - np.max(x[0]))
    p = e / np.sum(e)
    return -np.log(p[1])


def log_sum_of_all(x):
    m = np.max(x)
    return m + np.log(np.sum(np.exp(x - m)))


def with_targets(x):
    z = x - np.max(x, axis=1)[:, None]
    logp = z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))
    return -np.mean(np.sum(np.eye(4)[[0, 1, 2, 3, 0]] * logp, axis=1))


def in_a_loop(x):
    s = 0.0
    for row in x:
        w = np.exp(row - np.max(row))
        w /= w.sum()
        s += w @ np.arange(4.0) ** 2
    return s


def along_rows(x):
    m = np.amax(x, 0)
    return np.sum((m + np.log(np.add.reduce(np.exp(x - m), 0))) ** 2)


def entropy(x):
    e = np.exp(x[1] - np.max(x[1]))
    p = e / np.sum(e)
    return -np.sum(p * np.log(p))


def with_labels(x):
    z = x - np.max(x, axis=1, keepdims=True)
    p = np.exp(z) / np.sum(np.exp(z), axis=1, keepdims=True)
    return -np.mean(np.log(p[np.arange(x.shape[0]), np.array([0, 1, 2, 3, -1])]))


def least_first(x):
    e = np.exp(np.min(x, axis=1, keepdims=True) - x)
    return np.sum((e / np.sum(e, axis=1, keepdims=True))[:, 0] ** 2)


def really_used(x):
    m = np.max(x, axis=1, keepdims=True)
    return np.sum((x - m) ** 2)


def wrong_axis(x):
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return np.sum((e / np.sum(e, axis=0))[0])


def some_rows(x):
    z = x - np.max(x, axis=1, keepdims=True)
    logp = z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))
    return np.sum(logp[np.arange(3), np.array([0, 1, 2])]) + z[3, 1]


def half_a_softmax(x):
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return np.sum(e / (1.0 + np.sum(e, axis=1, keepdims=True)) * np.arange(4.0))


VANISHES = [weighted, one_probability, log_sum_of_all, with_targets, in_a_loop, along_rows,
            entropy, with_labels, least_first]
STAYS = [really_used, wrong_axis, some_rows, half_a_softmax]


def differences(function, x, step=1e-6):
    found = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[i] += step
        down[i] -= step
        found[i] = (function(up) - function(down)) / (2 * step)
    return found


@pytest.mark.parametrize("function", [*VANISHES, *STAYS], ids=lambda f: f.__name__)
def test_gradient(function):
    x = np.random.default_rng(0).normal(size=(5, 4))
    df = sg.value_and_grad(function)
    value, gradient = df(x)
    assert value == function(x)
    assert np.allclose(gradient, differences(function, x), atol=1e-7)
    assert ("==" in df.source(x)) == (function in STAYS)


@pytest.mark.parametrize("function", VANISHES, ids=lambda f: f.__name__)
def test_second_derivative(function):
    x, v = np.random.default_rng(1).normal(size=(2, 5, 4))
    step = 1e-5
    df = sg.grad(function)
    wanted = (df(x + step * v) - df(x - step * v)) / (2 * step)
    assert np.allclose(sg.hvp(function)(x, v), wanted, atol=1e-7)
