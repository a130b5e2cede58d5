"""Even powers of absolute values and other lengths: ``np.abs(z) ** 2``, ``np.linalg.norm(x) ** 2``,
and of square roots.

A length has a kink where it is 0, its square has none.  So the node that makes the square is
differentiated as a function of what the length is of: ``2 * z``, not ``2 * abs(z) * sign(z)``,
whose own derivative would be 0 at 0.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from ..graph.ir import Block, Node, Value
from ..graph.signs import Signs
from ..graph.symbolic import Sym
from ..graph.walking import walk
from ..rules.numpy.products import conj_complex
from ..rules.numpy.reductions import keep_axes
from ..types.kinds import PYTHON_SCALARS
from .binding import Bindings, Bound, leaves
from .bodies import partial_cotangents, unbroadcast
from .frames import Tape

# What each length is of, by the names of its inputs.
_OF: dict[Any, tuple[str, ...]] = {
    np.absolute: ("x",), np.fabs: ("x",), np.hypot: ("x1", "x2"), math.hypot: ("coordinates",),
    np.linalg.norm: ("x",), np.linalg.vector_norm: ("x",), np.sqrt: ("x",), math.sqrt: ("x",)}
_ROOTS = (np.sqrt, math.sqrt)
_POWERS = (np.power, operator.pow)
_PRODUCTS = (np.dot, np.vdot, np.inner, np.matmul)


class Moduli:
    """Which nodes of a graph are even powers of lengths."""

    def __init__(self, block: Block, bindings: Bindings) -> None:
        self.bindings = bindings
        self.signs = Signs({out: node for node in walk(block) for out in node.outputs})
        self.lengths = {node.out: bound for node in walk(block) if len(node.outputs) == 1
                        for bound in [self._bound(node)] if bound and _is_length(bound)}
        self.roots = {node.out: squares for node in walk(block)
                      for squares in [self._under_root(node)] if squares is not None}

    def pairs(self, tape: Tape, node: Node, ct: Value) -> list[tuple[Value, Value]] | None:
        """What a node contributes to cotangents, if it is an even power of a length, or a length
        as the root of squares; None for all other nodes."""
        squares = self.roots.get(node.out)
        if squares is not None:
            root: Any = Sym(node.out, tape)
            half: Any = Sym(ct, tape)
            slope = 0.5 * half / np.where(root == 0, np.inf, root)
            return [(squares, unbroadcast(tape, slope.value, squares))]
        length, order = self._power(node)
        if length is None:
            return None
        bound = self.lengths[length]
        assert bound.entry is not None
        axes = (bound.named.get("axis"), bool(bound.named.get("keepdims")))
        ct = keep_axes(Sym(ct, tape), *axes).value
        found = []
        for operand in leaves([bound.named[name] for name in _OF[bound.entry.function]]):
            slope = order // 2 if bound.entry.function in _ROOTS else order * conj_complex(
                Sym(operand, tape), operand.aval.dtype or np.dtype(complex))
            if order != 2:
                slope = slope * keep_axes(Sym(length, tape), *axes) ** (order - 2)
            share = self._of_root(tape, operand, ct) if isinstance(slope, int) else (
                partial_cotangents(tape, np.multiply, (operand, slope.value), node.out, ct,
                                   {"x1": True}, node)["x1"])
            found.append((operand, unbroadcast(tape, share, operand, lambda: True)))
        return found

    def _under_root(self, node: Node) -> Value | None:
        """What a node is the root of, if those are sums of squares in an array: the root has a kink
        where they are zero, and no infinite slope.  (A program can ask a number.)"""
        if node.op != "apply" or node.params["fn"] not in (*_ROOTS, *_POWERS) or (
                not node.out.aval.ndim):
            return None
        bound = self._bound(node)
        if bound is None or bound.entry is None:
            return None
        operand, *exponent = bound.named.values()
        if node.params["fn"] in _POWERS and exponent[0] != 0.5:
            return None
        return operand if isinstance(operand, Value) and not self.signs.is_positive(operand) and (
            self.signs.is_square(operand)) else None

    def _of_root(self, tape: Tape, operand: Value, ct: Value) -> Value:
        """The cotangent of what a square root is of, from that of its square: NaN where both
        are."""
        if self.signs.is_nonnegative(operand) or operand.aval.kind in PYTHON_SCALARS or (
                operand.aval.dtype is None or operand.aval.dtype.kind == "c"):
            return ct
        x: Any = Sym(operand, tape)
        made: Any = np.where(x >= 0, Sym(ct, tape), np.nan)
        return made.value  # type: ignore[no-any-return]

    def _bound(self, node: Node) -> Bound | None:
        if node.op != "apply" or "derivative" in node.params:
            return None
        bound = self.bindings.of(node)
        everywhere = bound.named.get("where", True) is True
        return bound if bound.entry is not None and everywhere else None

    def _power(self, node: Node) -> tuple[Value | None, int]:
        """The length that a node makes a power of, and the exponent, if that is even."""
        fn, first, second = self._operands(node) if self.lengths else (None, None, None)
        if not isinstance(first, Value) or first not in self.lengths:
            return None, 0
        if fn in (np.power, np.float_power):
            if isinstance(second, int | float) and second > 0 and second % 2 == 0:
                return first, int(second)
        elif fn is np.multiply or (fn in _PRODUCTS and first.aval.ndim == 1):
            if isinstance(second, Value) and self._same(first, second):
                return first, 2
        return None, 0

    def _operands(self, node: Node) -> tuple[Any, Any, Any]:
        """The function that a node calls, and its first two operands."""
        if node.op == "update" and not node.params["steps"]:
            base, value = node.inputs[:2]
            stored: Any = {operator.ipow: np.power, operator.imul: np.multiply}
            return (stored.get(node.params["fn"]), base,
                    self.bindings.constants.get(value, value))
        bound = self._bound(node)
        if bound is None or bound.entry is None:
            return None, None, None
        fn: Any = bound.entry.function
        first, second = [*bound.named.values(), None, None][:2]
        return (np.multiply, first, first) if fn is np.square else (fn, first, second)

    def _same(self, first: Value, second: Value) -> bool:
        """Are two lengths one, or made alike of the same?"""
        one, other = self.lengths.get(first), self.lengths.get(second)
        return one is not None and other is not None and (
            one.entry is other.entry and one.named == other.named)


def _is_length(bound: Bound) -> bool:
    """Does a node make a length of what can be multiplied element by element?"""
    assert bound.entry is not None
    function, named = bound.entry.function, bound.named
    if function not in (np.linalg.norm, np.linalg.vector_norm):
        return function in _OF
    x, order, axis = named["x"], named["ord"], named["axis"]
    if not isinstance(x, Value) or any(True for _ in leaves([order, axis, named["keepdims"]])):
        return False
    of_vector = function is np.linalg.vector_norm or isinstance(axis, int) or (
        axis is None and x.aval.ndim == 1)
    return order is None or order == "fro" or (of_vector and order == 2)
