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
    return _leaves(value, [r.builder.nodes for r in region.around()], is_leaf)


def _leaves(value: Value, scopes: list[Sequence[Node]],
            is_leaf: Callable[[Value], bool]) -> list[Value] | None:
    if is_leaf(value):
        return [value]
    node = next((n for nodes in scopes for n in reversed(nodes) if value in n.outputs), None)
    if node is None or node.op not in ("apply", "const", "if"):
        return None
    parts = [_leaves(v, scopes, is_leaf) for v in node.inputs]
    if node.op == "if":
        place = node.outputs.index(value)
        parts += [_leaves(b.outputs[place], [b.nodes, *scopes], is_leaf) for b in node.blocks]
    return None if None in parts else [leaf for part in parts for leaf in part or ()]


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
    inputs = [_settle(v, scopes, demand) for v in node.inputs]
    if any(i is UNKNOWN for i in inputs) or node.params["many"]:
        return UNKNOWN
    return node.params["fn"](*fill(node.params["args"], inputs),
                             **fill(node.params["kwargs"], inputs))
