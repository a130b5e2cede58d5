"""What exported functions call to gather objects that refer to one another."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


def kind_of(obj: Any) -> Any:
    """The name of an object's class; for a dict or tuple, with its keys."""
    if type(obj) is dict:
        return ("dict", *obj)
    return ("tuple", *range(len(obj))) if type(obj) is tuple else type(obj).__name__


def reached(roots: Iterable[Any], leading: dict[Any, Callable[[Any], list[Any]]],
            ) -> tuple[dict[Any, list[Any]], dict[int, int]]:
    """The objects that can be reached from some, kind by kind, and their numbers by their ids.

    ``leading`` says for each kind what leads on from an object.  None has the number -1.

    >>> class Node: pass
    >>> first, last = Node(), Node()
    >>> first.next, last.next = last, None
    >>> objects, numbers = reached([first], {"Node": lambda one: [one.next]})
    >>> objects["Node"] == [first, last], numbers[id(last.next)]
    (True, -1)
    """
    objects: dict[Any, list[Any]] = {kind: [] for kind in leading}
    numbers = {id(None): -1}
    todo = [*roots]
    for one in todo:  # which grows meanwhile
        kind = kind_of(one)
        if id(one) not in numbers and kind in leading:
            numbers[id(one)] = len(objects[kind])
            objects[kind].append(one)
            todo += leading[kind](one)
    return objects, numbers
