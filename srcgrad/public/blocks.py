"""Jacobians of any structure, from pullbacks or pushforwards.

The Jacobian of a function from one tree of arrays to another has the structure of the result; in
the place of each of its leaves stands a tree of the argument's structure, and in the place of each
leaf of that a block of shape ``result_leaf.shape + argument_leaf.shape``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..compile.refusals import with_article
from ..compile.templates import may_vary
from ..errors import StructureError
from ..show.progress import counted
from ..types.tree import emptied, flatten, unflatten
from .transforms import Split

Array = np.ndarray[Any, np.dtype[Any]]
Places = int | tuple[int, ...]


def at(places: Places, items: Any) -> Any:
    """The item at a place, or the tuple of those at several.

    >>> at(1, "abc"), at((0, 2), "abc")
    ('b', ('a', 'c'))
    """
    return items[places] if isinstance(places, int) else tuple([items[p] for p in places])


def listed(places: Places) -> tuple[int, ...]:
    """One place, or several, as a tuple."""
    return (places,) if isinstance(places, int) else places


def spread(places: Places, tree: Any, count: int) -> list[Any]:
    """What stands at ``places``, among ``count`` items that are None elsewhere."""
    items: list[Any] = [None] * count
    if isinstance(places, int):
        items[places] = tree
    else:
        for place, part in zip(places, tree, strict=True):
            items[place] = part
    return items


def numbers_in(tree: Any) -> int:
    """How many numbers of a tree can carry a derivative."""
    return sum(np.size(leaf) for leaf in flatten(tree)[0] if may_vary(leaf))


def units(tree: Any) -> Iterator[tuple[int, Any]]:
    """Trees like ``tree`` with 1 at one number and None at the other leaves, each with the number
    of the leaf; leaves without a derivative are passed over."""
    leaves, structure = flatten(tree)
    for place, leaf in enumerate(leaves):
        for i in range(np.size(leaf) if may_vary(leaf) else 0):
            parts: list[Any] = [None] * len(leaves)
            if isinstance(leaf, np.ndarray):
                flat = np.zeros(leaf.size, leaf.dtype)
                flat[i] = 1
                parts[place] = flat.reshape(leaf.shape)
            else:
                parts[place] = type(leaf)(1)
            yield place, unflatten(structure, parts)


def by_rows(made: Split, out: Any, places: Places, argument: Any, name: str) -> Any:
    """The Jacobian by pullbacks, one for each number of the result."""
    rows: dict[int, list[list[Any]]] = {}
    for place, unit in counted(units(out), numbers_in(out), f"srcgrad: rows of {name}"):
        found = flatten(at(places, made.pullback(unit)))[0]
        rows.setdefault(place, []).append(found)

    def block(i: int, j: int, shape: tuple[int, ...]) -> Array:
        return np.reshape([row[j] for row in rows.get(i, ())] or np.zeros(shape), shape)

    return _assembled(out, argument, block)


def by_columns(made: Split, out: Any, places: Places, argument: Any, name: str) -> Any:
    """The Jacobian by pushforwards, one for each number of the argument."""
    columns: dict[int, list[list[Any]]] = {}
    for place, unit in counted(units(argument), numbers_in(argument),
                               f"srcgrad: columns of {name}"):
        moved = made.pushforward(*spread(places, unit, made.count))
        found = flatten(moved[0] if made.has_aux else moved)[0]
        columns.setdefault(place, []).append(found)
    shapes = [np.shape(leaf) for leaf in flatten(out)[0]]

    def block(i: int, j: int, shape: tuple[int, ...]) -> Array:
        given = [np.broadcast_to(column[i], shapes[i]) for column in columns.get(j, ())]
        return np.reshape(np.stack(given, -1) if given else np.zeros(shape), shape)

    return _assembled(out, argument, block)


def _assembled(out: Any, argument: Any, block: Callable[[int, int, tuple[int, ...]], Array]
               ) -> Any:
    """The tree of blocks; None where a leaf is no number, or has no derivative."""
    rows, outer = flatten(out)
    columns, inner = flatten(argument)
    outer, inner = emptied(outer), emptied(inner)
    return unflatten(outer, [unflatten(inner, [
        block(i, j, np.shape(row) + np.shape(column)) if may_vary(column) else None
        for j, column in enumerate(columns)]) if np.asarray(row).dtype.kind in "biufc" else None
        for i, row in enumerate(rows)])


def refuse_nothing(out: Any) -> None:
    """Refuse results without numbers."""
    if out is None or isinstance(out, str):
        raise StructureError(f"the function returns {with_article(type(out))}",
                             where="the result of the function",
                             why="a Jacobian has a row for each number that is returned",
                             fix="return the array that is to be differentiated")


def require_arrays(what: str, *values: Any) -> None:
    """Refuse containers where each number is one of an array."""
    if not all(isinstance(v, (np.ndarray, np.generic, float, complex)) for v in values):
        raise StructureError(
            f"{what} of containers", where="the argument or the result",
            why="it would be a container of containers of blocks",
            fix="use ravel_tree to turn the argument or the result into one vector")
