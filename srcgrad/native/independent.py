"""Which iterations of a loop may be run in any order, and loops that run forwards therefore.

An iteration of such a loop reads and writes, of memory that the loop changes, places of its own
(along one axis all accesses lie at the same place, which belongs to this iteration alone), or it
only adds to memory and numbers: the sums are formed in another order then, which is for adjoints.
What runs through memory from its end on does not become vector instructions.
"""

from __future__ import annotations

import operator

from srcgrad.dims import Atom, Dim, Poly, add, multiply, symbols
from srcgrad.emit.order import is_adjoint
from srcgrad.graph.ir import Block, Node, Value, walk
from srcgrad.graph.parts import LoopParts
from srcgrad.kinds import Kind
from srcgrad.native.promote import place_of

_ADDED = {operator.add: (0, 1), operator.sub: (0,), operator.iadd: (0,), operator.isub: (0,)}


def turned(node: Node) -> Node:
    """A node with the adjoint loops in it, or itself, running forwards where that changes no bit.
    """
    if not node.blocks:
        return node
    node = node.but(blocks=tuple(
        b.but(nodes=tuple(map(turned, b.nodes))) for b in node.blocks))
    if node.op == "loop" and node.loop.reverse and is_adjoint(node) and (
            node.inputs[2].aval.expr == 1) and is_independent(node):
        return node.but(params={**node.params, "loop": node.loop.but(reverse=False)})
    return node


def is_independent(node: Node, summed: bool = False) -> bool:
    """May the iterations of a ``for`` loop be run in any order (``summed``: but for the bits of
    sums)?"""
    spec, parts, body = node.loop, LoopParts(node), node.blocks[-1]
    if spec.kind != "for" or spec.exits or spec.n_last or spec.n_produced:
        return False
    if any(n.op == "effect" for n in walk(body)):
        return False
    assert parts.index is not None
    return all(following is memory or _is_apart(body, memory, following, parts.index) or (
        summed and _is_sum(body, memory, following))
        for memory, following in zip(parts.carried, parts.next, strict=True))


def _is_sum(body: Block, memory: Value, following: Value) -> bool:
    """Does a loop only add to what it carries?"""
    found = _Accesses(memory)
    found.block(body)
    return found.is_plain and following in found.versions and all(
        n.op == "acc" or n.params.get("fn") in _ADDED for n in found.nodes)


def _is_apart(body: Block, memory: Value, following: Value, index: Value) -> bool:
    """Does each iteration read and write places of its own?"""
    found = _Accesses(memory)
    found.block(body)
    if memory.aval.kind is not Kind.ARRAY or not found.is_plain or (
            following not in found.versions):
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
    """What is done to one memory, or to a number that stands for a sum, in a block; ``is_plain``:
    elements are read, written and added to, and numbers are added to, but nothing else."""

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
            self.is_plain &= not used  # no predicate
            for b in node.blocks:
                self.block(b)
            for i, out in enumerate(node.outputs):
                if any(b.outputs[i] in self.versions for b in node.blocks):
                    self.versions.add(out)
                    self.is_plain &= all(b.outputs[i] in self.versions for b in node.blocks)
        elif used and node.op in ("read", "write", "acc", "update"):
            self.is_plain &= used == [0] and (
                node.op != "read" or node.out.aval.kind is not Kind.ARRAY)
            self.nodes.append(node)
            if node.op != "read":
                self.versions.add(node.out)
        elif used and node.op == "apply" and node.inputs[used[0]].aval.kind is not Kind.ARRAY:
            self.is_plain &= len(used) == 1 and any(
                node.params["fn"] is fn and used[0] in at for fn, at in _ADDED.items())
            self.nodes.append(node)
            self.versions.add(node.out)
        elif used:
            self.is_plain &= node.op == "dim"

    def loop(self, node: Node) -> None:
        parts = LoopParts(node)
        for init, param, result in zip(parts.inits, parts.carried, parts.results, strict=True):
            if init in self.versions:
                self.versions |= {param, result}
        self.is_plain &= node.loop.kind == "for" or self.versions.isdisjoint(parts.inits)
        for b in node.blocks:
            self.block(b)
        self.is_plain &= self.versions.isdisjoint(
            (*node.inputs[:node.loop.first_init], *parts.sources, *parts.last, *parts.produced)
        ) and all((param in self.versions) == (following in self.versions)
                  for param, following in zip(parts.carried, parts.next, strict=True))
