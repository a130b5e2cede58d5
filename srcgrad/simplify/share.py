"""Common subexpressions, among adjoint nodes only.

Two adjoint nodes that apply one function to the same values are one, if the first is visible
where the second is; so are two reads of one place of one version.  Fresh buffers (zeros,
copies, lists) are not shared: they are written to.  Forward nodes are left as the user wrote
them; what they computed at some expense is not computed again, not even in the forward part if
it has no name and is only calculated with, and of equal numbers, and arrays that are only
calculated with, in the forward part the backward part refers to the first.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..graph.equality import key_of
from ..graph.ir import WRITES, Block, Graph, Index, Node, Value, is_adjoint
from ..graph.walking import walk
from ..types.kinds import SCALARS
from ..types.spelling import Method, begin_cleanup, end_cleanup
from .rewriting import Emit, Rewriter, call_of

_DEAR: frozenset[Any] = frozenset({
    np.exp, np.expm1, np.log, np.log1p, np.sqrt, np.cbrt, np.sin, np.cos, np.tan, np.sinh, np.cosh,
    np.tanh, np.arctan, math.exp, math.log, math.sqrt, math.sin, math.cos, math.tanh})
_CALCULATING: frozenset[Any] = frozenset({
    operator.add, operator.sub, operator.mul, operator.truediv, operator.neg, operator.pow, np.sum,
    np.mean, Method("sum"), Method("mean")})
# From which input on nodes say places, which are only looked at.
_KEYS = {"write": 2, "acc": 2}


def share(graph: Graph, beside: bool = False) -> Graph:
    """The graph with equal adjoint nodes merged.  ``beside``: adjoint nodes of the forward part
    take all that the forward nodes before them have made.

    >>> from srcgrad.graph.ir import Builder
    >>> from srcgrad.types.kinds import FLOAT
    >>> b = Builder()
    >>> x = b.param(FLOAT, "x")
    >>> first, second = (b.apply(operator.mul, (x, x), {}, FLOAT) for _ in range(2))
    >>> y = b.apply(operator.sub, (first, second), {}, FLOAT)
    >>> share(Graph("g", b.block((y,)), border=0)).block.nodes[-1].inputs == (first, first)
    True
    """
    return _Share(beside).run(graph)


class _Share(Rewriter):
    sees_again = True

    def __init__(self, beside: bool) -> None:
        super().__init__()
        self._beside = beside
        self._changed: set[Value] = set()  # what is written to
        self._scopes: list[dict[Any, Sequence[Value]]] = [{}]
        self._forward: dict[Any, Sequence[Value]] = {}
        self._first: dict[Any, Value] = {}  # numbers and arrays of the forward part
        self._equal: dict[Value, Value] = {}
        self._handed_on: set[Value] | None = None  # what is not only calculated with
        self._cleaning = False  # in what runs only where an exception leaves the function

    def run(self, graph: Graph) -> Graph:
        if self._beside:
            self._changed = {n.inputs[0] for n in walk(graph.block) if n.op in WRITES}
        if graph.border is not None:
            self._handed_on = set(graph.block.outputs)
            for node in walk(graph.block):
                if not _gathers(node) and not _calculates(node):
                    self._handed_on.update(node.inputs[:_KEYS.get(node.op)])
                for block in node.blocks:
                    self._handed_on.update(block.outputs)
        return super().run(graph)

    def node(self, node: Node) -> Sequence[Node]:
        first = None if self._behind else self._computed(node)
        if first is None:
            return super().node(node)
        self.replaced[node.out] = first
        self.uses[first] += self.uses[node.out]
        return []

    def _computed(self, node: Node) -> Value | None:
        """What the forward part has at hand already, where neither has a name or is anything but
        calculated with."""
        if node.op != "apply" or self._handed_on is None or self._cleaning or (
                call_of(node) not in _DEAR) or (
                node.out.hint or node.out in self._handed_on or not node.out.aval.is_array):
            return None
        known = self._forward.get(key_of(node))
        if known is None or known[0].hint or known[0] in self._handed_on:
            return None
        return known[0]

    def enter(self, block: Block) -> None:
        self._scopes.append({})

    def leave(self) -> None:
        self._scopes.pop()

    def _mark(self, node: Node) -> None:
        if node.op == "effect" and node.params["fn"] in (begin_cleanup, end_cleanup):
            self._cleaning = node.params["fn"] is begin_cleanup

    def note(self, node: Node) -> None:
        super().note(node)
        if node.op == "effect":
            self._mark(node)
        if self._cleaning or len(node.outputs) != 1 or not node.inputs:
            return
        out = node.outputs[0]
        if self._beside and not self._behind and out not in self._changed:
            self._scopes[-1].setdefault(key_of(self._by_first(node)), node.outputs)
        dear = (len(node.inputs) == 1 and call_of(node) in _DEAR) or _gathers(node)
        number = out.aval.kind in SCALARS
        array = not number and self._handed_on is not None and out not in self._handed_on and (
            out.aval.is_array and (_calculates(node) or _gathers(node)))
        if not dear and not number and not array:
            return
        node = self._by_first(node)
        key = key_of(node)
        if dear and self.is_beside(node, node.inputs[0]):
            self._forward.setdefault(key, node.outputs)
        if key is not None and (number or array) and not out.aval.optional and (
                node.op == "list_len" or all(v.aval.is_numeric for v in node.inputs)):
            first = self._first.setdefault((self.home.get(out), key), out)
            if first is not out:
                self._equal[out] = first

    def _by_first(self, node: Node) -> Node:
        """The node with the first of equal numbers for each of its inputs."""
        equal = self._equal
        if equal and not equal.keys().isdisjoint(node.inputs):
            return node.but(inputs=tuple(equal.get(v, v) for v in node.inputs))
        return node

    def visit(self, node: Node, emit: Emit) -> Sequence[Value] | None:
        self._mark(node)
        with_first = self._by_first(node)
        found = self._shared(with_first)
        if found is None and (regrouped := self._regrouped(with_first, emit)) is not None:
            return [regrouped]
        if found is None and with_first is not node:
            emit.nodes.append(with_first)
            return node.outputs
        return found

    def _regrouped(self, node: Node, emit: Emit) -> Value | None:
        """A product of three arrays by that of two of them, if that is there: ``a * b * c`` where
        ``a * c`` was computed."""
        if call_of(node) is not operator.mul or len(node.inputs) != 2:
            return None
        for product, factor in (node.inputs, node.inputs[::-1]):
            made = self.defined.get(product)
            if call_of(made) is operator.mul and made is not None and len(made.inputs) == 2 and (
                    is_adjoint(made) and self.uses[product] == 1 and not made.params.get("again")
                    and all(v.aval.is_array for v in (*made.inputs, factor))):
                for first, second in (made.inputs, made.inputs[::-1]):
                    key = key_of(node.but(inputs=(first, factor)))
                    known = next((s[key] for s in reversed(self._scopes) if key in s), None)
                    if known is not None and known[0] is not product:  # as for a * b * b
                        return emit.call(operator.mul, known[0], second)
        return None

    def _shared(self, node: Node) -> Sequence[Value] | None:
        key = key_of(node)
        if key is None or self._cleaning:
            return None
        known = self._forward.get(key)
        if known is not None:
            return known
        for scope in reversed(self._scopes):
            found: Sequence[Value] | None = scope.get(key)
            if found is not None:
                return found
        self._scopes[-1][key] = node.outputs
        return None


def _calculates(node: Node) -> bool:
    """Does a node make a new number or array of its operands, and nothing else?"""
    return node.op == "apply" and "out" not in node.params["kwargs"] and (
        isinstance(node.params["fn"], np.ufunc) or node.params["fn"] in _CALCULATING)


def _gathers(node: Node) -> bool:
    """Does a node copy elements out of an array?"""
    return node.op == "read" and not node.params.get("handle") and any(
        isinstance(s, Index) and not s.basic for s in node.params["steps"])
