"""Additions into buffers: the first one assigns, negatives are taken away, places are simple.

    buffer[s] += -a                        ->  buffer[s] -= a
    zeros[s] += a;  zeros[s] += -a         ->  zeros[s] = a;  zeros[s] = -a
    b[s] = 0; b[s] += m                    ->  b[s] = m
    b[s] += m; b[s] += m                   ->  b[s] += 2.0 * m
    b[s] += 0                              ->  nothing
    zeros[s] += m; all of it += n          ->  n; n[s] += m
    b[i] += m; b[i] -= n  (numbers)        ->  b[i] += m - n
    b[s] += m; b[t] += n; b[s] -= 0.2 * m  ->  b[s] += 0.8 * m; b[t] += n
    b[s] = m; b[s] += n                    ->  b[s] = m + n
    b[i] = m; b[j]                         ->  b[j]
    b[:, None] += m                        ->  b += m[:, 0]
    -(a * m) + b * m                       ->  (b - a) * m
    m @ a + m @ b                          ->  m @ (a + b)   (matrices)
    add.at(b, (arange(n), j), m)           ->  b[arange(n), j] = b[arange(n), j] + m
    zeros[1] += m;  zeros[0] += n          ->  array([n, m])   (of two elements; of slices:
                                               concatenate)
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..graph.broadcasting import never_one
from ..graph.equality import place_key
from ..graph.ir import STORES, Index, Node, Value, fill, only_index, shift
from ..types.dims import Dim, slice_length
from ..types.kinds import SCALARS, same_dtypes
from .like_terms import LikeTerms, repeated
from .operands import Operands, same_type
from .places import added, axis_by_axis, disjoint, widens
from .rewriting import Emit, call_of, same_shape

_FRESH = frozenset({operator.add, operator.sub, operator.mul, operator.truediv, operator.neg,
                    operator.matmul, np.where, np.multiply})
FEW = 16  # elements that are put together one by one
_LOOK_BACK = 12  # stores before one that are compared with it


class Stores(LikeTerms):
    """Rewrites ``acc`` and ``update`` nodes."""

    def store(self, node: Node, emit: Emit) -> Value | None:
        """What stands for an ``acc`` or ``update``; None to keep it."""
        if self._adds_nothing(node):
            return node.inputs[0]
        found = self.like_terms(node, emit)
        if found is not None:
            return found
        if node.params["steps"]:
            found = self._twice(node, emit) or self._both(node, emit)
        if found is None and node.op == "acc":
            found = self._acc(node, emit)
        elif found is None and node.params["fn"] is operator.isub and not node.params["steps"]:
            base, value = node.inputs
            if self.negated(base) is value and self.uses[base] <= 1:
                return self.minus(self.doubled(value, emit), emit)
        return found

    def _adds_nothing(self, node: Node) -> bool:
        """Are zeros added to a part of an array?"""
        return bool(added(node) and node.params["steps"]) and node.inputs[0].aval.is_array and (
            self.is_zero(node.inputs[1]))

    def _acc(self, node: Node, emit: Emit) -> Value | None:
        base, value = node.inputs[:2]
        steps = node.params["steps"]
        basic = all(isinstance(s, Index) and s.basic for s in steps)
        whole = self._piece_by_piece(node, emit)
        if whole is not None:
            return whole
        if not steps:
            if self.equal(base, value):
                return self.doubled(base, emit)
            if self.is_zero(value) and same_type(base, node.out):
                return base
            factored = self._factored(base, value, emit)
            if factored is not None and same_type(factored, node.out):
                return factored
            if same_shape(value.aval, base.aval) and same_dtypes(value.aval, base.aval):
                started = value if self.is_zero(base) else self._dense_first(base, value, emit)
                if started is not None:
                    return started
        plain = self._without_new_axes(node, emit)
        if plain is not None:
            return plain
        negated = self.negated(value)
        if negated is not None and basic and steps and base.aval.is_array and (
                self._is_clear(node)):
            return self._stored(node, "write", self.minus(negated, emit), emit)
        if negated is not None and basic:
            if not steps and base.aval.kind in SCALARS:
                return emit.call(operator.sub, base, negated)
            return self._stored(node, "update", negated, emit, fn=operator.isub)
        if steps and (before := self._cleared(node)) is not None:  # x[s] = 0; x[s] += v
            return emit.store(node, "write", before.inputs[0], *node.inputs[1:])
        if steps and basic and base.aval.is_array and self._is_clear(node):
            return self._stored(node, "write", value, emit)
        if _visits_once(node, self):
            if self.is_zero(base):
                return self._stored(node, "write", value, emit)
            part = emit.add("read", (base, *node.inputs[2:]), (value.aval,), steps=tuple(
                Index(shift(s.key, -1), s.basic) for s in steps)).out
            return self._stored(node, "write", emit.call(operator.add, part, value), emit)
        return None

    def _piece_by_piece(self, node: Node, emit: Emit) -> Value | None:
        """The array of the numbers, or of the slices, that were put into zeros so that each place
        got one."""
        shape = node.out.aval.shape or ()
        axis = _axis(node, len(shape))
        if axis is None:
            return None
        found: dict[Any, Value] = {}
        last = node
        while True:
            place = _place(last, axis, shape)
            if place is None or place in found or len(found) == FEW:
                return None
            found[place] = last.inputs[1]
            base = last.inputs[0]
            if self.is_zero(base):
                break
            before = self.defined.get(base)
            if before is None or before.op not in ("acc", "write") or self.uses[base] > 1:
                return None
            last = before
        ends = dict(iter(found))
        parts, at = [], 0
        while at in ends:
            parts.append(found[at, ends[at]])
            at = ends.pop(at)
        if ends or at != shape[axis] or len(parts) < len(found):
            return None
        numbers = [v.aval.kind in SCALARS for v in parts]
        if len(parts) < 2 or not (all(numbers) or not any(numbers)):
            return None
        axes = {"axis": axis} if axis else {}
        made = emit.call(np.array if all(numbers) else np.concatenate, parts, **axes)
        return made if same_type(made, node.out) else None if all(numbers) or not same_dtypes(
            made.aval, node.out.aval) else emit.apply(
                np.concatenate, (parts,), axes, node.out.aval)

    def _factored(self, base: Value, value: Value, emit: Emit) -> Value | None:
        """``a * m`` to which ``b * m`` is added, as ``(a + b) * m``; ``m @ a`` and ``m @ b`` alike.
        """
        if self.uses[base] > 1 or self.uses[value] > 1:
            return None
        less, more = self.negated(base), self.negated(value)
        if less is not None and more is not None:
            return None
        for fn, parts, pairs in (
                (operator.mul, self.factors, ((0, 0), (0, 1), (1, 0), (1, 1))),
                (operator.matmul, self._matrices, ((0, 0), (1, 1)))):
            first, second = parts(less or base), parts(more or value)
            if first is None or second is None:
                continue
            for i, j in pairs:
                common, a, b = first[i], first[1 - i], second[1 - j]
                if common is not second[j] or not isinstance(common, Value) or not all(
                        isinstance(v, Value) and v.aval.is_array for v in (a, b, common)):
                    continue
                if same_shape(common.aval, base.aval) if fn is operator.mul else (
                        same_shape(a.aval, b.aval)):
                    if less is not None:
                        total = emit.call(operator.sub, b, a)
                    else:
                        total = self.plus(a, b, 1 if more is None else -1, emit)
                    pair = (common, total) if fn is operator.matmul and i == 0 else (total, common)
                    return emit.call(fn, *pair)
        return None

    def _matrices(self, operand: Value) -> tuple[Any, ...] | None:
        """``a, b`` of ``a @ b`` for two matrices."""
        node = self.defined.get(operand)
        if node is None or call_of(node) is not operator.matmul or not all(
                isinstance(v, Value) and len(v.aval.shape or ()) == 2 for v in node.operands):
            return None
        return node.operands

    def _dense_first(self, base: Value, value: Value, emit: Emit) -> Value | None:
        """A buffer of zeros that got a few parts before all of it got ``value``: it starts as
        ``value``, and the parts are added to that."""
        made = self.defined.get(value)
        if self.uses[value] > 1 or call_of(made) not in _FRESH or not value.aval.is_array:
            return None
        stores: list[Node] = []
        while not self.is_zero(base):
            store = self.defined.get(base)
            if store is None or len(stores) > 3 or self.uses[base] > 1 or not _adds_part(store):
                return None
            if store.op == "write" and not self._is_clear(store):
                return None
            stores.append(store)
            base = store.inputs[0]
        total = value
        for store in reversed(stores):
            total = self._added_on(store, total, emit)
        return total

    def _added_on(self, store: Node, base: Value, emit: Emit) -> Value:
        """What a store into zeros writes, or adds, is added to ``base``."""
        inputs, params = (base, *store.inputs[1:]), dict(store.params)
        op = store.op
        if op == "write":
            negated = self.negated(store.inputs[1])
            if all(s.basic for s in params["steps"]):
                op = "acc"
                if negated is not None:
                    op, inputs = "update", (base, negated, *store.inputs[2:])
                    params["fn"] = operator.isub
            else:  # an index that visits each place once
                part = emit.add("read", (base, *store.inputs[2:]), (store.inputs[1].aval,),
                                steps=tuple(Index(shift(s.key, -1), s.basic)
                                            for s in params["steps"])).out
                made = emit.call(operator.add, part, store.inputs[1]) if negated is None else (
                    emit.call(operator.sub, part, negated))
                inputs = (base, made, *store.inputs[2:])
        return emit.store(store, op, *inputs, **params)

    def part(self, node: Node, emit: Emit) -> Value | None:
        """A read beside what was stored last, if nobody else wants that store."""
        base = node.inputs[0]
        before = self.defined.get(base)
        while before is not None and before.op in STORES and (
                self.uses[base] == 1 and disjoint(before, node)):
            base = before.inputs[0]
            before = self.defined.get(base)
        if base is node.inputs[0]:
            return None
        return emit.add("read", (base, *node.inputs[1:]), (node.out.aval,), **node.params).out

    def _is_clear(self, node: Node) -> bool:
        """Does the place that a node adds to hold zeros still?"""
        base = node.inputs[0]
        for _ in range(_LOOK_BACK):
            if self.is_zero(base):
                return True
            before = self.defined.get(base)
            if before is None or before.op not in STORES or (
                    not disjoint(before, node)):
                return False
            base = before.inputs[0]
        return False

    def _without_new_axes(self, node: Node, emit: Emit) -> Value | None:
        """``b[:, None] += m`` is ``b += m[:, 0]``; a sum that kept the axis drops it."""
        base, value = node.inputs[:2]
        shape = value.aval.shape
        if shape is None or not base.aval.is_array or base.aval.shape is None:
            return None
        index = axis_by_axis(only_index(node), len(base.aval.shape))
        if index is None or not widens(index):
            return None
        new = [i for i, k in enumerate(index.parts) if k is None]
        if not new or len(shape) != len(base.aval.shape) + len(new) or any(
                shape[i] != 1 for i in new):
            return None
        negated = self.negated(value)
        inner = value if negated is None else negated
        made, wide = self.defined.get(inner), self.widening(inner)
        left = tuple(d for i, d in enumerate(shape) if i not in new)
        if call_of(made) is np.sum and made is not None and len(new) == 1 and (
                made.params["kwargs"] == {"axis": new[0], "keepdims": True}):
            narrow = emit.call(np.sum, *fill(made.params["args"], made.inputs), axis=new[0])
        elif wide is not None and wide.inputs[0].aval.shape == left:
            narrow, turned = wide.inputs[0], self.negated(wide.inputs[0])
            if turned is not None:
                narrow, negated = turned, None if negated is not None else turned
        else:
            negated = None
            key = tuple(0 if i in new else slice(None) for i in range(new[-1] + 1))
            narrow = emit.add("read", (value,), (value.aval.but(shape=left),),
                              steps=(Index(key),)).out
        if self.is_zero(base) and same_shape(narrow.aval, base.aval) and (
                same_dtypes(narrow.aval, base.aval)):
            return narrow if negated is None else emit.call(operator.neg, narrow)
        if negated is None:
            return emit.store(node, "acc", base, narrow, steps=())
        return emit.store(node, "update", base, narrow, steps=(), fn=operator.isub)

    def _both(self, node: Node, emit: Emit) -> Value | None:
        """Two numbers added to, or taken from, one element for one statement of the user's; an
        array that is written and one that is added then; arrays that are multiples of each other.
        """
        found = self._same_place(node)
        if found is None:
            return None
        before, between = found
        first, second = before.inputs[1], node.inputs[1]
        signs = [_sign(n) for n in (before, node)]
        negated = self.negated(second)
        if negated is not None:
            second, signs[1] = negated, -signs[1]
        if 0 in signs or _statement(before) != _statement(node):
            return None
        numbers = all(v.aval.kind in SCALARS for v in (first, second))
        arrays = before.op == "write" and bool(first.aval.shape) and (
            same_shape(first.aval, second.aval) and same_dtypes(first.aval, second.aval))
        if before.op == "write" and self.is_zero(first):
            value = second if signs[1] > 0 else self.minus(second, emit)
        elif numbers or arrays:
            pair = (first, second) if signs != [-1, 1] else (second, first)
            value = self.plus(*pair, 1 if signs[0] == signs[1] else -1, emit)
            signs[0] = -1 if signs == [-1, -1] else 1
        else:
            multiple = self.multiple(first, second, signs[0] * signs[1], emit)
            if multiple is None:
                return None
            value = multiple
        taken: dict[str, Any] = {"fn": operator.isub} if signs[0] < 0 else {}
        op = "write" if before.op == "write" else "update" if taken else "acc"
        new = emit.store(node, op, before.inputs[0], value, *node.inputs[2:], **taken)
        for store in reversed(between):
            new = repeated(store, (new, *store.inputs[1:]), emit)
        return new

    def _same_place(self, node: Node) -> tuple[Node, list[Node]] | None:
        """The last store to the place that a node adds to, and the additions after it."""
        base, place = node.inputs[0], place_key(node)
        between: list[Node] = []
        for _ in range(_LOOK_BACK):
            before = self.defined.get(base)
            if before is None or before.op not in STORES or (
                    self.uses[base] > 1):
                return None
            if place_key(before) == place:
                return before, between
            if not _sign(before) or before.op == "write":
                return None
            between.append(before)
            base = before.inputs[0]
        return None

    def _cleared(self, node: Node) -> Node | None:
        """The write of zeros to the very place that an ``acc`` adds to, no place twice."""
        before = self.defined.get(node.inputs[0])
        if before is None or before.op != "write" or self.uses[node.inputs[0]] > 1:
            return None
        if not self.is_zero(before.inputs[1]) or place_key(before) != place_key(node):
            return None
        for step in node.params["steps"]:
            if not isinstance(step, Index):
                return None
            if not step.basic:
                key = fill(step.key, node.inputs)
                if not (isinstance(key, Value) and key.aval.dtype == bool and key.aval.is_array):
                    return None
        return before

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
        double = self.doubled(node.inputs[1], emit)
        return emit.store(node, node.op, before.inputs[0], double, *node.inputs[2:],
                          **node.params)

    def _stored(self, node: Node, op: str, value: Value, emit: Emit, **params: Any) -> Value:
        return emit.store(node, op, node.inputs[0], value, *node.inputs[2:], **params)


def _axis(store: Node, rank: int) -> int | None:
    """The only axis that a store takes a part of."""
    index = only_index(store)
    if index is None or not rank:
        return None
    key = index.parts
    axes = [i for i, k in enumerate(key) if type(k) is not slice or k != slice(None)]
    return axes[0] if len(axes) == 1 and len(key) <= rank and Ellipsis not in key else None


def _place(store: Node, axis: int, shape: tuple[Dim, ...]) -> tuple[Dim, Dim] | None:
    """Where along an axis a store puts one number, or an array as long as the slice that it is put
    into."""
    if _axis(store, len(shape)) != axis:
        return None
    place, value, size = store.params["steps"][0].key, store.inputs[1].aval, shape[axis]
    if type(place) is tuple:
        place = place[axis]
    if type(place) is int and type(size) is int and -size <= place < size and (
            value.kind in SCALARS and len(shape) == 1):
        return place % size, place % size + 1
    if type(place) is not slice or place.step not in (None, 1) or value.shape is None:
        return None
    start, stop = place.start or 0, size if place.stop is None else place.stop
    if type(start) is not int or start < 0 or (
            place.stop is not None and not (type(stop) is int and stop >= 0)):
        return None
    part = (*shape[:axis], slice_length(start, place.stop, None, size), *shape[axis + 1:])
    fits = len(part) == len(value.shape) and all(
        a == b or never_one(a) for a, b in zip(value.shape, part))  # or the store would raise
    return (start, stop) if fits else None


def _adds_part(store: Node) -> bool:
    """Is this a store to, or an addition to, a part of an array by a plain subscript?"""
    steps = store.params.get("steps", ())
    return bool(steps) and all(isinstance(s, Index) for s in steps) and (
        store.op == "write" or added(store) != 0)


def _sign(node: Node) -> int:
    """1 where the node adds to an element, -1 where it takes away, 0 for other nodes."""
    if not all(isinstance(s, Index) and s.basic for s in node.params["steps"]):
        return 0
    return 1 if node.op == "write" else added(node)


def _statement(node: Node) -> object:
    """The statement of the user's that a node is of."""
    origin = node.origin
    if origin is None or origin.where is None:
        return None
    return origin.where.filename, origin.where.first or origin.where.line, origin.callers


def _visits_once(node: Node, known: Operands) -> bool:
    """Does an index of a scattered addition count 0, 1, 2, ... so that no place comes twice?"""
    index = only_index(node)
    if index is None or index.basic:
        return False
    arrays = [k for k in fill(index.parts, node.inputs) if isinstance(k, Value)]
    if not all(k.aval.dtype is not None and k.aval.dtype.kind in "iu" and (
            k.aval.shape is not None and len(k.aval.shape) <= 1) for k in arrays):
        return False
    return any(call_of(known.defined.get(k)) is np.arange for k in arrays)
