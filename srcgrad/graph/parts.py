"""The values of a loop node by role (see :class:`~srcgrad.graph.ir.LoopSpec`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..types.spelling import Method
from .ir import Block, Node, Origin, Ref, Value

# The values that belong together, place by place.
_ROLES = {"carried": ("carried", "inits", "next", "results", "tested"), "lasts": ("last", "lasts"),
          "kept": ("produced", "sequences", "stacked"), "consumed": ("elements", "sources")}


class LoopParts:
    """The values of a loop node, by role; with others in their places :meth:`loop` makes another
    loop of them."""

    __slots__ = ("carried", "elements", "index", "inits", "jump", "last", "lasts", "left", "next",
                 "produced", "results", "sequences", "sources", "stacked", "tested", "trips")

    def __init__(self, node: Node) -> None:
        spec, body = node.loop, node.blocks[-1]
        first, jump = spec.first_init, 1 if spec.exits else 0
        self.inits = node.inputs[first:first + spec.n_carried]
        self.sources = node.inputs[first + spec.n_carried:]
        params = body.params
        self.index: Value | None = None
        self.tested: tuple[Value, ...] = ()  # what the test of a ``while`` sees of what is carried
        if spec.kind == "for":
            self.index, params = params[0], params[1:]
        else:
            self.tested = node.blocks[0].params
        self.carried = params[:spec.n_carried]
        self.elements = params[spec.n_carried:]
        self.jump: Value | None = body.outputs[0] if jump else None
        self.left: Value | None = node.outputs[0] if jump else None
        a, b = jump + spec.n_carried, jump + spec.n_carried + spec.n_last
        self.next, self.last, self.produced = (
            body.outputs[jump:a], body.outputs[a:b], body.outputs[b:])
        self.results, self.lasts, self.sequences = (
            node.outputs[jump:a], node.outputs[a:b], node.outputs[b:-1])
        self.trips = node.outputs[-1]
        self.stacked = spec.stacked or (False,) * spec.n_produced

    @property
    def kept(self) -> tuple[tuple[Value, Value, bool], ...]:
        """What an iteration keeps, in which sequence, and whether that is an array."""
        return tuple(zip(self.produced, self.sequences, self.stacked, strict=True))

    # ---- other loops -------------------------------------------------------------------------

    def choose(self, **numbers: Iterable[int]) -> None:
        """Leaves only these numbers of what is ``carried``, left behind (``lasts``), ``kept`` or
        ``consumed``."""
        for role, places in numbers.items():
            chosen = [*places]
            for name in _ROLES[role]:
                values = getattr(self, name)
                setattr(self, name, tuple(values[k] for k in chosen) if values else ())

    def extend(self, **values: Sequence[Iterable[Any]]) -> None:
        """Adds to what is ``carried`` (in the body, at first, next, at last, in a test), left
        behind (in the body, after it), ``kept`` (of an iteration, of all, stacked?) or
        ``consumed`` (of an iteration, of all)."""
        for role, added in values.items():
            for name, more in zip(_ROLES[role], added):
                setattr(self, name, (*getattr(self, name), *more))

    def loop(self, node: Node, *nodes: tuple[Node, ...]) -> Node:
        """The loop with these values, and with these nodes in its blocks."""
        spec = node.loop.but(
            n_carried=len(self.carried), n_last=len(self.lasts), n_produced=len(self.sequences),
            n_consumed=len(self.elements), stacked=self.stacked)
        index = () if self.index is None else (self.index,)
        jump = () if self.jump is None else (self.jump,)
        left = () if self.left is None else (self.left,)
        *tests, body = (block.but(nodes=new) for block, new in zip(
            node.blocks, nodes or [b.nodes for b in node.blocks], strict=True))
        body = body.but(params=(*index, *self.carried, *self.elements),
                        outputs=(*jump, *self.next, *self.last, *self.produced))
        return node.but(
            inputs=(*node.inputs[:spec.first_init], *self.inits, *self.sources),
            outputs=(*left, *self.results, *self.lasts, *self.sequences, self.trips),
            blocks=(*(test.but(params=self.tested) for test in tests), body),
            params={**node.params, "loop": spec})


def popped(stack: Value, item: Value, origin: Origin | None) -> Node:
    """The node that takes the last item of what a loop keeps."""
    return Node("apply", (stack,), (item,), {
        "fn": Method("pop"), "args": (Ref(0),), "kwargs": {}, "stack": True}, (), origin)


def is_popped(node: Node) -> bool:
    return node.op == "apply" and "stack" in node.params


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
            elif is_popped(node):
                self._add(node.out, *(self._content[s] for s in self.of(node.inputs[0])))

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
