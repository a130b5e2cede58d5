"""Modified Bessel functions and the Kaiser window."""

from __future__ import annotations

import math

import numpy as np

from srcgrad.rules.book import Array, elementwise
from srcgrad.rules.broadcast import runtime


@runtime
def bessel_i(x: Array, order: int) -> Array:
    """The modified Bessel function of the first kind, of integer order.

    Trapezoidal rule on ``1/pi * integral of exp(x cos t) cos(n t)`` over ``[0, pi]``, which
    converges geometrically for this periodic integrand (|x| up to 700, the range of ``exp``).
    """
    angles = (np.arange(512) + 0.5) * (math.pi / 512)
    waves = np.exp(np.multiply.outer(x, np.cos(angles))) * np.cos(order * angles)
    return np.mean(waves, axis=-1)


@elementwise(np.i0, "x")
def i0(x: Array) -> Array:
    return bessel_i(x, 1)


@elementwise(bessel_i, "x")
def bessel_i_x(x: Array, order: int) -> Array:
    return 0.5 * (bessel_i(x, order - 1) + bessel_i(x, order + 1))


@elementwise(np.kaiser, "beta")
def kaiser_beta(ans: Array, M: int, beta: Array) -> Array:
    reach = max(M - 1, 1) / 2
    root = np.sqrt(1 - ((np.arange(M) - (M - 1) / 2) / reach) ** 2)
    return root * bessel_i(beta * root, 1) / np.i0(beta) - ans * bessel_i(beta, 1) / np.i0(beta)
