"""Operators on objects that depend on the path: done to whichever of the two it is."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import JoinError
from ..stage.machine import Frame
from .assumptions import ListedGenerators
from .collaborator import PASSED, Collaborator
from .special_methods import truth_method
from .structures import rebuilder, structure_parts
from .tracers import Choice, OpaqueTracer, is_tracer

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
    """A :class:`~srcgrad.trace.tracers.Choice`, or a member of an enumeration, under Python's
    operators."""

    branches: parts.Branches
    choices: parts.Choices
    keys: parts.Keys
    merges: parts.Merges
    picks: parts.Picks
    recorder: parts.Recorder
    truths: parts.Truths

    def on_each(self, operator: str, *operands: Any) -> Any:
        """An operator on whichever of several things an operand is."""
        act = getattr(self.machine, operator)
        for place, one in enumerate(operands):
            if type(one) is Choice or is_member(one):
                before, after = operands[:place], operands[place + 1:]
                return self.each(one, lambda o: act(*before, o, *after))  # noqa: B023
        return PASSED

    def each(self, obj: Any, act: Callable[[Any], Any]) -> Any:
        """The value of an action on whichever of several things an object is."""
        def absent() -> Any:
            raise TypeError("the object is None")

        return self.choices.each(obj, act) if type(obj) is Choice else self.keys.by_key(
            obj, list(obj.aval.members or ()), act, absent if obj.aval.optional else None)

    def changed(self, operator: str, obj: Any, *operands: Any) -> Any:
        """A change of whichever of two things an object is."""
        act = getattr(self.machine, operator)
        return PASSED if type(obj) is not Choice else self.branches.branch(
            obj.predicate, lambda: act(obj.first, *operands),
            lambda: act(obj.second, *operands), None)

    getattr = functools.partialmethod(on_each, "getattr")
    unary = functools.partialmethod(on_each, "unary")
    binary = functools.partialmethod(on_each, "binary")
    inplace = functools.partialmethod(on_each, "inplace")
    setattr = functools.partialmethod(changed, "setattr")
    delattr = functools.partialmethod(changed, "delattr")
    setitem = functools.partialmethod(changed, "setitem")
    delitem = functools.partialmethod(changed, "delitem")

    def called(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if is_telling(function) and args and type(args[0]) is Choice:
            return self._told(args[0], lambda o: self.machine.call(function, o, *args[1:]))
        if type(function) is Choice or is_member(function):
            return self.each(function, lambda f: self.machine.call(f, *args, **kwargs))
        for i, a in enumerate(args):
            before, after = args[:i], args[i + 1:]
            if type(a) is Choice:
                return self.each(a, lambda one: self.machine.call(
                    function, *before, one, *after, **kwargs))  # noqa: B023
            if type(a) in (list, tuple) and _is_numpy(function):
                place = next((k for k, part in enumerate(a) if type(part) is Choice), None)
                if place is not None:
                    return self.each(a[place], lambda one: self.machine.call(
                        function, *before,  # noqa: B023
                        type(a)((*a[:place], one, *a[place + 1:])),  # noqa: B023
                        *after, **kwargs))  # noqa: B023
        for name, value in kwargs.items():
            if type(value) is Choice:
                return self.each(value, lambda one: self.machine.call(
                    function, *args, **{**kwargs, name: one}))  # noqa: B023
        return self.next.called(function, args, kwargs)

    def called_method(self, obj: Any, name: str, args: tuple[Any, ...],
                      kwargs: dict[str, Any]) -> Any:
        if type(obj) is Choice or is_member(obj):
            return self.each(obj, lambda o: self.machine.call_method(o, name, *args, **kwargs))
        return self.next.called_method(obj, name, args, kwargs)

    def getitem(self, obj: Any, key: Any) -> Any:
        found = self.on_each("getitem", obj, key) if not is_member(obj) else PASSED
        return self.next.getitem(obj, key) if found is PASSED else found

    def compare(self, op: str, left: Any, right: Any) -> Any:
        if type(left) is Choice and right is None and op in ("is", "is not"):
            return self._told(left, lambda o: self.machine.compare(op, o, None))
        if Choice in (type(left), type(right)):
            return self.on_each("compare", op, left, right)
        return PASSED

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

    def static_truth(self, value: Any) -> Any:
        if type(value) is not Choice:
            return PASSED
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

    def for_(self, iterable: Any, target: Any, body: Any, orelse: Any = None,
             rest: Any = None) -> Any:
        if type(iterable) is not Choice:
            return self.next.for_(iterable, target, body, orelse, rest)
        return self.branches.branch(
            iterable.predicate,
            lambda: self.machine.for_(iterable.first, target, body, orelse),
            lambda: self.machine.for_(iterable.second, target, body, orelse), rest)

    def iterate(self, iterable: Any) -> Any:
        return iter(self._items_of(iterable)) if type(iterable) is Choice else PASSED

    def unpack(self, value: Any, before: int, star: bool, after: int) -> Any:
        return self.each(value, lambda o: self.machine.unpack(o, before, star, after)) if type(
            value) is Choice else self.next.unpack(value, before, star, after)

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
