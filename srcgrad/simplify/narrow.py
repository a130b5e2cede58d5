"""Cotangents of sums and means stay small.

The adjoint of ``np.sum(x)`` is a number spread over the shape of ``x``.  Where a spread value
meets an elementwise operation that has the full shape anyway, the number itself takes part;
where all operands are spread, the operation is done before spreading; additions into a buffer
broadcast by themselves.  Shapes are compared as symbolic expressions, so only what is certain
is changed; two sizes that meet in one operation are equal, if neither is 1.

    t = np.broadcast_to(d_cost, u.shape)            d_u = d_cost * u
    d_u = t * u                              ->
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..graph.broadcasting import Broadcast, never_one
from ..graph.ir import Graph, Index, Node, Ref, Value, fill
from ..types.dims import Dim
from ..types.kinds import SCALARS
from .rewriting import Emit, Rewriter, call_of

ELEMENTWISE = frozenset({
    operator.add, operator.sub, operator.mul, operator.truediv, operator.neg, operator.pos,
    np.add, np.subtract, np.multiply, np.divide, np.negative, np.where, np.conj, np.real,
})


def narrow(graph: Graph) -> Graph:
    """The graph with spread values used before they are spread.

    >>> from srcgrad.types.dims import symbol
    >>> from srcgrad.graph.ir import Builder
    >>> from srcgrad.types.kinds import FLOAT, array
    >>> b, vector = Builder(), array(float, (symbol("n"),))
    >>> x, ct, n = b.param(vector, "x"), b.param(FLOAT, "ct"), symbol("n")
    >>> size = b.add("dim", (x,), (FLOAT,), axis=0).out
    >>> wide = b.apply(np.broadcast_to, (ct, (size,)), {}, vector)
    >>> y = b.apply(operator.mul, (wide, x), {}, vector)
    >>> product = narrow(Graph("g", b.block((y,)), border=0)).block.nodes[-1]
    >>> product.inputs == (ct, x)
    True
    """
    return _Narrow().run(graph)


class _Narrow(Rewriter):
    def _spread(self, value: Value) -> Value | None:
        """What ``value`` spreads over its shape, if it does."""
        node = self.defined.get(value)
        if call_of(node) is not np.broadcast_to or value.aval.shape is None:
            return None
        assert node is not None
        args = node.params["args"]
        return node.inputs[0] if args and args[0] == Ref(0) and len(args) == 2 else None

    def visit(self, node: Node, emit: Emit) -> Sequence[Value] | None:
        if node.op in ("acc", "write"):
            return self._store(node, emit)
        if node.op == "read" and node.params["steps"] == (Index(()),):
            return self._number(node.inputs[0])
        if call_of(node) not in ELEMENTWISE or not node.inputs or node.params["kwargs"]:
            return None
        spread = {v: s for v in node.inputs if (s := self._spread(v)) is not None}
        if not spread:
            return None
        shape = node.out.aval.shape
        narrowed = _shape_of_call([spread.get(v, v) for v in node.inputs])
        if _fits(narrowed, shape):
            return [self._again(node, spread, emit)]
        for v in spread:  # one operand may do without its spreading, not all
            if _fits(_shape_of_call([spread[w] if w is v else w for w in node.inputs]), shape):
                return [self._again(node, {v: spread[v]}, emit)]
        # all operands are spread: spread the result instead
        if narrowed is not None and all(v in spread or v.aval.shape == () for v in node.inputs):
            small = self._again(node, spread, emit)
            first = next(iter(spread))
            wide = self.defined[first]
            if first.aval.shape == shape:
                args = fill(wide.params["args"], wide.inputs)
                return [emit.apply(np.broadcast_to, (small, args[1]), {}, node.out.aval)]
        return None

    def _number(self, array: Value) -> Sequence[Value] | None:
        """``array[()]`` of what was spread over no axes."""
        small = self._spread(array)
        return None if small is None or small.aval.kind not in SCALARS else [small]

    def _again(self, node: Node, spread: dict[Value, Value], emit: Emit) -> Value:
        inputs = [spread.get(v, v) for v in node.inputs]
        args: Any = fill(node.params["args"], inputs)
        return emit.call(node.params["fn"], *args)

    def _store(self, node: Node, emit: Emit) -> Sequence[Value] | None:
        base, value = node.inputs[:2]
        small = self._spread(value)
        steps = node.params["steps"]
        if small is not None and all(isinstance(s, Index) for s in steps) and steps:
            return [emit.store(node, node.op, base, small, *node.inputs[2:])]
        if node.op == "acc" and not steps:
            if small is not None and base.aval.is_array:
                return [emit.store(node, "acc", base, small)]
            under = self._spread(base)
            if under is not None and base.aval.shape and _fits(value.aval.shape, base.aval.shape):
                return [emit.call(operator.add, value, under)]
        return None


def _shape_of_call(values: Sequence[Value]) -> tuple[Dim, ...] | None:
    """The shape that values broadcast to, if that is certain."""
    shapes = [v.aval.shape for v in values]
    if any(s is None for s in shapes):
        return None
    broadcast = Broadcast()
    try:
        result = broadcast.shapes(*(s for s in shapes if s is not None))
    except ValueError:
        return None
    return None if broadcast.uncertain or broadcast.guards else result


def _fits(found: tuple[Dim, ...] | None, wanted: tuple[Dim, ...] | None) -> bool:
    """Are two shapes certainly equal?  Sizes that meet in one operation and are not 1 are."""
    if found is None or wanted is None or len(found) != len(wanted):
        return False
    return all(a == b or (never_one(a) and never_one(b)) for a, b in zip(found, wanted))
