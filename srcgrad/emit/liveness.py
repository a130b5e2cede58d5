"""Where each value is needed, in the order of the text."""

from __future__ import annotations

from dataclasses import dataclass

from srcgrad.emit.fold import Folding, is_size_of_carried
from srcgrad.emit.handles import Handles
from srcgrad.emit.order import Order
from srcgrad.emit.sizes import Sizes
from srcgrad.emit.spans import Span
from srcgrad.graph.ir import Block, Graph, Node, Value


@dataclass(frozen=True)
class Arm:
    """One arm of a branch that is being walked."""

    node: Node
    is_then: bool
    start: int


class Liveness:
    """Last uses in text order: where inlined nodes are evaluated late."""

    def __init__(self, graph: Graph, order: Order, folding: Folding, sizes: Sizes,
                 handles: Handles) -> None:
        self.order, self.folding, self.sizes = order, folding, sizes
        self.through = handles.through
        self.last: dict[Value, int] = {}
        self.stack: list[tuple[int, int]] = []
        self.arms: list[Arm] = []
        self.in_else: dict[Value, tuple[Arm, ...]] = {}
        self.in_then: dict[tuple[Value, Node], int] = {}
        self.alias: dict[Value, Value] = {}
        self.block(graph.block, None)

    def use(self, value: Value, position: int) -> None:
        value = self.alias.get(value, value)
        for needed in self.sizes.through(value):
            self.use(needed, position)
        if self.folding.is_repeated(value):
            for v in self.folding.producer[value].inputs:
                self.use(v, position)
            return
        born = self.order.defined.get(value, 0)
        within = len(self.order.start) * 8
        for start, end in self.stack:
            if start >= born:
                position, within = max(position, end), start
                break
        arms = tuple(a for a in self.arms if born <= a.start < within)
        for arm in arms:
            if arm.is_then:
                key = (value, arm.node)
                self.in_then[key] = max(self.in_then.get(key, 0), position)
        if self.last.get(value, -1) < position:
            self.last[value] = position
            self.in_else[value] = tuple(a for a in arms if not a.is_then)

    def spans(self, value: Value, start: int | None = None) -> list[Span]:
        """Where the value must be kept: from its definition (or ``start``) to its last use,
        but not in an arm that is done with it while only the other arm still reads it."""
        begin = self.order.defined[value] if start is None else start
        end = max(self.last.get(value, 0), begin + 1)
        spans: list[Span] = []
        for arm in self.in_else.get(value, ()):
            if arm.start < begin:
                continue
            hole = max(self.in_then.get((value, arm.node), 0), arm.start + 1)
            if begin < hole:
                spans.append((begin, hole))
            begin = max(begin, self.order.span[arm.node.blocks[0]][1] + 1)
        spans.append((begin, max(end, begin + 1)))
        return spans

    def block(self, block: Block, at: int | None, produced: int = 0) -> None:
        """``at`` is given where the block is part of an expression evaluated there;
        ``produced`` is the number of elements among the outputs of a loop's body."""
        for node in block.nodes:
            position = self.folding.inlined.get(node, self.order.start[node])
            if at is not None:
                position = at
            if node.op == "read" and node.params.get("handle"):
                handle = node.inputs[-1]
                self.alias[node.outputs[0]] = self.alias.get(handle, handle)
                self.use(handle, position)
                continue
            position += self.folding.shift.get(node, 0)
            for v in node.inputs:
                self.use(v, position)
            if node in self.through:
                self.use(self.through[node][0], position)
            if node.op == "if":
                self.branch(node, position if at is None else at, at is not None)
            elif node.op == "loop":
                self.loop(node)
        first, last = self.order.span[block]
        kept = len(block.outputs) - produced
        for v in block.outputs[:kept]:
            self.use(v, last if at is None else at)
        for v in block.outputs[kept:]:  # stored where they are defined
            made = self.folding.producer.get(v)
            if made is not None and made in self.folding.inlined:
                self.use(v, last)
            else:
                self.use(v, max(first + 1, self.order.defined.get(v, 0)))

    def branch(self, node: Node, position: int, inside: bool) -> None:
        if inside or self.folding.is_expression(node):
            for b in node.blocks:
                self.block(b, position)
            return
        for i, b in enumerate(node.blocks):
            self.arms.append(Arm(node, i == 0, self.order.start[node]))
            self.block(b, None)
            self.arms.pop()

    def loop(self, node: Node) -> None:
        """A loop starts in three moments: sequences and counters are made at its position,
        then initial values are read for the carried variables, then the range."""
        spec, plan, body = node.loop, self.sizes.plan(node), node.blocks[-1]
        start = self.order.start[node]
        for v in (*self.sizes.needed(node), *node.inputs[spec.first_init:]):
            self.use(v, start + 1)
        for v in node.inputs[:spec.first_init]:
            made = self.folding.producer.get(v)
            own = made is not None and self.folding.is_repeated(v) and (
                is_size_of_carried(node, made))
            self.use(v, start + 2 - own)
        self.stack.append((self.order.start[node], self.order.end[node]))
        for b in node.blocks[:-1]:
            self.block(b, None)
        self.block(body, None, spec.n_produced)
        last = self.order.span[body][1]
        for v in node.inputs[len(node.inputs) - spec.n_consumed:] if spec.n_consumed else ():
            self.use(v, last)
        if any(plan.shapes) or plan.sparse or (spec.kind == "for" and any(
                e in self.last and e not in self.sizes.elements
                for e in body.params[1 + spec.n_carried:])):
            for v in self.sizes.counted_by(node):
                self.use(v, last)
        if spec.kind == "for" and body.params[0] in self.last:
            self.use(body.params[0], last)  # no inner variable hides a loop's index
        self.stack.pop()
