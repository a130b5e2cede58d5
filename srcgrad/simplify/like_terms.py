"""Products of the same factors that are added up are one product.

    a * m * v + (v * a) * m        ->  2.0 * (a * m * v)
    d - x * x * y - 2.0 * y * x**2 ->  d - 3.0 * (x * x * y)
    x + 2.0 * x                    ->  3.0 * x

Factors are what products, quotients, negatives and powers are made of, however they are grouped;
of the two products that stays which is at hand anyway, or takes less.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..graph.equality import key_of
from ..graph.ir import Node, Value
from .operands import ADD, DIV, MUL, NEG, SUB, Operands, same_type
from .places import added
from .rewriting import Emit, call_of

Product = tuple[float, dict[Any, int]]  # a number, and the power of each factor

POWERS = frozenset({operator.pow, np.power})
_DEPTH = 8  # nodes one upon the other that are looked through
_TERMS = 6  # of a sum that are compared with the last one
_DIGITS = 8  # of a number that reads better than two terms: 0.75, not 0.8333333333333334


class LikeTerms(Operands):
    """Rewrites sums: additions, and what is added to all of a value."""

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[tuple[Any, int], Product] = {}

    def like_terms(self, node: Node, emit: Emit) -> Value | None:
        """A sum without its last term, which a former one has taken in; None for what is not or
        has not."""
        sign = _sign(node)
        if not sign:
            return None
        base, last = self._parts(node)
        return self._taken_in(base, last, sign, node.out, emit)

    def plus(self, first: Value, second: Value, sign: int, emit: Emit) -> Value:
        """``first + sign * second``."""
        found = self.multiple(first, second, sign, emit)
        return emit.call(operator.add if sign > 0 else operator.sub, first, second) if (
            found is None) else found

    def multiple(self, first: Value, second: Value, sign: int, emit: Emit) -> Value | None:
        """``first + sign * second``, if a term of the one takes in the other."""
        return self._taken_in(first, second, sign, first, emit)

    def _taken_in(self, base: Any, last: Any, sign: int, like: Value, emit: Emit) -> Value | None:
        """``base + sign * last``, of the type of ``like``, if a term of ``base`` takes it in."""
        if not isinstance(last, Value) or not same_type(last, like) or not _is_inexact(like):
            return None
        number, powers = self.product(last)
        for later, term, term_sign in self._terms(base, like) if powers else ():
            found = self.product(term)
            if found[1] != powers or not same_type(term, like):
                continue
            total = self._together(term, found[0], last, number, sign * term_sign, emit)
            if total is not None:
                for part, at in later:  # what was added to it, or what it was added to
                    operands = [*self._parts(part)]
                    operands[at] = total
                    total = emit.call(call_of(part), *operands) if part.op == "apply" else (
                        repeated(part, tuple(operands), emit))
                return total
        return None

    def _parts(self, node: Node) -> tuple[Any, ...]:
        return node.operands if node.op == "apply" else node.inputs

    def _terms(self, base: Any, like: Value) -> Iterator[tuple[list[tuple[Node, int]], Value, int]]:
        """The terms of ``base``: each with the additions from its own on (and which operand of
        them it is in), and its sign."""
        later: list[tuple[Node, int]] = []
        for _ in range(_TERMS):
            part = self.made(base)
            sign = 0 if part is None else _sign(part)
            if part is None or not sign or self.uses[base] > 1 or not same_type(base, like) or (
                    self.home.get(base) is not self.blocks[-1]):
                break
            rest, term = self._parts(part)
            if isinstance(term, Value):
                yield [(part, 1), *later], term, sign
            later = [(part, 0), *later]
            base = rest
        if isinstance(base, Value):
            yield later, base, 1

    def _together(self, first: Value, one: float, second: Value, two: float, sign: int,
                  emit: Emit) -> Value | None:
        """``first + sign * second`` as a multiple of one of them, if they are ``one`` and ``two``
        times the same."""
        same, numbers = first is second, (one, two, one + sign * two)
        if 0 in numbers or not all(map(math.isfinite, numbers)) or not (
                same or min(self.uses[first], self.uses[second]) <= 1):
            return None
        ways = [self._multiple(first, 1 + sign * two / one, same),
                self._multiple(second, one / two + sign, same)]
        number, rest, _ = min(ways, key=lambda way: way[2])
        if len(repr(number)) > _DIGITS:
            return None
        total = rest if number == 1 else self.scaled(number, rest, emit, 2 if same else 1)
        return total if isinstance(total, Value) and same_type(total, first) else None

    def _multiple(self, value: Value, number: float, same: bool) -> tuple[float, Value, int]:
        """``number * value`` as a number and a value, and how many nodes it takes that nothing
        else needs."""
        first, second = sorted(self.factors(value) or (None, None), key=self.size)
        inner = self.number(first)
        if inner is not None and isinstance(second, Value) and same_type(second, value):
            number, value = float(number * inner), second
        return number, value, (number != 1) + (0 if same else self._taken(value))

    def _taken(self, value: Any, depth: int = _DEPTH) -> int:
        node = self.made(value)
        if node is None or not depth or self.uses[value] > 1 or not _is_product(node):
            return 0
        return 1 + sum(self._taken(v, depth - 1) for v in node.inputs)

    def product(self, operand: Any, depth: int = _DEPTH) -> Product:
        """An operand as a number times powers of factors."""
        found = self._known.get((operand, depth))
        if found is None:
            node, number = self.made(operand), None
            if node is None or node.op == "const":
                number = self.number(operand)
            if number is not None:
                found = float(number), {}
            elif node is not None and depth and _is_product(node) and _is_inexact(node.out):
                found = self._multiplied(node, depth)
            found = self._known[operand, depth] = found or (1.0, {
                operand if node is None or len(node.outputs) > 1 else key_of(node) or operand: 1})
        return found

    def _multiplied(self, node: Node, depth: int) -> Product | None:
        """The factors of the operands of a product; None if that is none of powers of values."""
        fn, (first, *rest) = call_of(node), node.operands
        if not all(isinstance(v, Value) or self.number(v) is not None for v in (first, *rest)):
            return None  # a constant array, or what becomes one
        found, powers = self.product(first, depth - 1)
        if fn in NEG:
            return -found, powers
        if fn in POWERS:
            power = self.number(rest[0])
            if type(power) is not int or not 1 < power < 5:
                return None
            return found ** power, {v: n * power for v, n in powers.items()}
        other, more = self.product(rest[0], depth - 1)
        if fn in DIV and not other:
            return None
        sign, merged = -1 if fn in DIV else 1, dict(powers)
        for v, n in more.items():
            merged[v] = merged.get(v, 0) + sign * n
        return found * other ** sign, {v: n for v, n in merged.items() if n}


def repeated(store: Node, inputs: tuple[Value, ...], emit: Emit) -> Value:
    """What a store of the same kind, of the same statement, makes of other inputs."""
    emit.nodes.append(store.but(inputs=inputs, outputs=(store.out.like(),)))
    return emit.nodes[-1].out


def _is_product(node: Node) -> bool:
    fn = call_of(node)
    return not node.params.get("kwargs") and (
        fn in MUL or fn in DIV or fn in NEG or fn in POWERS)


def _is_inexact(value: Value) -> bool:
    return value.aval.is_numeric and value.aval.dtype is not None and (
        value.aval.dtype.kind in "fc")


def _sign(node: Node) -> int:
    """1 where a node adds its second operand to its first, -1 where it takes it away, else 0."""
    if node.op in ("acc", "update"):
        return 0 if node.params["steps"] else added(node)
    return int(call_of(node) in ADD) - int(call_of(node) in SUB)
