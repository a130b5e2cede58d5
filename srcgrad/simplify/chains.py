"""Chains of stores into one buffer: who reads a version, which store makes the next one."""

from __future__ import annotations

from collections import defaultdict

from ..graph.ir import STORES, Graph, Node, Value, walk
from .stores import Stores


class Chains(Stores):
    """A pass that looks at a whole graph before it changes anything.

    ``count`` tells how often a value is used, ``readers`` by which nodes.
    """

    def __init__(self, graph: Graph) -> None:
        super().__init__()
        self.count: defaultdict[Value, int] = defaultdict(int)
        self.readers: defaultdict[Value, list[Node]] = defaultdict(list)
        count, readers, defined = self.count, self.readers, self.defined
        for v in graph.outputs:
            count[v] += 1
        for node in walk(graph.block):
            for v in node.inputs:
                count[v] += 1
                found = readers[v]
                if not found or found[-1] is not node:
                    found.append(node)
            for v in node.outputs:
                defined[v] = node
            for block in node.blocks:
                for v in block.outputs:
                    count[v] += 1

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
