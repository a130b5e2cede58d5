"""Recurrences of cotangents, in which an iteration waits little for the one before.

What an iteration makes of the cotangents that it is given is linear in them.  The factors depend
on no other iteration, so they are computed while the sums are waited for:

    d_x = d_x - d_v * a               t1 = 1.0 - b * a
    d_v = d_v + d_x * b               d_x, d_v = d_x - d_v * a, d_v * t1 + d_x * b
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from srcgrad.emit.order import is_adjoint
from srcgrad.graph.ir import Block, Builder, Node, Ref, Value, fill
from srcgrad.graph.parts import LoopParts
from srcgrad.graph.walking import read_by, walk
from srcgrad.types.kinds import FLOAT, SCALARS

MOST = 4  # cotangents of one loop: each number has a factor for each of them
LESS, LONGER = 1, 2.5  # so many operations fewer are waited for; there are so many times as many
_COSTS = {operator.add: 1, operator.sub: 1, operator.mul: 1, operator.neg: 0, operator.truediv: 4}
_OTHER = 3
Factor = tuple[float, Value | None]  # a number, and what it is multiplied with
Form = dict[Value | None, Factor]  # the factor of each cotangent, and what is added
_ONE: Factor = (1.0, None)
_PAIR = (Ref(0), Ref(1))


def with_short_recurrences(node: Node) -> Node:
    """A loop of a kernel in which what cotangents become waits for few operations."""
    if not node.blocks:
        return node
    node = node.but(blocks=tuple(
        b.but(nodes=tuple(map(with_short_recurrences, b.nodes))) for b in node.blocks))
    if node.op != "loop" or node.loop.kind != "for" or not is_adjoint(node) or any(
            n.op == "loop" for n in walk(node.blocks[0])):
        return node
    parts, body = LoopParts(node), node.blocks[0]
    slots = {v: following for v, following in zip(parts.carried, parts.next, strict=True)
             if v.aval.kind in SCALARS and v.aval.dtype == np.float64}
    if not 0 < len(slots) <= MOST:
        return node
    forms = _Forms(body, slots)
    ends = {v: forms.summed(v, end) for v, end in slots.items()}
    nodes, at = (*body.nodes, *forms.made.nodes), int(node.loop.exits)
    if _waited(nodes, ends) > _waited(body.nodes, slots) - LESS:
        return node
    last = [*body.outputs]
    last[at:at + len(parts.next)] = [ends.get(v, end) for v, end in zip(
        parts.carried, parts.next, strict=True)]
    nodes = _alive(nodes, last)
    if len(nodes) > LONGER * len(body.nodes):
        return node
    return node.but(blocks=(body.but(nodes=nodes, outputs=tuple(last)),))


class _Forms:
    """What numbers of a block are made of cotangents; ``made`` computes the factors."""

    def __init__(self, body: Block, cotangents: Iterable[Value]) -> None:
        self.makers = {n.out: n for n in body.nodes if _is_arithmetic(n)}
        self.forms: dict[Value, Form] = {v: {v: _ONE} for v in cotangents}
        self.made = Builder()
        self.aval = FLOAT

    def form(self, value: Any) -> Form:
        if not isinstance(value, Value):
            return {None: (value, None)}
        if value not in self.forms:
            self.forms[value] = self.linear(value) or {None: (1.0, value)}
        return self.forms[value]

    def linear(self, value: Value) -> Form | None:
        """The form of what a linear operation makes of cotangents."""
        node = self.makers.get(value)
        if node is None:
            return None
        fn = node.params.get("fn", operator.add)
        terms = [self.form(a) for a in fill(node.params.get("args", _PAIR), node.inputs)]
        varying = [any(v is not None for v in form) for form in terms]
        if not any(varying) or not all(map(_is_float, node.inputs)):
            return None
        if fn is operator.neg:
            return self.scaled(terms[0], (-1.0, None))
        if fn in (operator.add, operator.sub):
            second = self.scaled(terms[1], (-1.0, None)) if fn is operator.sub else terms[1]
            return {v: self.plus(terms[0][v], second[v]) if v in terms[0] and v in second else
                    terms[0].get(v) or second[v] for v in {**terms[0], **second}}
        if fn is operator.mul and not all(varying):
            return self.scaled(terms[varying.index(True)], terms[varying.index(False)][None])
        return None

    # ---- factors ---------------------------------------------------------------------------
    def apply(self, fn: Any, *args: Any) -> Value:
        return self.made.apply(fn, args, {}, self.aval)

    def scaled(self, form: Form, by: Factor) -> Form:
        return {v: (n * by[0], f or by[1] if f is None or by[1] is None else
                    self.apply(operator.mul, f, by[1])) for v, (n, f) in form.items()}

    def plus(self, a: Factor, b: Factor) -> Factor:
        if a[1] is b[1]:
            return a[0] + b[0], a[1]
        return 1.0, self.added(self.number(a), b[0], self.number((abs(b[0]), b[1])))

    def number(self, factor: Factor) -> Any:
        number, value = factor
        if value is None or number == 1.0:
            return number if value is None else value
        return self.apply(operator.mul, number, value)

    def added(self, total: Any, sign: float, term: Any) -> Value:
        return self.apply(operator.sub if sign < 0 else operator.add, total, term)

    # ---- what cotangents become ------------------------------------------------------------
    def summed(self, cotangent: Value, value: Value) -> Value:
        """A number from its form."""
        form = self.form(value)
        if value not in self.makers or form.keys() <= {None}:
            return value
        self.made.origin, self.aval = self.makers[value].origin, value.aval
        terms = sorted(form.keys() - {None}, key=lambda v: (
            form[v][0] < 0, v is cotangent, [*form].index(v)))
        total: Any = None
        for v in (*terms[:1], *(form.keys() & {None}), *terms[1:]):
            sign, by = form[v]
            factor = self.number((sign if total is None else abs(sign), by))
            term = factor if v is None else v if factor == 1.0 else (
                self.apply(operator.mul, v, factor))
            total = term if total is None else self.added(total, sign, term)
        assert isinstance(total, Value)
        total.hint = value.hint
        return total


def _is_float(value: Value) -> bool:
    return value.aval.kind in SCALARS and value.aval.dtype == np.float64


def _is_arithmetic(node: Node) -> bool:
    """Is it arithmetic of cotangents, or the sum of two?"""
    known = node.params["fn"] in _COSTS if node.op == "apply" else (
        node.op == "acc" and not node.params["steps"])
    return known and is_adjoint(node) and _is_float(node.out)


def _waited(nodes: Sequence[Node], ends: Mapping[Value, Value]) -> float:
    """How many operations an iteration waits for the one before: along the way through several
    cotangents that takes longest."""
    ways: list[list[float]] = []
    for start in ends:
        depth = {start: 0}
        for n in nodes:
            used = [depth[v] for v in read_by(n) if v in depth]
            if used:
                cost = max(used) + (_COSTS[n.params.get("fn", operator.add)] if (
                    _is_arithmetic(n)) else _OTHER)
                depth.update(dict.fromkeys(n.outputs, cost))
        ways.append([depth.get(end, -math.inf) for end in ends.values()])
    longest, far = 0.0, ways
    for number in range(1, len(ways) + 1):
        longest = max(longest, *(far[i][i] / number for i in range(len(ways))))
        far = [[max(a + b for a, b in zip(row, column, strict=True))
                for column in zip(*ways, strict=True)] for row in far]
    return longest


def _alive(nodes: Sequence[Node], outputs: Iterable[Value]) -> tuple[Node, ...]:
    """Without arithmetic of the backward part that nothing reads."""
    read, kept = {*outputs}, []
    for n in reversed(nodes):
        if not _is_arithmetic(n) or not read.isdisjoint(n.outputs):
            kept.append(n)
            read.update(read_by(n))
    return tuple(reversed(kept))
