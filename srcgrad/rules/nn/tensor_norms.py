"""The p-norm over any axes, with PyTorch's choices where it is not differentiable."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.rules.book import Array, Dtype, vjp
from srcgrad.rules.broadcast import runtime
from srcgrad.rules.numpy.products import conj_complex
from srcgrad.rules.numpy.reductions import keep_axes


@runtime
def power_norm(x: Array, order: float, axis: Any, keepdims: bool) -> Array:
    """The norm of ``order`` (0, inf and -inf included) over ``axis``.

    >>> float(power_norm(np.array([3.0, 4.0]), 2.0, None, False))
    5.0
    """
    size = np.absolute(x)
    if size.dtype == np.float16:  # powers would overflow
        return power_norm(x.astype(np.float32), order, axis, keepdims).astype(np.float16)
    if order == math.inf:
        if size.size == 0:
            return np.sum(size, axis=axis, keepdims=keepdims)
        return np.max(size, axis=axis, keepdims=keepdims)
    if order == -math.inf:
        return np.min(size, axis=axis, keepdims=keepdims)
    if order == 0:
        return np.sum(size != 0, axis=axis, keepdims=keepdims, dtype=size.dtype)
    if order == 1:
        return np.sum(size, axis=axis, keepdims=keepdims)
    if order == 2:
        return np.sqrt(np.sum(size * size, axis=axis, keepdims=keepdims))
    return np.sum(size**order, axis=axis, keepdims=keepdims) ** (1 / order)


@vjp(power_norm, "x")
def power_norm_x(ct: Array, ans: Array, x: Array, x_dtype: Dtype, order: float, axis: Any,
                 keepdims: bool) -> Array:
    ct, ans = keep_axes(ct, axis, keepdims), keep_axes(ans, axis, keepdims)
    size = np.absolute(x)
    if x_dtype.kind == "c":
        direction = conj_complex(x, x_dtype) / np.where(size == 0, 1, size)
    else:
        direction = np.sign(x)
    if order == 0:
        return None
    if order == 1:
        return ct * direction
    safe = np.where(ans == 0, 1, ans)
    if order == 2:
        return np.where(ans == 0, 0, ct / safe) * conj_complex(x, x_dtype)
    if order in (math.inf, -math.inf):
        at = size == ans
        return ct * direction * (at / np.sum(at, axis=axis, keepdims=True, dtype=ct.dtype))
    safe_size = np.where(size == 0, 1, size)
    weights = np.where((size == 0) | (ans == 0), 0, (safe_size / safe) ** (order - 1))
    return ct * direction * weights
