"""SciPy's solvers with derivatives filled in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
import scipy.optimize

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


# ---- called by functions that are differentiated -------------------------------------------------
def shared(c):
    found = sg.root(lambda p: {"u": p["u"] ** 2 - c, "v": p["u"] * p["v"] - 1.0}, {"u": 1.0, "v": np.ones(1)})
    return found.x["v"][0]


def of_a_list(c):
    return sg.root(lambda x: x ** 2 - c * np.arange(1.0, 3.0), [1.0, 2.0]).x[1]


def settled(c):
    return sg.fixed_point(lambda p: {"x": np.cos(c * p["x"]), "y": np.sin(p["y"] + c) * np.ones(2)},
                          {"x": 0.5, "y": np.zeros(2)})["y"][1]


def fitted(c):
    found = sg.scipy.least_squares(lambda p: np.array([p["a"] - c, p["b"] - 2 * c, p["a"] * p["b"] - 1.0]),
                                   {"a": 1.0, "b": 2.0}, xtol=1e-14, ftol=1e-14, gtol=1e-14)
    return found.x["a"]


def least(c, method="BFGS"):
    found = sg.scipy.minimize(lambda p: np.sum(np.cosh(p["w"] - c)) + p["line"].slope ** 2 * np.sum(p["w"]),
                              {"w": np.ones(2), "line": Line(1.0, "x")}, method=method)
    return found.x["w"][0] ** 2


def least_by_products(c):
    return least(c, "trust-ncg")


def reaction(t, y, c):
    return {"a": -c * y["a"], "b": c * y["a"] * np.ones((2, 1))}


START = {"a": 1.0, "b": np.zeros((2, 1))}
TIGHT = {"rtol": 1e-9, "atol": 1e-9}


def explicit(c):
    found = sg.solve_ivp(reaction, (0.0, 1.0), START, "RK23", [0.5, 1.0], args=(c,), **TIGHT)
    return found.y["b"][1, 0, -1] * found.y["a"][0]


def stiff(c):
    return sg.solve_ivp(lambda t, y: reaction(t, y, c), (0.0, 1.0), START, method="Radau", **TIGHT).y["b"][0, 0, -1]


def between(c):
    found = sg.solve_ivp(lambda t, y: reaction(t, y, c), (0.0, 1.0), START, dense_output=True, **TIGHT)
    return np.sum(found.sol(np.array([0.3, 0.7]))["b"])


@pytest.mark.parametrize("program", [
    shared, of_a_list, settled, fitted, least, least_by_products, explicit, stiff, between],
    ids=lambda f: f.__name__)
def test_solvers_in_a_function_that_is_differentiated(program):
    step = 1e-4
    difference = (program(2.0 + step) - program(2.0 - step)) / (2 * step)
    value, slope = sg.value_and_grad(program)(2.0)
    np.testing.assert_allclose(value, program(2.0), rtol=1e-7)
    np.testing.assert_allclose(slope, difference, rtol=1e-4 if program in (least, least_by_products) else 1e-6)


@dataclass
class Model:
    w: np.ndarray
    b: float
    degree: int = 3


def test_ints_of_objects_are_settings_and_others_are_numbers():
    def loss(p):
        return np.sum((p.w - 2.0) ** 2) + (p.b - p.degree) ** 2

    start = Model(np.zeros(2), 0.0)
    sg.value_and_grad(loss)(start)  # code for an int there
    found = sg.scipy.minimize(loss, start).x
    assert type(found.degree) is int and np.allclose([*found.w, found.b], [2.0, 2.0, 3.0])
    found = sg.scipy.least_squares(lambda p: {"w": p.w - 2.0, "b": [p.b - p.degree]}, start).x
    assert type(found.degree) is int and np.allclose([*found.w, found.b], [2.0, 2.0, 3.0])
    found = sg.scipy.minimize(lambda p: (p["a"] - 2.5) ** 2 + p["b"] ** 2, {"a": 1, "b": 2}).x
    assert np.allclose([found["a"], found["b"]], [2.5, 0.0])

    def left(rate):
        found = sg.solve_ivp(lambda t, y: Model(-rate * y.w, rate * y.w[0], 0), (0, 1), Model(np.ones(1), 0, 0))
        return found.y.b[-1]

    assert sg.grad(left)(1.0) == pytest.approx(np.exp(-1.0), rel=1e-3)
    optimum = sg.grad(lambda r: sg.scipy.minimize(lambda p: np.sum((p.w - r) ** 2) + p.b ** 2, start).x.w[0])
    assert optimum(2.0) == pytest.approx(1.0)


@pytest.mark.parametrize("constraints, method", [
    ({"type": "ineq", "fun": lambda p, top: top - p["a"] * p["b"], "args": (4.0,)}, "SLSQP"),
    (scipy.optimize.NonlinearConstraint(lambda p: p["a"] * p["b"], -np.inf, 4.0), "trust-constr"),
    ([{"type": "ineq", "fun": lambda p: 4.0 - p["a"] * p["b"]}, {"type": "ineq", "fun": lambda p: p["a"] - 2.0}], None)])
def test_constraints_get_the_structure_and_a_jacobian(constraints, method):
    found = sg.scipy.minimize(lambda p: (p["a"] - 3.0) ** 2 + (p["b"] - 2.5) ** 2, {"a": 1.0, "b": 2.0},
                              method=method, constraints=constraints)
    assert found.x["a"] * found.x["b"] == pytest.approx(4.0, abs=1e-4)
    assert found.x["a"] == pytest.approx(2.42143, abs=1e-3)


def test_states_of_any_structure():
    """The result is SciPy's, in the structure of the state; events get that structure, too."""
    from scipy.integrate import odeint, solve_ivp

    def crossed(t, y):
        return y["a"] - 0.5

    def flat(t, y):
        return np.concatenate([-y[:1], y[0] * np.ones(2)])

    crossed.terminal = True
    found = sg.solve_ivp(lambda t, y: reaction(t, y, 1.0), (0.0, 2.0), START, events=crossed)
    want = solve_ivp(flat, (0.0, 2.0), [1.0, 0.0, 0.0], events=lambda t, y: y[0] - 0.5)
    assert found.status == 1 and np.isclose(found.t[-1], want.t_events[0][0])
    assert found.y["a"].shape == found.t.shape and found.y["b"].shape == (2, 1, len(found.t))
    times = np.linspace(0.0, 1.0, 4)
    found = sg.odeint(lambda y, t: reaction(t, y, 1.0), START, times)
    want = odeint(flat, [1.0, 0.0, 0.0], times, tfirst=True)
    assert np.array_equal(found["a"], want[:, 0]) and np.array_equal(found["b"], want[:, 1:, None])
    vector = sg.solve_ivp(lambda t, y: [y[1], -y[0]], (0.0, 1.0), [1.0, 0.0])  # as for SciPy
    assert np.array_equal(vector.y, solve_ivp(lambda t, y: [y[1], -y[0]], (0.0, 1.0), [1.0, 0.0]).y)


