"""What only some paths bind: attributes, keys of dicts, items of sets, deleted names.

After a branch (or from one iteration to the next) such a place holds a
:class:`~srcgrad.trace.record.states.Maybe`: its content, and a truth value that tells whether it is
bound.  The truth value is an output of the branch like any other; where the program asks
(``hasattr``, ``k in d``, ``d.get``), it is the predicate of a branch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...graph.ir import Value
from ...stage.machine import UNBOUND
from ...types.kinds import BOOL, Kind
from ..record.journal import Snapshot
from ..record.states import Maybe, Partial
from ..record.tracers import is_tracer
from .shapes import Failed, Keyed, Leaf, Perhaps, Same, Sequence, Shape

if TYPE_CHECKING:
    from .joins import Join

DELETED = Maybe(False, UNBOUND)


def perhaps(join: Join, a: Any, b: Any) -> Shape:
    """A place that only one path binds, or that may have been unbound before."""
    bounds = [bound_in(s, facts) for s, facts in zip((a, b), join.facts, strict=True)]
    if join.dead is not None:
        bounds[join.dead] = bounds[1 - join.dead]
    if bounds[0] is bounds[1] is False:
        return Same(a if a is b else DELETED)
    content = _lists(join, content_of(a), content_of(b)) or join.unify(content_of(a), content_of(b))
    if isinstance(content, Failed):
        return content
    if bounds[0] is bounds[1] is True:
        if type(a) is not Maybe and type(b) is not Maybe:
            return content
        return Sequence(_only, [content], lambda state: (content_of(state),))
    flag: Shape = Leaf(BOOL)
    if bounds[0] is bounds[1]:
        flag = Same(bounds[0])
    elif bounds == [True, False] and join.predicate is not None and (
            join.predicate.aval.kind is Kind.BOOL):
        flag = Same(join.predicate)
    inherits = all(type(s) is not Maybe or s.inherits for s in (a, b))
    return Perhaps(lambda parts: Maybe(parts[0], parts[1], inherits), [flag, content], maybe_parts)


def _lists(join: Join, a: Any, b: Any) -> Shape | None:
    """Lists of unequal length (``d.setdefault(k, []).append(v)``) as one list whose length
    depends on data, if nothing else can reach them."""
    if type(a) is not list or type(b) is not list or a is b or (id(a), id(b)) in join.apart or (
            join.outside(a) or join.outside(b) or not join.young & {id(a), id(b)}):
        return None
    if len(a) == len(b) and not {id(a), id(b)} & join.symbolic.keys():
        return None
    shape = join.held(a, b)
    if isinstance(shape, Failed):
        return None
    join.pairs[(id(a), id(b))] = shape
    return shape


def keyed(join: Join, a: Any, b: Any) -> Shape:
    """The contents of a dict or set: the keys of both paths."""
    first, second = dict(entries_of(a)), dict(entries_of(b))
    keys, ordered = _merged(list(first), list(second))
    ordered = ordered and is_ordered(a) and is_ordered(b)
    kind = set if a.type is set else dict
    items = [perhaps(join, first.get(k, UNBOUND), second.get(k, UNBOUND)) for k in keys]

    def build(parts: list[Any]) -> Any:
        return content_with(kind, tuple(zip(keys, parts, strict=True)), ordered)

    def parts_of(state: Any) -> tuple[Any, ...]:
        held = dict(entries_of(state))
        return tuple(held.get(k, UNBOUND) for k in keys)

    return Keyed(build, items, parts_of, tuple(keys), ordered)


def _only(parts: list[Any]) -> Any:
    return parts[0]


def content_of(state: Any) -> Any:
    """What a place holds where it is bound."""
    return state.content if type(state) is Maybe else state


def bound_in(state: Any, facts: dict[Value, bool]) -> Any:
    """Is a place bound: a bool, or the value of one."""
    if type(state) is not Maybe:
        return state is not UNBOUND
    bound = state.bound.value if is_tracer(state.bound) else state.bound
    return facts.get(bound, bound) if isinstance(bound, Value) else bound


def maybe_parts(state: Any) -> tuple[Any, ...]:
    """Whether a place is bound, and its content."""
    return (bound_in(state, {}), content_of(state))


def entries_of(state: Any) -> tuple[tuple[Any, Any], ...]:
    """The keys of a content, each with what it holds (True for the items of a set)."""
    if type(state) is Partial:
        return state.entries
    if state.type is dict:
        return state.items  # type: ignore[no-any-return]
    return tuple((item, True) for item in state.items)


def is_ordered(state: Any) -> bool:
    return type(state) is Snapshot or bool(state.ordered)


def content_with(kind: type, entries: tuple[tuple[Any, Any], ...], ordered: bool) -> Any:
    """The content of a dict or set with these entries."""
    there = tuple((k, v) for k, v in entries if v is not UNBOUND and not (
        type(v) is Maybe and v.bound is False))
    there = tuple((k, v.content if type(v) is Maybe and v.bound is True else v) for k, v in there)
    if any(type(v) is Maybe for _, v in there) or not (ordered or kind is set):
        return Partial(kind, there, ordered)
    return Snapshot(kind, there if kind is dict else tuple(k for k, _ in there))


def _merged(first: list[Any], second: list[Any]) -> tuple[list[Any], bool]:
    """The keys of two paths in an order that has both orders in it, if there is one."""
    merged = list(first)
    place = 0
    for key in second:
        if key in first:
            place = merged.index(key) + 1
        else:
            merged.insert(place, key)
            place += 1
    return merged, [k for k in merged if k in second] == second


def hollow(state: Any, before: Any) -> Any:
    """The content of a container on a path that does not come to its end: like ``state``, with
    nothing in the places of what was not there ``before``."""
    if type(state) not in (Snapshot, Partial) or state.type is set:
        return state
    if state.type is not dict:
        old = {id(item) for item in before.items} if type(before) is Snapshot else set()
        return Snapshot(state.type, tuple(
            item if id(item) in old else UNBOUND for item in state.items))
    held = {id(v) for _, v in entries_of(before)} if type(before) in (Snapshot, Partial) else set()
    entries = tuple((k, v if id(v) in held else UNBOUND) for k, v in entries_of(state))
    return Partial(dict, entries, is_ordered(state))
