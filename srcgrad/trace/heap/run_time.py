"""What tables do at run time: look-ups in dicts, sets and lists of places.

Each primitive here is an operation of the generated code on a container that holds keys and
places, and nothing that carries a derivative.  Staged code calls it without the machine.
"""

from __future__ import annotations

import collections
import operator
from collections.abc import Callable
from typing import Any

from ...rules.python.heaps import heap_item, heap_item_of
from ...types.kinds import BOOL, INT, OPAQUE, Aval, Kind, list_of
from ...types.spelling import Method
from ..assumptions import RunTimeKeys, Withdrawn
from ..calls.handlers import primitive
from ..flow.control import Restart
from ..objects.special_methods import python_method
from ..record.structures import leaf_aval
from ..record.tracers import StandIn
from .key_forms import as_tuples, key_of
from .stores import Reference

OPERATORS = {"__contains__": operator.contains, "__getitem__": operator.getitem,
             "__setitem__": operator.setitem, "__delitem__": operator.delitem}


def _of_keys(method: str) -> Callable[..., Any]:
    """A method of what is known of keys, for staged code."""
    return primitive(lambda machine, *given: getattr(machine.keys, method)(*given))


cells_for, check_held, check_kind, handed_over, shrinks = map(_of_keys, (
    "new_cells", "check_held", "check_kind", "hand_over", "shrinks"))


@primitive
def only_a_dict(machine: Any, site: Any) -> Any:
    """What no stand-in can do: tracing starts again with the container itself."""
    raise Restart(Withdrawn(RunTimeKeys(site.outermost)))


def factory_of(obj: Any) -> Any:
    """What makes the value of a key that a dict does not have; None where nothing does."""
    made = isinstance(obj, (collections.defaultdict, StandIn))
    return getattr(obj, "default_factory", None) if made else None


def check_no_table(machine: Any, obj: Any) -> None:
    """Start again with the container itself where a stand-in cannot do."""
    if isinstance(obj, StandIn):
        raise Restart(obj.kept_under or Withdrawn(RunTimeKeys(obj.site.outermost)))


@primitive
def new_index(machine: Any, site: Any, keys: Any = ()) -> Any:
    """The run-time dict from keys to places; ``keys`` are there from the start."""
    given = [told(machine, site, key, stored=True) for key in keys]
    numbers = ({key: i for i, key in enumerate(given)},) if keys else ()
    index = machine.effects.emit_effect(dict, numbers, {}, OPAQUE)
    machine.known_keys.own_indexes.add(index.value)
    for i, key in enumerate(given):
        machine.known_keys.note_key(index, key, i)
    return index


@primitive
def has_place(machine: Any, table: Any, key: Any) -> Any:
    """Does a key have a place?"""
    key = told(machine, table.site, key)
    known = machine.known_keys.asked_before(table.places, key)
    if known is not None:
        return known
    found = machine.effects.emit_effect(operator.contains, (table.places, key), {}, BOOL)
    machine.known_keys.note_key(table.places, key, None, found)
    return found


@primitive
def may_be_tried(machine: Any, table: Any, key: Any) -> bool:
    """May the program catch what a missing key raises, or is it not what the run-time dict has?"""
    told_as = as_tuples(key)
    return (bool(machine.recorder.trying) or told_as is not key) and (
        machine.known_keys.known_place(table.places, told_as) is None)


@primitive
def place_of(machine: Any, table: Any, key: Any) -> Any:
    """The place of a key; raises the KeyError that the program would see."""
    key = told(machine, table.site, key)
    known = machine.known_keys.known_place(table.places, key)
    if known is not None:
        return known
    place = machine.effects.emit_effect(operator.getitem, (table.places, key), {},
                                        _place(machine, table.cells))
    machine.known_keys.note_key(table.places, key, place)
    return place


def _place(machine: Any, cells: Any) -> Aval:
    return INT if _numbered(machine, cells) else OPAQUE


def _numbered(machine: Any, cells: Any) -> bool:
    """Are the places of cells, which may lie in a store, numbers of items of a list?"""
    return bool(machine.getattr(cells, "numbered"))


@primitive
def set_place(machine: Any, table: Any, key: Any, place: Any) -> None:
    """Gives a key a place."""
    key = told(machine, table.site, key, stored=True)
    if machine.known_keys.known_place(table.places, key) is None:
        machine.walks.note_change(table.site, table.places)
    machine.effects.emit_effect(operator.setitem, (table.places, key, place), {}, None)
    machine.known_keys.note_change(table.places, not _numbered(machine, table.cells))
    machine.known_keys.note_key(table.places, key, place)


