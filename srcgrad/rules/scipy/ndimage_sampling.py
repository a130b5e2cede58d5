"""Sampling between the elements of an array: ``map_coordinates`` and what is made of it.

A sample is a sum of spline coefficients near a coordinate, times B-splines of the distance.  The
derivative by the coordinate has derivatives of the B-splines for weights; the transpose adds to
the coefficients.  Coordinates over the edges are folded back first, as SciPy does it.
"""

from __future__ import annotations

import itertools
import math
from functools import cache
from typing import Any

import numpy as np
import scipy.ndimage as nd
from scipy.interpolate import BSpline, PPoly
from scipy.sparse import csc_array
from scipy.sparse.linalg import splu

from srcgrad.rules.book import Array, NoRule, Shape, linear, vjp
from srcgrad.rules.broadcast import as_array, runtime
from srcgrad.rules.scipy.ndimage import continuation

# how coefficients over the edges follow from those inside
EDGES = {"reflect": "reflect", "grid-mirror": "reflect", "grid-wrap": "grid-wrap",
         "grid-constant": "grid-constant"}


def folded_back(x: Array, size: int, mode: str) -> tuple[Array, Array, Array]:
    """Coordinates inside of ``[0, size - 1]``, their derivatives by ``x``, and where they count.

    >>> folded_back(np.array([-0.5, 1.0, 3.25]), 3, "mirror")[:2]
    (array([0.5 , 1.  , 0.75]), array([-1.,  1., -1.]))
    """
    one, last = np.ones_like(x), size - 1
    inside = (x >= 0) & (x <= last)
    if mode == "grid-constant":
        return x, one, (x > -1) & (x < size)
    if mode == "constant":
        return np.where(inside, x, 0.0), one * inside, inside
    if mode == "nearest" or size <= 1:
        return np.clip(x, 0, last), one * inside, one == 1
    if mode == "wrap":
        return np.where(inside, x, np.mod(x, last)), one, one == 1
    if mode == "grid-wrap":
        return np.where(inside, x, np.mod(x, size)), one, one == 1
    shift, period = (0.0, 2 * last) if mode == "mirror" else (0.5, 2 * size)
    turned = np.mod(x + shift, period)
    back = turned > period / 2
    folded = np.where(back, period - turned, turned) - shift
    if mode != "mirror":
        folded = np.where(inside, x, folded)
    return folded, np.where(back, -one, one), one == 1


@cache
def _pieces(order: int, times: int) -> Array:
    """Polynomials whose values are the B-splines of the neighbours of a coordinate, the last one's
    first, or derivatives of these; highest powers first."""
    knots = np.arange(order + 2) - (order + 1) / 2
    spline = PPoly.from_spline(BSpline.basis_element(knots))
    return np.asarray(spline.derivative(times).c[:, order:2 * order + 1])


def _weights(x: Array, size: int, order: int, mode: str, times: int) -> tuple[Array, Array]:
    """The places of the coefficients that a coordinate meets, and their weights or the derivatives
    of these, zero for what is none: a row for each of ``order + 1`` neighbours."""
    folded, slope, counts = folded_back(x, size, mode)
    below = np.floor(folded if order % 2 else folded + 0.5)
    beyond = folded - below + (0.0 if order % 2 else 0.5)
    neighbours = np.arange(order + 1)
    places = below.astype(int) - order // 2 + neighbours.reshape(-1, *[1] * x.ndim)
    weights = np.zeros(places.shape)
    if times <= order:
        for powers in _pieces(order, times)[:, ::-1]:
            weights = weights * beyond + powers.reshape(-1, *[1] * x.ndim)
    edges = EDGES.get(mode, "mirror")
    reach = 2 * order + 2
    over = continuation(size, reach, reach, edges) if size > 1 else np.zeros(1 + 2 * reach, int)
    if size <= 1 and edges == "grid-constant":
        over = continuation(size, reach, reach, edges)
    places = over[np.clip(places + reach, 0, len(over) - 1)]
    inside = counts & (places >= 0)
    return np.where(inside, places, 0), np.where(inside, weights * slope ** times, 0.0)


