"""Places that random selections choose, as arrays of integers."""

from __future__ import annotations

from typing import Any

import numpy as np


def sampled(source: Any, size: int, count: int) -> np.ndarray[Any, Any]:
    """The places that ``source.sample`` chooses in a sequence of ``size`` items.

    >>> import random
    >>> sampled(random.Random(0), 5, 2)
    array([3, 4])
    """
    return np.array(source.sample(range(size), count), dtype=np.int64)


def chosen(source: Any, size: int, count: int, weights: Any = None,
           cum_weights: Any = None) -> np.ndarray[Any, Any]:
    """The places that ``source.choices`` chooses in a sequence of ``size`` items.

    >>> import random
    >>> chosen(random.Random(0), 5, 2)
    array([4, 3])
    """
    return np.array(source.choices(range(size), weights, cum_weights=cum_weights, k=count),
                    dtype=np.int64)


def shuffled(source: Any, size: int) -> np.ndarray[Any, Any]:
    """The places where the items of a list come from after ``source.shuffle``.

    >>> import random
    >>> shuffled(random.Random(0), 4)
    array([2, 0, 1, 3])
    """
    order = list(range(size))
    source.shuffle(order)
    return np.array(order, dtype=np.int64)
