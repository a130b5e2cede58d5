"""Elementwise functions of three arrays and products with a factor, each one node of the tape."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.book import Array, linear, vjp
from srcgrad.rules.broadcast import runtime


@runtime
def lerp(start: Array, end: Array, weight: Any) -> Array:
    """``start + weight * (end - start)``, from the nearer end.

    >>> float(lerp(np.array(1.0), np.array(3.0), 0.5))
    2.0
    """
    low = np.absolute(weight) < 0.5
    span = end - start
    return np.where(low, start + weight * span, end - span * (1 - weight))


linear(lerp, broadcasts=True,
    start=lambda ct, weight: ct * (1 - weight),
    end=lambda ct, weight: ct * weight)
vjp(lerp, broadcasts=True, weight=lambda ct, start, end: ct * (end - start))


@runtime
def add_product(x: Array, x1: Array, x2: Array, value: Any) -> Array:
    """``x + value * x1 * x2``."""
    return x + (x1 * x2 if isinstance(value, int) and value == 1 else value * x1 * x2)


@linear(add_product, "x", broadcasts=True)
def add_product_x(ct: Array) -> Array:
    return ct


vjp(add_product, broadcasts=True,
    x1=lambda ct, x2, value: ct * (x2 * value),
    x2=lambda ct, x1, value: ct * (x1 * value))


@runtime
def add_quotient(x: Array, x1: Array, x2: Array, value: Any) -> Array:
    """``x + value * x1 / x2``."""
    return x + value * x1 / x2


linear(add_quotient, broadcasts=True, x=add_product_x)

vjp(add_quotient, broadcasts=True,
    x1=lambda ct, x2, value: ct * (value / x2),
    x2=lambda ct, x1, x2, value: -ct * (value * x1 / (x2 * x2)))


@runtime
def add_scaled(x1: Array, x2: Array, alpha: Any) -> Array:
    """``x1 + alpha * x2``."""
    return x1 + alpha * x2


linear(add_scaled, broadcasts=True,
    x1=add_product_x,
    x2=lambda ct, alpha: ct * alpha)


@runtime
def subtract_scaled(x1: Array, x2: Array, alpha: Any) -> Array:
    """``x1 - alpha * x2``."""
    return x1 - alpha * x2


linear(subtract_scaled, broadcasts=True,
    x1=add_product_x,
    x2=lambda ct, alpha: -(ct * alpha))


@runtime
def ldexp(x1: Array, x2: Array) -> Array:
    """``x1 * 2 ** x2``."""
    return x1 * np.exp2(x2)


vjp(ldexp, broadcasts=True,
    x1=lambda ct, x2: ct * np.exp2(x2),
    x2=lambda ct, ans: ct * ans * 0.6931471805599453)


@runtime
def masked_fill(a: Array, mask: Array, value: Any) -> Array:
    """``a`` with ``value`` where ``mask`` is true."""
    return np.where(mask, value, a)


linear(masked_fill, mask=None, broadcasts=True,
    a=lambda ct, mask: np.where(mask, 0, ct),
    value=lambda ct, mask: np.where(mask, ct, 0))


@runtime
def make_complex(real: Array, imag: Array) -> Array:
    """``real + 1j * imag``, without arithmetic on either."""
    real, imag = np.broadcast_arrays(real, imag)
    out = np.empty(real.shape, np.result_type(real.dtype, np.complex64))
    out.real, out.imag = real, imag
    return out


linear(make_complex, broadcasts=True,
    real=lambda ct: np.real(ct),
    imag=lambda ct: np.real(1j * ct))


@runtime
def polar(abs: Array, angle: Array) -> Array:
    """The complex number of modulus ``abs`` and phase ``angle``."""
    return make_complex(abs * np.cos(angle), abs * np.sin(angle))


vjp(polar, broadcasts=True,
    abs=lambda ct, angle: np.real(ct) * np.cos(angle) + np.real(1j * ct) * np.sin(angle),
    angle=lambda ct, ans: np.real(1j * ct * ans))
