"""Comparisons of known numbers, and what they choose.

    1.0 == 0                       ->  False
    False & c                      ->  False
    np.where(False, a, b)[()]      ->  b
    np.isnan(a)                    ->  math.isnan(a), of a number
    ~c                             ->  not c, of a truth value of Python's
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..graph.ir import Index, Node, Value
from ..types.kinds import BOOL, SCALARS, Kind
from .operands import Operands, is_real, same_type
from .rewriting import Emit, call_of

COMPARISONS: frozenset[Callable[..., Any]] = frozenset({
    operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge})


class KnownNumbers(Operands):
    """What becomes of tests of numbers, and of choices by them."""

    def tested(self, fn: Callable[..., Any], operands: Sequence[Any], emit: Emit) -> Value | None:
        """What stands for a comparison, a question, a negation or a conjunction."""
        if fn is np.isnan:
            return emit.call(math.isnan, *operands) if is_real(operands[0]) and (
                operands[0].aval.kind in SCALARS) else None
        if fn is operator.invert:
            return emit.apply(operator.not_, tuple(operands), {}, BOOL) if isinstance(
                operands[0], Value) and operands[0].aval.kind is Kind.BOOL else None
        if fn is not operator.and_:
            first, second = map(self.number, operands)
            return None if first is None or second is None else emit.const(
                fn(first, second), BOOL)
        if not all(isinstance(part, Value) and part.aval.kind is Kind.BOOL for part in operands):
            return None
        first, second = operands
        for test, other in ((first, second), (second, first)):
            answer = self._answer(test)
            if answer is not None:
                return other if answer else test  # type: ignore[no-any-return]
        return None

    def _answer(self, test: Any) -> bool | None:
        """What a test is known to be."""
        made = self.made(test)
        known = made.params["value"] if made is not None and made.op == "const" else None
        return known if type(known) is bool else None

    def chosen(self, node: Node) -> Value | None:
        """What ``np.where`` chooses, where that is known."""
        return self._decided(node, node.out)

    def number_chosen(self, node: Node) -> Value | None:
        """The number that ``np.where`` chooses, where it is read and known."""
        made = self.made(node.inputs[0])
        return self._decided(made, node.out) if made is not None and call_of(made) is np.where and (
            node.params["steps"] == (Index(()),)) else None

    def _decided(self, node: Node, like: Value) -> Value | None:
        answer = self._answer(node.operands[0]) if len(node.operands) == 3 else None
        found = None if answer is None else node.operands[1 if answer else 2]
        return found if isinstance(found, Value) and same_type(found, like) else None
