"""Dicts whose keys are only known at run time, as programs over lists.

A dict that a function makes and fills under keys made of loop indices or data is traced as a
:class:`Table`: a run-time dict tells the *place* of each key, in the order in which the program
added them, and what the program holds lies in a list.  Only places are looked up, added and taken
away at run time, by the dict itself; what carries derivatives is in the list.  The class is staged
like one of the user's, so branches, loops and derivatives need to know nothing of it.

What a table holds are *cells*: :class:`Numbers`, or containers in their turn, whose places are
run-time dicts (:class:`Dicts`), lists and sets (:mod:`srcgrad.trace.heap.rows`).
"""

from __future__ import annotations

import collections
import operator
from collections.abc import Iterator
from typing import Any

from .rows import Bound, Containers
from .run_time import (
    adopted,
    cells_for,
    check_held,
    check_kind,
    count_of,
    drop_place,
    entry_number,
    handed_over,
    has_place,
    heap_entry,
    inner_kind,
    keys_of,
    last_key,
    may_be_tried,
    move_last,
    names_for,
    new_index,
    only_a_dict,
    open_list,
    place_of,
    places_of,
    set_place,
    shrinks,
    store_outside,
    typed_key,
    walk,
)

SPREAD = object()  # in the place of a key: all items of a table


class Numbers:
    """Cells that hold numbers, arrays or tuples of them: a place is a number of the list."""

    numbered = True

    def __init__(self, site: Any, values: Any = (), held: Any = None) -> None:
        self.site = site
        self.held = open_list(*values) if held is None else held

    def insert(self, table: Any, key: Any, value: Any) -> None:
        check_held(self.site, value)
        set_place(table, key, len(self.held))
        self.held.append(value)

    def replace(self, table: Any, key: Any, value: Any) -> None:
        check_held(self.site, value)
        self.held[place_of(table, key)] = value

    def place_for(self, value: Any) -> Any:
        check_held(self.site, value)
        self.held.append(value)
        return len(self.held) - 1

    def read(self, place: Any) -> Any:
        return self.held[place]

    def like(self, value: Any) -> Any:
        return value


class Entries(Numbers):
    """Cells that hold the items of a heap: a place is what ``heapq`` compares, with the number of
    an item of the list at its end."""

    numbered = False

    def place_for(self, value: Any) -> Any:
        return heap_entry(self.site, value, super().place_for(value))

    def read(self, place: Any) -> Any:
        return self.held[entry_number(place)]


class Dicts(Containers):
    """Cells that hold dicts: a place is a run-time dict."""

    def __init__(self, site: Any) -> None:
        self.site = site
        self.inner = cells_for(site)

    def place_for(self, value: Any) -> Any:
        if adopted(value, self.inner):
            return value.places
        check_kind(value, dict)
        inner_kind(self.site, value)
        made = self.read(new_index(self.site))
        made.update(value)
        handed_over(value)
        return made.places

    def read(self, place: Any) -> Any:
        cls, factory = inner_kind(self.site)
        return Table(cls, factory, self.site, self.inner, place)


