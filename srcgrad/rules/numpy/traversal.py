"""The order in which ``np.nditer`` goes through arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..book import nondiff
from ..broadcast import runtime

Array = np.ndarray[Any, Any]


@runtime
def visiting_order(order: str, *arrays: Array) -> Array:
    """The elements in the order of ``np.nditer(arrays, order=order)``, each by its number in C
    order of the common shape.

    >>> visiting_order("K", np.zeros((2, 3)).T)
    array([0, 2, 4, 1, 3, 5])
    """
    make: Any = np.nditer  # its stubs know no tuples of arrays
    it = make(arrays, flags=["c_index", "zerosize_ok"], order=order)
    return np.array([it.index for _ in it], dtype=np.intp)


nondiff(visiting_order)
