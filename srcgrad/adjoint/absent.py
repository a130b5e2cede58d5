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
        # Arms share what they hand on: asked once for each value, not once for each way to it.
        self._answers: dict[tuple[object, ...], bool] = {}
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
        loops: list[Node] = []
        target = self._origin(predicate, loops)
        return self._is_absent(value, (target, *loops), arm, [])

    def perhaps(self, value: Value) -> bool:
        """May there be no value, by a branch that has made it?"""
        node = self._maker.get(value)
        if node is None or node.op != "if":
            return _makes_nothing(node)
        place = node.outputs.index(value)
        if (value,) not in self._answers:
            self._answers[value,] = any(self.perhaps(b.outputs[place]) for b in node.blocks)
        return self._answers[value,]

    def _is_absent(self, value: Value, target: tuple[Value | Node, ...], arm: int,
                   loops: list[Node]) -> bool:
        """``target``: the predicate where it was computed, and the loops that have saved it since;
        ``loops``: those that have saved ``value``, so that both are of one iteration."""
        while value in self._element:
            loop, sequence = self._element[value]
            content = self._content(sequence, loops)
            if content is None:
                return False
            loops.append(loop)
            value = content
        node = self._maker.get(value)
        if node is None or node.op != "if":
            return _makes_nothing(node)
        question = value, target, arm, *loops
        if question not in self._answers:
            around = list(loops)
            place = node.outputs.index(value)
            same = (self._origin(node.inputs[0], around), *around) == target
            self._answers[question] = all(
                self._is_absent(node.blocks[i].outputs[place], target, arm, list(loops))
                for i in ([arm] if same else [0, 1]))
        return self._answers[question]

    def _origin(self, value: Value, loops: list[Node]) -> Value:
        """What was saved as ``value``: by a branch, of which one arm only makes it, and by the
        ``loops``, which are added."""
        while True:
            node = self._maker.get(value)
            if value in self._element:
                loop, sequence = self._element[value]
                content = self._content(sequence, loops)
                if content is None:
                    return value
                loops.append(loop)
                value = content
            elif node is not None and node.op == "if":
                place = node.outputs.index(value)
                made = [b.outputs[place] for b in node.blocks
                        if not _makes_nothing(self._maker.get(b.outputs[place]))]
                if len(made) != 1:
                    return value
                value = made[0]
            else:
                return value

    def _content(self, sequence: Value, loops: list[Node]) -> Value | None:
        """What the loop that has made a sequence has put into it."""
        return self._produced.get(self._origin(sequence, loops))


def _makes_nothing(node: Node | None) -> bool:
    """Does a node stand for no value: undefined, None, a list without elements?"""
    return node is not None and (node.op == "undef" or (node.op == "list" and not node.inputs) or (
        node.op == "const" and node.params["value"] is None))
