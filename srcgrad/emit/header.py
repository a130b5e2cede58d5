"""The comment above a function: its signature, and what it keeps for the backward part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from srcgrad.graph.ir import Graph, Node, Value
from srcgrad.graph.parts import LoopParts
from srcgrad.types.dims import Dim, Poly
from srcgrad.types.kinds import PYTHON_SCALARS, SCALARS, Aval, Kind

WIDTH = 86


def header(graph: Graph, parameters: Sequence[str], of: Mapping[Value, str]) -> list[str]:
    """The lines of the header; ``of`` names the graph's values."""
    lines = [graph.title or _signature(graph, parameters)]
    if graph.border:
        lines += _kept(graph, of)
    lines += graph.notes
    return [piece for line in lines for piece in _folded(line)]


def _signature(graph: Graph, parameters: Sequence[str]) -> str:
    inside = ", ".join(f"{name}: {_kind(v.aval)}"
                       for name, v in zip(parameters, graph.inputs, strict=True))
    return f"{graph.name}({inside})"


def _kind(aval: Aval) -> str:
    return "int" if aval.kind is Kind.INT else str(aval)


def _kept(graph: Graph, of: Mapping[Value, str]) -> list[str]:
    """What the forward part keeps: sequences of loops, copies of overwritten arrays."""
    nodes = graph.block.nodes[:graph.border]
    lines: list[str] = []
    copies = [of[n.out] for n in nodes if n.op == "copy" and n.out in of]
    if copies:
        lines.append(f"copied before it is overwritten: {', '.join(dict.fromkeys(copies))}")
    for loop in _loops(nodes):
        kept = [(of[sequence], element.aval) for element, sequence, _ in LoopParts(loop).kept
                if sequence in of]
        if kept:
            what = ", ".join(dict.fromkeys(name for name, _ in kept))
            lines.append(f"kept in each iteration: {what}{_bytes([a for _, a in kept])}")
    return lines


def _loops(nodes: Sequence[Node]) -> list[Node]:
    found: list[Node] = []
    for node in nodes:
        if node.op == "loop":
            found.append(node)
        elif node.op == "if":
            for block in node.blocks:
                found += _loops(block.nodes)
    return found


def _bytes(avals: Sequence[Aval]) -> str:
    """`` (8*n bytes)`` if all sizes are known."""
    total: Dim = 0
    for aval in avals:
        if aval.kind not in SCALARS | {Kind.ARRAY} or aval.shape is None or (
                aval.dtype is None):
            return ""
        size: Dim = 8 if aval.kind in PYTHON_SCALARS else aval.dtype.itemsize
        for dim in aval.shape:
            size = size * dim
        total = total + size
    if isinstance(total, Poly) and len(total.terms) > 4:
        return ""
    return f"  ({total} bytes)"


def _folded(line: str) -> list[str]:
    """A comment in lines that fit."""
    words = line.split(" ")
    lines = [""]
    for word in words:
        if len(lines[-1]) + len(word) + 1 > WIDTH and lines[-1].strip():
            lines[-1] = lines[-1].rstrip()
            lines.append("   ")
        lines[-1] = f"{lines[-1]} {word}" if lines[-1] else word
    return lines
