"""Joining tensors and cutting them: cat, stack, split, chunk, unbind and their kin."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.calling_errors import refuse, whole
from srcgrad.eager.dispatch import Tensor, bad_argument, dt, op, register, wrap
from srcgrad.eager.grad_mode import FORWARD, GRAD, state
from srcgrad.eager.ops.arguments import numbers, warn_once
from srcgrad.eager.ops.casts import convert
from srcgrad.eager.ops.indexing import slice_view
from srcgrad.eager.ops.shapes import expand, reshape, unsqueeze, view, wrap_dim
from srcgrad.eager.overloads import kind_of
from srcgrad.eager.primitive import Primitive, push_forward
from srcgrad.eager.promotion import check_broadcast
from srcgrad.eager.recording import SPECIAL
from srcgrad.eager.tangents import follows_base
from srcgrad.eager.tensor import wrap_fresh
from srcgrad.eager.views import make_view, requires_grad
from srcgrad.rules.numpy import splitting

_CAT = Primitive(np.concatenate, "CatBackward0")
_STACK = Primitive(np.stack, "StackBackward0")
_BLOCK = Primitive(splitting.block_diagonal, "BlockDiagBackward0")
_SPLIT = Primitive(splitting.split_sizes, "SplitBackward0", outputs=None)
_SPLIT_SIZES = Primitive(splitting.split_sizes, "SplitWithSizesBackward0", outputs=None)
_UNBIND = Primitive(splitting.unbind, "UnbindBackward0", outputs=None)


def sequence(name: str, tensors: Any) -> list[Tensor]:
    """The tensors of a list or tuple, converted to one dtype."""
    if not isinstance(tensors, list | tuple):
        raise bad_argument(name, "tensors", 1, "tuple of Tensors", tensors)
    for i, t in enumerate(tensors):
        if not isinstance(t, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got "
                            + kind_of(t))
    return list(tensors)


def _promoted(tensors: list[Tensor]) -> list[Tensor]:
    d = tensors[0]._dt
    for t in tensors[1:]:
        d = dt.promote_types(d, t._dt)
    return [convert(t, d) for t in tensors]


@op(method=False, aliases=("concat", "concatenate"))
def cat(tensors: Any, dim: int = 0) -> Any:
    """Tensors one after the other along a dimension."""
    given = sequence("cat", tensors)
    refuse(not given, "torch.cat(): expected a non-empty list of Tensors", kind=ValueError)
    for i, t in enumerate(given):
        if t._a.ndim == 0:
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
    given = _promoted(given)
    used = [t for t in given if t._a.shape != (0,)]
    if not used:  # lists of no numbers go with any dimension
        return _CAT(given, axis=0)
    first = used[0]
    i = wrap_dim(dim, first)
    for k, t in enumerate(used[1:], 1):
        if t._a.ndim != first._a.ndim:
            raise RuntimeError("Tensors must have same number of dimensions: got "
                               f"{first._a.ndim} and {t._a.ndim}")
        for d, (n, m) in enumerate(zip(first._a.shape, t._a.shape)):
            if d != i and n != m:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {i}. Expected size {n} but "
                    f"got size {m} for tensor number {k} in the list.")
    return _CAT(used, axis=i)


@op(method=False)
def stack(tensors: Any, dim: int = 0) -> Any:
    """Tensors of one shape along a new dimension."""
    given = sequence("stack", tensors)
    refuse(not given, "stack expects a non-empty TensorList")
    i = wrap_dim(dim, given[0], 1)
    for k, t in enumerate(given):
        if t._a.shape != given[0]._a.shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(given[0]._a.shape)} at "
                f"entry 0 and {list(t._a.shape)} at entry {k}")
    return _STACK(_promoted(given), axis=i)


def _one(t: Tensor) -> Tensor:
    return reshape(t, 1) if t._a.ndim == 0 else t


def _two(t: Tensor) -> Tensor:
    return reshape(t, 1, 1) if t._a.ndim == 0 else unsqueeze(t, 0) if t._a.ndim == 1 else t


def _three(t: Tensor) -> Tensor:
    if t._a.ndim == 0:
        return reshape(t, 1, 1, 1)
    if t._a.ndim == 1:
        return unsqueeze(unsqueeze(t, 0), -1)
    return unsqueeze(t, -1) if t._a.ndim == 2 else t


def _at_least(count: int, change: Any) -> None:
    def call(*tensors: Any) -> Any:
        if len(tensors) == 1 and isinstance(tensors[0], Tensor):
            return change(tensors[0])
        return tuple(change(t) for t in (tensors[0] if len(tensors) == 1 else tensors))

    call.__doc__ = f"Tensors with at least {count} dimension{'s' * (count > 1)}."
    op(f"atleast_{count}d", out=False)(call)


_at_least(1, _one)
_at_least(2, _two)
_at_least(3, _three)


def _joined(name: str, change: Any, axis: Any, aliases: Any = ()) -> None:
    def call(tensors: Any) -> Any:
        given = sequence(name, tensors)
        refuse(not given, "{} expects a non-empty TensorList", name)
        changed = [change(t) for t in given]
        return cat(changed, axis(changed[0]) if callable(axis) else axis)

    op(name, method=False, aliases=aliases)(call)


_joined("hstack", _one, lambda t: 0 if t._a.ndim == 1 else 1)
_joined("vstack", _two, 0, ("row_stack",))
_joined("dstack", _three, 2)
_joined("column_stack", lambda t: reshape(t, t._a.size, 1) if t._a.ndim <= 1 else t, 1)


@op(method=False, out=False)
def block_diag(*tensors: Any) -> Any:
    """Matrices along the diagonal of a larger one."""
    for i, t in enumerate(tensors):
        refuse(t._a.ndim > 2, "torch.block_diag: Input tensors must have 2 or fewer dimensions. "
               "Input {} has {} dimensions", i, t._a.ndim)
    if not tensors:
        return wrap(np.zeros((1, 0), dt.get_default_dtype().numpy), dt.get_default_dtype())
    return _BLOCK([_two(t) for t in _promoted(list(tensors))])


# -- cutting -------------------------------------------------------------------------------


def many_views(prim: Primitive, input: Tensor, arrays: Any, **settings: Any) -> tuple[Any, ...]:
    """Views of ``input`` that are the outputs of one node."""
    made = tuple(make_view(input, a, None, multi=True) for a in arrays)
    named = {"a": input, **settings}
    if made and state.mode & GRAD and requires_grad(input):
        prim.record(named, made)
    if made and state.mode & FORWARD and not follows_base(input):
        push_forward(prim, named, made)
    return made


@op(out=False)
def split(input: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Any, ...]:
    """Parts of one length (the last may be shorter), or of given lengths."""
    if not whole(split_size_or_sections):
        if not isinstance(split_size_or_sections, list | tuple):
            raise TypeError("split_with_sizes(): argument 'split_sizes' (position 2) must be tuple "
                            f"of ints, not {type(split_size_or_sections).__name__}")
        return split_with_sizes(input, split_size_or_sections, dim)
    size = int(split_size_or_sections)
    i = _cut_dim("split", dim, input)
    n = input._a.shape[i]
    refuse(size < 0, "split expects split_size be non-negative, but got split_size={}", size)
    refuse(size == 0 and n, "split_size can only be 0 if dimension size is 0, but got dimension "
           "size of {}", n)
    sizes = tuple(min(size, n - k) for k in range(0, n, size)) if n else (0,)
    arrays = splitting.split_sizes(input._a, sizes, i)
    return many_views(_SPLIT, input, arrays, sizes=sizes, axis=i)


def _cut_dim(name: str, dim: int, input: Tensor) -> int:
    refuse(input._a.ndim == 0, "{} expects at least a 1-dimensional tensor", name)
    return wrap_dim(dim, input)


register("split", lambda self, split_size, dim=0: split(self, split_size, dim), torch=False)


@op(out=False)
def split_with_sizes(input: Tensor, split_sizes: Any, dim: int = 0) -> tuple[Any, ...]:
    """Parts of given lengths."""
    i = _cut_dim("split", dim, input)
    n = input._a.shape[i]
    sizes = numbers((split_sizes,), "split_sizes")
    refuse(any(k < 0 for k in sizes), "split_with_sizes expects split_sizes have only non-negative "
           "entries, but got split_sizes={}", list(sizes))
    refuse(sum(sizes) != n, "split_with_sizes expects split_sizes to sum exactly to {} (input "
           "tensor's size at dimension {}), but got split_sizes={}", n, i, list(sizes))
    arrays = splitting.split_sizes(input._a, sizes, i)
    return many_views(_SPLIT_SIZES, input, arrays, sizes=sizes, axis=i)


@op(out=False)
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Any, ...]:
    """About ``chunks`` parts of equal length."""
    refuse(input._a.ndim == 0, "chunk expects at least a 1-dimensional tensor")
    refuse(chunks <= 0, "chunk expects `chunks` to be greater than 0, got: {}", chunks)
    i = wrap_dim(dim, input)
    n = input._a.shape[i]
    size = -(-n // chunks)
    if size == 0:
        return split_with_sizes(input, [0] * chunks, dim)
    return split(input, size, dim)


@op(out=False)
def tensor_split(input: Tensor, indices_or_sections: Any, dim: int = 0, *, indices: Any = None,
                 sections: Any = None) -> tuple[Any, ...]:
    """Parts as equal as possible, or cut at given places."""
    refuse(input._a.ndim == 0, "tensor_split expected at least a 1-dimensional tensor, but got a "
           "tensor with 0 dims")
    i = wrap_dim(dim, input)
    n = input._a.shape[i]
    cuts = indices_or_sections
    if isinstance(cuts, Tensor):
        what = "tensor_split expected tensor_indices_or_sections to "
        if cuts._dt is not dt.int64:
            raise RuntimeError(f"{what}have dtype of long, but got {cuts._dt.tensor_name}")
        refuse(cuts._a.ndim > 1, "{}be a zero-dimensional or one-dimensional tensor, but got a "
               "tensor with {} dims", what, cuts._a.ndim)
        cuts = cuts.tolist()
    if whole(cuts):
        cuts = int(cuts)
        refuse(cuts <= 0, "number of sections must be larger than 0, got {}", cuts)
        base, rest = divmod(n, cuts)
        ends = np.cumsum([base + (k < rest) for k in range(cuts)]).tolist()
        starts = [0, *ends[:-1]]
    else:
        starts, ends = [0, *cuts], [*cuts, n]
    return tuple(slice_view(input, i, slice(a, max(a, b) if b >= 0 and a >= 0 else b))
                 for a, b in zip(starts, ends))


def _axis_split(name: str, least: int, axis: Any) -> None:
    def call(input: Tensor, indices_or_sections: Any) -> tuple[Any, ...]:
        refuse(input._a.ndim < least, "torch.{} requires a tensor with at least {} dimension, but "
               "got a tensor with {} dimensions!", name, least, input._a.ndim)
        dim = axis(input)
        n = input._a.shape[dim]
        if isinstance(indices_or_sections, int) and (
                indices_or_sections == 0 or n % indices_or_sections):
            raise RuntimeError(
                f"torch.{name} attempted to split along dimension {dim}, but the size of the "
                f"dimension {n} is not divisible by the split_size {indices_or_sections}!")
        return tensor_split(input, indices_or_sections, dim)

    op(name, out=False)(call)


_axis_split("hsplit", 1, lambda t: 0 if t._a.ndim == 1 else 1)
_axis_split("vsplit", 2, lambda t: 0)
_axis_split("dsplit", 3, lambda t: 2)


@op(out=False)
def unbind(input: Tensor, dim: int = 0) -> tuple[Any, ...]:
    """The slices along a dimension, without it."""
    if input._a.ndim == 0:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    i = wrap_dim(dim, input)
    a = np.moveaxis(input._a, i, 0)
    return many_views(_UNBIND, input, [a[k, ...] for k in range(a.shape[0])], axis=i)


def __iter__(self: Tensor) -> Any:
    refuse(self._a.ndim == 0, "iteration over a 0-d tensor", kind=TypeError)
    return iter(unbind(self, 0))


register("__iter__", __iter__, torch=False)


# -- grids ---------------------------------------------------------------------------------


@op(method=False, out=False)
def broadcast_tensors(*tensors: Any) -> tuple[Any, ...]:
    """Tensors expanded to their common shape."""
    given = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], list | tuple) else tensors
    check_broadcast(*given)
    shape = np.broadcast_shapes(*(t._a.shape for t in given))
    return tuple(t if t._a.shape == shape else expand(t, shape) for t in given)


@op(method=False, out=False)
def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Any, ...]:
    """Coordinate grids of vectors, as expanded views."""
    if indexing is None:
        indexing = "ij"
        warn_once("torch.meshgrid: in an upcoming release, it will be required to pass the "
                  "indexing argument.")
    given = list(tensors[0] if len(tensors) == 1 and isinstance(tensors[0], list | tuple)
                 else tensors)
    refuse(not given, "meshgrid expects a non-empty TensorList")
    refuse(any(t._dt is not given[0]._dt for t in given),
           "meshgrid expects all tensors to have the same dtype")
    for t in given:
        if t._a.ndim > 1:
            raise RuntimeError("torch.meshgrid: Expected 0D or 1D tensor in the tensor list but "
                               f"got: {t!r}")
    refuse(indexing not in ("ij", "xy"), 'torch.meshgrid: indexing must be one of "xy" or "ij", '
           'but received: {}', indexing)
    swap = indexing == "xy" and len(given) > 1
    if swap:
        given[0], given[1] = given[1], given[0]
    shape = tuple(t._a.size for t in given)
    grids = [expand(view(t, *(-1 if k == i else 1 for k in range(len(given)))), shape)
             for i, t in enumerate(given)]
    if swap:
        grids[0], grids[1] = grids[1], grids[0]
    return tuple(grids)


@op(method=False, out=False)
def cartesian_prod(*tensors: Any) -> Any:
    """All combinations of the elements of vectors, as rows."""
    for t in tensors:
        refuse(t._a.ndim != 1, "Expect a 1D vector, but got shape {}", list(t._a.shape))
    if len(tensors) == 1:
        return tensors[0]
    return stack([reshape(g, -1) for g in meshgrid(*tensors, indexing="ij")], dim=1)


@op(out=False)
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Any:
    """All combinations of ``r`` elements of a vector, as rows."""
    refuse(input._a.ndim != 1, "Expect a 1D vector, but got shape {}", list(input._a.shape))
    refuse(r < 0, "Expect a non-negative number, but got {}", r)
    n = input._a.shape[0]
    if r == 0:
        return Tensor.new_empty(input, 0)
    grid = np.indices((n,) * r)
    mask = np.ones((n,) * r, bool)
    for i in range(r - 1):
        mask &= grid[i] <= grid[i + 1] if with_replacement else grid[i] < grid[i + 1]
    chosen = wrap(mask, dt.bool_)
    return stack([g.masked_select(chosen) for g in meshgrid(*([input] * r), indexing="ij")], dim=1)


for _function, _own in ((np.concatenate, cat), (np.stack, stack)):
    SPECIAL[_function] = lambda arrays, axis=0, own=_own: own(
        [a if isinstance(a, Tensor) else wrap_fresh(a) for a in arrays], axis)
