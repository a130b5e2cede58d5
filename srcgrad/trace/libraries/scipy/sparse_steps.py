"""What is asked and done, while tracing, for matrices of traced numbers that are staged."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....errors import AliasError, UnsupportedOperation
from ....types.dims import proves_nonnegative
from ....types.kinds import INT
from ....types.operators import BINARY
from ....types.spelling import Attribute, Method
from ...calls.handlers import primitive
from ...record.tracers import ArrayTracer, is_tracer


class Matrix:
    """What stands for a sparse matrix of SciPy's class ``kind`` that holds traced numbers."""

    __array_ufunc__ = None  # arrays leave operators to it
    kind: Any
    made: Any = None


def value_in(obj: Any) -> Any:
    """SciPy's object of a matrix."""
    return obj.made if isinstance(obj, Matrix) else None


def class_of(obj: Any) -> Any:
    """The class of SciPy's that a matrix of traced numbers is of."""
    return obj.kind if isinstance(obj, Matrix) else None


def in_one(rows: Any, cols: Any, width: Any) -> Any:
    """Rows and columns as one number each."""
    return rows.astype(np.int64) * width + cols


def is_whole(key: Any) -> bool:
    """Does an index choose all, in their order?"""
    return isinstance(key, slice) and key.start is None and key.stop is None and key.step is None


def among(places: Any, key: Any, size: Any) -> Any:
    """Which rows or columns are among those that an index chooses."""
    return places == key % size if is_number(key) else np.isin(places, np.arange(size)[flat(key)])


def flat(key: Any) -> Any:
    """An index for a vector, which chooses a vector."""
    return key if isinstance(key, slice) else np.ravel(key)


def require_size(size: Any, wanted: Any) -> None:
    """Raise what SciPy raises for operands that do not fit."""
    if size != wanted:
        raise ValueError("matmul: dimension mismatch with signature")


def with_dtype_of(x: Any, data: Any) -> Any:
    """An array with the dtype that a product with the matrix has."""
    x = array_of(x)
    wanted = np.result_type(x.dtype, data.dtype)
    return x if x.dtype == wanted else x.astype(wanted)


@primitive
def operator_of(machine: Any, op: str) -> Any:
    return BINARY[op]


@primitive
def attribute_of(machine: Any, kind: Any, name: str) -> Any:
    """An attribute that all objects of a class have alike."""
    return getattr(kind(np.eye(2)), name)


@primitive
def is_elementwise(machine: Any, kind: Any) -> bool:
    """Does ``*`` multiply element by element?"""
    name: str = kind.__name__
    return name.endswith("_array")


@primitive
def as_matrix(machine: Any, kind: Any, values: Any, axis: Any = None) -> Any:
    """An array as ``np.matrix`` where SciPy's class gives one; with the axis that was summed."""
    if is_elementwise(machine, kind):
        return values
    if axis is not None:
        values = machine.getitem(values, (None, slice(None)) if axis == 0 else (slice(None), None))
    return machine.array_classes.as_class(np.matrix, values, None)


@primitive
def array_of(machine: Any, value: Any) -> Any:
    """``np.asarray(value)``, without a node for an array."""
    return value if type(value) is ArrayTracer else machine.call(np.asarray, value)


@primitive
def snapshot(machine: Any, value: Any) -> Any:
    """An array with what another one holds now."""
    return machine.recorder.wrap(machine.recorder.as_value(value))


@primitive
def lent(machine: Any, values: Any) -> Any:
    """The numbers of a matrix, which may not be written to, as the matrix would not change."""
    values.home.protected = True
    return values


@primitive
def rank_of(machine: Any, value: Any) -> Any:
    """The number of axes, also of a number or a list."""
    if type(value) is slice:
        return None
    if is_tracer(value):
        return value.aval.ndim
    return 1 if isinstance(value, list) and machine.library_calls.has_symbolic(
        (value,)) else np.ndim(value)


@primitive
def is_number(machine: Any, value: Any) -> bool:
    """Is it a number, or an array without axes?"""
    if is_tracer(value):
        return bool(value.aval.ndim == 0)
    return isinstance(value, (int, float, complex, np.generic)) or (
        isinstance(value, np.ndarray) and not value.ndim)


def place(index: Any, size: Any) -> Any:
    """An index from the start."""
    if is_from_start(index):
        return index
    return index + size if index < 0 else index


@primitive
def is_from_start(machine: Any, index: Any) -> bool:
    """Is it known that an index is not negative?"""
    if not is_tracer(index):
        return bool(index >= 0)
    expr = index.aval.expr
    return expr is not None and proves_nonnegative(expr)


@primitive
def is_zero(machine: Any, value: Any) -> bool:
    """Is it a zero of the program's text?"""
    return not is_tracer(value) and isinstance(value, (int, float)) and not value


@primitive
def number_of(machine: Any, matrix: Any, name: str) -> Any:
    return machine.recorder.computed(Attribute(name), INT, matrix)


@primitive
def require_same(machine: Any, shares: Any) -> None:
    """Refuse a matrix whose numbers lie in an array that has been written to."""
    array, held = map(machine.recorder.value_of, shares)
    if array is not held:
        raise machine.recorder.fatal(AliasError(
            f"a sparse matrix is used after {shares[0].home.label!r} has changed",
            why="it shares its numbers with that array, so that it would have changed as well",
            fix="make the matrix of a copy (`.copy()`), or after the array has been written to"))


@primitive
def require_own(machine: Any, made: Any, shares: Any) -> None:
    """Refuse a change of a matrix that shares its numbers with an array or another matrix."""
    value = machine.recorder.as_value(made)
    if shares is None and not any(
            value in node.inputs and (isinstance(fn, type) or fn == Method("transpose"))
            for region in machine.recorder.region.around() for node in region.builder.nodes
            for fn in (node.params.get("fn"),)):
        return
    raise machine.recorder.fatal(AliasError(
        "a sparse matrix is changed in place",
        why="its transpose, or the array that it was made of, shares its numbers",
        fix="change a copy (`.copy()`)"))


@primitive
def refuse(machine: Any, kind: Any, what: str) -> None:
    raise machine.recorder.fatal(refused(f"{kind.__name__}.{what}"))


@primitive
def unknown(machine: Any, obj: Any, name: Any = None) -> Any:
    """Refuse an attribute or special method of SciPy's.  Python itself may ask for any as well."""
    if name is None:
        raise AttributeError(obj)
    if not hasattr(obj.kind, name):
        raise AttributeError(f"'{obj.kind.__name__}' object has no attribute '{name}'")
    return refuse(machine, obj.kind, name)


@primitive
def of_whole(machine: Any, obj: Any, name: Any = None) -> Any:
    """An attribute of a matrix that has been filled.  Python itself may ask for any as well."""
    if name is None:
        raise AttributeError(obj)
    return machine.getattr(machine.call_method(obj, "whole"), name)


@primitive
def compared(machine: Any, *operands: Any) -> Any:
    """Refuse a comparison.  Python itself compares objects of the trace as well."""
    if len(operands) < 3:
        return NotImplemented
    return refuse(machine, operands[0].kind, operands[-1])


def refused(name: str, why: str = "it is code of SciPy's that has no derivative rule",
            fix: str = "make the matrix outside of the function, or use A.toarray()"
            ) -> UnsupportedOperation:
    """The refusal of what is not known of matrices of traced numbers."""
    return UnsupportedOperation(f"{name} of a sparse matrix with traced numbers", why=why, fix=fix)
