"""Places that writes go to: which are certainly disjoint."""

from __future__ import annotations

import operator
from typing import Any

from ..graph.ir import Index, Node, Value, fill, only_index
from ..types.dims import Dim, add, multiply, proves_nonnegative

Span = tuple[Dim, Dim | None]  # from, to (excluded); None: to the end


def axes_of(node: Node) -> tuple[Any, ...] | None:
    """The subscripts of a store, one per axis from the first; None if it is not that simple."""
    index = only_index(node)
    if index is None or not index.basic or any(p is None or p is Ellipsis for p in index.parts):
        return None
    parts: tuple[Any, ...] = fill(index.parts, node.inputs)
    return parts


def added(node: Node) -> int:
    """1 where a store adds to what is there, -1 where it takes from it, 0 for other nodes."""
    if node.op != "update":
        return int(node.op == "acc")
    return {operator.iadd: 1, operator.isub: -1}.get(node.params["fn"], 0)


def axis_by_axis(index: Index | None, rank: int) -> Index | None:
    """An index of an array of ``rank`` axes with a slice for each axis that ``...`` stands for.

    >>> axis_by_axis(Index((..., None)), 1)
    Index(key=(slice(None, None, None), None), basic=True)
    """
    if index is None or not any(p is Ellipsis for p in index.parts):
        return index
    left = rank - sum(p is not None and p is not Ellipsis for p in index.parts)
    return Index(tuple(q for p in index.parts for q in (
        [slice(None)] * left if p is Ellipsis else [p])), index.basic)


def widens(index: Index | None) -> bool:
    """Does an index take all of an array, perhaps with more axes of one element?"""
    return index is not None and all(
        k is None or (type(k) is slice and k == slice(None)) for k in index.parts)


def disjoint(first: Node, second: Node) -> bool:
    """Do two stores into one array certainly go to different elements?"""
    mine, others = axes_of(first), axes_of(second)
    if mine is None or others is None:
        return False
    return any(_apart(a, b) for a, b in zip(mine, others))


def _apart(a: Any, b: Any) -> bool:
    if type(a) is int and type(b) is int and a < 0 and b < 0:
        return a != b
    one, other = _span(a), _span(b)
    return one is not None and other is not None and (_before(one, other) or _before(other, one))


def _before(a: Span, b: Span) -> bool:
    return a[1] is not None and proves_nonnegative(add(b[0], multiply(-1, a[1])))


def _span(part: Any) -> Span | None:
    """The elements along one axis that a subscript selects; None if unknown."""
    if isinstance(part, slice):
        if part.step not in (None, 1):
            return None
        low = 0 if part.start is None else _number(part.start)
        high = None if part.stop is None else _number(part.stop)
        known = low is not None and (part.stop is None or high is not None)
        return (low, high) if known and low is not None else None
    number = _number(part)
    return None if number is None else (number, add(number, 1))


def _number(part: Any) -> Dim | None:
    """A subscript that counts from the start."""
    dim = part.aval.expr if isinstance(part, Value) else part
    if type(dim) is bool or dim is None or isinstance(dim, slice) or not proves_nonnegative(dim):
        return None
    found: Dim = dim
    return found
