"""Lists and sets in tables, and sets whose members are only known at run time.

Such a list is a :class:`Row`: a run-time list of places, whose numbers lie in the table's cells.
Such a set is :class:`Marks`: a run-time set, for members carry no derivatives.
"""

from __future__ import annotations

from typing import Any

from ..record.tracers import StandIn
from .run_time import (
    adopted,
    asked,
    cells_for,
    changed,
    check_kind,
    count_of,
    handed_over,
    listed_keys,
    listed_places,
    made_by,
    mark,
    mark_all,
    only_a_dict,
    place_in,
    run_list,
    run_set,
    set_place,
    taken,
    told,
    typed_key,
    walk,
)


class Containers:
    """Cells that hold containers: a place is a run-time container."""

    numbered = False
    place_for: Any
    read: Any

    def __init__(self, site: Any) -> None:
        self.site = site

    def insert(self, table: Any, key: Any, value: Any) -> None:
        set_place(table, key, self.place_for(value))

    replace = insert

    def like(self, value: Any) -> Any:
        return value if value is None else self.read(self.place_for(value))


class Lists(Containers):
    """Cells that hold lists: a place is a run-time list of places."""

    def __init__(self, site: Any) -> None:
        self.site = site
        self.inner = cells_for(site)

    def place_for(self, value: Any) -> Any:
        if adopted(value, self.inner):
            return value.places
        check_kind(value, list)
        made = self.read(run_list())
        made.extend(value)
        handed_over(value)
        return made.places

    def read(self, place: Any) -> Any:
        return Row(self.site, self.inner, place)


class Sets(Containers):
    """Cells that hold sets: a place is a run-time set."""

    def place_for(self, value: Any) -> Any:
        check_kind(value, set)
        found = mark_all(self.site, value)
        if found is not None and isinstance(value, Marks):
            return found
        made = self.read(run_set())
        made.update(value)
        handed_over(value)
        return made.places

    def read(self, place: Any) -> Any:
        return Marks(self.site, place)


class Bound(StandIn):
    """What has no other operations than those that are written here: whatever else the program does
    with it, it does with the container itself."""

    def __getattr__(self, name: str) -> Any:
        return only_a_dict(self.site)

    __hash__ = None  # type: ignore[assignment]


class Row(Bound):
    """What stands for a list in a table: its ``places``, and the ``cells`` that they are in."""

    cls: Any = list

    def __init__(self, site: Any, cells: Any, places: Any) -> None:
        self.site = site
        self.cells = cells
        self.places = places

    def append(self, value: Any) -> None:
        changed(self.site, "append", self.places, self.cells.place_for(value))

    def extend(self, values: Any) -> None:
        for value in values:
            self.append(value)

    def insert(self, i: int, value: Any) -> None:
        changed(self.site, "insert", self.places, i, self.cells.place_for(value))

    def pop(self, i: int = -1) -> Any:
        return self.cells.read(place_in(self.cells, "pop", self.places, i))

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return self.copy()[i]
        return self.cells.read(place_in(self.cells, "__getitem__", self.places, i))

    def __setitem__(self, i: Any, value: Any) -> None:
        if isinstance(i, slice):
            only_a_dict(self.site)
        changed(self.site, "__setitem__", self.places, i, self.cells.place_for(value))

    def __delitem__(self, i: Any) -> None:
        changed(self.site, "__delitem__", self.places, i)

    def __len__(self) -> Any:
        return count_of(self.places)

    def __iter__(self) -> Any:
        return walk(self, map(self.cells.read, listed_places(self.cells, self.places)))

    def __contains__(self, item: Any) -> Any:
        return item in self.copy()

    def copy(self) -> Any:
        return list(iter(self))

    def clear(self) -> None:
        changed(self.site, "clear", self.places)

    def reverse(self) -> None:
        changed(self.site, "reverse", self.places)

    def sort(self, **options: Any) -> None:
        ordered = sorted(self.copy(), **options)
        self.clear()
        self.extend(ordered)

    def index(self, item: Any) -> Any:
        return self.copy().index(item)

    def count(self, item: Any) -> Any:
        return self.copy().count(item)

    def __add__(self, other: Any) -> Any:
        return self.copy() + list(other)

    def __radd__(self, other: Any) -> Any:
        return list(other) + self.copy()

    def __iadd__(self, other: Any) -> Any:
        self.extend(other)
        return self

    def __eq__(self, other: Any) -> Any:
        return only_a_dict(self.site)


