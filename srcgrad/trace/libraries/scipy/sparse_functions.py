"""Functions of ``scipy.sparse`` that make matrices of traced numbers, and that solve with them."""

from __future__ import annotations

import importlib
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ....errors import SrcgradError
from ....rules.book import nondiff
from ....rules.scipy.sparse import (
    factor_solution,
    found_solution,
    numbers_along,
    product_with_sparse,
    searched,
    sparse_product,
    sparse_solution,
)
from ....types.kinds import INT, Kind
from ....types.public_names import public_name
from ...calls.handlers import primitive
from ...record.tracers import ArrayTracer, is_tracer
from .sparse import (
    Sparse,
    example,
    is_constant,
    is_matrix,
    of_call,
    opaque,
    operand,
)
from .sparse_filled import Filled
from .sparse_steps import (
    Matrix,
    array_of,
    attribute_of,
    in_one,
    is_elementwise,
    is_number,
    is_zero,
    refused,
    require_size,
    snapshot,
    unknown,
    with_dtype_of,
)

Handler = Callable[..., Any]


# ---- making ------------------------------------------------------------------------------------
def made(kind: Any, arg1: Any, shape: Any = None, dtype: Any = None, copy: Any = False) -> Any:
    """``kind(arg1, shape, dtype, copy)``"""
    arg = operand(arg1)
    if is_matrix(arg):
        return of_call(kind, (arg, None, dtype, True), arg.entries, arg.shape)
    if not isinstance(arg, tuple):
        whole = array_of(arg)
        return of_call(kind, (whole, None, dtype), entries_of(whole), whole.shape)
    given = array_of(arg[0]) if dtype is None else np.asarray(arg[0], dtype)
    data = snapshot(given)
    shares = None if copy else (given, data)
    if attribute_of(kind, "format") == "dia":
        data, offsets = np.atleast_2d(data), np.atleast_1d(arg[1])
        matrix = opaque(kind, (data, offsets), shape=shape, copy=True)
        return of_diagonals(kind, matrix, data, offsets, shape, shares)
    if len(arg) == 3:
        indices, ends = snapshot(array_of(arg[1])), snapshot(array_of(arg[2]))
        entries = data, np.repeat(np.arange(len(ends) - 1), np.diff(ends)), indices
        if attribute_of(kind, "format") == "csc":
            entries = data, indices, entries[1]
        arg = data, indices, ends
    else:
        rows, cols = snapshot(array_of(arg[1][0])), snapshot(array_of(arg[1][1]))
        entries = data, rows, cols
        arg = data, (rows, cols)
        shares = shares if attribute_of(kind, "format") == "coo" else None
    matrix = opaque(kind, arg, shape=shape, copy=True)
    if shape is None:
        shape = len(numbers_along(matrix, 0)), len(numbers_along(matrix, 1))
    return Sparse(kind, matrix, entries, (shape[0], shape[1]), shares)


def empty(kind: Any, shape: Any, dtype: Any) -> Any:
    """``kind(shape, dtype=dtype)``: a matrix of zeros."""
    if attribute_of(kind, "format") in ("lil", "dok"):
        return Filled(kind, shape, dtype)
    nowhere = np.zeros(0, dtype=int)
    return Sparse(kind, opaque(kind, shape, dtype=dtype), (np.zeros(0, dtype), nowhere, nowhere),
                  shape)


def entries_of(whole: Any) -> Any:
    """All elements of an array as entries."""
    n, m = whole.shape
    return np.ravel(whole), np.repeat(np.arange(n), m), np.tile(np.arange(m), n)


def of_diagonals(kind: Any, matrix: Any, data: Any, offsets: Any, shape: Any, shares: Any = None
                 ) -> Any:
    """The matrix of diagonals that are the rows of an array."""
    cols = np.tile(np.arange(data.shape[1]), len(offsets))
    rows = cols - np.repeat(offsets, data.shape[1])
    inside = np.flatnonzero((rows >= 0) & (rows < shape[0]) & (cols < shape[1]))
    entries = np.ravel(data)[inside], rows[inside], cols[inside]
    return Sparse(kind, matrix, entries, (shape[0], shape[1]), shares)


