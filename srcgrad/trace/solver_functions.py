"""What SciPy's solvers make small, and integrals of integrals: Python that is staged."""

from __future__ import annotations

from typing import Any

import numpy as np


def half_squares(residuals: Any) -> Any:
    """Half of the sum of squares."""
    return 0.5 * np.sum(np.square(residuals))


def misfit(model: Any, xdata: Any, ydata: Any, sigma: Any, parameters: Any) -> Any:
    """Half of the sum of the squared differences between a model and data."""
    differences = model(xdata, *parameters) - ydata
    if sigma is not None:
        differences = differences / sigma
    return 0.5 * np.sum(np.square(differences))


_TOLERANCE = 1.49012e-8  # LSODA's


def explicit_solution(solver: Any, function: Any, y0: Any, t: Any, args: Any, time_first: bool,
                      tolerances: Any) -> Any:
    """The solution at the times ``t``, one row each, by steps of order 8."""

    def slope(time: Any, y: Any) -> Any:
        return function(time, y, *args) if time_first else function(y, time, *args)

    found = solver(slope, (t[0], t[-1]), y0, method="DOP853", t_eval=t,
                   rtol=tolerances.get("rtol", _TOLERANCE), atol=tolerances.get("atol", _TOLERANCE))
    return np.reshape(np.transpose(found.y), (len(t), len(y0)))


def nested_integral(quad: Any, func: Any, ranges: Any, settings: Any, args: Any, later: Any) -> Any:
    """The integral over the variables before those whose values ``later`` holds."""
    number = len(ranges) - len(later) - 1
    limits = ranges[number]
    if callable(limits):
        limits = limits(*later, *args)
    low, high = limits
    if number == 0:
        return quad(func, low, high, args=(*later, *args), **settings[number])[0]

    def over_earlier(x: Any) -> Any:
        return nested_integral(quad, func, ranges, settings, args, (x, *later))

    return quad(over_earlier, low, high, **settings[number])[0]
