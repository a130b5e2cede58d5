"""Questions about tensors and shapes: numel, is_tensor, is_complex, broadcast_shapes."""

from __future__ import annotations

import inspect
from typing import Any

from srcgrad.eager.dispatch import op, register
from srcgrad.eager.size import Size
from srcgrad.eager.tensor import Tensor


@op(method=False, out=False)
def numel(input: Tensor) -> int:
    """The number of elements."""
    return int(input._a.size)


@op(out=False)
def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have one shape."""
    return bool(input._a.shape == other._a.shape)


@op(out=False)
def is_nonzero(input: Tensor) -> bool:
    """Whether the only number of a tensor is not zero."""
    return bool(input)


def method_as_function(name: str) -> None:
    """Declare the function that calls the method of the same name."""
    def call(input: Tensor, *args: Any) -> Any:
        return getattr(input, name)(*args)

    taken = inspect.signature(getattr(Tensor, name))
    first, *rest = taken.parameters.values()
    call.__signature__ = taken.replace(  # type: ignore[attr-defined]
        parameters=[first.replace(name="input", annotation=Tensor), *rest])
    op(name, method=False, out=False)(call)


def is_tensor(obj: Any) -> bool:
    """Whether an object is a tensor."""
    return isinstance(obj, Tensor)


def broadcast_shapes(*shapes: Any) -> Any:
    """The shape to which all the given ones broadcast."""
    from_lists = [(s,) if isinstance(s, int) else tuple(s) for s in shapes]
    n = max((len(s) for s in from_lists), default=0)
    out = [1] * n
    for k, s in enumerate(from_lists):
        for j in range(-1, -1 - len(s), -1):
            if s[j] < 0:
                raise RuntimeError(f"Trying to create tensor with negative dimension ({s[j]}): "
                                   f"({s[j]})")
            if s[j] != 1 and s[j] != out[j]:
                if out[j] != 1:
                    raise RuntimeError(f"Attempting to broadcast a dimension of length {s[j]} at "
                                       f"{j}! Mismatching argument at index {k} had {s}; but "
                                       f"expected shape should be broadcastable to {out}")
                out[j] = s[j]
    return Size(out)


for _name in ("is_floating_point", "is_complex", "is_signed", "is_inference"):
    method_as_function(_name)
for _function in (is_tensor, broadcast_shapes):
    register(_function.__name__, _function, method=False)
