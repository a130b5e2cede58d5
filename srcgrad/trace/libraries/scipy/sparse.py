"""Sparse matrices of traced numbers.

While tracing such a matrix is an instance of :class:`Sparse`, whose methods are staged: SciPy's own
matrix, an object that only a run knows and that SciPy's own functions make in the order of the
program, and entries that add up to it, with which derivatives go.  Entries are never added up
themselves: converting leaves them as they are, a sum joins them, and what is zero by chance (which
SciPy leaves out of sums) keeps its derivative.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ....rules.scipy.sparse import (
    changed,
    dense,
    divided,
    matching,
    multiplied,
    pointers,
    scaled,
    sparse_diagonal,
    sparse_item,
    sparse_items,
    sparse_product,
    sparse_sum,
    stored,
    stored_places,
    with_data,
    written,
)
from ....types.kinds import array
from ....types.spelling import Attribute, Method
from ...calls.handlers import primitive
from ...record.tracers import is_tracer
from .sparse_steps import (
    Matrix,
    among,
    array_of,
    as_matrix,
    attribute_of,
    compared,
    flat,
    in_one,
    is_elementwise,
    is_number,
    is_whole,
    is_zero,
    lent,
    number_of,
    operator_of,
    rank_of,
    refuse,
    require_own,
    require_same,
    require_size,
    unknown,
    with_dtype_of,
)


class Sparse(Matrix):
    """A sparse matrix of SciPy's class ``kind``: an object, and entries.  ``shares`` is an array of
    the program that the object would share its numbers with, and what that held."""

    def __init__(self, kind: Any, made: Any, entries: Any, shape: Any, shares: Any = None) -> None:
        self.kind, self.made, self.entries, self.shape = kind, made, entries, shape
        self.shares = shares

    # ---- what it is ----------------------------------------------------------------------------
    @property
    def matrix(self) -> Any:
        if self.shares is not None:
            require_same(self.shares)
        return self.made

    @property
    def T(self) -> Any:
        return self.transpose()

    @property
    def ndim(self) -> Any:
        return 2

    @property
    def dtype(self) -> Any:
        return self.entries[0].dtype

    @property
    def format(self) -> Any:
        return attribute_of(self.kind, "format")

    @property
    def nnz(self) -> Any:
        return number_of(self.matrix, "nnz")

    @property
    def data(self) -> Any:
        return lent(self.stored().entries[0])

    @data.setter
    def data(self, values: Any) -> None:
        rows, cols = stored_places(self.matrix)
        self.change(opaque(with_data, self.matrix, values), (values, rows, cols))

    @property
    def indices(self) -> Any:
        return stored_places(self.matrix)[0 if self.format == "csc" else 1]

    @property
    def indptr(self) -> Any:
        return pointers(self.matrix)

    @property
    def row(self) -> Any:
        return stored_places(self.matrix)[0]

    @property
    def col(self) -> Any:
        return stored_places(self.matrix)[1]

    def stored(self) -> Any:
        """The same with the entries that SciPy's object stores."""
        if attribute_of(self.kind, "format") not in ("csr", "csc", "coo"):
            refuse(self.kind, "data")
        data, rows, cols = self.entries
        i, j = stored_places(self.matrix)
        found = stored(data, self.matrix, i.shape, rows, cols)
        return Sparse(self.kind, self.matrix, (found, i, j), self.shape)

    def toarray(self, order: Any = None) -> Any:
        data, rows, cols = self.entries
        return dense(data, self.matrix, self.shape, rows, cols)

    def todense(self, order: Any = None) -> Any:
        return as_matrix(self.kind, self.toarray())

    def diagonal(self, k: Any = 0) -> Any:
        data, rows, cols = self.entries
        size = min(self.shape[0] + min(k, 0), self.shape[1] - max(k, 0))
        return sparse_diagonal(data, self.matrix, (size,), k, rows, cols)

    def trace(self, offset: Any = 0) -> Any:
        return self.diagonal(offset).sum()

    def sum(self, axis: Any = None) -> Any:
        data, rows, cols = self.entries
        if axis is None:
            return sparse_sum(data, self.matrix, (), None, rows, cols)
        axis = axis % 2
        sums = sparse_sum(data, self.matrix, (self.shape[1 - axis],), axis, rows, cols)
        return as_matrix(self.kind, sums, axis)

    def mean(self, axis: Any = None) -> Any:
        count = self.shape[0] * self.shape[1] if axis is None else self.shape[axis]
        return (self * (1.0 / count)).sum(axis)

    # ---- what is made of it --------------------------------------------------------------------
    def transpose(self, axes: Any = None, copy: Any = False) -> Any:
        data, rows, cols = self.entries
        found = of_call(Method("transpose"), (self,), (data, cols, rows), self.shape[::-1])
        return Sparse(found.kind, found.made, found.entries, found.shape, self.shares)

    def asformat(self, format: Any, copy: Any = False) -> Any:
        return self if format is None else getattr(self, f"to{format}")(copy)

    def conj(self, copy: Any = True) -> Any:
        data, rows, cols = self.entries
        return of_call(Method("conj"), (self,), (np.conj(data), rows, cols), self.shape)

    conjugate = conj

    @property
    def real(self) -> Any:
        data, rows, cols = self.entries
        return of_call(Attribute("real"), (self,), (np.real(data), rows, cols), self.shape)

    @property
    def imag(self) -> Any:
        data, rows, cols = self.entries
        return of_call(Attribute("imag"), (self,), (np.imag(data), rows, cols), self.shape)

    def astype(self, dtype: Any, casting: Any = "unsafe", copy: Any = True) -> Any:
        data, rows, cols = self.entries
        return of_call(Method("astype"), (self, dtype), (data.astype(dtype), rows, cols),
                       self.shape)

    def multiply(self, other: Any) -> Any:
        other = operand(other)
        data, rows, cols = self.entries
        if is_matrix(other):
            values, i, j = other.entries
            width = self.shape[1]
            left, right = matching(in_one(rows, cols, width), in_one(i, j, width))
            entries = data[left] * values[right], rows[left], cols[left]
            return of_call(multiplied, (self, other), entries, self.shape)
        other = array_of(other)
        factors = other if other.ndim == 0 else np.broadcast_to(other, self.shape)[rows, cols]
        return of_call(multiplied, (self, other), (data * factors, rows, cols), self.shape)

    def power(self, n: Any) -> Any:
        data, rows, cols = self.stored().entries
        return of_call(Method("power"), (self, n), (data ** n, rows, cols), self.shape)

    def __abs__(self) -> Any:
        data, rows, cols = self.stored().entries
        return of_call(abs, (self,), (abs(data), rows, cols), self.shape)

    def dot(self, other: Any) -> Any:
        return self @ other

    # ---- operators -----------------------------------------------------------------------------
    def __neg__(self) -> Any:
        data, rows, cols = self.entries
        return of_call(operator.neg, (self,), (-data, rows, cols), self.shape)

    def __add__(self, other: Any) -> Any:
        return added("+", self, operand(other), self)

    def __radd__(self, other: Any) -> Any:
        return added("+", operand(other), self, self)

    def __sub__(self, other: Any) -> Any:
        return added("-", self, operand(other), self)

    def __rsub__(self, other: Any) -> Any:
        return added("-", operand(other), self, self)

    def __mul__(self, other: Any) -> Any:
        if is_number(other):
            data, rows, cols = self.entries
            return of_call(scaled, (self, other), (data * other, rows, cols), self.shape)
        return self.multiply(other) if is_elementwise(self.kind) else self @ other

    def __rmul__(self, other: Any) -> Any:
        return self * other if is_number(other) or is_elementwise(self.kind) else other @ self

    def __truediv__(self, other: Any) -> Any:
        data, rows, cols = self.entries
        if is_number(other):
            return of_call(divided, (self, other), (data / other, rows, cols), self.shape)
        by = np.broadcast_to(array_of(other), self.shape)[rows, cols]
        return of_call(divided, (self, other), (data / by, rows, cols), self.shape)

    def __matmul__(self, other: Any) -> Any:
        other = operand(other)
        data, rows, cols = self.entries
        require_size(other.shape[0], self.shape[1])
        if is_matrix(other):
            return of_call(operator.matmul, (self, other), entries_of_product(self, other),
                           (self.shape[0], other.shape[1]))
        x = with_dtype_of(other, data)
        found = sparse_product(x, self.matrix, (self.shape[0], *x.shape[1:]), data, rows, cols)
        return as_matrix(self.kind, found) if isinstance(other, np.matrix) else found

    def __rmatmul__(self, other: Any) -> Any:
        return (self.transpose() @ np.transpose(other)).T

    def __pow__(self, n: Any) -> Any:
        if is_elementwise(self.kind):
            return self.power(n)
        found = self
        for _ in range(n - 1):
            found = of_call(operator.matmul, (found, self), entries_of_product(found, self),
                            self.shape)
        return of_call(operator.pow, (self, n), found.entries, self.shape)

    def __imul__(self, other: Any) -> Any:
        found = self * other
        return self.change(found.made, found.entries)

    def __itruediv__(self, other: Any) -> Any:
        found = self * (1.0 / other)
        return self.change(found.made, found.entries)

    # ---- parts ---------------------------------------------------------------------------------
    def __getitem__(self, key: Any) -> Any:
        row, col = key if isinstance(key, tuple) else (key, slice(None))
        data, rows, cols = self.entries
        (n, m), entries = self.shape, self.entries
        if is_number(row) and is_number(col):
            return sparse_item(data, self.matrix, (), row, col, self.shape, rows, cols)
        if rank_of(row) == 1 and rank_of(col) == 1:
            return self.items_at(np.arange(n)[row], np.arange(m)[col], key)
        if not is_whole(row):
            chosen = np.arange(n)[flat(row)]
            left, right = matching(rows, chosen)
            entries, n = (data[left], right, cols[left]), len(chosen)
        if not is_whole(col):
            data, rows, cols = entries
            chosen = np.arange(m)[flat(col)]
            left, right = matching(cols, chosen)
            entries, m = (data[left], rows[left], right), len(chosen)
        if is_elementwise(self.kind) and (is_number(row) or is_number(col)):
            refuse(self.kind, "__getitem__ that gives a vector")
        return of_call(operator.getitem, (self, key), entries, (n, m), self.kind)

    def items_at(self, row: Any, col: Any, key: Any) -> Any:
        """The elements at pairs of numbers."""
        if is_elementwise(self.kind):
            refuse(self.kind, "__getitem__ with two vectors")
        data, rows, cols = self.entries
        width = self.shape[1]
        left, right = matching(in_one(rows, cols, width), in_one(row, col, width))
        found = sparse_items(data, self.matrix, row.shape, key, left, right)
        return as_matrix(self.kind, found, 0)

    def __setitem__(self, key: Any, value: Any) -> None:
        row, col = key if isinstance(key, tuple) else (key, slice(None))
        data, rows, cols = self.entries
        (n, m) = self.shape
        if rank_of(row) == 1 and rank_of(col) == 1:
            refuse(self.kind, "__setitem__ with two vectors")
        inside = among(rows, row, n)
        if not is_whole(col):
            inside = inside & among(cols, col, m)
        data = np.where(inside, 0.0, data)
        if not is_zero(value):
            i, j = np.arange(n)[flat(row)], np.arange(m)[flat(col)]
            data = np.concatenate((data, np.ravel(block(value, i, j, col))))
            rows = np.concatenate((rows, np.repeat(i, len(j))))
            cols = np.concatenate((cols, np.tile(j, len(i))))
        self.change(opaque(written, self.matrix, key, value), (data, rows, cols))

    def setdiag(self, values: Any, k: Any = 0) -> None:
        data, rows, cols = self.entries
        size = min(self.shape[0] + min(k, 0), self.shape[1] - max(k, 0))
        places = np.arange(size)
        values = np.broadcast_to(values, (size,))
        self.change(opaque(changed, self.matrix, "setdiag", values, k), (
            np.concatenate((np.where(cols - rows == k, 0.0, data), values)),
            np.concatenate((rows, places - min(k, 0))), np.concatenate((cols, places + max(k, 0)))))

    def change(self, made: Any, entries: Any) -> Any:
        """Become another matrix, in place."""
        require_own(self.made, self.shares)
        self.made, self.entries = made, entries
        return self

    def __getattr__(self, name: str) -> Any:
        return unknown(self, name)


