"""NumPy functions written out in Python over simpler ones.

They call back, loop over what depends on data, or have too many forms for a rule each.  Where a
traced value goes in, the function here is staged in place of NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.matrixlib import defmatrix
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

from ...rules.book import lookup
from ..heap import rows, tables
from ..iteration import elements, iterator_tools
from ..iteration.elements import lies_in_c_order
from ..libraries import registry as libraries
from ..record.tracers import StandIn, is_tracer
from . import gradient as numpy_gradient
from . import polynomial_classes, vectorized


def ufunc_at(ufunc: Any, a: Any, indices: Any, *operands: Any) -> None:
    """``ufunc.at``: one element after the other, so that repeated indices count repeatedly."""
    places = np.arange(a.size).reshape(a.shape)[indices]
    numbers = np.ravel(places)
    a = a.reshape(-1) if a.ndim == 0 else a
    axes = np.unravel_index(numbers, a.shape) if a.ndim > 1 else ()
    values = [np.ravel(np.broadcast_to(v, np.shape(places))) for v in operands]
    for k in range(len(numbers)):
        place = tuple([axis[k] for axis in axes]) if axes else numbers[k]
        a[place] = ufunc(a[place], *[v[k] for v in values])


def numbers_of(x: Any) -> list[Any]:
    """``x.tolist()`` of a vector."""
    return [v.item() for v in x]


def rows_of(x: Any) -> list[Any]:
    """``x.tolist()`` of a matrix."""
    return [row.tolist() for row in x]


def ufunc_reduce(ufunc: Any, a: Any, axis: Any = 0, dtype: Any = None, out: Any = None,
                 keepdims: bool = False) -> Any:
    """``ufunc.reduce`` along one axis, from the front."""
    rows = np.moveaxis(np.asarray(a, dtype), 0 if axis is None else axis, 0)
    if ufunc.identity is None:
        if len(rows) == 0:
            raise ValueError(f"zero-size array to reduction operation {ufunc.__name__} which has "
                             "no identity")
        first, total = 1, rows[0] if len(rows.shape) > 1 else rows[0] * 1
    else:
        first, total = 0, np.full(rows.shape[1:], ufunc.identity, rows.dtype)[()]
    for k in range(first, rows.shape[0]):
        total = ufunc(total, rows[k])
    return np.expand_dims(total, 0 if axis is None else axis) if keepdims else total


def ufunc_accumulate(ufunc: Any, a: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
    """``ufunc.accumulate``."""
    result = np.array(a, dtype)
    rows = np.moveaxis(result, axis, 0)
    for k in range(1, rows.shape[0]):
        rows[k] = ufunc(rows[k - 1], rows[k])
    return result


def ufunc_reduceat(ufunc: Any, array: Any, indices: Any, axis: int = 0, dtype: Any = None,
                   out: Any = None) -> Any:
    """``ufunc.reduceat``: a reduction of each segment."""
    rows = np.moveaxis(np.asarray(array, dtype), axis, 0)
    starts = np.asarray(indices)
    stops = np.append(starts[1:], len(rows))
    made = []
    for start, stop in zip(starts, stops):
        if start >= len(rows):
            raise IndexError(f"index {start} out-of-bounds in {ufunc.__name__}.reduceat "
                             f"[0, {len(rows)})")
        if stop > start:
            made.append(ufunc.reduce(rows[start:stop], axis=0))
        else:
            made.append(rows[start])
    return np.moveaxis(np.array(made), 0, axis)


def apply_over_axes(func: Any, a: Any, axes: Any) -> Any:
    """``np.apply_over_axes``."""
    result = np.asarray(a)
    rank = result.ndim
    for axis in (axes if isinstance(axes, (list, tuple)) else (axes,)):
        axis = axis + rank if axis < 0 else axis
        found = func(result, axis)
        result = found if found.ndim == result.ndim else np.expand_dims(found, axis)
    return result


def trim_zeros(filt: Any, trim: str = "fb", axis: Any = None) -> Any:
    """``np.trim_zeros`` of one-dimensional input."""
    kept = np.flatnonzero(filt)
    first = kept[0] if "f" in trim.lower() and len(kept) else 0
    last = kept[-1] + 1 if "b" in trim.lower() and len(kept) else len(filt)
    if len(kept) == 0:
        return filt[:0]
    return filt[first:last]


def unstack(x: Any, /, *, axis: int = 0) -> Any:
    """``np.unstack``."""
    return tuple(np.moveaxis(x, axis, 0))


def fromiter(iter: Any, dtype: Any, count: int = -1) -> Any:
    """``np.fromiter``."""
    made: list[Any] = []
    for item in iter:
        if 0 <= count <= len(made):
            break
        made.append(item)
    return np.array(made, dtype)


def nanquantile(a: Any, q: Any, axis: Any = None, out: Any = None,
                overwrite_input: bool = False, method: str = "linear", keepdims: bool = False,
                **options: Any) -> Any:
    """``np.nanquantile``."""
    return _of_present(np.quantile, a, q, axis, keepdims, dict(options, method=method))


def nanpercentile(a: Any, q: Any, axis: Any = None, out: Any = None,
                  overwrite_input: bool = False, method: str = "linear", keepdims: bool = False,
                  **options: Any) -> Any:
    """``np.nanpercentile``."""
    return _of_present(np.percentile, a, q, axis, keepdims, dict(options, method=method))


def _of_present(function: Any, a: Any, q: Any, axis: Any, keepdims: Any, options: Any) -> Any:
    """A quantile of what is not NaN, row by row; the axes of ``q`` come first."""
    a = np.asarray(a)
    rank, before = a.ndim, np.ndim(q)
    if before == 0 and a.size == 0:
        return np.nanmean(a, axis, keepdims=keepdims)
    reduced = tuple(range(rank)) if axis is None else (axis if isinstance(axis, tuple) else (axis,))
    reduced = tuple([i % rank for i in reduced])
    kept = tuple([i for i in range(rank) if i not in reduced])
    rows = np.transpose(a, kept + reduced)
    rows = np.reshape(rows, (*rows.shape[:len(kept)], -1))

    def one(row: Any) -> Any:
        present = row[~np.isnan(row)]
        if len(present) == 0:  # all are NaN, and so is the result
            present = row if len(row) else np.full(1, np.nan)
        return function(present, q, **options)

    result = one(rows) if not kept else np.apply_along_axis(one, -1, rows)
    if kept and before:
        result = np.moveaxis(result, tuple(range(-before, 0)), tuple(range(before)))
    return np.expand_dims(result, tuple([i + before for i in reduced])) if keepdims else result


def periodic_interp(x: Any, xp: Any, fp: Any, period: Any) -> Any:
    """``np.interp`` with a period, as NumPy computes it."""
    if period == 0:
        raise ValueError("period must be a non-zero value")
    period = abs(period)
    x, xp, fp = np.asarray(x, np.float64), np.asarray(xp, np.float64), np.asarray(fp)
    if xp.ndim != 1 or fp.ndim != 1:
        raise ValueError("Data points must be 1-D sequences")
    if xp.shape[0] != fp.shape[0]:
        raise ValueError("fp and xp are not of the same length")
    x, xp = x % period, xp % period
    order = np.argsort(xp)
    xp, fp = xp[order], fp[order]
    xp = np.concatenate((xp[-1:] - period, xp, xp[0:1] + period))
    fp = np.concatenate((fp[-1:], fp, fp[0:1]))
    return np.interp(x, xp, fp)


def require_shape(result: Any, out: Any) -> None:
    """Raise what most functions of NumPy raise for an ``out`` of another shape."""
    if np.shape(result) != out.shape:
        raise ValueError("output array does not match result of the function in its shape")


def plane_cross(a: Any, b: Any, size_a: int, size_b: int, axis: int) -> Any:
    """``np.cross`` where at least one vector lies in the plane."""
    last = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    if size_a == 2 and size_b == 2:
        return last
    if size_a == 2:
        first, second = a[..., 1] * b[..., 2], -(a[..., 0] * b[..., 2])
    else:
        first, second = -(a[..., 2] * b[..., 1]), a[..., 2] * b[..., 0]
    return np.moveaxis(np.stack([first, second, last], axis=-1), -1, axis)


def pad_statistic(array: Any, widths: Any, function: Any, lengths: Any) -> Any:
    """``np.pad`` with a statistic of the border, axis after axis; the memory is laid out as
    NumPy does it."""
    for axis in range(len(widths)):
        if array.shape[axis] == 0 and (widths[axis][0] > 0 or widths[axis][1] > 0):
            raise ValueError(f"can't extend empty axis {axis} using modes other than 'constant' "
                             "or 'empty'")
    padded = np.pad(array, widths)
    for axis in range(len(widths)):
        before, after = widths[axis]
        size = array.shape[axis]
        first, last = size, size
        if lengths is not None:
            first, last = min(size, lengths[axis][0]), min(size, lengths[axis][1])
        rows = np.moveaxis(array, axis, 0)
        left = function(rows[:first], axis=0, keepdims=True)
        right = function(rows[size - last:], axis=0, keepdims=True)
        if array.dtype.kind in "iu":
            left, right = np.round(left), np.round(right)
        left, right = left.astype(array.dtype), right.astype(array.dtype)
        rows = np.concatenate([np.repeat(left, before, axis=0), rows,
                               np.repeat(right, after, axis=0)])
        array = np.moveaxis(rows, 0, axis)
    padded[...] = array
    return padded


def pad_constants(array: Any, widths: Any, values: Any) -> Any:
    """``np.pad`` with constants of its own for each axis or border."""
    padded = np.pad(array, widths)
    for axis in range(len(widths)):
        rows = np.moveaxis(padded, axis, 0)
        rows[:widths[axis][0]] = values[axis][0]
        rows[len(rows) - widths[axis][1]:] = values[axis][1]
    return padded


def as_strided(x: Any, shape: Any = None, strides: Any = None, subok: bool = False,
               writeable: bool = True) -> Any:
    """``as_strided``: windows that slide over the memory of an array in C order, one axis after
    the other."""
    shape = x.shape if shape is None else shape
    steps = tuple(step // x.itemsize for step in (x.strides if strides is None else strides))
    in_one_piece(x)
    spans: tuple[Any, ...] = (1,)  # tuples: which windows there are is known while tracing
    for size, step in zip(shape[::-1], steps[::-1]):
        spans = (spans[0] + (size - 1) * step, *spans)
    if spans[0] > x.size:
        raise IndexError("as_strided reaches outside of the array, where only memory is known")
    view = np.ravel(x)[:spans[0]]
    for axis in range(len(shape) - 1):
        view = sliding_window_view(view, spans[axis + 1], -1, writeable=writeable)
        if steps[axis] > 1:
            view = view[..., ::steps[axis], :]
    if steps and steps[-1] > 1:
        view = view[..., ::steps[-1]]
    return view if all(steps) else np.broadcast_to(view, shape)


class Flat(StandIn):
    """``x.flat``: reads are copies, writes go to ``x`` whatever its layout."""

    cls = np.flatiter
    cursor: Any = None  # where the iteration is, once it has a name

    def __init__(self, base: Any) -> None:
        self.base = base

    def elements(self) -> Any:
        return map(self._element, range(self.base.size)) if not lies_in_c_order(
            self.base) else np.ravel(self.base)

    def _element(self, place: Any) -> Any:
        return np.ravel(self.base)[place]

    def __len__(self) -> Any:
        return self.base.size

    def __lt__(self, other: Any) -> Any:
        return np.ravel(self.base) < other

    def __le__(self, other: Any) -> Any:
        return np.ravel(self.base) <= other

    def __gt__(self, other: Any) -> Any:
        return np.ravel(self.base) > other

    def __ge__(self, other: Any) -> Any:
        return np.ravel(self.base) >= other

    def __eq__(self, other: Any) -> Any:
        return np.ravel(self.base) == other

    def __ne__(self, other: Any) -> Any:
        return np.ravel(self.base) != other

    __hash__ = None  # type: ignore[assignment]

    def as_array(self) -> Any:
        found = np.ravel(self.base)
        return found if lies_in_c_order(self.base) else np.broadcast_to(found, found.shape)

    def copy(self) -> Any:
        return self.base.flatten()

    @property
    def index(self) -> Any:
        return 0 if self.cursor is None else self.cursor.position

    @property
    def coords(self) -> Any:
        return np.unravel_index(self.index, self.base.shape)

    def _begin_again(self) -> None:
        """What every subscript does to the iteration."""
        if self.cursor is not None:
            self.cursor.position = 0

    def __getitem__(self, key: Any) -> Any:
        self._begin_again()
        found = np.ravel(self.base)[key]
        return found if np.ndim(found) == 0 else found.copy()

    def __setitem__(self, key: Any, value: Any) -> None:
        self._begin_again()
        if np.ndim(value):
            value = np.asarray(value)
            shape = np.arange(self.base.size)[key].shape
            if value.shape != shape:
                if not value.size:
                    return
                value = np.resize(value, shape)
        if lies_in_c_order(self.base):
            np.ravel(self.base)[key] = value
        else:
            places = np.arange(self.base.size)[key]
            self.base[np.unravel_index(places, self.base.shape)] = value


def parts_at(array: Any, ends: Any, axis: int = 0) -> list[Any]:
    """``np.split(x, ends)`` at places that an array gives: views."""
    rows = array if axis == 0 else np.swapaxes(array, axis, 0)

    def part(number: int) -> Any:
        start = ends[number - 1] if number > 0 else 0
        stop = ends[number] if number < len(ends) else len(rows)
        return rows[start:stop] if axis == 0 else np.swapaxes(rows[start:stop], axis, 0)

    return [part(number) for number in range(len(ends) + 1)]


def in_one_piece(array: np.ndarray[Any, Any]) -> None:
    """Require that ``np.ravel`` of the array is a view."""
    if not lies_in_c_order(array):
        raise ValueError("the array does not lie in C order")


def power_of_any(base: Any, exponent: Any) -> Any:
    """``base ** exponent`` of Python's numbers."""
    if base < 0 and exponent % 1 != 0:
        return complex(base) ** exponent
    return base ** exponent


