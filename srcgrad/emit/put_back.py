"""Items of lists that are changed where they lie: arrays, and rows of lists of cotangents.

    t = list(d_groups[k])                         a = np.copy(p_velocity[i])
    d_v = t.pop()                                 a[0] += g
    d_groups[k] = t                               p_velocity[i] = a

    d_v = d_groups[k].pop()                       p_velocity[i][0] += g

What is read from a list may be shared, so as a rule a copy is changed, which then takes its place.
Where the items of a list are its own (it gets nothing but new ones, and what it gives away is read
before anything changes), the item itself is changed, and there is nothing to put back.
"""

from __future__ import annotations

import numpy as np

from srcgrad.emit.facts import facts
from srcgrad.emit.own_items import Family, holds_alone, holds_arrays, is_read, makes_array
from srcgrad.graph.changing import Changing
from srcgrad.graph.ir import STORES, Block, Graph, Node, Value, is_adjoint
from srcgrad.graph.parts import LoopParts
from srcgrad.graph.walking import walk
from srcgrad.types.dataclasses import dataclass
from srcgrad.types.kinds import SCALARS, Aval, Kind

NEW = frozenset({"list_like", "list"})
CHANGES = STORES | {"pop", "list_acc"}
Arms = tuple[tuple[Node, int], ...]


def with_own_rows(graph: Graph) -> tuple[Graph, list[Value]]:
    """The graph without such copies, with a mark at what puts an item back in its place; and the
    lists whose items are changed so."""
    if not any(map(_puts_back, walk(graph.block))):
        return graph, []
    chains = _Items(graph).own()
    return (_Changed(chains).graph(graph) if chains else graph), [put.inputs[0] for put in chains]


def _puts_back(node: Node) -> bool:
    """Does a node put an array into a list, or a row into a list of cotangents?"""
    return node.op == "put" and (holds_arrays(node.inputs[0].aval) or (
        _is_of_rows(node.inputs[0]) and is_adjoint(node))) and len(node.inputs) == 3


def _is_of_rows(value: Value) -> bool:
    """Is it a list of lists of numbers?"""
    row: Aval | None = value.aval.elem if value.aval.kind is Kind.LIST else None
    return row is not None and row.kind is Kind.LIST and not row.optional and (
        row.elem is None or (row.elem.kind in SCALARS and not row.elem.optional))


def _copies(node: Node) -> bool:
    return node.op == "copy" or (node.op == "apply" and node.params["fn"] is np.copy)


@dataclass
class Chain:
    """What is done with an item between where it is read and where it is put back: ``nodes``, of
    which the first change is at a position."""

    row: Value
    nodes: list[Node]
    begins: int


