"""What tables do at run time: look-ups in dicts, sets and lists of places.

Each function here is an operation of the generated code on a container that holds keys and
places, and nothing that carries a derivative.
"""

from __future__ import annotations

import collections
import operator
from typing import Any

from ..graph.ir import Ref
from ..kinds import BOOL, INT, OPAQUE, Aval, Kind, list_of
from ..rules.heaps import heap_item, heap_item_of
from ..spelling import Method
from .assumptions import RunTimeKeys, Withdrawn
from .control import Restart
from .handlers import handles
from .special_methods import python_method
from .stores import Reference
from .structures import leaf_aval
from .tracers import StandIn


def only_a_dict(site: Any) -> Any:
    """What no stand-in can do: tracing starts again with the container itself."""
    raise AssertionError("only called while tracing")


def new_index(site: Any, keys: Any = ()) -> Any:
    """The run-time dict from keys to places; ``keys`` are there from the start."""
    raise AssertionError("only called while tracing")


def has_place(table: Any, key: Any) -> bool:
    """Does a key have a place?"""
    raise AssertionError("only called while tracing")


def may_be_tried(table: Any, key: Any) -> bool:
    """May the program catch what a missing key raises?"""
    raise AssertionError("only called while tracing")


def place_of(table: Any, key: Any) -> Any:
    """The place of a key; raises the KeyError that the program would see."""
    raise AssertionError("only called while tracing")


def set_place(table: Any, key: Any, place: Any) -> None:
    """Gives a key a place."""
    raise AssertionError("only called while tracing")


def drop_place(table: Any, key: Any) -> Any:
    """Takes a key away; the place that it had."""
    raise AssertionError("only called while tracing")


def last_key(table: Any, last: bool) -> Any:
    """The key that was added last, or first."""
    raise AssertionError("only called while tracing")


def move_last(table: Any, key: Any) -> None:
    """Makes a key the last one."""
    raise AssertionError("only called while tracing")


def count_of(places: Any) -> int:
    """The size of a run-time container."""
    raise AssertionError("only called while tracing")


def keys_of(table: Any) -> Any:
    """The keys in order."""
    raise AssertionError("only called while tracing")


def places_of(table: Any) -> Any:
    """The places in the order of the keys."""
    raise AssertionError("only called while tracing")


def typed_key(site: Any, key: Any) -> Any:
    """A key as the program sees it: a tuple where it put tuples in."""
    raise AssertionError("only called while tracing")


def shrinks(site: Any) -> bool:
    """Does the program take keys away?"""
    raise AssertionError("only called while tracing")


def open_list(*items: Any) -> list[Any]:
    """A list whose length is only known at run time, with these items at first."""
    raise AssertionError("only called while tracing")


def check_held(site: Any, value: Any) -> None:
    """What is held as a number must be one."""
    raise AssertionError("only called while tracing")


def cells_for(site: Any) -> Any:
    """What the tables made at a place of the program hold."""
    raise AssertionError("only called while tracing")


def adopted(value: Any, cells: Any) -> bool:
    """Does a stand-in have its numbers in these cells already?"""
    raise AssertionError("only called while tracing")


def handed_over(value: Any) -> None:
    """A container has become a part of a table: its other names may not be used any more."""
    raise AssertionError("only called while tracing")


def inner_kind(site: Any, value: Any = None) -> Any:
    """The class and the factory of the dicts that a table holds."""
    raise AssertionError("only called while tracing")


def run_list() -> Any:
    """A run-time list of places."""
    raise AssertionError("only called while tracing")


def run_set(items: Any = ()) -> Any:
    """A run-time set."""
    raise AssertionError("only called while tracing")


def asked(method: str, items: Any, *args: Any) -> Any:
    """A method of a run-time container that returns a truth value."""
    raise AssertionError("only called while tracing")


def changed(method: str, items: Any, *args: Any) -> None:
    """A method of a run-time container that changes it."""
    raise AssertionError("only called while tracing")


def mark(site: Any, items: Any, item: Any) -> None:
    """Adds to a run-time set."""
    raise AssertionError("only called while tracing")


def mark_all(site: Any, other: Any) -> Any:
    """The run-time set, or dict, behind a stand-in, whose keys go into others; None for other
    things."""
    raise AssertionError("only called while tracing")


def made_by(method: str, items: Any, *args: Any) -> Any:
    """A method of a run-time container that returns a new one."""
    raise AssertionError("only called while tracing")


def item_of(site: Any, method: str, items: Any, *args: Any) -> Any:
    """A method of a run-time container of keys that returns one of them."""
    raise AssertionError("only called while tracing")


def place_in(cells: Any, method: str, places: Any, *args: Any) -> Any:
    """A method of a run-time list of places that returns one of them."""
    raise AssertionError("only called while tracing")


def listed_keys(site: Any, items: Any) -> Any:
    """The keys in a run-time container, as a list."""
    raise AssertionError("only called while tracing")


