"""Probing: calling a function on tiny dummies to see what it returns.

The kind and dtype of a result depend on rules that only NumPy itself knows well (promotion of
Python scalars, results that are scalars rather than 0-d arrays, integer sums that widen); so it
is asked.  Dummies have well-conditioned values in (0.2, 0.9), matrices for linear algebra are
diagonally dominant.  Nothing random or with effects is ever probed.
"""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from ..errors import UnsupportedOperation
from ..types.dataclasses import dataclass
from ..types.dims import Atom, evaluate
from ..types.kinds import Aval, Kind, aval_of
from ..types.structure import mapped
from .outcome import View

Sizes = Mapping[Atom, int]


# What dummies are moved by, one after the other, where a function refuses the usual numbers
# (``math.acosh`` of 0.7): beyond 1, below 0, all 0 (None), columns that sum to 1 (NaN), all 1.
ALL_ONES = -math.inf
SHIFTS = (0.0, 1.0, -1.0, None, math.nan, ALL_ONES)
# Arrays that begin and end with zeros: what counts numbers that are not zero, or finds a rank, has
# other sizes then.
ZEROS_AT_ENDS = math.inf


_KEPT = 1 << 12  # elements of the largest examples that are made once


def _filled(dtype: np.dtype[Any], shape: tuple[int, ...], square: bool,
            shift: float | None = 0.0) -> np.ndarray[Any, Any]:
    """Numbers of a dtype and shape; small arrays are kept."""
    make = _made if math.prod(shape) <= _KEPT else _made.__wrapped__
    return make(dtype, shape, square, shift)


@functools.cache
def _made(dtype: np.dtype[Any], shape: tuple[int, ...], square: bool,
            shift: float | None = 0.0) -> np.ndarray[Any, Any]:
    count = math.prod(shape)
    if shift is None:
        return np.zeros(shape, dtype)
    if shift == ALL_ONES:
        return np.ones(shape, dtype)
    steps = np.arange(count)
    values: np.ndarray[Any, Any]
    if dtype.kind == "b":
        values = (steps % 2 == 0).reshape(shape)
    elif dtype.kind in "iu":
        values = (1 + steps % 2).reshape(shape)
        if square:
            values = values + np.swapaxes(values, -1, -2) + 9 * np.eye(shape[-1], dtype=int)
        values = values.astype(dtype)
    elif dtype.kind in "fc":
        # vectors increase (bins, nodes and knots must), matrices are in general position
        spread = (steps + 0.5) / max(count, 1) if len(shape) < 2 else (0.5 + steps * 0.618034) % 1.0
        moved = shift if math.isfinite(shift) else 0.0
        values = (0.2 + 0.7 * spread + moved).reshape(shape)
        if math.isnan(shift) and shape:
            values = values / np.sum(values, axis=0)
        if dtype.kind == "c":
            values = np.asarray(values + 0.1j)
        if square:
            values = 0.05 * (values + np.conj(np.swapaxes(values, -1, -2)))
            values = values + 2 * np.eye(shape[-1])
        values = values.astype(dtype)
        if shift == ZEROS_AT_ENDS:
            inner = tuple(slice(1, -1) if n > 2 else slice(None) for n in shape)
            full, values = values, np.zeros(shape, dtype)
            values[inner] = full[inner]
    else:
        values = np.zeros(shape, dtype)
    return values


def _laid_out(values: np.ndarray[Any, Any], layout: str) -> np.ndarray[Any, Any]:
    """A copy of ``values`` in C order, Fortran order or with gaps between the elements."""
    if layout == "C" or values.ndim == 0:
        return values.copy() if values.size <= _KEPT else values
    if layout == "F":
        return np.array(values, order="F")
    wide = np.repeat(values, 2, axis=-1)
    return wide[..., ::2]


def _zeros(shape: tuple[int, ...], dtype: np.dtype[Any], layout: str) -> np.ndarray[Any, Any]:
    if layout == "gaps" and shape:
        return np.zeros((*shape[:-1], 2 * shape[-1]), dtype)[..., ::2]
    return np.zeros(shape, dtype, order="F" if layout == "F" else "C")


