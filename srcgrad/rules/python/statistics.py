"""Functions of Python's ``statistics`` on numbers.

The data are the items of a list.  Source of the formulas: the definitions of the statistics.
"""

from __future__ import annotations

import statistics
import sys
from typing import Any

import numpy as np

from srcgrad.rules.book import Array, vjp


def _items(slopes: Array, data: list[Array]) -> list[Array]:
    return [slopes[i] for i in range(len(data))]


def _about(data: list[Array], center: Any) -> Array:
    """The deviations from the center, or from the mean."""
    values = np.stack(data)
    return values - (np.mean(values) if center is None else center)


vjp(statistics.mean, sequence=True, like=lambda data: None,
    data=lambda ct, data: [ct / len(data)] * len(data))
vjp(statistics.pvariance, sequence=True, like=lambda data, mu=None: None,
    data=lambda ct, data, mu: _items(2 * ct / len(data) * _about(data, mu), data))
vjp(statistics.variance, sequence=True, like=lambda data, xbar=None: None,
    data=lambda ct, data, xbar: _items(2 * ct / (len(data) - 1) * _about(data, xbar), data))


@vjp(statistics.pstdev, "data", sequence=True, like=lambda data, mu=None: None)
def pstdev_data(ct: Array, ans: Array, data: Any, mu: Any) -> list[Array]:
    scale = ct / (len(data) * np.where(ans == 0, 1, ans))
    return _items(scale * _about(data, mu), data)


@vjp(statistics.stdev, "data", sequence=True, like=lambda data, xbar=None: None)
def stdev_data(ct: Array, ans: Array, data: Any, xbar: Any) -> list[Array]:
    scale = ct / ((len(data) - 1) * np.where(ans == 0, 1, ans))
    return _items(scale * _about(data, xbar), data)


vjp(statistics.geometric_mean, sequence=True, like=lambda data: None,
    data=lambda ct, ans, data: [ct * ans / (len(data) * x) for x in data])


@vjp(statistics.harmonic_mean, "data", sequence=True,
     like=lambda data, weights=None: None)
def harmonic_mean_data(ct: Array, ans: Array, data: Any, weights: Any) -> list[Array]:
    shares = [1 / len(data)] * len(data) if weights is None else [
        w / sum(weights) for w in weights]
    return [ct * shares[i] * (ans / data[i]) ** 2 for i in range(len(data))]


vjp(statistics.covariance, sequence=True, like=lambda x, y: None,
    x=lambda ct, x, y: _items(ct / (len(x) - 1) * _about(y, None), x),
    y=lambda ct, x, y: _items(ct / (len(y) - 1) * _about(x, None), y))


def _correlation(ct: Array, ans: Array, x: Any, y: Any) -> list[Array]:
    """What of ``y`` is not along ``x``, by their lengths."""
    along, across = _about(x, None), _about(y, None)
    square = np.sum(along * along)
    return _items(ct * (across / np.sqrt(square * np.sum(across * across))
                        - ans * along / square), x)


if sys.version_info >= (3, 13):  # before, its source is differentiated
    vjp(statistics.correlation, sequence=True, like=lambda x, y: None,
        x=lambda ct, ans, x, y: _correlation(ct, ans, x, y),
        y=lambda ct, ans, x, y: _correlation(ct, ans, y, x))
