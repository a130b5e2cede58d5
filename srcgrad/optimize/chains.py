"""Chains of stores into one buffer: who reads a version, which store makes the next one."""

from __future__ import annotations

from collections import Counter

from ..graph.ir import Graph, Node, Value, walk
from .stores import Stores

STORES = ("write", "acc", "update")


class Chains(Stores):
    """A pass that looks at a whole graph before it changes anything.

    ``count`` tells how often a value is used, ``readers`` by which nodes.
    """

    def __init__(self, graph: Graph) -> None:
        super().__init__()
        self.count: Counter[Value] = Counter(graph.outputs)
        self.readers: dict[Value, list[Node]] = {}
        for node in walk(graph.block):
            self.count.update(node.inputs)
            self.defined.update(dict.fromkeys(node.outputs, node))
            for v in dict.fromkeys(node.inputs):
                self.readers.setdefault(v, []).append(node)
            for block in node.blocks:
                self.count.update(block.outputs)

    def only_store(self, value: Value) -> tuple[Node, list[Node]] | None:
        """The store that makes the next version of a buffer, and the reads of this one; None if
        there is another use of it."""
        readers = self.readers.get(value, [])
        stores = [n for n in readers if n.op in STORES and n.inputs[0] is value]
        reads = [n for n in readers if n not in stores]
        if len(stores) != 1 or self.count[value] != len(readers) or not all(
                n.op == "read" for n in reads):
            return None
        return stores[0], reads