def converting(name: str) -> Any:
    """A method that gives the matrix in another format, or again."""
    def method(self: Any, copy: Any = False) -> Any:
        if not copy and name == f"to{attribute_of(self.kind, 'format')}":
            return self
        return of_call(Method(name), (self,), self.entries, self.shape)

    return method


for _name in ("tocsr", "tocsc", "tocoo", "tolil", "todok", "todia", "copy", "sorted_indices"):
    setattr(Sparse, _name, converting(_name))


def tidying(name: str) -> Any:
    """A method that changes how the numbers are stored."""
    def method(self: Any) -> None:
        self.change(opaque(changed, self.matrix, name), self.entries)

    return method


for _name in ("eliminate_zeros", "sum_duplicates", "sort_indices"):
    setattr(Sparse, _name, tidying(_name))


def refusing(name: str) -> Any:
    """A special method that is refused."""
    def method(self: Any, *args: Any) -> Any:
        return unknown(self, name)

    return method


def comparing(name: str) -> Any:
    """A comparison, which is refused."""
    def method(self: Any, other: Any) -> Any:
        return compared(self, other, name)

    return method


for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Sparse, f"__{_name}__", comparing(f"__{_name}__"))
for _name in ("iter", "len", "bool", "repr", "str", "format"):
    setattr(Sparse, f"__{_name}__", refusing(f"__{_name}__"))