@primitive
def drop_place(machine: Any, table: Any, key: Any) -> Any:
    """Takes a key away; the place that it had."""
    machine.walks.note_change(table.site, table.places)
    _shrinking(machine, table.site)
    key = told(machine, table.site, key)
    place = machine.effects.emit_effect(Method("pop"), (table.places, key), {},
                                        _place(machine, table.cells))
    machine.known_keys.note_change(table.places, True)
    machine.found_tables.change(table, operator.delitem, key)
    return place


@primitive
def store_outside(machine: Any, table: Any, key: Any, value: Any, made: bool = False) -> None:
    """Stores in the dict that a table stands for, if that is from outside."""
    machine.found_tables.change(table, operator.setitem, key, value, made=made)


def _shrinking(machine: Any, site: Any) -> None:
    if not machine.keys.shrinks(site):
        raise Restart(RunTimeKeys(site, shrinks=True))


@primitive
def last_key(machine: Any, table: Any, last: bool) -> Any:
    """The key that was added last, or first."""
    order = machine.effects.emit_effect(reversed if last else iter, (table.places,), {}, OPAQUE)
    key = machine.effects.emit_effect(next, (order,), {}, raw(machine, table.site))
    return typed_key(machine, table.site, key)


@primitive
def move_last(machine: Any, table: Any, key: Any) -> None:
    """Makes a key the last one."""
    _shrinking(machine, table.site)
    key = told(machine, table.site, key)
    place = machine.effects.emit_effect(Method("pop"), (table.places, key), {},
                                        _place(machine, table.cells))
    machine.effects.emit_effect(operator.setitem, (table.places, key, place), {}, None)
    machine.found_tables.change(table, Method("move_to_end"), key)


@primitive
def count_of(machine: Any, places: Any) -> Any:
    """The size of a run-time container."""
    return machine.effects.emit_effect(len, (places,), {}, INT)


def raw(machine: Any, site: Any) -> Aval:
    """The type of a key as one object."""
    form = machine.keys.key_form(site)
    return form if isinstance(form, Aval) else OPAQUE


def typed(machine: Any, key: Any, form: Any) -> Any:
    """A key with its parts taken apart."""
    if not isinstance(form, tuple):
        return key
    found = []
    for i, part in enumerate(form):
        one = machine.recorder.computed(
            operator.getitem, part if isinstance(part, Aval) else OPAQUE, key, i)
        found.append(typed(machine, one, part))
    return key_of(getattr(form, "cls", tuple), found)


@primitive
def told(machine: Any, site: Any, key: Any, stored: bool = False) -> Any:
    """A key that is looked up or ``stored``, as the run-time dict has it."""
    machine.keys.note_form(site, key, stored)
    return as_tuples(key)


@primitive
def typed_key(machine: Any, site: Any, key: Any) -> Any:
    """A key as the program sees it: a tuple where it put tuples in."""
    return typed(machine, key, machine.keys.key_form(site))


@primitive
def names_for(machine: Any, site: Any, keys: Any = ()) -> Any:
    """The list of keys of a new table that may have derivatives, to be filled beside the run-time
    dict, which would put them out of sight; None where none has, or keys are taken away."""
    if site.outer is None and has_fractions(machine.keys.key_form(site)) and (
            not machine.keys.shrinks(site)):
        return open_list(machine, *keys)
    return None


def has_fractions(form: Any) -> bool:
    """Are keys of this form, or parts of them, numbers with a derivative?"""
    return any(map(has_fractions, form)) if isinstance(form, tuple) else form.is_inexact


@primitive
def keys_of(machine: Any, table: Any) -> Any:
    """The keys in order."""
    names = machine.getattr(table, "names")
    if names is not None:
        return machine.call(list, names)
    return listed_keys(machine, table.site, table.places)


@primitive
def listed_keys(machine: Any, site: Any, items: Any) -> Any:
    """The keys in a run-time container, as a list."""
    found = machine.effects.emit_effect(list, (items,), {}, list_of(raw(machine, site)))
    return machine.lists.list_object(found.value)


@primitive
def places_of(machine: Any, table: Any) -> Any:
    """The places in the order of the keys."""
    places = machine.effects.emit_effect(Method("values"), (table.places,), {}, OPAQUE)
    return listed_places(machine, table.cells, places)


@primitive
def listed_places(machine: Any, cells: Any, places: Any) -> Any:
    """The places in a run-time list, as a list."""
    found = machine.effects.emit_effect(list, (places,), {}, list_of(_place(machine, cells)))
    return machine.lists.list_object(found.value)


@primitive
def open_list(machine: Any, *items: Any) -> Any:
    """A list whose length is only known at run time, with these items at first."""
    return machine.lists.made_unknown(machine.containers.made(list(items)))


@primitive
def adopted(machine: Any, value: Any, cells: Any) -> bool:
    """Does a stand-in have its numbers in these cells already?"""
    if not (isinstance(value, StandIn) and getattr(value, "cells", None) is cells):
        return False
    machine.known_keys.own_indexes.discard(value.places.value)
    return True


