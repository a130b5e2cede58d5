"""Adjoint loops that need nothing of later iterations become part of the loops whose adjoints they
are, which then keep nothing for them; see :mod:`srcgrad.graph.fuse`."""

from __future__ import annotations

from collections.abc import Iterable

from ..graph.changing import Changing
from ..graph.fuse import Fused, branch_joined
from ..graph.ir import Graph, Node, is_adjoint
from ..graph.walking import rebuild, walk
from .share import share


def fuse_loops(graph: Graph) -> Graph:
    """The graph with such loops of its backward part moved."""
    if graph.border is None or not any(
            n.op == "loop" and is_adjoint(n) for n in walk(graph.block)):
        return graph
    fused = Fused(graph.block.nodes, graph.outputs, graph.border)
    if not fused.renamed:
        return graph
    block = rebuild(graph.block.but(nodes=tuple(fused.nodes)), fused.renamed)
    return share(graph.but(block=block, border=fused.border), beside=True)


def join_branches(graph: Graph) -> Graph:
    """The graph with what follows in an arm of the forward part's branch in the same arm."""
    joined = _Branches().graph(graph)
    return graph if joined is graph else share(joined, beside=True)


class _Branches(Changing):

    def nodes(self, nodes: Iterable[Node]) -> list[Node]:
        made: list[Node] = []
        for node in super().nodes(nodes):
            if not (node.op == "if" and is_adjoint(node) and any(
                    n.op == "if" and not is_adjoint(n) and n.inputs == node.inputs
                    for n in made) and branch_joined(made, node)):
                made.append(node)
        return made
