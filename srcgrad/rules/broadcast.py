"""Undoing broadcasts and selections: the run-time functions that adjoints may call.

They are ordinary NumPy functions with rules of their own, so that a gradient that calls them
can be differentiated again.  Each dispatches on ``__array_function__`` like NumPy's own
functions do: an engine's array objects see the call instead of NumPy.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcgrad.rules.book import Array, inactive, linear, nondiff


def _find_engine_value(value: Any) -> Any:
    """The first object in ``value`` (tuples and lists included) that takes over NumPy calls."""
    if isinstance(value, tuple | list):
        for item in value:
            found = _find_engine_value(item)
            if found is not None:
                return found
        return None
    if isinstance(value, np.ndarray | np.generic) or not hasattr(type(value), "__array_function__"):
        return None
    return value


def runtime(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let engines' arrays take over calls of ``function``, as they do for NumPy's functions."""
    return _taken_over(function, None)


def dispatching(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function`` for use in rule bodies: engines' arrays see a call of ``function`` itself.

    For functions of other libraries that do not dispatch on their own (``scipy.linalg``).
    """
    return _taken_over(function, function)


def _taken_over(function: Callable[..., Any],
                seen: Callable[..., Any] | None) -> Callable[..., Any]:
    """A function whose calls engines' arrays take over; they see ``seen``, or itself."""

    @functools.wraps(function)
    def dispatch(*args: Any, **kwargs: Any) -> Any:
        engine = _find_engine_value(args)
        if engine is None:
            return function(*args, **kwargs)
        return engine.__array_function__(seen or dispatch, (type(engine),), args, kwargs)

    return dispatch


arange = dispatching(np.arange)  # of symbolic sizes too
eye = dispatching(np.eye)
repeat = dispatching(np.repeat)  # as often as an array says
larger = dispatching(max)


@runtime
def sum_to(a: Array, shape: tuple[int, ...]) -> Array:
    """Sum ``a`` over the axes along which ``shape`` was broadcast to ``a.shape``.

    >>> sum_to(np.ones((4, 2, 3)), (2, 1))
    array([[12.],
           [12.]])
    """
    have = np.shape(a)
    if have == shape:
        return a
    extra = len(have) - len(shape)
    stretched = tuple(
        i for i, n in enumerate(have) if i < extra or (shape[i - extra] == 1 and n != 1)
    )
    if not stretched:
        return a
    return np.reshape(np.sum(a, axis=stretched), shape)


@runtime
def sum_to_like(a: Array, like: Array) -> Array:
    """:func:`sum_to` the shape of ``like``; a number, if that is one."""
    found = sum_to(a, np.shape(like))
    return found if isinstance(like, np.ndarray) else found[()]


@runtime
def real_like(a: Array, like: Array) -> Array:
    """The real part of ``a`` if ``like`` is real: for values of a dtype that a run decides.

    >>> real_like(np.array([1.0 + 2.0j]), np.array([3.0]))
    array([1.])
    """
    return a if np.iscomplexobj(like) or not np.iscomplexobj(a) else np.real(a)


@runtime
def number_like(a: Any, like: Any) -> Any:
    """A number of the class of another one, of which only a run knows whether it is Python's.

    >>> number_like(np.float64(0.5), 1.0), number_like(0.5, np.float32(1.0))
    (0.5, np.float32(0.5))
    """
    cls = type(like)
    return float(a) if cls in (int, bool) else cls(a)


@runtime
def updated(like: Any, a: Any) -> Any:
    """What ``like op= ...`` leaves behind, where the operation gives ``a``: an array keeps its
    shape and dtype, a number does not.

    >>> updated(np.float32([1.0]), np.array([0.5])), updated(1, 0.5)
    (array([0.5], dtype=float32), 0.5)
    """
    if not isinstance(like, np.ndarray):
        return a
    if like.shape != np.shape(a):
        have, got = (str(s).replace(" ", "") for s in (like.shape, np.shape(a)))
        raise ValueError(f"non-broadcastable output operand with shape {have} doesn't match the "
                         f"broadcast shape {got}")
    return np.asarray(a).astype(like.dtype, casting="same_kind", copy=False)


@runtime
def scatter_add(values: Array, index: Any, shape: tuple[int, ...]) -> Array:
    """Zeros of ``shape`` with ``values`` added at ``index``: the transpose of ``a[index]``.

    >>> scatter_add(np.array([1.0, 2.0, 4.0]), [0, 2, 0], (3,))
    array([5., 0., 2.])
    """
    if _adds_rows(values, index, shape):  # faster than np.add.at, and in the same order
        rows, columns = shape
        first = index * columns if not index.size or index.min() >= 0 else index % rows * columns
        places = np.add.outer(first, np.arange(columns))
        return np.bincount(places.ravel(), values.ravel(), rows * columns).reshape(shape)
    out = np.zeros(shape, np.asarray(values).dtype)
    if not np.size(values):  # a list of no rows does not tell how long these are
        return out
    if _visits_places_once(index):
        out[index] = values
    else:
        np.add.at(out, index, values)
    return out


def _adds_rows(values: Array, index: Any, shape: tuple[int, ...]) -> bool:
    """Are rows of float64 added to rows of a matrix?"""
    return (
        isinstance(index, np.ndarray) and index.dtype.kind == "i" and index.ndim == 1
        and isinstance(values, np.ndarray) and values.dtype == np.float64
        and len(shape) == 2 and values.shape == (index.size, shape[1])
    )  # fmt: skip


def _visits_places_once(index: Any) -> bool:
    parts = index if isinstance(index, tuple) else (index,)
    return all(
        part is None
        or isinstance(part, int | np.integer | slice | type(...) | np.bool_)
        or (isinstance(part, np.ndarray) and part.dtype == bool)
        for part in parts
    )


@runtime
def last_write_mask(shape: tuple[int, ...], index: Any) -> Array:
    """For ``x[index] = v`` with ``x`` of ``shape``: where an element of ``v`` (broadcast to the
    selection) is the last one written to its place, and therefore the one that stays.

    >>> last_write_mask((3,), [0, 2, 0])
    array([False,  True,  True])
    """
    places = np.arange(math.prod(shape)).reshape(shape)[index]
    order = np.arange(places.size).reshape(places.shape)
    last = np.zeros(math.prod(shape), dtype=np.intp)
    last[places.ravel()] = order.ravel()
    return np.equal(last[places], order)


@linear(sum_to, "a")
def sum_to_a(ct: Array, a_shape: tuple[int, ...]) -> Array:
    return np.broadcast_to(ct, a_shape)


linear(sum_to_like, a=sum_to_a)
inactive(sum_to_like, "like")

linear(real_like, a=lambda ct: ct)
linear(number_like, a=lambda ct: ct)
linear(updated, a=lambda ct: ct)
inactive(real_like, "like")
inactive(updated, "like")
inactive(number_like, "like")

linear(scatter_add, values=lambda ct, index: ct[index])

nondiff(last_write_mask)


@runtime
def scatter_along_axis(values: Array, indices: Array, axis: int, shape: tuple[int, ...]) -> Array:
    """Zeros of ``shape`` with ``values`` added at ``indices`` along ``axis``: the transpose of
    ``np.take_along_axis``.

    >>> scatter_along_axis(np.array([1.0, 2.0, 4.0]), np.array([1, 0, 1]), 0, (2,))
    array([2., 5.])
    """
    out = np.zeros(shape, np.asarray(values).dtype)
    if not out.size:  # nothing is taken from an empty axis
        return out
    axis = axis % len(shape)
    grid = list(np.ix_(*(np.arange(n) for n in np.broadcast_shapes(values.shape, indices.shape))))
    grid[axis] = indices
    np.add.at(out, tuple(grid), values)
    return out


@runtime
def taken_along_axis(a: Array, indices: Array, axis: int) -> Array:
    """``np.take_along_axis``; of an empty axis zeros: the transpose of :func:`scatter_along_axis`.

    >>> taken_along_axis(np.array([1.0, 2.0]), np.array([1]), 0)
    array([2.])
    """
    if not np.shape(a)[axis]:
        return np.zeros(np.shape(indices), np.asarray(a).dtype)
    return np.take_along_axis(a, indices, axis)


linear(scatter_along_axis, values=lambda ct, indices, axis: taken_along_axis(ct, indices, axis))
linear(taken_along_axis, indices=None,
    a=lambda ct, a_shape, indices, axis: scatter_along_axis(ct, indices, axis, a_shape))


@runtime
def scatter_diagonal(values: Array, shape: tuple[int, ...], offset: int = 0, axis1: int = 0,
                     axis2: int = 1) -> Array:
    """Zeros of ``shape`` with ``values`` on a diagonal: the transpose of ``np.diagonal``.

    >>> scatter_diagonal(np.array([1.0, 2.0]), (2, 3), offset=1)
    array([[0., 1., 0.],
           [0., 0., 2.]])
    """
    out = np.zeros(shape, np.asarray(values).dtype)
    rows = np.moveaxis(out, (axis1, axis2), (-2, -1))
    n = max(0, min(rows.shape[-2] + min(offset, 0), rows.shape[-1] - max(offset, 0)))
    i = np.arange(n)
    rows[..., i - min(offset, 0), i + max(offset, 0)] = values
    return out


linear(scatter_diagonal,
    values=lambda ct, values_shape, offset, axis1, axis2:
        sum_to(np.diagonal(ct, offset, axis1, axis2), values_shape))


@runtime
def resize_axis(x: Array, size: int, axis: int) -> Array:
    """``x`` cropped or filled up with zeros along ``axis``, as transforms with ``n`` do.

    >>> resize_axis(np.array([1.0, 2.0]), 3, 0)
    array([1., 2., 0.])
    """
    have = np.shape(x)[axis]
    if have > size:
        index: list[Any] = [slice(None)] * np.ndim(x)
        index[axis] = slice(None, size)
        return x[tuple(index)]
    widths = [(0, 0)] * np.ndim(x)
    widths[axis] = (0, size - have)
    return np.pad(x, widths)


linear(resize_axis, x=lambda ct, x_shape, axis: resize_axis(ct, x_shape[axis], axis))


@runtime
def array_of_rows(stacked: Array) -> Array:
    """``np.array`` of a list of tuples, given the array of what these hold: where there are none,
    nothing tells NumPy how long they would be, nor of which type.

    >>> array_of_rows(np.ones((2, 3), int)).shape, array_of_rows(np.ones((0, 3), int))
    ((2, 3), array([], dtype=float64))
    """
    return stacked if len(stacked) else np.array([])


@runtime
def stacked_rows(rows: Array, shape: tuple[int, ...]) -> Array:
    """The transpose of :func:`array_of_rows`: an array of ``shape``, also of no rows.

    >>> stacked_rows(np.array([]), (0, 3)).shape
    (0, 3)
    """
    return np.reshape(rows, shape)


linear(array_of_rows, stacked=lambda ct, stacked_shape: stacked_rows(ct, stacked_shape))
linear(stacked_rows, rows=lambda ct: array_of_rows(ct))

_product = dispatching(math.prod)


def size_of(shape: Sequence[int]) -> int:
    """The number of elements of an array; sizes may be symbolic, so nothing is multiplied by 1."""
    if not isinstance(shape, tuple | list):  # of an array whose rank only a run knows
        return _product(shape)  # type: ignore[no-any-return]
    return functools.reduce(operator.mul, shape) if shape else 1


def as_array(x: Array) -> Array:
    """A list of numbers, which a body wants to compute on, as an array."""
    return np.stack([as_array(i) for i in x]) if isinstance(x, list | tuple) else x
