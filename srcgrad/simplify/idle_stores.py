"""Stores of the backward part that put back what is there.

The adjoint of ``K[i, j] += e`` clears the element's cotangent and adds it again; where nothing lies
between, what is left of both is ``d_K[i, j] = d_K[i, j]``.  For lists both stores are there,
perhaps with others between them that only add: ``t = d_v[k]``, ``d_v[k] = 0.0``,
``d_w[k] += t``, ``d_v[k] += t``.  An item that is cleared and added to at once is assigned:
``d_v[k] = t`` for ``d_v[k] = 0.0``, ``d_v[k] += t``.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..graph.changing import Changing
from ..graph.equality import place_key
from ..graph.ir import Graph, Node, Value, is_adjoint
from ..graph.walking import uses_of
from ..types.kinds import SCALARS
from .rewriting import call_of


def drop_idle_stores(graph: Graph) -> Graph:
    """The graph without such stores."""
    return _Idle(graph).graph(graph)


class _Idle(Changing):
    def __init__(self, graph: Graph) -> None:
        super().__init__()
        self.reads: dict[Value, Node] = {}
        self.users: dict[Value, Node] = {}  # of lists that are added to, in the block
        self.zeros: set[Value] = set()
        self.again: set[Value] = set()  # what additions make that give back what was cleared
        self.assigned: set[Value] = set()  # what additions make that assign what was cleared
        self.uses = uses_of(graph.block)

    def nodes(self, nodes: Iterable[Node]) -> list[Node]:
        outer, nodes = self.users, [*nodes]
        self.users = {v: n for n in nodes for v in n.inputs if n.op == "list_acc"}
        made = super().nodes(nodes)
        self.users = outer
        return made

    def node(self, node: Node) -> list[Node]:
        if self.replaced:
            node = node.but(inputs=tuple([self.now(v) for v in node.inputs]))
        if node.op in ("read", "get"):
            self.reads[node.out] = node
        elif _is_zero(node):
            self.zeros.add(node.out)
        if self.is_idle(node) or self.is_added_again(node) or self.is_added_to(node) or (
                self.again.intersection(node.outputs)):
            self.replaced[node.out] = node.inputs[0]
            return []
        return [self.within(node.but(op="put") if self.assigned.intersection(node.outputs)
                            else node)]

    def is_idle(self, node: Node) -> bool:
        if node.op not in ("write", "put") or not is_adjoint(node):
            return False
        read = self.reads.get(node.inputs[1])
        if node.op == "put":
            return read is not None and read.op == "get" and (
                read.inputs == (node.inputs[0], *node.inputs[2:]))
        return (read is not None and not read.params.get("handle")
                and read.inputs[0] is node.inputs[0] and place_key(read) == place_key(node))

    def is_added_again(self, node: Node) -> bool:
        """Is an item of a list cleared to which what it was is added next?  That addition is
        noted as one that gives it back."""
        if node.op != "put" or not is_adjoint(node) or node.inputs[1] not in self.zeros:
            return False
        whole, _, *places = node.inputs
        version = node.out
        while self.uses[version] == 1:
            user = self.users.get(version)
            if user is None or user.inputs[0] is not version:
                return False
            value, *others = (self.now(v) for v in user.inputs[1:])
            read = self.reads.get(value)
            if others == places and read is not None and read.op == "get" and (
                    [*read.inputs] == [whole, *places]):
                self.again.add(user.out)
                return True
            version = user.out
        return False


    def is_added_to(self, node: Node) -> bool:
        """Is an item of a list cleared to which something is added next?  That addition is noted as
        one that assigns."""
        if node.op != "put" or not is_adjoint(node) or node.inputs[1] not in self.zeros or (
                self.uses[node.out] != 1):
            return False
        user, zero = self.users.get(node.out), node.inputs[1].aval
        if user is None or user.inputs[0] is not node.out or not is_adjoint(user):
            return False
        value, *places = (self.now(v) for v in user.inputs[1:])
        if places != [*node.inputs[2:]] or value.aval.optional or not (
                (zero.kind in SCALARS and value.aval.kind in SCALARS) or (
                    zero.shape is not None and zero.shape == value.aval.shape
                    and zero.dtype == value.aval.dtype)):
            return False
        self.assigned.add(user.out)
        return True


def _is_zero(node: Node) -> bool:
    if node.op == "const":
        return type(node.params["value"]) is float and node.params["value"] == 0.0
    return call_of(node) is np.zeros_like
