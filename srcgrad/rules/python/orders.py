"""The order of numbers (NaN among them), of texts and of rows of these, as ``sorted`` finds it."""

from __future__ import annotations

import bisect
import heapq
from typing import Any

import numpy as np

from ...types.spelling import place_of_greatest, place_of_least
from ..book import nondiff
from ..broadcast import runtime


@runtime
def sorted_places(*columns: list[Any], reverse: bool = False) -> np.ndarray[Any, Any]:
    """The numbers of the rows of some columns in sorted order; equal rows keep theirs.

    >>> sorted_places([2, 1, 2], ["b", "c", "a"])
    array([1, 2, 0])
    """
    rows = columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))
    places = sorted(range(len(rows)), key=rows.__getitem__, reverse=reverse)
    return np.array(places, dtype=np.intp)


@runtime
def extreme_places(n: int, *columns: list[Any], reverse: bool = False) -> np.ndarray[Any, Any]:
    """The numbers of the first rows in sorted order, as ``heapq`` finds them (which is another
    order where there are NaN).

    >>> extreme_places(2, [2, 1, 2], ["b", "c", "a"], reverse=True)
    array([0, 2])
    """
    rows = columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))
    places = (heapq.nlargest if reverse else heapq.nsmallest)(
        n, range(len(rows)), key=rows.__getitem__)
    return np.array(places, dtype=np.intp)


nondiff(sorted_places, extreme_places, place_of_least, place_of_greatest, bisect.bisect_left,
        bisect.bisect_right)
