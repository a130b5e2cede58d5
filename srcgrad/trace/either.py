"""Operators on objects that depend on the path: done to whichever of the two it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import JoinError
from ..stage.machine import Frame
from .access import WRITING_METHODS
from .assumptions import ListedGenerators
from .collaborator import Collaborator
from .special_methods import truth_method
from .structures import rebuilder, structure_parts
from .tracers import ArrayTracer, Choice, OpaqueTracer, is_tracer

if TYPE_CHECKING:
    from . import dispatch as parts


def is_telling(function: Any) -> bool:
    """Is what a function says told by the class of an object?"""
    return function is isinstance or function is callable


def _is_numpy(function: Any) -> bool:
    """Is it a function of NumPy, which takes lists of numbers apart?"""
    return isinstance(function, np.ufunc) or (
        getattr(function, "__module__", None) or "").startswith("numpy")


def is_member(obj: Any) -> bool:
    """Is it some member of an enumeration, which one is only known at run time?"""
    return type(obj) is OpaqueTracer and obj.aval.members is not None


class Either(Collaborator):
    """A :class:`~srcgrad.trace.tracers.Choice` under Python's operators."""

    access: parts.Access
    branches: parts.Branches
    calls: parts.Calls
    choices: parts.Choices
    comparisons: parts.Comparisons
    containers: parts.Containers
    guarded: parts.Guarded
    items: parts.Items
    keys: parts.Keys
    merges: parts.Merges
    operators: parts.Operators
    picks: parts.Picks
    recorder: parts.Recorder
    schedules: parts.Schedules
    truths: parts.Truths

    def called(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if is_telling(function) and args and type(args[0]) is Choice:
            return self._told(args[0], lambda o: self.machine.call(function, o, *args[1:]))
        if type(function) is Choice:
            return self.choices.each(function, lambda f: self.machine.call(f, *args, **kwargs))
        if is_member(function):
            return self.each_member(function, lambda f: self.machine.call(f, *args, **kwargs))
        for i, a in enumerate(args):
            if type(a) is Choice:
                before, after = args[:i], args[i + 1:]
                return self.choices.each(a, lambda one: self.machine.call(
                    function, *before, one, *after, **kwargs))  # noqa: B023
            if type(a) in (list, tuple) and _is_numpy(function):
                place = next((k for k, part in enumerate(a) if type(part) is Choice), None)
                if place is not None:
                    return self.choices.each(a[place], lambda one: self.machine.call(
                        function, *args[:i],  # noqa: B023
                        type(a)((*a[:place], one, *a[place + 1:])),  # noqa: B023
                        *args[i + 1:], **kwargs))  # noqa: B023
        for name, value in kwargs.items():
            if type(value) is Choice:
                return self.choices.each(value, lambda one: self.machine.call(
                    function, *args, **{**kwargs, name: one}))  # noqa: B023
        return self.calls.called(function, args, kwargs)

    def each_member(self, obj: OpaqueTracer, act: Callable[[Any], Any]) -> Any:
        """The value of an action on whichever member of its enumeration an object is."""
        def absent() -> Any:
            raise TypeError("the object is None")

        return self.keys.by_key(obj, list(obj.aval.members or ()), act,
                           absent if obj.aval.optional else None)

    def called_method(self, obj: Any, name: str, args: tuple[Any, ...],
                      kwargs: dict[str, Any]) -> Any:
        if type(obj) is Choice:
            return self.choices.each(obj, lambda o: self.machine.call_method(o, name, *args,
                **kwargs))
        if is_member(obj):
            return self.each_member(obj, lambda o: self.machine.call_method(o, name, *args,
                **kwargs))
        if name in WRITING_METHODS and type(obj) is ArrayTracer:
            return self.machine.call(self.machine.getattr(obj, name), *args, **kwargs)
        return self.calls.called_method(obj, name, args, kwargs)

    def getattr(self, obj: Any, name: str) -> Any:
        if type(obj) is Choice:
            return self.choices.each(obj, lambda o: self.machine.getattr(o, name))
        if is_member(obj):
            return self.each_member(obj, lambda o: self.machine.getattr(o, name))
        return self.access.getattr(obj, name)

    def setattr(self, obj: Any, name: str, value: Any) -> None:
        if type(obj) is Choice:
            self.branches.branch(obj.predicate, lambda: self.machine.setattr(obj.first, name,
                value),
                        lambda: self.machine.setattr(obj.second, name, value), None)
            return
        self.access.setattr(obj, name, value)

    def getitem(self, obj: Any, key: Any) -> Any:
        if type(obj) is Choice:
            return self.choices.each(obj, lambda o: self.machine.getitem(o, key))
        if type(key) is Choice:
            return self.choices.each(key, lambda k: self.machine.getitem(obj, k))
        if is_member(key):
            return self.each_member(key, lambda k: self.machine.getitem(obj, k))
        return self.items.getitem(obj, key)

    def setitem(self, obj: Any, key: Any, value: Any) -> None:
        if type(obj) is Choice:
            self.branches.branch(obj.predicate, lambda: self.machine.setitem(obj.first, key, value),
                        lambda: self.machine.setitem(obj.second, key, value), None)
            return
        self.guarded.setitem(obj, key, value)

    def binary(self, op: str, left: Any, right: Any) -> Any:
        if type(left) is Choice:
            return self.choices.each(left, lambda o: self.machine.binary(op, o, right))
        if type(right) is Choice:
            return self.choices.each(right, lambda o: self.machine.binary(op, left, o))
        if is_member(left):
            return self.each_member(left, lambda o: self.machine.binary(op, o, right))
        if is_member(right):
            return self.each_member(right, lambda o: self.machine.binary(op, left, o))
        return self.operators.binary(op, left, right)

    def compare(self, op: str, left: Any, right: Any) -> Any:
        if type(left) is Choice and right is None and op in ("is", "is not"):
            return self._told(left, lambda o: self.machine.compare(op, o, None))
        if type(left) is Choice:
            return self.choices.each(left, lambda o: self.machine.compare(op, o, right))
        if type(right) is Choice:
            return self.choices.each(right, lambda o: self.machine.compare(op, left, o))
        return self.comparisons.compare(op, left, right)

    def _told(self, choice: Choice, act: Callable[[Any], Any]) -> Any:
        """The value of a test on whichever object it is: where both answers are known, which of
        the two it is."""
        known = self.truths.known_truth(choice.predicate)
        if known is not None:
            return act(choice.first if known else choice.second)
        if Choice not in (type(choice.first), type(choice.second)):
            first, second = act(choice.first), act(choice.second)
            if type(first) is type(second) is bool:
                which = self.recorder.wrap(choice.predicate)
                return first if first is second else which if first else self.machine.not_(which)
        return self.choices.each(choice, act)

    def static_truth(self, value: Any) -> bool | None:
        if type(value) is Choice:
            sides = {None if truth_method(s) else self.machine.static_truth(s)
                     for s in (value.first, value.second)}
            return sides.pop() if len(sides) == 1 else None
        return self.operators.static_truth(value)

    def _is_plain(self, value: Any) -> bool:
        """Is the truth of what it may be known, whichever it is?"""
        if type(value) is Choice:
            return self._is_plain(value.first) and self._is_plain(value.second)
        return not is_tracer(value) and not truth_method(value) and (
            self.machine.static_truth(value) is not None)

    def predicate(self, value: Any) -> Any:
        if type(value) is Choice:
            return self._told(value,
                self.machine.predicate) if self._is_plain(value) else self.choices.each(
                value, lambda o: self.machine.call(bool, o))
        return self.containers.predicate(value)

    def for_(self, iterable: Any, target: Any, body: Any, orelse: Any = None,
             rest: Any = None) -> Any:
        if type(iterable) is Choice:
            return self.branches.branch(iterable.predicate,
                               lambda: self.machine.for_(iterable.first, target, body, orelse),
                               lambda: self.machine.for_(iterable.second, target, body, orelse),
                               rest)
        return self.schedules.for_(iterable, target, body, orelse, rest)

    def inplace(self, op: str, left: Any, right: Any) -> Any:
        if type(left) is Choice:
            return self.choices.each(left, lambda o: self.machine.inplace(op, o, right))
        if type(right) is Choice:
            return self.choices.each(right, lambda o: self.machine.inplace(op, left, o))
        return self.guarded.inplace(op, left, right)

    def unary(self, op: str, operand: Any) -> Any:
        if type(operand) is Choice:
            return self.choices.each(operand, lambda o: self.machine.unary(op, o))
        return self.operators.unary(op, operand)

    def delattr(self, obj: Any, name: str) -> None:
        if type(obj) is Choice:
            self.branches.branch(obj.predicate, lambda: self.machine.delattr(obj.first, name),
                        lambda: self.machine.delattr(obj.second, name), None)
            return
        self.access.delattr(obj, name)

    def delitem(self, obj: Any, key: Any) -> None:
        if type(obj) is Choice:
            self.branches.branch(obj.predicate, lambda: self.machine.delitem(obj.first, key),
                        lambda: self.machine.delitem(obj.second, key), None)
            return
        self.items.delitem(obj, key)

    def iterate(self, iterable: Any) -> Any:
        if type(iterable) is Choice:
            return iter(self._items_of(iterable))
        return self.containers.iterate(iterable)

    def unpack(self, value: Any, before: int, star: bool, after: int) -> tuple[Any, ...]:
        if type(value) is Choice:
            found: tuple[Any, ...] = self.choices.each(
                value, lambda o: self.machine.unpack(o, before, star, after))
            return found
        return self.containers.unpack(value, before, star, after)

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
        if type(subject) is Choice:
            return self.choices.each(subject, match)
        if is_member(subject):
            return self.each_member(subject, match)
        return test()

    # ---- results -----------------------------------------------------------------------------
    def one_form(self, choice: Choice) -> Any:
        """One object for a result that is one of two: like objects are joined by their parts."""
        found = self.choices.each(choice, self.picks.given_anew)
        if type(found) is Choice:
            raise self.recorder.of_forms(JoinError(
                "the function returns unlike things", why="which of them it is depends on data, "
                "and they have no common form", fix="return the same structure on every path"))
        return found

    def given_anew(self, obj: Any) -> Any:
        """A copy of an object for a result, where its identity does not matter."""
        if type(obj) is Choice:
            return self.one_form(obj)
        parts = None if is_tracer(obj) else structure_parts(obj)
        if parts is None or self.merges.is_outside(obj) or id(obj) in self.symbolic_lists:
            return obj
        new = rebuilder(obj)([self.picks.given_anew(p) for p in parts])
        self.journal.born(new)
        return new
