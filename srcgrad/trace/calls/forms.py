"""Forms of what goes into and comes out of functions that call themselves.

The form of the arguments starts as that of the first call and becomes wider until it covers
every recursive call: constants that differ become values, kinds are joined, and sizes that
differ become symbols of the function's own, *parameters* that each call gives a meaning.
Sizes (and ints) that are equal in every call share one symbol: ``f(x[:n // 2], y[:n // 2])``
keeps that ``x`` and ``y`` are of one size.
"""

from __future__ import annotations

from collections.abc import Sequence as Items
from typing import Any

from ...errors import JoinError
from ...graph.ir import Value
from ...stage.function import definition
from ...stage.machine import UNBOUND
from ...types.dataclasses import dataclass
from ...types.dims import Atom, Dim, Poly, of_atom, symbols
from ...types.kinds import Aval, Kind, join, list_of
from ..flow.joins import Join
from ..flow.shapes import (
    SPARE,
    Failed,
    Leaf,
    Misfit,
    Numbered,
    OneOf,
    Same,
    Sequence,
    Shape,
    failures,
    leaf_shapes,
    leaves,
)
from ..flow.widening import merge_leaf, widen
from ..heap.columns import list_elem
from ..heap.stores import Link, Reference, Unlinked
from ..heap.unlike import Unsorted, numbered, things_in
from ..record.journal import Snapshot
from ..record.states import Maybe, Partial, SymbolicList
from ..record.structures import label_of, leaf_aval, rebuilder, structure_parts
from ..record.tracers import is_tracer

MAX_DEPTH = 40  # of structures; deeper ones are taken for cyclic


class Unlike(Exception):
    """Two states have no common form."""


@dataclass(frozen=True, slots=True, eq=False)
class Handed:
    """In a result: the very array that was handed in as argument leaf ``number``."""

    number: int


@dataclass(frozen=True, slots=True, eq=False)
class Outer:
    """In a result: a container that is older than the call."""

    obj: Any


@dataclass(slots=True)
class Arguments:
    """The form of a tuple of arguments; ``own`` are the symbols that each call gives a
    meaning."""

    shape: Shape
    own: frozenset[Atom] = frozenset()

    def match(self, avals: Items[Aval]) -> dict[Atom, Dim | None]:
        """What the own symbols stand for in a call with values of these types."""
        meaning: dict[Atom, Dim | None] = {}
        for leaf, aval in zip(leaf_shapes(self.shape), avals, strict=True):
            for p, d in _positions(leaf.aval, aval):
                atom = self.symbol(p)
                if atom is not None and meaning.get(atom) is None:
                    meaning[atom] = d
        return meaning

    def symbol(self, dim: Dim | None) -> Atom | None:
        """The own symbol that a size is; None if it is another expression."""
        if not isinstance(dim, Poly) or len(dim.atoms()) != 1:
            return None
        atom = dim.atoms()[0]
        return atom if atom in self.own and dim == of_atom(atom) else None

    def hints(self, names: Items[str]) -> list[str | None]:
        """A name for each leaf: that of its parameter, with numbers inside structures."""
        found: list[str | None] = []
        assert isinstance(self.shape, Sequence)
        for name, item in zip(names, self.shape.items, strict=True):
            inside = len(leaf_shapes(item))
            single = isinstance(item, Leaf)
            found += [name if single else f"{name}_{k}" for k in range(inside)]
        return found


def _positions(old: Aval, new: Aval) -> list[tuple[Dim | None, Dim | None]]:
    """The sizes and numbers that two types of like values have side by side."""
    if old.kind is Kind.ARRAY and new.kind is Kind.ARRAY:
        return list(zip(old.shape or (), new.shape or (), strict=True))
    if old.kind is Kind.INT and new.kind is Kind.INT:
        return [(old.expr, new.expr)]
    return []


