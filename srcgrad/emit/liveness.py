"""Where each value is needed, in the order of the text."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort

from srcgrad.emit.fold import Folding, is_size_of_carried
from srcgrad.emit.handles import Handles
from srcgrad.emit.order import Branch, Order
from srcgrad.emit.sizes import Sizes
from srcgrad.emit.spans import Span
from srcgrad.graph.ir import Block, Graph, Node, Value


class Liveness:
    """Last uses in text order: where inlined nodes are evaluated late."""

    def __init__(self, graph: Graph, order: Order, folding: Folding, sizes: Sizes,
                 handles: Handles) -> None:
        self.order, self.folding, self.sizes = order, folding, sizes
        self.through = handles.through
        self.last: dict[Value, int] = {}
        self.stack: list[tuple[int, int]] = []
        self.uses: dict[Value, list[int]] = {}
        self.branches: list[Branch] = []  # those that are statements, outer ones first
        self.starts: list[int] = []  # where they begin
        self.around: list[int] = []  # the number of the branch that each is in, or -1
        self.inside = -1
        self.alias: dict[Value, Value] = {}
        self.block(graph.block, None)

    def use(self, value: Value, position: int) -> None:
        if self.alias:
            value = self.alias.get(value, value)
        if value in self.sizes.elements:
            for needed in self.sizes.through(value):
                self.use(needed, position)
        if self.folding.is_repeated(value):
            for v in self.folding.producer[value].inputs:
                self.use(v, position)
            return
        if self.stack:
            born = self.order.defined.get(value, 0)
            for start, end in self.stack:
                if start >= born:
                    position = max(position, end)
                    break
        if value not in self.uses:
            self.uses[value] = [position]
            self.last[value] = position
            return
        uses = self.uses[value]
        insort(uses, position)
        self.last[value] = uses[-1]

    def spans(self, value: Value, start: int | None = None) -> list[Span]:
        """Where the value must be kept: from its definition (or ``start``) to its last use,
        but not in an arm that is done with it while only the other arm still reads it."""
        begin = self.order.defined[value] if start is None else start
        uses = [u for u in self.uses.get(value, ()) if u > begin]
        spans: list[Span] = []
        self._kept(begin, uses, spans)
        return spans

    def _kept(self, begin: int, uses: list[int], spans: list[Span]) -> None:
        """Adds the spans from ``begin`` to the last one of the uses, which ascend."""
        last = uses[-1] if uses else begin + 1
        branch = self._branch_after(begin, last) if self.starts else None
        if branch is None:
            spans.append((begin, max(last, begin + 1)))
            return
        middle = branch.then[1] + 1
        before = bisect_left(uses, middle)
        self._kept(begin, [*uses[:before], *([branch.start + 1] if not before or (
            uses[before - 1] <= branch.start) else [])], spans)
        self._kept(middle, uses[before:], spans)

    def _branch_after(self, begin: int, last: int) -> Branch | None:
        """The outermost branch after ``begin`` that has ``last`` in its other arm."""
        found, number = None, bisect_right(self.starts, last) - 1
        while number >= 0 and self.starts[number] >= begin:
            branch = self.branches[number]
            if branch.other[0] <= last <= branch.other[1]:
                found = branch
            number = self.around[number]
        return found

    def block(self, block: Block, at: int | None, produced: int = 0) -> None:
        """``at`` is given where the block is part of an expression evaluated there;
        ``produced`` is the number of elements among the outputs of a loop's body."""
        for node in block.nodes:
            position = at if at is not None else self.folding.inlined[node] if (
                node in self.folding.inlined) else self.order.start[node]
            if node.op == "read" and node.params.get("handle"):
                handle = node.inputs[-1]
                self.alias[node.outputs[0]] = self.alias.get(handle, handle)
                self.use(handle, position)
                continue
            if node in self.folding.shift:
                position += self.folding.shift[node]
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
        then, other = (self.order.span[b] for b in node.blocks)
        outer, self.inside, start = self.inside, len(self.branches), self.order.start[node]
        self.around.append(outer)
        self.starts.append(start)
        self.branches.append(Branch(start, then, other))
        for b in node.blocks:
            self.block(b, None)
        self.inside = outer

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
