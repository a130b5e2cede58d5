"""Elements moved about: flip, roll, repeat, windows, diagonals, triangles, strided views."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.eager.calling_errors import refuse
from srcgrad.eager.dispatch import Primitive, Tensor, dt, extra, op, register, view_of, wrap
from srcgrad.eager.grad_mode import FORWARD, GRAD, state
from srcgrad.eager.layout import contiguous_format
from srcgrad.eager.nodes import make_node, named, node_class
from srcgrad.eager.ops.arguments import not_implemented, numbers
from srcgrad.eager.ops.indexing import need_slice, slice_view
from srcgrad.eager.ops.shapes import (
    expand,
    flatten,
    permute,
    reshape,
    squeeze,
    t,
    transpose,
    unsqueeze,
    view,
    wrap_dim,
    wrap_each,
)
from srcgrad.eager.recording import SPECIAL
from srcgrad.eager.strides import address, refuse_negative, strided
from srcgrad.eager.tangents import tangent_of
from srcgrad.eager.views import STRIDED, gradient_edge, make_view, requires_grad, set_history
from srcgrad.eager.writes import bump, check_writable
from srcgrad.rules.numpy import selection, splitting

_FLIP = Primitive(np.flip, "FlipBackward0", shown={"axis": "dims"})
_ROLL = Primitive(np.roll, "RollBackward0", shown={"shift": "shifts", "axis": "dims"})
_ROT90 = Primitive(np.rot90, "Rot90Backward0")
_REPEAT = Primitive(splitting.repeat_blocks, "RepeatBackward0")
_TRIL = Primitive(np.tril, "TrilBackward0", shown={"k": "diagonal"})
_TRIU = Primitive(np.triu, "TriuBackward0", shown={"k": "diagonal"})
_TRACE = Primitive(np.trace, "TraceBackward0")
_EMBED = Primitive(splitting.embed_diagonal, "DiagEmbedBackward0")
_DIAGONAL_COPY = Primitive(np.diagonal, "DiagonalBackward0_copy")
_UNFOLD = Primitive(selection.unfold, "UnfoldBackward0")
_INDEX_SELECT = Primitive(np.take, "IndexSelectBackward0")


@op(out=False)
def flip(input: Tensor, *dims: Any) -> Any:
    """The order of dimensions reversed (a copy)."""
    axes = wrap_each(numbers(dims, "dims"), input)
    return _FLIP(input, axes if input._a.ndim else ())


@op(out=False)
def fliplr(input: Tensor) -> Any:
    """Columns in reverse order."""
    refuse(input._a.ndim < 2, "Input must be >= 2-d.")
    return flip(input, 1)


@op(out=False)
def flipud(input: Tensor) -> Any:
    """Rows in reverse order."""
    refuse(input._a.ndim < 1, "Input must be >= 1-d.")
    return flip(input, 0)


@op(out=False)
def roll(input: Tensor, shifts: int | Sequence[int],
         dims: int | Sequence[int] | None = None) -> Any:
    """Elements moved round along dimensions (all of them in a row without ``dims``)."""
    moves = shifts if isinstance(shifts, tuple | list) else (shifts,)
    refuse(not moves, "`shifts` required")
    if dims is None or dims == () or dims == []:
        refuse(len(moves) != 1, "shifts and dimensions must align. shifts: {}, dims:0", len(moves))
        return _ROLL(input, int(moves[0]))
    axes = dims if isinstance(dims, tuple | list) else (dims,)
    if input._a.ndim == 0:
        raise IndexError(f"Dimension specified as {axes[0]} but tensor has no dimensions")
    refuse(len(moves) != len(axes), "shifts and dimensions must align. shifts: {}, dims:{}",
           len(moves), len(axes))
    return _ROLL(input, tuple(int(s) for s in moves), tuple(wrap_dim(d, input) for d in axes))


@op(out=False)
def rot90(input: Tensor, k: int = 1, dims: Any = (0, 1)) -> Any:
    """A plane turned by ``k`` right angles."""
    refuse(len(dims) != 2, "expected total rotation dims == 2, but got dims = {}", len(dims))
    refuse(input._a.ndim < 2, "expected total dims >= 2, but got total dims = {}", input._a.ndim)
    i, j = (wrap_dim(d, input) for d in dims)
    if i == j:
        raise RuntimeError("expected rotation dims to be different, but got dim0 = "
                           f"{dims[0]} and dim1 = {dims[1]}")
    return _ROT90(input, k, (i, j))


@op(torch=False, out=False)
def repeat(input: Tensor, *repeats: Any) -> Any:
    """The tensor repeated along each dimension."""
    counts = numbers(repeats, "repeats")
    refuse(len(counts) < input._a.ndim, "Number of dimensions of repeat dims can not be smaller "
           "than number of dimensions of tensor")
    sizes = (1,) * (len(counts) - input._a.ndim) + input._a.shape
    refuse_negative([a * b for a, b in zip(sizes, counts)])
    return _REPEAT(input, counts)


@op(out=False)
def tile(input: Tensor, *dims: Any) -> Any:
    """:func:`repeat`; missing counts are 1."""
    counts = numbers(dims, "dims")
    return repeat(input, *(1,) * (input._a.ndim - len(counts)), *counts)


@op(out=False)
def repeat_interleave(input: Tensor, repeats: Any = None, dim: int | None = None, *,
                      output_size: int | None = None) -> Any:
    """Each element (or slice along ``dim``) repeated."""
    if repeats is None:
        counts = input._a
        refuse(counts.ndim != 1, "repeat_interleave only accept 1D vector as repeat")
        if input._dt not in (dt.int32, dt.int64):
            raise not_implemented("repeat_interleave_cpu", input._dt)
        refuse((counts < 0).any(), "repeats can not be negative")
        return wrap(np.repeat(np.arange(counts.size), counts), dt.int64)
    if isinstance(repeats, Tensor) and repeats._a.ndim == 0:
        repeats = int(repeats)
    if dim is None:
        input, dim = flatten(input), 0
    i = wrap_dim(dim, input)
    n = input._a.shape[i] if input._a.ndim else 1
    if isinstance(repeats, int):
        refuse(repeats < 0, "Repeats must be non-negative")
        lead, tail = input._a.shape[:i], input._a.shape[i + 1 :]
        spread = expand(unsqueeze(input, i + 1), *lead, n, repeats, *tail)
        return view(spread.clone(memory_format=contiguous_format), *lead, n * repeats, *tail)
    counts = repeats._a
    refuse(counts.ndim != 1, "repeats must be 0-dim or 1-dim tensor")
    refuse(counts.size not in (1, n), "repeats must have the same size as input along dim, but got "
           "repeats.size(0) = {} and input.size({}) = {}", counts.size, i, n)
    places = np.repeat(np.arange(n), counts)
    return _INDEX_SELECT(input, wrap(places, dt.int64), axis=i)


@op(out=False, aliases=("moveaxis",))
def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    """Dimensions moved to other places."""
    origin = source if isinstance(source, tuple | list) else (source,)
    target = destination if isinstance(destination, tuple | list) else (destination,)
    refuse(len(origin) != len(target), "movedim: Invalid source or destination dims: source ({} "
           "dims) should contain the same number of dims as destination ({} dims)",
           list(origin), list(target))
    from_dims = [wrap_dim(d, input) for d in origin]
    to_dims = [wrap_dim(d, input) for d in target]
    for label, dims, given in (("source", from_dims, origin), ("destination", to_dims, target)):
        if len(set(dims)) != len(dims):
            raise RuntimeError(f"movedim: repeated dim in `{label}` ({list(given)})")
    order = [d for d in range(input._a.ndim) if d not in from_dims]
    for to, origin_dim in sorted(zip(to_dims, from_dims)):
        order.insert(to, origin_dim)
    return permute(input, *order) if input._a.ndim else input[...]  # type: ignore[index]


@op(out=False)
def narrow(input: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """A stretch of one dimension, a view."""
    refuse(input._a.ndim == 0, "narrow() cannot be applied to a 0-dim tensor.")
    refuse(length < 0, "narrow(): length must be non-negative.")
    i = wrap_dim(dim, input)
    if isinstance(start, Tensor) and (start._a.ndim or start._dt.category != dt.INTEGRAL):
        raise RuntimeError("start must be an 0-dim integral Tensor.")
    n, begin = input._a.shape[i], int(start)
    refuse(not -n <= begin <= n, "start out of range (expected to be in range of [-{}, {}], but "
           "got {})", n, n, begin, kind=IndexError)
    begin += n if begin < 0 else 0
    if begin + length > n:
        raise RuntimeError(f"start ({begin}) + length ({length}) exceeds dimension size ({n}).")
    return slice_view(input, i, slice(begin, begin + length))


@op(out=False)
def unflatten(input: Tensor, dim: int, sizes: Any) -> Tensor:
    """One dimension split into several."""
    refuse(input._a.ndim == 0, "unflatten got an unexpected error:\nDimension specified as 0 but "
           "tensor has no dimensions")
    i = wrap_dim(dim, input)
    counts = tuple(int(n) for n in sizes)
    n = input._a.shape[i]
    refuse(not counts, "unflatten: sizes must be non-empty")
    known = math.prod(k for k in counts if k != -1)
    if (known == 0 or n % known) if -1 in counts else known != n:
        raise RuntimeError(f"unflatten: Provided sizes {list(counts)} don't multiply up to the "
                           f"size of dim {i} ({n}) in the input tensor")
    return view(input, *input._a.shape[:i], *counts, *input._a.shape[i + 1 :])


@op(torch=False, out=False)
def unfold(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """Windows along a dimension, as a view with a new last dimension."""
    i = wrap_dim(dimension, input)
    a = input._a
    n = a.shape[i] if a.ndim else 1
    refuse(size < 0, "size is {} but must be >= 0", size)
    refuse(size > n, "maximum size for tensor at dimension {} is {} but size is {}", i, n, size)
    refuse(step <= 0, "step is {} but must be > 0", step)
    if a.ndim == 0:
        return slice_view(reshape(input, 1), 0, slice(0, size))
    shape = (*a.shape[:i], (n - size) // step + 1, *a.shape[i + 1 :], size)
    strides = (*a.strides[:i], a.strides[i] * step, *a.strides[i + 1 :], a.strides[i])
    window = strided(a, shape, strides)
    return view_of(_UNFOLD, input, window, {"a": input, "axis": i, "size": size, "step": step})


@op(out=False)
def as_strided(input: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """The storage seen with another shape, strides and offset."""
    shape, steps = tuple(int(n) for n in size), tuple(int(n) for n in stride)
    refuse(len(shape) != len(steps), "mismatch in length of strides and shape")
    refuse(min(steps, default=0) < 0, "as_strided: Negative strides are not supported at the "
           "moment, got strides: {}", list(steps))
    refuse(min(shape, default=0) < 0, "Storage size calculation overflowed with sizes={} and "
           "strides={}", list(shape), list(steps))
    root = input._ver[1]
    item = input._a.itemsize
    own = (address(input._a) - address(root)) // item
    offset = own if storage_offset is None else storage_offset
    refuse(offset < 0, "Tensor: invalid storage offset {}", offset)
    strides = tuple(s * item for s in steps)
    a = strided(root, shape, strides, offset * item, input._a.dtype)
    node = None
    if state.mode & GRAD and requires_grad(input):
        saved = (input._a.shape, input._a.strides, (shape, strides, (offset - own) * item, None))
        node = make_node(node_class("AsStridedBackward0"), STRIDED, (gradient_edge(input),),
                         saved, input._dt)
    return make_view(input, a, node)


@op(out=False)
def as_strided_scatter(input: Tensor, src: Tensor, size: Any, stride: Any,
                       storage_offset: int | None = None) -> Any:
    """``input`` with ``src`` at the places that :func:`as_strided` sees."""
    out = input.clone()
    place = as_strided(out, size, stride, storage_offset)
    need_slice(src, place._a.shape)
    place.copy_(src)
    return named(out, "AsStridedScatterBackward0")


def _strided_in_place(name: str, function: Any, node: str) -> None:
    def written(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        check_writable(self, requires_grad(self))
        tangent = tangent_of(self) if state.mode & FORWARD else None
        try:
            changed = function(self, *args, **kwargs)
        except RuntimeError as error:
            raise RuntimeError(str(error).replace(f"{name}()", f"{name}_()", 1)) from None
        bump(self)
        self._a = changed._a
        if changed._fn is not None:
            several = node == "SqueezeBackward3" and (args or kwargs)
            named(changed, "SqueezeBackward4" if several else node)
            set_history(self, changed._fn, changed._nr)
            if self._view is not None:
                self._view.seen = self._ver[0]
        if tangent is not None:
            extra(self).tangent = (state.dual_token, function(tangent, *args, **kwargs))
        return self

    written.__name__ = name + "_"
    register(name + "_", written, torch=False)


for _name, _function, _node in (
    ("t", t, "TBackward1"), ("transpose", transpose, "TransposeBackward1"),
    ("squeeze", squeeze, "SqueezeBackward3"), ("unsqueeze", unsqueeze, "UnsqueezeBackward1"),
    ("swapaxes", transpose, "TransposeBackward1"), ("swapdims", transpose, "TransposeBackward1"),
    ("as_strided", as_strided, "AsStridedBackward1"),
):
    _strided_in_place(_name, _function, _node)


# -- diagonals and triangles ---------------------------------------------------------------


def _triangle(name: str, prim: Primitive) -> None:
    def call(input: Tensor, diagonal: int = 0) -> Any:
        refuse(input._a.ndim < 2, "{}: input tensor must have at least 2 dimensions", name)
        return prim(input, diagonal)

    op(name, inplace=True)(call)


_triangle("tril", _TRIL)
_triangle("triu", _TRIU)


@op()
def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """Matrices with the last dimension on a diagonal."""
    i, j = wrap_dim(dim1, input, 1), wrap_dim(dim2, input, 1)
    refuse(i == j, "diagonal dimensions cannot be identical {}, {}", dim1, dim2)
    return _EMBED(input, offset, i, j)


@op()
def diag(input: Tensor, diagonal: int = 0) -> Any:
    """The matrix with a vector on a diagonal, or a matrix's diagonal (a copy)."""
    n = input._a.ndim
    if n == 1:
        return diag_embed(input, diagonal)
    if n == 2:
        return _DIAGONAL_COPY(input, diagonal, 0, 1)
    raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {n}D")


@op(out=False)
def diagflat(input: Tensor, offset: int = 0) -> Any:
    """The matrix with all elements on a diagonal."""
    return diag(reshape(input, -1), offset)


@op(out=False)
def trace(input: Tensor) -> Any:
    """The sum of the diagonal of a matrix."""
    if input._a.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {input._a.ndim}")
    if input._dt.category < dt.FLOATING:
        return wrap(np.asarray(np.trace(input._a), np.int64), dt.int64)
    return _TRACE(input)


SPECIAL[np.moveaxis] = movedim
