"""Norms of vectors and matrices, condition numbers, cross products, distances."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.eager.calling_errors import refuse
from srcgrad.eager.dispatch import Primitive, Tensor, dt, op, within, wrap
from srcgrad.eager.nodes import named
from srcgrad.eager.ops.arguments import not_implemented, one_dtype, warn_once
from srcgrad.eager.ops.casts import convert
from srcgrad.eager.ops.factorizations import inv_ex, svdvals
from srcgrad.eager.ops.linear_algebra import LINALG, need_inexact, need_single, need_square
from srcgrad.eager.ops.reductions import wrap_dims
from srcgrad.eager.ops.shapes import expand, reshape, unsqueeze, wrap_dim
from srcgrad.eager.promotion import check_broadcast, result_type
from srcgrad.eager.saving import guard
from srcgrad.rules.nn.tensor_norms import power_norm

_NORM = Primitive(power_norm, "LinalgVectorNormBackward0")


@within(LINALG, "vector_norm")
def vector_norm(x: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False, *,
                dtype: dt.dtype | None = None) -> Any:
    """The p-norm of all elements, or over dimensions."""
    x = convert(x, dtype)
    need_inexact("linalg.vector_norm", x)
    axes = wrap_dims(dim, x)
    return _NORM(x, order=float(ord), axis=axes, keepdims=keepdim)


@within(LINALG, "matrix_norm")
def matrix_norm(A: Tensor, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *,
                dtype: dt.dtype | None = None) -> Any:
    """A norm of matrices: ``"fro"``, ``"nuc"``, 1, 2, inf and their negatives."""
    A = convert(A, dtype)
    refuse(not (ord in ("fro", "nuc") if isinstance(ord, str) else abs(ord) in (1, 2, math.inf)),
           "linalg.matrix_norm: Order {} not supported.", ord)
    refuse(A._a.ndim < 2, "linalg.matrix_norm: The input tensor A must have at least 2 dimensions.")
    refuse(len(dim) != 2, "linalg.matrix_norm: dim must be a 2-tuple. Got {}",
           " ".join(map(str, dim)))
    need_inexact("linalg.matrix_norm", A)
    i, j = (wrap_dim(d, A) for d in dim)
    if i == j:
        raise RuntimeError(f"linalg.matrix_norm: dims must be different. Got ({dim[0]}, {dim[1]})")
    if ord == "fro":
        return vector_norm(A, 2, (i, j), keepdim)
    if ord in ("nuc", 2, -2):
        need_single("linalg.matrix_norm", A)
        s = svdvals(A.movedim((i, j), (-2, -1)))
        r = s.sum(-1) if ord == "nuc" else s.amax(-1) if ord > 0 else s.amin(-1)
        return r.unsqueeze(min(i, j)).unsqueeze(max(i, j)) if keepdim else r
    first, second = (i, j) if abs(ord) == 1 else (j, i)
    sums = vector_norm(A, 1, first, keepdim)
    axis = second if keepdim or second < first else second - 1
    return sums.amax(axis, keepdim) if ord > 0 else sums.amin(axis, keepdim)


@within(LINALG, "norm")
def linalg_norm(A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *,
                dtype: dt.dtype | None = None) -> Any:
    """A vector norm, or with an order and two dimensions a matrix norm."""
    if ord is not None:
        refuse(dim is None and A._a.ndim not in (1, 2), "linalg.norm: If dim is not specified but "
               "ord is, the input must be 1D or 2D. Got {}D.", A._a.ndim)
        if dim is not None and not isinstance(dim, int) and len(dim) not in (1, 2):
            raise RuntimeError("linalg.norm: If dim is specified, it must be of length 1 or 2. Got "
                               f"{list(dim)}")
        pair = dim if dim is not None else tuple(range(A._a.ndim))
        if not isinstance(pair, int) and len(pair) == 2:
            return matrix_norm(A, ord, pair if dim is not None else (0, 1), keepdim, dtype=dtype)
        refuse(isinstance(ord, str), "linalg.norm: Order {} not supported for vectors", ord)
    return vector_norm(A, 2 if ord is None else ord, dim, keepdim, dtype=dtype)


@op(out=True)
def norm(input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False,
         dtype: dt.dtype | None = None) -> Any:
    """The p-norm of all elements, or over dimensions."""
    if p == "nuc":
        every = tuple(range(max(input._a.ndim, 1)))
        return matrix_norm(input, "nuc", every if dim is None else dim, keepdim, dtype=dtype)
    order = 2.0 if p in ("fro", None) else p
    return vector_norm(input, order, dim, keepdim, dtype=dtype)


@within(LINALG, "cond")
def cond(A: Tensor, p: Any = None) -> Any:
    """The condition number."""
    refuse(A._a.ndim < 2, "linalg.cond: The input tensor must have at least 2 dimensions.")
    refuse(p not in (None, "fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf),
           "linalg.cond got an invalid norm type: {}", p)
    if p is None or p in (2, -2):
        s = svdvals(A)
        high, low = s.narrow(-1, 0, 1), s.narrow(-1, s._a.shape[-1] - 1, 1)
        return (low / high if p == -2 else high / low).squeeze(-1)
    need_square(f"linalg.cond(ord={p}): ", A)
    inverse = inv_ex(A)[0]
    product = matrix_norm(A, p) * matrix_norm(inverse, p)
    return product.nan_to_num(math.inf, math.inf, -math.inf)


@op(method=False, out=False)
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Any:
    """The cosine of the angle between vectors along ``dim``."""
    check_broadcast(x1, x2)
    d = result_type(x1, x2)
    refuse(d.category != dt.FLOATING, "expected common dtype to be floating point, yet common "
           "dtype is {}", d.tensor_name)
    x1, x2 = x1.to(d), x2.to(d)
    shape = np.broadcast_shapes(x1._a.shape, x2._a.shape)
    a, b = (t if t._a.shape == shape else expand(t, shape) for t in (x1, x2))
    lengths = [vector_norm(t, 2, dim, True).clamp_min(eps) for t in (a, b)]
    return ((a / lengths[0]) * (b / lengths[1])).sum(dim)


_CROSS = Primitive(np.linalg.cross, "LinalgCrossBackward0")
_DIST = Primitive(power_norm, "DistBackward0", main=False)
_CDIST = Primitive(power_norm, "CdistBackward0", main=False)


@op()
def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Any:
    """The cross product along a dimension of length 3 (the first such one by default)."""
    if dim is None:
        warn_once("Using torch.cross without specifying the dim arg is deprecated.\nPlease either "
                  "pass the dim explicitly or simply use torch.linalg.cross.\nThe default value of "
                  "dim will change to agree with that of linalg.cross in a future release.")
        dim = next((i for i, n in enumerate(input._a.shape) if n == 3), None)
        if dim is None:
            raise RuntimeError("no dimension of size 3 in input")
    return linalg_cross(input, other, dim)


def linalg_cross(input: Tensor, other: Tensor, dim: int = -1) -> Any:
    """The cross product along ``dim``."""
    if input._a.ndim != other._a.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    i = wrap_dim(dim, input)
    if input._a.shape[i] != 3 or other._a.shape[i] != 3:
        raise RuntimeError(f"linalg.cross: inputs dimension {dim} must have length 3. Got "
                           f"{input._a.shape[i]} and {other._a.shape[i]}")
    one_dtype("cross", input, other)
    return _CROSS(input, other, axis=i)


within(LINALG, "cross")(lambda input, other, *, dim=-1: linalg_cross(input, other, dim))


@op(out=False)
def dist(input: Tensor, other: Tensor, p: float = 2) -> Any:
    """The p-norm of the difference."""
    out = _DIST(reshape(input - other, -1), order=float(p), axis=-1, keepdims=False)
    guard(out, input, other)
    return out


@op(method=False, out=False)
def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: Any = None) -> Any:
    """The p-norm distances between all rows of two matrices (or batches)."""
    for name, t in (("X1", x1), ("X2", x2)):
        refuse(t._dt.category != dt.FLOATING, "cdist only supports floating-point dtypes, {} got: "
               "{}", name, t._dt.tensor_name)
        if t._a.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, {name} got: {t._a.ndim}D")
    if x1._a.shape[-1] != x2._a.shape[-1]:
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: "
                           f"{x1._a.shape[-1]} X2: {x2._a.shape[-1]}")
    refuse(p < 0, "cdist only supports non-negative p values")
    if x1._dt in (dt.float16, dt.bfloat16):
        raise not_implemented("cdist", x1._dt)
    one_dtype("cdist", x1, x2)
    gaps = unsqueeze(x1, -2) - unsqueeze(x2, -3)
    out = _CDIST(gaps, order=float(p), axis=-1, keepdims=False)
    guard(out, x1, x2)
    return out


@op(inplace=True)
def renorm(input: Tensor, p: float, dim: int, maxnorm: float) -> Any:
    """Slices along ``dim`` scaled down to a p-norm of at most ``maxnorm``."""
    refuse(p <= 0, "renorm: non-positive-norm not supported")
    refuse(maxnorm < 0, "renorm: expected maxnorm to be >= 0 but got {:g}", maxnorm)
    refuse(input._a.ndim < 2, "renorm: input needs at least 2 dimensions, got {} dimensions",
           input._a.ndim)
    i = wrap_dim(dim, input)
    axes = tuple(d for d in range(input._a.ndim) if d != i)
    size = input.norm(p, axes, True)
    over = wrap(np.asarray(size._a > maxnorm), dt.bool_)
    return named(input * (maxnorm / (size + 1e-7)).where(over, 1.0), "RenormBackward0")
