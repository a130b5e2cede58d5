"""Carried values of loops that the adjoint writes to: they start as memory of its own."""

from __future__ import annotations

from collections.abc import Iterable

from srcgrad.emit.facts import copy_of, facts
from srcgrad.emit.order import Order, is_forced, is_mutable
from srcgrad.emit.storage import Storage
from srcgrad.graph.changing import Changing
from srcgrad.graph.ir import WRITES, Block, Graph, Node, Value
from srcgrad.graph.parts import LoopParts
from srcgrad.types.kinds import Kind


class _Carried:
    """Finds the loop parameters written by the adjoint, directly or in an inner loop."""

    def __init__(self) -> None:
        self.written: dict[Value, None] = {}
        self.parameters: list[Value] = []

    def block(self, block: Block) -> None:
        for node in reversed(block.nodes):
            for inner in reversed(node.blocks):
                self.block(inner)
            if node.op in WRITES and not is_forced(node) and is_mutable(node.inputs[0].aval):
                self.written[node.inputs[0]] = None
            elif node.op == "loop":
                parts = LoopParts(node)
                for p, init in zip(parts.carried, parts.inits, strict=True):
                    if p in self.written:
                        self.written[init] = None
                        self.parameters.append(p)


def own_carried(graph: Graph) -> tuple[Graph, Order, Storage]:
    """Copies initial values of carried values that the adjoint writes to, where the memory is
    not its own: one copy before the loop instead of one in each iteration.  Also gives the
    facts of the graph."""
    order, storage = facts(graph)
    carried = _Carried()
    carried.block(graph.block)
    if not carried.parameters:
        return graph, order, storage
    owner = _Owner(carried, order, storage)
    changed = owner.graph(graph)
    return (changed, *facts(changed)) if owner.copied else (graph, order, storage)


class _Owner(Changing):
    """Rewrites loops so that carried values written by the adjoint start as its own."""

    def __init__(self, carried: _Carried, order: Order, storage: Storage) -> None:
        super().__init__()
        self.carried, self.order, self.storage = carried, order, storage
        self.copied = False

    def nodes(self, nodes: Iterable[Node]) -> list[Node]:
        made: list[Node] = []
        for node in nodes:
            made.append(self.within(self.loop(node, made) if node.op == "loop" else node))
        return made

    def loop(self, node: Node, nodes: list[Node]) -> Node:
        parts = LoopParts(node)
        inits, following = [*parts.inits], [*parts.next]
        extra: list[Node] = []
        for i, (p, init, result) in enumerate(zip(
                parts.carried, parts.inits, parts.results, strict=True)):
            if p not in self.carried.written or (p.aval.kind is Kind.LIST and (
                    p.aval.elem is None or p.aval.elem.kind is Kind.LIST)):
                continue  # a copy of a list would share the lists in it
            alone = sum(v is init for v in (*inits, *parts.sources)) == 1
            dead = not self.order.is_live_after(init, self.order.defined[p])
            if alone and dead and not self.storage.owned(init) and self.in_arms(init, nodes):
                self.now_owned((p, result), 0)
            elif not (alone and dead and self.storage.owned(init)):
                copied = copy_of(init, p.hint or init.hint, node.origin)
                nodes.append(copied)
                inits[i] = copied.out
                self.now_owned((p, result), 0)
            if not all(root.owned for root in self.storage.of(following[i])):
                copied = copy_of(following[i], following[i].hint, node.origin)
                extra.append(copied)
                following[i] = copied.out
                self.now_owned((p, result), 1)
        parts.inits, parts.next = tuple(inits), tuple(following)
        return parts.loop(node, *(b.nodes for b in node.blocks[:-1]),
                          (*node.blocks[-1].nodes, *extra))

    def in_arms(self, init: Value, nodes: list[Node]) -> bool:
        """Makes the outcome of a branch our own where an arm gives what is not: in that arm."""
        place = next((i for i, n in enumerate(nodes) if init in n.outputs), None)
        if place is None or nodes[place].op != "if" or init.aval.optional:
            return False
        node = nodes[place]
        k = node.outputs.index(init)
        made = [next((n for n in b.nodes if b.outputs[k] in n.outputs and n.op != "undef"), None)
                for b in node.blocks]
        blocks = []
        for block, maker in zip(node.blocks, made, strict=True):
            value = block.outputs[k]
            if maker is None:
                return False
            if not self.storage.owned(value) or block.outputs.count(value) > 1:
                copied = copy_of(value, value.hint or init.hint, maker.origin)
                outputs = (*block.outputs[:k], copied.out, *block.outputs[k + 1:])
                block = block.but(nodes=(*block.nodes, copied), outputs=outputs)
            blocks.append(block)
        nodes[place] = node.but(blocks=tuple(blocks))
        return True

    def now_owned(self, values: Iterable[Value], alternative: int) -> None:
        """A copy took the place of one origin of these values."""
        self.copied = True
        for value in values:
            for root in self.storage.of(value):
                if alternative < len(root.alternatives):
                    root.alternatives[alternative] = ()
