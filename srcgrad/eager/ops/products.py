"""Matrix products."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.eager.dispatch import bad_argument, op, register
from srcgrad.eager.nodes import named
from srcgrad.eager.ops.shapes import expand, reshape, squeeze, squeeze_fresh, unsqueeze
from srcgrad.eager.primitive import Primitive
from srcgrad.eager.recording import SPECIAL
from srcgrad.eager.tensor import Tensor

_PAIR = {"x1": "self", "x2": "mat2"}
_mm = Primitive(np.matmul, "MmBackward0", shown=_PAIR)
_bmm = Primitive(np.matmul, "BmmBackward0", shown=_PAIR, main=False)
_mv = Primitive(np.matmul, "MvBackward0", shown={"x1": "self", "x2": "vec"}, main=False)
_dot = Primitive(np.matmul, "DotBackward0", shown={"x1": "self", "x2": "tensor"}, main=False)
_unsafe_view = Primitive(np.reshape, "UnsafeViewBackward0", shown={"a_shape": "self_sym_sizes"},
                         main=False)


def _same_dtype(x: Tensor, y: Tensor, text: str) -> None:
    if x._dt is not y._dt:
        raise RuntimeError(text.format(_c_name(x), _c_name(y)))


_C_NAMES = {"float32": "float", "float64": "double", "float16": "c10::Half", "int64": "long",
            "int32": "int", "int16": "short", "int8": "signed char", "uint8": "unsigned char",
            "bool": "bool", "bfloat16": "c10::BFloat16", "complex64": "c10::complex<float>",
            "complex128": "c10::complex<double>"}


def _c_name(t: Tensor) -> str:
    return _C_NAMES.get(t._dt.name, t._dt.name)


def _shape_text(t: Tensor) -> str:
    return "x".join(map(str, t._a.shape))


@op()
def mm(input: Tensor, mat2: Tensor) -> Any:
    """The product of two matrices."""
    for position, value in ((1, input), (2, mat2)):
        if not isinstance(value, Tensor):
            raise bad_argument("mm", "mat2", position, "Tensor", value)
    if input._a.ndim != 2:
        raise RuntimeError("self must be a matrix")
    if mat2._a.ndim != 2:
        raise RuntimeError("mat2 must be a matrix")
    _check_inner(input, mat2)
    return _mm(input, mat2)


def _check_inner(x: Tensor, y: Tensor) -> None:
    if x._a.shape[1] != y._a.shape[0]:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({_shape_text(x)} and "
                           f"{_shape_text(y)})")
    _same_dtype(x, y, "expected m1 and m2 to have the same dtype, but got: {} != {}")


@op()
def mv(input: Tensor, vec: Tensor) -> Any:
    """The product of a matrix and a vector."""
    if input._a.ndim != 2 or vec._a.ndim != 1:
        raise RuntimeError("vector + matrix @ vector expected, got 1, "
                           f"{input._a.ndim}, {vec._a.ndim}")
    if input._a.shape[1] != vec._a.shape[0]:
        raise RuntimeError(f"size mismatch, got input ({input._a.shape[0]}), mat "
                           f"({_shape_text(input)}), vec ({vec._a.shape[0]})")
    _same_dtype(input, vec, "expected m1 and m2 to have the same dtype, but got: {} != {}")
    return _mv(input, vec)


@op()
def dot(input: Tensor, tensor: Tensor) -> Any:
    """The inner product of two vectors."""
    if not isinstance(tensor, Tensor):
        raise bad_argument("dot", "tensor", 2, "Tensor", tensor)
    if input._a.ndim != 1 or tensor._a.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {input._a.ndim}D and "
                           f"{tensor._a.ndim}D tensors")
    if input._dt is not tensor._dt:
        raise RuntimeError("dot : expected both vectors to have same dtype, but found "
                           f"{input._dt.tensor_name} and {tensor._dt.tensor_name}")
    if input._a.shape != tensor._a.shape:
        raise RuntimeError(f"inconsistent tensor size, expected tensor [{input._a.shape[0]}] and "
                           f"src [{tensor._a.shape[0]}] to have the same number of elements, but "
                           f"got {input._a.shape[0]} and {tensor._a.shape[0]} elements "
                           "respectively")
    return _dot(input, tensor)


@op()
def bmm(input: Tensor, mat2: Tensor) -> Any:
    """The products of two batches of matrices."""
    if input._a.ndim != 3:
        raise RuntimeError("batch1 must be a 3D tensor")
    if mat2._a.ndim != 3:
        raise RuntimeError("batch2 must be a 3D tensor")
    b, _, k = input._a.shape
    if mat2._a.shape[0] != b or mat2._a.shape[1] != k:
        raise RuntimeError(f"Expected size for first two dimensions of batch2 tensor to be: [{b}, "
                           f"{k}] but got: [{mat2._a.shape[0]}, {mat2._a.shape[1]}].")
    _same_dtype(input, mat2, "expected m1 and m2 to have the same dtype, but got: {} != {}")
    return _bmm(input, mat2)


@op()
def matmul(input: Tensor, other: Tensor) -> Any:
    """The matrix product, with PyTorch's treatment of vectors and batches."""
    if not isinstance(other, Tensor):
        raise bad_argument("matmul", "other", 2, "Tensor", other)
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
            return _unsafe(mv(folded, other), rows)
        out = mm(folded, other)
        return _unsafe(out, (*rows, out._a.shape[-1]))
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
    return _unsafe(out, (*batch, left[-2], right[-1]))


def _unsafe(out: Tensor, shape: tuple[int, ...]) -> Any:
    return _unsafe_view.finish(out._a.reshape(shape).copy(), (out, shape), {"order": "C"}, out._dt)


def _operator(self: Tensor, other: Any) -> Any:
    return matmul(self, other) if isinstance(other, Tensor) else NotImplemented


register("__matmul__", _operator, torch=False)
SPECIAL[np.matmul] = matmul
SPECIAL[np.dot] = lambda a, b: matmul(a, b) if a._a.ndim and b._a.ndim else a * b
