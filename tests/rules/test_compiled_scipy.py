"""Sweep of compiled functions over expressions of SciPy."""

import numpy as np
import pytest
from compiled import CONSTANTS, Case
from test_compiled import lines

import srcgrad as sg

scipy = pytest.importorskip("scipy")
pytest.importorskip("scipy.sparse.linalg")
import scipy.integrate as si  # noqa: E402
import scipy.interpolate as sip  # noqa: E402
import scipy.linalg as sl  # noqa: E402
import scipy.signal as ss  # noqa: E402
import scipy.sparse as sps  # noqa: E402
import scipy.spatial.distance as sd  # noqa: E402
import scipy.special as sp  # noqa: E402
import scipy.stats as st  # noqa: E402

SPARSE = sps.csr_matrix(np.array([[1.0, 0, 2, 0], [0, 3, 0, 1], [0, 0, 1, 0]]))
SQUARE = sps.csc_array(np.eye(4) * 2 + np.diag([1.0, 1, 1], 1))
LIBRARY = {**CONSTANTS, "scipy": scipy, "si": si, "sip": sip, "sl": sl, "ss": ss, "sps": sps,
           "sd": sd, "sp": sp, "st": st, "K": SPARSE, "Q": SQUARE}  # fmt: skip


@pytest.mark.parametrize("line", lines("scipy")[::4])
def test_expressions(line):
    Case(line, LIBRARY).check()


@pytest.mark.sweep
@pytest.mark.parametrize("line", lines("scipy"))
def test_every_expression(line):
    Case(line, LIBRARY).check()


def test_another_sparse_matrix_is_another_program():
    held = [SPARSE]

    def f(x):
        return np.sum((held[0] @ x) ** 2)

    x = np.ones(4)
    df = sg.grad(f)
    np.testing.assert_allclose(df(x), 2 * SPARSE.T @ (SPARSE @ x))
    held[0] = SPARSE * 3
    np.testing.assert_allclose(df(x), 18 * SPARSE.T @ (SPARSE @ x))


@pytest.mark.parametrize("make", [sps.csr_matrix, lambda a: sps.diags(a[0]), SPARSE.multiply])
def test_sparse_matrices_of_traced_values_are_refused(make):
    with pytest.raises(sg.SrcgradError, match="sparse|csr_matrix"):
        sg.jit(lambda a: make(a) @ np.ones(4))(np.ones((3, 4)))
