"""Hazards made explicit: from pure values to writes in place.

In the graph a write makes a new version and leaves the old one alone.  At run time a write
destroys the old version and every view of it.  ``realize`` returns a graph with the same
meaning in which *every* ``write``, ``acc``, ``update`` and list operation may be performed in
place on the variable of its base: whatever is read after its memory was overwritten has been
saved by a ``copy`` node.

* Writes of the user (the base has an object number, the node is not of the adjoint) happen on
  the user's object.  What a later node reads of an older version is copied where that version
  is defined; the user's own reads in between still read the original.
* Writes of the adjoint happen in place where the base is memory of ours that nobody reads
  later; otherwise on a copy.  An addition to a whole value becomes ``a + b`` then.
* Gradients and tangents that are returned own their memory: no argument, constant, saved value,
  seed or other result shares it.

The pass decides nothing about numbers; ``interpret`` gives the same results before and after.
"""

from __future__ import annotations

from srcgrad.emit.carried import own_carried
from srcgrad.emit.events import Families
from srcgrad.emit.facts import facts
from srcgrad.emit.hazards import Hazards
from srcgrad.emit.own_items import with_own_items
from srcgrad.emit.put_back import with_own_rows
from srcgrad.emit.references import by_reference
from srcgrad.emit.rewrite import Rewriter
from srcgrad.emit.sink import sink_zeros
from srcgrad.emit.storage import Storage, depth_of, family_of
from srcgrad.graph.changing import Changing
from srcgrad.graph.ir import WRITES, Graph, Node, Value
from srcgrad.graph.unbound import with_bound_questions
from srcgrad.graph.walking import uses_of, walk
from srcgrad.types.kinds import Kind


def realize(graph: Graph) -> Graph:
    """The graph with hazards resolved by ``copy`` nodes (see the module)."""
    return realized(graph)[0]


def realized(graph: Graph) -> tuple[Graph, Families]:
    """:func:`realize`, and which values may share memory."""
    if graph.border is None and graph.n_primal == len(graph.outputs) and not any(
            n.op in WRITES for n in walk(graph.block)):
        return with_bound_questions(graph), Families({})
    graph, order, storage = own_carried(graph.but(block=sink_zeros(graph.block)))
    alone = _Alone(graph, storage)
    if alone.replaced:
        graph = alone.graph(graph)
        order, storage = facts(graph)
    lists = by_reference(graph, storage)
    if lists is not graph:
        graph, (order, storage) = lists, facts(lists)
    hazards = Hazards(graph, order, storage)
    hazards.block(graph.block)
    hazards.returns(graph)
    graph, changed = with_own_rows(with_bound_questions(Rewriter(hazards).graph(graph)))
    graph, owners = with_own_items(graph)
    merged: dict[object, object] = {}  # lists in whose rows something is written, and the rows

    def whole(family: object) -> object:
        while family in merged:
            family = merged[family]
        return family

    for node in walk(graph.block):
        for level in range(depth_of(node) if node.op in WRITES else 0):
            for row in storage.elements(node.inputs[0], level + 1):
                base, inner = whole(storage.family(node.inputs[0])), whole(family_of(row))
                if inner is not base:
                    merged[inner] = base
    for lst in (*changed, *owners):
        for item in storage.elements(lst):
            base, inner = whole(storage.family(lst)), whole(family_of(item))
            if inner is not base:
                merged[inner] = base
    families = {value: whole(storage.family(value)) for value in storage.roots}
    for node in walk(graph.block):
        if node.op == "copy":
            families.setdefault(node.out, families.get(node.inputs[0]))
    return graph, Families({v: f for v, f in families.items() if f is not None})


class _Alone(Changing):
    """A walk that leaves out copies of memory of ours that nothing else reads."""

    def __init__(self, graph: Graph, storage: Storage) -> None:
        uses, found = uses_of(graph.block), dict[Value, Value]()
        for node in walk(graph.block):
            if node.op == "copy" and node.out.aval.kind is Kind.ARRAY:
                source = node.inputs[0]
                if uses[source] == 1 and (source in found or storage.owned(source)):
                    found[node.out] = found.get(source, source)
        super().__init__(found)

    def node(self, node: Node) -> list[Node]:
        return [] if node.op == "copy" and node.out in self.replaced else [self.within(node)]
