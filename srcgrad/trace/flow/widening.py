"""Widening: the form of a loop's variable that also covers what an iteration leaves in it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...errors import JoinError
from ...graph.broadcasting import never_one
from ...stage.machine import UNBOUND
from ...types.dims import Dim, is_varying
from ...types.kinds import Aval, Kind, join, list_of
from ..heap.columns import is_empty, kind_of_items, list_elem
from ..heap.stores import Unlinked, may_be_none
from ..heap.unlike import Unsorted
from ..record.journal import Snapshot
from ..record.states import Columns, Maybe, Partial
from ..record.structures import describe, is_mutable, leaf_aval, outline, structure_parts
from ..record.tracers import Poison
from .array_names import OneOfArrays, has_others, one_of_arrays
from .joins import Join, is_nonnegative
from .partial import DELETED, entries_of, is_ordered
from .shapes import Failed, Keyed, Leaf, Numbered, OneOf, Perhaps, Same, Sequence, Shape, failures


def widen(joining: Join, shape: Shape, head: Any, end: Any) -> tuple[Shape, bool]:
    """The shape that also covers ``end``, a loop's state after one round; ``head`` is the state
    that the shape built.  The flag tells whether it became wider."""
    if isinstance(shape, Same):
        if end is head:
            joining.fixed.append(end)
            return shape, False
        wider = joining.unify(head, end)
        return wider, not isinstance(wider, Same)
    if isinstance(shape, Failed) or type(end) is Poison:
        return shape, False
    if type(end) is Maybe and not isinstance(shape, Perhaps):
        return joining.unify(head, end), True
    if isinstance(shape, OneOf) and _parts_or_none(shape, head) is None:
        return joining.failed(head, end), True
    if isinstance(shape, OneOf) and _parts_or_none(shape, end) is None:
        return joining.unify(head, end), True
    if isinstance(shape, OneOfArrays) and has_others(joining, shape, end):
        return one_of_arrays(joining, head, end, shape.others) or joining.unify(head, end), True
    if isinstance(shape, (Perhaps, Keyed)):
        return _widen_partial(joining, shape, head, end)
    if (isinstance(shape, Numbered) and may_be_none(end) > shape.optional) or (
            type(end) is Columns and (kind_of_items(head) is Kind.NONE or is_empty(head))):
        return joining.unify(head, end), True
    if isinstance(shape, Sequence):
        key = (id(shape), id(head), id(end))
        if not is_mutable(head) or not is_mutable(end):
            return _widen_sequence(joining, shape, head, end)
        if key not in joining.widened:  # what has two names has one form
            joining.widened[key] = _widen_sequence(joining, shape, head, end)
        return joining.widened[key]
    assert isinstance(shape, Leaf)
    return _widen_leaf(joining, shape, end)


def _widen_sequence(joining: Join, shape: Sequence, head: Any, end: Any) -> tuple[Shape, bool]:
    parts = None if end is UNBOUND else _parts_or_none(shape, end)
    if is_mutable(head) and type(end) is type(head):
        joining.objects.append((head, end))
    unlike = (type(end) is not type(head) and not isinstance(shape, Numbered)) or (
        shape.parts is structure_parts and (joining.outside(end) or outline(end) != outline(head)))
    if parts is None or len(parts) != len(shape.items) or unlike:
        return joining.unify(head, end), True
    wide = type(end) is list and not joining.is_sealed(head) and joining.is_sealed(end)
    if wide:
        shape = replace(shape, build=joining.heir(shape.build, end))
    items = []
    for item, h, e in zip(shape.items, shape.parts(head), parts, strict=True):
        new, changed = widen(joining, item, h, e)
        items.append(new)
        wide = wide or changed
    return replace(shape, items=items), wide


def _widen_partial(joining: Join, shape: Perhaps | Keyed, head: Any, end: Any
                   ) -> tuple[Shape, bool]:
    """Places that may be unbound: where the end is unbound, the content's form is kept."""
    if isinstance(shape, Keyed) and not _covers(shape, end):
        return joining.unify(head, end), True
    wide, items = False, []
    for item, h, e in zip(shape.items, shape.parts(head), shape.parts(end), strict=True):
        new, changed = (item, False) if e is UNBOUND and isinstance(shape, Perhaps) else (
            widen(joining, item, h, e))
        items.append(new)
        wide = wide or changed
    failed = next((f for item in items for f in failures(item)), None)
    if isinstance(shape, OneOf) and failed is not None:
        return failed, True
    return replace(shape, items=items), wide


