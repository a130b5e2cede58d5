"""Sums and means (the pattern for every reduction)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.eager.dispatch import Primitive, Tensor, dt, op, wrap
from srcgrad.eager.ops.casts import convert
from srcgrad.eager.ops.shapes import wrap_dim, wrap_each
from srcgrad.eager.recording import SPECIAL

_add_up: Any = np.add.reduce


def _total(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """``np.sum`` without its overhead; half precision is summed in single precision."""
    if a.dtype == np.float16:
        return _add_up(a, axis, np.float32, keepdims=keepdims).astype(np.float16)
    return _add_up(a, axis, keepdims=keepdims)


_sum_all = Primitive(np.sum, "SumBackward0", primal=_total)
_sum_dims = Primitive(np.sum, "SumBackward1", primal=_total)


def _mean(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """``np.mean`` without its overhead and its warning about empty slices."""
    if a.dtype == np.float16:  # summed in single precision
        return _mean(a.astype(np.float32), axis, keepdims).astype(np.float16)
    n = a.size if axis is None else math.prod(a.shape[i] for i in axis)
    return np.true_divide(_add_up(a, axis=axis, keepdims=keepdims), a.dtype.type(n))


_mean_all = Primitive(np.mean, "MeanBackward0", primal=_mean)
_mean_dims = Primitive(np.mean, "MeanBackward1", primal=_mean)


def wrap_dims(dim: Any, input: Tensor) -> tuple[int, ...] | None:
    """Dimensions to reduce, non-negative; None for all (also for an empty tuple)."""
    if dim is None:
        return None
    if isinstance(dim, tuple | list):
        axes = wrap_each(dim, input)
    else:
        axes = (wrap_dim(dim, input),)
    return () if axes and input._a.ndim == 0 else axes or None


def summand(input: Tensor, dtype: dt.dtype | None) -> Tensor:
    """The input in the dtype its sum has: integers and booleans are summed in int64."""
    whole = dtype is None and input._dt.category < dt.FLOATING
    return convert(input, dt.int64 if whole else dtype)


@op("sum")
def sum_(input: Tensor, dim: Any = None, keepdim: bool = False, *,
         dtype: dt.dtype | None = None) -> Any:
    """The sum of all elements, or over dimensions."""
    t = summand(input, dtype)
    axes = wrap_dims(dim, t)
    if t._dt.category < dt.FLOATING:
        return wrap(np.asarray(np.sum(t._a, axis=axes, keepdims=keepdim, dtype=t._a.dtype)), t._dt)
    if dim is None and not keepdim:
        return _sum_all(t)
    return _sum_dims(t, axis=axes, keepdims=keepdim)


@op()
def mean(input: Tensor, dim: Any = None, keepdim: bool = False, *,
         dtype: dt.dtype | None = None) -> Any:
    """The mean of all elements, or over dimensions; not defined for integers."""
    t = convert(input, dtype)
    if dtype is not None and dtype.category < dt.FLOATING:
        raise RuntimeError("mean(): could not infer output dtype. Optional dtype must be either a "
                           f"floating point or complex dtype. Got: {dtype.tensor_name}")
    if t._dt.category < dt.FLOATING:
        what = "Long" if t._dt is dt.int64 else t._dt.tensor_name
        raise RuntimeError("mean(): could not infer output dtype. Input dtype must be either a "
                           f"floating point or complex dtype. Got: {what}")
    if dim is None and not keepdim:
        return _mean_all(t)
    return _mean_dims(t, axis=wrap_dims(dim, t), keepdims=keepdim)


def _np_sum(a: Tensor, axis: Any = None, dtype: Any = None, out: Any = None,
            keepdims: Any = False, **_: Any) -> Any:
    d = None if dtype is None else dt.FROM_NUMPY[np.dtype(dtype)]
    return sum_(a, axis, bool(keepdims), dtype=d)


SPECIAL[np.sum] = SPECIAL[np.add.reduce] = _np_sum
SPECIAL[np.mean] = lambda a, axis=None, keepdims=False, **_: mean(a, axis, bool(keepdims))
