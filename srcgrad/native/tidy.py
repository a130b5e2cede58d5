"""Where arrays are made of lists, and what of it is not read."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from srcgrad.graph.ir import Block, Node, Value
from srcgrad.graph.walking import free_values, rebuild
from srcgrad.native.rows import flattened, row_ends, row_starts
from srcgrad.types.kinds import Kind

CONVERSIONS: frozenset[Any] = frozenset({np.array, flattened, row_starts, row_ends})


class Tidy:
    """Puts nodes of a graph in order after lists have become arrays."""

    def __init__(self, converted: Container[Node], whole: Block) -> None:
        self.converted, self.outputs = converted, whole.outputs
        self.users: dict[Value, list[Node | None]] = {}
        self.note(whole, None)
        self.arrays: dict[Value, Value] = {}
        self.lengths: dict[Value, Value] = {}

    def note(self, block: Block, kernel: Node | None) -> None:
        for v in block.outputs:
            self.users.setdefault(v, []).append(kernel)
        for node in block.nodes:
            held = kernel or (node if "kernel" in node.params else None)
            for v in node.inputs:
                self.users.setdefault(v, []).append(held or node)
            for b in node.blocks:
                self.note(b, held)

    def parts(self, parts: Sequence[Sequence[Node]]) -> list[tuple[Node, ...]]:
        made = self.made(n for part in parts for n in part)
        start = self.start(made, {v for part in parts for n in part for v in n.outputs})
        found = [[*start, *self.sooner(parts[0], made)],
                 *([*self.sooner(part, made)] for part in parts[1:])]
        read = set(self.outputs)
        return [*reversed([self.read(nodes, read) for nodes in reversed(found)])]

    def made(self, nodes: Iterable[Node]) -> dict[Value, list[Node]]:
        found: dict[Value, list[Node]] = {}
        for n in nodes:
            if n in self.converted and any(n.params.get("fn") is f for f in CONVERSIONS):
                found.setdefault(n.inputs[0], []).append(n)
        return found

    def start(self, made: Mapping[Value, list[Node]], here: Container[Value]) -> list[Node]:
        """What makes arrays of lists from outside of a block."""
        found = [n for v, nodes in made.items() if v not in here for n in nodes]
        self.arrays.update((n.inputs[0], n.out) for n in found)
        return found

    def sooner(self, nodes: Sequence[Node],
               made: Mapping[Value, list[Node]]) -> Iterator[Node]:
        moved = {n for found in made.values() for n in found}
        for node in nodes:
            if node in moved:
                continue
            if node in self.converted and node.out.aval.kind is Kind.LIST:
                self.arrays[node.out] = node.inputs[0]
            if node.op == "list_len" and node.inputs[0] in self.arrays:
                size = Node("dim", (self.arrays[node.inputs[0]],), node.outputs, {"axis": 0}, (),
                            node.origin)
                if not self.is_for_kernels(node.out):
                    yield node
                    size = size.but(outputs=(node.out.like(),))
                    self.lengths[node.out] = size.out
                node = size
            elif "kernel" in node.params and self.lengths:
                (node,) = rebuild(Block((), (node,), ()), dict(self.lengths)).nodes
            elif node.blocks:
                node = node.but(blocks=tuple(map(self.inner, node.blocks)))
            yield node
            for v in node.outputs:
                if v in made:
                    yield from made[v]
                    self.arrays[v] = made[v][-1].out

    def inner(self, block: Block) -> Block:
        made = self.made(block.nodes)
        start = self.start(made, {v for n in block.nodes for v in n.outputs})
        return block.but(nodes=(*start, *self.sooner(block.nodes, made)))

    def is_for_kernels(self, number: Value) -> bool:
        """Do kernels alone read a number, or what is computed of it?"""
        return all(n is not None and ("kernel" in n.params or (
            n.op == "apply" and n.out.aval.kind is Kind.INT and self.is_for_kernels(n.out)))
            for n in self.users.get(number, ()))

    def read(self, nodes: Sequence[Node], read: set[Value]) -> tuple[Node, ...]:
        """Nodes without what was converted, or is a list, and is not read."""
        kept: list[Node] = []
        for node in reversed(nodes):
            idle = node in self.converted or node.op in ("dim", "list_like", "list_acc", "list")
            if idle and read.isdisjoint(node.outputs):
                continue
            if node.blocks and "kernel" not in node.params:
                node = node.but(blocks=tuple(
                    b.but(nodes=self.read(b.nodes, read | {*b.outputs})) for b in node.blocks))
            read.update(node.inputs, *(free_values(b) for b in node.blocks))
            kept.append(node)
        return tuple(reversed(kept))
