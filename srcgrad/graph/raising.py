"""Which nodes may raise for some numbers, though the derivative may not ask for what they give.

In plain Python an index out of bounds, a division by zero or a number outside of the domain of a
function raises wherever it is met.  Where the derivative of such a node is computed that raises
as well (:func:`raised_too`); where nothing needs it the node itself stays.

>>> import math
>>> from srcgrad.graph.ir import Builder
>>> from srcgrad.types.kinds import FLOAT
>>> b = Builder()
>>> x = b.param(FLOAT, "x")
>>> root = b.apply(math.sqrt, (x,), {}, FLOAT)
>>> half = b.apply(operator.truediv, (x, 2.0), {}, FLOAT)
>>> inverse = b.apply(operator.truediv, (1.0, x), {}, FLOAT)
>>> [may_raise(n) for n in b.block((root, half, inverse)).nodes]
[True, False, True]
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from ..types.dims import Dim, add, multiply, proves_nonnegative, proves_positive
from ..types.kinds import OF_PYTHON, SCALARS, Kind
from ..types.spelling import Method
from .checking import checks
from .empty import refused_without_items
from .ir import Graph, Index, Node, Ref, Steps
from .walking import walk

# Functions of math that take every number.
_TOTAL = frozenset({"fabs", "copysign", "isnan", "isinf", "isfinite", "isclose", "atan", "atan2",
                    "asinh", "tanh", "erf", "erfc", "degrees", "radians", "cbrt", "hypot"})
_DIVISIONS = frozenset({operator.truediv, operator.floordiv, operator.mod, divmod})
_POWERS = frozenset({operator.pow, pow})
_QUIET = frozenset({"dim", "const", "list", "append"})
_SILENT = frozenset({operator.add, operator.sub, operator.mul, operator.neg, operator.pos,
                     operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne,
                     operator.not_, min, max, bool, int})
# What NumPy warns of at most where numbers are too large.
_CALM: frozenset[Any] = _SILENT | {
    np.add, np.subtract, np.multiply, np.negative, np.abs, abs, np.where, np.transpose, np.reshape,
    np.maximum, np.minimum, np.outer, np.zeros_like, np.ones_like, len}
_ALIKE: frozenset[Any] = frozenset({np.asarray, np.asanyarray, np.zeros_like, np.ones_like})
_SUBSCRIPTS = frozenset({"read", "write", "update", "acc"})
_TAKING = frozenset({np.take, Method("take")})
_MAKING: frozenset[Any] = frozenset({np.zeros, np.ones, np.empty, np.full, np.eye, np.identity,
                                 np.broadcast_to, np.linspace, np.tri})
_STEPPING: frozenset[Any] = frozenset({range, np.arange})


def may_raise(node: Node, callees: Mapping[str, Graph] = MappingProxyType({})) -> bool:
    """May a node raise for some numbers that are cheap to look at?"""
    if node.op == "put":
        return True
    if node.op == "call":
        callee = callees.get(node.params["callee"])
        return callee is not None and any(
            n.op == "effect" or checks(n) or may_raise(n) for n in walk(callee.block))
    if node.op in _SUBSCRIPTS:
        return stands_still(node) or any(
            may_lie_outside(node, k, size) for k, size in _places(node))
    if node.op != "apply" or not node.inputs:
        return False
    fn, kinds = node.params["fn"], {v.aval.kind for v in node.inputs}
    if fn in _TAKING:
        return bool(node.params["kwargs"].get("mode", "raise") == "raise")
    if fn is operator.getitem:  # of a text
        return not isinstance(node.params["args"][-1], slice)
    if fn in _MAKING:
        return not all(map(proves_nonnegative, node.out.aval.shape or ()))
    if fn in _STEPPING:
        steps = (*node.params["args"][2:], node.params["kwargs"].get("step", 1))
        return any(_may_stand_still(node, step) for step in steps)
    if not kinds <= SCALARS:
        return refused_without_items(node) is not None
    if (getattr(fn, "__module__", None) or "") == "math":
        return fn.__name__ not in _TOTAL
    if fn is round:
        return node.out.aval.kind is Kind.INT and Kind.INT not in kinds
    if not kinds <= OF_PYTHON:
        return False  # NumPy's numbers warn
    return fn in _DIVISIONS | _POWERS and _may_be_zero(node, fn in _POWERS)


def is_silent(node: Node) -> bool:
    """Does a node neither raise nor warn: does it make a list grow, read an item that is there,
    compute or compare integers or Python's floats, or make an array of an array?"""
    if node.op != "apply":
        return node.op in _QUIET or (node.op == "get" and bool(node.params.get("inside")))
    fn, kinds = node.params["fn"], {v.aval.kind for v in node.inputs}
    if kinds == {Kind.ARRAY}:
        return fn in _ALIKE and len(node.params["args"]) == 1 and not node.params["kwargs"]
    return fn in _SILENT and (kinds <= {Kind.INT, Kind.BOOL} or (
        kinds == {Kind.FLOAT} and fn is not int))


