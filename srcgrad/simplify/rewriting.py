"""A walk over the nodes of the adjoint part that replaces values as it goes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from ..graph.broadcasting import never_one
from ..graph.changing import Changing
from ..graph.ir import Block, Builder, Graph, Node, Value, avals_in, uses_of
from ..graph.symbolic import infer_fresh
from ..types.kinds import Aval


class Emit(Builder):
    """The nodes that a pass writes in the place of one, with inferred types."""

    def call(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Value:
        """Append ``fn(*args, **kwargs)`` with one output."""
        return self.apply(fn, args, kwargs, infer_fresh(fn, avals_in(args),
                                                        avals_in(kwargs)).aval)


class Rewriter(Changing):
    """Walks a graph in program order.

    :meth:`visit` sees every node of the backward part (and every node of role ``adjoint``)
    with its inputs already replaced; it returns the values that take the place of the node's
    outputs, having appended to ``emit`` what they need, or None to keep the node.  ``defined``
    tells which node made a value (nodes as they are after replacement), ``uses`` how often a
    value, or what it stands for, was used before the pass, ``home`` the block that a value
    belongs to (None: the outermost).
    """

    sees_again = False  # rewrite what is computed again?  It is to have the bits that were kept

    def __init__(self) -> None:
        super().__init__()
        self.defined: dict[Value, Node] = {}
        self.uses: Counter[Value] = Counter()
        self._emit = Emit()
        self.home: dict[Value, Block | None] = {}
        self.blocks: list[Block | None] = [None]
        self._depths: dict[Block | None, int] = {None: 0}

    def visit(self, node: Node, emit: Emit) -> Sequence[Value] | None:
        raise AssertionError("a pass defines visit")

    def enter(self, block: Block) -> None:
        """A nested block begins."""

    def leave(self) -> None:
        """A nested block ends."""

    def run(self, graph: Graph) -> Graph:
        start = len(graph.block.nodes) if graph.border is None else graph.border
        self.uses = uses_of(graph.block)
        nodes: list[Node] = []
        border = 0
        for i, node in enumerate(graph.block.nodes):
            if i == start:
                border = len(nodes)
            self._node(node, nodes, i >= start)
        if start >= len(graph.block.nodes):
            border = len(nodes)
        outputs = tuple(self.now(v) for v in graph.block.outputs)
        return graph.but(block=graph.block.but(nodes=tuple(nodes), outputs=outputs),
                         border=None if graph.border is None else border)

    def _block(self, block: Block, adjoint: bool) -> Block:
        self.enter(block)
        self._depths[block] = len(self.blocks)
        self.blocks.append(block)
        self.home.update(dict.fromkeys(block.params, block))
        nodes: list[Node] = []
        for node in block.nodes:
            self._node(node, nodes, adjoint)
        self.blocks.pop()
        self.leave()
        return block.but(nodes=tuple(nodes), outputs=tuple([self.now(v) for v in block.outputs]))

    def _node(self, node: Node, nodes: list[Node], adjoint: bool) -> None:
        replaced = self.replaced
        for v in node.inputs:
            if v in replaced:
                node = node.but(inputs=tuple([self.now(v) for v in node.inputs]))
                break
        if node.blocks:
            node = node.but(blocks=tuple([self._block(b, adjoint) for b in node.blocks]))
        again = not self.sees_again and "again" in node.params and node.params["again"]
        if again:
            self.home.update(dict.fromkeys(node.outputs, self.blocks[-1]))
        elif adjoint or (node.origin is not None and node.origin.role == "adjoint"):
            emit = self._emit
            emit.origin = node.origin
            values = self.visit(node, emit)
            if emit.nodes:
                self._emit = Emit()
                for new in emit.nodes:
                    self._define(new)
                nodes.extend(emit.nodes)
            if values is not None:
                for old, value in zip(node.outputs, values, strict=True):
                    if value is not old:
                        self.replaced[old] = value
                        self.uses[value] += self.uses[old]
                        if value.hint is None and value in emit_values(emit):
                            value.hint = old.hint
                return
        if not again:
            self._define(node)
        nodes.append(node)

    def _define(self, node: Node) -> None:
        block, defined = self.blocks[-1], self.defined
        for v in node.outputs:
            defined[v] = node
        if block is not None:
            self.home.update(dict.fromkeys(node.outputs, block))
        self.note(node)

    def note(self, node: Node) -> None:
        """A node was kept or made; forward nodes come by here, too."""

    def depth(self, value: Value) -> int:
        """How many blocks there are around a value."""
        return self._depths[self.home.get(value)]

    def is_beside(self, node: Node, operand: Value) -> bool:
        """Can the results of a node that was seen be used wherever ``operand``, one of its
        inputs, can?  (A backward block sees all values of its forward block.)"""
        return self.home.get(node.outputs[0]) is self.home.get(operand)


def emit_values(emit: Emit) -> set[Value]:
    """The values that the nodes in ``emit`` make."""
    return {v for node in emit.nodes for v in node.outputs}


def same_shape(value: Aval, base: Aval) -> bool:
    """Is a value certainly of the shape of the base that it is added to?  (Sizes that are not 1
    are equal, or the addition raises.)"""
    if value.shape is None or base.shape is None or len(value.shape) != len(base.shape):
        return False
    return all(a == b or (never_one(a) and never_one(b))
               for a, b in zip(value.shape, base.shape))


def call_of(node: Node | None) -> Any:
    """The function of an ``apply`` with one result; None for other nodes."""
    if node is None or node.op != "apply" or node.params.get("many"):
        return None
    return node.params["fn"]
