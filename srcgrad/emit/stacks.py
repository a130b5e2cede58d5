"""What only some iterations keep lies on a stack.

    if x > 0:                              if x > 0:
        r = math.sqrt(x)                       r = math.sqrt(x)
        r_saved.append(r)                      r_saved.append(r)
    else:                          ->      ...
        r_saved.append(None)               for ...:                 (backward)
    ...                                        if x > 0:
    for ...:            (backward)                 r = r_saved.pop()
        if x > 0:                                  d_x += d_r / (2 * r)
            d_x += d_r / (2 * r_saved[i])

The loop that goes back takes the items in the order opposite to that in which they were kept, if it
takes one in just those iterations in which one was kept.  It does where the branch in which it
reads the item asks what the branch asked that kept it: the same operations on what is known to be
the same in both loops, which is what was kept and what both read from around them.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterable, Iterator

from srcgrad.emit.fold import Folding
from srcgrad.graph.changing import Changing
from srcgrad.graph.equality import key_of
from srcgrad.graph.ir import Block, Graph, Node, Value
from srcgrad.graph.parts import LoopParts, popped
from srcgrad.graph.unbound import is_nothing
from srcgrad.graph.walking import free_values, uses_of
from srcgrad.types.dataclasses import dataclass
from srcgrad.types.kinds import SCALARS, Kind

DEEP = 100  # operations on top of one another that are compared

Chain = frozenset[tuple[Value, bool]]  # what branches around a block ask, and the answers


def on_stacks(graph: Graph, folding: Folding, optional: Collection[Value]) -> Graph:
    """The graph with items taken from stacks in the place of elements that loops go through, where
    ``optional`` are sequences in which some iterations keep nothing."""
    if not optional or not graph.border:
        return graph
    found = _Stacks(graph, folding, optional)
    found.block(graph.block, Facts({}), [])
    return _Taking(found).graph(graph) if found.taken else graph


class Facts:
    """The answers to what the branches around a place ask, and what is found to follow."""

    def __init__(self, answers: dict[Value, bool], chain: Chain = frozenset()) -> None:
        self.answers, self.chain = answers, chain  # those of the branches in the same loop's body
        self.found: dict[Value, Value] = {}

    def also(self, test: Value, answer: bool) -> Facts:
        return Facts({**self.answers, test: answer}, self.chain | {(test, answer)})

    def inside(self) -> Facts:
        """The facts in the body of a loop."""
        return Facts(self.answers)


@dataclass(frozen=True)
class Place:
    """A block of a loop that goes back: the facts of the branches around it, these blocks, and
    what it reads itself."""

    block: Block
    chain: Chain
    around: frozenset[int]
    reads: frozenset[Value]


class _Stacks:
    """Finds the elements that can lie on stacks; ``taken`` gives the nodes with which blocks begin
    then."""

    def __init__(self, graph: Graph, folding: Folding, optional: Collection[Value]) -> None:
        self.folding, self.optional, self.uses = folding, optional, uses_of(graph.block)
        self.taken: dict[int, list[Node]] = {}
        self.elements: set[Value] = set()
        self.kept: dict[Value, Value] = {}  # what an element of a loop that goes back was
        self.alone: set[Value] = set()  # elements that nothing else may be
        self.known: dict[object, Value] = {}

    # ---- what is the same ----------------------------------------------------------------

    def chosen(self, value: Value, facts: Facts, depth: int = 0) -> list[Value]:
        """What a value is where some facts hold, behind what it is by way of."""
        found = [value]
        while True:
            value, node = found[-1], self.folding.producer.get(found[-1])
            if value in self.kept:
                found.append(self.kept[value])
            elif node is None or node.op != "if":
                return found
            else:
                test, answer = self.asked(node, facts, depth)
                if test not in facts.answers:
                    return found
                arm = node.blocks[0 if facts.answers[test] is answer else 1]
                found.append(arm.outputs[node.outputs.index(value)])

    def same(self, value: Value, facts: Facts, depth: int = 0) -> Value:
        """One value for all that are the same number or array where some facts hold."""
        if value not in facts.found:
            facts.found[value] = self._same(value, facts, depth + 1)
        return facts.found[value]

    def _same(self, value: Value, facts: Facts, depth: int) -> Value:
        value = self.chosen(value, facts, depth)[-1]
        node = self.folding.producer.get(value)
        if depth > DEEP or node is None or len(node.outputs) != 1 or not all(
                v.aval.kind in SCALARS or v.aval.kind is Kind.ARRAY
                for v in (value, *node.inputs)):
            return value
        inputs = tuple([self.same(v, facts, depth) for v in node.inputs])
        if node.op in ("copy", "alias"):
            return inputs[0]
        key = key_of(node.but(inputs=inputs)) if node.op != "if" else ("if", *inputs, *(
            self.same(b.outputs[0], facts, depth) for b in node.blocks))
        return value if key is None else self.known.setdefault(key, value)

    def asked(self, branch: Node, facts: Facts, depth: int = 0) -> tuple[Value, bool]:
        """What a branch asks, and the answer with which its first arm is taken."""
        test, answer = self.same(branch.inputs[0], facts, depth), True
        node = self.folding.producer.get(test)
        while node is not None and node.op == "apply" and node.params["fn"] is operator.not_:
            test, answer = self.same(node.inputs[0], facts, depth), not answer
            node = self.folding.producer.get(test)
        return test, answer

    def arms(self, branch: Node, facts: Facts) -> Iterator[tuple[Block, Facts]]:
        """The arms of a branch, and what holds in them."""
        test, answer = self.asked(branch, facts)
        for inner, holds in zip(branch.blocks, (answer, not answer), strict=True):
            yield inner, facts.also(test, holds)

    # ---- where it is kept ----------------------------------------------------------------

    def where(self, value: Value, facts: Facts) -> list[Chain]:
        """The answers with which an iteration keeps something."""
        node = self.folding.producer.get(value)
        if node is not None and is_nothing(node):
            return []
        if node is None or node.op != "if" or self.folding.is_expression(node):
            return [facts.chain]
        place, arms = node.outputs.index(value), [*self.arms(node, facts)]
        found = [self.where(inner.outputs[place], more) for inner, more in arms]
        return [facts.chain] if found == [[more.chain] for _, more in arms] else [
            chain for arm in found for chain in arm]

    # ---- where it is read ----------------------------------------------------------------

    def block(self, block: Block, facts: Facts, places: list[Place],
              around: frozenset[int] = frozenset()) -> None:
        """Goes through a block that is executed once wherever some facts hold."""
        around |= {id(block)}
        reads = {*block.outputs}
        for node in block.nodes:
            reads.update(node.inputs)
            if node.op == "if":
                for inner, more in self.arms(node, facts):
                    self.block(inner, more, places, around)
            elif node.op == "loop":
                reads.update(v for inner in node.blocks for v in free_values(inner))
                if node.loop.kind == "for" and node.loop.reverse and not node.loop.exits:
                    self.back(node, facts)
        places.append(Place(block, facts.chain, around, frozenset(reads)))

    def back(self, loop: Node, facts: Facts) -> None:
        """A loop that goes back over what another has kept."""
        parts, candidates = LoopParts(loop), []
        for element, source in zip(parts.elements, parts.sources, strict=True):
            way = self.chosen(source, facts)
            made = self.folding.producer.get(way[-1])
            if made is not None and made.op == "loop" and not made.loop.reverse:
                before = dict(zip(LoopParts(made).sequences, LoopParts(made).produced))
                if way[-1] in before:
                    self.kept[element] = before[way[-1]]
                    if all(self.uses[v] == 1 and (v in self.alone or v not in self.kept)
                           for v in way):
                        self.alone.add(element)
                        if way[-1] in self.optional:
                            candidates.append((element, source))
        places: list[Place] = []
        self.block(loop.blocks[-1], facts.inside(), places)
        for element, source in candidates:
            kept = self.where(self.kept[element], facts.inside())
            for place in self.take(element, kept, places):
                self.elements.add(element)
                self.taken.setdefault(place, []).append(popped(source, element, loop.origin))

    @staticmethod
    def take(element: Value, kept: Iterable[Chain], places: Iterable[Place]) -> set[int]:
        """The blocks in which an element can be taken, as it is there if they are executed; none
        if it is read elsewhere, too."""
        readers = [p for p in places if element in p.reads]
        found: set[int] = set()
        for chain in kept:
            begin = [p for p in places if p.chain == chain and any(
                id(p.block) in reader.around for reader in readers)]
            outermost = [p for p in begin if not any(
                id(q.block) in p.around for q in begin if q is not p)]
            if len(outermost) != 1:
                return set()
            found.add(id(outermost[0].block))
        return found if all(len(found & p.around) == 1 for p in readers) else set()


class _Taking(Changing):
    """Puts the nodes in their places."""

    def __init__(self, found: _Stacks) -> None:
        super().__init__()
        self.found = found

    def block(self, block: Block) -> Block:
        made = super().block(block)
        return made.but(nodes=(*self.found.taken.get(id(block), ()), *made.nodes))

    def node(self, node: Node) -> list[Node]:
        node = self.within(node)
        if node.op == "loop":
            parts = LoopParts(node)
            left = [k for k, v in enumerate(parts.elements) if v not in self.found.elements]
            if len(left) < len(parts.elements):
                parts.choose(consumed=left)
                node = parts.loop(node)
        return [node]
