"""Branches: both arms are run, their mutations undone and merged into outputs of an ``if``."""

from __future__ import annotations

import dis
import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...errors import SrcgradError
from ...graph.ir import Value
from ...stage.machine import NORMAL
from ...stage.regions import names_read
from ...types.dims import Atom
from ..assumptions import DecidedCondition
from ..collaborator import Collaborator
from ..record.homes import RAISE
from ..record.journal import Box, BoxCell
from ..record.scopes import on_top
from ..record.tracers import Jump, ScalarTracer
from .control import Bottom
from .merges import Arm

if TYPE_CHECKING:
    from ..exceptions.attempts import Met

USER_ERRORS = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, NameError)
_DONE_FOR_THE_PROGRAM = ("CALL", "RAISE", "SUBSCR", "GET_ITER")  # in names of instructions


def is_of_program(error: Exception) -> bool:
    """Is an exception that came up while tracing the program's, not a refusal or a mistake of ours?
    What the program does is done by calls, subscripts and ``raise``; the tracer's own arithmetic,
    attributes and names do not fail.

    >>> def kept(error):
    ...     try: raise error
    ...     except Exception as raised: return is_of_program(raised)
    >>> kept(IndexError("list index out of range")), kept(SrcgradError("refused"))
    (True, False)

    Nor has a program a size that is a symbol: it is ours that is not known where it is asked for.

    >>> kept(KeyError("n")), kept(KeyError(Atom("n")))
    (True, False)
    """
    if isinstance(error, SrcgradError) or any(isinstance(part, Atom) for part in error.args):
        return False
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    if place is None or not str(place.tb_frame.f_globals.get("__name__")).startswith("srcgrad."):
        return True
    failed = next((i.opname for i in dis.get_instructions(place.tb_frame.f_code)
                   if i.offset == place.tb_lasti), "CALL")
    return any(name in failed for name in _DONE_FOR_THE_PROGRAM)


