"""What loops keep of arrays that nobody overwrites: the arrays themselves, in a list.

Rows of one array hold copies.  An array that each iteration makes anew, and that is not written
to, need not be copied; nor does the backward loop make views to read it again.

    lap_saved = np.empty((n, ...))                lap_saved = []
    for i in range(n):                            for i in range(n):
        lap = ...                                     lap = ...
        lap_saved[i] = lap              ->            lap_saved.append(lap)

Of a few numbers an array takes more memory than they do: those stay rows, as long as the copies
take a small share of an iteration.
"""

from __future__ import annotations

from srcgrad.emit.storage import Root, Storage, family_of
from srcgrad.graph.ir import Block, Graph, Node, Value
from srcgrad.graph.parts import LoopParts
from srcgrad.graph.prices import count, iteration
from srcgrad.graph.walking import walk
from srcgrad.types.kinds import Kind, list_of

FEW = 30  # numbers: as much memory as what makes an array of them
COPY = 180.0  # nanoseconds that a row takes longer
SHARE = 0.05  # of an iteration's time for rows
MANY = 8  # rows: more arrays read better as parts of one record


def by_reference(graph: Graph, storage: Storage) -> Graph:
    """The graph with sequences of such arrays as lists (the same graph if there are none)."""
    kept = _Kept(graph, storage).found
    return graph if not kept else graph.but(block=_changed(graph.block, kept))


class _Kept:
    """Finds the sequences: ``found`` has a list for each."""

    def __init__(self, graph: Graph, storage: Storage) -> None:
        self.storage = storage
        self.written = {family_of(root) for root in storage.written}
        self.given = {root for p in graph.block.params for root in storage.of(p)}
        self.found: dict[Value, Value] = {}
        whole = _used_whole(graph)
        for node in walk(graph.block):
            if node.op == "loop" and node.loop.kind == "for" and node.loop.n_produced:
                kept = [(element, sequence) for element, sequence, stacked in LoopParts(node).kept
                        if stacked and sequence not in whole and self.may_be_kept(element)]
                small = {v for v, _ in kept if count(v.aval) <= FEW}
                if len(small) > MANY or len(small) * COPY > SHARE * iteration(node.blocks[-1]):
                    small = set()
                self.found.update((sequence, Value(list_of(v.aval), sequence.hint, sequence.obj))
                                  for v, sequence in kept if v not in small)

    def may_be_kept(self, element: Value) -> bool:
        """Is this all of an array that is never written to, made here or given to us?"""
        if element.aval.kind is not Kind.ARRAY or not element.aval.shape or element.aval.optional:
            return False
        pending = list(self.storage.of(element))
        if not pending or family_of(pending[0]) in self.written or element in self.storage.views:
            return False
        seen: set[Root] = set()
        while pending:
            root = pending.pop()
            if root not in seen:
                seen.add(root)
                if root.allocated is None and not root.alternatives and root not in self.given:
                    return False
                pending += [r for roots in root.alternatives for r in roots]
        return True


def _used_whole(graph: Graph) -> set[Value]:
    """The values that are used otherwise than element by element in a loop."""
    found = set(graph.block.outputs)
    for node in walk(graph.block):
        consumed = node.loop.n_consumed if node.op == "loop" else 0
        found.update(node.inputs[:len(node.inputs) - consumed])
        for block in node.blocks:
            found.update(block.outputs)
    return found


def _changed(block: Block, kept: dict[Value, Value]) -> Block:
    nodes: list[Node] = []
    for node in block.nodes:
        if node.op == "loop" and node.loop.n_produced:
            parts = LoopParts(node)
            parts.stacked = tuple(s and sequence not in kept for _, sequence, s in parts.kept)
            node = parts.loop(node)
        if node.blocks:
            node = node.but(
                inputs=tuple(kept.get(v, v) for v in node.inputs),
                outputs=tuple(kept.get(v, v) for v in node.outputs),
                blocks=tuple(_changed(b, kept) for b in node.blocks))
        nodes.append(node)
    return block.but(nodes=tuple(nodes))
