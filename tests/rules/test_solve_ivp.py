"""``scipy.integrate.solve_ivp`` by implicit methods and between its steps: SciPy's values, derivatives
by the adjoint equation."""

import numpy as np
import pytest

import srcgrad as sg

integrate = pytest.importorskip("scipy.integrate")
IMPLICIT = ("Radau", "BDF", "LSODA")
TOLERANCES = {"rtol": 1e-9, "atol": 1e-11}
ARGUMENTS = (np.array([0.04, 3.0]), np.array([1.0, 0.1, 0.2]), 10.0, 2.0)
TIMES = np.array([0.0, 0.3, 1.0, 2.0])


def reaction(t, y, k, c):
    a, b, _ = y
    return [-k[0] * a + c * b * y[2], k[0] * a - c * b * y[2] - k[1] * b ** 2 + 0.1 * np.sin(t), k[1] * b ** 2]


def measured(method):
    def misfit(k, y0, c, end):
        found = integrate.solve_ivp(reaction, (0.0, end), y0, method, TIMES * end / 2.0, args=(k, c), **TOLERANCES)
        return np.sum(np.sin(found.y) * np.arange(1.0, 4.0)[:, None])

    return misfit


def numbers_of(tree):
    return sg.ravel_tree(tree)[0]


@pytest.mark.parametrize("method", IMPLICIT)
def test_every_input(method):
    f, exact = measured(method), measured("DOP853")
    value, found = sg.value_and_grad(f, argnums=(0, 1, 2, 3))(*ARGUMENTS)
    assert value == f(*ARGUMENTS)
    flat, unravel = sg.ravel_tree(ARGUMENTS)
    for i, got in enumerate(numbers_of(found)):
        step = 1e-4 * np.eye(len(flat))[i] * max(0.1, abs(flat[i]))
        want = (exact(*unravel(flat + step)) - exact(*unravel(flat - step))) / (2 * step[i])
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-6)


def of_dense(rate, times, start, method):
    """The program and its derivative by hand: y = start * exp(-rate * t^2 / 2)."""
    def program(rate, times, start):
        found = integrate.solve_ivp(lambda t, y: -rate * y * t, (0.0, 2.0), start, method=method,
                                    dense_output=True, **TOLERANCES)
        return np.sum(found.sol(times) ** 2) + found.sol(1.5)[0] + found.y[0, -1]

    def exact(rate, times, start):
        y = lambda t: start[:, None] * np.exp(-rate * np.atleast_1d(t) ** 2 / 2)
        return np.sum(y(times) ** 2) + y(1.5)[0, 0] + y(2.0)[0, 0]

    return program, exact


@pytest.mark.parametrize("method", ["RK45", "DOP853", "Radau"])
def test_between_the_steps(method):
    point = (0.7, np.array([0.5, 1.0, 1.9]), np.array([1.0, -2.0]))
    program, exact = of_dense(*point, method)
    found, want = (sg.grad(f, argnums=(0, 1, 2))(*point) for f in (program, exact))
    np.testing.assert_allclose(numbers_of(found), numbers_of(want), rtol=1e-5)
    assert sg.jit(program)(*point) == program(*point)


@pytest.mark.parametrize("ends", [(0.5, 1.5), (1.5, 0.5)])
def test_both_ends_and_backward_in_time(ends):
    def program(start, end, rate):
        found = integrate.solve_ivp(lambda t, y: -rate * y * t, (start, end), [1.0], method="Radau",
                                    rtol=1e-10, atol=1e-12)
        return 2.0 * found.y[0, -1] + found.y[0, 0] + found.t[-1]

    def exact(start, end, rate):
        return 2.0 * np.exp(-rate * (end ** 2 - start ** 2) / 2) + 1.0 + end

    found, want = (sg.grad(f, argnums=(0, 1, 2))(*ends, 0.8) for f in (program, exact))
    np.testing.assert_allclose(found, want, rtol=1e-6)


def test_no_derivative_beyond_the_ends():
    def program(times, end):
        found = integrate.solve_ivp(lambda t, y: -y * t, (0.0, end), [1.0], dense_output=True, **TOLERANCES)
        return found.sol(times)[0, 0] + 0.0 * found.sol(times)[0, 1]

    df = sg.grad(program)
    np.testing.assert_allclose(df(np.array([1.5, 1.0]), 2.0), [-1.5 * np.exp(-1.125), 0.0], rtol=1e-6)
    assert np.isfinite(sg.jit(program)(np.array([2.5, 1.0]), 2.0))
    with pytest.raises(ValueError, match=r"at t = 2.5, outside of \[0.0, 2.0\]"):
        df(np.array([2.5, 1.0]), 2.0)


def test_a_jacobian_that_is_given_and_what_is_told():
    def program(k):
        found = integrate.solve_ivp(lambda t, y, k: -k * y, (0.0, 1.0), np.ones(2), "BDF", args=(k,),
                                    jac=lambda t, y, k: -k * np.eye(2), rtol=1e-8, atol=1e-10)
        return np.sum(found.y[:, -1]) if found.success else 0.0

    assert sg.jit(program)(1.3) == program(1.3)
    np.testing.assert_allclose(sg.grad(program)(1.3), -2 * np.exp(-1.3), rtol=1e-5)


@pytest.mark.parametrize("second", [lambda f: sg.hessian(f), lambda f: lambda k: sg.jvp(f, (k,), (1.0,))])
def test_second_and_forward_derivatives_name_the_explicit_methods(second):
    def program(k):
        return integrate.solve_ivp(lambda t, y: -k * y, (0.0, 1.0), [1.0], method="Radau").y[0, -1]

    with pytest.raises(sg.UnsupportedOperation, match="DOP853"):
        second(program)(0.8)


@pytest.mark.parametrize("options", [{"events": lambda t, y: y[0]}, {"method": "Euler"}, {"vectorized": True}])
def test_what_is_refused(options):
    with pytest.raises(sg.UnsupportedOperation, match="solve_ivp with " + next(iter(options))):
        sg.grad(lambda k: integrate.solve_ivp(lambda t, y: -k * y, (0.0, 1.0), [1.0], **{
            "method": "Radau", **options}).y[0, -1])(0.5)
