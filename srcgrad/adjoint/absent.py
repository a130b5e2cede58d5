"""Values that are absent on one side of a branch: undefined there, or None.

A residual of an arm of a branch has no value where the other arm was taken, and whoever reads it
branches on the same predicate.  So does its cotangent: there is none where there is no value.
"""

from __future__ import annotations

from ..graph.ir import Block, Node, Value
from ..graph.parts import LoopParts


class Absent:
    """Finds out which values are absent after which side of a branch."""

    def __init__(self, block: Block) -> None:
        self._maker: dict[Value, Node] = {}
        self._element: dict[Value, tuple[Node, Value]] = {}  # its loop, and its sequence
        self._produced: dict[Value, Value] = {}
        self._visit(block)

    def _visit(self, block: Block) -> None:
        for node in block.nodes:
            for value in node.outputs:
                self._maker[value] = node
            for inner in node.blocks:
                self._visit(inner)
            if node.op == "loop":
                parts = LoopParts(node)
                for element, source in zip(parts.elements, parts.sources):
                    self._element[element] = node, source
                self._produced.update(zip(parts.sequences, parts.produced))

    def after(self, value: Value, predicate: Value, arm: int) -> bool:
        """Is ``value`` absent wherever ``predicate`` has chosen ``arm``?"""
        value, predicate = self._as_made(value, predicate)
        node = self._maker.get(value)
        if node is None:
            return False
        if _makes_nothing(node):
            return True
        if node.op != "if":
            return False
        place = node.outputs.index(value)
        arms = [arm] if node.inputs[0] is predicate else [0, 1]
        return all(self.after(node.blocks[i].outputs[place], predicate, arm) for i in arms)

    def _as_made(self, one: Value, other: Value) -> tuple[Value, Value]:
        """Two elements that a loop consumes as the values that an earlier loop has saved."""
        loop, sequence = self._element.get(one, (None, one))
        same, beside = self._element.get(other, (None, other))
        found = self._content(sequence, beside) if loop is not None and loop is same else None
        return (one, other) if found is None else self._as_made(*found)

    def _content(self, one: Value, other: Value) -> tuple[Value, Value] | None:
        """What one loop has put into two sequences, if it was one."""
        one, other = self._as_made(one, other)
        node = self._maker.get(one)
        if node is None or self._maker.get(other) is not node:
            return None
        if node.op == "if":
            i, j = map(node.outputs.index, (one, other))
            arms = [b for b in node.blocks if not _makes_nothing(self._maker.get(b.outputs[i]))]
            return self._content(arms[0].outputs[i], arms[0].outputs[j]) if len(arms) == 1 else None
        if one not in self._produced or other not in self._produced:
            return None
        return self._produced[one], self._produced[other]


def _makes_nothing(node: Node | None) -> bool:
    """Does a node stand for no value: undefined, None, a list without elements?"""
    return node is not None and (node.op == "undef" or (node.op == "list" and not node.inputs) or (
        node.op == "const" and node.params["value"] is None))