@primitive
def inner_kind(machine: Any, site: Any, value: Any = None) -> Any:
    """The class and the factory of the dicts that a table holds."""
    if value is not None:
        kind = value.cls if isinstance(value, StandIn) else type(value)
        machine.keys.check_same_kind(site, (kind, factory_of(value)))
    return machine.keys.inner_kinds.get(site, (dict, None))


@primitive
def run_list(machine: Any) -> Any:
    """A run-time list of places."""
    return machine.effects.emit_effect(list, (), {}, OPAQUE)


@primitive
def run_set(machine: Any, items: Any = ()) -> Any:
    """A run-time set."""
    return machine.effects.emit_effect(set, (items,) if items != () else (), {}, OPAQUE)


def _by_method(gives: Aval) -> Callable[..., Any]:
    """A method, by its name, of a run-time container; it ``gives`` values of a type."""
    return primitive(lambda machine, name, items, *args: machine.effects.emit_effect(
        OPERATORS.get(name) or Method(name), (items, *args), {}, gives))


asked = _by_method(BOOL)
made_by = _by_method(OPAQUE)


@primitive
def changed(machine: Any, site: Any, name: str, items: Any, *args: Any) -> None:
    """A method, by its name, of a run-time container that changes it."""
    machine.walks.note_change(site, items)
    machine.effects.emit_effect(OPERATORS.get(name) or Method(name), (items, *args), {}, None)


@primitive
def taken(machine: Any, site: Any, items: Any) -> Any:
    """An item that is taken out of a run-time set."""
    machine.walks.note_change(site, items)
    return typed_key(machine, site, machine.effects.emit_effect(
        Method("pop"), (items,), {}, raw(machine, site)))


@primitive
def place_in(machine: Any, cells: Any, name: str, places: Any, *args: Any) -> Any:
    """A method of a run-time list of places that returns one of them."""
    return machine.effects.emit_effect(OPERATORS.get(name) or Method(name), (places, *args), {},
                                       _place(machine, cells))


@primitive
def walk(machine: Any, container: Any, items: Any) -> Any:
    """The iterator over what stands for a container."""
    machine.walks.begin(items, container)
    return items


@primitive
def note_turn(machine: Any, queue: Any) -> None:
    """A deque changes."""
    machine.walks.note_turn(queue)


@primitive
def mark(machine: Any, site: Any, items: Any, item: Any) -> None:
    """Adds to a run-time set."""
    item = told(machine, site, item, stored=True)
    machine.walks.note_change(site, items)
    machine.effects.emit_effect(Method("add"), (items, item), {}, None)


@primitive
def mark_all(machine: Any, site: Any, other: Any) -> Any:
    """The run-time set, or dict, behind a stand-in, whose keys go into others; None for other
    things."""
    if not isinstance(other, StandIn) or not hasattr(type(other), "hashed"):
        return None
    if site != other.site:
        machine.keys.join_form(site, machine.keys.key_form(other.site))
    return other.places


@primitive
def heap_entry(machine: Any, site: Any, item: Any, number: Any) -> Any:
    """What stands for an item in a run-time heap."""
    key: list[Any] = []
    told: Any = None
    if isinstance(item, tuple) and python_method(item, "__lt__") is not None:
        machine.call(only_a_dict, site)
    for part in item if isinstance(item, tuple) else (item,):
        if not _has_order(part):
            if (not key or isinstance(part, tuple)) and (
                    python_method(part, "__lt__") is not None):
                machine.call(only_a_dict, site)
            told = part.index if type(part) is Reference else number
            break
        key.append(_plainly(part))
    fn, first = (heap_item, ()) if told is None else (heap_item_of, (told,))
    return machine.recorder.computed(
        fn, OPAQUE, *machine.recorder.values_in((number, *first, *key)))


def _has_order(part: Any) -> bool:
    """Is it a number or text, or a tuple of such, which Python compares part by part?"""
    if isinstance(part, tuple):
        return all(map(_has_order, part)) and all(
            python_method(part, name) is None for name in ("__lt__", "__eq__"))
    aval = leaf_aval(part)
    return aval is not None and not aval.ndim and aval.kind is not Kind.LIST


def _plainly(part: Any) -> Any:
    """Named tuples as plain ones, which compare alike."""
    return tuple(map(_plainly, part)) if isinstance(part, tuple) else part


@primitive
def entry_number(machine: Any, entry: Any) -> Any:
    """The number of the item that an entry of a heap stands for."""
    return machine.recorder.computed(
        operator.getitem, INT, *machine.recorder.values_in((entry, -1)))


def are_negative(numbers: Any) -> Any:
    """Which of some numbers are those of no object?"""
    return [k < 0 for k in numbers]
