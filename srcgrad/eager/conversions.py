"""Tensors as NumPy arrays and as Python values: numpy(), item(), bool(), len() and their kin."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from srcgrad.eager import dtype as dt
from srcgrad.eager.attributes import as_method
from srcgrad.eager.grad_mode import GRAD, state
from srcgrad.eager.tensor import Tensor, wrap
from srcgrad.eager.views import requires_grad
from srcgrad.eager.writes import bump


@as_method
def numpy(self: Tensor, *, force: bool = False) -> Any:
    """The NumPy array on the same memory."""
    if requires_grad(self) and state.mode & GRAD:
        if not force:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. "
                               "Use tensor.detach().numpy() instead.")
    if self._dt is dt.bfloat16:
        raise TypeError("Got unsupported ScalarType BFloat16")
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
    if self._a.ndim == 0:
        raise TypeError("len() of a 0-d tensor")
    return int(self._a.shape[0])


def _scalar(self: Tensor) -> Any:
    if self._a.size != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    return self._a.item()


def _warn_scalar(self: Tensor) -> None:
    if self._rg and state.mode & GRAD:
        warnings.warn(
            "Converting a tensor with requires_grad=True to a scalar may lead to unexpected "
            "behavior.\nConsider using tensor.detach() first.", UserWarning, stacklevel=3)


@as_method
def __bool__(self: Tensor) -> bool:
    n = self._a.size
    if n != 1:
        if n == 0:
            raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
        raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
    return bool(self._a.item())


@as_method
def __float__(self: Tensor) -> float:
    value = _scalar(self)
    _warn_scalar(self)
    if isinstance(value, complex):
        if value.imag:
            raise RuntimeError("value cannot be converted to type double without overflow")
        value = value.real
    return float(value)


@as_method
def __int__(self: Tensor) -> int:
    value = _scalar(self)
    _warn_scalar(self)
    return int(value)


@as_method
def __complex__(self: Tensor) -> complex:
    return complex(_scalar(self))


@as_method
def __index__(self: Tensor) -> int:
    if self._dt.category >= dt.FLOATING or self._a.size != 1:
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(self._a.item())


@as_method
def _bump_version(self: Tensor) -> None:
    bump(self)
