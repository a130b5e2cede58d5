"""Additions of a cotangent that is zero, not done.

One arm of a branch may make it zero: what is added is added in the other arm.

    if taken: d_y = d_x[i]; d_x[i] = 0.0          if taken:
    else: d_y = 0.0                                    d_y = d_x[i]; d_x[i] = 0.0
    d_a[j] += d_y                                      d_a[j] += d_y
    d_b[k] += d_y * w                                  d_b[k] += d_y * w

What does not happen adds nothing: memory is neither read nor written then.  Where branches tell
what a cotangent is added to, as they do after a minimum or maximum, few of them reach anything:
``if not d_y == 0.0`` asks, if what it is multiplied with is made of arguments alone.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from srcgrad.emit.order import is_adjoint
from srcgrad.emit.vanishing import Vanishing
from srcgrad.graph.ir import Block, Builder, Graph, Node, Value
from srcgrad.graph.walking import read_by, rebuild, walk
from srcgrad.types.kinds import BOOL, SCALARS, Kind

_WRITES = frozenset({"write", "acc", "update", "loop"})
_PLAIN = frozenset({operator.add, operator.sub, operator.mul, operator.neg})


def sunk(node: Node, arguments: Sequence[Value]) -> Node:
    """A loop of a kernel in which what adds nothing is not done; ``arguments`` are those of the
    graph."""
    return _Sinking(arguments).within(node, {})


def sunk_in_arms(graph: Graph) -> Graph:
    """A graph, and those it calls, in which what one arm of a branch makes zero is not added there.
    """
    block = graph.block
    if any(n.op == "if" and is_adjoint(n) for n in walk(block)):
        block = _Sinking(()).block(block, {})
    return graph.but(block=block, callees={
        name: sunk_in_arms(callee) for name, callee in graph.callees.items()})


class _Sinking:
    """Goes through blocks, the innermost first; ``makers`` tell what numbers are made of."""

    def __init__(self, arguments: Sequence[Value]) -> None:
        self.given = {*arguments}  # nobody asks whether a number is zero if there are none
        self.makers: dict[Value, Node] = {}

    def within(self, node: Node, constants: Mapping[Value, object]) -> Node:
        if not node.blocks:
            return node
        return node.but(blocks=tuple(self.block(b, constants) for b in node.blocks))

    def block(self, block: Block, around: Mapping[Value, object]) -> Block:
        constants = {**around,
                     **{n.out: n.params["value"] for n in block.nodes if n.op == "const"}}
        self.note(block.nodes)
        nodes = [self.within(n, constants) for n in block.nodes]
        at = len(nodes) - 1
        while at >= 0:  # the last one first: it becomes part of those before it
            found = None
            if nodes[at].op == "if" and is_adjoint(nodes[at]):
                changes = (_Sunk(nodes, at, which, constants, block.outputs,
                                 always=not self.given).done() for which in (0, 1))
                found = next((c for c in changes if c is not None), None)
            if found is None:
                at -= 1
            else:
                old = {*nodes}  # what came after the branch is as it was
                at = next(i for i, n in enumerate(found) if n not in old)
                found[at] = self.within(found[at], constants)
                nodes = found
                self.note(nodes[at:at + 1])
        for node in [*nodes] if self.given else ():
            if node.op == "read" and is_adjoint(node) and node in nodes and (
                    node.out.aval.kind in SCALARS and node.out.aval.dtype == np.float64):
                nodes = self.asked(nodes, nodes.index(node), constants, block.outputs) or nodes
        return block.but(nodes=tuple(nodes))

    def note(self, nodes: Sequence[Node]) -> None:
        self.makers.update((v, n) for n in walk(Block((), tuple(nodes), ())) for v in n.outputs)

    def asked(self, nodes: list[Node], at: int, constants: Mapping[Value, object],
              outputs: Sequence[Value]) -> list[Node] | None:
        """The nodes with what follows from a cotangent that was read behind a question."""
        if not any(n.op == "if" for n in walk(Block((), tuple(nodes[at:]), ()))):
            return None
        asked = Builder(nodes[at].origin)
        zero = asked.apply(operator.eq, (nodes[at].out, 0.0), {}, BOOL)  # != is two questions
        asked.add("if", (asked.apply(operator.not_, (zero,), {}, BOOL),), (), (Block(), Block()))
        together = [*nodes[:at + 1], *asked.nodes, *nodes[at + 1:]]
        changes = (_Sunk(together, at + 3, 1, constants, outputs, nodes[at].out, self.is_finite,
                         read=read).done() for read in (nodes[at], None))
        return next((c for c in changes if c is not None), None)

    def is_finite(self, value: Value) -> bool:
        """Is a number made of arguments, by what makes no infinity of what is none?"""
        made = self.makers.get(value)
        if value in self.given or value.aval.kind is Kind.INT or made is None:
            return value in self.given or value.aval.kind is Kind.INT
        if made.op == "read":
            return made.inputs[0] in self.given
        return made.op == "const" or (made.op == "apply" and made.params["fn"] in _PLAIN and (
            all(map(self.is_finite, made.inputs))))


class _Sunk:
    """One branch, one of whose arms (``zero``) makes cotangents zero, or is run where ``asked`` is
    zero, and what is done with these after it: ``moved``."""

    def __init__(self, nodes: Sequence[Node], at: int, zero: int,
                 constants: Mapping[Value, object], outputs: Sequence[Value],
                 asked: Value | None = None,
                 is_finite: Callable[[Value], bool] | None = None,
                 always: bool = False, read: Node | None = None) -> None:
        self.always = always
        self.nodes, self.at, self.zero, self.outputs = nodes, at, zero, {*outputs}
        self.asked, node = asked, nodes[at]
        arm, other = node.blocks[zero], node.blocks[1 - zero]
        inner = {n.out: n.params["value"] for n in arm.nodes if n.op == "const"}
        self.known = Vanishing([] if asked is None else [asked], {**constants, **inner}, is_finite,
                               read)
        self.known.zero |= {out for out, v, w in zip(
            node.outputs, arm.outputs, other.outputs, strict=True)
            if self.known.is_zero(v) and v is not w}
        self.moved: list[int] = []

    def done(self) -> list[Node] | None:
        """The nodes with the branch at its new place; None if it stays as it is."""
        if not self.known.zero or not self.follow() or not self.pays():
            return None
        last = self.moved[-1]
        self.operands(last)
        between = [n for i, n in enumerate(self.nodes[self.at + 1:last], self.at + 1)
                   if i not in self.moved]
        bound = {*self.nodes[self.at].outputs, *(
            v for i in self.moved for v in self.nodes[i].outputs)}
        after: list[Node] = []
        for n in between:
            if not bound.isdisjoint(read_by(n)):
                after.append(n)
                bound.update(n.outputs)
        late = {v for n in after for v in n.outputs}
        if not all(map(is_adjoint, after)) or any(
                not late.isdisjoint(read_by(self.nodes[i])) for i in self.moved):
            return None
        before = [n for i, n in enumerate(self.nodes[:self.at]) if i not in self.moved]
        return [*before, *(n for n in between if n not in after), self.branch(), *after,
                *self.nodes[last + 1:]]

    def operands(self, last: int) -> None:
        """What is computed for what is moved only moves with it."""
        left = {self.known.left(v) for v in self.known.same} | self.outputs
        moved, read, changed = {*self.moved}, set[Value](), set[Value]()  # by what stays
        for i in range(len(self.nodes) - 1, -1, -1):
            n = self.nodes[i]
            if i < last and is_adjoint(n) and n.op in ("apply", "read") and (
                    n.out.aval.kind in SCALARS and n.out not in left and n.out not in read
                    and not (n.op == "read" and n.inputs[0] in changed)):
                moved.add(i)
            if i not in moved:
                read.update(read_by(n))
                if n.op != "read":
                    changed.update(read_by(n))
        self.moved = sorted(moved)

    def follow(self) -> bool:
        """Does everything that follows from what is zero vanish with it?"""
        for i, n in enumerate(self.nodes[self.at + 1:], self.at + 1):
            if self.known.reads(n):
                if not self.known.node(n):
                    return False
                self.moved.append(i)
            elif self.known.follows(n):
                self.moved.append(i)
        made = {v for i in self.moved for v in self.nodes[i].outputs}
        rest = {v for n in self.nodes[self.moved[-1] + 1:] for v in read_by(n)} if made else set()
        return bool(made) and self.known.zero.isdisjoint(self.outputs) and (
            made & (rest | self.outputs) <= {*self.known.same})

    def pays(self) -> bool:
        """Is a branch there anyway, or much that is not to be done?"""
        moved = [self.nodes[i] for i in self.moved]
        if self.always:
            return True
        if self.asked is not None:
            return any(n.op == "if" for n in walk(Block((), tuple(moved), ())))
        sums = [v for n in moved for v in n.outputs if v in self.known.same]
        blocks = self.nodes[self.at].blocks
        return len(sums) > 1 or any(n.op in _WRITES for b in blocks for n in walk(b))

    def branch(self) -> Node:
        node, moved = self.nodes[self.at], [self.nodes[i] for i in self.moved]
        rest = [n for i, n in enumerate(self.nodes) if i != self.at and i not in self.moved]
        read = {v for n in rest for v in read_by(n)} | self.outputs
        arms = [{out: b.outputs[k] for k, out in enumerate(node.outputs)} for b in node.blocks]
        does, zero = node.blocks[1 - self.zero], arms[self.zero]
        renamed = dict(arms[1 - self.zero])
        sums = [v for n in moved for v in n.outputs if v in self.known.same]
        added = rebuild(Block((), tuple(moved), tuple(sums)), renamed, fresh=True)
        made = dict(zip(sums, added.outputs, strict=True))
        kept = [v for v in (*node.outputs, *sums) if v in read]
        for v in sums:  # adds nothing
            zero[v] = zero.get(self.known.left(v), self.known.left(v))
        blocks = {
            self.zero: node.blocks[self.zero].but(outputs=tuple(zero[v] for v in kept)),
            1 - self.zero: does.but(
                nodes=(*does.nodes, *added.nodes),
                outputs=tuple(made.get(v, renamed.get(v, v)) for v in kept))}
        return node.but(outputs=tuple(kept), blocks=(blocks[0], blocks[1]))
