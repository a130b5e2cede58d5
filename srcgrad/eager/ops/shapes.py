"""Views and rearrangements: view, reshape, transpose, expand, squeeze and their kin."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from srcgrad.eager.calling_errors import refuse, whole
from srcgrad.eager.dispatch import Primitive, Tensor, dt, op, register, view_of
from srcgrad.eager.ops.arguments import numbers, warn_once
from srcgrad.eager.recording import SPECIAL
from srcgrad.eager.strides import strided
from srcgrad.rules.broadcast import sum_to as sum_to_rule

_view = Primitive(np.reshape, "ViewBackward0")
_unsafe_view = Primitive(np.reshape, "UnsafeViewBackward0")
_copied = Primitive(np.copy, "CloneBackward0")
_permute = Primitive(np.transpose, "PermuteBackward0", shown={"axes": "dims"})
_transpose = Primitive(np.swapaxes, "TransposeBackward0", shown={"axis1": "dim0", "axis2": "dim1"})
_t = Primitive(np.swapaxes, "TBackward0")
_t_vector = Primitive(np.reshape, "TBackward0")
_transpose_scalar = Primitive(np.reshape, "TransposeBackward0")
_expand = Primitive(np.broadcast_to, "ExpandBackward0")
_squeeze_all = Primitive(np.squeeze, "SqueezeBackward0")
_squeeze_dim = Primitive(np.squeeze, "SqueezeBackward1")
_squeeze_dims = Primitive(np.squeeze, "SqueezeBackward2")
_unsqueeze = Primitive(np.expand_dims, "UnsqueezeBackward0")
_diagonal = Primitive(np.diagonal, "DiagonalBackward0", shown={"axis1": "dim1", "axis2": "dim2"})


def wrap_dim(dim: Any, input: Tensor | int, extra: int = 0) -> int:
    """A dimension number made non-negative; PyTorch's IndexError if there is no such one."""
    n = (input if isinstance(input, int) else input._a.ndim) + extra
    bound = max(n, 1)
    if dim.__class__ is not int and not whole(dim):
        raise TypeError(f"argument 'dim' must be int, not {type(dim).__name__}")
    i = int(dim)
    if not -bound <= i < bound:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-bound}, "
                         f"{bound - 1}], but got {dim})")
    return i % bound


def wrap_each(dims: Iterable[Any], input: Tensor) -> tuple[int, ...]:
    """Dimension numbers made non-negative, each of them once."""
    found = tuple(wrap_dim(d, input) for d in dims)
    for i in found:
        refuse(found.count(i) > 1, "dim {} appears multiple times in the list of dims", i)
    return found


def infer_size(shape: tuple[int, ...], n: int) -> tuple[int, ...]:
    """``shape`` with its one -1 worked out for ``n`` elements."""
    holes = [i for i, s in enumerate(shape) if s == -1]
    if len(holes) > 1:
        raise RuntimeError("only one dimension can be inferred")
    for i, s in enumerate(shape):
        if s < -1:
            raise RuntimeError(f"invalid shape dimension {s} at index {i} of shape {list(shape)}")
    known = math.prod(s for s in shape if s != -1)
    if holes and known == n == 0:
        raise RuntimeError(
            f"cannot reshape tensor of {n} elements into shape {list(shape)} because "
            f"the unspecified dimension size -1 can be any value and is ambiguous")
    if (known == 0 or n % known) if holes else known != n:
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {n}")
    return tuple(n // known if s == -1 else s for s in shape)


def reshaped_view(a: Any, shape: tuple[int, ...]) -> Any:
    """``a`` in another shape on the same memory, or None if that takes a copy."""
    try:
        return np.reshape(a, shape, copy=False)
    except ValueError:
        return None


@op(torch=False, out=False)
def view(input: Tensor, *size: Any, dtype: Any = None) -> Tensor:
    """The same memory in another shape (or dtype)."""
    if dtype is not None or (
            len(size) == 1 and isinstance(size[0], dt.dtype)):
        return view_dtype(input, size[0] if dtype is None else dtype)
    sizes = infer_size(numbers(size), input._a.size)
    a = reshaped_view(input._a, sizes)
    if a is None:
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one "
            "dimension spans across two contiguous subspaces). Use .reshape(...) instead.")
    return view_of(_view, input, a, {"a": input, "shape": sizes, "order": "C"})


