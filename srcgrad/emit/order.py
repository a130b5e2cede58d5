"""Program order as numbers: positions of nodes and last uses of values.

Nodes are numbered in program order; a node with blocks has its own position (where its inputs
are read), then its blocks' positions, then its end (where its outputs appear).  A node at
position ``p`` reads at ``p`` and its outputs exist from ``p + 1`` on.  A value of an enclosing
block that is used inside a loop is needed until the loop ends.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from srcgrad.graph.ir import Block, Graph, Node, Value
from srcgrad.kinds import Aval, Kind
from srcgrad.spelling import Attribute

MUTABLE = frozenset({Kind.ARRAY, Kind.ANY, Kind.LIST, Kind.RECORD})
WRITES = frozenset({"write", "acc", "update", "append", "pop", "put", "insert", "list_acc"})

_SHAPE_ONLY = (np.zeros_like, np.ones_like, np.empty_like, np.shape, np.ndim, np.size)
_SHAPE_ATTRIBUTES = frozenset({"shape", "ndim", "dtype", "size"})


def is_mutable(aval: Aval) -> bool:
    """Can a value of this kind be changed in place?"""
    return aval.kind in MUTABLE


def is_adjoint(node: Node) -> bool:
    """Does the node belong to what differentiation added?"""
    return node.origin is not None and node.origin.role == "adjoint"


def is_forced(node: Node) -> bool:
    """Must this write happen on the user's own object?"""
    return node.outputs[0].obj is not None and not is_adjoint(node)


def reads_content(node: Node, index: int) -> bool:
    """Does the node read elements of its input number ``index`` (not just its shape)?"""
    if node.op == "dim":
        return False
    if node.op == "read":
        return not (node.params.get("handle") and index == len(node.inputs) - 1)
    if node.op == "apply" and index == 0 and node.inputs[0].aval.kind is not Kind.LIST:
        fn = node.params["fn"]
        if isinstance(fn, Attribute):
            return fn.name not in _SHAPE_ATTRIBUTES
        if any(fn is f for f in _SHAPE_ONLY):
            return sum(v is node.inputs[0] for v in node.inputs) > 1
    return True


