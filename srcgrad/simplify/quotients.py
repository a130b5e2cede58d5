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
from collections.abc import Iterator, Sequence
from typing import Any

from ..graph.ir import Block, Graph, Node, Value, is_adjoint
from ..graph.signs import Signs
from ..graph.walking import operations
from ..types.dims import proves_positive
from ..types.kinds import FLOAT, OF_PYTHON
from ..types.quotients import quotient
from .operands import ADD, DIV, MUL, NEG, SUB, Operands
from .rewriting import Emit, call_of


def find_quotients(graph: Graph) -> Graph:
    """An open graph, and those that it calls, with quotients just where a division could raise."""
    callees = {name: find_quotients(callee) for name, callee in graph.callees.items()}
    graph = graph.but(callees=callees)
    return graph if DIV.isdisjoint(operations(graph.block)) else (
        _Quotients(graph.block, last=False).run(graph))


def write_out_quotients(graph: Graph) -> Graph:
    """A finished graph, and those that it calls, without quotients."""
    callees = {name: write_out_quotients(callee) for name, callee in graph.callees.items()}
    graph = graph.but(callees=callees)
    return _Quotients(graph.block, last=True).run(graph) if (
        quotient in operations(graph.block)) else graph


class _Quotients(Operands):
    sees_again = True

    def __init__(self, block: Block, last: bool) -> None:
        super().__init__()
        self.last = last
        self.signs = Signs(self.defined)
        self.plain: dict[Value, bool] = {}
        self.divisors = set(_divisors(block, None))

    def visit(self, node: Node, emit: Emit) -> Sequence[Value] | None:
        if call_of(node) not in DIV or node.params["kwargs"]:
            return None
        above, below = node.operands
        number, marked = self.number(above), call_of(node) is quotient
        of_numpy = not self.last and node.out.aval.kind not in OF_PYTHON
        raises = (marked or of_numpy) and self._is_plain(above) and self._is_plain(below) and (
            self._may_be_zero(below))
        if raises and self.last and self.number(below) is not None:  # zero
            return (emit.apply(operator.mul, (above, math.inf), {}, node.out.aval),)
        if raises and self.last:
            then, orelse = Emit(node.origin), Emit(node.origin)
            value = then.apply(operator.truediv, (above, below), {}, node.out.aval)
            other = orelse.apply(operator.mul, (above, math.inf), {}, node.out.aval) if (
                number is None) else orelse.const(number * math.inf, FLOAT)
            return emit.add("if", (below,), (node.out.aval,),
                            (then.block((value,)), orelse.block((other,)))).outputs
        if raises is marked:
            return None
        made = quotient if raises else operator.truediv
        return (emit.apply(made, (above, below), {}, node.out.aval),)

    def _is_plain(self, operand: Any) -> bool:
        """Is an operand a number of Python's in the text?  The cotangent of the result may be."""
        if not isinstance(operand, Value) or self.number(operand) is not None:
            return self.number(operand) is not None
        if operand not in self.plain:
            node = self.defined.get(operand)
            self.plain[operand] = operand.aval.kind in OF_PYTHON or (
                node is not None and call_of(node) in MUL | DIV | NEG | ADD | SUB
                and all(map(self._is_plain, node.operands)))
        return self.plain[operand]

    def _may_be_zero(self, below: Any) -> bool:
        number = self.number(below)
        if number is not None:
            return number == 0
        expr = below.aval.expr
        if (expr is not None and proves_positive(expr)) or self.signs.is_positive(below):
            return False
        homes = (self.home.get(below), *self.blocks)
        return not any((below, block) in self.divisors for block in homes)


def _divisors(block: Block, home: Block | None) -> Iterator[tuple[Value, Block | None]]:
    """What the program divides by, with the block where it does so."""
    for node in block.nodes:
        for inner in node.blocks:
            yield from _divisors(inner, inner)
        if call_of(node) is operator.truediv and node.out.aval.kind in OF_PYTHON and (
                not is_adjoint(node)):
            yield node.inputs[-1], home