def listed_places(cells: Any, places: Any) -> Any:
    """The places in a run-time list, as a list."""
    raise AssertionError("only called while tracing")


def heap_entry(site: Any, item: Any, number: Any) -> Any:
    """What stands for an item in a run-time heap."""
    raise AssertionError("only called while tracing")


def entry_number(entry: Any) -> Any:
    """The number of the item that an entry of a heap stands for."""
    raise AssertionError("only called while tracing")


@handles(only_a_dict)
def _only_a_dict(machine: Any, site: Any) -> Any:
    raise Restart(Withdrawn(RunTimeKeys(site.outermost)))


def factory_of(obj: Any) -> Any:
    """What makes the value of a key that a dict does not have; None where nothing does."""
    made = isinstance(obj, (collections.defaultdict, StandIn))
    return getattr(obj, "default_factory", None) if made else None


def check_no_table(machine: Any, obj: Any) -> None:
    """Start again with the container itself where a stand-in cannot do."""
    if isinstance(obj, StandIn):
        raise Restart(obj.kept_under or Withdrawn(RunTimeKeys(obj.site.outermost)))


@handles(new_index)
def _new_index(machine: Any, site: Any, keys: Any = ()) -> Any:
    numbers = ({key: i for i, key in enumerate(keys)},) if keys else ()
    index = machine.effects.emit_effect(dict, numbers, {}, OPAQUE)
    machine.known_keys.own_indexes.add(index.value)
    for i, key in enumerate(keys):
        machine.keys.note_form(site, key)
        machine.known_keys.note_key(index, key, i)
    return index


@handles(has_place)
def _has_place(machine: Any, table: Any, key: Any) -> Any:
    machine.keys.note_form(table.site, key)
    known = machine.known_keys.asked_before(table.places, key)
    if known is not None:
        return known
    found = machine.effects.emit_effect(operator.contains, (table.places, key), {}, BOOL)
    machine.known_keys.note_asked(table.places, key, found)
    return found


@handles(may_be_tried)
def _may_be_tried(machine: Any, table: Any, key: Any) -> bool:
    return bool(machine.recorder.trying) and machine.known_keys.known_place(table.places,
        key) is None


@handles(place_of)
def _place_of(machine: Any, table: Any, key: Any) -> Any:
    known = machine.known_keys.known_place(table.places, key)
    if known is not None:
        return known
    place = machine.effects.emit_effect(operator.getitem, (table.places, key), {},
                                        _place(table.cells))
    machine.known_keys.note_key(table.places, key, place)
    return place


def _place(cells: Any) -> Aval:
    return INT if cells.numbered else OPAQUE


@handles(set_place)
def _set_place(machine: Any, table: Any, key: Any, place: Any) -> None:
    machine.keys.note_form(table.site, key)
    machine.effects.emit_effect(operator.setitem, (table.places, key, place), {}, None)
    machine.known_keys.note_change(table.places, not table.cells.numbered)
    machine.known_keys.note_key(table.places, key, place)


@handles(drop_place)
def _drop_place(machine: Any, table: Any, key: Any) -> Any:
    _shrinking(machine, table.site)
    place = machine.effects.emit_effect(Method("pop"), (table.places, key), {}, _place(table.cells))
    machine.known_keys.note_change(table.places, True)
    return place


def _shrinking(machine: Any, site: Any) -> None:
    if not machine.keys.shrinks(site):
        raise Restart(RunTimeKeys(site, shrinks=True))


@handles(shrinks)
def _shrinks(machine: Any, site: Any) -> bool:
    return bool(machine.keys.shrinks(site))


@handles(last_key)
def _last_key(machine: Any, table: Any, last: bool) -> Any:
    order = machine.effects.emit_effect(reversed if last else iter, (table.places,), {}, OPAQUE)
    key = machine.effects.emit_effect(next, (order,), {}, raw(machine, table.site))
    return typed(machine, key, machine.keys.key_form(table.site))


@handles(move_last)
def _move_last(machine: Any, table: Any, key: Any) -> None:
    _shrinking(machine, table.site)
    place = machine.effects.emit_effect(Method("pop"), (table.places, key), {}, _place(table.cells))
    machine.effects.emit_effect(operator.setitem, (table.places, key, place), {}, None)


@handles(count_of)
def _count_of(machine: Any, places: Any) -> Any:
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
        (value,) = machine.recorder.emit("apply", (machine.recorder.as_value(key),),
                                (part if isinstance(part, Aval) else OPAQUE,),
                                fn=operator.getitem, args=(Ref(0), i), kwargs={}, many=False)
        found.append(typed(machine, machine.recorder.wrap(value), part))
    return tuple(found)


@handles(typed_key)
def _typed_key(machine: Any, site: Any, key: Any) -> Any:
    return typed(machine, key, machine.keys.key_form(site))


@handles(keys_of)
def _keys_of(machine: Any, table: Any) -> Any:
    return _listed_keys(machine, table.site, table.places)


