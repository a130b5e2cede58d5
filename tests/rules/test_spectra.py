"""Eigenvalues that are equal, exactly or nearly: functions of a matrix have derivatives there,
functions of the basis that ``eigh`` happens to find have none."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import srcgrad as sg

_data = np.random.default_rng(5)
TURN = np.linalg.qr(_data.normal(size=(4, 4)))[0]
WEIGHT = _data.normal(size=(4, 4))
X = _data.normal(size=(4, 2))
PHASES = np.linalg.qr(_data.normal(size=(4, 4)) + 1j * _data.normal(size=(4, 4)))[0]
READ = np.tril_indices(4)  # the half of a matrix that eigh reads


def with_eigenvalues(*w):
    return TURN @ np.diag(w) @ TURN.T


MATRICES = {
    "unlike": with_eigenvalues(0.5, 1.2, 2.0, 3.1), "double": with_eigenvalues(1.0, 1.0, 2.0, 3.0),
    "triple": with_eigenvalues(0.5, 2.0, 2.0, 2.0), "equal": np.eye(4),
    "near": with_eigenvalues(1.0, 1.0 + 1e-10, 1.0 + 3e-7, 3.0),
    "rather near": with_eigenvalues(1.0, 1.0 + 2e-5, 2.0, 3.0),
}


def exponential(a):
    w, v = np.linalg.eigh(a)
    return np.sum(WEIGHT * ((v * np.exp(w)) @ v.T))


def whitened(a):
    w, v = np.linalg.eigh(a)
    return np.sum(WEIGHT * (v @ np.diag(w ** -0.5) @ v.T))


def divided(a):
    w, v = np.linalg.eigh(a)
    return np.sum(np.sin(np.dot(v / np.sqrt(w), np.transpose(v))))


def by_rows(a):
    w, v = np.linalg.eigh(a)
    return np.sum(WEIGHT * (v @ (np.where(w > 1.5, w, w ** 2 + 1)[:, None] * v.T)) ** 2)


def applied(a):
    w, v = np.linalg.eigh(a)
    return np.sum(np.sin(v @ (np.exp(-w) * (v.T @ X[:, 0]))))


def applied_to_columns(a):
    w, v = np.linalg.eigh(a)
    return np.sum(np.sin(v @ (np.exp(-w)[:, None] * (v.T @ X))))


def scaled_by_sums(a):
    w, v = np.linalg.eigh(a)
    p = np.exp(-w) / np.sum(np.exp(-w))
    return np.sum(WEIGHT * ((v * p) @ v.T))


def evolved(a):
    w, v = np.linalg.eigh(a)
    u = (v * np.exp(-1j * w)) @ v.conj().T
    return np.sum(WEIGHT * u.real) + np.sum(WEIGHT.T * u.imag)


def in_a_loop(a):
    total = 0.0
    for k in range(3):
        w, v = np.linalg.eigh(a * (1 + k))
        total += np.sum(WEIGHT * ((v * np.cos(w)) @ v.T))
    return total


def log_determinant(a):
    return np.sum(np.log(np.linalg.eigvalsh(a)))


def of_sums(a):
    w = np.linalg.eigvalsh(a)
    return np.sum(w) * np.sum(w ** 3)


TRACES = (log_determinant, of_sums)
FUNCTIONS = (exponential, whitened, divided, by_rows, applied, applied_to_columns, scaled_by_sums,
             evolved, in_a_loop, *TRACES)


def difference(function, a, direction, step):
    ends = [(function(a + h * direction) - function(a - h * direction)) / (2 * h)
            for h in (step, 2 * step)]
    return (4 * ends[0] - ends[1]) / 3


def direction_like(a):
    made = np.random.default_rng(3).normal(size=a.shape)
    if a.dtype.kind == "c":
        made = made + 1j * np.random.default_rng(4).normal(size=a.shape)
    return made + made.conj().T


@pytest.mark.parametrize("matrix", MATRICES)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_functions_of_a_matrix_have_their_derivative(function, matrix):
    a = MATRICES[matrix]
    e = direction_like(a)
    want = difference(function, a, e, 1e-4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_allclose(np.sum(sg.grad(function)(a) * e), want, rtol=1e-7, atol=1e-7)
        np.testing.assert_allclose(sg.jvp(function, (a,), (e,))[1], want, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("function", [exponential, applied, evolved, in_a_loop, of_sums])
def test_at_zero(function):
    a = np.zeros((4, 4))
    e = direction_like(a)
    np.testing.assert_allclose(np.sum(sg.grad(function)(a) * e), difference(function, a, e, 1e-4),
                               rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("eigenvalues", [(1.0, 1.0, 2.0, 2.0), (0.0,) * 4, (1.0, 2.0, 3.0, 4.0)])
def test_hermitian_matrices_and_the_time(eigenvalues):
    h = PHASES @ np.diag(eigenvalues) @ PHASES.conj().T

    def evolved_for(h, t):
        w, v = np.linalg.eigh(h)
        u = (v * np.exp(-1j * w * t)) @ v.conj().T
        return np.sum(WEIGHT * u.real) + np.sum(WEIGHT.T * u.imag)

    e = direction_like(h)
    d_h, d_t = sg.grad(evolved_for, argnums=(0, 1))(h, 0.7)
    np.testing.assert_allclose(
        np.sum(np.real(d_h * e)), difference(lambda h: evolved_for(h, 0.7), h, e, 1e-4), rtol=1e-7)
    np.testing.assert_allclose(d_t, difference(lambda t: evolved_for(h, t), 0.7, 1.0, 1e-4),
                               rtol=1e-7, atol=1e-9)


def test_projectors_depend_on_the_gap_alone():
    def projected(a):
        _, v = np.linalg.eigh(a)
        return np.sum(WEIGHT * (v[:, :2] @ v[:, :2].T))

    def lowest(a):
        _, v = np.linalg.eigh(a)
        return np.sum(WEIGHT * np.outer(v[:, 0], v[:, 0]))

    for function, name in ((projected, "double"), (lowest, "triple")):
        a = MATRICES[name]
        e = direction_like(a)
        np.testing.assert_allclose(np.sum(sg.grad(function)(a) * e),
                                   difference(function, a, e, 1e-4), rtol=1e-7)
        assert np.isnan(sg.grad(function)(MATRICES["equal"])[READ]).all()


@pytest.mark.parametrize("matrix", ["double", "triple", "equal"])
def test_what_depends_on_the_basis_has_no_derivative(matrix):
    def of_vectors(a):
        return np.sum(np.sin(np.linalg.eigh(a)[1]) ** 3)

    def weighted(a):
        _, v = np.linalg.eigh(a)
        return np.sum(WEIGHT * ((v * np.arange(4.0)) @ v.T))

    def of_singular_vectors(a):
        return np.sum(np.sin(np.linalg.svd(a)[0]) ** 3)

    for function in (of_vectors, weighted, of_singular_vectors):
        assert np.isnan(sg.grad(function)(MATRICES[matrix])[READ]).all()


@pytest.mark.parametrize("matrix", MATRICES)
@pytest.mark.parametrize("function", TRACES)
def test_second_derivatives_of_traces(function, matrix):
    a = MATRICES[matrix]
    e = direction_like(a)
    slope = sg.grad(function)
    want = difference(lambda a: np.sum(slope(a) * e), a, e, 1e-3)
    np.testing.assert_allclose(np.sum(sg.jvp(slope, (a,), (e,))[1] * e), want, rtol=2e-6)
    np.testing.assert_allclose(np.sum(sg.vjp(slope, a)[1](e)[0] * e), want, rtol=2e-6)


@pytest.mark.parametrize("function", FUNCTIONS[:-2])
def test_second_derivatives_away_from_equal_eigenvalues(function):
    a = MATRICES["unlike"]
    e = direction_like(a)
    slope = sg.grad(function)
    want = difference(lambda a: np.sum(slope(a) * e), a, e, 1e-4)
    np.testing.assert_allclose(np.sum(sg.jvp(slope, (a,), (e,))[1] * e), want, rtol=1e-6)


def test_an_extreme_eigenvalue_is_shared_by_equal_ones():
    """As the largest of several equal numbers is, whatever the basis."""
    largest = sg.grad(lambda a: np.linalg.eigvalsh(a)[-1])
    np.testing.assert_allclose(largest(np.eye(4)), np.eye(4) / 4, atol=1e-15)
    vectors = TURN[:, 2:]
    np.testing.assert_allclose(np.trace(largest(with_eigenvalues(1.0, 2.0, 3.0, 3.0))), 1.0)
    both = largest(with_eigenvalues(1.0, 2.0, 3.0, 3.0))
    whole = (both + both.T) / 2
    np.testing.assert_allclose(whole, vectors @ vectors.T / 2, atol=1e-12)


def first_vector(a):
    x = np.linalg.eigh(a)[1][:, -1]
    return x @ WEIGHT @ x + x[0] * x[1]  # whichever sign it has


def vectors_in_order(a):
    w, v = np.linalg.eigh(a)
    best = v[:, np.argsort(-w)[:1]]
    return np.sum(WEIGHT * (best @ best.T))


def one_component(a):
    return np.linalg.eigh(a)[1][0, 3] * np.linalg.eigh(a)[1][2, 3]


def of_a_stack(a):
    x = np.linalg.eigh(a[None])[1][0, :, 3]
    return x @ WEIGHT @ x


def spread(a):
    w = np.linalg.eigvalsh(a)
    return np.sum((w - w.mean()) ** 2)


def distance_from_one(a):
    return np.sum((np.linalg.eigvalsh(a) - 1.0) ** 2)


LONE = with_eigenvalues(1.0, 1.0, 1.0, 3.0)


@pytest.mark.parametrize("matrix", [LONE, with_eigenvalues(0.0, 0.0, 2.0, 3.0), np.diag([0, 0, 0, 1.0])])
@pytest.mark.parametrize("function", [first_vector, vectors_in_order, one_component, of_a_stack, spread,
                                      distance_from_one])
def test_second_derivatives_beside_equal_eigenvalues(function, matrix):
    """Vectors of an eigenvalue that is no other's do not depend on what lies among the others."""
    e = direction_like(matrix)
    slope = sg.grad(function)
    want = difference(lambda a: np.sum(slope(a) * e), matrix, e, 1e-3)
    np.testing.assert_allclose(np.sum(sg.vjp(slope, matrix)[1](e)[0] * e), want, rtol=2e-6)


