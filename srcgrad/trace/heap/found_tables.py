"""Dicts from outside whose keys are only known at run time.

A :class:`~srcgrad.trace.heap.tables.Table` stands for such a dict from where it is found on.  At
each call its keys are numbered in their order, and what it holds is gathered column by column
(:mod:`srcgrad.trace.heap.gathering`), as the items of a list are; so the text does not depend on
the keys.  What the program stores goes to the table and, there and then, to the dict itself.
"""

from __future__ import annotations

import collections
import functools
from typing import Any, NoReturn

import numpy as np

from ...types.guards import Path
from ...types.kinds import OPAQUE
from ..assumptions import RunTimeKeys, Withdrawn
from ..collaborator import Collaborator
from ..flow.control import Restart
from ..record.scopes import during
from ..record.structures import leaf_aval
from ..record.tracers import ArrayTracer, Site
from .gathering import (
    Reading,
    column_name,
    held_in,
    held_objects,
    kinds_of_keys,
    native_step,
    places_in,
)
from .key_forms import form_of_key, joined
from .outlines import (
    Constant,
    Lists,
    Number,
    Outline,
    Record,
    Unlike,
    class_of,
    has_parts,
    outline,
    weak,
)
from .run_time import factory_of, has_fractions
from .tables import Numbers, Table
from .whole_lists import ListColumns

DICTS = (dict, collections.defaultdict, collections.OrderedDict, collections.Counter)
KEYS = (bool, int, float, str, bytes, type(None))  # of keys, or parts of tuples


def _is_plain(key: Any) -> bool:
    """May it be a key: is it taken apart as the program sees it?"""
    if isinstance(key, tuple):
        return type(key) is tuple and all(map(_is_plain, key))
    return type(key) in KEYS or isinstance(key, np.integer)


def _stay_as_they_are(found: Outline) -> bool:
    """Are items numbers, texts, or tuples of such, so that nobody can change one?"""
    return isinstance(found, (Number, Constant)) or (isinstance(found, Record) and issubclass(
        class_of(found), tuple) and all(map(_stay_as_they_are, found.parts)))


def _is_immutable(value: Any) -> bool:
    """Is it a number or text, or a tuple of such?"""
    if type(value) is tuple:
        return all(map(_is_immutable, value))
    return leaf_aval(value) is not None and type(value) is not ArrayTracer


def levels_of(found: Any) -> int:
    """How many steps lead from a dict to the items of columns: two through dicts in it, if these do
    not have the same texts as keys."""
    inner = [*found.values()]
    if not inner or any(type(one) not in DICTS for one in inner):
        return 1
    alike = all(type(one) is dict and one and [*one] == [*inner[0]] for one in inner)
    return 1 if alike and all(type(key) is str for key in inner[0]) else 2


def _has_leaves(obj: Any) -> bool:
    """Can derivatives be taken for the columns of what a dict holds?"""
    try:
        held = held_in(obj, levels_of(obj))
        found = outline(held)
        return type(obj) is dict and isinstance(found, Lists) and bool(held) and has_parts(
            found.inner, held[0])
    except (Unlike, TypeError):
        return False


