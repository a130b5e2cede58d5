"""Powers of Python's floats that are certainly real: those of positive numbers.

``x ** 1.5`` of a negative x is complex in Python, and ``x ** -0.5`` of zero raises.  Where what
made x tells that it is positive, ``params["real"]`` of the power says so, and a kernel can hold it.
"""

from __future__ import annotations

import math
import operator

from srcgrad.graph.ir import Block, Graph, Node, Ref
from srcgrad.graph.signs import Signs
from srcgrad.graph.walking import walk
from srcgrad.types.kinds import Kind

POWERS = frozenset({operator.pow, math.pow})


def with_real_powers(graph: Graph) -> Graph:
    """The graph with such powers marked.

    >>> from srcgrad.graph.ir import Builder
    >>> from srcgrad.types.kinds import FLOAT
    >>> b = Builder()
    >>> x = b.param(FLOAT, "x")
    >>> square = b.apply(operator.mul, (x, x), {}, FLOAT)
    >>> above = b.apply(operator.add, (square, 0.1), {}, FLOAT)
    >>> y = b.apply(operator.pow, (above, 1.5), {}, FLOAT)
    >>> with_real_powers(Graph("g", b.block((y,)))).block.nodes[-1].params["real"]
    True
    """
    signs = Signs({v: node for node in walk(graph.block) for v in node.outputs})

    def block(old: Block) -> Block:
        return old.but(nodes=tuple(map(marked, old.nodes)))

    def marked(node: Node) -> Node:
        if node.blocks:
            return node.but(blocks=tuple(map(block, node.blocks)))
        return node.but(params={**node.params, "real": True}) if _is_real(node, signs) else node

    return graph.but(block=block(graph.block)) if any(
        _is_real(node, signs) for node in walk(graph.block)) else graph


def _is_real(node: Node, signs: Signs) -> bool:
    if node.op != "apply" or node.params["fn"] not in POWERS or node.out.aval.kind is not (
            Kind.FLOAT) or len(node.inputs) != 1:
        return False
    base, exponent = node.params["args"]
    return isinstance(base, Ref) and type(exponent) in (int, float) and math.isfinite(
        exponent) and node.inputs[0].aval.kind is Kind.FLOAT and signs.is_positive(node.inputs[0])
