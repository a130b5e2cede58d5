"""Products made of others: addmm and its kin, outer, inner, tensordot, kron."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.eager import dtype as dt
from srcgrad.eager.dispatch import bad_argument, op, register
from srcgrad.eager.ops.arguments import c_name
from srcgrad.eager.ops.arithmetic import mul
from srcgrad.eager.ops.products import dot, mm
from srcgrad.eager.ops.shapes import permute, reshape, view, wrap_dim
from srcgrad.eager.primitive import Primitive
from srcgrad.eager.tensor import Tensor
from srcgrad.rules.nn import combined_products

_MATRICES = {"x": "self", "x1": "mat1", "x2": "mat2"}
_ADDMM = Primitive(combined_products.add_matmul, "AddmmBackward0", shown=_MATRICES)
_ADDMM_TURNED = Primitive(combined_products.add_matmul, "AddmmBackward0", shown=_MATRICES,
                          settings={"turned": True}, main=False)
_ADDMV = Primitive(combined_products.add_matmul, "AddmvBackward0", shown=_MATRICES, main=False)
_BADDBMM = Primitive(combined_products.add_matmul, "BaddbmmBackward0", shown=_MATRICES, main=False)
_ADDR = Primitive(combined_products.add_outer, "AddrBackward0")
_ADDBMM = Primitive(combined_products.add_batches, "AddbmmBackward0")
_VDOT = Primitive(np.vdot, "VdotBackward0")


def _shape(t: Tensor) -> str:
    return "x".join(map(str, t._a.shape))


def _fits(input: Tensor, shape: tuple[int, ...]) -> None:
    have = input._a.shape
    try:
        if np.broadcast_shapes(have, shape) == shape:
            return
    except ValueError:
        pass
    n = len(shape)
    for i in range(1, min(len(have), n) + 1):
        if have[-i] not in (1, shape[-i]):
            raise RuntimeError(f"The expanded size of the tensor ({shape[-i]}) must match the "
                               f"existing size ({have[-i]}) at non-singleton dimension {n - i}.  "
                               f"Target sizes: {list(shape)}.  Tensor sizes: {list(have)}")
    raise RuntimeError(f"expand(torch.{input._dt.tensor_name}Tensor{{{list(have)}}}, "
                       f"size={list(shape)}): the number of sizes provided ({n}) must be greater "
                       f"or equal to the number of dimensions in the tensor ({len(have)})")


def _one_dtype(input: Tensor, *others: Tensor) -> None:
    for t in others:
        if t._dt is not input._dt:
            raise RuntimeError(
                "self and mat2 must have the same dtype, but got "
                f"{input._dt.tensor_name} and {t._dt.tensor_name}"
                if len(others) == 1 else
                "expected m1 and m2 to have the same dtype, but got: "
                f"{c_name(input._dt)} != {c_name(t._dt)}")


def _factors(input: Tensor, beta: Any, alpha: Any) -> dict[str, Any]:
    """``beta`` and ``alpha``, whole for tensors of integers."""
    if input._dt is dt.bool_:
        return {"beta": bool(beta), "alpha": bool(alpha)}
    if input._dt.category < dt.FLOATING:
        return {"beta": int(beta), "alpha": int(alpha)}
    return {"beta": beta, "alpha": alpha}


@op(inplace=True)
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """``beta * input + alpha * (mat1 @ mat2)``."""
    for name, t in (("mat1", mat1), ("mat2", mat2)):
        if not isinstance(t, Tensor):
            raise bad_argument("addmm", name, 2 if name == "mat1" else 3, "Tensor", t)
        if t._a.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix, got {t._a.ndim}-D tensor")
    if mat1._a.shape[1] != mat2._a.shape[0]:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({_shape(mat1)} and "
                           f"{_shape(mat2)})")
    _one_dtype(input, mat1, mat2)
    _fits(input, (mat1._a.shape[0], mat2._a.shape[1]))
    columns = mat2._a.strides[0] == mat2._a.itemsize  # as in linear layers: a transposed weight
    prim = _ADDMM_TURNED if columns else _ADDMM
    return prim(input, mat1, mat2, **_factors(input, beta, alpha))


@op(inplace=True)
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """``beta * input + alpha * (mat @ vec)``."""
    if mat._a.ndim != 2 or vec._a.ndim != 1 or input._a.ndim > 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {input._a.ndim}, "
                           f"{mat._a.ndim}, {vec._a.ndim}")
    if mat._a.shape[1] != vec._a.shape[0] or (
            input._a.ndim and input._a.shape[0] not in (1, mat._a.shape[0])):
        raise RuntimeError(f"size mismatch, got input ({input._a.shape[0]}), mat ({_shape(mat)}), "
                           f"vec ({vec._a.shape[0]})")
    return _ADDMV(input, mat, vec, **_factors(input, beta, alpha))


@op(inplace=True)
def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """``beta * input + alpha * outer(vec1, vec2)``."""
    for name, t in (("vec1", vec1), ("vec2", vec2)):
        if t._a.ndim != 1:
            raise RuntimeError(f"addr: Expected 1-D argument {name}, but got {t._a.ndim}-D")
    return _ADDR(input, vec1, vec2, **_factors(input, beta, alpha))


@op(inplace=True)
def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """``beta * input + alpha * (batch1 @ batch2)`` for batches of matrices."""
    _check_batches(batch1, batch2)
    _fits(input, (batch1._a.shape[0], batch1._a.shape[1], batch2._a.shape[2]))
    return _BADDBMM(input, batch1, batch2, **_factors(input, beta, alpha))


@op(inplace=True)
def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """``beta * input`` plus ``alpha`` times the sum of the batch's products."""
    _check_batches(batch1, batch2)
    return _ADDBMM(input, batch1, batch2, **_factors(input, beta, alpha))


