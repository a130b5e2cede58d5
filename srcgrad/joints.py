"""Joint graphs: a function and its adjoint in one graph, simplified and closed."""

from __future__ import annotations

from typing import Any

import numpy as np

from .adjoint import close, differentiate, jvp, pairs, split
from .graph.callback import Callback
from .graph.ir import Graph, Node, Origin, Ref, Value
from .guards import Path
from .kinds import Aval, Kind
from .optimize import simplify
from .templates import Leaves

Wanted = tuple[Path, Any, Leaves]


def joint_graph(graph: Graph, wrt: list[int], of: list[int], keep: list[int],
                without: tuple[str, ...], keep_raising: bool, copies: bool = False) -> Graph:
    """Differentiate, simplify, bind the residuals, simplify again, cut called functions in two
    (``copies``: their records share no memory with what the caller can reach)."""
    joint = differentiate(graph, wrt, of, keep=keep)
    joint = simplify(joint, keep_raising=keep_raising, without=(*without, "share again"))
    joint = close(joint)
    joint = pairs(simplify(joint, keep_raising=keep_raising, without=without), copies)
    return _zero_dimensional(joint, [graph.inputs[i].aval for i in wrt])


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
    return simplify(close(jvp(graph, wrt, of, keep=keep)), keep_raising=True)


def transposed(backward: Graph, n_seeds: int) -> Graph:
    """The transpose of a linear backward graph, whose last ``n_seeds`` inputs are cotangents:
    it takes these (only their shapes matter), then the tangents of what ``backward`` returns."""
    last, count = len(backward.inputs), len(backward.outputs)
    return joint_graph(backward.but(border=None), list(range(last - n_seeds, last)),
                       list(range(count)), [], (), False)
