"""Reductions of segments: ``reduceat`` of ufuncs."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.book import Array, Shape, inactive, linear, vjp
from srcgrad.rules.broadcast import runtime
from srcgrad.rules.numpy.cumulative import (
    attains,
    recurrence,
    recurrence_b,
    shift_left,
    shift_right,
)


@runtime
def spread_segments(ct: Array, indices: Array, axis: int, size: int) -> Array:
    """The transpose of ``np.add.reduceat``: each sum's cotangent to all its terms.

    >>> spread_segments(np.array([1.0, 2.0]), [0, 2], 0, 3)
    array([1., 1., 2.])
    """
    starts = np.asarray(indices)
    stops = np.append(starts[1:], size)
    rows = np.moveaxis(ct, axis, 0)
    out = np.zeros((size, *rows.shape[1:]), rows.dtype)
    if starts.size and np.all(stops > starts):  # one after the other
        out[starts[0]:] = np.repeat(rows, stops - starts, axis=0)
        return np.moveaxis(out, 0, axis)
    stops = np.where(stops > starts, stops, starts + 1)
    for row, start, stop in zip(rows, starts, stops):
        out[start:stop] += row
    return np.moveaxis(out, 0, axis)


def _reduceat(array: Any, indices: Any, axis: Any = 0, dtype: Any = None, out: Any = None) -> None:
    """The parameters of ``ufunc.reduceat``."""


linear(np.add.reduceat, like=_reduceat,
    array=lambda ct, array_shape, indices, axis:
        spread_segments(ct, indices, axis, array_shape[axis]))

linear(spread_segments, ct=lambda ct, indices, axis: np.add.reduceat(ct, indices, axis))


# Where segments overlap, or begin before the one in front has, their terms are laid out one
# segment after the other: then they are those of a reduction whose indices rise.


def _places(indices: Any, size: int) -> tuple[Array, Array]:
    """The places of the terms, segment after segment, and where each segment begins among them."""
    starts = np.asarray(indices, dtype=np.intp)
    stops = np.append(starts[1:], size)
    lengths = np.where(stops > starts, stops - starts, 1)
    firsts = np.cumsum(lengths) - lengths
    return np.arange(np.sum(lengths)) + np.repeat(starts - firsts, lengths), firsts


@runtime
def segment_terms(x: Array, indices: Any, axis: int) -> Array:
    """The terms of ``reduceat``, segment after segment.

    >>> segment_terms(np.array([1.0, 2.0, 3.0]), [1, 0], 0)
    array([2., 1., 2., 3.])
    """
    return np.take(x, _places(indices, np.shape(x)[axis])[0], axis)


@runtime
def segments_joined(terms: Array, indices: Any, axis: int, size: int) -> Array:
    """The transpose of :func:`segment_terms`.

    >>> segments_joined(np.ones(4), [1, 0], 0, 3)
    array([1., 2., 1.])
    """
    rows = np.moveaxis(terms, axis, 0)
    out = np.zeros((size, *rows.shape[1:]), rows.dtype)
    places = _places(indices, size)[0]
    if np.all(places[1:] > places[:-1]):  # each is there once
        out[places] = rows
    else:
        np.add.at(out, places, rows)
    return np.moveaxis(out, 0, axis)


linear(segment_terms, indices=None, x=lambda ct, x_shape, indices, axis:
       segments_joined(ct, indices, axis, x_shape[axis]))
linear(segments_joined, indices=None, terms=lambda ct, indices, axis:
       segment_terms(ct, indices, axis))


@runtime
def segment_firsts(indices: Any, size: int) -> Array:
    """Where each segment begins among :func:`segment_terms`.

    >>> segment_firsts([1, 0], 3)
    array([0, 1])
    """
    return _places(indices, size)[1]


@runtime
def segment_ends(rows: Array, firsts: Array, last: bool) -> Array:
    """1 at the first (or the ``last``) term of each segment along the last axis, else 0.

    >>> segment_ends(np.ones(4), np.array([0, 1]), False)
    array([1., 1., 0., 0.])
    """
    ends = np.zeros_like(rows)
    ends[..., np.append(firsts[1:], rows.shape[-1]) - 1 if last else firsts] = 1
    return ends


inactive(segment_ends, "rows", "firsts")


@runtime
def segment_shares(terms: Array, ans: Array, firsts: Array, axis: int) -> Array:
    """The share of each term in its segment's extremum ``ans``, evenly among equal ones.

    >>> segment_shares(np.array([2.0, 2.0, 1.0]), np.array([2.0, 1.0]), np.array([0, 2]), 0)
    array([0.5, 0.5, 1. ])
    """
    size = terms.shape[axis]
    hits = attains(terms, spread_segments(ans, firsts, axis, size)).astype(terms.real.dtype)
    return hits / spread_segments(np.add.reduceat(hits, firsts, axis), firsts, axis, size)


inactive(segment_shares, "terms", "ans", "firsts")


@vjp(np.maximum.reduceat, "array", like=_reduceat)
@vjp(np.minimum.reduceat, "array", like=_reduceat)
def extremum_reduceat_array(ct: Array, ans: Array, array: Array, array_shape: Shape, indices: Any,
                            axis: int) -> Array:
    size = array_shape[axis]
    terms, firsts = segment_terms(array, indices, axis), segment_firsts(indices, size)
    spread = spread_segments(ct, firsts, axis, np.shape(terms)[axis])
    return segments_joined(segment_shares(terms, ans, firsts, axis) * spread, indices, axis, size)


@runtime
def others_of_segments(terms: Array, firsts: Array, axis: int) -> Array:
    """The product of all other terms of a segment, exact for zeros: that of those before and that
    of those after.

    >>> others_of_segments(np.array([2.0, 0.0, 5.0, 7.0]), np.array([0, 2]), 0)
    array([0., 2., 7., 5.])
    """
    rows = np.moveaxis(terms, axis, -1)
    before, after = _before(rows, firsts, False), _before(np.flip(rows, -1), firsts, True)
    return np.moveaxis(before * np.flip(after, -1), -1, axis)


def _ends(rows: Array, firsts: Array, last: bool) -> Array:
    """1 where a segment begins in rows, or (``last``) in rows that were flipped."""
    return np.flip(segment_ends(rows, firsts, True), -1) if last else segment_ends(
        rows, firsts, False)


def _before(rows: Array, firsts: Array, last: bool) -> Array:
    ends = _ends(rows, firsts, last)
    return recurrence(ends, (1 - ends) * shift_right(rows, 0))


def _before_rows(ct: Array, rows: Array, firsts: Array, last: bool) -> Array:
    ends = _ends(rows, firsts, last)
    factor = (1 - ends) * shift_right(rows, 0)
    d_factor = recurrence_b(ct, factor) * shift_right(recurrence(ends, factor), 0)
    return shift_left((1 - ends) * d_factor)


@vjp(others_of_segments, "terms", firsts=None)
def others_of_segments_terms(ct: Array, terms: Array, firsts: Array, axis: int) -> Array:
    rows, ct = np.moveaxis(terms, axis, -1), np.moveaxis(ct, axis, -1)
    turned = np.flip(rows, -1)
    before, after = _before(rows, firsts, False), np.flip(_before(turned, firsts, True), -1)
    d_rows = _before_rows(ct * after, rows, firsts, False)
    d_turned = _before_rows(np.flip(ct * before, -1), turned, firsts, True)
    return np.moveaxis(d_rows + np.flip(d_turned, -1), -1, axis)


@vjp(np.multiply.reduceat, "array", like=_reduceat)
def multiply_reduceat_array(ct: Array, array: Array, array_shape: Shape, indices: Any, axis: int
                            ) -> Array:
    size = array_shape[axis]
    terms, firsts = segment_terms(array, indices, axis), segment_firsts(indices, size)
    spread = spread_segments(ct, firsts, axis, np.shape(terms)[axis])
    return segments_joined(spread * others_of_segments(terms, firsts, axis), indices, axis, size)