def _covers(shape: Keyed, end: Any) -> bool:
    """Has a content only keys that the form has, in the form's order, and all that it needs?"""
    if type(end) not in (Snapshot, Partial):
        return False
    held = dict(entries_of(end))
    ordered = is_ordered(end) and [k for k in shape.keys if k in held] == list(held)
    return held.keys() <= set(shape.keys) and (ordered or not shape.ordered) and all(
        isinstance(item, Perhaps) or type(held.get(k, DELETED)) is not Maybe
        for k, item in zip(shape.keys, shape.items, strict=True))


def _parts_or_none(shape: Sequence, state: Any) -> tuple[Any, ...] | None:
    try:
        return shape.parts(state)
    except (AttributeError, TypeError, Unsorted, Unlinked):
        return None


def _widen_leaf(joining: Join, shape: Leaf, end: Any) -> tuple[Shape, bool]:
    if end is UNBOUND or type(end) is Poison:
        return shape, False
    if type(end) is Snapshot:
        elem = list_elem(joining, end)
        aval: Aval | None = None if elem is False else list_of(elem)
    else:
        aval = leaf_aval(end)
    if aval is None:
        return Failed(JoinError(
            f"a name refers to a number in one iteration and to {describe(end)} in the next",
            why="a loop's variables must keep their kind",
            fix="use two names")), True
    if shape.rows is not None and getattr(end, "rows", None) is not shape.rows:
        shape = replace(shape, rows=None)
        return merge_leaf(joining, shape, aval)[0], True
    return merge_leaf(joining, shape, aval)


def merge_leaf(joining: Join, shape: Leaf, aval: Aval) -> tuple[Shape, bool]:
    old = shape.aval
    if old.kind is Kind.INT and aval.kind is Kind.INT and old.expr is not None:
        if -1 in shape.opened or aval.expr == old.expr:
            optional = old.optional or aval.optional
            return (shape, False) if optional == old.optional else (
                replace(shape, aval=old.but(optional=True)), True)
        low = 0 if is_nonnegative(old) and is_nonnegative(aval) else None
        number = joining.machine.fresh("i", low=low)
        return replace(shape, aval=old.but(expr=number), opened=shape.opened | {-1}), True
    if old.kind is Kind.ARRAY and aval.kind is Kind.ARRAY and len(old.shape or ()) == len(
            aval.shape or ()):
        return _merge_array_leaf(joining, shape, aval)
    if old.kind is Kind.LIST and aval.kind is Kind.LIST:
        elem = aval.elem if old.elem is None else old.elem if aval.elem is None else (
            stable_elem(joining, old.elem, aval.elem))
        joined = old.but(elem=elem, optional=old.optional or aval.optional)
        return (shape, False) if joined == old else (replace(shape, aval=joined), True)
    joined = joining.join_avals(old, aval)
    return (shape, False) if joined == old else (replace(shape, aval=joined), True)


def stable_elem(joining: Join, old: Aval, new: Aval) -> Aval:
    """The joined element type; sizes that already vary stay as they are."""
    if old.kind is Kind.ARRAY and new.kind is Kind.ARRAY and len(old.shape or ()) == len(
            new.shape or ()):
        shape = tuple(
            a if _open(a) and not _narrows(a, b) else joining.size(a, b)
            for a, b in zip(old.shape or (), new.shape or (), strict=True))
        return join(old.but(shape=()), new.but(shape=())).but(shape=shape)
    if old.kind is Kind.INT and new.kind is Kind.INT:
        return old.but(expr=None)
    if old.kind is Kind.LIST and new.kind is Kind.LIST and old.elem and new.elem:
        return old.but(elem=stable_elem(joining, old.elem, new.elem),
                       optional=old.optional or new.optional)
    return joining.join_avals(old, new)


def _open(dim: Dim) -> bool:
    return not isinstance(dim, int) and len(dim.atoms()) == 1 and dim.atoms()[0].varying


def _narrows(size: Dim, other: Dim) -> bool:
    """Is an open size said to differ from 1, while another one that it stands for may be 1?"""
    return never_one(size) and not never_one(other)


def _merge_array_leaf(joining: Join, shape: Leaf, aval: Aval) -> tuple[Shape, bool]:
    old = shape.aval
    opened = set(shape.opened)
    sizes = list(old.shape or ())
    for axis, (x, y) in enumerate(zip(old.shape or (), aval.shape or (), strict=True)):
        if x != y and (axis not in opened or _narrows(x, y)):
            sizes[axis] = joining.size(x, y)
            if is_varying(sizes[axis]):
                opened.add(axis)
    plain = join(old.but(shape=()), aval.but(shape=()))
    new = plain.but(shape=tuple(sizes))
    changed = new != old
    return (replace(shape, aval=new, opened=frozenset(opened)), True) if changed else (shape, False)
