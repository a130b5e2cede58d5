"""What is divided by a norm and multiplied by what the program has divided by it.

The adjoint of ``p = e / e.sum(axis=1, keepdims=True)`` divides all that it adds to the cotangent of
``e`` by the sum, and where ``e`` is an exponential, its own adjoint multiplies by it.  The program
has their quotient:

    ((d_p / s) - sum(d_p * p / s)) * e        ->  (d_p - sum(d_p * p)) * p

so that neither ``e`` nor ``s`` need be kept.
"""

from __future__ import annotations

import operator
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..graph.ir import Graph, Node, Value, fill
from ..types.kinds import SCALARS
from .operands import ADD, DIV, MUL, NEG, SUB, Operands, is_real, same_type
from .rewriting import Emit, call_of


def cancel_norms(graph: Graph) -> Graph:
    """The graph without such divisions."""
    if graph.border is None:
        return graph
    return _Normalised().run(graph)


class _Normalised(Operands):
    def __init__(self) -> None:
        super().__init__()
        # by what is divided and where: the quotients and what divides them
        self._quotients: defaultdict[Any, list[tuple[Value, Value]]] = defaultdict(list)

    def note(self, node: Node) -> None:
        super().note(node)
        pair = self._divided(node)
        if pair is not None and same_type(pair[0], node.out) and self.is_beside(node, pair[0]):
            self._quotients[self._place(pair[0])].append((node.out, pair[1]))

    def _place(self, value: Value) -> tuple[Any, Any]:
        return self.identity(value), self.home.get(value)

    def _pair(self, node: Node) -> tuple[Value, Value] | None:
        """The operands of a node, if these are two real values and nothing else."""
        operands = node.operands
        if len(operands) != 2 or node.params["kwargs"] or not all(map(is_real, operands)):
            return None
        return operands[0], operands[1]

    def _divided(self, node: Node) -> tuple[Value, Value] | None:
        """What a node divides by what, maybe in place, if both are real values."""
        if call_of(node) in DIV:
            return self._pair(node)
        whole = node.op == "update" and not node.params["steps"]
        if not whole or node.params["fn"] is not operator.itruediv:
            return None
        above, below = node.inputs
        return (above, below) if is_real(above) and is_real(below) else None

    def visit(self, node: Node, emit: Emit) -> Sequence[Value] | None:
        pair = self._pair(node) if call_of(node) in MUL else None
        for one, other in () if pair is None else (pair, pair[::-1]):
            if call_of(self.made(one)) in MUL or (self.uses[one] > 1 and not other.aval.shape):
                continue
            for quotient, norm in self._quotients.get(self._place(other), ()):
                if self._is_divided(one, norm):
                    found = emit.call(operator.mul, self._times(one, norm, emit), quotient)
                    return [found] if same_type(found, node.out) else None
        return None

    def _parts(self, value: Value, norm: Value) -> tuple[Node, list[Value]] | None:
        """What makes a value that nothing else uses, if it is no number, and those of its operands
        that are divided in it: none, where it is what divides by the norm."""
        node = self.defined.get(value)
        if node is None or not is_real(value) or (
                self.uses[value] > 1 and value.aval.kind not in SCALARS):
            return None
        pair, fn = self._divided(node), call_of(node)
        if pair is not None:
            return (node, []) if pair[1] is norm and same_type(pair[0], value) else None
        pair = self._pair(node) if fn in ADD or fn in SUB else None
        if pair is not None:
            return node, [*pair]
        if node.op in ("acc", "update") and not node.params["steps"]:
            plain = node.params.get("fn") in (None, operator.iadd, operator.isub)
            return (node, [*node.inputs]) if plain else None
        if fn in NEG or fn is np.broadcast_to or (
                fn is np.sum and _is_even(norm, node.inputs[0], node.params)):
            return node, [node.inputs[0]]
        return None

    def _is_divided(self, value: Value, norm: Value) -> bool:
        """Is a value, or all that it is the sum of, divided by the norm?"""
        found = self._parts(value, norm)
        return found is not None and all(self._is_divided(v, norm) for v in found[1])

    def _times(self, value: Value, norm: Value, emit: Emit) -> Value:
        """Such a value without the division."""
        node, parts = self._parts(value, norm) or (None, [])
        assert node is not None, "it is divided"
        if not parts:
            return node.inputs[0]
        new = {v: self._times(v, norm, emit) for v in parts}
        if node.op != "apply":
            return emit.call(operator.sub if node.params.get("fn") is operator.isub
                             else operator.add, *(new[v] for v in node.inputs))
        return emit.call(node.params["fn"], *fill(node.params["args"], [
            new.get(v, v) for v in node.inputs]), **node.params["kwargs"])


def _is_even(norm: Value, of: Value, params: Any) -> bool:
    """Is a norm the same for all that a sum adds up?"""
    if norm.aval.kind in SCALARS:
        return not params["kwargs"].keys() - {"axis", "keepdims"}
    axis, sizes, whole = params["kwargs"].get("axis"), norm.aval.shape, of.aval.shape
    if type(axis) is not int or sizes is None or whole is None or len(params["args"]) > 1 or (
            params["kwargs"].keys() - {"axis", "keepdims"}):
        return False
    place = axis % len(whole) - (len(whole) - len(sizes))
    return place < 0 or sizes[place] == 1