def is_calm(node: Node) -> bool:
    """Does a node neither raise nor warn, but where numbers are too large for NumPy's?"""
    return node.op in ("if", "const") or (
        node.op == "apply" and node.params["fn"] in _CALM and not may_raise(node))


def _keys(node: Node) -> tuple[Any, ...]:
    """The keys of a subscript."""
    steps: Steps = node.params["steps"]
    if not steps or not isinstance(steps[0], Index):
        return ()
    return steps[0].key if isinstance(steps[0].key, tuple) else (steps[0].key,)


def stands_still(node: Node) -> bool:
    """May the step of a slice of a subscript be zero?"""
    return any(isinstance(k, slice) and _may_stand_still(node, k.step) for k in _keys(node))


def _may_stand_still(node: Node, step: Any) -> bool:
    """May the step of a range or slice be zero?"""
    if not isinstance(step, Ref):
        return bool(step == 0)
    expr = node.inputs[step.index].aval.expr
    return expr is None or not (proves_positive(expr) or proves_positive(multiply(-1, expr)))


def _may_be_zero(node: Node, power: bool) -> bool:
    """May the divisor be zero?  Powers also overflow."""
    divisor = node.params["args"][-1]
    if isinstance(divisor, Ref):
        expr = node.inputs[divisor.index].aval.expr
        return power or expr is None or not proves_positive(expr)
    return power or divisor == 0


def _places(node: Node) -> Iterator[tuple[Any, Dim]]:
    """The keys of a subscript with the sizes of their axes."""
    aval, key = node.inputs[0].aval, _keys(node)
    if aval.kind is not Kind.ARRAY or aval.shape is None:
        return
    if not any(k is None or k is Ellipsis for k in key):
        yield from zip(key, aval.shape, strict=False)


def may_lie_outside(node: Node, key: Any, size: Dim) -> bool:
    """May an index lie outside of an axis?"""
    if type(key) is list:
        return any(may_lie_outside(node, k, size) for k in key)
    if type(key) is int:
        spare = add(size, -key - 1 if key >= 0 else key)
        return not proves_nonnegative(spare)
    if not isinstance(key, Ref):
        return False
    index = node.inputs[key.index].aval
    if index.kind is not Kind.INT:
        return index.kind is Kind.ARRAY and index.dtype is not None and index.dtype.kind in "iu"
    if index.expr is None:
        return True
    return not (proves_nonnegative(add(size, multiply(-1, add(index.expr, 1)))) and (
        proves_nonnegative(index.expr) or proves_nonnegative(add(index.expr, size))))


def _overflows_first(node: Node) -> bool:
    """May a power overflow where its derivative, the power one below, does not?"""
    exponent = node.params["args"][1]
    return isinstance(exponent, (Ref, complex)) or exponent > 1


def raised_too(node: Node, adjoints: Iterable[Node]) -> bool:
    """Does one of these adjoints of its statement raise wherever the node raises?"""
    if node.op in ("call", "put"):
        return any(n.op in ("call", "put", "get") for n in adjoints)
    if node.op == "apply" and node.params["fn"] in _POWERS and _overflows_first(node):
        return False
    if node.op not in _SUBSCRIPTS:
        looked_at = {*node.inputs[-1:], *node.outputs}
        return any(not looked_at.isdisjoint(n.inputs) for n in adjoints)
    shape = node.inputs[0].aval.shape
    looked_at = {node.inputs[k.index] for k, _ in _places(node) if isinstance(k, Ref)}
    return any(looked_at <= set(n.inputs) and (
        n.op not in ("acc", "write", "read") or n.inputs[0].aval.shape == shape)
        for n in adjoints)
