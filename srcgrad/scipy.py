"""SciPy's solvers with derivatives filled in, for arguments of any structure.

``minimize``, ``least_squares`` and ``root`` have SciPy's signatures.  ``x0`` may be an array, a
number, or nested dicts, lists, tuples and dataclasses of these; the result's ``x`` has the same
structure.  SciPy is imported at the first call.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from .compile.frames import without_internal_frames
from .compile.templates import may_vary
from .errors import StructureError
from .public.api import value_and_grad
from .public.jacobians import hessian, hvp, jacobian
from .show.progress import progress
from .types.tree import flatten, ravel_some, tree_map

WITH_PRODUCTS = frozenset({"newton-cg", "trust-ncg", "trust-krylov", "trust-constr"})
WITH_HESSIANS = frozenset({"dogleg", "trust-exact"})
WITHOUT_GRADIENTS = frozenset({"nelder-mead", "powell", "cobyla", "cobyqa"})


def _optimize() -> Any:
    try:
        return importlib.import_module("scipy.optimize")
    except ImportError:
        raise StructureError(
            "srcgrad.scipy needs SciPy", where="srcgrad.scipy", why="it is not installed",
            fix="pip install scipy, or pip install 'srcgrad[scipy]'") from None


def _as_float(leaf: Any) -> Any:
    """Whole numbers as floats, like SciPy takes them."""
    if isinstance(leaf, (np.ndarray, np.generic)) and leaf.dtype.kind in "biu":
        return leaf.astype(float)
    return float(leaf) if type(leaf) is int else leaf


def _flat(x0: Any) -> tuple[Any, Callable[[Any], Any], Callable[[Any], Any]]:
    """The numbers of the start as a vector, the way back, and the way for other trees."""
    start, unravel, ravel = ravel_some(tree_map(_as_float, x0), may_vary)
    if start.dtype.kind not in "f":
        start = start.astype(float)
    if isinstance(x0, np.ndarray) and x0.ndim == 1 and x0.dtype == start.dtype:
        return start, lambda flat: flat, lambda flat: flat
    return start, unravel, ravel


@without_internal_frames
def minimize(fun: Callable[..., Any], x0: Any, args: tuple[Any, ...] = (),
             method: str | None = None, **options: Any) -> Any:
    """``scipy.optimize.minimize`` with ``jac`` (and for methods that use them ``hessp`` or
    ``hess``) filled in.

    ``fun(x, *args)`` returns a real number; ``x`` has the structure of ``x0``, and so have the
    result's ``x`` and ``jac`` and what a ``callback`` gets.  Derivatives that are given
    (``jac=...``) are left alone.  ``srcgrad.config.progress = True`` shows how far it is.

    >>> found = minimize(lambda p: np.sum((p["w"] - 3.0) ** 2) + p["b"] ** 2,
    ...                  {"w": np.zeros(2), "b": 1.0})
    >>> bool(found.success), np.round(found.x["w"], 4).tolist()
    (True, [3.0, 3.0])
    """
    optimize = _optimize()
    start, unravel, ravel = _flat(x0)
    kind = (method or "").lower() if isinstance(method, str) or method is None else ""
    if not isinstance(args, tuple):
        args = (args,)

    if options.get("callback") is not None:
        options["callback"] = _shaped_callback(options["callback"], unravel)
    if kind in WITHOUT_GRADIENTS or "jac" in options:
        target: Callable[..., Any] = lambda flat, *rest: fun(unravel(flat), *rest)  # noqa: E731
    else:
        both = value_and_grad(fun)

        def target(flat: Any, *rest: Any) -> Any:
            value, slope = both(unravel(flat), *rest)
            if ticker is not None:
                ticker.text = f"srcgrad: minimize: value {float(value):.6g}"
            return float(value), ravel(slope).astype(float)

        options["jac"] = True
        if kind in WITH_PRODUCTS and not {"hess", "hessp"} & set(options):
            product = hvp(fun)
            options["hessp"] = lambda flat, v, *rest: ravel(product(
                unravel(flat), *rest, unravel(v)))
        elif kind in WITH_HESSIANS and not {"hess", "hessp"} & set(options):
            second = hessian(fun)
            options["hess"] = lambda flat, *rest: _matrix(second(unravel(flat), *rest),
                                                          unravel(flat))
    with progress("srcgrad: minimize") as ticker:
        found = optimize.minimize(target, start, args=args, method=method, **options)
    return _shaped(found, unravel)


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


def _with_jacobian(fun: Callable[..., Any], start: Any, unravel: Callable[[Any], Any]
                   ) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """``fun`` and its Jacobian as functions of a vector."""
    def flat_fun(flat: Any, *rest: Any, **named: Any) -> Any:
        return np.ravel(fun(unravel(flat), *rest, **named))

    def flat_jacobian(flat: Any, *rest: Any, **named: Any) -> Any:
        slopes = jacobian(fun if not named else lambda p, *others: fun(p, *others, **named))
        return _matrix(slopes(unravel(flat), *rest), unravel(flat))

    return flat_fun, flat_jacobian


def _matrix(blocks: Any, point: Any) -> Any:
    """The blocks of a Jacobian or Hessian at a tree, as one matrix."""
    found = [block for block in flatten(blocks)[0] if block is not None]
    columns = [leaf for leaf in flatten(point)[0] if may_vary(leaf)]
    parts = [np.reshape(block, (-1, np.size(columns[i % len(columns)])))
             for i, block in enumerate(found)]
    return np.block([parts[i:i + len(columns)] for i in range(0, len(parts), len(columns))])


@without_internal_frames
def least_squares(fun: Callable[..., Any], x0: Any, jac: Any = None, *,
                  args: tuple[Any, ...] = (), **options: Any) -> Any:
    """``scipy.optimize.least_squares`` with the Jacobian filled in.

    >>> found = least_squares(lambda p: np.array([p[0] - 1.0, 10.0 * (p[1] - p[0] ** 2)]),
    ...                       np.array([-1.0, 2.0]))
    >>> np.round(found.x, 6).tolist()
    [1.0, 1.0]
    """
    optimize = _optimize()
    start, unravel, _ = _flat(x0)
    target, slopes = _with_jacobian(fun, start, unravel)
    result = optimize.least_squares(target, start, jac=slopes if jac is None else jac, args=args,
                                    **options)
    result.x = unravel(np.asarray(result.x))
    return result


@without_internal_frames
def root(fun: Callable[..., Any], x0: Any, args: tuple[Any, ...] = (), method: str = "hybr",
         jac: Any = None, **options: Any) -> Any:
    """``scipy.optimize.root`` with the Jacobian filled in (for the methods that use one).

    >>> found = root(lambda x: np.array([x[0] ** 2 - 2.0, x[0] * x[1] - 1.0]), np.ones(2))
    >>> np.round(found.x ** 2, 6).tolist()
    [2.0, 0.5]
    """
    optimize = _optimize()
    start, unravel, _ = _flat(x0)
    target, slopes = _with_jacobian(fun, start, unravel)
    if jac is None and method in ("hybr", "lm"):
        jac = slopes
    if not isinstance(args, tuple):
        args = (args,)
    result = optimize.root(target, start, args=args, method=method, jac=jac, **options)
    result.x = unravel(np.asarray(result.x))
    return result
