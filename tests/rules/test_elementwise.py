"""Every pointwise rule over kinds of operands, shapes that broadcast, real and complex."""

import inspect
import math

import numpy as np
import pytest
from checking import check, cplx, real, signed

ANY_SIGN = [
    np.sin,
    np.cos,
    np.tan,
    np.arcsin,
    np.arccos,
    np.arctan,
    np.sinh,
    np.cosh,
    np.tanh,
    np.arcsinh,
    np.arctanh,
    np.exp,
    np.exp2,
    np.expm1,
    np.square,
    np.negative,
    np.positive,
    np.absolute,
    np.fabs,
    np.cbrt,
    np.reciprocal,
    np.sign,
    np.deg2rad,
    np.rad2deg,
    np.degrees,
    np.radians,
    np.sinc,
    np.nan_to_num,
    np.conjugate,
    np.real,
    np.imag,
    np.angle,
    np.real_if_close,
]
POSITIVE = [np.log, np.log2, np.log10, np.log1p, np.sqrt]
COMPLEX = [
    np.sin,
    np.cos,
    np.tan,
    np.arcsin,
    np.arccos,
    np.arctan,
    np.sinh,
    np.cosh,
    np.tanh,
    np.arcsinh,
    np.arccosh,
    np.arctanh,
    np.exp,
    np.exp2,
    np.expm1,
    np.log,
    np.log2,
    np.log10,
    np.log1p,
    np.sqrt,
    np.square,
    np.negative,
    np.positive,
    np.absolute,
    np.reciprocal,
    np.sign,
    np.conjugate,
    np.real,
    np.imag,
    np.angle,
]
BINARY = [
    np.add,
    np.subtract,
    np.multiply,
    np.divide,
    np.maximum,
    np.minimum,
    np.fmax,
    np.fmin,
    np.hypot,
    np.arctan2,
    np.logaddexp,
    np.logaddexp2,
    np.copysign,
]


@pytest.mark.parametrize("shape", [(), (3,), (0,), (2, 1, 3)])
@pytest.mark.parametrize("function", ANY_SIGN)
def test_unary(function, shape):
    check(function, signed(*shape))


@pytest.mark.parametrize("function", POSITIVE)
def test_unary_positive(function):
    check(function, real(3))


def test_arccosh():
    check(np.arccosh, real(3) + 1)


@pytest.mark.parametrize("function", COMPLEX)
def test_unary_complex(function):
    check(function, cplx(4))


@pytest.mark.parametrize("function", BINARY)
@pytest.mark.parametrize(
    "left, right",
    [((), ()), ((3,), (3,)), ((2, 3), ()), ((), (3,)), ((2, 1), (3,)), ((1, 3), (2, 3))],
)
def test_binary(function, left, right):
    check(function, signed(*left), signed(*right))


@pytest.mark.parametrize("function", [np.remainder, np.fmod])
def test_remainders(function):
    check(function, np.array([[1.0], [-2.0]]), np.array([0.3, -0.7, 0.8]))


@pytest.mark.parametrize("function", [np.add, np.subtract, np.multiply, np.divide])
@pytest.mark.parametrize("kinds", ["cc", "rc", "cr"])
def test_binary_complex(function, kinds):
    x, y = ((cplx if k == "c" else signed)(2, 3) for k in kinds)
    check(function, x, y[:1])


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, -1, 0.5, 2.5, np.int64(3), np.float64(1.5)])
def test_power_of_number(exponent):
    check(np.power, real(3), exponent)
    check(np.float_power, real(3), exponent)


def test_power():
    check(np.power, real(2, 1), signed(3))
    check(np.power, 2.0, signed(3))
    check(np.power, cplx(3), cplx(3))
    check(np.power, cplx(3), 2)
    check(np.power, signed(3), np.array([0, 1, 2]))


def test_options_and_selection():
    a = np.array([-2.1, -0.6, 0.3, 0.9, 3.2])
    check(np.clip, a, -1, 1)
    check(np.clip, a, -1.0, None)
    check(np.clip, a, np.array(-1.0), np.array(1.0))
    if "min" in inspect.signature(np.clip).parameters:  # NumPy 2.1
        check(np.clip, a, min=np.array(-1.0), max=real(1, 1))
    check(np.where, a > 0, a, real(2, 1))
    check(np.where, a[:, None] > 0, 1.0, a)
    check(np.ldexp, a, np.array([1, 2, 3, -1, 0]))
    check(np.modf, a)
    check(np.frexp, a)
    check(np.divmod, a, np.array(0.73))
    check(np.heaviside, np.array([-1.0, 1.0]), signed(2))
    check(np.unwrap, np.array([0.1, 3.0, -3.0, 2.0, 9.0]))
    check(math.log, real(), 3.0)
    check(math.log, real(), real() + 1)


@pytest.mark.parametrize("function", [np.maximum, np.minimum])
def test_ties_are_split(function):
    from srcgrad.rules import lookup

    x = np.array([1.0, 2.0])
    for name, ties, want in [
        ("x1", "split", 0.5),
        ("x1", "first", 1),
        ("x2", "first", 0),
        ("x1", "second", 0),
        ("x2", "second", 1),
    ]:
        body = lookup(function).rules[name].body
        np.testing.assert_array_equal(body(np.ones(2), x, x, ties), [want, want])


def test_no_warning_where_the_derivative_is_finite():
    from srcgrad.rules.numpy import arithmetic, elementary

    zero, one = np.zeros(1), np.ones(1)
    with np.errstate(all="raise"):
        assert arithmetic.power_x1(one, zero, np.zeros(1)) == 0
        assert arithmetic.power_x1(one, zero, 0) == 0
        assert (
            arithmetic.power_x2(
                one,
                zero**2,
                zero,
                zero.dtype,
                one.dtype,
            )
            == 0
        )
        assert arithmetic.hypot_x1(one, zero, zero, "zero") == 0
        assert arithmetic.absolute(zero + 0j, zero, np.dtype(complex)) == 0
        assert elementary.logaddexp_x1(np.array([-np.inf]), np.array([-np.inf])) == 0
        assert arithmetic.clip_a(one, zero, 0, 1, "closed") == 1
        assert arithmetic.clip_a(one, zero, 0, 1, "open") == 0


def test_the_logarithm_of_a_base_has_the_precision_of_the_power():
    from srcgrad.rules.numpy import arithmetic

    base, exponent = np.array([3.0, 0.0], np.float32), np.array([1.5, 0.5])
    got = arithmetic.power_x2(np.ones(2), base**exponent, base, base.dtype, exponent.dtype)
    assert got.dtype == np.float64
    np.testing.assert_allclose(got, [3.0**1.5 * math.log(3.0), 0.0], rtol=1e-15)
    base = base.astype(float)
    got = arithmetic.power_x2(np.ones(2), base**exponent, base, base.dtype, exponent.dtype)
    np.testing.assert_allclose(got, [3.0**1.5 * math.log(3.0), 0.0], rtol=1e-15)
