"""Elementwise functions of three arrays and products with a factor, each one node of the tape."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.book import Array, inactive, linear, vjp
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


@linear(lerp, "start", broadcasts=True)
def lerp_start(ct: Array, weight: Any) -> Array:
    return ct * (1 - weight)


@linear(lerp, "end", broadcasts=True)
def lerp_end(ct: Array, weight: Any) -> Array:
    return ct * weight


@vjp(lerp, "weight", broadcasts=True)
def lerp_weight(ct: Array, start: Array, end: Array) -> Array:
    return ct * (end - start)


@runtime
def add_product(x: Array, x1: Array, x2: Array, value: Any) -> Array:
    """``x + value * x1 * x2``."""
    return x + (x1 * x2 if isinstance(value, int) and value == 1 else value * x1 * x2)


@linear(add_product, "x", broadcasts=True)
def add_product_x(ct: Array) -> Array:
    return ct


@vjp(add_product, "x1", broadcasts=True)
def add_product_x1(ct: Array, x2: Array, value: Any) -> Array:
    return ct * (x2 * value)


@vjp(add_product, "x2", broadcasts=True)
def add_product_x2(ct: Array, x1: Array, value: Any) -> Array:
    return ct * (x1 * value)


@runtime
def add_quotient(x: Array, x1: Array, x2: Array, value: Any) -> Array:
    """``x + value * x1 / x2``."""
    return x + value * x1 / x2


linear(add_quotient, "x", broadcasts=True)(add_product_x)


@vjp(add_quotient, "x1", broadcasts=True)
def add_quotient_x1(ct: Array, x2: Array, value: Any) -> Array:
    return ct * (value / x2)


@vjp(add_quotient, "x2", broadcasts=True)
def add_quotient_x2(ct: Array, x1: Array, x2: Array, value: Any) -> Array:
    return -ct * (value * x1 / (x2 * x2))


@runtime
def add_scaled(x1: Array, x2: Array, alpha: Any) -> Array:
    """``x1 + alpha * x2``."""
    return x1 + alpha * x2


linear(add_scaled, "x1", broadcasts=True)(add_product_x)


@linear(add_scaled, "x2", broadcasts=True)
def add_scaled_x2(ct: Array, alpha: Any) -> Array:
    return ct * alpha


@runtime
def subtract_scaled(x1: Array, x2: Array, alpha: Any) -> Array:
    """``x1 - alpha * x2``."""
    return x1 - alpha * x2


linear(subtract_scaled, "x1", broadcasts=True)(add_product_x)


@linear(subtract_scaled, "x2", broadcasts=True)
def subtract_scaled_x2(ct: Array, alpha: Any) -> Array:
    return -(ct * alpha)


@runtime
def ldexp(x1: Array, x2: Array) -> Array:
    """``x1 * 2 ** x2``."""
    return x1 * np.exp2(x2)


@vjp(ldexp, "x1", broadcasts=True)
def ldexp_x1(ct: Array, x2: Array) -> Array:
    return ct * np.exp2(x2)


@vjp(ldexp, "x2", broadcasts=True)
def ldexp_x2(ct: Array, ans: Array) -> Array:
    return ct * ans * 0.6931471805599453


@runtime
def masked_fill(a: Array, mask: Array, value: Any) -> Array:
    """``a`` with ``value`` where ``mask`` is true."""
    return np.where(mask, value, a)


@linear(masked_fill, "a", broadcasts=True)
def masked_fill_a(ct: Array, mask: Array) -> Array:
    return np.where(mask, 0, ct)


@linear(masked_fill, "value", broadcasts=True)
def masked_fill_value(ct: Array, mask: Array) -> Array:
    return np.where(mask, ct, 0)


inactive(masked_fill, "mask")


@runtime
def make_complex(real: Array, imag: Array) -> Array:
    """``real + 1j * imag``, without arithmetic on either."""
    real, imag = np.broadcast_arrays(real, imag)
    out = np.empty(real.shape, np.result_type(real.dtype, np.complex64))
    out.real, out.imag = real, imag
    return out


@linear(make_complex, "real", broadcasts=True)
def make_complex_real(ct: Array) -> Array:
    return np.real(ct)


@linear(make_complex, "imag", broadcasts=True)
def make_complex_imag(ct: Array) -> Array:
    return np.real(1j * ct)


@runtime
def polar(abs: Array, angle: Array) -> Array:
    """The complex number of modulus ``abs`` and phase ``angle``."""
    return make_complex(abs * np.cos(angle), abs * np.sin(angle))


@vjp(polar, "abs", broadcasts=True)
def polar_abs(ct: Array, angle: Array) -> Array:
    return np.real(ct) * np.cos(angle) + np.real(1j * ct) * np.sin(angle)


@vjp(polar, "angle", broadcasts=True)
def polar_angle(ct: Array, ans: Array) -> Array:
    return np.real(1j * ct * ans)
