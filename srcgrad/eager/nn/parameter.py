"""Parameters and buffers: tensors that a Module registers when they are assigned."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, cast

from .. import basis as torch
from ..tensor import alias


class Parameter(torch.Tensor):
    """A leaf tensor that becomes a parameter of the Module it is assigned to.

    Shares memory with ``data``; requires gradients unless told otherwise.

    >>> import srcgrad.eager as torch
    >>> torch.nn.Parameter(torch.ones(2))
    Parameter containing:
    tensor([1., 1.], requires_grad=True)
    """

    __slots__ = ()

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Parameter:
        if data is None:
            data = torch.empty(0)
        if not isinstance(data, torch.Tensor):
            raise TypeError(
                f"Parameter data must be a Tensor, not {type(data).__name__}"
            )
        if requires_grad and not (data.is_floating_point() or data.is_complex()):
            raise RuntimeError(
                "Only Tensors of floating point and complex dtype can require gradients"
            )
        tensor = alias(data)
        tensor.__class__ = cls  # the same slots: only the class differs
        tensor.requires_grad_(requires_grad)
        return cast(Parameter, tensor)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) in memo:
            return memo[id(self)]
        result = type(self)(self.data.clone(), self.requires_grad)
        memo[id(self)] = result
        return result

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return "Parameter containing:\n" + super().__repr__()

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _rebuild_parameter, (self.data, self.requires_grad, OrderedDict())


def _rebuild_parameter(data: Any, requires_grad: bool, _hooks: Any) -> Parameter:
    return Parameter(data, requires_grad)


class _BufferType(type(torch.Tensor)):  # type: ignore[misc]
    """Lets ``isinstance(t, Buffer)`` recognise tensors that were marked as buffers."""

    def __instancecheck__(cls, instance: Any) -> bool:
        if cls is Buffer:
            is_tensor = isinstance(instance, torch.Tensor)
            return bool(is_tensor and getattr(instance, "_is_buffer", False))
        return bool(super().__instancecheck__(instance))


class Buffer(torch.Tensor, metaclass=_BufferType):
    """Marks a tensor so that assigning it to a Module registers a buffer."""

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Any:
        if data is None:
            data = torch.empty(0)
        tensor = data.detach().requires_grad_(data.requires_grad)
        tensor.persistent = persistent
        tensor._is_buffer = True
        return tensor
