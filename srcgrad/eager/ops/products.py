"""Matrix products, and products made of them: addmm and its kin, outer, inner, tensordot, kron."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.eager.calling_errors import refuse
from srcgrad.eager.dispatch import Primitive, Tensor, dt, need_tensor, op, register
from srcgrad.eager.ops.arguments import need_rank, one_dtype
from srcgrad.eager.ops.arithmetic import mul
from srcgrad.eager.ops.casts import contiguous
from srcgrad.eager.ops.shapes import (
    expand,
    expand_array,
    permute,
    reshape,
    squeeze_fresh,
    t,
    transpose,
    unsqueeze,
    view,
    wrap_dim,
)
from srcgrad.eager.promotion import promoted, result_type
from srcgrad.eager.recording import SPECIAL
from srcgrad.eager.views import requires_grad
from srcgrad.rules.nn import combined_products

_mm = Primitive(np.matmul, "MmBackward0", shown={"x2": "mat2"})
_bmm = Primitive(np.matmul, "BmmBackward0", shown={"x2": "mat2"})
_mv = Primitive(np.matmul, "MvBackward0", shown={"x2": "vec"})
_dot = Primitive(np.matmul, "DotBackward0", shown={"x2": "tensor"})
_unsafe_view = Primitive(np.reshape, "UnsafeViewBackward0")


_UNLIKE = "expected m1 and m2 to have the same dtype, but got: {0.c_name} != {1.c_name}"
UNLIKE_ADDMV = ("addmv input tensors must have the same dtype, but got {0.tensor_name}, "
                "{1.tensor_name}, and {2.tensor_name}")


def shape_text(t: Tensor) -> str:
    """``2x3``."""
    return "x".join(map(str, t._a.shape))


@op()
def mm(input: Tensor, mat2: Tensor) -> Any:
    """The product of two matrices."""
    need_rank(2, "{} must be a matrix", self=input, mat2=mat2)
    _check_inner(input, mat2)
    return _mm(input, mat2)


def check_lengths(x: Tensor, y: Tensor) -> None:
    """Raise unless two matrices have the inner length in common."""
    if x._a.shape[1] != y._a.shape[0]:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({shape_text(x)} and "
                           f"{shape_text(y)})")


def _check_inner(x: Tensor, y: Tensor) -> None:
    check_lengths(x, y)
    one_dtype("addmm_impl_cpu_", x, y, text=_UNLIKE)


@op()
def mv(input: Tensor, vec: Tensor) -> Any:
    """The product of a matrix and a vector."""
    refuse(input._a.ndim != 2 or vec._a.ndim != 1, "vector + matrix @ vector expected, got 1, {}, "
           "{}", input._a.ndim, vec._a.ndim)
    if input._a.shape[1] != vec._a.shape[0]:
        raise RuntimeError(f"size mismatch, got input ({input._a.shape[0]}), mat "
                           f"({shape_text(input)}), vec ({vec._a.shape[0]})")
    one_dtype("addmv_impl_cpu", vec, input, vec, text=UNLIKE_ADDMV)
    return _mv(input, vec)


@op()
def dot(input: Tensor, tensor: Tensor) -> Any:
    """The inner product of two vectors."""
    check_vectors(input, tensor)
    return _dot(input, tensor)


def check_vectors(input: Tensor, tensor: Tensor) -> None:
    """Raise unless two tensors are vectors with an inner product."""
    refuse(input._a.ndim != 1 or tensor._a.ndim != 1, "1D tensors expected, but got {}D and {}D "
           "tensors", input._a.ndim, tensor._a.ndim)
    one_dtype("dot", input, tensor, text="dot : expected both vectors to have same dtype, but "
              "found {0.tensor_name} and {1.tensor_name}")
    if input._a.shape != tensor._a.shape:
        raise RuntimeError(f"inconsistent tensor size, expected tensor [{input._a.shape[0]}] and "
                           f"src [{tensor._a.shape[0]}] to have the same number of elements, but "
                           f"got {input._a.shape[0]} and {tensor._a.shape[0]} elements "
                           "respectively")


@op()
def bmm(input: Tensor, mat2: Tensor) -> Any:
    """The products of two batches of matrices."""
    check_batches(input, mat2)
    one_dtype("bmm", input, mat2)
    return _bmm(input, mat2)


def check_batches(x: Tensor, y: Tensor) -> None:
    """Raise unless two batches of matrices can be multiplied."""
    need_rank(3, "{} must be a 3D tensor", batch1=x, batch2=y)
    b, _, k = x._a.shape
    if y._a.shape[0] != b or y._a.shape[1] != k:
        raise RuntimeError(f"Expected size for first two dimensions of batch2 tensor to be: [{b}, "
                           f"{k}] but got: [{y._a.shape[0]}, {y._a.shape[1]}].")


@op()
def matmul(input: Tensor, other: Tensor) -> Any:
    """The matrix product, with PyTorch's treatment of vectors and batches."""
    m, n = input._a.ndim, other._a.ndim
    if m == 2 and n == 2:
        _check_inner(input, other)
        return _mm(input, other)
    if m == 1 and n == 1:
        return dot(input, other)
    if m == 2 and n == 1:
        return mv(input, other)
    if m == 1 and n == 2:
        return squeeze_fresh(mm(unsqueeze(input, 0), other), 0)
    refuse(m == 0 or n == 0, "both arguments to matmul need to be at least 1D, but they are {}D "
           "and {}D", m, n)
    return _batched(input, other, m, n)


