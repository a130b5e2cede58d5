"""Names that are one of several arrays in turn: one of those from before a loop, or one that the
loop has made.

A loop carries a name's array by its content, which is all that matters as long as no array changes
that may have two names.  Where one does, the loop carries a truth value for each array from before
that the name may be; what is read and written through the name is that array, in a branch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...stage.machine import UNBOUND
from ...types.dataclasses import dataclass
from ...types.kinds import BOOL, Aval, Kind
from ..heap.unlike import chosen
from ..record.homes import MOST_MEMBERS, is_active
from ..record.tracers import ArrayTracer, Late, arrays_of
from .shapes import Leaf, Perhaps

if TYPE_CHECKING:
    from .joins import Join


@dataclass(slots=True)
class OneOfArrays(Perhaps):
    """The form of such a name: its parts are whether it is each of ``others``, and what it is if
    it is none of them."""

    others: tuple[ArrayTracer, ...] = ()


def one_of_arrays(joining: Join, before: Any, after: Any,
                  known: tuple[ArrayTracer, ...] = ()) -> OneOfArrays | None:
    """The form of a name that is an array before and after an iteration, and that may be one of
    ``known`` or of others from before the loop; None if it cannot be told which."""
    others = list(known)
    for state in (before, after):
        if type(state) is not ArrayTracer or state.aval.kind is not Kind.ARRAY or (
                not _find_others(state, others)):
            return None
    aval = joining.join_avals(before.aval, after.aval)
    if not others or len(others) >= MOST_MEMBERS or aval.shape is None:
        return None
    own = Leaf(aval, label=after.home.label)
    names = ["first" if o.home.label == after.home.label else o.home.label for o in others]
    heads: list[ArrayTracer] = []  # what it is in an iteration if it is no other

    def build(made: list[Any]) -> Any:
        heads[:] = made[-1:]
        return _built(joining.machine, made[:-1], others, made[-1])

    def parts(state: Any) -> tuple[Any, ...]:
        mine = _own(others, state)
        return (*(_is_other(other, state) for other in others),
                Late(aval, lambda machine: _spare(machine, aval, heads, others[0])) if (
                    mine is UNBOUND) else mine)

    return OneOfArrays(build, [*(Leaf(BOOL) for _ in others), own], parts, others=tuple(others),
                       labels=(*(f"_is_{name}" for name in names), "_new"))


def has_others(form: OneOfArrays, state: Any) -> bool:
    """May a state be another array from before than the form knows of?"""
    others = list(form.others)
    return not _find_others(state, others) or len(others) > len(form.others)


def _find_others(state: Any, others: list[ArrayTracer]) -> bool:
    """Add the arrays from before a loop that a state may be; False where one of them is not told
    by an index that is known there."""
    if type(state) is not ArrayTracer:
        return True
    if state.home.choice is not None and not state.steps:
        return all(_find_others(side, others) for side in state.home.choice[1:])
    if not is_active(state.home):
        return True
    if state.dyn or state.home.choice is not None:
        return False
    if not any(_is_one(state, other) for other in others):
        others.append(state)
    return True


def _is_one(a: Any, b: ArrayTracer) -> bool:
    return type(a) is ArrayTracer and a.home is b.home and a.steps == b.steps and not a.dyn


def _spare(machine: Any, aval: Aval, heads: list[ArrayTracer], other: ArrayTracer) -> Any:
    """An array for a name that is another one: that of the iteration's head, or any."""
    if heads and heads[0].home.region is machine.recorder.region:
        return heads[0]
    given = {} if aval.dtype == other.aval.dtype else {"dtype": aval.dtype}
    return machine.recorder.apply(np.zeros_like, (other,), given)


def _is_other(other: ArrayTracer, state: Any) -> Any:
    """Is a state an array from before: a bool, the value of one, or how to compute it."""
    if type(state) is not ArrayTracer or state.home.choice is None or state.steps:
        return _is_one(state, other)
    predicate, first, second = state.home.choice
    sides = _is_other(other, first), _is_other(other, second)
    if sides[0] is sides[1]:
        return sides[0]
    if sides[0] is True and sides[1] is False and predicate.aval.kind is Kind.BOOL:
        return predicate
    return chosen(predicate, *sides, BOOL)


def _own(others: list[ArrayTracer], state: Any) -> Any:
    """What a state is if it is none of those from before; UNBOUND if it surely is one."""
    if type(state) is not ArrayTracer or any(_is_one(state, other) for other in others):
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


def _built(machine: Any, flags: list[Any], others: list[ArrayTracer], own: Any) -> Any:
    """The array that is one of others, by flags, or else ``own``."""
    found = own
    for flag, other in zip(reversed(flags), reversed(others), strict=True):
        if type(flag) is bool:
            found = other if flag else found
            continue
        aval = own.aval
        (content,) = machine.recorder.emit("undef", (), (aval,))  # replaced when it is first read
        joined: ArrayTracer = machine.recorder.wrap(content, own.home.label)
        joined.home.choice = (machine.recorder.value_of(flag), other, found)
        found = joined
    return found
