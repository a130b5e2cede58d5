"""SciPy's solvers with derivatives filled in, for arguments of any structure.

They have SciPy's signatures and results.  What a solver starts from may be an array, a number, or
nested dicts, lists, tuples and dataclasses of these; the function gets, and the result has, the
same structure (a list or tuple of nothing but numbers is a vector, as for SciPy).  Whole numbers
become floats; attributes of objects that are ints are settings to :func:`minimize` and
:func:`least_squares`, and stay.  SciPy is imported at the first call.

In a function that is differentiated they are steps with derivatives like SciPy's own: those of the
equation that the result satisfies, with respect to all that the function reads.
"""

from __future__ import annotations

import copy
import functools
import importlib
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from .compile.frames import without_internal_frames
from .compile.templates import may_vary
from .errors import StructureError
from .public.api import grad, value_and_grad
from .public.jacobians import hessian, hvp, jacobian
from .show.progress import telling
from .types.guards import Path
from .types.tree import flatten, is_fixed, paths_below, ravel_some, unflatten

WITH_PRODUCTS = frozenset({"newton-cg", "trust-ncg", "trust-krylov", "trust-constr"})
WITH_HESSIANS = frozenset({"dogleg", "trust-exact"})
WITHOUT_GRADIENTS = frozenset({"nelder-mead", "powell", "cobyla", "cobyqa"})
IMPLICIT = frozenset({"Radau", "BDF", "LSODA"})


def library(name: str) -> Any:
    """A part of SciPy."""
    try:
        return importlib.import_module(f"scipy.{name}")
    except ImportError:
        raise StructureError(
            "srcgrad.scipy needs SciPy", where="srcgrad.scipy", why="it is not installed",
            fix="pip install scipy, or pip install 'srcgrad[scipy]'") from None


def _as_float(leaf: Any) -> Any:
    """Whole numbers as floats, like SciPy takes them."""
    if isinstance(leaf, (np.ndarray, np.generic)) and leaf.dtype.kind in "biu":
        return leaf.astype(float)
    return float(leaf) if type(leaf) is int else leaf


def as_floats(tree: Any, settings: bool, convert: Callable[[Any], Any] = _as_float) -> Any:
    """The tree with whole numbers as floats; with ``settings`` those that are attributes stay."""
    leaves, structure = flatten(tree)
    steps = [path.steps[-1:] for path, _ in paths_below(tree, Path(("arg", "x0")), whole=True)
             if not is_fixed(path)]
    return unflatten(structure, [
        leaf if settings and step and step[0][0] in ("attr", "slot") else convert(leaf)
        for leaf, step in zip(leaves, steps, strict=True)])


def _point(x0: Any, settings: bool = False) -> Any:
    """Where a solver starts: numbers in a list or tuple are a vector, as for SciPy."""
    if type(x0) in (list, tuple) and all(np.ndim(x) == 0 and may_vary(_as_float(x)) for x in x0):
        return np.array(x0, float)
    return as_floats(x0, settings)


def _flat(point: Any) -> tuple[Any, Callable[[Any], Any], Callable[[Any], Any]]:
    """The numbers of a start as a vector, the way back, and the way for other trees."""
    start, unravel, ravel = ravel_some(point, may_vary)
    if not start.size:
        raise StructureError("a solver starts from what holds no numbers", where="the start",
                             why="it moves the numbers in it", fix="start from floats")
    if start.dtype.kind != "f":
        start = start.astype(float)
    if isinstance(point, np.ndarray):
        if point.ndim == 1 and point.dtype == start.dtype:
            return start, lambda flat: flat, lambda flat: flat
        return start, unravel, np.ravel
    return start, unravel, ravel


