"""The values of a loop node by role (see :class:`~srcgrad.graph.ir.LoopSpec`)."""

from __future__ import annotations

from .ir import Node, Value


class LoopParts:
    """The values of a loop node, by role."""

    __slots__ = ("carried", "elements", "index", "inits", "jump", "last", "lasts", "next",
                 "produced", "results", "sequences", "sources", "trips")

    def __init__(self, node: Node) -> None:
        spec, body = node.loop, node.blocks[-1]
        first = spec.first_init
        self.inits = node.inputs[first:first + spec.n_carried]
        self.sources = node.inputs[first + spec.n_carried:]
        params = body.params
        self.index: Value | None = None
        if spec.kind == "for":
            self.index, params = params[0], params[1:]
        self.carried = params[:spec.n_carried]
        self.elements = params[spec.n_carried:]
        self.jump, self.next, self.last, self.produced = _cut(body.outputs, node)
        _, self.results, self.lasts, self.sequences = _cut(node.outputs[:-1], node)
        self.trips = node.outputs[-1]


def _cut(values: tuple[Value, ...], node: Node) -> tuple[Value | None, tuple[Value, ...],
                                                         tuple[Value, ...], tuple[Value, ...]]:
    spec = node.loop
    jump: Value | None = None
    if spec.exits:
        jump, values = values[0], values[1:]
    a, b = spec.n_carried, spec.n_carried + spec.n_last
    return jump, values[:a], values[a:b], values[b:]


class Mirror:
    """``params["mirror"]`` of a backward region in an open graph: the forward region that it
    reverses, named by one of its outputs."""

    __slots__ = ("output",)

    def __init__(self, output: Value) -> None:
        self.output = output
