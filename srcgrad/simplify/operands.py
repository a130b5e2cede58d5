"""What passes know about the operands of a node."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..graph.equality import key_of
from ..graph.ir import Node, Value, only_index
from ..types.kinds import FLOAT, SCALARS, Kind, same_dtypes
from ..types.quotients import quotient
from .places import widens
from .rewriting import Emit, Rewriter, call_of

MUL = frozenset({operator.mul, np.multiply})
DIV = frozenset({operator.truediv, np.divide, quotient})
ADD = frozenset({operator.add, np.add})
SUB = frozenset({operator.sub, np.subtract})
NEG = frozenset({operator.neg, np.negative})



def division(node: Node) -> Callable[..., Any]:
    """What divides as a node does, but for NumPy's spelling."""
    return quotient if call_of(node) is quotient else operator.truediv


class Operands(Rewriter):
    """A walk that looks through values at the nodes that made them."""

    def made(self, operand: Any) -> Node | None:
        """The node that makes an operand, if it is a value."""
        return self.defined.get(operand) if type(operand) is Value else None

    def number(self, operand: Any) -> int | float | None:
        """The operand as a plain Python number, if it is one."""
        if type(operand) is Value:
            node = self.defined.get(operand)
            operand = node.params["value"] if node is not None and node.op == "const" else None
        return operand if type(operand) in (int, float) else None

    def negated(self, operand: Any) -> Value | None:
        """What the operand is the negative of."""
        node = self.made(operand)
        return node.inputs[0] if node is not None and call_of(node) in NEG else None

    def factors(self, operand: Any) -> tuple[Any, Any] | None:
        node = self.made(operand)
        if node is None or call_of(node) not in MUL:
            return None
        first, second = node.operands
        return first, second

    def is_zero(self, value: Value) -> bool:
        node = self.defined.get(value)
        if node is None:
            return False
        if node.op == "const":
            return type(node.params["value"]) in (int, float) and node.params["value"] == 0
        return call_of(node) in (np.zeros_like, np.zeros)

    def is_never_zero(self, node: Node | None) -> bool:
        """Is it ``np.where(x == 0, 1, x)``?"""
        if call_of(node) is not np.where or node is None or len(node.operands) != 3:
            return False
        test, number, other = node.operands
        asked = self.made(test)
        return bool(self.number(number)) and asked is not None and (
            call_of(asked) in (operator.eq, np.equal) and asked.operands[0] is other
            and self.number(asked.operands[1]) == 0)

    def equal(self, a: Value, b: Value) -> bool:
        return a is b or self.identity(a) == self.identity(b)

    def identity(self, value: Value) -> Any:
        """What equal values have in common: the operation that made them, or themselves."""
        node = self.defined.get(value)
        key = key_of(node) if node is not None and node.op == "apply" else None
        # the place tells two results of one call apart
        return value if node is None or key is None else (key, node.outputs.index(value))

    def doubled(self, value: Value, emit: Emit) -> Value:
        double = self.scaled(2.0, value, emit, 2)
        return double if isinstance(double, Value) else emit.const(double, FLOAT)

    def scaled(self, number: float, value: Any, emit: Emit, uses: int = 1) -> Any:
        """``number * value`` as an operand, a number if both are, with few multiplications of
        arrays; ``value`` has at most ``uses`` uses if it need not be kept."""
        known = self.number(value)
        if known is not None:
            return float(number * known)
        factors = self.factors(value)
        if factors is not None and self.uses[value] <= uses:
            first, second = sorted(factors, key=self.size)
            inner = self.number(first)
            if inner is not None:
                product = float(number * inner)
                same = product == 1.0 and isinstance(second, Value) and same_type(second, value)
                return second if same else self.times(product, second, emit)
            return emit.call(operator.mul, self.scaled(number, first, emit), second)
        negated, divided = self.negated(value), self.defined.get(value)
        if negated is not None and self.uses[value] <= uses:
            return self.scaled(-number, negated, emit)
        if call_of(divided) in DIV and divided is not None and self.has_number(value):
            above, below = divided.operands
            return emit.call(division(divided), self.scaled(number, above, emit), below)
        wide = self.widening(value)
        if wide is not None and self.uses[value] <= uses:
            return self.widened(wide, self.scaled(number, wide.inputs[0], emit), emit)
        return self.times(number, value, emit)

    @staticmethod
    def times(number: float, value: Any, emit: Emit) -> Value:
        if number == -1.0 and is_real(value):
            return emit.call(operator.neg, value)
        return emit.call(operator.mul, number, value)

    def has_number(self, value: Any) -> bool:
        """Does a number scale a product or quotient that nothing else uses?"""
        node = self.made(value)
        if node is None or self.uses[value] > 1 or not is_real(value):
            return False
        if self.widening(value) is not None or self.negated(value) is not None:
            return self.has_number(node.inputs[0])
        if call_of(node) not in MUL and call_of(node) not in DIV:
            return False
        first, second = node.operands
        if call_of(node) in MUL:
            first, second = sorted((first, second), key=self.size)
        return self.number(first) is not None or self.has_number(first)

    def widening(self, value: Any) -> Node | None:
        """The node that gives an array more axes of one element, and does nothing else."""
        node = self.made(value)
        if call_of(node) is np.expand_dims:
            return node
        if node is None or node.op != "read" or node.params.get("handle"):
            return None
        index = only_index(node)
        return node if index is not None and None in index.parts and widens(index) else None

    @staticmethod
    def widened(node: Node, value: Value, emit: Emit) -> Value:
        """``value`` with the axes that a node adds."""
        new = node.but(inputs=(value, *node.inputs[1:]), outputs=(Value(node.out.aval),))
        emit.nodes.append(new)
        return new.out

    def size(self, operand: Any) -> tuple[int, int]:
        """How large an operand is, and how often it changes."""
        return weight(operand), self.depth(operand) if isinstance(operand, Value) else -1

    def signed(self, value: Any) -> tuple[Node, int] | None:
        """The product, quotient, sum or widening that has a sign or a number in it that may take
        another sign, and where; None if there is none, or something else reads what it is."""
        node = self.made(value)
        if node is None or self.uses[value] > 1 or not is_real(value):
            return None
        fn = call_of(node)
        if fn in NEG or fn is np.sum or self.widening(value) is node:
            inside = fn in NEG or self.signed(node.inputs[0]) is not None
            return (node, 0) if inside else None
        if (fn not in MUL and fn not in DIV) or node.params["kwargs"]:
            return None
        for place, operand in enumerate(node.operands[:2 if fn in MUL else 1]):
            number = self.number(operand)
            if (number is not None and number < 0) or self.signed(operand) is not None:
                return node, place
        return None

    def turned(self, value: Value, emit: Emit) -> Value:
        """``-value`` by the sign that :meth:`signed` has found."""
        node, place = self.signed(value) or (None, 0)
        assert node is not None, "there is a sign"
        if call_of(node) in NEG:
            return node.inputs[0]
        if node.op != "apply":
            return self.widened(node, self.turned(node.inputs[0], emit), emit)
        operands = [*node.operands]
        number = self.number(operands[place])
        if number == -1 and call_of(node) in MUL and same_type(operands[1 - place], value):
            return operands[1 - place]  # type: ignore[no-any-return]
        operands[place] = self.turned(operands[place], emit) if number is None else -float(number)
        return emit.call(node.params["fn"], *operands, **node.params["kwargs"])

    def minus(self, value: Value, emit: Emit) -> Value:
        """``-value``, by the sign of a factor where there is a small one."""
        negated = self.negated(value)
        if negated is not None:
            return negated
        if self.signed(value) is not None:
            return self.turned(value, emit)
        factors = self.factors(value)
        if factors is not None and self.uses[value] <= 1:
            first, second = sorted(factors, key=self.size)
            number = self.number(first)
            if number is not None:
                return emit.call(operator.mul, -float(number), second)
            if weight(first) < weight(second):
                return emit.call(operator.mul, self.minus(first, emit), second)
        return emit.call(operator.neg, value)


def same_type(value: Value, out: Value) -> bool:
    """Do the two stand for the same kind of thing?  Scalars of one dtype do."""
    a, b = value.aval, out.aval
    if a.kind in SCALARS and b.kind in SCALARS:
        return same_dtypes(a, b)
    return a.kind is b.kind and same_dtypes(a, b) and a.shape == b.shape


def weight(operand: Any) -> int:
    """How large an operand is: numbers, scalars, then arrays by the number of their axes that have
    more than one element."""
    if not isinstance(operand, Value):
        return -1
    if operand.aval.kind in SCALARS:
        return 0
    shape = operand.aval.shape
    return 9 if shape is None else 1 + len(shape) - shape.count(1)


def is_real(operand: Any) -> bool:
    return isinstance(operand, Value) and operand.aval.dtype is not None and (
        operand.aval.dtype.kind == "f") and operand.aval.kind is not Kind.LIST
