"""Which values may share memory: classes of values, joined wherever an alias is possible."""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import UnsupportedOperation
from ..graph.ir import STORES, Block, Index, Node, Value
from ..graph.parts import LoopParts
from ..graph.purity import may_probe
from ..graph.symbolic import infer_fresh
from ..rules.marks import stop_gradient
from ..types.kinds import Kind
from .frames import avals_of

_MUTABLE = frozenset({Kind.ARRAY, Kind.ANY, Kind.LIST, Kind.RECORD, Kind.OPAQUE})


class Aliases:
    """A partition of the values of a block: two values of different classes never share memory.

    ``open`` holds the classes of values whose memory code outside may hold on to: what effects
    and calls return.
    """

    def __init__(self, block: Block) -> None:
        self._parent: dict[Value, Value] = {}
        self.foreign: list[Value] = []
        self._visit(block)

    def find(self, value: Value) -> Value:
        """The representative of a value's class."""
        root = value
        while root in self._parent:
            root = self._parent[root]
        while value is not root:
            following = self._parent[value]
            self._parent[value] = root
            value = following
        return root

    def _join(self, *values: Value) -> None:
        shared = [v for v in values if v.aval.kind in _MUTABLE]
        for v in shared[1:]:
            a, b = self.find(shared[0]), self.find(v)
            if a is not b:
                self._parent[b] = a

    def classes(self, values: Iterable[Value]) -> set[Value]:
        return {self.find(v) for v in values}

    def _visit(self, block: Block) -> None:
        for node in block.nodes:
            for inner in node.blocks:
                self._visit(inner)
            self._node(node)

    def _node(self, node: Node) -> None:
        op = node.op
        if op == "apply":
            self._apply(node)
        elif op == "read":
            if all(not isinstance(s, Index) or s.basic for s in node.params["steps"]):
                self._join(node.out, node.inputs[0])
        elif op in STORES:
            self._join(node.out, node.inputs[0])
        elif op in ("list", "append", "insert", "put", "get", "pop", "list_acc",
                    "pack", "unpack"):
            self._join(*node.outputs, *node.inputs)
        elif op in ("effect", "call"):
            outputs = [o for o in node.outputs
                       if o.aval.kind is not Kind.RECORD or not node.params.get("sealed")]
            self._join(*outputs, *node.inputs)
            self.foreign.extend(outputs)
        elif op == "if":
            for out, *inner in zip(node.outputs, *(b.outputs for b in node.blocks)):
                self._join(out, *inner)
        elif op == "loop":
            self._loop(node)

    def _apply(self, node: Node) -> None:
        fn = node.params["fn"]
        if hasattr(type(fn), "__srcgrad_trace__") or fn is stop_gradient:
            self._join(*node.outputs, *node.inputs)  # may hand on its arguments
            return
        if not any(out.aval.kind in _MUTABLE for out in node.outputs):
            return  # numbers share no memory
        if not may_probe(fn) or any(  # such as the text of an f-string, or the rows of an array
                out.aval.kind in (Kind.OPAQUE, Kind.LIST) for out in node.outputs):
            self._join(*node.outputs, *node.inputs)
            return
        args, kwargs = avals_of(node)
        try:
            outcome = infer_fresh(fn, args, kwargs)
        except UnsupportedOperation:  # nothing is known of it
            self._join(*node.outputs, *node.inputs)
            return
        for out, view in zip(node.outputs, outcome.views):
            if view != "fresh":
                self._join(out, *node.inputs)

    def _loop(self, node: Node) -> None:
        parts = LoopParts(node)
        for group in zip(parts.inits, parts.carried, parts.next, parts.results):
            self._join(*group)
        for pair in zip(parts.lasts, parts.last):
            self._join(*pair)
        stacked = node.loop.stacked
        for m, pair in enumerate(zip(parts.sequences, parts.produced)):
            if not (m < len(stacked) and stacked[m]):
                self._join(*pair)
        for pair in zip(parts.sources, parts.elements):
            self._join(*pair)
        if node.loop.kind == "while":
            for pair in zip(node.blocks[0].params, parts.carried):
                self._join(*pair)
