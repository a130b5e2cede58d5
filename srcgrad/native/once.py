"""What the two parts of an iteration both compute, or both ask, is there once.

Where an adjoint loop has become part of the loop whose adjoint it is, the backward part has the
forward part's numbers at hand, and what follows in an arm of a branch follows in the same arm:

    if x[i] > 0.0: s += x[i]                      taken = x[i] > 0.0
    taken = x[i] > 0.0                            if taken:
    if taken: d_x[i] = 1.0                            s += x[i]
                                                      d_x[i] = 1.0
"""

from __future__ import annotations

from collections import ChainMap
from typing import Any

from srcgrad.graph.fuse import branch_joined
from srcgrad.graph.ir import Block, Node, Value, is_adjoint
from srcgrad.graph.walking import rebuild, walk
from srcgrad.types.kinds import SCALARS

_PURE = frozenset({"const", "dim", "apply", "read"})


def once(node: Node) -> Node:
    """A loop in which nothing is computed or asked twice."""
    backward = {_key(n) for b in node.blocks for n in walk(b) if is_adjoint(n)}
    return node.but(blocks=tuple(_block(b, ChainMap(), backward) for b in node.blocks))


def _block(block: Block, around: ChainMap[Any, Value], backward: set[Any]) -> Block:
    """``backward`` is what the backward part computes: the forward part refers to it, too."""
    known = around.new_child()
    renamed: dict[Value, Value] = {}
    nodes: list[Node] = []
    for node in block.nodes:
        if renamed:
            (node,) = rebuild(Block((), (node,), ()), renamed).nodes
        key = _key(node)
        if key is None:
            if node.op != "if" or not is_adjoint(node) or not branch_joined(nodes, node, _PURE):
                nodes.append(node)
        elif key in known and (is_adjoint(node) or key in backward):
            renamed[node.out] = known[key]
        else:
            known.setdefault(key, node.out)
            nodes.append(node)
    known = around.new_child()
    for i, node in enumerate(nodes):
        if node.blocks:
            nodes[i] = node.but(blocks=tuple(_block(b, known, backward) for b in node.blocks))
        elif (key := _key(node)) is not None:
            known.setdefault(key, node.out)
    return block.but(nodes=tuple(nodes),
                     outputs=tuple(renamed.get(v, v) for v in block.outputs))


def _key(node: Node) -> Any:
    """What makes two numbers equal; None for what is not shared."""
    if node.op not in _PURE or len(node.outputs) != 1 or node.out.aval.kind not in SCALARS:
        return None
    settings = {k: v for k, v in node.params.items() if k not in ("inside", "again")}
    return node.op, repr(settings), node.out.aval.kind, node.out.aval.dtype, node.inputs