def _batched(input: Tensor, other: Tensor, m: int, n: int) -> Any:
    if n <= 2:  # fold the batch of the left factor into its rows
        rows = input._a.shape[:-1]
        folded = reshape(input, math.prod(rows), input._a.shape[-1])
        if n == 1:
            return unsafe_view(mv(folded, other), rows)
        out = mm(folded, other)
        return unsafe_view(out, (*rows, out._a.shape[-1]))
    if m <= 2 and requires_grad(input):  # the mirror image, so that its gradient is one product
        out = _batched(transpose(other, -2, -1), t(input), n, m)
        return out if m == 1 else contiguous(transpose(out, -2, -1))
    left, right = input._a.shape, other._a.shape
    if left[-1] != right[-2]:
        raise RuntimeError("Expected size for first two dimensions of batch2 tensor to be: "
                           f"[{int(np.prod(right[:-2]))}, {left[-1]}] but got: "
                           f"[{int(np.prod(right[:-2]))}, {right[-2]}].")
    batch = np.broadcast_shapes(left[:-2], right[:-2])
    count = math.prod(batch)
    rows = left[-2:-1] or (1,)
    x = reshape(expand(input, *batch, *rows, left[-1]), count, *rows, left[-1])
    y = reshape(expand(other, *batch, *right[-2:]), count, *right[-2:])
    out = bmm(x, y)
    return unsafe_view(out, (*batch, *left[-2:-1], right[-1]))


def unsafe_view(out: Tensor, shape: tuple[int, ...]) -> Any:
    """A fresh tensor in another shape, under the node that PyTorch's products leave."""
    return _unsafe_view.finish(out._a.reshape(shape).copy(), (out, shape), {"order": "C"}, out._dt)


register("__matmul__", lambda self, other: (
    matmul(self, other) if isinstance(other, Tensor) else NotImplemented), torch=False)
register("__rmatmul__", lambda self, other: (
    matmul(other, self) if isinstance(other, Tensor) else NotImplemented), torch=False)
SPECIAL[np.matmul] = matmul
SPECIAL[np.dot] = lambda a, b: matmul(a, b) if a._a.ndim and b._a.ndim else a * b


_MATRICES = {"x1": "mat1", "x2": "mat2"}
_ADDMM = Primitive(combined_products.add_matmul, "AddmmBackward0", shown=_MATRICES)
_ADDMM_TURNED = Primitive(combined_products.add_matmul, "AddmmBackward0", shown=_MATRICES,
                          settings={"turned": True})