@without_internal_frames
def minimize(fun: Callable[..., Any], x0: Any, args: tuple[Any, ...] = (),
             method: str | None = None, **options: Any) -> Any:
    """``scipy.optimize.minimize`` with ``jac`` (and for methods that use them ``hessp`` or
    ``hess``) filled in.

    ``fun(x, *args)`` returns a real number; ``x`` has the structure of ``x0``, and so have the
    result's ``x`` and ``jac``, and what a ``callback`` and the functions of ``constraints`` get
    (whose Jacobians are filled in, too).  ``bounds`` and linear constraints are those of the vector
    of all numbers, in order.  Derivatives that are given (``jac=...``) are left alone.
    ``srcgrad.config.progress = True`` shows how far it is.

    Raises :class:`NonScalarOutput` if the result is not a real scalar, and what
    :func:`srcgrad.grad` raises; :class:`StructureError` where SciPy is not installed.

    See also :func:`srcgrad.optimize.adam`, :func:`srcgrad.hvp`, :func:`least_squares`.

    >>> found = minimize(lambda p: np.sum((p["w"] - 3.0) ** 2) + p["b"] ** 2,
    ...                  {"w": np.zeros(2), "b": 1.0})
    >>> bool(found.success), np.round(found.x["w"], 4).tolist()
    (True, [3.0, 3.0])
    """
    with telling("srcgrad: minimize") as ticker:
        def target(flat: Any, *rest: Any) -> Any:
            value, slope = both(unravel(flat), *rest)
            if ticker is not None:
                ticker.text = f"srcgrad: minimize: value {float(value):.6g}"
            return float(value), ravel(slope).astype(float)

        both = value_and_grad(fun)
        _, unravel, ravel = _flat(_point(x0, settings=True))
        return _minimum(fun, x0, args, method, options, (target, True))


def minimize_traced(fun: Callable[..., Any], x0: Any, args: tuple[Any, ...] = (),
                    method: str | None = None, **options: Any) -> Any:
    """:func:`minimize` where a traced function calls it."""
    _, unravel, ravel = _flat(_point(x0, settings=True))
    return _minimum(fun, x0, args, method, options, (
        lambda flat, *rest: fun(unravel(flat), *rest),
        lambda flat, *rest: ravel(grad(fun)(unravel(flat), *rest))))


def _minimum(fun: Callable[..., Any], x0: Any, args: Any, method: str | None,
             options: dict[str, Any], with_gradient: tuple[Any, Any]) -> Any:
    """What SciPy finds, in the structure of ``x0``; ``with_gradient`` are the function of a vector
    and its ``jac``."""
    start, unravel, ravel = _flat(_point(x0, settings=True))
    kind = (method or "").lower() if isinstance(method, str) or method is None else ""
    if not isinstance(args, tuple):
        args = (args,)
    if options.get("callback") is not None:
        options = {**options, "callback": _shaped_callback(options["callback"], unravel)}
    if options.get("constraints"):
        given = options["constraints"]
        many = given if isinstance(given, (list, tuple)) else [given]
        options = {**options, "constraints": [_constraint(c, unravel) for c in many]}
    if kind in WITHOUT_GRADIENTS or "jac" in options:
        target: Callable[..., Any] = lambda flat, *rest: fun(unravel(flat), *rest)  # noqa: E731
    else:
        target, jac = with_gradient
        options = {**options, "jac": jac}
        if "hess" in options or "hessp" in options:
            pass
        elif kind in WITH_PRODUCTS:
            options["hessp"] = lambda flat, v, *rest: ravel(hvp(fun)(
                unravel(flat), *rest, unravel(v)))
        elif kind in WITH_HESSIANS:
            options["hess"] = lambda flat, *rest: _matrix(hessian(fun)(unravel(flat), *rest),
                                                          unravel(flat))
    found = library("optimize").minimize(target, start, args=args, method=method, **options)
    return _shaped(found, unravel)


