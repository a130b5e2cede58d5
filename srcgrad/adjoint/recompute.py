"""Forward values that are cheaper to compute again than to save.

Constants, arithmetic and comparisons of Python integers, sizes, and views of arrays that are
defined outside the region and never overwritten.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping

from ..graph.ir import Block, Builder, Index, Node, Value, walk
from ..kinds import Aval, Kind
from .scope import Scope
from .sizes import Sizes

_CHEAP = frozenset({
    operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, operator.neg,
    operator.pos, operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne,
    operator.not_, min, max, bool, int,
})
_INTEGERS = frozenset({Kind.INT, Kind.BOOL})
_STORES = frozenset({"write", "acc", "update", "append", "pop", "put", "insert", "list_acc"})


class Recompute:
    """Clones forward values into backward blocks."""

    def __init__(self, block: Block, scope: Scope, sizes: Sizes) -> None:
        self._scope, self._sizes = scope, sizes
        self._node_of, self._block_of = scope.node_of, scope.block_of
        self._stored: set[Value] = set()
        self._last_store: dict[int, int] = {}
        for node in walk(block):
            if node.op in _STORES:
                base = node.inputs[0]
                self._stored.add(base)
                if base.obj is not None:
                    self._last_store[base.obj] = scope.position[node]

    def overwritten(self, base: Value) -> bool:
        """May the object behind ``base`` hold something else later?"""
        if base in self._stored:
            return True
        last = None if base.obj is None else self._last_store.get(base.obj)
        if last is not None and (last > self._scope.made_at(base)
                                 or self._scope.in_loop(self._block_of[base])):
            return True
        node = self._node_of.get(base)
        return node is not None and node.op == "read" and self.overwritten(node.inputs[0])

    def clone(self, value: Value, inside: Block, prelude: Builder,
              known: dict[Value, Value]) -> Value | None:
        """``value``, defined in the forward block ``inside``, computed again in ``prelude``;
        None if that is not cheap.  ``known`` holds what is at hand already."""
        if not self._clonable(value, inside, known):
            return None
        return self._clone(value, inside, prelude, known)

    def _clonable(self, value: Value, inside: Block, known: Mapping[Value, Value]) -> bool:
        if value in known or self._block_of.get(value) is not inside:
            return True
        node = self._node_of.get(value)
        if node is None:
            return False
        if node.op == "const" or (value.aval.kind is Kind.INT and self._sizes.computable(
                value.aval.expr, self._sizes.around(inside), known)):
            return True
        if node.op == "apply" and value.aval.kind in _INTEGERS and node.params["fn"] in _CHEAP:
            return all(v.aval.kind in _INTEGERS and self._clonable(v, inside, known)
                       for v in node.inputs)
        if node.op == "get":
            return not self.overwritten(node.inputs[0]) and all(
                self._block_of.get(node.inputs[0]) is not inside
                and self._clonable(v, inside, known) for v in node.inputs)
        if node.op == "read" and not node.params.get("handle"):
            base = node.inputs[0]
            return (all(isinstance(s, Index) and s.basic for s in node.params["steps"])
                    and not self.overwritten(base)
                    and all(self._clonable(v, inside, known) for v in node.inputs))
        return False

    def _clone(self, value: Value, inside: Block, prelude: Builder,
               known: dict[Value, Value]) -> Value:
        if value in known:
            return known[value]
        if self._block_of.get(value) is not inside:
            return value
        node = self._node_of[value]
        if node.op != "const" and value.aval.kind is Kind.INT and self._sizes.computable(
                value.aval.expr, self._sizes.around(inside), known):
            new = self._sizes.compute(value.aval.expr, prelude,
                                      self._sizes.around(inside), known)
        else:
            inputs = tuple(self._clone(v, inside, prelude, known) for v in node.inputs)
            copy = node.but(inputs=inputs, outputs=(value.like(),), origin=prelude.origin)
            prelude.nodes.append(copy)
            new = copy.out
        known[value] = new
        return new

    def affine(self, prelude: Builder, start: Value, ordinal: Value, step: Value,
               aval: Aval) -> Value:
        """``start + ordinal * step``."""
        scaled = prelude.apply(operator.mul, (ordinal, step), {}, aval.but(expr=None))
        return prelude.apply(operator.add, (start, scaled), {}, aval)
