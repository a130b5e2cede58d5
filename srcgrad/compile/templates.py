"""Structures of results and gradients over the flat outputs of a graph.

A template is the result with a :class:`~srcgrad.graph.ir.Ref` in place of each value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Number
from typing import Any

import numpy as np

from ..graph.ir import Ref
from ..trace.entry import Record
from ..types.guards import Path
from ..types.structure import mapped
from ..types.tree import assemble, children, leaf_path

Leaves = list[tuple[Path, Any]]


def input_at(inputs: Mapping[Path, int], path: Path) -> int | None:
    """The input that holds a leaf of an argument: its own, or that of the list around it."""
    found = inputs.get(path)
    return inputs.get(Path(path.root, (*path.steps[:-1], ("rows", None)))) if (
        found is None and path.steps) else found


def refs(template: Any) -> list[int]:
    """The outputs that a template refers to, in order, each once."""
    if isinstance(template, Ref):
        return [template.index]
    parts: list[Any] = []
    if isinstance(template, (tuple, list)):
        parts = list(template)
    elif isinstance(template, dict):
        parts = list(template.values())
    found: dict[int, None] = {}
    for part in parts:
        found.update(dict.fromkeys(refs(part)))
    return list(found)


def renumbered(template: Any, position: Mapping[int, int]) -> Any:
    """A template for other outputs; what refers to none of them is None."""
    return mapped(template, Ref, lambda ref: (
        Ref(position[ref.index]) if ref.index in position else None))


def gradient_tree(value: Any, path: Path, leaves: Leaves, inputs: Mapping[Path, int],
                   place: Mapping[int, int]) -> Any:
    """The structure of one argument's gradient: references to outputs, None for leaves that
    have no derivative."""
    numbered: dict[Path, Any] = {
        p: Ref(place[inputs[p]]) if may_vary(leaf) else None for p, leaf in leaves
        if p in inputs or not may_vary(leaf)}
    numbered.update((p, RowsOf(place[number])) for p, number in inputs.items()
                    if p.steps and p.steps[-1][0] == "rows" and number in place)
    return _tree_of(value, path, numbered)


@dataclass(frozen=True)
class RowsOf:
    """The rows of an output, as a list."""

    index: int


def _tree_of(value: Any, path: Path, numbered: Mapping[Path, Any]) -> Any:
    if type(value) is list and path.child("rows", None) in numbered:
        return numbered[path.child("rows", None)]
    parts = children(value)
    if parts is None:  # an object may have got a cached attribute meanwhile
        return numbered[leaf_path(value, path)] if may_vary(value) else None
    built = [(key, None if step == "fixed" else _tree_of(part, path.child(step, key), numbered))
             for step, key, part in parts]
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
    if isinstance(template, RowsOf):
        return list(flat[template.index])
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
