"""Which array operations of loops are done to their elements.

Whatever NumPy does otherwise than element by element, or what a kernel cannot hold, stays in
NumPy, with the reason.
"""

from __future__ import annotations

import numpy as np

from srcgrad.emit.order import is_adjoint
from srcgrad.graph.ir import Block, Builder, Node, Value
from srcgrad.graph.walking import read_by, rebuild, walk
from srcgrad.native.bodies import Body
from srcgrad.native.elements import loop_index, name_of, rule_of, spread, without_axes
from srcgrad.native.facts import Facts, Scope
from srcgrad.native.holding import TOTALS, why_not
from srcgrad.native.nest import WRITES
from srcgrad.native.nests import Run
from srcgrad.native.places import At, Unlowered, indices, places, selected
from srcgrad.types.kinds import Kind


class Lowering:
    """Lowers the array operations of loops.  ``users`` are the nodes that read a value (None:
    the end of a block)."""

    def __init__(self, block: Block) -> None:
        self.users: dict[Value, list[Node | None]] = {}
        self._note(block)
        self.roots: dict[Value, Value] = {}
        self.latest: dict[Value, Value | None] = {}
        self.views: dict[Value, Node] = {}
        self.kinds: dict[Node, str | None] = {}
        self.reasons: dict[Node, str] = {}
        self.front, self.outer = Builder(), Scope()

    def _note(self, block: Block) -> None:
        for node in block.nodes:
            for v in node.inputs:
                self.users.setdefault(v, []).append(node)
            for inner in node.blocks:
                self._note(inner)
        for v in block.outputs:
            self.users.setdefault(v, []).append(None)

    def loop(self, node: Node, scope: Scope, facts: Facts) -> list[Node]:
        """A loop with the array operations in it lowered, and in front of it the sizes."""
        self.front, self.outer = Builder(node.origin), scope.inside(())
        lowered = node.but(blocks=tuple(self.block(b, scope, facts) for b in node.blocks))
        read = {*read_by(lowered)}
        kept = [lowered]
        for size in reversed(self.front.nodes):
            if size.out in read:
                kept.insert(0, size)
                read.update(size.inputs)
        return kept

    def block(self, block: Block, scope: Scope, facts: Facts) -> Block:
        run = Run(self, block.nodes, scope.inside(block.params), facts)
        nodes = run.all(block.outputs)
        renamed = run.new_names()
        block = rebuild(block.but(nodes=nodes), renamed) if renamed else block.but(nodes=nodes)
        return block.but(nodes=run.alive(block.nodes, block.outputs))

    def apart(self, nodes: tuple[Node, ...], scope: Scope, facts: Facts) -> Run:
        """What lowers some nodes of a block."""
        self.outer = Scope()
        return Run(self, nodes, scope, facts)

    def memory(self, value: Value) -> Value:
        return self.roots.get(value, value)

    # ---- kinds -----------------------------------------------------------------------------
    def kind(self, node: Node, run: Run) -> str | None:
        """``"element"``, ``"write"``, ``"view"``, or None for what is not lowered."""
        if node not in self.kinds:
            try:
                self.kinds[node] = self._kind(node, run)
            except Unlowered as reason:
                self.kinds[node], self.reasons[node] = None, str(reason)
        return self.kinds[node]

    def _kind(self, node: Node, run: Run) -> str | None:
        rule = rule_of(node)
        if node.op == "read" and rule is None:
            if node.out.aval.kind is not Kind.ARRAY or not node.params["steps"]:
                return None
            base = node.inputs[0].aval
            if base.kind is not Kind.ARRAY or base.shape is None:
                return None
            rank = len(selected(node.params["steps"], node.inputs, base.shape))
            places(node.params["steps"], node.inputs, base.shape, (At(),) * rank, run.size)
            return "view"
        if node.op in WRITES:
            return "write" if self._is_write(node, run) else None
        single = len(node.outputs) == 1 and without_axes(node.out)
        if rule is None or not (single or any(v.aval.kind is Kind.ARRAY for v in node.inputs)):
            return None
        if single and not all(n in run.own and n is not None and (self.kind(n, run) or (
                n.op in WRITES and n.inputs[0] is not node.out)) for n in (
                self.users.get(node.out, ()))):
            return None  # it is an array to others, not the number in it
        if node.out.aval.kind not in (Kind.ARRAY, Kind.SCALAR) and node.op != "read":
            raise Unlowered(f"{name_of(node)} stays in NumPy")
        if node.op == "apply" and node.params["fn"] in TOTALS and not is_adjoint(node) and (
                node.out.aval.kind is Kind.SCALAR and node.out.aval.dtype == np.float64):
            return None  # NumPy adds up pairwise
        body = Body(run, Builder(node.origin), [], plain=True)
        index = tuple(At.of(loop_index(d, "i")) for d in node.out.aval.shape or ())
        rule(body, node, index)
        for made in body.builder.nodes:
            for inner in (made, *(n for b in made.blocks for n in walk(b))):
                reason = why_not(inner)
                if reason is not None:
                    raise Unlowered(reason)
        return "element"

    def _is_write(self, node: Node, run: Run) -> bool:
        base, value = node.inputs[0].aval, node.inputs[1].aval
        if base.kind is not Kind.ARRAY or not base.shape or base.dtype is None:
            return False
        steps = node.params["steps"]
        if node.op == "update" and indices(steps, node.inputs, base.shape):
            return False
        shape = selected(steps, node.inputs, base.shape)
        if not shape:
            return False
        places(steps, node.inputs, base.shape, (At(),) * len(shape), run.size)
        if value.dtype is None or not np.can_cast(value.dtype, base.dtype, "same_kind"):
            raise Unlowered(f"{value.dtype} is stored as {base.dtype}")
        spread(Body(run, Builder(), [], plain=True), node.inputs[1], shape, (At(),) * len(shape))
        return True
