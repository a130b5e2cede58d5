"""Records: what a called function keeps for its backward part, as nested tuples.

The cotangent of a record is a record of the same form with None where nothing varies.  These
functions are what generated code of higher orders calls on them.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def zero_record(record: Any) -> Any:
    """The zero cotangent of a record, or of one of its parts.

    >>> zero_record((2.5, 3, (None, [1.0])))
    (0.0, None, (None, [0.0]))
    """
    if isinstance(record, tuple):
        return tuple(zero_record(part) for part in record)
    if isinstance(record, list):
        return [zero_record(part) for part in record]
    if isinstance(record, (np.ndarray, np.generic)):
        return np.zeros_like(record) if record.dtype.kind in "fc" else None
    return type(record)(0.0) if isinstance(record, (float, complex)) else None


def add_records(first: Any, second: Any) -> Any:
    """The sum of two cotangents of one record, or of one of its parts; None is zero.

    >>> add_records((1.0, None, (2.0,)), (0.5, None, None))
    (1.5, None, (2.0,))
    """
    if first is None or second is None:
        return second if first is None else first
    if isinstance(first, (tuple, list)):
        return type(first)(map(add_records, first, second))
    return first + second


def stacked_records(items: list[Any], rank: int) -> Any:
    """The parts that the iterations of a loop have kept, arrays with ``rank`` axes, as one array;
    not a number where an iteration had nothing to keep.

    >>> stacked_records([np.ones(2), None], 1)
    array([[ 1.,  1.],
           [nan, nan]])
    """
    found = next((np.asarray(item) for item in items if item is not None), np.ones((1,) * rank))
    absent = np.full(found.shape, np.nan, found.dtype)
    return np.array([absent if item is None else item for item in items])


def copy_record(record: Any) -> Any:
    """A record that shares no array with ``record``.

    >>> copy_record((1, [np.ones(2)]))
    (1, [array([1., 1.])])
    """
    if isinstance(record, (tuple, list)):
        return type(record)(map(copy_record, record))
    return record.copy() if isinstance(record, np.ndarray) else record
