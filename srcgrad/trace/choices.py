"""Names whose object depends on the path: ``act = tanh if c else sin``, ``y = x if c else z``.

After a branch a name may stand for one of two things that have no common form.  A
:class:`Choice` remembers the branch's predicate and both things; whatever is done to it is
done in a new branch on the same predicate.  An array that is one of two arrays (and not a new
one) is a joined home with a ``choice``: its content is an ordinary output of the branch, but a
write through it is made on the member that it is, in a branch, so that members and joined
name see each other's writes.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

from ..graph.ir import Steps, Value
from ..kinds import Aval
from .joins import record_fields
from .journal import Version
from .operators import Operators
from .recorder import contains_tracer, shift_step
from .tracers import ArrayTracer, Home


class Choice:
    """One of two objects, decided by a predicate at run time."""

    __slots__ = ("first", "predicate", "second")

    def __init__(self, predicate: Value, first: Any, second: Any) -> None:
        self.predicate = predicate
        self.first = first
        self.second = second


def may_choose(obj: Any, young: set[int]) -> bool:
    """Can an object be used after the arm that it comes from?  Its traced parts must not have
    been made in that arm."""
    if isinstance(obj, (types.FunctionType, types.BuiltinFunctionType, types.ModuleType, type,
                        str, bytes, int, float, complex, type(None), Choice)):
        return True
    if isinstance(obj, functools.partial):
        return not contains_tracer((obj.args, obj.keywords)) and may_choose(obj.func, young)
    if isinstance(obj, types.MethodType):
        return may_choose(obj.__self__, young)
    if id(obj) not in young:
        return not isinstance(obj, (tuple, list, dict)) or not contains_tracer(obj)
    fields = record_fields(obj)
    if fields is not None:
        return not any(contains_tracer(object.__getattribute__(obj, n)) for n in fields)
    return not contains_tracer(obj)


class Choices(Operators):
    """Writes through joined arrays, and their contents after writes to a member."""

    choice_seen: dict[Value, tuple[Value, Value]]

    def choose(self, predicate: Value, then: Callable[[], Any],
               orelse: Callable[[], Any]) -> Any:
        raise AttributeError

    def branch(self, predicate: Value, then: Callable[[], Any], orelse: Callable[[], Any],
               rest: Callable[[], Any] | None) -> Any:
        raise AttributeError

    def each(self, choice: Choice, act: Callable[[Any], Any]) -> Any:
        """The value of an action on whichever object it is."""
        return self.choose(choice.predicate, lambda: act(choice.first),
                           lambda: act(choice.second))

    def content(self, tracer: ArrayTracer) -> Value:
        if tracer.home.choice is not None:
            self.refresh_choice(tracer.home)
        return super().content(tracer)

    def refresh_choice(self, home: Home) -> None:
        """Give a joined home the content its member has now."""
        assert home.choice is not None
        predicate, first, second = home.choice
        for member in (first, second):
            if member.home.choice is not None:
                self.refresh_choice(member.home)
        seen = self.choice_seen.get(home.current)
        if seen is not None and seen[0] is first.home.current and seen[1] is second.home.current:
            return
        value = self.phi(predicate, lambda: self.content(first), lambda: self.content(second),
                         home.current.aval)
        value.obj, value.hint = home.obj, home.current.hint
        self.choice_seen[value] = (first.home.current, second.home.current)
        self.journal.write(Version(home), value)

    def phi(self, predicate: Value, first: Callable[[], Value], second: Callable[[], Value],
            aval: Aval) -> Value:
        raise AttributeError

    def write_version(self, tracer: ArrayTracer, op: str, steps: Steps, value: Value,
                      dyn: tuple[Value, ...], **params: Any) -> None:
        choice = tracer.home.choice
        if choice is None:
            super().write_version(tracer, op, steps, value, dyn, **params)
            return
        self.check_writable(tracer.home)
        predicate, first, second = choice

        def write(member: ArrayTracer) -> int:
            target = self.same_view(member, tracer)
            self.write_version(target, op, steps, value, dyn, **params)
            return 0

        self.branch(predicate, lambda: write(first), lambda: write(second), None)
        tracer.home.written = True

    def same_view(self, member: ArrayTracer, tracer: ArrayTracer) -> ArrayTracer:
        """The handle into a member that corresponds to a handle into the joined array."""
        if not tracer.steps:
            return member
        content = self.content(member)
        steps = tuple(shift_step(s, 1) for s in tracer.steps)
        (value,) = self.emit("read", (content, *tracer.dyn), (tracer.aval,), steps=steps)
        return self.view(member, tracer.steps, tracer.dyn, value, tracer.aval)


def is_choice(obj: Any) -> bool:
    """Is the object one of two?"""
    return type(obj) is Choice
