"""SciPy's solvers with derivatives filled in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import srcgrad as sg


def rosenbrock(x):
    total = 0.0
    for i in range(len(x) - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


@pytest.mark.parametrize("method", [
    None, "BFGS", "L-BFGS-B", "CG", "Newton-CG", "TNC", "SLSQP", "trust-ncg", "trust-krylov",
    "trust-exact", "dogleg", "trust-constr", "Nelder-Mead"])
def test_minimize(method):
    start = np.array([1.2, 1.1, 0.9]) if method == "dogleg" else np.array([-1.0, 1.5, 0.5])
    limit = {"maxfun" if method == "TNC" else "maxiter": 2000}
    found = sg.scipy.minimize(rosenbrock, start, method=method, options=limit)
    np.testing.assert_allclose(found.x, np.ones(3), atol=2e-3)


@dataclass
class Line:
    slope: float
    offset: np.ndarray


def misfit(p, x, y):
    return np.mean((p["line"].slope * x + p["line"].offset[0] - y) ** 2) + p["extra"][0] ** 2


def test_minimize_over_a_tree_with_arguments():
    x = np.linspace(0, 1, 20)
    start = {"line": Line(0.0, np.zeros(1)), "extra": [np.ones(())[()] * 2.0]}
    for method in (None, "Newton-CG"):
        found = sg.scipy.minimize(misfit, start, args=(x, 2.0 * x - 1.0), method=method)
        assert type(found.x["line"]) is Line and type(found.x["line"].slope) is float
        assert np.isclose(found.x["line"].slope, 2.0, atol=1e-3)
        np.testing.assert_allclose(found.x["line"].offset, [-1.0], atol=1e-3)
    assert type(found.jac["line"]) is Line


def test_minimize_leaves_given_derivatives_alone():
    seen = []

    def slope(x):
        seen.append(1)
        return 2 * x

    found = sg.scipy.minimize(lambda x: np.sum(x ** 2), np.ones(2), jac=slope)
    assert seen and np.allclose(found.x, 0)


def test_methods_with_a_hessian_take_containers():
    found = sg.scipy.minimize(lambda p: np.sum(np.cosh(p["a"] - 1.0)) + (p["b"] + p["a"][0]) ** 2,
                              {"a": np.zeros(2), "b": 1.0}, method="trust-exact")
    assert np.allclose(found.x["a"], 1.0) and np.isclose(found.x["b"], -1.0)


def test_minimize_says_what_it_cannot_do():
    with pytest.raises(sg.NonScalarOutput):
        sg.scipy.minimize(lambda x: x * 2, np.ones(2))


def residuals(p, t, y):
    return p[0] * np.exp(-p[1] * t) - y


def test_least_squares():
    t = np.linspace(0, 3, 30)
    found = sg.scipy.least_squares(residuals, np.array([1.0, 1.0]), args=(t, 2.5 * np.exp(-1.3 * t)))
    np.testing.assert_allclose(found.x, [2.5, 1.3], rtol=1e-6)
    tree = sg.scipy.least_squares(lambda p: residuals((p["a"], p["b"]), t, 2.5 * np.exp(-1.3 * t)),
                                  {"a": 1.0, "b": 1.0})
    assert np.isclose(tree.x["a"], 2.5) and np.isclose(tree.x["b"], 1.3)


@pytest.mark.parametrize("method", ["hybr", "lm", "broyden1"])
def test_root(method):
    def equations(x, c):
        return np.array([x[0] + 0.5 * (x[0] - x[1]) ** 3 - c, 0.5 * (x[1] - x[0]) ** 3 + x[1]])

    found = sg.scipy.root(equations, np.array([0.8, 0.1]), args=(1.0,), method=method)
    assert found.success
    np.testing.assert_allclose(equations(found.x, 1.0), 0, atol=1e-5)
