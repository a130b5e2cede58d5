"""Loops whose iterations run at the same time, on the threads of Numba.

An iteration of such a loop reads and writes places of its own only.  What it adds to a number is
kept, and added up in order afterwards: results do not depend on the number of threads, and have
the bits that they have without.  Loops in such a loop run as they are; in others a loop is worth
it where it has loops of its own.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Iterable, Sequence

import numpy as np

from srcgrad.emit.comments import node_of
from srcgrad.emit.literals import Namespace, call, name
from srcgrad.graph.dependence import tied
from srcgrad.graph.ir import Block, Builder, LoopSpec, Node, Value
from srcgrad.graph.parts import LoopParts
from srcgrad.graph.walking import read_by, walk
from srcgrad.native import predicates
from srcgrad.native.facts import Facts
from srcgrad.native.flow import Flow, live_before, names_in
from srcgrad.native.places import Unlowered
from srcgrad.types.dims import range_length
from srcgrad.types.kinds import INT, Kind, array


def in_parallel(nodes: Iterable[Node], facts: Facts, alone: list[tuple[Node, str]],
                within: bool = False) -> list[Node]:
    """Nodes with the loops of kernels marked that run in parallel, each with the sums of what it
    keeps behind it; ``alone`` gets the others, and why; ``within``: of a loop in a kernel."""
    found: list[Node] = []
    for n in nodes:
        held = "kernel" in n.params
        if n.op == "loop" and held and (not within or any(
                m.op == "loop" for b in n.blocks for m in walk(b))):
            marked = _marked(n, facts)
            if not isinstance(marked, str):
                found += marked
                continue
            alone.append((n, marked))
        found.append(n.but(blocks=tuple(
            b.but(nodes=tuple(in_parallel(b.nodes, facts, alone, within or held)))
            for b in n.blocks)) if n.blocks else n)
    return found


def _marked(node: Node, facts: Facts) -> list[Node] | str:
    """A loop that runs in parallel, and the sums behind it, or why there is none."""
    slots, parts = tied(node), LoopParts(node)
    if isinstance(slots, str):
        return slots
    if not all(node.loop.stacked or (False,) * node.loop.n_produced):
        return "what it keeps lies in lists"
    start, stop = (v.aval.expr for v in node.inputs[:2])
    loop = node
    sums: list[Node] = []
    for i in slots[::-1]:
        term, carried = _term(node, i, facts), parts.carried[i]
        if term is None or start is None or stop is None:
            what = carried.hint or "what"
            return f"iterations write or add to the same elements of {what}" if (
                carried.aval.kind is Kind.ARRAY) else f"an iteration needs {what} of the one before"
        kept = Value(array(np.dtype(np.float64), (range_length(start, stop, 1),)), "terms")
        sums.insert(0, _sum(loop, i, term, kept))
        loop = _without(loop, i, term, kept)
    if node.loop.reverse or node.inputs[2].aval.expr != 1:
        return "it does not count upwards by one"
    return [loop.but(params={**loop.params, "parallel": True}), *sums]


def _term(node: Node, slot: int, facts: Facts) -> Node | None:
    """The one addition to a number that a loop carries, if nothing else is done with it."""
    parts, body = LoopParts(node), node.blocks[-1]
    number, following = parts.carried[slot], parts.next[slot]
    readers = [n for n in walk(body) if number in n.inputs or any(
        number in b.outputs for b in n.blocks)]
    if len(readers) != 1 or number in body.outputs:
        return None
    (made,) = readers
    plain = made.inputs[0] is number and len(made.inputs) == 2 and made.inputs[1] is not number
    adds = (made.op == "acc" and not made.params["steps"]) or (
        made.op == "apply" and made.params["fn"] in (operator.add, operator.sub))
    once = body.outputs.count(following) == 1 and not any(
        following in read_by(n) for n in body.nodes)
    if not (plain and adds and once and made in body.nodes and following in made.outputs):
        return None
    term = made.inputs[1]
    known = term.aval.kind in (Kind.SCALAR, Kind.FLOAT) or _is_numpys(
        term, {v: n for n in walk(body) for v in n.outputs}, facts)
    return made if known and term.aval.dtype == np.float64 else None


def _is_numpys(value: Value, makers: dict[Value, Node], facts: Facts) -> bool:
    """Is a number NumPy's where the sizes of a call are not zero?"""
    made = makers.get(value)
    if value.aval.kind is Kind.SCALAR or made is None:
        return value.aval.kind is Kind.SCALAR
    if made.op == "if":
        ends = [b.outputs[made.outputs.index(value)] for b in made.blocks]
        return all(_is_numpys(v, makers, facts) for v in ends)
    if made.op != "loop":
        return made.op == "apply" and any(_is_numpys(v, makers, facts) for v in made.inputs)
    parts = LoopParts(made)
    start, stop, step = (v.aval.expr for v in made.inputs[:3])
    if made.loop.kind != "for" or value not in parts.results or start is None or stop is None or (
            step is None or not _is_numpys(parts.next[parts.results.index(value)], makers, facts)):
        return False
    try:
        facts.positive(range_length(start, stop, step))
    except Unlowered:
        return False
    return True


