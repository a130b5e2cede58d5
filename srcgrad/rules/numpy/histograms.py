"""Histograms: counts do not move with the data, edges do.

A histogram of ``n`` bins over the range of its data has the edges ``lo + (hi - lo) k / n``: they
follow the smallest and the largest element.  Heights are counts (sums of weights), which are
constant almost everywhere; densities are divided by the widths of the bins, which are not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.book import Array, Dtype, NoRule, vjp
from srcgrad.rules.broadcast import arange
from srcgrad.rules.numpy.reductions import extremum_share


def _edges_to_data(d_low: Array, d_high: Array, a: Array, dtype: Dtype, edges: Array) -> Array:
    """The cotangent of data from those of its smallest and largest element (ties share).  Without
    data nothing follows it: the edges are 0 and 1."""
    start, end = edges[0], edges[-1]
    low, high = np.min(a, initial=end), np.max(a, initial=start)
    return extremum_share(d_low, a, low, None, dtype, "split", initial=end) + extremum_share(
        d_high, a, high, None, dtype, "split", initial=start)


def _ends(ct_edges: Array, count: Any) -> tuple[Array, Array]:
    """The cotangents of the first and the last of ``count`` even edges."""
    along = arange(count) / (count - 1)
    return np.sum(ct_edges * (1 - along)), np.sum(ct_edges * along)


@vjp(np.histogram_bin_edges, "a")
def histogram_bin_edges_a(ct: Array, ans: Array, a: Array, a_dtype: Dtype, bins_ndim: int,
                          range: Any) -> Any:
    if bins_ndim or range is not None:
        return None
    d_low, d_high = _ends(ct, np.shape(ans)[0])
    return _edges_to_data(d_low, d_high, a, a_dtype, ans)


@vjp(np.histogram, "a")
def histogram_a(ct: Any, ans: Any, a: Array, a_dtype: Dtype, bins_ndim: int, range: Any,
                density: Any) -> Any:
    if bins_ndim or range is not None:
        return None
    (ct_heights, ct_edges), (heights, edges) = ct, ans
    d_low: Any = 0.0
    d_high: Any = 0.0
    if ct_edges is not None:
        d_low, d_high = _ends(ct_edges, np.shape(edges)[0])
    if density and ct_heights is not None:
        narrower = np.sum(ct_heights * heights) / (edges[-1] - edges[0])
        d_low, d_high = d_low + narrower, d_high - narrower
    elif ct_edges is None:
        return None
    return _edges_to_data(d_low, d_high, a, a_dtype, edges)


@vjp(np.histogram, "bins")
def histogram_bins(ct: Any, ans: Any, bins_ndim: int, density: Any) -> Any:
    (ct_heights, ct_edges), (heights, edges) = ct, ans
    if not density or ct_heights is None:
        return ct_edges
    wider = ct_heights * heights / (edges[1:] - edges[:-1])
    zero = np.zeros((1,))
    d = np.concatenate([wider, zero]) - np.concatenate([zero, wider])
    return d if ct_edges is None else d + ct_edges


def _places(edges: Array, a: Array) -> tuple[Array, Array]:
    """The bin of each element, and whether it has one (the last bin is closed)."""
    count = np.shape(edges)[0] - 1
    place: Array = np.searchsorted(edges, a, side="right") - 1
    place = np.where(a == edges[-1], count - 1, place)
    inside = (place >= 0) & (place < count)
    return np.where(inside, place, 0), inside


@vjp(np.histogram, "weights")
def histogram_weights(ct: Any, ans: Any, a: Array, weights: Array, density: Any) -> Any:
    (ct_heights, _), (heights, edges) = ct, ans
    if ct_heights is None:
        return None
    place, inside = _places(edges, a)
    if density:
        widths = edges[1:] - edges[:-1]
        total = np.sum(np.where(inside, weights, 0))
        ct_heights = (ct_heights / widths - np.sum(ct_heights * heights)) / total
    return np.where(inside, ct_heights[place], 0)


@vjp(np.histogram2d, "x", "y")
def histogram2d_x_y(ct: Any, range: Any, density: Any) -> Any:
    if range is None and (density or ct[1] is not None or ct[2] is not None):
        raise NoRule("np.histogram2d has no derivative rule for edges that follow the data; "
                     "give range=")
    return None, None


@vjp(np.histogram2d, "weights")
def histogram2d_weights(ct: Any, ans: Any, x: Array, y: Array, weights: Array, density: Any) -> Any:
    heights, x_edges, y_edges = ans
    ct_heights = ct[0]
    if ct_heights is None:
        return None
    (row, in_rows), (column, in_columns) = _places(x_edges, x), _places(y_edges, y)
    inside = in_rows & in_columns
    if density:
        areas = np.outer(x_edges[1:] - x_edges[:-1], y_edges[1:] - y_edges[:-1])
        total = np.sum(np.where(inside, weights, 0))
        ct_heights = (ct_heights / areas - np.sum(ct_heights * heights)) / total
    return np.where(inside, ct_heights[row, column], 0)