def dummy(aval: Aval, sizes: Sizes, layout: str = "C", definite: bool = False,
          shift: float | None = 0.0, raised: int = 0) -> Any:
    """An object of the kind, dtype and (under ``sizes``) shape of ``aval``; ``raised`` is added to
    the integers in arrays and lists."""
    kind = aval.kind
    if kind is Kind.ARRAY:
        assert aval.shape is not None and aval.dtype is not None
        shape = tuple(evaluate(d, sizes) for d in aval.shape)
        if shift is None:
            return _zeros(shape, aval.dtype, layout)
        square = definite and len(shape) >= 2 and shape[-1] == shape[-2] and shape[-1] > 0
        made = _laid_out(_filled(aval.dtype, shape, square, shift), layout)
        if not raised or made.dtype.kind not in "iu":
            return made
        return np.asarray(made + made.dtype.type(raised))  # without axes their sum is a number
    if kind is Kind.FLOAT:
        return _number(shift)
    if kind is Kind.INT:
        return 2 if aval.expr is None else evaluate(aval.expr, sizes)
    if kind is Kind.SCALAR:
        assert aval.dtype is not None
        if aval.dtype.kind in "iu" and aval.expr is not None:
            return aval.dtype.type(evaluate(aval.expr, sizes))
        return _filled(aval.dtype, (2,), False, shift)[1] if aval.dtype.kind != "b" else np.True_
    if kind is Kind.BOOL:
        return True
    if kind is Kind.COMPLEX:
        return _number(shift) + 0.1j
    if kind is Kind.NONE:
        return None
    if kind is Kind.LIST and aval.elem is not None:
        length = 3 if aval.expr is None else evaluate(aval.expr, sizes)
        return [dummy(aval.elem, sizes, layout, definite, shift) for _ in range(length)]
    raise UnsupportedOperation(
        f"a function is called with {aval}", why="what it returns is found by calling it with an "
        "example, and there is none of what only a run knows",
        fix="hand it numbers or arrays, or call it on what does not depend on data")


def _number(shift: float | None) -> float:
    return 0.0 if shift is None else 0.7 + shift if math.isfinite(shift) else 0.7


def is_linear_algebra(fn: Callable[..., Any]) -> bool:
    """Does ``fn`` need well-conditioned square matrices?"""
    module = getattr(fn, "__module__", None) or type(getattr(fn, "__self__", None)).__module__
    return "linalg" in module or "multivariate" in module


def trusts_pivots(fn: Callable[..., Any]) -> bool:
    """Does ``fn`` exchange rows by numbers that it does not check?  Numbers of rows that are not
    there would make it write outside of its memory."""
    return getattr(fn, "__name__", "") == "lu_solve"


@dataclass(frozen=True, slots=True)
class Probe:
    """What one call returned: ``result``, and the dummies it was called with."""

    result: Any
    inputs: list[Any]


def call(fn: Callable[..., Any], args: Any, kwargs: Any, sizes: Sizes, layout: str = "C",
         shift: float | None = 0.0, raised: int = 0, spread: float = 0.0) -> Probe:
    """Call ``fn`` on dummies, silently.  Other numbers are tried where it refuses the usual ones
    for what they are (a singular matrix, a number out of its domain); other exceptions, which
    may be about sizes, pass through.  Floats differ by ``spread`` from one to the next."""
    try:
        return _called(fn, args, kwargs, sizes, layout, shift, raised, spread)
    except (ArithmeticError, np.linalg.LinAlgError, ValueError) as refused:
        if shift != 0.0 or not _of_values(fn, refused):
            raise
        for other in SHIFTS[1:]:
            try:
                return _called(fn, args, kwargs, sizes, layout, other, raised)
            except (ArithmeticError, ValueError):
                continue
        raise


def _of_values(fn: Callable[..., Any], error: Exception) -> bool:
    """Is the exception about numbers, not about sizes?"""
    return isinstance(error, ArithmeticError | np.linalg.LinAlgError) or (
        getattr(fn, "__module__", "") in ("math", "cmath"))