_ADDMV = Primitive(combined_products.add_matmul, "AddmvBackward0", shown=_MATRICES)
_BADDBMM = Primitive(combined_products.add_matmul, "BaddbmmBackward0", shown=_MATRICES)
_ADDR = Primitive(combined_products.add_outer, "AddrBackward0")
_ADDBMM = Primitive(combined_products.add_batches, "AddbmmBackward0")
_VDOT = Primitive(np.vdot, "VdotBackward0")


def _fits(input: Tensor, shape: tuple[int, ...]) -> None:
    try:
        if np.broadcast_shapes(input._a.shape, shape) == shape:
            return
    except ValueError:
        pass
    expand_array(input._a, shape, input._dt)  # raises


def _one_dtype(input: Tensor, mat1: Tensor, mat2: Tensor) -> None:
    name = "self" if input._dt is not mat2._dt else "mat1"
    one_dtype("addmm_impl_cpu_", mat1 if name == "mat1" else input, mat2, text=name + " and mat2 "
              "must have the same dtype, but got {0.tensor_name} and {1.tensor_name}")


def _factors(d: dt.dtype, beta: Any, alpha: Any) -> dict[str, Any]:
    """``beta`` and ``alpha``, whole for tensors of integers."""
    if d.category < dt.FLOATING:
        whole = bool if d is dt.bool_ else int
        beta, alpha = whole(beta), whole(alpha)
    return {"beta": beta, "alpha": alpha}


@op(inplace=True)
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """``beta * input + alpha * (mat1 @ mat2)``."""
    _one_dtype(input, need_tensor("addmm", mat1, "mat1", 2), need_tensor("addmm", mat2, "mat2", 3))
    need_rank(2, "{} must be a matrix, got {}-D tensor", mat1=mat1, mat2=mat2)
    check_lengths(mat1, mat2)
    _fits(input, (mat1._a.shape[0], mat2._a.shape[1]))
    columns = mat2._a.strides[0] == mat2._a.itemsize  # as in linear layers: a transposed weight
    prim = _ADDMM_TURNED if columns else _ADDMM
    return prim(input, mat1, mat2, **_factors(input._dt, beta, alpha))


@op(inplace=True)
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """``beta * input + alpha * (mat @ vec)``."""
    refuse(mat._a.ndim != 2 or vec._a.ndim != 1 or input._a.ndim > 1, "vector + matrix @ vector "
           "expected, got {}, {}, {}", input._a.ndim, mat._a.ndim, vec._a.ndim)
    if mat._a.shape[1] != vec._a.shape[0] or (
            input._a.ndim and input._a.shape[0] not in (1, mat._a.shape[0])):
        raise RuntimeError(f"size mismatch, got input ({input._a.shape[0]}), mat "
                           f"({shape_text(mat)}), vec ({vec._a.shape[0]})")
    one_dtype("addmv_impl_cpu", input, mat, vec, text=UNLIKE_ADDMV)
    return _ADDMV(input, mat, vec, **_factors(input._dt, beta, alpha))


@op(inplace=True)
def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """``beta * input + alpha * outer(vec1, vec2)``."""
    need_rank(1, "addr: Expected 1-D argument {}, but got {}-D", vec1=vec1, vec2=vec2)
    _fits(input, (*vec1._a.shape, *vec2._a.shape))
    d = result_type(input, vec1, vec2)
    return promoted(_ADDR, d, input, vec1, vec2, **_factors(d, beta, alpha))


@op(inplace=True)
def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """``beta * input + alpha * (batch1 @ batch2)`` for batches of matrices."""
    one_dtype("baddbmm", input, batch1, batch2, text="Input dtypes must be the same, got: input "
              "{0.c_name}, batch1: {1.c_name}, batch2: {2.c_name}")
    check_batches(batch1, batch2)
    _fits(input, (batch1._a.shape[0], batch1._a.shape[1], batch2._a.shape[2]))
    return _BADDBMM(input, batch1, batch2, **_factors(input._dt, beta, alpha))