def view_dtype(input: Tensor, d: Any) -> Tensor:
    """The same bytes as another dtype; nothing is recorded."""
    a, item = input._a, d.numpy.itemsize
    if item != a.itemsize:
        _check_retyped(input, d)
    t = input.detach()
    t._dt = d
    t._a = a.view(d.numpy) if a.size or not a.ndim else a.reshape(-1).view(d.numpy).reshape(
        *a.shape[:-1], a.shape[-1] * a.itemsize // item)
    return t  # type: ignore[no-any-return]


def _check_retyped(input: Tensor, d: Any) -> None:
    """Raise unless elements of another size fit into the last dimension."""
    a, item = input._a, d.numpy.itemsize
    end = (f"to view {input._dt.tensor_name} as {d.tensor_name} (different element sizes), but "
           "got ")
    if a.ndim == 0:
        raise RuntimeError(f"self.dim() cannot be 0 {end[:-10]}")
    times = max(item // a.itemsize, 1)
    start = input.storage_offset()
    if a.shape[-1] % times:
        raise RuntimeError(f"self.size(-1) must be divisible by {times} {end}{a.shape[-1]}")
    refuse(start % times, "self.storage_offset() must be divisible by {} {}{}", times, end, start)
    if a.strides[-1] != a.itemsize and a.shape[-1] > 1 and a.size:
        raise RuntimeError(f"self.stride(-1) must be 1 {end}{a.strides[-1] // a.itemsize}")
    for i, s in enumerate(a.strides[:-1]):
        if s // a.itemsize % times:
            raise RuntimeError(f"self.stride({i}) must be divisible by {times} {end}"
                               f"{s // a.itemsize}")


@op(out=False)
def reshape(input: Tensor, *shape: Any) -> Tensor:
    """A view if the memory allows it, else a copy in the new shape."""
    sizes = infer_size(numbers(shape, "shape"), input._a.size)
    a = reshaped_view(input._a, sizes)
    if a is not None:
        return view_of(_view, input, a, {"a": input, "shape": sizes, "order": "C"})
    copied = _copied.finish(input._a.copy("C"), (input,), {}, input._dt)
    return _unsafe_view.finish(  # type: ignore[no-any-return]
        copied._a.reshape(sizes).copy(), (copied, sizes), {"order": "C"}, input._dt)


@op(out=False)
def permute(input: Tensor, *dims: Any) -> Tensor:
    """Dimensions in another order."""
    order = numbers(dims, "dims")
    if len(order) != input._a.ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the "
            f"length of the desired ordering of dimensions i.e. input.dim() = {input._a.ndim} is "
            f"not equal to len(dims) = {len(order)}")
    order = tuple(wrap_dim(d, input) for d in order)
    if len(set(order)) != len(order):
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return view_of(_permute, input, input._a.transpose(order), {"a": input, "axes": order})


@op(out=False, aliases=("swapdims",), inplace=False)
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two dimensions exchanged."""
    i, j = wrap_dim(dim0, input), wrap_dim(dim1, input)
    if input._a.ndim == 0:
        return view_of(_transpose_scalar, input, input._a.view(), {"a": input, "order": "C"})
    a = input._a.swapaxes(i, j)
    return view_of(_transpose, input, a, {"a": input, "axis1": i, "axis2": j})


@op(out=False, inplace=False)
def swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """:func:`transpose` with NumPy's names."""
    return transpose(input, axis0, axis1)


@op(out=False)
def t(input: Tensor) -> Tensor:
    """The transpose of a matrix (vectors stay)."""
    n = input._a.ndim
    if n > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {n}D")
    if n < 2:
        return view_of(_t_vector, input, input._a.view(), {"a": input, "order": "C"})
    return view_of(_t, input, input._a.T, {"a": input, "axis1": 0, "axis2": 1})


def _reversed(input: Tensor) -> Tensor:
    if input._a.ndim == 0:
        warn_once("Tensor.T is deprecated on 0-D tensors. This function is the identity in these "
                  "cases.")
    elif input._a.ndim != 2:
        warn_once("The use of `x.T` on tensors of dimension other than 2 to reverse their shape is "
                  "deprecated and it will throw an error in a future release. Consider `x.mT` to "
                  "transpose batches of matrices or `x.permute(*torch.arange(x.ndim - 1, -1, -1))` "
                  "to reverse the dimensions of a tensor.")
    return permute(input, *range(input._a.ndim - 1, -1, -1))


def _matrix_transposed(input: Tensor) -> Tensor:
    if input._a.ndim == 0:
        warn_once("Tensor.mT is deprecated on 0-D tensors. This function is the identity in these "
                  "cases.")
        return input
    refuse(input._a.ndim < 2, "tensor.mT is only supported on matrices or batches of matrices. Got "
           "{}-D tensor.", input._a.ndim)
    return transpose(input, -2, -1)


register("T", property(_reversed), torch=False)
register("mT", property(_matrix_transposed), torch=False)


def _type_name(d: dt.dtype) -> str:
    """What a message of the C++ side calls tensors of ``d``: new dtypes have a new form."""
    if d in (dt.bool_, dt.bfloat16) or d.category == dt.COMPLEX:
        return f"CPU{d.tensor_name}Type"
    return f"torch.{d.tensor_name}Tensor"


def expand_array(a: Any, sizes: tuple[int, ...], d: dt.dtype) -> Any:
    """``a`` broadcast to ``sizes`` (-1 keeps a length); PyTorch's errors."""
    lead = len(sizes) - a.ndim
    if lead < 0:
        raise RuntimeError(f"expand({_type_name(d)}{{{list(a.shape)}}}, size={list(sizes)}): "
                           f"the number of sizes provided ({len(sizes)}) must be greater or equal "
                           f"to the number of dimensions in the tensor ({a.ndim})")
    target = list(sizes)
    for i, n in reversed(list(enumerate(sizes))):
        own = 1 if i < lead else a.shape[i - lead]
        if n == -1:
            refuse(i < lead, "The expanded size of the tensor ({}) isn't allowed in a leading, "
                   "non-existing dimension {}", n, i)
            n = own
        if own not in (1, n):
            raise RuntimeError(f"The expanded size of the tensor ({n}) must match the existing "
                               f"size ({own}) at non-singleton dimension {i}.  Target sizes: "
                               f"{list(sizes)}.  Tensor sizes: {list(a.shape)}")
        target[i] = n
    strides: list[int] = []
    for i in range(len(target) - 1, -1, -1):  # lengths that stay have strides of a view
        if i >= lead and a.shape[i - lead] == target[i]:
            strides.insert(0, a.strides[i - lead])
        elif target[i] == 1:
            strides.insert(0, target[i + 1] * strides[0] if strides else a.itemsize)
        else:
            strides.insert(0, 0)
    return strided(a, tuple(target), tuple(strides))


@op(torch=False, out=False)
def expand(input: Tensor, *size: Any, implicit: bool = False) -> Tensor:
    """Dimensions of length 1 (and new leading ones) repeated without a copy."""
    a = expand_array(input._a, numbers(size), input._dt)
    return view_of(_expand, input, a, {"array": input, "shape": a.shape})


def _shaped_as(function: Any) -> None:
    """The method that takes the shape from another tensor."""
    def call(input: Tensor, other: Tensor) -> Any:
        return function(input, other._a.shape)

    op(function.__name__ + "_as", torch=False, out=False)(call)


for _function in (view, reshape, expand):
    _shaped_as(_function)


op("broadcast_to", out=False)(lambda input, *size: expand(input, *size))


@op(torch=False, out=False)
def sum_to_size(input: Tensor, *size: Any) -> Tensor:
    """The sum over the dimensions along which ``size`` was broadcast."""
    shape = numbers(size)
    have = input._a.shape
    if have == shape and shape:
        return input
    if len(shape) > len(have) or any(
            n not in (1, m) for n, m in zip(shape[::-1], have[::-1])):
        raise RuntimeError(f"size {{{list(shape)}}} is not expandable to size {{{list(have)}}}.")
    if not shape:
        return input.sum()  # type: ignore[no-any-return]
    lead = len(have) - len(shape)
    axes = tuple(range(lead)) + tuple(
        i + lead for i, n in enumerate(shape) if n == 1 and have[i + lead] != 1)
    out = input.sum(axes, keepdim=True) if axes else input
    return out if out._a.shape == shape else view(out, shape)


@op(out=False)
def squeeze(input: Tensor, dim: Any = None) -> Tensor:
    """Without dimensions of length 1 (all, or the given ones)."""
    shape = input._a.shape
    if dim is None:
        axes: Any = tuple(i for i, n in enumerate(shape) if n == 1)
        prim = _squeeze_all
    elif isinstance(dim, tuple | list):
        axes = tuple(i for i in wrap_each(dim, input) if shape and shape[i] == 1)
        prim = _squeeze_dims
    else:
        i = wrap_dim(dim, input)
        axes = (i,) if shape and shape[i] == 1 else ()
        prim = _squeeze_dim
    return view_of(prim, input, input._a.squeeze(axes), {"a": input, "axis": axes})


_squeeze_written = Primitive(np.squeeze, "SqueezeBackward4")


def squeeze_fresh(input: Tensor, dim: int) -> Tensor:
    """``squeeze_`` of a tensor that nobody else holds, as PyTorch's own functions use it."""
    return _squeeze_written.finish(  # type: ignore[no-any-return]
        input._a.squeeze(dim), (input,), {"axis": dim}, input._dt)


@op(out=False)
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """With a new dimension of length 1 at ``dim``."""
    i, a = wrap_dim(dim, input, 1), input._a
    step = a.shape[i] * a.strides[i] if i < a.ndim else a.itemsize  # NumPy's would be 0
    seen = strided(a, (*a.shape[:i], 1, *a.shape[i:]), (*a.strides[:i], step, *a.strides[i:]))
    return view_of(_unsqueeze, input, seen, {"a": input, "axis": i})


@op(out=False)
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Several neighbouring dimensions joined to one."""
    if input._a.ndim == 0:
        return reshape(input, 1)
    i, j = wrap_dim(start_dim, input), wrap_dim(end_dim, input)
    refuse(i > j, "flatten() has invalid args: start_dim cannot come after end_dim")
    if i == j:
        return input
    s = input._a.shape
    return reshape(input, *s[:i], math.prod(s[i : j + 1]), *s[j + 1 :])


op("ravel", out=False)(lambda input: reshape(input, -1))


@op(out=False)
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """The diagonal of two dimensions, as the last dimension."""
    i, j = wrap_dim(dim1, input), wrap_dim(dim2, input)
    refuse(i == j, "diagonal dimensions cannot be identical {}, {}", dim1, dim2)
    a = np.diagonal(input._a, offset, i, j)
    a.flags.writeable = input._a.flags.writeable
    return view_of(_diagonal, input, a, {"a": input, "offset": offset, "axis1": i, "axis2": j})


def _np_expand_dims(a: Tensor, axis: Any) -> Tensor:
    axes = axis if isinstance(axis, tuple) else (axis,)
    n = a._a.ndim + len(axes)
    for i in sorted(i % n for i in axes):
        a = unsqueeze(a, i)
    return a


SPECIAL[np.reshape] = lambda a, shape, order="C": (
    reshape(a, shape) if order == "C" else
    permute(reshape(permute(a, *range(a._a.ndim - 1, -1, -1)), tuple(reversed(shape))),
            *range(len(shape) - 1, -1, -1)))
SPECIAL[np.ravel] = lambda a, order="C": reshape(a, -1)
SPECIAL[np.swapaxes] = transpose
SPECIAL[np.matrix_transpose] = _matrix_transposed
SPECIAL[np.transpose] = lambda a, axes=None: permute(
    a, *(range(a._a.ndim - 1, -1, -1) if axes is None else axes))
SPECIAL[np.squeeze] = lambda a, axis=None: squeeze(a, axis)
SPECIAL[np.expand_dims] = _np_expand_dims
SPECIAL[np.broadcast_to] = lambda array, shape: (
    array if array._a.shape == tuple(shape) else expand(array, tuple(shape)))
SPECIAL[np.diagonal] = diagonal
SPECIAL[sum_to_rule] = sum_to_size
