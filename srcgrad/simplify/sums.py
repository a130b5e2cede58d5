"""Sums of products: the product need not be written down.

    sum(a * b)                          ->  a @ b, vdot(a, b)
    sum(a * b, axis=0)                  ->  sum(a, axis=0) * b, if b has no such axis
    sum(a / s)                          ->  sum(a) / s, if s is a number
    sum(a * b, axis=0)                  ->  einsum("ij,ij->j", a, b)
    sum(c[:, None] * a, axis=0)         ->  c @ a
    sum(a * c, axis=1)                  ->  a @ c      (a matrix and a row)
    sum(c[:, :, None] * a, axis=1)      ->  (c[:, None] @ a)[:, 0]
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..graph.ir import Index, Node, Ref, Value, fill
from ..types.kinds import SCALARS, same_dtypes
from .operands import DIV, division, is_real, same_type
from .rewriting import Emit, call_of, same_shape
from .stores import Stores


class Sums(Stores):
    """Rewrites ``np.sum``."""

    def _inner_product(self, node: Node, emit: Emit) -> Value | None:
        """``sum(a * b)`` of two arrays of one shape is ``a @ b``, or ``vdot``."""
        factors = self.factors(node.inputs[0])
        if factors is None or node.params["args"] != (Ref(0),) or node.params["kwargs"] or (
                self.uses[node.inputs[0]] > 1):
            return None
        first, second = factors
        if not _is_vector_like(first, second):
            return None
        fn = operator.matmul if len(first.aval.shape) == 1 else np.vdot
        return emit.call(fn, first, second)

    def reduced(self, node: Node, emit: Emit) -> Value | None:
        """A sum of a negative; a sum of a scalar."""
        operand = node.inputs[0]
        if operand.aval.kind in SCALARS and same_type(operand, node.out):
            return operand
        negated = self.negated(operand)
        if negated is None:
            return self._inner_product(node, emit) or self._factor_out(node, emit) or (
                self._inner_products(node, emit)) or self._matrix_product(node, emit) or (
                self._divided(node, emit))
        args = fill(node.params["args"], [negated, *node.inputs[1:]])
        kwargs = fill(node.params["kwargs"], [negated, *node.inputs[1:]])
        return emit.call(operator.neg, emit.call(np.sum, *args, **kwargs))

    def _inner_products(self, node: Node, emit: Emit) -> Value | None:
        """``sum(a * b, axis=1)`` of two arrays of one shape is ``einsum("ij,ij->i", a, b)``: the
        product is not written down.  (In single precision sums of ``einsum`` are less exact.)"""
        product, kwargs = node.inputs[0], node.params["kwargs"]
        factors = self.factors(product)
        if factors is None or self.uses[product] > 1 or node.params["args"] != (Ref(0),):
            return None
        first, second = factors
        axis, rank = kwargs.get("axis"), len(product.aval.shape or ())
        axes = axis if isinstance(axis, tuple) else (axis,)
        if rank not in (2, 3) or kwargs.keys() - {"axis", "keepdims"} or (
                not all(type(i) is int for i in axes)) or (
                not all(isinstance(v, Value) and v.aval.dtype == float and same_shape(
                    v.aval, product.aval) for v in factors)):
            return None
        letters = "ijk"[:rank]
        gone = {i % rank for i in axes}
        left = "".join(letter for i, letter in enumerate(letters) if i not in gone)
        total = emit.call(np.einsum, f"{letters},{letters}->{left}", first, second)
        if not kwargs.get("keepdims"):
            return total
        places = sorted(gone)
        return emit.call(np.expand_dims, total, places[0] if len(gone) == 1 else tuple(places))

    def _factor_out(self, node: Node, emit: Emit) -> Value | None:
        """``sum(a * b, axis=0)`` is ``sum(a, axis=0) * b`` where ``b`` has no such axis."""
        product, kwargs = node.inputs[0], node.params["kwargs"]
        factors = self.factors(product)
        if factors is None or self.uses[product] > 1 or node.params["args"] != (Ref(0),):
            return None
        first, second = sorted(factors, key=self.size)
        if not isinstance(first, Value) or not isinstance(second, Value) or (
                not second.aval.is_array or not same_shape(second.aval, product.aval)):
            return None
        row = product.aval.but(shape=(product.aval.shape or ())[1:])
        rows = kwargs == {"axis": 0} and same_shape(first.aval, row)
        if not rows and first.aval.kind not in SCALARS:
            return None
        return emit.call(operator.mul, first, emit.call(np.sum, second, **kwargs))

    def _divided(self, node: Node, emit: Emit) -> Value | None:
        """The sum of an array that a number divides: it divides the sum."""
        quotient = self.made(node.inputs[0])
        if quotient is None or call_of(quotient) not in DIV or self.uses[quotient.out] > 1 or (
                node.params["args"] != (Ref(0),) or quotient.params["kwargs"]):
            return None
        above, below = quotient.operands
        if not isinstance(below, Value) or below.aval.kind not in SCALARS or (
                not is_real(above) or not same_type(above, quotient.out)):
            return None
        whole = node.but(inputs=(above,), outputs=(Value(node.out.aval),))
        total = self.reduced(whole, emit)
        if total is None:
            emit.nodes.append(whole)
            total = whole.out
        found = emit.call(division(quotient), total, below)
        return found if same_type(found, node.out) else None

    def _matrix_product(self, node: Node, emit: Emit) -> Value | None:
        """The sum over the axis that an array has with a vector or a matrix that was widened."""
        product, kwargs = node.inputs[0], node.params["kwargs"]
        factors, sizes = self.factors(product), product.aval.shape or ()
        rank = len(sizes)
        if factors is None or self.uses[product] > 1 or node.params["args"] != (Ref(0),) or (
                kwargs.keys() != {"axis"} or type(kwargs["axis"]) is not int or rank < 2):
            return None
        axis = kwargs["axis"] % rank
        for small, whole in (factors, factors[::-1]):
            if not all(isinstance(v, Value) and v.aval.dtype == float and v.aval.shape
                       for v in (small, whole)) or not same_shape(whole.aval, product.aval):
                continue
            number, rest = sorted(self.factors(small) or (None, small), key=self.size)
            known = self.number(number)
            wide = self.widening(small if known is None else rest)
            inner, shape = small if wide is None else wide.inputs[0], small.aval.shape
            axes = tuple(i + rank - len(shape) for i, d in enumerate(shape) if d != 1)
            if not same_shape(inner.aval, product.aval.but(shape=tuple(
                    sizes[i] for i in axes))):
                continue
            if wide is not None and known is not None:
                inner = self.scaled(known, inner, emit)
            found = None
            if axes == (axis,) == (rank - 1,):
                found = emit.call(operator.matmul, whole, inner)
            elif axes == (axis,) and rank == 2:
                found = emit.call(operator.matmul, inner, whole)
            elif axes == (0, 1) and (rank, axis) == (3, 1):
                rows = emit.call(operator.matmul, emit.call(np.expand_dims, inner, 1), whole)
                found = emit.add("read", (rows,), (node.out.aval,), steps=(
                    Index((slice(None), 0)),)).out
            if found is not None and same_type(found, node.out):
                return found
        return None


def _is_vector_like(a: Any, b: Any) -> bool:
    """Two real arrays of certainly the same shape, of rank 1 or more?"""
    return (is_real(a) and is_real(b) and a.aval.is_array and b.aval.is_array
            and bool(a.aval.shape) and same_shape(a.aval, b.aval)
            and same_dtypes(a.aval, b.aval))
