"""Sliding windows; the Kaiser window and the Bessel function it is made of."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from srcgrad.rules.book import Array, Shape, elementwise, linear
from srcgrad.rules.broadcast import arange, runtime
from srcgrad.rules.nn.bessel import i1


@runtime
def add_windows(ct: Array, window_shape: Any, axis: Any, shape: Shape) -> Array:
    """The transpose of ``sliding_window_view``: windows added where they lie in an array of
    ``shape``.

    >>> add_windows(np.ones((2, 3)), 3, None, (4,))
    array([1., 2., 2., 1.])
    """
    out = np.zeros(shape, ct.dtype)
    whole: Any = ...
    np.add.at(sliding_window_view(out, window_shape, axis, writeable=True), whole, ct)
    return out


def _parameters(x: Any, window_shape: Any, axis: Any = None, *, subok: bool = False,
                writeable: bool = False) -> None:  # fmt: skip
    """The parameters of ``sliding_window_view``."""


linear(sliding_window_view, like=_parameters,
    x=lambda ct, x_shape, window_shape, axis: add_windows(ct, window_shape, axis, x_shape))
linear(add_windows, ct=lambda ct, window_shape, axis: sliding_window_view(ct, window_shape, axis))
elementwise(np.i0, x=lambda x: i1(x))


@elementwise(np.kaiser, "beta")
def kaiser_beta(ans: Array, M: int, beta: Array) -> Array:
    reach = np.maximum(M - 1, 1) / 2
    root = np.sqrt(1 - ((arange(M) - (M - 1) / 2) / reach) ** 2)
    return root * i1(beta * root) / np.i0(beta) - ans * i1(beta) / np.i0(beta)
