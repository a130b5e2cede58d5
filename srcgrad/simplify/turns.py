"""Which axes of an array a call puts where."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph.ir import Value
from ..types.spelling import Attribute, Method

TRANSPOSING = frozenset({np.transpose, Attribute("T"), Method("transpose")})


def order_of_axes(fn: Any, array: Any, *axes: Any) -> list[int] | None:
    """The axes of ``array`` in the order that the result has them in, if that is known.

    >>> from srcgrad.types.kinds import Aval, Kind
    >>> x = Value(Aval(Kind.ARRAY, np.dtype(float), (2, 3, 4)))
    >>> order_of_axes(np.moveaxis, x, (0, 1), (-2, -1))
    [2, 0, 1]
    """
    if not isinstance(array, Value) or array.aval.shape is None:
        return None
    rank = len(array.aval.shape)
    lists = [[part] if type(part) is int else part for part in axes]
    if not all(isinstance(part, tuple | list) and all(type(i) is int for i in part)
               for part in lists):
        return None
    counted = [[i % rank for i in part] for part in lists]
    if fn in TRANSPOSING:
        return [i for part in counted for i in part] if axes else list(range(rank))[::-1]
    sources, targets = counted
    if fn is np.swapaxes:
        sources, targets = sources + targets, targets + sources
    moved = dict(zip(targets, sources, strict=True))
    rest = iter([i for i in range(rank) if i not in sources])
    return [moved[i] if i in moved else next(rest) for i in range(rank)]
