"""Exchanges of elements that data decide, without branches.

Which way such a branch goes is what a sort finds out, so that processors guess wrong half of the
time.  Both elements are written in any case, where both lie in the array anyway:

    if taken:                             y_j, y_k = y[j], y[k]
        y[j], y[k] = y[k], y[j]           y[j] = y_k if taken else y_j
                                          y[k] = y_j if taken else y_k

The adjoint of an exchange is one.
"""

from __future__ import annotations

from collections.abc import Mapping

from srcgrad.graph.dependence import Place, place_of
from srcgrad.graph.ir import Block, Builder, Node, Value
from srcgrad.graph.walking import rebuild
from srcgrad.native.facts import Facts
from srcgrad.native.promote import is_inside
from srcgrad.types.kinds import SCALARS, Kind

_MADE = frozenset({"const", "apply", "dim"})


def without_branches(node: Node, facts: Facts) -> Node:
    """A loop of a kernel with such branches replaced."""
    if not node.blocks:
        return node
    return node.but(blocks=tuple(_block(b, facts) for b in node.blocks))


def _block(block: Block, facts: Facts) -> Block:
    nodes: list[Node] = []
    renamed: dict[Value, Value] = {}
    known: dict[tuple[Value, Place], Value] = {}  # elements that were read before
    for n in block.nodes:
        n = without_branches(n, facts)
        if n.op == "read" and n.out.aval.kind in SCALARS:
            known[n.inputs[0], place_of(n)] = n.out
        found = _exchanged(n, known, facts) if n.op == "if" and len(n.outputs) == 1 else None
        if found is not None:
            renamed[n.out] = found[-1].out
        nodes += [n] if found is None else found
    return rebuild(block.but(nodes=tuple(nodes)), renamed) if renamed else (
        block.but(nodes=tuple(nodes)))


def _exchanged(node: Node, known: Mapping[tuple[Value, Place], Value],
               facts: Facts) -> list[Node] | None:
    """What does the same without a branch, if it exchanges elements of an array in one arm."""
    arm, other = node.blocks
    (memory,) = other.outputs
    if other.nodes or memory.aval.kind is not Kind.ARRAY:
        return None
    before: list[Node] = []
    held: dict[Place, Value] = {}  # what elements are at first
    renamed: dict[Value, Value] = {}
    writes: list[Node] = []
    for n in arm.nodes:
        if n.op in _MADE and n.out.aval.kind is Kind.INT:
            before.append(n)
        elif n.op == "read" and not writes and n.inputs[0] is memory and (
                n.out.aval.kind in SCALARS and None not in (place := place_of(n))
                and is_inside(n, facts)):
            held[place] = renamed[n.out] = known.get((memory, place), n.out)
            before += [n] if held[place] is n.out else []
        elif n.op == "write" and n.inputs[0] is (writes[-1].out if writes else memory):
            writes.append(n)
        else:
            return None
    places = [place_of(n) for n in writes]
    if len({*places}) < 2 or not held.keys() >= {*places} or not (
            renamed.keys() >= {n.inputs[1] for n in writes}) or (
            arm.outputs != (writes[-1].out,)):
        return None
    made = Builder(node.origin)
    made.nodes += before
    for n, place in zip(writes, places, strict=True):
        arms = (Block((), (), (renamed[n.inputs[1]],)), Block((), (), (held[place],)))
        made.origin = n.origin
        chosen = made.add("if", (node.inputs[0],), (n.inputs[1].aval,), arms).out
        made.nodes.append(n.but(inputs=(n.inputs[0], chosen, *n.inputs[2:])))
    return made.nodes
