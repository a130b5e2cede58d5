"""Numbers of objects that need not be looked up, and tests of them that always hold.

Objects in a store are numbers.  The list of all objects, in the order in which they were made,
holds 0, 1, 2, ..., so an item of it is its own place.  That a link leads to an object (its number
is not negative) is not tested again where it was tested before.

    ps = []                                         for i in range(n):
    for i in range(n):                                  particle_x.append(0.1 * i)
        ps.append(len(particle_x))          ->      for k in range(len(particle_x)):
        particle_x.append(0.1 * i)                      particle_x[k] *= 2.0
    for p in ps:
        particle_x[p] *= 2.0
"""

from __future__ import annotations

from collections.abc import Sequence

from ..graph.changing import Changing
from ..graph.ir import Block, Graph, Node, Value
from ..graph.walking import uses_of, walk
from ..types.kinds import Kind
from .dead import remove_dead
from .int_facts import IntFacts, tested


def without_lookups(graph: Graph) -> Graph:
    """The graph of a function, not yet differentiated, with such numbers and tests left out.

    >>> from srcgrad.graph.ir import Builder
    >>> from srcgrad.types.kinds import INT
    >>> import operator
    >>> b = Builder()
    >>> x = b.param(INT, "x")
    >>> numbers = b.add("list", (b.const(3, INT),), (INT,)).out
    >>> item = b.add("get", (numbers, x), (INT,)).out
    >>> test = b.apply(operator.ge, (item, 0), {}, INT)
    >>> found = without_lookups(Graph("g", b.block((test,))))
    >>> found.block.nodes[-1].op, found.block.nodes[-1].params
    ('const', {'value': True})
    """
    callees = {name: without_lookups(callee) for name, callee in graph.callees.items()}
    if graph.border is not None or not any(map(_may_go, walk(graph.block))):
        return graph.but(callees=callees) if callees else graph
    found = remove_dead(graph.but(callees=callees, block=_Lookups(graph.block).block(graph.block)),
                        keep_raising=True)
    uses, before = uses_of(found.block), uses_of(graph.block)
    return found.but(block=_without(found.block, {
        node for node in walk(found.block)
        if node.op == "list_len" and before[node.out] and not uses[node.out]}))


def _without(block: Block, left: set[Node]) -> Block:
    """A block without the lengths that were asked for as numbers of objects."""
    return block.but(nodes=tuple([
        node.but(blocks=tuple([_without(b, left) for b in node.blocks])) if node.blocks else node
        for node in block.nodes if node not in left]))


def _may_go(node: Node) -> bool:
    return tested(node) is not None or (node.op == "get" and node.out.aval.kind is Kind.INT)


