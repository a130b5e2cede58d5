"""A line search for the strong Wolfe conditions, by bracketing and cubic interpolation.

Nocedal and Wright, *Numerical Optimization*, algorithms 3.5 and 3.6 with equation 3.59; the
order of evaluations is PyTorch's (which follows Schmidt's minFunc), so that trajectories agree.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Objective = Callable[[Any], tuple[float, Array]]


@dataclass
class Point:
    """One trial: step length ``t``, value, gradient and slope along the direction."""

    t: Any
    value: Any
    gradient: Array
    slope: Any


def _quotient(number: float, step: Any) -> Any:
    """``number / step``; by the reciprocal, in its precision, where ``step`` is no Python number
    (the rounding of the reference, which decides where a search on a hard problem goes)."""
    if isinstance(step, np.floating) and step.dtype != np.float64:
        return (1 / step) * step.dtype.type(number)
    return number / step


def cubic_minimum(a: Point, b: Point, bounds: tuple[Any, Any] | None = None) -> Any:
    """The minimiser of the cubic through two points with slopes, clipped to ``bounds``.

    Without bounds the interval between the points bounds it; its middle is returned where
    the cubic has no minimum.
    """
    if bounds is not None:
        low, high = bounds
    else:
        low, high = (a.t, b.t) if a.t <= b.t else (b.t, a.t)
    d1 = a.slope + b.slope - _quotient(3 * (a.value - b.value), a.t - b.t)
    square = d1 * d1 - a.slope * b.slope
    if not square >= 0:
        return (low + high) / 2.0
    d2 = math.sqrt(square) if isinstance(square, float) else np.sqrt(square)
    if a.t <= b.t:
        best = b.t - (b.t - a.t) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2))
    else:
        best = a.t - (a.t - b.t) * ((a.slope + d2 - d1) / (a.slope - b.slope + 2 * d2))
    return min(max(best, low), high)


@dataclass
class Search:
    """The state shared by both phases of one search along ``direction``."""

    objective: Objective
    direction: Array
    start: Point
    max_trials: int
    decrease: float = 1e-4
    curvature: float = 0.9
    smallest_change: float = 1e-9
    evaluations: int = 0

    def at(self, t: Any) -> Point:
        value, gradient = self.objective(t)
        self.evaluations += 1
        return Point(t, value, gradient, gradient.dot(self.direction))

    def too_high(self, p: Point) -> bool:
        bound = self.start.value + self.decrease * p.t * self.start.slope
        return bool(p.value > bound)

    def flat_enough(self, p: Point) -> bool:
        return bool(abs(p.slope) <= -self.curvature * self.start.slope)


def strong_wolfe(search: Search, t: Any) -> Point:
    """Search from step length ``t`` on; returns the point to move to."""
    size = np.abs(search.direction).max()
    bracket, trials, done = _bracket(search, t)
    if not done:
        bracket = _zoom(search, bracket, trials, size)
    low = 0 if len(bracket) == 1 or bracket[0].value <= bracket[-1].value else 1
    return bracket[low]


def _bracket(search: Search, t: Any) -> tuple[list[Point], int, bool]:
    """Extend the step until it brackets a minimum, or already satisfies the conditions."""
    here = search.at(t)
    start = search.start
    before = Point(0, start.value, start.gradient, start.slope)
    trials = 0
    while trials < search.max_trials:
        if search.too_high(here) or (trials > 1 and here.value >= before.value):
            return [before, here], trials, False
        if search.flat_enough(here):
            return [here], trials, True
        if here.slope >= 0:
            return [before, here], trials, False
        bounds = (here.t + 0.01 * (here.t - before.t), here.t * 10)
        t = cubic_minimum(before, here, bounds)
        before, here = here, search.at(t)
        trials += 1
    return [Point(0, start.value, start.gradient, start.slope), here], trials, False


def _zoom(search: Search, bracket: list[Point], trials: int, size: Any) -> list[Point]:
    """Shrink the bracket until one end satisfies the conditions or it is too small."""
    stalled = False
    low, high = (0, 1) if bracket[0].value <= bracket[-1].value else (1, 0)
    while trials < search.max_trials:
        if abs(bracket[1].t - bracket[0].t) * size < search.smallest_change:
            break
        t = cubic_minimum(bracket[0], bracket[1])
        t, stalled = _kept_inside(t, bracket, stalled)
        here = search.at(t)
        trials += 1
        if search.too_high(here) or here.value >= bracket[low].value:
            bracket[high] = here
            low, high = (0, 1) if bracket[0].value <= bracket[1].value else (1, 0)
            continue
        finished = search.flat_enough(here)
        if not finished and here.slope * (bracket[high].t - bracket[low].t) >= 0:
            bracket[high] = bracket[low]
        bracket[low] = here
        if finished:
            break
    return [bracket[low]]


def _kept_inside(t: Any, bracket: list[Point], stalled: bool) -> tuple[Any, bool]:
    """Move ``t`` off the ends of the bracket when two trials in a row land close to them."""
    top, bottom = max(p.t for p in bracket), min(p.t for p in bracket)
    margin = 0.1 * (top - bottom)
    if min(top - t, t - bottom) >= margin:
        return t, False
    if stalled or t >= top or t <= bottom:
        return (top - margin if abs(t - top) < abs(t - bottom) else bottom + margin), False
    return t, True
