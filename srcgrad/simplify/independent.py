"""Adjoint loops whose iterations do not depend on each other become operations on whole arrays.

What they compute is the same but for the order in which sums are formed; see
:mod:`srcgrad.batch.loops`.  This is for text that NumPy runs: native code is better off with loops.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..batch import NotBatched, batched_loop
from ..graph.ir import Block, Graph, Node, Value, rebuild, walk
from ..graph.parts import LoopParts
from ..graph.unbound import partly_undefined
from .hoist import hoist
from .share import share


def batch_loops(graph: Graph) -> Graph:
    """The graph with such loops of its backward part replaced, inner ones first."""
    if graph.border is None or any("mirror" in n.params for n in walk(graph.block)):
        return graph
    if not any(_may_be_batched(n) for n in walk(graph.block)):
        return graph
    found = _Loops(graph)
    head, tail = graph.block.nodes[:graph.border], graph.block.nodes[graph.border:]
    nodes = (*head, *found.nodes(tail))
    if not found.replaced:
        return graph
    return hoist(share(graph.but(block=rebuild(graph.block.but(nodes=nodes), found.settled()))))


def _may_be_batched(node: Node) -> bool:
    return node.op == "loop" and node.loop.kind == "for" and not node.loop.exits


class _Loops:
    """Replaces loops; ``replaced`` tells what stands for their results."""

    def __init__(self, graph: Graph) -> None:
        self.replaced: dict[Value, Value] = {}
        self.constants: dict[Value, Any] = {
            n.out: n.params["value"] for n in walk(graph.block)
            if n.op == "const" and type(n.params["value"]) in (bool, int, float, str, tuple)}
        self.zeros = {n.out for n in walk(graph.block)
                      if n.op == "apply" and n.params["fn"] in (np.zeros_like, np.zeros)}
        self.unsure = partly_undefined(graph.block)
        self.used = {v for n in walk(graph.block) for v in (
            *n.inputs, *(o for b in n.blocks for o in b.outputs))} | {*graph.outputs}

    def nodes(self, nodes: tuple[Node, ...]) -> list[Node]:
        made: list[Node] = []
        for node in nodes:
            if node.blocks:
                blocks = tuple(self._block(b) for b in node.blocks)
                if any(a is not b for a, b in zip(blocks, node.blocks, strict=True)):
                    node = node.but(blocks=blocks)
            made.extend(self._loop(node) if _may_be_batched(node) else [node])
        return made

    def _block(self, block: Block) -> Block:
        nodes = tuple(self.nodes(block.nodes))
        same = len(nodes) == len(block.nodes) and all(
            a is b for a, b in zip(nodes, block.nodes, strict=True))
        return block if same else block.but(nodes=nodes)

    def _loop(self, node: Node) -> list[Node]:
        if LoopParts(node).trips in self.used:
            return [node]
        try:
            nodes, results = batched_loop(node, self.constants, self.zeros, self.unsure)
        except NotBatched:
            return [node]
        self.replaced.update(results)
        return nodes

    def settled(self) -> dict[Value, Value]:
        """What stands for each result in the end."""
        found = {}
        for value in self.replaced:
            last = value
            while last in self.replaced:
                last = self.replaced[last]
            found[value] = last
        return found
