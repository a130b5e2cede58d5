"""Walks over graphs that put other nodes and values in the place of what is there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from .ir import Block, Graph, Node, Value


class Changing:
    """A walk in program order.  :meth:`node` says what stands in the place of a node, and
    ``replaced`` what stands in the place of a value; without either everything stays."""

    def __init__(self, replaced: Mapping[Value, Value] | None = None) -> None:
        self.replaced: dict[Value, Value] = {} if replaced is None else {**replaced}

    def now(self, value: Value) -> Value:
        """What stands for ``value`` now."""
        while value in self.replaced:
            value = self.replaced[value]
        return value

    def node(self, node: Node) -> Sequence[Node]:
        """What stands in the place of a node."""
        return [self.within(node)]

    def within(self, node: Node) -> Node:
        """A node that reads what there is now, with its blocks changed."""
        if not self.replaced.keys().isdisjoint(node.inputs):
            node = node.but(inputs=tuple([self.now(v) for v in node.inputs]))
        return node.but(blocks=tuple([self.block(b) for b in node.blocks])) if node.blocks else node

    def nodes(self, nodes: Iterable[Node]) -> list[Node]:
        """What stands in the place of nodes."""
        made: list[Node] = []
        for node in nodes:
            made += self.node(node)
        return made

    def block(self, block: Block) -> Block:
        """A block with its nodes changed."""
        return block.but(nodes=tuple(self.nodes(block.nodes)),
                         outputs=tuple([self.now(v) for v in block.outputs]))

    def cross(self) -> None:
        """The border of the graph is reached."""

    def graph(self, graph: Graph, forward: bool = True) -> Graph:
        """A graph with its nodes changed; without ``forward`` those behind the border."""
        block = graph.block
        before = block.nodes[:graph.border]
        made = self.nodes(before) if forward else [*before]
        self.cross()
        after = [] if graph.border is None else self.nodes(block.nodes[graph.border:])
        new = block.but(nodes=(*made, *after), outputs=tuple([self.now(v) for v in block.outputs]))
        return graph if new is block else graph.but(
            block=new, border=None if graph.border is None else len(made))