def argument_form(joining: Join, state: tuple[Any, ...]) -> Arguments:
    """The form of the arguments of one call."""
    return Arguments(Sequence(tuple, [_form(joining, s, False, 0) for s in state], tuple))


def result_form(joining: Join, value: Any) -> Shape:
    """The form of a result: lists, dicts and instances are made anew by each call."""
    return _form(joining, value, True, 0)


def _form(joining: Join, obj: Any, result: bool, depth: int) -> Shape:
    if isinstance(obj, Value):
        return Leaf(obj.aval)
    if type(obj) is SymbolicList:
        return Leaf(obj.value.aval)
    if type(obj) in (Maybe, Partial):
        return Failed(JoinError(
            "a function that calls itself uses something that only some paths bind",
            why="each call would have to hand on which keys or attributes exist",
            fix="bind the attribute, or give the dict the key, before the call"))
    if type(obj) is Snapshot:
        return _content_form(joining, obj, result, depth)
    if is_tracer(obj):
        return Leaf(obj.aval, label=label_of(obj))
    if joining.outside(obj) or type(obj) in (Handed, Outer) or depth > MAX_DEPTH:
        return Same(obj)
    if type(obj) is list and id(obj) in joining.symbolic:
        return joining.of_any_length(obj, obj) if result else Same(obj)
    if result and type(obj) in (Reference, Link):
        return numbered(obj.store, _form(joining, obj.index, result, depth), type(obj) is Link)
    if not result and not isinstance(obj, (tuple, slice)):
        return Same(obj)  # until another one is handed in: what it holds is found around
    parts = structure_parts(obj)
    if parts is None:
        return Same(obj)
    items = [_form(joining, p, result, depth + 1) for p in parts]
    if all(isinstance(i, Same) for i in items) and (isinstance(obj, tuple) or not result):
        return Same(obj)
    return Sequence(rebuilder(obj), items, structure_parts)  # type: ignore[arg-type]


def _content_form(joining: Join, state: Snapshot, result: bool, depth: int) -> Shape:
    """The form of the content of a container that lives outside of the calls."""
    if state.type is set or (state.type is dict and not state.items):
        return Same(state)
    keys = [k for k, _ in state.items] if state.type is dict else None

    def build(parts: list[Any]) -> Snapshot:
        return Snapshot(state.type, tuple(parts if keys is None else zip(keys, parts, strict=True)))

    def parts(other: Any) -> tuple[Any, ...] | None:
        if type(other) is not Snapshot or other.type is not state.type:
            return None
        if keys is None:
            return other.items
        return tuple(v for _, v in other.items) if [k for k, _ in other.items] == keys else None

    return Sequence(build, [_form(joining, p, result, depth + 1) for p in parts(state) or ()],
                    parts)  # type: ignore[arg-type]


def escapes(shape: Shape) -> bool:
    """Does a result hold what only exists inside of the call: a function defined there, or a
    list of unknown length?"""
    if isinstance(shape, Same):
        return definition(shape.obj) is not None
    return any(escapes(item) for item in getattr(shape, "items", ()))


def fits(joining: Join, form: Arguments, head: tuple[Any, ...],
         state: tuple[Any, ...]) -> Arguments | None:
    """The form that covers ``form`` and one more call: ``form`` itself if it does already,
    None if the calls are unlike.  ``head`` is a state of the form ``form``."""
    joining.calls = True
    shape, _ = widen(joining, form.shape, head, state)
    found = leaf_shapes(shape)
    try:
        if any(failures(shape)) or _is_one_of_others(shape, head, state):
            return None
        pairs = [_pair(joining, *each) for each in zip(
            found, leaves(shape, head), leaves(shape, state), strict=True)]
        wider, own = _sizes(joining, form, pairs)
    except (Unlike, Misfit, Unlinked, Unsorted):
        return None
    if [leaf.aval for leaf in leaf_shapes(form.shape)] == wider:
        return form
    for leaf, aval in zip(found, wider, strict=True):
        leaf.aval = aval
    return Arguments(shape, own)