def _corners(x: Array, shape: Shape, order: int, mode: str, times: Shape) -> Any:
    """The places in the flattened coefficients that the coordinates meet, and their weights."""
    axes = [_weights(x[i], n, order, mode, times[i]) for i, n in enumerate(shape)]
    for which in itertools.product(range(order + 1), repeat=len(shape)):
        place: Any = 0
        weight: Any = 1.0
        for (places, weights), k, size in zip(axes, which, shape):
            place, weight = place * size + places[k], weight * weights[k]
        yield place, weight


@runtime
def sampled(c: Array, x: Array, order: int, mode: str, times: Shape) -> Array:
    """Samples at coordinates ``x`` of the spline with coefficients ``c``, differentiated
    ``times`` for each axis; zero where the constant would be.

    >>> sampled(np.array([1.0, 3.0]), np.array([[0.25]]), 1, "constant", (0,))
    array([1.5])
    """
    flat = np.ravel(c)
    return np.asarray(sum(flat[places] * weight
                          for places, weight in _corners(x, c.shape, order, mode, times)))


@runtime
def sampled_back(d: Array, x: Array, shape: Shape, order: int, mode: str, times: Shape) -> Array:
    """The transpose of :func:`sampled` for coefficients of ``shape``."""
    out = np.zeros(math.prod(shape), d.dtype)
    for places, weight in _corners(x, shape, order, mode, times):
        np.add.at(out, np.ravel(places), np.ravel(d * weight).astype(d.dtype))
    return np.reshape(out, shape)


def _more(times: Shape, axis: int) -> Shape:
    return tuple(n + (i == axis) for i, n in enumerate(times))


vjp(sampled,
    c=lambda ct, x, c_shape, order, mode, times: sampled_back(ct, x, c_shape, order, mode, times),
    x=lambda ct, c, x, order, mode, times:
        np.stack([ct * sampled(c, x, order, mode, _more(times, i)) for i in range(len(times))]))

vjp(sampled_back,
    d=lambda ct, x, order, mode, times: sampled(ct, x, order, mode, times),
    x=lambda ct, d, x, order, mode, times:
        np.stack([d * sampled(ct, x, order, mode, _more(times, i)) for i in range(len(times))]))

# ---- from values to coefficients -----------------------------------------------------------------
_SHORT = 40  # elements of a line


def _samples_at_elements(size: int, order: int, mode: str) -> csc_array:
    """The matrix that makes the values of a line from its coefficients, a few in each row."""
    places, weights = _weights(np.arange(float(size)), size, order, mode, 0)
    rows = np.broadcast_to(np.arange(size), places.shape)
    return csc_array((weights.ravel(), (rows.ravel(), places.ravel())), shape=(size, size))


@runtime
def unfiltered(d: Array, axes: Any, order: int, mode: str) -> Array:
    """The transpose of ``scipy.ndimage.spline_filter`` along some axes.

    The filter solves for what gives the values, its transpose solves with the transposed matrix.
    Of short lines, whose ends SciPy's filter takes less exactly, it is that of what it makes of
    each unit vector.
    """
    if np.iscomplexobj(d):
        real, imag = (unfiltered(part, axes, order, mode) for part in (d.real, d.imag))
        return np.asarray(real + 1j * imag)
    for axis in axes:
        lines = np.moveaxis(d, axis, 0)
        size, columns = len(lines), np.asarray(lines.reshape(len(lines), -1), float)
        if size <= _SHORT:
            solved = nd.spline_filter1d(np.eye(size), order, 0, mode=mode).T @ columns
        else:
            matrix = _samples_at_elements(size, order, mode).T.tocsc()
            solved = splu(matrix).solve(np.ascontiguousarray(columns))
        d = np.moveaxis(solved.reshape(lines.shape).astype(d.dtype), 0, axis)
    return d


@runtime
def spline_filtered(x: Array, axes: Any, order: int, mode: str) -> Array:
    """``scipy.ndimage.spline_filter`` along some axes."""
    for axis in axes:
        x = nd.spline_filter1d(x, order, axis, mode=mode)
    return x


