"""Real and imaginary parts, conjugates, phases."""

from __future__ import annotations

import math

import numpy as np

from srcgrad.rules.book import Array, Dtype, entry, linear, nondiff, vjp

for _function in (np.real, np.imag, np.angle, np.real_if_close):
    entry(_function).broadcasts = True


linear(np.conjugate, x=lambda ct: np.conj(ct))


linear(np.real, val=lambda ct: ct)
linear(np.real_if_close, a=lambda ct: ct)


vjp(np.imag, val=lambda ct, val_dtype: -1j * ct if val_dtype.kind == "c" else None)


@vjp(np.angle, "z")
def angle_z(ct: Array, z: Array, z_dtype: Dtype, deg: bool) -> Array:
    if z_dtype.kind != "c":
        return None
    d = -1j * ct * np.conj(z) / (np.real(z) ** 2 + np.imag(z) ** 2)
    return d * (180 / math.pi) if deg else d


@linear(float, "x", like=lambda x=0.0: None)
def float_x(ct: Array, x_shape: tuple[int, ...]) -> Array:
    return np.reshape(ct, x_shape) if x_shape else ct


for _kind in (np.float16, np.float32, np.float64, np.longdouble, np.complex64, np.complex128):
    linear(_kind, "x", like=lambda x=0.0: None)(float_x)
nondiff(np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)

linear(complex, like=lambda real=0.0, imag=0.0: None,
    real=lambda ct: ct,
    imag=lambda ct: 1j * ct)
