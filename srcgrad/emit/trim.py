"""Outputs of regions that nobody reads, and dead nodes of the adjoint.

Such outputs are not printed anyway, but as readers at the ends of arms they would keep values
alive, take names and ask for copies.  The user's own statements stay, read or not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container

from srcgrad.emit.handles import Handles
from srcgrad.emit.order import is_adjoint
from srcgrad.emit.whole_lists import with_whole_lists
from srcgrad.graph.ir import Block, Graph, Node, Value, uses_of
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
    spec, body = node.loop, node.blocks[-1]
    first = (1 if spec.exits else 0) + spec.n_carried
    made = first + spec.n_last
    last = [i for i in range(first, made) if node.outputs[i] in needed]
    produced = [i for i in range(made, made + spec.n_produced) if node.outputs[i] in needed]
    kept = [*range(first), *last, *produced]
    outputs = tuple(body.outputs[i] for i in kept)
    nodes, _ = _nodes(body, needed, outputs, idle)
    at = len(body.params) - spec.n_consumed
    consumed = [i for i in range(spec.n_consumed) if body.params[at + i] in needed]
    params = (*body.params[:at], *(body.params[at + i] for i in consumed))
    blocks = [Block(params, nodes, outputs)]
    if spec.kind == "while":
        test = node.blocks[0]
        tested, _ = _nodes(test, needed, test.outputs, idle)
        blocks.insert(0, test.but(nodes=tested))
    stacked = tuple(spec.stacked[i - made] for i in produced) if spec.stacked else ()
    shape = spec.but(n_last=len(last), n_produced=len(produced), n_consumed=len(consumed),
                     stacked=stacked)
    at = len(node.inputs) - spec.n_consumed
    return node.but(inputs=(*node.inputs[:at], *(node.inputs[at + i] for i in consumed)),
                    outputs=(*(node.outputs[i] for i in kept), node.outputs[-1]),
                    blocks=tuple(blocks), params={**node.params, "loop": shape})


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
    spec, body = node.loop, node.blocks[-1]
    lead, jump, first = (1 if spec.kind == "for" else 0), (1 if spec.exits else 0), spec.first_init
    idle: list[int] = []
    for i in range(spec.n_carried):
        param, following = body.params[lead + i], body.outputs[jump + i]
        if uses[node.outputs[jump + i]] or uses[param] > (following is param) or any(
                uses[b.params[i]] for b in node.blocks[:-1]):
            continue
        idle.append(i)
        uses[following] -= 1
        uses[node.inputs[first + i]] -= 1
    for i in range(spec.n_last):  # trimmed later; what they read is read no more
        at = jump + spec.n_carried + i
        if not uses[node.outputs[at]]:
            uses[body.outputs[at]] -= 1
    if not idle:
        return node
    blocks = [_dropped(b, [], idle, 0, 0) for b in node.blocks[:-1]]
    blocks.append(_dropped(body, idle, idle, jump, lead))
    inputs = tuple(v for i, v in enumerate(node.inputs) if i - first not in idle)
    outputs = tuple(v for i, v in enumerate(node.outputs) if i - jump not in idle)
    shape = spec.but(n_carried=spec.n_carried - len(idle))
    return node.but(inputs=inputs, outputs=outputs, blocks=tuple(blocks),
                    params={**node.params, "loop": shape})


def _dropped(block: Block, outputs: list[int], params: list[int], jump: int, lead: int) -> Block:
    return Block(tuple(v for i, v in enumerate(block.params) if i - lead not in params),
                 block.nodes,
                 tuple(v for i, v in enumerate(block.outputs) if i - jump not in outputs))


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
                    visit(b, elements | _elements(node, b)) for b in node.blocks))
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


def _elements(node: Node, block: Block) -> frozenset[Value]:
    if node.op != "loop" or block is not node.blocks[-1] or not node.loop.n_consumed:
        return frozenset()
    return frozenset(block.params[-node.loop.n_consumed:])
