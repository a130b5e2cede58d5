"""Arrays that are told by where they lie: an array of before, or a view of one by its indices."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from ...graph.ir import Index, Ref, Steps, Through, Value
from ...types.dataclasses import dataclass
from ...types.kinds import SCALARS, Aval, Kind
from .homes import is_active
from .tracers import ArrayTracer, Home


class Whereabouts(Protocol):
    """Where some arrays lie, of which ``sample`` is one, and which ``count`` numbers tell apart."""

    @property
    def sample(self) -> ArrayTracer: ...
    @property
    def count(self) -> int: ...
    @property
    def label(self) -> str: ...
    @property
    def place(self) -> Any:
        """What equals that of other arrays that lie there, too."""
    @property
    def keeps(self) -> tuple[ArrayTracer, ...]:
        """An array that is held by all that holds one of them."""
    @property
    def at_hand(self) -> ArrayTracer | None:
        """One of them that can be read now."""
    def indices(self, state: Any) -> list[Any] | None:
        """The numbers of a state that is one of them; None if it is not."""
    def at(self, indices: list[Any]) -> ArrayTracer:
        """The array with some numbers."""


@dataclass(frozen=True, slots=True, eq=False)
class Earlier:
    """An array from before: ``sample``; or, with ``count`` indices, the views of one home that
    ``steps`` lead to, for any indices."""

    sample: ArrayTracer
    steps: Steps
    count: int = 0

    @property
    def home(self) -> Home:
        return self.sample.home

    @property
    def label(self) -> str:
        return self.home.label

    @property
    def place(self) -> Any:
        return id(self.home), self.steps, self.sample.aval.shape, self.count or self.sample.dyn

    @property
    def keeps(self) -> tuple[ArrayTracer, ...]:
        return (self.sample,)

    @property
    def at_hand(self) -> ArrayTracer | None:
        """Itself, unless an iteration that has ended may have made the view."""
        return self.sample if not self.sample.dyn or self.sample.seen[2].active else None

    def indices(self, state: Any) -> list[Any] | None:
        if type(state) is not ArrayTracer or state.home is not self.home or (
                state.aval.shape != self.sample.aval.shape):
            return None
        if not self.count:
            return [] if state.steps == self.steps and not state.dyn else None
        steps, found = _indexed(state)
        return found if steps == self.steps else None

    def at(self, indices: list[Any]) -> ArrayTracer:
        if not self.count:
            return self.sample
        return _handle(self.sample, self.steps, tuple(
            map(self.sample.machine.recorder.as_value, indices)))


def lies(places: Iterable[Whereabouts], state: Any) -> bool:
    """Is a state one of the arrays that lie in some places?"""
    return any(place.indices(state) is not None for place in places)


def earlier(view: ArrayTracer, by_numbers: bool = False) -> Earlier | None:
    """Where an array lies that was there before, or a view of one, in which numbers may be others
    (``by_numbers``: those that are known, too); None if it is one of several, or numbers do not
    tell which view it is."""
    if view.home.choice is not None or not is_active(view.home):
        return None
    if view.dyn or (by_numbers and view.steps):
        steps, found = _indexed(view)
        told = all(type(i) is int or _is_index(i.aval) for i in found)
        return Earlier(view, steps, len(found)) if told else None
    # a view that an iteration has made is read anew after it
    made = view if not view.steps or view.seen[2].active else _handle(view, view.steps, view.dyn)
    return Earlier(made, view.steps)


def _handle(like: ArrayTracer, steps: Steps, dyn: tuple[Value, ...]) -> ArrayTracer:
    """A view of the same home that no statement has made."""
    recorder = like.machine.recorder
    return ArrayTracer(like.machine, like.aval, like.home, steps, dyn, recorder.new_obj(), None,
                       recorder.region)


def _indexed(view: ArrayTracer) -> tuple[Steps, list[Any]]:
    """The steps to a view with a reference for each index in them, and the indices: numbers, or
    what stands for them."""
    found: list[Any] = []

    def referred(part: Any) -> Any:
        if type(part) is tuple:
            return tuple(map(referred, part))
        if type(part) is slice:
            return slice(*(end if type(end) is int else referred(end)
                           for end in (part.start, part.stop, part.step)))
        if type(part) is Ref:
            found.append(view.machine.recorder.wrap(view.dyn[part.index]))
        elif type(part) is int:
            found.append(part)
        else:
            return part
        return Ref(len(found) - 1)

    def step_of(step: Index | Through) -> Index | Through:
        if isinstance(step, Index):
            return Index(referred(step.key), step.basic)
        return Through(step.fn, referred(step.args), tuple(
            (name, referred(value)) for name, value in step.kwargs))

    return tuple(map(step_of, view.steps)), found


def _is_index(aval: Aval) -> bool:
    return aval.kind in SCALARS and (aval.kind is Kind.INT or (
        aval.dtype is not None and aval.dtype.kind in "iu"))
