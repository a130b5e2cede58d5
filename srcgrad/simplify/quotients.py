"""Divisions of derivatives that must not raise.

A :func:`~srcgrad.types.quotients.quotient` is a plain division where nothing can raise: between
arrays and NumPy's numbers, and where the program divides by the same number, too, which
:func:`find_quotients` sees as long as adjoints refer to forward values wherever these are.  Others
become branches, last of all, and are printed as ``1.0 / root if root else math.inf``.  A division
of NumPy's whose operands are numbers of Python's in the text is one as well: ``np.sum(x) / len(x)``
of an empty ``x`` is NaN, and its derivative, ``1.0 / len(x)``, raises nothing either.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..graph.ir import Block, Graph, Node, Value, is_adjoint
from ..graph.parts import LoopParts
from ..graph.signs import Signs
from ..graph.walking import operations, walk
from ..types.dims import add, multiply, proves_nonnegative, proves_positive
from ..types.kinds import FLOAT, PYTHON_SCALARS, SCALARS, Kind
from ..types.quotients import quotient, raised_to
from .operands import ADD, DIV, MUL, NEG, SUB, Operands
from .rewriting import Emit, call_of


def find_quotients(graph: Graph) -> Graph:
    """An open graph, and those that it calls, with quotients just where a division could raise."""
    callees = {name: find_quotients(callee) for name, callee in graph.callees.items()}
    graph = graph.but(callees=callees)
    return graph if (DIV | {raised_to}).isdisjoint(operations(graph.block)) else (
        _Quotients(graph.block, last=False).run(graph))


def write_out_quotients(graph: Graph) -> Graph:
    """A finished graph, and those that it calls, without quotients."""
    callees = {name: write_out_quotients(callee) for name, callee in graph.callees.items()}
    graph = graph.but(callees=callees)
    return graph if {quotient, raised_to}.isdisjoint(operations(graph.block)) else (
        _Quotients(graph.block, last=True).run(graph))


class _Quotients(Operands):
    sees_again = True

    def __init__(self, block: Block, last: bool) -> None:
        super().__init__()
        self.last = last
        self.signs = Signs(self.defined, dict(_carried(block)))
        self.plain: dict[Value, bool] = {}
        self.divisors = set(_divisors(block, None))
        self.reversed = dict(_reversed(block))

    def visit(self, node: Node, emit: Emit) -> Sequence[Value] | None:
        if call_of(node) is raised_to and (self.last or not self._may_be_zero(node.operands[0])):
            return self._power(node, emit)
        if call_of(node) not in DIV or node.params["kwargs"]:
            return None
        above, below = node.operands
        number, marked = self.number(above), call_of(node) is quotient
        raises = (marked or not self.last) and self._is_plain(above) and self._is_plain(below) and (
            self._may_be_zero(below))
        if raises and self.last and self.number(below) is not None:  # zero
            return (emit.apply(operator.mul, (above, math.inf), {}, node.out.aval),)
        if raises and self.last:
            infinite = (operator.mul, above, math.inf) if number is None else number * math.inf
            return _unless_zero(emit, node, below, (operator.truediv, above, below), infinite)
        if raises is marked:
            return None
        made = quotient if raises else operator.truediv
        return (emit.apply(made, (above, below), {}, node.out.aval),)

    def _power(self, node: Node, emit: Emit) -> Sequence[Value]:
        base, exponent = node.operands
        usual = math.pow if all(type(x) is float or (
            isinstance(x, Value) and x.aval.kind is Kind.FLOAT) for x in node.operands) else (
                operator.pow)
        if not self._may_be_zero(base) or not self._is_plain(base):
            return (emit.apply(usual, (base, exponent), {}, node.out.aval),)
        return _unless_zero(emit, node, base, (usual, base, exponent),
                            (np.power, base, exponent))

    def _is_plain(self, operand: Any) -> bool:
        """May an operand be a number of Python's in the text?  A cotangent of the result may."""
        if not isinstance(operand, Value) or self.number(operand) is not None:
            return self.number(operand) is not None
        if operand not in self.plain:
            self.plain[operand] = operand.aval.kind in PYTHON_SCALARS or (
                operand.aval.kind in SCALARS and self._is_made_plain(operand))
        return self.plain[operand]

    def _is_made_plain(self, operand: Value) -> bool:
        """May it, by the node that makes it?  What is computed with a number of NumPy's is one."""
        node = self.defined.get(operand)
        if node is not None and node.op == "if":
            place = node.outputs.index(operand)
            return any(self._is_plain(arm.outputs[place]) for arm in node.blocks)
        if node is not None and call_of(node) in MUL | DIV | NEG | ADD | SUB:
            return all(map(self._is_plain, node.operands))
        if call_of(node) is np.where and node is not None:
            return any(map(self._is_plain, node.operands[1:]))
        return operand.aval.kind is Kind.NUMBER and (
            node is None or node.op != "read" or not node.inputs[0].aval.is_array)

    def _may_be_zero(self, below: Any) -> bool:
        number = self.number(below)
        if number is not None or self.is_never_zero(self.defined.get(below)):
            return number == 0
        expr = below.aval.expr
        if (expr is not None and proves_positive(expr)) or self.signs.is_positive(below):
            return False
        return not any((below, block) in self.divisors for block in self._homes(below))

    def _homes(self, below: Any) -> Iterator[Block | None]:
        """Where a division by ``below`` comes before this one: where it is made, and in the blocks
        around this one and those that these reverse."""
        for block in (self.home.get(below), *self.blocks):
            while True:
                yield block
                if block not in self.reversed:
                    break
                block = self.reversed[block]


