"""Functions that are constant between their jumps, with a derivative of 0 rather than none.

The book calls ``np.floor`` and its kin *nondiff*: a compiled gradient does not follow them.  The
eager mode records them, and their gradient is an array of zeros; these are the functions it uses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.rules.book import Array, elementwise, linear, vjp
from srcgrad.rules.broadcast import runtime
from srcgrad.rules.nn.gamma_functions import igamma, igammac, zeta


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


linear(flat_quotient, broadcasts=True, x1=_zero, x2=_zero)

floor = flat(np.floor, "floor")
ceil = flat(np.ceil, "ceil")
trunc = flat(np.trunc, "trunc")


def _sign(x: Any) -> Any:
    """-1, 0 or 1; 0 for NaN."""
    return np.nan_to_num(np.sign(x)) if np.asarray(x).dtype.kind == "f" else np.sign(x)


sign = flat(_sign, "sign")


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


linear(round_to, broadcasts=True, x=_zero)


@runtime
def fraction(x: Array) -> Array:
    """``x - trunc(x)``, with the sign of ``x``."""
    return x - np.trunc(x)


linear(fraction, broadcasts=True, x=lambda ct: ct)


@runtime
def constant_like(x: Array, value: Any) -> Array:
    """An array like ``x`` filled with ``value``; nothing of ``x`` is left."""
    return np.full_like(x, value)


linear(constant_like, broadcasts=True, x=_zero)


def refusing(function: Callable[..., Any], inputs: tuple[str, ...], message: str,
             error: type[RuntimeError] = RuntimeError) -> None:
    """Declare that differentiating ``function`` is an error with this message."""

    def refuse(ct: Array) -> Array:
        raise error(message)

    for name in inputs:
        vjp(function, name, broadcasts=True)(refuse)


@runtime
def heaviside(x1: Array, x2: Array) -> Array:
    """``np.heaviside``, for the engine in which it has no derivative."""
    return np.heaviside(x1, x2).astype(np.result_type(x1, x2))


refusing(heaviside, ("x1", "x2"), "derivative for aten::heaviside is not implemented")


@runtime
def floor_quotient(x1: Array, x2: Array) -> Array:
    """The quotient rounded down, infinite where a number is divided by zero."""
    return np.where(np.equal(x2, 0), np.true_divide(x1, x2), np.floor_divide(x1, x2))


refusing(floor_quotient, ("x1", "x2"), "derivative for aten::floor_divide is not implemented")


@runtime
def nextafter(x1: Array, x2: Array) -> Array:
    """``np.nextafter``; the derivative by the second array is 0."""
    return np.nextafter(x1, x2)


linear(nextafter, broadcasts=True,
    x1=lambda ct: ct,
    x2=_zero)


@runtime
def copysign(x1: Array, x2: Array) -> Array:
    """``np.copysign``; the derivative by the second array is 0."""
    return np.copysign(x1, x2)


elementwise(copysign, x1=lambda ans, x1: np.sign(x1) * np.sign(ans))

linear(copysign, broadcasts=True, x2=_zero)

refusing(igamma, ("x1",), "the derivative for 'igamma: input' is not implemented.",
         NotImplementedError)
refusing(igammac, ("x1",), "the derivative for 'igammac: input' is not implemented.",
         NotImplementedError)
refusing(zeta, ("x1",), "the derivative for 'zeta' is not implemented.", NotImplementedError)
