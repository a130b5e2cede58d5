"""Tuples that may be None: ``last = None`` before a loop, ``last = (t, v)`` on some path in it.

Such a place holds a :class:`~srcgrad.trace.tracers.Choice` between a tuple and None.  Its form is
a truth value, whether there is a tuple, and the parts of the tuple, as long as all tuples that
come together there have one form.
"""

from __future__ import annotations

from typing import Any

from ..graph.ir import Value
from ..kinds import BOOL, Kind
from ..stage.machine import UNBOUND
from .partial import PartialJoin
from .shapes import Apart, Failed, Leaf, Optional, Same, Shape
from .tracers import Choice


class OptionalJoin(PartialJoin):
    """A join of tuples and None."""

    def optional(self, a: Any, b: Any) -> Shape | None:
        """The form of a place that is a tuple on some paths and None on others; None where it is
        something else, or a branch itself tells which of the two it is."""
        there = [bound_tuple(s, facts) for s, facts in zip((a, b), self.facts, strict=True)]
        if None in there or there[0] is there[1] is True or (
                there == [True, False] and self.predicate is not None):
            return None
        if any(self.outside(s) for s in (a, b)):
            return None
        contents = [UNBOUND if bound is False else tuple_of(s)
                    for s, bound in zip((a, b), there, strict=True)]
        if contents[0] is contents[1] is UNBOUND:
            return Same(None)
        content = self.unify(*contents)
        if isinstance(content, (Failed, Apart)):
            return None
        flag: Shape = Same(there[0]) if there[0] is there[1] else Leaf(BOOL)
        if there == [True, False] and self.predicate is not None and (
                self.predicate.aval.kind is Kind.BOOL):
            flag = Same(self.predicate)
        return Optional(_build, [flag, content], optional_parts)


def bound_tuple(state: Any, facts: dict[Value, bool]) -> Any:
    """Is there a tuple: a bool, or the value of one; None where it is neither."""
    if state is None:
        return False
    if isinstance(state, tuple):
        return True
    if type(state) is Choice and isinstance(state.first, tuple) and state.second is None:
        return facts.get(state.predicate, state.predicate)
    return None


def tuple_of(state: Any) -> Any:
    """The tuple of a place that may have one."""
    return state.first if type(state) is Choice else state


def optional_parts(state: Any) -> tuple[Any, ...]:
    """Whether there is a tuple, and the tuple."""
    if state is UNBOUND:
        return (UNBOUND, UNBOUND)
    bound = bound_tuple(state, {})
    if bound is None:
        raise TypeError
    return (bound, UNBOUND if bound is False else tuple_of(state))


def _build(parts: list[Any]) -> Any:
    there, content = parts
    if type(there) is bool:
        return content if there else None
    return Choice(getattr(there, "value", there), content, None)
