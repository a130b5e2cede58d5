"""Zeroing moved past the readers of what it clears.

The adjoint of ``u[s] = e`` reads ``d_u[s]`` and then clears it.  The part that was read is a
view: clearing it at once would ask for a copy.  Moving the write past the last reader of the
view costs nothing.  Only pure nodes of the adjoint are passed, so the meaning is the same.
"""

from __future__ import annotations

from typing import Any

from srcgrad.graph.freshness import makes_fresh
from srcgrad.graph.ir import Block, Index, Node, Value, fill, is_adjoint
from srcgrad.graph.walking import free_values


def sink_zeros(block: Block) -> Block:
    """The block with clearing writes moved to just after the last reader of their part."""
    if not any(_may_move(n) or n.blocks for n in block.nodes):
        return block
    nodes = [n.but(blocks=tuple(sink_zeros(b) for b in n.blocks)) if n.blocks else n
             for n in block.nodes]
    first_use: dict[Value, int] = {}
    last_use: dict[Value, int] = {}
    parts: dict[Value, list[Node]] = {}
    aliases: dict[Value, list[Value]] = {}  # what may share memory with a value
    for i, node in enumerate(nodes):
        used = [*node.inputs, *(v for b in node.blocks for v in free_values(b))]
        for v in used:
            first_use.setdefault(v, i)
            last_use[v] = i
        if node.op == "read":
            parts.setdefault(node.inputs[0], []).append(node)
        if node.op == "read" or (node.op == "apply" and not makes_fresh(
                node.params["fn"], node.params["kwargs"])):
            for v in node.inputs:
                aliases.setdefault(v, []).extend(node.outputs)
    moved: dict[int, list[Node]] = {}
    gone: set[int] = set()
    for i, node in enumerate(nodes):
        if not _may_move(node):
            continue
        place = _place(node)
        at = max((_last_use(r.out, last_use, aliases)
                  for r in parts.get(node.inputs[0], ()) if _place(r) == place), default=0)
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


def _place(node: Node) -> Any:
    """Where a node reads or writes: its steps, with values that stand for themselves."""
    return [step if not isinstance(step, Index) else
            fill(step.key, node.inputs) if step.basic else id(step)
            for step in node.params["steps"]]


def _last_use(value: Value, last_use: dict[Value, int], aliases: dict[Value, list[Value]]) -> int:
    """The last node that reads a value, or what shares memory with it."""
    return max(last_use.get(value, 0), *(
        _last_use(v, last_use, aliases) for v in aliases.get(value, ())), 0)


def _may_move(node: Node) -> bool:
    return node.op == "write" and is_adjoint(node) and len(node.inputs[1].aval.shape or ()) == 0
