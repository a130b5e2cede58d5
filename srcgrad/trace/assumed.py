"""Which assumptions tracing makes, and what undoes what it does at its own risk."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from ..errors import SrcgradError, Where
from ..types.dataclasses import dataclass
from .assumptions import (
    ALL,
    MIXED_ROWS,
    Assumption,
    CalledFunction,
    DecidedCondition,
    FollowedArrays,
    FollowedNames,
    GatheredLists,
    GivenText,
    KnownBefore,
    KnownLengths,
    NumbersApart,
    RunTimeKeys,
    StoredObjects,
    UnrolledLoop,
    Withdrawn,
)

Kind = TypeVar("Kind", bound=Assumption)
ONE_BY_ONE = 4  # containers, or pairs of places, of which something is assumed one by one

# What the tracer does at its own risk is undone by these, in this order.
UNDOING = (Withdrawn(FollowedArrays()), MIXED_ROWS,
           Withdrawn(GatheredLists()), KnownLengths(), Withdrawn(RunTimeKeys(None)),
           KnownLengths(repeats=True), NumbersApart(), Withdrawn(FollowedNames()))


def fixed_size(path: str, axis: int | None, number: int) -> DecidedCondition:
    """The assumption that a size of an argument, or an int, is a number of the code."""
    size = path if axis is None else f"the size of axis {axis} of {path}"
    return DecidedCondition("==", size, number)


@dataclass(frozen=True)
class Made:
    """An assumption, and where in the user's text it was made."""

    assumption: Assumption
    where: Where | None = None

    def words(self) -> str:
        return self.assumption.words()


class Assumptions:
    """What is assumed in one tracing, and what its present attempt does at its own risk: things
    that an assumption would undo."""

    def __init__(self, first: Iterable[Assumption] = ()) -> None:
        self.made: list[Made] = []  # in order, with what was replaced since
        self.risks: dict[Assumption, None] = {}
        self.recorded = 0  # nodes of the attempts before
        self.trials = 0  # of ``try`` statements within others
        self._present: dict[Assumption, None] = dict.fromkeys(first)

    def __contains__(self, assumption: Assumption) -> bool:
        return bool(self._present) and assumption in self._present

    def of(self, kind: type[Kind]) -> list[Kind]:
        return [a for a in self._present if type(a) is kind]

    def add(self, made: Made) -> bool:
        """Assume one thing more; False if it is assumed already."""
        new = made.assumption
        if new in self:
            return False
        self.made.append(made)
        if type(new) is Withdrawn and type(new.of) is GivenText:  # with what it led to
            since = [*self._present].index(new.of)
            self._present = dict.fromkeys([*self._present][:since])
        self._present = {a: None for a in self._present if not new.replaces(a)}
        self._present[new] = None
        return True

    def add_one(self, remedies: Iterable[Assumption], where: Any) -> bool:
        """Assume the first thing that may help against a refusal; False if nothing does."""
        place = where if isinstance(where, Where) else None
        return any(self.open(r) and self.add(Made(r, place)) for r in remedies)

    def risk(self, undone_by: Assumption) -> None:
        """The attempt does something that may turn out wrong, and that this would undo."""
        self.risks[undone_by] = None

    def open(self, assumption: Assumption) -> bool:
        """Is something neither assumed nor withdrawn?"""
        return assumption not in self and not any(
            type(a) is Withdrawn and a.of.includes(assumption) for a in self._present)

    def undoing(self) -> list[Assumption]:
        """What would undo what was done at a risk, in the order in which it is tried: all that
        gives lists, dicts, numbers and names other forms than those of plain Python."""
        tried: list[Assumption] = [Withdrawn(a) for a, is_made in (
            (MIXED_ROWS, MIXED_ROWS in self), (NumbersApart(), self.of(NumbersApart))) if is_made]
        if any(f.name is not None for f in self.of(FollowedNames)):
            self.risk(Withdrawn(FollowedNames()))
        return [a for a in self.risks if type(a) is Withdrawn and isinstance(
            a.of, StoredObjects)] + tried + [a for a in self.risks if isinstance(
                a, StoredObjects)] + [a for a in UNDOING if a in self.risks]

    # ---- questions that are about more than one ------------------------------------------
    def fixes(self, path: str, axis: int | None) -> bool:
        """Is a size, or an int, a number of the code?"""
        size = fixed_size(path, axis, 0).left
        return any(d.op == "==" and d.left == size for d in self.of(DecidedCondition))

    def reason_to_unroll(self, site: Any) -> str | None:
        """Why the loop at a site is unrolled; None if it is not."""
        return next((u.reason for u in self.of(UnrolledLoop) if u.site == site), None)

    def unrolls(self, site: Any) -> bool:
        return UnrolledLoop(site, "") in self

    def knows(self, path: str, other: str | None = None) -> bool:
        """Is the content of a container known before it changes, or that it is one object with what
        is found at another place?"""
        known = KnownBefore(path, other, other is not None)
        return known in self or KnownBefore(is_one=known.is_one) in self

    def known(self, path: str, other: str | None = None) -> KnownBefore:
        """What is assumed where that must be known of one more: in the end, it is of all."""
        is_one = other is not None
        few = sum(k.is_one is is_one for k in self.of(KnownBefore)) < ONE_BY_ONE
        return KnownBefore(path, other, is_one) if few else KnownBefore(is_one=is_one)

    def gathers(self, path: str) -> bool:
        """Is a list gathered where it is found?"""
        return GatheredLists(path) in self and Withdrawn(GatheredLists()) not in self

    def stores(self, cls: Any, outside: bool = False) -> bool:
        """Do the objects of a class lie in a store?"""
        return self.open_stores(outside) and StoredObjects(cls, outside) in self

    def open_stores(self, outside: bool = False) -> bool:
        """May objects lie in stores?"""
        return Withdrawn(StoredObjects(outside=outside)) not in self

    def held_by(self, cls: Any, name: str, outside: bool = False) -> list[Any]:
        """What is put into an attribute of objects in a store: names of classes, and others."""
        return [s.holds for s in self.of(StoredObjects) if s.cls == cls and s.name == name
                and s.outside is outside]

    def without_stores(self) -> list[Assumption]:
        """What undoes stores, which a refusal need not name."""
        return [Withdrawn(StoredObjects(outside=outside)) for outside in (True, False)
                if self.open_stores(outside) and any(
                    s.outside is outside for s in self.of(StoredObjects))]

    def without_texts(self) -> list[Assumption]:
        """What makes texts known that are inputs, which a refusal need not name either."""
        return [Withdrawn(text) for text in self.of(GivenText)]

    def complex_powers(self) -> bool:
        """Are powers of negative floats told apart, which are complex?"""
        return any(apart.place is not None for apart in self.of(NumbersApart))

    def follows(self, code: Any, name: str) -> bool:
        """Is it followed whether a variable of the function with this code is bound?"""
        return FollowedNames() in self or FollowedNames(code, name) in self

    def follows_arrays(self, name: str) -> bool:
        """Do the arrays with a name lie in a pool?"""
        return FollowedArrays(name=name) in self or FollowedArrays(name=ALL) in self

    def inlines(self, code: Any) -> bool:
        """Is a function inlined that calls itself, or that runs the steps of a loop?"""
        return Withdrawn(CalledFunction(code)) in self

    def refusal_of(self, assumption: Assumption) -> SrcgradError | None:
        """What was refused when this was assumed."""
        return next((w.error for w in self.of(Withdrawn) if w.of == assumption), None)
