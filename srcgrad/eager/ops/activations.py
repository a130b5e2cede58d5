"""Activations that belong to the namespace itself: softmax, log_softmax, prelu."""

from __future__ import annotations

from typing import Any

from srcgrad.eager.dispatch import Primitive, Tensor, dt, op
from srcgrad.eager.ops.arguments import not_implemented, refuse_kinds
from srcgrad.eager.ops.casts import convert
from srcgrad.eager.ops.shapes import reshape, wrap_dim
from srcgrad.rules.nn import activations

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

_PRELU = Primitive(activations.prelu, "PreluKernelBackward0")


@op(out=False)
def prelu(input: Tensor, weight: Tensor) -> Any:
    """``input`` where positive, else ``weight * input`` with one weight, or one per channel."""
    n, count = input._a.ndim, weight._a.size
    if input._dt is not weight._dt:
        raise RuntimeError("prelu: Type promoting not supported. Got "
                           f"{input._dt.tensor_name} and {weight._dt.tensor_name}")
    if count != 1:
        if n == 0:
            raise RuntimeError("Not allow zero-dim input tensor.")
        channels = input._a.shape[1] if n > 1 else 1
        if channels != count:
            raise RuntimeError("Mismatch of parameter numbers and input channel size. Found "
                               f"parameter numbers = {count} and channel size = {channels}.")
    if weight._a.ndim > 1:
        raise RuntimeError("prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = "
                           f"{weight._a.ndim}")
    refuse_kinds("c", "prelu_cpu", input._dt)
    return _PRELU(input, reshape(weight, (1, count, *(1,) * (n - 2)) if n > 1 else (1,) * n))
