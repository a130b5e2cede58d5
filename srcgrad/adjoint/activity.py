"""Activity: which values carry a derivative from the chosen inputs to the chosen outputs.

A value is *varied* if it depends differentiably on an input of interest, *useful* if an output
of interest depends differentiably on it.  Only values that are both get a cotangent; what is
inactive costs nothing.  Both are least fixed points; a loop is visited until its carried
values settle, at most once per carried value that changes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..errors import UnsupportedOperation
from ..graph.ir import Block, Node, Value
from ..graph.parts import LoopParts
from .binding import Bindings
from .sight import Sight

if TYPE_CHECKING:
    from .calls import Calls

# Operations whose outputs never carry a derivative.
INERT = frozenset({"const", "dim", "list_len", "list_like", "effect", "undef"})


class Activity:
    """``varied`` and ``useful`` of a graph's block, and their meet :meth:`active`."""

    def __init__(self, block: Block, bindings: Bindings, wrt: Iterable[Value],
                 of: Iterable[Value], calls: Calls | None = None,
                 sight: Sight | None = None) -> None:
        self._bindings, self._calls = bindings, calls
        self.varied: set[Value] = {v for v in wrt if v.aval.is_inexact}
        self.useful: set[Value] = {v for v in of if v.aval.is_inexact}
        self.sight = Sight() if sight is None else sight
        self._forward(block)
        self._backward(block)

    def active(self, value: Value) -> bool:
        return value in self.varied and value in self.useful

    # ---- varied ------------------------------------------------------------------------

    def _forward(self, block: Block) -> None:
        for node in block.nodes:
            if node.op == "if":
                for arm in node.blocks:
                    self._forward(arm)
                    self._hand_on(node, arm.outputs, node.outputs)
            elif node.op == "loop":
                self._forward_loop(node)
            elif node.op == "call" and self._calls is not None:
                self.varied.update(self._calls.vary(node, self.varied, self.sight))
            elif (node.op not in INERT or self._bindings.is_draw(node)) and any(
                    v in self.varied for v in self._bindings.differentiable(node)):
                self.varied.update(o for o in node.outputs if o.aval.is_inexact)
            self.sight.note(node, self.varied)

    def _forward_loop(self, node: Node) -> None:
        parts = LoopParts(node)
        self._hand_on(node, parts.inits, parts.carried)
        self._hand_on(node, parts.sources, parts.elements)
        while True:
            changed = self.sight.changed
            self._forward(node.blocks[-1])
            if not self._hand_on(node, parts.next, parts.carried) and (
                    changed == self.sight.changed):
                break
        self._hand_on(node, parts.carried, parts.results)
        self._hand_on(node, parts.last, parts.lasts)
        self._hand_on(node, parts.produced, parts.sequences)

    def _hand_on(self, node: Node, sources: Iterable[Value], targets: Iterable[Value]) -> bool:
        """What a branch or loop hands on varies as before; does anything vary newly?"""
        pairs = list(zip(sources, targets))
        seen = [self.sight.follow(node, s, t, self.varied) for s, t in pairs]
        return self._mark(self.varied, *zip(*pairs)) or any(seen) if pairs else False

    @staticmethod
    def _mark(marked: set[Value], sources: Iterable[Value], targets: Iterable[Value]) -> bool:
        before = len(marked)
        marked.update(t for s, t in zip(sources, targets) if s in marked and t.aval.is_inexact)
        return len(marked) > before

    # ---- useful ------------------------------------------------------------------------

    def _backward(self, block: Block) -> None:
        for node in reversed(block.nodes):
            if not any(o in self.useful for o in node.outputs):
                if node.op != "loop" and node.op != "if":
                    continue
            if node.op == "if":
                for arm in node.blocks:
                    self._mark(self.useful, node.outputs, arm.outputs)
                    self._backward(arm)
            elif node.op == "loop":
                self._backward_loop(node)
            elif node.op == "call" and self._calls is not None:
                self.useful.update(self._calls.matter(node, self.useful))
            elif self._bindings.is_draw(node):
                self.useful.update(self._bindings.differentiable(node))
            elif node.op == "effect":
                self._check_effect(node)
            elif node.op not in INERT:
                through = self._bindings.differentiable(node)
                self.sight.refuse(through)
                self.useful.update(through)

    def _check_effect(self, node: Node) -> None:
        """An effect has no derivative: a random draw whose shape parameter depends on the inputs,
        an unknown function of them.  Where its result counts, leaving it out would be wrong."""
        self.sight.refuse(node.inputs)
        if not any(v in self.varied for v in node.inputs):
            return
        fn = node.params["fn"]
        raise UnsupportedOperation(
            f"the result of {getattr(fn, '__name__', getattr(fn, 'name', fn))} depends on what is "
            "differentiated",
            where=node.origin.where if node.origin is not None else None,
            why="the call is an effect, executed as it stands, and has no derivative",
            fix="draw from a distribution with a location and a scale (they have derivatives), "
                "or pass the operands through srcgrad.stop_gradient")

    def _backward_loop(self, node: Node) -> None:
        parts = LoopParts(node)
        self._mark(self.useful, parts.results, parts.next)
        self._mark(self.useful, parts.lasts, parts.last)
        self._mark(self.useful, parts.sequences, parts.produced)
        while True:
            self._backward(node.blocks[-1])
            if not self._mark(self.useful, parts.carried, parts.next):
                break
        # without an iteration the result is the initial value
        self._mark(self.useful, parts.results, parts.inits)
        self._mark(self.useful, parts.carried, parts.inits)
        self._mark(self.useful, parts.elements, parts.sources)
