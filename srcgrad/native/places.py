"""Where the elements of a view lie in its base: indices as sums of numbers, and of steps of views.

>>> from srcgrad.types.kinds import INT
>>> i, n = Value(INT, "i"), Value(INT, "n")
>>> view = Index((slice(None, None, -1), None))
>>> places((view,), (), (symbol("n"),), (At.of(i), At()), lambda dim: At.of(n))
(n - i - 1,)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from srcgrad.graph.ir import Index, Ref, Steps, Value
from srcgrad.types.dataclasses import dataclass
from srcgrad.types.dims import Dim, add, multiply, proves_nonnegative, slice_length, symbol
from srcgrad.types.kinds import Kind
from srcgrad.types.spelling import Attribute

__all__ = ["At", "Unlowered", "indices", "key_of", "places", "selected", "symbol"]


class Unlowered(Exception):
    """Why an operation does not become a loop over elements."""


@dataclass(frozen=True, slots=True)
class At:
    """An index: a number plus multiples of integers that a run knows."""

    number: int = 0
    terms: tuple[tuple[Value, int], ...] = ()

    @staticmethod
    def of(value: Value) -> At:
        return At(0, ((value, 1),))

    def plus(self, other: At) -> At:
        found = dict(self.terms)
        for value, times in other.terms:
            found[value] = found.get(value, 0) + times
        return At(self.number + other.number, tuple((v, t) for v, t in found.items() if t))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, At) and self.number == other.number and (
            dict(self.terms) == dict(other.terms))

    def __hash__(self) -> int:
        return hash((self.number, frozenset(self.terms)))

    def times(self, number: int) -> At:
        return At(self.number * number, tuple((v, t * number) for v, t in self.terms if number))

    @property
    def expr(self) -> Dim | None:
        """Its formula, if all integers in it have one."""
        found: Dim | None = self.number
        for v, times in self.terms:
            found = None if found is None or v.aval.expr is None else add(
                found, multiply(times, v.aval.expr))
        return found

    def __repr__(self) -> str:
        parts = [f"{'-' if t < 0 else '+'} {abs(t) if abs(t) != 1 else ''}{v.hint}"
                 for v, t in sorted(self.terms, key=lambda item: -item[1])]
        parts += [f"{'-' if self.number < 0 else '+'} {abs(self.number)}"] * bool(self.number)
        return " ".join(parts).removeprefix("+ ") or "0"


Size = Callable[[Dim], At]
Element = Callable[[Value, tuple[At, ...]], At]


def places(steps: Steps, inputs: Sequence[Value], shape: tuple[Dim, ...], index: tuple[At, ...],
           size: Size, element: Element | None = None) -> tuple[At, ...]:
    """The place in an array of ``shape`` of the element ``index`` of what the steps select.

    ``inputs`` are what the steps' references name; ``size`` gives the number of a size, and
    ``element`` what an array of indices has at a place (without it: some index).  Raises
    :class:`Unlowered` where only a run can tell.
    """
    before = [shape]
    for step in steps:
        before.append(_after(step, inputs, before[-1]))
    for step, entered in zip(reversed(steps), reversed(before[:-1]), strict=True):
        index = _through(step, inputs, entered, index, size, element)
    return index


def selected(steps: Steps, inputs: Sequence[Value], shape: tuple[Dim, ...]) -> tuple[Dim, ...]:
    """The shape of what steps select."""
    for step in steps:
        shape = _after(step, inputs, shape)
    return shape


def key_of(key: Any, rank: int) -> list[Any]:
    """The items of a key: Ellipsis written out, one item for each axis and each new axis.

    >>> key_of((None, Ellipsis, 0), 3)
    [None, slice(None, None, None), slice(None, None, None), 0]
    """
    items = list(key) if isinstance(key, tuple) else [key]
    fill = [slice(None)] * (rank - sum(i is not None and i is not Ellipsis for i in items))
    for at, item in enumerate(items):
        if item is Ellipsis:
            return [*items[:at], *fill, *items[at + 1:]]
    return items + fill


def _after(step: Any, inputs: Sequence[Value], shape: tuple[Dim, ...]) -> tuple[Dim, ...]:
    if not isinstance(step, Index):
        if step.fn != Attribute("T") or step.args or step.kwargs:
            raise Unlowered("another view than a slice stays in NumPy")
        return shape[::-1]
    arrays = {id(v): v.aval.shape or () for v, _ in indices((step,), inputs, shape)}
    left = iter(shape)
    found: list[Dim] = []
    for item in key_of(step.key, len(shape)):
        if isinstance(item, Ref) and id(inputs[item.index]) in arrays:
            found += next(iter(arrays.values())) if arrays else ()
            arrays = dict.fromkeys(arrays, ())
            next(left)
        elif item is None:
            found.append(1)
        elif isinstance(item, slice):
            bounds = [_number(p, inputs) for p in (item.start, item.stop, item.step)]
            found.append(slice_length(bounds[0], bounds[1], bounds[2], next(left)))
        else:
            next(left)
    return tuple(found)


def _number(part: Any, inputs: Sequence[Value]) -> Dim | None:
    if part is None or type(part) is int:
        return part
    expr = inputs[part.index].aval.expr if isinstance(part, Ref) else None
    if expr is None:
        raise Unlowered("where a slice begins or ends is not known")
    return expr


def indices(steps: Steps, inputs: Sequence[Value],
            shape: tuple[Dim, ...]) -> list[tuple[Value, int]]:
    """The arrays of indices of a step, all of one shape, with the axes that they select from."""
    keys = [s for s in steps if isinstance(s, Index) and not s.basic]
    if not keys:
        return []
    if len(steps) > 1:
        raise Unlowered("a part of a part at an array of indices")
    items = key_of(keys[0].key, len(shape))
    axes = [i for i, item in enumerate(items) if item is not None and not isinstance(item, slice)]
    if axes != [*range(axes[0], axes[-1] + 1)]:
        raise Unlowered("arrays of indices apart from each other")
    found: list[tuple[Value, int]] = []
    for i, item in enumerate(items):
        aval = inputs[item.index].aval if isinstance(item, Ref) else None
        if aval is not None and aval.kind is Kind.ARRAY:
            if aval.dtype is None or aval.dtype.kind not in "iu" or not aval.shape:
                raise Unlowered("an index is a mask")
            found.append((inputs[item.index], i - items[:i].count(None)))
        elif item is not None and not isinstance(item, slice) and (
                aval is None and type(item) is not int):
            raise Unlowered("an index is a list")
    if len({v.aval.shape for v, _ in found}) != 1:
        raise Unlowered("arrays of indices of unlike shapes")
    return found


def _through(step: Any, inputs: Sequence[Value], shape: tuple[Dim, ...], index: tuple[At, ...],
             size: Size, element: Element | None) -> tuple[At, ...]:
    if not isinstance(step, Index):
        return index[::-1]
    left, axes = iter(index), iter(shape)
    found: list[At] = []
    arrays = indices((step,), inputs, shape)
    rank, at = len(arrays[0][0].aval.shape or ()) if arrays else 0, None
    for item in key_of(step.key, len(shape)):
        if isinstance(item, Ref) and any(inputs[item.index] is v for v, _ in arrays):
            next(axes)
            at = tuple(next(left) for _ in range(rank)) if at is None else at
            found.append(element(inputs[item.index], at) if element else At())
        elif item is None:
            next(left)
        elif isinstance(item, slice):
            pace = _number(item.step, inputs)
            pace = 1 if pace is None else pace
            if not isinstance(pace, int) or not pace:
                raise Unlowered("the step of a slice is not known")
            start = _start(item.start, pace, next(axes), inputs, size)
            found.append(start.plus(next(left).times(pace)))
        else:
            found.append(_item(item, next(axes), inputs, size))
    return tuple(found)


def _item(item: Any, axis: Dim, inputs: Sequence[Value], size: Size) -> At:
    if type(item) is int:
        return At(item) if item >= 0 else size(axis).plus(At(item))
    if not isinstance(item, Ref) or inputs[item.index].aval.kind not in (Kind.INT, Kind.SCALAR):
        raise Unlowered("an index is no number")
    value = inputs[item.index]
    if value.aval.expr is None or not proves_nonnegative(value.aval.expr):
        raise Unlowered("an index may count from the end")
    return At.of(value)


def _start(start: Any, pace: int, axis: Dim, inputs: Sequence[Value], size: Size) -> At:
    """Where a slice begins, if it selects anything: a start that lies behind the end of an axis
    selects nothing forwards."""
    if start is None:
        return At() if pace > 0 else size(axis).plus(At(-1))
    known = _number(start, inputs)
    assert known is not None
    value = At(start) if type(start) is int else At.of(inputs[start.index])
    below = add(add(axis, -1), multiply(-1, known))
    if proves_nonnegative(known) and (pace > 0 or proves_nonnegative(below)):
        return value
    if proves_nonnegative(add(known, axis)) and proves_nonnegative(add(multiply(-1, known), -1)):
        return size(axis).plus(value)
    raise Unlowered("where a slice begins is not known")


def is_harmless(steps: Steps, inputs: Sequence[Value], shape: tuple[Dim, ...]) -> bool:
    """Does a view exist for sure: none of its indices can lie outside of its axis?"""
    for step in steps:
        if isinstance(step, Index):
            axes = iter(shape)
            for item in key_of(step.key, len(shape)):
                if item is None:
                    continue
                axis = next(axes)
                if type(item) is int:
                    if not proves_nonnegative(add(axis, -item - 1 if item >= 0 else item)):
                        return False
                elif not isinstance(item, slice):
                    expr = inputs[item.index].aval.expr
                    if expr is None or not proves_nonnegative(expr) or not proves_nonnegative(
                            add(add(axis, -1), multiply(-1, expr))):
                        return False
        shape = _after(step, inputs, shape)
    return True
