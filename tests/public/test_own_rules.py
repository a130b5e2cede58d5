"""Rules that users declare for functions of their own, and for functions of C code."""

import ctypes
import ctypes.util
import math

import numpy as np
import pytest

import srcgrad as sg

X = np.array([1.2, 2.6])


def rounded(x):
    return np.round(x)


@sg.rules.vjp(rounded, "x")
def _rounded_x(ct):
    return ct * 7.0  # on purpose: what the rule says counts


def cubed(x, scale=2.0):
    return np.asarray(x) ** 3 * scale


@sg.rules.vjp(cubed, "x")
def _cubed_x(ct, x, scale):
    return ct * 3.0 * x * x * scale


@sg.rules.vjp(cubed, "scale")
def _cubed_scale(ct, x):
    return np.sum(ct * x ** 3)


def smoothed(x):
    return np.convolve(x, [0.25, 0.75], "same")


@sg.rules.linear(smoothed, "x")
def _smoothed_x(ct):
    return np.convolve(ct[::-1], [0.25, 0.75], "same")[::-1]


def both(x):
    return x * 2.0, np.sum(x)


@sg.rules.vjp(both, "x")
def _both_x(ct, x):
    first = 0.0 if ct[0] is None else ct[0] * 2.0
    return first + (0.0 if ct[1] is None else ct[1]) * np.ones_like(x)


class Doubler:
    def __call__(self, x):
        return x * 2.0

    def method(self, x):
        return x * x


doubler = Doubler()


@sg.rules.vjp(doubler, "x")
def _doubler_x(ct):
    return ct * 5.0


@sg.rules.vjp(Doubler.method, "x")
def _method_x(ct):
    return ct * 9.0


def test_the_rule_counts_not_the_body():
    assert sg.grad(rounded)(1.3) == 7.0
    assert sg.grad(lambda x: np.sum(rounded(x) * x))(X).tolist() == (
        np.round(X) + 7.0 * X).tolist()
    assert sg.grad(lambda x: doubler(x))(1.0) == 5.0
    assert sg.grad(lambda x: doubler.method(x))(2.0) == 9.0
    assert sg.jvp(rounded, (X,), (np.ones(2),))[1].tolist() == [7.0, 7.0]


def test_in_loops_branches_and_at_second_order():
    def program(x, n):
        for i in range(n):
            if np.sum(x) > 1.0:
                x = cubed(x, 0.1) + smoothed(x)
            else:
                x = x + cubed(x)
        return np.sum(x)

    def plain(x, n):
        for i in range(n):
            if np.sum(x) > 1.0:
                x = x ** 3 * 0.1 + np.convolve(x, [0.25, 0.75], "same")
            else:
                x = x + x ** 3 * 2.0
        return np.sum(x)

    one = sg.grad(lambda x: np.sum(cubed(x, 0.1)))
    np.testing.assert_allclose(one(X), 0.3 * X ** 2)
    np.testing.assert_allclose(sg.hessian(lambda x: np.sum(cubed(x)))(X), np.diag(12.0 * X))
    assert sg.jit(program)(X, 3) == plain(X, 3)
    assert np.all(np.isfinite(sg.grad(program)(X, 3)))
    assert sg.grad(lambda s: np.sum(cubed(X, s)))(1.0) == pytest.approx(np.sum(X ** 3))


def test_several_results():
    ours = sg.grad(lambda x: np.sum(both(x)[0] ** 2) * both(x)[1])(X)
    np.testing.assert_allclose(ours, sg.grad(lambda x: np.sum((2 * x) ** 2) * np.sum(x))(X))


def test_linear_functions_are_their_own_pushforward():
    np.testing.assert_allclose(sg.jvp(smoothed, (X,), (X,))[1], smoothed(X))
    ones = np.ones(2)
    assert sg.vjp(smoothed, X)[1](ones)[0].tolist() == _smoothed_x(ones).tolist()


def test_nondiff_and_elementwise():
    def bucket(x):
        return x * x

    sg.rules.nondiff(bucket)
    assert sg.grad(lambda x: np.sum(bucket(x) * x))(X).tolist() == (X * X).tolist()

    def scaled(x, by):
        return np.sin(x) * by

    @sg.rules.elementwise(scaled, "x")
    def _(x, by):
        return np.cos(x) * by * 10.0

    np.testing.assert_allclose(sg.grad(lambda x: np.sum(scaled(x, 2.0)))(X), 20.0 * np.cos(X))

    @sg.rules.elementwise(math.cbrt)
    def _(x, ans):
        return ans / (3 * x)

    assert sg.grad(math.cbrt)(8.0) == pytest.approx(1 / 12)


def test_formulas_stand_under_the_names_of_inputs():
    def scaled(x, by, shift):
        return x * by + shift

    sg.rules.vjp(scaled, x=lambda ct, by: 10.0 * ct * by, by=lambda ct, x: np.sum(ct * x), shift=None)
    gradient = sg.grad(lambda *args: np.sum(scaled(*args)), argnums=(0, 1))
    assert [np.asarray(g).tolist() for g in gradient(X, 2.0, 1.0)] == [[20.0, 20.0], X.sum()]
    assert sg.grad(lambda s: np.sum(scaled(X, 2.0, s)) * s)(3.0) == np.sum(2.0 * X + 3.0)


@pytest.mark.parametrize("make", ["rule", "custom"])
def test_functions_that_cannot_be_traced(make):
    pointer = ctypes.CDLL(ctypes.util.find_library("m")).erf
    pointer.restype, pointer.argtypes = ctypes.c_double, [ctypes.c_double]

    def erf(x):
        return pointer(x)

    def slope(x):
        return 2.0 / np.sqrt(np.pi) * np.exp(-x * x)

    if make == "rule":
        @sg.rules.vjp(erf, "x")
        def _(ct, x):
            return ct * slope(x)

        function = erf
    else:
        function = sg.custom_vjp(erf)
        function.defvjp(lambda x: (function(x), x), lambda x, ct: (ct * slope(x),))
    assert sg.value_and_grad(function)(0.3) == pytest.approx((math.erf(0.3), slope(0.3)))
    assert sg.grad(lambda x: function(x) * x)(0.3) == pytest.approx(
        math.erf(0.3) + 0.3 * slope(0.3))
    assert sg.grad(sg.grad(lambda x: function(x)))(0.3) == pytest.approx(-0.6 * slope(0.3))
    with pytest.raises(sg.UnsupportedOperation, match="an object of type"):
        sg.grad(lambda x: pointer(x))(0.3)