class _Lookups(Changing):
    def __init__(self, block: Block) -> None:
        super().__init__()
        self.facts = IntFacts(block)
        self.always: set[Value] = set()  # tests that hold

    def block(self, block: Block) -> Block:
        nodes: list[Node] = []
        self.write(block, nodes)
        return block.but(nodes=tuple(nodes), outputs=tuple(map(self.now, block.outputs)))

    def write(self, block: Block, made: list[Node]) -> None:
        """Write the nodes of a block."""
        for place, node in enumerate(block.nodes):
            known = tested(node)
            if known is not None and self.facts.holds(
                    "nonnegative", known, given=self.facts.scope[block]):
                self.always.add(node.out)
                made.append(Node("const", (), node.outputs, {"value": True}, origin=node.origin))
            elif node.op == "if" and node.inputs[0] in self.always:
                self.write(node.blocks[0], made)
                self.replaced.update(zip(node.outputs, node.blocks[0].outputs, strict=True))
            elif node.op == "get" and self.is_own_place(node, block.nodes[place + 1:]):
                self.replaced[node.out] = node.inputs[1]
            else:
                made.append(self.written(node))

    def written(self, node: Node) -> Node:
        """A node that stays, with what is known of it."""
        if node.op == "list_len" and (beside := self.beside(node.inputs[0])):
            node = node.but(inputs=(beside[0],))
        elif node.op == "get" and len(node.inputs) == 2 and (
                self.counts(node.inputs[0], self.now(node.inputs[1]))):
            node = node.but(params={**node.params, "inside": True})
        return self.within(node)

    # ---- lists of all objects ------------------------------------------------------------------
    def is_own_place(self, node: Node, after: Sequence[Node]) -> bool:
        """Is an item of a list its own place, and is there one, or does what follows fail as the
        look-up would?"""
        held, place = node.inputs[0], node.inputs[1]
        if len(node.inputs) != 2 or node.out.aval.kind is not Kind.INT or (
                place.aval.kind is not Kind.INT) or not self.beside(held):
            return False
        return self.counts(held, self.now(place)) or (self.facts.holds("nonnegative", place)
                                            and self.is_looked_up(held, node.out, after))

    def is_looked_up(self, held: Value, number: Value, after: Sequence[Node]) -> bool:
        """Does what follows read an item with this number of a list that is as long?"""
        for node in after:
            if node.op == "get" and node.inputs[1] is number:
                return self.facts.holds("as_long", held, node.inputs[0])
            if node.op not in ("const", "get", "list_len"):
                return False
        return False

    def counts(self, held: Value, place: Value) -> bool:
        """Is a place the index of a loop that goes no farther than a list?"""
        loop = self.facts.counter.get(place)
        if loop is None:
            return False
        start, stop, step = loop.inputs[:3]
        length = self.facts.producer.get(stop)
        return step.aval.expr == 1 and self.facts.holds("nonnegative", start) and (
            (length is not None and length.op == "list_len"
             and self.facts.holds("as_long", held, length.inputs[0]))
            or self.is_filled(held, stop))

    def is_filled(self, held: Value, stop: Value) -> bool:
        """Did a loop up to ``stop`` append an item in each iteration?"""
        facts, first = self.facts, held
        while (first := facts.stripped(first)) in facts.slot:
            loop, slot = facts.slot[first]
            parts = facts.parts[loop]
            init, last = (facts.producer.get(v[slot]) for v in (parts.inits, parts.next))
            if first in loop.outputs and last is not None and last.op == "append":
                return (loop.loop.kind == "for" and not loop.loop.exits and init is not None
                        and init.op == "list" and not init.inputs
                        and last.inputs[0] is parts.carried[slot]
                        and loop.inputs[0].aval.expr == 0 and loop.inputs[2].aval.expr == 1
                        and _same_number(loop.inputs[1], stop)
                        and facts.holds("as_long", held, first))
            first = parts.inits[slot]
        return False

    def beside(self, held: Value) -> list[Value]:
        """The lists that another one numbers the items of; first those that never change again."""
        inside = self.facts.alias.get(held, held)
        found = [v for v in self._grown_with(inside, set())
                 if self.facts.holds("numbering", inside, v)]
        if inside is not held:
            loop, _ = self.facts.slot[inside]  # whose test it is that asks
            carried = self.facts.parts[loop].carried
            found = [loop.blocks[0].params[carried.index(v)] for v in found if v in carried]
        return sorted(found, key=lambda v: v in self.facts.changed)

    def _grown_with(self, held: Value, seen: set[Value]) -> list[Value]:
        """The lists that grow where another one does."""
        facts = self.facts
        node = facts.producer.get(held)
        if held in seen:
            return []
        seen.add(held)
        if held in facts.slot:
            loop, slot = facts.slot[held]
            parts = facts.parts[loop]
            grown = self._grown_with(parts.next[slot], seen)
            return self._handed_on(grown, parts.next, (
                parts.results if held in loop.outputs else parts.carried))
        if node is not None and node.op == "if":
            place = node.outputs.index(held)
            return [v for block in node.blocks for v in self._handed_on(
                self._grown_with(block.outputs[place], seen), block.outputs, node.outputs)]
        if node is None or node.op != "append" or len(node.inputs) != 2:
            return []
        return facts.appended[facts.home[node]]

    def _handed_on(self, grown: list[Value], inside: Sequence[Value],
                   outside: Sequence[Value]) -> list[Value]:
        """What lists are called where a block hands them on."""
        bases = {*map(self.facts.stripped, grown)}
        return [there for here, there in zip(inside, outside, strict=False)
                if here in self.facts.producer and self.facts.stripped(here) in bases]


def _same_number(first: Value, second: Value) -> bool:
    return first is second or (
        first.aval.expr is not None and first.aval.expr == second.aval.expr)
