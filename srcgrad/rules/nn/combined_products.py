"""A matrix product added to something, as one function: addmm and its kin."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.book import Array, Shape, vjp
from srcgrad.rules.broadcast import runtime, sum_to


def _times(x: Array, factor: Any) -> Array:
    return x if isinstance(factor, bool | int) and factor == 1 else x * factor


@runtime
def add_matmul(x: Array, x1: Array, x2: Array, beta: Any, alpha: Any) -> Array:
    """``beta * x + alpha * (x1 @ x2)``; with ``beta`` 0, ``x`` is not read."""
    product = _times(x1 @ x2, alpha)
    if isinstance(beta, int | float) and beta == 0:
        return product + np.zeros(np.shape(x), product.dtype)
    added = _times(x, beta)
    if product.dtype == np.result_type(added, product) and np.ndim(product) >= np.ndim(added):
        product += added  # the product is ours: no third array
        return product
    return added + product


@vjp(add_matmul, "x")
def add_matmul_x(ct: Array, x_shape: Shape, beta: Any) -> Array:
    return sum_to(_times(ct, beta), x_shape)


@vjp(add_matmul, "x1")
def add_matmul_x1(ct: Array, x2: Array, alpha: Any) -> Array:
    if np.ndim(x2) == 1:
        return _times(np.expand_dims(ct, -1) * x2, alpha)
    return _times(ct @ np.swapaxes(x2, -1, -2), alpha)


@vjp(add_matmul, "x2")
def add_matmul_x2(ct: Array, x1: Array, alpha: Any) -> Array:
    if np.ndim(ct) == 1:
        return _times(np.swapaxes(x1, -1, -2) @ ct, alpha)
    # x1.T @ ct in the memory order of x2 = weight.T: the gradient of the weight needs no copy
    return np.swapaxes(_times(np.swapaxes(ct, -1, -2) @ x1, alpha), -1, -2)


@runtime
def add_outer(x: Array, x1: Array, x2: Array, beta: Any, alpha: Any) -> Array:
    """``beta * x + alpha * outer(x1, x2)``."""
    product = _times(np.outer(x1, x2), alpha)
    if isinstance(beta, int | float) and beta == 0:
        return product
    return _times(x, beta) + product


vjp(add_outer,
    x=add_matmul_x,
    x1=lambda ct, x2, alpha: _times(ct @ x2, alpha),
    x2=lambda ct, x1, alpha: _times(x1 @ ct, alpha))


@runtime
def add_batches(x: Array, x1: Array, x2: Array, beta: Any, alpha: Any) -> Array:
    """``beta * x`` plus ``alpha`` times the sum of a batch of matrix products."""
    product = _times(np.sum(x1 @ x2, axis=0, dtype=x.dtype), alpha)
    if isinstance(beta, int | float) and beta == 0:
        return product
    return _times(x, beta) + product


vjp(add_batches,
    x=add_matmul_x,
    x1=add_matmul_x1,
    x2=lambda ct, x1, alpha: _times(np.swapaxes(x1, -1, -2) @ ct, alpha))
