"""Roots, fixed points and minima of functions of the user's (``scipy.optimize``), by the implicit
function theorem: ``dx = -inv(dF/dx) @ (dF/dargs @ dargs)`` where ``F(x, *args) = 0`` is the
equation, or the condition that the gradient of what is minimised vanishes.

How SciPy came to the solution does not matter, nor where it started: both have derivative zero.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.optimize as so

from srcgrad.rules.book import Array, NoRule, inactive, linear, sequence, vjp
from srcgrad.rules.broadcast import runtime
from srcgrad.rules.callbacks import evaluated, jacobian_solution, placed, settled, with_item


@runtime
def solution(function: Any, solver: Any, starts: Any, args: Any, settings: Any, fields: Any
             ) -> tuple[Any, ...]:
    """The ``fields`` of what ``solver(function, *starts, args=args, **settings)`` finds, the
    solution first.

    >>> found = solution(lambda x, c: x * x - c, so.root_scalar, (), (4.0,),
    ...                  {"bracket": (0.0, 5.0)}, ("root", "converged"))
    >>> round(found[0], 9), found[1]
    (2.0, True)
    """
    found = solver(function, *starts, args=args, **settings)
    return tuple(getattr(found, field, None) for field in fields)


@runtime
def fitted(function: Any, xdata: Any, ydata: Any, args: Any, settings: Any, count: int
           ) -> tuple[Any, Any]:
    """What ``scipy.optimize.curve_fit`` finds for the model ``function(x, *parameters, *args)``
    with ``count`` parameters.

    >>> found, _ = fitted(lambda x, a, b: a * x + b, [0.0, 1.0, 2.0], [1.0, 3.0, 5.0], (), {}, 2)
    >>> np.round(found, 6).tolist()
    [2.0, 1.0]
    """
    def model(x: Any, *parameters: Any) -> Any:
        return function(x, *parameters, *args)

    names = [inspect.Parameter(f"x{i}", inspect.Parameter.POSITIONAL_ONLY)
             for i in range(1 + count)]
    model.__signature__ = inspect.Signature(names)  # type: ignore[attr-defined]
    slopes = settings.get("jac")
    if callable(slopes):
        settings = {**settings, "jac": lambda x, *p: slopes(x, *p, *args)}
    found, spread = so.curve_fit(model, xdata, ydata, **settings)
    return found, spread


@runtime
def inside(x: Array, bounds: Any, by_unknown: bool) -> Array:
    """``x``, which must not lie at its bounds: there it does not follow the equation.  These are
    the lower and the upper ones, or (``by_unknown``) a pair for each number of ``x``.

    >>> inside(1.0, (0.0, 2.0), False), inside(np.ones(1), [(None, 2.0)], True)
    (1.0, array([1.]))
    """
    if isinstance(bounds, so.Bounds):
        low, high = bounds.lb, bounds.ub
    else:
        low, high = zip(*bounds) if by_unknown else bounds
    low = np.array([-np.inf if b is None else b for b in np.ravel(low)], float)
    high = np.array([np.inf if b is None else b for b in np.ravel(high)], float)
    near = 1e-5 * np.maximum(1.0, np.abs(x))
    if np.any(x - low < near) or np.any(high - x < near):
        raise ValueError(
            "the derivative of a minimum that lies at one of its bounds: it does not follow from "
            "a vanishing gradient; leave out the bounds that are met, and what they fix")
    return x


linear(inside, x=lambda ct: ct)


def cotangents(function: Any, x: Any, args: Any, ct: Any) -> list[Any]:
    """The cotangents of ``args`` for the cotangent of a solution ``x``."""
    condition, inputs = vanishing(function, (x, *args))
    back = condition.pullback([0])
    inputs = with_item(inputs[1:], 0, settled(condition, back, inputs))
    weights = jacobian_solution(back, inputs, ct, True)
    moved = condition.pullback([i for i in condition.varying if 0 < i <= len(args)])
    return placed(moved.like, evaluated(moved, (*inputs, -weights)), 1 + len(args), 1)


def vanishing(function: Any, inputs: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    """What is zero at a solution, and its inputs there: the function itself, or the gradient of
    what is minimised."""
    sought = function.criterion or function
    if not sought.minimised:
        return sought, inputs
    return sought.pullback([0]), (*inputs, 1.0)


@vjp(solution, "args", starts=None, sequence=True)
def solution_args(ct: Any, ans: Any, function: Any, solver: Any, args: Any, settings: Any,
                  fields: Any) -> list[Any]:
    x, total = ans[0], ct[0]
    if settings.get("bounds") is not None:
        x = inside(x, settings["bounds"], solver is so.minimize)
    shares: list[Any] = [None] * len(args)
    for field, part in zip(fields[1:], ct[1:]):
        if part is None or field not in ("fun", "cost"):  # others tell how it was found
            continue
        least = function.criterion or function  # the value at the minimum
        both = evaluated(least.pullback(), (x, *args, part))
        found = placed(least.pullback().like, both, 1 + len(args))
        total = found[0] if total is None else total + found[0]
        shares = found[1:]
    if total is None:
        return shares
    found = cotangents(function, x, args, total)
    return [b if a is None else a if b is None else a + b for a, b in zip(shares, found)]


inactive(solution, "settings")
inactive(fitted, "settings")


# data and errors are among args, as what the misfit reads
@vjp(fitted, "args", xdata=None, ydata=None, sequence=True)
def fitted_args(ct: Any, ans: Any, function: Any, args: Any, settings: Any) -> list[Any]:
    if ct[1] is not None:
        raise NoRule("the derivative of the covariances that curve_fit estimates")
    x = ans[0]
    if settings.get("bounds") is not None:
        x = inside(x, settings["bounds"], False)
    return cotangents(function, x, args, ct[0])


# ---- functions that return the solution alone ------------------------------------------------
def _solver(solver: Callable[..., Any], named: str, *ignored: str) -> None:
    """The rule of a solver whose equation is its parameter ``named``; the parameters ``ignored``
    do not change the solution."""
    if named == "f":
        def by_args(ct: Array, ans: Array, f: Any, args: Any) -> list[Any]:
            return cotangents(f, ans, args, ct)
    else:
        def by_args(ct: Array, ans: Array, func: Any, args: Any) -> list[Any]:  # type: ignore[misc]
            return cotangents(func, ans, args, ct)

    vjp(solver, "args")(by_args)
    sequence(solver, "args")
    inactive(solver, *ignored)


for _bracketing in (so.brentq, so.brenth, so.bisect, so.ridder, so.toms748):
    _solver(_bracketing, "f", "a", "b")
_solver(so.newton, "func", "x0", "x1")
_solver(so.fsolve, "func", "x0")
_solver(so.fixed_point, "func", "x0")
for _minimising, _named in ((so.fmin, "func"), (so.fmin_powell, "func"), (so.fmin_bfgs, "f"),
                            (so.fmin_cg, "f")):
    _solver(_minimising, _named, "x0")


vjp(so.leastsq, x0=None, args=lambda ct, ans, func, args: cotangents(func, ans[0], args, ct[0]))

sequence(so.leastsq, "args")
