"""One of several unlike things after several branches: they stand in a line, each behind a truth
value that tells whether it is that one, if it is none before it.

``best = None``, and a new list wherever one of many searches finds a shorter way: a branch whose
arms leave lines of the same things leaves one line in which each thing stands once.  As trees, with
the arms of the branch as their arms, they would hold all things twice after each such branch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...stage.machine import UNBOUND
from ..record.tracers import Choice, ScalarTracer, in_line
from .shapes import Failed, Sequence, Shape

if TYPE_CHECKING:
    from .joins import Join

Links = list[tuple[Any, Any]]
MOST_APART = 12  # what is done to one of several unlike things is done for each of them


def line_of(join: Join, a: Any, b: Any) -> Shape | None:
    """The form of a name after a branch of which one arm at least leaves a line; None where the
    things of both cannot stand in one."""
    if join.predicate is None or Choice not in (type(a), type(b)):
        return None
    sides = [[_key(thing) for _, thing in _links(obj)] for obj in (a, b)]
    if any(len({*keys}) < len(keys) for keys in sides):
        return None
    keys = _merged(*sides)
    if keys is None or len(keys) > MOST_APART:
        return None
    pairs = list(zip(_parts(a, keys), _parts(b, keys), strict=True))
    flags = [join.unify(*pair) for pair in pairs[:len(keys) - 1]]
    contents = [_content(join, *pair) for pair in pairs[len(keys) - 1:]]
    if any(isinstance(shape, Failed) for shape in contents):
        return None
    return Sequence(_line, [*flags, *contents], lambda state: _parts(state, keys))


def _links(obj: Any) -> Links:
    """The things of a line, each with what tells it; what is no line is the only thing of one."""
    found: Links = []
    while type(obj) is Choice and type(obj.first) is not Choice:
        found.append((obj.predicate, obj.first))
        obj = obj.second
    return [*found, (True, obj)]


def _key(thing: Any) -> Any:
    """What makes things of two arms one: identity, but for what each branch makes anew."""
    if isinstance(thing, tuple):
        return type(thing), len(thing)
    return ScalarTracer if type(thing) is ScalarTracer else id(thing)


def _merged(xs: list[Any], ys: list[Any]) -> list[Any] | None:
    """The keys of the things of two lines in an order that both have; None where there is none."""
    places = {y: i for i, y in enumerate(ys)}
    found: list[Any] = []
    done = 0
    for x in xs:
        place = places.get(x)
        if place is None:
            found.append(x)
        elif place < done:
            return None
        else:
            found += ys[done:place + 1]
            done = place + 1
    return found + ys[done:]


def _parts(state: Any, keys: list[Any]) -> tuple[Any, ...]:
    """What tells all things of a line but the last, and the things that one arm leaves of it."""
    links = {_key(thing): (flag, thing) for flag, thing in _links(state)}
    found = [links.get(key, (False, UNBOUND)) for key in keys]
    return (*(flag for flag, _ in found[:-1]), *(thing for _, thing in found))


def _content(join: Join, ours: Any, theirs: Any) -> Shape:
    """The form of a thing that both arms leave, or one."""
    if ours is not UNBOUND is not theirs:
        return join.unify(ours, theirs)
    side = int(ours is UNBOUND)
    join.unbound = 1 - side
    return join.of_one_side(side, theirs if side else ours)


def _line(parts: list[Any]) -> Any:
    count = len(parts) // 2
    return in_line(parts[:count], parts[count:-1], parts[-1])
