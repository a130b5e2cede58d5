"""Elements by index: gather, scatter, index_*, take, put, masked_select, nonzero."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from srcgrad.eager.calling_errors import refuse
from srcgrad.eager.dispatch import Primitive, bad_argument, dt, need_tensor, op, register
from srcgrad.eager.nodes import named
from srcgrad.eager.ops.blending import need_scalar
from srcgrad.eager.ops.indexing import array_index, index_put_copy, need_slice, select_key
from srcgrad.eager.ops.indexing import index_put as write_at
from srcgrad.eager.ops.shapes import expand, reshape, wrap_dim
from srcgrad.eager.promotion import check_broadcast, stored_number
from srcgrad.eager.saving import guard
from srcgrad.eager.tensor import Array, Tensor, wrap
from srcgrad.rules.numpy import indexing, splitting

_GATHER = Primitive(splitting.gather, "GatherBackward0", shown={"indices": "index"})
_SCATTER = {
    (how, tensor): Primitive(
        splitting.scatter,
        "ScatterAddBackward0" if how == "add" else f"ScatterBackward{0 if tensor else 1}")
    for how, tensor in (("set", True), ("set", False), ("add", True))
}  # fmt: skip
_REDUCED = Primitive(splitting.scatter_extreme, "ScatterReduceBackward0", chooses=True)
_INDEX_SELECT = Primitive(np.take, "IndexSelectBackward0")
_TAKE = Primitive(np.take, "TakeBackward0")
_MASKED_SELECT = Primitive(indexing.masked_take, "MaskedSelectBackward0")
_MASKED_SCATTER = Primitive(splitting.masked_scatter, "MaskedScatterBackward0")
_SELECT_SCATTER = Primitive(splitting.put_slice, "SelectScatterBackward0")
_SLICE_SCATTER = Primitive(splitting.put_slice, "SliceScatterBackward0")
_DIAGONAL_SCATTER = Primitive(splitting.put_diagonal, "DiagonalScatterBackward0")


def _indices(name: str, index: Any, position: int = 3) -> Array:
    need_tensor(name, index, "index", position)
    if index._dt is not dt.int64 and index._dt is not dt.int32 and index._a.size:
        kinds = "int32 or int64" if name == "index_select" else "int32/int64"
        raise RuntimeError(f"{name}(): Expected dtype {kinds} for index")
    return index._a if index._a.size else index._a.astype(np.int64)


def guarded(out: Tensor, index: Tensor) -> Tensor:
    """``out``, whose backward needs ``index`` as it is now."""
    guard(out, index)
    return out


def whole(out: Tensor) -> Any:
    """``out``, which nobody has the base of: no view."""
    out._view = None
    return out


def _kind(t: Tensor) -> str:
    return t._dt.tensor_name


def _bounded(index: Array, n: int, dim: int) -> None:
    if index.size and (index.min() < 0 or index.max() >= n):
        bad = index[(index < 0) | (index >= n)].flat[0]
        raise RuntimeError(f"index {bad} is out of bounds for dimension {dim} with size {n}")


def _fits(index: Array, a: Array, dim: int, what: str, source: Any = None) -> None:
    """Refuse an ``index`` that does not fit ``a``, or a ``source`` that does not cover it."""
    if not index.size:
        return
    if max(index.ndim, 1) != max(a.ndim, 1):
        raise RuntimeError(f"Index tensor must have the same number of dimensions as {what} tensor")
    if isinstance(source, Tensor) and max(index.ndim, 1) != max(source._a.ndim, 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
    larger = [d for d in range(index.ndim) if d != dim and a.ndim and index.shape[d] > a.shape[d]]
    have = f"{list(index.shape)} to be no larger than self {list(a.shape)}"
    if isinstance(source, Tensor):
        if larger or any(n > m for n, m in zip(index.shape, source._a.shape)):
            raise RuntimeError(f"Expected index {have} apart from dimension {dim} and to be no "
                               f"larger size than src {list(source._a.shape)}")
    elif larger:
        raise RuntimeError(f"Size does not match at dimension {larger[0]} expected index {have} "
                           f"apart from dimension {dim}")


@op()
def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Any:
    """``out[i][j] = input[i][index[i][j]]`` along ``dim``."""
    i = wrap_dim(dim, input)
    places = _indices("gather", index)
    if places.size == 0:
        return input.reshape(-1)[:0].reshape(places.shape)
    _fits(places, input._a, i, "input")
    _bounded(places, input._a.shape[i] if input._a.ndim else 1, i)
    if not input._a.ndim or not places.ndim:  # one element stands for a vector of one
        line = guarded(_GATHER(reshape(input, -1), wrap(places.reshape(-1), dt.int64), axis=0),
                       index)
        return whole(named(reshape(line, places.shape), "GatherBackward0"))
    return guarded(_GATHER(input, wrap(places, dt.int64), axis=i), index)


@op()
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Any:
    """Elements at ``indices`` along a dimension; the other dimensions broadcast."""
    if indices._dt is not dt.int64:
        raise RuntimeError("torch.take_along_dim(): dtype of indices should be Long but got "
                           f"{_kind(indices)}")
    if dim is None:
        return gather(input.reshape(-1), 0, indices.reshape(-1))
    refuse(input._a.ndim != indices._a.ndim, "torch.take_along_dim(): input and indices should "
           "have the same number of dimensions, but got {} dimensions for input, and {} dimensions "
           "for indices", input._a.ndim, indices._a.ndim)
    i = wrap_dim(dim, input)
    shape = list(np.broadcast_shapes(
        tuple(1 if d == i else n for d, n in enumerate(input._a.shape)),
        tuple(1 if d == i else n for d, n in enumerate(indices._a.shape))))
    own, other = list(shape), list(shape)
    own[i], other[i] = input._a.shape[i], indices._a.shape[i]
    if own[i]:  # places count round the dimension
        indices = wrap(indices._a % own[i], dt.int64)
    return gather(expand(input, *own), i, expand(indices, *other))


def _scatter_dim(input: Tensor, dim: int, index: Tensor, src: Any) -> int:
    """The dimension to scatter along, once everything fits."""
    i = wrap_dim(dim, input)
    places = _indices("scatter", index)
    if isinstance(src, Tensor) and src._dt is not input._dt:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    _fits(places, input._a, i, "self", src)
    _bounded(places, input._a.shape[i] if input._a.ndim else 1, i)
    return i


def _scattered(input: Tensor, dim: int, index: Tensor, src: Any, how: str) -> Any:
    i = _scatter_dim(input, dim, index, src)
    if not index._a.size and index._a.ndim != input._a.ndim:  # no places in any dimensions
        none = (0,) * max(input._a.ndim, 1)
        index = reshape(index, *none)
        if isinstance(src, Tensor):
            flat: Any = reshape(src, -1)
            src = reshape(flat[:0], *none)
    if isinstance(src, Tensor):
        return _SCATTER[how, True](input, index, src, axis=i, how=how)
    value = stored_number(input._dt, src)
    if how == "add":
        return _SCATTER["add", True](input, index, wrap(value, input._dt), axis=i, how=how)
    return _SCATTER["set", False](input, index, value, axis=i, how=how)


@op(inplace=True)
def scatter(input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None,
            reduce: str | None = None) -> Any:
    """``out[index[i][j]][j] = src[i][j]`` along ``dim``."""
    source = value if src is None else src
    refuse(source is None, "argument 'src' must be Tensor, not NoneType", kind=TypeError)
    if reduce is not None:
        if isinstance(source, Tensor):
            warnings.warn("The reduce argument of torch.scatter with Tensor src is deprecated and "
                          "will be removed in a future PyTorch release. Use torch.scatter_reduce "
                          "instead for more reduction options.", UserWarning, stacklevel=3)
        if reduce == "add":
            return _scattered(input, dim, index, source, "add")
        refuse(reduce != "multiply", "reduce argument must be either add or multiply.")
        if not isinstance(source, Tensor):
            source = wrap(np.full(index._a.shape, source, input._dt.numpy), input._dt)
        return scatter_reduce(input, dim, index, source, "prod")
    return _scattered(input, dim, index, source, "set")


@op(inplace=True)
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Any:
    """:func:`scatter` that adds."""
    need_tensor("scatter_add", src, "src", 4)
    return _scattered(input, dim, index, src, "add")


@op(inplace=True)
def scatter_reduce(input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *,
                   include_self: bool = True) -> Any:
    """:func:`scatter` that combines by ``sum``, ``prod``, ``mean``, ``amax`` or ``amin``."""
    refuse(reduce not in ("sum", "prod", "mean", "amax", "amin"), "reduce argument must be either "
           "sum, prod, mean, amax or amin, got {}", reduce)
    i = _scatter_dim(input, dim, index, src)
    return _REDUCED(input, index, src, axis=i, how=reduce, include_self=include_self)


# -- whole slices by index -----------------------------------------------------------------


@op()
def index_select(input: Tensor, dim: int, index: Tensor) -> Any:
    """The slices at ``index`` along a dimension."""
    i = wrap_dim(dim, input)
    if isinstance(index, Tensor) and index._a.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    places = np.atleast_1d(_indices("index_select", index))
    if input._a.ndim == 0:
        refuse(places.size != 1, "index_select(): Index to scalar can have only 1 value, got {} "
               "value(s)", places.size)
        refuse(places.any(), "index out of range in self", kind=IndexError)
        return named(input.clone(), "IndexSelectBackward0")
    n = input._a.shape[i]
    if places.size and not n and input._a.ndim > 1:
        raise RuntimeError("index_select(): self indexing axis dim should be positive")
    if places.size and (places.min() < 0 or places.max() >= n):
        if i == 1:
            bad = places[(places < 0) | (places >= n)][0]
            raise RuntimeError(f"INDICES element is out of DATA bounds, id={bad} axis_dim={n}")
        raise IndexError("index out of range in self")
    return guarded(_INDEX_SELECT(input, wrap(places, dt.int64), axis=i), index)


def _along(dim: int, places: Any) -> tuple[Any, ...]:
    return (*(slice(None),) * dim, places)


def _slices(name: str, input: Tensor, dim: int, index: Tensor) -> tuple[int, Array]:
    i = wrap_dim(dim, input)
    places = np.atleast_1d(_indices(name, index, 2))
    n = input._a.shape[i] if input._a.ndim else 1
    if places.size and (places.min() < 0 or places.max() >= n):
        bad = places[(places < 0) | (places >= n)].flat[0]
        text = f"index {bad} is out of bounds for dimension {i} with size {n}"
        raise (RuntimeError(text) if name == "index_add" else
               IndexError("index_copy_(): " * (name == "index_copy") + text))
    return i, places


_INDEX_ADD = Primitive(indexing.put_indices, "IndexAddBackward0")
_INDEX_COPY = Primitive(indexing.put_indices, "IndexCopyBackward0")
_INDEX_FILL = Primitive(indexing.put_indices, "IndexFillBackward0", frees=True)
_INDEX_FILL_TENSOR = Primitive(indexing.put_indices, "IndexFillBackward1")
_PUT = Primitive(indexing.put_flat, "PutBackward0")


@op(inplace=True)
def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Any:
    """``source`` added to the slices at ``index``."""
    i, places = _slices("index_add", input, dim, index)
    if source._dt is not input._dt:
        raise RuntimeError(f"index_add_(): self ({_kind(input)}) and source ({_kind(source)}) must "
                           "have the same scalar type")
    _same_slices("index_add_()", input, source, i, places)
    src = source if alpha == 1 else source * alpha
    out = _INDEX_ADD(input, src, _along(i, places), "add")
    return guarded(out, index) if src.requires_grad else out


def _same_slices(name: str, input: Tensor, source: Tensor, dim: int, places: Array) -> None:
    adds = "add" in name
    rest, slices = (tuple(n for d, n in enumerate(t._a.shape) if d != dim) for t in (input, source))
    refuse(adds and (rest != slices or input._a.ndim < source._a.ndim), "source tensor shape must "
           "match self tensor shape, excluding the specified dimension. Got self.shape = {} "
           "source.shape = {}", list(input._a.shape), list(source._a.shape))
    if source._a.ndim and rest != slices:
        raise RuntimeError(
            f"{name}: Source/destination tensor must have same slice shapes. Destination slice "
            f"shape: {' '.join(map(str, rest))} at dimension {dim} and source slice shape: "
            f"{' '.join(map(str, slices))} at dimension {dim}.")
    if source._a.ndim and source._a.shape[dim] != places.size:
        kind = RuntimeError if adds else IndexError
        raise kind(f"{name}: Number of indices ({places.size}) should be equal to "
                   f"source.size(dim){':' if adds else ''} "
                   f"({source._a.shape[dim]}){f', for dim: {dim}' * adds}")


@op(inplace=True)
def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Any:
    """``source`` written to the slices at ``index``."""
    i, places = _slices("index_copy", input, dim, index)
    if source._dt is not input._dt:
        raise RuntimeError("index_copy_(): self and source expected to have the same dtype, but "
                           f"got (self) {_kind(input)} and (source) {_kind(source)}")
    _same_slices("index_copy_()", input, source, i, places)
    return guarded(_INDEX_COPY(input, source, _along(i, places), "set"), index)


@op(inplace=True)
def index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Any:
    """``value`` written to the slices at ``index``."""
    i, places = _slices("index_fill", input, dim, index)
    if isinstance(value, Tensor):
        need_scalar("index_fill_", value)
        _check_fill(input, value._dt.category == dt.COMPLEX)
        return guarded(
            _INDEX_FILL_TENSOR(input, value.to(input._dt), _along(i, places), "set"), index)
    _check_fill(input, isinstance(value, complex))
    return guarded(
        _INDEX_FILL(input, stored_number(input._dt, value), _along(i, places), "set"), index)


def _check_fill(input: Tensor, is_complex: bool) -> None:
    refuse(is_complex and input._dt.category < dt.COMPLEX, "index_fill_(): Converting complex "
           "Scalar to non-complex type is not supported")


@op()
def index_put(input: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Any:
    """``values`` written (or added) at a tuple of index tensors."""
    return index_put_copy(input, _tensor_key("index_put", indices, values), values, accumulate)


def _tensor_key(name: str, indices: Any, values: Any) -> tuple[Any, ...]:
    """The subscript that a tuple of index tensors means."""
    if not isinstance(indices, tuple | list):
        raise bad_argument(name, "indices", 1, "tuple of Tensors", indices)
    need_tensor(name, values, "values", 2)
    return tuple(slice(None) if t is None else array_index(t) for t in indices)


def _index_put_in_place(self: Tensor, indices: Any, values: Tensor,
                        accumulate: bool = False) -> Tensor:
    write_at(self, _tensor_key("index_put_", indices, values), values, accumulate)
    return self


register("index_put_", _index_put_in_place)


@op()
def take(input: Tensor, index: Tensor) -> Any:
    """Elements of the flattened tensor."""
    if index._dt is not dt.int64:
        raise RuntimeError(f"take(): Expected a long tensor for index, but got {_kind(index)}")
    n = input._a.size
    if index._a.size and (index._a.min() < -n or index._a.max() >= n):
        bad = index._a[(index._a < -n) | (index._a >= n)].flat[0]
        raise IndexError(f"out of range: tried to access index {bad} on a tensor of {n} elements.")
    return _TAKE(input, index)


@op(torch=False, inplace=True)
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Any:
    """``source`` written (or added) at places of the flattened tensor."""
    if index._dt is not dt.int64:
        raise RuntimeError(f"put_(): Expected a long tensor for index, but got {_kind(index)}")
    if source._dt is not input._dt:
        raise RuntimeError("put_(): self and source expected to have the same dtype, but got self."
                           f"dtype = {_kind(input)} and source.dtype = {_kind(source)}")
    refuse(source._a.size != index._a.size, "put_(): Expected source and index to have the same "
           "number of elements, but got source.numel() = {}, index.numel() = {}",
           source._a.size, index._a.size, kind=IndexError)
    return _PUT(input, source, index, "add" if accumulate else "set")


# -- by truth ------------------------------------------------------------------------------


@op()
def masked_select(input: Tensor, mask: Tensor) -> Any:
    """The elements where ``mask`` is true, as a vector."""
    refuse(mask._dt is not dt.bool_, "masked_select: expected BoolTensor for mask")
    check_broadcast(mask, input)
    shape = np.broadcast_shapes(input._a.shape, mask._a.shape)
    m = mask if mask._a.shape == shape else expand(mask, shape)
    return _MASKED_SELECT(input, m)


@op(inplace=True, out=False)
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Any:
    """``input`` with consecutive elements of ``source`` where ``mask`` is true."""
    if mask._dt is not dt.bool_:
        raise RuntimeError("masked_scatter_ only supports boolean masks, but got mask with dtype "
                           f"{_kind(mask)}")
    if source._dt is not input._dt:
        raise RuntimeError("masked_scatter: expected self and source to have same dtypes but got"
                           f"{_kind(input)} and {_kind(source)}")
    shape = np.broadcast_shapes(input._a.shape, mask._a.shape)
    if int(np.broadcast_to(mask._a, shape).sum()) > source._a.size:
        raise RuntimeError("Number of elements of source < number of ones in mask")
    return _MASKED_SCATTER(input, mask, source)


@op()
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """The subscripts of the elements that are not zero."""
    if as_tuple:
        a = np.atleast_1d(input._a)
        return tuple(wrap(i.astype(np.int64), dt.int64) for i in np.nonzero(a))
    if input._a.ndim == 0:
        return wrap(np.zeros((int(bool(input._a)), 0), np.int64), dt.int64)
    rows = np.argwhere(input._a).astype(np.int64)
    return wrap(np.asfortranarray(rows), dt.int64)


@op(out=False)
def argwhere(input: Tensor) -> Tensor:
    """:func:`nonzero`."""
    return nonzero(input)  # type: ignore[no-any-return]


# -- copies with a part replaced -----------------------------------------------------------


@op(out=False)
def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Any:
    """``input`` with ``src`` at one position of a dimension."""
    place = select_key(input, dim, index)
    need_slice(src, input._a[place].shape)
    return _SELECT_SCATTER(input, src, place)


@op(out=False)
def slice_scatter(input: Tensor, src: Tensor, dim: int = 0, start: int | None = None,
                  end: int | None = None, step: int = 1) -> Any:
    """``input`` with ``src`` at a slice of a dimension."""
    i = wrap_dim(dim, input)
    place = _along(i, slice(start, end, step))
    need_slice(src, input._a[place].shape)
    return _SLICE_SCATTER(input, src, place)


@op(out=False)
def diagonal_scatter(input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0,
                     dim2: int = 1) -> Any:
    """``input`` with ``src`` on a diagonal."""
    i, j = wrap_dim(dim1, input), wrap_dim(dim2, input)
    have = np.diagonal(input._a, offset, i, j).shape
    need_slice(src, have)
    return _DIAGONAL_SCATTER(input, src, offset, i, j)


@op(inplace=True, out=False)
def index_reduce(input: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *,
                 include_self: bool = True) -> Any:
    """``source`` combined with the slices at ``index`` by prod, mean, amax or amin."""
    refuse(reduce not in ("prod", "mean", "amax", "amin"), "index_reduce(): Expected reduce to be "
           "one of prod, mean, amax or amin but got {}.", reduce)
    i = wrap_dim(dim, input)
    if input._a.ndim == 0:
        line = index_reduce(reshape(input, 1), 0, index, reshape(source, 1), reduce,
                            include_self=include_self)
        return whole(named(reshape(line, ()), "IndexReduceBackward0"))
    shape = [1] * input._a.ndim
    shape[i] = -1
    spread = reshape(index, *shape).expand(source._a.shape)
    out = input.scatter_reduce(i, spread, source, reduce, include_self=include_self)
    return named(out, "IndexReduceBackward0")