@primitive
def diags(machine: Any, function: Any, diagonals: Any, offsets: Any = 0, shape: Any = None,
          **settings: Any) -> Any:
    """``scipy.sparse.diags``"""
    made = opaque(machine, function, diagonals, offsets=offsets, shape=shape, **settings)
    kind = type(function([[1.0, 1.0]], offsets=[0], **settings))
    if type(diagonals) is type(offsets) is ArrayTracer and diagonals.aval.ndim == 1:
        return machine.call(of_numbers, kind, made, diagonals, offsets, shape)
    if is_number(machine, offsets):
        offsets = (offsets,)
        if (isinstance(diagonals, ArrayTracer) and diagonals.aval.ndim == 1) or is_number(
                machine, diagonals[0]):
            diagonals = (diagonals,)
    values = [array_of(machine, d) for d in machine.iterate(diagonals)]
    steps = [machine.call(int, k) for k in machine.iterate(offsets)]
    if shape is None:
        size = machine.binary("+", machine.length(values[0]), machine.call(abs, steps[0]))
        shape = size, size
    parts = [machine.call(along_diagonal, d, k, *shape) for d, k in zip(values, steps)]
    entries = tuple(machine.call(np.concatenate, column) for column in zip(*parts))
    return machine.call(Sparse, kind, made, entries, tuple(shape))


def of_numbers(kind: Any, made: Any, numbers: Any, offsets: Any, shape: Any) -> Any:
    """The matrix whose diagonals each hold one number."""
    rows = np.broadcast_to(numbers[:, None], (len(numbers), shape[1]))
    return of_diagonals(kind, made, rows, offsets, shape)


def along_diagonal(values: Any, offset: Any, n: Any, m: Any) -> Any:
    """The entries of one diagonal."""
    above, before = max(-offset, 0), max(offset, 0)
    places = np.arange(min(n - above, m - before))
    return (np.broadcast_to(values, places.shape), places if is_zero(above) else places + above,
            places if is_zero(before) else places + before)


def spdiags(function: Any, data: Any, diags: Any, m: Any = None, n: Any = None, format: Any = None
            ) -> Any:
    """``scipy.sparse.spdiags``"""
    data, offsets = np.atleast_2d(array_of(data)), np.atleast_1d(array_of(diags))
    if isinstance(m, tuple):
        m, n = m
    elif m is None:
        m = n = data.shape[1]
    kind = kind_of(function, [[1.0, 1.0]], [0], 2, 2, format)
    return of_diagonals(kind, opaque(function, data, offsets, m, n, format), data, offsets, (m, n))


def kron(function: Any, A: Any, B: Any, format: Any = None) -> Any:
    """``scipy.sparse.kron``"""
    A, B = operand(A), operand(B)
    (a, i, j), (b, k, l) = as_block(A).entries, as_block(B).entries
    n, m = B.shape
    entries = (np.ravel(a[:, None] * b), np.ravel(in_one(i[:, None], k, n)),
               np.ravel(in_one(j[:, None], l, m)))
    return of_call(function, (A, B, format), entries, (A.shape[0] * n, A.shape[1] * m))


def kronsum(function: Any, A: Any, B: Any, format: Any = None) -> Any:
    """``scipy.sparse.kronsum``"""
    A, B = operand(A), operand(B)
    (a, i, j), (b, k, l) = as_block(A).entries, as_block(B).entries
    n, m = A.shape[0], B.shape[0]
    inner, outer = np.arange(n), np.arange(m)[:, None] * n
    entries = (np.concatenate((np.tile(a, m), np.repeat(b, n))),
               np.concatenate((np.ravel(outer + i), np.ravel(in_one(k[:, None], inner, n)))),
               np.concatenate((np.ravel(outer + j), np.ravel(in_one(l[:, None], inner, n)))))
    return of_call(function, (A, B, format), entries, (n * m, n * m))


