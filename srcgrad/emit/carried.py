"""Carried values of loops that the adjoint writes to: they start as memory of its own."""

from __future__ import annotations

from collections.abc import Iterable

from srcgrad.emit.facts import copy_of, facts
from srcgrad.emit.order import WRITES, Order, is_forced, is_mutable
from srcgrad.emit.storage import Storage
from srcgrad.graph.ir import Block, Graph, Node, Value
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
                spec = node.loop
                lead = 1 if spec.kind == "for" else 0
                params = node.blocks[-1].params[lead:lead + spec.n_carried]
                inits = node.inputs[spec.first_init:]
                for p, init in zip(params, inits, strict=False):
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


class _Owner:
    """Rewrites loops so that carried values written by the adjoint start as its own."""

    def __init__(self, carried: _Carried, order: Order, storage: Storage) -> None:
        self.carried, self.order, self.storage = carried, order, storage
        self.copied = False

    def graph(self, graph: Graph) -> Graph:
        forward = 0 if graph.border is None else graph.border
        nodes: list[Node] = []
        border = graph.border
        for i, node in enumerate(graph.block.nodes):
            if i == forward and border is not None:
                border = len(nodes)
            self.node(node, nodes)
        if border is not None and forward >= len(graph.block.nodes):
            border = len(nodes)
        return graph.but(block=graph.block.but(nodes=tuple(nodes)), border=border)

    def block(self, block: Block) -> Block:
        nodes: list[Node] = []
        for node in block.nodes:
            self.node(node, nodes)
        return block.but(nodes=tuple(nodes))

    def node(self, node: Node, nodes: list[Node]) -> None:
        if node.op == "loop":
            node = self.loop(node, nodes)
        if node.blocks:
            node = node.but(blocks=tuple(self.block(b) for b in node.blocks))
        nodes.append(node)

    def loop(self, node: Node, nodes: list[Node]) -> Node:
        spec, body = node.loop, node.blocks[-1]
        lead = 1 if spec.kind == "for" else 0
        jump = 1 if spec.exits else 0
        params = body.params[lead:lead + spec.n_carried]
        inputs, outputs = list(node.inputs), list(body.outputs)
        extra: list[Node] = []
        for i, p in enumerate(params):
            if p not in self.carried.written or p.aval.kind is Kind.LIST:
                continue
            init = inputs[spec.first_init + i]
            alone = sum(v is init for v in inputs[spec.first_init:]) == 1
            dead = not self.order.is_live_after(init, self.order.defined[p])
            if alone and dead and not self.storage.owned(init) and self.in_arms(init, nodes):
                self.now_owned((p, node.outputs[jump + i]), 0)
            elif not (alone and dead and self.storage.owned(init)):
                copied = copy_of(init, p.hint or init.hint, node.origin)
                nodes.append(copied)
                inputs[spec.first_init + i] = copied.out
                self.now_owned((p, node.outputs[jump + i]), 0)
            following = outputs[jump + i]
            if not all(root.owned for root in self.storage.of(following)):
                copied = copy_of(following, following.hint, node.origin)
                extra.append(copied)
                outputs[jump + i] = copied.out
                self.now_owned((p, node.outputs[jump + i]), 1)
        if extra:
            body = body.but(nodes=body.nodes + tuple(extra), outputs=tuple(outputs))
        return node.but(inputs=tuple(inputs), blocks=(*node.blocks[:-1], body))

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