def test_trees_are_vectors_in_traced_code():
    def model(p):
        flat, unravel = sg.ravel_tree(p)
        moved = unravel(flat * flat)
        return 3.0 * moved["a"] + np.sum(moved["b"]) + moved["c"]

    p = {"a": 1.0, "b": np.arange(4.0).reshape(2, 2), "c": np.float64(2.0)}
    sg.check_grads(model, (p,))
    assert sg.jit(model)(p) == model(p)
    with pytest.raises(ValueError):
        sg.jit(lambda p, v: sg.ravel_tree(p)[1](v)["a"])(p, np.ones(5))


def nearest(x):
    """The place on a parabola that is nearest to a point, found without a derivative."""
    found = scipy.optimize.minimize(lambda p: np.hypot(p[0] - x[0], p[0] ** 2 - x[1]), [0.4],
                                    method="Nelder-Mead", options={"xatol": 1e-3, "fatol": 1e-3})
    return found.x[0]


def test_a_derivative_follows_from_where_the_gradient_vanishes():
    # a search by values alone stops near the minimum: 2 p ** 3 + (1 - 2 v) p - u = 0 holds there
    u, v = 0.5, 0.2
    p = np.roots([2.0, 0.0, 1.0 - 2.0 * v, -u])
    p = float(p[np.abs(p.imag) < 1e-9].real[0])
    slope = 6.0 * p * p + 1.0 - 2.0 * v
    np.testing.assert_allclose(sg.grad(nearest)(np.array([u, v])), [1 / slope, 2 * p / slope], rtol=1e-7)


def test_a_kink_is_no_minimum_to_differentiate():
    def corner(x):
        found = scipy.optimize.minimize(
            lambda p: np.hypot(p[0] - x[0], p[1] - x[1]) + 0.1 * (p[0] - 1.0) ** 2, [0.3, 0.2],
            method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-9})
        return found.x[0]

    with pytest.raises(ValueError, match="its equation does not hold"):
        sg.grad(corner)(np.array([0.5, 0.4]))
