"""Which results of called functions are memory of their own.

A caller may add in place to a cotangent that a backward function returned, unless that is (part
of) what the function was given.  The answers depend on one another through calls: all results
start as owned, and what is not is found in rounds.
"""

from __future__ import annotations

from collections.abc import Mapping

from srcgrad.emit.facts import facts
from srcgrad.graph.changing import Changing
from srcgrad.graph.ir import Graph, Node
from srcgrad.graph.walking import walk

Owned = Mapping[str, tuple[bool, ...]]


def with_ownership(graph: Graph) -> Graph:
    """The graph, and those it calls, with calls of backward functions that tell which of their
    results are owned."""
    called = {n.params["callee"] for g in (graph, *graph.callees.values())
              for n in walk(g.block) if n.op == "call" and n.params.get("owned")}
    owned = {name: (True,) * len(graph.callees[name].outputs) for name in sorted(called)}
    settled = not owned
    while not settled:
        settled = True
        for name in owned:
            # what was given up stays so: writes to what is not owned go to a copy, which is
            both = zip(owned[name], _owned(_marked(graph.callees[name], owned)))
            found = tuple(before and now for before, now in both)
            if found != owned[name]:
                owned[name], settled = found, False
    callees = {name: _marked(g, owned) for name, g in graph.callees.items()}
    return _marked(graph, owned).but(callees=callees)


def _owned(graph: Graph) -> tuple[bool, ...]:
    """Which outputs of a graph nobody else holds, other outputs included."""
    _, storage = facts(graph)
    outputs = graph.outputs
    return tuple(storage.owned(v) and not any(
        storage.overlap(v, other) for j, other in enumerate(outputs) if j != i)
        for i, v in enumerate(outputs))


def _marked(graph: Graph, owned: Owned) -> Graph:
    return _Marking(owned).graph(graph) if owned else graph


class _Marking(Changing):
    def __init__(self, owned: Owned) -> None:
        super().__init__()
        self.owned = owned

    def node(self, node: Node) -> list[Node]:
        if node.op == "call" and node.params["callee"] in self.owned:
            return [node.but(params={**node.params, "owned": self.owned[node.params["callee"]]})]
        return [self.within(node)]
