"""What is certain of ints and of lists of ints, wherever loops and branches lead.

Four facts, each shown for a value from the operation that made it:

* ``nonnegative(v)``: an int is not negative;
* ``items(v)``: no item of a list is;
* ``as_long(v, w)``: two lists have one length;
* ``numbering(v, w)``: they have, and item k of list v is k.

What a loop carries has a fact if its first value has it, and the next one has it wherever the
present one does (induction; of all facts that are asked for the greatest set is found for which
this holds).  In the arm of a branch on ``v >= 0``, and in a loop while that holds, v is known not
to be negative.
"""

from __future__ import annotations

import operator
from collections import defaultdict
from collections.abc import Callable, Hashable

from ..graph.ir import Block, Node, Ref, Value
from ..graph.parts import LoopParts
from ..types.dims import proves_nonnegative
from ..types.kinds import Kind
from .rewriting import call_of

Given = frozenset[Hashable]  # ints that are not negative, as :meth:`IntFacts.named` tells them
Key = tuple[str, *tuple[Value, ...]]
_OF_NONNEGATIVE = (operator.add, operator.mul, operator.floordiv, operator.mod)
MOST_GIVEN = 4  # branches that one proof distinguishes


class IntFacts:
    """The facts of a graph's ints, and of its lists of ints."""

    def __init__(self, block: Block) -> None:
        self.producer: dict[Value, Node] = {}
        self.slot: dict[Value, tuple[Node, int]] = {}  # of what a loop carries, in it and after it
        self.counter: dict[Value, Node] = {}  # of the index of a loop, the loop
        self.scope: dict[Block, Given] = {}
        self.parts: dict[Node, LoopParts] = {}
        self.appended: defaultdict[Block, list[Value]] = defaultdict(list)  # to lists
        self.changed: set[Value] = set()  # lists of which there are later versions
        self.home: dict[Node, Block] = {}
        self.alias: dict[Value, Value] = {}  # of what a test sees, what the body sees
        self._order: dict[Value, int] = {}
        self._assumed: dict[Key, bool] = {}
        self._is_settled = True
        self._found: dict[tuple[Key, Given], bool] = {}
        self._note(block, frozenset())

    # ---- the graph -----------------------------------------------------------------------------
    def _note(self, block: Block, given: Given) -> None:
        self.scope[block] = given
        self._order.update((p, len(self._order)) for p in block.params)
        for node in block.nodes:
            self.producer.update(dict.fromkeys(node.outputs, node))
            self.home[node] = block
            if node.op == "append" and len(node.inputs) == 2:
                self.appended[block].append(node.out)
            if node.op in ("append", "put", "pop", "insert"):
                self.changed.add(node.inputs[0])
            if node.op == "if":
                for inner, more in zip(node.blocks, self._told(node.inputs[0]), strict=True):
                    self._note(inner, given | more)
            elif node.op == "loop":
                self._note_loop(node, given)
            self._order.update((v, len(self._order)) for v in node.outputs)

    def _note_loop(self, node: Node, given: Given) -> None:
        parts = self.parts[node] = LoopParts(node)
        self.changed.update(parts.inits)
        for k, (param, result) in enumerate(zip(parts.carried, parts.results, strict=True)):
            self.slot[param] = self.slot[result] = node, k
        if parts.index is not None:
            self.counter[parts.index] = node
        if node.loop.kind == "while":
            test = node.blocks[0]
            self.alias.update(zip(test.params, parts.carried, strict=False))
            self._note(test, given)
            given = given | self._told(test.outputs[0])[0]
        self._note(node.blocks[-1], given)

    def _told(self, test: Value) -> tuple[Given, Given]:
        """What is given where a test holds, and where it does not."""
        node = self.producer.get(test)
        if call_of(node) is operator.not_ and node is not None and len(node.inputs) == 1:
            told, other = self._told(node.inputs[0])
            return other, told
        found = tested(node)
        return frozenset() if found is None else frozenset([self.named(found)]), frozenset()

    def named(self, value: Value) -> Hashable:
        """A value as its name, which is the same for the same item of a list."""
        value = self.alias.get(value, value)
        node = self.producer.get(value)
        if node is not None and node.op == "get":
            return ("get", *map(self.named, node.inputs))
        return value

    def stripped(self, value: Value) -> Value:
        """A list as it was before items of it were replaced."""
        value = self.alias.get(value, value)
        while (node := self.producer.get(value)) is not None and node.op == "put":
            value = node.inputs[0]
        return value

    # ---- facts ---------------------------------------------------------------------------------
    def holds(self, fact: str, *values: Value, given: Given = frozenset()) -> bool:
        """Is a fact certain, after all that it rests on has been shown?"""
        found = self._holds(fact, *values, given=given)
        while not self._is_settled:
            self._settle()
            found = self._holds(fact, *values, given=given)
        return found

    def _settle(self) -> None:
        """Give up the assumptions that do not hold if all do; more may come meanwhile."""
        self._is_settled = True
        for key in [*self._assumed]:
            if self._assumed[key] and not self._is_kept(key):
                self._assumed[key] = self._is_settled = False
                self._found.clear()

    def _assume(self, fact: str, *values: Value) -> bool:
        if (fact, *values) not in self._assumed:
            self._assumed[fact, *values] = True
            self._is_settled = False
        return self._assumed[fact, *values]

    def _is_kept(self, key: Key) -> bool:
        """Has what a loop carries a fact at first, and then always?"""
        fact, *values = key
        last = max((v for v in values if v in self.slot), key=self._order.__getitem__)
        node, _ = self.slot[last]
        parts, before, inside = self.parts[node], *map(self.scope.__getitem__, (
            self.home[node], node.blocks[-1]))
        first, then = list(values), list(values)
        for i, value in enumerate(values):
            if self.slot.get(value, (None, 0))[0] is node:
                first[i], then[i] = (held[self.slot[value][1]] for held in (
                    parts.inits, parts.next))
        return self._holds(fact, *first, given=before) and self._holds(fact, *then, given=inside)

    def _holds(self, fact: str, *values: Value, given: Given) -> bool:
        key: tuple[Key, Given] = (fact, *values), given
        if key not in self._found:
            values = tuple([self.alias.get(v, v) for v in values])
            self._found[key] = getattr(self, f"_{fact}")(*values, given)
        return self._found[key]

    def _inside(self, value: Value, node: Node) -> Value:
        """What a loop carries, where it begins an iteration."""
        return self.parts[node].carried[self.slot[value][1]]

    def _in_arms(self, fact: str, node: Node, arms: list[list[Value]], given: Given) -> bool:
        return all(self._holds(fact, *values, given=given if len(given) >= MOST_GIVEN else (
            given | self.scope[block])) for values, block in zip(arms, node.blocks, strict=True))

    def _of_one(self, fact: str, value: Value, given: Given) -> bool | None:
        """A fact of what a loop carries or a branch gives; None for other values."""
        node = self.producer.get(value)
        if value in self.slot:
            return self._assume(fact, self._inside(value, self.slot[value][0]))
        if node is not None and node.op == "if":
            place = node.outputs.index(value)
            return self._in_arms(fact, node, [[b.outputs[place]] for b in node.blocks], given)
        return None

    def _nonnegative(self, value: Value, given: Given) -> bool:
        if self.named(value) in given:
            return True
        if value.aval.expr is not None and proves_nonnegative(value.aval.expr):
            return True
        found = self._of_one("nonnegative", value, given)
        node = self.producer.get(value)
        if found is not None or node is None:
            return bool(found)
        if node.op == "const":
            number = node.params["value"]
            return type(number) is int and number >= 0
        if node.op == "get" and len(node.inputs) == 2:
            return self._holds("items", node.inputs[0], given=given)
        operands = [] if node.op != "apply" else node.params["args"]
        if call_of(node) is operator.mod:
            operands = operands[1:]
        return node.op == "list_len" or (
            call_of(node) in _OF_NONNEGATIVE and value.aval.kind is Kind.INT and all(
                self._holds("nonnegative", node.inputs[a.index], given=given)
                if type(a) is Ref else type(a) is int and a >= 0 for a in operands))

    def _items(self, value: Value, given: Given) -> bool:
        found = self._of_one("items", value, given)
        node = self.producer.get(value)
        if found is not None or node is None:
            return bool(found)
        if node.op == "list":
            return all(self._holds("nonnegative", v, given=given) for v in node.inputs)
        return node.op in ("append", "put") and len(node.inputs) == 2 + (node.op == "put") and (
            self._holds("items", node.inputs[0], given=given)
            and self._holds("nonnegative", node.inputs[1], given=given))

    def _as_long(self, value: Value, beside: Value, given: Given) -> bool:
        value = self.stripped(value)
        return value is self.stripped(beside) or self._of_both(
            "as_long", value, beside, given, lambda items: True, lambda number: True)

    def _numbering(self, value: Value, beside: Value, given: Given) -> bool:
        def is_length(number: Value) -> bool:
            node = self.producer.get(number)
            return node is not None and node.op == "list_len" and self._holds(
                "as_long", node.inputs[0], old, given=given)

        grown = self.producer.get(self.stripped(beside))
        old = beside if grown is None or grown.op != "append" else grown.inputs[0]
        return self._of_both("numbering", value, beside, given, lambda items: all(
            self._is_number(v, k) for k, v in enumerate(items)), is_length)

    def _of_both(self, fact: str, value: Value, beside: Value, given: Given,
                 may_start: Callable[[tuple[Value, ...]], bool],
                 may_follow: Callable[[Value], bool]) -> bool:
        """A fact of two lists of one length, if it holds of the items that the first starts with,
        and of each that is appended to it."""
        both = value, self.stripped(beside)
        later = max(both, key=lambda v: self._order[v])
        node = self.producer.get(later)
        if later in self.slot:
            loop, _ = self.slot[later]
            return self._assume(fact, *(self._inside(v, loop) if self.slot.get(v, (None, 0))[
                0] is loop else v for v in both))
        if node is not None and node.op == "if":
            return self._in_arms(fact, node, [
                [b.outputs[node.outputs.index(v)] if v in node.outputs else v for v in both]
                for b in node.blocks], given)
        first, second = map(self.producer.get, both)
        if first is None or second is None or first.op != second.op:
            return False
        if first.op == "list":
            return len(first.inputs) == len(second.inputs) and may_start(first.inputs)
        return first.op == "append" and len(first.inputs) == len(second.inputs) == 2 and (
            may_follow(first.inputs[1])
            and self._holds(fact, first.inputs[0], second.inputs[0], given=given))

    def _is_number(self, value: Value, number: int) -> bool:
        node = self.producer.get(value)
        return node is not None and node.op == "const" and (
            type(node.params["value"]) is int and node.params["value"] == number)


def tested(node: Node | None) -> Value | None:
    """The int v of a test ``v >= 0``; None for others."""
    if node is None or call_of(node) is not operator.ge or len(node.inputs) != 1:
        return None
    first, second = node.params["args"]
    fits = type(first) is Ref and type(second) is int and second == 0 and (
        node.inputs[0].aval.kind is Kind.INT)
    return node.inputs[0] if fits else None
