"""Called graphs: their free values become parameters, their calls give them.

While a function that calls itself is traced its block refers to values around it (captured
arrays, variables of enclosing functions).  :func:`lift` makes them parameters of the graph and
operands of every call, also through functions that call one another.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from .ir import Block, Graph, Node, Value
from .walking import defined_in, free_values, rebuild, renewed, walk


def distinct(name: str, taken: Collection[str]) -> str:
    """``name``, with a number if it is taken."""
    found, number = name, 1
    while found in taken:
        number += 1
        found = f"{name}_{number}"
    return found


def called(block: Block) -> list[str]:
    """The names of the graphs that a block calls, each once."""
    return list(dict.fromkeys(n.params["callee"] for n in walk(block) if n.op == "call"))


def lift(blocks: Mapping[str, Block]) -> tuple[dict[str, Graph], dict[str, tuple[Value, ...]]]:
    """Graphs without free values from blocks that call one another, and for each the values
    that calls from outside of these blocks have to add to their operands."""
    defined = {name: defined_in(block) for name, block in blocks.items()}
    free: dict[str, dict[Value, None]] = {
        name: dict.fromkeys(free_values(block)) for name, block in blocks.items()}
    settled = False
    while not settled:
        settled = True
        for name, block in blocks.items():
            for other in called(block):
                for value in free.get(other, ()):
                    if value not in defined[name] and value not in free[name]:
                        free[name][value] = None
                        settled = False
    graphs = {}
    for name, block in blocks.items():
        params = {v: v.like() for v in free[name]}
        complete = _completed(block, free)
        inner = rebuild(complete, dict(params))
        graphs[name] = Graph(name, inner.but(params=(*block.params, *params.values())),
                             n_primal=len(block.outputs))
    return graphs, {name: tuple(values) for name, values in free.items()}


def _completed(block: Block, free: Mapping[str, Collection[Value]]) -> Block:
    """The block with the operands that calls of lifted graphs need."""
    return renewed(block, lambda node: [
        node.but(inputs=(*node.inputs, *free[node.params["callee"]]))
        if node.op == "call" and node.params["callee"] in free else node])


def reachable(graph: Graph) -> list[str]:
    """The names of the graphs that a graph calls, directly or not, callees first."""
    seen: set[str] = set()
    found: list[str] = []

    def visit(name: str) -> None:
        if name in seen or name not in graph.callees:
            return
        seen.add(name)
        for other in called(graph.callees[name].block):
            visit(other)
        found.append(name)

    for name in called(graph.block):
        visit(name)
    return found


# ---- equality ------------------------------------------------------------------------------


def same_graph(a: Graph, b: Graph) -> bool:
    """Do two graphs do the same, node by node?  (Calls of themselves count as equal; symbols
    for sizes may be named differently.)"""
    return _Comparison({a.name: b.name}).blocks(a.block, b.block)


class _Comparison:
    def __init__(self, names: dict[str, str]) -> None:
        self.names = names
        self.partner: dict[Value, Value] = {}

    def blocks(self, a: Block, b: Block) -> bool:
        if len(a.nodes) != len(b.nodes) or not self.define(a.params, b.params):
            return False
        return all(self.nodes(x, y) for x, y in zip(a.nodes, b.nodes)) and (
            self.uses(a.outputs, b.outputs))

    def define(self, a: tuple[Value, ...], b: tuple[Value, ...]) -> bool:
        if len(a) != len(b):
            return False
        for x, y in zip(a, b):
            if _plain(x) != _plain(y):
                return False
            self.partner[x] = y
        return True

    def uses(self, a: tuple[Value, ...], b: tuple[Value, ...]) -> bool:
        return len(a) == len(b) and all(self.partner.get(x) is y for x, y in zip(a, b))

    def nodes(self, a: Node, b: Node) -> bool:
        if a.op != b.op or not self.uses(a.inputs, b.inputs) or len(a.blocks) != len(b.blocks):
            return False
        if set(a.params) != set(b.params) or not all(
                self.settings(k, a.params[k], b.params[k]) for k in a.params):
            return False
        if not all(self.blocks(x, y) for x, y in zip(a.blocks, b.blocks)):
            return False
        return self.define(a.outputs, b.outputs)

    def settings(self, key: str, a: Any, b: Any) -> bool:
        if key == "mirror":
            return self.partner.get(a.output) is b.output
        if key == "callee":
            return bool(self.names.get(a, a) == b)
        return _equal(a, b)


def _plain(value: Value) -> Any:
    aval = value.aval
    rank = None if aval.shape is None else tuple(
        d if isinstance(d, int) else None for d in aval.shape)
    return aval.kind, aval.dtype, rank, aval.optional


def _equal(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(_equal, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(map(_equal, a.values(), b.values()))
    if isinstance(a, np.ndarray):
        return a is b
    if isinstance(a, slice):
        return _equal((a.start, a.stop, a.step), (b.start, b.stop, b.step))
    if isinstance(a, float):
        return repr(a) == repr(b)
    return bool(a is b or a == b)
