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
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import UnsupportedOperation
from ..stage.machine import NORMAL, UNBOUND, Frame
from ..stage.regions import region_info
from .assumptions import CalledFunction, Withdrawn
from .collaborator import Collaborator
from .control import Refusal, Restart
from .iterables import range_
from .iteration import Range
from .journal import Cell, Slot
from .later import Body, names_of_loop

if TYPE_CHECKING:
    from . import dispatch as parts


@dataclass(slots=True)
class Schedule(Range):
    """What ``checkpoint_range`` is while tracing: a range, and the number of groups (None: as
    many as there are steps in a group)."""

    groups: Any = None


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
        machine.merges.frames.append(self.frame)
        try:
            jump = machine.for_(Range(inner.slots["first"], inner.slots["last"], 1), self.target,
                                Body(self.body, self.body, (self.head, self.kept)))
        finally:
            machine.merges.frames.pop()
        if jump != NORMAL:
            raise machine.recorder.fatal(UnsupportedOperation(
                "a jump out of a loop over checkpoint_range", why="its steps run in groups",
                fix="use range"))


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
            frame = Frame(group)
            frame.slots = {"first": first[0], "last": last}
            self.recursion.checkpoints.append(None)
            self.groups_running.append(group)
            try:
                self.recursion.called_staged(function, group, frame, (first[0], last),  # type: ignore[arg-type]
                             remade=True)
            finally:
                self.groups_running.pop()
                self.recursion.checkpoints.pop()
            return NORMAL

        def aim(value: Any) -> None:
            first[:] = [value]

        return self.next.for_(Range(0, count, size), aim, Body(body, run, names), orelse, rest)

    def is_left(self, cell: Cell) -> bool:
        """Is a changed variable read by nothing outside of a group?"""
        return any(isinstance(cell, Slot) and cell.owner is group.frame
                   and cell.name not in group.kept for group in self.groups_running)


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
