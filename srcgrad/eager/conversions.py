"""Tensors as NumPy arrays and Python values; copying, pickling and sharing them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from srcgrad.eager import dtype as dt
from srcgrad.eager.attributes import as_method, as_methods
from srcgrad.eager.calling_errors import refuse
from srcgrad.eager.dispatch import NAMESPACE, register
from srcgrad.eager.grad_mode import GRAD, state
from srcgrad.eager.layout import strided
from srcgrad.eager.tensor import Tensor, wrap
from srcgrad.eager.views import grad_fn_of, requires_grad
from srcgrad.eager.writes import bump


@as_method
def numpy(self: Tensor, *, force: bool = False) -> Any:
    """The NumPy array on the same memory."""
    refuse(requires_grad(self) and state.mode & GRAD and not force, "Can't call numpy() on Tensor "
           "that requires grad. Use tensor.detach().numpy() instead.")
    refuse(self._dt is dt.bfloat16, "Got unsupported ScalarType BFloat16", kind=TypeError)
    return self._a.view()


@as_method
def __array__(self: Tensor, dtype: Any = None, copy: bool | None = None) -> Any:
    a = numpy(self)
    if dtype is not None and a.dtype != dtype:
        return a.astype(dtype)
    return a.copy() if copy else a


@as_method
def __array_wrap__(self: Tensor, array: Any, context: Any = None,
                   return_scalar: bool = False) -> Any:
    array = np.asarray(array)
    if array.dtype == bool:
        array = array.astype(np.uint8)
    return wrap(array, dt.from_numpy_dtype(array.dtype))


@as_method
def item(self: Tensor) -> Any:
    """The only element, as a Python number."""
    if self._a.size != 1:
        raise RuntimeError(f"a Tensor with {self._a.size} elements cannot be converted to Scalar")
    return self._a.item()


@as_method
def tolist(self: Tensor) -> Any:
    """Nested lists of Python numbers (a number for a 0-dim tensor)."""
    return self._a.tolist()


@as_method
def __len__(self: Tensor) -> int:
    refuse(self._a.ndim == 0, "len() of a 0-d tensor", kind=TypeError)
    return int(self._a.shape[0])


def _scalar(self: Tensor) -> Any:
    if self._a.size != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    return self._a.item()


def _converted(self: Tensor, kind: Any, c_name: str) -> Any:
    value = _scalar(self)
    if self._rg and state.mode & GRAD:
        warnings.warn(
            "Converting a tensor with requires_grad=True to a scalar may lead to unexpected "
            "behavior.\nConsider using tensor.detach() first.", UserWarning, stacklevel=3)
    if isinstance(value, complex):
        refuse(value.imag, "value cannot be converted to type {} without overflow", c_name)
        value = value.real
    return kind(value)


@as_method
def __bool__(self: Tensor) -> bool:
    n = self._a.size
    if n != 1:
        refuse(n == 0, "Boolean value of Tensor with no values is ambiguous")
        raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
    return bool(self._a.item())


@as_method
def __index__(self: Tensor) -> int:
    if self._dt.category >= dt.FLOATING or self._a.size != 1:
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(self._a.item())


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
    refuse(grad_fn_of(self) is not None, "Only Tensors created explicitly by the user (graph "
           "leaves) support the deepcopy protocol at the moment.  If you were attempting to "
           "deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, see "
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
def __copy__(self: Tensor) -> Tensor:
    t = wrap(self._a, self._dt)
    t.__class__ = type(self)
    t._ver, t._rg, t._fn, t._nr = self._ver, self._rg, self._fn, self._nr
    t._view, t._grad = self._view, self._grad
    return t


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


as_methods({
    "_bump_version": lambda self: bump(self),
    "__complex__": lambda self: complex(_scalar(self)),
    "__dir__": lambda self: sorted({*dir(type(self)), *self.__dict__}),
    "__dlpack_device__": lambda self: self._a.__dlpack_device__(),
    "__float__": lambda self: _converted(self, float, "double"),
    "__int__": lambda self: _converted(self, int, "int64_t"),
    "__reversed__": lambda self: self if self._a.ndim == 0 else self.flip(0),
    "__setstate__": lambda self, state: self.__dict__.update(state),
})
Tensor.layout = property(lambda self: strided)  # type: ignore[attr-defined]
register("from_dlpack", from_dlpack, method=False)
