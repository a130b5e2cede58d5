"""Adjoints of array programs as one would write them: what they say, and that it is true."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg

RNG = np.random.default_rng(5)
TABLE = RNG.normal(size=(6, 4))
LABELS = np.array([1, 3, 0, 2, -1, 1])
SQUARE = RNG.normal(size=(4, 4))
POINTS = RNG.normal(size=(5, 2))


def picked_probabilities(z):
    p = np.exp(z) / np.sum(np.exp(z), axis=1, keepdims=True)
    return -np.mean(np.log(p[np.arange(len(LABELS)), LABELS]))


def picked_logarithms(z):
    log_p = z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))
    return -np.sum(log_p[np.arange(4), LABELS[:4]])  # not of all rows


def picked_twice(z):
    rows = np.array([0, 2, 2, 5])
    p = z * z / np.sum(z * z, axis=0, keepdims=True)
    return np.sum(p[rows, np.array([1, 3, 3, 0])] ** 2)


def picked_from_one_row(z):
    q = z[:1] - np.mean(z[:1], axis=0, keepdims=True) * z
    return np.sum((q / (1.0 + z * z))[np.arange(3), np.array([0, 1, 2])])


def scattered_and_all(z):
    e = np.exp(-z)
    return np.sum(e[np.arange(6), LABELS]) + np.sum(e * e)


def one_inverse(a):
    s = a @ a.T + np.eye(4)
    v = np.linalg.inv(s)
    return np.sum(v[0] * v[1]) + np.log(np.linalg.det(s)) + 3.0 * np.linalg.slogdet(s)[1]


def inverse_of_any(a):
    s = a + 5.0 * np.eye(4)
    return np.sum(np.linalg.inv(s)[0]) - np.log(np.linalg.det(s))


def correlation(z):
    c = z.T @ z
    s = np.sqrt(np.diag(c))
    return np.sum((c / s[:, None] / s[None, :]) ** 4)


def unlike_sides(z):
    c = z.T @ z
    s = np.sqrt(np.diag(c))
    return np.sum((c / s[:, None] / s[:, None]) ** 3 * np.arange(4.0))


def sandwich(a):
    s = np.eye(4) * 2.0 + a @ a.T
    return np.sum(np.linalg.cholesky(a @ s @ a.T + np.eye(4)) ** 3)


def factor_of_symmetric(x):
    r = x[:, None, :] - x[None, :, :]
    k = np.exp(-np.sum(r ** 2, axis=2)) + 0.3 * np.eye(len(x))
    return np.sum(np.linalg.cholesky(k) * np.arange(25.0).reshape(5, 5))


def factor_of_lower_triangle(a):
    k = np.tril(a, -1) + 5.0 * np.eye(4)
    return np.sum(np.linalg.cholesky(k) ** 3)


def numbers_and_quotients(x):
    r = np.sum(x ** 2, axis=1) + 0.1
    return np.sum(np.log(1.0 + r ** 2)) / 3.0 + np.sum(0.5 * (x / 4.0) * x) + np.sum(
        2.0 / r ** 3 - 0.25 / r) + np.sum(np.exp(-0.5 * x * x) / np.sqrt(2.0 * np.pi))


def products_alike(z):
    s = 0.0
    for i in range(len(z)):
        a, b = z[i, 0], z[i, 1]
        s += 0.5 * b * a * a - (a * b) * (0.3 * a) * a + a / b * a + 1e200 * (1e-200 * a)
        s -= s * 0.25
    return s + np.sum(z * z * z - 0.1 * z * (z + 1e300 * (z * 1e-300)))


def products_with_lists(z):
    y = z - z * [1.0, 2.0, 0.5, 3.0] * z + z * 0.5 * [1.0, 2.0, 0.5, 3.0]
    return np.sum(y * y * y)


CASES = {
    picked_probabilities: TABLE, picked_logarithms: TABLE, picked_twice: TABLE,
    picked_from_one_row: TABLE, scattered_and_all: TABLE, one_inverse: SQUARE,
    inverse_of_any: SQUARE, correlation: TABLE, unlike_sides: TABLE, sandwich: SQUARE,
    factor_of_symmetric: POINTS, factor_of_lower_triangle: SQUARE, numbers_and_quotients: POINTS,
    products_alike: TABLE, products_with_lists: TABLE,
}


@pytest.mark.quick
@pytest.mark.parametrize("program", CASES, ids=lambda f: f.__name__)
def test_slopes(program):
    x = CASES[program]
    value, slope = sg.value_and_grad(program)(x)
    assert value == program(x)
    differences = np.empty_like(x)
    for place in np.ndindex(*x.shape):
        step = np.zeros_like(x)
        step[place] = 1e-5
        differences[place] = (program(x + step) - program(x - step)) / 2e-5
    np.testing.assert_allclose(slope, differences, rtol=1e-6, atol=1e-7)


@pytest.mark.quick
def test_second_derivatives():
    for program in (picked_probabilities, one_inverse, correlation):
        x = CASES[program]
        along = np.cos(np.arange(x.size)).reshape(x.shape)
        slope = sg.grad(program)
        difference = (slope(x + 1e-5 * along) - slope(x - 1e-5 * along)) / 2e-5
        found = sg.grad(lambda z, g=slope, v=along: np.sum(g(z) * v))(x)
        np.testing.assert_allclose(found, difference, rtol=1e-5, atol=1e-7)


@pytest.mark.quick
@pytest.mark.parametrize("program, said, unsaid", [
    (picked_probabilities, ("d_z[t", "] -= "), ("np.zeros_like", "einsum")),
    (one_inverse, (), ("cofactors", "inverse_or_nan")),
    (inverse_of_any, (".T",), ("cofactors",)),
    (correlation, ("z @ (2.0 *",), (".T @ d_c", "d_c.T")),
    (factor_of_symmetric, ("np.tril(",), (" -1)",)),
    (factor_of_lower_triangle, ("-1)", "np.diag(0.5"), ()),
    (products_alike, ("3.0 *", "0.75 *"), ("+ d_",)),
], ids=lambda p: getattr(p, "__name__", ""))
def test_texts(program, said, unsaid):
    text = sg.value_and_grad(program).source(CASES[program]).partition("# ---- backward")[2]
    assert all(part in text for part in said), text
    assert not any(part in text for part in unsaid), text
