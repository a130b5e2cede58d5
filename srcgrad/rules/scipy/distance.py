"""Distances of ``scipy.spatial.distance`` between rows, and their condensed form."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.spatial.distance as sd

from srcgrad.rules.book import Array, NoRule, Shape, linear, vjp
from srcgrad.rules.broadcast import runtime


@runtime
def upper_square(values: Array, shape: Shape) -> Array:
    """A matrix of ``shape`` with ``values`` above its diagonal, row by row, and zeros.

    >>> upper_square(np.array([5.0, 6.0, 7.0]), (3, 3))
    array([[0., 5., 6.],
           [0., 0., 7.],
           [0., 0., 0.]])
    """
    square = np.zeros(shape, values.dtype)
    square[np.triu_indices(shape[0], 1)] = values
    return square


@runtime
def above_diagonal(square: Array) -> Array:
    """What stands above the diagonal of a matrix, row by row."""
    return np.asarray(square[np.triu_indices(np.shape(square)[0], 1)])


linear(upper_square, values=lambda ct: above_diagonal(ct))
linear(above_diagonal, square=lambda ct, square_shape: upper_square(ct, square_shape))

vjp(sd.squareform, like=lambda X, force="no", checks=True: None,
    X=lambda ct, X_ndim, X_shape:
        above_diagonal(ct + ct.T) if X_ndim == 1 else upper_square(ct, X_shape))


def _cdist_like(XA: Any, XB: Any, metric: Any = "euclidean", *, out: Any = None,
                p: Any = 2, w: Any = None, V: Any = None, VI: Any = None) -> None:
    """The parameters of ``cdist``."""


def _pdist_like(X: Any, metric: Any = "euclidean", *, out: Any = None,
                p: Any = 2, w: Any = None, V: Any = None, VI: Any = None) -> None:
    """The parameters of ``pdist``."""


def _safe(x: Array) -> Array:
    return np.where(x == 0, 1, x)


def _cosine(ct: Array, ans: Array, a: Array, b: Array) -> Array:
    long, other = (np.sqrt(np.sum(v * v, axis=1, keepdims=True)) for v in (a, b))
    along = np.sum(ct * (1 - ans), axis=1, keepdims=True)
    return (along * (a / long) - ct @ (b / other)) / long


def _of_rows(ct: Array, ans: Array, a: Array, b: Array, metric: Any, p: Any, w: Any, v: Any,
             vi: Any) -> Array:  # fmt: skip
    """The cotangent of the rows ``a`` from that of their distances to the rows ``b``."""
    if w is not None or not isinstance(metric, str):
        raise NoRule("distances have a derivative rule for metrics given by name, without w=")
    if metric in ("euclidean", "sqeuclidean", "seuclidean"):
        share = 2 * ct if metric == "sqeuclidean" else ct / _safe(ans)
        if metric == "seuclidean" and v is None:
            raise NoRule("the metric 'seuclidean' has a derivative rule for a given V= only")
        d = np.sum(share, axis=1, keepdims=True) * a - share @ b
        return d / v if metric == "seuclidean" else d
    if metric == "cosine":
        return _cosine(ct, ans, a, b)
    if metric == "correlation":
        centred, other = (x - np.mean(x, axis=1, keepdims=True) for x in (a, b))
        d = _cosine(ct, ans, centred, other)
        return d - np.mean(d, axis=1, keepdims=True)
    gap = np.expand_dims(a, 1) - np.expand_dims(b, 0)
    if metric == "cityblock":
        slope = np.sign(gap)
    elif metric == "chebyshev":
        hit = np.abs(gap) == np.expand_dims(ans, -1)
        slope = np.sign(gap) * hit / np.sum(hit, axis=-1, keepdims=True)
    elif metric == "minkowski":
        length = _safe(np.expand_dims(ans, -1))
        slope = np.sign(gap) * (np.abs(gap) / length) ** (p - 1)
    elif metric == "mahalanobis" and vi is not None:
        slope = gap @ (0.5 * (vi + vi.T)) / np.expand_dims(_safe(ans), -1)
    else:
        raise NoRule(f"distances have no derivative rule for the metric {metric!r}")
    return np.sum(np.expand_dims(ct, -1) * slope, axis=1)


vjp(sd.cdist, like=_cdist_like,
    XA=lambda ct, ans, XA, XB, metric, p, w, V, VI: _of_rows(ct, ans, XA, XB, metric, p, w, V, VI),
    XB=lambda ct, ans, XA, XB, metric, p, w, V, VI:
        _of_rows(ct.T, ans.T, XB, XA, metric, p, w, V, VI))


@vjp(sd.pdist, "X", like=_pdist_like)
def pdist_x(ct: Array, ans: Array, X: Array, X_shape: Shape, metric: Any,
            p: Any, w: Any, V: Any, VI: Any) -> Array:
    square = (X_shape[0], X_shape[0])
    both, distances = upper_square(ct, square), upper_square(ans, square)
    return _of_rows(both + both.T, distances + distances.T, X, X, metric, p, w, V, VI)