def _check_batches(x: Tensor, y: Tensor) -> None:
    for name, t in (("batch1", x), ("batch2", y)):
        if t._a.ndim != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")
    b, _, k = x._a.shape
    if y._a.shape[0] != b or y._a.shape[1] != k:
        raise RuntimeError(f"Expected size for first two dimensions of batch2 tensor to be: [{b}, "
                           f"{k}] but got: [{y._a.shape[0]}, {y._a.shape[1]}].")


@op()
def vdot(input: Tensor, other: Tensor) -> Any:
    """The inner product of two vectors, the first conjugated."""
    if input._dt.category != dt.COMPLEX:
        return dot(input, other) if not input._rg and not other._rg else _VDOT(input, other)
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
    for name, t in (("self", input), ("vec2", vec2)):
        if t._a.ndim != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {t._a.ndim}-D")
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
    return _unsafe(product, tuple(x * y for x, y in zip(a_shape, b_shape)))


_UNSAFE = Primitive(np.reshape, "UnsafeViewBackward0", main=False)


def _unsafe(t: Tensor, shape: tuple[int, ...]) -> Any:
    return _UNSAFE.finish(t._a.reshape(shape).copy(), (t, shape), {"order": "C"}, t._dt)


def tensordot(a: Tensor, b: Tensor, dims: Any = 2, out: Tensor | None = None) -> Any:
    """Products summed over several dimensions of both tensors."""
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if isinstance(dims, int):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a._a.ndim, b._a.ndim):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        first = list(range(a._a.ndim - dims, a._a.ndim))
        second = list(range(dims))
    else:
        first = [wrap_dim(d, a) for d in _listed(dims[0])]
        second = [wrap_dim(d, b) for d in _listed(dims[1])]
    if len(first) != len(second):
        raise RuntimeError("both dimension lists should have same length")
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
    result = reshape(product, shape)
    if out is not None:
        out.copy_(result)
        return out
    return result


def _listed(value: Any) -> Any:
    return value if isinstance(value, list | tuple) else [value]


register("tensordot", tensordot, method=False)
