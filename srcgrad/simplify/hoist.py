"""What backward loops make anew in each iteration although it is always the same.

Identity matrices and the like are made once, before the loop.  Numbers and views stay where they
are: they are cheap, and read best in their place.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..graph.changing import Changing
from ..graph.ir import Block, Graph, Node, Value
from ..types.kinds import Kind
from .rewriting import call_of

MAKERS: frozenset[Any] = frozenset({np.eye, np.identity, np.arange, np.tri})
_INTEGER = frozenset({operator.add, operator.sub, operator.mul, min, max})


def hoist(graph: Graph) -> Graph:
    """The graph with constant arrays and sizes made before the backward loops that use them."""
    if graph.border is None:
        return graph
    return _Hoisting().graph(graph, forward=False)


class _Hoisting(Changing):
    def node(self, node: Node) -> list[Node]:
        """A node, after what could be taken out of it."""
        if not node.blocks or "mirror" in node.params:
            return [node]
        before: list[Node] = []
        blocks = [self.block(block) for block in node.blocks]
        if node.op == "loop" and node.loop.kind == "for":
            blocks = [_taken_out(block, before) for block in blocks]
        return [*before, node.but(blocks=tuple(blocks))]


def _taken_out(block: Block, before: list[Node]) -> Block:
    made = {v: n for n in block.nodes for v in n.outputs}
    moved: dict[Node, None] = {}

    def is_steady(value: Value) -> bool:
        """Is a value from outside, or a number that can be had there?"""
        node = made.get(value)
        if node is None:
            return value not in block.params
        number = node.op in ("dim", "const") or call_of(node) in _INTEGER
        return number and node.out.aval.kind is Kind.INT and all(map(is_steady, node.inputs))

    def take(node: Node) -> None:
        for v in node.inputs:
            if v in made:
                take(made[v])
        moved[node] = None

    for node in block.nodes:
        if call_of(node) in MAKERS and all(map(is_steady, node.inputs)):
            take(node)
    before += moved
    return block.but(nodes=tuple(n for n in block.nodes if n not in moved))
