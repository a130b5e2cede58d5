"""`torch.Tensor(...)`, `torch.FloatTensor(...)` and the other typed constructors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager import device as devices
from srcgrad.eager import dtype as dt
from srcgrad.eager.dispatch import register
from srcgrad.eager.ops.creation import size_of, to_array
from srcgrad.eager.tensor import Tensor, alias, wrap


def construct(d: dt.dtype, args: tuple[Any, ...]) -> Tensor:
    """A tensor of dtype ``d`` from sizes, from data, or from another tensor."""
    if not args:
        return wrap(np.zeros(0, d.numpy), d)
    first = args[0]
    if len(args) == 1 and isinstance(first, Tensor):
        if first._dt is not d:
            raise TypeError(f"expected {d.tensor_name} (got {first._dt.tensor_name})")
        return alias(first)
    if len(args) == 1 and not isinstance(first, int | np.integer):
        if isinstance(first, tuple) and type(first).__name__ == "Size":
            return wrap(np.zeros(first, d.numpy), d)
        if isinstance(first, float):
            raise TypeError(f"new(): data must be a sequence (got {type(first).__name__})")
        return wrap(to_array(first, d), d)
    return wrap(np.zeros(size_of(args), d.numpy), d)


def _check_device(device: Any) -> None:
    if device is not None and devices.device(device).type != "cpu":
        raise RuntimeError("legacy constructor expects device type: cpu but device type: "
                           f"{devices.device(device).type} was passed")


def _new(cls: type[Tensor], *args: Any, **kwargs: Any) -> Tensor:
    _check_device(kwargs.get("device"))
    t = construct(dt.get_default_dtype(), args)
    if cls is not Tensor:
        t.__class__ = cls
    return t


def _as_subclass(self: Tensor, cls: type[Tensor]) -> Tensor:
    t: Tensor = self.view_as(self) if self.requires_grad else alias(self)
    t.__class__ = cls
    return t


def _make_subclass(cls: type[Tensor], data: Tensor, require_grad: bool = False) -> Tensor:
    t = alias(data)
    t.__class__ = cls
    t._rg = require_grad
    return t


Tensor.__new__ = _new  # type: ignore[method-assign, assignment]
Tensor.__init__ = lambda self, *args, **kwargs: None  # type: ignore[method-assign]
Tensor.as_subclass = _as_subclass  # type: ignore[attr-defined]
Tensor._make_subclass = staticmethod(_make_subclass)  # type: ignore[attr-defined]


def _new_like(self: Tensor, *args: Any, size: Any = (), device: Any = None) -> Tensor:
    args = args or tuple(size)
    if len(args) == 1 and isinstance(args[0], str):
        raise TypeError("new(): invalid data type 'str'")
    return construct(self._dt, args)


register("new", _new_like, torch=False)


class TypedTensor(type):
    """The type of ``torch.FloatTensor``: constructs tensors, answers isinstance by dtype."""

    made: dt.dtype

    def __call__(cls, *args: Any, device: Any = None) -> Tensor:
        _check_device(device)
        return construct(cls.made, args)

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, Tensor) and value._dt is cls.made

    @property
    def dtype(cls) -> dt.dtype:
        return cls.made


def _typed(d: dt.dtype) -> Callable[..., Tensor]:
    name = d.tensor_name + "Tensor"
    kind: Any = TypedTensor(name, (), {"made": d, "__module__": "torch"})
    return kind  # type: ignore[no-any-return]


for _d in dt.ALL:
    if _d.category != dt.COMPLEX and _d.name not in ("uint16", "uint32", "uint64"):
        register(_d.tensor_name + "Tensor", _typed(_d), method=False)