def _constraint(given: Any, unravel: Callable[[Any], Any]) -> Any:
    """A constraint whose function gets points in the start's structure, with its Jacobian."""
    holder = given if isinstance(given, dict) else vars(given)
    fun = holder.get("fun")
    if fun is None:  # linear, of the vector
        return given

    def value(flat: Any, *rest: Any) -> Any:
        return _vector(fun(unravel(flat), *rest))

    def slopes(flat: Any, *rest: Any) -> Any:
        return jacobian(lambda x, *more: _vector(fun(unravel(x), *more)))(flat, *rest)

    if isinstance(given, dict):
        return {"jac": slopes, **given, "fun": value}
    made = copy.copy(given)
    made.fun = value
    if given.jac == "2-point":  # unless it is asked for
        made.jac = slopes
    return made


def _shaped_callback(callback: Callable[..., Any], unravel: Callable[[Any], Any]
                     ) -> Callable[..., Any]:
    """A callback that gets points in the start's structure; SciPy looks at its parameters."""
    if set(inspect.signature(callback).parameters) == {"intermediate_result"}:
        def of_result(intermediate_result: Any) -> Any:
            return callback(intermediate_result=_shaped(
                type(intermediate_result)(intermediate_result), unravel))

        return of_result
    return lambda point, *more: callback(unravel(point), *more)


def _shaped(result: Any, unravel: Callable[[Any], Any]) -> Any:
    """The result with ``x`` and a gradient in the start's structure."""
    size = np.size(result.x)
    result.x = unravel(np.asarray(result.x))
    slope = getattr(result, "jac", None)
    if isinstance(slope, np.ndarray) and slope.shape == (size,):
        result.jac = unravel(slope)
    return result


def _matrix(blocks: Any, point: Any) -> Any:
    """The blocks of a Jacobian or Hessian at a tree, as one matrix."""
    found = [block for block in flatten(blocks)[0] if block is not None]
    sizes = [np.size(leaf) for leaf in flatten(point)[0] if may_vary(leaf)]
    parts = [np.reshape(block, (-1, sizes[i % len(sizes)])) for i, block in enumerate(found)]
    return np.concatenate([np.concatenate(parts[i:i + len(sizes)], axis=1)
                           for i in range(0, len(parts), len(sizes))])


@without_internal_frames
def least_squares(fun: Callable[..., Any], x0: Any, jac: Any = None, *,
                  args: tuple[Any, ...] = (), **options: Any) -> Any:
    """``scipy.optimize.least_squares`` with the Jacobian filled in.

    ``fun(x, *args)`` returns the residuals, real numbers in an array or a container of arrays of
    any shape.

    Raises what :func:`srcgrad.jacobian` raises; :class:`StructureError` where SciPy is not
    installed.

    See also :func:`minimize`, :func:`root`, :func:`srcgrad.gnvp`,
    :func:`srcgrad.linear_least_squares`.

    >>> found = least_squares(lambda p: np.array([p[0] - 1.0, 10.0 * (p[1] - p[0] ** 2)]),
    ...                       np.array([-1.0, 2.0]))
    >>> np.round(found.x, 6).tolist()
    [1.0, 1.0]
    """
    start, unravel, _ = _flat(_point(x0, settings=True))

    def residuals(flat: Any, *rest: Any, **named: Any) -> Any:
        return _vector(fun(unravel(flat), *rest, **named))

    def slopes(flat: Any, *rest: Any, **named: Any) -> Any:
        of = fun if not named else lambda p, *others: fun(p, *others, **named)
        return _matrix(jacobian(of)(unravel(flat), *rest), unravel(flat))

    result = library("optimize").least_squares(
        residuals, start, jac=slopes if jac is None else jac, args=args, **options)
    result.x = unravel(np.asarray(result.x))
    return result


