"""Elements that a loop adds to in each iteration stay in a number while it runs.

``d[i, k] -= …`` in a loop over ``j`` becomes a number that is read before the loop and written
after it, where every other access of the loop to that memory provably goes elsewhere.  The order
of additions stays.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcgrad.emit.order import is_adjoint
from srcgrad.graph.dependence import are_apart, place_of
from srcgrad.graph.ir import Block, Index, Node, Ref, Value
from srcgrad.graph.parts import LoopParts
from srcgrad.graph.raising import may_lie_outside
from srcgrad.graph.walking import defined_in, rebuild, walk
from srcgrad.native.facts import Facts
from srcgrad.types.kinds import SCALARS, Kind, scalar

_FLOAT = scalar(np.float64)
_INTEGER = frozenset({operator.add, operator.sub, operator.mul})
_CHANGES = {operator.iadd: operator.add, operator.isub: operator.sub}


def promoted(node: Node, facts: Facts) -> Node:
    """A loop in which what inner loops add to one element is carried as a number."""
    return node.but(blocks=tuple(
        b.but(nodes=tuple(m for n in b.nodes for m in _within(n, facts)))
        for b in node.blocks))


def _within(node: Node, facts: Facts) -> list[Node]:
    """What stands before a loop, the loop, and what stands after it."""
    if not node.blocks:
        return [node]
    node = promoted(node, facts)
    if node.op != "loop" or node.loop.kind != "for" or any(
            n.op == "loop" or (n.op == "effect" and not is_adjoint(n))
            for n in walk(node.blocks[0])):
        return [node]
    before: list[Node] = []
    after: list[Node] = []
    for slot in range(node.loop.n_carried):
        found = _carried(node, slot, facts)
        if found is not None:
            first, node, last = found
            before += first
            after.append(last)
    return [*before, node, *after]


def _carried(node: Node, slot: int, facts: Facts) -> tuple[list[Node], Node, Node] | None:
    """The loop with one element of carried memory as a number, if it adds to one alone."""
    parts, body = LoopParts(node), node.blocks[0]
    memory = parts.carried[slot]
    if memory.aval.kind is not Kind.ARRAY or memory.aval.dtype != np.float64:
        return None
    local = defined_in(body)
    versions, accesses = _accesses(body, memory)
    if accesses is None or parts.next[slot] not in versions:
        return None
    makers = {n.out: n for n in body.nodes if n.op in ("const", "dim") or (
        n.op == "apply" and n.params["fn"] in _INTEGER)}
    sums = [n for n in accesses if _is_sum(n) and all(
        _steady(v, local, makers) is not None for v in n.inputs[2:]) and is_inside(n, facts)]
    if not sums:
        return None
    place = place_of(sums[0])
    if None in place:
        return None
    for n in accesses:
        other = place_of(n)
        if None in other or (other == place and n not in sums and not (
                n.op == "read" and n in body.nodes)):
            return None
        if other != place and not are_apart(other, place):
            return None
    chosen = [n for n in sums if place_of(n) == place]
    if not all(n in body.nodes for n in chosen):
        return None
    reads = [n for n in accesses if n.op == "read" and place_of(n) == place]
    indices = [m for v in chosen[0].inputs[2:] for m in _steady(v, local, makers) or ()]
    moved = Block((), tuple(dict.fromkeys(indices)), chosen[0].inputs[2:])
    moved = rebuild(moved, {}, fresh=True)
    first, loop, last = _rewritten(node, slot, chosen, reads, moved.outputs)
    return [*moved.nodes, first], loop, last


def _steady(index: Value, local: set[Value], makers: dict[Value, Node]) -> list[Node] | None:
    """What makes an index that is the same in all iterations; None if it may not be."""
    if index not in local:
        return []
    if index not in makers:
        return None
    parts = [_steady(v, local, makers) for v in makers[index].inputs]
    return None if None in parts else [*(n for p in parts for n in p or ()), makers[index]]


def _accesses(body: Block, memory: Value) -> tuple[set[Value], list[Node] | None]:
    """The versions of memory in a body, and the reads and writes of them; None if something else
    is done with it."""
    versions, found = {memory}, []
    for n in walk(body):
        used = [i for i, v in enumerate(n.inputs) if v in versions]
        if used and (used != [0] or n.op not in ("read", "write", "acc", "update")):
            if n.op == "dim":
                continue
            return versions, None
        if used:
            found.append(n)
            if n.op != "read":
                if n not in body.nodes:
                    return versions, None
                versions.add(n.out)
        if any(v in versions for b in n.blocks for v in b.outputs):
            return versions, None
    return versions, found


def _is_sum(node: Node) -> bool:
    """Is a number added to an element?"""
    if node.op != "acc" and (node.op != "update" or node.params["fn"] not in _CHANGES):
        return False
    value = node.inputs[1].aval
    return value.kind in SCALARS and value.dtype == np.float64


def _key(node: Node) -> tuple[Any, ...]:
    key = node.params["steps"][0].key
    return key if isinstance(key, tuple) else (key,)


def is_inside(node: Node, facts: Facts) -> bool:
    """Is there no question whether an access lies within its array?"""
    shape = node.inputs[0].aval.shape
    return bool(node.params.get("inside")) or (shape is not None and len(shape) == len(
        _key(node)) and all(
        not may_lie_outside(node, k, size) or (
            isinstance(k, Ref) and facts.below(node.inputs[k.index].aval.expr, size))
        for k, size in zip(_key(node), shape, strict=True)))


def _rewritten(node: Node, slot: int, sums: list[Node], reads: list[Node],
               keys: tuple[Value, ...]) -> tuple[Node, Node, Node]:
    parts, body, origin = LoopParts(node), node.blocks[0], sums[0].origin
    steps = sums[0].params["steps"]
    read = Node("read", (parts.inits[slot], *keys), (Value(_FLOAT),), {
        "steps": _shifted(steps), "inside": True}, (), origin)
    number = Value(_FLOAT)
    current, nodes = number, []
    renamed: dict[Value, Value] = {}
    for n in body.nodes:
        if n in sums:
            fn = operator.add if n.op == "acc" else _CHANGES[n.params["fn"]]
            made = Node("apply", (current, n.inputs[1]), (Value(_FLOAT),), {
                "fn": fn, "args": (Ref(0), Ref(1)), "kwargs": {}, "many": False}, (), n.origin)
            renamed[n.out], current = n.inputs[0], made.out
            nodes.append(made)
        elif n in reads:
            renamed[n.out] = current
        else:
            nodes.append(n)
    inner = rebuild(body.but(nodes=tuple(nodes)), {k: _last(renamed, k) for k in renamed})
    result, total = parts.results[slot], Value(_FLOAT)
    left = result.like()
    parts = LoopParts(node.but(blocks=(inner,), outputs=tuple(
        left if v is result else v for v in node.outputs)))
    parts.extend(carried=((number,), (read.out,), (current,), (total,)))
    loop = parts.loop(node, inner.nodes)
    write = Node("write", (left, total, *keys), (result,), {"steps": steps, "inside": True}, (),
                 origin)
    return read, loop, write


def _shifted(steps: Any) -> Any:
    """The steps of a write as those of a read, whose indices come one place earlier."""
    key = steps[0].key
    moved = tuple(Ref(k.index - 1) if isinstance(k, Ref) else k
                  for k in (key if isinstance(key, tuple) else (key,)))
    return (Index(moved if isinstance(key, tuple) else moved[0]),)


def _last(renamed: dict[Value, Value], value: Value) -> Value:
    while value in renamed:
        value = renamed[value]
    return value
