"""Which nodes check what a derivative relies on.

They stay in generated code that does not ask for the value: operands whose shapes must fit,
numbers of elements, indices, matrices that must be regular, numbers outside of the domain of a
function of :mod:`math`.

>>> import math
>>> from srcgrad.graph.ir import Builder
>>> from srcgrad.types.kinds import FLOAT
>>> b = Builder()
>>> x = b.param(FLOAT, "x")
>>> logarithm = b.apply(math.log, (x,), {}, FLOAT)
>>> sine = b.apply(math.sin, (x,), {}, FLOAT)
>>> [checks(n) for n in b.block((sine,)).nodes]
[True, False]
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..errors import SrcgradError
from ..types.dims import Dim, Poly, add, multiply, proves_nonnegative, symbols
from ..types.kinds import Aval, Kind
from ..types.spelling import Method
from .indexing import infer_getitem
from .ir import Index, Node, Steps, Through, avals_in, fill
from .symbolic import fresh_symbol, infer_fresh

# Functions of math whose derivative is a number where they raise.
_DOMAINS = frozenset({"log", "log2", "log10", "log1p", "gamma", "lgamma", "acos", "acosh", "asin",
                      "atanh", "sinh", "fmod", "remainder", "pow"})
_REGULAR = ("norm", "vector_norm")  # of numpy.linalg, that take every matrix
_REARRANGED = frozenset({np.reshape, Method("reshape")})
_LISTS = frozenset({operator.add, operator.sub, operator.mul, operator.truediv, operator.pow,
                    operator.matmul, np.dot, np.where, np.maximum, np.minimum, np.add,
                    np.subtract, np.multiply, np.divide, np.power, np.matmul})
_CONVERSIONS = frozenset({bool, int, float, complex, operator.not_, Method("item"),
                          Method("__bool__")})
_OF_INTEGERS = frozenset({operator.floordiv, operator.mod, operator.lshift, operator.rshift})
_ITEMS = ("sparse_item", "sparse_items")  # which lie inside of a matrix
_SPLIT = frozenset({np.split, np.hsplit, np.vsplit, np.dsplit})


def checks(node: Node) -> bool:
    """Does the node raise where the program's shapes, indices or numbers do not fit?"""
    if node.op in ("get", "pop"):
        return not node.params.get("inside")
    if node.op in ("write", "update"):
        return _stores_unlike(node)
    if node.op == "read":
        return _reads_at_number(node)
    if node.op != "apply":
        return False
    fn = node.params["fn"]
    if fn in _CONVERSIONS:
        return _may_not_convert(fn, node.inputs[0].aval) if node.inputs else False
    if fn in _OF_INTEGERS:
        return node.out.aval.kind is Kind.INT and len(node.inputs) > 0 and not isinstance(
            node.params["args"][-1], int)
    module = getattr(fn, "__module__", None) or ""
    if module == "math":
        return fn.__name__ in _DOMAINS
    if module == "srcgrad.rules.scipy.sparse":
        return fn.__name__ in _ITEMS
    if module.startswith("numpy.linalg"):
        return getattr(fn, "__name__", "") not in _REGULAR
    shapes = {v.aval.shape for v in node.inputs
              if v.aval.kind in (Kind.ARRAY, Kind.ANY) and v.aval.shape != ()}
    if len(shapes) > 1 or not shapes:
        return len(shapes) > 1
    (only,) = shapes
    if fn in _REARRANGED:
        return only is None or node.out.aval.shape is None or (
            _count(only) != _count(node.out.aval.shape))
    if fn is np.broadcast_to:
        return not _broadcasts(only, node.out.aval.shape)
    if fn in _SPLIT:
        return any(isinstance(a, int) and a > 1 for a in node.params["args"])
    return fn in _LISTS and any(isinstance(a, (list, tuple)) and np.shape(a) != only
                                for a in node.params["args"] if _is_plain(a))


def _reads_at_number(node: Node) -> bool:
    """Is an array read at a number that may lie outside of it?"""
    aval = node.inputs[0].aval
    steps: Steps = fill(node.params["steps"], node.inputs)
    if not steps or not isinstance(steps[0], Index) or aval.kind is not Kind.ARRAY or (
            aval.shape is None):
        return False
    key = steps[0].key if isinstance(steps[0].key, tuple) else (steps[0].key,)
    if any(k is None or k is Ellipsis for k in key):
        return False
    return any(type(k) is int and not _is_inside(k, size)
               for k, size in zip(key, aval.shape, strict=False))


def _is_inside(place: int, size: Dim) -> bool:
    room = add(size, -place - 1 if place >= 0 else place)
    return room >= 0 if isinstance(room, int) else proves_nonnegative(room)


def _may_not_convert(fn: Any, aval: Aval) -> bool:
    """Are there numbers, or arrays, of this type that have no such form?"""
    if aval.kind in (Kind.ARRAY, Kind.ANY):
        return aval.shape is None or any(size != 1 for size in aval.shape)
    return fn is int and (aval.kind is Kind.FLOAT or (
        aval.dtype is not None and aval.dtype.kind == "f"))


def _is_plain(template: Any) -> bool:
    """Is it a list of numbers, with nothing in it that only a run knows?"""
    if isinstance(template, (list, tuple)):
        return all(_is_plain(t) for t in template)
    return isinstance(template, (bool, int, float, complex))


def _count(shape: tuple[Dim, ...]) -> Dim:
    count: Dim = 1
    for d in shape:
        count = multiply(count, d)
    return count


def _broadcasts(shape: tuple[Dim, ...] | None, target: tuple[Dim, ...] | None) -> bool:
    """Does an array of the one shape certainly broadcast to the other?"""
    if shape is None or target is None or len(shape) > len(target):
        return False
    return all(a in (1, b) for a, b in zip(reversed(shape), reversed(target)))


def _stores_unlike(node: Node) -> bool:
    """Is it open whether what is written fits the place it is written to?"""
    base, value = node.inputs[:2]
    shape = value.aval.shape
    if value.aval.kind is not Kind.ARRAY or shape is None:
        return False
    if base.aval.kind is not Kind.ARRAY or base.aval.shape is None:
        return False
    steps: Steps = fill(node.params["steps"], node.inputs)
    try:
        part = _part(base.aval, steps)
    except (SrcgradError, IndexError, TypeError, ValueError):
        return True
    if part.shape is None or len(shape) > len(part.shape):
        return True
    # two sizes of this run at a mask are as a rule what it selects: told apart by the mask
    masked = _at_mask(node)
    return not all(a in (1, b) or (masked and _of_this_run(a) and _of_this_run(b))
                   for a, b in zip(reversed(shape), reversed(part.shape)))


def _at_mask(node: Node) -> bool:
    """Is a part of an array selected by arrays of truth values or of places?"""
    return any(v.aval.kind is not Kind.INT for v in node.inputs[2:])


def _of_this_run(dim: Dim) -> bool:
    return isinstance(dim, Poly) and any(a.varying for a in symbols(dim))


def _part(aval: Aval, steps: Steps) -> Aval:
    for step in steps:
        if isinstance(step, Through):
            args, kwargs = avals_in(step.args), dict(avals_in(step.kwargs))
            aval = infer_fresh(step.fn, (aval, *args), kwargs).aval
        else:
            assert isinstance(step, Index)
            aval = infer_getitem(aval, avals_in(step.key), fresh=fresh_symbol).aval
    return aval
