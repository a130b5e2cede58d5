"""Functions that are constant between their jumps, with a derivative of 0 rather than none.

The book calls ``np.floor`` and its kin *nondiff*: a compiled gradient does not follow them.  The
eager mode records them, and their gradient is an array of zeros; these are the functions it uses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.rules.book import Array, linear
from srcgrad.rules.broadcast import runtime


def _zero(ct: Array) -> Array:
    return np.zeros_like(ct)


def flat(function: Callable[[Any], Any], name: str) -> Callable[..., Any]:
    """``function`` of one array, under rules that say its derivative is 0.

    >>> flat(np.floor, "floor")(np.array([1.5]))
    array([1.])
    """

    def constant_between_jumps(x: Array) -> Array:
        return function(x)

    constant_between_jumps.__name__ = name
    made = runtime(constant_between_jumps)
    linear(made, "x", broadcasts=True)(_zero)
    return made


@runtime
def flat_quotient(x1: Array, x2: Array, rounding: str) -> Array:
    """``x1 / x2`` rounded down (``"floor"``) or towards 0 (``"trunc"``)."""
    if rounding == "floor":
        return np.floor_divide(x1, x2)
    quotient = np.divide(x1, x2)
    return np.trunc(quotient)


linear(flat_quotient, "x1", broadcasts=True)(_zero)
linear(flat_quotient, "x2", broadcasts=True)(_zero)

floor = flat(np.floor, "floor")
ceil = flat(np.ceil, "ceil")
trunc = flat(np.trunc, "trunc")
sign = flat(np.sign, "sign")


@runtime
def round_to(x: Array, decimals: int) -> Array:
    """``x`` rounded half to even at ``decimals`` decimal places."""
    if decimals == 0:
        return np.rint(x)
    if decimals < 0:
        scale = x.dtype.type(10.0**-decimals)
        return np.rint(x / scale) * scale
    scale = x.dtype.type(10.0**decimals)
    return np.rint(x * scale) / scale


linear(round_to, "x", broadcasts=True)(_zero)


@runtime
def fraction(x: Array) -> Array:
    """``x - trunc(x)``, with the sign of ``x``."""
    return x - np.trunc(x)


@linear(fraction, "x", broadcasts=True)
def fraction_x(ct: Array) -> Array:
    return ct


@runtime
def constant_like(x: Array, value: Any) -> Array:
    """An array like ``x`` filled with ``value``; nothing of ``x`` is left."""
    return np.full_like(x, value)


linear(constant_like, "x", broadcasts=True)(_zero)
