"""Joint graphs: a function and its adjoint in one graph, simplified and closed."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..adjoint import close, differentiate, jvp, pairs, split
from ..graph.callback import Callback
from ..graph.ir import Graph, Node, Origin, Ref, Value
from ..graph.seeds import unit_seeds
from ..graph.walking import walk
from ..simplify import find_quotients, simplify
from ..types.guards import Path
from ..types.kinds import Aval, Kind
from .templates import Leaves

Wanted = tuple[Path, Any, Leaves]


def joint_graph(graph: Graph, wrt: list[int], of: list[int], keep: list[int],
                without: tuple[str, ...], keep_raising: bool, copies: bool = False,
                unit: bool = False) -> Graph:
    """Differentiate, simplify, bind the residuals, simplify again, cut called functions in two
    (``copies``: their records share no memory with what the caller can reach; ``unit``: the
    cotangents of the results are 1)."""
    joint = differentiate(graph, wrt, of, keep=keep)
    if unit and not _typed_by_path(graph):
        joint = _with_unit_seeds(joint, len(graph.inputs))
    joint = simplify(find_quotients(joint), keep_raising=keep_raising, without=without)
    joint = close(joint, recompute="recompute" not in without)
    joint = pairs(simplify(joint, keep_raising=keep_raising, without=without), copies)
    return _zero_dimensional(joint, [graph.inputs[i].aval for i in wrt])


def _typed_by_path(graph: Graph) -> bool:
    """May a value of NumPy be an integer on some paths and a float on others?  A cotangent of 1.0
    then makes a float of it."""
    return any(out.aval.least is not None and out.aval.kind in (Kind.ARRAY, Kind.SCALAR)
               for one in (graph, *graph.callees.values())
               for node in walk(one.block) for out in node.outputs)


def _with_unit_seeds(joint: Graph, first: int) -> Graph:
    """The graph with plain numbers in the place of its last inputs, from number ``first`` on, that
    nobody gives but 1: what they multiply is left alone."""
    seeds = joint.inputs[first:]
    numbers = {seed: one for seed, one in zip(seeds, unit_seeds(seeds, joint), strict=True)
               if type(one) is float and joint.border is not None}
    made = [Node("const", (), (seed,), {"value": one}, origin=Origin(role="adjoint"))
            for seed, one in numbers.items()]
    nodes = list(joint.block.nodes)
    nodes[joint.border:joint.border] = made
    params = tuple(p for p in joint.block.params if p not in numbers)
    return joint.but(block=joint.block.but(params=params, nodes=tuple(nodes)))


def _zero_dimensional(joint: Graph, wanted: list[Aval]) -> Graph:
    """Gradients of 0-d arrays as 0-d arrays: arithmetic turns these into NumPy scalars."""
    outputs, nodes = list(joint.outputs), []
    for place, aval in enumerate(wanted, len(outputs) - len(wanted)):
        if aval.kind is Kind.ARRAY and aval.shape == ():
            value = outputs[place]
            made = Value(aval, value.hint)
            nodes.append(Node("apply", (value,), (made,), {
                "fn": np.asarray, "args": (Ref(0),), "kwargs": {}}, origin=Origin(role="adjoint")))
            outputs[place] = made
    if not nodes:
        return joint
    return joint.but(block=joint.block.but(nodes=(*joint.block.nodes, *nodes),
                                           outputs=tuple(outputs)))


def inner_joint(graph: Graph, wrt: list[int], of: list[int], keep: list[int]) -> Graph:
    """The joint graph of a function whose derivative is taken inside another one."""
    return joint_graph(graph, wrt, of, keep, (), True)


Callback.differentiate = staticmethod(inner_joint)


def inner_pair(graph: Graph, wrt: list[int], of: list[int], keep: list[int]
               ) -> tuple[Graph, Graph]:
    """The split form of a function that is used inside another one."""
    return split(joint_graph(graph, wrt, of, keep, (), True), len(of))


def inner_jvp(graph: Graph, wrt: list[int], of: list[int]) -> Graph:
    """Forward mode of a function that is used inside another one."""
    keep = list(range(len(graph.outputs)))
    return simplify(close(find_quotients(jvp(graph, wrt, of, keep=keep))), keep_raising=True)


def transposed(backward: Graph, n_seeds: int) -> Graph:
    """The transpose of a linear backward graph, whose last ``n_seeds`` inputs are cotangents:
    it takes these (only their shapes matter), then the tangents of what ``backward`` returns."""
    last, count = len(backward.inputs), len(backward.outputs)
    return joint_graph(backward.but(border=None), list(range(last - n_seeds, last)),
                       list(range(count)), [], (), False)
