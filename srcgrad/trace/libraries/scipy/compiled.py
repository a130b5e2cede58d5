"""Compiled functions of SciPy on traced values: those that its staged source comes down to.

They write into buffers.  Here each is a function of ``srcgrad.rules`` that returns what was
written, or Python that is staged in its place.
"""

from __future__ import annotations

import importlib
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ....errors import UnsupportedOperation
from ...calls.handlers import Traced
from ...record.tracers import contains_tracer, is_tracer

Handler = Callable[..., Any]


def _sizes(machine: Any, array: Any) -> tuple[Any, ...]:
    """The sizes of an array, known or traced."""
    if not is_tracer(array):
        return np.shape(array)
    return tuple(machine.access.size_of(array, i) for i in range(array.aval.ndim or 0))


# ---- piecewise polynomials and splines -----------------------------------------------------------
def _piecewise(rule: str) -> Handler:
    """What writes into an array the values, or integrals, of piecewise polynomials."""
    def handler(machine: Any, function: Any, *given: Any, out: Any = None) -> None:
        if out is None:
            *given, out = given  # type: ignore[assignment]
        found = getattr(importlib.import_module("srcgrad.rules.scipy.interpolate"), rule)
        machine.setitem(out, ..., machine.call(found, *given, _sizes(machine, out)))

    return handler


def spline_evaluated(machine: Any, function: Any, t: Any, c: Any, k: Any, points: Any, nu: Any,
                     extrapolate: Any) -> Any:
    from ....rules.scipy.interpolate import spline_values  # an optional partner

    k, nu = (machine.escapes.demand(n, "the degree of a spline") for n in (k, nu))
    shape = (_sizes(machine, points)[0], _sizes(machine, c)[1])
    return machine.call(spline_values, c, t, k, points, nu, bool(extrapolate), shape)


def collocated(machine: Any, function: Any, x: Any, t: Any, k: Any, ab: Any, offset: Any) -> None:
    from ....rules.scipy.interpolate import collocation  # an optional partner

    machine.setitem(ab, ..., machine.call(collocation, function, x, t, k, ab, offset))


def fitpack_evaluated(machine: Any, function: Any, x: Any, tck: Any, der: Any = 0,
                      ext: Any = 0) -> Any:
    from ....rules.scipy.interpolate import fitpack_values  # an optional partner

    t, c, k = machine.iterate(tck)
    k, der, ext = (machine.escapes.demand(n, "a setting of a spline") for n in (k, der, ext))
    points = machine.call(np.ravel, machine.call(np.asarray, x))
    shape = _sizes(machine, points)
    made = machine.call(fitpack_values, c, t, k, points, der, ext, shape)
    return machine.call(np.reshape, made, _sizes(machine, machine.call(np.asarray, x)))


def checked_grid(points: Any, *args: Any) -> Any:
    """``_check_points`` of a grid, whose nodes must ascend here."""
    grid = []
    for i, nodes in enumerate(points):
        nodes = np.asarray(nodes, dtype=float)
        if not np.all(nodes[1:] > nodes[:-1]):
            raise ValueError(f"The points in dimension {i} must be strictly ascending "
                             "(in a function that srcgrad compiles; turn the grid round)")
        grid.append(nodes)
    return tuple(grid), ()


def _in_python(helper: Any) -> Handler:
    def handler(machine: Any, function: Any, *args: Any, **kwargs: Any) -> Any:
        return machine.calls.inline(helper, args, kwargs)

    return handler


def continued_smoothly(c: Any, x: Any, order: Any) -> None:
    """Give each piece the value and derivatives that the piece before it ends with."""
    size = c.shape[0]
    for i in range(1, len(x) - 1):
        step = x[i] - x[i - 1]
        for times in range(order, -1, -1):
            total = 0.0
            power = 1.0
            divided = 1.0
            for k in range(times, size):
                factor = 1.0
                for j in range(k, k - times, -1):
                    factor *= j
                total = total + c[size - k - 1, i - 1] * power * factor
                power = power * step
            for j in range(times):
                divided *= j + 1
            c[size - times - 1, i] = total / divided


