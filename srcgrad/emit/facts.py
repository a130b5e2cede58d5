"""What realisation knows of a graph: where contents are read, which values share memory."""

from __future__ import annotations

from srcgrad.emit.order import Order, is_forced, number, reads_content
from srcgrad.emit.storage import Storage
from srcgrad.graph.ir import Graph, Node, Origin, Value


def facts(graph: Graph) -> tuple[Order, Storage]:
    """Where contents are read last, and which values may share memory."""
    order = number(graph, reads_content, stored_at_once=True)
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
