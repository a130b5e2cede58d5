"""Elementary functions: trigonometric, exponential, rounding, of complex numbers."""

from __future__ import annotations

import math

import numpy as np

from srcgrad.rules.book import (
    Array,
    Dtype,
    alias,
    elementwise,
    entry,
    inactive,
    linear,
    nondiff,
    vjp,
)
from srcgrad.rules.broadcast import runtime
from srcgrad.rules.quotients import divided

# -- trigonometric and hyperbolic functions and their inverses ----------------------------------

for _name in ("tan", "sinh", "tanh", "radians", "degrees"):
    alias(getattr(np, _name), getattr(math, _name))
for _name in ("tan", "tan2", "tanh"):
    alias(getattr(np, f"arc{_name}"), getattr(math, f"a{_name}"))

elementwise(np.sin, x=lambda x: np.cos(x))
elementwise(np.cos, x=lambda x: -np.sin(x))
elementwise(np.tan, x=lambda ans: 1 + ans * ans)
vjp(np.arcsin, x=lambda ct, x, x_dtype: ct / _sine_slope(x, x_dtype))
vjp(np.arccos, x=lambda ct, x, x_dtype: -ct / _sine_slope(x, x_dtype))


def _sine_slope(x: Array, dtype: Dtype) -> Array:
    """``sqrt(1 - x**2)``; for complex numbers on the side of the cuts on which ``arcsin`` is."""
    if dtype.kind == "c":
        return np.sqrt(1 + x) * np.sqrt(-(x - 1))  # 1 - x would lose the sign of a zero
    return np.sqrt(1 - x * x)


vjp(np.arctan, x=lambda ct, x: ct / (1 + x * x))
vjp(np.arctan2, settings={"origin": "nan"},
    x1=lambda ct, x1, x2, origin: divided(ct * x2, _squared_radius(x1, x2, origin)),
    x2=lambda ct, x1, x2, origin: divided(-ct * x1, _squared_radius(x1, x2, origin)))


def _squared_radius(x1: Array, x2: Array, origin: str) -> Array:
    """``origin="zero"``: 1 at the origin, where the derivative is then 0 instead of NaN."""
    square = x1 * x1 + x2 * x2
    return np.where(square == 0, 1, square) if origin == "zero" else square


elementwise(np.sinh, x=lambda x: np.cosh(x))
elementwise(np.cosh, x=lambda x: np.sinh(x))
elementwise(np.tanh, x=lambda ans: 1 - ans * ans)
vjp(np.arcsinh, x=lambda ct, x: ct / np.sqrt(x * x + 1))

vjp(np.arccosh, x=lambda ct, x: ct / (np.sqrt(x - 1) * np.sqrt(x + 1)))  # the branch of arccosh

vjp(np.arctanh, x=lambda ct, x: ct / (1 - x * x))

elementwise(np.deg2rad, x=lambda: math.pi / 180)
elementwise(np.radians, x=lambda: math.pi / 180)
elementwise(np.rad2deg, x=lambda: 180 / math.pi)
elementwise(np.degrees, x=lambda: 180 / math.pi)

elementwise(np.unwrap, p=lambda: 1)
inactive(np.unwrap, "discont")


@runtime
def sinc_derivative(x: Array, n: int) -> Array:
    """The ``n``-th derivative of ``np.sinc``, accurate near 0 too.

    Recurrence ``z f_n = sin(z + n pi/2) - n f_{n-1}`` of ``f = sin(z)/z``; Taylor series where
    the recurrence cancels.
    """
    z = math.pi * np.asarray(x)
    near = np.abs(z) < 2 + n
    far = np.where(near, 1, z)
    value = np.sin(far) / far
    for k in range(1, n + 1):
        value = (np.sin(far + k * math.pi / 2) - k * value) / far
    small = np.where(near, z, 0)
    series = np.zeros_like(small)
    first = (n + 1) // 2
    for k in range(first + 20 + 2 * n, first - 1, -1):
        coefficient = (-1) ** k / (math.factorial(2 * k - n) * (2 * k + 1))
        series = series * small * small + coefficient
    series = series * small ** (2 * first - n)
    return math.pi**n * np.where(near, series, value)


elementwise(np.sinc, x=lambda x: sinc_derivative(x, 1))
elementwise(sinc_derivative, x=lambda x, n: sinc_derivative(x, n + 1))


# -- exponentials and logarithms ----------------------------------------------------------------

for _name in ("exp", "exp2", "expm1", "log2", "log10", "log1p", "sqrt", "cbrt"):
    alias(getattr(np, _name), getattr(math, _name))


def natural_log(x: Array) -> Array:
    """``log``, of a Python number as a Python number, which leaves narrow dtypes as they are."""
    return math.log(x) if isinstance(x, int | float) and x > 0 else np.log(x)


elementwise(np.exp, x=lambda ans: ans)
elementwise(np.exp2, x=lambda ans: ans * math.log(2))
elementwise(np.expm1, x=lambda ans: ans + 1)
vjp(np.log, x=lambda ct, x: ct / x)
vjp(np.log2, x=lambda ct, x: ct / (x * math.log(2)))
vjp(np.log10, x=lambda ct, x: ct / (x * math.log(10)))
vjp(np.log1p, x=lambda ct, x: ct / (1 + x))


def log_share(x: Array, total: Array) -> Array:
    """The logarithm of the share that ``exp(x)`` has in ``exp(total)``; an infinite term has all
    of it, one of ``-inf`` nothing."""
    return np.where(x == math.inf, 0, x) - np.where(np.isinf(x), 0, total)


elementwise(np.logaddexp,
    x1=lambda ans, x1: np.exp(log_share(x1, ans)),
    x2=lambda ans, x2: np.exp(log_share(x2, ans)))
elementwise(np.logaddexp2,
    x1=lambda ans, x1: np.exp2(log_share(x1, ans)),
    x2=lambda ans, x2: np.exp2(log_share(x2, ans)))


# -- rounding: piecewise constant, so without derivative wherever one exists --------------------

nondiff(
    np.floor, np.ceil, np.trunc, np.rint, np.fix, np.round, np.around,
    math.floor, math.ceil, math.trunc, round,
)  # fmt: skip


# -- real and imaginary parts, conjugates, phases -----------------------------------------------

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


# -- powers of complex numbers as the exponential of a logarithm, with rules --------------------

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
