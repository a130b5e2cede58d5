"""Limited-memory BFGS (Nocedal and Wright, algorithm 7.5) and its line search."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import basis as torch
from .optimizer import Array, Closure, Optimizer, Params, checked_lr, numbers, scalar

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
    if a.t > b.t:
        a, b = b, a
    low, high = (a.t, b.t) if bounds is None else bounds
    d1 = a.slope + b.slope - _quotient(3 * (a.value - b.value), a.t - b.t)
    square = d1 * d1 - a.slope * b.slope
    if not square >= 0:
        return (low + high) / 2.0
    d2 = math.sqrt(square) if isinstance(square, float) else np.sqrt(square)
    best = b.t - (b.t - a.t) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2))
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
    before = search.start
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
    return [search.start, here], trials, False


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


def _fused(a: Array, factor: Any, b: Array) -> Array:
    """``a + factor * b`` rounded once, as the fused multiply-add of the reference does: on the
    ill-conditioned problems this method is for, another rounding takes another path."""
    if a.dtype != np.float32:
        return np.asarray(a + factor * b)
    product = np.multiply(b, float(np.float32(factor)), dtype=np.float64)
    return (a + product).astype(np.float32)


class LBFGS(Optimizer):
    """Quasi-Newton steps from the last ``history_size`` pairs of steps and gradient changes.

    ``step(closure)`` needs the closure: it clears the gradients, computes the loss, calls
    ``backward`` and returns the loss; it is called up to ``max_eval`` times per step.
    ``line_search_fn`` is ``None`` (steps of length ``lr``) or ``"strong_wolfe"``.
    """

    def __init__(self, params: Params, lr: Any = 1, max_iter: int = 20, max_eval: int | None = None,
                 tolerance_grad: float = 1e-7, tolerance_change: float = 1e-9,
                 history_size: int = 100, line_search_fn: str | None = None) -> None:
        checked_lr(lr)
        super().__init__(params, {
            "lr": lr, "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad, "tolerance_change": tolerance_change,
            "history_size": history_size, "line_search_fn": line_search_fn,
        })
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params = self.param_groups[0]["params"]

    def _flat_grad(self) -> Array:
        return np.concatenate([np.zeros(numbers(p).size, numbers(p).dtype) if p.grad is None
                               else np.ascontiguousarray(numbers(p.grad)).reshape(-1)
                               for p in self._params])

    def _move(self, t: Any, direction: Array) -> None:
        offset = 0
        for p in self._params:
            buffer = numbers(p)
            step = direction[offset:offset + buffer.size].reshape(buffer.shape)
            np.copyto(buffer, _fused(buffer, t, step))
            torch.increment_version(p)
            offset += buffer.size

    def step(self, closure: Closure | None = None) -> Any:
        """Up to ``max_iter`` iterations; returns the loss at the start."""
        if closure is None:
            raise TypeError("LBFGS.step() missing 1 required positional argument: 'closure'")

        def evaluate() -> Any:
            with torch.enable_grad():
                return closure()

        with torch.no_grad(), np.errstate(all="ignore"):
            return self._iterate(evaluate)

    def _iterate(self, closure: Closure) -> Any:
        group = self.param_groups[0]
        lr = scalar(group["lr"])
        state = self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first_loss = closure()
        loss, evaluations = float(first_loss), 1
        state["func_evals"] += 1
        gradient = self._flat_grad()
        if np.abs(gradient).max() <= group["tolerance_grad"]:
            return first_loss
        memory = _Memory.load(state)
        iteration = 0
        while iteration < group["max_iter"]:
            iteration += 1
            state["n_iter"] += 1
            memory.turn(gradient, state["n_iter"] == 1, group["history_size"])
            assert memory.direction is not None
            memory.gradient, memory.loss = gradient.copy(), loss
            memory.t = lr
            if state["n_iter"] == 1:
                memory.t = min(1.0, 1.0 / np.abs(gradient).sum()) * lr
            slope = gradient.dot(memory.direction)
            if slope > -group["tolerance_change"]:
                break
            used = 0
            if group["line_search_fn"] is not None:
                loss, gradient, used = self._searched(closure, memory, loss, gradient, slope,
                                                      group["max_eval"] - evaluations)
            else:
                self._move(memory.t, memory.direction)
                if iteration != group["max_iter"]:
                    loss, used = float(closure()), 1
                    gradient = self._flat_grad()
            evaluations += used
            state["func_evals"] += used
            if (iteration == group["max_iter"]
                or evaluations >= group["max_eval"]
                or np.abs(gradient).max() <= group["tolerance_grad"]
                or np.abs(memory.direction * memory.t).max() <= group["tolerance_change"]
                or abs(loss - memory.loss) < group["tolerance_change"]):
                break
        memory.store(state)
        return first_loss

    def _searched(self, closure: Closure, memory: _Memory, loss: float, gradient: Array, slope: Any,
                  trials: int) -> tuple[float, Array, int]:
        """Move along the direction to a strong Wolfe point; (loss, gradient, evaluations)."""
        if self.param_groups[0]["line_search_fn"] != "strong_wolfe":
            raise RuntimeError("only 'strong_wolfe' is supported")
        assert memory.direction is not None
        direction = memory.direction
        saved = [numbers(p).copy() for p in self._params]

        def objective(t: Any) -> tuple[float, Array]:
            self._move(t, direction)
            value = float(closure())
            slope_at = self._flat_grad()
            for p, values in zip(self._params, saved):
                np.copyto(numbers(p), values)
                torch.increment_version(p)
            return value, slope_at

        search = Search(objective, direction, Point(0, loss, gradient, slope), trials)
        found = strong_wolfe(search, memory.t)
        memory.t = found.t
        self._move(found.t, direction)
        return found.value, found.gradient, search.evaluations


# What an optimizer's state calls the parts of a memory.
_STORED = {"d": "direction", "t": "t", "old_dirs": "changes", "old_stps": "steps", "ro": "inverses",
           "H_diag": "scale", "prev_flat_grad": "gradient", "prev_loss": "loss"}


class _Memory:
    """What the iteration carries from step to step: the curvature pairs and the last point."""

    def __init__(self) -> None:
        self.direction: Array | None = None
        self.t: Any = None
        self.changes: list[Array] = []
        self.steps: list[Array] = []
        self.inverses: list[Any] = []
        self.scale: Any = 1
        self.gradient: Array | None = None
        self.loss: float = 0.0

    @classmethod
    def load(cls, state: dict[str, Any]) -> _Memory:
        def array(value: Any) -> Any:
            if isinstance(value, list):
                return [array(v) for v in value]
            return torch.raw(value)[()] if isinstance(value, torch.Tensor) else value

        memory = cls()
        if state.get("d") is not None:
            for key, name in _STORED.items():
                setattr(memory, name, array(state[key]))
            memory.t = scalar(state["t"])
        return memory

    def store(self, state: dict[str, Any]) -> None:
        def tensor(value: Any) -> Any:
            if isinstance(value, list):
                return [tensor(v) for v in value]
            return value if type(value) in (int, float) else torch.from_numpy(np.asarray(value))

        state.update({key: tensor(getattr(self, name)) for key, name in _STORED.items()})

    def turn(self, gradient: Array, first: bool, history: int) -> None:
        """Set the next direction by the two-loop recursion."""
        if first or self.direction is None or self.gradient is None:
            self.direction, self.scale = -gradient, 1
            self.changes, self.steps, self.inverses = [], [], []
            return
        change = gradient - self.gradient
        step = self.direction * self.t
        curvature = change.dot(step)
        if curvature > 1e-10:
            if len(self.changes) == history:
                del self.changes[0], self.steps[0], self.inverses[0]
            self.changes.append(change)
            self.steps.append(step)
            self.inverses.append(1.0 / curvature)
            self.scale = curvature / change.dot(change)
        q = -gradient
        weights: list[Any] = []
        for y, s, inverse in zip(reversed(self.changes), reversed(self.steps),
                                 reversed(self.inverses)):
            weights.append(s.dot(q) * inverse)
            q = _fused(q, -weights[-1], y)
        q *= self.scale
        for y, s, inverse, weight in zip(self.changes, self.steps, self.inverses,
                                         reversed(weights)):
            q = _fused(q, weight - y.dot(q) * inverse, s)
        self.direction = q
