"""Python's operators on one of several things, told apart by what is known at run time.

Such a thing is a :class:`~srcgrad.trace.record.tracers.Choice` of two, by a predicate, or some
member of an enumeration.  What is done to it is done to whichever it is, in a branch for each.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import JoinError
from ...graph.ir import Value
from ...stage.machine import Frame
from ..collaborator import PASSED, Args, Collaborator, Kwargs
from ..heap.unlike import things_in
from ..iteration.iteration import Items
from ..objects.special_methods import truth_method
from ..record.structures import rebuilder, structure_parts
from ..record.tracers import Choice, OpaqueTracer, is_tracer

NO_EXCEPTION = TypeError("exceptions must derive from BaseException")  # what `raise` says of None


def is_member(obj: Any) -> bool:
    """Is it some member of an enumeration, which one is only known at run time?"""
    return type(obj) is OpaqueTracer and obj.aval.members is not None


def _goes_through(function: Any, place: int) -> bool:
    """Does it give an iterator of an argument, which must not be made in one branch and advanced
    in another?"""
    return function in (enumerate, zip, reversed, iter) or (
        function in (map, filter) and place > 0)


class Unions(Collaborator):
    """One of several things under Python's operators."""

    speaks_to = ("branches", "keys", "merges", "recorder", "truths")

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

    def _with(self, obj: Any, name: str) -> Any:
        """What an attribute is read from, where it is not None, which has none of that name: what
        is read then is read on every path that goes on."""
        if type(obj) is not Choice or hasattr(None, name) or (
                obj.first is not None and obj.second is not None):
            return obj
        return self.each(obj, lambda one: self.machine.getattr(
            None, name) if one is None else one)

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

    def raise_(self, exception: Any, cause: Any, has_cause: bool) -> Any:
        """``raise`` of one of several exceptions, or classes of such."""
        if type(exception) is not Choice:
            return PASSED
        return self.machine.if_(self.recorder.wrap(exception.predicate), *(functools.partial(
            self.machine.raise_, NO_EXCEPTION if one is None else one, cause, has_cause)
            for one in (exception.first, exception.second)))

    # ---- attributes and items ------------------------------------------------------------------
    def getattr(self, obj: Any, name: str) -> Any:
        known = self._with(obj, name)
        return self.on_each("getattr", 1, obj, name) if known is obj else (
            self.machine.getattr(known, name))

    setattr = functools.partialmethod(on_each, "setattr", 1)
    delattr = functools.partialmethod(on_each, "delattr", 1)
    setitem = functools.partialmethod(on_each, "setitem", 1)
    delitem = functools.partialmethod(on_each, "delitem", 1)

    def getitem(self, obj: Any, key: Any) -> Any:
        found = PASSED if is_member(obj) else self.on_each("getitem", 2, obj, key)
        return self.next.getitem(obj, key) if found is PASSED else found

    # ---- calls and comparisons -----------------------------------------------------------------
    def called(self, function: Any, args: Args, kwargs: Kwargs) -> Any:
        if type(function) is Choice or is_member(function):
            return self.each(function, lambda f: self.machine.call(f, *args, **kwargs))
        if (function is isinstance or function is callable) and args and type(args[0]) is Choice:
            return self._told(args[0], lambda o: self.machine.call(function, o, *args[1:]))
        for i, a in enumerate(args):
            if type(a) is Choice and _goes_through(function, i):
                known = self.without_none(a)
                if type(known) is not Choice or all(
                        type(one) in (list, tuple) for one in things_in(known, {})):
                    return self.machine.call(
                        function, *args[:i], Items(known) if type(known) is Choice else known,
                        *args[i + 1:], **kwargs)
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

    def _with_each(self, function: Any, args: Args, kwargs: Kwargs, place: int) -> Any:
        return self.each(args[place], lambda one: self.machine.call(
            function, *args[:place], one, *args[place + 1:], **kwargs))

    def called_method(self, obj: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
        known = self._with(obj, name)
        if known is not obj:
            return self.machine.call_method(known, name, *args, **kwargs)
        if type(obj) is Choice or is_member(obj):
            return self.each(obj, lambda o: self.machine.call_method(o, name, *args, **kwargs))
        return self.next.called_method(obj, name, args, kwargs)

    def compare(self, op: str, left: Any, right: Any) -> Any:
        if type(right) is str and op in ("==", "!="):
            left = self._text(left)
            if type(left) is Choice:
                return self._told(left, lambda o: self.machine.compare(op, o, right))
        if type(left) is Choice and right is None and op in ("is", "is not"):
            return self._told(left, lambda o: self.machine.compare(op, o, None))
        return self.on_each("compare", 3, op, left, right) if Choice in (
            type(left), type(right)) else PASSED

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
            known = self.without_none(iterable)
            if known is not iterable:
                return self.machine.for_(known, target, body, orelse, rest)
            return self.branches.branch(
                iterable.predicate,
                lambda: self.machine.for_(iterable.first, target, body, orelse),
                lambda: self.machine.for_(iterable.second, target, body, orelse), rest)
        return self.next.for_(iterable, target, body, orelse, rest)

    def iterate(self, iterable: Any) -> Any:
        if type(iterable) is not Choice:
            return PASSED
        known = self.without_none(iterable)
        return iter(self._items_of(iterable)) if known is iterable else self.machine.iterate(known)

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
                fix="loop over it with a for statement"))
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


def _is_numpy(function: Any) -> bool:
    """Is it a function of NumPy, which takes lists of numbers apart?"""
    return isinstance(function, np.ufunc) or (
        getattr(function, "__module__", None) or "").startswith("numpy")

