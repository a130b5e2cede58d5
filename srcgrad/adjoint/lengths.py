"""What tells how long a list is: the number that it was made with.

Changing items keeps the length, round a loop and in the arms of a branch too, so that neither the
list nor its length need be kept where the number is at hand.
"""

from __future__ import annotations

import operator

from ..graph.ir import Block, Node, Ref, Value
from ..graph.parts import LoopParts
from ..graph.walking import uses_of, walk
from ..types.kinds import Kind

KEEPING = frozenset({"put", "list_acc", "copy"})  # operations after which a list is as long


class Lengths:
    """The lengths of a graph's lists as values of the graph."""

    def __init__(self, block: Block) -> None:
        self._node_of: dict[Value, Node] = {}
        self._inits: dict[Value, tuple[Value, Value]] = {}  # of carried lists: first, next
        self._uses = uses_of(block)
        for node in walk(block):
            self._node_of.update((v, node) for v in node.outputs)
            if node.op == "loop":
                parts = LoopParts(node)
                self._inits.update((p, (init, following)) for p, init, following in zip(
                    parts.carried, parts.inits, parts.next) if p.aval.kind is Kind.LIST)
        self._like: dict[Value, Value] = {}

    def of(self, value: Value) -> Value | int | None:
        """The length of a list: a value that is defined where the list is made first, or a
        number; less than 0 counts as 0.  None if nothing tells."""
        value = self._first(value)
        node = self._node_of.get(value)
        if node is None:
            return None
        if node.op == "list":
            return len(node.inputs)
        if node.op == "loop":
            parts = LoopParts(node)
            return self._trips(node) if value in parts.results and self._grows_by_one(
                *next(filled for filled in zip(parts.results, parts.carried, parts.inits,
                                               parts.next) if filled[0] is value)[1:]) else None
        if node.op == "apply" and node.params["fn"] is operator.mul:
            items, times = node.params["args"]
            if type(items) is list and len(items) == 1 and type(times) is Ref:
                count = node.inputs[times.index]
                return count if count.aval.kind is Kind.INT else None
        return None

    def filled(self, loop: Node) -> dict[int, Node]:
        """The lists that a loop does no more with than to append one item to them in each
        iteration, and that are empty at first: numbers of carried values, with the nodes."""
        parts, found = LoopParts(loop), {}
        for k, (init, param, following) in enumerate(
                zip(parts.inits, parts.carried, parts.next)):
            first, node = self._node_of.get(init), self._node_of.get(following)
            if first is not None and first.op == "list" and not first.inputs and (
                    node is not None and node.op == "append" and len(node.inputs) == 2
                    and node.inputs[0] is param and self._uses[param] == 1
                    and self._uses[following] == 1):
                found[k] = node
        return found

    def _grows_by_one(self, carried: Value, init: Value, following: Value) -> bool:
        """Does each iteration append one item to a list that is empty at first?"""
        node = self._node_of.get(self._first(following))
        return node is not None and node.op == "append" and len(node.inputs) == 2 and (
            self._first(node.inputs[0]) is carried) and self.of(init) == 0

    def _trips(self, loop: Node) -> Value:
        """How often a loop runs: the end of a range from 0 on, if it is one."""
        if loop.loop.kind == "for" and not loop.loop.exits:
            start, stop, step = loop.inputs[:3]
            if self._number(start) == 0 and self._number(step) == 1:
                return stop
        return loop.outputs[-1]

    def _number(self, value: Value) -> object:
        node = self._node_of.get(value)
        return node.params["value"] if node is not None and node.op == "const" else None

    def may_be_negative(self, count: Value) -> bool:
        """May a number that tells a length be less than 0?"""
        node = self._node_of.get(count)
        return node is None or not (
            node.op in ("dim", "list_len") or (node.op == "loop" and count is node.outputs[-1]))

    def _first(self, value: Value) -> Value:
        """The first of the lists that are certainly as long as this one."""
        path = []
        while True:
            before = self._like.get(value) or self._before(value)
            self._like[value] = before
            if before is value:
                break
            path.append(value)
            value = before
        self._like.update(dict.fromkeys(path, value))
        return value

    def _before(self, value: Value) -> Value:
        """An earlier list that is as long; the list itself if none is known."""
        if value in self._inits:
            init, following = self._inits[value]
            self._like[value] = value  # as long as itself, in whatever round
            return init if self._first(following) is value else value
        node = self._node_of.get(value)
        if node is None:
            return value
        if node.op in KEEPING or (node.op == "apply" and _is_as_long(node)):
            return node.inputs[0]
        if node.op == "if":
            place = node.outputs.index(value)
            arms = {self._first(b.outputs[place]) for b in node.blocks}
            return arms.pop() if len(arms) == 1 else value
        if node.op == "loop":
            parts = LoopParts(node)
            for result, param in zip(parts.results, parts.carried):
                if result is value and self._first(param) is not param:
                    return param
        return value


def _is_as_long(node: Node) -> bool:
    """Is the result of a call a list with as many items as the first input, which is one?"""
    if not node.inputs or node.inputs[0].aval.kind is not Kind.LIST:
        return False
    fn, args = node.params["fn"], node.params["args"]
    if fn is operator.getitem:
        return isinstance(args[1], slice) and args[1].start is args[1].stop is None and (
            args[1].step in (None, 1, -1))
    return fn in (list, sorted) and args[:1] == (Ref(0),) and (
        node.outputs[0].aval.kind is Kind.LIST)
