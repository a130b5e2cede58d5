"""The memory behind a tensor: storages, resizing, re-seating."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager.calling_errors import refuse
from srcgrad.eager.dispatch import register
from srcgrad.eager.grad_mode import GRAD, INFERENCE, state
from srcgrad.eager.layout import preserve_format, suggested
from srcgrad.eager.nodes import RefusingPlan, make_node, node_class
from srcgrad.eager.strides import address, memory, refuse_negative, strided
from srcgrad.eager.tensor import Tensor, wrap
from srcgrad.eager.views import gradient_edge, requires_grad, set_history
from srcgrad.eager.writes import bump, check_writable, refuse_overlap, resize_memory


class UntypedStorage:
    """The bytes that a family of tensors share."""

    _unit: Any = np.dtype(np.uint8)

    def __init__(self, t: Tensor) -> None:
        self._root = t._ver[1]

    def data_ptr(self) -> int:
        return address(self._root)

    def nbytes(self) -> int:
        return int(memory(self._root).nbytes)

    def size(self) -> int:
        return int(self.nbytes() // self._unit.itemsize)

    def __len__(self) -> int:
        return self.size()

    def tolist(self) -> list[Any]:
        return memory(self._root).ravel("K").view(self._unit).tolist()  # type: ignore[no-any-return]

    def __getitem__(self, index: Any) -> Any:
        return self.tolist()[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UntypedStorage) and self._root is other._root

    def __hash__(self) -> int:
        return id(self._root)


class TypedStorage(UntypedStorage):
    """A storage counted in elements of the tensor's dtype."""

    def __init__(self, t: Tensor) -> None:
        super().__init__(t)
        self.dtype, self._unit = t._dt, t._dt.numpy

    def untyped(self) -> UntypedStorage:
        return UntypedStorage(wrap(self._root, self.dtype))


def resize_(self: Tensor, *sizes: Any, memory_format: Any = None) -> Tensor:
    """Another shape on the same memory, with more memory if that is too small."""
    shape = tuple(sizes[0]) if len(sizes) == 1 and not isinstance(sizes[0], int) else sizes
    if self.requires_grad and not state.mode & INFERENCE:
        raise RuntimeError("cannot resize variables that require grad")
    refuse_negative(shape)
    refuse(memory_format is preserve_format, "Unsupported memory formatPreserve")
    if math.prod(shape) * self._a.itemsize >= 1 << 63:
        raise RuntimeError("numel: integer multiplication overflow" if math.prod(shape) >= 1 << 63
                           else "Storage size calculation overflowed with sizes="
                           f"{list(shape)}")
    if shape != self._a.shape or memory_format is not None:
        resize_memory(self, shape, memory_format)
        bump(self)
    return self


def resize_as_(self: Tensor, other: Tensor, memory_format: Any = None) -> Tensor:
    """The shape of another tensor, and with ``preserve_format`` its order in memory."""
    form = suggested(other._a) if memory_format is preserve_format else memory_format
    return resize_(self, other._a.shape, memory_format=form)


def set_(self: Tensor, source: Any = None, storage_offset: int = 0, size: Any = None,
         stride: Any = None) -> Tensor:
    """Use the memory of another tensor, or of a storage seen in a certain way."""
    check_writable(self, state.mode & GRAD != 0 and self.requires_grad)
    if source is None:
        source = wrap(np.zeros(0, self._dt.numpy), self._dt)
    if isinstance(source, Tensor):
        if source._dt is not self._dt:
            raise RuntimeError(f"Could not set tensor of type {source._dt.c_name} to a "
                               f"tensor of type {self._dt.c_name}")
        root, seen = source._ver[1], source._a
    else:
        if isinstance(source, TypedStorage) and source.dtype is not self._dt:
            raise RuntimeError(f"Expected a Storage of type {self._dt.c_name} or an "
                               f"UntypedStorage, but got type {source.dtype.tensor_name} for "
                               "argument 1 'storage'")
        root, seen = source._root, None
    if size is not None or seen is None:
        seen = _placed(memory(root), self._dt.numpy, storage_offset, size, stride)
    if requires_grad(self) and state.mode & GRAD:
        set_history(self, make_node(node_class("NotImplemented"), _UNKNOWN, (gradient_edge(self),),
                                    None, None))
    if self._x is not None:
        self._x.accumulator = None  # what was recorded so far is of another leaf
    self._view = None
    self._a = seen
    self._ver = [self._ver[0], root, None]
    bump(self)
    return self


_UNKNOWN = RefusingPlan("derivative for aten::set_ is not implemented")


def _placed(root: Any, d: Any, offset: int, size: Any, stride: Any) -> Any:
    """The elements of type ``d`` that ``set_`` describes, in the memory ``root``."""
    item = d.itemsize
    if size is None:
        size = (root.nbytes // item - offset,)
    if stride is None:
        stride = [math.prod(size[i + 1 :]) for i in range(len(size))]
    if min(stride, default=0) < 0:
        raise RuntimeError(f"setStorage: Negative strides are not supported, got {list(stride)}")
    flat = np.ndarray((root.nbytes // item,), d, root)
    return strided(flat, tuple(size), tuple(s * item for s in stride), offset * item)


def fill_diagonal_(self: Tensor, fill_value: float, wrap: bool = False) -> Tensor:
    """Write a value on the main diagonal."""
    refuse(self.ndim < 2, "dimensions must larger than 1")
    if self.ndim > 2:
        refuse(len(set(self._a.shape)) > 1, "all dimensions of input must be of equal length")
        places = (np.arange(self._a.shape[0]),) * self.ndim
    else:
        rows, columns = self._a.shape
        n = rows if wrap else min(rows, columns)  # a tall matrix has room for several diagonals
        flat = np.arange(0, n * columns, columns + 1)
        places = flat // columns, flat % columns
    self[places] = fill_value
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


for _function in (resize_, resize_as_, set_, fill_diagonal_, apply_, map_):
    register(_function.__name__, _function, torch=False)
for _name, _kind in (("storage", TypedStorage), ("untyped_storage", UntypedStorage),
                     ("_typed_storage", TypedStorage)):
    register(_name, lambda self, kind=_kind: kind(self), torch=False)
for _name in ("pin_memory", "share_memory_", "to_dense"):
    register(_name, lambda self, *args, **kwargs: self, torch=False)
for _name in ("is_pinned", "is_shared", "is_coalesced", "is_distributed"):
    register(_name, lambda self, *args: False, torch=False)
Tensor.is_cpu = property(lambda self: True)  # type: ignore[attr-defined]
register("get_device", lambda self: -1)
register("is_storage", lambda value: isinstance(value, UntypedStorage), method=False)
