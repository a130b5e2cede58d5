"""Products and solutions with a constant sparse matrix of ``scipy.sparse``."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.book import Array, Shape, linear
from srcgrad.rules.broadcast import runtime


@runtime
def sparse_product(x: Array, matrix: Any, shape: Shape) -> Array:
    """``matrix @ x``, which has the shape ``shape`` (and the dtype of ``x``)."""
    return matrix @ x


@runtime
def product_with_sparse(x: Array, matrix: Any, shape: Shape) -> Array:
    """``x @ matrix``, which has the shape ``shape``."""
    return x @ matrix


@runtime
def sparse_solution(b: Array, matrix: Any, shape: Shape) -> Array:
    """The solution of ``matrix @ x = b``."""
    from scipy.sparse.linalg import spsolve  # an optional partner

    return np.reshape(spsolve(matrix, b), shape)


linear(sparse_product, x=lambda ct, x_shape, matrix: sparse_product(ct, matrix.T, x_shape))
linear(product_with_sparse,
    x=lambda ct, x_shape, matrix: product_with_sparse(ct, matrix.T, x_shape))
linear(sparse_solution,
    b=lambda ct, b_shape, matrix: sparse_solution(ct, matrix.T.tocsc(), b_shape))
