"""Differences on grids: diff, gradient, and np.pad."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.book import Array, NoRule, Shape, jvp, linear, nondiff, static, vjp
from srcgrad.rules.broadcast import larger, runtime, scatter_add, size_of, sum_to
from srcgrad.rules.numpy.joining import along


def _undiff(ct: Array, axis: int, size: Any) -> Array:
    """The transpose of one ``np.diff`` along ``axis``, of ``size`` places: perhaps of none."""
    shape = (*np.shape(ct)[:axis], size, *np.shape(ct)[axis + 1 :])
    ends = scatter_add(ct, along(axis, slice(1, None)), shape)
    return ends - scatter_add(ct, along(axis, slice(None, -1)), shape)


def _undiff_times(ct: Array, n: int, axis: int, size: Any) -> Array:
    for done in reversed(range(n)):
        ct = _undiff(ct, axis, larger(size - done, 0) if done else size)
    return ct


def _edge_size(shape: Shape, axis: int) -> int:
    """How many places ``prepend`` or ``append`` takes: scalars take one."""
    return shape[axis] if shape else 1


@linear(np.diff, "a")
def diff_a(ct: Array, a_shape: Shape, n: int, axis: int, prepend_shape: Shape, prepend: Array,
           append: Array) -> Array:
    axis = axis % len(a_shape)
    if prepend is None and append is None:
        return _undiff_times(ct, n, axis, a_shape[axis])
    start = 0 if prepend is None else _edge_size(prepend_shape, axis)
    joined = _undiff_times(ct, n, axis, np.shape(ct)[axis] + n)
    return joined[along(axis, slice(start, start + a_shape[axis]))]


@linear(np.diff, "prepend")
def diff_prepend(ct: Array, a_shape: Shape, n: int, axis: int, prepend_shape: Shape) -> Array:
    axis = axis % len(a_shape)
    joined = _undiff_times(ct, n, axis, np.shape(ct)[axis] + n)
    head = joined[along(axis, slice(None, _edge_size(prepend_shape, axis)))]
    return sum_to(head, prepend_shape)


@linear(np.diff, "append")
def diff_append(ct: Array, a_shape: Shape, n: int, axis: int, prepend_shape: Shape, prepend: Array,
                append_shape: Shape) -> Array:
    axis = axis % len(a_shape)
    start = 0 if prepend is None else _edge_size(prepend_shape, axis)
    joined = _undiff_times(ct, n, axis, np.shape(ct)[axis] + n)
    return sum_to(joined[along(axis, slice(start + a_shape[axis], None))], append_shape)


@linear(np.ediff1d, "ary")
def ediff1d_ary(ct: Array, ary_shape: Shape, to_begin: Any, to_begin_shape: Any) -> Array:
    start = 0 if to_begin is None else _flat_size(to_begin_shape)
    size = _flat_size(ary_shape)
    between = ct[start : start + larger(size - 1, 0)]
    return np.reshape(_undiff(between, 0, size), ary_shape)


linear(np.ediff1d,
    to_begin=lambda ct, to_begin_shape:
        np.reshape(ct[: _flat_size(to_begin_shape)], to_begin_shape),
    to_end=lambda ct, to_end_shape: np.reshape(ct[-_flat_size(to_end_shape) :], to_end_shape))


def _flat_size(shape: Any) -> int:
    return len(shape) if isinstance(shape, list) else size_of(shape)


def _gradient_spacings(varargs: Any, count: int) -> list[Any]:
    if not varargs:
        return [1.0] * count
    return list(varargs) * count if len(varargs) == 1 else list(varargs)


def _ungradient(ct: Array, h: Array, h_ndim: Any, shape: Shape, axis: int,
                edge_order: int) -> Array:
    """The transpose of ``np.gradient`` along one axis: central differences inside, one-sided
    ones of first or second order at the ends (the coefficients of NumPy's documentation)."""
    ct = np.moveaxis(ct, axis, -1)
    moved = (*shape[:axis], *shape[axis + 1 :], shape[axis])
    if h_ndim == 1:
        d = np.diff(h)
        left, right = d[:-1], d[1:]
        first, last = (d[0], d[1]), (d[-1], d[-2])
    else:
        left, right = h, h
        first = last = (h, h)
    inner = ct[..., 1:-1]
    d_a = scatter_add(-inner * right / (left * (left + right)), (..., slice(None, -2)), moved)
    d_a = d_a + scatter_add(inner * (right - left) / (left * right), (..., slice(1, -1)), moved)
    d_a = d_a + scatter_add(inner * left / (right * (left + right)), (..., slice(2, None)), moved)
    for end, step, (near, far), sign in ((0, 1, first, 1), (-1, -1, last, -1)):
        edge = sign * ct[..., end]
        if edge_order == 1:
            weights = [-1 / near, 1 / near]
        else:
            weights = [
                -(2 * near + far) / (near * (near + far)),
                (near + far) / (near * far),
                -near / (far * (near + far)),
            ]
        for i, weight in enumerate(weights):
            d_a = d_a + scatter_add(edge * weight, (..., end + i * step), moved)
    return np.moveaxis(d_a, -1, axis)


@linear(np.gradient, "f")
def gradient_f(ct: Any, f_shape: Shape, varargs: Any, varargs_ndim: Any, axis: Any,
               edge_order: int) -> Array:
    if axis is None:
        axes = tuple(range(len(f_shape)))
    else:
        axes = tuple(i % len(f_shape) for i in (axis if isinstance(axis, tuple) else (axis,)))
    cts = (ct,) if len(axes) == 1 else ct
    spacings = _gradient_spacings(varargs, len(axes))
    ranks = _gradient_spacings(varargs_ndim, len(axes)) if varargs else [0] * len(axes)
    d: Array = None
    for i, c in enumerate(cts):
        if c is not None:
            part = _ungradient(c, spacings[i], ranks[i], f_shape, axes[i], edge_order)
            d = part if d is None else d + part
    return d


@runtime
def pad_matrix(a: Array, axis: int, width: tuple[int, int], mode: Any, options: Any) -> Array:
    """The matrix of a linear padding mode along one axis: the padded identity."""
    identity = np.eye(np.shape(a)[axis], dtype=a.dtype)
    return np.pad(identity, (width, (0, 0)), mode=mode, **dict(options))


@runtime
def sum_padding(values: Array, pad_width: Any, mode: str, shape: Shape) -> Array:
    """What padding of an array of ``shape`` has repeated, added up: the transpose of ``np.pad``.

    >>> sum_padding(np.array([1.0, 2.0, 4.0, 8.0]), 1, "edge", (2,))
    array([ 3., 12.])
    """
    values = values if shape else values.copy()
    for axis, (before, after) in enumerate(_pad_widths(pad_width, len(shape))):
        n = shape[axis]
        inner = values[along(axis, slice(before, before + n))].copy()
        head = values[along(axis, slice(None, before))]
        tail = values[along(axis, slice(before + n, None))]
        if mode == "edge" and n:
            inner[along(axis, 0)] += head.sum(axis=axis)
            inner[along(axis, -1)] += tail.sum(axis=axis)
        elif mode == "wrap" and max(before, after) <= n:
            inner[along(axis, slice(n - before, None))] += head
            inner[along(axis, slice(None, after))] += tail
        else:
            places = np.pad(np.arange(n), (before, after), mode=mode)  # type: ignore[call-overload]
            np.add.at(inner, along(axis, places[:before]), head)
            np.add.at(inner, along(axis, places[before + n:]), tail)
        values = inner
    return values


linear(sum_padding, values=lambda ct, pad_width, mode: np.pad(ct, pad_width, mode=mode))


def _pad_widths(pad_width: Any, ndim: int) -> list[Any]:
    if isinstance(pad_width, dict):
        per_axis = {k % ndim: v for k, v in pad_width.items()}
        given = [per_axis.get(i, (0, 0)) for i in range(ndim)]
        return [w if isinstance(w, tuple | list) else (w, w) for w in given]
    if not isinstance(pad_width, tuple | list | np.ndarray):
        return [(pad_width, pad_width)] * ndim
    rows = [tuple(w) if isinstance(w, tuple | list | np.ndarray) else w for w in pad_width]
    if not isinstance(rows[0], tuple):
        return [(rows[0], rows[-1])] * ndim
    pairs = [(row[0], row[-1]) for row in rows]
    return pairs * ndim if len(pairs) == 1 else pairs


def _inside(widths: list[Any], shape: Shape) -> Any:
    """The index of the padded array's original part."""
    parts = []
    for (before, after), extent in zip(widths, shape):
        stop = before + extent
        if isinstance(after, int):
            stop = -after if after else None
        parts.append(slice(before, stop))
    return parts[0] if len(parts) == 1 else tuple(parts)


nondiff(pad_matrix)


@vjp(np.pad, "array",
     like=lambda array, pad_width, mode="constant", *, stat_length=None, constant_values=0,
     end_values=0, reflect_type="even": None)
def pad_array(ct: Array, array: Array, array_shape: Shape, pad_width: Any, mode: Any,
              stat_length: Any, reflect_type: str) -> Array:
    widths = _pad_widths(pad_width, len(array_shape))
    inside = _inside(widths, array_shape)
    if mode in ("constant", "empty"):
        return ct[inside]
    if mode in ("edge", "symmetric", "reflect", "wrap") and reflect_type == "even":
        return sum_padding(ct, pad_width, mode, array_shape)
    for axis, width in enumerate(widths):
        if mode in ("symmetric", "reflect", "linear_ramp", "mean"):
            options = _pad_options(mode, stat_length, reflect_type)
            matrix = pad_matrix(array, axis, width, mode, options)
            ct = np.moveaxis(np.moveaxis(ct, axis, -1) @ matrix, -1, axis)
        else:
            raise NoRule(f"np.pad has no derivative rule for mode={mode!r}")
    return ct


def _pad_options(mode: str, stat_length: Any, reflect_type: str) -> tuple[tuple[str, Any], ...]:
    if mode == "mean":
        return (("stat_length", stat_length),)
    return (("reflect_type", reflect_type),) if mode in ("symmetric", "reflect") else ()


@jvp(np.pad, "array")
def pad_array_jvp(t: Array, pad_width: Any, mode: Any, stat_length: Any,
                  reflect_type: str) -> Array:
    options = dict(_pad_options(mode, stat_length, reflect_type))
    return np.pad(t, pad_width, mode=mode, **options)


@vjp(np.pad, "constant_values")
def pad_constant_values(ct: Array, array_shape: Shape, pad_width: Any,
                        constant_values_shape: Shape) -> Array:
    if constant_values_shape != ():
        raise NoRule("np.pad has a derivative rule for a scalar constant_values= only")
    widths = _pad_widths(pad_width, len(array_shape))
    inside = _inside(widths, array_shape)
    return np.sum(ct) - np.sum(ct[inside])

static(np.diff, "n")
