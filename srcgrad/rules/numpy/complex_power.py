"""Powers of complex numbers as the exponential of a logarithm, with rules."""

from __future__ import annotations

import numpy as np

from srcgrad.rules.book import Array, elementwise, vjp
from srcgrad.rules.broadcast import runtime


@runtime
def complex_power(x1: Array, x2: Array) -> Array:
    """``x1 ** x2`` with a complex result; as C's ``cpow`` where the base is 0.

    >>> complex_power(-1.0, 0.5 + 0j).round(3).item(), complex_power(0.0, 0j).item()
    (1j, (1+0j))
    """
    if isinstance(x2, int | float | complex) and x2 in (0, 1, 2):
        return np.power(x1, x2)
    base = x1 + 0j
    return np.where(base == 0, np.exp(x2 * np.log(base)), np.power(base, x2))


@elementwise(complex_power, "x1")
def complex_power_x1(x1: Array, x2: Array) -> Array:
    if isinstance(x2, int | float | complex):
        if x2 == 0 or x2 == 1:
            return x2
        return x2 * complex_power(x1, x2 - 1)
    return np.where(x2 == 0, 0, x2 * complex_power(x1, x2 - 1))


@vjp(complex_power, "x2")
def complex_power_x2(ct: Array, ans: Array, x1: Array, x2: Array) -> Array:
    flat = (x1 == 0) & (np.real(x2) >= 0) & (np.imag(x2) == 0)
    return ct * np.where(flat, 0, ans * np.log(np.where(flat, 1, x1 + 0j)))
