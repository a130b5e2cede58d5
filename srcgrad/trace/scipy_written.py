"""Functions of SciPy that write their result into an argument, as functions that return it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ..rules.book import lookup
from .tracers import ArrayTracer, contains_tracer

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
