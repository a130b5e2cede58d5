"""Algebra and strength reduction among adjoint nodes.

Only the adjoint part is rewritten: last bits of a derivative may change, of a value never.

    a * 1, a / 1, a + 0            ->  a
    (-a) * b, (-a) / b, sum(-a)    ->  -(a * b), ...
    buffer[s] += -a                ->  buffer[s] -= a
    a + (-b)                       ->  a - b
    q = a / c; (a * b) / c         ->  q * b
    m + m                          ->  2.0 * m
    b[s] += m; b[s] += m           ->  b[s] += 2.0 * m
    (a * 2.0) * 3.0                ->  a * 6.0
    2.0 * ct * x                   ->  (2.0 * ct) * x, numbers first
    sum(a * b)                     ->  a @ b, vdot(a, b)
    reshape, transpose, sum_to, broadcast_to, astype that change nothing  ->  the operand
    zeros[s] += a                  ->  zeros[s] = a
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..graph.ir import Graph, Index, Node, Ref, Value, fill
from ..kinds import SCALARS, Kind
from ..spelling import Attribute, Method
from .rewriting import Emit, Rewriter, call_of, same_shape
from .share import key_of, place_key

_MUL = frozenset({operator.mul, np.multiply})
_DIV = frozenset({operator.truediv, np.divide})
_ADD = frozenset({operator.add, np.add})
_SUB = frozenset({operator.sub, np.subtract})
_NEG = frozenset({operator.neg, np.negative})
_RESHAPING = frozenset({np.reshape, np.broadcast_to, Method("reshape")})
_TRANSPOSING = frozenset({np.transpose, Attribute("T"), Method("transpose")})


def reduce_strength(graph: Graph) -> Graph:
    """The graph with simpler adjoint arithmetic.

    >>> from srcgrad.graph.ir import Builder
    >>> from srcgrad.kinds import FLOAT
    >>> b = Builder()
    >>> x = b.param(FLOAT, "x")
    >>> minus = b.apply(operator.neg, (x,), {}, FLOAT)
    >>> y = b.apply(operator.sub, (x, minus), {}, FLOAT)
    >>> reduce_strength(Graph("g", b.block((y,)), border=0)).block.nodes[-1].params["fn"]
    <built-in function add>
    """
    return _Algebra().run(graph)


class _Algebra(Rewriter):
    def __init__(self) -> None:
        super().__init__()
        self._quotients: list[dict[tuple[Value, Value], Value]] = [{}]  # per enclosing block

    def enter(self) -> None:
        self._quotients.append({})

    def leave(self) -> None:
        self._quotients.pop()

    def visit(self, node: Node, emit: Emit) -> Sequence[Value] | None:
        if node.op in ("acc", "update") and node.params["steps"]:
            found = self._twice(node, emit)
            if found is None and node.op == "acc":
                found = self._acc(node, emit)
        elif node.op == "acc":
            found = self._acc(node, emit)
        elif call_of(node) is not None:
            found = self._apply(node, emit)
        else:
            found = None
        return None if found is None else [found]

    # ---- what values are -----------------------------------------------------------------------

    def _number(self, operand: Any) -> int | float | None:
        """The operand as a plain Python number, if it is one."""
        if isinstance(operand, Value):
            node = self.defined.get(operand)
            operand = node.params["value"] if node is not None and node.op == "const" else None
        return operand if type(operand) in (int, float) else None

    def _negated(self, operand: Any) -> Value | None:
        """What the operand is the negative of."""
        node = self.defined.get(operand) if isinstance(operand, Value) else None
        if node is None or call_of(node) not in _NEG:
            return None
        return node.inputs[0]

    def _factors(self, operand: Any) -> tuple[Any, Any] | None:
        node = self.defined.get(operand) if isinstance(operand, Value) else None
        if node is None or call_of(node) not in _MUL:
            return None
        first, second = self._operands(node)
        return first, second

    @staticmethod
    def _operands(node: Node) -> tuple[Any, ...]:
        operands: tuple[Any, ...] = fill(node.params["args"], node.inputs)
        return operands

    # ---- additions into buffers ----------------------------------------------------------------

    def _acc(self, node: Node, emit: Emit) -> Value | None:
        base, value = node.inputs[:2]
        steps = node.params["steps"]
        basic = all(isinstance(s, Index) and s.basic for s in steps)
        if not steps:
            if self._equal(base, value):
                return self._doubled(base, emit)
            if self._is_zero(value) and _same_type(base, node.out):
                return base
            if self._is_zero(base) and same_shape(value.aval, base.aval) and (
                    value.aval.dtype == base.aval.dtype):
                return value
        negated = self._negated(value)
        if negated is not None and basic:
            if not steps and base.aval.kind in SCALARS:
                return emit.call(operator.sub, base, negated)
            return self._stored(node, "update", negated, emit, fn=operator.isub)
        if steps and self._cleared(node) is not None:
            return self._written(node, emit)
        if steps and basic and self._is_zero(base) and base.aval.is_array:
            return self._stored(node, "write", value, emit)
        return None

    def _cleared(self, node: Node) -> Node | None:
        """The write of zeros to the very place that an ``acc`` adds to, no place twice."""
        before = self.defined.get(node.inputs[0])
        if before is None or before.op != "write" or self.uses[node.inputs[0]] > 1:
            return None
        if not self._is_zero(before.inputs[1]) or place_key(before) != place_key(node):
            return None
        for step in node.params["steps"]:
            if not isinstance(step, Index):
                return None
            if not step.basic:
                key = fill(step.key, node.inputs)
                if not (isinstance(key, Value) and key.aval.dtype == bool and key.aval.is_array):
                    return None
        return before

    def _written(self, node: Node, emit: Emit) -> Value:
        """``x[s] = 0; x[s] += v`` is ``x[s] = v``."""
        before = self._cleared(node)
        assert before is not None
        inputs = (before.inputs[0], *node.inputs[1:])
        new = emit.add("write", inputs, (node.out.aval,), steps=node.params["steps"]).out
        new.hint, new.obj = node.out.hint, node.out.obj
        return new

    def _twice(self, node: Node, emit: Emit) -> Value | None:
        """The same value added to, or taken from, the same place twice in a row."""
        before = self.defined.get(node.inputs[0])
        if before is None or before.op != node.op or before.inputs[1] is not node.inputs[1]:
            return None
        if node.params.get("fn") not in (None, operator.iadd, operator.isub) or (
                node.params.get("fn") is not before.params.get("fn")):
            return None
        if self.uses[node.inputs[0]] > 1 or place_key(before) != place_key(node):
            return None
        double = self._doubled(node.inputs[1], emit)
        inputs = (before.inputs[0], double, *node.inputs[2:])
        new = emit.add(node.op, inputs, (node.out.aval,), **node.params).out
        new.hint, new.obj = node.out.hint, node.out.obj
        return new

    def _stored(self, node: Node, op: str, value: Value, emit: Emit, **params: Any) -> Value:
        inputs = (node.inputs[0], value, *node.inputs[2:])
        new = emit.add(op, inputs, (node.out.aval,), steps=node.params["steps"], **params).out
        new.hint, new.obj = node.out.hint, node.out.obj
        return new

    def _is_zero(self, value: Value) -> bool:
        node = self.defined.get(value)
        if node is None:
            return False
        if node.op == "const":
            return type(node.params["value"]) in (int, float) and node.params["value"] == 0
        return call_of(node) in (np.zeros_like, np.zeros)

    def _equal(self, a: Value, b: Value) -> bool:
        if a is b:
            return True
        first, second = self.defined.get(a), self.defined.get(b)
        if first is None or second is None or first.op != "apply":
            return False
        key = key_of(first)
        return key is not None and key == key_of(second)

    def _doubled(self, value: Value, emit: Emit) -> Value:
        factors = self._factors(value)
        if factors is None or self.uses[value] > 2:
            return emit.call(operator.mul, 2.0, value)
        first, second = sorted(factors, key=_weight)
        return emit.call(operator.mul, emit.call(operator.mul, 2.0, first), second)

    # ---- functions -----------------------------------------------------------------------------

    def _apply(self, node: Node, emit: Emit) -> Value | None:
        fn = call_of(node)
        if node.params["kwargs"]:
            return self._reduced(node, emit) if fn is np.sum else None
        operands = self._operands(node)
        if fn in _MUL:
            return self._product(node, operands, emit)
        if fn in _DIV:
            return self._quotient(node, operands, emit)
        if fn in _ADD or fn in _SUB:
            return self._sum(node, fn, operands, emit)
        if fn in _NEG:
            return self._negated(operands[0])
        if fn in _RESHAPING or fn in _TRANSPOSING:
            return self._rearranged(node, fn, operands)
        if fn is np.sum:
            return self._reduced(node, emit)
        if fn is np.moveaxis and operands[1:] in ((0, 0), (-1, -1)):
            return operands[0]  # type: ignore[no-any-return]
        if fn is np.real and _is_real(operands[0]):
            return operands[0]  # type: ignore[no-any-return]
        if fn == Method("astype") and operands[0].aval.dtype == operands[1]:
            return operands[0]  # type: ignore[no-any-return]
        return None

    def _product(self, node: Node, operands: tuple[Any, ...], emit: Emit) -> Value | None:
        for one, other in (operands, operands[::-1]):
            if self._number(one) == 1 and isinstance(other, Value) and _same_type(other, node.out):
                return other
        for i, operand in enumerate(operands):
            negated = self._negated(operand)
            if negated is not None:
                pair = (negated, operands[1]) if i == 0 else (operands[0], negated)
                return emit.call(operator.neg, emit.call(operator.mul, *pair))
            if self._number(operand) == -1:
                other = operands[1 - i]
                if isinstance(other, Value) and _same_type(other, node.out):
                    return emit.call(operator.neg, other)
        return self._regrouped(operands, emit)

    def _regrouped(self, operands: tuple[Any, ...], emit: Emit) -> Value | None:
        """Numbers first: ``(a * x) * 2.0 -> (2.0 * a) * x`` for a scalar ``a``."""
        for i in (0, 1):
            number = self._number(operands[i])
            factors = self._factors(operands[1 - i])
            if factors is None or self.uses[operands[1 - i]] > 1:
                continue
            if number is None:
                found = self._joined(operands[i], factors, emit)
                if found is not None:
                    return found
                continue
            for known, rest in (factors, factors[::-1]):
                inner = self._number(known)
                if inner is not None and isinstance(rest, Value):
                    return emit.call(operator.mul, float(number * inner), rest)
            first, second = sorted(factors, key=_weight)
            if _weight(first) < _weight(second):
                return emit.call(operator.mul, emit.call(operator.mul, number, first), second)
        return None

    def _joined(self, scalar: Any, factors: tuple[Any, Any], emit: Emit) -> Value | None:
        """``a * (2.0 * x) -> (2.0 * a) * x`` for a scalar ``a`` and an array ``x``."""
        for known, rest in (factors, factors[::-1]):
            if self._number(known) is not None and _weight(scalar) < _weight(rest):
                return emit.call(operator.mul, emit.call(operator.mul, known, scalar), rest)
        return None

    def _quotient(self, node: Node, operands: tuple[Any, ...], emit: Emit) -> Value | None:
        if self._number(operands[1]) == 1 and isinstance(operands[0], Value) and (
                _same_type(operands[0], node.out)):
            return operands[0]
        negated = self._negated(operands[0])
        if negated is not None:
            return emit.call(operator.neg, emit.call(operator.truediv, negated, operands[1]))
        factors = self._factors(operands[0])
        if factors is not None and self.uses[operands[0]] <= 1:
            for one, other in (factors, factors[::-1]):
                known = self._known_quotient(one, operands[1])
                if known is not None:
                    return emit.call(operator.mul, known, other)
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
        negated = self._negated(second)
        if negated is not None:
            return emit.call(operator.sub if fn in _ADD else operator.add, first, negated)
        if fn in _ADD and (negated := self._negated(first)) is not None:
            return emit.call(operator.sub, second, negated)
        if self._number(second) == 0 and isinstance(first, Value) and _same_type(first, node.out):
            return first
        return None

    def _rearranged(self, node: Node, fn: Any, operands: tuple[Any, ...]) -> Value | None:
        operand = operands[0]
        if not isinstance(operand, Value):
            return None
        if fn in _RESHAPING:
            same = operand.aval.shape == node.out.aval.shape and _same_type(operand, node.out)
            return operand if same else None
        inner = self.defined.get(operand)
        if inner is not None and call_of(inner) in _TRANSPOSING and len(operands) == 1 and (
                len(self._operands(inner)) == 1 and not inner.params["kwargs"]):
            return inner.inputs[0]
        return None

    def _inner_product(self, node: Node, emit: Emit) -> Value | None:
        """``sum(a * b)`` of two arrays of one shape is ``a @ b``, or ``vdot``."""
        factors = self._factors(node.inputs[0])
        if factors is None or node.params["args"] != (Ref(0),) or node.params["kwargs"] or (
                self.uses[node.inputs[0]] > 1):
            return None
        first, second = factors
        if not _is_vector_like(first, second):
            return None
        fn = operator.matmul if len(first.aval.shape) == 1 else np.vdot
        return emit.call(fn, first, second)

    def _reduced(self, node: Node, emit: Emit) -> Value | None:
        """A sum of a negative; a sum of a scalar."""
        operand = node.inputs[0]
        if operand.aval.kind in SCALARS and _same_type(operand, node.out):
            return operand
        negated = self._negated(operand)
        if negated is None:
            return self._inner_product(node, emit)
        args = fill(node.params["args"], [negated, *node.inputs[1:]])
        kwargs = fill(node.params["kwargs"], [negated, *node.inputs[1:]])
        return emit.call(operator.neg, emit.call(np.sum, *args, **kwargs))


def _is_vector_like(a: Any, b: Any) -> bool:
    """Two real arrays of certainly the same shape, of rank 1 or more?"""
    return (_is_real(a) and _is_real(b) and a.aval.is_array and b.aval.is_array
            and bool(a.aval.shape) and a.aval.shape == b.aval.shape
            and a.aval.dtype == b.aval.dtype)


def _same_type(value: Value, out: Value) -> bool:
    """Do the two stand for the same kind of thing?  Scalars of one dtype do."""
    a, b = value.aval, out.aval
    if a.kind in SCALARS and b.kind in SCALARS:
        return a.dtype == b.dtype
    return a.kind is b.kind and a.dtype == b.dtype and a.shape == b.shape


def _weight(operand: Any) -> int:
    """How large an operand is: numbers, scalars, then arrays by rank."""
    if not isinstance(operand, Value):
        return -1
    if operand.aval.kind in SCALARS:
        return 0
    return 9 if operand.aval.shape is None else 1 + len(operand.aval.shape)


def _is_real(operand: Any) -> bool:
    return isinstance(operand, Value) and operand.aval.dtype is not None and (
        operand.aval.dtype.kind == "f") and operand.aval.kind is not Kind.LIST
