"""Matrix products."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.eager.dispatch import op, register
from srcgrad.eager.nodes import named
from srcgrad.eager.ops.arguments import one_dtype
from srcgrad.eager.ops.shapes import expand, reshape, squeeze, squeeze_fresh, unsqueeze
from srcgrad.eager.primitive import Primitive
from srcgrad.eager.recording import SPECIAL
from srcgrad.eager.tensor import Tensor

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
    for name, t in (("self", input), ("mat2", mat2)):
        if t._a.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix")
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
    if input._a.ndim != 2 or vec._a.ndim != 1:
        raise RuntimeError("vector + matrix @ vector expected, got 1, "
                           f"{input._a.ndim}, {vec._a.ndim}")
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
    if input._a.ndim != 1 or tensor._a.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {input._a.ndim}D and "
                           f"{tensor._a.ndim}D tensors")
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
    for name, t in (("batch1", x), ("batch2", y)):
        if t._a.ndim != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")
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
    if m == 0 or n == 0:
        raise RuntimeError("both arguments to matmul need to be at least 1D, but they are "
                           f"{m}D and {n}D")
    return _batched(input, other, m, n)


def _batched(input: Tensor, other: Tensor, m: int, n: int) -> Any:
    if n <= 2:  # fold the batch of the left factor into its rows
        rows = input._a.shape[:-1]
        folded = reshape(input, math.prod(rows), input._a.shape[-1])
        if n == 1:
            return unsafe_view(mv(folded, other), rows)
        out = mm(folded, other)
        return unsafe_view(out, (*rows, out._a.shape[-1]))
    if m == 1:
        return named(squeeze(matmul(unsqueeze(input, 0), other), -2), "UnsafeViewBackward0")
    left, right = input._a.shape, other._a.shape
    if left[-1] != right[-2]:
        raise RuntimeError("Expected size for first two dimensions of batch2 tensor to be: "
                           f"[{int(np.prod(right[:-2]))}, {left[-1]}] but got: "
                           f"[{int(np.prod(right[:-2]))}, {right[-2]}].")
    batch = np.broadcast_shapes(left[:-2], right[:-2])
    count = math.prod(batch)
    x = reshape(expand(input, *batch, *left[-2:]), count, *left[-2:])
    y = reshape(expand(other, *batch, *right[-2:]), count, *right[-2:])
    out = bmm(x, y)
    return unsafe_view(out, (*batch, left[-2], right[-1]))


def unsafe_view(out: Tensor, shape: tuple[int, ...]) -> Any:
    """A fresh tensor in another shape, under the node that PyTorch's products leave."""
    return _unsafe_view.finish(out._a.reshape(shape).copy(), (out, shape), {"order": "C"}, out._dt)


register("__matmul__", lambda self, other: (
    matmul(self, other) if isinstance(other, Tensor) else NotImplemented), torch=False)
SPECIAL[np.matmul] = matmul
SPECIAL[np.dot] = lambda a, b: matmul(a, b) if a._a.ndim and b._a.ndim else a * b
