"""What is divided by a norm and multiplied by what the program has divided by it.

The adjoint of ``p = e / e.sum(axis=1, keepdims=True)`` divides all that it adds to the cotangent of
``e`` by the sum, and where ``e`` is an exponential, its own adjoint multiplies by it.  The program
has their quotient:

    ((d_p / s) - sum(d_p * p / s)) * e        ->  (d_p - sum(d_p * p)) * p

so that neither ``e`` nor ``s`` need be kept.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..graph.ir import Graph, Node, Value, fill, walk
from ..types.kinds import SCALARS
from .operands import ADD, DIV, MUL, NEG, SUB, Operands, is_real, same_type
from .rewriting import Emit, call_of


def cancel_norms(graph: Graph) -> Graph:
    """The graph without such divisions."""
    if graph.border is None or not any(call_of(n) is np.sum for n in walk(graph.block)):
        return graph
    return _Normalised().run(graph)


class _Normalised(Operands):
    def __init__(self) -> None:
        super().__init__()
        self._quotients: dict[Value, tuple[Value, Value]] = {}

    def note(self, node: Node) -> None:
        if call_of(node) in DIV and len(node.inputs) == 2 and not node.params["kwargs"]:
            above, below = node.inputs
            if is_real(above) and self.is_beside(node, above) and same_type(above, node.out):
                self._quotients[node.out] = above, below

    def visit(self, node: Node, emit: Emit) -> Sequence[Value] | None:
        if call_of(node) not in MUL or node.params["kwargs"] or len(node.inputs) != 2:
            return None
        for one, other in (node.inputs, node.inputs[::-1]):
            for quotient, (above, norm) in self._quotients.items():
                if self.equal(above, other) and self._is_divided(one, norm):
                    found = emit.call(operator.mul, self._times(one, norm, emit), quotient)
                    return [found] if same_type(found, node.out) else None
        return None

    def _parts(self, value: Value, norm: Value) -> tuple[Node, int] | None:
        """What makes a value that nothing else uses, and how many of its operands, the first ones,
        are divided in it."""
        node = self.defined.get(value)
        if node is None or self.uses[value] > 1 or not is_real(value):
            return None
        fn, operands = call_of(node), node.inputs
        if fn in DIV and operands[1:] == (norm,) and not node.params["kwargs"]:
            return node, 0
        if fn in ADD or fn in SUB or (
                node.op in ("acc", "update") and not node.params["steps"]
                and node.params.get("fn") in (None, operator.iadd, operator.isub)):
            return (node, 2) if len(operands) == 2 else None
        if fn in NEG or fn is np.broadcast_to or (
                fn is np.sum and _is_even(norm, operands[0], node.params)):
            return node, 1
        return None

    def _is_divided(self, value: Value, norm: Value) -> bool:
        """Is a value, or all that it is the sum of, divided by the norm?"""
        found = self._parts(value, norm)
        return found is not None and all(self._is_divided(v, norm)
                                         for v in found[0].inputs[:found[1]])

    def _times(self, value: Value, norm: Value, emit: Emit) -> Value:
        """Such a value without the division."""
        node, count = self._parts(value, norm) or (None, 0)
        assert node is not None, "it is divided"
        if not count:
            return node.inputs[0]
        new = [*(self._times(v, norm, emit) for v in node.inputs[:count]), *node.inputs[count:]]
        if node.op != "apply":
            return emit.call(operator.sub if node.params.get("fn") is operator.isub
                             else operator.add, *new)
        return emit.call(node.params["fn"], *fill(node.params["args"], new),
                         **node.params["kwargs"])


def _is_even(norm: Value, of: Value, params: Any) -> bool:
    """Is a norm the same for all that a sum adds up?"""
    if norm.aval.kind in SCALARS:
        return True
    axis, sizes, whole = params["kwargs"].get("axis"), norm.aval.shape, of.aval.shape
    if type(axis) is not int or sizes is None or whole is None or len(params["args"]) > 1:
        return False
    place = axis % len(whole) - (len(whole) - len(sizes))
    return place < 0 or sizes[place] == 1