class FoundTables(Collaborator):
    """The tables that stand for dicts from outside."""

    speaks_to = ("effects", "foreigners", "found_functions", "keys", "known_keys", "opening",
                 "pools", "recorder", "sources")

    def __init__(self) -> None:
        self.tables: dict[int, Any] = {}  # by the dict
        # by the cells of a table the dict that changes with it, or None where it may not change
        self.dicts: dict[int, Any] = {}
        self.objects: dict[int, Any] = {}  # by the table
        self.kinds: dict[Site, str] = {}  # what is held that is no number
        self.sites: dict[int, Site] = {}  # by the list of what a dict holds
        self.columns: dict[int, ListColumns] = {}  # by the dict
        self.known: dict[Path, ListColumns] = {}  # of dicts for whose parts derivatives are taken

    def site(self, obj: Any) -> Site | None:
        """What stands in the place of a place of the program for a dict from outside; None if a
        table may not stand for it."""
        path = self.found_functions.paths.get(id(obj))
        if type(obj) not in DICTS or path is None or (
                self.sources.is_differentiated(obj) and not _has_leaves(obj)):
            return None
        return self.keys.common_site(Site(("outside", str(path))))

    def table(self, obj: Any) -> Any:
        """The table that stands for an object from outside; None if none does."""
        if type(obj) not in DICTS:
            return None
        if id(obj) not in self.tables:
            site = self.site(obj)
            if site is None or not self.keys.is_table(site):
                return None
            self.assumed.risk(Withdrawn(RunTimeKeys(None)))
            if not self.opening.at_start() or not self.opening.may_open():
                self._withdraw(site)
            try:
                self.tables[id(obj)] = self._made(obj, site)
            except Unlike:
                self._withdraw(site)
        return self.tables[id(obj)]

    def gather(self, obj: Any, path: Path) -> bool:
        """Gather a dict that a leaf of an argument lies in; False if no table stands for it."""
        site = self.keys.common_site(Site(("outside", str(path))))
        if type(obj) not in DICTS or not self.keys.is_table(site):
            return False
        self.foreigners.outside(obj, path)
        if id(obj) not in self.columns or not _has_leaves(obj):
            self._withdraw(site)
        self.known[path] = self.columns[id(obj)]
        return True

    def check_rows(self, held: list[Any]) -> None:
        """A list changes that is among what is held: start again without its table."""
        if id(held) in self.sites:
            self._withdraw(self.sites[id(held)])

    def given(self, obj: Any) -> Any:
        """What other code gets for a table: the dict that it stands for, if it does."""
        return self.objects.get(id(obj), obj)

    def change(self, table: Any, function: Any, *args: Any, made: bool = False) -> None:
        """A table changes: the dict that it stands for does, too, by a function of it, a key and
        perhaps a value that was ``made`` for that."""
        cells = self.machine.getattr(table, "cells")
        if id(cells) not in self.dicts:
            return
        obj, key, *values = self.dicts[id(cells)], *args
        if made and (type(cells) is not Numbers or self.kinds.get(table.site) == "list"):
            values = [self._made_beside(value) for value in values]
        if obj is None or not all(map(_is_immutable, values)):
            self._withdraw(table.site.outermost)
        self.sources.check_twin(obj)
        self.effects.effect_on(obj, function, key, *values)

    def _made_beside(self, value: Any) -> Any:
        """What is stored in a dict for an empty container, which the table holds."""
        if type(value) not in (list, dict) or value or id(value) in self.symbolic_lists:
            return value
        return self.effects.emit_effect(type(value), (), {}, OPAQUE)

    def _made(self, obj: Any, site: Site) -> Any:
        path = self.found_functions.paths[id(obj)]
        levels = levels_of(obj)
        if levels == 2 and self.keys.held_kind(site) is None:
            raise Restart(RunTimeKeys(site, holds="dict"))
        kinds = self.sources.gives(kinds_of_keys, (obj, levels), (path, levels))
        inner = [*obj.values()] if levels == 2 else []
        if not all(map(_is_plain, [key for found in (obj, *inner) for key in found])) or (
                levels == 2 and len(kinds[1]) > 1):
            raise Unlike
        self._note_forms(site, obj)
        self._keep_as_found(obj, path, inner)
        column = self._column(obj, path, levels, site)
        with during(self.recorder, region=self.recorder.root):
            cells = self._cells(site, obj, column, levels)
            places = self._places(path, levels)
            self.keys.index_sites[places.value] = site
            made = self.machine.call(Table, type(obj), self._factory(obj, path), site, cells,
                                     places)
        self.dicts[id(cells)] = obj
        self.objects[id(made)] = obj
        for one in (made, cells, cells.held if levels == 1 else cells.inner):
            self.journal.older(one)
            self.journal.keep.append(one)
        return made

    def _factory(self, obj: Any, path: Path) -> Any:
        """What makes the value of a key that a dict does not have, as found at each call."""
        factory = factory_of(obj)
        return factory if factory is None else self.foreigners.outside(
            factory, path.child("attr", "default_factory"))

    def _keep_as_found(self, obj: Any, path: Path, inner: list[Any]) -> None:
        """Nobody has changed a dict, or those in it, and the latter nobody may."""
        if self.opening.has_changed([obj, *inner]):
            raise Unlike
        if inner:
            whole = native_step(path, Reading(functools.partial(held_in, levels=1)),
                                f"the dicts in {path}")
            self.opening.outlines.append((whole, inner, Record(dict, (), ())))
            for one in inner:
                self.opening.keep_as_found(one)

    def _cells(self, site: Site, obj: Any, column: Any, levels: int) -> Any:
        """The cells over what a dict holds, or the dicts in it."""
        if levels == 1:
            return self.machine.call(Numbers, site, (), column)
        cells = self.keys.new_cells(site)
        examples = list(obj.values())
        self.keys.inner_kinds[cells.site] = (type(examples[0]), factory_of(examples[0]))
        for one in examples:
            self._note_forms(cells.site, one)
        innermost = self.machine.call(Numbers, cells.inner.site, (), column)
        self.dicts[id(innermost)] = None
        self.machine.setattr(cells, "inner", innermost)
        return cells

    def _places(self, path: Path, levels: int) -> Any:
        """The run-time dict from the keys to the numbers of what is held."""
        step = Reading(functools.partial(places_in, levels=levels))
        places = self.recorder.wrap(self.sources.input(OPAQUE, native_step(
            path, step, f"the places of {path}"), "object"))
        places.value.hint = f"{column_name(path)}_places"
        self.known_keys.own_indexes.add(places.value)
        return places

    def _note_forms(self, site: Site, obj: Any) -> None:
        """The forms of all keys of a dict."""
        form: Any = functools.reduce(joined, map(form_of_key, obj), None)
        if form is not None:
            if has_fractions(form):
                raise Unlike  # keys with derivatives stand in a list
            self.keys.join_form(site, form)

    def _column(self, obj: Any, path: Path, levels: int, site: Site) -> Any:
        """The list of what a dict holds; None if that is nothing."""
        held = held_in(obj, levels)
        if not held:
            return None
        step = Reading(functools.partial(held_in, levels=levels))
        whole = native_step(path, step, f"{column_name(path)}_values")
        self.found_functions.pinned[id(held)] = held
        self.found_functions.paths[id(held)] = whole
        self.sites[id(held)] = site
        found = outline(held)
        assert isinstance(found, Lists)
        inner, states = self.opening.gather(held, whole, changes=True, few=0)
        if not _stay_as_they_are(found.inner):
            self.opening.keep_items(whole, held, inner)
            if self.opening.has_changed(held_objects(held, self.pools.holds)):
                raise Unlike
        if isinstance(found.inner, Lists):
            self.kinds[site] = "list"
        self.columns[id(obj)] = ListColumns(weak(inner), tuple(s.value for s in states), levels)
        return self.opening.gathered_lists[id(held)]

    def _withdraw(self, site: Site) -> NoReturn:
        raise Restart(Withdrawn(RunTimeKeys(site)))
