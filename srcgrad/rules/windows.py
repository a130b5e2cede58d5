"""The Kaiser window and the Bessel function it is made of."""

from __future__ import annotations

import numpy as np

from srcgrad.rules.bessel import i1
from srcgrad.rules.book import Array, elementwise
from srcgrad.rules.broadcast import arange


@elementwise(np.i0, "x")
def i0(x: Array) -> Array:
    return i1(x)


@elementwise(np.kaiser, "beta")
def kaiser_beta(ans: Array, M: int, beta: Array) -> Array:
    reach = np.maximum(M - 1, 1) / 2
    root = np.sqrt(1 - ((arange(M) - (M - 1) / 2) / reach) ** 2)
    return root * i1(beta * root) / np.i0(beta) - ans * i1(beta) / np.i0(beta)