def test_second_derivatives_of_hermitian_vectors():
    h = PHASES @ np.diag([1.0, 1.0, 2.0, 3.0]) @ PHASES.conj().T
    e = direction_like(h)

    def of_phases(h):
        v = np.linalg.eigh(h)[1]
        return np.sum(WEIGHT[0] * v[:, 2].real) + np.abs(v[1, 3]) ** 2

    def slope(h):
        return np.sum(np.real(sg.grad(of_phases)(h) * e))

    np.testing.assert_allclose(slope(h), difference(of_phases, h, e, 1e-3), rtol=1e-7)
    np.testing.assert_allclose(np.sum(np.real(sg.grad(slope)(h) * e)),
                               difference(slope, h, e, 1e-3), rtol=2e-6)


def test_a_component_that_is_zero_by_chance_is_used():
    second = sg.hessian(lambda a: np.linalg.eigh(a)[1][0, 2] ** 2)(np.diag([1.0, 2.0, 3.0]))
    assert second[2, 0, 2, 0] == 0.5 and np.count_nonzero(second) == 1


@pytest.mark.parametrize("function", [
    lambda a: np.sum(np.linalg.eigvals(a).real ** 3),
    lambda a: np.sum((np.linalg.svd(a)[1] - 1) ** 2),
    lambda a: np.sum((np.linalg.eigvalsh(a[None]) - 1) ** 2)])
def test_what_is_zero_by_chance_is_no_second_derivative(function):
    """It has another one, which takes the slope between equal values; none is given, never 0."""
    slope = sg.grad(function)
    e = direction_like(np.eye(2))
    for second in (sg.hessian(function)(np.eye(2)), sg.jvp(slope, (np.eye(2),), (e,))[1]):
        assert np.isnan(second).any()
