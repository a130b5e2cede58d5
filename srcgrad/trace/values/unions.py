"""Python's operators on one of several things, told apart by what is known at run time.

Such a thing is a :class:`~srcgrad.trace.record.tracers.Choice` of two, by a predicate; one of
several like objects, by a number (:class:`~srcgrad.trace.record.tracers.Picked`); or some member of
an enumeration.
What is done to it is done to whichever it is, in a branch for each.  The class of like objects is
known, so their methods are staged once, an attribute is an item of the list of their attributes,
and a store goes to the object whose number it is.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import JoinError
from ...graph.ir import Value
from ...stage.machine import Frame
from ..assumptions import ListedGenerators
from ..calls.handlers import HANDLERS
from ..collaborator import PASSED, Collaborator
from ..flow.shapes import place_among
from ..heap.unlike import things_in
from ..objects.access import is_cached_property
from ..objects.special_methods import class_attribute, python_method, truth_method
from ..record.journal import Field
from ..record.structures import is_library, rebuilder, record_fields, structure_parts
from ..record.tracers import Choice, OpaqueTracer, Picked, is_tracer

if TYPE_CHECKING:
    from .. import dispatch as parts

KINDS = frozenset({isinstance, type, callable, issubclass})  # the same answer for like objects
ORDERED = frozenset({"<", "<=", ">", ">=", "==", "!="})
HOLDING = (list, dict, set, tuple)


def is_member(obj: Any) -> bool:
    """Is it some member of an enumeration, which one is only known at run time?"""
    return type(obj) is OpaqueTracer and obj.aval.members is not None


class Unions(Collaborator):
    """One of several things under Python's operators."""

    among: parts.Among
    branches: parts.Branches
    keys: parts.Keys
    lists: parts.Lists
    merges: parts.Merges
    recorder: parts.Recorder
    sources: parts.Sources
    truths: parts.Truths

    def __init__(self) -> None:
        self.texts: dict[Value, Choice] = {}  # values that are one of some known texts

    def each(self, obj: Any, act: Callable[[Any], Any]) -> Any:
        """The value of an action on whichever of several things an object is."""
        if type(obj) is Choice:
            known = self.truths.known_truth(obj.predicate)
            if known is not None:
                return act(obj.first if known else obj.second)
            ends: list[Any] = []
            made = self.branches.choose(obj.predicate, lambda: _noted(act(obj.first), ends),
                                        lambda: _noted(act(obj.second), ends))
            texts = [text for text in map(self._text, ends) if type(text) in (str, Choice)]
            if type(made) is OpaqueTracer and len(texts) == len(ends) == 2:
                self.texts[made.value] = Choice(obj.predicate, *texts)
            return made
        if type(obj) is Picked:
            places = self.among.possible(obj.index, len(obj.objects))
            return self.keys.by_key(obj.index, places, lambda k: act(obj.objects[k]), None)
        return self.keys.by_key(obj, list(obj.aval.members or ()), act,
                                _none if obj.aval.optional else None)

    def _text(self, obj: Any) -> Any:
        """One of some known texts, if that is what a value is."""
        return self.texts.get(obj.value, obj) if type(obj) is OpaqueTracer else obj

    def without_none(self, obj: Any) -> Any:
        """What is gone through, where it is not None: going through that raises."""
        if type(obj) is not Choice or not any(one is None for one in things_in(obj, {})):
            return obj
        return self.each(obj, lambda one: self.machine.call(
            iter, one) if one is None else self.without_none(one))

    def on_each(self, operator: str, count: int, *operands: Any) -> Any:
        """An operator on whichever of several things one of its first ``count`` operands is."""
        act = getattr(self.machine, operator)
        for i, one in enumerate(operands[:count]):
            if type(one) is Choice or is_member(one):
                before, after = operands[:i], operands[i + 1:]
                return self.each(one, lambda o: act(*before, o, *after))  # noqa: B023
        return PASSED

    unary = functools.partialmethod(on_each, "unary", 2)
    binary = functools.partialmethod(on_each, "binary", 3)
    inplace = functools.partialmethod(on_each, "inplace", 3)

    # ---- attributes and items ------------------------------------------------------------------
    def getattr(self, obj: Any, name: str) -> Any:
        if type(obj) is not Picked:
            return self.on_each("getattr", 1, obj, name)
        if obj.cls in HOLDING:
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
        parts = self.among.only_possible([part(o) for o in obj.objects], obj.index)
        found = self.among.pick_object(parts, obj.index, 2)
        if found is not None:
            return found
        if any(isinstance(p, (list, dict, set)) and p is not parts[0] for p in parts) and (
                not self.among.is_grouped(parts)):
            found = self.lists.one_among(parts, obj.index)  # which may change
        else:
            found = self.among.pick(parts, obj.index)
        return self.each(obj, part) if found is None else found

    def setattr(self, obj: Any, name: str, value: Any) -> Any:
        if type(obj) is not Picked:
            return self.on_each("setattr", 1, obj, name, value)
        setter = class_attribute(obj.cls, name)
        if isinstance(setter, property) and setter.fset is not None:
            return self.machine.call(setter.fset, obj, value)
        plain = not hasattr(type(setter), "__set__") or type(setter) is types.MemberDescriptorType
        plain = plain and class_attribute(obj.cls, "__setattr__") is object.__setattr__
        if plain and self._have(obj, name) and not any(map(self.merges.is_outside, obj.objects)):
            before = [self.machine.getattr(o, name) for o in obj.objects]
            after = self.among.replaced(before, obj.index, value)
            if after is not None:
                for one, new in zip(obj.objects, after, strict=True):
                    self.journal.write(Field(one, name), new)
                return None
        return self.each(obj, lambda o: self.machine.setattr(o, name, value))

    def delattr(self, obj: Any, name: str) -> Any:
        return self.each(obj, lambda o: self.machine.delattr(o, name)) if (
            type(obj) is Picked) else self.on_each("delattr", 1, obj, name)

    def getitem(self, obj: Any, key: Any) -> Any:
        if type(obj) is Picked and python_method(obj, "__getitem__") is None:
            return (self.each if is_tracer(key) else self.gathered)(
                obj, lambda o: self.machine.getitem(o, key))
        found = PASSED if is_member(obj) else self.on_each("getitem", 2, obj, key)
        return self.next.getitem(obj, key) if found is PASSED else found

    def _item(self, operator: str, obj: Any, *operands: Any) -> Any:
        """A change of an item."""
        if type(obj) is not Picked:
            return self.on_each(operator, 1, obj, *operands)
        return PASSED if python_method(obj, f"__{operator}__") is not None else self.each(
            obj, lambda o: getattr(self.machine, operator)(o, *operands))

    setitem = functools.partialmethod(_item, "setitem")
    delitem = functools.partialmethod(_item, "delitem")

    # ---- calls and comparisons -----------------------------------------------------------------
    def called(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if type(function) is Choice or is_member(function) or (
                type(function) is Picked and python_method(function, "__call__") is None):
            return self.each(function, lambda f: self.machine.call(f, *args, **kwargs))
        if (function is isinstance or function is callable) and args and type(args[0]) is Choice:
            return self._told(args[0], lambda o: self.machine.call(function, o, *args[1:]))
        if Picked in map(type, args) and function in KINDS:
            args = tuple(a.objects[0] if type(a) is Picked else a for a in args)
        elif Picked in map(type, args) and not _passes(function):
            return self._with_each(function, args, kwargs, [*map(type, args)].index(Picked))
        for i, a in enumerate(args):
            if type(a) is Choice:
                return self._with_each(function, args, kwargs, i)
            if type(a) in (list, tuple) and Choice in map(type, a) and _is_numpy(function):
                k = [*map(type, a)].index(Choice)
                return self.each(a[k], lambda one: self.machine.call(
                    function, *args[:i], type(a)((*a[:k], one, *a[k + 1:])),  # noqa: B023
                    *args[i + 1:], **kwargs))  # noqa: B023
        for name, value in kwargs.items():
            if type(value) is Choice:
                return self.each(value, lambda one: self.machine.call(
                    function, *args, **{**kwargs, name: one}))  # noqa: B023
        return self.next.called(function, args, kwargs)

    def _with_each(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any],
                   place: int) -> Any:
        return self.each(args[place], lambda one: self.machine.call(
            function, *args[:place], one, *args[place + 1:], **kwargs))

    def called_method(self, obj: Any, name: str, args: tuple[Any, ...],
                      kwargs: dict[str, Any]) -> Any:
        if type(obj) is Choice or is_member(obj) or (type(obj) is Picked and obj.cls in HOLDING):
            return self.each(obj, lambda o: self.machine.call_method(o, name, *args, **kwargs))
        return self.next.called_method(obj, name, args, kwargs)

    def compare(self, op: str, left: Any, right: Any) -> Any:
        if type(right) is str and op in ("==", "!="):
            left = self._text(left)
            if type(left) is Choice:
                return self._told(left, lambda o: self.machine.compare(op, o, right))
        if type(left) is Choice and right is None and op in ("is", "is not"):
            return self._told(left, lambda o: self.machine.compare(op, o, None))
        if Choice in (type(left), type(right)):
            return self.on_each("compare", 3, op, left, right)
        if Picked not in (type(left), type(right)):
            return PASSED
        if op in ("is", "is not") or (op in ("==", "!=") and not _has_equality(left, right)):
            same = self._same_object(left, right)
            return same if op in ("is", "==") else self.machine.not_(same)
        if op in ORDERED:  # by what they hold
            for i, one in enumerate((left, right)):
                if type(one) is Picked and one.cls in (list, tuple):
                    return self.each(one, lambda o: self.machine.compare(
                        op, *((left, o) if i else (o, right))))  # noqa: B023
        elif type(right) is Picked and right.cls in (dict, list, tuple):
            found = self.each(right, lambda o: self.machine.compare("in", left, o)) if (
                is_tracer(left)) else self.among.pick(
                    [self.machine.compare("in", left, o) for o in right.objects], right.index)
            return found if op == "in" else self.machine.not_(found)
        return PASSED

    def _same_object(self, left: Any, right: Any) -> Any:
        """Are two names one object?"""
        sides = [x.objects if type(x) is Picked else (x,) for x in (left, right)]
        objects = sides[0] if type(left) is Picked else sides[1]
        places = [place_among(objects, x) for x in (left, right)]
        if None not in places:
            return self.machine.compare("==", *places)
        if not any(a is b for a in sides[0] for b in sides[1]):
            return False
        one, other = (left, right) if type(left) is Picked else (right, left)
        return self.each(one, lambda o: self.machine.compare("is", o, other))

    # ---- truth -----------------------------------------------------------------------------------
    def _told(self, choice: Choice, act: Callable[[Any], Any]) -> Any:
        """The value of a test on whichever object it is: where both answers are known, which of
        the two it is."""
        known = self.truths.known_truth(choice.predicate)
        if known is None and Choice not in (type(choice.first), type(choice.second)):
            first, second = act(choice.first), act(choice.second)
            if type(first) is type(second) is bool:
                which = self.recorder.wrap(choice.predicate)
                return first if first is second else which if first else self.machine.not_(which)
        return self.each(choice, act)

    def static_truth(self, value: Any) -> Any:
        if type(value) is OpaqueTracer:
            return PASSED
        if type(value) is Picked:
            return None if truth_method(value) else (
                bool(value.objects[0]) if value.cls in HOLDING else True)
        sides = {None if truth_method(s) else self.machine.static_truth(s)
                 for s in (value.first, value.second)}
        return sides.pop() if len(sides) == 1 else None

    def _is_plain(self, value: Any) -> bool:
        """Is the truth of what it may be known, whichever it is?"""
        if type(value) is Choice:
            return self._is_plain(value.first) and self._is_plain(value.second)
        return not is_tracer(value) and not truth_method(value) and (
            self.machine.static_truth(value) is not None)

    def predicate(self, value: Any) -> Any:
        if type(value) is not Choice:
            return PASSED
        return self._told(value, self.machine.predicate) if self._is_plain(value) else (
            self.each(value, lambda o: self.machine.call(bool, o)))

    # ---- iteration -------------------------------------------------------------------------------
    def for_(self, iterable: Any, target: Any, body: Any, orelse: Any = None,
             rest: Any = None) -> Any:
        if type(iterable) is Choice:
            return self.branches.branch(
                iterable.predicate,
                lambda: self.machine.for_(iterable.first, target, body, orelse),
                lambda: self.machine.for_(iterable.second, target, body, orelse), rest)
        if type(iterable) is Picked and python_method(iterable, "__iter__") is None:
            iterable = self._items_in(iterable)
        return self.next.for_(iterable, target, body, orelse, rest)

    def iterate(self, iterable: Any) -> Any:
        if type(iterable) is Choice:
            return iter(self._items_of(iterable))
        if type(iterable) is Picked and python_method(iterable, "__iter__") is None:
            return iter(self._items_in(iterable))
        return PASSED

    def unpack(self, value: Any, before: int, star: bool, after: int) -> Any:
        return self.each(value, lambda o: self.machine.unpack(o, before, star, after)) if type(
            value) is Choice else self.next.unpack(value, before, star, after)

    def _items_in(self, obj: Picked) -> list[Any]:
        """The items of one of several containers of one length."""
        if obj.cls is dict:
            return list(obj.objects[0])
        return [self.machine.getitem(obj, i) for i in range(len(obj.objects[0]))]

    def _items_of(self, iterable: Choice) -> list[Any]:
        """The items of one of two sequences, one by one."""
        sides = [list(self.machine.iterate(s)) for s in (iterable.first, iterable.second)]
        if len(sides[0]) != len(sides[1]):
            raise self.recorder.of_forms(JoinError(
                f"a sequence has {len(sides[0])} items on one path and {len(sides[1])} on the "
                "other", why="how many there are is needed while the code is made",
                fix="loop over it with a for statement"), ListedGenerators())
        return [self.branches.choose(iterable.predicate, lambda: a, lambda: b)  # noqa: B023
                for a, b in zip(*sides, strict=True)]

    def match_each(self, frame: Frame, slot: str, test: Callable[[], Any]) -> Any:
        def match(one: Any) -> Any:
            self.machine.store(frame, slot, one)
            return self.machine.match_each(frame, slot, test)

        subject = self.machine.load(frame, slot)
        return self.each(subject, match) if type(subject) is Choice or is_member(
            subject) else test()

    # ---- results -----------------------------------------------------------------------------
    def one_form(self, choice: Choice) -> Any:
        """One object for a result that is one of two: like objects are joined by their parts."""
        found = self.each(choice, self.given_anew)
        if type(found) is Choice:
            raise self.recorder.of_forms(JoinError(
                "the function returns unlike things", why="which of them it is depends on data, "
                "and they have no common form", fix="return the same structure on every path"))
        return found

    def given_anew(self, obj: Any) -> Any:
        """A copy of an object for a result, where its identity does not matter."""
        if type(obj) is Picked:
            obj = self.each(obj, lambda o: o)
        if type(obj) is Choice:
            return self.one_form(obj)
        parts = None if is_tracer(obj) else structure_parts(obj)
        if parts is None or self.merges.is_outside(obj) or id(obj) in self.symbolic_lists:
            return obj
        new = rebuilder(obj)([self.given_anew(p) for p in parts])
        self.journal.born(new)
        return new


def _noted(end: Any, ends: list[Any]) -> Any:
    ends.append(end)
    return end


def _none() -> Any:
    raise TypeError("the object is None")


def _has_equality(left: Any, right: Any) -> bool:
    classes = [x.cls if type(x) is Picked else type(x) for x in (left, right)]
    return any(class_attribute(cls, "__eq__") is not object.__eq__ for cls in classes)


def _is_numpy(function: Any) -> bool:
    """Is it a function of NumPy, which takes lists of numbers apart?"""
    return isinstance(function, np.ufunc) or (
        getattr(function, "__module__", None) or "").startswith("numpy")


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
