"""The split form: a forward graph that returns residuals, a backward graph that takes them.

The pullback may run many times and at any time: residuals are never written to by it, and what
the caller can reach (arguments, captured arrays, results, and anything that may share memory
with them) is copied on the way out of the forward graph.
"""

from __future__ import annotations

import numpy as np

from ..graph.ir import Block, Builder, Graph, Node, Origin, Value
from ..graph.unbound import partly_undefined, with_none
from ..graph.walking import defined_in, free_values, rebuild, walk
from ..types.kinds import Kind, int_aval
from .aliases import Aliases

_COPIED = frozenset({Kind.ARRAY, Kind.ANY, Kind.LIST, Kind.RECORD})


def split(joint: Graph, n_seeds: int, copies: bool = True) -> tuple[Graph, Graph]:
    """Cut a closed joint graph, whose last ``n_seeds`` inputs are seeds, at its border.

    The forward graph has the inputs of the primal function; its outputs are the ``n_primal``
    kept results, then the residuals (all of them count as primal results).  The backward graph
    takes the residuals, then the seeds, and returns the cotangents.  ``copies``: residuals that
    the caller can reach are copied.
    """
    assert joint.border is not None, "only joint graphs can be split"
    block, border = joint.block, joint.border
    n_inputs = len(joint.inputs) - n_seeds
    inputs, seeds = block.params[:n_inputs], block.params[n_inputs:]
    results, gradients = block.outputs[:joint.n_primal], block.outputs[joint.n_primal:]
    tail = Builder(Origin(role="support"))
    backward = Block(seeds, block.nodes[border:], gradients)
    front = Block((), block.nodes[:border])
    undefined = partly_undefined(front) | _of_rows(front)
    backward = _sizes_first(backward, tail, undefined)
    backward = _own_constants(backward, block.nodes[:border])
    residuals = free_values(backward)
    aliases = Aliases(Block(inputs, (*block.nodes[:border], *tail.nodes), results))
    reachable = aliases.classes((*inputs, *results, *aliases.foreign))
    kept: list[Value] = []
    for v in residuals:
        if copies and v.aval.kind in _COPIED and aliases.find(v) in reachable:
            absent = v.aval.optional or v in undefined
            copied = tail.add("copy", (v,), (v.aval.but(optional=absent),),
                              deep=v.aval.kind is Kind.LIST).out
            copied.hint = v.hint
            kept.append(copied)
        else:
            kept.append(v)
    primal = Block(inputs, (*block.nodes[:border], *tail.nodes), (*results, *kept))
    forward = joint.but(name=f"{joint.name}_forward", border=None,
                        n_primal=len(results) + len(kept), block=with_none(primal, residuals))
    taken = {v: v.like(obj=None, aval=v.aval.but(optional=v.aval.optional or v in undefined))
             for v in residuals}
    pullback = rebuild(backward, dict(taken), fresh=False)
    pullback = pullback.but(params=(*taken.values(), *seeds))
    return forward, joint.but(name=f"{joint.name}_backward", block=pullback, border=0,
                              n_primal=0, written=())


def _sizes_first(backward: Block, tail: Builder, undefined: set[Value]) -> Block:
    """The backward block with sizes of forward values taken in the forward graph, but for
    values that are ``undefined`` on some paths, or have fewer axes on some."""
    inside = defined_in(backward)
    moved: dict[Value, Value] = {}
    known: dict[tuple[Value, int], Value] = {}

    def size(value: Value, axis: int) -> Value:
        if (value, axis) not in known:
            assert value.aval.shape is not None
            aval = int_aval(value.aval.shape[axis])
            known[value, axis] = tail.add("dim", (value,), (aval,), axis=axis).out
        return known[value, axis]

    def visit(block: Block) -> Block:
        nodes: list[Node] = []
        for node in block.nodes:
            early = bool(node.inputs) and node.inputs[0] not in inside and (
                not node.inputs[0].aval.optional and node.inputs[0] not in undefined)
            if node.op == "dim" and early:
                moved[node.out] = size(node.inputs[0], node.params["axis"])
                continue
            if early and _is_zeros_like(node) and node.inputs[0].aval.dtype is not None:
                base = node.inputs[0]
                assert base.aval.shape is not None
                shape = tuple(size(base, axis) if not isinstance(n, int) else n
                              for axis, n in enumerate(base.aval.shape))
                new = Builder(node.origin)
                new.apply(np.zeros, (shape,), {"dtype": base.aval.dtype}, node.out.aval)
                node = new.nodes[0].but(outputs=node.outputs)
            if node.blocks:
                node = node.but(blocks=tuple(visit(b) for b in node.blocks))
            nodes.append(node)
        return block.but(nodes=tuple(nodes))

    return rebuild(visit(backward), moved)


def _of_rows(block: Block) -> set[Value]:
    """Arrays that are made of a list of rows: of no rows NumPy makes one of a single axis, and only
    its whole shape can be asked for."""
    found: set[Value] = set()
    for node in walk(block):
        if node.op in ("apply", "update", "acc", "read") and any(
                v in found or (v.aval.kind is Kind.LIST and node.op == "apply"
                               and node.params["fn"] is np.array) for v in node.inputs):
            found.update(v for v in node.outputs if v.aval.is_array and len(v.aval.shape or ()) > 1)
    return found


def _is_zeros_like(node: Node) -> bool:
    return (node.op == "apply" and node.params["fn"] is np.zeros_like and len(node.inputs) == 1
            and node.inputs[0].aval.kind is Kind.ARRAY)


def _own_constants(backward: Block, forward: tuple[Node, ...]) -> Block:
    """The backward block with its own copies of the constants that it reads."""
    constants = {n.out: n for n in forward if n.op == "const"}
    used = [constants[v] for v in free_values(backward) if v in constants]
    fresh = {n.out: n.out.like(obj=None) for n in used}
    nodes = tuple(n.but(outputs=(fresh[n.out],)) for n in used)
    inner = rebuild(backward, dict(fresh))
    return inner.but(nodes=(*nodes, *inner.nodes))
