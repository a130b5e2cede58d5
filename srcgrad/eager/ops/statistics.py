"""Products, variances, logarithmic sums and softmax, running reductions, sorting."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from srcgrad.eager.calling_errors import refuse
from srcgrad.eager.dispatch import Array, Primitive, Tensor, dt, op, wrap
from srcgrad.eager.nodes import joint, named
from srcgrad.eager.ops.arguments import not_implemented, refuse_kinds
from srcgrad.eager.ops.casts import convert
from srcgrad.eager.ops.extremes import picked
from srcgrad.eager.ops.pointwise import as_floating
from srcgrad.eager.ops.reductions import sum_, summand, wrap_dims
from srcgrad.eager.ops.shapes import wrap_dim
from srcgrad.rules.nn import activations
from srcgrad.rules.numpy import selection


def _own_dtype(function: Any) -> Any:
    """A reduction of NumPy that keeps the dtype (small integers would be widened)."""
    def compute(a: Any, axis: Any = None, **options: Any) -> Any:
        return function(a, axis=axis, dtype=a.dtype, **options)

    return compute


_PROD = Primitive(np.prod, "ProdBackward0", primal=_own_dtype(np.prod))
_PROD_DIM = Primitive(np.prod, "ProdBackward1", primal=_own_dtype(np.prod))
_NANSUM = Primitive(np.nansum, "NansumBackward0")


@op()
def prod(input: Tensor, dim: Any = None, keepdim: bool = False, *,
         dtype: dt.dtype | None = None) -> Any:
    """The product of all elements, or along a dimension."""
    t = summand(input, dtype)
    if dim is None:
        return _PROD(t)
    i = wrap_dim(dim, t)
    return _PROD_DIM(t, axis=i if t._a.ndim else None, keepdims=keepdim)


@op()
def nansum(input: Tensor, dim: Any = None, keepdim: bool = False, *,
           dtype: dt.dtype | None = None) -> Any:
    """The sum with NaN taken as 0."""
    if input._dt.category < dt.FLOATING:
        return sum_(input, dim, keepdim, dtype=dtype)
    t = summand(input, dtype)
    refuse(t._dt.category == dt.COMPLEX, "nansum on CPU does not support complex inputs")
    return _NANSUM(t, axis=wrap_dims(dim, t), keepdims=keepdim)


@op()
def nanmean(input: Tensor, dim: Any = None, keepdim: bool = False, *,
            dtype: dt.dtype | None = None) -> Any:
    """The mean of the elements that are not NaN."""
    refuse(input._dt.category < dt.FLOATING, "nanmean(): expected input to have floating point or "
           "complex dtype but got {}", input._dt.tensor_name)
    axes = wrap_dims(dim, input)
    count = np.sum(~np.isnan(input._a), axis=axes, keepdims=keepdim)
    return nansum(input, dim, keepdim, dtype=dtype) / wrap(np.asarray(count), dt.int64)


# -- variance ------------------------------------------------------------------------------

_SPREADS = {
    name: Primitive(function, node, canonical=True)
    for name, function, node in (
        ("std", np.std, "StdBackward0"), ("var", np.var, "VarBackward0"),
        ("std_mean", np.std, "StdMeanBackward0"), ("var_mean", np.var, "VarMeanBackward0"))
}  # fmt: skip
_MEANS = {name: Primitive(np.mean, node)
          for name, node in (("std_mean", "StdMeanBackward0"), ("var_mean", "VarMeanBackward0"))}


def _spread(name: str) -> None:
    prim = _SPREADS[name]

    def call(input: Tensor, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *,
             correction: Any = None) -> Any:
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        if unbiased is not None:
            correction = 1 if unbiased else 0
        ddof = 1 if correction is None else correction
        if input._dt.category < dt.FLOATING:
            what = name if "_" in name else "std and var"
            raise RuntimeError(f"{what} only support floating point and complex dtypes")
        axes = wrap_dims(dim, input)
        n = input._a.size if axes is None else math.prod(input._a.shape[i] for i in axes)
        if n - ddof <= 0:
            ddof = np.float64(ddof)
            warnings.warn(f"{name}(): degrees of freedom is <= 0. Correction should be strictly "
                          "less than the reduction factor (input numel divided by output numel).",
                          UserWarning, stacklevel=4)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)
                made = prim(input, axis=axes, ddof=ddof, keepdims=keepdim)
        else:
            made = prim(input, axis=axes, ddof=ddof, keepdims=keepdim)
        if name in _MEANS:
            mean = _MEANS[name](input, axis=axes, keepdims=keepdim)
            return joint(_MEANS[name].cls.__name__, made, mean)
        return made

    op(name, method="_" not in name)(call)


for _name in _SPREADS:
    _spread(_name)

# -- logarithmic sums and running reductions -----------------------------------------------

_LOG_SUM = Primitive(selection.log_sum_exp, "LogsumexpBackward0")
_LOG_CUMSUM = Primitive(selection.log_cumsum_exp, "LogcumsumexpBackward0")
_softmax = Primitive(activations.softmax, "SoftmaxBackward0")
_log_softmax = Primitive(activations.log_softmax, "LogSoftmaxBackward0")


def _prepared(title: str, input: Tensor, dim: int, dtype: dt.dtype | None) -> tuple[Tensor, int]:
    t = convert(input, dtype)
    i = wrap_dim(dim, t)
    if t._dt.category != dt.FLOATING:
        last = "lastdim_" if t._a.ndim == 0 or i == t._a.ndim - 1 else ""
        raise not_implemented(f"{title}_{last}kernel_impl", t._dt)
    return t, i


@op()
def softmax(input: Tensor, dim: int, dtype: dt.dtype | None = None) -> Any:
    """``exp(input)`` normalised to sum 1 along ``dim``."""
    t, i = _prepared("softmax", input, dim, dtype)
    return _softmax(t, dim=i)


@op()
def log_softmax(input: Tensor, dim: int, dtype: dt.dtype | None = None) -> Any:
    """The logarithm of :func:`softmax`, computed stably."""
    t, i = _prepared("log_softmax", input, dim, dtype)
    return _log_softmax(t, dim=i)


_CUMSUM = Primitive(np.cumsum, "CumsumBackward0", primal=_own_dtype(np.cumsum))
_CUMPROD = Primitive(np.cumprod, "CumprodBackward0", primal=_own_dtype(np.cumprod))


@op()
def logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Any:
    """``log(sum(exp(input)))`` over dimensions."""
    t = as_floating(input)
    return _LOG_SUM(t, axis=wrap_dims(dim, t), keepdims=keepdim)


@op()
def logcumsumexp(input: Tensor, dim: int) -> Any:
    """``log(cumsum(exp(input)))`` along a dimension."""
    refuse_kinds("biu", "logcumsumexp_out_cpu", input._dt)
    return _LOG_CUMSUM(input, axis=wrap_dim(dim, input))


def _running(name: str, prim: Primitive, alone: Any) -> None:
    """Register a scan; ``alone`` is what it does with a tensor without dimensions."""
    def call(input: Tensor, dim: int, *, dtype: dt.dtype | None = None) -> Any:
        t = summand(input, dtype)
        i = wrap_dim(dim, t)
        if t._a.ndim == 0:
            return named(alone(t), prim.cls.__name__)
        return prim(t, axis=i)

    op(name, inplace=True)(call)


_running("cumsum", _CUMSUM, lambda t: t.clone())
_running("cumprod", _CUMPROD, lambda t: t.prod())  # which remembers what it read and made


def _running_extreme(name: str, node: str, better: Any) -> None:
    build = picked(name, node)

    def where(a: Array, dim: int) -> Array:
        ordinal = np.arange(a.shape[dim]).reshape(-1, *(1,) * (a.ndim - dim - 1))
        reached = better.accumulate(a, axis=dim)
        holds = (a == reached) | ((a != a) & (reached != reached))
        return np.maximum.accumulate(np.where(holds, ordinal, 0), axis=dim)

    def call(input: Tensor, dim: int) -> Any:
        if input._a.ndim == 0 and dim not in (0, -1):
            raise IndexError(f"{name}(): Expected reduction dim -1 or 0 for scalar but got {dim}")
        i = wrap_dim(dim, input)
        refuse_kinds("c", name + "_cpu", input._dt)
        return build(input, lambda a: where(a, i), i)

    op(name)(call)


_running_extreme("cummax", "CummaxBackward0", np.maximum)
_running_extreme("cummin", "CumminBackward0", np.minimum)

# -- sorting -------------------------------------------------------------------------------

_SORTED = picked("sort", "SortBackward0")
_SORTED_STABLY = picked("sort", "SortBackward1", frees=None)
_TOP = picked("topk", "TopkBackward0")


def ordering(a: Any, dim: int, descending: bool) -> Any:
    """The stable order along ``dim``; NaN counts as greatest."""
    if not descending:
        return np.argsort(a, axis=dim, kind="stable")
    back = np.argsort(np.flip(a, dim), axis=dim, kind="stable")
    return np.ascontiguousarray(np.flip(a.shape[dim] - 1 - back, dim))


@op()
def sort(input: Tensor, dim: Any = -1, descending: bool = False, *,
         stable: bool | None = None) -> Any:
    """Elements in order along a dimension, and where each was."""
    if isinstance(dim, bool):
        dim, descending = -1, dim
    i = wrap_dim(dim, input)
    refuse(input._dt.category == dt.COMPLEX, " Sort does not support complex dtypes on CPU")
    build = _SORTED if stable is None else _SORTED_STABLY
    return build(input, lambda a: ordering(a, i, descending), i)


@op(out=True)
def argsort(input: Tensor, dim: int = -1, descending: bool = False, *,
            stable: bool = False) -> Tensor:
    """Where the elements in order are along a dimension."""
    return sort(input.detach(), dim, descending)[1]  # type: ignore[no-any-return]


@op()
def msort(input: Tensor) -> Any:
    """Elements in order along the first dimension."""
    return sort(input, 0)[0]


@op()
def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """The ``k`` greatest (or least) elements along a dimension, and where they are."""
    i = wrap_dim(dim, input)
    refuse(input._dt is dt.bool_, "topk does not support bool dtypes on CPU")
    refuse(input._dt.category == dt.COMPLEX, " topk does not support complex dtypes on CPU")
    n = input._a.shape[i] if input._a.ndim else 1
    refuse(not 0 <= k <= n, "selected index k out of range")
    return _TOP(input, lambda a: np.take(ordering(a, i, largest), np.arange(k), axis=i), i)


