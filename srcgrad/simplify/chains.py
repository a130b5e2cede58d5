"""Chains of stores into one buffer: who reads a version, which store makes the next one."""

from __future__ import annotations

from collections.abc import Mapping

from ..graph.ir import STORES, Block, Graph, Node, Value
from ..graph.walking import asked, uses_of, walk
from .stores import Stores


class Chains(Stores):
    """A pass that looks at a whole graph before it changes anything.

    ``count`` tells how often a value is used, ``readers`` by which nodes.
    """

    def __init__(self, graph: Graph) -> None:
        super().__init__()
        self.count = uses_of(graph.block)
        self.readers = _readers(graph.block)
        self.defined = {v: node for node in walk(graph.block) for v in node.outputs}

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


@asked
def _readers(block: Block) -> Mapping[Value, list[Node]]:
    found: dict[Value, list[Node]] = {}
    for node in walk(block):
        for v in {*node.inputs}:
            found.setdefault(v, []).append(node)
    return found