@without_internal_frames
def root(fun: Callable[..., Any], x0: Any, args: tuple[Any, ...] = (), method: str = "hybr",
         jac: Any = None, **options: Any) -> Any:
    """``scipy.optimize.root`` with the Jacobian filled in (for the methods that use one).

    ``fun(x, *args)`` returns as many real numbers as ``x`` holds, in an array or in the structure
    of ``x``.

    Raises what :func:`srcgrad.jacobian` raises; :class:`StructureError` where SciPy is not
    installed. Whether a root was found is in the result's ``success``.

    See also :func:`fixed_point`, :func:`least_squares`, :func:`srcgrad.implicit`.

    >>> found = root(lambda x: np.array([x[0] ** 2 - 2.0, x[0] * x[1] - 1.0]), np.ones(2))
    >>> np.round(found.x ** 2, 6).tolist()
    [2.0, 0.5]
    >>> from srcgrad import grad
    >>> def meeting(slope):  # where a line through the origin meets a circle
    ...     found = root(lambda p: {"x": p["x"] ** 2 + p["y"] ** 2 - 1.0,
    ...                             "y": p["y"] - slope * p["x"]}, {"x": 1.0, "y": 0.0})
    ...     return found.x["x"]
    >>> round(grad(meeting)(1.0), 6)
    -0.353553
    """
    start, unravel, _ = _flat(_point(x0))
    args = args if isinstance(args, tuple) else (args,)

    def residuals(flat: Any, *rest: Any) -> Any:
        return _vector(fun(unravel(flat), *rest))

    def slopes(flat: Any, *rest: Any) -> Any:
        return _matrix(jacobian(fun)(unravel(flat), *rest), unravel(flat))

    if jac is None and method in ("hybr", "lm"):
        jac = slopes
    result = library("optimize").root(residuals, start, args=args, method=method, jac=jac,
                                      **options)
    result.x = unravel(np.asarray(result.x))
    return result


def _vector(value: Any) -> Any:
    """The numbers of what a function returns: an array, a number, or a tree of them."""
    return np.concatenate([np.ravel(leaf) for leaf in flatten(value)[0]])


@without_internal_frames
def fixed_point(func: Callable[..., Any], x0: Any, args: tuple[Any, ...] = (),
                xtol: float = 1e-8, maxiter: int = 500, method: str = "del2") -> Any:
    """``scipy.optimize.fixed_point``: the ``x`` with ``func(x, *args) == x``, real numbers in an
    array or in any structure.

    Raises RuntimeError where it is not found within ``maxiter`` steps.

    See also :func:`root`, :func:`srcgrad.implicit`.

    >>> from srcgrad import grad
    >>> def settled(cost):
    ...     return fixed_point(lambda p: {"x": np.cos(cost * p["x"])}, {"x": 0.5})["x"]
    >>> round(settled(1.0), 6), round(grad(settled)(1.0), 6)
    (0.739085, -0.297474)
    """
    start, unravel, ravel = _flat(_point(x0))

    def again(flat: Any, *rest: Any) -> Any:
        return ravel(func(unravel(flat), *rest))

    args = args if isinstance(args, tuple) else (args,)
    return unravel(library("optimize").fixed_point(again, start, args=args, xtol=xtol,
                                                   maxiter=maxiter, method=method))


