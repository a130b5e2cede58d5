"""Sparse Jacobians: columns (or rows) that share no entry are computed in one pass.

The columns are coloured greedily so that no two of one colour have an entry in the same row
(Curtis, Powell and Reid 1974); one pushforward along the sum of the unit vectors of a colour then
holds all of their entries.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import StructureError
from ..show.progress import counted

Entries = tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]
Pass = Callable[[np.ndarray[Any, Any]], np.ndarray[Any, Any]]  # a product with the matrix


def entries_of(pattern: Any, shape: tuple[int, int]) -> Entries:
    """The rows and columns of the entries that may differ from zero.

    ``pattern`` is an array or SciPy sparse matrix of this shape, nonzero where there may be an
    entry, or a pair of index arrays.

    >>> entries_of(np.eye(2), (2, 2))
    (array([0, 1]), array([0, 1]))
    """
    given: Any
    entries: Any
    if hasattr(pattern, "tocoo"):
        found = pattern.tocoo()
        given, entries = found.shape, (np.asarray(found.row), np.asarray(found.col))
    elif isinstance(pattern, tuple) and len(pattern) == 2:
        given, entries = shape, (np.asarray(pattern[0]), np.asarray(pattern[1]))
        if entries[0].shape != entries[1].shape or entries[0].ndim != 1 or any(
                np.any((e < 0) | (e >= n)) for e, n in zip(entries, shape, strict=True)):
            given = None
    else:
        array = np.asarray(pattern)
        given, entries = array.shape, np.nonzero(array) if array.ndim == 2 else ((), ())
    if given != shape:
        raise StructureError(
            f"the sparsity of a Jacobian with {shape[0]} rows and {shape[1]} columns has "
            f"the shape {given}" if given is not None else
            "the sparsity of a Jacobian is a pair of index arrays that do not fit it",
            where="sparsity of jacobian",
            why="it tells for each element of the result and of the argument whether the one "
                "depends on the other",
            fix="give an array of that shape, a SciPy sparse matrix, or (rows, columns)")
    return entries[0], entries[1]


def colouring(entries: Entries, count: int) -> np.ndarray[Any, Any]:
    """A colour for each of ``count`` columns; those of one colour share no row.

    >>> colouring((np.array([0, 1, 1, 2]), np.array([0, 0, 1, 2])), 3)
    array([0, 1, 0])
    """
    rows_of: list[list[int]] = [[] for _ in range(count)]
    for row, column in zip(*entries, strict=True):
        rows_of[int(column)].append(int(row))
    used: dict[int, int] = {}  # of each row, as the bits of a number
    colours = np.zeros(count, np.intp)
    for column in sorted(range(count), key=lambda c: -len(rows_of[c])):
        taken = functools.reduce(operator.or_, (used.get(row, 0) for row in rows_of[column]), 0)
        colour = (~taken & (taken + 1)).bit_length() - 1  # the lowest that is free
        colours[column] = colour
        for row in rows_of[column]:
            used[row] = used.get(row, 0) | 1 << colour
    return colours


def by_colours(entries: Entries, shape: tuple[int, int], forward: Pass, backward: Pass, mode: str,
               dtype: Any, name: str) -> np.ndarray[Any, Any]:
    """The matrix of this shape whose products are ``forward`` (with a vector) and ``backward``
    (of a vector with it); ``mode`` is ``"fwd"``, ``"rev"`` or ``"auto"``."""
    rows, columns = entries
    matrix = np.zeros(shape, dtype)
    by_column = None if mode == "rev" else colouring((rows, columns), shape[1])
    by_row = None if mode == "fwd" else colouring((columns, rows), shape[0])
    if by_row is None or (by_column is not None and by_column.max(initial=-1) <= by_row.max(
            initial=-1)):
        assert by_column is not None
        passes = int(by_column.max(initial=-1)) + 1
        for colour in counted(range(passes), passes, f"srcgrad: columns of {name}"):
            product = forward((by_column == colour).astype(dtype))
            here = by_column[columns] == colour
            matrix[rows[here], columns[here]] = product[rows[here]]
    else:
        passes = int(by_row.max(initial=-1)) + 1
        for colour in counted(range(passes), passes, f"srcgrad: rows of {name}"):
            product = backward((by_row == colour).astype(dtype))
            here = by_row[rows] == colour
            matrix[rows[here], columns[here]] = product[columns[here]]
    _check(matrix, forward if mode != "rev" else backward, mode)
    return matrix


def _check(matrix: np.ndarray[Any, Any], product: Pass, mode: str) -> None:
    """Refuse a pattern that misses entries: one more product, with a random vector."""
    wide = matrix.T if mode == "rev" else matrix
    direction = np.random.RandomState(0).uniform(0.5, 1.5, wide.shape[1]).astype(matrix.dtype)
    found, want = wide @ direction, product(direction)
    tolerance = 1e-3 if matrix.dtype.itemsize <= 4 else 1e-7
    scale = np.abs(wide) @ np.abs(direction) + np.abs(want)
    if np.any(np.abs(found - want) > tolerance * (scale + np.abs(scale).max(initial=0.0))):
        places = np.flatnonzero(np.abs(found - want) > tolerance * scale)[:5].tolist()
        raise StructureError(
            "the sparsity of a Jacobian leaves out entries that are not zero",
            where="sparsity of jacobian",
            why=f"{'columns' if mode == 'rev' else 'rows'} {places} have "
                "others than those given", fix="give all entries that may differ from zero")
