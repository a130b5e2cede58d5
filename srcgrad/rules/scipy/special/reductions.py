"""Sums of exponentials and normalised exponentials over axes."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special as sp

from srcgrad.rules.book import Array, vjp
from srcgrad.rules.broadcast import sum_to
from srcgrad.rules.numpy.exponential import log_share
from srcgrad.rules.numpy.reductions import keep_axes, reduced

Shape = tuple[int, ...]


@vjp(sp.logsumexp, "a",
     like=lambda a, axis=None, b=None, keepdims=False, return_sign=False: None)
def logsumexp_a(
    ct: Any, ans: Any, a: Array, a_shape: Shape, axis: Any, b: Array, keepdims: bool,
    return_sign: bool,
) -> Array:  # fmt: skip
    value_ct, value = (ct[0], ans[0]) if return_sign else (ct, ans)
    value = keep_axes(value, axis, keepdims)
    weights = np.exp(log_share(a, value))
    if b is not None:
        weights = weights * b
    if return_sign:
        weights = weights * keep_axes(ans[1], axis, keepdims)
    return sum_to(keep_axes(value_ct, axis, keepdims) * weights, a_shape)


@vjp(sp.logsumexp, "b")
def logsumexp_b(
    ct: Any, ans: Any, a: Array, b_shape: Shape, axis: Any, keepdims: bool, return_sign: bool
) -> Array:
    value_ct, value = (ct[0], ans[0]) if return_sign else (ct, ans)
    value = keep_axes(value, axis, keepdims)
    weights = np.exp(log_share(a, value))
    if return_sign:
        weights = weights * keep_axes(ans[1], axis, keepdims)
    return sum_to(keep_axes(value_ct, axis, keepdims) * weights, b_shape)


vjp(sp.softmax, like=lambda x, axis=None: None,
    x=lambda ct, ans, axis: ans * (ct - reduced(np.sum, ct * ans, axis)))
vjp(sp.log_softmax, like=lambda x, axis=None: None,
    x=lambda ct, ans, axis: ct - np.exp(ans) * reduced(np.sum, ct, axis))
