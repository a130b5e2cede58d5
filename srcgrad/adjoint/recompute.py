"""Forward values that are cheaper to compute again than to save.

Constants, arithmetic and comparisons of Python integers, sizes, views of arrays that are
defined outside the region and never overwritten, and a little arithmetic on numbers.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..graph.ir import Block, Builder, Index, Value, walk
from ..kinds import INT, SCALARS, Aval, Kind, int_aval
from .lengths import Lengths
from .scope import Scope, read_key
from .sizes import Sizes

_CHEAP = frozenset({
    operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, operator.neg,
    operator.pos, operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne,
    operator.not_, min, max, bool, int,
})
_ARITHMETIC = frozenset({operator.add, operator.sub, operator.mul, operator.neg, operator.truediv})
_MAKERS: frozenset[object] = frozenset({
    np.eye, np.identity, np.zeros, np.ones, np.full, np.arange, np.linspace})
_DEAR = 2  # saving a number and reading it again costs about as much as two operations
_INTEGERS = frozenset({Kind.INT, Kind.BOOL})
_STORES = frozenset({"write", "acc", "update", "append", "pop", "put", "insert", "list_acc"})


class Recompute:
    """Clones forward values into backward blocks."""

    def __init__(self, block: Block, scope: Scope, sizes: Sizes) -> None:
        self._scope, self._sizes = scope, sizes
        self._node_of, self._block_of = scope.node_of, scope.block_of
        self.lengths = Lengths(block)
        self._stored: set[Value] = set()
        self._last_store: dict[int, int] = {}
        self._last_list: dict[Value, int] = {}
        self._first: dict[Value, Value] = {}  # of equal reads of numbers
        self._lists: dict[Value, Value] = {}  # lists of numbers that may be one, by one of them
        reads: dict[Any, Value] = {}
        self._unite_lists(block)
        for node in walk(block):
            if node.op == "read" and node.out.aval.kind in SCALARS:
                first = reads.setdefault(read_key(node), node.out)
                if self._block_of[first] is self._block_of[node.out]:
                    self._first[node.out] = first
            if node.op in _STORES:
                base = node.inputs[0]
                self._stored.add(base)
                if base.aval.kind is Kind.LIST:
                    whole = self._list(base)
                    self._last_list[whole] = max(self._last_list.get(whole, 0),
                                                 scope.position[node])
                if base.obj is not None:
                    self._last_store[base.obj] = scope.position[node]

    def _list(self, value: Value) -> Value:
        """What stands for all lists that may be the same object as a list, or hold it."""
        while value in self._lists:
            value = self._lists[value]
        return value

    def _unite_lists(self, block: Block) -> None:
        for node in walk(block):
            together: list[tuple[Value, ...]] = []
            if node.op == "loop":
                spec, body = node.loop, node.blocks[-1]
                first, jump = int(spec.kind == "for"), int(spec.exits)
                inits = node.inputs[spec.first_init:spec.first_init + spec.n_carried]
                together += zip(inits, body.params[first:], body.outputs[jump:],
                                node.outputs[jump:], strict=False)
                if spec.kind == "while":
                    together += zip(inits, node.blocks[0].params, strict=False)
            elif node.op == "if":
                together += zip(node.outputs, *(b.outputs for b in node.blocks), strict=False)
            elif node.op in _STORES or node.op == "get":
                together.append((node.inputs[0], *node.outputs, *(
                    node.inputs[1:2] if node.op != "get" else ())))
            for values in together:
                roots = [self._list(v) for v in values if v.aval.kind is Kind.LIST]
                self._lists.update((r, roots[0]) for r in roots[1:] if r is not roots[0])

    def overwritten(self, base: Value) -> bool:
        """May the object behind ``base`` hold something else later?"""
        if base in self._stored:
            return True
        last = None if base.obj is None else self._last_store.get(base.obj)
        if last is not None and (last > self._scope.made_at(base)
                                 or self._scope.in_loop(self._block_of[base])):
            return True
        if base.aval.kind is Kind.LIST:
            last = self._last_list.get(self._list(base))
            if last is not None and (last > self._scope.made_at(base)
                                     or self._scope.in_loop(self._block_of[base])):
                return True
        node = self._node_of.get(base)
        return node is not None and node.op == "read" and self.overwritten(node.inputs[0])

    def clone(self, value: Value, inside: Block, prelude: Builder,
              known: dict[Value, Value]) -> Value | None:
        """``value``, defined in the forward block ``inside``, computed again in ``prelude``;
        None if that is not cheap.  ``known`` holds what is at hand already."""
        if self._cost(value, inside, known) > _DEAR:
            return None
        return self._clone(value, inside, prelude, known)

    def _cost(self, value: Value, inside: Block, known: Mapping[Value, Value]) -> float:
        """How many operations on numbers a clone takes; infinite if it cannot be had."""
        value = self._first.get(value, value)
        if value in known or self._block_of.get(value) is not inside:
            return 0
        node = self._node_of.get(value)
        if node is None:
            return math.inf
        if node.op == "const" or (value.aval.kind is Kind.INT and self._sizes.computable(
                value.aval.expr, self._sizes.around(inside), known)):
            return 0
        if node.op == "list_len":
            length = self.lengths.of(node.inputs[0])
            return self._cost(length, inside, known) if isinstance(length, Value) else (
                math.inf if length is None else 0)
        if node.op == "apply":
            fn = node.params["fn"]
            if fn in _MAKERS and all(v.aval.kind in SCALARS for v in node.inputs):
                return 1 + sum(self._cost(v, inside, known) for v in node.inputs)
            integers = all(v.aval.kind in _INTEGERS for v in (value, *node.inputs))
            numbers = all(v.aval.kind in SCALARS for v in (value, *node.inputs))
            if not (integers and fn in _CHEAP) and not (
                    numbers and fn in _ARITHMETIC and self._scope.in_loop(inside)):
                return math.inf
            return (not integers) + sum(self._cost(v, inside, known) for v in node.inputs)
        base = node.inputs[0] if node.inputs else value
        if node.op == "get" and self._block_of.get(base) is inside:
            return math.inf
        if node.op == "get" or (node.op == "read" and not node.params.get("handle") and all(
                isinstance(s, Index) and s.basic for s in node.params["steps"])):
            if not self.overwritten(base):
                return 1 + sum(self._cost(v, inside, known) for v in node.inputs)
        return math.inf

    def _clone(self, value: Value, inside: Block, prelude: Builder,
               known: dict[Value, Value]) -> Value:
        value = self._first.get(value, value)
        if value in known:
            return known[value]
        if self._block_of.get(value) is not inside:
            return value
        node = self._node_of[value]
        if node.op != "const" and value.aval.kind is Kind.INT and self._sizes.computable(
                value.aval.expr, self._sizes.around(inside), known):
            new = self._sizes.compute(value.aval.expr, prelude,
                                      self._sizes.around(inside), known)
        elif node.op == "list_len":
            new = self._length(node.inputs[0], inside, prelude, known)
        else:
            inputs = tuple(self._clone(v, inside, prelude, known) for v in node.inputs)
            copy = node.but(inputs=inputs, outputs=(value.like(),), origin=prelude.origin)
            prelude.nodes.append(copy)
            new = copy.out
        known[value] = new
        return new

    def _length(self, value: Value, inside: Block, prelude: Builder,
                known: dict[Value, Value]) -> Value:
        length = self.lengths.of(value)
        if not isinstance(length, Value):
            return prelude.const(length, int_aval(length))
        count = self._clone(length, inside, prelude, known)
        return prelude.apply(max, (0, count), {}, INT) if (
            self.lengths.may_be_negative(length)) else count

    def affine(self, prelude: Builder, start: Value, ordinal: Value, step: Value,
               aval: Aval) -> Value:
        """``start + ordinal * step``."""
        scaled = prelude.apply(operator.mul, (ordinal, step), {}, aval.but(expr=None))
        return prelude.apply(operator.add, (start, scaled), {}, aval)
