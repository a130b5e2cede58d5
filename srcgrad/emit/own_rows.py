"""Rows of lists of cotangents that are changed where they lie.

    t = list(d_groups[k])
    d_v = t.pop()            ->   d_v = d_groups[k].pop()
    d_groups[k] = t

A row that is read from a list of lists may be shared, so as a rule a copy is changed, which then
takes its place.  Where the rows of a list are its own (it starts as lists of zeros, gets nothing
but new lists, and gives away none but between reading it and putting it back), the row itself is
changed, and there is nothing to put back.
"""

from __future__ import annotations

from srcgrad.emit.facts import facts
from srcgrad.graph.changing import Changing
from srcgrad.graph.ir import Block, Graph, Node, Value, is_adjoint
from srcgrad.graph.parts import LoopParts
from srcgrad.graph.walking import walk
from srcgrad.types.kinds import SCALARS, Aval, Kind

NEW = frozenset({"list_like", "list"})


def with_own_rows(graph: Graph) -> Graph:
    """The graph without such copies; what puts a row back in its place is marked."""
    if not any(map(_puts_row, walk(graph.block))):
        return graph
    chains = _Rows(graph).own()
    return _Changed(chains).graph(graph) if chains else graph


def _puts_row(node: Node) -> bool:
    return node.op == "put" and len(node.inputs) == 3 and _is_of_rows(node.inputs[0]) and (
        is_adjoint(node))


def _is_of_rows(value: Value) -> bool:
    """Is it a list of lists of numbers?"""
    row: Aval | None = value.aval.elem if value.aval.kind is Kind.LIST else None
    return row is not None and row.kind is Kind.LIST and not row.optional and (
        row.elem is None or (row.elem.kind in SCALARS and not row.elem.optional))


class _Rows:
    """Goes over a graph; ``chains`` are the copies of the rows that are put back by some nodes,
    and ``read`` these rows."""

    def __init__(self, graph: Graph) -> None:
        _, self.storage = facts(graph)
        self.made: dict[Value, Node] = {}
        self.users: dict[Value, list[Node | None]] = {}  # None: the end of a block
        self.places: dict[Node, tuple[tuple[Node, int], ...]] = {}  # the arms around a node
        self.place(graph.block, ())
        nodes = [*self.places]
        for node in nodes:
            self.made |= dict.fromkeys(node.outputs, node)
            for user, values in ((node, node.inputs), *(
                    (None, inner.outputs) for inner in node.blocks)):
                for v in values:
                    self.users.setdefault(v, []).append(user)
        self.read: set[Value] = set()
        self.chains = {node: copies for node in nodes if _puts_row(node)
                       and (copies := self.chain(node)) is not None}
        self.foreign = {self.storage.family(v) for v in (
            *graph.block.params, *graph.block.outputs) if _is_of_rows(v)}
        self.foreign.update(self.storage.family(v) for node in nodes
                            for v in dict.fromkeys((*node.inputs, *node.outputs))
                            if _is_of_rows(v) and not self.keeps(node, v))

    def place(self, block: Block, around: tuple[tuple[Node, int], ...]) -> None:
        for node in block.nodes:
            self.places[node] = around
            for arm, inner in enumerate(node.blocks):
                self.place(inner, (*around, (node, arm)))

    def exclude(self, one: Node, other: Node | None) -> bool:
        """Do two nodes lie in two arms of a branch?"""
        if other is None:
            return False
        pairs = zip(self.places[one], self.places[other], strict=False)
        apart = next(((a, b) for a, b in pairs if a != b), None)
        return apart is not None and apart[0][0] is apart[1][0] and apart[0][0].op == "if"

    def own(self) -> dict[Node, list[Node]]:
        """The chains of the lists whose rows are their own."""
        return {put: copies for put, copies in self.chains.items()
                if self.storage.family(put.inputs[0]) not in self.foreign}

    # ---- chains ----------------------------------------------------------------------------------
    def chain(self, put: Node) -> list[Node] | None:
        """The copies on the way from where a row is read to where it is put back; None if it is
        another one, or something else is done with it."""
        lst, last, *path = put.inputs
        nodes: list[Node] = []
        row = self.first(last, None, nodes)
        made = self.made.get(row) if row is not None else None
        if made is None or made.op != "get" or [*made.inputs] != [lst, *path] or any(
                user not in (made, put) and not self.exclude(put, user)
                for user in self.apart_from_lengths(lst)):
            return None
        self.read.add(made.out)
        return [node for node in nodes if node.op == "copy"]

    def first(self, value: Value, stop: Value | None, nodes: list[Node]) -> Value | None:
        """The row, or ``stop``, that a value is a later content of; ``nodes`` have changed it.
        None where it has any other use."""
        while True:
            users = self.users.get(value, [])
            if len(self.apart_from_lengths(value)) != 1 or (
                    len(users) > 1 and any(node.op == "pop" for node in nodes)):
                return None
            node = self.made.get(value)
            if value is stop or (node is not None and node.op == "get"):
                return value
            if node is None or (value is not node.outputs[0] and node.op != "loop"):
                return None
            nodes.append(node)
            if node.op == "loop" and node.loop.kind == "for" and not node.loop.exits and (
                    value in LoopParts(node).results):
                parts = LoopParts(node)
                place = parts.results.index(value)
                param = parts.carried[place]
                if self.first(parts.next[place], param, nodes) is not param:
                    return None
                value = parts.inits[place]
            elif node.op in ("copy", "pop", "list_acc"):
                value = node.inputs[0]
            else:
                return None

    def apart_from_lengths(self, value: Value) -> list[Node | None]:
        """What uses a list otherwise than for its length."""
        return [user for user in self.users.get(value, []) if user is None or (
            user.op != "list_len")]

    # ---- lists -----------------------------------------------------------------------------------
    def keeps(self, node: Node, lst: Value) -> bool:
        """Are the rows of a list of lists its own behind a node?"""
        if node.op == "loop":
            parts = LoopParts(node)
            return lst not in (*parts.sources, *parts.produced)
        if node.op in ("list_len", "if"):
            return True
        if node.op == "list_like":
            return lst in node.inputs or is_adjoint(node)
        if lst not in (*node.inputs[:1], *node.outputs[:1]):
            return False
        if node.op == "get":
            return node.out in self.read or node.out.aval.kind is not Kind.LIST
        if node.op in ("put", "append", "insert"):
            item = node.inputs[1]
            made = self.made.get(item)
            return node in self.chains or item.aval.kind is not Kind.LIST or (
                made is not None and made.op in NEW and len(self.users[item]) == 1)
        return node.op == "pop" or (node.op == "list_acc" and len(node.inputs) > 3)


class _Changed(Changing):
    """Leaves out the copies of chains."""

    def __init__(self, chains: dict[Node, list[Node]]) -> None:
        super().__init__({copy.out: copy.inputs[0] for copies in chains.values()
                          for copy in copies})
        self.chains = chains

    def node(self, node: Node) -> list[Node]:
        if node.op == "copy" and node.out in self.replaced:
            return []
        changed = self.within(node)
        return [changed.but(params={**node.params, "in_place": True})
                if node in self.chains else changed]
