"""Subscripts: reads and writes of arrays, lists, dicts and the user's own containers."""

from __future__ import annotations

import collections
import operator
from typing import Any

import numpy as np

from ...errors import TracingError, UnsupportedOperation
from ...graph.broadcasting import never_one
from ...graph.infer import infer_getitem
from ...graph.ir import Index, Value, abstract
from ...types.kinds import OPAQUE, SCALARS, Aval, Kind
from ...types.subclasses import content_of, item_step, native_class
from ..assumptions import UnrolledLoop
from ..calls.refused import other_dtype
from ..collaborator import Collaborator
from ..flow.control import Restart
from ..iteration.iteration import Cursor, Range, Staged, item, length, sliced
from ..iteration.iterator_tools import place_in_range
from ..objects.special_methods import python_method
from ..record.homes import may_be
from ..record.journal import Content, item_name
from ..record.regions import plain_numbers, shift_step
from ..record.states import SymbolicList
from ..record.structures import is_number, same_key
from ..record.tracers import (
    ArrayTracer,
    Choice,
    OpaqueTracer,
    Poison,
    Tracer,
    is_tracer,
)
from .run_time import factory_of
from .written_out import part_of_list


class Items(Collaborator):
    """``x[k]``, ``x[k] = v`` and ``del x[k]``."""

    speaks_to = ("among", "calls", "choices", "containers", "effects", "foreigners",
                 "found_functions", "keys", "library_calls", "lists", "opening", "recorder",
                  "references", "selections", "sources", "truths", "variables", "walks")

    def __init__(self) -> None:
        self.list_sites: dict[Value, Any] = {}
        self.short_sites: set[Any] = set()  # of loops with a few iterations, whose number is known
        self.masks: dict[Any, Any] = {}
        self.made_from: dict[int, Any] = {}

    def getitem(self, obj: Any, key: Any) -> Any:
        if type(obj) is ArrayTracer:
            return self._read_array(obj, key)
        if is_tracer(obj):
            return self._read_scalar(obj, key)
        method = python_method(obj, "__getitem__")
        if method is not None:
            return self.machine.call(method, obj, key)
        if isinstance(obj, Staged):
            if isinstance(obj, Range) and not isinstance(key, slice):
                size = length(self.machine, obj)
                return item(self.machine, obj, self.machine.call(place_in_range, size, key))
            if isinstance(obj, Cursor):
                return item(self.machine, obj, key)
            if isinstance(obj, Range) and type(obj.step) is int and (
                    key.step is None or type(key.step) is int):
                return sliced(self.machine, obj, key)
            return self.machine.getitem(list(self.machine.iterate(obj)), key)
        return self.read_content(obj, key)

    def read_content(self, obj: Any, key: Any) -> Any:
        """The item of a container, by the code of C."""
        held = self.references.seen(obj)
        if isinstance(held, (list, tuple, str)) and is_tracer(key) and key.aval.kind is Kind.BOOL:
            key = self.machine.call(int, key)
        if isinstance(held, list) and id(held) in self.symbolic_lists:
            return self.lists.list_get(held, key)
        if isinstance(held, dict):
            self.keys.as_table(held, key)
        if isinstance(held, dict) and hasattr(type(held), "__missing__") and (
                not self.keys.open_key(key)):
            key = self.keys.static_key(key)
            self.sources.note_container(held)
            if not dict.__contains__(held, key):
                return self._made_for(obj, key)
        return self._read_static(held, key)

    def _made_for(self, obj: Any, key: Any) -> Any:
        """The value of a key that a dict does not have, by ``__missing__`` of its class."""
        method = python_method(obj, "__missing__")
        if method is not None:
            return self.machine.call(method, obj, key)
        factory = factory_of(obj)
        if factory is None:
            return obj[key]
        if id(obj) in self.found_functions.paths:
            factory = self.foreigners.outside(factory,
                self.found_functions.paths[id(obj)].child("attr", "default_factory"))
        value = self.machine.call(factory)
        self.machine.setitem(obj, key, value)
        return value

    def _read_static(self, obj: Any, key: Any) -> Any:
        """A subscript of a Python container (or a static array) at trace time."""
        if isinstance(obj, (str, bytes)):
            if self._is_of_run(*(
                    (key.start, key.stop, key.step) if isinstance(key, slice) else (key,))):
                if type(obj) is str:
                    self.opening.give_text(obj)
                found = self.library_calls.apply_opaque(operator.getitem, (obj, key), {})
                return self.selections.of_class(found, str) if type(obj) is str else found
        if is_tracer(key) and isinstance(obj, (list, tuple)) and self.keys.is_data(key):
            if not obj:
                raise IndexError(f"{type(obj).__name__} index out of range")
            outside = id(obj) in self.found_functions.paths
            opened = (self.opening.opened_list(obj, key) if outside or type(obj[0]) is list
                      else None)
            if opened is not None:
                return self.lists.list_get(opened, key)
            found = self.lists.list_read(obj, key)
            if found is not None:
                return found
        if isinstance(obj, dict) and self.keys.open_key(key):
            return self.keys.with_key(obj, key, lambda k: self._read_static(obj, k),
                                 lambda: self.absent(obj, key), needed=raises_key_error(obj))
        if type(obj) is list and not obj and self.opening.is_unknown_place(key):
            raise IndexError("list index out of range")  # so far it is empty
        opened = self.opening.opened_list(obj, key)
        if opened is not None:
            return self.lists.list_get(opened, key)
        constant = self.opening.constant_item(obj, key)
        if constant is not None:
            return constant
        if type(obj) is list and self.ends_by_data(key) and all(
                is_number(i) or type(i) in (list, tuple) for i in self.lists.items_seen(obj)):
            items = self.lists.items_seen(obj)
            if any(type(i) is tuple for i in items):
                return self.lists.list_get(self.lists.made_unknown(self.containers.made(list(
                    items))), key)
            return self.machine.call(part_of_list, obj, key.start, key.stop)
        key = self.keys.static_key(key)
        path = self.found_functions.paths.get(id(obj))
        base = native_class(type(obj))
        if path is None:
            held = obj[key] if base is None else base.__getitem__(obj, key)
            if type(held) is Poison:
                raise self.recorder.unjoined(held)
            return self.calls.adopt(held)
        if isinstance(key, slice) and (long := self.opening.open_long(obj)) is not None:
            return self.lists.list_get(long, key)
        self.sources.note_container(obj)
        if isinstance(key, slice):
            return self.calls.adopt((base or type(obj))(
                self.foreigners.outside(x, path.child(item_step(obj), i))
                for i, x in list(enumerate(content_of(obj)))[key]))
        found = obj[key] if base is None else base.__getitem__(obj, key)
        if isinstance(obj, (list, tuple, collections.deque)) and key < 0:
            key += len(obj)
        return self.foreigners.outside(found, path.child(item_step(obj), key))

    def ends_by_data(self, key: Any) -> bool:
        """Is it a slice whose ends depend on data, or on a loop's index?"""
        return isinstance(key, slice) and key.step in (None, 1) and (
            self._is_of_run(key.start, key.stop))

    def _is_of_run(self, *places: Any) -> bool:
        return any(is_tracer(p) and (self.keys.is_data(p) or self.opening.is_unknown_place(p))
                   for p in places)

    def absent(self, obj: Any, key: Any) -> Any:
        """The value of a run-time key that is none of those of a dict."""
        if factory_of(obj) is not None:
            self.keys.new_key(obj, key)
        if isinstance(obj, collections.Counter):
            return 0
        if python_method(obj, "__missing__") is not None:
            return self._made_for(obj, key)
        raise self.machine.call(KeyError, key)

    # ---- arrays --------------------------------------------------------------------------
    def key_parts(self, key: Any) -> tuple[Any, Any, dict[int, Value]]:
        """A key with values for its tracers, with abstract values, and which is which."""
        names: dict[int, Value] = {}
        key = tuple(map(self.places, key)) if type(key) is tuple else self.places(key)
        values = plain_numbers(self.recorder.values_in(key))

        def avals(part: Any) -> Any:
            if isinstance(part, Value):
                copy = part.aval.but(
                    optional=part.aval.optional and not self.truths.tell_bound(part))
                names[id(copy)] = part
                keep.append(copy)
                return copy
            if isinstance(part, tuple):
                return tuple(avals(p) for p in part)
            if isinstance(part, list):
                return [avals(p) for p in part]
            if isinstance(part, slice):
                return slice(avals(part.start), avals(part.stop), avals(part.step))
            return part

        keep: list[Aval] = []
        abstract_key = avals(values)
        self.journal.keep.append(keep)
        return values, abstract_key, names

    def places(self, item: Any) -> Any:
        """A range, or a list of unknown length, of ints or truth values, as the array of places
        that NumPy makes of it; NumPy's ints as Python's."""
        if issubclass(type(item), np.integer):
            return int(item)
        if type(item) is slice:
            return slice(*map(self.places, (item.start, item.stop, item.step)))
        if isinstance(item, range):
            return list(item)
        if isinstance(item, Range):
            return self.machine.call(np.arange, item.start, item.stop, item.step)
        if isinstance(item, Staged):
            return self.recorder.apply(np.asarray, (self.machine.iterate(item),), {})
        held = self.symbolic_lists.get(id(item)) if type(item) is list else None
        elem = held.value.aval.elem if type(held) is SymbolicList else None
        if elem is None or elem.kind not in SCALARS or elem.dtype is None or (
                elem.dtype.kind not in "biu"):
            return item
        return self.recorder.apply(np.asarray, (item,),
                                   {"dtype": bool if elem.dtype.kind == "b" else int})

    def indexed(self, base: ArrayTracer, key: Any) -> tuple[Any, Any]:
        """The key with values, and what ``base[key]`` is."""
        values, avals, names = self.key_parts(key)
        found = infer_getitem(base.aval, avals, self.masks, self.fresh,
                              lambda leaf: names.get(id(leaf), id(leaf)))
        for relation, dim in found.guards:
            self.sources.guard_size(relation, dim)
        return values, found

    def _read_array(self, base: ArrayTracer, key: Any) -> Any:
        if isinstance(key, str):
            raise self.recorder.fatal(UnsupportedOperation(
                f"field access [{key!r}]", why="structured arrays are not supported",
                fix="pass the fields as separate arrays"))
        values, found = self.indexed(base, key)
        content = self.choices.content(base)
        dyn: list[Value] = []
        template = abstract(values, dyn)
        step = Index(template, found.basic)
        (value,) = self.recorder.emit("read", (content, *dyn), (found.aval,),
                             steps=(shift_step(step, 1),))
        if found.view == "fresh" or found.aval.kind is not Kind.ARRAY:
            result = self.recorder.wrap(value)
            if found.view == "maybe" and type(result) is ArrayTracer:
                may_be(result.home, base.home)
            return result
        view = self.recorder.view(base, (step,), tuple(dyn), value, found.aval)
        self.made_from[view.obj] = (base.obj, key, base.home.current)
        return view

    def _read_scalar(self, obj: Any, key: Any) -> Any:
        """A subscript of an opaque object or a NumPy scalar (``x[()]``)."""
        if obj.aval.kind in (Kind.OPAQUE, Kind.LIST):
            values = self.recorder.values_in(key)
            found = self.recorder.computed(operator.getitem, OPAQUE, obj, values)
            return self.selections.of_class(found, str) if obj.type is str else found
        parts = key if isinstance(key, tuple) else (key,)
        if obj.aval.kind is Kind.SCALAR and all(p is None or p is Ellipsis for p in parts):
            if not parts:
                return obj
            made = self.machine.call(np.array, obj)
            axes = sum(p is None for p in parts)
            return self.machine.call(np.reshape, made, (1,) * axes) if axes else made
        values, avals, _ = self.key_parts(key)
        found = infer_getitem(obj.aval, avals, self.masks, self.fresh)
        dyn: list[Value] = []
        step = Index(abstract(values, dyn), found.basic)
        (value,) = self.recorder.emit("read", (self.recorder.value_of(obj), *dyn), (found.aval,),
                             steps=(shift_step(step, 1),))
        return self.recorder.wrap(value)

    # ---- writes --------------------------------------------------------------------------
    def setitem(self, obj: Any, key: Any, value: Any) -> None:
        if type(obj) is ArrayTracer:
            self._write_array(obj, key, value)
            return
        if is_tracer(obj):
            self._write_opaque(obj, key, value)
            return
        method = python_method(obj, "__setitem__")
        if method is not None:
            self.machine.call(method, obj, key, value)
            return
        if isinstance(obj, np.ndarray):
            raise self.recorder.fatal(other_dtype(obj.dtype) or TracingError(
                "a traced value is stored into a static array",
                why="the array was made while compiling and is shared by all calls",
                fix="make the array inside the function"))
        self.write_content(obj, key, value)

    def write_content(self, obj: Any, key: Any, value: Any) -> None:
        """Set the item of a container, by the code of C."""
        if isinstance(value, Staged):
            value = self.machine.iterate(value)
        if isinstance(key, slice):
            value = self.containers.resolved(value)
        if isinstance(obj, dict):
            self.keys.as_table(obj, key, True)
            if self.keys.open_key(key):
                self.keys.with_key(obj, key, lambda k: self.machine.setitem(obj, k, value),
                                   needed=True)
                return
        base = native_class(type(obj))
        if isinstance(obj, tuple):
            raise TypeError(f"'{type(obj).__name__}' object does not support item assignment")
        if id(obj) in self.found_functions.paths:
            own = python_method(obj, "__setitem__") is not None
            self.effects.effect_on(obj, base.__setitem__ if own else operator.setitem, key, value)
            obj = self.references.shadow_of(obj, key)
            if obj is None:
                return
        if isinstance(obj, list) and id(obj) in self.symbolic_lists:
            self.lists.list_put(obj, key, value)
            return
        if isinstance(obj, list) and isinstance(key, slice) and id(value) in self.symbolic_lists:
            self.lists.list_put(self.lists.made_unknown(obj), key, value)
            return
        if isinstance(obj, list) and is_tracer(key) and self.keys.is_data(key):
            if not self.opening.may_open() and any(
                    type(i) in (list, Choice) for i in (value, *obj)):
                self.among.put_among(obj, key, value)
                return
            self.lists.list_put(self.lists.made_unknown(obj), key, value)
            return
        opened = self.opening.opened_list(obj, key) if is_number(value) else None
        if opened is not None:
            self.lists.list_put(opened, key, value)
            return
        key = self.keys.static_key(key)
        name = self.variables.name_of(obj) if is_tracer(value) else None
        if name is not None:
            self.variables.label(value, item_name(name, key) or name)
        self.journal.touch(Content(obj, self.symbolic_lists))
        if base is None:
            obj[key] = value
        else:
            base.__setitem__(obj, key, value)

    def _write_opaque(self, obj: Any, key: Any, value: Any) -> None:
        if obj.aval.kind not in (Kind.OPAQUE, Kind.LIST):
            raise TypeError(f"'{_type_name(obj)}' object does not support item assignment")
        if type(obj) is OpaqueTracer and is_tracer(value) and value.aval.kind is not Kind.OPAQUE:
            self._lost()
        self.effects.emit_effect(operator.setitem, (obj, key, value), {}, None)

    def _lost(self) -> None:
        """A number goes into an object that is only known at run time, such as a row of a list
        of lists: start again with the loops that made lists unrolled, or refuse."""
        self.unroll_list_makers("a list that it fills holds lists")
        raise self.recorder.of_forms(UnsupportedOperation(
            "a number is written into an object that is only known at run time",
            why="it could not be followed to where it is read again",
            fix="use an array, such as np.zeros((n, m)), in place of a list of lists"))

    def unroll_list_makers(self, reason: str) -> None:
        for value, site in self.list_sites.items():
            if value.aval.kind is Kind.LIST and not self.assumed.unrolls(site):
                raise Restart(UnrolledLoop(site, reason))

    def _write_array(self, base: ArrayTracer, key: Any, value: Any) -> None:
        if type(value) is ArrayTracer and self._is_own_view(base, key, value):
            return  # the second half of ``x[k] op= v``: the view was updated in place
        values, found = self.indexed(base, key)
        value = self.containers.resolved(value)
        if value is None and base.aval.dtype is not None:
            value = np.asarray(None, base.aval.dtype)[()]  # nan, if the dtype has one
        if isinstance(value, (list, tuple, Staged)) or (
                type(value) is np.ndarray and value.dtype == object):
            items = self.machine.iterate(value) if isinstance(value, Staged) else value
            value = self.recorder.apply(np.asarray, (list(items),), {})
        stored = self.recorder.as_value(value)
        if stored.aval.kind is Kind.OPAQUE and base.aval.dtype is not None:
            raise self.recorder.fatal(UnsupportedOperation(
                "an object that is only known at run time is stored in an array of "
                f"{base.aval.dtype}", why="whether it is one number depends on the run",
                fix="store float(...) of it, or np.asarray(..., dtype=float)"))
        if stored.aval.kind in (Kind.NONE, Kind.LIST) and (base.aval.dtype is not None):
            raise TypeError(f"float() argument must be a string or a real number, not "
                            f"'{_type_name(value)}'")
        self.tell_stretched(found.aval, stored.aval)
        dyn: list[Value] = []
        step = Index(abstract(values, dyn), found.basic)
        self.choices.write_version(base, "write", (step,), stored, tuple(dyn))

    def tell_stretched(self, part: Aval, stored: Aval) -> None:
        """Guard which axes of what is stored are stretched over the part it goes to."""
        for place, dim in zip((part.shape or ())[::-1], (stored.shape or ())[::-1]):
            if dim != place and not never_one(dim):
                self.sources.guard_size("ne1", dim)

    def _is_own_view(self, base: ArrayTracer, key: Any, value: ArrayTracer) -> bool:
        made = self.made_from.get(value.obj)
        return made is not None and made[0] == base.obj and same_key(made[1], key)

    def delitem(self, obj: Any, key: Any) -> None:
        method = python_method(obj, "__delitem__")
        if method is not None:
            self.machine.call(method, obj, key)
            return
        if is_tracer(obj):
            if type(obj) is ArrayTracer:
                raise ValueError("cannot delete array elements")
            self.effects.emit_effect(operator.delitem, (obj, key), {}, None)
            return
        self.delete_content(obj, key)

    def delete_content(self, obj: Any, key: Any) -> None:
        """Delete the item of a container, by the code of C."""
        symbolic = isinstance(obj, list) and id(obj) in self.symbolic_lists
        key = key if symbolic else self.keys.static_key(key)
        base = native_class(type(obj)) or type(obj)
        if id(obj) in self.found_functions.paths:
            own = python_method(obj, "__delitem__") is not None
            self.effects.effect_on(obj, base.__delitem__ if own else operator.delitem, key)
            obj = self.references.shadow_of(obj)
            symbolic = isinstance(obj, list) and id(obj) in self.symbolic_lists
        if symbolic:
            self.machine.call_method(obj, "pop", key)
        elif obj is not None:
            self.walks.changes[id(obj)] += 1
            self.journal.touch(Content(obj, self.symbolic_lists))
            base.__delitem__(obj, key)


def raises_key_error(obj: Any) -> bool:
    """Does a dict raise KeyError for what it does not have?"""
    return not hasattr(type(obj), "__missing__")


def _type_name(obj: Any) -> str:
    return obj.__class__.__name__ if isinstance(obj, Tracer) else type(obj).__name__
