"""Subscripts: basic ones are chains of views, advanced ones copies; item assignment."""

from __future__ import annotations

import math
import operator
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.eager.calling_errors import refuse
from srcgrad.eager.dispatch import Primitive, Tensor, dt, op, register, store, view_of, wrap
from srcgrad.eager.grad_mode import GRAD, HOOKS, state
from srcgrad.eager.ops.shapes import expand_array, unsqueeze, view, wrap_dim
from srcgrad.eager.promotion import stored_number
from srcgrad.eager.saving import guard
from srcgrad.eager.views import requires_grad
from srcgrad.eager.writes import (
    apply_in_place,
    bump,
    check_writable,
    expanded,
    refuse_shared,
    write,
)
from srcgrad.rules.numpy.indexing import put, put_add

_select = Primitive(operator.getitem, "SelectBackward0")
_slice = Primitive(operator.getitem, "SliceBackward0")
_alias = Primitive(np.copy, "AliasBackward0")
_index = Primitive(operator.getitem, "IndexBackward0", frees=True)
_index_put = Primitive(put, "IndexPutBackward0", settings={"repeated": "each"})
_index_add = Primitive(put_add, "IndexPutBackward0")


@op(out=False)
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """Position ``index`` of dimension ``dim``, a view."""
    if input._a.ndim == 0:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    key = select_key(input, dim, index)
    return view_of(_select, input, _viewed(input._a, key), {"a": input, "b": key})


def select_key(input: Tensor, dim: int, index: int) -> tuple[Any, ...]:
    """The subscript of position ``index`` of dimension ``dim``."""
    i = wrap_dim(dim, input)
    n = input._a.shape[i]
    if not -n <= index < n:
        raise IndexError(f"select(): index {index} out of range for tensor of size "
                         f"{list(input._a.shape)} at dimension {i}")
    return (*(slice(None),) * i, int(index))


def need_slice(src: Tensor, shape: tuple[int, ...]) -> None:
    """Raise unless ``src`` has the shape of what it is to replace."""
    refuse(src._a.shape != shape, "expected src to have a size equal to the slice of self. src "
           "size = {}, slice size = {}", list(src._a.shape), list(shape))


def _viewed(a: Any, key: tuple[Any, ...]) -> Any:
    return a[(*key, ...)]  # the ellipsis keeps a 0-d array an array


def slice_view(input: Tensor, dim: int, s: slice) -> Tensor:
    """A slice of one dimension, a view."""
    key = (slice(None),) * dim + (s,)
    return view_of(_slice, input, _viewed(input._a, key), {"a": input, "b": key})


def _normal(index: Any) -> tuple[Any, ...]:
    """The parts of a subscript, sequences of numbers made arrays."""
    if isinstance(index, tuple):
        return index
    if isinstance(index, list) and len(index) < 32 and any(
            isinstance(i, list | tuple | Tensor | np.ndarray | slice | type(None) | type(...))
            for i in index) and not all(isinstance(i, Tensor) and i._a.ndim == 0 for i in index):
        warnings.warn(
            "Using a non-tuple sequence for multidimensional indexing is deprecated and will be "
            "changed in pytorch 2.9; use x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will "
            "be interpreted as tensor index, x[torch.tensor(seq)], which will result either in an "
            "error or a different result", UserWarning, stacklevel=4)
        return tuple(index)
    return (index,)


def _is_advanced(part: Any) -> bool:
    if isinstance(part, Tensor):
        return part._a.ndim > 0 or part._dt in (dt.bool_, dt.uint8)
    return isinstance(part, list | tuple | np.ndarray | range | bool | np.bool_)


