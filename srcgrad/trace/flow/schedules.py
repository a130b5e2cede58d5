"""Loops over ``checkpoint_range``: their steps in groups, each a function that is run again.

``for t in checkpoint_range(n): body`` becomes a loop over groups of steps; a group is a call of a
graph whose adjoint runs it again (:meth:`Recursion.checkpointed`).  What the body changes of the
variables around it is handed to the group and handed back, like the state of a function that
changes variables of the one around it.  Where the body cannot be such a function (it leaves the
loop, or binds a variable first that is read after it) the loop is one over a range.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import UnsupportedOperation
from ...stage.machine import NORMAL, UNBOUND, Frame
from ...stage.regions import region_info
from ..assumptions import CalledFunction, Withdrawn
from ..collaborator import Collaborator
from ..iteration.iterables import range_
from ..iteration.iteration import Range
from ..record.journal import Cell, Slot
from .control import Refusal, Restart
from .later import Body, names_of_loop

if TYPE_CHECKING:
    from .. import dispatch as parts


LEAST = 8  # steps that keep everything


@dataclass(slots=True)
class Schedule(Range):
    """What ``checkpoint_range`` is while tracing: a range, the number of groups (None: as
    many as there are steps in a group) or, if ``binomial``, of states."""

    groups: Any = None
    binomial: bool = False


@dataclass
class _Group:
    """The steps of one group as a staged function of the first and the last of them."""

    frame: Frame
    target: Callable[[Any], None]
    body: Callable[[], Any]
    head: frozenset[str]  # variables that the next step may read
    kept: frozenset[str]  # these, and those that may be read after the loop
    parameters: tuple[str, ...] = ("first", "last")
    is_generator: bool = False
    hands_on: bool = False

    def enter(self, machine: Any, inner: Frame) -> None:
        self.run(machine, inner.slots["first"], inner.slots["last"])

    def run(self, machine: Any, first: Any, last: Any) -> None:
        machine.merges.frames.append(self.frame)
        try:
            jump = machine.for_(Range(first, last, 1), self.target,
                                Body(self.body, self.body, (self.head, self.kept)))
        finally:
            machine.merges.frames.pop()
        if jump != NORMAL:
            raise machine.recorder.fatal(UnsupportedOperation(
                "a jump out of a loop over checkpoint_range", why="its steps run in groups",
                fix="use range"))


@dataclass
class _Halves(_Group):
    """The same, in halves that are functions like this one: of ``states`` that may be kept at a
    time the later half has one less, as the state in the middle is kept while it runs backward; the
    earlier one then has all of them, and may run once less (``again``).  Of C(s + r, s) steps
    C(s + r - 1, s) are in the earlier half, r of s + r (Griewank & Walther 2000, Revolve)."""

    parameters: tuple[str, ...] = ("first", "last", "states", "again")
    call: Callable[[Any, Any, Any, Any], None] = field(kw_only=True)

    def enter(self, machine: Any, inner: Frame) -> None:
        first, last, states, again = (inner.slots[name] for name in self.parameters)
        length = machine.binary("-", last, first)
        both = machine.binary("+", states, again)

        def leaf() -> Any:
            self.run(machine, first, last)
            return NORMAL

        def halves() -> Any:
            part = machine.binary("//", machine.binary("*", length, again), both)
            middle = machine.binary("+", first, machine.call(max, 1, part))
            self.call(first, middle, states, machine.binary("-", again, 1))
            self.call(middle, last, machine.binary("-", states, 1), again)
            return NORMAL

        few = machine.or_(machine.compare("<=", length, LEAST),
                          lambda: machine.compare("<", states, 1),
                          lambda: machine.compare("<", again, 1))
        machine.if_(few, leaf, halves)


class Schedules(Collaborator):
    """``for t in checkpoint_range(n)``."""

    merges: parts.Merges
    recursion: parts.Recursion

    def __init__(self) -> None:
        self.groups_running: list[_Group] = []

    def for_(self, iterable: Any, target: Callable[[Any], None], body: Callable[[], Any],
             orelse: Callable[[], Any] | None = None,
             rest: Callable[[], Any] | None = None) -> Any:
        if type(iterable) is not Schedule:
            return self.next.for_(iterable, target, body, orelse, rest)
        head, after = names_of_loop(body)
        code = _code(body)
        if self.assumed.inlines(code) or head is None or after is None or (
                not self._may_group(body, head | after)):
            return self.next.for_(range_(self.machine, iterable.stop), target, body, orelse, rest)
        try:
            return self._grouped(iterable, target, body, orelse, rest, (head, after), code)
        except Refusal as refusal:
            raise Restart(Withdrawn(CalledFunction(code), refusal.error)) from None

    def _may_group(self, body: Callable[[], Any], kept: frozenset[str]) -> bool:
        """Do the steps run to their ends, and is what they bind for later bound before?"""
        info = region_info(body)
        if info is None or info.may_break or info.may_return:
            return False
        node = info.node
        bound = info.assigned | (names_in(node.target) if isinstance(node, ast.For) else set())
        slots = self.merges.frames[-1].slots
        return not any(slots.get(name, UNBOUND) is UNBOUND for name in bound & kept)

    def _grouped(self, schedule: Schedule, target: Callable[[Any], None],
                 body: Callable[[], Any], orelse: Callable[[], Any] | None,
                 rest: Callable[[], Any] | None,
                 names: tuple[frozenset[str], frozenset[str]], code: types.CodeType) -> Any:
        if schedule.binomial:
            return self._in_halves(schedule, target, body, orelse, rest, names, code)
        count = schedule.stop
        steps = self.machine.call(np.sqrt, count) if schedule.groups is None else (
            self.machine.binary("/", count, schedule.groups))
        size = self.machine.call(max, 1, self.machine.call(int, self.machine.call(np.ceil, steps)))
        head, after = names
        group = _Group(self.merges.frames[-1], target, body, head, head | after)
        function = types.FunctionType(code, {}, "steps")
        first: list[Any] = []

        def run() -> Any:
            last = self.machine.call(min, self.machine.binary("+", first[0], size), count)
            self._call(group, function, first[0], last)
            return NORMAL

        def aim(value: Any) -> None:
            first[:] = [value]

        return self.next.for_(Range(0, count, size), aim, Body(body, run, names), orelse, rest)

    def _in_halves(self, schedule: Schedule, target: Callable[[Any], None],
                   body: Callable[[], Any], orelse: Callable[[], Any] | None,
                   rest: Callable[[], Any] | None,
                   names: tuple[frozenset[str], frozenset[str]], code: types.CodeType) -> Any:
        head, after = names
        function = types.FunctionType(code, {}, "steps")
        group = _Halves(self.merges.frames[-1], target, body, head, head | after,
                        call=lambda *bounds: self._call(group, function, *bounds))
        count, states = schedule.stop, schedule.groups or 16

        def run() -> Any:
            self._call(group, function, 0, count, states, self.machine.call(repeats, count, states))
            return NORMAL

        once = Range(0, self.machine.call(min, 1, count), 1)
        return self.next.for_(once, lambda _: None, Body(body, run, names), orelse, rest)

    def _call(self, group: _Group, function: types.FunctionType, *bounds: Any) -> None:
        """The steps of a group as a call that is made again when its adjoint is due."""
        frame = Frame(group)
        frame.slots = dict(zip(group.parameters, bounds, strict=True))
        self.recursion.checkpoints.append(None)
        self.groups_running.append(group)
        try:
            self.recursion.called_staged(function, group, frame, bounds,  # type: ignore[arg-type]
                                         remade=True)
        finally:
            self.groups_running.pop()
            self.recursion.checkpoints.pop()

    def is_left(self, cell: Cell) -> bool:
        """Is a changed variable read by nothing outside of a group?"""
        return any(isinstance(cell, Slot) and cell.owner is group.frame
                   and cell.name not in group.kept for group in self.groups_running)


def repeats(count: int, states: int) -> int:
    """The least r for which C(states + r, states) groups of :data:`LEAST` steps are ``count``
    steps.

    >>> [repeats(n, 16) for n in (5, 8 * 17, 8 * 17 + 1, 1_000_000)]
    [0, 1, 2, 7]
    """
    again, groups = 0, 1
    while 8 * groups < count:
        again += 1
        groups = groups * (states + again) // again
    return again


def names_in(target: ast.expr) -> set[str]:
    """The variables that a target binds."""
    return {part.id for part in ast.walk(target) if isinstance(part, ast.Name)}


def _code(body: Any) -> types.CodeType:
    """A code object for the groups of one loop."""
    info = region_info(body)
    place = 1 if info is None else info.line
    return _steps.__code__.replace(co_firstlineno=place, co_name=f"steps_{place}_{body.__name__}")


def _steps(first: int, last: int) -> None:
    """The code object that stands for all groups."""