def _is_one_of_others(shape: Shape, *states: Any) -> bool:
    """May a place hold one of several things that are no objects in stores, nor None?"""
    if isinstance(shape, OneOf):
        return any(part is SPARE for s in states for part in leaves(shape, s)) and not all(
            thing is None or type(thing) is Reference
            for state in states for thing in things_in(state, {}))
    if not isinstance(shape, Sequence) or isinstance(shape, Numbered) or any(
            s is UNBOUND for s in states):
        return False
    return any(_is_one_of_others(item, *parts) for item, *parts in zip(
        shape.items, *map(shape.parts, states), strict=True))


def _pair(joining: Join, leaf: Leaf, *states: Any) -> tuple[Aval, Aval]:
    """The types of what a leaf stands for so far, and in one more call."""
    old, new = (leaf.aval if one is SPARE else _type_of(joining, one) for one in states)
    if old is None or new is None or (
            leaf.aval.kind in (Kind.OPAQUE, Kind.ANY) and not is_tracer(states[0])):
        raise Unlike
    return old, new


def _type_of(joining: Join, state: Any) -> Aval | None:
    """The type of what can be one value: a number, an array, the content of a list."""
    if type(state) is Snapshot:
        elem: Any = list_elem(joining, state) if state.type is list else False
        return None if elem is False else list_of(elem)
    return leaf_aval(state)


def _sizes(joining: Join, form: Arguments, pairs: list[tuple[Aval, Aval]]
           ) -> tuple[list[Aval], frozenset[Atom]]:
    """The joined types: sizes that differ get symbols, equal ones for equal pairs."""
    meaning: dict[Atom, Any] = {}
    made: dict[Any, Dim] = {}
    counted = {(p, d) for old, new in pairs if old.is_array for p, d in _positions(old, new)}

    def joined(p: Any, d: Any, place: int) -> Any:
        atom = form.symbol(p)
        if atom is None and p is not None and p == d:
            return p
        if atom is not None and (atom not in meaning or (d is not None and meaning[atom] == d)):
            meaning[atom] = d
            return p
        if p is None:
            return None
        key = (p, d) if d is not None else (p, place)
        if key not in made:
            size = (p, d) in counted
            made[key] = joining.machine.fresh("k" if size else "i", low=0 if size else None)
        return made[key]

    found = []
    for place, (old, new) in enumerate(pairs):
        optional = old.optional or new.optional
        if old.kind is Kind.ARRAY and new.kind is Kind.ARRAY and old.ndim == new.ndim:
            plain = join(old.but(shape=()), new.but(shape=()))
            shape = tuple(joined(p, d, place) for p, d in _positions(old, new))
            found.append(plain.but(shape=shape))
        elif old.kind is Kind.INT and new.kind is Kind.INT:
            found.append(old.but(expr=joined(old.expr, new.expr, place), optional=optional))
        elif old.kind is Kind.LIST and new.kind is Kind.LIST:
            covering, _ = merge_leaf(joining, Leaf(old), new)
            assert isinstance(covering, Leaf)
            found.append(_common(covering.aval, old, new))
        else:
            found.append(_common(joining.join_avals(old, new), old, new))
    atoms = {a for aval in found for d in (*(aval.shape or ()), aval.expr)
             if isinstance(d, Poly) for a in d.atoms()}
    fresh = {a for p in made.values() for a in symbols(p)}
    return found, frozenset(a for a in atoms if a in fresh or a in form.own)


def _common(aval: Aval, old: Aval, new: Aval) -> Aval:
    """The type that two have in common, if they have one: so have the elements of lists."""
    if aval.kind in (Kind.ANY, Kind.OPAQUE) and aval.kind not in (old.kind, new.kind):
        raise Unlike
    if aval.elem is not None and old.elem is not None and new.elem is not None:
        _common(aval.elem, old.elem, new.elem)
    return aval
