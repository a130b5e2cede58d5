"""Sums of outer products become one matrix product after the loop.

A backward loop that does ``d_W += outer(a, b)`` in each iteration keeps the vectors instead
(those that are saved by the forward loop already are used where they are):

    for t in reversed(range(n)):                  for t in reversed(range(n)):
        d_a = ...                                     d_a = d_a_saved[t] = ...
        d_W += np.expand_dims(d_a, -1) * h[t]     d_W += np.transpose(d_a_saved) @ h

So do sums of products of matrices, ``d_W += x[t].T @ d_a``, where those that are kept for them
serve two sums at least (one would take no less time, and more memory), and what is then summed of
a matrix that is kept anyway.

Only for accumulators of the backward part that nothing else in the loop reads, and for loops
whose number of iterations is exact.
"""

from __future__ import annotations

import operator
from collections import Counter

import numpy as np

from ..graph.changing import Changing
from ..graph.ir import Block, Builder, Graph, Index, Node, Ref, Value, fill
from ..graph.parts import LoopParts
from ..graph.symbolic import fresh_size
from ..graph.walking import uses_of
from ..types.dataclasses import dataclass
from ..types.dims import Dim, is_varying, multiply, range_length
from ..types.kinds import Aval, array, int_aval, same_dtypes
from ..types.spelling import Attribute
from .rewriting import call_of, same_shape
from .share import share


def stack_outer_products(graph: Graph) -> Graph:
    """The graph with sums of outer products done at once.

    >>> from srcgrad.graph.ir import LoopSpec
    >>> from srcgrad.types.kinds import INT
    >>> b, body, matrix = Builder(), Builder(), array(float, (2, 3))
    >>> w, n = b.param(matrix, "w"), b.param(INT, "n")
    >>> rows, columns = b.param(array(float, (4, 2))), b.param(array(float, (4, 3)))
    >>> _, total = body.param(INT), body.param(matrix)
    >>> row, column = body.param(array(float, (2,))), body.param(array(float, (3,)))
    >>> product = body.apply(np.outer, (row, column), {}, matrix)
    >>> following = body.add("acc", (total, product), (matrix,), steps=()).out
    >>> loop = b.add("loop", (n, n, n, w, rows, columns), (matrix, INT),
    ...              (body.block((following,)),),
    ...              loop=LoopSpec("for", n_carried=1, n_consumed=2))
    >>> graph = stack_outer_products(Graph("g", b.block(loop.outputs[:1]), border=0))
    >>> [node.op for node in graph.block.nodes]
    ['loop', 'apply', 'apply', 'acc']
    """
    if graph.border is None:
        return graph
    found = _Stacked().graph(graph, forward=False)
    return graph if found is graph else share(found)  # several products may read one stack of rows


class _Stacked(Changing):
    def node(self, node: Node) -> list[Node]:
        """A node with the loops in it changed, and what follows it."""
        node = self.within(node)
        if node.op == "loop" and node.loop.kind == "for" and not node.loop.exits and (
                "mirror" not in node.params):
            return _Stacking(node).run()
        return [node]


@dataclass
class _Outer:
    """Carried value number ``slot`` grows by the outer product of two vectors."""

    slot: int
    first: Value
    second: Value
    dead: Node


def _flipped(aval: Aval) -> Aval:
    return aval.but(shape=None if aval.shape is None else aval.shape[::-1])


