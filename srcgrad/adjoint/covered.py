"""Values that the result sees through ``np.where``, or as triangles of matrices, only.

``r = np.sqrt(x)`` before a loop that adds up ``np.where(x > 0, r, 0.0)`` has a cotangent that is a
sum over the iterations: no screen (:mod:`srcgrad.adjoint.screens`) stands before it, though it is
zero wherever every iteration hides ``r``.  What a rule makes of such a zero by a partial
derivative that is infinite or NaN there is zero.
"""

from __future__ import annotations

import numpy as np

from ..graph.ir import Block, Node, Ref, Value, walk
from ..graph.parts import LoopParts
from .binding import Bindings

_HIDING = frozenset({np.where, np.triu, np.tril})


class Covered:
    """Follows values of a block to those who use them, once for all values."""

    def __init__(self, block: Block, bindings: Bindings) -> None:
        self._bindings = bindings
        self._made_of: dict[Value, list[Value]] = {}  # by what keeps elements apart
        self._chosen: list[Value] = []  # by np.where
        self._used: list[Value] = []  # by whatever else
        if any(node.op == "apply" and node.params["fn"] in _HIDING for node in walk(block)):
            self._visit(block)
        self._shown = self._before([*block.outputs, *self._used])
        self._hidden = self._before(self._chosen)

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
                self._use(node)

    def _use(self, node: Node) -> None:
        for value in dict.fromkeys(self._bindings.differentiable(node)):
            if _hides(node, value):
                self._chosen.append(value)
            elif self._keeps_apart(node):
                self._hand_on((value,) * len(node.outputs), node.outputs)
            else:
                self._used.append(value)

    def _hand_on(self, sources: tuple[Value, ...], targets: tuple[Value, ...]) -> None:
        for source, target in zip(sources, targets):
            self._made_of.setdefault(target, []).append(source)

    def _before(self, values: list[Value]) -> set[Value]:
        """These values, and all that they are made of."""
        found, waiting = set(values), list(values)
        while waiting:
            fresh = [v for v in self._made_of.get(waiting.pop(), ()) if v not in found]
            found.update(fresh)
            waiting += fresh
        return found

    def holds(self, value: Value) -> bool:
        """Is there a ``np.where`` before each way from ``value`` to the results?"""
        return value in self._hidden and value not in self._shown

    def _keeps_apart(self, node: Node) -> bool:
        """Does the node move elements, or compute on each by itself?"""
        if node.op != "apply":
            return node.op not in ("call", "pack", "unpack", "effect")
        entry = self._bindings.of(node).entry
        return entry is not None and entry.broadcasts


def _hides(node: Node, value: Value) -> bool:
    """Does ``np.where`` choose between ``value`` and something else, or is a triangle taken?"""
    if node.op != "apply" or node.params["fn"] not in _HIDING:
        return False
    return node.params["fn"] is not np.where or sum(type(a) is Ref and node.inputs[a.index] is value
               for a in node.params["args"][1:]) == 1
