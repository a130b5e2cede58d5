"""Derivatives that a call brings with it: graphs in the parameters of an ``apply`` node."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from ..types.dataclasses import dataclass
from .ir import Builder, Graph, Node, Value
from .walking import rebuild

Source = tuple[Literal["seed", "result", "input"], int]


@dataclass(frozen=True, eq=False)
class Direction:
    """One of the two directions.  ``sources`` say what each input of ``graph`` is: a seed
    (the cotangent of a result, or the tangent of an input), a result of the call, or an input
    of the node.  ``targets`` are the numbers of the inputs (or results) that the outputs of
    ``graph`` are cotangents (or tangents) of."""

    graph: Graph
    sources: tuple[Source, ...]
    targets: tuple[int, ...]


@dataclass(eq=False)
class Derivative:
    """The pullback of a call as a graph, and its pushforward (None: the transpose).

    The graphs may call the same function again, with this very object for its derivative; while
    they are traced ``pull`` is None.
    """

    pull: Direction | None = None
    push: Direction | None = None

    def targets(self, node: Node) -> tuple[Value, ...]:
        """The inputs of a node through which a derivative may pass."""
        return node.inputs if self.pull is None else tuple(
            node.inputs[i] for i in self.pull.targets)


def spliced(tape: Builder, part: Direction, node: Node, seed: Callable[[int], Value]
            ) -> Sequence[tuple[int, Value]]:
    """Append a part to a tape; returns ``(target, value)`` for each of its outputs.  ``seed``
    gives the seeds by number.

    The nodes become part of an adjoint: their arrays belong to no object of the user's, so that
    writes to them are done in place only where that is safe.
    """
    places = {"result": node.outputs, "input": node.inputs}
    given = [seed(i) if kind == "seed" else places[kind][i] for kind, i in part.sources]
    substitution = dict(zip(part.graph.inputs, given, strict=True))
    body = rebuild(part.graph.block.but(params=()), substitution, fresh=True)
    tape.nodes.extend(_own(inner, tape) for inner in body.nodes)
    return list(zip(part.targets, body.outputs, strict=True))


def _own(node: Node, tape: Builder) -> Node:
    for value in (*node.outputs, *(p for block in node.blocks for p in block.params)):
        value.obj = value.hint = None
    return node.but(origin=tape.origin, blocks=tuple(
        block.but(nodes=tuple(_own(inner, tape) for inner in block.nodes))
        for block in node.blocks))
