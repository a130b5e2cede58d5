"""Loops over all items of something, and those that put one number everywhere in a list.

The adjoint of ``sum(items)`` is such a loop::

    d_items = [0.0] * len(items)
    for j in reversed(range(len(items))):
        d_items[j] += d_total
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Mapping

from ..types.kinds import SCALARS, Kind
from .ir import Node, Ref, Value, is_adjoint
from .parts import LoopParts

Makers = Mapping[Value, Node]


def constant(value: Value, makers: Makers) -> object:
    """The number that a value is; None if it is none."""
    made = makers.get(value)
    return made.params["value"] if made is not None and made.op == "const" else None


def length_of(stop: Value, makers: Makers) -> Value | None:
    """The list, or array, whose length a loop's end is."""
    made = makers.get(stop)
    if made is None or made.op not in ("list_len", "dim") or made.params.get("axis", 0) != 0:
        return None
    return made.inputs[0]


def is_plain_loop(node: Node, makers: Makers, uses: Counter[Value]) -> bool:
    """Does a loop run from 0 on, and give nothing but what it carries?"""
    spec = node.loop
    return (spec.kind == "for" and not spec.exits and spec.n_last == spec.n_produced == 0
            and constant(node.inputs[0], makers) == 0 and constant(node.inputs[2], makers) == 1
            and not uses[node.outputs[-1]])


def holds_numbers(value: Value) -> bool:
    """Is a value a list of numbers?"""
    elem = value.aval.elem if value.aval.kind is Kind.LIST else None
    return elem is not None and not elem.optional and elem.kind in SCALARS


def filled_with(node: Node, makers: Makers, uses: Counter[Value]) -> tuple[Value, Value] | None:
    """The list that a loop of an adjoint makes one as long as, or the length itself, and the number
    that it puts everywhere; None for other loops."""
    spec = node.loop
    if spec.n_carried != 1 or spec.n_consumed or not is_plain_loop(node, makers, uses):
        return None
    parts, body = LoopParts(node), node.blocks[-1]
    start = parts.inits[0]
    zeros = makers.get(start)
    if len(body.nodes) != 1 or zeros is None or not is_adjoint(zeros) or (
            uses[start] != 1 or not holds_numbers(start)):
        return None
    size, stop = _size_of_zeros(zeros, makers), node.inputs[1]
    if size is None or (size not in (stop, length_of(stop, makers)) and (
            size.aval.expr is None or size.aval.expr != stop.aval.expr)):
        return None
    (add,) = body.nodes
    if add.op != "list_acc" or len(add.inputs) != 3 or add.out not in parts.next:
        return None
    old, term, place = add.inputs
    if old is not parts.carried[0] or place is not parts.index or term in (old, place) or (
            term.aval.kind not in SCALARS or term.aval.optional):
        return None
    return size, term


def _size_of_zeros(zeros: Node, makers: Makers) -> Value | None:
    """The list that zeros are as many as the items of, or their number."""
    if zeros.op == "list_like":
        return zeros.inputs[0] if zeros.inputs[0].aval.kind is Kind.LIST else None
    is_repeated = zeros.op == "apply" and zeros.params["fn"] is operator.mul and (
        zeros.params["args"] == ([Ref(0)], Ref(1)) and constant(zeros.inputs[0], makers) == 0.0)
    return zeros.inputs[1] if is_repeated else None