def array_index(part: Any) -> Any:
    """An advanced part as an array of integers or booleans."""
    a = part._a if isinstance(part, Tensor) else np.asarray(
        [int(p) if isinstance(p, Tensor) and p._a.ndim == 0 else
         p._a if isinstance(p, Tensor) else p for p in part]
        if isinstance(part, list | tuple) else part)
    if a.dtype == np.uint8 and isinstance(part, Tensor):
        warnings.warn("indexing with dtype torch.uint8 is now deprecated, please use a dtype "
                      "torch.bool instead.", UserWarning, stacklevel=5)
        return a.astype(bool)
    if a.dtype == bool:
        return a
    if not isinstance(part, Tensor | np.ndarray):
        refuse(a.dtype.kind in "US", "new(): invalid data type 'str'", kind=TypeError)
        if a.size == 0 or a.dtype.kind == "f":  # a list becomes a tensor of integers
            return a.astype(np.int64)
    if a.dtype not in (np.int64, np.int32):
        raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    return a


def _check_bounds(parts: list[Any], shape: tuple[int, ...]) -> None:
    d = 0
    for part in parts:
        if isinstance(part, np.ndarray):
            if part.dtype == bool:
                for i, n in enumerate(part.shape):
                    if d + i >= len(shape):
                        raise IndexError(f"too many indices for tensor of dimension {len(shape)}")
                    refuse(shape[d + i] != n, "The shape of the mask {} at index {} does not match "
                           "the shape of the indexed tensor {} at index {}",
                           list(part.shape), i, list(shape), d + i, kind=IndexError)
                d += part.ndim
                continue
            n = shape[d]
            if part.size and not n:
                raise IndexError("index is out of bounds for dimension with size 0")
            if part.size and (part.min() < -n or part.max() >= n):
                bad = part[(part < -n) | (part >= n)].flat[0]
                raise IndexError(f"index {bad} is out of bounds for dimension {d} with size {n}")
        d += 1


def _consumed(part: Any) -> int:
    if part is None or isinstance(part, bool):
        return 0
    if isinstance(part, Tensor) and part._dt in (dt.bool_, dt.uint8):
        return int(part._a.ndim)
    if isinstance(part, np.ndarray) and part.dtype == bool:
        return part.ndim
    return 1


def _basic(input: Tensor, parts: tuple[Any, ...], alone: bool = False) -> tuple[Tensor, list[Any]]:
    """Apply the basic parts as views; the advanced ones are left, by dimension of the view.

    ``alone``: the one part is a slice, which makes a view even if it leaves nothing out.
    """
    used = sum(_consumed(p) for p in parts if p is not Ellipsis)
    if input._a.ndim == 0 and len(parts) == 1 and isinstance(parts[0], slice):
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    if used > input._a.ndim:
        raise IndexError(f"too many indices for tensor of dimension {input._a.ndim}")
    dim = 0  # counts dimensions of `out`
    left: list[Any] = []
    out = input
    for place, part in enumerate(parts):
        if part is Ellipsis:
            skipped = input._a.ndim - used
            left.extend([slice(None)] * skipped)
            dim += skipped
        elif part is None:
            out = unsqueeze(out, dim)
            left.append(slice(None))
            dim += 1
        elif isinstance(part, slice):
            if any(isinstance(v, Tensor) for v in (part.start, part.stop, part.step)):
                part = slice(*(None if v is None else int(v)
                               for v in (part.start, part.stop, part.step)))
            if part.step == 0:
                raise ValueError("slice step cannot be zero")
            if part.step is not None and part.step < 0:
                raise ValueError("step must be greater than zero")
            n = out._a.shape[dim]
            start, stop, step = part.indices(n)
            if alone or start != 0 or stop != n or step != 1:
                out = slice_view(out, dim, part)
            left.append(slice(None))
            dim += 1
        elif _is_advanced(part):
            a = np.asarray(part) if isinstance(part, bool | np.bool_) else array_index(part)
            if a.ndim == 0 and a.dtype == bool:
                out = unsqueeze(out, dim)
                a = a.reshape(1)
            left.append(a)
            dim += a.ndim if a.dtype == bool else 1
        else:
            out = _select_part(out, dim, part, place)
    return out, left


def _select_part(out: Tensor, dim: int, part: Any, place: int) -> Tensor:
    if isinstance(part, Tensor) and part._dt.category < dt.FLOATING:
        part = int(part._a)
    if not isinstance(part, int | np.integer):
        if isinstance(part, Tensor):
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        refuse(isinstance(part, str), "new(): invalid data type 'str'", kind=TypeError)
        raise IndexError("only integers, slices (`:`), ellipsis (`...`), None and long or byte "
                         f"Variables are valid indices (got {type(part).__name__})")
    n = out._a.shape[dim]
    if not -n <= part < n:
        raise IndexError(f"index {part} is out of bounds for dimension {place} with size {n}")
    return select(out, dim, int(part))


