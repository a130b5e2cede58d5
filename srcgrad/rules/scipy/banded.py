"""Systems of equations with banded matrices (``scipy.linalg.solve_banded``).

A matrix is held by its diagonals: ``ab[u + i - j, j] = a[i, j]``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg as sl

from srcgrad.rules.book import Array, linear, vjp
from srcgrad.rules.broadcast import dispatching, runtime

_solve_banded = dispatching(sl.solve_banded)


def _overlap(size: int, offset: int) -> tuple[slice, slice]:
    """Where rows and columns of the diagonal ``i - j == offset`` lie."""
    return slice(max(offset, 0), size + min(offset, 0)), slice(max(-offset, 0),
                                                              size - max(offset, 0))


@runtime
def turned_bands(ab: Array, lower: int, upper: int) -> Array:
    """The diagonals of the transposed matrix, which has ``upper`` of them below the main one.

    >>> turned_bands(np.array([[0.0, 5.0], [1.0, 2.0]]), 0, 1)
    array([[1., 2.],
           [5., 0.]])
    """
    out = np.zeros_like(ab)
    size = ab.shape[1]
    for k in range(lower + upper + 1):
        rows, columns = _overlap(size, k - upper)
        out[lower + upper - k, rows] = ab[k, columns]
    return out


@runtime
def band_products(v: Array, x: Array, lower: int, upper: int) -> Array:
    """The diagonals of the outer product of two vectors, or of the columns of two matrices."""
    size = x.shape[0]
    out = np.zeros((lower + upper + 1, size), np.result_type(v, x))
    for k in range(lower + upper + 1):
        rows, columns = _overlap(size, k - upper)
        products = v[rows] * x[columns]
        out[k, columns] = products if x.ndim == 1 else np.sum(products, 1)
    return out


@runtime
def banded_product(ab: Array, x: Array, lower: int, upper: int) -> Array:
    """A banded matrix times a vector, or a matrix.

    >>> banded_product(np.array([[0.0, 5.0], [1.0, 2.0]]), np.array([1.0, 10.0]), 0, 1)
    array([51., 20.])
    """
    size = x.shape[0]
    out = np.zeros(x.shape, np.result_type(ab, x))
    for k in range(lower + upper + 1):
        rows, columns = _overlap(size, k - upper)
        weights = ab[k, columns]
        out[rows] += (weights if x.ndim == 1 else weights[:, None]) * x[columns]
    return out


linear(turned_bands, ab=lambda ct, lower, upper: turned_bands(ct, upper, lower))
vjp(band_products,
    v=lambda ct, x, lower, upper: banded_product(ct, x, lower, upper),
    x=lambda ct, v, lower, upper: banded_product(turned_bands(ct, lower, upper), v, upper, lower))
vjp(banded_product,
    ab=lambda ct, x, lower, upper: band_products(ct, x, lower, upper),
    x=lambda ct, ab, lower, upper: banded_product(turned_bands(ab, lower, upper), ct, upper, lower))


@vjp(sl.solve_banded, "b")
def solve_banded_b(ct: Array, l_and_u: Any, ab: Array) -> Array:
    lower, upper = l_and_u
    return _solve_banded((upper, lower), turned_bands(ab, lower, upper), ct)


@vjp(sl.solve_banded, "ab")
def solve_banded_ab(ct: Array, ans: Array, l_and_u: Any, ab: Array) -> Array:
    lower, upper = l_and_u
    back = _solve_banded((upper, lower), turned_bands(ab, lower, upper), ct)
    return -band_products(back, ans, lower, upper)


@runtime
def general_banded_solution(ab: Array, b: Array, lower: int, upper: int) -> Array:
    """What LAPACK's ``gbsv`` solves: the diagonals stand below ``lower`` more rows."""
    (gbsv,) = sl.get_lapack_funcs(("gbsv",), (ab, b))
    _, _, x, info = gbsv(lower, upper, ab, b)
    if info > 0:
        raise np.linalg.LinAlgError("Colocation matrix is singular.")
    return np.asarray(x)


vjp(general_banded_solution,
    b=lambda ct, ab, lower, upper:
        _solve_banded((upper, lower), turned_bands(ab[lower:], lower, upper), ct))


@vjp(general_banded_solution, "ab")
def general_banded_solution_ab(ct: Array, ans: Array, ab: Array, lower: int, upper: int) -> Array:
    back = _solve_banded((upper, lower), turned_bands(ab[lower:], lower, upper), ct)
    found = -band_products(back, ans, lower, upper)
    return np.concatenate((np.zeros_like(ab[:lower]), found))
