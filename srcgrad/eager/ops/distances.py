"""Cross products, distances, and slices scaled to a length."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager import dtype as dt
from srcgrad.eager.dispatch import op
from srcgrad.eager.nodes import named
from srcgrad.eager.ops.arguments import not_implemented, one_dtype, warn_once
from srcgrad.eager.ops.shapes import reshape, unsqueeze, wrap_dim
from srcgrad.eager.primitive import Primitive
from srcgrad.eager.saving import guard
from srcgrad.eager.tensor import Tensor, wrap
from srcgrad.rules.nn.tensor_norms import power_norm

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


@op(out=False)
def dist(input: Tensor, other: Tensor, p: float = 2) -> Any:
    """The p-norm of the difference."""
    return _named_distance(_DIST, input, other, p)


def _named_distance(prim: Primitive, input: Tensor, other: Tensor, p: float) -> Any:
    out = prim(reshape(input - other, -1), order=float(p), axis=-1, keepdims=False)
    guard(out, input, other)
    return out


@op(method=False, out=False)
def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: Any = None) -> Any:
    """The p-norm distances between all rows of two matrices (or batches)."""
    for name, t in (("X1", x1), ("X2", x2)):
        if t._dt.category != dt.FLOATING:
            raise RuntimeError(f"cdist only supports floating-point dtypes, {name} got: "
                               f"{t._dt.tensor_name}")
        if t._a.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, {name} got: {t._a.ndim}D")
    if x1._a.shape[-1] != x2._a.shape[-1]:
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: "
                           f"{x1._a.shape[-1]} X2: {x2._a.shape[-1]}")
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
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
    if p <= 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm:g}")
    if input._a.ndim < 2:
        raise RuntimeError("renorm: input needs at least 2 dimensions, got "
                           f"{input._a.ndim} dimensions")
    i = wrap_dim(dim, input)
    axes = tuple(d for d in range(input._a.ndim) if d != i)
    size = input.norm(p, axes, True)
    over = wrap(np.asarray(size._a > maxnorm), dt.bool_)
    return named(input * (maxnorm / (size + 1e-7)).where(over, 1.0), "RenormBackward0")
