"""Minimisers for arguments of any structure: SciPy's methods, and descent for noisy gradients.

:func:`minimize`, :func:`least_squares` and :func:`root` are those of :mod:`srcgrad.scipy`.
:func:`adam` and :func:`sgd` take steps along gradients of batches of data; they need NumPy only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar

import numpy as np

from .compile.frames import without_internal_frames
from .compile.templates import may_vary
from .errors import StructureError
from .public.api import value_and_grad
from .scipy import least_squares, minimize, root
from .show.progress import telling
from .types.dataclasses import dataclass
from .types.tree import ravel_some

__all__ = ["Descent", "adam", "cosine", "exponential", "least_squares", "minimize", "root", "sgd"]
T = TypeVar("T")
Vector = np.ndarray[Any, np.dtype[Any]]
Rate = float | Callable[[int], float]
Rule = Callable[[Vector, float], Vector]  # what is subtracted, for a gradient and a rate


@dataclass(frozen=True)
class Descent(Generic[T]):
    """Where a descent is, or has come to: ``x`` after ``nit`` steps, the value ``fun`` and the
    gradient ``jac`` that the last of them started from, and why it ended (``message``).
    ``success`` says that no value was NaN or infinite.

    It raises nothing.  See also :func:`adam`, :func:`sgd`.

    >>> sgd(lambda x: x * x, 1.0, rate=0.25, steps=1)
    Descent(x=0.5, fun=1.0, jac=2.0, nit=1, success=True, message='all steps were taken')
    """

    x: T
    fun: float
    jac: T
    nit: int
    success: bool = True
    message: str = ""


# ---- rates -----------------------------------------------------------------------------------
def exponential(rate: float, factor: float, every: int = 1) -> Callable[[int], float]:
    """The rate ``rate * factor ** (step / every)``.

    Raises nothing.

    See also :func:`cosine`, :func:`adam`, :func:`sgd`.

    >>> exponential(0.1, 0.5, every=100)(200)
    0.025
    """
    return lambda step: rate * factor ** (step / every)


def cosine(rate: float, steps: int, warmup: int = 0, least: float = 0.0) -> Callable[[int], float]:
    """A rate that grows linearly to ``rate`` over ``warmup`` steps and falls to ``least`` along
    half of a cosine until step ``steps`` (Loshchilov and Hutter 2017).

    Raises nothing.

    See also :func:`exponential`, :func:`adam`, :func:`sgd`.

    >>> schedule = cosine(0.1, steps=110, warmup=10)
    >>> schedule(4), schedule(10), round(schedule(60), 6), schedule(200)
    (0.05, 0.1, 0.05, 0.0)
    """
    def schedule(step: int) -> float:
        if step < warmup:
            return rate * (step + 1) / warmup
        share = min(1.0, (step - warmup) / max(1, steps - warmup))
        return least + 0.5 * (rate - least) * (1.0 + math.cos(math.pi * share))

    return schedule


# ---- descent ---------------------------------------------------------------------------------
@without_internal_frames
def sgd(fun: Callable[..., Any], x0: T, args: tuple[Any, ...] = (), *, rate: Rate,
        steps: int | None = None, batches: Iterable[Any] | None = None, momentum: float = 0.0,
        nesterov: bool = False, callback: Callable[[Descent[T]], Any] | None = None) -> Descent[T]:
    """Stochastic gradient descent, optionally with momentum (Sutskever et al. 2013).

    ``fun(x, *args)`` returns a real number; ``x`` has the structure of ``x0`` (arrays, numbers,
    dicts, lists, dataclasses ... of these, of any floating-point dtype; ints and texts in it stay
    as they are), and so has the ``x`` of the result.  ``rate`` is a number or a function of the
    number of the step, from 0 on, such as :func:`cosine`.  ``batches`` yields tuples of further
    arguments, one for each step; without it ``steps`` says how many there are.  ``callback`` gets
    a :class:`Descent` after each step; it ends the descent by returning True or raising
    StopIteration.  A value that is NaN or infinite ends it, too, and its step is not taken.

    Raises :class:`StructureError` for settings that do not fit, and what :func:`srcgrad.grad`
    raises.

    See also :func:`adam`, :func:`srcgrad.scipy.minimize`.

    >>> found = sgd(lambda p: (p["w"] - 3.0) ** 2, {"w": 0.0}, rate=0.1, steps=100, momentum=0.5)
    >>> round(found.x["w"], 6)
    3.0
    """
    def rule(start: Vector) -> Rule:
        velocity = np.zeros_like(start)

        def step(slope: Vector, by: float) -> Vector:
            velocity[...] = momentum * velocity + slope
            return by * (slope + momentum * velocity if nesterov else velocity)

        return step

    return _descend("sgd", fun, x0, args, rate, steps, batches, callback, rule)


@without_internal_frames
def adam(fun: Callable[..., Any], x0: T, args: tuple[Any, ...] = (), *, rate: Rate = 1e-3,
         steps: int | None = None, batches: Iterable[Any] | None = None, beta1: float = 0.9,
         beta2: float = 0.999, eps: float = 1e-8,
         callback: Callable[[Descent[T]], Any] | None = None) -> Descent[T]:
    """Descent with adaptive moments (Kingma and Ba 2015, algorithm 1): each number has a step of
    its own.  The arguments are those of :func:`sgd`.

    Raises what :func:`sgd` raises.

    See also :func:`sgd`, :func:`srcgrad.scipy.minimize`.

    >>> seen = []
    >>> def loss(p, x, y):
    ...     return np.mean((p["a"] * x + p["b"] - y) ** 2)
    >>> x = np.linspace(-1.0, 1.0, 64)
    >>> found = adam(loss, {"a": 0.0, "b": 0.0}, batches=[(x[i::4], 2.0 * x[i::4] + 1.0)
    ...              for i in range(4)] * 150, rate=cosine(0.1, 600),
    ...              callback=lambda state: seen.append(state.fun))
    >>> round(found.x["a"], 3), round(found.x["b"], 3), found.nit, len(seen)
    (2.0, 1.0, 600, 600)
    """
    def rule(start: Vector) -> Rule:
        mean, square, count = np.zeros_like(start), np.zeros_like(start), 0

        def step(slope: Vector, by: float) -> Vector:
            nonlocal count
            count += 1
            mean[...] = beta1 * mean + (1.0 - beta1) * slope
            square[...] = beta2 * square + (1.0 - beta2) * slope * slope
            root = np.sqrt(square / (1.0 - beta2 ** count))
            return by * (mean / (1.0 - beta1 ** count)) / (root + eps)

        return step

    return _descend("adam", fun, x0, args, rate, steps, batches, callback, rule)


def _descend(name: str, fun: Callable[..., Any], x0: Any, args: tuple[Any, ...], rate: Rate,
             steps: int | None, batches: Iterable[Any] | None,
             callback: Callable[[Any], Any] | None, rule: Callable[[Vector], Rule]) -> Descent[Any]:
    both = value_and_grad(fun)
    if not isinstance(args, tuple):
        args = (args,)
    if not (callable(rate) or isinstance(rate, (int, float))):
        raise StructureError(f"rate is {rate!r}", where=f"rate of {name}",
                             why="it multiplies a step", fix="give a number, or a function of the "
                             "number of the step")
    if callback is not None and not callable(callback):
        raise StructureError(f"callback is {callback!r}", where=f"callback of {name}",
                             why="it is called after each step", fix="give a function")
    vector, unravel, ravel = ravel_some(x0, may_vary)
    if vector.dtype.kind == "c":
        raise StructureError(f"{name} of complex numbers", where=f"x0 of {name}",
                             why="a step goes along the gradient of real numbers",
                             fix="pass real and imaginary parts")

    step, state = rule(vector), Descent(unravel(vector), math.nan, None, 0, message="no step")
    with telling(f"srcgrad: {name}") as ticker:
        for number, more in enumerate(_batches(name, steps, batches)):
            value, slope = both(state.x, *args, *more)
            if not math.isfinite(value):
                return Descent(state.x, float(value), slope, number, False,
                               f"step {number}: the value is {float(value)}")
            vector = vector - step(ravel(slope), rate(number) if callable(rate) else rate)
            state = Descent(unravel(vector), float(value), slope, number + 1,
                            message="all steps were taken")
            if ticker is not None:
                ticker.text = f"srcgrad: {name}: step {number + 1}, value {float(value):.6g}"
            if callback is not None and _ends(callback, state):
                return Descent(state.x, state.fun, state.jac, state.nit,
                               message="the callback ended it")
    return state


def _ends(callback: Callable[[Any], Any], state: Descent[Any]) -> bool:
    try:
        return callback(state) is True
    except StopIteration:
        return True


def _batches(name: str, steps: int | None, batches: Iterable[Any] | None
             ) -> Iterator[tuple[Any, ...]]:
    """The further arguments of each step."""
    if steps is None and batches is None:
        raise StructureError(f"{name} does not know how many steps to take",
                             where=f"steps of {name}", why="a descent has no end of its own",
                             fix="give steps=1000, or batches=")
    if steps is not None and (not isinstance(steps, int) or steps < 0):
        raise StructureError(f"steps is {steps!r}", where=f"steps of {name}",
                             why="it is a number of steps", fix="give a positive int")
    if batches is None:
        yield from (() for _ in range(steps or 0))
        return
    if not isinstance(batches, Iterable):
        raise StructureError(f"batches is {batches!r}", where=f"batches of {name}",
                             why="there is a step for each batch in it",
                             fix="give a list or a generator of tuples")
    number = -1
    for number, batch in enumerate(batches):
        if steps is not None and number >= steps:
            return
        if not isinstance(batch, tuple):
            raise StructureError(
                f"batches of {name} yields {type(batch).__name__}, not a tuple",
                where=f"batches of {name}", why="it holds further arguments of the function",
                fix="yield (x,) for one argument, (x, y) for two")
        yield batch
    if number < 0:
        raise StructureError(f"there are no batches for {name}", where=f"batches of {name}",
                             why="there is a step for each batch",
                             fix="give data; an iterator that was used before has none left")
