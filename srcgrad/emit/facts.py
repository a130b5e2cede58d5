"""What is known of a graph: where contents are read, what shares memory, what loops go through."""

from __future__ import annotations

from collections.abc import Mapping

from srcgrad.emit.order import Order, is_forced, number, reads_content
from srcgrad.emit.storage import Storage
from srcgrad.graph.ir import Graph, Node, Origin, Ref, Value, only_index


def facts(graph: Graph) -> tuple[Order, Storage]:
    """Where contents are read last, and which values may share memory."""
    order = number(graph, reads_content, stored_at_once=True)
    return order, Storage(order, is_forced).run(graph)


def copy_of(value: Value, hint: str | None, origin: Origin | None) -> Node:
    fresh = Value(value.aval, hint)
    return Node("copy", (value,), (fresh,), {}, (), origin)


def gone_through(bound: Value, producer: Mapping[Value, Node]) -> set[Value]:
    """What a loop goes through whose bound is the length of that, or the least of several."""
    made = producer.get(bound)
    if made is not None and made.op in ("dim", "list_len") and not made.params.get("axis"):
        return {made.inputs[0]}
    parts = [] if made is None or made.op != "apply" or made.params["fn"] is not min else [
        gone_through(v, producer) for v in made.inputs]
    return set().union(*parts) if all(parts) and len(parts) == 2 else set()


def is_row(node: Node, index: Value) -> bool:
    """Does a node read the item of an array or list that an index counts?"""
    if node.op == "get":
        return node.inputs[1:] == (index,)
    step = only_index(node) if node.op == "read" and not node.params.get("handle") else None
    return step is not None and isinstance(step.key, Ref) and node.inputs[step.key.index] is index
