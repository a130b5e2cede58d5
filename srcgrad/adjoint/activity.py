"""Activity: which values carry a derivative from the chosen inputs to the chosen outputs.

A value is *varied* if it depends differentiably on an input of interest, *useful* if an output
of interest depends differentiably on it.  Only values that are both get a cotangent; what is
inactive costs nothing.  Both are least fixed points; a loop is visited until its carried
values settle, at most once per carried value that changes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import UnsupportedOperation
from ..graph.ir import Block, Node, Value
from ..graph.parts import LoopParts
from ..kinds import Kind
from ..spelling import Attribute
from .binding import Bindings

if TYPE_CHECKING:
    from .calls import Calls

# Operations whose outputs never carry a derivative.
INERT = frozenset({"const", "dim", "list_len", "list_like", "effect", "undef"})


# What these tell of an array does not depend on its values.
_FACTS: tuple[Any, ...] = (
    Attribute("shape"), Attribute("dtype"), Attribute("ndim"), Attribute("size"), np.shape, np.ndim,
    np.result_type, type, len, range, isinstance, id)


class Activity:
    """``varied`` and ``useful`` of a graph's block, and their meet :meth:`active`."""

    def __init__(self, block: Block, bindings: Bindings, wrt: Iterable[Value],
                 of: Iterable[Value], calls: Calls | None = None) -> None:
        self._bindings, self._calls = bindings, calls
        self.varied: set[Value] = {v for v in wrt if v.aval.is_inexact}
        self.useful: set[Value] = {v for v in of if v.aval.is_inexact}
        self.tainted: set[Value] = set()  # texts and objects made of varied numbers
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
                    self._mark(self.varied, arm.outputs, node.outputs)
            elif node.op == "loop":
                self._forward_loop(node)
            elif node.op == "call" and self._calls is not None:
                self.varied.update(self._calls.vary(node, self.varied))
            elif (node.op not in INERT or self._bindings.is_draw(node)) and any(
                    v in self.varied for v in self._bindings.differentiable(node)):
                self.varied.update(o for o in node.outputs if o.aval.is_inexact)
            if node.op in ("apply", "effect") and node.params["fn"] not in _FACTS and any(
                    v in self.varied or v in self.tainted for v in node.inputs):
                self.tainted.update(o for o in node.outputs if o.aval.kind is Kind.OPAQUE)

    def _forward_loop(self, node: Node) -> None:
        parts = LoopParts(node)
        self._mark(self.varied, parts.inits, parts.carried)
        self._mark(self.varied, parts.sources, parts.elements)
        while True:
            self._forward(node.blocks[-1])
            if not self._mark(self.varied, parts.next, parts.carried):
                break
        self._mark(self.varied, parts.carried, parts.results)
        self._mark(self.varied, parts.last, parts.lasts)
        self._mark(self.varied, parts.produced, parts.sequences)

    def _mark(self, marked: set[Value], sources: Iterable[Value],
              targets: Iterable[Value]) -> bool:
        before = len(marked)
        if marked is self.varied:
            sources, targets = list(sources), list(targets)
            self.tainted.update(t for s, t in zip(sources, targets) if s in self.tainted or (
                s in marked and t.aval.kind is Kind.OPAQUE))
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
                if node.op == "apply" and any(v in self.tainted for v in node.inputs) and (
                        self._bindings.differentiable(node)):
                    raise _through_an_object(node)
                self.useful.update(self._bindings.differentiable(node))

    def _check_effect(self, node: Node) -> None:
        """An effect has no derivative: a random draw whose shape parameter depends on the inputs,
        an unknown function of them.  Where its result counts, leaving it out would be wrong."""
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


def _through_an_object(node: Node) -> UnsupportedOperation:
    """The refusal of a number that was read out of a text or an object made of active numbers."""
    fn = node.params["fn"]
    return UnsupportedOperation(
        f"{getattr(fn, '__name__', getattr(fn, 'name', fn))} makes a number of a text or object "
        "that depends on what is differentiated",
        where=node.origin.where if node.origin is not None else None,
        why="the derivative cannot be followed through texts and objects that are only known at "
            "run time",
        fix="use the number itself, or pass it through srcgrad.stop_gradient before it becomes "
            "a text")
