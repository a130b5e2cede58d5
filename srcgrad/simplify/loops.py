"""Values that regions carry without changing them.

In backward regions: a carried value whose next value is itself is the initial value, in the
body and after the loop; an output of an ``if`` whose arms both give the same outer value is
that value.

    for t reversed, carry d_cost:            for t reversed:
        d_u += 2 * d_cost * u[t]        ->       d_u += 2 * d_cost * u[t]
        yield d_cost
"""

from __future__ import annotations

from ..graph.changing import Changing
from ..graph.ir import Graph, Node
from ..graph.parts import LoopParts


def drop_invariant(graph: Graph) -> Graph:
    """The graph with unchanged carried values replaced by what they are.

    >>> from srcgrad.graph.ir import Builder, LoopSpec
    >>> from srcgrad.types.kinds import FLOAT, INT
    >>> b, body = Builder(), Builder()
    >>> x, n = b.param(FLOAT, "x"), b.param(INT, "n")
    >>> index, carried = body.param(INT), body.param(FLOAT)
    >>> loop = b.add("loop", (n, n, n, x), (FLOAT, INT), (body.block((carried,)),),
    ...              loop=LoopSpec("for", n_carried=1))
    >>> drop_invariant(Graph("g", b.block(loop.outputs[:1]), border=0)).outputs == (x,)
    True
    """
    if graph.border is None:
        return graph
    found = Changing()
    for node in graph.block.nodes[graph.border:]:
        _visit(node, found)
    return found.graph(graph)


def _visit(node: Node, found: Changing) -> None:
    for block in node.blocks:
        for inner in block.nodes:
            _visit(inner, found)
    if node.op == "loop":
        parts = LoopParts(node)
        for init, param, nxt, result in zip(parts.inits, parts.carried, parts.next,
                                            parts.results):
            if found.now(nxt) is param and node.loop.kind != "while":
                found.replaced |= {param: init, result: init}
    elif node.op == "if":
        for out, arms in zip(node.outputs, zip(*(b.outputs for b in node.blocks))):
            values = [found.now(v) for v in arms]
            if values[0] is values[1]:
                found.replaced[out] = values[0]
