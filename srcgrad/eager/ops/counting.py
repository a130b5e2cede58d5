"""Counts: histograms, places in sorted sequences, sets."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.calling_errors import refuse
from srcgrad.eager.dispatch import Array, Primitive, Tensor, dt, op, wrap
from srcgrad.eager.ops.arguments import not_implemented, refuse_kinds
from srcgrad.eager.ops.shapes import wrap_dim
from srcgrad.rules.numpy.indexing import unique_values


@op()
def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """Counts in ``bins`` equal intervals between ``min`` and ``max`` (of the data if equal)."""
    refuse(bins <= 0, "torch.histogram(): bins must be > 0, but got {} for dimension 0", bins)
    refuse_kinds("biuc", "histogram_cpu", input._dt)
    a = input._a.ravel()
    low, high = float(min), float(max)
    if low == high and a.size:
        low, high = float(a.min()), float(a.max())
    if not np.isfinite(low) or not np.isfinite(high):
        raise RuntimeError(f"torch.histc: range of [{low:g}, {high:g}] is not finite")
    if low == high:
        low, high = low - 1, high + 1
    refuse(low > high, "torch.histc: max must be larger than min")
    inside = a[(a >= low) & (a <= high)]
    places = np.minimum(((inside - low) * (bins / (high - low))).astype(np.int64), bins - 1)
    return wrap(np.bincount(places, minlength=bins).astype(input._dt.numpy), input._dt)


@op(out=False)
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each number occurs (or the sum of its weights)."""
    refuse_kinds("bfc", "bincount_cpu", input._dt)
    if input._a.ndim != 1 or (input._a.size and input._a.min() < 0):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    refuse(minlength < 0, "minlength should be >= 0")
    if weights is None:
        return wrap(np.bincount(input._a, minlength=minlength).astype(np.int64), dt.int64)
    if weights._a.shape != input._a.shape:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    counts = np.bincount(input._a, weights._a, minlength)
    d = weights._dt if weights._dt is dt.float32 else dt.float64
    return wrap(counts.astype(d.numpy), d)


@op(method=False)
def searchsorted(sorted_sequence: Tensor, input: Any, *, out_int32: bool = False,
                 right: bool = False, side: str | None = None,
                 sorter: Tensor | None = None) -> Tensor:
    """Where to insert numbers into sorted rows to keep the order."""
    refuse(side is not None and side not in ("left", "right"), "torch.searchsorted(): side can "
           "only be 'left' or 'right' but got {}", side)
    refuse(side == "left" and right, "torch.searchsorted(): side and right can't be set to "
           "opposites, got side of left while right was True")
    how: Any = "right" if right or side == "right" else "left"
    s = sorted_sequence._a
    if sorter is not None:
        refuse(sorter._a.shape != s.shape, "torch.searchsorted(): boundary and sorter must have "
               "the same size, but got boundary tensor {}and got sorter tensor {}", list(s.shape),
               list(sorter._a.shape))
        refuse(sorter._dt is not dt.int64, "torch.searchsorted(): sorter must be a tensor of long "
               "dtype but got dtype {}", sorter._dt.tensor_name)
        refuse(np.any((sorter._a < 0) | (sorter._a >= s.shape[-1])),
               "torch.searchsorted(): sorter index out of range")
        s = np.take_along_axis(s, sorter._a, -1)
    values = input._a if isinstance(input, Tensor) else np.asarray(input, s.dtype)
    d = dt.int32 if out_int32 else dt.int64
    if s.ndim == 1:
        found = np.searchsorted(s, values, how)
    else:
        refuse(not values.ndim, "torch.searchsorted(): input value can be a scalar only when "
               "boundaries tensor dimension is 1, but we got boundaries tensor dim({}) and input "
               "value's dim(0) numel(1)", s.ndim)
        refuse(s.shape[:-1] != values.shape[:-1], "torch.searchsorted(): boundaries tensor should "
               "be 1 dimension or the first N-1 dimensions of boundaries tensor and input value "
               "tensor must match, but we got boundaries tensor {} and input value tensor {}",
               list(s.shape), list(values.shape))
        found = np.empty(values.shape, np.int64)
        for row in np.ndindex(s.shape[:-1]):
            found[row] = np.searchsorted(s[row], values[row], how)
    return wrap(np.asarray(found).astype(d.numpy), d)


@op(method=False)
def bucketize(input: Any, boundaries: Tensor, *, out_int32: bool = False,
              right: bool = False) -> Tensor:
    """Which interval between boundaries each number falls into."""
    refuse(boundaries._a.ndim != 1, "boundaries tensor must be 1 dimension, but got dim({})",
           boundaries._a.ndim)
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


_UNIQUE = Primitive(unique_values, "Unique2Backward0")
_UNIQUE_SLICES = Primitive(unique_values, "UniqueDimBackward0")
_UNIQUE_CONSECUTIVE = Primitive(unique_values, "UniqueConsecutiveBackward0")