def _called(fn: Callable[..., Any], args: Any, kwargs: Any, sizes: Sizes, layout: str,
            shift: float | None, raised: int, spread: float = 0.0) -> Probe:
    made: list[Any] = []
    definite, pivoted = is_linear_algebra(fn), trusts_pivots(fn)

    def make(aval: Aval) -> Any:
        example = dummy(aval, sizes, layout, definite, shift, raised)
        if pivoted and isinstance(example, np.ndarray) and example.dtype.kind in "iu":
            example[...] = 0
        if spread and aval.kind in (Kind.FLOAT, Kind.SCALAR) and aval.is_inexact:
            example = type(example)(example + spread * len(made))
        made.append(example)
        return example

    actual, named = mapped(args, Aval, make), mapped(kwargs, Aval, make)
    if definite and shift == 0.0:
        actual = tuple(map(_well_conditioned, actual))
        named = {name: _well_conditioned(value) for name, value in named.items()}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return Probe(fn(*actual, **named), made)
        except IndexError:  # integers were indices into something short
            if not any(isinstance(m, np.ndarray) and m.dtype.kind in "iu" for m in made):
                raise
            for example in made:
                if isinstance(example, np.ndarray) and example.dtype.kind in "iu":
                    example[...] = 0
            return Probe(fn(*actual, **named), made)


def _well_conditioned(rows: Any) -> Any:
    """A square matrix as a list of rows, with more on its diagonal, and numbers of the same types:
    lone numbers are equal, so are rows of one length."""
    if not isinstance(rows, list | tuple):
        return rows
    try:
        shape = np.shape(rows)
    except ValueError:  # rows of different lengths
        return rows
    if len(shape) < 2 or shape[-1] != shape[-2]:
        return rows
    return _raised(rows, 2 * np.eye(shape[-1]) + np.zeros(shape))


def _raised(rows: Any, by: np.ndarray[Any, Any]) -> Any:
    if type(rows) in (list, tuple):
        return type(rows)(map(_raised, rows, by))
    return (rows + by).astype(rows.dtype) if isinstance(rows, np.ndarray) else type(rows)(rows + by)


@dataclass(frozen=True, slots=True)
class Result:
    """The pieces of a result: abstract values with concrete sizes, and their relation to the
    inputs (see :class:`~srcgrad.graph.outcome.Outcome`)."""

    avals: tuple[Aval, ...]
    many: bool
    container: type | None
    relations: tuple[tuple[View, int | None], ...]
    contiguous: tuple[bool, ...]


def describe(probe: Probe) -> Result:
    """The abstract values of what a probe returned."""
    value = probe.result
    if isinstance(value, tuple | list):
        parts = tuple(value)
        return Result(tuple(aval_of(p) for p in parts), True, type(value),
                      tuple(relation(p, probe.inputs) for p in parts),
                      tuple(map(_is_contiguous, parts)))
    return Result((aval_of(value),), False, None, (relation(value, probe.inputs),),
                  (_is_contiguous(value),))


_EXAMPLES: dict[Any, Result] = {}


def example(fn: Callable[..., Any], args: tuple[Any, ...],
            kwargs: Mapping[str, Any] = MappingProxyType({})) -> Result:
    """What a function returns for arguments whose sizes are numbers, memoised where these can be
    a key: equal numbers of two types are two keys.

    >>> [str(example(np.full, (3,), {"fill_value": value}).avals[0]) for value in (1, 1.0)]
    ['i8[3]', 'f8[3]']
    """
    values = (*args, *kwargs.values())
    key = (fn, values, tuple(kwargs), tuple(map(type, values)))
    try:
        found = _EXAMPLES.get(key)
    except TypeError:
        return describe(call(fn, args, kwargs, {}))
    if found is None:
        found = _EXAMPLES[key] = describe(call(fn, args, kwargs, {}))
    return found


def _is_contiguous(value: Any) -> bool:
    return isinstance(value, np.ndarray) and bool(value.flags.c_contiguous)


def relation(value: Any, inputs: list[Any]) -> tuple[View, int | None]:
    """Is ``value`` one of the inputs, a view of one, or new?"""
    if not isinstance(value, np.ndarray):
        return "fresh", None
    for i, x in enumerate(inputs):
        if x is value:
            return "same", i
    for i, x in enumerate(inputs):
        if isinstance(x, np.ndarray) and np.may_share_memory(x, value):
            return "view", i
    return "fresh", None


def merge_relations(seen: list[tuple[View, int | None]]) -> tuple[View, int | None]:
    """The relation that covers what was seen under different memory layouts, C order first."""
    if len(set(seen)) == 1:
        return seen[0]
    source = next(i for kind, i in seen if kind != "fresh")
    return "layout" if seen[0][0] == "fresh" else "maybe", source
