"""Arithmetic on Python integers and sizes, symbolically."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..types import dims
from ..types.dims import Dim, Poly
from ..types.kinds import BOOL, FLOAT, INT, Aval, Kind, int_aval
from ..types.spelling import Attribute
from .broadcasting import Broadcast
from .outcome import Guard, Outcome, fresh_results


def number_of(value: Any) -> Dim | None:
    """The symbolic number of a Python int, static or abstract; None if it is unknown."""
    if type(value) is int:
        return value
    if isinstance(value, Aval) and value.kind is Kind.INT and not value.optional:
        return value.expr
    return None


def is_integer(value: Any) -> bool:
    """Is it a Python int (not a bool), static or abstract?"""
    return type(value) is int or (isinstance(value, Aval) and value.kind is Kind.INT)


def product_of(sizes: Iterable[Dim]) -> Dim:
    """The number of elements of a shape."""
    start: Dim = 1
    return functools.reduce(dims.multiply, sizes, start)


_BINARY: dict[Any, Callable[[Any, Any], Any]] = {
    operator.add: dims.add,
    operator.iadd: dims.add,
    operator.sub: lambda a, b: dims.add(a, dims.multiply(-1, b)),
    operator.isub: lambda a, b: dims.add(a, dims.multiply(-1, b)),
    operator.mul: dims.multiply,
    operator.imul: dims.multiply,
    operator.floordiv: lambda a, b: None if b == 0 else dims.floor_divide(a, b),
    operator.ifloordiv: lambda a, b: None if b == 0 else dims.floor_divide(a, b),
    operator.mod: lambda a, b: None if b == 0 else dims.remainder(a, b),
    operator.imod: lambda a, b: None if b == 0 else dims.remainder(a, b),
}
_UNARY: dict[Any, Callable[[Any], Any]] = {
    operator.neg: lambda a: dims.multiply(-1, a),
    operator.pos: lambda a: a,
    operator.index: lambda a: a,
    int: lambda a: a,
    math.floor: lambda a: a,
    math.ceil: lambda a: a,
    math.trunc: lambda a: a,
    operator.invert: lambda a: dims.add(dims.multiply(-1, a), -1),
    abs: lambda a: a if dims.proves_nonnegative(a) else dims.maximum(a, dims.multiply(-1, a)),
    operator.abs: lambda a: a if dims.proves_nonnegative(a)
    else dims.maximum(a, dims.multiply(-1, a)),
}


def integer_result(fn: Callable[..., Any], args: tuple[Any, ...],
                   kwargs: dict[str, Any]) -> Outcome | None:
    """The outcome where it is integer arithmetic or a question about sizes; else None."""
    if kwargs:
        return None
    if type(fn) is Attribute or fn in _SIZES:
        return _size_question(fn, args)
    if fn is np.broadcast_shapes:
        return _common_shape(args)
    if not args or not all(map(is_integer, args)):
        return _of_sequence(fn, args)
    numbers = [number_of(a) for a in args]
    known = None not in numbers
    if len(args) == 2 and fn in _BINARY:
        return Outcome((int_aval(_BINARY[fn](*numbers) if known else None),))
    if len(args) == 1 and fn in _UNARY:
        return Outcome((int_aval(_UNARY[fn](numbers[0]) if known else None),))
    if len(args) == 1 and fn in (round,):
        return Outcome((int_aval(numbers[0]),))
    if fn in (max, min) and len(args) > 1:
        return Outcome((int_aval(_extreme(fn, numbers) if known else None),))
    if fn in (operator.pow, operator.ipow, pow) and len(args) == 2:
        return _power(args, numbers)
    if fn is divmod and len(args) == 2:
        quotient = _BINARY[operator.floordiv](*numbers) if known else None
        rest = _BINARY[operator.mod](*numbers) if known else None
        return Outcome((int_aval(quotient), int_aval(rest)), True, tuple, ("fresh",) * 2,
                       (None, None))
    if fn in _COMPARISONS:
        return Outcome((BOOL,))
    if fn in (operator.truediv, operator.itruediv) or (fn is float and len(args) == 1):
        return Outcome((FLOAT,))
    return None


def _common_shape(args: tuple[Any, ...]) -> Outcome | None:
    """``np.broadcast_shapes`` of tuples."""
    if not args or not all(type(a) is tuple and all(map(is_integer, a)) for a in args):
        return None
    if any(number_of(d) is None for a in args for d in a):
        return None
    broadcast = Broadcast()
    found = broadcast.shapes(*(tuple(number_of(d) or 0 for d in a) for a in args))
    views, sources = fresh_results(len(found))
    return Outcome(tuple(map(int_aval, found)), True, tuple, views, sources,
                   tuple(broadcast.guards), broadcast.uncertain)


_COMPARISONS = frozenset({operator.lt, operator.le, operator.gt, operator.ge, operator.eq,
                          operator.ne, bool, operator.truth, operator.not_})


def _extreme(fn: Any, numbers: list[Any]) -> Dim:
    combine = dims.maximum if fn is max else dims.minimum
    result: Dim = numbers[0]
    for n in numbers[1:]:
        result = combine(result, n)
    return result


def _power(args: tuple[Any, ...], numbers: list[Dim | None]) -> Outcome:
    base, exponent = numbers
    if type(exponent) is int and 0 <= exponent <= 8 and base is not None:
        return Outcome((int_aval(product_of([base] * exponent)),))
    if type(exponent) is int:
        return Outcome((INT if exponent >= 0 else FLOAT,))
    result = INT if exponent is None or base is None else int_aval(dims.power(base, exponent))
    if exponent is not None and dims.proves_nonnegative(exponent):
        return Outcome((result,))
    if exponent is None or dims.is_varying(exponent):
        return Outcome((Aval(Kind.NUMBER, np.dtype(np.float64), ()),))
    guard: Guard = ("ge0", exponent)
    return Outcome((result,), guards=(guard,))


def _of_sequence(fn: Callable[..., Any], args: tuple[Any, ...]) -> Outcome | None:
    """``max``, ``min``, ``sum``, ``math.prod`` of one sequence of integers."""
    if len(args) != 1 or type(args[0]) not in (tuple, list) or not args[0] \
            or not all(map(is_integer, args[0])):
        return None
    numbers = [number_of(a) for a in args[0]]
    if fn not in (max, min, sum, math.prod):
        return None
    if None in numbers:
        return Outcome((INT,))
    exact: list[Any] = list(numbers)
    none: Dim = 0
    found = functools.reduce(dims.add, exact, none) if fn is sum else (
        product_of(exact) if fn is math.prod else _extreme(fn, exact))
    return Outcome((int_aval(found),))


_SIZES: frozenset[Any] = frozenset({len, np.shape, np.ndim, np.size})


def _size_question(fn: Any, args: tuple[Any, ...]) -> Outcome | None:
    """``len(x)``, ``x.shape``, ``np.size(x, axis)`` … of an array or number of known rank."""
    if not args or not isinstance(args[0], Aval):
        return None
    aval = args[0]
    if aval.kind is Kind.LIST and fn is len:
        return Outcome((INT,))
    if aval.shape is None or not aval.is_numeric:
        return None
    name = fn.name if type(fn) is Attribute else fn.__name__
    if type(fn) is Attribute and aval.kind is not Kind.ARRAY and aval.kind is not Kind.SCALAR:
        return None
    if name == "dtype" and aval.dtype is not None:
        return Outcome((Aval(Kind.OPAQUE),), static=aval.dtype)
    if name == "ndim":
        return Outcome((int_aval(len(aval.shape)),), static=len(aval.shape))
    if name == "itemsize" and aval.dtype is not None:
        return Outcome((int_aval(aval.dtype.itemsize),), static=aval.dtype.itemsize)
    if name == "nbytes" and aval.dtype is not None:
        return _answer(dims.multiply(product_of(list(aval.shape)), aval.dtype.itemsize))
    if name == "shape":
        avals = tuple(int_aval(d) for d in aval.shape)
        if all(isinstance(d, int) for d in aval.shape):
            return Outcome(avals, True, tuple, *fresh_results(len(avals)),
                           static=tuple(aval.shape))
        return Outcome(avals, True, tuple, *fresh_results(len(avals)))
    if name == "size":
        if len(args) == 2 and type(args[1]) is int:
            return _answer(aval.shape[args[1]])
        return _answer(product_of(list(aval.shape))) if len(args) == 1 else None
    if fn is len:
        if not aval.shape:
            raise TypeError("len() of unsized object" if aval.kind is Kind.ARRAY else
                            f"object of type {aval.kind.value!r} has no len()")
        return _answer(aval.shape[0])
    return None


def _answer(dim: Dim) -> Outcome:
    if isinstance(dim, Poly):
        return Outcome((int_aval(dim),))
    return Outcome((int_aval(dim),), static=dim)
