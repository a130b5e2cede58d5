"""Which results of called functions are memory of their own, and which arguments are given up.

A caller may add in place to a cotangent that a backward function returned, unless that is (part
of) what the function was given.  A backward function may add in place to what every caller hands
it and does not use again.  The answers depend on one another through calls: all results start as
owned and all arguments as given up, and what is not is found in rounds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from srcgrad.emit.facts import facts
from srcgrad.emit.order import Order
from srcgrad.emit.storage import Storage
from srcgrad.graph.changing import Changing
from srcgrad.graph.ir import Graph, Node
from srcgrad.graph.walking import walk
from srcgrad.types.kinds import Kind


class Held(NamedTuple):
    """For each result of a function, is it owned; for each argument, is it given up?"""

    owned: tuple[bool, ...]
    given_up: tuple[bool, ...]


def with_ownership(graph: Graph) -> Graph:
    """The graph, and those it calls, with calls of backward functions that tell which of their
    results are owned, and backward functions that tell which inputs are their own."""
    called = sorted({n.params["callee"] for g in (graph, *graph.callees.values())
                     for n in walk(g.block) if n.op == "call" and n.params.get("owned")})
    held = {name: Held((True,) * len(graph.callees[name].outputs),
                       tuple(p.aval.kind in (Kind.ARRAY, Kind.LIST)  # records are read again
                             for p in graph.callees[name].inputs))
            for name in called}
    settled = not held
    while not settled:
        # what was given up stays so: writes to what is not owned go to a copy, which is
        found = _found(graph, held)
        settled, held = found == held, found
    callees = {name: _marked(g, held) for name, g in graph.callees.items()}
    return _marked(graph, held).but(callees=callees)


def _found(graph: Graph, held: Mapping[str, Held]) -> dict[str, Held]:
    """What is held after one round more."""
    owned = {name: found.owned for name, found in held.items()}
    given_up = {name: found.given_up for name, found in held.items()}
    for one in (graph, *graph.callees.values()):
        marked = _marked(one, held)
        order, storage = facts(marked)
        if one.name in held:
            outputs = marked.outputs
            owned[one.name] = tuple(before and storage.owned(v) and not any(
                storage.overlap(v, other) for j, other in enumerate(outputs) if j != i)
                for i, (before, v) in enumerate(zip(owned[one.name], outputs, strict=True)))
        for node in walk(marked.block):
            name = node.params["callee"] if node.op == "call" else None
            if name in given_up:
                given_up[name] = tuple(before and _is_given_up(node, i, order, storage)
                                       for i, before in enumerate(given_up[name]))
    return {name: Held(owned[name], given_up[name]) for name in held}


def _is_given_up(node: Node, place: int, order: Order, storage: Storage) -> bool:
    """Does nobody but a call hold an argument of it from then on?"""
    value, position = node.inputs[place], order.start[node]
    if not storage.owned(value) or order.is_live_after(value, position):
        return False
    return not any(storage.overlap(v, value) for v in storage.roots
                   if v is not value and order.defined[v] < position and (
                       v in node.inputs or order.is_live_after(v, position))
                   ) and node.inputs.count(value) == 1


def _marked(graph: Graph, held: Mapping[str, Held]) -> Graph:
    if not held:
        return graph
    graph = _Marking(held).graph(graph)
    own = held[graph.name].given_up if graph.name in held else ()
    return graph.but(owns=tuple(i for i, given_up in enumerate(own) if given_up))


class _Marking(Changing):
    def __init__(self, held: Mapping[str, Held]) -> None:
        super().__init__()
        self.held = held

    def node(self, node: Node) -> list[Node]:
        if node.op == "call" and node.params["callee"] in self.held:
            found = self.held[node.params["callee"]]
            return [node.but(params={**node.params, "owned": found.owned,
                                     "given_up": found.given_up})]
        return [self.within(node)]
