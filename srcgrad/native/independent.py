"""Loops of the backward part that run forwards, as their iterations do not depend on each other.

What runs through memory from its end on is not made vector instructions of.  An iteration of such
a loop reads and writes, of memory that the loop changes, places of its own: along one axis all
accesses lie at the same place, which belongs to this iteration alone.
"""

from __future__ import annotations

from srcgrad.dims import Atom, Dim, Poly, add, multiply, symbols
from srcgrad.emit.order import is_adjoint
from srcgrad.graph.ir import Block, Node, Value, walk
from srcgrad.graph.parts import LoopParts
from srcgrad.kinds import Kind
from srcgrad.native.promote import place_of


def turned(node: Node) -> Node:
    """A node with the loops in it, or itself, running forwards where they may."""
    if not node.blocks:
        return node
    node = node.but(blocks=tuple(
        b.but(nodes=tuple(map(turned, b.nodes))) for b in node.blocks))
    if node.op == "loop" and node.loop.reverse and is_adjoint(node) and (
            node.inputs[2].aval.expr == 1) and is_independent(node):
        return node.but(params={**node.params, "loop": node.loop.but(reverse=False)})
    return node


def is_independent(node: Node) -> bool:
    """May the iterations of a ``for`` loop be run in any order?"""
    spec, parts, body = node.loop, LoopParts(node), node.blocks[-1]
    if spec.kind != "for" or spec.exits or spec.n_last or spec.n_produced:
        return False
    if any(n.op == "effect" for n in walk(body)):
        return False
    assert parts.index is not None
    return all(following is memory or (
        memory.aval.kind is Kind.ARRAY and _is_apart(body, memory, following, parts.index))
        for memory, following in zip(parts.carried, parts.next, strict=True))


def _is_apart(body: Block, memory: Value, following: Value, index: Value) -> bool:
    """Does each iteration read and write places of its own?"""
    found = _Accesses(memory)
    found.block(body)
    if not found.is_plain or following not in found.versions:
        return False
    placed = [place_of(n) for n in found.nodes]
    places = [p for p in placed if p is not None]
    if len(places) != len(placed):
        return False
    inner = _counted(body) - {*symbols(index.aval.expr)}
    return any(len({p[axis] for p in places}) == 1 and _is_own(places[0][axis], index, inner)
               for axis in range(min(map(len, places), default=0)))


def _is_own(place: Dim, index: Value, inner: set[Atom]) -> bool:
    """Is a place another one in each iteration: a multiple of the index, moved?"""
    own = symbols(index.aval.expr)
    if not isinstance(place, Poly) or len(own) != 1 or index.aval.expr != Poly(
            {((own[0], 1),): 1}):
        return False
    times = place.terms.get(((own[0], 1),), 0)
    rest = add(place, multiply(-times, index.aval.expr))
    return times != 0 and inner.isdisjoint(symbols(rest)) and own[0] not in symbols(rest)


def _counted(body: Block) -> set[Atom]:
    """The symbols of integers that an iteration makes."""
    made = [*body.params]
    for n in walk(body):
        made += [*n.outputs, *(p for b in n.blocks for p in b.params)]
    return {a for v in made for d in (v.aval.expr, *(v.aval.shape or ())) for a in symbols(d)
            if a.varying}


class _Accesses:
    """The reads and writes of one memory in a block; ``is_plain``: nothing else is done to it."""

    def __init__(self, memory: Value) -> None:
        self.versions = {memory}
        self.nodes: list[Node] = []
        self.is_plain = True

    def block(self, block: Block) -> None:
        for n in block.nodes:
            self.node(n)

    def node(self, node: Node) -> None:
        used = [i for i, v in enumerate(node.inputs) if v in self.versions]
        if node.op == "loop":
            self.loop(node)
        elif node.op == "if":
            for b in node.blocks:
                self.block(b)
            for i, out in enumerate(node.outputs):
                if any(b.outputs[i] in self.versions for b in node.blocks):
                    self.versions.add(out)
        elif used and node.op in ("read", "write", "acc", "update"):
            self.is_plain &= used == [0] and (
                node.op != "read" or node.out.aval.kind is not Kind.ARRAY)
            self.nodes.append(node)
            if node.op != "read":
                self.versions.add(node.out)
        elif used:
            self.is_plain &= node.op == "dim"

    def loop(self, node: Node) -> None:
        parts = LoopParts(node)
        for init, param, result in zip(parts.inits, parts.carried, parts.results, strict=True):
            if init in self.versions:
                self.versions |= {param, result}
        for b in node.blocks:
            self.block(b)
        self.is_plain &= node.loop.kind == "for" or self.versions.isdisjoint(parts.inits)
        self.is_plain &= not any(v in self.versions for v in (
            *parts.sources, *parts.last, *parts.produced)) and all(
            (param in self.versions) == (following in self.versions)
            for param, following in zip(parts.carried, parts.next, strict=True))
