"""Algebra and strength reduction among adjoint nodes.

Only the adjoint part is rewritten: last bits of a derivative may change, of a value never.

    a * 1, a / 1, a + 0            ->  a
    (-a) * b, (-a) / b, sum(-a), roll(-a, 1)  ->  -(a * b), ...
    a + (-b)                       ->  a - b
    q = a / c; (a * b) / c         ->  q * b
    a * m + m * a                  ->  2.0 * (a * m)
    a ** 3, a ** 4                 ->  a * a * a, s * s with s = a * a
    (a * 2.0) * 3.0                ->  a * 6.0
    2.0 * ct * x                   ->  (2.0 * ct) * x, numbers first
    (a.T @ b).T                    ->  b.T @ a
    reshape, transpose, sum_to, broadcast_to, astype that change nothing  ->  the operand
    o = 1 / c; a / c               ->  a * o
    (-a) @ b                       ->  -(a @ b)
    (2.0 * a) * (0.5 * b)          ->  a * b
    (2.0 / a) * b                  ->  (2.0 * b) / a
    2.0 * (a / 4.0)                ->  0.5 * a
    (a / b) * b                    ->  a
    -(2.0 * (-a)[:, None] * b)     ->  2.0 * a[:, None] * b
    p = 2.0 * x; 2.0 * (a * x)     ->  a * p
    p = a @ b; (2.0 * a) @ b       ->  2.0 * p

and what :mod:`.sums`, :mod:`.stores` and :mod:`.like_terms` do.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..graph.ir import Block, Graph, Node, Ref, Value
from ..types.kinds import FLOAT, SCALARS, Kind, same_dtypes
from ..types.spelling import Method
from .known_numbers import COMPARISONS, KnownNumbers
from .like_terms import POWERS
from .operands import ADD, DIV, MUL, NEG, SUB, division, is_real, same_type, weight
from .rewriting import Emit, call_of
from .sums import Sums
from .turns import TRANSPOSING, order_of_axes

_MATMUL = frozenset({operator.matmul, np.matmul, np.dot, np.vdot})
_RESHAPING = frozenset({np.reshape, np.broadcast_to, np.ravel, Method("reshape")})


def reduce_strength(graph: Graph) -> Graph:
    """The graph with simpler adjoint arithmetic.

    >>> from srcgrad.graph.ir import Builder
    >>> from srcgrad.types.kinds import FLOAT
    >>> b = Builder()
    >>> x = b.param(FLOAT, "x")
    >>> minus = b.apply(operator.neg, (x,), {}, FLOAT)
    >>> y = b.apply(operator.sub, (x, minus), {}, FLOAT)
    >>> reduce_strength(Graph("g", b.block((y,)), border=0)).block.nodes[-1].params["fn"]
    <built-in function add>
    """
    return _Algebra().run(graph)


class _Algebra(Sums, KnownNumbers):
    def __init__(self) -> None:
        super().__init__()
        self._quotients: list[dict[tuple[Value, Value], Value]] = [{}]  # per enclosing block
        self._reciprocals: dict[Value, Value] = {}
        self._multiples: dict[tuple[float, Value], Value] = {}
        self._products: dict[tuple[Any, ...], Value] = {}

    def enter(self, block: Block) -> None:
        self._quotients.append({})

    def leave(self) -> None:
        self._quotients.pop()

    def note(self, node: Node) -> None:
        super().note(node)
        fn = call_of(node)
        if fn in DIV and len(node.inputs) == 1 and not node.params["kwargs"]:
            numerator, divisor = node.operands
            if numerator == 1 and isinstance(divisor, Value) and self.is_beside(node, divisor):
                self._reciprocals.setdefault(divisor, node.out)
        elif fn in MUL and len(node.inputs) <= 2:
            number, value = sorted(node.operands, key=weight)
            known = self.number(number)
            if known is not None and isinstance(value, Value) and same_type(value, node.out) and (
                    value.aval.is_array and self.is_beside(node, value)):
                self._multiples.setdefault((float(known), value), node.out)
        elif fn is operator.matmul and (factors := self._matrices(node.out)) is not None and any(
                self.is_beside(node, v) for v in node.inputs):
            self._products.setdefault(factors, node.out)

    def visit(self, node: Node, emit: Emit) -> Sequence[Value] | None:
        fn, found = call_of(node), None
        if fn is not None and node.out.aval.is_numeric:
            found = self._apply(node, fn, emit)
        elif node.op in ("acc", "update"):
            found = self.store(node, emit)
        elif node.op == "read" and not node.params.get("handle"):
            found = self.number_chosen(node) or self.part(node, emit)
        return None if found is None else [found]

    # ---- functions -----------------------------------------------------------------------------

    def _apply(self, node: Node, fn: Any, emit: Emit) -> Value | None:
        if node.params["kwargs"]:
            return self.reduced(node, emit) if fn is np.sum else None
        operands = node.operands
        if (fn in MUL or fn in ADD) and (bare := self._number_widened(node, operands)) is not None:
            return emit.call(fn, *bare)
        if fn in MUL:
            return self._product(node, operands, emit)
        if fn in DIV:
            return self._quotient(node, operands, emit)
        if fn in ADD or fn in SUB:
            return self._sum(node, fn, operands, emit)
        if fn in NEG:
            return self.turned(operands[0], emit) if self.signed(operands[0]) else (
                self.negated(operands[0]))
        if fn in POWERS:
            return self._power(node, operands, emit)
        if fn in _RESHAPING:
            return self._reshaped(node, fn, operands)
        if fn in TRANSPOSING or fn in (np.moveaxis, np.swapaxes):
            return self._rearranged(fn, operands, emit)
        if fn in _MATMUL:
            return self._matmul(node, fn, operands, emit)
        if fn is np.sum:
            return self.reduced(node, emit)
        if fn in COMPARISONS or fn in (operator.and_, operator.invert, np.isnan):
            return self.tested(fn, operands, emit)
        if fn is np.where:
            return self.chosen(node)
        if fn is np.roll and (negated := self.negated(operands[0])) is not None:
            return emit.call(operator.neg, emit.call(np.roll, negated, *operands[1:]))
        if fn is np.real and is_real(operands[0]):
            return operands[0]  # type: ignore[no-any-return]
        if fn == Method("astype") and operands[0].aval.dtype == operands[1] and (
                operands[0].aval.least is None):
            return operands[0]  # type: ignore[no-any-return]
        return None

    def _power(self, node: Node, operands: tuple[Any, ...], emit: Emit) -> Value | None:
        """``x ** 3`` of an array as products: NumPy takes many times as long for such a power."""
        base, exponent = operands[0], self.number(operands[1])
        if exponent not in (3, 4) or not is_real(base) or not base.aval.is_array or (
                not same_type(base, node.out)):
            return None
        square = emit.call(operator.mul, base, base)
        return emit.call(operator.mul, square, base if exponent == 3 else square)

    def _product(self, node: Node, operands: tuple[Any, ...], emit: Emit) -> Value | None:
        numbers = [self.number(operand) for operand in operands]
        if None not in numbers and node.out.aval.dtype == float:
            return emit.const(float(numbers[0] * numbers[1]), FLOAT)  # type: ignore[operator]
        for one, other in (operands, operands[::-1]):
            if self.number(one) == 1 and isinstance(other, Value) and same_type(other, node.out):
                return other
            if self.number(one) == 1 and isinstance(other, Value) and (
                    other.aval.kind is Kind.INT and node.out.aval.dtype == float):
                return emit.call(float, other)
        for i, operand in enumerate(operands):
            negated = self.negated(operand)
            if negated is not None:
                pair = (negated, operands[1]) if i == 0 else (operands[0], negated)
                return emit.call(operator.neg, emit.call(operator.mul, *pair))
            if self.number(operand) == -1:
                other = operands[1 - i]
                if isinstance(other, Value) and same_type(other, node.out):
                    return emit.call(operator.neg, other)
        return self._with_quotient(node, operands, emit) or self._regrouped(operands, emit)

    def _with_quotient(self, node: Node, operands: tuple[Any, ...], emit: Emit) -> Value | None:
        """``(2.0 / a) * b`` as ``(2.0 * b) / a``, ``2.0 * (a / 4.0)`` as ``0.5 * a``, and
        ``a / b * b`` as ``a``."""
        for one, other in (operands, operands[::-1]):
            quotient = self.made(one)
            if quotient is None or call_of(quotient) not in DIV or (
                    quotient.params["kwargs"] or not is_real(one)):
                continue
            above, below = quotient.operands
            if below is other and is_real(above) and same_type(above, node.out):
                return above  # type: ignore[no-any-return]
            if self.uses[one] > 1:
                continue
            number, divisor = self.number(above), self._divisor(quotient)
            if number is not None and isinstance(other, Value) and isinstance(below, Value) and (
                    below.aval.is_array and weight(below) >= weight(other)):
                scaled = other if number == 1 else self.scaled(number, other, emit)
                return emit.call(division(quotient), scaled, below)
            number = self.number(other)
            if divisor is not None and number is not None:
                found = above if number == divisor else self.scaled(number / divisor, above, emit)
                known = isinstance(found, Value) and same_type(found, node.out)
                return found if known else None
        return None

    def _divisor(self, quotient: Node) -> float | None:
        """The number that a quotient divides by, where it only sets the scale."""
        above, below = quotient.operands
        node = self.made(below)
        number = node.params["value"] if node is not None and node.op == "const" else below
        plain = isinstance(number, int | float) and not isinstance(number, bool)
        if not plain or number == 0 or not isinstance(above, Value) or (
                not is_real(above) or not same_type(above, quotient.out)):
            return None
        return float(number)

    def _regrouped(self, operands: tuple[Any, ...], emit: Emit) -> Value | None:
        """Numbers first: ``(a * x) * 2.0 -> (2.0 * a) * x`` for a scalar ``a``."""
        numbers = self._with_numbers(operands)
        if numbers is not None:
            return self._renumbered(*numbers, emit)
        for i in (0, 1):
            number = self.number(operands[i])
            factors = self.factors(operands[1 - i])
            if number is not None and factors is None and self.has_number(operands[1 - i]):
                return self.scaled(number, operands[1 - i], emit)  # type: ignore[no-any-return]
            if factors is None or self.uses[operands[1 - i]] > 1:
                continue
            if number is None:
                found = self._joined(operands[i], factors, emit)
                if found is not None:
                    return found
                continue
            for known, rest in (factors, factors[::-1]):
                inner = self.number(known)
                if inner is not None and isinstance(rest, Value):
                    return emit.call(operator.mul, float(number * inner), rest)
                multiple = self._multiples.get((float(number), rest))
                if multiple is not None:
                    return emit.call(operator.mul, known, multiple)
            first, second = sorted(factors, key=self.size)
            if weight(first) < weight(second):
                return emit.call(operator.mul, self.scaled(number, first, emit), second)
        return None

    def _renumbered(self, factor: float, parts: list[tuple[Any, Node | None]],
                    emit: Emit) -> Value:
        """``factor * parts[0] * parts[1]``; what a node widened is widened again."""
        parts.sort(key=lambda part: self.size(part[0]))
        if factor == -1.0:
            parts[0] = (emit.call(operator.neg, parts[0][0]), parts[0][1])
        elif factor != 1.0:
            parts[0] = (self.scaled(factor, parts[0][0], emit), parts[0][1])
        first, second = (rest if wide is None else self.widened(wide, rest, emit)
                         for rest, wide in parts)
        return emit.call(operator.mul, first, second)

    def _with_numbers(self, operands: tuple[Any, ...]
                      ) -> tuple[float, list[tuple[Any, Node | None]]] | None:
        """``(2.0 * a) * (0.5 * b)`` as ``1.0, a, b``; ``a`` may be widened by ``expand_dims``."""
        parts: list[tuple[Any, Node | None]] = []
        product = 1.0
        for operand in operands:
            wide = self.widening(operand)
            wide = None if wide is None or self.uses[operand] > 1 else wide
            found = self._with_number(operand if wide is None else wide.inputs[0])
            if found is None:
                return None
            product *= found[0]
            parts.append((found[1], wide))
        return float(product), parts

    def _with_number(self, operand: Any) -> tuple[float, Any] | None:
        """``2.0 * a`` as ``2.0, a``, and ``-a`` as ``-1.0, a``, if it is used once."""
        if self.uses[operand] > 1:
            return None
        negated = self.negated(operand)
        if negated is not None:
            inner = self._with_number(negated)
            return (-1.0, negated) if inner is None else (-inner[0], inner[1])
        first, second = sorted(self.factors(operand) or (None, None), key=self.size)
        number = self.number(first)
        return None if number is None else (float(number), second)

    def _joined(self, scalar: Any, factors: tuple[Any, Any], emit: Emit) -> Value | None:
        """``a * (2.0 * x) -> (2.0 * a) * x`` for a scalar ``a`` and an array ``x``."""
        for known, rest in (factors, factors[::-1]):
            number = self.number(known)
            if number is not None and self.size(scalar) < self.size(rest):
                return emit.call(operator.mul, self.scaled(number, scalar, emit), rest)
        return None

    def _quotient(self, node: Node, operands: tuple[Any, ...], emit: Emit) -> Value | None:
        if self.number(operands[1]) == 1 and isinstance(operands[0], Value) and (
                same_type(operands[0], node.out)):
            return operands[0]
        negated = self.negated(operands[0])
        reciprocal = self._reciprocals.get(operands[1])
        if negated is not None or (reciprocal is not None and isinstance(operands[0], Value)):
            above = operands[0] if negated is None else negated
            found = emit.call(division(node), above, operands[1]) if reciprocal is None else (
                emit.call(operator.mul, above, reciprocal))
            return found if negated is None else emit.call(operator.neg, found)
        factors = self.factors(operands[0])
        if factors is not None and self.uses[operands[0]] <= 1:
            for one, other in (factors, factors[::-1]):
                known = self._known_quotient(one, operands[1])
                if known is not None:
                    return emit.call(operator.mul, known, other)
        divisor = self._divisor(node)
        if divisor is not None and self.has_number(operands[0]):
            return self.scaled(1.0 / divisor, operands[0], emit)  # type: ignore[no-any-return]
        if all(isinstance(v, Value) for v in operands):
            self._quotients[-1][operands[0], operands[1]] = node.out
        return None

    def _known_quotient(self, numerator: Any, divisor: Any) -> Value | None:
        if not isinstance(numerator, Value) or not isinstance(divisor, Value):
            return None
        for scope in reversed(self._quotients):
            found = scope.get((numerator, divisor))
            if found is not None:
                return found
        return None

    def _sum(self, node: Node, fn: Any, operands: tuple[Any, ...], emit: Emit) -> Value | None:
        first, second = operands
        negated = self.negated(second)
        if negated is not None:
            return emit.call(operator.sub if fn in ADD else operator.add, first, negated)
        if fn in ADD and (negated := self.negated(first)) is not None:
            return emit.call(operator.sub, second, negated)
        if self.number(second) == 0 and isinstance(first, Value) and same_type(first, node.out):
            return first
        return self.like_terms(node, emit)

    def _matmul(self, node: Node, fn: Any, operands: tuple[Any, ...], emit: Emit) -> Value | None:
        """The sign of a factor goes to the product, if that is not larger; so does a number where
        the product without it is known."""
        for i, operand in enumerate(operands):
            number, rest = sorted(self.factors(operand) or (None, None), key=self.size)
            if self.number(number) is not None and isinstance(operands[1 - i], Value) and (
                    fn is operator.matmul):
                known = self._products.get((rest, operands[1]) if i == 0 else (operands[0], rest))
                if known is not None:
                    return emit.call(operator.mul, self.number(number), known)
            negated = self.negated(operand)
            if negated is not None and self.uses[operand] <= 1 and (
                    weight(node.out) <= weight(operand)):
                pair = (negated, operands[1]) if i == 0 else (operands[0], negated)
                return emit.call(operator.neg, emit.call(fn, *pair))
        return None

    def _number_widened(self, node: Node, operands: Sequence[Any]) -> tuple[Any, Any] | None:
        """The operands with a number in the place of an array of one element that has no more axes
        than the other one."""
        for one, other in (operands, operands[::-1]):
            wide = self.made(one)
            if wide is not None and call_of(wide) is np.expand_dims and (
                    isinstance(other, Value) and wide.inputs[0].aval.kind in SCALARS
                    and same_type(other, node.out) and one.aval.shape
                    and len(one.aval.shape) <= len(other.aval.shape or ())):
                number = wide.inputs[0]
                return (number, other) if one is operands[0] else (other, number)
        return None

    @staticmethod
    def _reshaped(node: Node, fn: Any, operands: tuple[Any, ...]) -> Value | None:
        operand = operands[0]
        if not isinstance(operand, Value):
            return None
        if fn is np.reshape and _are_vectors(operand, node.out):
            return operand  # its length is right, or the call would raise
        shape = operand.aval.shape  # where a rank is not known, neither is what it changes
        same = shape is not None and shape == node.out.aval.shape and same_type(operand, node.out)
        return operand if same else None

    def _rearranged(self, fn: Any, operands: tuple[Any, ...], emit: Emit) -> Value | None:
        operand = operands[0]
        order = order_of_axes(fn, *operands)
        if order is not None and order == sorted(order):
            return operand  # type: ignore[no-any-return]
        if order is not None and len(operands) > 1 and order == sorted(order)[::-1]:
            return emit.call(np.transpose, operand)
        inner = self.made(operand)
        if inner is None or len(operands) != 1:
            return None
        turned = self._turned(inner)
        return self._turned_product(inner, emit) if turned is None else turned

    def _turned(self, node: Node | None) -> Value | None:
        """The array that a node transposes, all axes of it.  (A list of arrays is none.)"""
        if node is None or call_of(node) not in TRANSPOSING or node.params["kwargs"] or (
                node.params["args"] != (Ref(0),)):
            return None
        return node.inputs[0] if node.inputs[0].aval.is_array else None

    def _turned_product(self, node: Node, emit: Emit) -> Value | None:
        """``(a.T @ b).T`` is ``b.T @ a``, for matrices; ``outer(a, b).T`` is ``outer(b, a)``."""
        if call_of(node) is None:
            return None
        negated = self.negated(node.out)
        outer = node if negated is None else self.defined.get(negated)
        if call_of(outer) is np.outer and outer is not None and self.uses[node.out] <= 1:
            first, second = outer.operands
            turned_outer = emit.call(np.outer, second, first)
            return turned_outer if negated is None else emit.call(operator.neg, turned_outer)
        if call_of(node) is not operator.matmul or self.uses[node.out] > 1 or not all(
                v.aval.shape is not None and len(v.aval.shape) == 2 for v in node.inputs):
            return None
        operands = node.operands
        makers = [self.defined.get(v) for v in operands]
        if not any(call_of(m) in TRANSPOSING for m in makers):
            return None
        arrays = map(self._turned, makers)
        turned = [emit.call(np.transpose, v) if array is None else array
                  for array, v in zip(arrays, operands)]
        return emit.call(operator.matmul, turned[1], turned[0])


def _are_vectors(a: Value, b: Value) -> bool:
    """Two arrays of rank 1 and one dtype?"""
    return a.aval.is_array and b.aval.is_array and same_dtypes(a.aval, b.aval) and all(
        v.aval.shape is not None and len(v.aval.shape) == 1 for v in (a, b))
