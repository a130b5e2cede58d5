"""Zeroing moved past the readers of what it clears.

The adjoint of ``u[s] = e`` reads ``d_u[s]`` and then clears it.  The part that was read is a
view: clearing it at once would ask for a copy.  Moving the write past the last reader of the
view costs nothing.  Only pure nodes of the adjoint are passed, so the meaning is the same.
"""

from __future__ import annotations

from srcgrad.emit.order import is_adjoint
from srcgrad.graph.ir import Block, Node, Value, free_values


def sink_zeros(block: Block) -> Block:
    """The block with clearing writes moved to just after the last reader of their part."""
    if not any(_may_move(n) or n.blocks for n in block.nodes):
        return block
    nodes = [n.but(blocks=tuple(sink_zeros(b) for b in n.blocks)) if n.blocks else n
             for n in block.nodes]
    first_use: dict[Value, int] = {}
    last_use: dict[Value, int] = {}
    parts: dict[Value, list[Node]] = {}
    for i, node in enumerate(nodes):
        used = [*node.inputs, *(v for b in node.blocks for v in free_values(b))]
        for v in used:
            first_use.setdefault(v, i)
            last_use[v] = i
        if node.op == "read":
            parts.setdefault(node.inputs[0], []).append(node)
    moved: dict[int, list[Node]] = {}
    gone: set[int] = set()
    for i, node in enumerate(nodes):
        if not _may_move(node):
            continue
        readers = [last_use.get(r.out, 0) for r in parts.get(node.inputs[0], ())
                   if r.params["steps"] == node.params["steps"]]
        at = max(readers, default=0)
        if i < at < first_use.get(node.outputs[0], len(nodes)) and all(
                is_adjoint(n) for n in nodes[i:at + 1]):
            moved.setdefault(at, []).append(node)
            gone.add(i)
    if not gone:
        return block.but(nodes=tuple(nodes))
    result: list[Node] = []
    for i, node in enumerate(nodes):
        if i not in gone:
            result.append(node)
        result.extend(moved.get(i, ()))
    return block.but(nodes=tuple(result))


def _may_move(node: Node) -> bool:
    return node.op == "write" and is_adjoint(node) and len(node.inputs[1].aval.shape or ()) == 0
