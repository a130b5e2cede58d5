"""One of several like objects, by a number that is known at run time: ``bodies[k]``, the least of
some objects, objects in the order of a traced key.

Such an object is a :class:`~srcgrad.trace.tracers.Picked`.  Its class is known, so its methods are
staged once, whichever object it is; an attribute is an item of the list of the objects'
attributes, and a store goes to the object whose number it is.  What the objects do not have in
common is done to each of them, in a branch for each (:class:`~srcgrad.trace.tracers.Choice`).
"""

from __future__ import annotations

import functools
import operator
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..dims import proves_nonnegative
from ..graph.ir import Ref, Value
from ..kinds import INT, NUMERIC, Kind
from ..spelling import Method
from .access import is_cached_property
from .collaborator import PASSED, Collaborator
from .handlers import HANDLERS
from .journal import Content, Field
from .natives import class_attribute
from .shapes import place_among
from .special_methods import python_method, truth_method
from .structures import is_library, leaf_aval, rebuilder, record_fields
from .tracers import Choice, Picked, is_tracer
from .unlike import likeness

if TYPE_CHECKING:
    from . import dispatch as parts

PLACES = frozenset({np.argmin, np.argmax, Method("argmin"), Method("argmax"), len})
RECENT = 50  # operations that are looked through for what made a number
KINDS = frozenset({isinstance, type, callable, issubclass})  # the same answer for all objects
ORDERED = frozenset({"<", "<=", ">", ">=", "==", "!="})


