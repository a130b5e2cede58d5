"""Arrays of rows that data choose, of which there may be none: NumPy makes arrays of one axis of them."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg

W = np.array([0.3, 0.7])


def chosen(a):
    out = []
    for row in a:
        if row[0] > 0.5:
            out.append(np.sin(row) * row[0])
    return np.array(out)


def filled(m):
    z = np.zeros_like(m)
    z[...] = m * m
    z *= m
    return np.sum(z)


FUNCTIONS = {
    "square": lambda m: np.sum(m ** 2), "exponential": lambda m: np.sum(np.exp(m) * m),
    "transposed": lambda m: np.sum(m.T ** 3), "flat": lambda m: np.sum(m.ravel() ** 3),
    "in rows": lambda m: np.sum(m.reshape(-1, 2) @ W) ** 2,
    "by its size": lambda m: np.sum(m * m) / (1 + m.size),
    "by its length": lambda m: np.sum(m * m) / (1 + len(m)),
    "running": lambda m: np.sum(np.cumsum(m) ** 2),
    "times its sum": lambda m: np.sum((m * np.sum(m)) ** 2),
    "norm": lambda m: np.linalg.norm(m) ** 3 if len(m) else 0.0,
    "joined": lambda m: np.sum(np.concatenate([m.ravel(), W]) ** 3),
    "reversed": lambda m: np.sum(m[::-1] * m), "but the first": lambda m: np.sum(m[1:] ** 2),
    "copied": lambda m: np.sum(m.copy() ** 2),
    "branches": lambda m: np.sum(np.where(m > 0.1, m, m * m)),
    "greatest": lambda m: np.max(m, initial=0.0) ** 2,
    "again": lambda m: np.sum(np.array([row * 2 for row in m]) ** 2),
    "with an axis": lambda m: np.sum(m[None] ** 2),
    "like ones": lambda m: np.sum(np.ones_like(m) * m * m),
    "clipped": lambda m: np.sum(np.clip(m, 0, 0.5) * m), "masked": lambda m: np.sum(m[m > 0.2] ** 2),
    "filled": filled, "a column": lambda m: np.sum(m[:, 0] ** 2) if len(m) else 0.0,
    "products": lambda m: np.sum((m.T @ m) ** 2) if len(m) else 0.0,
}
SOME, NONE = np.array([[1.0, 2.0], [0.1, 2.0], [0.8, 3.0]]), np.array([[0.1, 2.0], [0.2, 3.0]])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_of_chosen_rows(name):
    """Where no row is chosen there are zeros, in every mode; else what differences say."""
    def f(a):
        return FUNCTIONS[name](chosen(a))

    def slope(a, direction):
        return np.sum(sg.grad(f)(a) * direction)

    e = np.cos(np.arange(6.0)).reshape(3, 2)
    value, gradient = sg.value_and_grad(f)(SOME)
    second = np.tensordot(sg.hessian(f)(SOME), e, 2)
    assert value == f(SOME)
    h = 1e-6
    np.testing.assert_allclose(np.sum(gradient * e), (f(SOME + h * e) - f(SOME - h * e)) / (2 * h), rtol=1e-6)
    np.testing.assert_allclose(sg.jvp(f, (SOME,), (e,))[1], np.sum(gradient * e), rtol=1e-12)
    want = (sg.grad(f)(SOME + h * e) - sg.grad(f)(SOME - h * e)) / (2 * h)
    np.testing.assert_allclose(second, want, rtol=1e-5, atol=1e-6)
    for a in (NONE, np.zeros((0, 2))):
        e = np.ones_like(a)
        assert sg.value_and_grad(f)(a)[0] == f(a)
        assert not np.any(sg.grad(f)(a)) and sg.jvp(f, (a,), (e,))[1] == 0
        assert not np.any(sg.hessian(f)(a)) and not np.any(sg.jvp(sg.grad(f), (a,), (e,))[1])
        assert not np.any(sg.grad(slope)(a, e))
