"""Loops that do with a list what one expression does.

    total = 0                                  total = sum(h)
    for item in h:
        total = total + item

    d_h = [0.0] * len(h)                       d_h = [d_total] * len(h)
    for j in reversed(range(len(h))):
        d_h[j] += d_total

    for j in range(len(d_h)):                  d_h = [a + b for a, b in zip(d_h, d_g)]
        d_h[j] += d_g[j]

    d_x = np.zeros_like(x)                     d_x = np.array(d_h)
    for j in reversed(range(len(x))):
        d_x[j] = d_h[j]

The first are ``sum`` as the user wrote it, the others are adjoints of lists.
"""

from __future__ import annotations

import operator

import numpy as np

from srcgrad.graph.changing import Changing
from srcgrad.graph.filled import constant, filled_with, holds_numbers, is_plain_loop, length_of
from srcgrad.graph.ir import Graph, Index, Node, Ref, Suggested, Value, is_adjoint
from srcgrad.graph.parts import LoopParts
from srcgrad.graph.walking import uses_of, walk
from srcgrad.types.kinds import INT, Kind
from srcgrad.types.spelling import sums


def with_whole_lists(graph: Graph) -> Graph:
    """The graph with such loops as applications."""
    if not any(node.op == "loop" for node in walk(graph.block)):
        return graph
    return _Whole(graph).graph(graph)


class _Whole(Changing):
    def __init__(self, graph: Graph) -> None:
        super().__init__()
        self.makers = {v: n for n in walk(graph.block) for v in n.outputs}
        self.uses = uses_of(graph.block)

    def node(self, node: Node) -> list[Node]:
        whole = node.op == "loop" and "kernel" not in node.params
        return self.loop(node) if whole else [self.within(node)]

    def loop(self, node: Node) -> list[Node]:
        if self.is_simple(node):
            parts = LoopParts(node)
            found = self.summed(node, parts) if not is_adjoint(node) else (
                self.filled(node, parts) or self.added(node, parts))
            if found is not None:
                return found
        if is_adjoint(node) and is_plain_loop(node, self.makers, self.uses) and (
                node.loop.n_carried == node.loop.n_consumed == 1):
            found = self.gathered(node, LoopParts(node))
            if found is not None:
                return found
        return [self.within(node)]

    def is_simple(self, node: Node) -> bool:
        """Does a loop carry one value and nothing else, over all of something?"""
        return node.loop.n_carried == 1 and node.loop.n_consumed == 0 and (
            is_plain_loop(node, self.makers, self.uses))

    def summed(self, node: Node, parts: LoopParts) -> list[Node] | None:
        """``sum(items)``, with a start if that is not 0."""
        body, items = node.blocks[-1], length_of(node.inputs[1], self.makers)
        if items is None or len(body.nodes) != 2:
            return None
        read, add = body.nodes
        if read.inputs != (items, parts.index) or type(read.out.hint) is not Suggested or not (
                read.op == "get" or (read.op == "read" and not read.params.get("handle")
                                     and read.params["steps"] == (Index(Ref(1)),))):
            return None
        if add.op != "apply" or add.params["fn"] is not operator.add or add.out not in parts.next:
            return None
        if add.inputs != (parts.carried[0], read.out) or self.uses[add.out] != 1:
            return None
        start = constant(parts.inits[0], self.makers)
        inputs = (items,) if type(start) is int and start == 0 else (items, parts.inits[0])
        return [Node("apply", inputs, (parts.results[0],), {
            "fn": sum, "args": tuple(map(Ref, range(len(inputs)))), "kwargs": {}},
            origin=add.origin)]

    def added(self, node: Node, parts: LoopParts) -> list[Node] | None:
        """``[a + b for a, b in zip(first, second)]``."""
        body, first = node.blocks[-1], parts.inits[0]
        if length_of(node.inputs[1], self.makers) is not first or len(body.nodes) != 2 or (
                not holds_numbers(first)):
            return None
        read, add = body.nodes
        if read.op != "get" or len(read.inputs) != 2 or read.inputs[1] is not parts.index or (
                add.op != "list_acc" or add.out not in parts.next) or (
                add.inputs != (parts.carried[0], read.out, parts.index)):
            return None
        second = read.inputs[0]
        if second is parts.carried[0] or not holds_numbers(second):
            return None
        return [Node("apply", (first, second), (parts.results[0],), {
            "fn": sums, "args": (Ref(0), Ref(1)), "kwargs": {}}, origin=node.origin)]

    def filled(self, node: Node, parts: LoopParts) -> list[Node] | None:
        """``[d_total] * len(items)``."""
        found = filled_with(node, self.makers, self.uses)
        if found is None:
            return None
        size, term = found
        made: list[Node] = []
        count = size
        if size.aval.kind is Kind.LIST:
            count = Value(INT)
            made.append(Node("list_len", (size,), (count,), origin=node.origin))
        return [*made, Node("apply", (term, count), (parts.results[0],), {
            "fn": operator.mul, "args": ([Ref(0)], Ref(1)), "kwargs": {}}, origin=node.origin)]

    def gathered(self, node: Node, parts: LoopParts) -> list[Node] | None:
        """``np.array(d_h)``."""
        body, (items,), (base,) = node.blocks[-1], parts.sources, parts.inits
        zeros, size = self.makers.get(base), node.inputs[1].aval.expr
        if len(body.nodes) != 1 or not holds_numbers(items) or size is None or (
                base.aval.shape != (size,) or base.aval.dtype is None or self.uses[base] != 1):
            return None
        if zeros is None or zeros.op != "apply" or (
                zeros.params["fn"] not in (np.zeros_like, np.zeros)) or not is_adjoint(zeros):
            return None
        (write,) = body.nodes
        if write.op != "write" or write.out is not parts.next[0] or (
                write.inputs != (parts.carried[0], parts.elements[0], parts.index)
                or write.params["steps"] != (Index(Ref(2)),)):
            return None
        dtype = base.aval.dtype
        return [Node("apply", (items,), (parts.results[0],), {
            "fn": np.array, "args": (Ref(0),),
            "kwargs": {} if dtype == np.float64 else {"dtype": dtype}, "many": False},
            origin=node.origin)]
