"""Which matrices of a program are symmetric, for all that their making tells.

``-0.5 * (x[:, None] - x[None, :]) ** 2`` is: the difference changes its sign when rows and
columns change places, its square does not.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..graph.ir import Index, Node, Ref, Value, fill
from ..kinds import SCALARS
from ..spelling import Attribute, Method
from .rewriting import call_of

_MUL = frozenset({operator.mul, np.multiply, operator.truediv, np.divide})
_ADD = frozenset({operator.add, np.add, operator.iadd})
_SUB = frozenset({operator.sub, np.subtract, operator.isub})
_POWER = frozenset({operator.pow, np.power})
_EVEN: frozenset[Any] = frozenset({np.cos, np.cosh, np.abs, np.absolute, np.square, abs})
_ODD: frozenset[Any] = frozenset({np.sin, np.sinh, np.tanh, np.arctan, operator.neg, np.negative})
_OTHER: frozenset[Any] = frozenset({np.exp, np.expm1, np.log, np.log1p, np.sqrt})
_TURNS = frozenset({np.transpose, Attribute("T"), Method("transpose")})
_DEEPEST = 60


def turned_from(node: Node | None) -> Value | None:
    """``x`` where a node makes ``x.T`` of a matrix."""
    if call_of(node) not in _TURNS or node is None or node.params["kwargs"] or (
            len(node.params["args"]) != 1 or len(node.out.aval.shape or ()) != 2):
        return None
    return node.inputs[0]


def parity(value: Any, defined: Mapping[Value, Node], depth: int = 0) -> int | None:
    """1 if a value is certainly the same with its first two axes swapped, -1 if that changes
    its sign, None if neither is known.  Numbers are the same."""
    if not isinstance(value, Value):
        return 1 if isinstance(value, int | float) else None
    if value.aval.kind in SCALARS:
        return 1
    shape, node = value.aval.shape, defined.get(value)
    if node is None or depth > _DEEPEST or shape is None or len(shape) < 2 or shape[0] != shape[1]:
        return None
    fn = node.params["fn"] if node.op == "update" and not node.params["steps"] else call_of(node)
    if fn is None or (node.op == "apply" and node.params["kwargs"] and fn is not np.sum):
        return None
    if fn in (np.eye, np.identity, np.diag):
        return 1 if len(node.params["args"]) == 1 else None
    if fn is np.sum:
        last = node.params["args"] == (Ref(0),) and node.params["kwargs"] in (
            {"axis": -1}, {"axis": 2})
        return parity(node.inputs[0], defined, depth + 1) if last else None
    operands = node.inputs if node.op == "update" else fill(node.params["args"], node.inputs)
    if fn in _ADD or fn in _SUB or fn in _MUL:
        return _of_two(fn, operands[0], operands[1], defined, depth)
    if fn in (operator.matmul, np.matmul, np.dot, np.outer):
        first, second = operands[:2]
        if fn is np.outer:
            return 1 if first is second else None
        pairs = ((first, second), (second, first))
        return 1 if any(turned_from(defined.get(a)) is b for a, b in pairs) else None
    return _of_one(fn, operands, defined, depth)


def _of_one(fn: Any, operands: tuple[Any, ...], defined: Mapping[Value, Node], depth: int
            ) -> int | None:
    known = fn in _EVEN or fn in _ODD or fn in _OTHER or fn in _POWER
    inner = parity(operands[0], defined, depth + 1) if known else None
    if inner is None:
        return None
    if fn in _POWER:
        exponent = operands[1]
        if isinstance(exponent, Value):
            node = defined.get(exponent)
            exponent = node.params["value"] if node is not None and node.op == "const" else None
        if not isinstance(exponent, int | float):
            return None
        return 1 if inner == 1 or math.fmod(exponent, 2) == 0 else None
    if inner == 1 or fn in _EVEN:
        return 1
    return -1 if fn in _ODD else None


def _of_two(fn: Any, first: Any, second: Any, defined: Mapping[Value, Node], depth: int
            ) -> int | None:
    sides = [_side(v, defined) for v in (first, second)]
    one, other = sides
    if one is not None and other is not None and one[0] is other[0] and one[1] != other[1]:
        return -1 if fn in _SUB else 1 if fn not in (operator.truediv, np.divide) else None
    parities = [parity(v, defined, depth + 1) for v in (first, second)]
    if None in parities:
        return None
    if fn in _MUL:
        return parities[0] * parities[1]  # type: ignore[operator]
    return parities[0] if parities[0] == parities[1] else None


def _side(value: Any, defined: Mapping[Value, Node]) -> tuple[Value, str] | None:
    """``x`` and whether a value is ``x`` as a column, ``x[:, None]``, or as a row."""
    if not isinstance(value, Value):
        return None
    node = defined.get(value)
    if call_of(node) is np.expand_dims and node is not None and node.params["args"][1:] in (
            (0,), (1,)):
        return node.inputs[0], "column" if node.params["args"][1] else "row"
    if node is not None and node.op == "read" and len(node.params["steps"]) == 1:
        step = node.params["steps"][0]
        key = step.key if isinstance(step, Index) and isinstance(step.key, tuple) else (
            (step.key,) if isinstance(step, Index) else ())
        shape = ["new" if k is None else "all" if k == slice(None) else "" for k in key]
        while shape and shape[-1] == "all":
            shape.pop()
        if shape in (["new"], ["all", "new"]):
            return node.inputs[0], "row" if shape == ["new"] else "column"
    return (value, "row") if len(value.aval.shape or ()) == 1 else None
