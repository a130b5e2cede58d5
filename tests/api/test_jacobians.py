"""Jacobians: modes, sparsity patterns, chunks."""

import numpy as np
import pytest
import scipy.sparse

import srcgrad as sg

X = np.linspace(0.1, 1.0, 7)


def banded(x):
    y = x * x
    y[1:] += np.sin(x[:-1])
    y[:-1] += x[1:] * x[:-1]
    return y


BAND = np.abs(np.subtract.outer(np.arange(7), np.arange(7))) <= 1


@pytest.mark.parametrize("mode", ["auto", "fwd", "rev"])
@pytest.mark.parametrize("pattern", [
    BAND, BAND.astype(float), scipy.sparse.csr_matrix(BAND), scipy.sparse.coo_array(BAND),
    np.nonzero(BAND), np.ones((7, 7))])
def test_a_pattern_gives_the_same_matrix(mode, pattern):
    want = sg.jacobian(banded)(X)
    np.testing.assert_allclose(sg.jacobian(banded, mode=mode, sparsity=pattern)(X), want)
    np.testing.assert_allclose(sg.jacobian(banded, mode=mode, chunk_size=2)(X), want)


def test_other_shapes_and_kinds():
    def wide(A, s):
        return A.sum(axis=0) * s

    A = np.arange(6.0).reshape(2, 3)
    pattern = np.kron(np.ones((1, 2)), np.eye(3))
    want = sg.jacobian(wide)(A, 2.0)
    assert want.shape == (3, 2, 3)
    for mode in ("fwd", "rev", "auto"):
        np.testing.assert_allclose(sg.jacobian(wide, mode=mode, sparsity=pattern)(A, 2.0), want)
    np.testing.assert_allclose(sg.jacobian(wide, 1, sparsity=np.ones((3, 1)))(A, 2.0), A.sum(0))
    single = sg.jacobian(banded, sparsity=BAND)(X.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, sg.jacobian(banded)(X), rtol=1e-5)


def test_a_band_takes_few_passes():
    from srcgrad.sparsity import colouring

    n = 200
    band = np.nonzero(np.abs(np.subtract.outer(np.arange(n), np.arange(n))) <= 1)
    assert colouring(band, n).max() + 1 <= 4


def test_inside_of_a_derivative():
    def norm(x):
        return np.sum(sg.jacobian(banded, sparsity=BAND)(x) ** 2)

    def dense(x):
        return np.sum(sg.jacobian(banded)(x) ** 2)

    np.testing.assert_allclose(sg.grad(norm)(X), sg.grad(dense)(X))


@pytest.mark.parametrize("options, text", [
    ({"sparsity": np.eye(7)}, "leaves out entries"),
    ({"sparsity": np.eye(7), "mode": "rev"}, "leaves out entries"),
    ({"sparsity": np.eye(6)}, r"has the shape \(6, 6\)"),
    ({"sparsity": (np.array([0, 9]), np.array([0, 1]))}, "do not fit"),
    ({"mode": "both"}, "no Jacobian mode"),
    ({"chunk_size": 0}, "chunk_size is 0"),
])
def test_mistakes(options, text):
    with pytest.raises(sg.StructureError, match=text):
        sg.jacobian(banded, **options)(X)