# ---- grids ---------------------------------------------------------------------------------------
def indices_in_grid(grid: Any, points: Any) -> Any:
    """The node of a grid before each point, and how far the point is on the way to the next."""
    places = []
    parts = []
    for i in range(len(grid)):
        nodes = grid[i]
        place = np.clip(np.searchsorted(nodes, points[i], "right") - 1, 0, len(nodes) - 2)
        places.append(place)
        parts.append((points[i] - nodes[place]) / (nodes[place + 1] - nodes[place]))
    return np.stack(places), np.stack(parts)


def coordinates(points: Any, ndim: Any = None) -> Any:
    """An array with the coordinates of points along its last axis."""
    if isinstance(points, tuple) and len(points) == 1:
        points = points[0]
    if isinstance(points, tuple):
        return np.stack(np.broadcast_arrays(*points), -1).astype(float)
    points = np.asarray(points)
    if points.ndim == 1:
        return points.reshape(-1, 1 if ndim is None else ndim)
    return points


def linear_in_plane(values: Any, places: Any, parts: Any, grid: Any, out: Any) -> Any:
    """Interpolation between the four nodes around each point."""
    i, j = places[0], places[1]
    y, z = parts[0], parts[1]
    found = values[i, j] * (1 - y) * (1 - z)
    found = found + values[i, j + 1] * (1 - y) * z
    found = found + values[i + 1, j] * y * (1 - z)
    return found + values[i + 1, j + 1] * y * z


# ---- LAPACK --------------------------------------------------------------------------------------
def lapack_routines(machine: Any, function: Any, names: Any, arrays: Any = (),
                    *args: Any, **kwargs: Any) -> Any:
    if names != ("gbsv",):
        raise machine.recorder.fatal(UnsupportedOperation(
            f"routines of LAPACK ({', '.join([names] if isinstance(names, str) else names)}) were "
            "asked for traced values",
            why="they are compiled code without derivative rules",
            fix="use the functions of numpy.linalg"))

    def gbsv(lower: Any, upper: Any, ab: Any, b: Any, **overwrites: bool) -> Any:
        from ....rules.scipy.banded import general_banded_solution  # an optional partner

        return None, None, machine.call(general_banded_solution, ab, b, lower, upper), 0

    return [Traced(gbsv)]


COMPILED: dict[tuple[str, str], Handler] = {
    ("scipy.interpolate._ppoly", "evaluate"): _piecewise("piecewise_values"),
    ("scipy.interpolate._ppoly", "integrate"): _piecewise("piecewise_integral"),
    ("scipy.interpolate._ppoly", "fix_continuity"): _in_python(continued_smoothly),
    ("scipy.interpolate._dierckx", "evaluate_spline"): spline_evaluated,
    ("scipy.interpolate._dierckx", "_coloc"): collocated,
    ("scipy.interpolate._fitpack_impl", "splev"): fitpack_evaluated,
    ("scipy.interpolate._rgi", "_check_points"): _in_python(checked_grid),
    ("scipy.interpolate._interpnd", "_ndim_coords_from_arrays"): _in_python(coordinates),
    ("scipy.interpolate.interpnd", "_ndim_coords_from_arrays"): _in_python(coordinates),
    ("scipy.interpolate._rgi_cython", "find_indices"): _in_python(indices_in_grid),
    ("scipy.interpolate._rgi_cython", "evaluate_linear_2d"): _in_python(linear_in_plane),
    ("scipy.linalg.lapack", "get_lapack_funcs"): lapack_routines,
}


def compiled(function: Any) -> Handler | None:
    """What stands for a compiled function of SciPy if it is called with traced values."""
    found = COMPILED.get((function.__module__, getattr(function, "__name__", "")))
    if found is None:
        return None

    def handler(machine: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(function, types.FunctionType) and not (
                contains_tracer(args) or contains_tracer(kwargs)):
            return function(*args, **kwargs)
        return found(machine, function, *args, **kwargs)

    return handler