class Table(Bound):
    """What stands for a dict of class ``cls``: ``places``, and the ``cells`` that they are
    places of.  ``site`` is where the program made the dict; ``names`` lists keys in their order
    that may have derivatives."""

    cls: Any = dict
    hashed = True

    def __init__(self, cls: Any, factory: Any, site: Any, cells: Any, places: Any,
                 names: Any = None) -> None:
        self.cls = cls
        self.default_factory = factory
        self.site = site
        self.cells = cells
        self.places = places
        self.names = names

    def insert(self, key: Any, value: Any, made: bool = False) -> None:
        """Store under a key that is not there yet; what was ``made`` for it has no other name."""
        store_outside(self, key, value, made)
        self.cells.insert(self, key, value)
        if self.names is not None:
            self.names.append(key)

    def __getitem__(self, key: Any) -> Any:
        if self.default_factory is not None:
            if not has_place(self, key):
                self.insert(key, self.default_factory(), True)
        elif self.cls is collections.Counter:
            return self.get(key, 0)
        elif may_be_tried(self, key):
            self.require(key)
        return self.cells.read(place_of(self, key))

    def require(self, key: Any) -> None:
        if not has_place(self, key):
            raise KeyError(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        if has_place(self, key):
            store_outside(self, key, value)
            self.cells.replace(self, key, value)
        else:
            self.insert(key, value)

    def __delitem__(self, key: Any) -> None:
        if may_be_tried(self, key):
            self.require(key)
        drop_place(self, key)

    def __contains__(self, key: Any) -> Any:
        return has_place(self, key)

    def __len__(self) -> Any:
        return count_of(self.places)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.keys())

    def __reversed__(self) -> Iterator[Any]:
        return reversed(self.keys())  # type: ignore[no-any-return]

    def keys(self) -> Any:
        return View(self, "keys", self.site)

    def name(self, key: Any) -> Any:
        """A key as the program sees it."""
        return typed_key(self.site, key) if self.names is None else key

    def values(self) -> Any:
        return View(self, "values", self.site)

    def items(self) -> Any:
        return View(self, "items", self.site)

    def get(self, key: Any, default: Any = None) -> Any:
        if has_place(self, key):
            return self.cells.read(place_of(self, key))
        return self.cells.like(default)

    def setdefault(self, key: Any, default: Any = None) -> Any:
        if not has_place(self, key):
            self.insert(key, default)
        return self.cells.read(place_of(self, key))

    def pop(self, key: Any, *default: Any) -> Any:
        if default:
            if has_place(self, key):
                return self.cells.read(drop_place(self, key))
            return self.cells.like(default[0])
        if may_be_tried(self, key):
            self.require(key)
        return self.cells.read(drop_place(self, key))

    def popitem(self, last: bool = True) -> Any:
        key = last_key(self, last)
        return (key, self.cells.read(drop_place(self, key)))

    def move_to_end(self, key: Any, last: bool = True) -> None:
        if not last:
            only_a_dict(self.site)
        if may_be_tried(self, key):
            self.require(key)
        move_last(self, key)

    def clear(self) -> None:
        for key in list(self.keys()):
            drop_place(self, key)

    def empty(self, factory: Any) -> Any:
        return Table(self.cls, factory, self.site, cells_for(self.site), new_index(self.site),
                     names_for(self.site))

    def copy(self) -> Any:
        made = self.empty(self.default_factory)
        for key, value in self.items():
            made.insert(key, value)
        return made

    def update(self, *others: Any, **named: Any) -> None:
        for other in (*others, named):
            if hasattr(other, "keys"):
                for key in other.keys():  # noqa: SIM118
                    self.merge(key, other[key])
            elif self.cls is collections.Counter:
                for key in other:
                    self.merge(key, 1)
            else:
                for key, value in other:
                    self.merge(key, value)

    def merge(self, key: Any, value: Any) -> None:
        if self.cls is collections.Counter:
            value = self[key] + value
        self[key] = value

    def subtract(self, other: Any) -> None:
        if hasattr(other, "keys"):
            for key in other.keys():  # noqa: SIM118
                self[key] = self[key] - other[key]
        else:
            for key in other:
                self[key] = self[key] - 1

    def most_common(self, n: Any = None) -> Any:
        found = sorted(self.items(), key=_second, reverse=True)
        return found if n is None else found[:n]

    def total(self) -> Any:
        return sum(self.values())

    def combined(self, other: Any, combine: Any) -> Any:
        """What a Counter's operators give: the counts above zero."""
        if self.cls is not collections.Counter or not hasattr(other, "keys"):
            return only_a_dict(self.site)
        made = self.empty(None)
        for key, value in self.items():
            made.count(key, combine(value, other[key]))
        for key in other.keys():  # noqa: SIM118
            if key not in self:
                made.count(key, combine(0, other[key]))
        return made

    def count(self, key: Any, value: Any) -> None:
        if value > 0:
            self[key] = value

    def __add__(self, other: Any) -> Any:
        return self.combined(other, operator.add)

    def __sub__(self, other: Any) -> Any:
        return self.combined(other, operator.sub)

    def __and__(self, other: Any) -> Any:
        return self.combined(other, min)

    def __or__(self, other: Any) -> Any:
        if self.cls is collections.Counter:
            return self.combined(other, max)
        made = self.copy()
        made.update(other)
        return made

    def __ior__(self, other: Any) -> Any:
        if self.cls is collections.Counter:
            return only_a_dict(self.site)
        self.update(other)
        return self

    def __iadd__(self, other: Any) -> Any:
        return only_a_dict(self.site)

    __isub__ = __iand__ = __ror__ = __iadd__

    def __eq__(self, other: Any) -> Any:
        if not hasattr(other, "keys"):
            return False
        same = len(self) == len(other)
        if same:
            for key in self.keys():
                same = same and key in other and self[key] == other[key]
        return same


def _second(pair: Any) -> Any:
    return pair[1]


class View(Bound):
    """The ``keys()``, ``values()`` or ``items()`` of a table."""

    def __init__(self, table: Any, part: str, site: Any) -> None:
        self.table = table
        self.part = part
        self.site = site

    def __iter__(self) -> Any:
        return walk(self.table, self._items())

    def __reversed__(self) -> Any:
        return walk(self.table, iter(list(self._items())[::-1]))

    def _items(self) -> Iterator[Any]:
        # maps, not generators: they have a length, and are staged
        table, site, read = self.table, self.site, self.table.cells.read
        if self.part == "keys":
            return map(table.name, keys_of(table))
        in_order = table.cells.numbered and site.outer is None and not shrinks(site)
        if self.part == "values":
            return map(read, range(len(table.cells.held)) if in_order else places_of(table))
        keys = keys_of(table)
        if in_order:
            return map(lambda i: (table.name(keys[i]), read(i)),  # noqa: C417
                       range(len(keys)))
        places = places_of(table)
        return map(lambda i: (table.name(keys[i]), read(places[i])),  # noqa: C417
                   range(len(keys)))

    def __len__(self) -> Any:
        return count_of(self.table.places)

    def __contains__(self, item: Any) -> Any:
        if self.part == "keys":
            return has_place(self.table, item)
        return item in list(self)


def marked_all(made: Any, items: Any) -> None:
    """``made.update(items)``, one by one."""
    for item in items:
        made.add(item)


def stored_all(made: Any, pairs: Any) -> None:
    """``made.update(pairs)``, one by one."""
    for key, value in pairs:
        made[key] = value


def unchanged(items: Any, container: Any, measure: Any, words: str) -> Iterator[Any]:
    """The items of a container, which raises where its ``measure`` has changed meanwhile."""
    start = measure(container)
    for item in items:
        yield item
        if measure(container) != start:
            raise RuntimeError(words)


def counted_all(made: Any, items: Any) -> None:
    """Counts items."""
    for item in items:
        made[item] += 1