def _advanced_key(left: list[Any]) -> tuple[Any, ...]:
    key = list(left)
    while key and isinstance(key[-1], slice):
        key.pop()
    return tuple(key)


_NO_INDEX = ("invalid index of a 0-dim tensor. Use `tensor.item()` in Python or "
             "`tensor.item<T>()` in C++ to convert a 0-dim tensor to a number")


def _parts(t: Tensor, index: Any) -> tuple[Any, ...]:
    parts = _normal(index)
    if t._a.ndim == 0 and len(parts) == 1 and isinstance(parts[0], int) and not isinstance(
            parts[0], bool):
        raise IndexError(_NO_INDEX)
    return parts


def getitem(self: Tensor, index: Any) -> Tensor:
    """``self[index]``."""
    if index.__class__ is int:
        if self._a.ndim == 0:
            raise IndexError(_NO_INDEX)
        n = self._a.shape[0]
        if not -n <= index < n:
            raise IndexError(f"index {index} is out of bounds for dimension 0 with size {n}")
        return select(self, 0, index)
    parts = _parts(self, index)
    out, left = _basic(self, parts, index.__class__ is slice)
    if not any(isinstance(p, np.ndarray) for p in left):
        if out is self:
            return view_of(_alias, self, self._a.view(), {"a": self})
        return out
    _check_bounds(left, out._a.shape)
    key = _advanced_key(left)
    if state.mode & HOOKS:  # what hooks hold is not watched
        key = tuple(k.copy() if isinstance(k, np.ndarray) else k for k in key)
    try:
        r = out._a[key]
    except IndexError as error:
        raise _unlike_indices(key) from error
    if r.ndim > 1:
        r = np.ascontiguousarray(r)
    result: Tensor = _index.finish(r, (out, key), {}, self._dt)
    if result._rg:
        given = index if isinstance(index, tuple | list) else (index,)
        guard(result, *[p for p in given if isinstance(p, Tensor)])
    return result


def _unlike_indices(key: tuple[Any, ...]) -> IndexError:
    """The error of a ``key`` whose arrays do not broadcast."""
    shapes = [[int(p.sum())] if p.dtype == bool else list(p.shape)
              for p in key if isinstance(p, np.ndarray)]
    return IndexError("shape mismatch: indexing tensors could not be broadcast together with "
                      f"shapes {', '.join(map(str, shapes))}")


def setitem(self: Tensor, index: Any, value: Any) -> None:
    """``self[index] = value``: a write through a view, or an ``index_put_``."""
    if not isinstance(value, Tensor):
        if not isinstance(value, int | float | complex | np.generic):
            name = "numpy.ndarray" if isinstance(value, np.ndarray) else type(value).__name__
            raise TypeError(f"can't assign a {name} to a torch.{self._dt.tensor_name}Tensor")
        try:
            value = wrap(stored_number(self._dt, value), self._dt)
        except OverflowError:
            raise ValueError("Overflow when unpacking long long") from None
    if isinstance(index, bool):  # all or nothing: no index_put_
        if index:
            write(unsqueeze(self, 0), _fit(value, (1, *self._a.shape)), spread=True)
        return
    parts = _parts(self, index)
    out, left = _basic(self, parts)
    if not any(isinstance(p, np.ndarray) for p in left):
        write(out, _fit(value, out._a.shape), spread=True)
        return
    _check_bounds(left, out._a.shape)
    shape = value._a.shape
    while shape and shape[0] == 1:  # leading ones do not count
        shape = shape[1:]
    index_put(out, _advanced_key(left), value if shape == value._a.shape else view(value, shape))


def delitem(self: Tensor, index: Any) -> None:
    """``del self[index]``: refused."""
    raise TypeError("Tensor does not support deleting items")


