"""Texts say in Python's words what the user said in them."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from lints import lint

import srcgrad as sg


def told(x, n):
    log = []
    for i in range(n):
        x = np.sin(x) * x
        log.append(f"step {i:02d}: {x[0]:.3f} {x.sum()!r} it's {n}")
    name = f"{x[0]:+.2e}"
    return np.sum(x) * len(log) + len(f"{name:>12}|")


def extremes(x, n):
    h = [(x - i) ** 2 for i in range(n)]
    return min(h) * max(h[1:]) + sum(h) / len(h)


def copied(alpha, u, steps):
    u = list(u)
    for _ in range(steps):
        new = u[:]
        for i in range(1, len(u) - 1):
            new[i] += alpha * (u[i + 1] - 2 * u[i] + u[i - 1])
        u = new
    return sum(u)


def back(d, n):
    x = [0.0] * n
    x[-1] = d[-1]
    for i in range(n - 2, -1, -1):
        x[i] = d[i] * x[i + 1] ** 2 if x[i + 1] > 0.5 else d[i] - x[i + 1]
    return sum(x)


def blocks(w, x, size):
    total = 0.0
    for start in range(0, len(x), size):
        part = x[start:start + size]
        w = w * np.tanh(w @ w) if part.sum() > 0.0 else 0.5 * w * part[0]
        total += np.sum(w)
    return total


def assembled(k, n):
    K = np.zeros((n + 1, n + 1))
    for e in range(n):
        for i in (e, e + 1):
            for j in (e, e + 1):
                K[i, j] += k if i == j else -k
    K[0, 0] += 1.0
    return np.sum(np.linalg.solve(K, np.ones(n + 1)))


def tables(A, b):
    total = 0.0
    for o in b:
        for i in range(len(A)):
            for j in range(2):
                total += A[i][j] * o * A[j][i]
    return total


def literals(a, b):
    return tables([[a, b], [0.5 * b, a]], [1.0, 2.0])


PROGRAMS = {
    "told": (told, (np.array([1.0, 2.0, 0.3]), 3), (
        "f\"step {i:02d}: {x[0]:.3f} {x.sum()!r} it's {n}\"", "f'{x[0]:+.2e}'")),
    "extremes": (extremes, (0.4, 5), ("min(range(len(h)), key=h.__getitem__)", "sum(h)")),
    "copied": (copied, (0.1, [1.0, 2.0, 0.5, 3.0], 3), ("new = u[:]", "total = sum(u)")),
    "back": (back, ([0.3, 0.8, 0.4, 0.9], 4), ("for i in range(n - 1):", "[1.0] * len(x)")),
    "blocks": (blocks, (np.array([0.3, 0.4]), np.linspace(-1.0, 2.0, 7), 2), ("start // size",)),
    "assembled": (assembled, (2.0, 3), ("K[0, 0] += 1.0",)),
    "tables": (tables, ([[1.0, 2.0], [0.5, 0.3]], [1.0, 2.0]), ("d_A = [[0.0] * len(item) for item in A]",)),
    "literals": (literals, (0.5, 0.3), ("[[a, b], [",)),
}


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_short_forms(name):
    function, args, wanted = PROGRAMS[name]
    derivative = sg.value_and_grad(function)
    text = derivative.source(*copy.deepcopy(args))
    assert [part for part in wanted if part not in text] == []
    assert lint(text) == []
    assert text.count("[[a, b], [") <= 1
    value, _ = derivative(*copy.deepcopy(args))
    assert repr(value) == repr(function(*copy.deepcopy(args)))
    sg.check_grads(lambda first: function(first, *args[1:]), args[:1])


def log_sum_exp(x):
    top = np.max(x, axis=-1, keepdims=True)
    return np.sum((np.log(np.sum(np.exp(x - top), axis=-1)) + top[..., 0]) ** 2)


def gains(x, gain):
    return np.sum(np.tanh(x * gain) ** 2 * np.mean(x * x, axis=2, keepdims=True))


def powers(x):
    return np.sum(x ** 4) + np.sum(x[1:] ** 5)


SHORTER = {
    "powers": (powers, (np.array([1.5, -2.0, 0.0, -0.3]),), 0, ("** 3",)),
    "log_sum_exp": (log_sum_exp, (np.array([[1.0, 2.0, 0.3], [0.5, -1.0, 0.5]]),), 0,
                    ("np.where", "isnan", "d_top")),
    "gains": (gains, (np.linspace(-1.0, 1.0, 24).reshape(2, 3, 4) ** 2, np.arange(1.0, 5.0)),
              (0, 1), (" * x).sum", "d_out")),
}


@pytest.mark.parametrize("name", sorted(SHORTER))
def test_what_is_not_written(name):
    """A maximum that cancels has no adjoint, a product that is only summed is not written down,
    small powers are products; the numbers are those of differences."""
    function, args, argnums, unwanted = SHORTER[name]
    derivative = sg.value_and_grad(function, argnums=argnums)
    text = derivative.source(*args)
    assert [part for part in unwanted if part in text] == []
    value, gradient = derivative(*args)
    assert value == function(*args)
    sg.check_grads(function, args)
    assert all(g.flags.owndata for g in (gradient if isinstance(gradient, tuple) else [gradient]))


def scaled(x, y):
    half = np.log(2 * np.pi) / 2
    return np.sum(half + x) + np.sum(half * y)


def test_numbers_beside_arrays_of_their_precision_are_pythons() -> None:
    """Beside one of another precision its own decides, so it stays NumPy's."""
    x, y = np.linspace(0.1, 0.7, 3), np.linspace(0.1, 0.7, 3)
    df = sg.value_and_grad(scaled)
    assert "np.float64(" not in df.source(x, y)
    assert df(x, y)[0] == scaled(x, y)
    single = y.astype(np.float32)
    assert "np.float64(" in df.source(x, single)
    assert df(x, single)[0] == scaled(x, single)