@primitive
def bmat(machine: Any, function: Any, blocks: Any, format: Any = None, dtype: Any = None) -> Any:
    """What ``bmat``, ``block_array``, ``hstack``, ``vstack`` and ``block_diag`` put together."""
    given = [[operand(machine, b) for b in machine.iterate(row)] if isinstance(
        row, (list, tuple)) else operand(machine, row) for row in machine.iterate(blocks)]
    name = function.__name__
    rows: Any = given
    if name in ("hstack", "vstack"):
        rows = [given] if name == "hstack" else [[b] for b in given]
    elif name == "block_diag":
        rows = [[b if i == k else None for k in range(len(given))] for i, b in enumerate(given)]
    rows = [[b if b is None else machine.call(as_block, b) for b in row] for row in rows]
    heights = [next(b.shape[0] for b in row if b is not None) for row in rows]
    widths = [next(b.shape[1] for b in column if b is not None) for column in zip(*rows)]
    parts, above = [], 0
    for row, height in zip(rows, heights):
        before = 0
        for block, width in zip(row, widths):
            if block is not None:
                data, i, j = block.entries
                parts.append((data, machine.binary("+", i, above), machine.binary("+", j, before)))
            before = machine.binary("+", before, width)
        above = machine.binary("+", above, height)
    entries = tuple(machine.call(np.concatenate, column) for column in zip(*parts))
    return of_call(machine, function, (given, format, dtype), entries, (above, before))


def as_block(block: Any) -> Any:
    """A block with entries; arrays are blocks as well."""
    if is_matrix(block):
        return block
    whole: Any = np.atleast_2d(array_of(block))
    return Sparse(None, None, entries_of(whole), whole.shape)


def triangle(function: Any, A: Any, k: Any = 0, format: Any = None) -> Any:
    """``scipy.sparse.tril`` and ``triu``"""
    A = operand(A)
    data, rows, cols = A.entries
    inside = cols - rows <= k if is_named(function, "tril") else cols - rows >= k
    places = np.flatnonzero(inside)
    return of_call(function, (A, k, format), (data[places], rows[places], cols[places]), A.shape)


# ---- solving -----------------------------------------------------------------------------------
def spsolve(function: Any, A: Any, b: Any, permc_spec: Any = None, use_umfpack: Any = True) -> Any:
    """``scipy.sparse.linalg.spsolve``"""
    if is_matrix(operand(b)):
        refuse_setting("scipy.sparse.linalg.spsolve with a sparse right-hand side")
    b = with_dtype_of(b, A)
    require_size(b.shape[0], A.shape[0])
    shape = b.shape if b.ndim == 1 or b.shape[1] != 1 else b.shape[:1]
    if is_fixed(A):
        shape = A.shape[1], *shape[1:]
        return sparse_solution(b, A, shape) if permc_spec is None else sparse_solution(
            b, A, shape, permc_spec=permc_spec)
    A = operand(A)
    if permc_spec is None:
        return sparse_solution(b, A.matrix, shape, *A.entries)
    return sparse_solution(b, A.matrix, shape, *A.entries, permc_spec)


class Factors:
    """What ``splu`` finds."""

    def __init__(self, kind: Any, A: Any, factors: Any) -> None:
        self.kind, self.A, self.factors, self.shape = kind, A, factors, A.shape

    def solve(self, rhs: Any, trans: Any = "N") -> Any:
        data, rows, cols = self.A.entries
        b = with_dtype_of(rhs, data)
        if trans not in ("N", "T"):
            refuse_setting("solve with trans='H'")
        if trans == "T":
            return factor_solution(b, self.factors, "T", b.shape, data, cols, rows)
        return factor_solution(b, self.factors, "N", b.shape, data, rows, cols)

    def __getattr__(self, name: str) -> Any:
        return unknown(self, name)


def splu(function: Any, A: Any, *args: Any, **kwargs: Any) -> Any:
    """``scipy.sparse.linalg.splu``"""
    A = operand(A)
    return Factors(of_module("SuperLU"), A, opaque(function, A, *args, **kwargs))


def factorized(function: Any, A: Any) -> Any:
    """``scipy.sparse.linalg.factorized``"""
    return splu(of_module("splu"), operand(A)).solve


