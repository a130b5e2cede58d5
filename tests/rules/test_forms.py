"""Other forms of functions: ufuncs under a mask, outer, reduceat; windows, histograms, quantiles,
determinants of singular matrices."""

import numpy as np
import pytest
from checking import check, cplx, real, signed
from numpy.lib.stride_tricks import sliding_window_view

from srcgrad.rules import lookup
from srcgrad.rules.numpy.cofactors import cofactors, cofactors_curvature, cofactors_pullback
from srcgrad.rules.numpy.ufunc_forms import masked

MASK = np.array([[True, False, True], [False, False, True]])
OUTER = [
    np.power, np.float_power, np.maximum, np.minimum, np.fmax, np.fmin, np.hypot, np.arctan2,
    np.logaddexp, np.logaddexp2, np.remainder, np.fmod, np.copysign, np.add, np.subtract,
    np.multiply, np.divide,
]  # fmt: skip


@pytest.mark.parametrize("ufunc", [np.exp, np.log, np.sqrt, np.arctanh, np.sin, np.reciprocal])
def test_masked_of_one_operand(ufunc):
    check(masked, ufunc, real(2, 3), MASK, real(2, 3))
    check(masked, ufunc, real(2, 3), MASK[0], real(3))


@pytest.mark.parametrize("ufunc", [np.divide, np.power, np.multiply, np.arctan2, np.hypot])
def test_masked_of_two_operands(ufunc):
    check(masked, ufunc, real(2, 3), MASK, real(2, 1), real(3))
    check(masked, ufunc, real(2, 3), MASK, real(2, 3), 2.0)


def test_masked_does_not_look_behind_the_mask():
    outside = np.where(MASK, real(2, 3), np.nan)
    entry = lookup(masked)
    (d,) = entry.rules["operands"].body(
        np.ones((2, 3)), np.log, MASK, (outside,), [(2, 3)]
    )
    assert np.array_equal(d, np.where(MASK, 1 / outside, 0))
    check(masked, np.arccosh, real(3), MASK[0], real(3) + 1.5)
    check(masked, np.multiply, cplx(3), MASK[0], cplx(3), cplx(3))


@pytest.mark.parametrize("ufunc", OUTER)
def test_outer(ufunc):
    check(ufunc.outer, real(2, 3), real(4))
    check(ufunc.outer, real(3), real(2, 2))
    check(ufunc.outer, real(2), np.array(0.4))


@pytest.mark.parametrize("indices", [[0, 2, 3], [1, 4], [3, 1, 2], [2, 2, 0]])
def test_reduceat(indices):
    check(np.add.reduceat, signed(5), np.array(indices))
    check(np.add.reduceat, signed(5, 2), np.array(indices), axis=0)
    check(np.add.reduceat, signed(2, 5), np.array(indices), axis=-1)


@pytest.mark.parametrize("indices", [[0, 2, 3], [1, 4], [3, 1, 2], [2, 2, 0]])
@pytest.mark.parametrize("ufunc", [np.multiply, np.maximum, np.minimum])
def test_reduceat_of_products_and_extrema(ufunc, indices):
    check(ufunc.reduceat, signed(5), np.array(indices))
    check(ufunc.reduceat, signed(5, 2), np.array(indices), axis=0)
    check(ufunc.reduceat, signed(2, 5), np.array(indices), axis=-1)
    if ufunc is np.multiply:
        check(ufunc.reduceat, np.array([0.0, 2.0, 0.0, 3.0, 0.0]), np.array(indices))


@pytest.mark.parametrize(
    ("shape", "window", "axis"),
    [((5,), 3, None), ((5,), 1, 0), ((4, 3), (2, 2), None), ((4, 3), 2, 1), ((4, 3), 2, -2),
     ((2, 4, 3), (2, 3), (1, 2)), ((3,), 3, 0)],
)  # fmt: skip
def test_sliding_window_view(shape, window, axis):
    check(sliding_window_view, signed(*shape), window, axis)


SINGULAR = {
    "rank_one": np.outer([1.0, 2.0, -1.0], [0.5, 1.0, 3.0]),
    "rank_two": np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]),
    "zero": np.zeros((2, 2)),
    "one": np.zeros((1, 1)),
    "diagonal": np.diag([1.0, 0.0, 2.0]),
    "stack": np.stack([np.eye(2), np.ones((2, 2)), np.zeros((2, 2))]),
}


@pytest.mark.parametrize("name", SINGULAR)
def test_determinant_of_singular_matrices(name):
    check(np.linalg.det, SINGULAR[name])


def test_cofactors():
    for a in (real(3, 3), signed(2, 2, 2), SINGULAR["rank_two"]):
        check(cofactors, a, upto=1)


@pytest.mark.parametrize("a", [SINGULAR["rank_two"], SINGULAR["rank_one"], np.diag([1.0, 2.0, 3.0])])
def test_third_derivative_of_a_determinant(a):
    along, ct, h = signed(3, 3), signed(3, 3), 1e-5
    found = cofactors_curvature(ct, along, a)
    for place in np.ndindex(3, 3):
        step = np.zeros((3, 3))
        step[place] = h
        change = cofactors_pullback(along, a + step) - cofactors_pullback(along, a - step)
        assert np.isclose(found[place], np.sum(ct * change) / (2 * h), atol=1e-6)


def test_histogram():
    a = np.array([0.1, 0.35, 0.8, 0.55, 0.97])
    check(np.histogram, a, np.array([0.0, 0.4, 0.7, 0.9]), None, None, real(5), fixed=(0, 1))
    check(np.histogram, a, 3, (0.0, 1.0), True, real(5), fixed=(0,))
    check(np.histogram, a, 3, (0.0, 1.0), None, None)
    check(np.histogram, a, 3)
    check(np.histogram, a, 3, None, True)


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)])
def test_quantile_of_a_traced_share(axis):
    x = signed(4, 3)
    check(np.quantile, x, np.array(0.37), axis)
    check(np.quantile, x, np.array([0.37, 0.81]), axis, keepdims=True)
    check(np.percentile, x, np.array([37.0, 81.0]), axis)
