"""Which lists a loop makes longer or shorter, or replaces by others: these stay lists in a kernel.

All values that may be one list in the loop are one family: versions of it, what branches join, and
what loops carry.  A list whose length a loop leaves alone is an array in the kernel
(:mod:`srcgrad.native.columns`).
"""

from __future__ import annotations

from collections.abc import Container

from srcgrad.emit.order import is_adjoint
from srcgrad.graph.ir import Node, Value
from srcgrad.graph.parts import LoopParts
from srcgrad.native.lengths import Lengths
from srcgrad.types.kinds import Aval, Kind

KEEPING = frozenset({"put", "list_acc", "copy"})
GROWING = frozenset({"append", "pop", "insert", "list", "undef", "apply", "get"})


def is_mixed(aval: Aval) -> bool:
    """Is it a list of numbers that may be Python's or NumPy's?"""
    return aval.kind is Kind.LIST and aval.elem is not None and aval.elem.kind is Kind.NUMBER


class Growing:
    """The lists of a loop that do not keep their length; ``filled`` are appends to lists that the
    loop fills from empty, one item in each iteration, and that are arrays if what becomes of them
    keeps its length."""

    def __init__(self, loop: Node, lengths: Lengths, filled: Container[Node]) -> None:
        self.lengths, self.filled = lengths, filled
        self.parents: dict[Value, Value] = {}
        self.found: set[Value] = set()
        self.node(loop)
        self.found = {*map(self.root, self.found)}

    def __contains__(self, value: Value) -> bool:
        return self.root(value) in self.found

    def root(self, value: Value) -> Value:
        while value in self.parents:
            value = self.parents[value]
        return value

    def join(self, *values: Value) -> None:
        first = self.root(values[0])
        for v in values[1:]:
            if self.root(v) is not first:
                self.parents[self.root(v)] = first

    def node(self, node: Node) -> None:
        if node.op == "loop":
            self.loop(node)
        for block in node.blocks:
            for inner in block.nodes:
                self.node(inner)
        if node.op == "if":
            for out, *arms in zip(node.outputs, *(b.outputs for b in node.blocks), strict=True):
                if out.aval.kind is Kind.LIST:
                    self.join(out, *arms)
                    if len({self.lengths.root(v) for v in arms}) > 1:
                        self.found.add(out)
        if node.op in ("get", "put", "append", "list") and not is_adjoint(node):
            self.found.update(v for v in (*node.inputs, *node.outputs) if is_mixed(v.aval))
        if node.op in ("append", "put", "insert", "list"):  # an item of a list of lists
            self.found.update(v for v in (node.inputs if node.op == "list" else node.inputs[1:2])
                              if v.aval.kind is Kind.LIST)
        if node.op in KEEPING | GROWING and node.outputs[0].aval.kind is Kind.LIST:
            if node.op in GROWING:
                self.found.add(node.outputs[0])
            if node.op not in ("list", "undef", "apply", "get"):
                self.join(node.outputs[0], node.inputs[0])

    def loop(self, node: Node) -> None:
        parts = LoopParts(node)
        for slot, values in enumerate(zip(parts.carried, parts.results, parts.inits, parts.next,
                                          strict=True)):
            if values[0].aval.kind is not Kind.LIST:
                continue
            if self.lengths.makers.get(parts.next[slot]) in self.filled:
                continue
            self.join(*values)
            if not self.lengths.keeps(node, slot):
                self.found.add(values[0])
        for given, inner in zip((*parts.lasts, *parts.sequences), (*parts.last, *parts.produced),
                                strict=True):
            self.found.update(v for v in (given, inner) if v.aval.kind is Kind.LIST)
