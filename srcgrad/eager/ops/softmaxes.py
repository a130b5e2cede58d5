"""softmax and log_softmax."""

from __future__ import annotations

from typing import Any

from srcgrad.eager import dtype as dt
from srcgrad.eager.dispatch import op
from srcgrad.eager.ops.casts import convert
from srcgrad.eager.ops.shapes import wrap_dim
from srcgrad.eager.primitive import Primitive
from srcgrad.eager.tensor import Tensor
from srcgrad.rules import activations

_SHOWN = {"ans": "result"}
_softmax = Primitive(activations.softmax, "SoftmaxBackward0", shown=_SHOWN)
_log_softmax = Primitive(activations.log_softmax, "LogSoftmaxBackward0", shown=_SHOWN)


def _prepared(title: str, input: Tensor, dtype: dt.dtype | None) -> Tensor:
    t = input if dtype is None else convert(input, dtype)
    if t._dt.category < dt.FLOATING:
        raise NotImplementedError(
            f'"{title}_lastdim_kernel_impl" not implemented for \'{t._dt.tensor_name}\'')
    return t


@op()
def softmax(input: Tensor, dim: int, dtype: dt.dtype | None = None) -> Any:
    """``exp(input)`` normalised to sum 1 along ``dim``."""
    t = _prepared("softmax", input, dtype)
    return _softmax(t, dim=wrap_dim(dim, t))


@op()
def log_softmax(input: Tensor, dim: int, dtype: dt.dtype | None = None) -> Any:
    """The logarithm of :func:`softmax`, computed stably."""
    t = _prepared("log_softmax", input, dtype)
    return _log_softmax(t, dim=wrap_dim(dim, t))