def _unless_zero(emit: Emit, node: Node, asked: Value, usual: Any, otherwise: Any
                 ) -> Sequence[Value]:
    """Calls in the place of a node's: the usual one, or another (or a number) where ``asked`` is 0.
    """
    arms = []
    for call in (usual, otherwise):
        arm = Emit(node.origin)
        value = arm.const(call, FLOAT) if type(call) is float else (
            arm.apply(call[0], call[1:], {}, node.out.aval))
        arms.append(arm.block((value,)))
    return emit.add("if", (asked,), (node.out.aval,), tuple(arms)).outputs


def _divisors(block: Block, home: Block | None) -> Iterator[tuple[Any, Block | None]]:
    """What the program divides by as Python does, or raises to a negative power, with the block
    where it does so."""
    made_by = {value: node for node in block.nodes for value in node.outputs}
    for node in block.nodes:
        for inner in node.blocks:
            yield from _divisors(inner, inner)
        fn = None if is_adjoint(node) else call_of(node)
        if fn is operator.truediv and (
                node.out.aval.kind in PYTHON_SCALARS or _is_mean(node, made_by)):
            yield node.operands[1], home
        if fn in (operator.pow, math.pow) and node.out.aval.kind in PYTHON_SCALARS:
            base, exponent = node.operands
            if type(exponent) in (int, float) and exponent < 0:
                yield base, home


def _is_mean(node: Node, made_by: Mapping[Value, Node]) -> bool:
    """Is it a sum by a loop over the number of its iterations, or a larger one: Python's own zero
    over zero if that is none?"""
    total, count = node.operands
    loop = made_by.get(total) if isinstance(total, Value) else None
    if loop is None or loop.op != "loop" or loop.loop.kind != "for" or not isinstance(count, Value):
        return False
    parts = LoopParts(loop)
    if total not in parts.results:
        return False
    first = parts.inits[parts.results.index(total)]
    start, stop, step = [v.aval.expr for v in loop.inputs[:3]]
    number = count.aval.expr
    if first.aval.kind not in PYTHON_SCALARS or step != 1 or (
            start is None or stop is None or number is None):
        return False
    return proves_nonnegative(add(add(number, start), multiply(-1, stop)))


def _carried(block: Block) -> Iterator[tuple[Value, tuple[Value, Value]]]:
    """What loops carry, with what that is at first and next."""
    for node in walk(block):
        if node.op == "loop":
            parts = LoopParts(node)
            yield from zip(parts.carried, zip(parts.inits, parts.next))


def _reversed(block: Block) -> Iterator[tuple[Block | None, Block]]:
    """Blocks of the backward part of an open graph, with those that they reverse: an iteration or
    an arm is behind what it reverses."""
    regions = [node for node in walk(block) if node.blocks]
    made_by = {value: node for node in regions for value in node.outputs}
    for node in regions:
        if "mirror" in node.params:
            forward = made_by[node.params["mirror"].output]
            yield from zip(node.blocks[::-1], forward.blocks[::-1])