# ---- differential equations ------------------------------------------------------------------
@without_internal_frames
def solve_ivp(fun: Callable[..., Any], t_span: Any, y0: Any, method: Any = "RK45",
              t_eval: Any = None, dense_output: bool = False, events: Any = None,
              vectorized: bool = False, args: Any = None, **options: Any) -> Any:
    """``scipy.integrate.solve_ivp`` for a state of any structure, with the Jacobian filled in for
    the implicit methods (``jac=None`` leaves it to differences).

    ``fun(t, y, *args)`` returns the rates of change in the structure of ``y``.  The result's ``y``
    has that structure, with time as the last axis of each array; so has what ``sol`` gives.

    Inside of a function that is differentiated the steps of the explicit methods are, to any order;
    those of the implicit ones, and ``dense_output=True``, have the adjoint equation.

    Raises :class:`StructureError` for rates whose structure is not that of ``y``, and where SciPy
    is not installed; :class:`UnsupportedOperation` for ``events=`` in a function that is
    differentiated.

    See also :func:`odeint`, :func:`srcgrad.checkpoint_range`.

    >>> from srcgrad import grad
    >>> def left(rate):
    ...     found = solve_ivp(lambda t, y: {"a": -rate * y["a"], "b": rate * y["a"]}, (0.0, 1.0),
    ...                       {"a": 1.0, "b": 0.0}, method="Radau", rtol=1e-9, atol=1e-9)
    ...     return found.y["b"][-1]
    >>> round(float(left(0.5)), 6), round(grad(left)(0.5), 6)
    (0.393469, 0.606531)
    """
    y0 = _point(y0)
    start, unravel, ravel = _flat(y0)

    def slope(t: Any, flat: Any, *rest: Any) -> Any:
        return ravel(fun(t, unravel(flat), *rest))

    def slopes(t: Any, flat: Any, *rest: Any) -> Any:
        return jacobian(slope, 1)(t, flat, *rest)

    if method in IMPLICIT:
        options = {"jac": slopes, **options}
    if events is not None:
        many = isinstance(events, (list, tuple))
        events = [_event(e, unravel) for e in (events if many else [events])]
    found = library("integrate").solve_ivp(
        slope, t_span, start, method=method, t_eval=t_eval, dense_output=dense_output,
        events=events, vectorized=vectorized, args=args, **options)
    found.y = _path(found.y, y0, False)
    if dense_output:
        between = found.sol
        found.sol = lambda t: _path(between(t), y0, False)
    return found


def _event(event: Callable[..., Any], unravel: Callable[[Any], Any]) -> Callable[..., Any]:
    """An event as a function of the vector; SciPy looks at its attributes."""
    def crossed(t: Any, flat: Any, *rest: Any) -> Any:
        return event(t, unravel(flat), *rest)

    return functools.update_wrapper(crossed, event)


@without_internal_frames
def odeint(func: Callable[..., Any], y0: Any, t: Any, args: tuple[Any, ...] = (),
           tfirst: bool = False, **options: Any) -> Any:
    """``scipy.integrate.odeint`` for a state of any structure: the states at the times ``t``, of
    which the first belongs to ``y0``, with time as the first axis of each array.

    ``func(y, t, *args)`` (with ``tfirst=True`` ``func(t, y, *args)``) returns the rates of change
    in the structure of ``y``.  Derivatives of any order, by explicit steps to the same tolerances.

    Raises :class:`StructureError` for rates whose structure is not that of ``y``, and where SciPy
    is not installed.

    See also :func:`solve_ivp`.

    >>> from srcgrad import grad
    >>> times = np.linspace(0.0, 1.0, 5)
    >>> def last(rate):
    ...     return odeint(lambda y, t: {"a": -rate * y["a"]}, {"a": 2.0}, times)["a"][-1]
    >>> round(float(last(0.5)), 5), round(grad(last)(0.5), 5)
    (1.21306, -1.21306)
    """
    y0 = _point(y0)
    start, unravel, ravel = _flat(y0)

    def slope(one: Any, two: Any, *rest: Any) -> Any:
        return ravel(func(one, unravel(two), *rest) if tfirst else func(unravel(one), two, *rest))

    args = args if isinstance(args, tuple) else (args,)
    found = library("integrate").odeint(slope, start, t, args=args, tfirst=tfirst, **options)
    if options.get("full_output"):
        return _path(found[0], y0, True), found[1]
    return _path(found, y0, True)


def _path(values: Any, y0: Any, first: bool) -> Any:
    """The states at many times in the structure of one, with time as the first or last axis."""
    leaves, structure = flatten(y0)
    parts, start = [], 0
    for leaf in leaves:
        if not may_vary(leaf):
            parts.append(leaf)
            continue
        stop, shape = start + np.size(leaf), np.shape(leaf)
        if not shape:
            parts.append(values[:, start] if first else values[start])
        elif first:
            parts.append(values[:, start:stop].reshape(values.shape[:1] + shape))
        else:
            parts.append(values[start:stop].reshape(shape + values.shape[1:]))
        start = stop
    return unflatten(structure, parts)
