"""The derivative of the determinant: cofactors, also of singular matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.rules.book import Array, linear, vjp
from srcgrad.rules.broadcast import runtime

_LARGE = 1e6  # the condition number from which the inverse is not used


def _inverse(a: np.ndarray[Any, Any]) -> Any:
    """The inverse of each matrix, None where one of them is nearly singular."""
    try:
        inverse = np.linalg.inv(a)
    except np.linalg.LinAlgError:
        return None
    condition = np.abs(a).sum(axis=-1).max(axis=-1) * np.abs(inverse).sum(axis=-1).max(axis=-1)
    return None if np.any(condition >= _LARGE) else inverse  # NaN where there is one


@runtime
def cofactors(a: Array) -> Array:
    """The matrix of cofactors of each matrix: the gradient of its determinant.

    ``det(a) * inv(a).T`` where the matrix is regular, else by singular values: with
    ``a = u @ diag(s) @ vh`` it is ``det(u) * det(vh) * conj(u) @ diag(p) @ conj(vh)`` where
    ``p[i]`` is the product of the other singular values.

    >>> cofactors(np.array([[2.0, 0.0], [0.0, 0.0]]))
    array([[0., 0.],
           [0., 2.]])
    """
    a = np.asarray(a)
    n = a.shape[-1]
    if n == 0:
        return np.zeros_like(a)
    inverse = _inverse(a)
    if inverse is not None:
        return np.asarray(np.linalg.det(a))[..., None, None] * np.swapaxes(inverse, -1, -2)
    u, s, vh = np.linalg.svd(a)
    others = np.where(np.eye(n, dtype=bool), 1, s[..., None, :])
    scale = np.linalg.det(u) * np.linalg.det(vh)
    products = (scale[..., None] * np.prod(others, axis=-1))[..., None, :]
    return ((np.conj(u) * products) @ np.conj(vh) + 0.0).astype(a.dtype)


@runtime
def cofactors_pullback(along: Array, a: Array) -> Array:
    """The vector-Jacobian product of :func:`cofactors`.  It is symmetric: the second derivative
    of the determinant."""
    a, ct = np.asarray(a), np.asarray(along)
    n = a.shape[-1]
    inverse = _inverse(a) if n else None
    if inverse is not None:
        t = np.swapaxes(inverse, -1, -2)
        det = np.asarray(np.linalg.det(a))[..., None, None]
        share = np.sum(ct * t, axis=(-2, -1), keepdims=True)
        return det * (share * t - t @ np.swapaxes(ct, -1, -2) @ t)
    return _by_minors(ct, a, lambda rows, columns: cofactors(a[..., rows, columns]))


def _by_minors(ct: Any, a: Any, inner: Callable[[Any, Any], Any]) -> Any:
    """The sum over all places of ``ct`` there times what ``inner`` gives for the minor."""
    n = a.shape[-1]
    out = np.zeros(np.broadcast_shapes(a.shape, ct.shape), np.result_type(a, ct))
    for i in range(n):
        for j in range(n):
            rows, columns = np.delete(np.arange(n), i)[:, None], np.delete(np.arange(n), j)
            part = ct[..., i, j, None, None] * inner(rows, columns)
            out[..., rows, columns] += part if (i + j) % 2 == 0 else -part
    return out


@runtime
def cofactors_curvature(direction: Array, along: Array, a: Array) -> Array:
    """The vector-Jacobian product of :func:`cofactors_pullback` for ``a``: the third derivative
    of the determinant."""
    a, ct, along = np.asarray(a), np.asarray(direction), np.asarray(along)
    return _by_minors(along, a, lambda rows, columns: cofactors_pullback(
        ct[..., rows, columns], a[..., rows, columns]))


vjp(cofactors, a=lambda ct, a: cofactors_pullback(ct, a))
vjp(cofactors_pullback, a=lambda ct, along, a: cofactors_curvature(ct, along, a))
linear(cofactors_pullback, along=lambda ct, a: cofactors_pullback(ct, a))
linear(cofactors_curvature,
    direction=lambda ct, along, a: cofactors_curvature(ct, along, a),
    along=lambda ct, direction, a: cofactors_curvature(direction, ct, a))
