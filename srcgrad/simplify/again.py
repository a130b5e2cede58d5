"""Arrays outside of loops that are cheaper to compute again than to name.

    exp_s = np.exp(s)                             b = b * np.exp(s) + a
    b = b * exp_s + a                     ->      ...
    ...                                           d_s = d_b * np.exp(s)
    d_s = d_b * exp_s

What the backward part reads once is computed there where its operands are there anyway, if it is
gone in the forward part then: it has one reader and no name in the user's program, or one that the
program gives to something else later.
"""

from __future__ import annotations

import numpy as np

from ..graph.ir import WRITES, Graph, Node, Value
from ..graph.prices import iteration, work
from ..graph.walking import uses_of, walk
from .rewriting import call_of

SHARE = 0.08  # of the time of the function and its adjoint, as in loops


def compute_again(graph: Graph) -> Graph:
    """The graph with such arrays computed in its backward part as well, if that takes little."""
    if graph.border is None:
        return graph
    found = _found(graph, graph.border)
    forward = graph.block.but(nodes=graph.block.nodes[:graph.border])
    if not found or sum(map(work, found.values())) > SHARE * iteration(forward):
        return graph
    nodes = [*forward.nodes]
    for node in graph.block.nodes[graph.border:]:
        again = {v: v.like(obj=None) for v in node.inputs if v in found}
        nodes += [found[v].but(outputs=(new,), origin=node.origin, params={
            **found[v].params, "again": True}) for v, new in again.items()]
        nodes.append(node.but(inputs=tuple(again.get(v, v) for v in node.inputs)))
    return graph.but(block=graph.block.but(nodes=tuple(nodes)))


def _found(graph: Graph, border: int) -> dict[Value, Node]:
    """Arrays that could be computed again, with the nodes that make them."""
    nodes = graph.block.nodes
    fore, back = (uses_of(graph.block.but(nodes=part, outputs=())) for part in (
        nodes[:border], nodes[border:]))
    first = {v: at for at, n in reversed([*enumerate(nodes)][border:]) for v in n.inputs}
    last = {v: at for at, n in enumerate(nodes) for v in n.inputs}
    changed = {n.inputs[0] for n in walk(graph.block) if n.op in WRITES}
    given = {v.hint: at for at, n in enumerate(nodes[:border]) for v in n.outputs}
    found: dict[Value, Node] = {}
    for at, node in enumerate(nodes[:border]):
        fn = call_of(node)
        if not isinstance(fn, np.ufunc) or fn.nout != 1 or fn.signature or node.params["kwargs"]:
            continue
        out = node.out
        goes = fore[out] == 1 if out.hint is None else given[out.hint] > at
        if goes and back[out] == 1 and out.aval.is_array and (
                out in first and out not in graph.outputs
                and all(not v.aval.is_array or (v not in changed and v not in found and (
                    v in graph.inputs or last[v] >= first[out])) for v in node.inputs)):
            found[out] = node
    return found