linear(unfiltered, d=lambda ct, axes, order, mode: spline_filtered(ct, axes, order, mode))
linear(spline_filtered, x=lambda ct, axes, order, mode: unfiltered(ct, axes, order, mode))

vjp(nd.spline_filter,
    input=lambda ct, input_ndim, order, mode:
        ct if order < 2 else unfiltered(ct, tuple(range(input_ndim)), order, mode))

vjp(nd.spline_filter1d,
    input=lambda ct, order, axis, mode: ct if order < 2 else unfiltered(ct, (axis,), order, mode))

# ---- public functions ----------------------------------------------------------------------------
def _is_filtered(order: int, mode: str, prefilter: bool) -> bool:
    if order < 2 or not prefilter:
        return False
    if mode in ("nearest", "grid-constant"):
        raise NoRule(f"sampling of order {order} has no derivative rule with mode={mode!r}; it has "
                     "one for order=1, and for the other modes")
    return True


def _input_back(ct: Array, x: Array, shape: Shape, ndim: int, order: int, mode: str,
                prefilter: bool) -> Array:
    filtered = _is_filtered(order, mode, prefilter)
    out = sampled_back(ct, x, shape, order, mode, (0,) * ndim)
    return unfiltered(out, tuple(range(ndim)), order, mode) if filtered else out


def _coordinates_back(ct: Array, x: Array, input: Array, ndim: int, order: int, mode: str,
                      cval: Any, prefilter: bool) -> list[Array]:
    if mode == "grid-constant":
        input = input - cval  # the weights add up to one
    if _is_filtered(order, mode, prefilter):
        input = spline_filtered(input, tuple(range(ndim)), order, mode)
    return [ct * sampled(input, x, order, mode, _more((0,) * ndim, i)) for i in range(ndim)]


vjp(nd.map_coordinates,
    input=lambda ct, coordinates, input_shape, input_ndim, order, mode, prefilter:
        _input_back(ct, coordinates, input_shape, input_ndim, order, mode, prefilter))


@vjp(nd.map_coordinates, "coordinates")
def map_coordinates_coordinates(ct: Array, input: Array, coordinates: Array, input_ndim: int,
                                order: int, mode: str, cval: Any, prefilter: bool) -> Array:
    return np.stack(_coordinates_back(ct, coordinates, input, input_ndim, order, mode, cval,
                                      prefilter))


@runtime
def shifted_grid(shift: Array, sizes: Shape) -> Array:
    """The coordinates of the elements of an array, less a shift for each axis.

    >>> shifted_grid(np.array(0.5), (3,))
    array([[-0.5,  0.5,  1.5]])
    """
    grid = np.indices(sizes).astype(float)
    return grid - np.reshape(np.broadcast_to(shift, len(sizes)), (-1, *[1] * len(sizes)))


@vjp(shifted_grid, "shift")
def shifted_grid_shift(ct: Array, shift_ndim: int, sizes: Shape) -> Array:
    sums = -np.sum(ct, axis=tuple(range(1, len(sizes) + 1)))
    return sums if shift_ndim else np.sum(sums)


def _one_each(setting: Any, setting_ndim: Any, ndim: int) -> Any:
    """A number for all axes, or a vector of one for each: so many are known to be there."""
    return np.reshape(as_array(setting), ndim) if setting_ndim else setting


@vjp(nd.shift, "input")
def shift_input(ct: Array, shift: Any, shift_ndim: Any, input_shape: Shape, input_ndim: int,
                order: int, mode: str, prefilter: bool) -> Array:
    x = shifted_grid(_one_each(shift, shift_ndim, input_ndim), input_shape)
    return _input_back(ct, x, input_shape, input_ndim, order, mode, prefilter)


@vjp(nd.shift, "shift")
def shift_shift(ct: Array, input: Array, shift: Any, shift_ndim: int, input_shape: Shape,
                input_ndim: int, order: int, mode: str, cval: Any, prefilter: bool) -> Any:
    x = shifted_grid(_one_each(shift, shift_ndim, input_ndim), input_shape)
    parts = _coordinates_back(ct, x, input, input_ndim, order, mode, cval,
                              prefilter)
    sums = [-np.sum(p) for p in parts]
    return np.stack(sums) if shift_ndim else sum(sums)