def set_flat(base: Any, value: Any) -> None:
    """``base.flat = value``."""
    if np.size(value):
        base[...] = np.resize(value, base.shape)


def put_repeated(base: Any, key: Any, values: Any, shape: Any, needed: bool) -> None:
    """Values at a key, repeated or cut off; without any nothing is written, or is ``needed``."""
    if values.size:
        base[key] = np.resize(values, shape)
    elif needed and np.prod(shape):
        raise ValueError("Cannot insert from an empty array!")


def put_masked(base: Any, mask: Any, values: Any) -> None:
    """``np.putmask``: values of another shape are repeated element by element."""
    if values.size:
        base[...] = np.where(mask, np.resize(values, base.shape), base)


def set_in_order(base: Any, value: Any) -> None:
    """``base.flat = value`` of an array in the same memory: each element is read when its turn
    comes."""
    for k in range(base.size):
        base[np.unravel_index(k, base.shape)] = value[
            np.unravel_index(k % value.size, value.shape)]


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """``np.trapezoid``: widths times means."""
    y = np.asarray(y)
    before = (slice(None),) * (axis % y.ndim)
    widths = dx
    if x is not None:
        x = np.asarray(x)
        widths = np.diff(x, axis=axis) if x.ndim != 1 else np.diff(x)
        if x.ndim == 1 and len(before) < y.ndim - 1:
            widths = np.expand_dims(widths, tuple(range(1, y.ndim - len(before))))
    after, until = slice(1, None), slice(None, -1)
    sums = y[(*before, after)] + y[(*before, until)] if before else y[after] + y[until]
    return (widths * sums / 2.0).sum(axis)


