"""Filters of ``scipy.ndimage`` that pick one of the neighbours: least, largest, of a rank.

The derivative goes to the neighbours that have the value that was picked, in even parts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.ndimage as nd

from srcgrad.rules.book import Array, NoRule, static, vjp
from srcgrad.rules.broadcast import runtime
from srcgrad.rules.scipy.ndimage import all_axes, continuation, continued, each, reach


def _windows(x: Array, neighbours: Array, mode: Any, origin: Any) -> tuple[Array, Array]:
    """For each element its neighbours, and their places (-1 for the constant): flat arrays of a
    row for each element."""
    places = np.reshape(np.arange(x.size), x.shape)
    for axis, (m, o) in enumerate(zip(each(mode, x.ndim), each(origin, x.ndim))):
        at = continuation(x.shape[axis], *reach(neighbours.shape[axis], o), m)
        places = continued(places, axis, at, -1).astype(int)
    windows = np.lib.stride_tricks.sliding_window_view(places, neighbours.shape)
    chosen = windows[..., neighbours].reshape(x.size, -1)
    return np.ravel(x)[chosen], chosen


def _shares(x: Array, picked: Array, neighbours: Array, mode: Any, origin: Any,
            cval: Any) -> tuple[Array, Array]:
    values, places = _windows(x, neighbours, mode, origin)
    values = np.where(places < 0, cval, values)
    met = values == np.reshape(picked, (-1, 1))
    return met / np.maximum(np.sum(met, 1, keepdims=True), 1), places


def _neighbours(size: Any, footprint: Any, ndim: int) -> Array:
    if footprint is not None:
        return np.asarray(footprint, bool)
    return np.ones(each(size, ndim), bool)


@runtime
def picked_of_neighbours(d: Array, x: Array, picked: Array, size: Any, footprint: Any, mode: Any,
                         origin: Any, cval: Any) -> Array:
    """From each window of ``d`` what a filter of ``x`` picked there, or the mean of several."""
    shares, places = _shares(x, picked, _neighbours(size, footprint, x.ndim), mode, origin, cval)
    return np.reshape(np.sum(shares * np.where(places < 0, 0.0, np.ravel(d)[places]), 1), x.shape)


@runtime
def picked_back(d: Array, x: Array, picked: Array, size: Any, footprint: Any, mode: Any,
                origin: Any, cval: Any) -> Array:
    """The transpose of :func:`picked_of_neighbours`.

    >>> x = np.array([1.0, 3.0, 2.0])
    >>> picked_back(np.ones(3), x, np.array([3.0, 3.0, 3.0]), 3, None, "reflect", 0, 0.0)
    array([0., 3., 0.])
    """
    shares, places = _shares(x, picked, _neighbours(size, footprint, x.ndim), mode, origin, cval)
    inside = places >= 0
    weights = (shares * np.reshape(d, (-1, 1)))[inside]
    return np.bincount(places[inside], weights, x.size).reshape(x.shape).astype(d.dtype)


vjp(picked_of_neighbours, x=None, picked=None,
    d=lambda ct, x, picked, size, footprint, mode, origin, cval:
        picked_back(ct, x, picked, size, footprint, mode, origin, cval))

vjp(picked_back, x=None, picked=None,
    d=lambda ct, x, picked, size, footprint, mode, origin, cval:
        picked_of_neighbours(ct, x, picked, size, footprint, mode, origin, cval))


@vjp(nd.maximum_filter, "input")
@vjp(nd.minimum_filter, "input")
@vjp(nd.median_filter, "input")
@vjp(nd.rank_filter, "input")
@vjp(nd.percentile_filter, "input")
def picking_input(ct: Array, ans: Array, input: Array, size: Any, footprint: Any, mode: Any,
                  cval: Any, origin: Any, axes: Any) -> Array:
    all_axes("filters that pick a neighbour", axes)
    return picked_back(ct, input, ans, size, footprint, mode, origin, cval)


@vjp(nd.maximum_filter1d, "input")
@vjp(nd.minimum_filter1d, "input")
def picking_along_input(ct: Array, ans: Array, input: Array, input_ndim: int, size: Any, axis: int,
                        mode: Any, cval: Any, origin: Any) -> Array:
    place = axis % input_ndim
    sizes = tuple(size if i == place else 1 for i in range(input_ndim))
    origins = tuple(origin if i == place else 0 for i in range(input_ndim))
    return picked_back(ct, input, ans, sizes, None, mode, origins, cval)


@vjp(nd.grey_erosion, "input")
def grey_erosion_input(ct: Array, ans: Array, input: Array, size: Any, footprint: Any,
                       structure: Any, mode: Any, cval: Any, origin: Any, axes: Any) -> Array:
    _flat("grey_erosion", structure)
    return picking_input(ct, ans, input, size, footprint, mode, cval, origin, axes)


@vjp(nd.grey_dilation, "input")
def grey_dilation_input(ct: Array, ans: Array, input: Array, input_ndim: int, size: Any,
                        footprint: Any, structure: Any, mode: Any, cval: Any, origin: Any,
                        axes: Any) -> Array:
    """The largest in a window that is turned round."""
    _flat("grey_dilation", structure)
    turned = np.flip(_neighbours(size, footprint, input_ndim))
    origins = tuple(-o - (n % 2 == 0) for o, n in zip(each(origin, input_ndim), turned.shape))
    return picking_input(ct, ans, input, None, turned, mode, cval, origins, axes)


def _flat(name: str, structure: Any) -> None:
    if structure is not None:
        raise NoRule(f"scipy.ndimage.{name} has a derivative rule without structure= only")


static(nd.grey_erosion, "size", "origin")
static(nd.grey_dilation, "size", "origin")
