"""Shapes of new arrays: made from sizes, joined from parts, or an outer product of two."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..types import dims
from ..types.dims import Dim
from ..types.kinds import Aval, Kind, array, aval_of
from ..types.structure import mapped
from .broadcasting import preferred
from .integers import number_of
from .outcome import Order, Outcome
from .probing import example

Rule = Callable[[Callable[..., Any], tuple[Any, ...], dict[str, Any]], Outcome | None]


def _kind(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Aval:
    """What the function returns for tiny arguments, whatever their numbers."""
    return example(fn, mapped(args, Aval, _any_number), mapped(kwargs, Aval, _any_number)).avals[0]


def _any_number(aval: Aval) -> Aval:
    return aval.but(expr=None)


def sizes_of(shape: Any) -> tuple[Dim, ...] | None:
    """The dims of a shape argument; None if a number is unknown."""
    parts = shape if isinstance(shape, tuple | list) else (shape,)
    found = tuple(int(p) if isinstance(p, np.integer) else number_of(p) for p in parts)
    negative = any(isinstance(d, int) and d < 0 for d in found)
    return None if negative or any(d is None for d in found) else found  # type: ignore[return-value]


def _filled(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outcome | None:
    """``zeros``, ``ones``, ``empty`` and ``full``: the shape comes first."""
    if not args or "like" in kwargs:
        return None
    shape = sizes_of(args[0])
    if shape is None or any(isinstance(a, Aval) and a.shape for a in args[1:]):
        return None
    aval = _kind(fn, ((2,) * len(shape), *args[1:]), kwargs)
    order: Order = "C" if kwargs.get("order", "C") == "C" and not any(
        isinstance(a, str) and a == "F" for a in args[1:]) else None
    return Outcome((aval.but(shape=shape),), orders=(order,))


def _square(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outcome | None:
    """``eye``, ``identity`` and ``tri``: rows, perhaps columns."""
    bound = dict(zip(("N", "M", "k", "dtype"), args)) if fn is not np.identity else {"N": args[0]}
    bound |= kwargs
    columns = bound.get("M")
    shape = sizes_of((bound["N"], bound["N"] if columns is None else columns))
    if shape is None or "like" in bound:
        return None
    if fn is np.tri:
        shape = tuple(dims.maximum(0, d) for d in shape)
    if fn is np.identity:
        aval = _kind(fn, (2, *args[1:]), kwargs)
    else:
        aval = _kind(fn, (2,), {"dtype": bound["dtype"]} if "dtype" in bound else {})
    order: Order = None if "order" in kwargs else "C"
    return Outcome((aval.but(shape=shape),), orders=(order,))


def _parts(args: tuple[Any, ...]) -> list[Aval] | None:
    """The arrays of a static sequence, None if any is not one of known shape."""
    if not args or not isinstance(args[0], tuple | list) or not args[0]:
        return None
    parts = [aval_of(p) if isinstance(p, np.ndarray) else p for p in args[0]]
    return parts if all(isinstance(p, Aval) and p.is_array for p in parts) else None


def _dtype(parts: list[Aval]) -> np.dtype[Any] | None:
    rows = [array(p.dtype, (1,)) for p in parts]
    return _kind(np.concatenate, (tuple(rows),), {}).dtype


def _joined(shapes: list[tuple[Dim, ...]], axis: int) -> tuple[Dim, ...] | None:
    """The shape of a concatenation; None if static sizes or ranks clash."""
    rank = len(shapes[0])
    if any(len(s) != rank for s in shapes) or not -rank <= axis < rank:
        return None
    result: list[Dim] = []
    for i, sizes in enumerate(zip(*shapes)):
        if i == axis % rank:
            result.append(functools.reduce(dims.add, sizes))
        elif len({d for d in sizes if isinstance(d, int)}) > 1:
            return None
        else:
            result.append(preferred(*sizes))
    return tuple(result)


def _outcome(parts: list[Aval], shape: tuple[Dim, ...] | None) -> Outcome | None:
    if shape is None:
        return None
    order: Order = "C" if len(shape) < 2 else "keep"
    return Outcome((array(_dtype(parts), shape),), orders=(order,))


def _axis(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if len(args) > 2 or set(kwargs) - {"axis"}:
        return "other options"
    return args[1] if len(args) > 1 else kwargs.get("axis", 0)


def _concatenate(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outcome | None:
    parts, axis = _parts(args), _axis(args, kwargs)
    if parts is None or type(axis) is not int or not all(p.shape for p in parts):
        return None
    return _outcome(parts, _joined([p.shape or () for p in parts], axis))


def _stack(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outcome | None:
    parts, axis = _parts(args), _axis(args, kwargs)
    if parts is None or type(axis) is not int:
        return None
    rank = len(parts[0].shape or ()) + 1
    if not -rank <= axis < rank:
        return None
    axis %= rank
    shapes = [(*(p.shape or ())[:axis], 1, *(p.shape or ())[axis:]) for p in parts]
    return _outcome(parts, _joined(shapes, axis))


def _raised(shape: tuple[Dim, ...], rank: int) -> tuple[Dim, ...]:
    """The shape that ``atleast_1d``, ``_2d`` or ``_3d`` gives."""
    if len(shape) >= rank:
        return shape
    if rank < 3 or not shape:
        return (1,) * (rank - len(shape)) + shape
    return (1, shape[0], 1) if len(shape) == 1 else (*shape, 1)


def _along(rank: int, axis: Callable[[int], int]) -> Rule:
    def rule(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outcome | None:
        parts = _parts(args)
        if parts is None or len(args) > 1 or kwargs:
            return None
        shapes = [_raised(p.shape or (), rank) for p in parts]
        return _outcome(parts, _joined(shapes, axis(len(shapes[0]))))

    return rule


def _column_stack(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outcome | None:
    parts = _parts(args)
    if parts is None or len(args) > 1 or kwargs or not all(p.shape for p in parts):
        return None
    shapes = [p.shape or () for p in parts]
    return _outcome(parts, _joined([(*s, 1) if len(s) == 1 else s for s in shapes], 1))


def outer(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outcome | None:
    """``np.outer`` (flattens its arguments) and ``ufunc.outer`` (keeps their axes)."""
    if len(args) != 2 or kwargs or not all(
            isinstance(a, Aval) and a.kind is Kind.ARRAY and a.shape for a in args):
        return None
    a, b = args
    tiny = tuple(array(x.dtype, (2,)) for x in args)
    shape: tuple[Dim, ...]
    if fn is np.outer:
        shape = tuple(functools.reduce(dims.multiply, x.shape) for x in args)
    else:
        shape = (*a.shape, *b.shape)
    aval = _kind(fn, tiny, {})
    order: Order = "C" if fn is np.outer or len(shape) == 2 else "keep"
    return Outcome((aval.but(shape=shape),), orders=(order,)) if aval.is_array else None


RULES: dict[Any, Rule] = {
    np.zeros: _filled, np.ones: _filled, np.empty: _filled, np.full: _filled,
    np.eye: _square, np.identity: _square, np.tri: _square,
    np.concatenate: _concatenate, np.stack: _stack, np.column_stack: _column_stack,
    np.vstack: _along(2, lambda rank: 0), np.hstack: _along(1, lambda rank: min(1, rank - 1)),
    np.dstack: _along(3, lambda rank: 2), np.outer: outer,
    **{u.outer: outer for u in (np.add, np.subtract, np.multiply, np.divide, np.maximum,
                                np.minimum, np.power)},
}
