"""The memory behind a tensor: storages, resizing, re-seating."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager.dispatch import register
from srcgrad.eager.grad_mode import GRAD, state
from srcgrad.eager.strides import address
from srcgrad.eager.tensor import Tensor, wrap
from srcgrad.eager.writes import bump, check_writable, refuse_overlap


class UntypedStorage:
    """The bytes that a family of tensors share."""

    def __init__(self, t: Tensor) -> None:
        self._root = t._ver[1]
        self._itemsize = t._dt.itemsize

    def data_ptr(self) -> int:
        return address(self._root)

    def nbytes(self) -> int:
        return int(self._root.size) * self._itemsize

    def size(self) -> int:
        return self.nbytes()

    def __len__(self) -> int:
        return self.nbytes()

    def tolist(self) -> list[Any]:
        return self._root.ravel().tolist()  # type: ignore[no-any-return]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UntypedStorage) and self._root is other._root

    def __hash__(self) -> int:
        return id(self._root)


def _storage(self: Tensor) -> UntypedStorage:
    return UntypedStorage(self)


def resize_(self: Tensor, *sizes: Any, memory_format: Any = None) -> Tensor:
    """Another shape on the same memory, with more memory if that is too small."""
    shape = tuple(sizes[0]) if len(sizes) == 1 and not isinstance(sizes[0], int) else sizes
    if self.requires_grad:
        raise RuntimeError("cannot resize variables that require grad")
    wanted = int(np.prod(shape))
    flat = self._ver[1].ravel() if self._ver[1].flags.c_contiguous else self._a.ravel()
    if wanted > flat.size:
        grown = np.zeros(wanted, self._a.dtype)
        grown[: flat.size] = flat
        flat = self._ver[1] = grown
    self._a = flat[:wanted].reshape(shape)
    return self


def resize_as_(self: Tensor, other: Tensor, memory_format: Any = None) -> Tensor:
    return resize_(self, other._a.shape)


def set_(self: Tensor, source: Tensor | None = None) -> Tensor:
    """Use the memory of another tensor."""
    check_writable(self, state.mode & GRAD != 0 and self.requires_grad)
    if source is None:
        source = wrap(np.zeros(0, self._dt.numpy), self._dt)
    self._a, self._ver = source._a, source._ver
    return self


def fill_diagonal_(self: Tensor, fill_value: float, wrap: bool = False) -> Tensor:
    """Write a value on the main diagonal."""
    if self.ndim < 2:
        raise RuntimeError("dimensions must larger than 1")
    n = min(self._a.shape)
    index = tuple(np.arange(n) for _ in self._a.shape)
    self[index] = fill_value
    return self


def apply_(self: Tensor, function: Callable[[Any], Any]) -> Tensor:
    """Replace each element by ``function`` of it (slow; on the CPU only)."""
    if self.requires_grad:
        raise TypeError("apply_() is only supported on tensors that don't require grad")
    refuse_overlap(self)
    for i in np.ndindex(self._a.shape):
        self._a[i] = function(self._a[i].item())
    bump(self)
    return self


def map_(self: Tensor, other: Tensor, function: Callable[[Any, Any], Any]) -> Tensor:
    """Replace each element by ``function`` of it and the element of ``other``."""
    values = np.broadcast_to(other._a, self._a.shape)
    for i in np.ndindex(self._a.shape):
        self._a[i] = function(self._a[i].item(), values[i].item())
    bump(self)
    return self


def _unchanged(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    return self


for _function in (resize_, resize_as_, set_, fill_diagonal_, apply_, map_):
    register(_function.__name__, _function, torch=False)
for _name in ("storage", "untyped_storage", "_typed_storage"):
    register(_name, _storage, torch=False)
for _name in ("pin_memory", "share_memory_"):
    register(_name, _unchanged, torch=False)
for _name in ("is_pinned", "is_shared", "is_coalesced", "is_distributed"):
    register(_name, lambda self, *args: False, torch=False)
Tensor.is_cpu = property(lambda self: True)  # type: ignore[attr-defined]
register("get_device", lambda self: -1)
register("is_storage", lambda value: isinstance(value, UntypedStorage), method=False)
