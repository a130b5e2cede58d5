"""Zeros of values that are not there.

A value made in one arm of a branch is undefined after the other arm.  Its cotangent is a zero
wherever it is not used; where even its rank is unknown that zero is ``np.zeros_like(value)``,
which cannot be computed where the value is undefined.  Nothing reads it there, so the number 0
stands for it.
"""

from __future__ import annotations

import numpy as np

from ..graph.changing import Changing
from ..graph.ir import Block, Graph, Node, Value
from ..graph.walking import walk
from ..types.kinds import Kind

Known = tuple[tuple[Value, int], ...]  # predicates and the arms in which a block lies


def without_undefined(graph: Graph) -> Graph:
    """The graph with zeros of values that are undefined where the zeros are made replaced."""
    if not any(node.op == "undef" for node in walk(graph.block)):
        return graph
    return _Replacing(graph.block).graph(graph)


class _Replacing(Changing):
    def __init__(self, block: Block) -> None:
        super().__init__()
        self._known: Known = ()
        self._maker = {out: node for node in walk(block) for out in node.outputs}

    def node(self, node: Node) -> list[Node]:
        known, blocks = self._known, []
        for arm, block in enumerate(node.blocks):
            self._known = (*known, (node.inputs[0], arm)) if node.op == "if" else known
            blocks.append(self.block(block))
        self._known = known
        if not _is_zero(node) or not self._is_undefined(node.inputs[0], known):
            return [node.but(blocks=tuple(blocks))]
        if node.op == "list_like":
            return [Node("list", (), node.outputs, {}, (), node.origin)]
        return [Node("const", (), node.outputs, {"value": 0.0}, (), node.origin)]

    def _is_undefined(self, value: Value, known: Known) -> bool:
        """Is a value undefined on every path to a block?"""
        made = self._maker.get(value)
        if made is None or made.op != "if":
            return made is not None and made.op == "undef"
        place = made.outputs.index(value)
        predicate = self._traced(made.inputs[0], known)
        for other, arm in known:
            if self._traced(other, known) is predicate:
                return self._is_undefined(made.blocks[arm].outputs[place], known)
        return all(self._is_undefined(b.outputs[place], known) for b in made.blocks)

    def _traced(self, value: Value, known: Known) -> Value:
        """Where a value comes from that branches on known predicates hand on."""
        made = self._maker.get(value)
        if made is not None and made.op == "if":
            for other, arm in known:
                if other is made.inputs[0]:
                    return self._traced(made.blocks[arm].outputs[made.outputs.index(value)], known)
        return value


def _is_zero(node: Node) -> bool:
    """Is it a zero whose shape is that of its input at run time?"""
    if node.op == "list_like":
        return True
    return (node.op == "apply" and node.params["fn"] is np.zeros_like and len(node.inputs) == 1
            and node.inputs[0].aval.kind is not Kind.ARRAY)
