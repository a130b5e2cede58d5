"""Program order as numbers: positions of nodes and last uses of values.

Nodes are numbered in program order; a node with blocks has its own position (where its inputs
are read), then its blocks' positions, then its end (where its outputs appear).  A node at
position ``p`` reads at ``p`` and its outputs exist from ``p + 1`` on.  A value of an enclosing
block that is used inside a loop is needed until the loop ends.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Callable

import numpy as np

from srcgrad.graph.ir import Block, Graph, Node, Value
from srcgrad.graph.ir import is_adjoint as is_adjoint
from srcgrad.types.dataclasses import dataclass, field
from srcgrad.types.kinds import Aval, Kind
from srcgrad.types.spelling import Attribute

MUTABLE = frozenset({Kind.ARRAY, Kind.ANY, Kind.LIST, Kind.RECORD})

_SHAPE_ONLY = frozenset(map(id, (
    np.zeros_like, np.ones_like, np.empty_like, np.shape, np.ndim, np.size)))
_SHAPE_ATTRIBUTES = frozenset({"shape", "ndim", "dtype", "size"})


def is_mutable(aval: Aval) -> bool:
    """Can a value of this kind be changed in place?"""
    return aval.kind in MUTABLE


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
        if id(fn) in _SHAPE_ONLY:
            return sum(v is node.inputs[0] for v in node.inputs) > 1
    return True


@dataclass(frozen=True)
class Branch:
    """Where a branch starts, and the spans of its arms."""

    start: int
    then: tuple[int, int]
    other: tuple[int, int]


@dataclass
class Order:
    """Positions of a graph's nodes and blocks, and the uses of its values.

    ``uses`` are all positions that read a value, in ascending order; ``last_use`` is the last
    one, or the end of the outermost loop that reads the value of an earlier time again.
    """

    start: dict[Node, int] = field(default_factory=dict)
    end: dict[Node, int] = field(default_factory=dict)
    span: dict[Block, tuple[int, int]] = field(default_factory=dict)
    defined: dict[Value, int] = field(default_factory=dict)
    last_use: dict[Value, int] = field(default_factory=dict)
    uses: dict[Value, list[int]] = field(default_factory=dict)
    loops: list[tuple[int, int]] = field(default_factory=list)  # spans of loop nodes
    branches: list[Branch] = field(default_factory=list)
    around: dict[int, tuple[Branch, ...]] = field(default_factory=dict)  # memo of branches_of

    def loop_around(self, value: Value, position: int) -> tuple[int, int] | None:
        """The outermost loop around ``position`` that the value comes into from outside."""
        born = self.defined[value]
        for first, last in self.loops:  # in order of their starts: outermost first
            if first >= born and first < position < last:
                return first, last
        return None

    def threshold(self, value: Value, position: int) -> int:
        """Uses of ``value`` after the returned position may see what happens at ``position``:
        the start of the outermost loop around it that does not contain the definition."""
        loop = self.loop_around(value, position)
        return position if loop is None else loop[0]

    def branches_of(self, position: int) -> tuple[Branch, ...]:
        """The branches whose first arm contains a position: what stands in their other arms does
        not follow on it."""
        if position not in self.around:
            self.around[position] = tuple(
                b for b in self.branches if b.then[0] <= position <= b.then[1])
        return self.around[position]

    def is_live_after(self, value: Value, position: int) -> bool:
        """Is the value read after ``position``, on a path that comes through there?

        Within a loop that the value comes into from outside, each use may follow in a later
        iteration; outside, those further on that do not stand in the other arm of a branch.
        """
        if self.last_use.get(value, 0) <= position:
            return False
        uses = self.uses[value]
        loop = self.loop_around(value, position)
        if loop is not None:
            first, position = loop
            at = bisect_right(uses, first)
            if at < len(uses) and uses[at] <= position:
                return True
        return any(self.follows(use, position) for use in uses[bisect_right(uses, position):])

    def follows(self, use: int, position: int) -> bool:
        """Can the use come after ``position`` within one iteration?  (It does not, where the two
        stand in different arms of a branch.)"""
        return use > position and not any(
            b.other[0] <= use <= b.other[1] for b in self.branches_of(position))

    def is_excluded(self, use: int, position: int, loop: int) -> bool:
        """Does the use stand in the other arm of a branch around ``position`` that is itself in
        the loop's surroundings: the branch starts before the loop at ``loop``, so that no
        iteration leads from one arm to the other?"""
        return any(b.start < loop and b.other[0] <= use <= b.other[1]
                   for b in self.branches_of(position))


class _Loop:
    def __init__(self, start: int) -> None:
        self.start = start
        self.captured: dict[Value, None] = {}


class Numbering:
    """One walk over a graph.  ``counts`` decides which inputs count as uses; with
    ``stored_at_once`` the elements that a loop keeps are stored where they are defined, so that
    being kept is no use at the end of the body."""

    def __init__(self, counts: Callable[[Node, int], bool] | None, stored_at_once: bool) -> None:
        self.counts, self.stored_at_once = counts, stored_at_once
        self.order = Order()
        self.stack: list[_Loop] = []
        self.clock = 0

    def run(self, graph: Graph) -> Order:
        self.block(graph.block)
        self.order.loops.sort()
        return self.order

    def tick(self) -> int:
        self.clock += 2
        return self.clock

    def use(self, value: Value, position: int) -> None:
        order = self.order
        if self.stack:
            born = order.defined.get(value, 0)
            for loop in self.stack:
                if loop.start >= born:
                    loop.captured[value] = None
                    break
        if value not in order.uses:
            order.uses[value] = [position]
            order.last_use[value] = position
            return
        insort(order.uses[value], position)
        if order.last_use[value] < position:
            order.last_use[value] = position

    def block(self, block: Block, produced: int = 0) -> None:
        """``produced`` is the number of elements among the outputs that are stored at once."""
        order = self.order
        first = self.tick()
        for p in block.params:
            order.defined[p] = first + 1
        for node in block.nodes:
            self.node(node)
        last = self.tick()
        kept = len(block.outputs) - produced
        for v in block.outputs[:kept]:
            self.use(v, last)
        for v in block.outputs[kept:]:
            born = order.defined.get(v, 0)
            self.use(v, born if born > first else last)
        order.span[block] = (first, last)

    def node(self, node: Node) -> None:
        order = self.order
        position = order.start[node] = self.tick()
        counts = self.counts
        for i, v in enumerate(node.inputs):
            if counts is None or counts(node, i):
                self.use(v, position)
        if not node.blocks:
            for v in node.outputs:
                order.defined[v] = position + 1
            return
        is_loop = node.op == "loop"
        if is_loop:
            self.stack.append(_Loop(position))
        for inner in node.blocks:
            stored = is_loop and self.stored_at_once and inner is node.blocks[-1]
            self.block(inner, node.loop.n_produced if stored else 0)
        end = order.end[node] = self.tick()
        if is_loop:
            order.loops.append((position, end))
            for v in self.stack.pop().captured:
                order.last_use[v] = max(order.last_use[v], end)
        else:
            then, other = (order.span[b] for b in node.blocks)
            order.branches.append(Branch(position, then, other))
        for v in node.outputs:
            order.defined[v] = end + 1


def number(graph: Graph, counts: Callable[[Node, int], bool] | None = None,
           stored_at_once: bool = False) -> Order:
    """The order of a graph (see :class:`Numbering`); only inputs for which
    ``counts(node, index)`` holds are uses (None: all)."""
    return Numbering(counts, stored_at_once).run(graph)
