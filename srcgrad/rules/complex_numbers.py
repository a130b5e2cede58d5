"""Real and imaginary parts, conjugates, phases."""

from __future__ import annotations

import cmath
from typing import Any

import numpy as np

from srcgrad.rules.book import Array, entry, linear, vjp

for _function in (np.real, np.imag, np.angle, np.real_if_close):
    entry(_function.__name__, _function).broadcasts = True


@linear(np.conjugate, "x")
def conjugate_x(ct: Array) -> Array:
    return np.conj(ct)


@linear(np.real, "val")
@linear(np.real_if_close, "a")
def real_val(ct: Array) -> Array:
    return ct


@vjp(np.imag, "val")
def imag_val(ct: Array, val_dtype: np.dtype[Any]) -> Array:
    return -1j * ct if val_dtype.kind == "c" else None


@vjp(np.angle, "z")
def angle_z(ct: Array, z: Array, z_dtype: np.dtype[Any], deg: bool) -> Array:
    if z_dtype.kind != "c":
        return None
    d = -1j * ct * np.conj(z) / (np.real(z) ** 2 + np.imag(z) ** 2)
    return d * (180 / cmath.pi) if deg else d


@vjp(cmath.phase, "z", like=lambda z: None)
def phase_z(ct: Array, z: Array) -> Array:
    return -1j * ct * np.conj(z) / (np.real(z) ** 2 + np.imag(z) ** 2)


@linear(float, "x", like=lambda x=0.0: None)
def float_x(ct: Array, x_shape: tuple[int, ...]) -> Array:
    return np.reshape(ct, x_shape) if x_shape else ct


@linear(complex, "real", like=lambda real=0.0, imag=0.0: None)
def complex_real(ct: Array) -> Array:
    return ct


@linear(complex, "imag")
def complex_imag(ct: Array) -> Array:
    return 1j * ct


@vjp(cmath.polar, "z", like=lambda z: None)
def polar_z(ct: Any, ans: Any, z: Array) -> Array:
    modulus, _ = ans
    d: Array = None
    if ct[0] is not None:
        d = ct[0] * np.conj(z) / modulus
    if ct[1] is not None:
        turn = -1j * ct[1] * np.conj(z) / (modulus * modulus)
        d = turn if d is None else d + turn
    return d


@vjp(cmath.rect, "r", like=lambda r, phi: None)
def rect_r(ct: Array, phi: Array) -> Array:
    return ct * np.exp(1j * phi)


@vjp(cmath.rect, "phi")
def rect_phi(ct: Array, ans: Array) -> Array:
    return 1j * ct * ans