def iterative(function: Any, A: Any, b: Any, x0: Any = None, callback: Any = None,
              **settings: Any) -> Any:
    """``cg``, ``gmres`` and their like, whose solution has the derivative of an exact one."""
    if callback is not None:
        refuse_setting("an iterative method with callback=")
    A = operand(A)
    b = with_dtype_of(b, A)
    require_size(b.shape[0], A.shape[0])
    found = opaque(searched, function, A, b, x0, **settings)
    x = found_solution(b, A.matrix, found, b.shape[:1], *A.entries)
    return x, item_of(found, 1)


def norm(function: Any, A: Any, ord: Any = None, axis: Any = None) -> Any:
    """``scipy.sparse.linalg.norm`` by Frobenius."""
    if ord not in (None, "fro") or axis is not None:
        refuse_setting("scipy.sparse.linalg.norm with ord= or axis=")
    A = operand(A)
    if A.format not in ("csr", "csc", "coo"):
        A = A.tocoo()
    return np.linalg.norm(A.stored().entries[0])


# ---- what the machine does ---------------------------------------------------------------------
@primitive
def kind_of(machine: Any, function: Any, *args: Any, **kwargs: Any) -> Any:
    """The class of what a function gives."""
    return type(function(*args, **kwargs))


@primitive
def is_named(machine: Any, function: Any, name: str) -> bool:
    return bool(function.__name__ == name)


@primitive
def of_module(machine: Any, name: str) -> Any:
    """A function or class of ``scipy.sparse.linalg``."""
    return getattr(importlib.import_module("scipy.sparse.linalg"), name)


@primitive
def is_fixed(machine: Any, matrix: Any) -> bool:
    return is_constant(matrix)


@primitive
def item_of(machine: Any, found: Any, place: int) -> Any:
    return machine.recorder.computed(operator.getitem, INT, found, place)


@primitive
def refuse_setting(machine: Any, what: str) -> None:
    raise machine.recorder.fatal(refused(what))


# ---- who is asked ------------------------------------------------------------------------------
ITERATIVE = ("cg", "cgs", "bicg", "bicgstab", "gmres", "lgmres", "minres", "gcrotmk", "tfqmr")
RECIPES: dict[str, Callable[..., Any]] = {
    "spsolve": spsolve, "splu": splu, "factorized": factorized, "norm": norm, "diags": diags,
    "diags_array": diags, "spdiags": spdiags, "kron": kron, "kronsum": kronsum,
    **dict.fromkeys(("bmat", "block_array", "hstack", "vstack", "block_diag"), bmat),
    "tril": triangle, "triu": triangle, **dict.fromkeys(ITERATIVE, iterative)}
OF_CONSTANTS = ("spsolve", *ITERATIVE)  # which solve with constant matrices as well


def handler_of(function: Any, otherwise: Handler | None) -> Handler | None:
    """What stands for a function or class of ``scipy.sparse``; ``otherwise`` stands for it where
    no matrix of traced numbers is concerned."""
    name, module = function.__name__, function.__module__
    is_class = isinstance(function, type)
    if is_class and not hasattr(function, "tocsr"):
        return otherwise
    recipe = made if is_class else RECIPES.get(name)
    makes = is_class or module == "scipy.sparse._construct"

    def handler(machine: Any, *args: Any, **kwargs: Any) -> Any:
        given = tuple(map(machine.containers.resolved, args))
        held = (given, [*kwargs.values()])
        if name.startswith("is") and holds_matrix(held):
            return function(*map(example, given))
        dtype = np.dtype(kwargs.get("dtype"))
        if is_class and len(given) == 1 and _is_shape(given[0]) and dtype in (float, complex):
            return machine.call(empty, function, given[0], dtype)
        solves = name in OF_CONSTANTS and given and is_constant(given[0])
        if holds_matrix(held) or ((makes or solves) and holds_traced(machine, held)):
            if recipe is None:
                raise machine.recorder.fatal(refused(f"{module.rpartition('._')[0]}.{name}"))
            if makes:
                nondiff(function)  # what has a derivative are entries
            return machine.call(recipe, function, *given, **kwargs)
        if makes:
            return function(*(_known(machine, a) for a in given),
                            **{k: _known(machine, v) for k, v in kwargs.items()})
        return machine.calls.call_function(function, args, kwargs) if otherwise is None else (
            otherwise(machine, *args, **kwargs))

    return handler