class Branches(Collaborator):
    """``if``, conditional expressions, ``and`` and ``or``."""

    speaks_to = ("comparisons", "merges", "recorder", "recursion", "references", "truths")

    def __init__(self) -> None:
        self.safe: set[Value] = set()
        self.open_tests: list[tuple[bool, int]] = []
        self.demanding = 0  # in an iterator of the user's: whether it ends is needed while tracing
        self.call_sites: list[Any] = []
        self.met: Met | None = None  # by the body of a try statement

    # ---- if --------------------------------------------------------------------------------
    def if_(self, test: Any, then: Callable[[], Any], orelse: Callable[[], Any],
            rest: Callable[[], Any] | None = None) -> Any:
        known, tested, fixed = self._decided(test, self.demanding > 0)
        if known is not None:
            return self.after(then() if known else orelse(), rest)
        with on_top(self.open_tests, (fixed, len(self.call_sites))):
            return self.branch(self.recorder.value_of(tested), then, orelse, rest,
                               read_after(then, orelse))

    def _decided(self, test: Any, demanded: bool) -> tuple[Any, Any, bool]:
        """The truth of a condition, if it is known, and what tells it, where what a whole call
        decides is known if it is ``demanded``, or decided in this function or by an assumption;
        and whether it is so decided."""
        test = self.machine.condition(test)
        known = self.machine.static_truth(test)
        tested = test if known is not None else self.machine.predicate(test)
        known = tested if type(tested) is bool else known
        condition = self.comparisons.fixed_condition(tested.value) if known is None and (
            type(tested) is ScalarTracer) else None
        if condition is not None and (demanded or self.decides() or (
                DecidedCondition(*condition) in self.assumed)):
            known = self.machine.truth(tested)
        return known, tested, condition is not None

    def after(self, jump: Any, rest: Callable[[], Any] | None) -> Any:
        """Go on with the rest of a block after a statement that may have jumped."""
        if rest is None:
            return jump
        if not isinstance(jump, Jump):
            return rest() if jump == NORMAL or jump is None else jump
        if NORMAL not in jump.codes:
            return jump
        left = jump.codes - {NORMAL}
        taken: Any = next(iter(left)) if len(left) == 1 else Jump(left, jump.full, jump.leave,
                                                                  jump.back)
        went_on = self.machine.compare("==", self.recorder.wrap(jump.full), 0)
        return self.machine.if_(went_on, rest, lambda: taken)

    def branch(self, predicate: Value, then: Callable[[], Any], orelse: Callable[[], Any],
               rest: Callable[[], Any] | None, later: frozenset[str] | None = None) -> Any:
        """A branch on data.  ``later``: the variables that may be read after it."""
        known = self.truths.known_truth(predicate)
        if known is not None:
            return self.after((then if known else orelse)() or NORMAL, rest)
        if self.met is not None and self.met.region is self.recorder.region:
            self.met.note(predicate)
        bottoms = self.recursion.bottoms
        first = self.merges.trace_arm(functools.partial(self.ended, then), (predicate, True))
        second = self.merges.trace_arm(functools.partial(self.ended, orelse), (predicate, False))
        first.jump, second.jump = first.jump or NORMAL, second.jump or NORMAL
        exits = [isinstance(a.jump, Jump) or a.jump not in (NORMAL, RAISE) for a in (first, second)]
        if rest is not None and exits[0] != exits[1]:
            stays = second if exits[0] else first
            leaves_ = first if exits[0] else second
            if stays.jump == NORMAL and not isinstance(leaves_.jump, Jump):
                # one arm certainly leaves: the rest of the block belongs to the other one
                self.continue_arm(stays, rest)
                return self._returning(self.merges.merge(predicate, first, second, later), bottoms)
        jump = self._returning(self.merges.merge(predicate, first, second, later), bottoms)
        raises = [arm.jump == RAISE for arm in (first, second)]
        if raises[0] != raises[1] and self.recursion.bottoms == bottoms:
            self.truths.note_raising(predicate, raises[1])
        return self.after(jump, rest)

    def _returning(self, jump: Any, bottoms: int) -> Any:
        """The jump after a branch, unless both arms wait for the result of a recursive call."""
        if type(jump) is int and jump == RAISE and self.recursion.bottoms > bottoms:
            raise Bottom
        return jump

    def continue_arm(self, arm: Arm, rest: Callable[[], Any]) -> None:
        self.merges.enter_arm(arm)
        try:
            arm.jump = self.ended(rest) or NORMAL
        finally:
            self.merges.leave_arm(arm)

    def ended(self, body: Callable[[], Any]) -> Any:
        """Run an arm.  What certainly raises in it (shapes that do not fit, an attribute that
        does not exist) is raised when the arm is taken: plain Python would not meet it before."""
        mark = self.recorder.mark()
        try:
            return body()
        except Bottom:
            mark.leave()
            return RAISE
        except USER_ERRORS as error:
            if not is_of_program(error):
                raise
            mark.leave()  # also loops that were being traced
            return self.machine.raise_(error, None, False)

    def decides(self) -> bool:
        """Is a function running that calls itself and is inlined all the same?  What the call
        decides is decided there, so that each level is known."""
        return bool(self.call_sites) and self.assumed.inlines(self.call_sites[-1][0])

    # ---- expressions -----------------------------------------------------------------------
    def if_expression(self, test: Any, then: Callable[[], Any], orelse: Callable[[], Any]) -> Any:
        known, tested, fixed = self._decided(test, False)
        if known is not None:
            return then() if known else orelse()
        with on_top(self.open_tests, (fixed, len(self.call_sites))):
            return self.choose(self.recorder.value_of(tested), then, orelse)

    def choose(self, predicate: Value, then: Callable[[], Any], orelse: Callable[[], Any]) -> Any:
        """The value of a conditional expression on data: a branch that stores into a slot."""
        from_slot = Box()
        self.journal.born(from_slot)
        self.branch(predicate, lambda: self.journal.write(BoxCell(from_slot), then()),
                    lambda: self.journal.write(BoxCell(from_slot), orelse()), None)
        found = self.references.loaded(from_slot.content)
        if type(found) is ScalarTracer and found.value in self.truths.equals:
            value, truth = self.truths.equals[found.value]
            return self.recorder.wrap(value) if truth else self.machine.not_(
                self.recorder.wrap(value))
        return found

    def and_(self, first: Any, *rest: Callable[[], Any]) -> Any:
        return self._boolean(first, rest, True)

    def or_(self, first: Any, *rest: Callable[[], Any]) -> Any:
        return self._boolean(first, rest, False)

    def _boolean(self, first: Any, rest: tuple[Callable[[], Any], ...], go_on: bool) -> Any:
        """``and`` (go on while true) and ``or`` (go on while false)."""
        value = first
        for i, thunk in enumerate(rest):
            known, tested, _ = self._decided(value, False)
            if known is not None:
                if known is not go_on:
                    return value
                value = thunk()
                continue
            following = rest[i:]
            current = value

            def more(following: Any = following) -> Any:
                return self._boolean(following[0](), following[1:], go_on)

            def stop(current: Any = current) -> Any:
                return current

            predicate = self.recorder.value_of(tested)
            return self.choose(predicate, more if go_on else stop, stop if go_on else more)
        return value


def read_after(*regions: Any) -> frozenset[str] | None:
    """The variables that may be read after the statement of some regions."""
    for region in regions:
        if hasattr(region, "__globals__"):
            found = names_read("after", region)
            if found is not None:
                return found
    return None
