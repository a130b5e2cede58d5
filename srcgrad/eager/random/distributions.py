"""From words to numbers, in PyTorch's order and rounding.  Everything here returns plain arrays.

float16 and bfloat16 draw as float32 does and are rounded afterwards by the caller.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.eager.random import Generator

# Single-precision log, sin and cos have the rounding of the vector routines that PyTorch uses when
# it fills tensors with normal numbers (Cephes polynomials, evaluated with fused multiply-add).
# Ordinary ``np.log`` differs in the last bit, and a seeded program would then print other digits.
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


def uniform_double(g: Generator, n: int) -> Array:
    """``n`` float64 numbers in [0, 1): the low 53 bits of a 64-bit word."""
    return np.asarray((g.words64(n) & np.uint64(2**53 - 1)).astype(np.float64) * 2.0**-53)


def uniform_single(g: Generator, n: int) -> Array:
    """``n`` float32 numbers in [0, 1): the low 24 bits of a word."""
    return (g.words(n) & np.uint64(0xFFFFFF)).astype(_F32) * _F32(2.0**-24)


def uniform(g: Generator, n: int, low: float, high: float, double: bool) -> Array:
    """Uniform numbers in [low, high)."""
    if double:
        u = uniform_double(g, n)
        return u if (low, high) == (0, 1) else fused(u, high - low, low)
    u = uniform_single(g, n)
    return u if (low, high) == (0, 1) else fused(u, _F32(high) - _F32(low), _F32(low))


def normal(g: Generator, n: int, mean: float, std: float, double: bool, half: bool,
           blocks: bool) -> Array:
    """Normal numbers.  ``blocks`` says that the target is contiguous: 16 numbers and more are then
    made in blocks of 16, of which the last overlaps the one before if ``n % 16``; otherwise one by
    one in double precision.  ``half`` is for float16 and bfloat16."""
    if n < 16 or not blocks:
        z = _normal_one_by_one(g, n)
        return z if (mean, std) == (0, 1) else fused(z, std, mean)
    make = uniform_double if double else uniform_single
    rest = n % 16
    if half:
        out = _box_muller(make(g, n - rest), mean, std)
        last = make(g, 16) if rest else None
    else:
        x = make(g, n)
        last = make(g, 16) if rest else None
        out = _box_muller(x[: n - rest], mean, std)
    if last is None:
        return out
    return np.concatenate([out[: n - 16], _box_muller(last, mean, std)])


def _box_muller(x: Array, mean: float, std: float) -> Array:
    """Normal numbers from uniform ones; in each block of 16, j goes with j + 8."""
    b = x.reshape(-1, 16)
    u1, u2 = 1 - b[:, :8], b[:, 8:]
    if x.dtype == np.float64:
        radius = np.sqrt(-2 * np.log(u1))
        theta = 2 * math.pi * u2
        z = np.concatenate([radius * np.cos(theta), radius * np.sin(theta)], axis=1).ravel()
        return z if (mean, std) == (0, 1) else fused(z, std, mean)
    radius = np.sqrt(_F32(-2) * log_single(u1))
    sin, cos = sincos_single(_F32(2 * math.pi) * u2)
    z = np.concatenate([radius * cos, radius * sin], axis=1).ravel()
    return z if (mean, std) == (0, 1) else fused(z, _F32(std), _F32(mean))


def _normal_one_by_one(g: Generator, n: int) -> Array:
    """Pairs of Box-Muller in double precision; an unused second number is kept for later."""
    kept = [] if g.cached_normal is None or not n else [g.cached_normal]
    pairs = (n - len(kept) + 1) // 2
    u = uniform_double(g, 2 * pairs)
    radius = np.sqrt(-2 * np.log1p(-u[1::2]))
    theta = 2 * math.pi * u[0::2]
    fresh = np.stack([radius * np.cos(theta), radius * np.sin(theta)], axis=1).ravel()
    z = np.concatenate([np.asarray(kept, np.float64), fresh])
    if n:
        g.cached_normal = float(z[n]) if len(z) > n else None
    return z[:n]


def integers(g: Generator, n: int, low: int, span: int) -> Array:
    """Integers in [low, low + span) as int64; spans from 2**28 on take 64-bit words."""
    raw = g.words64(n) if span >= 2**28 else g.words(n)
    if span < 2**64:
        raw = raw % np.uint64(span)
    return raw.view(np.int64) + np.int64(low)


def full_range(g: Generator, n: int, span: int) -> Array:
    """What ``random_()`` draws for a dtype that can hold [0, span)."""
    raw = g.words64(n) if span > 2**32 else g.words(n)
    return (raw % np.uint64(span)).view(np.int64)


def permutation(g: Generator, n: int) -> Array:
    """A random order of ``range(n)``: Fisher and Yates, forwards."""
    order = list(range(n))
    steps = (g.words(max(n - 1, 0)) % np.arange(n, 1, -1).astype(np.uint64)).tolist()
    for i, step in enumerate(steps):
        j = i + step
        order[i], order[j] = order[j], order[i]
    return np.asarray(order, np.int64)


def exponential(g: Generator, n: int, rate: float) -> Array:
    """Exponential numbers of ``rate``."""
    return np.asarray(-1.0 / rate * np.log1p(-uniform_double(g, n)))


def cauchy(g: Generator, n: int, median: float, sigma: float) -> Array:
    """Cauchy numbers, kept away from the poles of tan."""
    u = uniform_double(g, n)
    eps = np.finfo(np.float64).eps
    u = np.where(u > 1 - eps, 1 - eps, np.where(u < eps, eps, u))
    return np.asarray(median + sigma * np.tan(math.pi * (u - 0.5)))


def log_normal(g: Generator, n: int, mean: float, std: float) -> Array:
    """Exponentials of normal numbers."""
    return np.asarray(np.exp(fused(_normal_one_by_one(g, n), std, mean)))


def geometric(g: Generator, n: int, p: float) -> Array:
    """Number of trials up to the first success."""
    return np.asarray(np.ceil(np.log(uniform_double(g, n)) / np.log1p(-p)))


def poisson(g: Generator, rates: Array) -> Array:
    """Poisson numbers, one for each of ``rates``."""
    flat = [_one_poisson(g, float(rate)) for rate in rates.ravel()]
    return np.asarray(flat, np.float64).reshape(rates.shape)


def _one_poisson(g: Generator, rate: float) -> float:
    if rate == 0:
        return 0.0
    if rate < 10:
        bound, product, count = math.exp(-rate), 1.0, 0
        while True:
            product *= float(uniform_double(g, 1)[0])
            if product <= bound:
                return float(count)
            count += 1
    # transformed rejection (Hoermann, 1993)
    root, log_rate = math.sqrt(rate), math.log(rate)
    b = 0.931 + 2.53 * root
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    vr = 0.9277 - 3.6224 / (b - 2)
    while True:
        first, v = uniform_double(g, 2).tolist()
        u = first - 0.5
        us = 0.5 - abs(u)
        k = math.floor((2 * a / us + b) * u + rate + 0.43)
        if us >= 0.07 and v <= vr:
            return float(k)
        if k < 0 or (us < 0.013 and v > us):
            continue
        left = math.log(v) + math.log(inverse_alpha) - math.log(a / (us * us) + b)
        if left <= -rate + k * log_rate - math.lgamma(k + 1):
            return float(k)
