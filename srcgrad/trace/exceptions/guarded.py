"""What a ``finally`` part or an ``__exit__`` does where nothing catches the exception.

Where the exception leaves the function, only what can be seen outside matters: effects.  They
are recorded once more, between markers after the statements that may raise; generated code runs
them in an ``except BaseException`` part.  They see the state after the statements, so that what
depends on variables which these change cannot be told, and is left out.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from typing import Any

from ...errors import TracingError
from ...graph.ir import Block, Node
from ...graph.walking import walk
from ...stage.machine import BREAK, NORMAL
from ...types.kinds import OPAQUE
from ...types.operators import INPLACE
from ...types.spelling import begin_cleanup, begin_guarded, end_cleanup
from ..collaborator import Collaborator
from ..flow.control import Refusal
from ..record.homes import RAISE
from ..record.journal import Cell, Lost, Stored, Version
from ..record.scopes import during
from ..record.tracers import ArrayTracer, Poison
from .attempts import UNTOLD, refused

MAY_RAISE = frozenset({"apply", "read", "write", "update", "effect", "loop", "call", "get",
                       "pop", "put", "append"})


class Guarded(Collaborator):
    """Cleaning up after exceptions that leave the function."""

    speaks_to = ("branches", "effects", "recorder", "sources")

    def __init__(self) -> None:
        self.left_changed: list[Cell] = []

    cleaning = False

    def changed_by(self, body: Callable[[], Any]) -> tuple[Any, list[Cell]]:
        """Run statements; also the cells that they have changed."""
        mark = self.recorder.mark()
        self.journal.push()
        try:
            result = body()
        except BaseException:
            self.left_changed = self.journal.changed(mark.layers + 1)
            raise
        else:
            return result, self.journal.changed(mark.layers + 1)
        finally:
            mark.keep()

    def guard_left(self, start: int, clean: Callable[[], Any]) -> None:
        """Statements are left to find out whether an operation raises: guard those before it."""
        self.guard_nodes(start, self.left_changed, clean)

    def guard_nodes(self, start: int, changed: list[Cell], clean: Callable[[], Any]) -> None:
        """Record what ``clean`` does outside for the case that one of the present region's nodes
        from number ``start`` on raises."""
        mark = self.recorder.mark()
        region, nodes = mark.region, mark.region.builder.nodes
        if not any(n.op in MAY_RAISE for n in walk(Block((), tuple(nodes[start:]), ()))) or (
                self.cleaning):
            return
        stop = self.recorder.stop_at
        with during(self.recorder, stop_at=None), during(self, cleaning=True):
            self.effects.emit_effect(begin_cleanup, (), {}, None)
            self.journal.push()
            try:
                for cell in changed:
                    if not isinstance(cell, (Version, Lost, Stored)):
                        self.journal.write(cell, CHANGED)
                done = self.branches.ended(clean) in (NORMAL, None, RAISE)
            except (Refusal, Exception):
                done = False
        done = done and self.recorder.region is region
        mark.leave()
        made = mark.made[1:]
        if not done or not any(n.op == "effect" for n in walk(Block((), tuple(made), ()))):
            mark.undo()
            return
        if stop is not None and any(stop.meets(region, n.op, n.params) for n in made):
            raise refused(self.machine, UNTOLD)
        self.effects.emit_effect(end_cleanup, (), {}, None)
        if any(id(nodes[mark.count]) in again.places for again in self.recorder.echoes):
            return  # it has been recorded with the statements before
        nodes.insert(start, Node("effect", (), (), {
            "fn": begin_guarded, "args": (), "kwargs": {}}, (), made[0].origin))

    def leave_raising(self, leave: Any, manager: Any) -> Any:
        """``manager.__exit__`` with the exception that is on its way."""
        error = self.effects.emit_effect(sys.exc_info, (), {}, OPAQUE)
        parts = [self.machine.getitem(error, i) for i in range(3)]
        swallowed = self.machine.static_truth(self.machine.call(leave, manager, *parts))
        return NORMAL if swallowed is False else BREAK  # else it cannot be followed

    def shadow_of(self, obj: Any) -> Any:
        return None if self.cleaning else self.sources.shadow_of(obj)

    def setitem(self, obj: Any, key: Any, value: Any) -> None:
        if self.cleaning and type(obj) is ArrayTracer:
            self.effects.emit_effect(operator.setitem, (obj, key, value), {}, None)
        else:
            self.next.setitem(obj, key, value)

    def inplace(self, op: str, left: Any, right: Any) -> Any:
        if self.cleaning and type(left) is ArrayTracer:
            self.effects.emit_effect(INPLACE[op], (left, right), {}, None)
            return left
        return self.next.inplace(op, left, right)


CHANGED = Poison(TracingError(
    "a variable is read where statements were left by an exception",
    why="how far they came depends on the run", fix="please report this program"))