class _Stacking:
    def __init__(self, node: Node) -> None:
        self.node, self.parts = node, LoopParts(node)
        self.body: Block = node.blocks[-1]
        self.made: dict[Value, Node] = {v: n for n in self.body.nodes for v in n.outputs}
        self.uses = uses_of(self.body)
        self.kept: dict[Value, Value] = {}  # element -> its new sequence
        self.trips = self._trips()

    def _trips(self) -> Dim:
        bounds = [v.aval.expr for v in self.node.inputs[:3]]
        if any(b is None for b in bounds):
            return fresh_size("trips")
        return range_length(*bounds)  # type: ignore[arg-type]

    def run(self) -> list[Node]:
        found = [o for k in range(len(self.parts.carried)) if (o := self._outer(k)) is not None]
        uses = Counter(v for o in found for v in {o.first, o.second})
        found = [o for o in found if len(o.first.aval.shape or ()) == 1 or all(
            uses[v] > 1 or self._known(v) is not None for v in (o.first, o.second))]
        if not found:
            return [self.node]
        after = Builder(self.node.origin)
        for outer in found:
            for value in (outer.first, outer.second):
                self._sequence(value)
        found += [s for k in range(len(self.parts.carried)) if (s := self._sum(k)) is not None]
        for outer in found:
            after.origin = outer.dead.origin
            if outer.first is outer.second:
                self._add_up(outer, after)
                continue
            rows = tuple(self._flat(self._sequence(v), after) for v in (
                outer.first, outer.second))
            flipped = after.apply(np.transpose, (rows[0],), {},
                                  _flipped(rows[0].aval))
            result = self.parts.results[outer.slot]
            product = after.apply(operator.matmul, (flipped, rows[1]), {}, result.aval)
            node = after.add("acc", (self.parts.inits[outer.slot], product), (result.aval,),
                             steps=())
            after.nodes[-1] = node.but(outputs=(result,))
        return [self._loop(found), *after.nodes]

    def _add_up(self, outer: _Outer, after: Builder) -> None:
        rows = self._flat(self._sequence(outer.first), after)
        result = self.parts.results[outer.slot]
        total = after.apply(np.sum, (rows,), {"axis": 0}, result.aval)
        node = after.add("acc", (self.parts.inits[outer.slot], total), (result.aval,), steps=())
        after.nodes[-1] = node.but(outputs=(result,))

    def _flat(self, rows: Value, after: Builder) -> Value:
        """A stack of matrices as one matrix."""
        shape = rows.aval.shape
        assert shape is not None
        if len(shape) == 2:
            return rows
        first, second, columns = (
            after.add("dim", (rows,), (int_aval(d),), axis=i).out for i, d in enumerate(shape))
        count = multiply(shape[0], shape[1])  # -1 would not do if there are no columns
        height = after.apply(operator.mul, (first, second), {}, int_aval(count))
        aval = rows.aval.but(shape=(count, shape[2]))
        return after.apply(np.reshape, (rows, (height, columns)), {}, aval)

    def _sum(self, slot: int) -> _Outer | None:
        """Carried value number ``slot`` grows by a sum over the rows of a matrix, or by a vector,
        that is kept."""
        node = self._growth(slot)
        if node is None:
            return None
        value = node.inputs[1]
        made = self.made.get(value)
        if made is not None and call_of(made) is np.sum and made.params["args"] == (Ref(0),) and (
                made.params["kwargs"] == {"axis": 0}) and self.uses[value] == 1:
            value = made.inputs[0]
        elif value.aval.shape is None or len(value.aval.shape) != 1:
            return None
        if value not in self.kept or not same_shape(
                node.inputs[1].aval, self.parts.inits[slot].aval):
            return None
        return _Outer(slot, value, value, node)

    def _growth(self, slot: int) -> Node | None:
        """The addition that is all that happens to carried value number ``slot``."""
        param, following = self.parts.carried[slot], self.parts.next[slot]
        node = self.made.get(following)
        if node is None or node.op != "acc" or node.params["steps"] or (
                node.inputs[0] is not param or self.uses[param] != 1
                or self.uses[following] != 1):
            return None
        return node

    def _outer(self, slot: int) -> _Outer | None:
        node = self._growth(slot)
        if node is None:
            return None
        vectors = self._vectors(node.inputs[1]) or self._matrices(node.inputs[1])
        if vectors is None or not same_shape(node.inputs[1].aval, self.parts.inits[slot].aval):
            return None
        return _Outer(slot, *vectors, node)

    def _vectors(self, value: Value) -> tuple[Value, Value] | None:
        """The two vectors whose outer product ``value`` is, if it is used once."""
        node = self.made.get(value)
        if node is None or self.uses[value] != 1 or node.params.get("kwargs"):
            return None
        if call_of(node) is np.outer:
            first, second = fill(node.params["args"], node.inputs)[:2]
        elif call_of(node) in (operator.mul, np.multiply):
            column, second = fill(node.params["args"], node.inputs)
            wide = self.made.get(column) if isinstance(column, Value) else None
            if wide is None or call_of(wide) is not np.expand_dims or (
                    wide.params["args"] != (Ref(0), -1)):
                return None
            first = wide.inputs[0]
        else:
            return None
        vectors = (first, second)
        if all(isinstance(v, Value) and v.aval.is_array and v.aval.shape is not None
               and len(v.aval.shape) == 1 and same_dtypes(v.aval, value.aval)
               for v in vectors):
            return vectors
        return None

    def _matrices(self, value: Value) -> tuple[Value, Value] | None:
        """``a`` and ``b`` where ``value`` is ``a.T @ b``, both of this iteration, used once."""
        node = self.made.get(value)
        if node is None or self.uses[value] != 1 or call_of(node) not in (
                operator.matmul, np.matmul) or len(node.inputs) != 2 or node.params["kwargs"]:
            return None
        first, second = fill(node.params["args"], node.inputs)
        flipped = self.made.get(first) if isinstance(first, Value) else None
        if flipped is None or call_of(flipped) not in (np.transpose, Attribute("T")) or (
                flipped.params["args"] != (Ref(0),) or flipped.params["kwargs"]):
            return None
        matrices = (flipped.inputs[0], second)
        fits = all(v.aval.is_array and v.aval.shape is not None and len(v.aval.shape) == 2
                   and same_dtypes(v.aval, value.aval) and not v.aval.optional
                   and self._is_steady(v) for v in matrices)
        return matrices if fits else None

    def _is_steady(self, value: Value) -> bool:
        """Does a value of the body have the same shape in each iteration?"""
        inside = value in self.made or value in self.body.params
        return inside and not any(is_varying(d) for d in value.aval.shape or ())

    def _sequence(self, element: Value) -> Value:
        """An array whose rows are the values of ``element``."""
        known = self._known(element)
        if known is not None:
            return known
        if element not in self.kept:
            assert element.aval.shape is not None
            aval = array(element.aval.dtype, (self.trips, *element.aval.shape))
            self.kept[element] = Value(aval, element.hint)
        return self.kept[element]

    def _known(self, element: Value) -> Value | None:
        """The array that has the values of ``element`` as its rows, if there is one."""
        for inner, source in zip(self.parts.elements, self.parts.sources):
            if inner is element and source.aval.is_array:
                return source
        return self._rows(element)

    def _rows(self, element: Value) -> Value | None:
        """The array that the loop reads row by row, all rows."""
        node = self.made.get(element)
        start, stop, step = (v.aval.expr for v in self.node.inputs[:3])
        if node is None or node.op != "read" or (start, step) != (0, 1) or stop is None:
            return None
        base, steps = node.inputs[0], node.params["steps"]
        if base in self.made or base in self.body.params or not base.aval.shape:
            return None
        rank = len(element.aval.shape or ())
        if len(base.aval.shape) != rank + 1 or base.aval.shape[0] != stop or len(steps) != 1:
            return None
        key = fill(steps[0].key, node.inputs) if isinstance(steps[0], Index) else None
        return base if key is self.parts.index else None

    def _loop(self, found: list[_Outer]) -> Node:
        gone, dead = {o.slot for o in found}, {o.dead for o in found}
        self.parts.choose(carried=[k for k in range(len(self.parts.carried)) if k not in gone])
        self.parts.extend(kept=(self.kept, self.kept.values(), [True] * len(self.kept)))
        return self.parts.loop(self.node, tuple(n for n in self.body.nodes if n not in dead))
