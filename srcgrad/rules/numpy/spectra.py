"""Differences of eigenvalues, where some of them are equal up to rounding.

The derivative of an eigenvector divides by its eigenvalue's distances from the others.  Where one
of them vanishes the vector has no derivative, since any rotation among vectors of one eigenvalue
gives eigenvectors as well: it is NaN.  Functions of the matrix, ``V diag(f(w)) V^H``, do not depend
on that choice; they have the divided differences of ``f``, which go over into its slope (Daleckii
and Krein 1965; Higham 2008, section 3.2).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.book import Array, Dtype, inactive, linear, vjp
from srcgrad.rules.broadcast import real_like, runtime

# How near, relative to the largest, eigenvalues may be for a slope to stand for a quotient: there
# the rounding of the quotient and the curvature that the slopes neglect are both below 1e-10.
_NEAR = 6e-6


def _distances(w: Array) -> tuple[Array, Array, Array]:
    """``w_j - w_i``, which of these pairs are the same up to rounding, and how large ``w`` is."""
    gaps = w[..., None, :] - w[..., :, None]
    size = np.max(np.abs(w), axis=-1, initial=0.0)[..., None, None]
    return gaps, np.abs(gaps) <= 4 * w.shape[-1] * np.finfo(w.dtype).eps * size, size


@runtime
def inverse_gaps(w: Array) -> Array:
    """``1 / (w_j - w_i)``, 0 on the diagonal and NaN for equal eigenvalues.

    >>> inverse_gaps(np.array([1.0, 3.0, 3.0]))
    array([[ 0. ,  0.5,  0.5],
           [-0.5,  0. ,  nan],
           [-0.5,  nan,  0. ]])
    """
    gaps, same, _ = _distances(w)
    inverse = np.where(same, np.nan, 1 / np.where(same, 1, gaps))
    return np.where(np.eye(w.shape[-1], dtype=bool), 0, inverse)


@vjp(inverse_gaps, "w")
def inverse_gaps_w(ct: Array, ans: Array) -> Array:
    moved = ct * ans * ans
    return np.sum(moved, axis=-1) - np.sum(moved, axis=-2)


@runtime
def over_gaps(x: Array, w: Array, g: Array) -> Array:
    """``x_ij / (w_j - w_i)``, 0 among the vectors of one eigenvalue whose columns of ``g`` are 0:
    nothing depends on them.

    >>> g = np.array([[0.0, 0.0, 1.0]] * 3)
    >>> over_gaps(g - g.T, np.array([3.0, 3.0, 5.0]), g)[:2]
    array([[0. , 0. , 0.5],
           [0. , 0. , 0.5]])
    """
    unused = ~np.any(g, axis=-2)
    inverse = inverse_gaps(w)
    hidden = np.isnan(inverse) & unused[..., :, None] & unused[..., None, :]
    return np.where(hidden, 0, inverse * x)


@vjp(over_gaps, "x", "w", g=None)
def over_gaps_rule(ct: Array, x: Array, w: Array, g: Array) -> tuple[Array, Array]:
    """What nothing depends on may be 0 by chance: then it has no derivative."""
    turned = inverse_gaps(w) * ct
    moved = real_like(over_gaps(turned * x, w, g), w)
    return turned, np.sum(moved, axis=-1) - np.sum(moved, axis=-2)


@runtime
def real_places(v: Array) -> Array:
    """1 at the largest component of each complex eigenvector that is a real number.  LAPACK turns
    vectors so that there is one: those of a general matrix at their largest component, those of a
    Hermitian one at the first (or last).

    >>> real_places(np.array([[0.6, 0.6j], [0.8j, 0.8]])).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    places = np.zeros(v.shape, v.real.dtype)
    if v.dtype.kind == "c":
        sizes = np.where(v.imag == 0, np.abs(v), 0.0)
        places[sizes == np.max(sizes, axis=-2, keepdims=True, initial=0.0)] = 1.0
        places[(np.cumsum(places, axis=-2) > 1) | (sizes == 0)] = 0.0
    return places


inactive(real_places, "v")


@runtime
def times_j(x: Array, v: Array) -> Array:
    """``1j * x`` for a real ``x``, which is 0 where the vectors ``v`` are real."""
    return 1j * x if v.dtype.kind == "c" else x


linear(times_j, x=lambda ct: -np.imag(ct), v=None)


@runtime
def of_turned(x: Array, v: Array) -> Array:
    """The cotangent ``x`` of eigenvectors ``v`` as it is for vectors that may have any phase: what
    it says of phases is said of the components that a turn makes real (:func:`real_places`).

    >>> of_turned(np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([[0.8, 1.0], [0.6j, 0.0]]))
    array([[1.-0.75j, 0.+0.j  ],
           [1.+0.j  , 0.+0.j  ]])
    """
    places, turned, sizes = _turns(x, v)
    return x - times_j(places * turned / sizes, v)


@vjp(of_turned, "x", "v")
def of_turned_rule(ct: Array, x: Array, v: Array) -> tuple[Array, Array]:
    places, turned, sizes = _turns(x, v)
    moved = np.imag(np.sum(places * ct, axis=-2, keepdims=True)) / sizes
    turn = times_j(moved, v)
    d_v = -turn * x - places * moved * turned / sizes
    return ct - turn * v, np.where(np.any(x, axis=-2, keepdims=True), d_v, 0)


def _turns(x: Array, v: Array) -> tuple[Array, Array, Array]:
    """The components that are real, the cotangents of the phases, and those components."""
    places = real_places(v)
    unknown = 1 - np.sum(places, axis=-2, keepdims=True)
    sizes = np.sum(places * np.real(v), axis=-2, keepdims=True) + unknown
    return places, np.imag(np.sum(x * v, axis=-2, keepdims=True)), sizes