def strides_of(array: Any) -> tuple[Any, ...]:
    """The strides of an array in C order."""
    strides: list[Any] = []
    step = array.itemsize
    for size in array.shape[::-1]:
        strides.insert(0, step)
        step = step * size
    return tuple(strides)


def matrix(data: Any, dtype: Any = None, copy: bool = True) -> Any:
    if isinstance(data, str):
        data = defmatrix._convert_from_string(data)  # type: ignore[attr-defined]
    array = np.array(data, dtype=dtype) if copy else np.asarray(data, dtype=dtype)
    if array.ndim > 2:
        raise ValueError("matrix must be 2-dimensional")
    return np.atleast_2d(array).view(np.matrix)


def item_of_matrix(self: Any, index: Any) -> Any:
    """NumPy sets the shape of the part."""
    part = np.asarray(self)[index]
    if np.ndim(part) == 0:
        return part
    if part.ndim == 1:
        of_columns = isinstance(index, tuple) and len(index) > 1 and np.isscalar(index[1])
        part = part.reshape((-1, 1) if of_columns else (1, -1))
    return part.view(np.matrix)


# The modules of srcgrad whose functions are staged, beside those of libraries.
STAGED_MODULES = frozenset(module.__name__ for module in (
    elements, iterator_tools, numpy_gradient, polynomial_classes, rows, tables, vectorized)) | {
        __name__, "srcgrad.trace.objects.written_out", *(
            f"srcgrad.trace.heap.{name}" for name in ("queues", "written_out"))}


