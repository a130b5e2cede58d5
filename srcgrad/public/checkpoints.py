"""Memory for time: functions whose adjoint runs them again."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, Generic, ParamSpec, TypeVar, overload

from ..compile.frames import without_internal_frames
from ..compile.refusals import require_function
from ..errors import StructureError
from ..rules.marks import name
from ..trace.calls.handlers import handles
from ..trace.flow.schedules import Schedule
from .standing import Standing

P = ParamSpec("P")
R = TypeVar("R")


class _Checkpointed(Standing, Generic[P, R]):
    """What :func:`checkpoint` returns."""

    def __init__(self, fun: Callable[P, R], kept: tuple[str, ...], budget: int | None) -> None:
        self._stand_for(fun)
        self.fun, self.kept, self.budget = fun, kept, budget

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.fun(*args, **kwargs)

    def __srcgrad_plain__(self) -> Callable[P, R]:
        return self.fun

    def __srcgrad_trace__(self, machine: Any, args: tuple[Any, ...],
                          kwargs: dict[str, Any]) -> Any:
        if self.budget is not None:
            return machine.recursion.within_budget(self.fun, args, kwargs, self.budget)
        return machine.recursion.checkpointed(self.fun, args, kwargs, self.kept)

    def __repr__(self) -> str:
        return f"<srcgrad checkpoint of {self.__name__}>"


@overload
def checkpoint(fun: Callable[P, R], *, policy: str | Iterable[str] | None = None,
               budget: int | None = None) -> _Checkpointed[P, R]: ...


@overload
def checkpoint(fun: None = None, *, policy: str | Iterable[str] | None = None,
               budget: int | None = None) -> Callable[[Callable[P, R]], _Checkpointed[P, R]]: ...


@without_internal_frames
def checkpoint(fun: Callable[..., Any] | None = None, *, policy: str | Iterable[str] | None = None,
               budget: int | None = None) -> Any:
    """``fun``, with less memory for its derivative: what it computes inside is not kept.

    In a gradient the function is one of its own in the generated code.  A call keeps its
    arguments; when its adjoint is due the function runs once more, with everything kept, and is
    differentiated.  In a loop over steps ``x = step(x)`` this keeps one ``x`` a step instead of
    everything inside of the step.  Calls may nest: functions that are called inside and are
    checkpointed too are run again within.  A function with effects (printing, random draws) is
    not run twice: what it computes is kept after all.  One that cannot be a function of its own (a
    generator, paths that return unlike things) is inlined as if it were not marked.

    ``policy`` is the name of a value, or several: what ``name(value, label)`` gives one of these
    names in ``fun``, outside of branches and loops, is kept, and what makes it is not run again.

    ``budget`` is how many states each loop in ``fun``, and in what it calls, keeps at a time: its
    steps run in the groups of ``checkpoint_range(schedule="binomial")``, whether their number is
    known or not, and nothing else is run again.  A loop that returns from the function, or binds a
    variable that is read after it and was not bound before, keeps what it needs.

    Values and derivatives have the bits that they have without it.

    Raises :class:`StructureError` for another policy or budget, and for what is no function; a
    derivative does for a name that ``fun`` does not give, or gives in a branch or a loop.

    See also :func:`checkpoint_range`, :func:`name`, :class:`Compiled.memory`.

    >>> import numpy as np
    >>> from srcgrad import grad
    >>> @checkpoint
    ... def step(x):
    ...     return np.sin(np.exp(x))
    >>> grad(lambda x: step(step(x)))(0.0) == grad(lambda x: step.fun(step.fun(x)))(0.0)
    True
    >>> @checkpoint(budget=4)
    ... def rollout(x):
    ...     for _ in range(100):
    ...         x = 0.9 * np.sin(x)
    ...     return x
    >>> grad(rollout)(2.0) == grad(rollout.fun)(2.0)
    True
    """
    if isinstance(policy, str) or not isinstance(policy, Iterable | None):
        policy = (policy,)
    kept = tuple(policy or ())
    if not all(isinstance(label, str) for label in kept) or (kept and budget is not None):
        raise StructureError(
            f"checkpoint has no policy {policy!r}" + " beside a budget" * (budget is not None),
            where="policy of checkpoint", why="it is the names that name() gives to what is kept; "
            "a budget says what loops keep", fix="give a name, or several, or a budget")
    _check_number(budget, "budget", "checkpoint", "states that a loop keeps")
    if fun is None:
        return functools.partial(checkpoint, policy=kept, budget=budget)
    require_function(fun, "checkpoint", "give a function",
                     "it marks the function whose inside is not kept")
    return _Checkpointed(fun, kept, budget)


@without_internal_frames
def checkpoint_range(n: int, *, schedule: str = "sqrt", slots: int | None = None) -> range:
    """``range(n)`` for a loop whose derivative is to keep little: its steps run in groups, and only
    what the first step of each group starts from is kept.  When the adjoint of a group is due, its
    steps run once more.

    ``schedule="sqrt"`` makes as many groups as there are steps in one: the state is kept
    about ``2 * sqrt(n)`` times instead of ``n`` times.  ``slots`` is a number of groups of
    one's own.  Where the loop is left by a jump, or binds a variable that is read after it and was
    not bound before, it is a loop over ``range(n)``.

    Raises :class:`StructureError` for another schedule, TypeError where ``n`` is no int (as
    ``range`` does).

    See also :func:`checkpoint`, :class:`Compiled.memory`, :func:`progress` (how many are done).

    >>> list(checkpoint_range(3))
    [0, 1, 2]
    """
    _check_schedule(schedule, slots)
    return range(n)


def _check_schedule(schedule: str, slots: Any) -> None:
    if schedule not in ("sqrt", "binomial"):
        raise StructureError(f"checkpoint_range has no schedule {schedule!r}",
                             where="schedule of checkpoint_range",
                             why="steps are run again in groups, or in halves of halves",
                             fix="use 'sqrt' or 'binomial', and slots= for how much is kept")
    _check_number(slots, "slots", "checkpoint_range", "groups, or of states")


def _check_number(found: Any, name: str, function: str, things: str) -> None:
    if found is not None and (isinstance(found, bool) or not isinstance(found, int) or found < 1):
        raise StructureError(f"{name} is {found!r}", where=f"{name} of {function}",
                             why=f"it is the number of {things}",
                             fix="give a positive int, or None")


@handles(checkpoint_range)
def _schedule(machine: Any, n: Any, *, schedule: str = "sqrt", slots: Any = None) -> Schedule:
    try:
        _check_schedule(schedule, slots)
    except StructureError as error:
        raise machine.recorder.fatal(error) from None
    return Schedule(0, n, 1, slots, schedule == "binomial")


@handles(name)
def _name(machine: Any, x: Any, label: str) -> Any:
    return machine.recursion.named(x, label)
