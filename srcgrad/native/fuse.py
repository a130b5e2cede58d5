"""Adjoint loops as part of the loops whose adjoints they are, in kernels; those that are left, in
the order of memory."""

from __future__ import annotations

from srcgrad.graph.dependence import is_independent
from srcgrad.graph.fuse import Fused
from srcgrad.graph.ir import Node, Value, is_adjoint
from srcgrad.graph.parts import LoopParts
from srcgrad.graph.walking import free_values, walk
from srcgrad.types.kinds import SCALARS, Kind


class FusedKernels(Fused):
    """Loops of kernels alone."""

    def is_open(self, node: Node) -> bool:
        return "kernel" in node.params and super().is_open(node)

    def pays(self, first: Node, loop: Node) -> bool:
        """Also where the first loop goes from one iteration to the next, so that there is room
        beside it, or both read an array and no branch keeps them from being vector
        instructions."""
        if first.params.get("late") and any(n.op == "effect" for b in loop.blocks for n in walk(b)):
            return False  # what it raises comes after what the first loop leaves outside
        return super().pays(first, loop) or any(
            v.aval.kind in SCALARS for v in LoopParts(first).carried) or (bool(
                _arrays(first) & _arrays(loop)) and not any(
                    n.op in ("if", "effect", "loop") for n in walk(first.blocks[-1])))


def turned(node: Node) -> Node:
    """A node with the adjoint loops in it, or itself, running forwards where that changes nothing
    but the order of sums: what runs through memory from its end on does not become vector
    instructions."""
    if not node.blocks:
        return node
    node = node.but(blocks=tuple(
        b.but(nodes=tuple(map(turned, b.nodes))) for b in node.blocks))
    if node.op == "loop" and node.loop.reverse and is_adjoint(node) and is_independent(
            node, summed=True):
        return node.but(params={**node.params, "loop": node.loop.but(reverse=False)})
    return node


def _arrays(loop: Node) -> set[Value]:
    """What a loop reads without having changed it."""
    return {v for v in free_values(loop.blocks[-1]) if v.aval.kind is Kind.ARRAY}
