"""An adjoint loop as part of the loop whose adjoint it is.

Where the backward part of an iteration needs nothing that comes after its forward part, and the
order of iterations does not matter, one loop does both: what it would keep stays in numbers, what
it would compute or read again is there, and it branches once.
"""

from __future__ import annotations

from collections.abc import Sequence

from srcgrad.emit.order import is_adjoint
from srcgrad.graph.dependence import is_independent
from srcgrad.graph.ir import Block, Node, Value
from srcgrad.graph.parts import LoopParts
from srcgrad.graph.walking import free_values, rebuild, walk
from srcgrad.types.kinds import SCALARS, Kind

_MOVABLE = frozenset({"const", "dim", "apply", "read", "alias"})


class Fused:
    """A list of nodes in which adjoint loops have become part of forward loops.  ``border`` is
    where the backward part begins, ``renamed`` what stands for results of loops that are gone,
    ``outputs`` is what is read of the nodes' results after them."""

    def __init__(self, nodes: Sequence[Node], outputs: Sequence[Value], border: int = 0) -> None:
        self.nodes, self.outputs, self.border = [*nodes], set(outputs), border
        self.renamed: dict[Value, Value] = {}
        at = 0
        while at < len(self.nodes):
            node = self.nodes[at]
            if _is_kernels(node) and is_adjoint(node) and self.fuse(at):
                continue
            at += 1
        self.nodes = [_within(n) for n in self.nodes]

    def fuse(self, at: int) -> bool:
        """Makes a loop part of one before it, the last one that it may be part of."""
        loop = self.nodes[at]
        if not is_independent(loop, summed=True):
            return False
        for first in range(at - 1, -1, -1):
            if self.pays(self.nodes[first], loop):
                moved = self.moved(first, at)
                if moved is not None:
                    self.join(first, moved, at)
                    return True
        return False

    def pays(self, first: Node, loop: Node) -> bool:
        """Are the iterations the same, and is something kept, or does the first loop go from one
        iteration to the next, so that there is room beside it, or do both read an array and no
        branch keeps them from being vector instructions?"""
        if not _is_kernels(first) or is_adjoint(first) or first.loop.kind != "for" or (
                first.loop.exits):
            return False
        if first.params.get("late") and any(n.op == "effect" for b in loop.blocks for n in walk(b)):
            return False  # what it raises comes after what the first loop leaves outside
        if any(a is not b and (a.aval.expr is None or a.aval.expr != b.aval.expr)
               for a, b in zip(first.inputs[:3], loop.inputs[:3], strict=True)):
            return False
        parts = LoopParts(first)
        return any(v in parts.sequences for v in LoopParts(loop).sources) or any(
            v.aval.kind in SCALARS for v in parts.carried) or (bool(
            _arrays(first) & _arrays(loop)) and not any(
            n.op in ("if", "effect", "loop") for n in walk(first.blocks[-1])))

    def moved(self, first: int, at: int) -> list[int] | None:
        """What stands between two loops and has to come before the first one; None if that
        cannot be."""
        loop, before = self.nodes[at], self.nodes[first]
        kept = set(LoopParts(before).sequences)
        consumed = {v for v in LoopParts(loop).sources if v in kept}
        needed = {*loop.inputs[:loop.loop.first_init + loop.loop.n_carried]}
        needed |= {v for v in LoopParts(loop).sources if v not in kept}
        for b in loop.blocks:
            needed |= {*free_values(b)}
        if needed & consumed:
            return None
        found: list[int] = []
        for i in range(at - 1, first, -1):
            node = self.nodes[i]
            if needed.isdisjoint(node.outputs):
                continue
            if node.op not in _MOVABLE or node.blocks:
                return None
            needed |= {*node.inputs}
            found.insert(0, i)
        return None if not needed.isdisjoint(before.outputs) else found

    def join(self, first: int, moved: list[int], at: int) -> None:
        before, loop = self.nodes[first], self.nodes[at]
        read = {v for i, n in enumerate(self.nodes) if i != at
                for v in (*n.inputs, *free_values(Block((), (n,), ())))} | self.outputs
        joined = _joined(before, loop, read)
        self.renamed[loop.outputs[-1]] = joined.outputs[-1]
        nodes = [self.nodes[i] for i in moved]
        kept = [(n, i < self.border) for i, n in enumerate(self.nodes)
                if i not in moved and i != at]
        place = next(i for i, (n, _) in enumerate(kept) if n is before)
        self.border = sum(forward for _, forward in kept) + (
            len(nodes) if kept[place][1] else 0)
        rest = [n for n, _ in kept]
        rest[place:place + 1] = [*nodes, joined]
        self.nodes = [*rebuild(Block((), tuple(rest), ()), self.renamed).nodes]


def _within(node: Node) -> Node:
    """A node with the loops in its blocks fused."""
    if not node.blocks:
        return node
    blocks = []
    for b in node.blocks:
        fused = Fused(b.nodes, b.outputs)
        blocks.append(rebuild(b.but(nodes=tuple(fused.nodes)), fused.renamed))
    return node.but(blocks=tuple(blocks))


def turned(node: Node) -> Node:
    """A node with the adjoint loops in it, or itself, running forwards where that changes nothing
    but the order of sums: what runs through memory from its end on does not become vector
    instructions."""
    if not node.blocks:
        return node
    node = node.but(blocks=tuple(
        b.but(nodes=tuple(map(turned, b.nodes))) for b in node.blocks))
    if node.op == "loop" and node.loop.reverse and is_adjoint(node) and is_independent(
            node, summed=True):
        return node.but(params={**node.params, "loop": node.loop.but(reverse=False)})
    return node


def _arrays(loop: Node) -> set[Value]:
    """What a loop reads without having changed it."""
    return {v for v in free_values(loop.blocks[-1]) if v.aval.kind is Kind.ARRAY}


def _is_kernels(node: Node) -> bool:
    return node.op == "loop" and "kernel" in node.params


def _joined(first: Node, loop: Node, read: set[Value]) -> Node:
    """One loop that does in each iteration what one loop does, and then what another does;
    ``read`` are the values that others read."""
    a, b = LoopParts(first), LoopParts(loop)
    assert a.index is not None and b.index is not None
    own = dict(zip(a.sequences, a.produced, strict=True))
    renamed = {b.index: a.index} | {
        e: own[s] for e, s in zip(b.elements, b.sources, strict=True) if s in own}
    following = tuple(renamed.get(v, v) for v in b.next)
    b.choose(consumed=[i for i, s in enumerate(b.sources) if s not in own])
    a.choose(kept=[i for i, v in enumerate(a.sequences) if v in read])
    a.extend(carried=(b.carried, b.inits, following, b.results),
             consumed=(b.elements, b.sources))
    return a.loop(first, (*first.blocks[0].nodes, *rebuild(loop.blocks[0], renamed).nodes))
