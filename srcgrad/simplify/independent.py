"""Adjoint loops whose iterations do not depend on each other become operations on whole arrays.

What they compute is the same but for the order in which sums are formed; see
:mod:`srcgrad.batch.loops`.  This is for text that NumPy runs: native code is better off with loops.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..batch import NotBatched, batched_loop
from ..graph.changing import Changing
from ..graph.ir import Graph, Node, Value
from ..graph.parts import LoopParts
from ..graph.unbound import partly_undefined
from ..graph.walking import walk
from .hoist import hoist
from .share import share


def batch_loops(graph: Graph) -> Graph:
    """The graph with such loops of its backward part replaced, inner ones first."""
    if graph.border is None or any("mirror" in n.params for n in walk(graph.block)):
        return graph
    if not any(_may_be_batched(n) for n in walk(graph.block)):
        return graph
    found = _Loops(graph).graph(graph, forward=False)
    return graph if found is graph else hoist(share(found))


def _may_be_batched(node: Node) -> bool:
    return node.op == "loop" and node.loop.kind == "for" and not node.loop.exits


class _Loops(Changing):

    def __init__(self, graph: Graph) -> None:
        super().__init__()
        self.constants: dict[Value, Any] = {
            n.out: n.params["value"] for n in walk(graph.block)
            if n.op == "const" and type(n.params["value"]) in (bool, int, float, str, tuple)}
        self.zeros = {n.out for n in walk(graph.block)
                      if n.op == "apply" and n.params["fn"] in (np.zeros_like, np.zeros)}
        self.unsure = partly_undefined(graph.block)
        self.used = {v for n in walk(graph.block) for v in (
            *n.inputs, *(o for b in n.blocks for o in b.outputs))} | {*graph.outputs}

    def node(self, node: Node) -> Sequence[Node]:
        node = self.within(node)
        return self._loop(node) if _may_be_batched(node) else [node]

    def _loop(self, node: Node) -> Sequence[Node]:
        if LoopParts(node).trips in self.used:
            return [node]
        try:
            nodes, results = batched_loop(node, self.constants, self.zeros, self.unsure)
        except NotBatched:
            return [node]
        self.replaced.update(results)
        return nodes
