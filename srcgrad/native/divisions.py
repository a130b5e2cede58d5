"""Divisions of cotangents, which take as long as four products or more, made fewer.

``x / t / t`` is ``x / q`` where ``t`` is the root of ``q``.  ``d / k`` is ``d * (1.0 / k)`` for an
integer ``k`` where the loop carries ``d`` on, which then does not wait for the division, and so is
``d / s`` where ``1.0 / s`` is computed in any case.
"""

from __future__ import annotations

import math
import operator
from collections import ChainMap, Counter
from collections.abc import Container

import numpy as np

from srcgrad.emit.order import is_adjoint
from srcgrad.graph.ir import Block, Builder, Node, Value
from srcgrad.graph.parts import LoopParts
from srcgrad.graph.walking import walk
from srcgrad.types.kinds import FLOAT, SCALARS, Kind
from srcgrad.types.quotients import quotient

_DIVISIONS = frozenset({operator.truediv, np.divide, quotient})
_ROOTS = frozenset({np.sqrt, math.sqrt})


def with_fewer_divisions(loop: Node, ones: Container[Value] = ()) -> Node:
    """A loop in which fewer divisions of cotangents are waited for; ``ones`` are 1.0."""
    read: Counter[Value] = Counter()
    for n in walk(Block((), (loop,), ())):
        read.update(n.inputs)
        read.update(v for b in n.blocks for v in b.outputs)
    return _within(loop, ChainMap(), read, ones)


def _within(node: Node, around: ChainMap[Value, Node], read: Counter[Value],
            ones: Container[Value]) -> Node:
    if not node.blocks:
        return node
    carried = {*LoopParts(node).carried} if node.op == "loop" else set()
    return node.but(blocks=tuple(_block(b, around.new_child(), read, carried, ones)
                                 for b in node.blocks))


def _block(block: Block, makers: ChainMap[Value, Node], read: Counter[Value],
           carried: set[Value], ones: Container[Value]) -> Block:
    """``makers`` of numbers, how often they are ``read``, and which follow from what a loop
    carries."""
    nodes: list[Node] = []
    inverses = {n.inputs[1]: n for n in block.nodes if _divides(n) and n.inputs[0] in ones}
    for n in block.nodes:
        n = _within(n, makers, read, ones)
        if n in nodes:  # it stands in front of the first quotient by its number
            continue
        if carried.intersection(n.inputs):
            carried.update(n.outputs)
        if _divides(n) and n.out.aval.kind in SCALARS and n.out.aval.dtype == np.float64:
            above, below = n.inputs
            first, root = makers.get(above), makers.get(below)
            if first in nodes and _divides(first, below) and read[above] == 1 and (
                    root is not None and root.params.get("fn") in _ROOTS):
                nodes.remove(first)
                n = n.but(inputs=(first.inputs[0], root.inputs[0]))
            elif below in inverses and n is not (inverse := inverses[below]):
                nodes += [inverse] * (inverse not in nodes)
                makers[inverse.out] = inverse
                read[inverse.out] += 1
                n = n.but(inputs=(above, inverse.out),
                          params={**n.params, "fn": operator.mul})
            elif below.aval.kind is Kind.INT and above in carried and below not in carried:
                made = Builder(n.origin)
                made.apply(operator.truediv, (1.0, below), {}, FLOAT)
                n = n.but(inputs=(above, made.nodes[-1].out),
                          params={**n.params, "fn": operator.mul})
                nodes += made.nodes
        makers.update(dict.fromkeys(n.outputs, n))
        nodes.append(n)
    return block.but(nodes=tuple(nodes))


def _divides(node: Node, below: Value | None = None) -> bool:
    """Is a cotangent divided (by a number) that is no constant?"""
    return node.params.get("fn") in _DIVISIONS and is_adjoint(node) and len(
        node.inputs) == 2 and below in (None, node.inputs[1]) and "again" not in node.params
