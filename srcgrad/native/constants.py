"""Constant arrays that loops make again and again, made once in front of them."""

from __future__ import annotations

import numpy as np

from srcgrad.graph.ir import WRITES, Block, Graph, Node, Value
from srcgrad.graph.parts import LoopParts
from srcgrad.graph.walking import rebuild, uses_of, walk


def with_constants_in_front(graph: Graph) -> Graph:
    """A graph in which loops read such arrays, and leave none of their last iteration."""
    if not any(_is_constant(n) for n in walk(graph.block)):
        return graph
    renamed: dict[Value, Value] = {}
    nodes: list[Node] = []
    border = graph.border
    for i, node in enumerate(graph.block.nodes):
        made, node = _apart(node, renamed)
        nodes += [*made, node]
        if graph.border is not None and i < graph.border:
            border = len(nodes)
    return graph.but(block=rebuild(graph.block.but(nodes=tuple(nodes)), renamed), border=border)


def _is_constant(node: Node) -> bool:
    return node.op == "apply" and node.params["fn"] is np.array and not node.inputs


def _apart(node: Node, renamed: dict[Value, Value]) -> tuple[list[Node], Node]:
    """The arrays that a loop makes, and the loop without them."""
    if node.op != "loop":
        return [], node
    found: list[Node] = []
    body = node.blocks[-1]
    nodes: list[Node] = []
    for inner in body.nodes:
        made, inner = _apart(inner, renamed)
        nodes += [*made, inner]
    parts, uses = LoopParts(node), uses_of(body)
    left = Block((), tuple(nodes), ())
    written = {n.inputs[0] for n in walk(left) if n.op in WRITES}
    for inner in nodes:
        out = inner.outputs[0] if _is_constant(inner) else None
        if out is not None and out not in written and uses[out] and not any(
                v is out for v in (*parts.next, *parts.produced)):
            found.append(inner)
    moved = {n.out for n in found}
    renamed.update((r, v) for r, v in zip(parts.lasts, parts.last, strict=True) if v in moved)
    parts.choose(lasts=[k for k, v in enumerate(parts.last) if v not in moved])
    return found, parts.loop(node, *(b.nodes for b in node.blocks[:-1]), tuple(
        n for n in nodes if n not in found))
