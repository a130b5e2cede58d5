"""Sweep of compiled functions over expressions of SciPy."""

import numpy as np
import pytest
from compiled import CONSTANTS, Case
from test_compiled import lines

import srcgrad as sg

scipy = pytest.importorskip("scipy")
pytest.importorskip("scipy.sparse.linalg")
import scipy.fft as sf  # noqa: E402
import scipy.fftpack as fp  # noqa: E402
import scipy.integrate as si  # noqa: E402
import scipy.interpolate as sip  # noqa: E402
import scipy.linalg as sl  # noqa: E402
import scipy.ndimage as nd  # noqa: E402
import scipy.optimize as so  # noqa: E402
import scipy.signal as ss  # noqa: E402
import scipy.sparse as sps  # noqa: E402
import scipy.spatial.distance as sd  # noqa: E402
import scipy.special as sp  # noqa: E402
import scipy.stats as st  # noqa: E402

SPARSE = sps.csr_matrix(np.array([[1.0, 0, 2, 0], [0, 3, 0, 1], [0, 0, 1, 0]]))
SQUARE = sps.csc_array(np.eye(4) * 2 + np.diag([1.0, 1, 1], 1))
LIBRARY = {**CONSTANTS, "scipy": scipy, "si": si, "sip": sip, "sl": sl, "ss": ss, "sps": sps,
           "sd": sd, "sp": sp, "st": st, "K": SPARSE, "Q": SQUARE, "nd": nd, "sf": sf,
           "so": so, "fp": fp}  # fmt: skip
# interpolators of constant data, and the data of others
NODES, WAVE = np.linspace(0, 1, 8), np.sin(np.arange(8.0))
GRID = (np.arange(3.0), np.arange(4.0))
LIBRARY |= {"XS": np.array([0.1, 0.35, 0.6, 0.8, 1.1, 1.3]), "GP": GRID,
            "US": sip.UnivariateSpline(NODES, WAVE, s=0.1), "TCK": sip.splrep(NODES, WAVE),
            "CS": sip.CubicSpline(NODES, WAVE), "PCH": sip.PchipInterpolator(NODES, WAVE),
            "I1": sip.interp1d(NODES, WAVE, kind="cubic"),
            "BS": sip.make_interp_spline(NODES, WAVE),
            "RGI": sip.RegularGridInterpolator(GRID, np.sin(np.arange(12.0)).reshape(3, 4))}
TABLES = ("scipy", "scipy_ndimage", "scipy_special", "scipy_interpolate", "scipy_stats")
EXPRESSIONS = [line for table in TABLES for line in lines(table)]


@pytest.mark.parametrize("line", EXPRESSIONS[::6])
def test_expressions(line):
    Case(line, LIBRARY).check()


@pytest.mark.sweep
@pytest.mark.parametrize("line", EXPRESSIONS)
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
