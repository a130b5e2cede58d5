"""Indices that count from the end are none where an index is never below zero.

Numba asks of each index with a sign whether it counts from the end.  LLVM finds out that it does
not where a loop begins at 0 or 1 and goes on from there; in other loops the question keeps it
from vector instructions, and takes most of an iteration that only finds out that a cotangent is
zero.
``x[at(i)]`` is ``x[i]`` without that question.
"""

from __future__ import annotations

import operator

from srcgrad.emit.order import is_adjoint
from srcgrad.graph.ir import Block, Builder, Index, Node, Ref, Value
from srcgrad.graph.parts import LoopParts
from srcgrad.graph.walking import walk
from srcgrad.native.predicates import at
from srcgrad.types.dims import Atom, proves_nonnegative, symbols
from srcgrad.types.kinds import Kind

_ACCESSES = frozenset({"read", "write", "acc", "update"})


def with_unsigned_indices(node: Node) -> Node:
    """A loop of a kernel in which innermost loops that begin elsewhere ask nothing of indices."""
    if not node.blocks:
        return node
    node = node.but(blocks=tuple(b.but(nodes=tuple(map(with_unsigned_indices, b.nodes)))
                                 for b in node.blocks))
    inner = [*walk(node.blocks[-1])]
    if node.op != "loop" or node.loop.kind != "for" or any(n.op == "loop" for n in inner) or (
            node.inputs[0].aval.expr in (0, 1) if not node.loop.reverse else
            not any(n.params.get("fn") is operator.not_ and is_adjoint(n) for n in inner)):
        return node
    index = LoopParts(node).index
    assert index is not None
    atoms = symbols(index.aval.expr)
    return node.but(blocks=(_block(node.blocks[0], atoms[0], {}),)) if len(atoms) == 1 else node


def _block(block: Block, atom: Atom, known: dict[Value, Value]) -> Block:
    nodes: list[Node] = []
    for n in block.nodes:
        n = n.but(blocks=tuple(_block(b, atom, {**known}) for b in n.blocks))
        if n.op in _ACCESSES and n.inputs[0].aval.kind is Kind.ARRAY:
            places = _places(n)
            builder = Builder(n.origin)
            for i in places:
                v = n.inputs[i]
                if v not in known and atom in symbols(v.aval.expr) and proves_nonnegative(
                        v.aval.expr):
                    known[v] = builder.apply(at, (v,), {}, v.aval)
            nodes += builder.nodes
            n = n.but(inputs=tuple(known.get(v, v) if i in places else v
                                   for i, v in enumerate(n.inputs)))
        nodes.append(n)
    return block.but(nodes=tuple(nodes))


def _places(node: Node) -> set[int]:
    """Which inputs of an access are indices."""
    keys = [s.key for s in node.params["steps"] if isinstance(s, Index)]
    return {k.index for key in keys for k in (key if isinstance(key, tuple) else (key,))
            if isinstance(k, Ref) and node.inputs[k.index].aval.kind is Kind.INT}
