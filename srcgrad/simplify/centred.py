"""Sums over what a mean was taken away from are zero.

``z = x - np.mean(x, axis=0)`` has columns whose sums are zero but for rounding, and so have its
multiples and ``z @ m``.  The adjoint of the mean adds up such sums in variances, normalisations and
covariances:

    d_x = d_z - d_z.sum(axis=0) / n        ->  d_x = d_z      (where d_z is c * z or z @ m)
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..graph.ir import Graph, Node, Value
from ..types.kinds import SCALARS, same_dtypes
from ..types.spelling import Method
from .operands import ADD, DIV, MUL, NEG, SUB, Operands, same_type
from .rewriting import Emit, call_of, same_shape

MEANS: frozenset[Any] = frozenset({np.mean, Method("mean")})
_DEEPEST = 12
_WIDENING: frozenset[Any] = frozenset({np.expand_dims, np.broadcast_to})


def drop_centred(graph: Graph) -> Graph:
    """The graph without sums that are zero because a mean was taken away."""
    if graph.border is None:
        return graph
    return _Centred().run(graph)


class _Centred(Operands):
    def __init__(self) -> None:
        super().__init__()
        self._zeros: set[Value] = set()

    def visit(self, node: Node, emit: Emit) -> Sequence[Value] | None:
        """Notes what is zero, and leaves out what adds it to something."""
        fn, left = call_of(node), None
        if fn is np.sum:
            if self._is_zero_sum(node):
                self._zeros.update(node.outputs)
        elif fn in MUL or fn in DIV or fn in NEG or fn in _WIDENING or self.widening(
                node.outputs[0] if node.outputs else None) is node:
            if node.inputs and (node.inputs[0] in self._zeros or (
                    fn in MUL and node.inputs[-1] in self._zeros)):
                self._zeros.add(node.out)
        elif fn in ADD or fn in SUB or (node.op in ("acc", "update") and not node.params["steps"]
                                        and node.params.get("fn") in (
                                            None, operator.iadd, operator.isub)):
            if len(node.inputs) == 2 and node.inputs[1] in self._zeros:
                left = node.inputs[0]
            elif len(node.inputs) == 2 and node.inputs[0] in self._zeros and fn not in SUB and (
                    node.op != "update" or node.params["fn"] is operator.iadd):
                left = node.inputs[1]
        return [left] if left is not None and same_type(left, node.out) else None

    def _is_zero_sum(self, node: Node) -> bool:
        operand, *rest = node.operands
        axis = node.params["kwargs"].get("axis")
        if rest or node.params["kwargs"].keys() - {"axis", "keepdims"} or type(axis) is not int or (
                operand.aval.shape is None):
            return False
        return self._is_centred(operand, axis % len(operand.aval.shape), _DEEPEST)

    def _is_centred(self, value: Any, axis: int, depth: int) -> bool:
        """Are the sums of an array along an axis zero, but for rounding?"""
        node = self.made(value)
        fn = call_of(node)
        if node is None or fn is None or not depth or node.params["kwargs"] or (
                value.aval.shape is None):
            return False
        first, *rest = node.operands
        second = rest[0] if rest else None
        if fn in NEG:
            return self._is_centred(first, axis, depth - 1)
        if fn in SUB and self._is_mean(second, first, axis, value):
            return True
        if fn in ADD or fn in SUB:
            return all(self._fills(v, value) and self._is_centred(v, axis, depth - 1)
                       for v in (first, second))
        if fn in MUL or fn in DIV:
            pairs = ((first, second), (second, first)) if fn in MUL else ((first, second),)
            return any(self._fills(z, value) and self._is_constant(c, axis, value)
                       and self._is_centred(z, axis, depth - 1) for z, c in pairs)
        return fn is operator.matmul and axis == 0 and len(value.aval.shape) == 2 and (
            len(first.aval.shape or ()) == 2) and self._is_centred(first, 0, depth - 1)

    @staticmethod
    def _fills(value: Any, whole: Value) -> bool:
        """Is an operand as large as the result?"""
        return isinstance(value, Value) and same_shape(value.aval, whole.aval)

    @staticmethod
    def _is_constant(value: Any, axis: int, whole: Value) -> bool:
        """Is an operand the same all along an axis of the result?"""
        if not isinstance(value, Value) or value.aval.kind in SCALARS:
            return isinstance(value, Value | int | float)
        shape, rank = value.aval.shape, len(whole.aval.shape or ())
        if shape is None:
            return False
        place = axis - (rank - len(shape))
        return place < 0 or shape[place] == 1

    def _is_mean(self, mean: Any, of: Any, axis: int, whole: Value) -> bool:
        """Is an operand the mean of another one along an axis, beside it?"""
        if not self._fills(of, whole) or not self._is_constant(mean, axis, whole) or (
                not isinstance(mean, Value)):
            return False
        node = self.defined.get(mean)
        if node is not None and call_of(node) is np.expand_dims:
            node = self.defined.get(node.inputs[0])
        if call_of(node) not in MEANS or node is None:
            return False
        inner, *rest = node.operands
        options = dict(node.params["kwargs"])
        along = options.pop("axis", rest.pop(0) if rest else None)
        options.pop("keepdims", None)
        rank = len(whole.aval.shape or ())
        return inner is of and not rest and not options and same_dtypes(
            mean.aval, of.aval) and of.aval.dtype.kind in "fc" and (
            (type(along) is int and along % rank == axis) or (along is None and rank == 1))
