"""What an expression may not be moved past.

An expression that is evaluated later than program order says must not meet, in between, a
write to memory whose content it reads, nor (for the user's own expressions) anything with an
effect.  Views may pass: their content is read where they are used, in any case.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping

from srcgrad.emit.order import is_mutable
from srcgrad.graph.ir import WRITES, Index, Node, Value
from srcgrad.graph.walking import walk
from srcgrad.types.kinds import Kind

Event = tuple[int, Node | None]
MAX_EVENTS = 64


class Families:
    """Which values may ever share memory: ``family`` maps values to a representative."""

    def __init__(self, family: Mapping[Value, object]) -> None:
        self.family = family

    def may_touch(self, write: Node, value: Value) -> bool:
        """May ``write`` change what ``value`` holds?"""
        if not is_mutable(write.inputs[0].aval):
            return False
        mine = self.family.get(value)
        if mine is None:
            return True
        return any(self.family.get(v, mine) is mine for v in (write.inputs[0], write.outputs[0]))


    def may_give_up(self, call: Node, value: Value) -> bool:
        """May the function that is called change what ``value`` holds, as it is its own?"""
        mine = self.family.get(value)
        return is_mutable(value.aval) and any(
            mine is None or self.family.get(argument, mine) is mine
            for argument, given_up in zip(call.inputs, call.params.get("given_up", ()))
            if given_up)


class Events:
    """The writes, effects and regions of a block by position."""

    def __init__(self, events: list[Event], families: Families,
                 is_backward: Callable[[Node], bool]) -> None:
        self.events, self.is_backward = events, is_backward
        self.positions = [p for p, _ in events]
        self.families = families

    def let_pass(self, node: Node, position: int, target: int, kept: bool) -> bool:
        """May ``node`` be evaluated at ``target`` instead of ``position``?  ``kept`` tells that
        its content at ``position`` counts, even if it is a view."""
        first = bisect_right(self.positions, position)
        last = bisect_right(self.positions, target - 1)
        if last - first > MAX_EVENTS:
            return False
        return all(self.may_pass(node, event, kept) for _, event in self.events[first:last])

    def may_pass(self, node: Node, event: Node | None, kept: bool) -> bool:
        if event is None or event.op == "effect":
            return False
        if event.op == "call":  # no record waits while the next is made
            return not event.params.get("effects") and not (
                node.op == "call" and any(v.aval.kind is Kind.RECORD for v in node.inputs)
            ) and not any(self.families.may_give_up(event, v) for v in node.inputs)
        if event.blocks and not (self.is_backward(node) and self.is_backward(event)):
            return False
        if node.op == "dim":
            return True
        if "choice" in node.params:  # between numbers
            return True
        if node.op == "if" or node.out.aval.kind is Kind.OPAQUE:
            return False
        if not kept and node.op == "read" and is_mutable(node.out.aval) and all(
                isinstance(s, Index) and s.basic for s in node.params["steps"]):
            return True
        writes = [event] if not event.blocks else [
            n for b in event.blocks for n in walk(b) if n.op in WRITES]
        calls = [n for b in event.blocks for n in walk(b) if n.op == "call"]
        content = [v for v in node.inputs if is_mutable(v.aval)]
        return not any(self.families.may_touch(w, v) for w in writes for v in content) and not any(
            self.families.may_give_up(c, v) for c in calls for v in content)
