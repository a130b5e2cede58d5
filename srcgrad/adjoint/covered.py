"""Values that the result sees through ``np.where`` only.

``r = np.sqrt(x)`` before a loop that adds up ``np.where(x > 0, r, 0.0)`` has a cotangent that is a
sum over the iterations: no screen (:mod:`srcgrad.adjoint.screens`) stands before it, though it is
zero wherever every iteration hides ``r``.  What a rule makes of such a zero by a partial
derivative that is infinite or NaN there is zero.
"""

from __future__ import annotations

import numpy as np

from ..graph.ir import Block, Node, Ref, Value
from ..graph.parts import LoopParts
from .binding import Bindings


class Covered:
    """Follows values of a block to those who use them."""

    def __init__(self, block: Block, bindings: Bindings) -> None:
        self._bindings = bindings
        self._uses: dict[Value, list[Node]] = {}
        self._handed_on: dict[Value, list[Value]] = {}
        self._visit(block)
        self._shown = set(block.outputs)

    def _visit(self, block: Block) -> None:
        for node in block.nodes:
            for inner in node.blocks:
                self._visit(inner)
            if node.op == "if":
                for arm in node.blocks:
                    self._hand_on(arm.outputs, node.outputs)
            elif node.op == "loop":
                parts = LoopParts(node)
                for sources, targets in (
                        (parts.inits, parts.carried), (parts.inits, parts.results),
                        (parts.next, parts.carried), (parts.next, parts.results),
                        (parts.last, parts.lasts), (parts.produced, parts.sequences),
                        (parts.sources, parts.elements)):
                    self._hand_on(sources, targets)
            else:
                for value in dict.fromkeys(self._bindings.differentiable(node)):
                    self._uses.setdefault(value, []).append(node)

    def _hand_on(self, sources: tuple[Value, ...], targets: tuple[Value, ...]) -> None:
        for source, target in zip(sources, targets):
            self._handed_on.setdefault(source, []).append(target)

    def holds(self, value: Value) -> bool:
        """Is there a ``np.where`` before each way from ``value`` to the results?"""
        seen, waiting, hidden = {value}, [value], False
        while waiting:
            value = waiting.pop()
            if value in self._shown:
                return False
            following = list(self._handed_on.get(value, ()))
            for node in self._uses.get(value, ()):
                if _hides(node, value):
                    hidden = True
                elif self._keeps_apart(node):
                    following += node.outputs
                else:
                    return False
            fresh = [v for v in following if v not in seen]
            seen.update(fresh)
            waiting += fresh
        return hidden

    def _keeps_apart(self, node: Node) -> bool:
        """Does the node move elements, or compute on each by itself?"""
        if node.op != "apply":
            return node.op not in ("call", "pack", "unpack", "effect")
        entry = self._bindings.of(node).entry
        return entry is not None and entry.broadcasts


def _hides(node: Node, value: Value) -> bool:
    """Does ``np.where`` choose between ``value`` and something else?"""
    if node.op != "apply" or node.params["fn"] is not np.where:
        return False
    return sum(type(a) is Ref and node.inputs[a.index] is value
               for a in node.params["args"][1:]) == 1
