"""Structures of results and gradients over the flat outputs of a graph.

A template is the result with a :class:`~srcgrad.graph.ir.Ref` in place of each value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from numbers import Number
from typing import Any, NamedTuple

import numpy as np

from ..graph.ir import Ref
from ..trace.entry import Record, Traced
from ..trace.heap import outlines
from ..types.guards import Path
from ..types.structure import found_in, mapped
from ..types.tree import assemble, children, leaf_path

Leaves = list[tuple[Path, Any]]


def refs(template: Any) -> list[int]:
    """The outputs that a template refers to, in order, each once."""
    return [*dict.fromkeys(ref.index for ref in found_in(template, Ref))]


def renumbered(template: Any, position: Mapping[int, int]) -> Any:
    """A template for other outputs; what refers to none of them is None."""
    return mapped(template, Ref, lambda ref: (
        Ref(position[ref.index]) if ref.index in position else None))


def gradient_tree(value: Any, path: Path, leaves: Leaves, traced: Traced,
                   place: Mapping[int, int]) -> Any:
    """The structure of one argument's gradient: references to outputs, None for leaves that
    have no derivative."""
    inputs = traced.inputs
    def found(path: Path) -> Any:
        column = Ref(place[inputs[path]])
        return column if path not in traced.items else Element(column, *traced.items[path])

    numbered: dict[Path, Any] = {
        p: found(p) if may_vary(leaf) else None for p, leaf in leaves
        if p in inputs or not may_vary(leaf)}
    numbered.update((p, _items_of(found, iter([place.get(n) for n in columns])))
                    for p, (found, columns, _) in traced.columns.items())
    return _tree_of(value, path, numbered, traced.columns)


class Element(NamedTuple):
    """The item at a place of a column of so many items: a number of a type, or an array."""

    column: Ref
    place: int
    length: int
    type: Any


class Numbers(NamedTuple):
    """A list of numbers of one type, or of lists of lists, of so many ``levels``."""

    column: Ref
    type: Any
    levels: int


class Items(NamedTuple):
    """A list of any length of tuples, dicts or instances, column by column: their class, the names
    of their parts, and a template of the list of each."""

    cls: Any
    names: tuple[Any, ...]
    parts: tuple[Any, ...]


class Nested(NamedTuple):
    """A list of lists: what each of them is, over the items of the columns."""

    inner: Any


class Keyed(NamedTuple):
    """A dict, or dicts in one, of the items of a list in order: the keys, with None for each item,
    and a template of the list."""

    keys: dict[Any, Any]
    items: Any


class Tupled(NamedTuple):
    """A tuple of any length: a template of the list of its items."""

    items: Any


COLUMNS = (Numbers, Items, Nested, Keyed, Tupled)


def _items_of(found: Any, places: Iterator[int | None]) -> Any:
    """The template of a list whose items have an outline, over the places of its columns."""
    if isinstance(found, outlines.Record):
        cls = outlines.class_of(found)
        return Items(cls, getattr(cls, "_fields", found.names),
                     tuple([_items_of(part, places) for part in found.parts]))
    if isinstance(found, outlines.Constant):
        return None
    if isinstance(found, outlines.Lists) and isinstance(found.inner, outlines.Record):
        return Nested(_items_of(found.inner, places))
    place, levels = next(places), 1
    while isinstance(found, outlines.Lists):
        found, levels = found.inner, levels + 1
    return None if place is None else (Numbers(Ref(place), found.type, levels) if isinstance(
        found, outlines.Number) else Ref(place))


def listed(template: Any, column: Callable[[int], Any], count: int | None = None) -> Any:
    """A list, dict or tuple from its columns.

    >>> listed(Items(dict, ("w", "n"), (Ref(1), None)), {1: [2.0, 3.0]}.get)
    [{'w': 2.0, 'n': None}, {'w': 3.0, 'n': None}]
    """
    if isinstance(template, Ref):
        return list(column(template.index))
    if isinstance(template, Numbers):
        return _all_of(column(template.column.index), template.type, template.levels)
    if isinstance(template, Keyed):
        return _filled(template.keys, iter(listed(template.items, column)))
    if isinstance(template, Tupled):
        return tuple(listed(template.items, column))
    count = len(column(refs(template)[0])) if count is None else count
    if isinstance(template, Items):
        columns = [listed(part, column, count) for part in template.parts]
        return [assemble(template.cls, template.names, [*parts])
                for parts in zip(*columns, strict=True)]
    if isinstance(template, Nested):
        places = refs(template)
        return [listed(template.inner, dict(zip(places, row, strict=True)).__getitem__)
                for row in zip(*map(column, places), strict=True)]
    return [None] * count


def _filled(keys: dict[Any, Any], items: Iterator[Any]) -> dict[Any, Any]:
    return {key: next(items) if inner is None else _filled(inner, items)
            for key, inner in keys.items()}


def keys_of(found: dict[Any, Any], levels: int) -> dict[Any, Any]:
    """The keys of a dict, and of the dicts in it that are on the way to items.

    >>> keys_of({"a": {1: 2.0}, "b": {}}, 2)
    {'a': {1: None}, 'b': {}}
    """
    return {key: None if levels == 1 else keys_of(inner, levels - 1)
            for key, inner in found.items()}


def _items_under(keys: dict[Any, Any], found: Any) -> Iterator[Any]:
    """What lies under the keys of a dict, None where it is None."""
    for key, inner in keys.items():
        held = None if found is None else found[key]
        yield from [held] if inner is None else _items_under(inner, held)


def _of_type(item: Any, kind: Any) -> Any:
    return item if kind is None else kind(item)


def _all_of(items: Any, kind: Any, levels: int) -> list[Any]:
    """Numbers in lists of so many levels as numbers of one type."""
    return [*map(kind, items)] if levels == 1 else [
        _all_of(item, kind, levels - 1) for item in items]


def columns_of(template: Any, items: Any) -> Iterator[tuple[int, Any]]:
    """The numbers of the columns of a list, and what they hold: None where an item is None.

    >>> [*columns_of(Items(dict, ("w", "n"), (Ref(1), None)), [{"w": 2.0, "n": 1}, None])]
    [(1, [2.0, None])]
    """
    if isinstance(template, (Ref, Numbers)):
        yield (template if isinstance(template, Ref) else template.column).index, items
    elif isinstance(template, Keyed):
        yield from columns_of(template.items, [*_items_under(template.keys, items)])
    elif isinstance(template, Tupled):
        yield from columns_of(template.items, [*items])
    elif isinstance(template, Nested):
        inner = [dict(columns_of(template.inner, item)) for item in items]
        yield from ((index, [one[index] for one in inner]) for index in refs(template))
    elif isinstance(template, Items):
        held = [None if item is None else {key: part for _, key, part in children(item) or ()}
                for item in items]
        for name, part in zip(template.names, template.parts, strict=True):
            if refs(part):
                yield from columns_of(part, [None if one is None else one[name] for one in held])


def _tree_of(value: Any, path: Path, numbered: Mapping[Path, Any],
             columns: Mapping[Path, Any]) -> Any:
    if type(value) in (list, tuple) and path in numbered:
        return Tupled(numbered[path]) if type(value) is tuple else numbered[path]
    if path in columns:
        return Keyed(keys_of(value, columns[path][2]), numbered[path])
    parts = children(value)
    if parts is None:  # an object may have got a cached attribute meanwhile
        return numbered[leaf_path(value, path)] if may_vary(value) else None
    built = [(key, None if step == "fixed" else _tree_of(
        part, path.child(step, key), numbered, columns)) for step, key, part in parts]
    cls = type(value)
    if cls in (tuple, list):
        return cls(item for _, item in built)
    if cls is dict:
        return dict(built)
    if hasattr(cls, "_fields"):
        return cls(*(item for _, item in built))
    return Record(cls, dict(built))


def is_plain(template: Any) -> bool:
    """Can the generated code build the result itself?"""
    if isinstance(template, Ref) or template is None or type(template) in (bool, int, float, str):
        return True
    if type(template) in (tuple, list):
        return all(is_plain(t) for t in template)
    if type(template) is dict:
        return all(isinstance(k, (str, int)) and is_plain(v) for k, v in template.items())
    return False


def rebuilt(template: Any, flat: Any) -> Any:
    """A result built from the flat outputs."""
    if isinstance(template, Ref):
        return flat[template.index]
    if isinstance(template, COLUMNS):
        return listed(template, flat.__getitem__)
    if isinstance(template, Element):
        column = rebuilt(template.column, flat)
        return None if column is None else _of_type(column[template.place], template.type)
    if isinstance(template, Record):
        return assemble(template.cls, tuple(template),
                        [rebuilt(v, flat) for v in template.values()])
    if isinstance(template, tuple):
        items = [rebuilt(t, flat) for t in template]
        return type(template)(*items) if hasattr(template, "_fields") else tuple(items)
    if isinstance(template, list):
        return [rebuilt(t, flat) for t in template]
    if isinstance(template, dict):
        return {k: rebuilt(v, flat) for k, v in template.items()}
    return template.copy() if type(template) in (set, bytearray) else template


def tangents_of(template: Any, flat: Any) -> Any:
    """The tangent of a result: fixed numbers in it do not move.

    >>> tangents_of((2.5, {"n": 3, "name": "a"}), [])
    (0.0, {'n': 0.0, 'name': 'a'})
    """
    return rebuilt(mapped(template, Number, lambda _: 0.0), flat)


def may_vary(value: Any) -> bool:
    """Can a leaf of an argument carry a derivative?"""
    if isinstance(value, (bool, int)):
        return False
    if isinstance(value, (np.ndarray, np.generic)):
        return value.dtype.kind in "fc"
    return type(value) in (float, complex)
