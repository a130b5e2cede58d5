"""A matrix product added to something, as one function: addmm and its kin; distances."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.book import Array, vjp
from srcgrad.rules.broadcast import runtime, sum_to

Shape = tuple[int, ...]


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


vjp(add_outer, "x")(add_matmul_x)


@vjp(add_outer, "x1")
def add_outer_x1(ct: Array, x2: Array, alpha: Any) -> Array:
    return _times(ct @ x2, alpha)


@vjp(add_outer, "x2")
def add_outer_x2(ct: Array, x1: Array, alpha: Any) -> Array:
    return _times(x1 @ ct, alpha)


@runtime
def add_batches(x: Array, x1: Array, x2: Array, beta: Any, alpha: Any) -> Array:
    """``beta * x`` plus ``alpha`` times the sum of a batch of matrix products."""
    product = _times(np.sum(x1 @ x2, axis=0), alpha)
    if isinstance(beta, int | float) and beta == 0:
        return product
    return _times(x, beta) + product


vjp(add_batches, "x")(add_matmul_x)
vjp(add_batches, "x1")(add_matmul_x1)


@vjp(add_batches, "x2")
def add_batches_x2(ct: Array, x1: Array, alpha: Any) -> Array:
    return _times(np.swapaxes(x1, -1, -2) @ ct, alpha)


@runtime
def distance(x: Array, p: float) -> Array:
    """The p-norm along the last axis."""
    size = np.absolute(x)
    if p == 0:
        return np.sum(x != 0, axis=-1, dtype=x.dtype)
    if p == 1:
        return np.sum(size, axis=-1)
    if p == 2:
        return np.sqrt(np.sum(size * size, axis=-1))
    if p == np.inf:
        return np.max(size, axis=-1) if x.shape[-1] else np.zeros(x.shape[:-1], x.dtype)
    return np.sum(size**p, axis=-1) ** (1 / p)


@vjp(distance, "x")
def distance_x(ct: Array, ans: Array, x: Array, p: float) -> Array:
    ct, ans = np.expand_dims(ct, -1), np.expand_dims(ans, -1)
    size, sign = np.absolute(x), np.sign(x)
    safe = np.where(ans == 0, 1, ans)
    if p == 0:
        return ct * 0 * x
    if p == 1:
        return ct * sign
    if p == 2:
        return np.where(ans == 0, 0, ct * (x / safe))
    if p == np.inf:
        return ct * sign * (size == ans)
    if p < 1:
        power = np.where(size == 0, 0, np.where(size == 0, 1, size) ** (p - 1))
        return np.where(ans == 0, 0, ct * sign * power * safe ** (1 - p))
    return np.where(ans == 0, 0, ct * sign * size ** (p - 1) / safe ** (p - 1))