@runtime
def zoomed_grid(sizes: Shape, out: Shape, grid_mode: bool) -> Array:
    """Where the elements of a zoomed array come from."""
    axes = []
    for n, m in zip(sizes, out):
        if grid_mode:
            axes.append((np.arange(m) + 0.5) * (n / m) - 0.5)
        else:
            axes.append(np.arange(m) * ((n - 1) / (m - 1) if m > 1 else 1.0))
    return np.stack(np.meshgrid(*axes, indexing="ij"))


@vjp(nd.zoom, "input")
def zoom_input(ct: Array, input_shape: Shape, input_ndim: int, order: int,
               mode: str, prefilter: bool, grid_mode: bool) -> Array:
    x = zoomed_grid(input_shape, ct.shape, grid_mode)
    return _input_back(ct, x, input_shape, input_ndim, order, mode, prefilter)


@runtime
def moved_grid(matrix: Array, offset: Any, out: Shape) -> Array:
    """Where the elements of an affinely transformed array come from."""
    grid = np.indices(out).astype(float)
    ndim = len(out)
    if matrix.ndim == 1:
        matrix = np.diag(matrix)
    if matrix.shape[1] == ndim + 1:
        matrix, offset = matrix[:ndim, :ndim], matrix[:ndim, ndim]
    offset = np.reshape(np.broadcast_to(np.asarray(offset, float), ndim), (-1, *[1] * ndim))
    return np.tensordot(matrix, grid, 1) + offset


@runtime
def moments(d: Array, shape: Shape) -> Array:
    """The transpose of :func:`moved_grid` for a matrix of ``shape``."""
    ndim = d.ndim - 1
    grid = np.indices(d.shape[1:]).astype(float)
    grid = np.concatenate([grid, np.ones((1, *d.shape[1:]))])
    found = np.tensordot(d, grid, (range(1, ndim + 1), range(1, ndim + 1)))
    if len(shape) == 1:
        return np.diag(found[:, :ndim]).copy()
    out = np.zeros(shape, d.dtype)
    out[:ndim, :] = found[:, :shape[1]]
    return out


vjp(moved_grid, matrix=lambda ct, matrix_shape: moments(ct, matrix_shape))


@vjp(moved_grid, "offset")
def moved_grid_offset(ct: Array, offset_ndim: int, out: Shape) -> Array:
    sums = np.sum(ct, axis=tuple(range(1, len(out) + 1)))
    return sums if offset_ndim else np.sum(sums)


vjp(moments, d=lambda ct, d_shape: moved_grid(ct, 0.0, d_shape[1:]))


@vjp(nd.affine_transform, "input")
def affine_transform_input(ct: Array, matrix: Any, offset: Any, input_shape: Shape, input_ndim: int,
                           order: int, mode: str, prefilter: bool) -> Array:
    x = moved_grid(matrix, offset, ct.shape)
    return _input_back(ct, x, input_shape, input_ndim, order, mode, prefilter)


@vjp(nd.affine_transform, "matrix")
def affine_transform_matrix(ct: Array, input: Array, matrix: Any,
                            matrix_shape: Shape, offset: Any, input_ndim: int, order: int,
                            mode: str, cval: Any, prefilter: bool) -> Array:
    x = moved_grid(matrix, offset, ct.shape)
    parts = _coordinates_back(ct, x, input, input_ndim, order, mode, cval,
                              prefilter)
    return moments(np.stack(parts), matrix_shape)


@vjp(nd.affine_transform, "offset")
def affine_transform_offset(ct: Array, input: Array, matrix: Any, offset: Any,
                            offset_ndim: int, input_ndim: int, order: int, mode: str,
                            cval: Any, prefilter: bool) -> Array:
    x = moved_grid(matrix, offset, ct.shape)
    parts = _coordinates_back(ct, x, input, input_ndim, order, mode, cval,
                              prefilter)
    sums = [np.sum(p) for p in parts]
    return np.stack(sums) if offset_ndim else sum(sums)
