"""Likelihoods with factorisations: what the passes know of matrices must be true of them."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg

X = np.sort(np.random.default_rng(0).random(6)) * 3.0
P = np.random.default_rng(1).normal(size=(6, 2))
Y = np.sin(X)


def kernel(p):
    gaps = X[:, None] - X[None, :]
    return np.exp(-0.5 * gaps ** 2 * np.exp(-2.0 * p[0])) + np.exp(p[1]) * np.eye(len(X))


def with_solve(p):
    K = kernel(p)
    L = np.linalg.cholesky(K)
    return 0.5 * Y @ np.linalg.solve(K, Y) + np.sum(np.log(np.diag(L)))


def with_two_solves(p):
    L = np.linalg.cholesky(kernel(p))
    a = np.linalg.solve(L.T, np.linalg.solve(L, Y))
    return 0.5 * Y @ a + np.log(L.diagonal()).sum() + 3.0 * np.log(2 * np.pi)


def with_inverse(p):
    K = kernel(p)
    sign, logdet = np.linalg.slogdet(K)
    return 0.5 * Y @ np.linalg.inv(K) @ Y + 0.5 * sign * logdet


def points(p):
    r2 = np.sum((P[:, None] - P[None]) ** 2, axis=2)
    K = np.exp(p[0]) * np.exp(-r2 / (1.0 + p[1] ** 2))
    K += 0.1 * np.identity(len(P))
    L = np.linalg.cholesky(K)
    return Y @ np.linalg.solve(K, 2.0 * Y) + 2.0 * np.sum(np.log(np.diag(L)))


def not_symmetric(p):
    gaps = X[:, None] - X[None, :]
    K = np.exp(-0.5 * gaps ** 2 + p[0] * gaps) + np.exp(p[1]) * np.eye(len(X))
    return Y @ np.linalg.solve(K, Y)


def odd_power(p):
    gaps = X[:, None] - X[None, :]
    K = p[0] * gaps ** 3 + np.exp(p[1]) * np.eye(len(X))
    return Y @ np.linalg.solve(K, 2.0 * Y) + np.sum(K @ K.T)


def two_inputs(p):
    K = np.exp(-np.abs(p[0] * X[:, None] - X[None, :])) + np.exp(p[1]) * np.eye(len(X))
    return Y @ np.linalg.solve(K, Y)


def only_diagonal(p):
    L = np.linalg.cholesky(kernel(p))
    d = np.diag(L)
    return np.sum(d ** 3 * np.log(d)) + np.prod(d)


def factor_and_more(p):
    L = np.linalg.cholesky(kernel(p))
    return np.sum(np.log(np.diag(L))) + np.sum((L @ Y) ** 2)


def products(p):
    K = kernel(p)
    D = np.diag(p[0] * X)
    return np.sum((K @ D @ K) ** 2) + np.trace(D @ K) + np.sum(np.tril(D - np.diag(Y)))


PROGRAMS = [with_solve, with_two_solves, with_inverse, points, not_symmetric, odd_power, two_inputs,
            only_diagonal, factor_and_more, products]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_gradient(function):
    p = np.array([0.3, -1.0])
    df = sg.value_and_grad(function)
    value, gradient = df(p)
    assert value == function(p)
    step = 1e-6
    for i in range(2):
        e = step * np.eye(2)[i]
        wanted = (function(p + e) - function(p - e)) / (2 * step)
        assert np.isclose(gradient[i], wanted, rtol=1e-7, atol=1e-7)
        second = (df(p + e)[1] - df(p - e)[1]) / (2 * step)
        assert np.allclose(sg.hvp(function)(p, np.eye(2)[i]), second, rtol=1e-5, atol=1e-5)


def backward(function):
    text = sg.grad(function).source(np.array([0.3, -1.0])).split("# ---- backward")[1]
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))


def test_one_inverse_serves_all():
    assert "solve" not in backward(with_solve)
    assert backward(with_solve).count("inv(") == 1
    assert "solve" in backward(not_symmetric)
