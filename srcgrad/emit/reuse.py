"""Arithmetic of the adjoint in place: ``d_h *= 1.0 - h * h`` instead of a new array."""

from __future__ import annotations

import operator
from typing import Any

from srcgrad.graph.ir import Node, Ref, Value
from srcgrad.types.kinds import Kind, aval_of, same_dtype

_IN_PLACE: dict[Any, Any] = {operator.mul: operator.imul, operator.add: operator.iadd,
                             operator.sub: operator.isub, operator.truediv: operator.itruediv}
_COMMUTATIVE = (operator.mul, operator.add)


def reusable(node: Node) -> int | None:
    """Which input of an elementwise operation could hold its result; None if neither."""
    fn, args = node.params["fn"], node.params["args"]
    if len(args) != 2 or node.params.get("many") or not any(fn is f for f in _IN_PLACE):
        return None
    for place, arg in enumerate(args):
        if place and not any(fn is f for f in _COMMUTATIVE):
            return None
        if isinstance(arg, Ref) and _fits(node.inputs[arg.index], node.out) and (
                args[1 - place] != arg):
            return arg.index
    return None


def _fits(value: Value, out: Value) -> bool:
    mine, its = value.aval, out.aval
    return (mine.kind is Kind.ARRAY and bool(mine.shape) and mine.shape == its.shape
            and same_dtype(mine.dtype, its.dtype) and mine.least is None
            and its.kind is Kind.ARRAY
            and value.hint is not None and out.hint in (None, value.hint))


def in_place(node: Node, inputs: tuple[Value, ...], place: int, nodes: list[Node]) -> Node:
    """The node as an update of its input number ``place``."""
    args = node.params["args"]
    other = args[0] if args[1] == Ref(place) else args[1]
    if isinstance(other, Ref):
        value = inputs[other.index]
    else:
        constant = Node("const", (), (Value(aval_of(other)),), {"value": other})
        nodes.append(constant)
        value = constant.out
    params = {"steps": (), "fn": _IN_PLACE[node.params["fn"]]}
    return Node("update", (inputs[place], value), node.outputs, params, (), node.origin)


def plain_operator(node: Node) -> Any:
    """``operator.mul`` for an update by ``operator.imul``; None for other writes."""
    fn = node.params.get("fn") if node.op == "update" else None
    return next((plain for plain, place in _IN_PLACE.items() if place is fn), None)
