"""Trigonometric and hyperbolic functions and their inverses."""

from __future__ import annotations

import math

import numpy as np

from srcgrad.rules.book import Array, Dtype, alias, elementwise, inactive, vjp
from srcgrad.rules.broadcast import runtime
from srcgrad.rules.quotients import divided

for _name in ("tan", "sinh", "tanh", "radians", "degrees"):
    alias(getattr(np, _name), getattr(math, _name))
for _name in ("sin", "cos", "tan", "tan2", "sinh", "cosh", "tanh"):
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
