"""Loops that an exception leaves: in the body of a ``try``, as a jump.

Where an operation in a loop of unknown length may raise what a ``try`` around the loop catches, the
loop's body is a ``try`` of its own, whose handler remembers the exception and breaks; it is
raised again after the loop, where it is known which one it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...stage.machine import BREAK, NORMAL, Frame
from ..assumptions import UnrolledLoop
from ..collaborator import Collaborator
from ..flow.control import Refusal, Restart
from ..flow.later import Body
from ..iteration.iteration import Range, staged_iterable
from ..record.raising import kinds_in
from ..record.tracers import is_tracer
from .attempts import asks_for_error

# the class of an exception, and the number and names of what it is made of (None: not asked for)
Form = tuple[type[BaseException], Any]
Catching = list[tuple[Any, Any]]  # handlers, each with the classes that it catches


class Escapes(Collaborator):
    """``for`` and ``while`` in the body of a ``try``."""

    speaks_to = ("branches", "construction", "loops", "rounds", "sources", "statements")

    def __init__(self) -> None:
        self.catching: list[Catching] = []
        self.escape_codes: dict[Any, dict[Form, int]] = {}
        # such loops: their sites, and what they go through
        self.escaped: list[tuple[Any, Any]] = []
        self.raising_tests: set[Any] = set()  # the sites of loops whose tests may raise

    def demand(self, tracer: Any, reason: str) -> int:
        try:
            return self.sources.demand(tracer, reason)
        except Refusal as refusal:
            for site, staged in self.escaped:  # whether it is left decides what is known after it
                if refusal.varies and not self.assumed.unrolls(site) and (
                        staged is not None and self.loops.count(staged) is not None):
                    raise Restart(UnrolledLoop(site, reason)) from None
            raise

    def for_(self, iterable: Any, target: Any, body: Any, orelse: Any = None,
             rest: Any = None) -> Any:
        if not self._is_left(body):
            return self.next.for_(iterable, target, body, orelse, rest)
        self.escaped.append((self.rounds.site(body), Range(
            iterable.start, iterable.stop, iterable.step) if type(iterable) is range
            else staged_iterable(self.machine, iterable)))
        frame = self.escape_frame()
        jump = self.next.for_(iterable, target, self._guarded(body, frame, body), orelse)
        return self.branches.after(self._raised_again(frame, body, jump), rest)

    def while_(self, test: Any, body: Any, orelse: Any = None, rest: Any = None) -> Any:
        if not self._is_left(body):
            return self.next.while_(test, body, orelse, rest)
        frame = self.escape_frame()
        if self.rounds.site(body) not in self.raising_tests:
            jump = self.next.while_(test, self._guarded(body, frame, body), orelse)
            return self.branches.after(self._raised_again(frame, body, jump), rest)
        self.machine.store(frame, "ended", False)

        def end() -> Any:
            self.machine.store(frame, "ended", True)
            return BREAK

        def tested() -> Any:
            return self.machine.if_(test(), body, end)

        jump = self.next.while_(lambda: True, self._guarded(tested, frame, body))
        jump = self._raised_again(frame, body, jump)
        if orelse is None:
            return self.branches.after(jump, rest)
        jump = self.branches.after(jump, lambda: self.machine.if_(self.machine.load(frame,
            "ended"), orelse,
                                                 lambda: NORMAL))
        return self.branches.after(jump, rest)

    def escape_frame(self) -> Frame:
        """Where it is kept which exception has left a loop (0: none)."""
        frame: Frame = self.machine.scratch_frame("left", 0)
        return frame

    def _is_left(self, body: Any) -> bool:
        """May an exception leave this loop that a ``try`` around it catches?"""
        return bool(self.catching) and not getattr(body, "escapes", False) and (
            hasattr(body, "__code__")) and (
            not self.assumed.unrolls(self.rounds.site(body)))

    def _guarded(self, body: Callable[[], Any], frame: Frame, loop: Any) -> Body:
        """A loop's body that breaks where it would raise what is caught around the loop."""
        caught = tuple(dict.fromkeys(
            t for catching in self.catching for _, types in catching for t in kinds_in(types)))
        named = any(asks_for_error(h) for catching in self.catching for h, _ in catching)
        codes = self.escape_codes.setdefault(self.rounds.site(loop), {})

        def leave() -> Any:
            error = self.statements.handling[-1]
            kind, content = self._taken_apart(error) if (
                named or is_tracer(error)) else ((type(error), None), None)
            number = codes.setdefault(kind, len(codes) + 1)
            self.machine.store(frame, "left", number)
            self.machine.store(frame, _slot(number), content)
            return BREAK

        def run() -> Any:
            return self.machine.try_(body, [(lambda: caught, "raised" if named else None, leave)],
                                     None, None, frame)

        return Body(loop, run, escapes=True)

    def _taken_apart(self, error: Any) -> tuple[Form, Any]:
        """The class and form of an exception, and what it is made of."""
        if is_tracer(error):
            return (self.statements.error_classes[error.value], ()), error
        _, args, kwargs = self.construction.exceptions.get(id(error), (None, error.args, {}))
        form = (len(args), tuple(kwargs), tuple(vars(error)))
        return (type(error), form), (*args, *kwargs.values(), *vars(error).values())

    def _put_together(self, kind: type[BaseException], form: Any, content: Any) -> Any:
        """The exception again."""
        if is_tracer(content):
            self.statements.error_classes[content.value] = kind
            return content
        error = kind.__new__(kind)
        if form is None:
            self.statements.unnamed_errors[id(error)] = error
            return error
        count, keywords, names = form
        given = content[count:count + len(keywords)]
        error.args = content[:count]
        for name, value in zip(names, content[count + len(keywords):], strict=True):
            object.__setattr__(error, name, value)
        self.construction.exceptions[id(error)] = (error, error.args,
                                                   dict(zip(keywords, given, strict=True)))
        return error

    def _raised_again(self, frame: Frame, loop: Any, jump: Any) -> Any:
        """After the loop: raise the exception that has left it."""
        codes = self.escape_codes.get(self.rounds.site(loop), {})
        left = self.machine.load(frame, "left")

        def which(kinds: list[Form]) -> Any:
            kind = kinds[0]
            if len(kinds) > 1:
                return self.machine.if_(self.machine.compare("==", left, codes[kind]),
                                lambda: which(kinds[:1]), lambda: which(kinds[1:]))
            return self.machine.raise_(self._put_together(
                *kind, self.machine.load(frame, _slot(codes[kind]))), None, False)

        if not codes:
            return jump
        return self.machine.if_(self.machine.compare("==", left, 0), lambda: jump,
                                lambda: which(list(codes)))


def _slot(number: int) -> str:
    """The name of what an exception is made of."""
    return "error" if number == 1 else f"error_{number}"
