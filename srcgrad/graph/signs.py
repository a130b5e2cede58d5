"""Which real numbers and arrays are never negative, whatever is put in: NaN may be among them.

>>> import operator
>>> from srcgrad.graph.ir import Builder
>>> from srcgrad.types.kinds import FLOAT
>>> b = Builder()
>>> x = b.param(FLOAT, "x")
>>> square = b.apply(operator.mul, (x, x), {}, FLOAT)
>>> above = b.apply(operator.add, (square, 1.0), {}, FLOAT)
>>> signs = Signs({n.out: n for n in b.nodes})
>>> signs.is_nonnegative(x), signs.is_nonnegative(square), signs.is_positive(above)
(False, True, True)
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from ..types.spelling import Method
from .equality import key_of
from .ir import Node, Ref, Value

_LENGTHS = frozenset({abs, operator.abs, np.abs, np.fabs, math.fabs, np.sqrt, math.sqrt, np.square,
                      np.hypot, math.hypot, np.linalg.norm, np.var, np.std, Method("var"),
                      Method("std"), np.exp, math.exp, np.exp2, np.cosh, math.cosh})
_ADD = frozenset({operator.add, np.add})
_PRODUCTS = frozenset({operator.mul, np.multiply, operator.truediv, np.divide})
_QUOTIENTS = frozenset({operator.truediv, np.divide})
_INNER = frozenset({np.dot, np.vdot, np.inner, operator.matmul, np.matmul})
_POWERS = frozenset({operator.pow, np.power})
_SMOOTH = frozenset({np.sum, np.mean, Method("sum"), Method("mean"), np.reshape, np.ravel,
                     np.transpose, np.broadcast_to, np.expand_dims, np.squeeze, float, sum})
_KEEPING = _SMOOTH | {np.max, np.min, np.median, Method("max"), Method("min")}


class Signs:
    """What the operations on numbers tell; ``made_by`` has the node of each value, ``carried`` what
    loops carry at first and next."""

    def __init__(self, made_by: Mapping[Value, Node],
                 carried: Mapping[Value, tuple[Value, Value]] = MappingProxyType({})) -> None:
        self.made_by, self.carried = made_by, carried
        self._supposed: set[tuple[Any, Value]] = set()

    def _always(self, fact: Callable[[Any], bool], value: Value) -> bool:
        """Has what a loop carries a fact at first, and next wherever it has it now?"""
        if (fact, value) in self._supposed:
            return True
        self._supposed.add((fact, value))
        found = all(map(fact, self.carried[value]))
        self._supposed.discard((fact, value))
        return found

    def is_nonnegative(self, operand: Any) -> bool:
        if type(operand) is Value and operand in self.carried:
            return self._always(self.is_nonnegative, operand)
        node, args = self._call(operand)
        if node is None:
            return _number(args) >= 0
        fn = node.params["fn"]
        if fn in _LENGTHS:
            return True
        if fn in _KEEPING:
            return self.is_nonnegative(args[0])
        if fn in _POWERS:
            power = args[1]
            return (isinstance(power, int | float) and power % 2 == 0) or (
                self.is_nonnegative(args[0]))
        if fn in _ADD:
            return all(map(self.is_nonnegative, args[:2]))
        if fn in (np.maximum, max):
            return any(map(self.is_nonnegative, args[:2]))
        if fn in _INNER and self._are_one(*args[:2]):
            return isinstance(args[0], Value) and args[0].aval.ndim == 1
        return fn in _PRODUCTS and (
            self._are_one(*args[:2]) or all(map(self.is_nonnegative, args[:2])))

    def is_positive(self, operand: Any) -> bool:
        """Is it never zero, either, as long as nothing is rounded to zero?"""
        if type(operand) is Value and operand in self.carried:
            return self._always(self.is_positive, operand)
        node, args = self._call(operand)
        if node is None:
            return _number(args) > 0
        if node.params["fn"] in _ADD:
            return all(map(self.is_nonnegative, args[:2])) and any(
                map(self.is_positive, args[:2]))
        return False

    def is_square(self, operand: Any) -> bool:
        """Is it made of even powers, so that nothing moves it where it is zero?"""
        node, args = self._call(operand)
        if node is None:
            return _number(args) >= 0
        fn = node.params["fn"]
        if fn in _SMOOTH:
            return self.is_square(args[0])
        if fn in _POWERS:
            return isinstance(args[1], int | float) and args[1] > 0 and args[1] % 2 == 0
        if fn in _INNER:
            return self._are_one(*args[:2]) and self.is_nonnegative(operand)
        if fn is np.einsum:
            terms = str(args[0]).replace(" ", "").partition("->")[0].split(",")
            return len(terms) == 2 and len(set(terms)) == 1 and self._are_one(*args[1:3])
        if fn in _ADD:
            return all(map(self.is_square, args[:2]))
        return fn is np.square or (fn in _PRODUCTS and fn not in _QUOTIENTS and (
            self._are_one(*args[:2]) or all(map(self.is_square, args[:2]))))

    def _are_one(self, first: Any, second: Any) -> bool:
        """Are two operands one value, or the same part of one array?"""
        if first is second:
            return True
        reads = [self.made_by.get(v) for v in (first, second) if isinstance(v, Value)]
        keys = [key_of(node) for node in reads if node is not None and node.op == "read"]
        return len(keys) == 2 and keys[0] is not None and keys[0] == keys[1]

    def _call(self, operand: Any) -> tuple[Node | None, Any]:
        """The call that makes a real value, and its arguments; or None and a number."""
        if not isinstance(operand, Value):
            return None, operand
        node = self.made_by.get(operand)
        if node is not None and node.op == "const":
            return None, node.params["value"]
        if node is None or node.op != "apply" or node.params.get("many") or (
                operand.aval.dtype is None or operand.aval.dtype.kind not in "fiu"):
            return None, None
        return node, [node.inputs[a.index] if isinstance(a, Ref) else a
                      for a in node.params["args"]]


def _number(value: Any) -> float:
    return value if type(value) in (int, float) else -1.0
