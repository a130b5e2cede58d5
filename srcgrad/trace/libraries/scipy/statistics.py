"""The decorator of SciPy's sample statistics (``skew``, ``gmean``, ``ttest_ind``) while tracing.

It reflects on signatures, looks for NaN and masks, and moves the axes of its samples to the end.
Here the reflection runs while tracing, NaN propagate by themselves, and what is left is staged.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ...calls.handlers import Traced
from ...record.tracers import is_tracer

WRAPPER = ("_axis_nan_policy_factory.<locals>.axis_nan_policy_decorator.<locals>."
           "axis_nan_policy_wrapper")


def sample_statistic(wrapper: Any) -> Callable[..., Any]:
    """What stands for a decorated function of samples."""
    parts = inspect.getclosurevars(wrapper).nonlocals
    function = parts["hypotest_fun_in"]
    names = list(inspect.signature(function).parameters)
    variadic = any(p.kind is p.VAR_POSITIONAL
                   for p in inspect.signature(function).parameters.values())

    def handler(machine: Any, *args: Any, **kwargs: Any) -> Any:
        given = [f"arg{i}" for i in range(len(args))] + names[1:] if variadic else names
        if kwargs.pop("_no_deco", False):
            return machine.call(function, *args, **kwargs)
        settings = {**dict(zip(given, args)), **kwargs}
        if settings.pop("nan_policy", "propagate") != "propagate":
            return machine.calls.inline(wrapper, args, kwargs)
        count = parts["n_samples"]
        count = count(settings) if callable(count) else count or len(args)
        named = [n for n in parts["kwd_samples"] if settings.get(n) is not None]
        if any(n not in settings for n in given[:count]):
            return function(*args, **kwargs)  # raises what SciPy raises
        samples = [_promoted(machine, settings.pop(n)) for n in (*given[:count], *named)]
        axis = settings.pop("axis", parts["default_axis"])
        keepdims = settings.pop("keepdims", False)
        vectorized = "axis" in names and not parts["override"]["vectorization"]
        axes, samples = _flattened(machine, parts, samples, axis)
        outputs = parts["n_outputs"]
        outputs = outputs(settings) if callable(outputs) else outputs
        flat = all(_rank(s) <= 1 for s in samples)
        if not flat and not vectorized:
            return machine.calls.inline(wrapper, args, kwargs)
        if not flat:
            settings["axis"] = -1

        def run(*given: Any, **options: Any) -> Any:
            return machine.call(function, *given[:count], **options,
                                **dict(zip(named, given[count:])))

        result = machine.calls.inline(computed, (
            Traced(run), parts["is_too_small"], outputs, parts["result_to_tuple"], samples,
            settings, wrapper.__globals__["too_small_1d_not_omit"] if flat else None,
            wrapper.__globals__["SmallSampleWarning"]), {})
        if keepdims:
            result = tuple(r if isinstance(r, int) else machine.call(np.expand_dims, r, axes)
                           for r in machine.iterate(result))
        return machine.call(parts["tuple_to_result"], *machine.iterate(result))

    return handler


def computed(function: Any, is_too_small: Any, outputs: int, to_tuple: Any, samples: Any,
             settings: Any, message: Any, category: Any) -> Any:
    """The results as a tuple; NaN for samples that are too small."""
    if message is not None and is_too_small(samples, settings):
        warnings.warn(message, category, stacklevel=2)
        return tuple(np.full(outputs, np.nan))
    return tuple(to_tuple(function(*samples, **settings), outputs))


def _rank(sample: Any) -> int:
    return len(sample.aval.shape or ()) if is_tracer(sample) else int(np.ndim(sample))


def _promoted(machine: Any, sample: Any) -> Any:
    return machine.call(np.atleast_1d, machine.call(np.asarray, sample))


def _flattened(machine: Any, parts: Any, samples: list[Any], axis: Any) -> tuple[Any, list[Any]]:
    """The axes that are reduced, and the samples with these in one last axis."""
    if axis is None:
        axes: Any = tuple(range(max(map(_rank, samples), default=0)))
        return axes, [machine.call(np.ravel, s) for s in samples]
    if len(samples) > 1 and any(_rank(s) > 1 for s in samples):
        broadcast = parts["_broadcast_arrays"] if "_broadcast_arrays" in parts else (
            parts["hypotest_fun_in"].__globals__.get("_broadcast_arrays"))
        samples = list(machine.iterate(machine.call(
            broadcast, samples, axis=None if parts["paired"] else axis)))
    axis = machine.keys.static_key(axis)
    several = axis if isinstance(axis, tuple) else (axis,)
    moved = [machine.call(np.moveaxis, s, several, tuple(range(-len(several), 0)))
             if _rank(s) > 1 else s for s in samples]
    if len(several) > 1:
        moved = [machine.call(np.reshape, s, (*_sizes(machine, s, len(several)), -1))
                 for s in moved]
    return axis, moved


def _sizes(machine: Any, sample: Any, dropped: int) -> list[Any]:
    return [machine.access.size_of(sample, i) for i in range(_rank(sample) - dropped)]
