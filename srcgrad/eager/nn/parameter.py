"""Parameters and buffers: tensors that a Module registers when they are assigned."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import Any, cast

from .. import basis as torch
from ..calling_errors import refuse
from ..tensor import alias


def zero_grads(params: Iterable[Any], set_to_none: bool) -> None:
    """Forget the gradients of ``params``, or set them to zero in place."""
    for param in params:
        grad = param.grad
        if grad is None:
            continue
        if set_to_none:
            param.grad = None
            continue
        if grad.grad_fn is not None:
            grad.detach_()
        else:
            grad.requires_grad_(False)
        grad.zero_()


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
            raise AttributeError(f"'{type(data).__name__}' object has no attribute 'detach'")
        refuse(requires_grad and not (data.is_floating_point() or data.is_complex()),
               "Only Tensors of floating point and complex dtype can require gradients")
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


_UNKNOWN = (
    "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
    "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. "
    "Call `forward` to initialize the parameters before accessing their attributes.")
_UNUSABLE = (
    "Attempted to use an uninitialized parameter. This error happens when you are using a "
    "`LazyModule` or explicitly manipulating `torch.nn.parameter.UninitializedParameter` objects. "
    "When using LazyModules Call `forward` with a dummy batch to initialize the parameters before "
    "calling torch functions")


class Uninitialized:
    """A tensor of unknown shape: its dtype is known, and nothing can be computed with it."""

    __slots__ = ()
    becomes: type

    @property
    def shape(self) -> Any:
        raise RuntimeError(_UNKNOWN)

    @property
    def _a(self) -> Any:  # what every operation reads first
        raise ValueError(_UNUSABLE)

    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Become an ordinary tensor of ``shape``, its values not yet set."""
        kind: Any = self
        kind.__class__ = self.becomes
        kind.data = torch.empty(shape, device=device, dtype=dtype or kind.dtype)

    def converted(self, fn: Any) -> None:
        """Take the dtype that ``fn`` gives to tensors of the present one."""
        kind: Any = self
        kind._dt = fn(torch.empty(0, dtype=kind.dtype)).dtype

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return f"<{type(self).__name__}>"


class UninitializedParameter(Uninitialized, Parameter):  # type: ignore[misc]
    """A parameter whose shape the first call of its lazy module will tell."""

    __slots__ = ()
    becomes = Parameter

    def __new__(cls, requires_grad: bool = True, device: Any = None,
                dtype: Any = None) -> UninitializedParameter:
        made = Parameter(torch.empty(0, device=device, dtype=dtype), requires_grad)
        made.__class__ = cls
        return cast(UninitializedParameter, made)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, dtype=self.dtype)
        return memo[id(self)]

    def __reduce_ex__(self, protocol: Any) -> Any:
        return type(self), (self.requires_grad, None, self.dtype)


class UninitializedBuffer(Uninitialized, torch.Tensor):
    """A buffer whose shape the first call of its lazy module will tell."""

    __slots__ = ()
    becomes = torch.Tensor

    def __new__(cls, requires_grad: bool = False, device: Any = None, dtype: Any = None,
                persistent: bool = True) -> UninitializedBuffer:
        made = torch.empty(0, device=device, dtype=dtype)
        made.persistent = persistent
        made._is_buffer = True
        made.__class__ = cls
        return cast(UninitializedBuffer, made)


def is_lazy(tensor: Any) -> bool:
    """Whether ``tensor`` has no shape yet."""
    return isinstance(tensor, Uninitialized)
