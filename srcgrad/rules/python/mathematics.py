"""Python's ``math`` and ``cmath`` modules, where they are not NumPy under another name."""

from __future__ import annotations

import cmath
import math
from typing import Any

import numpy as np

from srcgrad.rules.book import Array, alias, elementwise, linear, nondiff, variant, vjp
from srcgrad.rules.broadcast import dispatching
from srcgrad.rules.nn.error_function import erf, erfc
from srcgrad.rules.nn.gamma_functions import digamma, lgamma
from srcgrad.rules.numpy.cumulative import products_of_others
from srcgrad.rules.numpy.elementary import natural_log

for _name, _function in (
    ("exp", np.exp), ("sin", np.sin), ("cos", np.cos), ("tan", np.tan), ("sinh", np.sinh),
    ("cosh", np.cosh), ("tanh", np.tanh), ("asin", np.arcsin), ("acos", np.arccos),
    ("atan", np.arctan), ("asinh", np.arcsinh), ("acosh", np.arccosh), ("atanh", np.arctanh),
    ("sqrt", np.sqrt), ("log10", np.log10),
):  # fmt: skip
    alias(_function, getattr(cmath, _name))

# of Python's numbers, which are several times as fast to compute with as NumPy's
_sin, _cos, _sinh, _sqrt = map(dispatching, (math.sin, math.cos, math.sinh, math.sqrt))

elementwise(math.sin, like=lambda x: None, x=lambda x: _cos(x))
elementwise(math.cos, like=lambda x: None, x=lambda x: -_sin(x))
elementwise(math.cosh, like=lambda x: None, x=lambda x: _sinh(x))
vjp(math.asin, like=lambda x: None, x=lambda ct, x: ct / _sqrt(1 - x * x))
vjp(math.acos, like=lambda x: None, x=lambda ct, x: -ct / _sqrt(1 - x * x))
vjp(math.asinh, like=lambda x: None, x=lambda ct, x: ct / _sqrt(x * x + 1))
vjp(math.acosh, like=lambda x: None, x=lambda ct, x: ct / (_sqrt(x - 1) * _sqrt(x + 1)))

nondiff(cmath.isclose, cmath.isfinite, cmath.isinf, cmath.isnan)

vjp(math.log, like=lambda x, base=None: None,
    x=lambda ct, x, base: ct / x if base is None else ct / (x * natural_log(base)),
    base=lambda ct, ans, base: -ct * ans / (base * natural_log(base)))

variant(math.log, cmath.log, lambda x, base=None: None)

for _target in (erf, erfc, lgamma):
    variant(_target, getattr(math, _target.__name__), lambda x: None)
elementwise(math.gamma, like=lambda x: None, x=lambda ans, x: ans * digamma(x))

elementwise(math.remainder, like=lambda x, y: None, x=lambda: 1)
vjp(math.remainder, y=lambda ct, x, y: -ct * np.rint(x / y))


@vjp(math.hypot, "coordinates", like=lambda *coordinates: None)
def hypot_coordinates(ct: Array, ans: Array, coordinates: tuple[Array, ...]) -> list[Array]:
    scale = ct / (ans + (ans == 0))
    return [scale * x for x in coordinates]


@vjp(math.dist, "p", like=lambda p, q: None, sequence=True)
def dist_p(ct: Array, ans: Array, p: Any, q: Any, p_shape: Any) -> Any:
    scale = ct / (ans + (ans == 0))
    if not isinstance(p_shape, list):
        return scale * (np.ravel(p) - np.ravel(q))
    return [scale * (p[i] - q[i]) for i in range(len(p_shape))]


vjp(math.dist, sequence=True, q=lambda ct, ans, p, q, q_shape: dist_p(ct, ans, q, p, q_shape))


@linear(sum, "seq", sequence=True, like=lambda seq, start=0: None)
@linear(math.fsum, "seq", sequence=True, like=lambda seq: None)
def fsum_seq(ct: Array, seq_shape: Any) -> Any:
    return [ct] * len(seq_shape) if isinstance(seq_shape, list) else np.broadcast_to(ct, seq_shape)


@vjp(math.prod, "iterable", sequence=True, like=lambda iterable, *, start=1: None)
def prod_iterable(ct: Array, iterable: Any, start: Any) -> Any:
    scale = ct if isinstance(start, int) and start == 1 else ct * start
    if not isinstance(iterable, list | tuple):
        return scale * products_of_others(np.ravel(iterable))
    others = products_of_others(np.stack(iterable))
    return [scale * others[i] for i in range(len(iterable))]


vjp(math.prod, start=lambda ct, iterable: ct * np.prod(
    np.stack(iterable) if isinstance(iterable, list | tuple) else np.ravel(iterable)))

vjp(cmath.phase, like=lambda z: None,
    z=lambda ct, z: -1j * ct * np.conj(z) / (np.real(z) ** 2 + np.imag(z) ** 2))


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


vjp(cmath.rect, like=lambda r, phi: None,
    r=lambda ct, phi: ct * np.exp(1j * phi),
    phi=lambda ct, ans: 1j * ct * ans)


def sumprod_p(ct: Array, q: Any, p_shape: Any) -> Any:
    if isinstance(p_shape, list):
        return [ct * q[i] for i in range(len(p_shape))]
    return ct * np.ravel(q)  # which may be a list


if hasattr(math, "sumprod"):  # Python 3.12
    vjp(math.sumprod, "p", like=lambda p, q: None, sequence=True)(sumprod_p)
    vjp(math.sumprod, sequence=True, q=lambda ct, p, q_shape: sumprod_p(ct, p, q_shape))
