"""Loops that are run again: their steps in groups, each a function that is called again.

``for t in checkpoint_range(n): body`` becomes a loop over groups of steps; a group is a call of a
graph whose adjoint runs it again (:meth:`Recursion.checkpointed`).  What the body changes of the
variables around it is handed to the group and handed back, like the state of a function that
changes variables of the one around it.  Where the body cannot be such a function (it leaves the
loop, or binds a variable first that is read after it) the loop is one over a range.

Within ``checkpoint(f, budget=states)`` all loops are, also those of unknown length.
"""

from __future__ import annotations

import ast
import functools
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import UnsupportedOperation
from ...stage.machine import BREAK, NORMAL, Frame
from ...stage.regions import region_info
from ...types.dataclasses import dataclass, field
from ..assumptions import CalledFunction, Withdrawn
from ..collaborator import Collaborator
from ..iteration.iterables import range_
from ..iteration.iteration import (
    Enumerate,
    Range,
    Reversed,
    Rows,
    Staged,
    Zip,
    item,
    length,
)
from ..record.journal import Cell, Slot
from ..record.scopes import on_top
from ..record.tracers import ArrayTracer, Jump
from .control import Refusal, Restart
from .later import Body, Later, names_of_loop

LEAST = 8  # steps that keep everything
_COUNTED = (Enumerate, Range, Reversed, Rows, Zip)


@dataclass(slots=True)
class Schedule(Range):
    """What ``checkpoint_range`` is while tracing: a range, the number of groups (None: as
    many as there are steps in a group) or, if ``binomial``, of states."""

    groups: Any = None
    binomial: bool = False


@dataclass
class _Group:
    """The steps of one group as a staged function of the first and the last of them; it returns
    whether the loop has ended."""

    machine: Any
    frame: Frame
    target: Callable[[Any], None]
    body: Callable[[], Any]
    names: Later  # that the next step may read, or what follows
    parameters: tuple[str, ...] = ("first", "last")
    is_generator: bool = False
    hands_on: bool = False

    def enter(self, machine: Any, inner: Frame) -> Any:
        return self.run(inner.slots["first"], inner.slots["last"])

    def run(self, first: Any, last: Any) -> Any:
        machine = self.machine
        with on_top(machine.merges.frames, self.frame), on_top(machine.schedules.budgets, None):
            jump, ended = self.steps(first, last)
        if jump != NORMAL:
            raise machine.recorder.fatal(UnsupportedOperation(
                "a jump out of a loop over checkpoint_range", why="its steps run in groups",
                fix="use range"))
        return ended

    def steps(self, first: Any, last: Any) -> tuple[Any, Any]:
        """The jump that the steps end with, and whether they are the last ones."""
        machine = self.machine
        left = machine.scratch_frame("ended", False)
        jump = machine.for_(Range(first, last, 1), self.target, self.steps_body(
            self.body, lambda: machine.store(left, "ended", True)))
        return jump, machine.load(left, "ended")

    def steps_body(self, run: Callable[[], Any], leave: Callable[[], None]) -> Body:
        """The body of the loop over the steps; ``leave`` is done where a step breaks."""
        def left() -> Any:
            leave()
            return NORMAL

        def step() -> Any:
            jump = run()
            if jump == BREAK:
                leave()
            elif isinstance(jump, Jump) and BREAK in jump.codes:
                self.machine.if_(self.machine.loops.stays(jump), lambda: NORMAL, left)
            return jump

        return Body(self.body, step, names=Later(self.names.head, self.names.either))


@dataclass
class _Halves(_Group):
    """The same, in halves that are functions like this one: of ``states`` that may be kept at a
    time the later half has one less, as the state in the middle is kept while it runs backward; the
    earlier one then has all of them, and may run once less (``again``).  Of C(s + r, s) steps
    C(s + r - 1, s) are in the earlier half, r of s + r (Griewank & Walther 2000, Revolve)."""

    parameters: tuple[str, ...] = ("first", "last", "states", "again")
    call: Callable[[Any, Any, Any, Any], Any] = field(kw_only=True)

    def enter(self, machine: Any, inner: Frame) -> Any:
        first, last, states, again = (inner.slots[name] for name in self.parameters)
        steps = machine.binary("-", last, first)
        both = machine.binary("+", states, again)
        found = machine.scratch_frame("ended", False)

        def end(ended: Any) -> Any:
            if ended is not False:
                machine.store(found, "ended", ended)
            return NORMAL

        def halves() -> Any:
            part = machine.binary("//", machine.binary("*", steps, again), both)
            middle = machine.binary("+", first, machine.call(max, 1, part))
            ended = self.call(first, middle, states, machine.binary("-", again, 1))
            return machine.if_(ended, lambda: end(True), lambda: end(
                self.call(middle, last, machine.binary("-", states, 1), again)))

        few = machine.or_(machine.compare("<=", steps, LEAST),
                          lambda: machine.compare("<", states, 1),
                          lambda: machine.compare("<", again, 1))
        machine.if_(few, lambda: end(self.run(first, last)), halves)
        return machine.load(found, "ended")


