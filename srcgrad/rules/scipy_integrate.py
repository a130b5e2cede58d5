"""Integrals of functions of the user's: ``scipy.integrate.quad``, by Leibniz' rule, and ``odeint``.

The derivative of an integral with respect to what the integrand reads is the integral of its
derivative, with the same settings; with respect to a limit it is the integrand there.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.integrate as si

from srcgrad.rules.book import Array, NoRule, sequence, vjp
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


@vjp(integrals, "args")
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


sequence(integrals, "args")


def _require_plain(settings: Any) -> None:
    if settings.get("weight") is not None:
        raise NoRule("a limit of an integral with weight= that depends on what is differentiated")


def _value_only(ct: Any) -> Any:
    if ct[1] is not None:
        raise NoRule("the derivative of the estimated error of an integral")
    return ct[0]


@vjp(si.quad, "args")
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


sequence(si.quad, "args")


@vjp(si.odeint, "y0", "t", "args")
def odeint_y0_t_args(ct: Array, func: Any, y0: Any, t: Array, args: Any) -> tuple[Any, Any, Any]:
    """LSODA's steps are hidden in compiled code; those of an explicit method of order 8 to the same
    tolerance find the same solution, so that their derivative is its derivative."""
    back = func.steps.pullback()
    found = placed(back.like, evaluated(back, (y0, t, *args, ct)), 2 + len(args))
    return found[0], found[1], found[2:]


sequence(si.odeint, "args")