Sparse.__hash__ = object.__hash__  # type: ignore[method-assign]


def added(op: str, left: Any, right: Any, either: Any) -> Any:
    """A sum or difference."""
    if is_matrix(left) and is_matrix(right):
        data, rows, cols = right.entries
        entries = (np.concatenate((left.entries[0], data if op == "+" else -data)),
                   np.concatenate((left.entries[1], rows)),
                   np.concatenate((left.entries[2], cols)))
        return of_call(operator_of(op), (left, right), entries, left.shape)
    other = right if left is either else left
    if is_zero(other):
        return either if left is either or op == "+" else -either
    whole = either.toarray()
    found = whole + other if op == "+" else whole - other if left is either else other - whole
    return as_matrix(either.kind, found)


def entries_of_product(left: Any, right: Any) -> Any:
    """The entries of a product of two matrices."""
    (a, i, k), (b, l, j) = left.entries, right.entries
    first, second = matching(k, l)
    return a[first] * b[second], i[first], j[second]


def block(value: Any, rows: Any, cols: Any, col: Any) -> Any:
    """What is assigned to a block of a matrix; vectors are columns for one column."""
    given = operand(value)
    given = given.toarray() if is_matrix(given) else array_of(given)
    if given.ndim == 1 and is_number(col):
        given = given[:, None]
    return np.broadcast_to(given, (len(rows), len(cols)))


