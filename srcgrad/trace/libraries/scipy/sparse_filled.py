"""Sparse matrices that are filled item by item: SciPy's ``lil_matrix`` and ``dok_matrix``.

What is assigned lies in a dict, which is a run-time table in loops; whatever else is done to the
matrix is done to one that is made of the dict there and then.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....rules.scipy.sparse import assembled
from .sparse import Sparse, block, opaque
from .sparse_steps import Matrix, attribute_of, flat, is_number, of_whole, place, rank_of, refuse


class Filled(Matrix):
    """A matrix that is filled item by item: SciPy's ``lil_matrix`` or ``dok_matrix``."""

    def __init__(self, kind: Any, shape: Any, dtype: Any) -> None:
        self.kind, self.shape, self.dtype = kind, shape, dtype
        self.held: dict[Any, Any] = {}

    def __getitem__(self, key: Any) -> Any:
        row, col = key if isinstance(key, tuple) else (key, slice(None))
        if is_number(row) and is_number(col):
            zero = 0.0 if self.dtype == float else 0j
            return self.held.get((place(row, self.shape[0]), place(col, self.shape[1])), zero)
        return self.whole()[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        row, col = key if isinstance(key, tuple) else (key, slice(None))
        if is_number(row) and is_number(col):
            self.held[place(row, self.shape[0]), place(col, self.shape[1])] = value
            return
        if rank_of(row) == 1 and rank_of(col) == 1:
            refuse(self.kind, "__setitem__ with two vectors")
        rows, cols = np.arange(self.shape[0])[flat(row)], np.arange(self.shape[1])[flat(col)]
        given = block(value, rows, cols, col)
        for i in range(len(rows)):
            for j in range(len(cols)):
                self.held[int(rows[i]), int(cols[j])] = given[i, j]

    def setdiag(self, values: Any, k: Any = 0) -> None:
        size = min(self.shape[0] + min(k, 0), self.shape[1] - max(k, 0))
        given = np.broadcast_to(values, (size,))
        for i in range(size):
            self.held[i - min(k, 0), i + max(k, 0)] = given[i]

    def whole(self) -> Any:
        """The matrix as it is now."""
        rows = np.array([i for i, _ in self.held], dtype=int)
        cols = np.array([j for _, j in self.held], dtype=int)
        data = np.array(list(self.held.values()), dtype=self.dtype)
        made = opaque(assembled, attribute_of(self.kind, "format"), data, rows, cols, self.shape)
        return Sparse(self.kind, made, (data, rows, cols), self.shape)

    def __getattr__(self, name: str) -> Any:
        return of_whole(self, name)


def operating(name: str) -> Any:
    """An operator of a matrix that has been filled."""
    def method(self: Any, *args: Any) -> Any:
        return getattr(self.whole(), name)(*args)

    return method


for _name in ("add", "radd", "sub", "rsub", "mul", "rmul", "matmul", "rmatmul", "truediv", "neg"):
    setattr(Filled, f"__{_name}__", operating(f"__{_name}__"))