def _fit(value: Tensor, shape: tuple[int, ...]) -> Tensor:
    """``value`` without leading dimensions of length 1 that the target lacks."""
    while value._a.ndim > len(shape) and value._a.shape[0] == 1:
        value = value.squeeze(0)
    try:
        np.broadcast_to(value._a, shape)
    except ValueError:
        have = value._a.shape
        while have and have[0] == 1:
            have = have[1:]
        expand_array(value._a.reshape(have), shape, value._dt)  # raises
    return value


def _check_put(target: Tensor, key: tuple[Any, ...], value: Tensor) -> None:
    refuse(len(key) > target._a.ndim, "too many indices for tensor of dimension {} (got {})",
           target._a.ndim, len(key), kind=IndexError)
    _check_bounds(list(key), target._a.shape)
    try:
        place = target._a[key]
    except IndexError as error:
        raise _unlike_indices(key) from error
    try:
        np.broadcast_to(value._a, place.shape)
    except ValueError:
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(value._a.shape)} cannot be broadcast to "
            f"indexing result of shape {list(place.shape)}") from None
    if value._dt is not target._dt:
        raise RuntimeError("Index put requires the source and destination dtypes match, got "
                           f"{target._dt.tensor_name} for the destination and "
                           f"{value._dt.tensor_name} for the source.")


def index_put_copy(input: Tensor, key: tuple[Any, ...], value: Tensor,
                   accumulate: bool = False) -> Tensor:
    """``input`` with ``value`` written (or added) at advanced index ``key``."""
    _check_put(input, key, value)
    prim = _index_add if accumulate else _index_put
    return prim(input, value.to(input._dt), key=key)  # type: ignore[no-any-return]


def index_put(target: Tensor, key: tuple[Any, ...], value: Tensor,
              accumulate: bool = False) -> None:
    """Write ``value`` at advanced index ``key`` of ``target``."""
    if state.mode & GRAD:
        check_writable(target, requires_grad(target) or requires_grad(value))
    _check_put(target, key, value)
    if expanded(target):
        warnings.warn("Use of index_put_ on expanded tensors is deprecated. Please clone() the "
                      "tensor before performing this operation. This also applies to advanced "
                      "indexing e.g. tensor[indices] = tensor", UserWarning, stacklevel=4)
    refuse_shared(target, value)
    key = tuple(k.copy() if isinstance(k, np.ndarray) else k for k in key)  # it may be written
    if state.mode & GRAD and (requires_grad(target) or requires_grad(value)):
        prim = _index_add if accumulate else _index_put
        apply_in_place(target, lambda old: prim(old, value.to(target._dt), key=key))
        return
    check_writable(target, False)
    values = store(target._dt, value._a)
    if accumulate:
        np.add.at(target._a, key, values)
    else:
        target._a[key] = values
    bump(target)


register("__getitem__", getitem, torch=False)
register("__setitem__", setitem, torch=False)
register("__delitem__", delitem, torch=False)


def _sparse_only(name: str, what: str) -> Any:
    def refusal(self: Tensor) -> Tensor:
        raise RuntimeError(f"{name} expected sparse {what}tensor layout but got Strided")

    return refusal


register("indices", _sparse_only("indices", "coordinate "), torch=False)
register("values", _sparse_only("values", ""), torch=False)
register("index", lambda self, indices: getitem(self, indices), torch=False)


def unravel_index(indices: Tensor, shape: Any) -> Any:
    """Flat indices as one tensor of subscripts per dimension."""
    if indices.is_complex() or indices.is_floating_point() or indices._dt is dt.bool_:
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices._dt}")
    if not isinstance(shape, int | Sequence):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    for n in sizes:
        if not isinstance(n, int):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(n)}")
    if any(n < 0 for n in sizes):
        raise ValueError(f"'shape' cannot have negative values, but got {sizes}")
    if not sizes:
        return ()
    n = math.prod(sizes)
    found = np.unravel_index(np.mod(indices._a.astype(np.int64), max(n, 1)), sizes)
    return tuple(wrap(np.asarray(i, np.int64), dt.int64) for i in found)


register("unravel_index", unravel_index, method=False)
