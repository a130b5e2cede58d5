"""Cotangents of extrema that are zero, because the extremum was only taken away for safety.

``z = x - np.max(x)`` in a softmax or a log-sum-exp changes results by rounding only, so the
maximum receives a cotangent that is zero but for rounding.  To see this, cotangents are
written as polynomials: of elements, of their inverses, and of sums over axes.

    scores = np.exp(x - np.max(x, axis=1, keepdims=True))
    weights = scores / np.sum(scores, axis=1, keepdims=True)

Here the maximum receives ``-sum(scores * (d / s - sum(d * weights) / s))`` with ``s`` for the sum
of ``scores``, which is ``-sum(scores * d) / s + sum(d * scores) * s / s**2``: zero.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..graph.broadcasting import never_one
from ..graph.equality import key_of
from ..graph.ir import Graph, Node, Ref, Value, is_adjoint, only_index
from ..types.kinds import SCALARS, Kind, same_dtypes
from ..types.spelling import Method
from .operands import ADD, DIV, MUL, NEG, SUB, Operands
from .places import widens
from .polynomials import Label, Polynomial, TooLarge, atom, constant, inverse, plus, summed, times
from .rewriting import Emit, call_of

EXTREMA: frozenset[Any] = frozenset({
    np.max, np.min, np.amax, np.amin, np.maximum.reduce, np.minimum.reduce,
    Method("max"), Method("min")})
_SUMS: frozenset[Any] = frozenset({np.sum, Method("sum"), np.add.reduce})
_EQUAL: frozenset[Any] = frozenset({operator.eq, np.equal})
_OR: frozenset[Any] = frozenset({operator.or_, np.bitwise_or})
_IN_PLACE = {operator.iadd: operator.add, operator.isub: operator.sub,
             operator.imul: operator.mul, operator.itruediv: operator.truediv}
_BUDGET = 400  # nodes that are looked at for one cotangent


class _Unknown(Exception):
    """A node that is not looked through: its result stands for itself."""


def cancel(graph: Graph) -> Graph:
    """The graph without the cotangents of extrema that are provably zero."""
    if graph.border is None:
        return graph
    return _Cancel().run(graph)


class _Cancel(Operands):
    def __init__(self) -> None:
        super().__init__()
        self._first: dict[Any, Value] = {}  # of equal nodes
        self._same: dict[Value, Value] = {}
        self._labels = 0
        self._left = 0

    def note(self, node: Node) -> None:
        super().note(node)
        if node.op != "apply" or len(node.outputs) != 1:
            return
        key = key_of(node.but(inputs=tuple(self._same.get(v, v) for v in node.inputs)))
        if key is not None:
            first = self._first.setdefault(key, node.out)
            if first is not node.out:
                self._same[node.out] = first

    def visit(self, node: Node, emit: Emit) -> Sequence[Value] | None:
        """``np.where(x == max, ct / count, 0)`` as zeros, if ``ct`` is."""
        if call_of(node) is not np.where or node.params["args"][1:] != (Ref(1), 0):
            return None
        like = self._chosen_from(node.inputs[0])
        if like is None or like.aval.shape != node.out.aval.shape or (
                not same_dtypes(like.aval, node.out.aval)):
            return None
        self._left = _BUDGET
        share = node.inputs[1]
        try:
            if self._polynomial(share, self._fresh(share)):
                return None
        except TooLarge:
            return None
        return [emit.call(np.zeros_like, like)]

    def _chosen_from(self, mask: Value) -> Value | None:
        """``x`` where ``mask`` is ``(x == max(x)) | isnan(x)``."""
        node = self.defined.get(mask)
        if call_of(node) in _OR and node is not None:
            node = self.defined.get(node.inputs[0])
        if node is None or call_of(node) not in _EQUAL or len(node.inputs) != 2:
            return None
        extremum = self.defined.get(node.inputs[1])
        if call_of(extremum) is np.expand_dims and extremum is not None:
            extremum = self.defined.get(extremum.inputs[0])
        return node.inputs[0] if call_of(extremum) in EXTREMA else None

    # ---- values as polynomials -----------------------------------------------------------------

    def _fresh(self, value: Value) -> tuple[Label, ...]:
        """New labels for the axes of a value."""
        labels: list[Label] = []
        for dim in value.aval.shape or ():
            self._labels += 1
            labels.append(None if dim == 1 else self._labels)
        return tuple(labels)

    def _polynomial(self, operand: Any, labels: tuple[Label, ...]) -> Polynomial:
        """The elements of an operand, whose axes have the given labels."""
        if not isinstance(operand, Value):
            return constant(operand)
        number = self.number(operand)
        if number is not None:
            return constant(number)
        value = self._same.get(operand, operand)
        node = self.defined.get(value)
        self._left -= 1
        if self._left < 0:
            raise TooLarge
        if node is not None and value.aval.shape is not None:
            try:
                return self._looked_through(node, labels)
            except _Unknown:
                pass
        return atom("value", value, labels)

    def _looked_through(self, node: Node, labels: tuple[Label, ...]) -> Polynomial:
        if self.is_zero(node.outputs[0]):
            return {}
        if node.op in ("acc", "update"):
            return self._in_place(node, labels)
        if node.op == "read":
            return self._widened(node, labels)
        fn = call_of(node)
        if fn in _SUMS:
            return self._sum(node, fn, labels)
        if fn is None or node.params["kwargs"]:
            raise _Unknown
        operands = node.operands
        if fn in MUL or fn in DIV or fn in NEG or (
                is_adjoint(node) and (fn in ADD or fn in SUB)):
            parts = [self._polynomial(v, self._aligned(v, node, labels)) for v in operands]
            return _combined(fn, parts)
        if fn is np.expand_dims and type(operands[1]) is int:
            axis = operands[1] % len(labels)
            return self._polynomial(operands[0], labels[:axis] + labels[axis + 1:])
        if fn is np.broadcast_to:
            return self._polynomial(operands[0], self._aligned(operands[0], node, labels))
        raise _Unknown

    def _aligned(self, operand: Any, node: Node, labels: tuple[Label, ...]) -> tuple[Label, ...]:
        """The labels of an operand's axes, which are broadcast to those of the node's result."""
        if not isinstance(operand, Value) or operand.aval.kind in SCALARS:
            return ()
        shape, wide = operand.aval.shape, node.outputs[0].aval.shape
        if shape is None or wide is None:
            raise _Unknown
        rank = len(shape)
        found: list[Label] = []
        for dim, whole, label in zip(shape, wide[len(wide) - rank:], labels[len(wide) - rank:]):
            if dim == 1:
                found.append(None)
            elif dim == whole or never_one(dim):
                found.append(label)
            else:
                raise _Unknown
        return tuple(found)

    def _sum(self, node: Node, fn: Any, labels: tuple[Label, ...]) -> Polynomial:
        operand, *rest = node.operands
        options = dict(node.params["kwargs"])
        if rest:
            options["axis"] = rest.pop(0)
        axis = options.pop("axis", 0 if fn is np.add.reduce else None)
        keepdims = options.pop("keepdims", False)
        if rest or options or not isinstance(operand, Value) or operand.aval.shape is None:
            raise _Unknown
        rank = len(operand.aval.shape)
        axes = range(rank) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        if not all(type(i) is int for i in axes) or operand.aval.kind is not Kind.ARRAY:
            raise _Unknown
        gone = sorted(i % rank for i in axes)
        left = iter(labels)
        fresh = self._fresh(operand)
        inner: list[Label] = []
        for i in range(rank):
            if i not in gone:
                inner.append(next(left))
                continue
            inner.append(fresh[i])
            if keepdims:
                next(left)
        result = self._polynomial(operand, tuple(inner))
        for i in gone:
            label = fresh[i]
            if label is not None:
                result = summed(result, label, operand.aval.shape[i])
        return result

    def _widened(self, node: Node, labels: tuple[Label, ...]) -> Polynomial:
        """``x[:, None]``."""
        index = only_index(node)
        if node.params.get("handle") or index is None or not widens(index):
            raise _Unknown
        kept = [label for k, label in zip(index.parts, labels) if k is not None]
        return self._polynomial(node.inputs[0], (*kept, *labels[len(index.parts):]))

    def _in_place(self, node: Node, labels: tuple[Label, ...]) -> Polynomial:
        fn = operator.iadd if node.op == "acc" else node.params["fn"]
        base, value = node.inputs[:2]
        adds = fn in (operator.iadd, operator.isub)
        if fn not in _IN_PLACE or (adds and not is_adjoint(node)):
            raise _Unknown
        if not node.params["steps"]:
            other = self._polynomial(value, self._aligned(value, node, labels))
        elif adds:
            other = self._picked(node, labels)
        else:
            raise _Unknown
        return _combined(_IN_PLACE[fn], [self._polynomial(base, labels), other])

    def _picked(self, node: Node, labels: tuple[Label, ...]) -> Polynomial:
        """``b[i] += v`` for one element ``i``; ``b[arange(n), j] += v`` for one of each row;
        ``b[:, 0] += v`` where there is one column."""
        base, value = node.inputs[:2]
        index, shape = only_index(node), base.aval.shape
        if index is None or shape is None:
            raise _Unknown
        key = _filled(index.key, node)
        left = _beside_single(key, shape, labels)
        if left is not None:
            return self._polynomial(value, left)
        if len(shape) == 1 and not isinstance(key, tuple) and (
                type(key) is int or (isinstance(key, Value) and key.aval.kind is Kind.INT)):
            pick = atom("pick", key, (labels[0],))
            return times(pick, self._polynomial(value, ()))
        if len(shape) != 2 or not isinstance(key, tuple) or len(key) != 2 or not all(
                isinstance(k, Value) and k.aval.shape is not None and len(k.aval.shape) == 1
                and k.aval.dtype is not None and k.aval.dtype.kind in "iu" for k in key):
            raise _Unknown
        for axis in (0, 1):
            rows = self.defined.get(key[axis])
            if call_of(rows) is np.arange and rows is not None and len(
                    rows.params["args"]) == 1 and not rows.params["kwargs"] and (
                    value.aval.shape == (shape[axis],) and never_one(shape[axis])
                    and all(map(never_one, rows.out.aval.shape or ()))):  # it counts all of them
                label = labels[axis]
                pick = atom("pick", self._same.get(key[1 - axis], key[1 - axis]),
                            (label, labels[1 - axis]))
                return times(pick, self._polynomial(value, (label,)))
        raise _Unknown


def _filled(key: Any, node: Node) -> Any:
    if isinstance(key, Ref):
        return node.inputs[key.index]
    if isinstance(key, tuple):
        return tuple(_filled(k, node) for k in key)
    return key


def _beside_single(key: Any, shape: tuple[Any, ...],
                   labels: tuple[Label, ...]) -> tuple[Label, ...] | None:
    """The labels of the axes that are left where ``key`` takes all of an array, ``[..., 0]`` or
    ``[:, 0]``: the axes that it gives a number for have one element."""
    keys = list(key) if isinstance(key, tuple) else [key]
    missing = len(shape) - sum(k is not Ellipsis for k in keys)
    if any(isinstance(k, Value | np.ndarray) for k in keys) or keys.count(Ellipsis) > 1 or (
            missing < 0):
        return None
    at = keys.index(Ellipsis) if Ellipsis in keys else len(keys)
    keys[at:at + 1] = [slice(None)] * missing
    if not all((type(k) is slice and k == slice(None)) or (
            type(k) is int and k in (0, -1) and dim == 1) for k, dim in zip(keys, shape)):
        return None
    return tuple(label for k, label in zip(keys, labels) if type(k) is slice)


def _combined(fn: Any, parts: list[Polynomial]) -> Polynomial:
    if fn in NEG:
        return plus({}, parts[0], -1.0)
    if fn in MUL:
        return times(*parts)
    if fn in DIV:
        below = inverse(parts[1])
        if below is None:
            raise _Unknown
        return times(parts[0], below)
    return plus(parts[0], parts[1], -1.0 if fn in SUB else 1.0)
