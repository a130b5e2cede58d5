"""Shape functions of one array along axes.

Functions that only drop, keep, permute or add unit axes are probed once per rank, on an array
whose axes all have different sizes (of many axes: on a few arrays): each size of the result names
the axis it comes from.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..types.dims import Dim, Poly, is_varying, multiply
from ..types.kinds import Aval, Kind, any_aval, array
from ..types.spelling import Attribute, Method
from .broadcasting import never_one
from .outcome import Guard, Order, Outcome
from .probing import Result, call, describe, merge_relations

_BOTH = ("all", "any", "argmax", "argmin", "cumprod", "cumsum", "max", "mean", "min", "prod",
         "round", "squeeze", "std", "sum", "swapaxes", "transpose", "var", "copy", "conj",
         "conjugate", "ptp", "argsort")
_FUNCTIONS = ("amax", "amin", "nansum", "nanmean", "nanmax", "nanmin", "nanprod", "nanstd",
              "nanvar", "median", "nanmedian", "sort", "flip", "flipud", "fliplr", "roll",
              "moveaxis", "rollaxis", "expand_dims", "zeros_like", "ones_like", "empty_like",
              "full_like", "count_nonzero", "rot90", "atleast_1d", "atleast_2d", "atleast_3d",
              "real", "imag", "tril", "triu", "around", "nancumsum", "nancumprod", "average",
              "fix", "angle")
_UFUNCS = (np.add, np.multiply, np.maximum, np.minimum, np.logical_and, np.logical_or, np.logaddexp)

_FAMILY: frozenset[Any] = frozenset([
    *(getattr(np, n) for n in _BOTH if hasattr(np, n)), *(Method(n) for n in _BOTH),
    *(getattr(np, n) for n in _FUNCTIONS if hasattr(np, n)), np.linalg.norm,
    Method("astype"), Attribute("T"), Attribute("mT"), Attribute("real"), Attribute("imag"),
    *(u.reduce for u in _UFUNCS), *(u.accumulate for u in _UFUNCS),
])
_SQUEEZES: frozenset[Any] = frozenset({np.squeeze, Method("squeeze")})

Places = list[tuple[int, ...]]  # of each axis of a result: its sizes for all example shapes
Probed = tuple[Result, list[Any], tuple[Order, ...], list[Places]]
_MEMO: dict[Any, Probed] = {}


def along_axes(fn: Callable[..., Any], args: tuple[Any, ...],
               kwargs: dict[str, Any]) -> Outcome | None:
    """The outcome of a function that selects axes of its first argument, else None."""
    if fn not in _FAMILY or not args or not isinstance(args[0], Aval) \
            or args[0].kind is not Kind.ARRAY or "shape" in kwargs:
        return None
    settings = (args[1:], tuple(kwargs.items()))
    source = args[0].shape or ()
    if not _is_static(settings) or (fn is np.average and any(
            isinstance(w, list | tuple) for w in (*args[2:], kwargs.get("weights")))):
        return None
    if fn in _SQUEEZES:
        source = _of_size_one(source, args[1:], kwargs)
    units = tuple(isinstance(d, int) and d == 1 for d in source)
    key = (fn, args[0].dtype, units, repr(settings))
    found = _MEMO.get(key)
    if found is None:
        found = _MEMO[key] = _probe(fn, args[0], units, args[1:], kwargs)
    result, relations, orders, places = found
    guards: list[Guard] = []
    if fn in _SQUEEZES and len(args) == 1 and kwargs.get("axis") is None:
        doubtful = [d for d in source if not never_one(d) and d != 1]
        if any(map(is_varying, doubtful)):
            return Outcome((any_aval(args[0].dtype),), views=("maybe",), sources=(0,))
        guards = [("ne1", d) for d in doubtful]
    avals = tuple(a.but(shape=_named(p, source, units)) if a.is_array else a.but(expr=None)
                  for a, p in zip(result.avals, places))
    return Outcome(avals, result.many, result.container, tuple(r[0] for r in relations),
                   tuple(r[1] for r in relations), tuple(guards), orders=orders)


def _of_size_one(source: tuple[Dim, ...], args: tuple[Any, ...],
                 kwargs: dict[str, Any]) -> tuple[Dim, ...]:
    """The sizes, with 1 for those that ``squeeze`` names: the call itself raises otherwise."""
    axes = args[0] if args else kwargs.get("axis")
    if axes is None:
        return source
    picked = {a % len(source) if source else a for a in (axes if isinstance(axes, tuple)
                                                         else (axes,)) if isinstance(a, int)}
    return tuple(1 if i in picked and isinstance(d, Poly) else d for i, d in enumerate(source))


def _named(places: Places, source: tuple[Dim, ...], units: tuple[bool, ...]) -> tuple[Dim, ...]:
    """The result's sizes by the axes of the source they come from: one axis, or all of them."""
    shapes = _examples(units)
    origin: dict[tuple[int, ...], Dim] = {(1,) * len(shapes): 1}
    count: Dim = 1
    for axis, d in enumerate(source):
        count = multiply(count, d)
        origin.setdefault(tuple(s[axis] for s in shapes), d)
    origin.setdefault(tuple(map(math.prod, shapes)), count)
    return tuple(origin[p] for p in places)


@functools.lru_cache(256)
def _examples(units: tuple[bool, ...]) -> list[tuple[int, ...]]:
    """Shapes whose sizes, taken together, tell the axes apart: one shape, or of many axes
    several in which each axis has size 2 or 3."""
    one = tuple(1 if unit else 2 + axis for axis, unit in enumerate(units))
    if math.prod(one) <= 1 << 20:
        return [one]
    wide = [axis for axis, unit in enumerate(units) if not unit]
    number = next(n for n in itertools.count(2) if n * (n + 1) // 2 >= len(wide))
    marks = [m for size in (1, 2) for m in itertools.combinations(range(number), size)]
    threes = dict(zip(wide, marks))
    return [tuple(1 if unit else 3 if k in threes[axis] else 2 for axis, unit in enumerate(units))
            for k in range(number)]


def _is_static(structure: Any) -> bool:
    """Does the structure consist of plain settings only?"""
    if isinstance(structure, tuple | list):
        return all(map(_is_static, structure))
    return structure is None or isinstance(
        structure, bool | int | float | complex | str | type | np.dtype | type(np._NoValue))


def _probe(fn: Callable[..., Any], aval: Aval, units: tuple[bool, ...], args: tuple[Any, ...],
           kwargs: dict[str, Any]) -> Probed:
    shape, *more = _examples(units)
    shift = None if more else 0.0  # zeros cost nothing
    seen = [describe(call(fn, (array(aval.dtype, shape), *args), kwargs, {}, layout, shift))
            for layout in ("C", "F", "gaps")]
    relations = [merge_relations([r.relations[i] for r in seen])
                 for i in range(len(seen[0].avals))]
    flags = zip(*(r.contiguous for r in seen))
    orders: tuple[Order, ...] = tuple(
        "C" if all(f) else "keep" if f[0] else None for f in flags)
    others = [describe(call(fn, (array(aval.dtype, s), *args), kwargs, {}, "C", shift))
              for s in more]
    places = [list(zip(*(r.avals[i].shape or () for r in (seen[0], *others))))
              for i in range(len(seen[0].avals))]
    return seen[0], relations, orders, places
