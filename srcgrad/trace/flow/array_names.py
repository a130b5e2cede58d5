"""Names that are one of several arrays in turn: one of those from before a loop, or one that the
loop has made.

A loop carries a name's array by its content, which is all that matters as long as no array changes
that may have two names.  Where one does, the loop carries a truth value for each array from before
that the name may be; what is read and written through the name is that array, in a branch.  Views
of one array that differ in an index alone, such as its rows, are carried by the index.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...stage.machine import UNBOUND
from ...types.dataclasses import dataclass
from ...types.kinds import BOOL, Aval, Kind
from ..record.earlier import Whereabouts, earlier, lies
from ..record.homes import MOST_MEMBERS, is_active
from ..record.structures import leaf_aval
from ..record.tracers import ArrayTracer, Late, arrays_of, chosen
from .shapes import Leaf, Perhaps

if TYPE_CHECKING:
    from .joins import Join


@dataclass(slots=True)
class OneOfArrays(Perhaps):
    """The form of such a name: its parts are whether it is each of ``others``, their indices, and
    what it is if it is none of them.  ``surely``: it is one of them, the last if no other."""

    others: tuple[Whereabouts, ...] = ()
    surely: bool = False


def one_of_arrays(joining: Join, before: Any, after: Any,
                  known: tuple[Whereabouts, ...] = ()) -> OneOfArrays | None:
    """The form of a name that is an array before and after an iteration, and that may be one of
    ``known`` or of others from before the loop; None if it cannot be told which."""
    others = list(known)
    if before is after or not all(
            type(s) is ArrayTracer and s.aval.kind is Kind.ARRAY and _find_others(
                joining, s, others) for s in (before, after) if s is not None):
        return None
    arrays = [s for s in (before, after) if s is not None]
    aval = joining.join_avals(*(leaf_aval(s) for s in (before, after)))  # type: ignore[arg-type]
    if not others or len(others) >= MOST_MEMBERS or aval.shape is None or (
            aval.optional and not any(other.count for other in others)):
        return None
    label = arrays[-1].home.label
    names = ["first" if o.label == label else o.label for o in others]
    places = [f"_{name}" for name in names] if len(others) > 1 else [""]
    surely = all(lies(others, s) for s in _members(before, after))
    flags = others[:-1] if surely else others
    indices = [(f"_at{name}_{i}" if other.count > 1 else f"_at{name}", leaf)
               for name, other in zip(places, others, strict=True)
               for i, leaf in enumerate(_index_forms(joining, other, (before, after)))]
    own = [] if surely else [("_new", Leaf(aval, label=label))]
    heads: list[ArrayTracer] = []  # what it is in an iteration if it is no other

    def build(made: list[Any]) -> Any:
        heads[:] = [] if surely else made[-1:]
        for head in heads:
            if type(head) is ArrayTracer:
                head.home.label = label
        return _built(joining.machine, others, made, aval, label)

    def parts(state: Any) -> tuple[Any, ...]:
        mine = _own(others, state)
        if mine is UNBOUND:
            mine = Late(aval, lambda machine: _spare(machine, aval, heads, others))
        return (*(_told(functools.partial(lies, [one]), state, BOOL) for one in flags),
                *(i for one in others for i in _indices(one, state)), *([] if surely else [mine]))

    labelled = [*((f"_is_{name}", Leaf(BOOL)) for name in names[:len(flags)]), *indices, *own]
    return OneOfArrays(build, [leaf for _, leaf in labelled], parts, others=tuple(others),
                       surely=surely, labels=tuple(name for name, _ in labelled))


def may_be_pooled(joining: Join, *states: Any) -> bool:
    """May a name be an array that a list holds by its number?"""
    return any(joining.pooled(one) is not None for one in _members(*states))


def has_others(joining: Join, form: OneOfArrays, state: Any) -> bool:
    """May a state be another array from before than the form knows of, or surely none?"""
    others = list(form.others)
    return not _find_others(joining, state, others) or (
        [*map(id, others)] != [*map(id, form.others)]) or (
        form.surely and not all(lies(others, s) for s in _members(state)))


def _members(*states: Any) -> list[Any]:
    """All that some states may be."""
    found: list[Any] = []
    for state in states:
        choice = state.home.choice if type(state) is ArrayTracer and not state.steps else None
        found += [state] if choice is None else _members(*choice[1:])
    return found


def _find_others(joining: Join, state: Any, others: list[Whereabouts]) -> bool:
    """Add the arrays from before a loop that a state may be; False where one of them cannot be
    told by indices."""
    for one in _members(state):
        if type(one) is not ArrayTracer or lies(others, one):
            continue
        made: Whereabouts | None = joining.pooled(one)
        if made is None and is_active(one.home):
            made = earlier(one)
            if made is None:
                return False
            if made.count:
                others[:] = [o for o in others if o.count or not lies([made], o.sample)]
        others += [] if made is None else [made]
    return True


def _index_forms(joining: Join, other: Whereabouts, states: tuple[Any, ...]) -> list[Leaf]:
    """The forms of the indices of one of the others."""
    avals: list[Aval | None] = [None] * other.count
    for one in _members(*states, other.sample):
        for i, index in enumerate(other.indices(one) or ()):
            new, old = leaf_aval(index), avals[i]
            avals[i] = new if old is None or new is None else joining.join_avals(old, new)
    return [Leaf(aval) for aval in avals if aval is not None]


def _spare(machine: Any, aval: Aval, heads: list[ArrayTracer], others: list[Whereabouts]) -> Any:
    """An array for a name that is another one: that of the iteration's head, or any."""
    if heads and heads[0].home.region is machine.recorder.region:
        return heads[0]
    like = next((one.at_hand for one in others if one.at_hand is not None), None)
    if like is None:
        return machine.recorder.wrap(machine.joined_values.placeholder(aval, None))
    return machine.joined_values.spare_like(like, aval)


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


def _indices(other: Whereabouts, state: Any) -> tuple[Any, ...]:
    """The indices with which a state is one of the others; any where it is not."""
    def number(place: int) -> Any:
        def ask(one: Any) -> Any:
            found = other.indices(one)
            return None if found is None else found[place]

        avals = [leaf_aval(i) for i in map(ask, _members(state)) if i is not None]
        told = _told(ask, state, avals[0]) if avals else None  # type: ignore[arg-type]
        return 0 if told is None else told

    return tuple(map(number, range(other.count)))


def _own(others: list[Whereabouts], state: Any) -> Any:
    """What a state is if it is none of those from before; UNBOUND if it surely is one."""
    if type(state) is not ArrayTracer:
        return state if state is None else UNBOUND
    if lies(others, state):
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


def _built(machine: Any, others: list[Whereabouts], made: list[Any], aval: Aval, label: str) -> Any:
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
