"""Names that are one of several arrays in turn: one of those from before a loop, or one that the
loop has made.

A loop carries a name's array by its content, which is all that matters as long as no array changes
that may have two names.  Where one does, the loop carries a truth value for each array from before
that the name may be; what is read and written through the name is that array, in a branch.  Views
of one array that differ in an index alone, such as its rows, are carried by the index.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.ir import Index, Ref, Steps, Through, Value
from ...stage.machine import UNBOUND
from ...types.dataclasses import dataclass
from ...types.kinds import BOOL, SCALARS, Aval, Kind
from ..heap.unlike import chosen
from ..record.homes import MOST_MEMBERS, is_active
from ..record.structures import leaf_aval
from ..record.tracers import ArrayTracer, Home, Late, arrays_of
from .shapes import Leaf, Perhaps

if TYPE_CHECKING:
    from .joins import Join


@dataclass(frozen=True, slots=True, eq=False)
class Earlier:
    """An array from before a loop: ``sample``; or, with ``count`` indices, the views of one home
    that ``steps`` lead to, for any indices."""

    sample: ArrayTracer
    steps: Steps
    count: int = 0

    @property
    def home(self) -> Home:
        return self.sample.home

    def indices(self, state: Any) -> list[Any] | None:
        """The indices of a state that is this array, or one of these; None if it is not."""
        if type(state) is not ArrayTracer or state.home is not self.home or (
                state.aval.shape != self.sample.aval.shape):
            return None
        if not self.count:
            return [] if state.steps == self.steps and not state.dyn else None
        steps, found = _indexed(state)
        return found if steps == self.steps else None

    def has(self, state: Any) -> bool:
        """Is a state this array, or one of these?"""
        return self.indices(state) is not None

    def at(self, indices: list[Any]) -> ArrayTracer:
        """The array with some indices."""
        if not self.count:
            return self.sample
        return _handle(self.sample, self.steps, tuple(
            map(self.sample.machine.recorder.as_value, indices)))


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


@dataclass(slots=True)
class OneOfArrays(Perhaps):
    """The form of such a name: its parts are whether it is each of ``others``, their indices, and
    what it is if it is none of them.  ``surely``: it is one of them, the last if no other."""

    others: tuple[Earlier, ...] = ()
    surely: bool = False


def one_of_arrays(joining: Join, before: Any, after: Any,
                  known: tuple[Earlier, ...] = ()) -> OneOfArrays | None:
    """The form of a name that is an array before and after an iteration, and that may be one of
    ``known`` or of others from before the loop; None if it cannot be told which."""
    others = list(known)
    if not all(type(s) is ArrayTracer and s.aval.kind is Kind.ARRAY and _find_others(s, others)
               for s in (before, after) if s is not None) or before is after:
        return None
    arrays = [s for s in (before, after) if s is not None]
    aval = joining.join_avals(*(leaf_aval(s) for s in (before, after)))  # type: ignore[arg-type]
    if not others or len(others) >= MOST_MEMBERS or aval.shape is None or (
            aval.optional and not any(other.count for other in others)):
        return None
    label = arrays[-1].home.label
    names = ["first" if o.home.label == label else o.home.label for o in others]
    places = [f"_{name}" for name in names] if len(others) > 1 else [""]
    surely = all(any(other.has(s) for other in others)
                 for s in _members(before, after))
    flags = others[:-1] if surely else others
    indices = [(f"_at{name}_{i}" if other.count > 1 else f"_at{name}", leaf)
               for name, other in zip(places, others, strict=True)
               for i, leaf in enumerate(_index_forms(joining, other, (before, after)))]
    own = [] if surely else [("_new", Leaf(aval, label=label))]
    heads: list[ArrayTracer] = []  # what it is in an iteration if it is no other

    def build(made: list[Any]) -> Any:
        heads[:] = [] if surely else made[-1:]
        return _built(joining.machine, others, made, aval, label)

    def parts(state: Any) -> tuple[Any, ...]:
        mine = _own(others, state)
        if mine is UNBOUND:
            mine = Late(aval, lambda machine: _spare(machine, aval, heads, others))
        return (*(_told(one.has, state, BOOL) for one in flags),
                *(i for one in others for i in _indices(one, state)), *([] if surely else [mine]))

    labelled = [*((f"_is_{name}", Leaf(BOOL)) for name in names[:len(flags)]), *indices, *own]
    return OneOfArrays(build, [leaf for _, leaf in labelled], parts, others=tuple(others),
                       surely=surely, labels=tuple(name for name, _ in labelled))


def has_others(form: OneOfArrays, state: Any) -> bool:
    """May a state be another array from before than the form knows of, or surely none?"""
    others = list(form.others)
    return not _find_others(state, others) or [*map(id, others)] != [*map(id, form.others)] or (
        form.surely and any(not any(other.has(s) for other in others)
                            for s in _members(state)))


def _members(*states: Any) -> list[Any]:
    """All that some states may be."""
    found: list[Any] = []
    for state in states:
        choice = state.home.choice if type(state) is ArrayTracer and not state.steps else None
        found += [state] if choice is None else _members(*choice[1:])
    return found


def _find_others(state: Any, others: list[Earlier]) -> bool:
    """Add the arrays from before a loop that a state may be; False where one of them cannot be
    told by indices."""
    for one in _members(state):
        if type(one) is not ArrayTracer or not is_active(one.home) or any(
                other.has(one) for other in others):
            continue
        if one.home.choice is not None:
            return False
        # a view that an iteration has made is read anew after it
        made = Earlier(one, one.steps) if not one.steps or one.seen[2].active else Earlier(
            _handle(one, one.steps, one.dyn), one.steps)
        if one.dyn:
            steps, found = _indexed(one)
            if any(type(i) is not int and not _is_index(i.aval) for i in found):
                return False
            made = Earlier(one, steps, len(found))
            others[:] = [o for o in others if o.count or not made.has(o.sample)]
        others.append(made)
    return True


def _is_index(aval: Aval) -> bool:
    return aval.kind in SCALARS and (aval.kind is Kind.INT or (
        aval.dtype is not None and aval.dtype.kind in "iu"))


def _index_forms(joining: Join, other: Earlier, states: tuple[Any, ...]) -> list[Leaf]:
    """The forms of the indices of one of the others."""
    avals: list[Aval | None] = [None] * other.count
    for one in _members(*states, other.sample):
        for i, index in enumerate(other.indices(one) or ()):
            new, old = leaf_aval(index), avals[i]
            avals[i] = new if old is None or new is None else joining.join_avals(old, new)
    return [Leaf(aval) for aval in avals if aval is not None]


def _spare(machine: Any, aval: Aval, heads: list[ArrayTracer], others: list[Earlier]) -> Any:
    """An array for a name that is another one: that of the iteration's head, or any."""
    if heads and heads[0].home.region is machine.recorder.region:
        return heads[0]
    like = next((one.sample for one in others if _is_at_hand(one.sample)), None)
    if like is None:
        return machine.recorder.wrap(machine.joined_values.placeholder(aval, None))
    given = {} if aval.dtype == like.aval.dtype else {"dtype": aval.dtype}
    return machine.recorder.apply(np.zeros_like, (like,), given)


