"""Cotangents that are zero but for one place of each row stay that small.

The adjoint of ``p[np.arange(n), labels]`` is an array of zeros with a few other numbers.  What it
is multiplied with, divided by, summed over or added to takes part with these places only:

    d_p = np.zeros_like(p)                           v = v / s[i, 0]
    d_p[i, j] = v                                    row_sums = np.zeros(n)
    d_p /= s                                   ->    row_sums[i] = v
    d_z += d_p - d_p.sum(axis=1)[:, None] * e        d_z -= row_sums[:, None] * e
                                                     d_z[i, j] += v

An infinite factor where the cotangent is zero has no influence then.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..graph.broadcasting import never_one
from ..graph.ir import Graph, Index, Node, Ref, Value, fill
from ..graph.walking import walk
from ..types.dataclasses import dataclass
from ..types.kinds import SCALARS, int_aval
from .operands import DIV, MUL, NEG, Operands
from .rewriting import Emit, call_of, same_shape

_STORES = ("write", "acc")


def keep_scattered(graph: Graph) -> Graph:
    """The graph with such cotangents kept as what lies at their places."""
    if graph.border is None or not any(
            n.op in _STORES and not all(getattr(s, "basic", True) for s in n.params["steps"])
            for n in walk(graph.block)):
        return graph
    return _Scattered().run(graph)


@dataclass(frozen=True)
class Few:
    """Zeros like ``zeros`` where ``op`` puts ``value`` at the places ``keys``: arrays of integers,
    one for each axis."""

    op: str
    zeros: Value
    value: Value
    keys: tuple[Value, ...]

    @property
    def steps(self) -> tuple[Index, ...]:
        return (Index(tuple(Ref(2 + i) for i in range(len(self.keys))), False),)


class _Scattered(Operands):
    def visit(self, node: Node, emit: Emit) -> Sequence[Value] | None:
        found: Value | None = None
        if node.op == "acc" or (node.op == "update" and node.params["fn"] is operator.isub):
            found = None if node.params["steps"] else self._added(node, emit)
        elif call_of(node) is np.sum:
            found = self._summed(node, emit)
        elif call_of(node) is not None and not node.params["kwargs"]:
            found = self._scaled(node, emit)
        return None if found is None else [found]

    def _few(self, value: Any) -> Few | None:
        """What a value is if it is zero but for a few places."""
        node = self.made(value)
        if node is None or node.op not in _STORES or not self.is_zero(node.inputs[0]) or (
                len(node.params["steps"]) != 1):
            return None
        base, step = node.inputs[0].aval, node.params["steps"][0]
        if not isinstance(step, Index) or step.basic or not isinstance(step.key, tuple) or (
                base.shape is None or len(step.key) != len(base.shape) or len(base.shape) < 2):
            return None
        keys = fill(step.key, node.inputs)
        if not all(isinstance(k, Value) and k.aval.is_array and len(k.aval.shape or ()) == 1 and (
                k.aval.dtype is not None and k.aval.dtype.kind in "iu") for k in keys):
            return None
        length = keys[0].aval.shape
        if node.inputs[1].aval.kind not in SCALARS and node.inputs[1].aval.shape != length:
            return None
        return Few(node.op, node.inputs[0], node.inputs[1], keys)

    def _scaled(self, node: Node, emit: Emit) -> Value | None:
        """A product, quotient or negative."""
        fn = call_of(node)
        if fn not in MUL and fn not in DIV and fn not in NEG:
            return None
        operands = list(node.operands)
        for i in range(1 if fn in DIV else len(operands)):
            few = self._few(operands[i])
            if few is None or not same_shape(node.out.aval, few.zeros.aval) or (
                    node.out.aval.dtype != few.zeros.aval.dtype):
                continue
            parts = [few.value if v is operands[i] else self._at(few, v, emit) for v in operands]
            if None not in parts and operands.count(operands[i]) == 1:
                return self._again(few, emit.call(fn, *parts), emit)
        return None

    def _at(self, few: Few, operand: Any, emit: Emit) -> Any:
        """The elements of an operand at the places; None if it is not sure which they are."""
        if not isinstance(operand, Value) or operand.aval.kind in SCALARS:
            return operand
        shape, whole = operand.aval.shape, few.zeros.aval.shape
        if not operand.aval.is_array or shape is None or whole is None or len(shape) != len(whole):
            return None
        key: list[Any] = []
        inputs = [operand]
        for dim, size, places in zip(shape, whole, few.keys):
            if dim == 1:
                key.append(0)
            elif dim == size or (never_one(dim) and never_one(size)):
                key.append(Ref(len(inputs)))
                inputs.append(places)
            else:
                return None
        if len(inputs) == 1:
            return None
        aval = operand.aval.but(shape=few.keys[0].aval.shape)
        return emit.add("read", tuple(inputs), (aval,), steps=(Index(tuple(key), False),)).out

    def _again(self, few: Few, value: Value, emit: Emit) -> Value:
        zeros = emit.call(np.zeros_like, few.zeros)
        return emit.add(few.op, (zeros, value, *few.keys), (few.zeros.aval,), steps=few.steps).out

    def _summed(self, node: Node, emit: Emit) -> Value | None:
        """A sum over one axis of a matrix."""
        few, kwargs = self._few(node.inputs[0]), node.params["kwargs"]
        axis = kwargs.get("axis")
        if few is None or node.params["args"] != (Ref(0),) or len(few.keys) != 2 or (
                kwargs.keys() - {"axis", "keepdims"} or axis not in (0, 1, -1, -2)):
            return None
        left = 1 - axis % 2
        assert few.zeros.aval.shape is not None
        size = emit.add("dim", (few.zeros,), (int_aval(few.zeros.aval.shape[left]),), axis=left).out
        zeros = emit.call(np.zeros, size)
        if zeros.aval.dtype != few.zeros.aval.dtype:
            return None
        total = emit.add("acc", (zeros, few.value, few.keys[left]), (zeros.aval,),
                         steps=(Index(Ref(2), False),)).out
        return emit.call(np.expand_dims, total, axis % 2) if kwargs.get("keepdims") else total

    def _added(self, node: Node, emit: Emit) -> Value | None:
        """Few places added to an array, or an array added to few places."""
        base, value = node.inputs
        taken = node.op == "update"
        if not same_shape(base.aval, value.aval) or base.aval.dtype != value.aval.dtype:
            return None
        few = self._few(value)
        if few is None:
            few = self._few(base) if self.uses[base] <= 1 else None
            if few is None or self.uses[value] > 1:
                return None
            base, value = self.minus(value, emit) if taken else value, few.value
        else:
            value = emit.call(operator.neg, few.value) if taken else few.value
        return emit.add("acc", (base, value, *few.keys), (node.out.aval,), steps=few.steps).out