@dataclass
class Order:
    """Positions of a graph's nodes and blocks, and last uses of its values."""

    start: dict[Node, int] = field(default_factory=dict)
    end: dict[Node, int] = field(default_factory=dict)
    span: dict[Block, tuple[int, int]] = field(default_factory=dict)
    defined: dict[Value, int] = field(default_factory=dict)
    last_use: dict[Value, int] = field(default_factory=dict)
    loops: list[tuple[int, int]] = field(default_factory=list)  # spans of loop nodes
    others: dict[Node, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    excluded: dict[Node, tuple[tuple[int, tuple[int, int]], ...]] = field(default_factory=dict)
    in_else: dict[Value, tuple[Node, ...]] = field(default_factory=dict)
    in_then: dict[tuple[Value, Node], int] = field(default_factory=dict)

    def threshold(self, value: Value, position: int) -> int:
        """Uses of ``value`` after the returned position may see what happens at ``position``:
        the start of the outermost loop around it that does not contain the definition."""
        born = self.defined[value]
        for first, last in self.loops:  # in order of their starts: outermost first
            if first >= born and first < position < last:
                return first
        return position


    def spans(self, value: Value, start: int | None = None) -> list[tuple[int, int]]:
        """Where the value is needed: from its definition (or ``start``) to its last use, but
        not in an arm that is done with it while only the other arm still reads it."""
        begin = self.defined[value] if start is None else start
        end = max(self.last_use.get(value, 0), begin + 1)
        found: list[tuple[int, int]] = []
        for node in self.in_else.get(value, ()):
            if self.start[node] < begin:
                continue
            hole = max(self.in_then.get((value, node), 0), self.start[node] + 1)
            if begin < hole:
                found.append((begin, hole))
            begin = max(begin, self.span[node.blocks[0]][1] + 1)
        found.append((begin, max(end, begin + 1)))
        return found

    def is_live_after(self, value: Value, position: int) -> bool:
        """Is the value read after ``position``, on a path that comes through there?"""
        return self.last_use.get(value, 0) > position and any(
            begin <= position < end for begin, end in self.spans(value))

    def follows(self, use: int, node: Node) -> bool:
        """Can the use at position ``use`` come after ``node`` within one iteration?  (It does
        not, where the two stand in different arms of a branch.)"""
        return use > self.start[node] and not any(
            first <= use <= last for first, last in self.others.get(node, ()))


    def is_excluded(self, use: int, node: Node, loop: int) -> bool:
        """Does the use stand in the other arm of a branch around ``node`` that is itself inside
        the loop's surroundings: the branch starts before the loop at ``loop``, so that no
        iteration leads from one arm to the other?"""
        return any(start < loop and first <= use <= last
                   for start, (first, last) in self.excluded.get(node, ()))


class _Loop:
    def __init__(self, start: int) -> None:
        self.start = start
        self.captured: dict[Value, None] = {}


class Numbering:
    """One walk over a graph.  ``counts`` decides which inputs count as uses."""

    def __init__(self, counts: Callable[[Node, int], bool]) -> None:
        self.counts = counts
        self.order = Order()
        self.stack: list[_Loop] = []
        self.arms: list[tuple[Node, bool, int]] = []
        self.open: list[tuple[Node, Node]] = []
        self.clock = 0

    def run(self, graph: Graph) -> Order:
        self.block(graph.block)
        self.order.loops.sort()
        for node, branch in self.open:
            other = self.order.span[branch.blocks[1]]
            self.order.others[node] = (*self.order.others.get(node, ()), other)
            self.order.excluded[node] = (*self.order.excluded.get(node, ()),
                                         (self.order.start[branch], other))
        return self.order

    def tick(self) -> int:
        self.clock += 2
        return self.clock

    def use(self, value: Value, position: int) -> None:
        order = self.order
        born = order.defined.get(value, 0)
        within = 1 << 62
        for loop in self.stack:
            if loop.start >= born:
                loop.captured[value] = None
                within = loop.start
                break
        arms = [a for a in self.arms if born <= a[2] < within]
        for node, is_then, _ in arms:
            if is_then:
                order.in_then[value, node] = max(order.in_then.get((value, node), 0), position)
        if order.last_use.get(value, -1) < position:
            order.last_use[value] = position
            order.in_else[value] = tuple(node for node, is_then, _ in arms if not is_then)

    def block(self, block: Block) -> None:
        order = self.order
        first = self.tick()
        for p in block.params:
            order.defined[p] = first + 1
        for node in block.nodes:
            self.node(node)
        last = self.tick()
        for v in block.outputs:
            self.use(v, last)
        order.span[block] = (first, last)

    def node(self, node: Node) -> None:
        order = self.order
        position = order.start[node] = self.tick()
        for i, v in enumerate(node.inputs):
            if self.counts(node, i):
                self.use(v, position)
        if node.op in WRITES:
            self.open += [(node, branch) for branch, is_then, _ in self.arms if is_then]
        if not node.blocks:
            for v in node.outputs:
                order.defined[v] = position + 1
            return
        is_loop = node.op == "loop"
        if is_loop:
            self.stack.append(_Loop(position))
        for i, inner in enumerate(node.blocks):
            if not is_loop:
                self.arms.append((node, i == 0, position))
            self.block(inner)
            if not is_loop:
                self.arms.pop()
        end = order.end[node] = self.tick()
        if is_loop:
            order.loops.append((position, end))
            for v in self.stack.pop().captured:
                order.last_use[v] = max(order.last_use[v], end)
                for arm, is_then, _ in self.arms:
                    if is_then and (v, arm) in order.in_then:
                        order.in_then[v, arm] = max(order.in_then[v, arm], end)
        for v in node.outputs:
            order.defined[v] = end + 1


def number(graph: Graph, counts: Callable[[Node, int], bool] = lambda node, index: True) -> Order:
    """The order of a graph; only inputs for which ``counts(node, index)`` holds are uses."""
    return Numbering(counts).run(graph)
