"""Functions of SciPy that write their result into an argument, as functions that return it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ....rules.book import lookup
from ...record.tracers import ArrayTracer, contains_tracer

Handler = Callable[..., Any]


def into_output(function: Any) -> Handler | None:
    """A ruled function with ``output=``, the array that gets the result, or its dtype."""
    entry = lookup(function)
    if entry is None or "output" not in entry.signature.parameters:
        return None
    signature: inspect.Signature = entry.signature

    def handler(machine: Any, *args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        if contains_tracer(bound.arguments.get("sigma")):  # its derivative is that of the weights
            staged = {"gaussian_filter": gaussian_filter}.get(function.__name__)
            return machine.calls.inline(staged or inspect.unwrap(function), args, kwargs)
        output = bound.arguments.get("output")
        if not isinstance(output, (ArrayTracer, np.ndarray)):
            return machine.library_calls.call_library(function, args, kwargs)
        bound.arguments["output"] = output.dtype
        made = machine.library_calls.call_library(function, bound.args, bound.kwargs)
        machine.setitem(output, ..., made)
        return output

    return handler


def gaussian_filter(input: Any, sigma: Any, order: Any = 0, output: Any = None,
                    mode: Any = "reflect", cval: Any = 0.0, truncate: Any = 4.0, *,
                    radius: Any = None, axes: Any = None) -> Any:
    """``scipy.ndimage.gaussian_filter`` whose sigma has a derivative."""
    from scipy.ndimage import gaussian_filter1d  # an optional partner

    input = np.asarray(input)
    if axes is None:
        axes = tuple(range(input.ndim))
    elif isinstance(axes, int):
        axes = (axes,)
    count = len(axes)
    sigmas, orders = of_axes(sigma, count), of_axes(order, count)
    modes, sizes = of_axes(mode, count), of_axes(radius, count)
    found = input.copy()
    for i in range(count):
        if sigmas[i] > 1e-15:
            found = gaussian_filter1d(found, sigmas[i], axes[i], orders[i], None, modes[i], cval,
                                      truncate, radius=sizes[i])
    if isinstance(output, np.ndarray):
        output[...] = found
        return output
    return found if output is None else found.astype(output)


def of_axes(setting: Any, count: int) -> Any:
    """A setting for each of several axes."""
    if isinstance(setting, (list, tuple)):
        if len(setting) != count:
            raise RuntimeError("sequence argument must have length equal to input rank")
        return setting
    return [setting] * count


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
