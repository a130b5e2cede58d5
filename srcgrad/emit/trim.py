"""Outputs of regions that nobody reads, and dead nodes of the adjoint.

Such outputs are not printed anyway, but as readers at the ends of arms they would keep values
alive, take names and ask for copies.  The user's own statements stay, read or not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container

from srcgrad.emit.handles import Handles
from srcgrad.emit.whole_lists import with_whole_lists
from srcgrad.graph.ir import Block, Graph, Node, Value, is_adjoint
from srcgrad.graph.parts import LoopParts
from srcgrad.graph.walking import uses_of
from srcgrad.types.dims import Dim, Poly


def trim(graph: Graph) -> Graph:
    """The graph without unread outcomes of branches, last values and kept sequences."""
    needed: set[Value] = set()
    graph = with_whole_lists(graph)
    graph = graph.but(block=_without_idle(_sizes_of_inputs(graph), uses_of(graph.block)))
    idle = Handles(graph).repeated
    nodes, border = _nodes(graph.block, needed, graph.block.outputs, idle, graph.border)
    return graph.but(block=graph.block.but(nodes=nodes), border=border)


def _nodes(block: Block, needed: set[Value], outputs: tuple[Value, ...],
           idle: Container[Node], border: int | None = None) -> tuple[tuple[Node, ...], int | None]:
    needed.update(outputs)
    kept: list[Node] = []
    forward = 0
    for i in range(len(block.nodes) - 1, -1, -1):
        node = block.nodes[i]
        if node in idle and node.outputs[0] not in needed:
            continue
        if node.op in ("const", "undef") or (is_adjoint(node) and node.op != "effect"):
            if not any(v in needed for v in node.outputs):
                continue
        if node.op == "if":
            node = _branch(node, needed, idle)
        elif node.op == "loop":
            node = _loop(node, needed, idle)
        needed.update(node.inputs)
        kept.append(node)
        forward += border is not None and i < border
    kept.reverse()
    return tuple(kept), None if border is None else forward


def _branch(node: Node, needed: set[Value], idle: Container[Node]) -> Node:
    live = [i for i, v in enumerate(node.outputs) if v in needed]
    blocks: list[Block] = []
    for block in node.blocks:
        outputs = tuple(block.outputs[i] for i in live)
        nodes, _ = _nodes(block, needed, outputs, idle)
        blocks.append(Block(block.params, nodes, outputs))
    return node.but(outputs=tuple(node.outputs[i] for i in live), blocks=tuple(blocks))


def _loop(node: Node, needed: set[Value], idle: Container[Node]) -> Node:
    parts = LoopParts(node)
    parts.choose(lasts=[k for k, v in enumerate(parts.lasts) if v in needed],
                 kept=[k for k, v in enumerate(parts.sequences) if v in needed])
    node = parts.loop(node)
    nodes = [_nodes(b, needed, b.outputs, idle)[0] for b in reversed(node.blocks)]
    parts.choose(consumed=[k for k, v in enumerate(parts.elements) if v in needed])
    return parts.loop(node, *reversed(nodes))


def _without_idle(block: Block, uses: Counter[Value]) -> Block:
    """The block with loops freed of carried values that no iteration and nobody after reads."""
    if not any(n.blocks for n in block.nodes):
        return block
    nodes = []
    for node in reversed(block.nodes):
        if node.op == "loop":
            node = _freed(node, uses)
        if node.blocks:
            node = node.but(blocks=tuple(_without_idle(b, uses) for b in node.blocks))
        nodes.append(node)
    return block.but(nodes=tuple(reversed(nodes)))


def _freed(node: Node, uses: Counter[Value]) -> Node:
    parts = LoopParts(node)
    idle: set[int] = set()
    for k, (init, param, following, result) in enumerate(zip(
            parts.inits, parts.carried, parts.next, parts.results, strict=True)):
        if not uses[result] and uses[param] <= (following is param) and not any(
                uses[v] for v in parts.tested[k:k + 1]):
            idle.add(k)
            uses.subtract((following, init))
    # trimmed later; what they read is read no more
    uses.subtract(v for v, last in zip(parts.last, parts.lasts, strict=True) if not uses[last])
    parts.choose(carried=[k for k in range(len(parts.carried)) if k not in idle])
    return parts.loop(node) if idle else node


def _sizes_of_inputs(graph: Graph) -> Block:
    """The graph's block with sizes of values that have no name read off an input of equal size:
    nothing is kept for its shape alone."""
    sources: dict[Dim, tuple[Value, int]] = {}
    for p in graph.inputs:
        if p.aval.is_array and not p.aval.optional:
            for axis, size in enumerate(p.aval.shape or ()):
                if isinstance(size, Poly):
                    sources.setdefault(size, (p, axis))

    def visit(block: Block, elements: frozenset[Value]) -> Block:
        nodes = []
        for node in block.nodes:
            if node.blocks:
                node = node.but(blocks=tuple(
                    visit(b, elements.union(LoopParts(node).elements if node.op == "loop" else ()))
                    for b in node.blocks))
            if node.op == "dim" and is_adjoint(node):
                node = moved(node, elements)
            nodes.append(node)
        return block.but(nodes=tuple(nodes))

    def moved(node: Node, elements: frozenset[Value]) -> Node:
        base, size = node.inputs[0], node.out.aval.expr
        if size is None or size not in sources or (base.hint and base not in elements):
            return node
        value, axis = sources[size]
        return node.but(inputs=(value,), params={**node.params, "axis": axis})

    return visit(graph.block, frozenset())