class _Items:
    """Goes over a graph; ``chains`` by the nodes that put items back."""

    def __init__(self, graph: Graph) -> None:
        self.order, self.storage = facts(graph)
        self.made: dict[Value, Node] = {}
        self.users: dict[Value, list[Node | None]] = {}  # None: the end of a block
        self.places: dict[Node, Arms] = {}  # the arms around a node
        self.place(graph.block, ())
        for node in self.places:
            self.made |= dict.fromkeys(node.outputs, node)
            for user, values in ((node, node.inputs), *(
                    (None, inner.outputs) for inner in node.blocks)):
                for v in values:
                    self.users.setdefault(v, []).append(user)
        self.chains = {node: chain for node in self.places if _puts_back(node)
                       and (chain := self.chain(node)) is not None}
        self.read = {chain.row for chain in self.chains.values()}
        self.families: dict[object, Family] = {}
        for v in (*graph.block.params, *graph.block.outputs):
            self.of(v).is_own = False
        for node in self.places:
            for v in dict.fromkeys((*node.inputs, *node.outputs)):
                if holds_arrays(v.aval) or _is_of_rows(v):
                    self.of(v).is_own &= self.keeps(node, v) and not any(
                        r.collected for r in self.storage.of(v))

    def of(self, lst: Value) -> Family:
        return self.families.setdefault(self.storage.family(lst), Family())

    def place(self, block: Block, around: Arms) -> None:
        for node in block.nodes:
            self.places[node] = around
            for arm, inner in enumerate(node.blocks):
                self.place(inner, (*around, (node, arm)))

    def own(self) -> dict[Node, Chain]:
        """The chains of the lists whose items are their own."""
        begins: dict[object, list[int]] = {}
        for put, chain in self.chains.items():
            begins.setdefault(self.storage.family(put.inputs[0]), []).append(chain.begins)
        alone = {family for family, positions in begins.items()
                 if self.families[family].is_own
                 and holds_alone(self.families[family], positions, self.order, self.made,
                                 self.users)}
        return {put: chain for put, chain in self.chains.items()
                if self.storage.family(put.inputs[0]) in alone}

    # ---- chains ----------------------------------------------------------------------------------
    def chain(self, put: Node) -> Chain | None:
        """What is done with an item that is put back; None if it is another one, or something else
        is done with it."""
        lst, last, *path = put.inputs
        nodes: list[Node] = []
        row = self.first(last, None, nodes)
        made = self.made.get(row) if row is not None else None
        changes = [self.order.start[node] for node in nodes if node.op in CHANGES]
        if row is None or made is None or made.op != "get" or not changes or (
                [*made.inputs] != [lst, *path]):
            return None
        begins = min(changes)
        if not self.is_read_before(row, begins, nodes[-1]) or any(
                user not in (made, put) and not self.exclude(put, user)
                and not (user is not None and holds_arrays(lst.aval)
                         and self.order.start[user] < begins)
                for user in self.apart_from_lengths(lst)):
            return None
        return Chain(row, nodes, begins)

    def is_read_before(self, row: Value, begins: int, change: Node) -> bool:
        """Are all uses of an item but the one that is a change before any?"""
        if row.aval.kind is Kind.LIST:
            return len(self.apart_from_lengths(row)) == 1
        others = [user for user in self.users[row] if user is not change]
        return len(others) == len(self.users[row]) - 1 and all(
            user is not None and is_read(row, user) and self.order.start[user] < begins
            for user in others)

    def first(self, value: Value, stop: Value | None, nodes: list[Node]) -> Value | None:
        """The item, or ``stop``, that a value is a later content of; ``nodes`` have changed it.
        None where it has any other use."""
        while True:
            node = self.made.get(value)
            if value is not stop and node is not None and node.op == "get":
                popped = value.aval.kind is Kind.LIST and len(self.users[value]) > 1 and any(
                    n.op == "pop" for n in nodes)
                return None if popped else value
            if len(self.apart_from_lengths(value)) != 1 or (
                    len(self.users[value]) > 1 and any(n.op == "pop" for n in nodes)):
                return None
            if value is stop:
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
            elif _copies(node) or node.op in CHANGES:
                value = node.inputs[0]
            else:
                return None

    def exclude(self, one: Node, other: Node | None) -> bool:
        """Do two nodes lie in two arms of a branch?"""
        if other is None:
            return False
        pairs = zip(self.places[one], self.places[other], strict=False)
        apart = next(((a, b) for a, b in pairs if a != b), None)
        return apart is not None and apart[0][0] is apart[1][0] and apart[0][0].op == "if"

    def apart_from_lengths(self, value: Value) -> list[Node | None]:
        """What uses a list otherwise than for its length."""
        return [user for user in self.users.get(value, []) if user is None or (
            user.op != "list_len")]

    # ---- lists -----------------------------------------------------------------------------------
    def keeps(self, node: Node, lst: Value) -> bool:
        """Are the items of a list its own behind a node, as far as it is concerned?"""
        rows = not holds_arrays(lst.aval)
        if node.op == "loop":
            parts = LoopParts(node)
            if lst in parts.sources and not rows:
                self.of(lst).taken += [e for e, s in zip(
                    parts.elements, parts.sources, strict=True) if s is lst]
            return not (rows and lst in parts.sources) and lst not in parts.produced
        if node.op in ("list_len", "if"):
            return True
        if node.op == "list_like":
            return lst in node.inputs or is_adjoint(node)
        if node.op == "list" and not rows and lst in node.outputs:
            self.of(lst).given += [(item, node) for item in node.inputs]
            return True
        if not rows and makes_array(node) and lst not in node.outputs:
            return True
        if lst not in (*node.inputs[:1], *node.outputs[:1]):
            return False
        if node.op == "get":
            self.of(lst).taken += [] if rows or node.out in self.read else [node.out]
            return not rows or node.out in self.read or node.out.aval.kind is not Kind.LIST
        if node.op in ("put", "append", "insert") and (
                node in self.chains or node.inputs[1].aval.kind not in (Kind.LIST, Kind.ARRAY)):
            return True
        if node.op in ("put", "append", "insert") and not rows:
            if lst in node.outputs:
                self.of(lst).given.append((node.inputs[1], node))
            return True
        if node.op in ("put", "append", "insert"):
            made = self.made.get(node.inputs[1])
            return made is not None and made.op in NEW and len(self.users[node.inputs[1]]) == 1
        if node.op == "pop" and not rows:
            self.of(lst).taken.append(node.outputs[1])
        return node.op == "pop" or (node.op == "list_acc" and (not rows or len(node.inputs) > 3))


class _Changed(Changing):
    """Leaves out the copies of chains."""

    def __init__(self, chains: dict[Node, Chain]) -> None:
        super().__init__({copy.out: copy.inputs[0] for chain in chains.values()
                          for copy in chain.nodes if _copies(copy)})
        self.chains = chains

    def node(self, node: Node) -> list[Node]:
        if _copies(node) and node.out in self.replaced:
            return []
        changed = self.within(node)
        return [changed.but(params={**node.params, "in_place": True})
                if node in self.chains else changed]
