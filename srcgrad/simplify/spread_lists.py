"""Cotangents of sums over lists stay numbers.

The adjoint of ``sum(items)`` is a list with one number everywhere.  Where its items are read one by
one, the number itself is used.

    d_items = [d_total] * len(items)
    for j in reversed(range(len(items))):    ->    for j in reversed(range(len(items))):
        d_x[j] += d_items[j] * w[j]                    d_x[j] += d_total * w[j]
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..graph.changing import Changing
from ..graph.filled import filled_with, holds_numbers
from ..graph.ir import Graph, Node, Value, is_adjoint
from ..graph.parts import LoopParts
from ..graph.walking import uses_of, walk
from ..types.kinds import SCALARS


def keep_spread(graph: Graph) -> Graph:
    """The graph with the items of such lists as the numbers that they are."""
    if graph.border is None:
        return graph
    makers = {v: node for node in walk(graph.block) for v in node.outputs}
    uses = uses_of(graph.block)
    found = ((node, filled_with(node, makers, uses)) for node in walk(graph.block)
             if node.op == "loop" and is_adjoint(node))
    items = {node.outputs[0]: filled[1] for node, filled in found if filled is not None}
    for node in walk(graph.block):
        number = _repeated(node, makers)
        if number is not None:
            items[node.out] = number
    return _Spread(items).graph(graph) if items else graph


def _repeated(node: Node, makers: Mapping[Value, Node]) -> Value | None:
    """The number of a list that is made of an array in which it is everywhere."""
    if node.op != "apply" or node.params["fn"] is not list or not (
            is_adjoint(node) and holds_numbers(node.out)):
        return None
    wide = makers.get(node.inputs[0])
    if wide is None or wide.op != "apply" or wide.params["fn"] is not np.broadcast_to or (
            node.inputs[0].aval.ndim != 1 or wide.inputs[0].aval.kind not in SCALARS):
        return None
    return wide.inputs[0]


class _Spread(Changing):
    def __init__(self, items: dict[Value, Value]) -> None:
        super().__init__()
        self.items = items  # of lists

    def node(self, node: Node) -> list[Node]:
        if node.op == "get" and node.inputs[0] in self.items and len(node.inputs) == 2:
            self.replaced[node.out] = self.items[node.inputs[0]]
            return []
        return [self.within(self.without_items(node) if node.op == "loop" else node)]

    def without_items(self, node: Node) -> Node:
        """A loop that does not go through such lists."""
        parts = LoopParts(node)
        self.replaced.update((element, self.items[source]) for element, source in zip(
            parts.elements, parts.sources, strict=True) if source in self.items)
        parts.choose(consumed=[k for k, v in enumerate(parts.sources) if v not in self.items])
        return parts.loop(node)
