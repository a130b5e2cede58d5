"""Python makes a negative float to a fractional power complex: where the program then asks for
its absolute value or its parts, it is followed."""

import math

import numpy as np
import pytest

import srcgrad as sg


def absolute(x):
    return abs(x ** 0.5)


def parts(x):
    y = x ** 1.5
    return 2.0 * y.real - 3.0 * y.imag


def traced_exponent(x, p=0.3):
    return abs(2.0 * x ** p)


def in_place(x):
    x **= 0.25
    return abs(x) + abs(pow(x, 2))


def in_a_loop(x):
    t = 0.0
    for v in (x, 2.0, -x):
        t = t + abs(v ** 0.5) * x
    return t


def conjugated(x):
    y = x ** 0.7
    return (y * y.conjugate()).real


def by_numpy(x):
    return float(np.abs(x ** 0.5)) + float(np.real(x ** 1.5))


def of_an_item(x):
    return abs(float(np.array([x, 1.0])[0]) ** 0.5)


FOLLOWED = [absolute, parts, traced_exponent, in_place, in_a_loop, conjugated, by_numpy, of_an_item]


def plain(x):
    return x ** 0.5 + abs(x ** 1.5) * x


def both(x):
    y = x ** 0.5
    return y + abs(y)


def whole(x):
    return abs(x ** 2) + abs(x ** 3.0) + (x ** -1).real


@pytest.mark.parametrize("function", FOLLOWED)
def test_followed(function):
    df, forward = sg.value_and_grad(function), sg.jit(function)
    for x in (2.0, -2.0, 0.4, -0.4):
        want = function(x)
        assert repr(df(x)[0]) == repr(forward(x)) == repr(want)
        difference = (function(x + 1e-6) - function(x - 1e-6)) / 2e-6
        assert math.isclose(df(x)[1], difference, rel_tol=1e-6, abs_tol=1e-8)


@pytest.mark.parametrize("function", [plain, both, whole])
def test_real_results_stay(function):
    df = sg.value_and_grad(function)
    for x in (2.0, 0.4):
        difference = (function(x + 1e-6) - function(x - 1e-6)) / 2e-6
        assert df(x)[0] == function(x)
        assert math.isclose(df(x)[1], difference, rel_tol=1e-6, abs_tol=1e-8)


def test_complex_results_have_no_gradient():
    for function in (plain, both, lambda x: x ** 0.5):
        with pytest.raises((ValueError, sg.errors.NonScalarOutput)):
            sg.grad(function)(-2.0)
    for derivative in (sg.grad, sg.value_and_grad):
        with pytest.raises(ValueError, match="domain"):
            derivative(lambda x, p: x ** p)(-2.0, 0.5)
    assert sg.jit(lambda x: x ** 0.5)(-2.0) == (-2.0) ** 0.5


@pytest.mark.parametrize(("x", "p", "first", "second"), [
    (-2.0, 3.0, 12.0, -12.0), (2.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0), (0.0, 1.0, 1.0, 0.0),
    (0.0, 2.0, 0.0, 2.0)])
def test_exponents_of_the_run(x, p, first, second):
    def power(x, p):
        return x ** p

    assert sg.grad(power)(x, p) == first
    assert sg.hessian(power)(x, p) == second
