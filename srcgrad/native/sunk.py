"""Additions of a cotangent that one arm of a branch makes zero, done in the other arm.

    if taken: d_y = d_x[i]; d_x[i] = 0.0          if taken:
    else: d_y = 0.0                                    d_y = d_x[i]; d_x[i] = 0.0
    d_a[j] += d_y                                      d_a[j] += d_y
    d_b[k] += d_y * w                                  d_b[k] += d_y * w

What does not happen adds nothing: memory is neither read nor written then.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence

import numpy as np

from srcgrad.emit.order import is_adjoint
from srcgrad.graph.ir import Block, Node, Value, free_values, rebuild, walk

_SUMS = {operator.iadd, operator.isub}
_WRITES = frozenset({"write", "acc", "update", "loop"})


def sunk(node: Node, constants: Mapping[Value, object] | None = None) -> Node:
    """A loop in which what adds nothing is not done.  ``constants`` are those from around."""
    if not node.blocks:
        return node
    return node.but(blocks=tuple(_block(b, constants or {}) for b in node.blocks))


def _block(block: Block, around: Mapping[Value, object]) -> Block:
    constants = {**around, **{n.out: n.params["value"] for n in block.nodes if n.op == "const"}}
    nodes = [sunk(n, constants) for n in block.nodes]
    at = 0
    while at < len(nodes):
        node = nodes[at]
        if node.op == "if" and is_adjoint(node):
            for which in (0, 1):
                changed = _Sunk(nodes, at, which, constants, block.outputs).done()
                if changed is not None:
                    nodes = changed
                    break
        at += 1
    return block.but(nodes=tuple(nodes))


class _Sunk:
    """One branch, one of whose arms (``zero``) makes cotangents zero, and what is done with these
    after it: ``moved``; ``sums`` tells what each sum is added to."""

    def __init__(self, nodes: Sequence[Node], at: int, zero: int,
                 constants: Mapping[Value, object], outputs: Sequence[Value]) -> None:
        self.nodes, self.at, self.zero, self.outputs = nodes, at, zero, {*outputs}
        node = nodes[at]
        arm, other = node.blocks[zero], node.blocks[1 - zero]
        inner = {n.out: n.params["value"] for n in arm.nodes if n.op == "const"}
        known = {**constants, **inner}
        self.hidden = {out for out, v, w in zip(node.outputs, arm.outputs, other.outputs,
                                                strict=True)
                       if type(known.get(v)) in (float, np.float64) and known[v] == 0.0
                       and v is not w}
        self.moved: list[int] = []
        self.sums: dict[Value, Value] = {}

    def done(self) -> list[Node] | None:
        """The nodes with the branch at its new place; None if it stays as it is."""
        if not self.hidden or not self.follow() or not self.pays():
            return None
        last = self.moved[-1]
        between = [n for i, n in enumerate(self.nodes[self.at + 1:last], self.at + 1)
                   if i not in self.moved]
        bound = {*self.nodes[self.at].outputs, *self.sums, *self.hidden}
        if any(not bound.isdisjoint(_read(n)) for n in between):
            return None
        return [*self.nodes[:self.at], *between, self.branch(), *self.nodes[last + 1:]]

    def follow(self) -> bool:
        """Does everything that follows from what is hidden vanish with it?"""
        for i, n in enumerate(self.nodes[self.at + 1:], self.at + 1):
            used = [k for k, v in enumerate(n.inputs) if v in self.hidden]
            if n.blocks and not self.hidden.isdisjoint(_read(n)):
                return False
            if used and not self.vanishes(n, used):
                return False
            if used:
                self.moved.append(i)
        return bool(self.moved) and self.hidden.isdisjoint(self.outputs)

    def vanishes(self, node: Node, used: list[int]) -> bool:
        fn = node.params.get("fn")
        if not is_adjoint(node):
            return False
        if node.op == "acc" or (node.op == "update" and fn in _SUMS):
            if used != [1]:
                return False
            self.sums[node.out] = node.inputs[0]
            return True
        if node.op != "apply" or node.params["kwargs"]:
            return False
        if fn in (operator.add, operator.sub) and len(node.inputs) == 2 and used in ([0], [1]):
            self.sums[node.out] = node.inputs[1 - used[0]]
            return fn is operator.add or used == [1]
        self.hidden.add(node.out)
        return fn is operator.neg or (fn is operator.mul and len(used) == 1) or (
            fn is operator.truediv and used == [0] and len(node.inputs) == 2) or (
            fn in (operator.add, operator.sub) and used == [0, 1])

    def pays(self) -> bool:
        """Is a branch there anyway, or much that is not to be done?"""
        blocks = self.nodes[self.at].blocks
        return len(self.sums) > 1 or any(n.op in _WRITES for b in blocks for n in walk(b))

    def branch(self) -> Node:
        node, moved = self.nodes[self.at], [self.nodes[i] for i in self.moved]
        rest = [n for i, n in enumerate(self.nodes) if i != self.at and i not in self.moved]
        read = {v for n in rest for v in _read(n)} | self.outputs
        arms = [{out: b.outputs[k] for k, out in enumerate(node.outputs)} for b in node.blocks]
        does, zero = node.blocks[1 - self.zero], arms[self.zero]
        renamed = dict(arms[1 - self.zero])
        added = rebuild(Block((), tuple(moved), tuple(self.sums)), renamed, fresh=True)
        made = dict(zip(self.sums, added.outputs, strict=True))
        kept = [v for v in (*node.outputs, *self.sums) if v in read]
        for v in self.sums:  # adds nothing
            zero[v] = zero.get(self.sums[v], self.sums[v])
        blocks = {
            self.zero: node.blocks[self.zero].but(outputs=tuple(zero[v] for v in kept)),
            1 - self.zero: does.but(
                nodes=(*does.nodes, *added.nodes),
                outputs=tuple(made.get(v, renamed.get(v, v)) for v in kept))}
        return node.but(outputs=tuple(kept), blocks=(blocks[0], blocks[1]))


def _read(node: Node) -> list[Value]:
    return free_values(Block((), (node,), ()))
