"""Sums of exponentials and normalised exponentials over axes."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special as sp

from srcgrad.rules.book import Array, vjp
from srcgrad.rules.broadcast import sum_to
from srcgrad.rules.numpy.exponential import log_share
from srcgrad.rules.numpy.reductions import keep_axes, reduced

vjp(sp.logsumexp, like=lambda a, axis=None, b=None, keepdims=False, return_sign=False: None,
    a=lambda ct, ans, a, a_shape, axis, b, keepdims, return_sign:
        sum_to(_shared_out(ct, ans, a, axis, b, keepdims, return_sign), a_shape),
    b=lambda ct, ans, a, b_shape, axis, keepdims, return_sign:
        sum_to(_shared_out(ct, ans, a, axis, None, keepdims, return_sign), b_shape))


def _shared_out(ct: Any, ans: Any, a: Array, axis: Any, b: Array, keepdims: bool,
                return_sign: bool) -> Array:
    """The cotangent of the sum by the share that each term, with its factor ``b``, has in it."""
    value_ct, value = (ct[0], ans[0]) if return_sign else (ct, ans)
    weights = np.exp(log_share(a, keep_axes(value, axis, keepdims)))
    if b is not None:
        weights = weights * b
    if return_sign:
        weights = weights * keep_axes(ans[1], axis, keepdims)
    return keep_axes(value_ct, axis, keepdims) * weights


vjp(sp.softmax, like=lambda x, axis=None: None,
    x=lambda ct, ans, axis: ans * (ct - reduced(np.sum, ct * ans, axis)))
vjp(sp.log_softmax, like=lambda x, axis=None: None,
    x=lambda ct, ans, axis: ct - np.exp(ans) * reduced(np.sum, ct, axis))