@op(out=False)
def unique(input: Tensor, sorted: bool = True, return_inverse: bool = False,
           return_counts: bool = False, dim: int | None = None) -> Any:
    """The different elements (or slices along ``dim``), in order."""
    i = None if dim is None else wrap_dim(dim, input)
    refuse_kinds("c", "unique", input._dt)
    _check_slices(input, i)
    values, inverse, counts = np.unique(
        input._a, return_inverse=True, return_counts=True, axis=i, equal_nan=False)
    inverse = inverse.reshape(input._a.shape if i is None else (-1,))
    made = (_UNIQUE if i is None else _UNIQUE_SLICES).finish(values, (input,), {}, input._dt)
    return _selected(made, inverse, counts, return_inverse, return_counts)


def _selected(values: Tensor, inverse: Array, counts: Array, with_inverse: bool,
              with_counts: bool) -> Any:
    out: list[Any] = [values]
    if with_inverse:
        out.append(wrap(np.ascontiguousarray(inverse, np.int64).reshape(inverse.shape), dt.int64))
    if with_counts:
        out.append(wrap(counts.astype(np.int64), dt.int64))
    return values if len(out) == 1 else tuple(out)


def _check_slices(input: Tensor, dim: int | None) -> None:
    refuse(dim is not None and 0 in input._a.shape[:dim] + input._a.shape[dim + 1:],
           "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied")


@op(out=False)
def unique_consecutive(input: Tensor, return_inverse: bool = False, return_counts: bool = False,
                       dim: int | None = None) -> Any:
    """The elements (or slices) that differ from the one before."""
    if dim is None:
        lines = input._a.reshape(-1, 1)
        i = 0
    else:
        i = wrap_dim(dim, input)
        _check_slices(input, i)
        lines = np.moveaxis(input._a, i, 0).reshape(input._a.shape[i], -1)
    n = lines.shape[0]
    fresh = np.ones(n, bool)
    if n > 1:
        fresh[1:] = (lines[1:] != lines[:-1]).any(1)
    starts = np.flatnonzero(fresh)
    values = input._a.ravel()[starts] if dim is None else np.take(input._a, starts, i)
    inverse = np.cumsum(fresh) - 1
    counts = np.diff(np.append(starts, n))
    if dim is None:
        inverse = inverse.reshape(input._a.shape)
    made = _UNIQUE_CONSECUTIVE.finish(values, (input,), {}, input._dt)
    return _selected(made, inverse, counts, return_inverse, return_counts)


@op(method=False, out=False)
def isin(elements: Any, test_elements: Any, *, assume_unique: bool = False,
         invert: bool = False) -> Tensor:
    """Where elements occur among ``test_elements``."""
    a, b = (v._a if isinstance(v, Tensor) else np.asarray(v) for v in (elements, test_elements))
    for kind in (a.dtype, b.dtype):
        refuse(kind.kind in "bc", "Unsupported input type encountered for isin(): {}",
               dt.from_numpy_dtype(kind).tensor_name)
    return wrap(np.asarray(np.isin(a, b, invert=invert)), dt.bool_)


@op(gives="hist bin_edges")
def histogram(input: Tensor, bins: Any = 100, *, range: Any = None, weight: Tensor | None = None,
              density: bool = False) -> Any:
    """Counts in intervals, and the edges of these."""
    if input._dt not in (dt.float32, dt.float64):
        raise not_implemented("histogramdd", input._dt)
    if weight is not None and weight._dt is not input._dt:
        raise RuntimeError("torch.histogramdd: if weight tensor is provided, input tensor and "
                           "weight tensor should have the same dtype, but got "
                           f"input({input._dt.c_name}), and weight({weight._dt.c_name})")
    if isinstance(bins, Tensor):
        if bins._dt is not input._dt:
            raise RuntimeError("torch.histogramdd: input tensor and bins tensors should have the "
                               f"same dtype, but got input with dtype {input._dt.c_name} and bins "
                               f"for dimension 0 with dtype {bins._dt.c_name}")
        edges = bins._a
    else:
        refuse(bins <= 0, "torch.histogram(): bins must be > 0, but got {} for dimension 0", bins)
        ends = (float(input._a.min(initial=np.inf)), float(input._a.max(initial=-np.inf)))
        low, high = (ends if input._a.size else (0.0, 1.0)) if range is None else range
        refuse(not (np.isfinite(low) and np.isfinite(high)), "torch.histogramdd: dimension 0's "
               "range [{:g}, {:g}] is not finite", low, high)
        refuse(low > high, "torch.histogramdd: min should not exceed max, but got min {:g} max "
               "{:g} for dimension 0", low, high)
        if low == high:
            low, high = low - 0.5, high + 0.5
        edges = np.linspace(low, high, bins + 1, dtype=input._a.dtype)
    counts, _ = np.histogram(input._a.ravel(), edges,
                             weights=None if weight is None else weight._a.ravel(), density=density)
    return wrap(counts.astype(input._a.dtype), input._dt), wrap(np.array(edges), input._dt)
