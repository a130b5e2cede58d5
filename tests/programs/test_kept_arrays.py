"""What a loop keeps by reference is what it was, whatever the program does with it later."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg


def fresh(x, n):
    s = 0.0
    for _ in range(n):
        x = np.sin(x) * x
        s += np.sum(x ** 3)
    return s


def written_later(x, n):
    s = 0.0
    y = x * 1.0
    for _ in range(n):
        y = np.sin(y)
        s += np.sum(y ** 3)
        y *= 1.5
    return s


def written_through_a_view(x, n):
    s = 0.0
    y = x * 1.0
    for _ in range(n):
        z = np.exp(0.1 * y)
        s += np.sum(z * z * y)
        top = z[:2]
        top += 1.0
        y = z
    return s


def other_name(x, n):
    s = 0.0
    y = x.copy()
    for i in range(n):
        z = y
        y = np.cos(y) * z
        z[0] = i * 0.1
        s += np.sum(y * y)
    return s


def two_buffers(x, n):
    a, b = x.copy(), x.copy()
    for _ in range(n):
        b[1:-1] = np.sin(a[2:]) * a[:-2]
        a, b = b, a
    return np.sum(a * b)


def list_of_the_users(x, n):
    seen = []
    for _ in range(n):
        x = np.tanh(x) + x * x
        seen.append(x)
    seen[0][1] = 2.0
    return np.sum(seen[-1]) + np.sum(seen[0] ** 2)


def inner_loop(x, n):
    s = 0.0
    for _ in range(n):
        h = x * 1.0
        for _ in range(2):
            h = np.sin(h) * h
        s += np.sum(h * h)
        x = np.tanh(h)
    return s


PROGRAMS = [fresh, written_later, written_through_a_view, other_name, two_buffers,
            list_of_the_users, inner_loop]


@pytest.mark.parametrize("n", [0, 1, 4])
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_gradient(function, n):
    if function is list_of_the_users:
        n += 1
    x = 0.5 + 0.2 * np.random.default_rng(0).random(5)
    before = x.copy()
    value, gradient = sg.value_and_grad(function)(x, n)
    assert value == function(x.copy(), n)
    assert np.array_equal(x, before)
    for i in range(5):
        up, down = x.copy(), x.copy()
        up[i] += 1e-6
        down[i] -= 1e-6
        wanted = (function(up, n) - function(down, n)) / 2e-6
        assert np.isclose(gradient[i], wanted, atol=1e-7), i


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_pullback_after_the_argument_has_changed(function):
    x = 0.5 + 0.2 * np.random.default_rng(1).random(5)
    wanted = sg.grad(function)(x, 3)
    _, pullback = sg.vjp(lambda x: function(x, 3), x)
    x[:] = np.nan
    for _ in range(2):
        assert np.allclose(pullback(1.0)[0], wanted)


def test_only_what_is_overwritten_is_copied():
    x = np.ones(5)
    assert "kept.append((x, " in sg.grad(fresh).source(x, 3)
    assert "append" not in sg.grad(written_later).source(x, 3)
