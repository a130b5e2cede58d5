"""Values of unknown kind or rank: the answer must cover every kind they may turn out to be."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import UnsupportedOperation
from ..types.dims import Dim, symbol, symbols
from ..types.kinds import SCALARS, Aval, Kind, any_aval, array, join, python_scalar, scalar
from ..types.structure import mapped
from .generic import Demand, leaves_of
from .outcome import Outcome, placeholder

_ROW, _COLUMN = symbol("'rows", low=2), symbol("'columns", low=2)  # no name of a program's
_COUNT = symbol("'count", low=0)
_STAND_INS = frozenset(a for dim in (_ROW, _COLUMN, _COUNT) for a in symbols(dim))
_PYTHON = {np.dtype(bool): Kind.BOOL, np.dtype(np.int64): Kind.INT,
           np.dtype(np.float64): Kind.FLOAT, np.dtype(np.complex128): Kind.COMPLEX}


def has_unknown_kind(aval: Aval) -> bool:
    """Is the kind or dtype only known at run time?"""
    return aval.kind in (Kind.NUMBER, Kind.ANY) or (
        aval.kind in (Kind.ARRAY, Kind.SCALAR) and aval.dtype is None) or (
        aval.elem is not None and has_unknown_kind(aval.elem))


def variants(aval: Aval, narrow: bool = False) -> list[Aval]:
    """The definite abstract values that ``aval`` stands for (ranks above 2 stand for none);
    ``narrow``: the integers that a number of a wider dtype may be."""
    if aval.kind is Kind.LIST and aval.elem is not None:
        return [aval.but(elem=e) for e in variants(aval.elem, narrow)] if has_unknown_kind(
            aval.elem) else [aval]
    if not has_unknown_kind(aval):
        return [aval]
    dtypes = [aval.dtype] if aval.dtype is not None else [
        np.dtype(np.float64), np.dtype(np.complex128)]
    if narrow and aval.kind in (Kind.NUMBER, Kind.ANY) and (
            aval.dtype is None or aval.dtype.kind in "fc"):
        return [python_scalar(Kind.INT).but(expr=_COUNT)]
    found: list[Aval] = []
    for dtype in dtypes:
        if aval.kind is Kind.ARRAY:
            found.append(aval.but(dtype=dtype))
            continue
        if dtype in _PYTHON and aval.kind is not Kind.SCALAR:
            found.append(python_scalar(_PYTHON[dtype]))
        found.append(scalar(dtype))
        if aval.kind is Kind.ANY:
            found.extend((array(dtype, (_ROW,)), array(dtype, (_COLUMN, _ROW))))
    return found


def by_variants(infer: Callable[..., Outcome], fn: Callable[..., Any], args: tuple[Any, ...],
                kwargs: dict[str, Any]) -> Outcome:
    """The join of what ``fn`` returns for every combination of definite kinds."""
    leaves = leaves_of((args, kwargs))
    unknown_dtype = any(a.dtype is None and a.kind is not Kind.LIST and a.is_numeric
                        for a in leaves)
    choices = [variants(a) for a in leaves]
    outcomes, failure = _tried(infer, fn, (args, kwargs), choices)
    if not outcomes:  # one of the numbers is a count, for instance
        for i, leaf in enumerate(leaves):
            narrowed = [*choices[:i], variants(leaf, narrow=True), *choices[i + 1:]]
            if narrowed[i] != choices[i]:  # which may be an integer after all
                outcomes += _tried(infer, fn, (args, kwargs), narrowed)[0]
    if not outcomes:
        assert failure is not None
        raise failure
    joined = _joined(outcomes)
    if not unknown_dtype:
        return joined
    return replace(joined, avals=tuple(_without_dtype(a) for a in joined.avals))


def _tried(infer: Callable[..., Outcome], fn: Callable[..., Any], given: tuple[Any, Any],
           choices: list[list[Aval]]) -> tuple[list[Outcome], Exception | None]:
    """The outcomes for the combinations of kinds that ``fn`` accepts, and the last refusal."""
    outcomes: list[Outcome] = []
    failure: Exception | None = None
    for chosen in itertools.islice(itertools.product(*choices), 64):
        try:
            outcomes.append(infer(fn, *_with_leaves(given, chosen)))
        except (TypeError, ValueError, IndexError, AttributeError, ArithmeticError,
                UnsupportedOperation, Demand) as err:
            failure = err
    return outcomes, failure


def _with_leaves(structure: Any, leaves: Iterable[Aval]) -> Any:
    """The structure with other abstract leaves, in order."""
    supply = iter(leaves)
    return mapped(structure, Aval, lambda _: next(supply))


def _without_dtype(aval: Aval) -> Aval:
    if aval.kind is Kind.ARRAY or aval.kind is Kind.ANY:
        inexact = aval.dtype is not None and aval.dtype.kind in "fc"
        return aval.but(dtype=None) if inexact else aval
    truth = aval.dtype is not None and aval.dtype.kind == "b"  # whatever is compared
    if aval.kind in (Kind.SCALAR, Kind.FLOAT, Kind.NUMBER, Kind.COMPLEX) and not truth:
        return Aval(Kind.NUMBER, None, ())
    return aval


def _joined(outcomes: list[Outcome]) -> Outcome:
    first = outcomes[0]
    if any(o.many != first.many or len(o.avals) != len(first.avals) for o in outcomes):
        return Outcome((Aval(Kind.OPAQUE),))
    avals = tuple(_cover([o.avals[i] for o in outcomes]) for i in range(len(first.avals)))
    views = []
    sources: list[int | None] = []
    for i in range(len(first.avals)):
        kinds = {o.views[i] for o in outcomes}
        found = [o.sources[i] for o in outcomes if o.sources[i] is not None]
        views.append(first.views[i] if len(kinds) == 1 else "layout")
        sources.append(found[0] if found else None)
    guards = tuple(dict.fromkeys(
        g for o in outcomes for g in o.guards if not _is_stand_in(g[1])))
    orders = first.orders if all(o.orders == first.orders for o in outcomes) else ()
    return Outcome(avals, first.many, first.container, tuple(views), tuple(sources), guards,
                   uncertain=True, orders=orders)


def _cover(avals: list[Aval]) -> Aval:
    """An abstract value that covers all; sizes that mention a stand-in become unknown."""
    if all(a == avals[0] for a in avals) and not _mentions_stand_in(avals[0]):
        return avals[0]
    if all(a.kind is Kind.ARRAY for a in avals) and len({a.ndim for a in avals}) == 1 and (
            len({a.dtype for a in avals}) == 1 or all(a.is_inexact for a in avals)):
        columns = list(zip(*(a.shape or () for a in avals)))
        shape = tuple(
            c[0] if len(set(c)) == 1 and not _is_stand_in(c[0]) else placeholder(3000 + i)
            for i, c in enumerate(columns))
        dtype = avals[0].dtype if len({a.dtype for a in avals}) == 1 else None
        return avals[0].but(shape=shape, dtype=dtype)
    if all(a.kind in SCALARS for a in avals):
        joined = avals[0]
        for a in avals[1:]:
            joined = join(joined, a)
        return joined.but(expr=None)
    if all(a.is_numeric for a in avals):
        dtype = avals[0].dtype
        for a in avals[1:]:
            both = join(any_aval(dtype), any_aval(a.dtype))
            dtype = both.dtype
        return any_aval(dtype)
    joined = avals[0]
    for a in avals[1:]:
        joined = join(joined, a)
    return joined


def _is_stand_in(dim: Dim) -> bool:
    return not _STAND_INS.isdisjoint(symbols(dim))


def _mentions_stand_in(aval: Aval) -> bool:
    return any(map(_is_stand_in, aval.shape or ()))
