"""Which homes may be one buffer, and what that means for writes.

Two homes that no relation joins are two buffers.  A home with a ``choice`` is one of the homes of
its two members, decided by a predicate; every other doubt is listed in ``aliases``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...graph.ir import Value
from .tracers import ArrayTracer, Home

MOST_MEMBERS = 16  # of one choice
FEW_ALIASES = 8  # that need not be looked through for those that are gone
RAISE = 4  # the jump of an arm that ends in an exception: nothing after it happens


def members(home: Home) -> list[Home]:
    """The homes of a choice's members."""
    return [m.home for m in (home.choice or ())[1:] if type(m) is ArrayTracer]


def reach(home: Home) -> list[Home]:
    """The home and every home that it may be: members of choices and aliases, transitively.
    Homes forget those of rounds of loops that were given up."""
    found: dict[int, Home] = {}
    todo = [home]
    while todo:
        one = todo.pop()
        if id(one) in found:
            continue
        found[id(one)] = one
        if len(one.aliases) > FEW_ALIASES and not is_gone(one):
            one.aliases[:] = [pair for pair in one.aliases if not is_gone(pair[0])]
        todo.extend(h for h, _ in one.aliases)
        todo.extend(members(one))
    return list(found.values())


def is_active(home: Home) -> bool:
    """Was the home made in a region that still runs?"""
    return home.region is None or home.region.active


def is_gone(home: Home) -> bool:
    """Was the home made in a round of a loop that was given up?"""
    return home.region is not None and any(region.gone for region in home.region.around())


def is_derived(home: Home) -> bool:
    """Does the content follow from that of other homes, or of a column?"""
    return home.choice is not None or home.place is not None


def is_stored(home: Home) -> bool:
    """May the buffer lie in a list of unknown length, and it is not known where?"""
    return any(h.stored or (is_pooled(h) and not is_derived(h)) for h in reach(home))


def is_pooled(home: Home) -> bool:
    """May a list hold the buffer by its number in a pool?"""
    return any(held.store is None for held in home.held)


def breadth(home: Home) -> int:
    """How many members the tree of a choice has."""
    if home.choice is None:
        return 1
    return sum(breadth(h) for h in members(home))


def may_be_one(a: Home, b: Home, known: dict[Value, bool] | None = None) -> bool:
    """Can two homes, at one moment of the program, be one buffer?  Choices on one predicate are
    decided alike (``known``: the predicates decided so far)."""
    known = known or {}
    for one, other in ((a, b), (b, a)):
        if one.choice is None:
            continue
        predicate, *sides = one.choice
        truths = [known[predicate]] if predicate in known else [True, False]
        return any(type(m) is ArrayTracer and may_be_one(m.home, other, {**known, predicate: t})
                   for t in truths for m in (sides[0 if t else 1],))
    if a is b:
        return True
    if a.group is not None and a.group is b.group:
        return any(h is b for h, _ in a.aliases) or any(h is a for h, _ in b.aliases)
    return not {id(h) for h in reach(a)}.isdisjoint(id(h) for h in reach(b))


def link_possible(sides: Iterable[list[tuple[Home, Home]]]) -> None:
    """Say of homes made together which of them may be one.

    Each side (an arm of a branch; the entry or the end of a loop's body) lists the new homes
    with those they stand for there; what holds on no side does not hold.
    """
    group = object()
    linked: set[tuple[int, int]] = set()
    for pairs in sides:
        for a, source in pairs:
            for b, other in pairs:
                if a is not b and (id(a), id(b)) not in linked and may_be_one(source, other):
                    linked.add((id(a), id(b)))
                    a.aliases.append((b, b.current))
    for pairs in sides:
        for home, _ in pairs:
            home.group = group


def may_be(home: Home, base: Home) -> None:
    """Say of a new home that it may be another one (and so all that this may be)."""
    for other in reach(base):
        if other is not home and other.choice is None:
            home.aliases.append((other, other.current))
            other.aliases.append((home, home.current))


def inherit_stored(home: Home, parts: Iterable[Any]) -> None:
    """A joined array may be one that lies in a list, or of which loops leave open which it is."""
    for part in parts:
        for one in reach(part.home) if type(part) is ArrayTracer else ():
            home.stored = home.stored or one.stored
            home.held |= one.held
            home.leave_open(*one.loops)
