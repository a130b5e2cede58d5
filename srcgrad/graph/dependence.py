"""The one test of dependence: which places accesses touch, and which iterations of a loop may be
run in any order.

An iteration of such a loop reads and writes, of memory that the loop changes, places of its own
(along one axis all accesses lie at the same place, which belongs to this iteration alone), or it
only adds to memory and numbers: the sums are formed in another order then, which is for adjoints.
"""

from __future__ import annotations

import operator

from ..types.dims import (
    Atom,
    Dim,
    Poly,
    add,
    multiply,
    proves_nonnegative,
    proves_positive,
    symbols,
)
from ..types.kinds import SCALARS, Kind
from .ir import Block, Index, Node, Ref, Value
from .parts import LoopParts
from .walking import walk

Place = tuple[Dim | None, ...]  # an index for each axis; None where it is not one known number
_ADDED = {operator.add: (0, 1), operator.sub: (0,), operator.iadd: (0,), operator.isub: (0,)}


def place_of(node: Node) -> Place:
    """The indices of a read or write, by their formulas."""
    steps, rank = node.params["steps"], len(node.inputs[0].aval.shape or ())
    found: list[Dim | None] = []
    if len(steps) == 1 and isinstance(steps[0], Index):
        key = steps[0].key
        for k in key if isinstance(key, tuple) else (key,):
            aval = node.inputs[k.index].aval if isinstance(k, Ref) else None
            if not (isinstance(k, slice) or type(k) is int or (
                    aval is not None and aval.kind in SCALARS and aval.kind is not Kind.BOOL)):
                break  # it may be of several axes, or of none
            place = aval.expr if aval is not None else None if isinstance(k, slice) else k
            found.append(place if place is not None and proves_nonnegative(place) else None)
    return (*found, *(None,) * (rank - len(found)))


def are_apart(a: Place, b: Place) -> bool:
    """Do two places of one array differ for sure?"""
    gaps = [add(x, multiply(-1, y)) for x, y in zip(a, b, strict=True)
            if x is not None and y is not None]
    return any(proves_positive(g) or proves_positive(multiply(-1, g)) for g in gaps)


def is_independent(node: Node, summed: bool = False) -> bool:
    """May the iterations of a ``for`` loop be run in any order (``summed``: but for the bits of
    sums)?"""
    slots, parts, body = tied(node), LoopParts(node), node.blocks[-1]
    return not isinstance(slots, str) and not node.loop.n_produced and all(
        summed and _is_sum(body, parts.carried[i], parts.next[i]) for i in slots)


def tied(node: Node) -> list[int] | str:
    """Which of what a loop carries goes from one iteration to the next: all else are places of
    their own; or what else orders the iterations."""
    spec, parts, body = node.loop, LoopParts(node), node.blocks[-1]
    if spec.kind != "for":
        return "only a run knows how many iterations there are"
    if spec.exits:
        return "an iteration may be the last"
    if spec.n_last:
        return "what the last iteration leaves is read"
    if any(n.op == "effect" for n in walk(body)):
        return "an iteration may raise"
    assert parts.index is not None
    return [i for i, (memory, following) in enumerate(zip(parts.carried, parts.next, strict=True))
            if following is not memory and not _is_apart(body, memory, following, parts.index)]


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
    places = [place_of(n) for n in found.nodes]
    inner = _counted(body) - {*symbols(index.aval.expr)}
    return any(len({p[axis] for p in places}) == 1 and _is_own(places[0][axis], index, inner)
               for axis in range(min(map(len, places), default=0)))


def _is_own(place: Dim | None, index: Value, inner: set[Atom]) -> bool:
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
