"""Products and solutions with sparse matrices of ``scipy.sparse``, and what is read from them.

The matrix itself is SciPy's own, an object that no rule looks into.  Its numbers have a derivative
where ``data``, ``rows`` and ``cols`` tell them: entries that add up to the matrix, in any order,
those that are zero and that SciPy may have left out among them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.book import Array, Shape, linear, nondiff, vjp
from srcgrad.rules.broadcast import runtime, scatter_add


@runtime
def transposed(matrix: Any) -> Any:
    """``matrix.T``"""
    return matrix.T


@runtime
def scaled(matrix: Any, number: Any) -> Any:
    """``matrix * number``"""
    return matrix * number


@runtime
def divided(matrix: Any, by: Any) -> Any:
    """``matrix / by``"""
    return matrix / by


@runtime
def multiplied(matrix: Any, other: Any) -> Any:
    """``matrix.multiply(other)``"""
    return matrix.multiply(other)


@runtime
def assembled(format: str, data: Array, rows: Array, cols: Array, shape: Shape) -> Any:
    """A matrix that has been filled item by item, which holds no zeros."""
    from scipy.sparse import coo_matrix

    held = np.flatnonzero(data)
    return coo_matrix((data[held], (rows[held], cols[held])), shape).asformat(format)


@runtime
def changed(matrix: Any, name: str, *args: Any) -> Any:
    """A copy that a method has changed."""
    made = matrix.copy()
    getattr(made, name)(*args)
    return made


@runtime
def with_data(matrix: Any, data: Array) -> Any:
    """A copy that stores other numbers at the same places."""
    made = matrix.copy()
    made.data = np.array(data)
    return made


@runtime
def written(matrix: Any, key: Any, value: Any) -> Any:
    """A copy in which the items at ``key`` are ``value``, each at one place."""
    for part, size in zip(key if isinstance(key, tuple) else (key,), matrix.shape):
        places = np.arange(size)[part]
        if np.size(places) != len(np.unique(places)):
            raise ValueError("a row or column of a sparse matrix is assigned to twice in one "
                             "statement (in a function that srcgrad compiles)")
    made = matrix.copy()
    made[key] = value
    return made


# what has a derivative are entries
nondiff(transposed, scaled, divided, multiplied, assembled, changed, with_data, written)


def _told(data: Any, rows: Any, cols: Any) -> tuple[Any, ...]:
    """The entries as further arguments, none for a constant matrix."""
    return () if data is None else (data, rows, cols)


def _outer(left: Array, right: Array, rows: Array, cols: Array, ndim: int) -> Array:
    """The elements of ``left @ right.T`` at the entries."""
    terms = left[rows] * right[cols]
    return terms if ndim == 1 else np.sum(terms, axis=1)


# ---- products ----------------------------------------------------------------------------------
@runtime
def sparse_product(x: Array, matrix: Any, shape: Shape, data: Any = None, rows: Any = None,
                   cols: Any = None) -> Array:
    """``matrix @ x``, which has the shape ``shape`` (and the dtype of ``x``)."""
    return matrix @ x


@runtime
def product_with_sparse(x: Array, matrix: Any, shape: Shape) -> Array:
    """``x @ matrix`` with a constant matrix, which has the shape ``shape``."""
    return x @ matrix


linear(sparse_product, x=lambda ct, x_shape, matrix, data, rows, cols: sparse_product(
    ct, transposed(matrix), x_shape, *_told(data, cols, rows)))
vjp(sparse_product, data=lambda ct, x, x_ndim, rows, cols: _outer(ct, x, rows, cols, x_ndim))
linear(product_with_sparse,
    x=lambda ct, x_shape, matrix: product_with_sparse(ct, transposed(matrix), x_shape))


# ---- solutions ---------------------------------------------------------------------------------
@runtime
def sparse_solution(b: Array, matrix: Any, shape: Shape, data: Any = None, rows: Any = None,
                    cols: Any = None, permc_spec: Any = None) -> Array:
    """The solution of ``matrix @ x = b``."""
    from scipy.sparse.linalg import spsolve  # an optional partner

    return np.reshape(spsolve(matrix, b, permc_spec), shape)


@runtime
def columns_of(matrix: Any) -> Any:
    """The transpose, as ``spsolve`` likes it."""
    return matrix.T.tocsc()


nondiff(columns_of)


@vjp(sparse_solution, "b", "data")
def sparse_solution_b_data(ct: Array, ans: Array, b_shape: Shape, b_ndim: int, matrix: Any,
                           data: Any, rows: Any, cols: Any) -> tuple[Array, Any]:
    weights = sparse_solution(ct, columns_of(matrix), b_shape, *_told(data, cols, rows))
    if data is None:
        return weights, None
    return weights, -_outer(weights, np.reshape(ans, b_shape), rows, cols, b_ndim)


@runtime
def factor_solution(b: Array, factors: Any, trans: str, shape: Shape, data: Any, rows: Any,
                    cols: Any) -> Array:
    """The solution with factors that ``splu`` has found; the entries are those of the matrix, or
    with ``trans="T"`` of its transpose.

    >>> from scipy.sparse import csc_matrix
    >>> from scipy.sparse.linalg import splu
    >>> A = csc_matrix([[2.0, 1.0], [0.0, 4.0]])
    >>> entries = np.array([2.0, 1.0, 4.0]), np.array([0, 0, 1]), np.array([0, 1, 1])
    >>> factor_solution(np.array([4.0, 4.0]), splu(A), "N", (2,), *entries)
    array([1.5, 1. ])
    """
    found: Array = factors.solve(b, trans)
    return found


@vjp(factor_solution, "b", "data")
def factor_solution_b_data(ct: Array, ans: Array, b_shape: Shape, b_ndim: int, factors: Any,
                           trans: str, data: Any, rows: Any, cols: Any) -> tuple[Array, Array]:
    other = "N" if trans == "T" else "T"
    weights = factor_solution(ct, factors, other, b_shape, data, cols, rows)
    return weights, -_outer(weights, ans, rows, cols, b_ndim)


@runtime
def searched(function: Any, matrix: Any, b: Array, x0: Any, **settings: Any) -> tuple[Array, int]:
    """What an iterative method finds, and how it ended."""
    found: tuple[Array, int] = function(matrix, b, x0, **settings)
    return found


@runtime
def converged(matrix: Any, found: tuple[Array, int]) -> Any:
    """The transpose of a matrix with which an iterative method has found a solution."""
    if found[1] != 0:
        raise np.linalg.LinAlgError(
            "the derivative of a solution that an iterative method has not found: allow for more "
            "iterations (maxiter=) or a larger residual (rtol=)")
    return columns_of(matrix)


nondiff(searched, converged)


@runtime
def found_solution(b: Array, matrix: Any, found: Any, shape: Shape, data: Array, rows: Array,
                   cols: Array) -> Array:
    """The solution that :func:`searched` has found, with the derivative of an exact one."""
    return found[0]


@vjp(found_solution, "b", "data")
def found_solution_b_data(ct: Array, ans: Array, b_shape: Shape, b_ndim: int, matrix: Any,
                          found: Any, data: Any, rows: Any, cols: Any) -> tuple[Array, Array]:
    weights = sparse_solution(ct, converged(matrix, found), b_shape, data, cols, rows)
    return weights, -_outer(weights, ans, rows, cols, b_ndim)


# ---- numbers of a matrix -----------------------------------------------------------------------
@runtime
def dense(data: Array, matrix: Any, shape: Shape, rows: Array, cols: Array) -> Array:
    """The matrix as an array."""
    found: Array = matrix.toarray()
    return found


@runtime
def sparse_item(data: Array, matrix: Any, shape: Shape, row: Any, col: Any, sizes: Shape,
                rows: Array, cols: Array) -> Array:
    """``matrix[row, col]`` of a matrix that has these sizes."""
    return matrix[row, col]


@runtime
def sparse_items(data: Array, matrix: Any, shape: Shape, key: Any, entry: Array, place: Array
                 ) -> Array:
    """``matrix[key]`` for two vectors; each entry is told by the pairs that it belongs to."""
    return np.reshape(np.asarray(matrix[key]), shape)


@runtime
def sparse_sum(data: Array, matrix: Any, shape: Shape, axis: Any, rows: Array, cols: Array
               ) -> Array:
    """The sums over an axis, or of all numbers."""
    return np.reshape(np.asarray(matrix.sum(axis)), shape)[()]


@runtime
def sparse_diagonal(data: Array, matrix: Any, shape: Shape, k: Any, rows: Array, cols: Array
                    ) -> Array:
    """The diagonal ``k``."""
    found: Array = matrix.diagonal(k)
    return found


def _on_diagonal(ct: Array, k: Any, shape: Shape, rows: Array, cols: Array) -> Array:
    places = np.minimum(rows, cols)
    return np.where(cols - rows == k, ct[np.minimum(places, shape[0] - 1)], 0.0)


linear(dense, data=lambda ct, rows, cols: ct[rows, cols])
linear(sparse_item, data=lambda ct, row, col, sizes, rows, cols: np.where(
    (rows == row % sizes[0]) & (cols == col % sizes[1]), ct, 0.0))
linear(sparse_items, data=lambda ct, data_shape, entry, place: scatter_add(
    ct[place], entry, data_shape))
linear(sparse_sum, data=lambda ct, axis, data_shape, rows, cols: np.broadcast_to(
    ct, data_shape) if axis is None else ct[cols if axis == 0 else rows])
linear(sparse_diagonal, data=lambda ct, shape, k, rows, cols: _on_diagonal(
    ct, k, shape, rows, cols))


# ---- entries -----------------------------------------------------------------------------------
@runtime
def matching(first: Array, second: Array) -> tuple[Array, Array]:
    """The places of all pairs of equal numbers of two vectors.

    >>> matching(np.array([5, 7, 5]), np.array([7, 5, 5, 8]))
    (array([0, 0, 1, 2, 2]), array([1, 2, 0, 1, 2]))
    """
    order = np.argsort(second, kind="stable")
    low, high = (np.searchsorted(second[order], first, side) for side in ("left", "right"))
    counts = high - low
    left = np.repeat(np.arange(len(first)), counts)
    start = np.repeat(low - np.cumsum(counts) + counts, counts)
    return left, order[start + np.arange(len(left))]


@runtime
def stored_places(matrix: Any) -> tuple[Array, Array]:
    """The rows and columns of what a matrix in COO, CSR or CSC format stores, in its order."""
    whole = matrix.tocoo(copy=False)
    return np.array(whole.row, np.intp), np.array(whole.col, np.intp)


@runtime
def pointers(matrix: Any) -> Array:
    """Where the rows or columns begin in what a matrix in CSR or CSC format stores."""
    return np.array(matrix.indptr, np.intp)


@runtime
def numbers_along(matrix: Any, axis: int) -> Array:
    """The numbers of the rows or columns of a matrix whose shape only a run knows."""
    return np.arange(matrix.shape[axis])


@runtime
def places_of(rows: Array, shape: Shape, cols: Array, matrix: Any) -> Array:
    """Where a matrix stores what entries add to.  Those that it has left out, as a selection of
    what is not zero does, get the place behind the last one.

    >>> from scipy.sparse import csr_matrix
    >>> A = csr_matrix([[0.0, 2.0], [3.0, 4.0]])
    >>> places_of(np.array([1, 0, 0]), (3,), np.array([1, 1, 0]), A)
    array([2, 0, 3])
    """
    width = matrix.shape[1]
    i, j = stored_places(matrix)
    keys, wanted = i * width + j, rows.astype(np.intp) * width + cols
    order = np.argsort(keys, kind="stable")
    if len(np.unique(keys)) < len(keys):
        raise ValueError("the numbers that a sparse matrix stores have no derivative where it "
                         "stores several for one place: call sum_duplicates() before")
    found = np.searchsorted(keys[order], wanted)
    order, keys = np.append(order, len(keys)), np.append(keys, -1)
    places: Array = order[found]
    return np.where(keys[places] == wanted, places, len(keys) - 1)


nondiff(matching, stored_places, pointers, numbers_along, places_of)


@runtime
def stored(data: Array, matrix: Any, shape: Shape, rows: Array, cols: Array) -> Array:
    """The numbers that a matrix in COO, CSR or CSC format stores."""
    return np.array(matrix.tocoo(copy=False).data)


linear(stored, data=lambda ct, matrix, data_shape, rows, cols: np.concatenate(
    (ct, np.zeros(1)))[places_of(rows, data_shape, cols, matrix)])
