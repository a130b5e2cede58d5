"""Single-precision log, sin and cos with the rounding of the vector routines PyTorch uses when it
fills tensors with normal numbers (Cephes polynomials, evaluated with fused multiply-add).

Ordinary ``np.log`` differs in the last bit, and a seeded program would then print other digits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
_F32 = np.float32
_ROOT_HALF = _F32(0.707106781186547524)
_LOG = tuple(map(_F32, (
    7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
    -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
)))  # fmt: skip
_COS = tuple(map(_F32, (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)))
_SIN = tuple(map(_F32, (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)))
_QUARTER_PI = tuple(map(_F32, (-0.78515625, -2.4187564849853515625e-4, -3.77489497744594108e-8)))


def fused(a: Any, b: Any, c: Any) -> Array:
    """``a * b + c`` rounded once, in the precision of ``a``."""
    if a.dtype == _F32:
        wide = np.multiply(a, b, dtype=np.float64) + np.asarray(c, np.float64)
        return np.asarray(wide.astype(_F32))
    extended = np.multiply(a, b, dtype=np.longdouble) + np.asarray(c, np.longdouble)
    return np.asarray(extended.astype(np.float64))


def log_single(x: Array) -> Array:
    """Natural logarithm of positive float32 numbers."""
    x = np.maximum(x, np.finfo(_F32).tiny)
    bits = x.view(np.int32)
    exponent = ((bits >> 23) - 0x7F).astype(_F32) + _F32(1)
    x = ((bits & np.int32(0x007FFFFF)) | np.int32(0x3F000000)).view(_F32)  # in [0.5, 1)
    small = x < _ROOT_HALF
    exponent = exponent - small.astype(_F32)
    x = (x - _F32(1)) + np.where(small, x, _F32(0))
    z = x * x
    y = np.full_like(x, _LOG[0])
    for coefficient in _LOG[1:]:
        y = fused(y, x, coefficient)
    y = fused(y * x, z, exponent * _F32(-2.12194440e-4))
    y = fused(-z, _F32(0.5), y)
    return fused(exponent, _F32(0.693359375), x + y)


def sincos_single(x: Array) -> tuple[Array, Array]:
    """Sine and cosine of float32 numbers in [0, 2 pi]."""
    octant = (x * _F32(1.27323954473516)).astype(np.int32)
    octant = (octant + 1) & ~1
    y = octant.astype(_F32)
    for part in _QUARTER_PI:
        x = fused(y, part, x)
    z = x * x
    c = np.full_like(z, _COS[0])
    for coefficient in _COS[1:]:
        c = fused(c, z, coefficient)
    c = fused(c * z, z, -(z * _F32(0.5))) + _F32(1)
    s = np.full_like(z, _SIN[0])
    for coefficient in _SIN[1:]:
        s = fused(s, z, coefficient)
    s = fused(s * z, x, x)
    straight = (octant & 2) == 0
    sin, cos = np.where(straight, s, c), np.where(straight, c, s)
    return (np.where((octant & 4) != 0, -sin, sin), np.where(((octant - 2) & 4) == 0, -cos, cos))
