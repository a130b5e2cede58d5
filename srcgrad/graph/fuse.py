"""An adjoint loop as part of the loop whose adjoint it is.

Where the backward part of an iteration needs nothing that comes after its forward part, and the
order of iterations does not matter, one loop does both: what it would keep stays in numbers, what
it would compute or read again is there, and it branches once.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from ..types.kinds import Kind
from .dependence import is_independent
from .ir import Block, Node, Value, is_adjoint
from .parts import LoopParts
from .walking import free_values, read_by, rebuild

_MOVABLE = frozenset({"const", "dim", "apply", "read", "alias", "get", "list_len"})


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
            if self.is_open(node) and is_adjoint(node) and self.fuse(at):
                continue
            at += 1
        self.nodes = [self.within(n) for n in self.nodes]

    def is_open(self, node: Node) -> bool:
        """Is this a loop that may become part of another, or get another?"""
        return node.op == "loop" and node.loop.kind == "for" and not node.loop.exits

    def fuse(self, at: int) -> bool:
        """Makes a loop part of one before it, the last one that it may be part of."""
        loop = self.nodes[at]
        if not is_independent(loop, summed=True):
            return False
        for first in range(at - 1, -1, -1):
            before = self.nodes[first]
            if self.is_open(before) and not is_adjoint(before) and _same(before, loop) and (
                    self.pays(before, loop)):
                moved = self.moved(first, at)
                if moved is not None:
                    self.join(first, moved, at)
                    return True
        return False

    def pays(self, first: Node, loop: Node) -> bool:
        """Is something kept?"""
        return any(v in LoopParts(first).sequences for v in LoopParts(loop).sources)

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
                for v in read_by(n)} | self.outputs
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

    def within(self, node: Node) -> Node:
        """A node with the loops in its blocks fused."""
        if not node.blocks:
            return node
        blocks = []
        for b in node.blocks:
            fused = type(self)(b.nodes, b.outputs)
            blocks.append(rebuild(b.but(nodes=tuple(fused.nodes)), fused.renamed))
        return node.but(blocks=tuple(blocks))


def _same(first: Node, loop: Node) -> bool:
    """Are the iterations of two loops the same?"""
    return all(a is b or (a.aval.expr is not None and a.aval.expr == b.aval.expr)
               for a, b in zip(first.inputs[:3], loop.inputs[:3], strict=True))


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


def branch_joined(nodes: list[Node], node: Node, movable: Container[str] = _MOVABLE) -> bool:
    """Makes a branch part of the one before it that asks the same, with what it needs."""
    at = next((i for i, n in enumerate(nodes)
               if n.op == "if" and n.inputs[0] is node.inputs[0]), None)
    if at is None:
        return False
    first, needed = nodes[at], {*read_by(node)}
    moved: list[Node] = []
    for n in nodes[:at:-1]:
        if not needed.isdisjoint(n.outputs):
            if n.op not in movable or n.blocks:
                return False
            needed.update(n.inputs)
            moved.insert(0, n)
    between = [n for n in nodes[at + 1:] if n not in moved]
    arrays = {v for v in needed if v.aval.kind is Kind.ARRAY}
    results = {*first.outputs}
    if any(not arrays.isdisjoint(read_by(n)) for n in between) or any(
            not results.isdisjoint(read_by(n)) for n in moved):
        return False
    blocks = []
    for a, b in zip(first.blocks, node.blocks, strict=True):
        ends = dict(zip(first.outputs, a.outputs, strict=True))
        b = rebuild(b, ends)
        blocks.append(Block((), (*a.nodes, *b.nodes), (*a.outputs, *b.outputs)))
    nodes[at:] = [*moved, first.but(outputs=(*first.outputs, *node.outputs),
                                    blocks=tuple(blocks)), *between]
    return True
