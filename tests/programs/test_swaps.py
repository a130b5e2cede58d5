"""Arrays that swap names in loops: which of them may be one is followed exactly."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg

X = np.array([0.75, 0.25, 1.0, 0.5])


def one_array(x, n):
    u = x.copy()
    v = u
    for t in range(n):
        v[1:] = u[:-1] * 2
        u, v = v, u
    return np.sum(u * u)


def third_name(x, n):
    u = x.copy()
    v = x.copy()
    w = u
    for t in range(n):
        v[1:] = u[:-1] * 2
        u, v = v, u
    return np.sum(u * u) + np.sum(w)


def conditional_swap(x, n):
    u = x.copy()
    v = x.copy()
    for t in range(n):
        if x[0] > t:
            u, v = v, u
        v[1:] = u[:-1] * 2 + v[1:]
    return np.sum(u * u) + np.sum(v)


def rotation(x, n):
    u = x.copy()
    v = x.copy()
    w = x.copy()
    for t in range(n):
        u, v, w = v, w, u
        w[1:] = u[:-1] * v[1:]
    return np.sum(u * u) + np.sum(v * w)


def choices(x, n):
    u = x.copy()
    v = x.copy()
    for t in range(n):
        c = u if x[0] > t else v
        e = u if x[1] > t else v
        c[0] = e[1] * 2
    return np.sum(u * u) + np.sum(v)


def nested_swaps(x, n):
    u = x.copy()
    v = x.copy()
    for t in range(n):
        for s in range(n):
            v[1:] = u[:-1] * 1.1
            u, v = v, u
        u, v = v, u
    return np.sum(u * u) + np.sum(v)


def collapse(x, n):
    u = x.copy()
    v = x.copy()
    for t in range(n):
        v[1:] = u[:-1] * 1.1
        u, v = v, v
    return np.sum(u * u) + np.sum(v)


def differences(f, x, n):
    steps = 1e-6 * np.eye(len(x))
    return np.array([(f(x + s, n) - f(x - s, n)) / 2e-6 for s in steps])


@pytest.mark.parametrize("n", [0, 1, 3, 70])
@pytest.mark.parametrize("f", [one_array, conditional_swap, rotation, choices, nested_swaps,
                               collapse], ids=lambda f: f.__name__)
def test_swaps(f, n):
    df = sg.value_and_grad(f)
    value, gradient = df(X, n)
    assert value == f(X, n)
    np.testing.assert_allclose(gradient, differences(f, X, n), rtol=1e-5, atol=1e-6)
    assert "unrolled" not in df.explain()


def test_an_array_under_a_third_name_is_refused_after_the_loop():
    with pytest.raises(sg.AliasError, match="copy"):
        sg.grad(third_name)(X, 3)
