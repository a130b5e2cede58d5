"""Choices between numbers, as Python makes them.

    np.where(a < b, 0, d)[()]     ->  0.0 if a < b else d
    np.where(n == 0, 1, n)        ->  1.0 if n == 0 else n

A call of NumPy takes twenty times as long.  A number of NumPy's may become one of Python's so: it
does where arithmetic alone reads it, which then divides by it only if it is not zero.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from ..graph.ir import WRITES, Graph, Node, Value, is_adjoint, only_index
from ..graph.walking import operations, walk
from ..types.kinds import FLOAT, SCALARS, Kind
from .operands import ADD, DIV, MUL, NEG, SUB, Operands
from .rewriting import Emit, call_of


def choose_numbers(graph: Graph) -> Graph:
    """A finished graph, and those that it calls, without calls of ``np.where`` for numbers in their
    backward parts."""
    graph = graph.but(callees={name: choose_numbers(callee)
                               for name, callee in graph.callees.items()})
    return graph if np.where not in operations(graph.block) else _Choices(graph).run(graph)


class _Choices(Operands):
    sees_again = True

    def __init__(self, graph: Graph) -> None:
        super().__init__()
        self.outputs = {*graph.outputs}
        self.readers: defaultdict[Value, list[Node]] = defaultdict(list)
        self.handed_on: set[Value] = set()
        for node in walk(graph.block):
            for value in node.inputs:
                self.readers[value].append(node)
            self.handed_on.update(v for block in node.blocks for v in block.outputs)
        self.chosen: set[Value] = set()  # what such calls give
        for node in walk(graph.block):
            self.defined.update(dict.fromkeys(node.outputs, node))
            if self._is_choice(node):
                self.chosen.add(node.out)
        self.inner = {v for v in self.defined if self._is_inner(v)}
        self.written_inside: dict[Value, Node] = {}

    def visit(self, node: Node, emit: Emit) -> Sequence[Value] | None:
        if _takes_out(node) and node.inputs[0].aval.kind in SCALARS:
            return node.inputs
        if not self.inner.isdisjoint(node.outputs):  # it stands where it is read
            made = Value(node.out.aval.but(kind=Kind.SCALAR))
            self.written_inside[made] = node
            return (made,)
        chosen = call_of(node) is np.where and node.out in self.chosen
        return (self._choice(node, emit),) if chosen else None

    def _choice(self, node: Node, emit: Emit) -> Value:
        arms = []
        for one in node.operands[1:]:
            arm, number = Emit(node.origin), self.number(one)
            arms.append(arm.block((self._inside(one, arm) if number is None else (
                arm.const(float(number), FLOAT)),)))
        return emit.add("if", (node.operands[0],), (node.out.aval.but(kind=Kind.SCALAR),),
                        tuple(arms), choice=True).out

    def _inside(self, value: Value, emit: Emit) -> Value:
        """A value in the arm that reads it."""
        node = self.written_inside.get(value)
        if node is None:
            return value
        if node.out in self.chosen:
            return self._choice(node, emit)
        made = node.but(inputs=tuple([self._inside(v, emit) for v in node.inputs]),
                        outputs=(Value(node.out.aval),))
        emit.nodes.append(made)
        return made.out

    def _is_choice(self, node: Node) -> bool:
        """Does a node choose between two real numbers that may be Python's?"""
        if call_of(node) is not np.where or len(node.operands) != 3 or node.params["kwargs"] or (
                node.out.aval.shape != () or node.out.aval.dtype != np.float64):
            return False
        test, *chosen = node.operands
        return isinstance(test, Value) and test.aval.kind in (Kind.BOOL, Kind.SCALAR) and all(
            self.number(one) is not None or one in self.chosen or (
                one.aval.kind in SCALARS and one.aval.dtype == np.float64) for one in chosen
            ) and self._is_reckoned_with(node.out, self.is_never_zero(node))

    def _is_inner(self, value: Value) -> bool:
        """Is a value, a choice or of arithmetic of numbers, read by one choice alone, which may
        give it, or what is made of it?"""
        readers, node = self.readers[value], self.defined[value]
        if len(readers) != 1 or value in self.handed_on or value in self.outputs or not (
                value in self.chosen or _takes_out(node) or _is_of_numbers(node)):
            return False
        by, = readers
        if _takes_out(by) or _is_of_numbers(by):
            return self._is_inner(by.out)
        return call_of(by) is np.where and by.out in self.chosen and by.operands[0] is not value

    def _is_reckoned_with(self, value: Value, divides: bool) -> bool:
        """Does arithmetic alone read a value?"""
        if value in self.outputs or (
                value in self.handed_on and value.aval.kind not in SCALARS):
            return False
        for by in self.readers[value]:
            fn = call_of(by)
            if _takes_out(by):
                if not self._is_reckoned_with(by.out, divides):
                    return False
            elif by.op == "loop":
                if value.aval.kind not in SCALARS:
                    return False
            elif by.op in WRITES:  # to a number, it makes another
                if by.inputs[0] is value and value.aval.kind not in SCALARS:
                    return False
            elif not (fn in _ARITHMETIC or (fn in DIV and (divides or by.operands[0] is value))):
                return False
        return True


_ARITHMETIC = MUL | ADD | SUB | NEG | {np.where}


def _is_of_numbers(node: Node) -> bool:
    """Is it arithmetic of real numbers in the backward part, which stand for themselves?"""
    return is_adjoint(node) and call_of(node) in MUL | DIV | ADD | SUB | NEG and all(
        v.aval.kind in SCALARS and v.aval.dtype == np.float64 for v in (*node.inputs, node.out))


def _takes_out(node: Node) -> bool:
    """Is it ``x[()]``?"""
    index = only_index(node) if node.op == "read" else None
    return index is not None and index.key == ()
