"""Statements that are traced again, in the arms of a branch that depends on what they did.

A ``try`` statement is left where an operation raises.  Its body up to there is recorded once,
before the branch on the outcome; both arms trace it again, so that Python's state is what it was
there, but every node that is the same as before is only looked up.  So what the body did before
the operation (writes to arrays, effects, random draws) happens once, in order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...graph.ir import Node, Value
from ...types.kinds import Aval
from ...types.spelling import begin_cleanup, begin_guarded, end_cleanup
from ..record.tracers import Home

ORDERED = frozenset({"effect", "if", "loop", "call"})  # what is not skipped in the search
MARKERS = (begin_cleanup, begin_guarded, end_cleanup)


class Repeat:
    """The nodes that statements recorded before, while they are traced again in ``region``.

    A repeated node is put among the region's nodes as an *echo*, so that places in the region
    are counted as before; :meth:`strip` takes the echoes out when the statements are over.
    ``scoped`` are functions whose effect ends with the statements, which are recorded anew."""

    def __init__(self, region: Any, log: list[Node], homes: dict[Value, Home],
                 scoped: tuple[Any, ...]) -> None:
        self.region = region
        self.log = [n for n in log if n.params.get("fn") not in scoped]
        self.places = {id(n): i for i, n in enumerate(self.log)}
        self.values = {v: v.obj for n in self.log for v in n.outputs}
        self.homes, self.scoped = homes, scoped
        self.position = 0
        self.last: Node | None = None
        self.count = 0  # of the region's nodes, up to the last echo

    def find(self, op: str, inputs: tuple[Value, ...], avals: tuple[Aval, ...],
             params: Mapping[str, Any]) -> Node | None:
        """The node that was recorded before in place of the one that is about to be recorded;
        None if it is a new one.  Raises LookupError where effects do not come as before."""
        nodes = self.region.builder.nodes
        if self.last is not None and not (
                len(nodes) >= self.count and nodes[self.count - 1] is self.last):
            self._go_back(nodes)
        if params.get("fn") in self.scoped and op == "effect":
            return None
        for place in range(self.position, len(self.log)):
            node = self.log[place]
            if node.op == op and len(node.outputs) == len(avals) and (
                    op != "undef" or _are_alike(node.out.aval, avals[0])) and (
                    _same(node, inputs, params)):
                nodes.append(node)
                self.position, self.last, self.count = place + 1, node, len(nodes)
                return node
            if node.op in ORDERED and node.params.get("fn") not in MARKERS:
                if op == "effect":
                    raise LookupError("effects in another order")
                return None
        return None

    def _go_back(self, nodes: list[Node]) -> None:
        """Nodes were taken back: go on after the last echo that is left."""
        self.position, self.last, self.count = 0, None, 0
        for number in range(len(nodes), 0, -1):
            place = self.places.get(id(nodes[number - 1]))
            if place is not None:
                self.position, self.last, self.count = place + 1, nodes[number - 1], number
                return

    def strip(self, start: int) -> None:
        """Take the echoes out of the region's nodes from number ``start`` on."""
        nodes = self.region.builder.nodes
        nodes[start:] = [n for n in nodes[start:] if id(n) not in self.places]


def alike(op: str, params: Mapping[str, Any], node: Node) -> bool:
    """Is a node of this kind, with these parameters, like another one?"""
    fn, other = params.get("fn"), node.params.get("fn")
    return op == node.op and (fn is other or (type(fn) is type(other) and fn == other)) and (
        op != "read" or params["steps"] == node.params["steps"])


def _are_alike(a: Aval, b: Aval) -> bool:
    """Are values that are not defined of one type?  Nothing but that tells them apart."""
    return a.kind is b.kind and a.ndim == b.ndim and a.dtype == b.dtype


def _same(node: Node, inputs: tuple[Value, ...], params: Mapping[str, Any]) -> bool:
    if len(node.inputs) != len(inputs) or any(
            a is not b for a, b in zip(node.inputs, inputs, strict=True)):
        return False
    return alike(node.op, params, node) and all(
        name not in params or _same_parameter(value, params[name])
        for name, value in node.params.items() if name not in ("fn", "loop"))


def _same_parameter(a: Any, b: Any) -> bool:
    return a is b or (type(a) is type(b) and repr(a) == repr(b))