@dataclass
class _Tested(_Halves):
    """The same for the steps of a ``while``."""

    test: Callable[[], Any] = field(kw_only=True)

    def steps(self, first: Any, last: Any) -> tuple[Any, Any]:
        machine = self.machine
        rest = machine.scratch_frame("rest", machine.binary("-", last, first))

        def count(sign: str) -> None:
            machine.store(rest, "rest", machine.binary(sign, machine.load(rest, "rest"), 1))

        def step() -> Any:
            count("-")
            return self.body()

        def any_left() -> Any:
            return machine.compare(">", machine.load(rest, "rest"), 0)

        jump = machine.while_(lambda: machine.and_(any_left(), self.test),
                              self.steps_body(step, lambda: count("+")))
        return jump, any_left()


class Schedules(Collaborator):
    """``for t in checkpoint_range(n)``."""

    speaks_to = ("loops", "merges", "open_names", "recursion")

    def __init__(self) -> None:
        self.groups_running: list[_Group] = []
        self.budgets: list[int | None] = []  # of the functions that are run

    def for_(self, iterable: Any, target: Callable[[Any], None], body: Callable[[], Any],
             orelse: Callable[[], Any] | None = None,
             rest: Callable[[], Any] | None = None) -> Any:
        schedule, source = iterable, None
        if type(iterable) is not Schedule:
            schedule, source = self._within_budget(iterable)
            if schedule is None:
                return self.next.for_(iterable, target, body, orelse, rest)
        names = self._names(body, schedule.binomial and orelse is None)
        if names is None:
            if schedule is iterable:
                iterable = range_(self.machine, iterable.stop)
            return self.next.for_(iterable, target, body, orelse, rest)
        aim = target if source is None else (
            lambda place: target(item(self.machine, source, place)))
        code = _code(body)
        try:
            return self._grouped(schedule, aim, body, orelse, rest, names, code)
        except Refusal as refusal:
            raise Restart(Withdrawn(CalledFunction(code), refusal.error)) from None

    def while_(self, test: Callable[[], Any], body: Callable[[], Any],
               orelse: Callable[[], Any] | None = None,
               rest: Callable[[], Any] | None = None) -> Any:
        states = self.budgets[-1] if self.budgets else None
        names = None if states is None else self._names(body, orelse is None)
        if states is None or names is None:
            return self.next.while_(test, body, orelse, rest)
        code = _code(body)
        try:
            return self._in_halves(states, None, _no_target, body, orelse, rest, names, code, test)
        except Refusal as refusal:
            raise Restart(Withdrawn(CalledFunction(code), refusal.error)) from None

    def _within_budget(self, iterable: Any) -> tuple[Schedule | None, Any]:
        """The schedule of a loop in a function that has a budget, and what it goes through."""
        states = self.budgets[-1] if self.budgets else None
        if states is None or not isinstance(iterable, range | ArrayTracer | Staged):
            return None, None
        source = self.loops.loop_source(iterable)
        if not isinstance(source, _COUNTED):
            return None, None
        count = length(self.machine, source)
        if type(count) is int and count <= LEAST:
            return None, None
        return Schedule(0, count, 1, states, True), source

    def _names(self, body: Any, may_break: bool) -> Later | None:
        """The variables that the steps of a loop hand on, to the next one and to what follows; None
        where they cannot be groups."""
        names = names_of_loop(body)
        if names.either is None or self.assumed.inlines(_code(body)) or (
                not self._may_group(body, names.either, may_break)):
            return None
        return names

    def _may_group(self, body: Callable[[], Any], kept: frozenset[str],
                   may_break: bool) -> bool:
        """Do the steps run to their ends, and is what they bind for later surely bound before?"""
        info = region_info(body)
        if info is None or info.may_break > may_break or info.may_return:
            return False
        node = info.node
        bound = info.assigned | (names_in(node.target) if isinstance(node, ast.For) else set())
        cells = [Slot(self.merges.frames[-1], name) for name in bound & kept]
        return all(self.open_names.openness(cell, cell.get()) is None for cell in cells)

    def _grouped(self, schedule: Schedule, target: Callable[[Any], None],
                 body: Callable[[], Any], orelse: Callable[[], Any] | None,
                 rest: Callable[[], Any] | None, names: Later, code: types.CodeType) -> Any:
        if schedule.binomial:
            return self._in_halves(schedule.groups or 16, schedule.stop, target, body, orelse, rest,
                                   names, code)
        count = schedule.stop
        steps = self.machine.call(np.sqrt, count) if schedule.groups is None else (
            self.machine.binary("/", count, schedule.groups))
        size = self.machine.call(max, 1, self.machine.call(int, self.machine.call(np.ceil, steps)))
        group = _Group(self.machine, self.merges.frames[-1], target, body, names)
        function = types.FunctionType(code, {}, "steps")
        first: list[Any] = []

        def run() -> Any:
            last = self.machine.call(min, self.machine.binary("+", first[0], size), count)
            self._call(group, function, first[0], last)
            return NORMAL

        def aim(value: Any) -> None:
            first[:] = [value]

        return self.next.for_(Range(0, count, size), aim, Body(body, run, names=names), orelse,
                              rest)

    def _in_halves(self, states: Any, count: Any, target: Callable[[Any], None],
                   body: Callable[[], Any], orelse: Callable[[], Any] | None,
                   rest: Callable[[], Any] | None, names: Later, code: types.CodeType,
                   test: Callable[[], Any] | None = None) -> Any:
        """A loop of ``count`` steps, or one that goes on as long as ``test`` says, in groups that
        are gone through in halves.  Each has as many steps as are run once more often than those
        of the group before."""
        function = types.FunctionType(code, {}, "steps")
        shared = self.machine, self.merges.frames[-1], target, body, names

        def call(*bounds: Any) -> Any:
            return self._call(group, function, *bounds)

        group = _Halves(*shared, call=call) if test is None else _Tested(*shared, call=call,
                                                                        test=test)
        state = self.machine.scratch_frame("first", 0)
        for name, start in (("steps", LEAST), ("again", 0), ("ended", False)):
            self.machine.store(state, name, start)
        load, binary = functools.partial(self.machine.load, state), self.machine.binary

        def goes_on() -> Any:
            going = self.machine.not_(load("ended"))
            return going if count is None else self.machine.and_(
                going, lambda: self.machine.compare("<", load("first"), count))

        def run() -> Any:
            first, steps, again = map(load, ("first", "steps", "again"))
            last = binary("+", first, steps)
            if count is not None:
                last = self.machine.call(min, last, count)
            ended = call(first, last, states, again)
            again = binary("+", again, 1)
            more = binary("//", binary("*", steps, binary("+", states, again)), again)
            for name, value in (("first", last), ("steps", more), ("again", again),
                                ("ended", ended)):
                if value is not False:
                    self.machine.store(state, name, value)
            return NORMAL

        return self.next.while_(goes_on, Body(body, run, names=names), orelse, rest)

    def _call(self, group: _Group, function: types.FunctionType, *bounds: Any) -> Any:
        """The steps of a group as a call that is made again when its adjoint is due."""
        frame = Frame(group)
        frame.slots = dict(zip(group.parameters, bounds, strict=True))
        with on_top(self.recursion.checkpoints, None), on_top(self.groups_running, group):
            return self.recursion.called_staged(
                function, group, frame, bounds, remade=True)  # type: ignore[arg-type]

    def is_left(self, cell: Cell) -> bool:
        """Is a changed variable read by nothing outside of a group?"""
        return any(isinstance(cell, Slot) and cell.owner is group.frame
                   and cell.name not in (group.names.either or ()) for group in self.groups_running)


def names_in(target: ast.expr) -> set[str]:
    """The variables that a target binds."""
    return {part.id for part in ast.walk(target) if isinstance(part, ast.Name)}


def _code(body: Any) -> types.CodeType:
    """A code object for the groups of one loop."""
    info = region_info(body)
    place = 1 if info is None else info.line
    return _steps.__code__.replace(co_firstlineno=place,
                                   co_name=f"steps_{place}_{body.__code__.co_name}")


def _no_target(_: Any) -> None:
    """A ``while`` binds nothing for a step."""


def _steps(first: int, last: int) -> None:
    """The code object that stands for all groups."""