@op(inplace=True)
def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """``beta * input`` plus ``alpha`` times the sum of the batch's products."""
    check_batches(batch1, batch2)
    _fits(input, (batch1._a.shape[1], batch2._a.shape[2]))
    _one_dtype(input, batch1, batch2)
    return _ADDBMM(input, batch1, batch2, **_factors(input._dt, beta, alpha))


@op()
def vdot(input: Tensor, other: Tensor) -> Any:
    """The inner product of two vectors, the first conjugated."""
    check_vectors(input, other)
    return _VDOT(input, other)


@op()
def inner(input: Tensor, other: Tensor) -> Any:
    """The sum of products over the last dimension of both."""
    if input._a.ndim == 0 or other._a.ndim == 0:
        return mul(input, other)
    if input._a.shape[-1] != other._a.shape[-1]:
        raise RuntimeError("inner() the last dimension must match on both input tensors but got "
                           f"shapes {list(input._a.shape)} and {list(other._a.shape)}")
    return tensordot(input, other, dims=([-1], [-1]))


@op(aliases=("ger",))
def outer(input: Tensor, vec2: Tensor) -> Any:
    """All products of the elements of two vectors."""
    need_rank(1, "outer: Expected 1-D argument {}, but got {}-D", self=input, vec2=vec2)
    return mul(view(input, -1, 1), vec2)


@op()
def kron(input: Tensor, other: Tensor) -> Any:
    """The Kronecker product."""
    n = max(input._a.ndim, other._a.ndim)
    a_shape = (1,) * (n - input._a.ndim) + input._a.shape
    b_shape = (1,) * (n - other._a.ndim) + other._a.shape
    spread_a = view(input, *(k for m in a_shape for k in (m, 1)))
    spread_b = view(other, *(k for m in b_shape for k in (1, m)))
    product = mul(spread_a, spread_b)
    return unsafe_view(product, tuple(x * y for x, y in zip(a_shape, b_shape)))


@op(method=False)
def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Any:
    """Products summed over several dimensions of both tensors."""
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if isinstance(dims, int):
        refuse(dims < 0, "tensordot expects dims >= 0, but got dims={}", dims)
        if dims > min(a._a.ndim, b._a.ndim):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        first = list(range(a._a.ndim - dims, a._a.ndim))
        second = list(range(dims))
    else:
        first = [wrap_dim(d, a) for d in _listed(dims[0])]
        second = [wrap_dim(d, b) for d in _listed(dims[1])]
    refuse(len(first) != len(second), "both dimension lists should have same length")
    refuse(a._dt is not b._dt, "both inputs should have same dtype")
    for i, j in zip(first, second):  # a length of 1 broadcasts
        if a._a.shape[i] == 1 != b._a.shape[j]:
            b = b.sum(j, True, dtype=b._dt)
        elif b._a.shape[j] == 1 != a._a.shape[i]:
            a = a.sum(i, True, dtype=a._dt)
        if a._a.shape[i] != b._a.shape[j]:
            place = i - a._a.ndim if isinstance(dims, int) else i
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {a._a.shape[i]} in dim "
                f"{place} and second has size {b._a.shape[j]} in dim {j}")
    free_a = [i for i in range(a._a.ndim) if i not in first]
    free_b = [i for i in range(b._a.ndim) if i not in second]
    rows = math.prod(a._a.shape[i] for i in free_a)
    columns = math.prod(b._a.shape[i] for i in free_b)
    inner_size = math.prod(a._a.shape[i] for i in first)
    shape = (*(a._a.shape[i] for i in free_a), *(b._a.shape[i] for i in free_b))
    left = reshape(permute(a, *free_a, *first) if a._a.ndim else a, rows, inner_size)
    right = reshape(permute(b, *second, *free_b) if b._a.ndim else b, inner_size, columns)
    product = dot(reshape(left, -1), reshape(right, -1)) if not shape else mm(left, right)
    return reshape(product, shape)


def _listed(value: Any) -> Any:
    return value if isinstance(value, list | tuple) else [value]
