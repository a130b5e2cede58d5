"""The values of a loop node by role (see :class:`~srcgrad.graph.ir.LoopSpec`)."""

from __future__ import annotations

from .ir import Block, Node, Value


class LoopParts:
    """The values of a loop node, by role."""

    __slots__ = ("carried", "elements", "index", "inits", "jump", "last", "lasts", "next",
                 "produced", "results", "sequences", "sources", "trips")

    def __init__(self, node: Node) -> None:
        spec, body = node.loop, node.blocks[-1]
        first = spec.first_init
        self.inits = node.inputs[first:first + spec.n_carried]
        self.sources = node.inputs[first + spec.n_carried:]
        params = body.params
        self.index: Value | None = None
        if spec.kind == "for":
            self.index, params = params[0], params[1:]
        self.carried = params[:spec.n_carried]
        self.elements = params[spec.n_carried:]
        self.jump, self.next, self.last, self.produced = _cut(body.outputs, node)
        _, self.results, self.lasts, self.sequences = _cut(node.outputs[:-1], node)
        self.trips = node.outputs[-1]


def _cut(values: tuple[Value, ...], node: Node) -> tuple[Value | None, tuple[Value, ...],
                                                         tuple[Value, ...], tuple[Value, ...]]:
    spec = node.loop
    jump: Value | None = None
    if spec.exits:
        jump, values = values[0], values[1:]
    a, b = spec.n_carried, spec.n_carried + spec.n_last
    return jump, values[:a], values[a:b], values[b:]


class Mirror:
    """``params["mirror"]`` of a backward region in an open graph: the forward region that it
    reverses, named by one of its outputs."""

    __slots__ = ("output",)

    def __init__(self, output: Value) -> None:
        self.output = output


class Origins:
    """Which values of a block hold what a loop produced: a sequence whose type says that it is an
    array may be kept in a list, and its elements may be undefined.

    ``of(value)`` gives the sequences (outputs of loops) that a value may be: itself, handed on
    through branches and loops, or an element of a sequence of sequences.
    """

    def __init__(self, block: Block) -> None:
        self._of: dict[Value, frozenset[Value]] = {}
        self._content: dict[Value, Value] = {}
        self._visit(block)

    def __bool__(self) -> bool:
        """Does any loop of the block keep a sequence?"""
        return bool(self._of)

    def of(self, value: Value) -> frozenset[Value]:
        """The sequences that a value may be; none for other values."""
        return self._of.get(value, frozenset())

    def within(self, value: Value) -> set[Value]:
        """The sequences that a value may be, and those inside of them."""
        found: set[Value] = set()
        if value not in self._of:
            return found
        waiting = list(self.of(value))
        while waiting:
            sequence = waiting.pop()
            if sequence not in found:
                found.add(sequence)
                waiting.extend(self.of(self._content[sequence]))
        return found

    def _add(self, value: Value, *sources: Value) -> None:
        found = self.of(value).union(*map(self.of, sources))
        if found:
            self._of[value] = found

    def _visit(self, block: Block) -> None:
        for node in block.nodes:
            if node.op == "loop":
                self._loop(node)
                continue
            for inner in node.blocks:
                self._visit(inner)
            if node.op == "if":
                for out, *arms in zip(node.outputs, *(b.outputs for b in node.blocks)):
                    self._add(out, *arms)
            elif node.op == "copy":
                self._add(node.out, node.inputs[0])

    def _loop(self, node: Node) -> None:
        parts = LoopParts(node)
        for element, source in zip(parts.elements, parts.sources):
            self._add(element, *(self._content[s] for s in self.of(source)))
        for _ in range(2 if any(self.of(v) for v in parts.inits) else 1):
            for carried, *given in zip(parts.carried, parts.inits, parts.next):
                self._add(carried, *given)
            self._visit(node.blocks[-1])
        for pair in (*zip(parts.results, parts.next), *zip(parts.results, parts.inits),
                     *zip(parts.lasts, parts.last)):
            self._add(*pair)
        for sequence, element in zip(parts.sequences, parts.produced):
            self._of[sequence], self._content[sequence] = frozenset((sequence,)), element