# ---- what the machine does ---------------------------------------------------------------------
def is_constant(obj: Any) -> bool:
    """Is the object one of SciPy's sparse matrices or arrays?"""
    return (type(obj).__module__ or "").startswith("scipy.sparse.") and hasattr(obj, "tocsr")


def matrices(machine: Any, structure: Any) -> Any:
    """A structure with SciPy's matrices."""
    if type(structure) in (list, tuple):
        return type(structure)(matrices(machine, part) for part in structure)
    if isinstance(structure, Matrix):
        return machine.getattr(operand(machine, structure), "matrix")
    return structure


@primitive
def opaque(machine: Any, function: Any, *args: Any, **kwargs: Any) -> Any:
    """What a function of SciPy makes at each call."""
    kwargs = {k: matrices(machine, v) for k, v in kwargs.items()}
    return machine.library_calls.apply_opaque(function, matrices(machine, args), kwargs)


@primitive
def is_matrix(machine: Any, value: Any) -> bool:
    return type(value) is Sparse


@primitive
def operand(machine: Any, value: Any) -> Any:
    """A sparse matrix as one with entries; all else as it is."""
    if type(value) is not Sparse and isinstance(value, Matrix):
        return machine.call_method(value, "whole")
    if not is_constant(value):
        return value
    whole = value.tocoo()
    made = opaque(machine, Method("tocoo"), value)
    entries = tuple(machine.recorder.computed(Attribute(name), array(
        getattr(whole, name).dtype, (whole.nnz,)), made) for name in ("data", "row", "col"))
    return machine.call(Sparse, type(value), value, entries, value.shape)


@primitive
def of_call(machine: Any, function: Any, args: Any, entries: Any, shape: Any, kind: Any = None
            ) -> Any:
    """What a function of matrices gives, with its entries; ``kind`` is its class, if an example
    does not tell."""
    if isinstance(function, type):
        kind = function
    elif kind is None:
        kind = type(function(*map(example, args)))
    return machine.call(Sparse, kind, opaque(machine, function, *args), entries, shape)


def example(value: Any) -> Any:
    """Something small of the same class."""
    if type(value) is Sparse:
        return value.kind(np.eye(2))
    if is_tracer(value):
        return np.ones((2,) * (value.aval.ndim or 0))[()]
    if type(value) in (list, tuple):
        return type(value)(map(example, value))
    return type(value)(np.eye(2)) if is_constant(value) else value