def of_numpy(function: Any, args: Any) -> SrcgradError | None:
    """The refusal of a function of NumPy that is given a matrix of traced numbers."""
    is_of_numpy = isinstance(function, np.ufunc) or (
        getattr(function, "__module__", None) or "").startswith("numpy")
    if not is_of_numpy or function is np.isscalar or getattr(
            function, "__name__", "").startswith("__"):
        return None  # which tell that it is none of theirs
    if not any(isinstance(a, Matrix) for a in args):
        return None
    return refused(public_name(function), "NumPy's functions do not know of sparse matrices",
                   "call a method of the matrix (A.sum(), A.multiply(...)), or take A.toarray()")


def holds_matrix(structure: Any) -> bool:
    """Is there a matrix of traced numbers?"""
    if isinstance(structure, (list, tuple)):
        return any(map(holds_matrix, structure))
    return isinstance(structure, Matrix)


def holds_traced(machine: Any, structure: Any, sizes: bool = False) -> bool:
    """Is there a traced value (but for an int, unless ``sizes``) or a matrix of such?"""
    if is_tracer(structure):
        return sizes or structure.aval.kind is not Kind.INT
    if isinstance(structure, (list, tuple)):
        return machine.library_calls.has_symbolic((structure,)) or any(
            holds_traced(machine, part, sizes) for part in structure)
    return isinstance(structure, Matrix)


def _is_shape(arg: Any) -> bool:
    """Is the argument of a constructor a shape?"""
    return isinstance(arg, tuple) and all(isinstance(n, (int, np.integer)) or (
        is_tracer(n) and n.aval.kind is Kind.INT) for n in arg)


def _known(machine: Any, part: Any) -> Any:
    """A structure with the numbers of traced ints."""
    if is_tracer(part):
        return machine.escapes.demand(part, "a size of a sparse matrix")
    return type(part)([_known(machine, p) for p in part]) if type(part) in (list, tuple) else part


def binary(machine: Any, op: str, left: Any, right: Any) -> Any:
    """An operator of a constant sparse matrix and what is traced; NotImplemented for others."""
    if not (is_constant(left) or is_constant(right)):
        return NotImplemented
    matrix, other = (left, right) if is_constant(left) else (right, left)
    if not holds_traced(machine, other, sizes=True):
        return NotImplemented
    if type(other) is ArrayTracer and other.aval.ndim and (
            op == "@" or (op == "*" and not is_elementwise(machine, type(matrix)))):
        return _constant_product(machine, matrix, other, matrix is left)
    return machine.binary(op, *(operand(machine, x) for x in (left, right)))


def _constant_product(machine: Any, matrix: Any, x: Any, first: bool) -> Any:
    """A product with an array, which has no further operands."""
    sizes = [machine.access.size_of(x, axis) for axis in range(x.aval.ndim)]
    machine.calls.inline(require_size, (sizes[0 if first else -1], matrix.shape[1 if first else 0]),
                         {})
    shape = (matrix.shape[0], *sizes[1:]) if first else (*sizes[:-1], matrix.shape[1])
    function = sparse_product if first else product_with_sparse
    x = machine.calls.inline(with_dtype_of, (x, matrix), {})
    return machine.library_calls.call_library(function, (x, matrix, shape), {})


def constant_method(machine: Any, obj: Any, name: str, args: Any, kwargs: Any) -> Any:
    """A method of a constant sparse matrix."""
    if not holds_traced(machine, (args, [*kwargs.values()]), sizes=True):
        return getattr(obj, name)(*args, **kwargs)
    if name in ("dot", "__matmul__"):
        return machine.binary("@", obj, *args)
    return machine.called_method(operand(machine, obj), name, args, kwargs)
