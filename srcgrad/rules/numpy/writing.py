"""Writes as functions: a copy of an array with some elements replaced or added to."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.book import Array, Shape, linear
from srcgrad.rules.broadcast import last_write_mask, runtime, sum_to


@runtime
def put(a: Array, values: Array, key: Any) -> Array:
    """A copy of ``a`` with ``values`` (broadcast) at ``key``; the last write to a place stays.

    >>> put(np.zeros(3), 1.0, ([0, 2],))
    array([1., 0., 1.])
    """
    out = a.copy()
    out[key] = values
    return out


@runtime
def put_add(a: Array, values: Array, key: Any) -> Array:
    """A copy of ``a`` with ``values`` added at ``key``, repeated places several times.

    >>> put_add(np.zeros(3), 1.0, ([0, 0],))
    array([2., 0., 0.])
    """
    out = a.copy()
    np.add.at(out, key, values)
    return out


linear(put, a=lambda ct, key: put(ct, 0, key))


@linear(put, "values", settings={"repeated": "last"})
def put_values(ct: Array, a_shape: Shape, values_shape: Shape, key: Any, repeated: str) -> Array:
    if repeated == "each":  # every value written to a place counts, also those overwritten
        return sum_to(ct[key], values_shape)
    return sum_to(np.where(last_write_mask(a_shape, key), ct[key], 0), values_shape)


linear(put_add,
    a=lambda ct: ct,
    values=lambda ct, values_shape, key: sum_to(ct[key], values_shape))
