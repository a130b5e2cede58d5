"""What realisation knows of a graph: where contents are read, which values share memory."""

from __future__ import annotations

from srcgrad.emit.order import Order, is_forced, number, reads_content
from srcgrad.emit.storage import Storage
from srcgrad.graph.ir import Block, Graph, Node, Origin, Value, walk


def facts(graph: Graph) -> tuple[Order, Storage]:
    """Where contents are read last, and which values may share memory."""
    order = number(graph, reads_content)
    _forget_saved(graph.block, order)
    return order, Storage(order, is_forced).run(graph)


def produced_by(node: Node) -> tuple[tuple[Value, Value, bool], ...]:
    """The (element, sequence, stacked) triples of a loop node."""
    spec = node.loop
    body = node.blocks[-1]
    jump = 1 if spec.exits else 0
    at = jump + spec.n_carried + spec.n_last
    stacked = spec.stacked or (False,) * spec.n_produced
    return tuple(zip(body.outputs[at:at + spec.n_produced],
                     node.outputs[at:at + spec.n_produced], stacked, strict=True))


def copy_of(value: Value, hint: str | None, origin: Origin | None) -> Node:
    fresh = Value(value.aval, hint)
    return Node("copy", (value,), (fresh,), {}, (), origin)


def _forget_saved(block: Block, order: Order) -> None:
    """Elements are stored right after their definition: that they are outputs of the body is
    no use at its end."""
    ends: dict[Value, int] = {}
    for node in walk(block):
        if node.op == "loop":
            first, last = order.span[node.blocks[-1]]
            body = node.blocks[-1]
            n = node.loop.n_produced
            others = set(body.outputs[:len(body.outputs) - n])
            for element, _, _ in produced_by(node):
                if element not in others and order.last_use.get(element) == last and (
                        order.defined[element] > first):
                    ends[element] = last
    if not ends:
        return
    real: dict[Value, int] = {}
    for node in walk(block):
        position = order.start[node]
        for i, v in enumerate(node.inputs):
            if v in ends and reads_content(node, i):
                real[v] = max(real.get(v, 0), position)
        for inner in node.blocks:
            last = order.span[inner][1]
            n = node.loop.n_produced if node.op == "loop" and inner is node.blocks[-1] else 0
            for v in inner.outputs[:len(inner.outputs) - n]:
                if v in ends:
                    real[v] = max(real.get(v, 0), last)
    for v in block.outputs:
        if v in ends:
            real[v] = max(real.get(v, 0), order.span[block][1])
    for v in ends:
        born = order.defined[v]
        used = real.get(v, born)
        first = order.threshold(v, used)
        if first != used:  # used inside an inner loop: needed until that loop ends
            used = max(end for start, end in order.loops if start == first)
        order.last_use[v] = used