def _is_at_hand(view: ArrayTracer) -> bool:
    """Can an array from before the loop be read now, if an iteration may have made the view?"""
    return not view.dyn or view.seen[2].active


def _told(ask: Callable[[Any], Any], state: Any, aval: Aval) -> Any:
    """What is asked of an array: a bool or number, the value of one, or how to compute it."""
    if type(state) is not ArrayTracer or state.home.choice is None or state.steps:
        return ask(state)
    predicate, *members = state.home.choice
    first, second = (_told(ask, member, aval) for member in members)
    if first is second or second is None:
        return first
    if first is None:
        return second
    if first is True and second is False and predicate.aval.kind is Kind.BOOL:
        return predicate
    return chosen(predicate, first, second, aval)


def _indices(other: Earlier, state: Any) -> tuple[Any, ...]:
    """The indices with which a state is one of the others; any where it is not."""
    def number(place: int) -> Any:
        def ask(one: Any) -> Any:
            found = other.indices(one)
            return None if found is None else found[place]

        avals = [leaf_aval(i) for i in map(ask, _members(state)) if i is not None]
        told = _told(ask, state, avals[0]) if avals else None  # type: ignore[arg-type]
        return 0 if told is None else told

    return tuple(map(number, range(other.count)))


def _own(others: list[Earlier], state: Any) -> Any:
    """What a state is if it is none of those from before; UNBOUND if it surely is one."""
    if type(state) is not ArrayTracer:
        return state if state is None else UNBOUND
    if any(other.has(state) for other in others):
        return UNBOUND
    if state.home.choice is None or state.steps:
        return state
    predicate, *members = state.home.choice
    sides = [_own(others, side) for side in members]
    if any(side is UNBOUND for side in sides):
        return sides[0] if sides[1] is UNBOUND else sides[1]
    aval = state.home.current.aval
    return Late(aval, lambda machine: machine.recorder.wrap(machine.joined_values.phi(
        predicate, *(lambda side=side: machine.joined_values.leaf_value(side, aval)
                     for side in sides), aval)), (*arrays_of(sides[0]), *arrays_of(sides[1])))


def _built(machine: Any, others: list[Earlier], made: list[Any], aval: Aval, label: str) -> Any:
    """The array that is one of others, by flags and indices, or else the last of the parts; of
    others alone the last one."""
    arrays: list[Any] = []
    count = len(made) - sum(other.count for other in others)
    surely = count < len(others)
    place = len(others) - surely
    for other in others:
        arrays.append(other.at(made[place:place + other.count]))
        place += other.count
    found = arrays.pop() if surely else made[-1]
    for flag, array in zip(reversed(made[:len(arrays)]), reversed(arrays), strict=True):
        if type(flag) is bool:
            found = array if flag else found
            continue
        (content,) = machine.recorder.emit("undef", (), (aval,))  # replaced when it is first read
        joined: ArrayTracer = machine.recorder.wrap(content, label)
        joined.home.choice = (machine.recorder.value_of(flag), array, found)
        found = joined
    return found
