"""Sums of cotangents that innermost loops carry, added up in any order.

``d_x = d_x + e`` becomes ``d_x = plus(d_x, e)``, whose terms LLVM may regroup, so that several are
added at once.  What a loop carries is a sum where nothing else is done with it in the loop.
"""

from __future__ import annotations

import operator
from collections import Counter

import numpy as np

from srcgrad.emit.order import is_adjoint
from srcgrad.graph.ir import Node, Value
from srcgrad.graph.parts import LoopParts
from srcgrad.graph.walking import walk
from srcgrad.native.predicates import minus, plus
from srcgrad.types.kinds import SCALARS

_FREE = {operator.add: plus, operator.sub: minus}


def regrouped(node: Node) -> Node:
    """A loop in which such sums may be regrouped."""
    if not node.blocks:
        return node
    node = node.but(blocks=tuple(
        b.but(nodes=tuple(map(regrouped, b.nodes))) for b in node.blocks))
    body = node.blocks[-1]
    if node.op != "loop" or node.loop.kind != "for" or any(n.op == "loop" for n in walk(body)):
        return node
    parts, read = LoopParts(node), Counter(body.outputs)
    makers: dict[Value, Node] = {}
    for n in walk(body):
        read.update(n.inputs)
        read.update(v for b in n.blocks for v in b.outputs)
    for n in body.nodes:
        makers.update(dict.fromkeys(n.outputs, n))
    sums = {n for carried, following in zip(parts.carried, parts.next, strict=True)
            for n in _terms(carried, following, makers, read)}
    return node.but(blocks=(body.but(nodes=tuple(
        n.but(params={**n.params, "fn": _FREE[n.params["fn"]]}) if n in sums else n
        for n in body.nodes)),))


def _terms(carried: Value, following: Value, makers: dict[Value, Node],
           read: Counter[Value]) -> list[Node]:
    """The additions that make the next value of what is carried, if it is a sum."""
    found: list[Node] = []
    while following is not carried:
        n = makers.get(following)
        if n is None or n.params.get("fn") not in _FREE or not is_adjoint(n) or (
                read[following] != 1 or n.out.aval.kind not in SCALARS
                or n.out.aval.dtype != np.float64):
            return []
        found.append(n)
        swapped = n.params["fn"] is operator.add and n.inputs[-1] is carried
        following = n.inputs[-1 if swapped else 0]
    return found if read[carried] == 1 else []