class Marks(Bound):
    """What stands for a set: a run-time set, which the program adds to and asks."""

    cls: Any = set
    hashed = True

    def __init__(self, site: Any, places: Any) -> None:
        self.site = site
        self.places = places

    def __contains__(self, item: Any) -> bool:
        return bool(asked("__contains__", self.places, told(self.site, item)))

    def __len__(self) -> Any:
        return count_of(self.places)

    def __iter__(self) -> Any:
        site = self.site
        return walk(self, map(lambda key: typed_key(site, key),  # noqa: C417  (a map has a length)
                              listed_keys(site, self.places)))

    def add(self, item: Any) -> None:
        mark(self.site, self.places, item)

    def remove(self, item: Any) -> None:
        changed(self.site, "remove", self.places, told(self.site, item))

    def discard(self, item: Any) -> None:
        changed(self.site, "discard", self.places, told(self.site, item))

    def pop(self) -> Any:
        return taken(self.site, self.places)

    def clear(self) -> None:
        changed(self.site, "clear", self.places)

    def copy(self) -> Any:
        return Marks(self.site, made_by("copy", self.places))

    def update(self, *others: Any) -> None:
        for other in others:
            found = mark_all(self.site, other)
            if found is not None:
                changed(self.site, "update", self.places, found)
            else:
                for item in other:
                    self.add(item)

    def union(self, *others: Any) -> Any:
        made = self.copy()
        made.update(*others)
        return made

    def intersection(self, other: Any) -> Any:
        return Marks(self.site, made_by("intersection", self.places, self.marked(other)))

    def difference(self, other: Any) -> Any:
        return Marks(self.site, made_by("difference", self.places, self.marked(other)))

    def symmetric_difference(self, other: Any) -> Any:
        return Marks(self.site, made_by("symmetric_difference", self.places, self.marked(other)))

    def intersection_update(self, other: Any) -> None:
        changed(self.site, "intersection_update", self.places, self.marked(other))

    def difference_update(self, other: Any) -> None:
        changed(self.site, "difference_update", self.places, self.marked(other))

    def issubset(self, other: Any) -> bool:
        return bool(asked("issubset", self.places, self.marked(other)))

    def issuperset(self, other: Any) -> bool:
        return bool(asked("issuperset", self.places, self.marked(other)))

    def isdisjoint(self, other: Any) -> bool:
        return bool(asked("isdisjoint", self.places, self.marked(other)))

    def marked(self, other: Any) -> Any:
        """The run-time set, or dict, of another container."""
        found = mark_all(self.site, other)
        if found is not None:
            return found
        made = Marks(self.site, run_set())
        made.update(other)
        return made.places

    __or__ = union
    __and__ = intersection
    __sub__ = difference
    __xor__ = symmetric_difference
    __le__ = issubset
    __ge__ = issuperset

    def __rsub__(self, other: Any) -> Any:
        return Marks(self.site, self.marked(other)).difference(self)

    def __ior__(self, other: Any) -> Any:  # type: ignore[misc]
        self.update(other)
        return self

    def __iand__(self, other: Any) -> Any:  # type: ignore[misc]
        self.intersection_update(other)
        return self

    def __isub__(self, other: Any) -> Any:  # type: ignore[misc]
        self.difference_update(other)
        return self

    def __eq__(self, other: Any) -> Any:
        return len(self) == len(other) and self.issubset(other)

    def __lt__(self, other: Any) -> Any:
        return len(self) < len(other) and self.issubset(other)

    def __gt__(self, other: Any) -> Any:
        return len(self) > len(other) and self.issuperset(other)

    def __ror__(self, other: Any) -> Any:
        return Marks(self.site, self.marked(other)).union(self)

    def __rand__(self, other: Any) -> Any:
        return Marks(self.site, self.marked(other)).intersection(self)

    def __getattr__(self, name: str) -> Any:
        return only_a_dict(self.site)
