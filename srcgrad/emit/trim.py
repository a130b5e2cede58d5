"""Outputs of regions that nobody reads, and dead nodes of the adjoint.

Such outputs are not printed anyway, but as readers at the ends of arms they would keep values
alive, take names and ask for copies.  The user's own statements stay, read or not.
"""

from __future__ import annotations

from srcgrad.emit.order import is_adjoint
from srcgrad.graph.ir import Block, Graph, Node, Value


def trim(graph: Graph) -> Graph:
    """The graph without unread outcomes of branches, last values and kept sequences."""
    needed: set[Value] = set()
    nodes, border = _nodes(graph.block, needed, graph.block.outputs, graph.border)
    return graph.but(block=graph.block.but(nodes=nodes), border=border)


def _nodes(block: Block, needed: set[Value], outputs: tuple[Value, ...],
           border: int | None = None) -> tuple[tuple[Node, ...], int | None]:
    needed.update(outputs)
    kept: list[Node] = []
    forward = 0
    for i in range(len(block.nodes) - 1, -1, -1):
        node = block.nodes[i]
        if node.op in ("const", "undef") or (is_adjoint(node) and node.op != "effect"):
            if not any(v in needed for v in node.outputs):
                continue
        if node.op == "if":
            node = _branch(node, needed)
        elif node.op == "loop":
            node = _loop(node, needed)
        needed.update(node.inputs)
        kept.append(node)
        forward += border is not None and i < border
    kept.reverse()
    return tuple(kept), None if border is None else forward


def _branch(node: Node, needed: set[Value]) -> Node:
    live = [i for i, v in enumerate(node.outputs) if v in needed]
    blocks: list[Block] = []
    for block in node.blocks:
        outputs = tuple(block.outputs[i] for i in live)
        nodes, _ = _nodes(block, needed, outputs)
        blocks.append(Block(block.params, nodes, outputs))
    return node.but(outputs=tuple(node.outputs[i] for i in live), blocks=tuple(blocks))


def _loop(node: Node, needed: set[Value]) -> Node:
    spec, body = node.loop, node.blocks[-1]
    jump = 1 if spec.exits else 0
    first = jump + spec.n_carried
    made = first + spec.n_last
    last = [i for i in range(first, made) if node.outputs[i] in needed]
    produced = [i for i in range(made, made + spec.n_produced) if node.outputs[i] in needed]
    kept = [*range(first), *last, *produced]
    outputs = tuple(body.outputs[i] for i in kept)
    nodes, _ = _nodes(body, needed, outputs)
    blocks = [Block(body.params, nodes, outputs)]
    if spec.kind == "while":
        test = node.blocks[0]
        tested, _ = _nodes(test, needed, test.outputs)
        blocks.insert(0, test.but(nodes=tested))
    stacked = tuple(spec.stacked[i - made] for i in produced) if spec.stacked else ()
    shape = spec.but(n_last=len(last), n_produced=len(produced), stacked=stacked)
    return node.but(outputs=(*(node.outputs[i] for i in kept), node.outputs[-1]),
                    blocks=tuple(blocks), params={**node.params, "loop": shape})
