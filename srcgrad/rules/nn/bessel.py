"""Modified and ordinary Bessel functions of orders 0 and 1: SciPy's, with their derivatives.

Formulas: NIST Digital Library of Mathematical Functions, 10.6 and 10.29.
"""

from __future__ import annotations

import numpy as np

from srcgrad.rules.book import Array, elementwise
from srcgrad.rules.broadcast import runtime
from srcgrad.rules.nn.error_function import widened
from srcgrad.rules.nn.on_demand import special


def _special(name: str, x: Array) -> Array:
    """SciPy's function in the dtype of ``x`` (it computes half precision in double)."""
    return special(name)(x).astype(widened(x)[1])


@runtime
def i0(x: Array) -> Array:
    """The modified Bessel function of the first kind of order 0."""
    return _special("i0", x)


@runtime
def i0e(x: Array) -> Array:
    """``exp(-|x|) * i0(x)``."""
    return _special("i0e", x)


@runtime
def i1(x: Array) -> Array:
    """The modified Bessel function of the first kind of order 1."""
    return _special("i1", x)


@runtime
def i1e(x: Array) -> Array:
    """``exp(-|x|) * i1(x)``."""
    return _special("i1e", x)


@runtime
def bessel_j0(x: Array) -> Array:
    """The Bessel function of the first kind of order 0."""
    return _special("j0", x)


@runtime
def bessel_j1(x: Array) -> Array:
    """The Bessel function of the first kind of order 1."""
    return _special("j1", x)


@runtime
def over_argument(y: Array, x: Array) -> Array:
    """``y / x``, and its limit 1/2 at 0, where ``y`` is one of the functions of order 1."""
    return np.where(x == 0, 0.5, y / np.where(x == 0, 1, x))


elementwise(over_argument,
    y=lambda x: np.where(x == 0, 0, 1 / np.where(x == 0, 1, x)),
    x=lambda ans, x: np.where(x == 0, 0, -ans / np.where(x == 0, 1, x)))
elementwise(i0, x=lambda x: i1(x))
elementwise(i0e, x=lambda ans, x: i1e(x) - np.sign(x) * ans)
elementwise(i1, x=lambda ans, x: i0(x) - over_argument(ans, x))
elementwise(i1e, x=lambda ans, x: i0e(x) - np.sign(x) * ans - over_argument(ans, x))
elementwise(bessel_j0, x=lambda x: -bessel_j1(x))
elementwise(bessel_j1, x=lambda ans, x: bessel_j0(x) - over_argument(ans, x))