def is_written_out(function: Any) -> bool:
    """Is it a function of srcgrad that stands for one of a library, and is staged?"""
    return function.__module__ in STAGED_MODULES or libraries.is_staged(function.__module__)


WRITTEN_OUT: dict[Any, Callable[..., Any]] = {
    np.apply_over_axes: apply_over_axes,
    np.trim_zeros: trim_zeros,
    np.matrix: matrix,
    np.matrix.__getitem__: item_of_matrix,
    np.trapezoid: trapezoid,
    np.fromiter: fromiter,
    np.nanquantile: nanquantile,
    np.nanpercentile: nanpercentile,
    np.lib.stride_tricks.as_strided: as_strided,
}
OF_SETS: tuple[Any, ...] = (np.union1d, np.setdiff1d, np.intersect1d, np.setxor1d)
# NumPy's own Python source is staged for these.
NUMPY_SOURCES: tuple[Any, ...] = (
    np.poly, np.polydiv, *OF_SETS,
    np.unique_values, np.unique_counts, np.unique_inverse, np.unique_all,
    np.linalg.tensorsolve, np.linalg.tensorinv, np.fromfunction, np.real_if_close,
    *(getattr(np.emath, name) for name in np.emath.__all__),
    *(getattr(module, name) for module in (polynomial, chebyshev, hermite, hermite_e, laguerre,
                                           legendre)
      for name in dir(module) if hasattr(getattr(module, name), "__wrapped__")
      and lookup(getattr(module, name)) is None),
)
if hasattr(np, "unstack"):  # NumPy 2.1
    WRITTEN_OUT[np.unstack] = unstack
# ... and for these if they are called with a second variable.
WITH_SECOND: tuple[Any, ...] = (np.cov, np.corrcoef)
UFUNC_METHODS: dict[str, Callable[..., Any]] = {
    "reduce": ufunc_reduce, "accumulate": ufunc_accumulate, "reduceat": ufunc_reduceat,
    "at": ufunc_at,
}


def ufunc_method(function: Any, args: tuple[Any, ...]) -> Any:
    """What stands for a method of a ufunc that has no rule of its own."""
    owner, name = getattr(function, "__self__", None), getattr(function, "__name__", "")
    helper = UFUNC_METHODS.get(name) if isinstance(owner, np.ufunc) else None
    entry = lookup(owner) if helper is not None else None
    if entry is None or entry.nondiff or lookup(function) is not None:
        return None
    return helper if is_tracer(args[0]) and args[0].aval.is_inexact else None
