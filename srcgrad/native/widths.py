"""Integers of Python's have any length; a kernel's have 63 bits and a sign.

An integer is held if it can be shown to fit: sizes and indices have 31 bits (what comes from
outside is checked), sums one more than their parts, products the sum of both.  What a loop
counts up may become as long as 62 bits; what it multiplies up does not fit.  A list, an array of
Python's integers, and what loops keep of such are as wide as the widest of their items.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping

from srcgrad.graph.ir import Block, Node, Ref, Value
from srcgrad.graph.parts import LoopParts
from srcgrad.types.kinds import SCALARS, Aval, Kind

MOST = 62
OUTSIDE = 31


def too_wide(*nodes: Node) -> str | None:
    """Why an integer that nodes, in any order, compute may not fit; None if all do."""
    widths = _Widths({v: n for n in nodes for v in n.outputs})
    return next(filter(None, map(widths.node, nodes)), None)


_STORING = frozenset({"put", "append", "insert", "write", "acc", "list_acc"})
_ITEMS = frozenset({*_STORING, "get", "read", "pop"})


def holds_integers(aval: Aval) -> bool:
    """Is it a list, or an array, of Python's integers?"""
    return aval.kind in (Kind.LIST, Kind.ARRAY) and aval.elem is not None and (
        aval.elem.kind is Kind.INT or holds_integers(aval.elem))


class _Widths:
    def __init__(self, makers: Mapping[Value, Node]) -> None:
        self.makers = makers
        self.of: dict[Value, int] = {}

    def bits(self, value: Value) -> int:
        if value not in self.of and value in self.makers:
            self.node(self.makers[value])
        if value in self.of:
            return self.of[value]
        return 1 if value.aval.kind is Kind.BOOL else (
            MOST + 1 if value.aval.kind is Kind.SCALAR else OUTSIDE)

    def block(self, block: Block) -> str | None:
        for node in block.nodes:
            found = self.node(node)
            if found is not None:
                return found
        return None

    def node(self, node: Node) -> str | None:
        if node.op == "loop":
            return self.loop(node)
        for inner in node.blocks:
            found = self.block(inner)
            if found is not None:
                return found
        if node.op == "if":
            for out, *arms in zip(node.outputs, *(b.outputs for b in node.blocks), strict=True):
                self.of[out] = max(map(self.bits, arms))
        elif node.op == "const":
            value = node.params["value"]
            self.of[node.out] = value.bit_length() if type(value) is int else OUTSIDE
        elif node.op in _ITEMS or (node.op in ("apply", "alias", "copy", "list") and (
                holds_integers(node.outputs[0].aval))):
            parts = (*node.inputs[:2],) if node.op in _STORING else node.inputs[:1]
            width = max(map(self.bits, node.inputs if node.op == "list" else parts), default=0)
            self.of.update((v, width) for v in node.outputs
                           if holds_integers(v.aval) or v.aval.kind is Kind.INT)
        elif node.op in ("apply", "alias", "copy") and node.outputs[0].aval.kind is Kind.INT:
            return self.number(node)
        return None

    def number(self, node: Node) -> str | None:
        if node.op != "apply":
            self.of[node.out] = self.bits(node.inputs[0])
            return None
        if node.params["fn"] is int:  # of NumPy's: not computed with
            self.of[node.out] = self.bits(node.inputs[0])
            return None
        width = self.width(node)
        self.of[node.out] = width
        if width > MOST:
            return f"{node.out.hint or 'an integer'} may not fit 64 bits"
        return None

    def width(self, node: Node) -> int:
        fn = node.params["fn"]
        parts = [self.bits(node.inputs[a.index]) if isinstance(a, Ref)
                 else int(a).bit_length() for a in node.params["args"]
                 if isinstance(a, Ref) or type(a) in (int, bool)]
        if fn in (operator.add, operator.sub):
            if max(parts) == MOST and min(parts) <= OUTSIDE:
                return MOST  # counted up
            return max(parts) + 1
        if fn is operator.mul:  # a truth value makes nothing longer
            return sum(parts) - sum(v.aval.kind is Kind.BOOL for v in node.inputs)
        if fn is operator.mod:
            return parts[-1]
        if fn is operator.floordiv or len(parts) <= 2:
            return max(parts, default=OUTSIDE)
        return MOST + 1

    def loop(self, node: Node) -> str | None:
        """What is carried has the width of what it starts with, or is counted up."""
        parts = LoopParts(node)
        for carried, init in zip(parts.carried, parts.inits, strict=True):
            if carried.aval.kind in SCALARS or holds_integers(carried.aval):
                self.of[carried] = max(OUTSIDE, self.bits(init))
        self.of.update((e, self.bits(s)) for e, s in zip(
            parts.elements, parts.sources, strict=True) if s in self.of or s in self.makers)
        found = self.bodies(node)
        if found is not None:
            return found
        grown = [c for c, n in zip(parts.carried, parts.next, strict=True)
                 if (c.aval.kind is Kind.INT or holds_integers(c.aval))
                 and self.bits(n) > self.of[c]]
        self.of.update(dict.fromkeys(grown, MOST))
        if grown:
            found = self.bodies(node)
            if found is not None:
                return found
        for result, carried, n in zip(parts.results, parts.carried, parts.next, strict=True):
            if carried.aval.kind is Kind.INT or holds_integers(carried.aval):
                if self.bits(n) > self.of[carried]:
                    return f"{carried.hint or 'an integer'} may not fit 64 bits"
                self.of[result] = self.of[carried]
        for out, inner in zip((*parts.lasts, *parts.sequences), (*parts.last, *parts.produced),
                              strict=True):
            self.of[out] = self.bits(inner)
        return None

    def bodies(self, node: Node) -> str | None:
        for inner in node.blocks:
            found = self.block(inner)
            if found is not None:
                return found
        return None