@runtime
def shared_by_equals(x: Array, w: Array) -> Array:
    """The cotangent ``x`` of eigenvalues, shared evenly by those that are equal: at such a point
    they are the extrema of one another, and no basis is preferred.

    >>> shared_by_equals(np.array([4.0, 1.0, 0.0]), np.array([1.0, 3.0, 3.0]))
    array([4. , 0.5, 0.5])
    """
    same = _distances(w)[1] | np.eye(w.shape[-1], dtype=bool)
    if np.sum(same) == w.size:
        return x
    return (same @ x[..., None])[..., 0] / np.sum(same, axis=-1, dtype=w.dtype)


@runtime
def tied_at_zero(x: Array, w: Array) -> Array:
    """NaN where ``x`` is 0 for an eigenvalue and for another one that is equal, else 1.

    Nothing is known there of how ``x`` goes on beside it.  Where it is 0 because nothing depends on
    those eigenvalues, nobody reads what this is a factor of.

    >>> tied_at_zero(np.array([0.0, 0.0, 0.0]), np.array([1.0, 1.0, 3.0])).tolist()
    [nan, nan, 1.0]
    """
    among = np.sum(_distances(w)[1] & (x[..., None, :] == 0), axis=-1)
    return np.where((x == 0) & (among > 1), np.nan, 1.0)


inactive(tied_at_zero, "x", "w")


@vjp(shared_by_equals, "x", w=None)
def shared_by_equals_x(ct: Array, ans: Array, x: Array, w: Array) -> Array:
    """What is shared evenly already comes from a function that treats equal eigenvalues alike; it
    may change unevenly."""
    even = np.abs(ans - x) <= 1e-13 * np.abs(x)
    return np.where(even, ct, shared_by_equals(ct, w)) * tied_at_zero(x, w)


@runtime
def watched(x: Array, w: Array) -> Array:
    """``x``, whose derivative is NaN where equal values of ``w`` have ``x`` 0 by chance."""
    return x


linear(watched, w=None, x=lambda ct, x, w: ct * tied_at_zero(x, w))


def _quotients(w: Array, values: Array, slopes: Array) -> tuple[Array, Array]:
    """Which pairs take the mean of their slopes, and the inverse distances of all others."""
    gaps, same, size = _distances(w)
    mean = (slopes[..., None, :] + slopes[..., :, None]) / 2
    rises = values[..., None, :] - values[..., :, None]
    steep = np.abs(slopes[..., None, :] - slopes[..., :, None])
    near = np.abs(gaps) <= _NEAR * size
    bound = 1e-3 * (np.abs(mean) * np.abs(gaps) + _NEAR * np.max(np.abs(values), initial=0.0))
    smooth = (np.abs(rises - mean * gaps) <= bound) & (
        steep <= 1e-3 * (1e-3 * np.max(np.abs(slopes), initial=0.0) + np.abs(mean)))
    sloping = (near & smooth) | np.eye(w.shape[-1], dtype=bool)
    return sloping, np.where(sloping, 0, 1 / np.where(same, np.nan, gaps))


@runtime
def divided_differences(w: Array, values: Array, slopes: Array) -> Array:
    """``(f(w_j) - f(w_i)) / (w_j - w_i)`` of a function with these ``values`` and ``slopes`` at
    ``w``: the mean slope where ``w_i`` and ``w_j`` are near.  NaN where equal eigenvalues have
    other values: that is no function of the matrix.

    >>> w = np.array([2.0, 3.0, 3.0])
    >>> divided_differences(w, w**2, 2 * w)
    array([[4., 5., 5.],
           [5., 6., 6.],
           [5., 6., 6.]])
    """
    near, inverse = _quotients(w, values, slopes)
    mean = (slopes[..., None, :] + slopes[..., :, None]) / 2
    rises = values[..., None, :] - values[..., :, None]
    return np.where(near, mean, rises * inverse)


@vjp(divided_differences, "w", "values", "slopes")
def divided_differences_rule(ct: Array, ans: Array, w: Array, values: Array,
                             slopes: Array) -> tuple[Array, Array, Array]:
    inverse, half = distant(w, values, slopes), adjacent(w, values, slopes) * (0.5 * ct)
    moved, rising = ct * ans * inverse, ct * inverse
    return (
        np.sum(moved, axis=-1) - np.sum(moved, axis=-2),
        np.sum(rising, axis=-2) - np.sum(rising, axis=-1),
        np.sum(half, axis=-2) + np.sum(half, axis=-1),
    )


@runtime
def distant(w: Array, values: Array, slopes: Array) -> Array:
    """``1 / (w_j - w_i)`` where :func:`divided_differences` divides, 0 elsewhere."""
    return _quotients(w, values, slopes)[1]


@runtime
def adjacent(w: Array, values: Array, slopes: Array) -> Array:
    """1 where :func:`divided_differences` takes slopes, 0 elsewhere."""
    return _quotients(w, values, slopes)[0].astype(w.dtype)


vjp(distant, values=None, slopes=None, w=lambda ct, ans: inverse_gaps_w(ct, ans))

inactive(adjacent, "w", "values", "slopes")


def spectral_a(w: Array, v: Array, gamma: Array, values: Array, slopes: Any, dtype: Dtype) -> Array:
    """The cotangent of a Hermitian matrix in ``m = V diag(f(w)) V^H``, where ``gamma`` is
    ``V^T m_ct conj(V)``."""
    slopes = np.zeros_like(values) if slopes is None else slopes
    inner = divided_differences(w, values, slopes) * gamma
    turn = np.conj(v) if dtype.kind == "c" else v
    d = turn @ inner @ v.T
    return np.real(d) if dtype.kind != "c" and d.dtype.kind == "c" else d
