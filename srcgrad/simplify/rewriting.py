"""A walk over the nodes of the adjoint part that replaces values as it goes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from ..graph.broadcasting import never_one
from ..graph.changing import Changing
from ..graph.ir import Block, Builder, Graph, Node, Value, avals_in, is_adjoint
from ..graph.symbolic import infer_fresh
from ..graph.walking import uses_of
from ..types.kinds import Aval


class Emit(Builder):
    """The nodes that a pass writes in the place of one, with inferred types."""

    def call(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Value:
        """Append ``fn(*args, **kwargs)`` with one output."""
        return self.apply(fn, args, kwargs, infer_fresh(fn, avals_in(args),
                                                        avals_in(kwargs)).aval)

    def store(self, like: Node, op: str, *inputs: Value, **params: Any) -> Value:
        """What another store than ``like`` makes in its place; the same steps, if none are given.
        """
        made = self.add(op, inputs, (like.out.aval,), **{"steps": like.params["steps"], **params})
        made.out.hint, made.out.obj = like.out.hint, like.out.obj
        return made.out


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
        self._behind = False  # the border?
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
        self.uses = uses_of(graph.block)
        return self.graph(graph)

    def cross(self) -> None:
        self._behind = True

    def block(self, block: Block) -> Block:
        self.enter(block)
        self._depths[block] = len(self.blocks)
        self.blocks.append(block)
        self.home.update(dict.fromkeys(block.params, block))
        changed = super().block(block)
        self.blocks.pop()
        self.leave()
        return changed

    def node(self, node: Node) -> Sequence[Node]:
        if self.replaced or node.blocks:
            node = self.within(node)
        if "again" in node.params and not self.sees_again and node.params["again"]:
            self.home.update(dict.fromkeys(node.outputs, self.blocks[-1]))
            return [node]
        if not self._behind and not is_adjoint(node):
            self.note(node)
            return (node,)
        emit = self._emit
        emit.origin = node.origin
        values, made = self.visit(node, emit), emit.nodes
        if made:
            self._emit = Emit()
            for new in made:
                self.note(new)
        if values is None:
            self.note(node)
            return [*made, node] if made else (node,)
        for old, value in zip(node.outputs, values, strict=True):
            if value is not old:
                self.replaced[old] = value
                self.uses[value] += self.uses[old]
                if value.hint is None and any(value in new.outputs for new in made):
                    value.hint = old.hint
        return made

    def note(self, node: Node) -> None:
        """A node was kept or made; forward nodes come by here, too."""
        block = self.blocks[-1]
        for v in node.outputs:
            self.defined[v] = node
            if block is not None:
                self.home[v] = block

    def depth(self, value: Value) -> int:
        """How many blocks there are around a value."""
        return self._depths[self.home.get(value)]

    def is_beside(self, node: Node, operand: Value) -> bool:
        """Can the results of a node that was seen be used wherever ``operand``, one of its
        inputs, can?  (A backward block sees all values of its forward block.)"""
        return self.home.get(node.outputs[0]) is self.home.get(operand)


def same_shape(value: Aval, base: Aval) -> bool:
    """Is a value certainly of the shape of the base that it is added to?  (Sizes that are not 1
    are equal, or the addition raises.)"""
    if value.shape is None or base.shape is None or len(value.shape) != len(base.shape):
        return False
    return all(a == b or (never_one(a) and never_one(b))
               for a, b in zip(value.shape, base.shape))


def call_of(node: Node | None) -> Any:
    """The function of an ``apply`` with one result; None for other nodes."""
    if node is None or node.op != "apply":
        return None
    params = node.params
    return params["fn"] if "many" not in params or not params["many"] else None
