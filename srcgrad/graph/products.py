"""Shapes of matrix products and Einstein sums: the sizes summed over are equal or NumPy raises."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..types.dims import Dim
from ..types.kinds import Aval, Kind, array
from ..types.spelling import Method
from .broadcasting import Broadcast
from .generic import with_arrays
from .outcome import Outcome
from .probing import example


def product(fn: Callable[..., Any], args: tuple[Any, ...],
            kwargs: dict[str, Any]) -> Outcome | None:
    """The outcome of a product of arrays, None if ``fn`` is none (or probing knows better)."""
    if fn in _PRODUCTS:
        return _matrix_product(fn, args) if len(args) == 2 and not kwargs else None
    if fn is np.einsum:
        return _einsum(args, kwargs)
    if fn is np.vdot and len(args) == 2 and all(map(_is_array, args)):
        return Outcome(example(fn, tuple(array(a.dtype, (2,)) for a in args)).avals)
    if fn in (np.tensordot, np.linalg.tensordot) and len(args) in (2, 3):
        return _tensordot(*args, **kwargs) if set(kwargs) <= {"axes"} else None
    if fn is np.linalg.multi_dot and len(args) == 1 and not kwargs:
        return _chain(args[0])
    return None


def _is_array(value: Any) -> bool:
    return isinstance(value, Aval) and value.kind is Kind.ARRAY


def _matrix_product(fn: Callable[..., Any], args: tuple[Any, ...]) -> Outcome | None:
    a, b = with_arrays(args)
    if not all(_is_array(x) and x.shape for x in (a, b)):
        return None
    left, right = a.shape, b.shape
    inner = right[0] if len(right) == 1 else right[-2]
    if isinstance(left[-1], int) and isinstance(inner, int) and left[-1] != inner:
        return None  # probing has NumPy's own words for it
    rows, columns = left[:-1], right[-1:] if len(right) > 1 else ()
    broadcast = Broadcast()
    if fn in _DOT:
        shape = (*rows, *right[:-2], *columns)
    else:
        try:
            batch = broadcast.shapes(left[:-2], right[:-2])
        except ValueError:
            return None
        shape = (*batch, *rows[-1:], *columns)
    aval = example(fn, tuple(array(x.dtype, (1,) * len(x.shape)) for x in (a, b))).avals[0]
    return Outcome((aval.but(shape=shape) if aval.is_array else aval,),
                   guards=tuple(broadcast.guards), uncertain=broadcast.uncertain, orders=("C",))


def _tensordot(a: Any, b: Any, axes: Any = 2) -> Outcome | None:
    """Axes given by plain numbers."""
    if not (_is_array(a) and _is_array(b)):
        return None
    if type(axes) is int:
        summed = [tuple(range(a.ndim - axes, a.ndim)), tuple(range(axes))]
    elif isinstance(axes, tuple | list) and len(axes) == 2:
        summed = [tuple(x) if isinstance(x, tuple | list) else (x,) for x in axes]
    else:
        return None
    kept = []
    for operand, along in zip((a, b), summed):
        if not all(type(i) is int and -operand.ndim <= i < operand.ndim for i in along):
            return None
        places = [i % operand.ndim for i in along]
        kept.append([d for i, d in enumerate(operand.shape) if i not in places])
    pairs = [(a.shape[i], b.shape[j]) for i, j in zip(*summed)]
    if len(summed[0]) != len(summed[1]) or any(
            isinstance(m, int) and isinstance(n, int) and m != n for m, n in pairs):
        return None  # probing has NumPy's own words for it
    tiny = (array(x.dtype, (1,) * x.ndim) for x in (a, b))
    aval = example(np.tensordot, (*tiny, tuple(summed))).avals[0]
    return Outcome((aval.but(shape=tuple(kept[0] + kept[1])),), orders=("C",))


def _einsum(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outcome | None:
    """Subscripts in a string, without ellipsis."""
    if not args or not isinstance(args[0], str) or set(kwargs) - {"optimize"}:
        return None
    subscripts, operands = args[0].replace(" ", ""), args[1:]
    inputs, _, output = subscripts.partition("->")
    terms = inputs.split(",")
    if "." in subscripts or len(terms) != len(operands) or not all(map(_is_array, operands)):
        return None
    if "->" not in subscripts:
        letters = sorted(set(inputs) - {","})
        output = "".join(c for c in letters if inputs.count(c) == 1)
    sizes: dict[str, Dim] = {}
    broadcast = Broadcast()
    for term, operand in zip(terms, operands):
        if len(term) != len(operand.shape):
            return None
        for letter, size in zip(term, operand.shape):
            try:
                sizes[letter] = broadcast.pair(sizes.get(letter, size), size)
            except ValueError:
                return None
    if any(c not in sizes for c in output):
        return None
    tiny = tuple(array(x.dtype, (1,) * len(x.shape)) for x in operands)
    aval = example(np.einsum, (subscripts, *tiny)).avals[0]
    result = aval.but(shape=tuple(sizes[c] for c in output)) if aval.is_array else aval
    if len(terms) == 1 and set(output) == set(terms[0]) and aval.is_array:
        return Outcome((result,), views=("view",), sources=(0,))  # no sum: a writable view
    return Outcome((result,), guards=tuple(broadcast.guards), uncertain=broadcast.uncertain,
                   orders=("C" if len(output) < 2 else None,))


def _chain(factors: Any) -> Outcome | None:
    """``multi_dot``."""
    if not isinstance(factors, list | tuple) or len(factors) < 2 \
            or not all(map(_is_array, factors)):
        return None
    found: Outcome | None = Outcome((factors[0],))
    for factor in factors[1:]:
        if found is None or not _is_array(found.aval):
            return None
        found = _matrix_product(np.dot, (found.aval, factor))
    return found


_DOT: frozenset[Any] = frozenset({np.dot, Method("dot")})
_PRODUCTS: frozenset[Any] = _DOT | {operator.matmul, np.matmul}
