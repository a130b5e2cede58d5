"""Exponentials and logarithms."""

from __future__ import annotations

import math

import numpy as np

from srcgrad.rules.book import Array, alias, elementwise, vjp

for _name in ("exp", "exp2", "expm1", "log2", "log10", "log1p", "sqrt", "cbrt"):
    alias(getattr(np, _name), getattr(math, _name))


def natural_log(x: Array) -> Array:
    """``log``, of a Python number as a Python number, which leaves narrow dtypes as they are."""
    return math.log(x) if isinstance(x, int | float) and x > 0 else np.log(x)


elementwise(np.exp, x=lambda ans: ans)
elementwise(np.exp2, x=lambda ans: ans * math.log(2))
elementwise(np.expm1, x=lambda ans: ans + 1)
vjp(np.log, x=lambda ct, x: ct / x)
vjp(np.log2, x=lambda ct, x: ct / (x * math.log(2)))
vjp(np.log10, x=lambda ct, x: ct / (x * math.log(10)))
vjp(np.log1p, x=lambda ct, x: ct / (1 + x))


def log_share(x: Array, total: Array) -> Array:
    """The logarithm of the share that ``exp(x)`` has in ``exp(total)``; an infinite term has all
    of it, one of ``-inf`` nothing."""
    return np.where(x == math.inf, 0, x) - np.where(np.isinf(x), 0, total)


elementwise(np.logaddexp,
    x1=lambda ans, x1: np.exp(log_share(x1, ans)),
    x2=lambda ans, x2: np.exp(log_share(x2, ans)))
elementwise(np.logaddexp2,
    x1=lambda ans, x1: np.exp2(log_share(x1, ans)),
    x2=lambda ans, x2: np.exp2(log_share(x2, ans)))
