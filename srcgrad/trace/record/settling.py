"""Values of the trace that are known once the ints they are made of are: ``f"w{i}"``.

A text such as a dict key is made by pure Python operations from ints.  Where it is needed
while compiling, those ints are demanded (a loop index unrolls its loop, an int argument is
guarded) and the operations are run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...graph.ir import Node, Value, fill
from ...types.kinds import Kind
from .regions import Region

UNKNOWN = object()
FEW = 16  # more items than this are not told apart by branches


def settled(region: Region, value: Value, demand: Callable[[Value], int]) -> Any:
    """The object a value stands for, or :data:`UNKNOWN` if it depends on data.

    ``demand`` gives the number of an int value whose symbolic form is known; it may raise the
    signals of the tracer.
    """
    return _settle(value, [r.builder.nodes for r in region.around()], demand)


def leaves_behind(region: Region, value: Value,
                  is_leaf: Callable[[Value], bool]) -> list[Value] | None:
    """The leaves that a value is computed from; None if from anything else, too."""
    found: dict[Value, None] = {}
    seen: set[Value] = set()
    around: list[Sequence[Node]] = [r.builder.nodes for r in region.around()]
    waiting = [(value, around)]
    while waiting:
        one, scopes = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        if is_leaf(one):
            found[one] = None
            continue
        node = next((n for nodes in scopes for n in reversed(nodes) if one in n.outputs), None)
        if node is None or node.op not in ("apply", "const", "if"):
            return None
        waiting += [(v, scopes) for v in reversed(node.inputs)]
        if node.op == "if":
            place = node.outputs.index(one)
            waiting += [(b.outputs[place], [b.nodes, *scopes]) for b in reversed(node.blocks)]
    return [*found]


def alternatives(region: Region, value: Value) -> tuple[Any, ...] | None:
    """The constants that a value is one of, whichever branches are taken; None if it may be
    anything else."""
    found = _alternatives(value, [r.builder.nodes for r in region.around()])
    return None if found is None else tuple(dict.fromkeys(found))


def _alternatives(value: Value, scopes: list[Sequence[Node]]) -> tuple[Any, ...] | None:
    node = next((n for nodes in scopes for n in reversed(nodes) if value in n.outputs), None)
    if node is not None and node.op == "const" and (
            value.aval.kind in (Kind.OPAQUE, Kind.BOOL) or (
                value.aval.kind is Kind.INT and value.aval.expr == node.params["value"])):
        return (node.params["value"],)
    if node is None or node.op != "if":
        return None
    place = node.outputs.index(value)
    arms = [_alternatives(b.outputs[place], [b.nodes, *scopes]) for b in node.blocks]
    return None if None in arms else tuple(x for arm in arms if arm is not None for x in arm)


def _settle(value: Value, scopes: list[Sequence[Node]], demand: Callable[[Value], int]) -> Any:
    node = next((n for nodes in scopes for n in reversed(nodes) if value in n.outputs), None)
    if node is not None and node.op == "const" and value.aval.kind is not Kind.INT:
        return node.params["value"]
    if value.aval.kind is Kind.INT and value.aval.expr is not None:
        return demand(value)
    if node is None:
        return UNKNOWN
    if node.op == "if":
        chosen = _settle(node.inputs[0], scopes, demand)
        if chosen is UNKNOWN:
            return UNKNOWN
        arm = node.blocks[0 if chosen else 1]
        return _settle(arm.outputs[node.outputs.index(value)], [arm.nodes, *scopes], demand)
    if node.op != "apply" or value.aval.kind not in (Kind.OPAQUE, Kind.BOOL, Kind.INT):
        return UNKNOWN
    found: dict[Value, Any] = {}
    for one in sorted(node.inputs, key=lambda v: v.aval.kind is Kind.INT):  # numbers are demanded
        found[one] = _settle(one, scopes, demand)
        if found[one] is UNKNOWN or node.params["many"]:
            return UNKNOWN
    inputs = [found[v] for v in node.inputs]
    return node.params["fn"](*fill(node.params["args"], inputs),
                             **fill(node.params["kwargs"], inputs))
