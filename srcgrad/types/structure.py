"""Arguments as structures: tuples, lists, dicts and slices around leaves of one type.

Calls are kept in graphs with abstract values, graph values or references at the places of
numbers and arrays; what is around these stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

PLAIN = frozenset({type(None), bool, int, float, complex, str})
_AROUND = (tuple, list, dict, slice)


def mapped(structure: Any, leaf: type | tuple[type, ...], change: Callable[[Any], Any]) -> Any:
    """The structure with ``change`` applied to every part of type ``leaf`` (or of one of these).

    >>> mapped((1, [2.5, slice(3, None)], {"axis": "x"}), int, lambda i: i + 1)
    (2, [2.5, slice(4, None, None)], {'axis': 'x'})
    """
    kind = type(structure)
    if kind is leaf:
        return change(structure)
    if kind is tuple:
        plain = PLAIN if type(leaf) is type and leaf not in PLAIN else ()
        return tuple([change(s) if type(s) is leaf else s if type(s) in plain else
                      mapped(s, leaf, change) for s in structure])
    if kind is dict and not structure:  # most calls have no keywords
        return {}
    if isinstance(structure, leaf):
        return change(structure)
    if kind in PLAIN or not isinstance(structure, _AROUND):
        return structure
    if isinstance(structure, tuple):
        items = [mapped(s, leaf, change) for s in structure]
        return type(structure)(*items) if hasattr(type(structure), "_fields") else tuple(items)
    if isinstance(structure, list):
        return [mapped(s, leaf, change) for s in structure]
    if isinstance(structure, dict):
        fields = {k: mapped(v, leaf, change) for k, v in structure.items()}
        like = getattr(structure, "like", None)  # a dict that stands for an instance
        return fields if like is None else like(fields)
    return slice(*(mapped(p, leaf, change)
                   for p in (structure.start, structure.stop, structure.step)))


def found_in(structure: Any, leaf: type | tuple[type, ...]) -> Iterator[Any]:
    """The parts of type ``leaf`` (or of one of these), in order.

    >>> [*found_in((1, [2.5, slice(3, None)], {"axis": "x"}), (int, str))]
    [1, 3, 'x']
    """
    if isinstance(structure, leaf):
        yield structure
        return
    inside: Any = structure if isinstance(structure, (tuple, list)) else ()
    if isinstance(structure, dict):
        inside = structure.values()
    elif isinstance(structure, slice):
        inside = (structure.start, structure.stop, structure.step)
    for part in inside:
        if isinstance(part, leaf):
            yield part
        elif isinstance(part, _AROUND):
            yield from found_in(part, leaf)
