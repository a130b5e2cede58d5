"""View steps in adjoints: what they select, and which of them need lowering.

Slices, transpositions and the like are views of every array, so a cotangent can be updated
through them in place.  Whether a *reshape* is a view depends on the memory layout, which the
cotangent need not share with its primal value (and a diagonal is read-only): from the first
such step on the adjoint works on the part as a value of its own and goes back by the transpose
of the step's function.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph.indexing import infer_getitem
from ..graph.ir import Index, Steps, Through, Value, avals_in
from ..graph.symbolic import fresh_symbol, infer_fresh
from ..types.dims import Dim
from ..types.kinds import Aval, Kind
from ..types.spelling import Attribute, Method
from .frames import cotangent_aval

_IMAG = (np.imag, Attribute("imag"))

# Functions that give a writable view of any array whatever its layout.
_VIEWS = frozenset({
    np.transpose, np.swapaxes, np.moveaxis, np.rollaxis, np.matrix_transpose, np.expand_dims,
    np.flip, np.fliplr, np.flipud, np.rot90, np.real, np.imag, np.asarray,
    Attribute("T"), Attribute("mT"), Attribute("real"), Attribute("imag"),
    Method("transpose"), Method("swapaxes"),
})


def sign(steps: Steps) -> int:
    """-1 if the steps go through an imaginary part, else 1."""
    return -1 if any(isinstance(s, Through) and s.fn in _IMAG for s in steps) else 1


def first_lowered(steps: Steps) -> int | None:
    """The position of the first step that needs lowering: a cotangent cannot be updated through
    it, whatever its memory layout."""
    return next((i for i, step in enumerate(steps) if not (
        isinstance(step, Index) or step.fn in _VIEWS)), None)


def covers_everything(steps: Steps) -> bool:
    """Do the steps certainly select every element?"""
    return all(_whole(s.key) if isinstance(s, Index) else s.fn in _VIEWS and s.fn not in _PARTIAL
               for s in steps)


def selects_all(steps: Steps) -> bool:
    """Are these ``[:]``, ``[...]``, ``[:, :]`` and the like?"""
    return all(isinstance(s, Index) and s.basic and _whole(s.key) and None not in s.parts
               for s in steps)


def rows_added(base: Value, value: Value, steps: Steps) -> Value | None:
    """The index, where ``base[index] += value`` adds rows of float64 to a matrix."""
    key = steps[0].key if len(steps) == 1 and isinstance(steps[0], Index) else None
    if not isinstance(key, Value) or key.aval.dtype is None or key.aval.dtype.kind != "i" or (
            key.aval.kind is not Kind.ARRAY or key.aval.shape is None or base.aval.optional):
        return None
    shapes = (base.aval.shape, value.aval.shape)
    rows = len(key.aval.shape) == 1 and all(s is not None and len(s) == 2 for s in shapes)
    doubles = all(v.aval.kind is Kind.ARRAY and v.aval.dtype == np.float64 for v in (base, value))
    return key if rows and doubles else None


_PARTIAL = (np.real, np.imag, Attribute("real"), Attribute("imag"))


def _whole(key: object) -> bool:
    parts = key if isinstance(key, tuple) else (key,)
    return all(p is Ellipsis or p is None
               or (isinstance(p, slice) and p.start in (None, 0) and p.stop is None
                   and p.step in (None, 1)) for p in parts)


def part_aval(aval: Aval, steps: Steps, masks: dict[Value, Dim]) -> Aval:
    """The facts about ``x[steps]`` for a cotangent ``x``.  ``masks`` holds how many elements
    boolean masks select, and is extended: all reads through one mask have one size."""
    for step in steps:
        if isinstance(step, Index):
            if aval.kind is not Kind.ARRAY and aval.shape == ():
                aval = aval.but(kind=Kind.ARRAY)  # a 0-d cotangent may be any kind of scalar
            aval = _indexed(aval, step.key, masks)
        else:
            args, kwargs = avals_in(step.args), dict(avals_in(step.kwargs))
            aval = infer_fresh(step.fn, (aval, *args), kwargs).aval
    return cotangent_aval(aval)


def _indexed(aval: Aval, key: Any, masks: dict[Value, Dim]) -> Aval:
    try:
        found = infer_getitem(aval, avals_in(key), fresh=fresh_symbol).aval
    except IndexError:  # the program's own read raises: this one is not reached
        sizes = tuple(fresh_symbol("size") for _ in aval.shape or ())
        found = infer_getitem(aval.but(shape=sizes), avals_in(key), fresh=fresh_symbol).aval
    if isinstance(key, Value) and key.aval.is_array and key.aval.dtype == bool and found.shape:
        return found.but(shape=(masks.setdefault(key, found.shape[0]), *found.shape[1:]))
    return found
