"""Branches on what an earlier branch has decided.

A block that may be left tells by a number how: what follows asks for it.  Where the arms of one
branch have set that number, its test is asked instead, and what follows is part of the arm:

    if c:                            if c:
        found, left = True, 1            found = True
    else:                            else:
        left = 0                         found = search()
    if left == 0:              ->
        found = search()

Within an arm, branches on the same test are decided.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any

from ..graph.changing import Changing
from ..graph.ir import Block, Graph, Node, Value
from ..graph.walking import free_values, walk
from ..types.kinds import SCALARS
from .arms import fits, in_common, one_branch
from .dead import remove_dead

Asked = tuple[Value, bool]  # a test, and whether another one holds where it does
_COMPARING = (operator.eq, operator.ne)


def with_known_tests(graph: Graph) -> Graph:
    """The graph of a function, not yet differentiated, with such branches put together.

    >>> from srcgrad.graph.ir import Builder
    >>> from srcgrad.types.kinds import BOOL, INT, FLOAT
    >>> def arm(number):
    ...     b = Builder()
    ...     return b.block((b.const(number, FLOAT if type(number) is float else INT),))
    >>> b = Builder()
    >>> c = b.param(BOOL, "c")
    >>> left = b.add("if", (c,), (INT,), blocks=(arm(1), arm(0))).out
    >>> test = b.apply(operator.eq, (left, 0), {}, BOOL)
    >>> found = b.add("if", (test,), (FLOAT,), blocks=(arm(2.0), arm(3.0))).out
    >>> [n.op for n in with_known_tests(Graph("g", b.block((found,)))).block.nodes]
    ['if']
    """
    callees = {name: with_known_tests(callee) for name, callee in graph.callees.items()}
    if not any(n.op == "if" for n in walk(graph.block)) or graph.border is not None or any(
            "mirror" in n.params for n in walk(graph.block)):
        return graph.but(callees=callees) if callees else graph
    block = _Known().block(graph.block)
    if block is graph.block:
        return graph.but(callees=callees) if callees else graph
    return remove_dead(graph.but(callees=callees, block=block), keep_raising=True)


class _Known(Changing):
    def __init__(self) -> None:
        super().__init__()
        self.answers: dict[Value, bool] = {}  # in the arms around
        self.asks: dict[Value, Asked] = {}  # what tests come down to
        self.jumps: set[Value] = set()  # tests of what a branch has set
        self.constants: dict[Value, Any] = {}
        self.chosen: dict[Value, tuple[Asked, Any, Any]] = {}  # constants that branches choose from

    def nodes(self, nodes: Iterable[Node]) -> list[Node]:
        made: list[Node] = []
        for node in nodes:
            if not self.replaced.keys().isdisjoint(node.inputs):
                node = node.but(inputs=tuple(map(self.now, node.inputs)))
            if node.op == "if":
                self.branch(node, made)
            else:
                made.append(self.within(node))
                self.note(made[-1])
        return made

    def note(self, node: Node) -> None:
        """Notes constants, and what a test comes down to."""
        if node.op == "const":
            self.constants[node.out] = node.params["value"]
        if node.op != "apply" or not node.inputs:
            return
        fn, operand = node.params["fn"], node.inputs[0]
        if fn is operator.not_:
            test, holds = self.asked(operand)
            self.asks[node.out] = test, not holds
            if operand in self.jumps:
                self.jumps.add(node.out)
        elif fn in _COMPARING and operand in self.chosen and node.operands[0] is operand:
            (test, holds), *numbers = self.chosen[operand]
            other = node.operands[1]
            other = self.constants.get(other) if isinstance(other, Value) else other
            first, second = (fn(number, other) for number in numbers)
            if type(other) is int and first is not second:
                self.asks[node.out] = test, holds is first
                self.jumps.add(node.out)

    def asked(self, test: Value) -> Asked:
        return self.asks.get(test, (test, True))

    # ---- branches ------------------------------------------------------------------------

    def branch(self, node: Node, made: list[Node]) -> None:
        """Writes a branch."""
        (test, holds), outputs = self.asked(node.inputs[0]), node.outputs
        answer = self.answers.get(test, self.constants.get(test))
        if type(answer) is bool:
            arm = node.blocks[0 if answer is holds else 1]
            if all(map(fits, outputs, arm.outputs)):
                made += self.nodes(arm.nodes)
                self.replaced.update(zip(outputs, map(self.now, arm.outputs), strict=True))
                return
        before = self.before(node, made)
        if before is None:
            node = node.but(blocks=tuple([
                self.arm(inner, test, holds is first)
                for inner, first in zip(node.blocks, (True, False), strict=True)]))
            begun, node, decided = in_common(node)
            self.replaced.update(decided)
            made += begun
            joined = one_branch(node)
            if joined is not None:
                node, (test, holds) = joined[-1], (joined[-1].inputs[0], True)
                made += joined[:-1]
            if node.outputs or any(b.nodes for b in node.blocks):
                made.append(node)
        else:
            holds = self.asked(before.inputs[0])[1]
            blocks = []
            for k, first in enumerate(before.blocks):
                same = holds is self.asked(node.inputs[0])[1]
                known = dict(zip(before.outputs, first.outputs, strict=True))
                self.replaced.update(known)
                inner = self.arm(node.blocks[k if same else 1 - k], test, holds is (k == 0),
                                 first.nodes)
                for value in known:
                    del self.replaced[value]
                blocks.append(Block((), inner.nodes, (*first.outputs, *inner.outputs)))
            tests = _of_branch(before, made)
            node = before.but(outputs=(*before.outputs, *outputs), blocks=tuple(blocks))
            made[:] = [*(n for n in made if n is not before and n not in tests), node, *tests]
        for out, *ends in zip(node.outputs, *(b.outputs for b in node.blocks), strict=True):
            if all(type(self.constants.get(v)) is int for v in ends):
                first, second = map(self.constants.__getitem__, ends)
                self.chosen[out] = (test, holds), first, second

    def arm(self, block: Block, test: Value, answer: bool, begun: Sequence[Node] = ()) -> Block:
        """A block where a test has an answer, behind nodes that are written."""
        outside = dict(self.answers)
        if test.aval.kind in SCALARS:
            self.answers[test] = answer
        made = self.block(block)
        self.answers = outside
        return made.but(nodes=(*begun, *made.nodes))

    def before(self, node: Node, made: list[Node]) -> Node | None:
        """The branch just before, if what it has set is what this one asks for."""
        if node.inputs[0] not in self.jumps:
            return None
        before = next((n for n in reversed(made) if n.op == "if" or not (
            n.op == "const" or (n.outputs and n.out in self.asks))), None)
        if before is None or before.op != "if" or (
                self.asked(before.inputs[0])[0] is not self.asked(node.inputs[0])[0]):
            return None
        read = {v for inner in node.blocks for v in (*free_values(inner), *inner.outputs)}
        return before if read.isdisjoint(n.out for n in _of_branch(before, made)) and all(
            fits(out, end) for inner in before.blocks
            for out, end in zip(before.outputs, inner.outputs, strict=True) if out in read
        ) else None


def _of_branch(before: Node, made: Sequence[Node]) -> list[Node]:
    """The tests, behind a branch, of what it has set."""
    found, values = [], set(before.outputs)
    for node in made[made.index(before) + 1:]:
        if not values.isdisjoint(node.inputs):
            found.append(node)
            values.update(node.outputs)
    return found
