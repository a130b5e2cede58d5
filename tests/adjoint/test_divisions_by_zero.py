"""Derivatives are infinite or NaN, and raise nothing, where the function itself has a value."""

import math

import numpy as np
import pytest

import srcgrad as sg

ROOTS = [
    (lambda x: math.sqrt(x), math.inf),
    (lambda x: 2.0 * x ** 0.5, math.inf),
    (lambda x: math.pow(x, 0.25), math.inf),
    (lambda x: math.cbrt(x), math.inf),
    (lambda x: (x * x + x * x) ** 0.5, math.nan),
    (lambda x: math.atan2(x, x), math.nan),
    (lambda x: math.sqrt(sum(v * v for v in (x, x, x))), math.nan),
    (lambda x: sum(math.sqrt(v) for v in [x] * 40), math.inf),
    (lambda x: x ** 1.5, 0.0),
]


@pytest.mark.parametrize(("f", "slope"), ROOTS)
def test_roots_of_zero(f, slope) -> None:
    np.testing.assert_equal(float(sg.grad(f)(0.0)), slope)
    np.testing.assert_equal(float(sg.jvp(f, (0.0,), (1.0,))[1]), slope)
    value, pullback = sg.vjp(f, 0.0)
    np.testing.assert_equal(float(pullback(1.0)[0]), slope)
    sg.grad(sg.grad(f))(0.0)  # raises nothing


@pytest.mark.parametrize(("f", "x", "slope"), [
    (lambda x: x ** -0.5, 1e-300, -math.inf), (lambda x: x ** -2, 1e-150, -math.inf),
    (lambda x: x ** -1, 1e-200, -math.inf), (lambda x: math.pow(x, -2.5), 1e-100, -math.inf),
    (lambda x: x ** -0.25, 4.0, -0.25 * 4.0 ** -1.25),
    (lambda x: x ** -3.5, 2.0, -3.5 * 2.0 ** -4.5)])
def test_powers_too_large_to_hold(f, x, slope) -> None:
    assert sg.grad(f)(x) == pytest.approx(slope)
    sg.grad(sg.grad(f))(x)  # raises nothing


@pytest.mark.parametrize("f", [lambda x: 1.0 / x, lambda x: math.log(x), lambda x: x ** -0.5])
def test_what_raises_still_raises(f) -> None:
    with pytest.raises((ZeroDivisionError, ValueError)):
        f(0.0)
    for transform in (sg.grad, sg.value_and_grad):
        with pytest.raises((ZeroDivisionError, ValueError)):
            transform(f)(0.0)


def test_a_program_that_divides_by_the_root_divides_plainly() -> None:
    def f(x):
        total = 0.0
        for v in x:
            r = math.sqrt(v)
            total += 1.0 / r
        return total

    text = sg.value_and_grad(f).source(np.ones(5))
    assert "math.inf" not in text and "np.inf" not in text


def test_a_mean_by_hand_of_no_data() -> None:
    def loss(w, x, y):
        return np.sum((x @ w - y) ** 2) / len(y)

    df = sg.value_and_grad(loss)
    df(np.ones(2), np.ones((3, 2)), np.ones(3))
    with np.errstate(all="ignore"):
        value, gradient = df(np.ones(2), np.ones((0, 2)), np.ones(0))
    assert np.isnan(value) and np.array_equal(gradient, np.zeros(2))


@pytest.mark.parametrize("f", [
    lambda x: np.sum(np.sqrt(x) ** 2),
    lambda x: np.sum(np.sqrt(x) * np.sqrt(x)),
    lambda x: np.sum(np.square(np.sqrt(x))),
])
def test_the_square_of_a_root_of_a_negative_number(f) -> None:
    with np.errstate(invalid="ignore"):
        np.testing.assert_equal(sg.grad(f)(np.array([4.0, 0.0, -1.0])), [1.0, 1.0, np.nan])


def test_the_square_of_a_norm_has_no_kink() -> None:
    df = sg.grad(lambda x: np.sqrt(np.sum(x ** 2)) ** 2)
    assert np.array_equal(df(np.zeros(3)), np.zeros(3)) and "where" not in df.source(np.zeros(3))


def test_distances_of_points_from_themselves_are_hidden_by_a_mask_and_by_a_triangle() -> None:
    def energy(places):
        x, y = places[:, 0:1], places[:, 1:2]
        inverse = np.sqrt((x.T - x) ** 2 + (y.T - y) ** 2)
        inverse[inverse > 0] = 1.0 / inverse[inverse > 0]
        return np.sum(np.triu(-inverse, 1))

    places = np.array([[0.1, -0.3], [1.2, 0.4], [-0.7, 0.9]])
    with np.errstate(all="ignore"):
        found = sg.grad(energy)(places)
    steps = 1e-6 * np.eye(6).reshape(6, 3, 2)
    wanted = [(energy(places + s) - energy(places - s)) / 2e-6 for s in steps]
    np.testing.assert_allclose(found.ravel(), wanted, rtol=1e-6)


@pytest.mark.parametrize(("power", "x"), [
    (lambda x: np.power(x, 0.5), -1.0), (lambda x: np.power(x, 2.5) * 2, -2.0),
    (lambda x: np.float_power(x, 2.5), -2.0), (lambda x: np.power(x, x / x * 0.5), -2.0),
    (lambda x: np.power(x, -3.0), 1e-200), (lambda x: np.power(x, 300.0), 12.0),
    (lambda x: np.power(x, 3), 1e200)])
def test_powers_of_numpys_raise_nothing(power, x):
    """NumPy's power of a float that is Python's is NaN or infinite; so are its derivatives."""
    with np.errstate(all="ignore"):
        value, slope = sg.value_and_grad(power)(x)
        np.testing.assert_array_equal(value, power(x))
        array = sg.grad(lambda x: power(x)[0])(np.array([x]))[0]
        np.testing.assert_allclose(slope, array, rtol=1e-15)
        np.testing.assert_allclose(sg.jvp(power, (x,), (1.0,))[1], array, rtol=1e-15)
        np.testing.assert_allclose(sg.grad(sg.grad(power))(x),
                                   sg.grad(lambda x: sg.grad(lambda x: power(x)[0])(x)[0])(np.array([x]))[0],
                                   rtol=1e-13)
