"""Functions of Python's ``statistics`` on numbers.

The data are the items of a list.  Source of the formulas: the definitions of the statistics.
"""

from __future__ import annotations

import statistics
import sys
from typing import Any

import numpy as np

from srcgrad.rules.book import Array, vjp


def _values(data: Any) -> Array:
    """Numbers, an array of them or a list whose length only the run knows, as an array."""
    return np.stack(data) if isinstance(data, list | tuple) else np.ravel(data)


def _about(data: Any, center: Any = None) -> Array:
    """The deviations from the center, or from the mean."""
    values = _values(data)
    return values - (np.mean(values) if center is None else center)


def _spread(ct: Array, data: Any, center: Any, missing: int) -> Array:
    """The slopes of a mean square, of which so many degrees of freedom are ``missing``."""
    about = _about(data, center)
    return 2 * ct / (about.shape[0] - missing) * about


def _share(ct: Array, data: Any) -> Array:
    values = _values(data)
    return np.broadcast_to(ct / values.shape[0], values.shape)


vjp(statistics.mean, sequence=True, like=lambda data: None, data=_share)
vjp(statistics.pvariance, sequence=True, like=lambda data, mu=None: None,
    data=lambda ct, data, mu: _spread(ct, data, mu, 0))
vjp(statistics.variance, sequence=True, like=lambda data, xbar=None: None,
    data=lambda ct, data, xbar: _spread(ct, data, xbar, 1))
vjp(statistics.pstdev, sequence=True, like=lambda data, mu=None: None,
    data=lambda ct, ans, data, mu: _spread(ct / (2 * np.where(ans == 0, 1, ans)), data, mu, 0))
vjp(statistics.stdev, sequence=True, like=lambda data, xbar=None: None,
    data=lambda ct, ans, data, xbar:
        _spread(ct / (2 * np.where(ans == 0, 1, ans)), data, xbar, 1))
vjp(statistics.geometric_mean, sequence=True, like=lambda data: None,
    data=lambda ct, ans, data: _share(ct * ans, data) / _values(data))


@vjp(statistics.harmonic_mean, "data", sequence=True,
     like=lambda data, weights=None: None)
def harmonic_mean_data(ct: Array, ans: Array, data: Any, weights: Any) -> Array:
    values = _values(data)
    shares = 1 / values.shape[0] if weights is None else _values(weights) / np.sum(
        _values(weights))
    return ct * shares * (ans / values) ** 2


vjp(statistics.covariance, sequence=True, like=lambda x, y: None,
    x=lambda ct, y: _spread(ct / 2, y, None, 1), y=lambda ct, x: _spread(ct / 2, x, None, 1))


def _correlation(ct: Array, ans: Array, x: Any, y: Any) -> Array:
    """What of ``y`` is not along ``x``, by their lengths."""
    along, across = _about(x), _about(y)
    square = np.sum(along * along)
    return ct * (across / np.sqrt(square * np.sum(across * across)) - ans * along / square)


if sys.version_info >= (3, 13):  # before, its source is differentiated
    vjp(statistics.correlation, sequence=True, like=lambda x, y: None,
        x=lambda ct, ans, x, y: _correlation(ct, ans, x, y),
        y=lambda ct, ans, x, y: _correlation(ct, ans, y, x))
