"""Where the values of a graph are defined, and which reads a backward block could do earlier."""

from __future__ import annotations

from ..graph.ir import Block, Node, Value
from ..graph.walking import walk


class Scope:
    """Where every value of a graph is defined, in which block and by which node."""

    def __init__(self, block: Block) -> None:
        self.node_of: dict[Value, Node] = {}
        self.block_of: dict[Value, Block] = {}
        self.owner: dict[Block, tuple[Node, Block]] = {}
        self.param_of: dict[Value, Node] = {}
        self.position: dict[Node, int] = {}
        self._visit(block)
        for number, node in enumerate(walk(block)):
            self.position[node] = number

    def made_at(self, value: Value) -> int:
        """The position in program order after which a value exists."""
        node = self.node_of.get(value)
        if node is None:
            owner = self.param_of.get(value)
            return -1 if owner is None else self.position[owner]
        return max(self.position[n] for n in (node, *(n for b in node.blocks for n in walk(b))))

    def _visit(self, block: Block) -> None:
        for v in block.params:
            self.block_of[v] = block
        for node in block.nodes:
            for v in node.outputs:
                self.node_of[v], self.block_of[v] = node, block
            for inner in node.blocks:
                self.owner[inner] = (node, block)
                for v in inner.params:
                    self.param_of[v] = node
                self._visit(inner)

    def in_loop(self, block: Block) -> bool:
        """Is a block (part of) the body of a loop?"""
        while block in self.owner:
            node, block = self.owner[block]
            if node.op == "loop":
                return True
        return False

    def in_arm(self, node: Node) -> bool:
        """Is a node (part of) an arm of an ``if``?"""
        block = self.block_of[node.outputs[-1]]
        while block in self.owner:
            owner, block = self.owner[block]
            if owner.op == "if":
                return True
        return False

    def encloses(self, outer: Block, block: Block) -> bool:
        """Is ``block`` the block ``outer`` or nested in it?"""
        while block is not outer:
            if block not in self.owner:
                return False
            block = self.owner[block][1]
        return True


def early_reads(block: Block, forward: Block, scope: Scope) -> dict[Value, list[Node]]:
    """For forward arrays that live in loops: the reads of parts of them in a backward block,
    if all that the block does with the array is reading those parts and asking for sizes."""
    reads: dict[Value, list[Node]] = {}
    for node in block.nodes:
        if node.op == "read" and node.params["steps"] and all(
                v in scope.block_of and scope.encloses(scope.block_of[v], forward)
                for v in node.inputs) and scope.in_loop(scope.block_of[node.inputs[0]]):
            reads.setdefault(node.inputs[0], []).append(node)
    if not reads:
        return reads
    early = {node for nodes in reads.values() for node in nodes}
    for node in walk(block):
        if node not in early and node.op != "dim":
            for v in node.inputs:
                reads.pop(v, None)
        for inner in node.blocks:
            for v in inner.outputs:
                reads.pop(v, None)
    for v in block.outputs:
        reads.pop(v, None)
    return reads