@handles(listed_keys)
def _listed_keys(machine: Any, site: Any, items: Any) -> Any:
    found = machine.effects.emit_effect(list, (items,), {}, list_of(raw(machine, site)))
    return machine.lists.list_object(found.value)


@handles(places_of)
def _places_of(machine: Any, table: Any) -> Any:
    places = machine.effects.emit_effect(Method("values"), (table.places,), {}, OPAQUE)
    return _listed_places(machine, table.cells, places)


@handles(listed_places)
def _listed_places(machine: Any, cells: Any, places: Any) -> Any:
    found = machine.effects.emit_effect(list, (places,), {}, list_of(_place(cells)))
    return machine.lists.list_object(found.value)


@handles(open_list)
def _open_list(machine: Any, *items: Any) -> Any:
    return machine.lists.made_unknown(machine.containers.made(list(items)))


@handles(check_held)
def _check_held(machine: Any, site: Any, value: Any) -> None:
    machine.keys.check_held(site, value)


@handles(cells_for)
def _cells_for(machine: Any, site: Any) -> Any:
    return machine.keys.new_cells(site)


@handles(adopted)
def _adopted(machine: Any, value: Any, cells: Any) -> bool:
    if not (isinstance(value, StandIn) and getattr(value, "cells", None) is cells):
        return False
    machine.known_keys.own_indexes.discard(value.places.value)
    return True


@handles(handed_over)
def _handed_over(machine: Any, value: Any) -> None:
    machine.keys.hand_over(value)


@handles(inner_kind)
def _inner_kind(machine: Any, site: Any, value: Any = None) -> Any:
    if value is not None:
        kind = value.cls if isinstance(value, StandIn) else type(value)
        machine.keys.inner_kinds.setdefault(site, (kind, factory_of(value)))
    return machine.keys.inner_kinds.get(site, (dict, None))


@handles(run_list)
def _run_list(machine: Any) -> Any:
    return machine.effects.emit_effect(list, (), {}, OPAQUE)


@handles(run_set)
def _run_set(machine: Any, items: Any = ()) -> Any:
    return machine.effects.emit_effect(set, (items,) if items != () else (), {}, OPAQUE)


@handles(asked)
def _asked(machine: Any, method: str, items: Any, *args: Any) -> Any:
    fn = operator.contains if method == "__contains__" else Method(method)
    return machine.effects.emit_effect(fn, (items, *args), {}, BOOL)


@handles(changed)
def _changed(machine: Any, method: str, items: Any, *args: Any) -> None:
    fn = {"__setitem__": operator.setitem, "__delitem__": operator.delitem}.get(
        method, Method(method))
    machine.effects.emit_effect(fn, (items, *args), {}, None)


@handles(made_by)
def _made_by(machine: Any, method: str, items: Any, *args: Any) -> Any:
    return machine.effects.emit_effect(Method(method), (items, *args), {}, OPAQUE)


@handles(item_of)
def _item_of(machine: Any, site: Any, method: str, items: Any, *args: Any) -> Any:
    return typed(machine, machine.effects.emit_effect(Method(method), (items, *args), {},
                                              raw(machine, site)), machine.keys.key_form(site))


@handles(place_in)
def _place_in(machine: Any, cells: Any, method: str, places: Any, *args: Any) -> Any:
    fn = operator.getitem if method == "__getitem__" else Method(method)
    return machine.effects.emit_effect(fn, (places, *args), {}, _place(cells))


@handles(mark)
def _mark(machine: Any, site: Any, items: Any, item: Any) -> None:
    machine.keys.note_form(site, item)
    machine.effects.emit_effect(Method("add"), (items, item), {}, None)


@handles(mark_all)
def _mark_all(machine: Any, site: Any, other: Any) -> Any:
    if not isinstance(other, StandIn) or not hasattr(type(other), "hashed"):
        return None
    if site != other.site:
        machine.keys.join_form(site, machine.keys.key_form(other.site))
    return other.places


@handles(heap_entry)
def _heap_entry(machine: Any, site: Any, item: Any, number: Any) -> Any:
    key: list[Any] = []
    told: Any = None
    for part in item if isinstance(item, tuple) else (item,):
        aval = leaf_aval(part)
        if aval is None or aval.ndim or aval.kind is Kind.LIST:
            if not key and python_method(part, "__lt__") is not None:
                machine.call(only_a_dict, site)
            told = part.index if type(part) is Reference else number
            break
        key.append(part)
    fn, first = (heap_item, ()) if told is None else (heap_item_of, (told,))
    return machine.comparisons.opaque_apply(
        fn, machine.recorder.values_in((number, *first, *key)), OPAQUE)


@handles(entry_number)
def _entry_number(machine: Any, entry: Any) -> Any:
    return machine.comparisons.opaque_apply(
        operator.getitem, machine.recorder.values_in((entry, -1)), INT)
