"""Types of results: what an ``apply`` returns, before anything runs.

:func:`infer` answers from three sources, in this order: arithmetic on symbolic Python integers
and sizes (:mod:`.integers`), explicit shape functions of the common families (:mod:`.shapes`),
and for everything else probes with several assignments of small sizes whose results are
recognised (:mod:`.sizes`).  Kinds and dtypes always come from probing.  Answers are memoised.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from types import BuiltinFunctionType
from typing import Any

import numpy as np

from ..errors import UnsupportedOperation
from ..types.kinds import Aval, Kind, any_aval, python_scalar
from ..types.spelling import At, Method, Part
from ..types.structure import mapped
from .callback import result_of_callback
from .generic import Demand, check_may_probe, generic, leaves_of, name_of
from .indexing import Indexed, infer_getitem
from .integers import integer_result
from .ir import Ref
from .outcome import MISSING, Fresh, Outcome
from .purity import may_probe, writes_to_argument
from .shapes import explicit
from .variants import by_variants, has_unknown_kind

_MEMO: dict[Any, Outcome] = {}
_MEMO_LIMIT = 20_000


def infer(fn: Callable[..., Any], args: tuple[Any, ...],
          kwargs: dict[str, Any] | None = None) -> Outcome:
    """The result types of ``fn(*args, **kwargs)``.

    ``args`` and ``kwargs`` are nested tuples, lists, dicts and slices whose leaves are
    :class:`~srcgrad.types.kinds.Aval` (values only known at run time) or static Python objects.
    The caller replaces placeholders (``Outcome.has_placeholders``) by fresh sizes with
    ``Outcome.instantiate``.

    Raises what NumPy would raise where the user's program is certainly wrong (shapes, axes,
    types), ``UnsupportedOperation`` where ``fn`` may not be probed or no sizes fit, and
    :class:`Demand` where the number behind a symbolic integer is needed (an axis).

    >>> from srcgrad.types.kinds import array
    >>> from srcgrad.types.dims import symbol
    >>> n, m = symbol("n"), symbol("m")
    >>> str(infer(np.matmul, (array(float, (m, n)), array(float, (n,)))).aval)
    'f8[m]'
    >>> str(infer(np.sum, (array("f4", (m, n)),), {"axis": 0, "keepdims": True}).aval)
    'f4[1,n]'
    """
    kwargs = kwargs or {}
    try:
        key = (fn, freeze(args), freeze(kwargs) if kwargs else None)
        found = _MEMO.get(key)
    except TypeError:  # something unhashable among the static arguments
        return _infer(fn, args, kwargs)
    if found is None:
        found = _infer(fn, args, kwargs)
        if len(_MEMO) >= _MEMO_LIMIT:
            _MEMO.clear()
        _MEMO[key] = found
    return found


def _infer(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outcome:
    if isinstance(fn, At):
        return infer(fn.fn, fn.order(args), kwargs)
    if isinstance(fn, Part):
        return _part(infer(fn.fn, args, kwargs), fn.index)
    if not _has_hash(fn):  # a pointer to C code, for instance
        raise UnsupportedOperation(
            f"a call of an object of type {type(fn).__name__}",
            why="what it does cannot be known",
            fix="call it in a function with a rule (srcgrad.rules.vjp) or a derivative of its own "
                "(srcgrad.custom_vjp)")
    leaves = leaves_of((args, kwargs))
    if any(map(_has_span, leaves)):
        return _between(fn, args, kwargs)
    option = writes_to_argument(fn, args, kwargs)
    if option is not None:
        raise UnsupportedOperation(
            f"{name_of(fn)} with {option}",
            why="it writes into its argument, which the graph has to know of",
            fix="leave the option out, and store the result where it belongs: `x[...] = ...`")
    if any(a.optional for a in leaves):
        args, kwargs = _definite(args), _definite(kwargs)
    found = result_of_callback(fn, args, kwargs)
    if found is not None:
        return found
    if any(a.kind is Kind.OPAQUE or (a.kind is Kind.LIST and a.elem is None) for a in leaves):
        return _of_opaque(fn, args, kwargs, leaves)
    found = integer_result(fn, args, kwargs)
    if found is not None:
        return found
    if any(has_unknown_kind(a) for a in leaves):
        return by_variants(_infer, fn, args, kwargs)
    found = explicit(fn, args, kwargs)
    return generic(fn, args, kwargs) if found is None else found


def _between(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outcome:
    """The result for operands whose dtypes depend on the path: that for the widest, with the
    dtypes that it has for the narrowest."""
    wide = _infer(fn, *mapped((args, kwargs), Aval, lambda a: _at_end(a, wide=True)))
    try:
        narrow = _infer(fn, *mapped((args, kwargs), Aval, lambda a: _at_end(a, wide=False)))
    except (TypeError, ValueError, UnsupportedOperation):  # that path raises at run time
        return wide
    if len(wide.avals) != len(narrow.avals):
        return wide
    avals = tuple(_spanned(w, n) for w, n in zip(wide.avals, narrow.avals))
    static = wide.static
    if type(static) is not type(narrow.static) or static != narrow.static:
        if isinstance(static, np.dtype):
            avals = (Aval(Kind.OPAQUE, static, least=narrow.static),)
        static = MISSING
    views = tuple([w if w == n else "layout" for w, n in zip(wide.views, narrow.views)])
    return replace(wide, avals=avals, static=static, views=views,
                   uncertain=wide.uncertain or wide.views != narrow.views)


def _spanned(wide: Aval, narrow: Aval) -> Aval:
    """One result, for the widest and the narrowest dtypes of the operands."""
    if wide.kind is Kind.INT and wide.expr != narrow.expr:
        return wide.but(expr=None)
    if wide.kind is narrow.kind and wide.dtype is not None is not narrow.dtype and (
            wide.dtype != narrow.dtype):
        return wide.but(least=narrow.dtype)
    return wide


def _has_span(aval: Aval) -> bool:
    """May the value, or what the list holds, have one of several dtypes?"""
    return aval.least is not None or (aval.elem is not None and _has_span(aval.elem))


def _at_end(aval: Aval, wide: bool) -> Any:
    """The aval with the widest or narrowest dtype that it may have; of a dtype itself, that one."""
    if aval.elem is not None and _has_span(aval.elem):
        return aval.but(elem=_at_end(aval.elem, wide))
    if aval.least is None:
        return aval
    dtype = aval.dtype if wide else aval.least
    return dtype if aval.kind is Kind.OPAQUE else aval.but(dtype=dtype, least=None)


def _has_hash(fn: Any) -> bool:
    try:
        hash(fn)
    except TypeError:
        return False
    return True


def _part(outcome: Outcome, index: int) -> Outcome:
    """One of several outputs."""
    if not outcome.many:
        return Outcome((outcome.aval.elem or Aval(Kind.OPAQUE),))
    pick = slice(index, index + 1 or None)
    return replace(outcome, avals=outcome.avals[pick], views=outcome.views[pick], many=False,
                   sources=outcome.sources[pick], orders=outcome.orders[pick], container=None)


def _of_opaque(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any],
               leaves: list[Aval]) -> Outcome:
    """Whatever is done to an object of unknown type gives another one; functions of the rule
    book return arrays of the shape that they are given, if only a run knows that of any."""
    of_rules = (getattr(fn, "__module__", "") or "").startswith("srcgrad.rules")
    if of_rules and (told := explicit(fn, args, kwargs)) is not None:
        return told
    numeric = [a for a in leaves if a.is_numeric]
    if numeric and (fn in (np.reshape, np.broadcast_to, Method("reshape")) or of_rules):
        return Outcome((any_aval(numeric[0].dtype),))
    from_type: dict[Any, Kind] = {len: Kind.INT, bool: Kind.BOOL, int: Kind.INT,
                                  float: Kind.FLOAT, complex: Kind.COMPLEX,
                                  math.prod: Kind.INT}  # the last of a shape
    if fn in from_type:
        return Outcome((python_scalar(from_type[fn]),))
    if any(a.is_array for a in leaves) and isinstance(fn, BuiltinFunctionType) and (
            not may_probe(fn)):
        check_may_probe(fn, ())  # it may write into the array
    return Outcome((Aval(Kind.OPAQUE),))


def _definite(structure: Any) -> Any:
    """The structure without ``optional`` marks: had it been None, NumPy would have raised."""
    return mapped(structure, Aval, lambda a: a.but(optional=False) if a.optional else a)


def freeze(structure: Any) -> Any:
    """A hashable key of a structure that tells ``1``, ``1.0`` and ``True`` apart, and ``-0.0``."""
    kind = type(structure)
    if kind is Aval:
        return structure
    if kind is tuple:
        return tuple([s if type(s) is Aval else freeze(s) for s in structure])
    if kind is Ref:
        return (kind, structure.index)  # hashed faster than the reference itself
    if structure is None or kind is str or callable(structure):
        return structure
    if kind is list:
        return ("list", *[freeze(s) for s in structure])
    if kind is dict:
        return ("dict", *[(k, freeze(v)) for k, v in structure.items()])
    if kind is slice:
        return ("slice", freeze(structure.start), freeze(structure.stop), freeze(structure.step))
    if kind is np.ndarray:
        if structure.size > 1000:
            raise TypeError
        return ("array", structure.dtype, structure.shape, structure.tobytes())
    if isinstance(structure, tuple):
        return (kind, *[freeze(s) for s in structure])
    if isinstance(structure, float | complex) and not structure:
        return (kind, repr(structure))  # -0.0 is equal to 0.0
    return (kind, structure)


__all__ = ["MISSING", "Demand", "Fresh", "Indexed", "Outcome", "freeze", "infer", "infer_getitem"]