class Picks(Collaborator):
    """Python's operators on one of several objects."""

    among: parts.Among
    either: parts.Either
    lists: parts.Lists
    merges: parts.Merges
    recorder: parts.Recorder
    sources: parts.Sources

    # ---- making ------------------------------------------------------------------------------

    def pick(self, items: list[Any], index: Any) -> Any:
        """The item with a traced number; None if the items have too little in common."""
        items = self.among.only_possible(items, index)
        first = items[0]
        if all(i is first for i in items):
            return first
        if all(type(i) is bool for i in items):
            return self.among.table_read(items, index)
        known = not any(type(i) is Choice for i in items) and leaf_aval(first) is None and (
            self.among.is_grouped(items))
        if any(type(i) is Picked for i in items) and not any(type(i) is Choice for i in items):
            found = self._one_of_picked(items, index)
            if found is not None:
                return found
        if known:
            return self._one_of(tuple(items), index)
        if isinstance(first, tuple) and all(
                type(i) is type(first) and len(i) == len(first) for i in items):
            parts = [self.pick(list(column), index) for column in zip(*items, strict=True)]
            if not any(p is None for p in parts):
                return rebuilder(first)(parts)
        if all(map(_is_alike(first), items)):
            return self._one_of(tuple(items), index)
        if all(leaf_aval(i) is not None for i in items):
            found = self.lists.list_read(items, index)
            if found is not None:
                return found
        found = self.among.pick_unlike(items, index)
        return self.lists.one_among(items, index) if found is None else found

    def _one_of_picked(self, items: list[Any], index: Any) -> Any:
        """One of several objects, some of which are picked themselves; None if they are not
        alike."""
        objects: list[Any] = []
        for group in sorted((i.objects for i in items if type(i) is Picked), key=len,
                            reverse=True):
            objects += [o for o in group if not any(o is known for known in objects)]
        objects += [i for i in items if type(i) is not Picked and not any(
            i is known for known in objects)]
        if not all(map(_is_alike(objects[0]), objects)):
            return None
        found = self._one_of(tuple(objects), 0).objects
        places = []
        for item in items:
            place = place_among(found, item)
            if place is None:
                place = self.pick([place_among(found, o) for o in item.objects], item.index)
            places.append(place)
        return Picked(found, self.pick(places, index))

    def _one_of(self, items: tuple[Any, ...], index: Any) -> Picked:
        """One of several objects, by its number in the group where they were picked first:
        ``node.next`` is a node of the graph that ``node`` was picked from."""
        for group in self.among.groups:
            places = [place_among(group, i) for i in items]
            if None not in places:
                if places == list(range(len(group))):
                    return Picked(group, index)
                return Picked(group, self.pick(places, index))
        self.among.groups.append(items)
        return Picked(items, index)

    def number_among(self, count: int, index: Any) -> Any:
        if type(index) is int:
            return range(count)[index]
        if (is_tracer(index) and index.aval.expr is not None and proves_nonnegative(
                index.aval.expr)) or self._is_place(index.value):
            return index
        (value,) = self.recorder.emit("apply", (self.recorder.as_value(index),), (INT,),
                                      fn=operator.getitem,
                             args=(range(count), Ref(0)), kwargs={}, many=False)
        return self.recorder.wrap(value)

    def _is_place(self, value: Value) -> bool:
        """Is a number what a search has found: never negative?"""
        for node in reversed(self.recorder.region.builder.nodes[-RECENT:]):
            if value in node.outputs:
                fn = node.params.get("fn")
                if fn is int or fn is operator.getitem:
                    return fn is int and self._is_place(node.inputs[0])
                return fn in PLACES
        return False

    def put_among(self, obj: list[Any], key: Any, value: Any) -> None:
        place = self.number_among(len(obj), key)
        self.journal.touch(Content(obj, self.symbolic_lists))
        for i, old in enumerate(list(obj)):
            test = self.machine.compare("==", place, i)
            other = self.machine.if_expression(test, lambda: 0, lambda: 1)
            found = self.pick([value, old], other)
            obj[i] = found if found is not None else self.machine.if_expression(
                test, lambda: value, lambda old=old: old)

    def each_of(self, picked: Picked, act: Callable[[Any], Any]) -> Any:
        """The value of an action on whichever object it is, in a branch for each."""
        objects = picked.objects
        place = picked.index
        places = self.among.possible(place, len(objects))

        def among(n: int) -> Any:
            obj = objects[places[n]]
            if n == len(places) - 1:
                return act(obj)
            return self.machine.if_expression(self.machine.compare("==", place, places[n]),
                                              lambda: act(obj),
                                      lambda: among(n + 1))

        return among(0)

    # ---- attributes --------------------------------------------------------------------------
    def getattr(self, obj: Any, name: str) -> Any:
        if obj.cls in (list, dict, set, tuple):
            return functools.partial(self.machine.call_method, obj, name)
        found = class_attribute(obj.cls, name)
        if isinstance(found, property) and found.fget is not None:
            return self.machine.call(found.fget, obj)
        if name == "__class__":
            return obj.cls
        if self._have(obj, name) and not hasattr(type(found), "__set__"):
            return self.gathered(obj, lambda o: self.machine.getattr(o, name))
        if isinstance(found, types.FunctionType):
            return types.MethodType(found, obj)
        if isinstance(found, staticmethod):
            return found.__func__
        if isinstance(found, classmethod):
            return types.MethodType(found.__func__, obj.cls)
        if is_cached_property(found):
            return self.machine.call(found.func, obj)
        getter = getattr(type(found), "__get__", None)
        if hasattr(getter, "__code__"):
            return self.machine.call(getter, found, obj, obj.cls)
        return self.gathered(obj, lambda o: self.machine.getattr(o, name))

    def _have(self, obj: Picked, name: str) -> bool:
        """Do all objects have an attribute of their own of this name?"""
        return all(name in (record_fields(o) or ()) or name in self.sources.overlays.get(id(o), ())
                   for o in obj.objects)

    def gathered(self, obj: Picked, part: Callable[[Any], Any]) -> Any:
        """The part of the object that it is."""
        parts = [part(o) for o in obj.objects]
        parts = self.among.only_possible(parts, obj.index)
        found = None if all(leaf_aval(p) is not None for p in parts) else self.among.pick_unlike(
            parts, obj.index)
        if found is not None:
            return found
        if any(isinstance(p, (list, dict, set)) and p is not parts[0] for p in parts) and (
                not self.among.is_grouped(parts)):
            found = self.lists.one_among(parts, obj.index)  # which may change
        else:
            found = self.pick(parts, obj.index)
        return self.each_of(obj, part) if found is None else found

    def setattr(self, obj: Any, name: str, value: Any) -> None:
        setter = class_attribute(obj.cls, name)
        if isinstance(setter, property) and setter.fset is not None:
            self.machine.call(setter.fset, obj, value)
            return
        plain = not hasattr(type(setter), "__set__") or type(setter) is types.MemberDescriptorType
        plain = plain and class_attribute(obj.cls, "__setattr__") is object.__setattr__
        if plain and self._have(obj, name) and not any(map(self.merges.is_outside, obj.objects)):
            before = [self.machine.getattr(o, name) for o in obj.objects]
            after = self.replaced(before, obj.index, value)
            if after is not None:
                for one, new in zip(obj.objects, after, strict=True):
                    self.journal.write(Field(one, name), new)
                return
        self._on_each(obj, lambda o: self.machine.setattr(o, name, value))

    def replaced(self, before: list[Any], index: Any, value: Any) -> list[Any] | None:
        """Things with the one at a traced place replaced; None if they are not all numbers of
        one kind, or of a few sorts."""
        found = self._replaced_number(before, index, value)
        return found if found is not None else self.among.replaced_unlike(
            before, index, value, self._replaced_number)

    def _replaced_number(self, before: list[Any], index: Any, value: Any) -> list[Any] | None:
        avals = [leaf_aval(v) for v in (*before, value)]
        kinds = {a.kind for a in avals if a is not None}
        if None in avals or len(kinds) != 1 or not kinds <= NUMERIC - {Kind.ARRAY, Kind.ANY}:
            return None
        return self.lists.list_replaced(before, index, value)

    def _on_each(self, obj: Picked, act: Callable[[Any], None]) -> Any:
        """Do something to whichever object it is."""
        objects = obj.objects
        place = obj.index
        places = self.among.possible(place, len(objects))

        def among(n: int) -> Any:
            one = objects[places[n]]
            if n == len(places) - 1:
                act(one)
                return 0
            return self.machine.if_(self.machine.compare("==", place, places[n]),
                                    lambda: _done(act, one), lambda: among(n + 1))

        return among(0)

    def delattr(self, obj: Any, name: str) -> None:
        self._on_each(obj, lambda o: self.machine.delattr(o, name))

    # ---- items -------------------------------------------------------------------------------
    def getitem(self, obj: Any, key: Any) -> Any:
        if type(obj) is Picked and python_method(obj, "__getitem__") is None:
            if is_tracer(key):
                return self.each_of(obj, lambda o: self.machine.getitem(o, key))
            return self.gathered(obj, lambda o: self.machine.getitem(o, key))
        return self.next.getitem(obj, key)

    def setitem(self, obj: Any, key: Any, value: Any) -> Any:
        return PASSED if python_method(obj, "__setitem__") is not None else self._on_each(
            obj, lambda o: self.machine.setitem(o, key, value))

    def delitem(self, obj: Any, key: Any) -> Any:
        return PASSED if python_method(obj, "__delitem__") is not None else self._on_each(
            obj, lambda o: self.machine.delitem(o, key))

    def called_method(self, obj: Any, name: str, args: tuple[Any, ...],
                      kwargs: dict[str, Any]) -> Any:
        if type(obj) is Picked and obj.cls in (list, dict, set, tuple):
            return self.each_of(obj, lambda o: self.machine.call_method(o, name, *args, **kwargs))
        return self.next.called_method(obj, name, args, kwargs)

    def for_(self, iterable: Any, target: Any, body: Any, orelse: Any = None,
             rest: Any = None) -> Any:
        if type(iterable) is Picked and python_method(iterable, "__iter__") is None:
            iterable = self._items_in(iterable)
        return self.next.for_(iterable, target, body, orelse, rest)

    def iterate(self, iterable: Any) -> Any:
        return iter(self._items_in(iterable)) if python_method(
            iterable, "__iter__") is None else PASSED

    def _items_in(self, obj: Picked) -> list[Any]:
        """The items of one of several containers of one length."""
        if obj.cls is dict:
            return list(obj.objects[0])
        return [self.machine.getitem(obj, i) for i in range(len(obj.objects[0]))]

    # ---- calls and operators -----------------------------------------------------------------
    def called(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if type(function) is Picked and python_method(function, "__call__") is None:
            return self.each_of(function, lambda f: self.machine.call(f, *args, **kwargs))
        if any(type(a) is Picked for a in args):
            if function in KINDS:
                args = tuple(a.objects[0] if type(a) is Picked else a for a in args)
            elif not _passes(function):
                place = next(i for i, a in enumerate(args) if type(a) is Picked)
                return self.each_of(args[place], lambda o: self.machine.call(
                    function, *args[:place], o, *args[place + 1:], **kwargs))
        return self.next.called(function, args, kwargs)

    def compare(self, op: str, left: Any, right: Any) -> Any:
        if Choice in (type(left), type(right)):
            return PASSED
        if op in ("is", "is not") or (
                op in ("==", "!=") and not self._has_equality(left, right)):
            same = self._same_object(left, right)
            return same if op in ("is", "==") else self.machine.not_(same)
        if type(right) is Picked and right.cls in (dict, list, tuple) and op in ("in", "not in"):
            found = self.each_of(right, lambda o: self.machine.compare("in", left, o)) if (
                is_tracer(left)) else self.pick(
                    [self.machine.compare("in", left, o) for o in right.objects], right.index)
            return found if op == "in" else self.machine.not_(found)
        if op in ORDERED:  # by what they hold
            if type(left) is Picked and left.cls in (list, tuple):
                return self.each_of(left, lambda o: self.machine.compare(op, o, right))
            if type(right) is Picked and right.cls in (list, tuple):
                return self.each_of(right, lambda o: self.machine.compare(op, left, o))
        return PASSED

    @staticmethod
    def _has_equality(left: Any, right: Any) -> bool:
        classes = [x.cls if type(x) is Picked else type(x) for x in (left, right)]
        return any(class_attribute(cls, "__eq__") is not object.__eq__ for cls in classes)

    def _same_object(self, left: Any, right: Any) -> Any:
        """Are two names one object?"""
        objects = left.objects if type(left) is Picked else right.objects
        places = [place_among(objects, x) for x in (left, right)]
        if None in places:
            others = [x.objects if type(x) is Picked else (x,) for x in (left, right)]
            if not any(a is b for a in others[0] for b in others[1]):
                return False
            found = self.each_of(left, lambda o: self.machine.compare("is", o, right)) if (
                type(left) is Picked) else self.each_of(
                    right, lambda o: self.machine.compare("is", left, o))
            return found
        return self.machine.compare("==", *places)

    def static_truth(self, value: Any) -> bool | None:
        """The truth of one of several objects where it follows from their class or length."""
        if truth_method(value) is not None:
            return None
        return bool(value.objects[0]) if value.cls in (list, dict, set, tuple) else True

    def given_anew(self, obj: Any) -> Any:
        if type(obj) is not Picked:
            return self.either.given_anew(obj)
        return self.either.given_anew(self.each_of(obj, lambda o: o))


def _is_alike(first: Any) -> Callable[[Any], bool]:
    """A test for objects of the class of the first, with the same attributes or keys."""
    key = likeness(first)
    if key is None or key[0] not in ("dict", "object"):
        return lambda o: False
    return lambda o: likeness(o) == key


def _passes(function: Any) -> bool:
    """Is it a function that the machine stages or that asks the machine for what it needs?"""
    if isinstance(function, types.MethodType):
        function = function.__func__
    if isinstance(function, (types.FunctionType, functools.partial, type)):
        return not is_library(getattr(function, "__module__", None)) or function in (
            list, tuple, set, enumerate, zip, map, filter, reversed, functools.partial)
    try:
        return function in HANDLERS or not isinstance(function, types.BuiltinFunctionType)
    except TypeError:
        return True


def _done(act: Callable[[Any], None], obj: Any) -> int:
    act(obj)
    return 0
