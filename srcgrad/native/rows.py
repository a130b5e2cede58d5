"""Lists of lists of numbers from outside, as kernels read them: all items in one array, and where
each list begins and ends in it."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np


def flattened(rows: Any, type_: Any) -> Any:
    """The items of all lists.

    >>> flattened([[1, 2], [], [3]], int).tolist()
    [1, 2, 3]
    """
    try:
        return np.fromiter(chain.from_iterable(rows), type_)
    except OverflowError:
        return np.array([np.iinfo(int).max])  # which is too large


def any_too_large(items: Any) -> bool:
    """Might sums and products of such integers not fit the machine's?

    >>> any_too_large(np.array([1, -2 ** 31])), any_too_large(np.array([], int))
    (True, False)
    """
    return items.size > 0 and bool(items.max() >= 2 ** 31 or items.min() <= -2 ** 31)


def row_ends(rows: Any) -> Any:
    """Where each list ends among all items.

    >>> row_ends([[1, 2], [], [3]]).tolist()
    [2, 2, 3]
    """
    return np.cumsum(np.fromiter(map(len, rows), int))


def row_starts(rows: Any) -> Any:
    """Where each list begins.

    >>> row_starts([[1, 2], [], [3]]).tolist()
    [0, 2, 2]
    """
    sizes = np.fromiter(map(len, rows), int)
    return np.cumsum(sizes) - sizes
