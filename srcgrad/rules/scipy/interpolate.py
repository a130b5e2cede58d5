"""Piecewise polynomials and B-splines of ``scipy.interpolate``: their values and transposes.

The compiled functions behind SciPy's classes write into buffers; these return what they write.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.interpolate as si

from srcgrad.rules.book import Array, NoRule, Shape, linear, vjp
from srcgrad.rules.broadcast import runtime


# ---- piecewise polynomials -----------------------------------------------------------------------
@runtime
def piecewise_values(c: Array, x: Array, points: Array, nu: int, extrapolate: bool,
                     shape: Shape) -> Array:
    """Derivatives of order ``nu`` of piecewise polynomials, a row for each point (which gives an
    array of ``shape``).

    ``c`` has the coefficients (highest power first) of each piece and polynomial, ``x`` the
    breakpoints.

    >>> piecewise_values(np.array([[[2.0]], [[1.0]]]), np.array([0.0, 1.0]), np.array([0.5]), 0,
    ...                  True, (1, 1))
    array([[2.]])
    """
    made = si.PPoly.construct_fast(np.ascontiguousarray(c), np.ascontiguousarray(x))
    return np.asarray(made(points, nu, extrapolate))


def _pieces(x: Array, points: Array, extrapolate: bool) -> tuple[Array, Array]:
    """The piece that each point lies in, and whether it counts."""
    sign = 1 if x[-1] >= x[0] else -1
    found = np.searchsorted(sign * x, sign * points, "right") - 1
    known = ~np.isnan(points)
    if not extrapolate:
        known = known & (sign * points >= sign * x[0]) & (sign * points <= sign * x[-1])
    return np.clip(found, 0, len(x) - 2), known


@runtime
def piecewise_back(d: Array, x: Array, points: Array, nu: int, extrapolate: bool,
                   shape: Shape) -> Array:
    """The transpose of :func:`piecewise_values` for coefficients of ``shape``."""
    out = np.zeros(shape, d.dtype)
    piece, known = _pieces(x, points, extrapolate)
    h = np.where(known, points - x[piece], 0.0)
    d = np.where(known[:, None], d, 0.0)
    for power in range(nu, shape[0]):
        factor = float(np.prod(np.arange(power, power - nu, -1)))
        np.add.at(out[shape[0] - 1 - power], piece, d * (factor * h ** (power - nu))[:, None])
    return out


@runtime
def sums_of_pieces(d: Array, x: Array, points: Array, extrapolate: bool, shape: Shape) -> Array:
    """For each breakpoint, the sum of ``d`` at the points in the piece that starts there."""
    piece, known = _pieces(x, points, extrapolate)
    return np.bincount(piece, np.where(known, d, 0.0), *shape)


@runtime
def of_pieces(d: Array, x: Array, points: Array, extrapolate: bool, shape: Shape) -> Array:
    """For each point, the number in ``d`` of the piece that it lies in."""
    piece, known = _pieces(x, points, extrapolate)
    return np.where(known, d[piece], 0.0)


linear(sums_of_pieces, x=None, points=None,
    d=lambda ct, d_shape, x, points, extrapolate: of_pieces(ct, x, points, extrapolate, d_shape))

linear(of_pieces, x=None, points=None,
    d=lambda ct, d_shape, x, points, extrapolate:
        sums_of_pieces(ct, x, points, extrapolate, d_shape))


def _piecewise_slopes(d: Array, c: Array, x: Array, points: Array, nu: int, extrapolate: bool
                      ) -> Array:
    return np.sum(d * piecewise_values(c, x, points, nu + 1, extrapolate, d.shape), axis=-1)


vjp(piecewise_values,
    c=lambda ct, c_shape, x, points, nu, extrapolate:
        piecewise_back(ct, x, points, nu, extrapolate, c_shape),
    points=lambda ct, c, x, points, nu, extrapolate:
        _piecewise_slopes(ct, c, x, points, nu, extrapolate),
    x=lambda ct, c, x, x_shape, points, nu, extrapolate:
        -sums_of_pieces(_piecewise_slopes(ct, c, x, points, nu, extrapolate), x, points,
                        extrapolate, x_shape))

vjp(piecewise_back,
    d=lambda ct, d_shape, x, points, nu, extrapolate:
        piecewise_values(ct, x, points, nu, extrapolate, d_shape),
    points=lambda ct, d, x, points, nu, extrapolate:
        _piecewise_slopes(d, ct, x, points, nu, extrapolate),
    x=lambda ct, d, x, x_shape, points, nu, extrapolate:
        -sums_of_pieces(_piecewise_slopes(d, ct, x, points, nu, extrapolate), x, points,
                        extrapolate, x_shape))


@runtime
def piecewise_integral(c: Array, x: Array, a: Any, b: Any, extrapolate: bool,
                       shape: Shape) -> Array:
    """The integrals of piecewise polynomials from ``a`` to ``b``."""
    made = si.PPoly.construct_fast(np.ascontiguousarray(c), np.ascontiguousarray(x))
    return np.asarray(made.integrate(a, b, extrapolate))


@runtime
def lengths_of_pieces(x: Array, a: Any, b: Any, extrapolate: bool, shape: Shape) -> Array:
    """The integrals from ``a`` to ``b`` of the powers of the distance from each breakpoint, over
    its piece: the highest power first."""
    low, high = x[:-1].copy(), x[1:].copy()
    if extrapolate:
        low[0], high[-1] = min(a, low[0]), max(b, high[-1])
    first, last = np.clip(a, low, high) - x[:-1], np.clip(b, low, high) - x[:-1]
    return np.stack([(last ** (p + 1) - first ** (p + 1)) / (p + 1)
                     for p in range(shape[0] - 1, -1, -1)])


vjp(piecewise_integral,
    c=lambda ct, c_shape, x, a, b, extrapolate:
        lengths_of_pieces(x, a, b, extrapolate, c_shape[:2])[:, :, None] * ct)


@vjp(piecewise_integral, "a", "b")
def piecewise_integral_bounds(ct: Array, c: Array, c_shape: Shape, x: Array, a: Any, b: Any,
                              extrapolate: bool) -> tuple[Array, Array]:
    ends = piecewise_values(c, x, np.stack((a, b)), 0, extrapolate, (2, c_shape[2]))
    return -np.sum(ct * ends[0]), np.sum(ct * ends[1])


# ---- B-splines -----------------------------------------------------------------------------------
@runtime
def spline_values(c: Array, t: Array, k: int, points: Array, nu: int, extrapolate: bool,
                  shape: Shape) -> Array:
    """Derivatives of order ``nu`` of splines of degree ``k`` with knots ``t``: a row for each
    point, a column for each column of the coefficients ``c`` (which gives an array of ``shape``).
    """
    made = si.BSpline.construct_fast(np.ascontiguousarray(t), np.ascontiguousarray(c), k)
    return np.asarray(made(points, nu, extrapolate))


@runtime
def spline_back(d: Array, t: Array, k: int, points: Array, nu: int, extrapolate: bool,
                shape: Shape) -> Array:
    """The transpose of :func:`spline_values` for coefficients of ``shape``."""
    # Of k + 1 splines in a row one has the number r modulo k + 1: column r of the basis.
    last = np.clip(np.searchsorted(t, points, side="right") - 1, k, shape[0] - 1)
    basis = spline_values(np.eye(k + 1)[np.arange(shape[0]) % (k + 1)], t, k, points, nu,
                          extrapolate, (len(points), k + 1))
    inside = ~np.isnan(basis)
    out = np.zeros(shape, np.result_type(d, basis))
    for r in range(k + 1):
        part = np.where(inside[:, r], basis[:, r], 0.0)[:, None] * np.where(inside[:, :1], d, 0.0)
        np.add.at(out, last - (last - r) % (k + 1), part)
    return out


def _spline_slopes(d: Array, c: Array, t: Array, k: int, points: Array, nu: int,
                   extrapolate: bool) -> Array:
    if nu >= k:
        return np.zeros_like(points)
    return np.sum(d * spline_values(c, t, k, points, nu + 1, extrapolate, d.shape), axis=-1)


def knots_back() -> None:
    raise NoRule("splines of scipy.interpolate have no derivative rule for their knots, and for "
                 "the places of the values that they interpolate")


vjp(spline_values, t=knots_back,
    c=lambda ct, c_shape, t, k, points, nu, extrapolate:
        spline_back(ct, t, k, points, nu, extrapolate, c_shape),
    points=lambda ct, c, t, k, points, nu, extrapolate:
        _spline_slopes(ct, c, t, k, points, nu, extrapolate))

vjp(spline_back, t=knots_back,
    d=lambda ct, d_shape, t, k, points, nu, extrapolate:
        spline_values(ct, t, k, points, nu, extrapolate, d_shape),
    points=lambda ct, d, t, k, points, nu, extrapolate:
        _spline_slopes(d, ct, t, k, points, nu, extrapolate))


@runtime
def collocation(function: Any, x: Array, t: Array, k: int, place: Array, offset: int) -> Array:
    """The bands of the matrix of B-splines at ``x``, as SciPy's compiled ``function`` writes
    them into a copy of ``place``."""
    made = np.array(place, order="C")
    fits = np.all(t[1:] >= t[:-1]) and len(t) > 2 * k and len(made) == len(t) - k - 1
    if fits and np.all((x >= t[k]) & (x <= t[-k - 1])) and len(x) + offset <= len(made):
        function(x, t, k, made, offset)
    return made


vjp(collocation, place=None, x=knots_back, t=knots_back)  # its numbers are written over


# ---- splines of FITPACK --------------------------------------------------------------------------
@runtime
def fitpack_values(c: Array, t: Array, k: int, points: Array, der: int, ext: int,
                   shape: Shape) -> Array:
    """``splev(points, (t, c, k), der, ext)``, an array of ``shape``."""
    return np.reshape(si.splev(points, (t, c, k), der, ext), shape)


@runtime
def fitpack_back(d: Array, t: Array, k: int, points: Array, der: int, ext: int,
                 shape: Shape) -> Array:
    """The transpose of :func:`fitpack_values` for coefficients of ``shape``."""
    basis = [si.splev(points, (t, row, k), der, ext) for row in np.eye(len(t) - k - 1, *shape)]
    out = np.zeros(shape, d.dtype)
    out[:len(basis)] = np.reshape(basis, (-1, d.size)) @ np.ravel(d)
    return out


@runtime
def between_knots(d: Array, t: Array, k: int, points: Array, ext: int) -> Array:
    """``d`` where a spline is not continued by a constant."""
    inside = (points >= t[k]) & (points <= t[-k - 1])
    return np.where(inside, d, 0.0) if ext == 3 else d


linear(between_knots, t=None, points=None,
    d=lambda ct, t, k, points, ext: between_knots(ct, t, k, points, ext))


def _fitpack_slopes(d: Array, c: Array, t: Array, k: int, points: Array, der: int,
                    ext: int) -> Array:
    if der >= k:
        return np.zeros_like(points)
    slopes = fitpack_values(c, t, k, points, der + 1, ext, d.shape)
    return between_knots(d * slopes, t, k, points, ext)


vjp(fitpack_values, t=knots_back,
    c=lambda ct, c_shape, t, k, points, der, ext: fitpack_back(ct, t, k, points, der, ext, c_shape),
    points=lambda ct, c, t, k, points, der, ext: _fitpack_slopes(ct, c, t, k, points, der, ext))

vjp(fitpack_back, t=knots_back,
    d=lambda ct, d_shape, t, k, points, der, ext:
        fitpack_values(ct, t, k, points, der, ext, d_shape),
    points=lambda ct, d, t, k, points, der, ext: _fitpack_slopes(d, ct, t, k, points, der, ext))
