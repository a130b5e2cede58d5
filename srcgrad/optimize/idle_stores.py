"""Stores of the backward part that put back what is there.

The adjoint of ``K[i, j] += e`` clears the element's cotangent and adds it again; where nothing lies
between, what is left of both is ``d_K[i, j] = d_K[i, j]``.
"""

from __future__ import annotations

from ..graph.ir import Block, Graph, Node, Value
from .share import place_key


def drop_idle_stores(graph: Graph) -> Graph:
    """The graph without such stores."""
    found = _Idle()
    block = found.block(graph.block)
    return graph.but(block=block) if found.replaced else graph


class _Idle:
    def __init__(self) -> None:
        self.reads: dict[Value, Node] = {}
        self.replaced: dict[Value, Value] = {}  # the versions that are the same as older ones

    def block(self, block: Block) -> Block:
        nodes: list[Node] = []
        for node in block.nodes:
            inputs = tuple(self.replaced.get(v, v) for v in node.inputs)
            if inputs != node.inputs:
                node = node.but(inputs=inputs)
            if node.op == "read":
                self.reads[node.out] = node
            if self.is_idle(node):
                self.replaced[node.out] = node.inputs[0]
            elif node.blocks:
                nodes.append(node.but(blocks=tuple(map(self.block, node.blocks))))
            else:
                nodes.append(node)
        return block.but(nodes=tuple(nodes), outputs=tuple(
            self.replaced.get(v, v) for v in block.outputs))

    def is_idle(self, node: Node) -> bool:
        if node.op != "write" or node.origin is None or node.origin.role != "adjoint":
            return False
        read = self.reads.get(node.inputs[1])
        return (read is not None and not read.params.get("handle")
                and read.inputs[0] is node.inputs[0] and place_key(read) == place_key(node))