def _without(node: Node, slot: int, term: Node, kept: Value) -> Node:
    """A loop that keeps the terms of a sum instead of adding them up."""
    parts = LoopParts(node)
    parts.choose(carried=[k for k in range(len(parts.carried)) if k != slot])
    parts.extend(kept=((term.inputs[1],), (kept,), (True,)))
    return parts.loop(node, tuple(n for n in node.blocks[-1].nodes if n is not term))


def _sum(node: Node, slot: int, term: Node, kept: Value) -> Node:
    """The loop that adds up what another one kept."""
    parts = LoopParts(node)
    assert parts.index is not None
    total, element = parts.carried[slot].like(), Value(term.inputs[1].aval)
    builder, number = Builder(term.origin), element
    if element.aval.kind is Kind.FLOAT:  # which it is no longer in an array
        number = builder.apply(float, (element,), {}, element.aval)
    added = term.but(inputs=(total, number), outputs=(parts.next[slot].like(),))
    block = Block((parts.index.like(), total, element), (*builder.nodes, added), (added.out,))
    spec = LoopSpec("for", n_carried=1, n_consumed=1)
    return Node("loop", (*node.inputs[:3], parts.inits[slot], kept),
                (parts.results[slot], Value(INT)), {**node.params, "loop": spec}, (block,),
                term.origin)


# ---- in the text -----------------------------------------------------------------------------


def spread(statements: Sequence[ast.stmt], live: Iterable[str], space: Namespace) -> list[Node]:
    """Writes ``prange`` where a loop was marked and no variable goes from an iteration to another
    or out of the loop; ``live`` are those that are read afterwards.  Returns these loops."""
    found: list[Node] = []
    for i, s in enumerate(statements):
        after = live_before(statements[i + 1:], {*live})
        node = node_of(s)
        if isinstance(s, ast.For) and node is not None and node.params.get("parallel") and (
                isinstance(s.iter, ast.Call) and isinstance(s.target, ast.Name)
                and _is_private(s, after)):
            index, each = s.target, f"each_{s.target.id}"
            while each in after | names_in(s) | names_in(s, ctx=ast.Store):
                each += "_"
            s.iter.func, s.target = name("prange"), ast.Name(each, ast.Store())
            s.body.insert(0, ast.Assign(
                [index], call(space.function(predicates.signed), name(each))))
            found.append(node)
            continue
        if isinstance(s, (ast.For, ast.While)):
            after |= Flow([s]).exposed
        for part in ("body", "orelse"):
            found += spread(getattr(s, part, None) or [], after, space)
    return found


def _is_private(loop: ast.For, live: set[str]) -> bool:
    made = names_in(*loop.body, ctx=ast.Store)
    grows = any(isinstance(n, ast.Attribute) and n.attr == "append" for n in ast.walk(loop))
    return not grows and made.isdisjoint(Flow(loop.body).exposed) and (
        made | names_in(loop.target, ctx=ast.Store)).isdisjoint(live)
