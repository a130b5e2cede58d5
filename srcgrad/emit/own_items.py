"""Arrays in lists of cotangents that are added to in place.

    d_bodies[i] = d_bodies[i] + t   ->   d_bodies[i] += t

Arrays in lists may be shared, so as a rule a new one takes the place of the old one.  Where a list
starts as zeros, gets nothing but arrays that nothing else holds, and gives none away that is read
after one may have been added to, its arrays are its own.
"""

from __future__ import annotations

from collections.abc import Mapping

from srcgrad.emit.facts import facts
from srcgrad.emit.order import Order
from srcgrad.emit.storage import Root, family_of
from srcgrad.graph.changing import Changing
from srcgrad.graph.freshness import makes_fresh
from srcgrad.graph.ir import Graph, Node, Value, is_adjoint
from srcgrad.graph.parts import LoopParts
from srcgrad.graph.walking import walk
from srcgrad.types.dataclasses import dataclass, field
from srcgrad.types.kinds import Aval, Kind

STORES = frozenset({"put", "append", "insert"})  # of arrays
# what reads an array as its second input or later
READS = frozenset({"list_acc", "acc", "update", "write", "list_like"})


def with_own_items(graph: Graph) -> tuple[Graph, list[Value]]:
    """The graph with such additions marked, and the lists whose arrays they change."""
    if not any(node.op == "list_acc" and holds_arrays(node.inputs[0].aval)
               for node in walk(graph.block)):
        return graph, []
    additions = _Owners(graph).additions()
    return _Marked(additions).graph(graph), [node.inputs[0] for node in additions]


def holds_arrays(aval: Aval) -> bool:
    return aval.kind is Kind.LIST and aval.elem is not None and aval.elem.kind is Kind.ARRAY and (
        not aval.elem.optional)


@dataclass
class Family:
    """Lists that may be one list: those that it was made as long as (``like``), the arrays that
    were ``taken`` from there, those that were ``given``, and what is added to those there."""

    like: list[Value] = field(default_factory=list)
    taken: list[Value] = field(default_factory=list)
    given: list[tuple[Value, Node]] = field(default_factory=list)
    additions: list[Node] = field(default_factory=list)
    is_own: bool = True


class _Owners:
    """Goes over a graph; ``families`` says what is done with the lists in it."""

    def __init__(self, graph: Graph) -> None:
        self.order, self.storage = facts(graph)
        self.made: dict[Value, Node] = {}
        self.readers: dict[Value, list[Node | None]] = {}  # None: the end of a block
        self.families: dict[Root | None, Family] = {}
        self.dtypes: dict[Root | None, set[object]] = {}  # of arrays that may share memory
        for v in graph.block.params:
            self.of(v).is_own = False
            self.note_dtype(v)
        for node in walk(graph.block):
            for v in (*node.outputs, *(p for inner in node.blocks for p in inner.params)):
                self.note_dtype(v)
            self.made |= dict.fromkeys(node.outputs, node)
            for reader, values in ((node, node.inputs), *(
                    (None, inner.outputs) for inner in node.blocks)):
                for v in values:
                    self.readers.setdefault(v, []).append(reader)
            self.note(node)

    def additions(self) -> set[Node]:
        """The additions that can be done in place."""
        return {node for family in self.families.values()
                if family.additions and family.is_own and self.is_alone(family)
                for node in family.additions}

    def of(self, value: Value) -> Family:
        return self.families.setdefault(self.storage.family(value), Family())

    def note_dtype(self, value: Value) -> None:
        if value.aval.kind is Kind.ARRAY:
            self.dtypes.setdefault(self.storage.family(value), set()).add(value.aval.dtype)

    def note(self, node: Node) -> None:
        """What a node does with lists."""
        values = [*node.inputs, *node.outputs]
        carried: set[Value] = set()
        if node.op == "loop":
            parts = LoopParts(node)
            carried = {*parts.inits, *parts.results, *parts.sources}
            values += [*parts.produced, *parts.last, *parts.elements]
            for element, source in zip(parts.elements, parts.sources, strict=True):
                if holds_arrays(source.aval):
                    self.of(source).taken.append(element)
        for v in dict.fromkeys(values):
            if v.aval.kind is not Kind.LIST:
                continue
            family, is_base = self.of(v), bool(node.inputs) and v is node.inputs[0]
            if not holds_arrays(v.aval) or any(r.collected for r in self.storage.of(v)):
                family.is_own = False
            elif node.op in STORES | {"list_acc", "pop"} and v in (*node.inputs[:1],
                                                                   node.outputs[0]):
                if is_base:
                    self.change(node, family)
            elif node.op == "get" and is_base:
                family.taken.append(node.out)
            elif node.op == "list_like":
                if v in node.outputs:
                    family.is_own &= is_adjoint(node)
                    family.like.append(node.inputs[0])
            elif not (node.op in ("list_len", "if") or v in carried or (
                    makes_array(node) and v not in node.outputs)):
                family.is_own = False

    def change(self, node: Node, family: Family) -> None:
        """What changes a list."""
        if node.op == "pop":
            family.taken.append(node.outputs[1])
        elif node.op in STORES:
            family.given.append((node.inputs[1], node))
        elif len(node.inputs) == 3:
            elem, added = node.inputs[0].aval.elem, node.inputs[1].aval
            if elem is not None and elem.shape is not None and added.kind is Kind.ARRAY and not (
                    added.optional) and (elem.shape, elem.dtype) == (added.shape, added.dtype):
                family.additions.append(node)

    def is_alone(self, family: Family) -> bool:
        """Does nothing but these lists hold the arrays in them, when something is added?"""
        dtype = family.additions[0].inputs[1].aval.dtype
        if any(self.dtypes.get(family_of(root)) != {dtype}
               for v in (*family.like, family.additions[0].inputs[0])
               for root in self.storage.elements(v)) or not all(
                   map(self.storage.elements, family.like)):
            return False  # zeros like items may be of a narrower type
        return holds_alone(family, [self.order.start[node] for node in family.additions],
                           self.order, self.made, self.readers)


def holds_alone(family: Family, positions: list[int], order: Order, made: Mapping[Value, Node],
                readers: Mapping[Value, list[Node | None]]) -> bool:
    """Does nothing but some lists hold the arrays in them, when one changes at some positions?"""
    for array, node in family.given:
        maker = made.get(array)
        if maker is None or not makes_array(maker) or (
                order.loop_around(array, order.start[node]) is not None):
            return False
    return not any(
        any(reader is not node and not is_read(array, reader) for reader in readers.get(array, ()))
        or any(order.defined[array] < position and order.is_live_after(array, position)
               for position in positions)
        for array, node in (*((v, None) for v in family.taken), *family.given))


def is_read(array: Value, reader: Node | None) -> bool:
    """Are only numbers and other arrays made of an array?"""
    if reader is None:
        return False
    if reader.op == "read":
        return not reader.params.get("handle") and not reader.out.aval.is_array
    return reader.op == "dim" or makes_array(reader) or (
        reader.op in READS and reader.inputs[0] is not array)


def makes_array(node: Node) -> bool:
    """Does a node compute a new array or number?"""
    return (node.op == "apply" and len(node.outputs) == 1
            and node.out.aval.kind is not Kind.LIST
            and makes_fresh(node.params["fn"], node.params.get("kwargs") or {}))


class _Marked(Changing):
    def __init__(self, additions: set[Node]) -> None:
        super().__init__()
        self.additions = additions

    def node(self, node: Node) -> list[Node]:
        if node in self.additions:
            return [node.but(params={**node.params, "in_place": True})]
        return [self.within(node)]
