"""Integrals of functions of the user's: ``scipy.integrate.quad``, by Leibniz' rule; differential
equations: ``odeint`` by explicit steps, ``solve_ivp`` by the adjoint equation.

The derivative of an integral with respect to what the integrand reads is the integral of its
derivative, with the same settings; with respect to a limit it is the integrand there.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.integrate as si

from srcgrad.rules.book import Array, NoRule, nondiff, sequence, vjp
from srcgrad.rules.broadcast import runtime
from srcgrad.rules.callbacks import evaluated, placed

SETTINGS = ("epsabs", "epsrel", "limit", "points", "weight", "wvar", "wopts", "maxp1", "limlst")


@runtime
def integrals(function: Any, a: Any, b: Any, args: Any, like: Any, settings: Any
              ) -> tuple[Any, ...]:
    """The integrals from ``a`` to ``b`` of all that the callback ``function(x, *args)`` returns,
    number by number; the results have the shapes of those of ``args`` whose numbers, from 1 on,
    are in ``like``.

    >>> integrals(lambda x, p: (x * p,), 0.0, 1.0, (np.array([2.0, 4.0]),), (1,), {})
    (array([1., 2.]),)
    """
    shapes = [np.shape(args[k - 1]) for k in like]
    known: dict[float, Any] = {}

    def numbers(x: float) -> Any:
        if x not in known:
            known[x] = np.concatenate([np.ravel(part) for part in function(x, *args)])
        return known[x]

    found = np.array([
        si.quad(lambda x, i=i: numbers(x)[i], a, b, **settings)[0]
        for i in range(sum(map(math.prod, shapes)))])
    ends = np.cumsum([math.prod(shape) for shape in shapes])[:-1]
    return tuple(np.reshape(part, shape)[()]
                 for part, shape in zip(np.split(found, ends), shapes))


@vjp(integrals, "args", sequence=True)
def integrals_args(ct: Any, function: Any, a: Any, b: Any, args: Any, settings: Any) -> list[Any]:
    active = [i for i, c in enumerate(ct) if c is not None]
    back = function.pullback([i for i in function.varying if i], active)
    found = integrals(back, a, b, (*args, *(ct[i] for i in active)), back.like, settings)
    return placed(back.like, found, 1 + len(args), 1)


@vjp(integrals, "a", "b")
def integrals_limits(ct: Any, function: Any, a: Any, b: Any, args: Any, settings: Any
                     ) -> tuple[Any, Any]:
    _require_plain(settings)

    def at(limit: Any) -> Any:
        values = evaluated(function, (limit, *args))
        return sum(np.sum(c * v) for c, v in zip(ct, values) if c is not None)

    return -at(a), at(b)


def _require_plain(settings: Any) -> None:
    if settings.get("weight") is not None:
        raise NoRule("a limit of an integral with weight= that depends on what is differentiated")


def _value_only(ct: Any) -> Any:
    if ct[1] is not None:
        raise NoRule("the derivative of the estimated error of an integral")
    return ct[0]


@vjp(si.quad, "args", sequence=True)
def quad_args(ct: Any, func: Any, a: Any, b: Any, args: Any, epsabs: Any, epsrel: Any, limit: Any,
              points: Any, weight: Any, wvar: Any, wopts: Any, maxp1: Any, limlst: Any
              ) -> list[Any]:
    given = dict(zip(SETTINGS, (epsabs, epsrel, limit, points, weight, wvar, wopts, maxp1,
                                limlst)))
    back = func.pullback([i for i in func.varying if i])
    found = integrals(back, a, b, (*args, 1.0), back.like, given)
    slope = _value_only(ct)
    return placed(back.like, [slope * part for part in found], 1 + len(args), 1)


@vjp(si.quad, "a")
def quad_a(ct: Any, func: Any, a: Array, args: Any, weight: Any) -> Array:
    _require_plain({"weight": weight})
    return -_value_only(ct) * evaluated(func, (a, *args))


@vjp(si.quad, "b")
def quad_b(ct: Any, func: Any, b: Array, args: Any, weight: Any) -> Array:
    _require_plain({"weight": weight})
    return _value_only(ct) * evaluated(func, (b, *args))


@vjp(si.odeint, "y0", "t", "args")
def odeint_y0_t_args(ct: Array, func: Any, y0: Any, t: Array, args: Any) -> tuple[Any, Any, Any]:
    """LSODA's steps are hidden in compiled code; those of an explicit method of order 8 to the same
    tolerance find the same solution, so that their derivative is its derivative."""
    back = func.steps.pullback()
    found = placed(back.like, evaluated(back, (y0, t, *args, ct)), 2 + len(args))
    return found[0], found[1], found[2:]


sequence(si.odeint, "args")


# ---- solve_ivp ---------------------------------------------------------------------------------
TOLD = ("nfev", "njev", "nlu", "status", "message", "success")
TOLERANCES = ("method", "rtol", "atol", "max_step", "min_step")
NODES, WEIGHTS = np.polynomial.legendre.leggauss(4)


@runtime
def solved(fun: Any, t0: Any, t1: Any, y0: Array, args: Any, t_eval: Any, settings: Any
           ) -> tuple[Any, ...]:
    """What ``scipy.integrate.solve_ivp`` finds, with the solution between the times, and how it
    was found.

    >>> found = solved(lambda t, y, k: -k * y, 0.0, 1.0, np.ones(1), (2.0,), None,
    ...                {"method": "Radau", "rtol": 1e-8})
    >>> round(found[0].y[0, -1], 5), found[-1]
    (np.float64(0.13534), True)
    """
    found = si.solve_ivp(fun, (t0, t1), y0, t_eval=t_eval, dense_output=True, args=args,
                         **settings)
    return (found, *(found[name] for name in TOLD))


nondiff(solved)  # what it found is read by functions that have a rule


@runtime
def trajectory(fun: Any, found: Any, t0: Any, t1: Any, y0: Array, args: Any, t_eval: Any,
               settings: Any) -> tuple[Array, Array]:
    """The times and the solution at them, of what :func:`solved` found."""
    return found.t, found.y


@runtime
def between(fun: Any, found: Any, times: Any, t0: Any, y0: Array, args: Any, settings: Any) -> Any:
    """The solution at further times."""
    return found.sol(times)


@runtime
def adjoint(of_y: Any, of_args: Any, found: Any, times: Array, ct: Array, t0: Any, y0: Array,
            args: Any, like: Any, settings: Any) -> tuple[Any, ...]:
    """The cotangents of ``y0`` and of those of ``args`` whose numbers, from 2 on, are in ``like``,
    for the columns ``ct`` of cotangents of a solution at ``times``.

    Between the times the cotangent of the state follows ``dw/dt = -w @ df/dy`` (Pontryagin et al.
    1962; Cao, Li, Petzold and Serban 2003), which is solved backward by the method that solved the
    equation; that of the arguments is the integral of ``w @ df/dargs``, by Gauss' rule with four
    points on each of its steps.

    >>> back = lambda t, y, k, w: (-k * w,), lambda t, y, k, w: (-np.sum(y * w),)
    >>> exact = si.solve_ivp(lambda t, y: -2.0 * y, (0.0, 1.0), [1.0], "DOP853", rtol=1e-11,
    ...                      atol=1e-11, dense_output=True)
    >>> y0, k = adjoint(*back, exact, np.ones(1), np.ones((1, 1)), 0.0, np.ones(1), (2.0,),
    ...                 (2,), {"rtol": 1e-9, "atol": 1e-9})
    >>> bool(abs(y0[0] - np.exp(-2.0)) < 1e-8), bool(abs(k + np.exp(-2.0)) < 1e-8)
    (True, True)
    """
    sums = [np.zeros(np.shape(args[k - 2])) for k in like]
    options = {name: settings[name] for name in TOLERANCES if name in settings}
    units, sol = np.eye(np.size(y0)), found.sol

    def slope(t: Any, w: Any) -> Any:
        return -of_y(t, sol(t), *args, w)[0]

    if options.get("method", "RK45") in ("Radau", "BDF", "LSODA"):
        options["jac"] = lambda t, w: np.stack([slope(t, unit) for unit in units], axis=1)

    def moved(w: Array, start: Any, end: Any) -> Array:
        """The cotangent of the state at an earlier time."""
        back = si.solve_ivp(slope, (start, end), w, dense_output=bool(sums), **options)
        if not back.success:
            raise ValueError(f"the adjoint equation of solve_ivp has no solution before t = "
                             f"{back.t[-1]}: {back.message}")
        for low, high in zip(back.t[:-1], back.t[1:]) if sums else ():
            for node, weight in zip(NODES, WEIGHTS):
                t = 0.5 * (low + high) + 0.5 * (high - low) * node
                for total, part in zip(sums, of_args(t, sol(t), *args, back.sol(t))):
                    total -= 0.5 * (high - low) * weight * part
        last: Array = back.y[:, -1]
        return last

    w, now = np.zeros(np.size(y0)), None
    for i in sorted(range(len(times)), key=lambda i: -abs(times[i] - t0)):
        if np.any(ct[:, i]):
            if now is not None and now != times[i]:
                w = moved(w, now, times[i])
            w, now = w + ct[:, i], times[i]
    if now is not None and now != t0:
        w = moved(w, now, t0)
    return (np.reshape(w, np.shape(y0)), *(total[()] for total in sums))


@vjp(adjoint, "times", "ct", "t0", "y0", "args")
def adjoint_inputs(ct: Any, args: Any) -> Any:
    raise NoRule("a second or forward derivative of solve_ivp with an implicit method or "
                 "dense_output=; the steps of RK45, RK23 and DOP853 have derivatives of any order")


sequence(adjoint, "args")


@runtime
def within(times: Array, found: Any, ct: Array) -> Array:
    """Times, where those whose columns of ``ct`` are used lie between the ends of what was solved.

    Beyond them a solution is the last step's polynomial, which follows no equation.

    >>> found = solved(lambda t, y: -y, 0.0, 1.0, np.ones(1), (), None, {})[0]
    >>> within(np.array([0.5, 2.0]), found, np.array([[1.0, 0.0]]))
    array([0.5, 2. ])
    """
    low, high = found.sol.t_min, found.sol.t_max
    slack = 1e-9 * (high - low)
    for time, column in zip(times, ct.T):
        if (time < low - slack or time > high + slack) and np.any(column):
            raise ValueError(f"the solution of solve_ivp is differentiated at t = {time}, outside "
                             f"of [{low}, {high}], where it is extrapolated and follows no "
                             "equation: make t_span reach there")
    return times


nondiff(within)


@runtime
def rates(fun: Any, times: Array, y: Array, ct: Array, args: Any) -> Array:
    """The cotangents of ``times``, for those of the solution ``y`` at them.

    >>> rates(lambda t, y: 3.0 * y, np.array([0.0, 1.0]), np.ones((1, 2)), np.ones((1, 2)), ())
    array([3., 3.])
    """
    return np.array([ct[:, i] @ np.asarray(fun(times[i], y[:, i], *args))
                     for i in range(len(times))], dtype=float)


def _shares(fun: Any, found: Any, times: Any, ct: Array, t0: Any, y0: Array, args: Any,
            settings: Any) -> tuple[Any, list[Any]]:
    """The cotangents of ``y0`` and of ``args``."""
    of_args = fun.pullback([i for i in fun.varying if i > 1])
    back = adjoint(fun.pullback([1]), of_args, found, times, ct, t0, y0, args,
                   of_args.like, settings)
    return back[0], placed(of_args.like, back[1:], 2 + len(args), 2)


@vjp(trajectory, "t0", "t1", "y0", "args", "t_eval")
def trajectory_inputs(ct: Any, ans: Any, fun: Any, found: Any, t0: Any, t1: Any, y0: Array,
                      args: Any, t_eval: Any, settings: Any) -> tuple[Any, ...]:
    times, y = ans[0], ans[1]
    weights = np.zeros_like(y) if ct[1] is None else ct[1]
    start, shares = _shares(fun, found, times, weights, t0, y0, args, settings)
    at = rates(fun, times, y, weights, args)
    if ct[0] is not None:
        at = at + ct[0]
    first = start if t_eval is not None else start - weights[:, 0]
    back = rates(fun, np.reshape(t0, (1,)), np.reshape(y0, (-1, 1)), np.reshape(first, (-1, 1)),
                 args)[0]
    if t_eval is not None:
        return -back, None, start, shares, at
    return (-back if ct[0] is None else ct[0][0] - back), at[-1], start, shares, None


@vjp(between, "times", "t0", "y0", "args")
def between_inputs(ct: Array, ans: Array, fun: Any, found: Any, times: Any, t0: Any, y0: Array,
                   args: Any, settings: Any) -> tuple[Any, ...]:
    columns = np.reshape(ct, (np.size(y0), -1))
    at = within(np.ravel(times), found, columns)
    start, shares = _shares(fun, found, at, columns, t0, y0, args, settings)
    speed = rates(fun, at, np.reshape(ans, (np.size(y0), -1)), columns, args)
    back = rates(fun, np.reshape(t0, (1,)), np.reshape(y0, (-1, 1)), np.reshape(start, (-1, 1)),
                 args)[0]
    return np.reshape(speed, np.shape(times)), -back, start, shares


for _function in (trajectory, between):
    sequence(_function, "args")
