"""Which numbers may be Python's int though paths make them floats, as a sum is that starts at 0.

A kernel keeps such a number in a float, and tells by a flag what it is.
"""

from __future__ import annotations

import operator
from typing import Any

from srcgrad.graph.ir import Graph, Node, Ref, Value
from srcgrad.graph.parts import LoopParts
from srcgrad.graph.walking import walk
from srcgrad.types.kinds import Kind

_OF_FLOATS: frozenset[Any] = frozenset({operator.truediv, float})
_TAKING = frozenset({"get", "pop", "read"})


def integral(graph: Graph) -> set[Value]:
    """The numbers that may be ints, and the lists that may hold such."""
    found: set[Value] = set()
    nodes = [*walk(graph.block)]
    size = -1
    while len(found) > size:
        size = len(found)
        for node in nodes:
            _note(node, found)
    return found


def _note(node: Node, found: set[Value]) -> None:
    if node.op == "loop":
        parts = LoopParts(node)
        for pairs in (zip(parts.inits, parts.carried), zip(parts.next, parts.carried),
                      zip(parts.carried, parts.results), zip(parts.last, parts.lasts),
                      zip(parts.produced, parts.sequences), zip(parts.sources, parts.elements)):
            found.update(to for given, to in pairs if _is_int(given, found))
    elif node.op == "if":
        for out, *arms in zip(node.outputs, *(b.outputs for b in node.blocks), strict=True):
            if any(_is_int(v, found) for v in arms):
                found.add(out)
    elif node.op == "apply":
        fn, args = node.params["fn"], node.params["args"]
        if fn not in _OF_FLOATS and node.out.aval.kind in (Kind.NUMBER, Kind.INT) and all(
                _is_int(node.inputs[a.index], found) if isinstance(a, Ref) else type(a) is int
                for a in args):
            found.add(node.out)
    elif node.op == "list" and any(_is_int(v, found) for v in node.inputs):
        found.add(node.out)
    elif node.inputs and node.op in _TAKING and node.inputs[0] in found:
        found.update(node.outputs)
    elif len(node.outputs) == 1 and node.inputs and any(
            _is_int(v, found) for v in node.inputs[:2 if node.op in _PUTTING else 1]):
        found.add(node.out)


_PUTTING = frozenset({"append", "insert", "put"})


def _is_int(value: Value, found: set[Value]) -> bool:
    return value.aval.kind is Kind.INT or (value in found and (
        value.aval.kind in (Kind.NUMBER, Kind.LIST, Kind.ARRAY)))
