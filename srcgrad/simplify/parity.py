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
from ..types.kinds import SCALARS
from .rewriting import call_of
from .turns import TRANSPOSING

_MUL = frozenset({operator.mul, np.multiply, operator.truediv, np.divide})
_DIV = frozenset({operator.truediv, np.divide})
_PRODUCTS = frozenset({operator.matmul, np.matmul, np.dot})
_ADD = frozenset({operator.add, np.add, operator.iadd})
_SUB = frozenset({operator.sub, np.subtract, operator.isub})
_POWER = frozenset({operator.pow, np.power})
_COMPARED = frozenset({operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge,
                       np.equal, np.not_equal, np.less, np.less_equal, np.greater,
                       np.greater_equal})
_EVEN: frozenset[Any] = frozenset({np.cos, np.cosh, np.abs, np.absolute, np.square, abs})
_ODD: frozenset[Any] = frozenset({np.sin, np.sinh, np.tanh, np.arctan, operator.neg, np.negative})
_OTHER: frozenset[Any] = frozenset({np.exp, np.expm1, np.log, np.log1p, np.sqrt,
                                    np.linalg.inv})
_DEEPEST = 60


def turned_from(node: Node | None) -> Value | None:
    """``x`` where a node makes ``x.T`` of a matrix."""
    if call_of(node) not in TRANSPOSING or node is None or node.params["kwargs"] or (
            node.params["args"] != (Ref(0),) or len(node.out.aval.shape or ()) != 2):
        return None
    return node.inputs[0]


class Parity:
    """What a matrix becomes with its first two axes swapped; ``defined`` tells what made it."""

    def __init__(self, defined: Mapping[Value, Node]) -> None:
        self.defined = defined
        self.known: dict[Value, int | None] = {}

    def of(self, value: Any, depth: int = 0) -> int | None:
        """1 if a value is certainly the same with its first two axes swapped, -1 if that changes
        its sign, None if neither is known.  Numbers are the same."""
        if not isinstance(value, Value):
            return 1 if isinstance(value, int | float) else None
        if value.aval.kind in SCALARS:
            return 1
        shape, node = value.aval.shape, self.defined.get(value)
        if node is None or depth > _DEEPEST or shape is None or len(shape) < 2 or (
                shape[0] != shape[1]):
            return None
        if value not in self.known:
            self.known[value] = self._made(node, depth)
        return self.known[value]

    def _made(self, node: Node, depth: int) -> int | None:
        stores = node.op in ("acc", "update") and not node.params["steps"]
        fn = (node.params.get("fn") or operator.iadd) if stores else call_of(node)
        if fn is None or (node.op == "apply" and node.params["kwargs"] and fn is not np.sum):
            return None
        args = () if stores else node.params["args"]
        if fn is np.expand_dims:
            return self.of(node.inputs[0], depth + 1) if args[1:] in ((2,), (-1,)) else None
        if fn in (np.eye, np.identity, np.diag):
            return 1 if len(args) == 1 else None
        if getattr(fn, "__name__", "") == "scatter_diagonal":
            return 1 if len(args) == 2 else None
        if fn is np.sum:
            last = args == (Ref(0),) and node.params["kwargs"] in ({"axis": -1}, {"axis": 2})
            return self.of(node.inputs[0], depth + 1) if last else None
        operands = node.inputs if stores else fill(args, node.inputs)
        if fn in _ADD or fn in _SUB or fn in _MUL:
            return self._of_two(fn, operands[0], operands[1], depth)
        if fn is np.outer:
            return 1 if operands[0] is operands[1] else None
        if fn in _COMPARED or (fn is np.where and len(operands) == 3):
            same = all(self.of(v, depth + 1) == 1 for v in operands)
            return 1 if same else None
        if fn in _PRODUCTS:
            return self._product(operands[0], operands[1], depth)
        return self._of_one(fn, operands, depth)

    def _of_one(self, fn: Any, operands: tuple[Any, ...], depth: int) -> int | None:
        known = fn in _EVEN or fn in _ODD or fn in _OTHER or fn in _POWER
        inner = self.of(operands[0], depth + 1) if known else None
        if inner is None or (fn is np.linalg.inv and len(operands[0].aval.shape) != 2):
            return None
        if fn in _POWER:
            exponent = operands[1]
            if isinstance(exponent, Value):
                node = self.defined.get(exponent)
                exponent = node.params["value"] if node is not None and node.op == "const" else None
            if not isinstance(exponent, int | float):
                return None
            return 1 if inner == 1 or math.fmod(exponent, 2) == 0 else None
        if inner == 1 or fn in _EVEN:
            return 1
        return -1 if fn in _ODD else None

    def _of_two(self, fn: Any, first: Any, second: Any, depth: int) -> int | None:
        one, other = (_side(v, self.defined) for v in (first, second))
        if one is not None and other is not None and one[0] is other[0] and one[1] != other[1]:
            return -1 if fn in _SUB else 1 if fn not in _DIV else None
        if fn not in _MUL and isinstance(first, Value) and isinstance(second, Value) and (
                self._turns(first, second)):
            return -1 if fn in _SUB else 1
        if other is not None and fn in _MUL and isinstance(first, Value):  # k / s[:, None] / s
            before = self.defined.get(first)
            if call_of(before) in _MUL and before is not None and (
                    call_of(before) in _DIV) == (fn in _DIV):
                inner, side = fill(before.params["args"], before.inputs)
                one = _side(side, self.defined)
                if one is not None and one[0] is other[0] and one[1] != other[1]:
                    return self.of(inner, depth + 1)
        parities = [self.of(v, depth + 1) for v in (first, second)]
        if None in parities:
            return None
        if fn in _MUL:
            return parities[0] * parities[1]  # type: ignore[operator]
        return parities[0] if parities[0] == parities[1] else None

    def _product(self, first: Any, second: Any, depth: int) -> int | None:
        """``a @ a.T``, ``2.0 * a @ a.T`` and, for a symmetric ``s``, ``a @ s @ a.T``."""
        if not (isinstance(first, Value) and isinstance(second, Value)):
            return None  # a list in the text
        first, second = self._unscaled(first), self._unscaled(second)
        if self._turns(first, second):
            return 1
        for side, (product, other) in enumerate(((first, second), (second, first))):
            node = self.defined.get(product)
            if node is None or call_of(node) not in _PRODUCTS or node.params["kwargs"] or (
                    product.aval.ndim != 2):
                continue
            parts = fill(node.params["args"], node.inputs)
            outer, inner = parts if side == 0 else parts[::-1]
            if isinstance(outer, Value) and (self._turns(outer, other) or (
                    outer is other and self.of(outer, depth + 1) == 1)):
                return self.of(inner, depth + 1)
        return None

    def _turns(self, a: Value, b: Value) -> bool:
        return any(turned_from(self.defined.get(x)) is y for x, y in ((a, b), (b, a)))

    def _unscaled(self, value: Value) -> Value:
        """``a`` of ``2.0 * a``."""
        node = self.defined.get(value)
        if call_of(node) in _MUL and call_of(node) not in _DIV and node is not None:
            rest = [v for v in node.inputs if v.aval.kind not in SCALARS]
            if len(rest) == 1 and rest[0].aval.shape == value.aval.shape:
                return rest[0]
        return value


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
