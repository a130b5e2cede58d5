"""Adjoints of factorisations and inverses, where matrices are diagonal, triangular or symmetric.

The likelihood of a Gaussian process has ``np.sum(np.log(np.diag(L)))`` for a Cholesky factor, so
that the factor's cotangent is diagonal, and ``np.linalg.solve(K, y)`` for a symmetric ``K``:

    a @ diag(v), diag(v) @ a             ->  a * v, v[:, None] * a
    a @ (diag(v) - outer(u, w))          ->  a * v - outer(a @ u, w)
    a @ solve(a, u)                      ->  u
    tril(a.T * v), for a triangular a    ->  diag(diagonal(a) * v)
    diag(u) - diag(v)                    ->  diag(u - v)
    diagonal(a) * (c / diagonal(a))      ->  c
    a.T @ (2.0 * a)                      ->  2.0 * (a.T @ a)
    a + a.T, for a symmetric a           ->  2.0 * a
    solve(k.T, c * y), x = solve(k, y)   ->  c * x, for a symmetric k
    a.T, sum(a, axis=1), a symmetric     ->  a, sum(a, axis=0)
    sum(a, axis=1), a antisymmetric      ->  -sum(a, axis=0)
    c / det(a) * cofactors(a)            ->  c * inv(a).T, where the program has inv(a)
    inverse_or_nan(a)                    ->  inv(a), where the program has that
    vdot(a, eye(n)), vdot(outer(u, w), eye(n))  ->  trace(a), u @ w
    d + d.T, d = a.T @ (tril(m) - diag(diagonal(m) / 2)) @ a, m = diag(v) - c * outer(u, u)
                                         ->  a.T @ (v[:, None] * a) - c * outer(u @ a, u @ a)
    tril(s, -1) + diag(diagonal(s) / 2)  ->  s / 2, from the Cholesky factor of a symmetric matrix

The last is another cotangent of that matrix with the same product with each symmetric change.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..graph.ir import Graph, Node, Ref, Value
from ..graph.walking import walk
from ..types.kinds import SCALARS, int_aval
from .operands import ADD, DIV, MUL, SUB, Operands
from .parity import Parity, turned_from
from .rewriting import Emit, call_of, same_shape

MAKING: frozenset[Any] = frozenset({  # matrices of which something may be known
    operator.matmul, np.linalg.cholesky, np.linalg.solve, np.linalg.inv})


def use_structure(graph: Graph) -> Graph:
    """The graph with simpler adjoints of factorisations and inverses."""
    if graph.border is None or not any(map(_makes_or_sums, walk(graph.block))):
        return graph
    return _Matrices().run(graph)


def _makes_or_sums(node: Node) -> bool:
    """Does a node make such a matrix, or is it a sum over one of the first two axes of what may be
    the same when they change?"""
    fn = call_of(node)
    return fn in MAKING or (fn is np.sum and node.params["kwargs"] in ({"axis": 0}, {"axis": 1})
                            and _is_square(node.inputs[0], 3))


class _Matrices(Operands):
    def __init__(self) -> None:
        super().__init__()
        self._vectors: dict[Value, Value] = {}  # of diagonal matrices; numbers if all are equal
        self._spread: dict[Value, Value] = {}  # numbers of vectors whose elements are all equal
        self._diagonals: dict[Value, Value] = {}  # of matrices
        self._solutions: dict[Value, list[tuple[Value, Value]]] = {}
        self._inverses: dict[Value, Value] = {}
        self._sums: dict[tuple[Value, int], Value] = {}
        self._parity = Parity(self.defined)

    def note(self, node: Node) -> None:
        super().note(node)
        fn = call_of(node)
        if fn in (np.diag, np.diagonal) and len(node.params["args"]) == 1 and (
                not node.params["kwargs"] and len(node.inputs) == 1):
            value = node.inputs[0]
            if _rank(value) == 2:
                self._diagonals.setdefault(value, node.out)
            elif _rank(value) == 1 and fn is np.diag:
                self._vectors[node.out] = self._spread.get(value, value)
        elif getattr(fn, "__name__", "") == "scatter_diagonal" and (
                len(node.params["args"]) == 2 and _is_square(node.out)):
            self._vectors[node.out] = node.inputs[0]
        elif fn is np.linalg.solve and node.params["args"] == (Ref(0), Ref(1)) and (
                _rank(node.out) == 1):
            self._solutions.setdefault(node.inputs[0], []).append((node.inputs[1], node.out))
        elif fn is np.sum and node.params["args"] == (Ref(0),) and (
                node.params["kwargs"].keys() == {"axis"}) and self.is_beside(node, node.inputs[0]):
            self._sums.setdefault((node.inputs[0], node.params["kwargs"]["axis"]), node.out)
        elif fn is np.linalg.inv and node.params["args"] == (Ref(0),) and (
                _rank(node.out) == 2 and self.is_beside(node, node.inputs[0])):
            self._inverses.setdefault(node.inputs[0], node.out)

    def visit(self, node: Node, emit: Emit) -> Sequence[Value] | None:
        fn = call_of(node)
        if fn is np.sum and node.params["args"] == (Ref(0),):
            turned = self._turned_sum(node, emit)
            return None if turned is None else [turned]
        if fn is None or node.params["kwargs"]:
            return None
        operands = node.operands
        found: Value | None = None
        if turned_from(node) is not None:
            found = operands[0] if self._parity.of(operands[0]) == 1 else None
        elif any(type(v) in (list, tuple) for v in operands):
            pass  # whose items are inputs of the node
        elif fn is operator.matmul:
            found = self._product(operands[0], operands[1], emit)
        elif fn in (np.tril, np.triu) and len(operands) == 1:
            found = self._triangle(fn is np.tril, operands[0], emit)
        elif fn is np.diagonal and len(operands) == 1:
            found = self._diagonal(operands[0], emit, known=True)
        elif fn in MUL and any(v in self._spread for v in node.inputs):
            found = self._spread_product(operands, emit)
        elif fn in MUL and len(node.inputs) == 2:
            found = self._log_determinant(node.inputs, emit)
        elif fn is np.vdot and len(operands) == 2:
            found = self._trace(operands, emit)
        elif getattr(fn, "__name__", "") == "inverse_or_nan":
            found = self._inverses.get(operands[0])
        elif (fn in ADD or fn in SUB) and len(node.inputs) == 2:
            found = self._sum(fn, node.inputs[0], node.inputs[1], emit)
        elif fn is np.linalg.solve and len(operands) == 2:
            found = self._solved(operands[0], operands[1], emit)
        return None if found is None else [found]

    def _turned_sum(self, node: Node, emit: Emit) -> Value | None:
        """The sum over the other one of the first two axes, where that is the same or its negative
        and takes less: over rows of a matrix, over the middle axis of three."""
        matrix, kwargs = node.inputs[0], node.params["kwargs"]
        axis, best = kwargs.get("axis"), 0 if len(matrix.aval.shape or ()) == 2 else 1
        if axis not in (0, 1) or kwargs not in ({"axis": axis}, {"axis": axis, "keepdims": True}):
            return None
        known = self._sums.get((matrix, best))
        if kwargs == {"axis": best}:
            return known
        sign = self._parity.of(matrix)
        if sign is None:
            return None
        total = known or emit.call(np.sum, matrix, axis=best)
        self._sums[matrix, best] = total
        if "keepdims" in kwargs:
            total = emit.call(np.expand_dims, total, axis)
        return total if sign == 1 or axis == best else emit.call(operator.neg, total)

    # ---- diagonal matrices ---------------------------------------------------------------------

    def _product(self, first: Any, second: Any, emit: Emit) -> Value | None:
        if _rank(first) != 2 or _rank(second) != 2:
            return None
        vector = self._vectors.get(second)
        if vector is not None:
            return emit.call(operator.mul, first, vector)
        vector = self._vectors.get(first)
        if vector is not None:
            wide = vector if vector.aval.kind in SCALARS else emit.call(np.expand_dims, vector, 1)
            return emit.call(operator.mul, wide, second)
        parts = self._product_of_parts(first, second, emit)
        if parts is not None:
            return parts
        factors = self.factors(second)
        if factors is not None and self.uses[second] <= 1:
            number, matrix = sorted(factors, key=self.size)
            if _is_number(number) and turned_from(self.defined.get(first)) is matrix:
                return emit.call(operator.mul, number, emit.call(operator.matmul, first, matrix))
        return None

    def _product_of_parts(self, first: Value, second: Value, emit: Emit) -> Value | None:
        """The product with a diagonal matrix to which an outer product was added."""
        node = self.defined.get(second)
        if node is None or node.op not in ("acc", "update") or node.params["steps"] or (
                self.uses[second] > 1):
            return None
        taken = node.params.get("fn") is operator.isub
        if node.op == "update" and not taken:
            return None
        base, value = node.inputs
        negated = self.negated(value)
        if negated is not None:
            value, taken = negated, not taken
        vector, outer = self._vectors.get(base), self.defined.get(value)
        if vector is None or outer is None or call_of(outer) is not np.outer or (
                len(outer.inputs) != 2 or any(_rank(v) != 1 for v in outer.inputs)):
            return None
        column, row = outer.operands
        solved = self.defined.get(column)
        if call_of(solved) is np.linalg.solve and solved is not None and (
                solved.inputs[0] is first and _rank(solved.inputs[1]) == 1):
            column = solved.inputs[1]
        else:
            column = emit.call(operator.matmul, first, column)
        scaled = emit.call(operator.mul, first, vector)
        return emit.call(operator.sub if taken else operator.add, scaled,
                         emit.call(np.outer, column, row))

    def _triangle(self, lower: bool, matrix: Value, emit: Emit) -> Value | None:
        if matrix in self._vectors or self._is_triangular(matrix, lower):
            return matrix
        if not self._is_triangular(matrix, not lower) or not _is_square(matrix):
            return None
        vector = self._diagonal(matrix, emit)
        return None if vector is None else self._matrix_of(vector, matrix, emit)

    def _is_triangular(self, matrix: Value, lower: bool) -> bool:
        """Is everything above (``lower``) or below the diagonal of a matrix certainly zero?"""
        node = self.defined.get(matrix)
        fn = call_of(node)
        if node is None or _rank(matrix) != 2:
            return False
        if fn is np.linalg.cholesky:
            return lower and len(node.params["args"]) == 1 and not node.params["kwargs"]
        turned = turned_from(node)
        if turned is not None:
            return self._is_triangular(turned, not lower)
        if fn is np.linalg.inv:
            return self._is_triangular(node.inputs[0], lower)
        return fn in MUL and any(self._is_triangular(v, lower) for v in node.inputs)

    def _diagonal(self, matrix: Value, emit: Emit, known: bool = False) -> Value | None:
        """The diagonal of a matrix; None if it (``known``) would have to be taken."""
        vector = self._vectors.get(matrix)
        if vector is not None:
            if vector.aval.kind not in SCALARS:
                return vector
            size = emit.add("dim", (matrix,), (int_aval((matrix.aval.shape or (None,))[0]),),
                            axis=0).out
            wide = emit.call(np.broadcast_to, vector, (size,))
            self._spread[wide] = vector
            return wide
        if known:
            return None
        node = self.defined.get(matrix)
        turned = turned_from(node)
        if turned is not None:
            return self._diagonal(turned, emit)
        factors = self.factors(matrix)
        if factors is not None:
            matrices = [v for v in factors if _rank(v) == 2]
            rest = [v for v in factors if _is_number(v) or _rank(v) == 1]
            if len(matrices) == len(rest) == 1:
                inner = self._diagonal(matrices[0], emit)
                return None if inner is None else self._times(inner, rest[0], emit)
        return self._diagonals.get(matrix) or emit.call(np.diagonal, matrix)

    def _times(self, diagonal: Value, factor: Any, emit: Emit) -> Value:
        node = self.made(factor)
        if call_of(node) in DIV and node is not None:
            above, below = node.operands
            if below is diagonal and isinstance(above, Value):
                return above
        return emit.call(operator.mul, diagonal, factor)

    def _matrix_of(self, vector: Value, like: Value, emit: Emit) -> Value:
        """A diagonal matrix of the size of ``like``; of a number: with it everywhere."""
        if vector.aval.kind in SCALARS:
            size = emit.add("dim", (like,), (int_aval((like.aval.shape or (None,))[0]),),
                            axis=0).out
            matrix = emit.call(operator.mul, vector, emit.call(np.eye, size))
        else:
            matrix = emit.call(np.diag, vector)
        self._vectors[matrix] = vector
        return matrix

    def _spread_product(self, operands: tuple[Any, ...], emit: Emit) -> Value | None:
        for vector, other in (operands, operands[::-1]):
            if vector in self._spread and _is_number(other):
                wide = self.defined[vector].operands[1]
                number = emit.call(operator.mul, other, self._spread[vector])
                made = emit.call(np.broadcast_to, number, wide)
                self._spread[made] = number
                return made
        return None

    # ---- sums, symmetric matrices --------------------------------------------------------------

    def _sum(self, fn: Any, first: Value, second: Value, emit: Emit) -> Value | None:
        pair = self._vectors.get(first), self._vectors.get(second)
        if pair[0] is not None and pair[1] is not None and (
                (pair[0].aval.kind in SCALARS) == (pair[1].aval.kind in SCALARS)):
            return self._matrix_of(self._total(fn, pair[0], pair[1], emit), first, emit)
        if fn in ADD and any(turned_from(self.defined.get(a)) is b for a, b in (
                (first, second), (second, first))):
            return emit.call(operator.mul, 2.0, first) if self._parity.of(first) == 1 else (
                self._of_cholesky(first, emit))
        return self._whole_of_triangle(first, second, emit) if fn in ADD else None

    def _whole_of_triangle(self, strict: Value, diagonal: Value, emit: Emit) -> Value | None:
        """The cotangent of a symmetric matrix that Cholesky's factorisation has read the lower
        triangle of."""
        node, vector = self.defined.get(strict), self._vectors.get(diagonal)
        half = self.defined.get(vector) if vector is not None else None
        if call_of(node) is not np.tril or node is None or half is None or (
                len(node.params["args"]) != 2 or node.params["args"][1] != -1):
            return None
        whole = node.inputs[0]
        both = self.defined.get(whole)
        if self._halved_diagonal(vector) is not whole or both is None or call_of(both) not in ADD:
            return None
        return emit.call(operator.mul, 0.5, whole) if self._is_from_symmetric(both) else None

    def _halved_diagonal(self, vector: Any) -> Value | None:
        """``a`` of ``0.5 * diagonal(a)``."""
        number, rest = sorted(self.factors(vector) or (None, None), key=self.size)
        taken = self.defined.get(rest)
        return taken.inputs[0] if self.number(number) == 0.5 and taken is not None and (
            call_of(taken) is np.diagonal) else None

    def _of_cholesky(self, d: Value, emit: Emit) -> Value | None:
        """``d + d.T`` for ``d = a.T @ ((tril(m) - diag(diagonal(m) / 2)) @ a)`` where ``m`` is
        triangular but for ``c * outer(u, u)`` that is taken away: ``a.T @ diag(diagonal(..)) @ a``
        less an outer product."""
        turned, half, matrix = self._product_around(d)
        if turned is None or half is None or call_of(half) not in SUB:
            return None
        lower, taken = self.defined.get(half.inputs[0]), self._vectors.get(half.inputs[-1])
        less = self.defined.get(lower.inputs[0]) if lower is not None and (
            call_of(lower) is np.tril and len(lower.params["args"]) == 1) else None
        if less is None or call_of(less) not in SUB or lower is None or (
                self._halved_diagonal(taken) is not lower.out) or not (
                self._is_triangular(less.inputs[0], False)):
            return None
        outer = self.defined.get(less.inputs[-1])
        if call_of(outer) is not np.outer or outer is None or matrix is None:
            return None
        column, row = outer.operands
        factor = self._multiple(column, row, emit)
        vector = None if factor is None else self._diagonal(less.inputs[0], emit)
        if vector is None:
            return None
        even = self._spread.get(vector, vector)
        number = even.aval.kind in SCALARS
        right = matrix if number else emit.call(
            operator.mul, emit.call(np.expand_dims, even, 1), matrix)
        product = emit.call(operator.matmul, turned, right)
        if number and self.number(even) != 1:
            product = emit.call(operator.mul, even, product)
        row = emit.call(operator.matmul, row, matrix)
        column = row if factor == 1 else emit.call(operator.mul, factor, row)
        return emit.call(operator.sub, product, emit.call(np.outer, column, row))

    def _product_around(self, d: Value) -> tuple[Value | None, Node | None, Value | None]:
        """``a.T``, the node of ``p``, ``a`` where ``d`` is ``a.T @ (p @ a)``."""
        product = self.defined.get(d)
        inner = self.defined.get(product.inputs[-1]) if product is not None and (
            call_of(product) is operator.matmul) else None
        if inner is None or product is None or call_of(inner) is not operator.matmul or (
                turned_from(self.defined.get(product.inputs[0])) is not inner.inputs[-1]):
            return None, None, None
        return product.inputs[0], self.defined.get(inner.inputs[0]), inner.inputs[-1]

    def _is_from_symmetric(self, both: Node) -> bool:
        """Is it ``d + d.T`` with ``d = inv(low).T @ ...`` for the factor of a symmetric matrix?"""
        for d, turned in (both.inputs, both.inputs[::-1]):
            product = self.defined.get(d)
            if turned_from(self.defined.get(turned)) is not d or call_of(product) is not (
                    operator.matmul) or product is None:
                continue
            matrix = turned_from(self.defined.get(product.inputs[0]))
            inverse = self.defined.get(matrix) if matrix is not None else None
            low = self.defined.get(inverse.inputs[0]) if inverse is not None else None
            if call_of(inverse) is np.linalg.inv and call_of(low) is np.linalg.cholesky and (
                    low is not None and not low.params["kwargs"]):
                return self._parity.of(low.inputs[0]) == 1
        return False

    def _trace(self, operands: tuple[Any, ...], emit: Emit) -> Value | None:
        """``vdot(a, eye(n))``."""
        for matrix, eye in (operands, operands[::-1]):
            made = self.made(eye)
            if call_of(made) not in (np.eye, np.identity) or made is None or len(
                    made.params["args"]) != 1 or made.params["kwargs"] or _rank(matrix) != 2 or (
                    not same_shape(matrix.aval, eye.aval)):
                continue
            outer = self.defined.get(matrix)
            if call_of(outer) is np.outer and outer is not None and all(
                    _rank(v) == 1 for v in outer.inputs):
                return emit.call(operator.matmul, *outer.operands)
            return emit.call(np.trace, matrix)
        return None

    def _log_determinant(self, operands: tuple[Any, ...], emit: Emit) -> Value | None:
        """``c / det(a) * cofactors(a)`` by the inverse of ``a``."""
        for ratio, matrix in (operands, operands[::-1]):
            above, of = self.defined.get(ratio), self.defined.get(matrix)
            if call_of(above) not in DIV or above is None or of is None or (
                    getattr(call_of(of), "__name__", "") != "cofactors"):
                continue
            number, determinant = above.operands
            below, inverse = self.defined.get(determinant), self._inverses.get(of.inputs[0])
            if call_of(below) is np.linalg.det and below is not None and inverse is not None and (
                    below.inputs[0] is of.inputs[0]):
                turned = inverse if self._parity.of(inverse) == 1 else (
                    emit.call(np.transpose, inverse))
                return emit.call(operator.mul, number, turned)
        return None

    def _total(self, fn: Any, first: Value, second: Value, emit: Emit) -> Value:
        """``c - 0.5 * c`` is ``0.5 * c``."""
        number, rest = sorted(self.factors(second) or (None, None), key=self.size)
        known = self.number(number)
        if rest is first and known is not None:
            return emit.call(operator.mul, 1.0 + (known if fn in ADD else -known), first)
        return emit.call(operator.add if fn in ADD else operator.sub, first, second)

    def _solved(self, matrix: Value, right: Value, emit: Emit) -> Value | None:
        """A solution that is known: a multiple of another one."""
        matrix = turned_from(self.defined.get(matrix)) or matrix
        if matrix not in self._solutions or self._parity.of(matrix) != 1:
            return None
        for y, solution in self._solutions[matrix]:
            factor = self._multiple(right, y, emit)
            if factor is not None:
                return solution if factor == 1 else emit.call(operator.mul, factor, solution)
        return None

    def _multiple(self, value: Any, of: Value, emit: Emit) -> Any:
        """The number that ``value`` is ``of`` times."""
        if value is of:
            return 1
        factors = self.factors(value)
        if factors is None:
            return None
        number, rest = sorted(factors, key=self.size)
        if not _is_number(number):
            return None
        inner = self._multiple(rest, of, emit)
        if inner is None or inner == 1:
            return number if inner == 1 else None
        return emit.call(operator.mul, number, inner)


def _rank(value: Any) -> int | None:
    """The number of axes of an array of floats."""
    if not isinstance(value, Value) or not value.aval.is_array or value.aval.shape is None or (
            value.aval.dtype is None or value.aval.dtype.kind != "f"):
        return None
    return len(value.aval.shape)


def _is_square(value: Value, most: int = 2) -> bool:
    shape = value.aval.shape
    return shape is not None and 2 <= len(shape) <= most and shape[0] == shape[1]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) or (
        isinstance(value, Value) and value.aval.kind in SCALARS)
