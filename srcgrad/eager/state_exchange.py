"""Copying, pickling and sharing tensors: deepcopy, pickle, DLPack, iteration."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from srcgrad.eager import dtype as dt
from srcgrad.eager.attributes import as_method
from srcgrad.eager.dispatch import NAMESPACE, register
from srcgrad.eager.layout import strided
from srcgrad.eager.tensor import Tensor, wrap
from srcgrad.eager.views import grad_fn_of


def rebuild(a: Any, d: dt.dtype, requires_grad: bool) -> Tensor:
    """A tensor from its pickled parts."""
    t = wrap(a, d)
    t._rg = requires_grad
    return t


@as_method
def __reduce_ex__(self: Tensor, protocol: Any) -> Any:
    state = dict(self.__dict__) if self.__dict__ else None
    parts = (np.array(self._a, copy=True), self._dt, self._rg and grad_fn_of(self) is None)
    return (rebuild, parts) if state is None else (rebuild, parts, state)


@as_method
def __deepcopy__(self: Tensor, memo: dict[int, Any]) -> Tensor:
    if grad_fn_of(self) is not None:
        raise RuntimeError("Only Tensors created explicitly by the user (graph leaves) support the "
                           "deepcopy protocol at the moment.  If you were attempting to deepcopy a "
                           "module, this may be because of a torch.nn.utils.weight_norm usage, see "
                           "https://github.com/pytorch/pytorch/pull/103001")
    if id(self) in memo:
        return memo[id(self)]  # type: ignore[no-any-return]
    t = wrap(self._a.copy(), self._dt)
    t.__class__ = type(self)
    t._rg = self._rg
    memo[id(self)] = t
    if self._grad is not None:
        t._grad = __deepcopy__(self._grad, memo)
    if self.__dict__:
        t.__dict__.update(self.__dict__)
    return t


@as_method
def __setstate__(self: Tensor, state: Any) -> None:
    self.__dict__.update(state)


@as_method
def __copy__(self: Tensor) -> Tensor:
    t = wrap(self._a, self._dt)
    t.__class__ = type(self)
    t._ver, t._rg, t._fn, t._nr = self._ver, self._rg, self._fn, self._nr
    t._view, t._grad = self._view, self._grad
    return t


@as_method
def __reversed__(self: Tensor) -> Tensor:
    return self if self._a.ndim == 0 else self.flip(0)


@as_method
def __contains__(self: Tensor, element: Any) -> bool:
    if isinstance(element, Tensor | int | float | complex | np.number):
        return bool(NAMESPACE["eq"](self, element).any().item())
    raise RuntimeError(
        f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}.")


@as_method
def __dlpack__(self: Tensor, *, stream: Any = None, max_version: Any = None, dl_device: Any = None,
            copy: bool | None = None) -> Any:
    if self.requires_grad:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    return self._a.__dlpack__()


@as_method
def __dlpack_device__(self: Tensor) -> Any:
    return self._a.__dlpack_device__()


def from_dlpack(ext_tensor: Any) -> Tensor:
    """A tensor on the memory of any object that speaks DLPack."""
    if isinstance(ext_tensor, Tensor):
        return ext_tensor.detach()  # type: ignore[no-any-return]
    if isinstance(ext_tensor, np.ndarray):
        return wrap(ext_tensor, dt.from_numpy_dtype(ext_tensor.dtype))
    a = np.from_dlpack(ext_tensor)
    if not a.flags.writeable:  # NumPy marks what it imports read-only; the memory is shared
        a = as_strided(a, writeable=True)
    return wrap(a, dt.from_numpy_dtype(a.dtype))


@as_method
def __dir__(self: Tensor) -> list[str]:
    return sorted({*dir(type(self)), *self.__dict__})


Tensor.layout = property(lambda self: strided)  # type: ignore[attr-defined]
register("from_dlpack", from_dlpack, method=False)
