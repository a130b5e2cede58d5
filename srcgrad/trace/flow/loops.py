"""``for`` and ``while``: staged, run as Python, or unrolled."""

from __future__ import annotations

import dis
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

from ...errors import AliasError, JoinError, UnsupportedOperation
from ...graph.ir import Node, Value
from ...graph.parts import LoopParts
from ...stage.machine import BREAK, CONTINUE, NORMAL, RETURN
from ...types.dims import Poly, evaluate, is_varying, proves_nonnegative
from ...types.kinds import Kind
from ..assumptions import PARTS, FollowedArrays, KnownLengths, StoredObjects
from ..collaborator import Collaborator
from ..heap.stores import FEW
from ..iteration.iteration import (
    Cursor,
    Enumerate,
    Items,
    Mapped,
    Numbers,
    Range,
    Reversed,
    Rows,
    Staged,
    Zip,
    item,
    length,
    opened,
    staged_iterable,
    static_items,
)
from ..iteration.iterator_tools import growing, taken
from ..objects.special_methods import python_method
from ..record.homes import RAISE
from ..record.regions import in_library
from ..record.scopes import on_top
from ..record.states import Columns, SymbolicList
from ..record.structures import LONG_TEXT
from ..record.tracers import Jump
from .branches import USER_ERRORS, is_of_program
from .control import Bottom, Longer, Refusal, Restart, Unroll

UNROLL_LIMIT = 64
WRITTEN_OUT = 600  # bytes of code: known iterations that are longer together stay a loop
# remedies of a refusal under which a loop need not be unrolled
KEEPING_LOOPS = StoredObjects, FollowedArrays
WRITTEN_LIMIT = 512  # where the program text has the count
FEW_NODES = 240  # of iterations that are written out because a list from outside has few items
FEW_FOR_TEXT = 60  # of iterations over a known text


def _size(body: Any) -> int:
    """How long the staged code of a region is, with that of the regions in it."""
    size, cells = 0, list(getattr(body, "__closure__", None) or ())
    codes = [body.__code__]
    while codes:
        code = codes.pop()
        size += len(code.co_code)
        codes += [c for c in code.co_consts if isinstance(c, types.CodeType)]
    return size + sum(_size(cell.cell_contents) for cell in cells if isinstance(
        cell.cell_contents, types.FunctionType))


def _are_alike(items: tuple[Any, ...]) -> bool:
    """Are all numbers of one type, or tuples of as many that are?"""
    if {*map(type, items)} == {tuple}:
        return len({*map(len, items)}) == 1 and items[0] != () and all(
            map(_are_alike, zip(*items, strict=True)))
    return {*map(type, items)} <= {int, float} and len({*map(type, items)}) == 1


def cleans_up(iterator: Any) -> bool:
    """Is it a generator with ``try`` or ``with`` statements?"""
    if not isinstance(iterator, types.GeneratorType):
        return False
    code: Any = dis.Bytecode(iterator.gi_code)
    handlers = {e.target for e in code.exception_entries}
    return len(handlers) > (1 if sys.version_info >= (3, 12) else 0)  # 3.12 adds one to each


class Loops(Collaborator):
    """``for`` and ``while``."""

    speaks_to = ("branches", "calls", "comparisons", "containers", "escapes", "lists", "merges",
                 "opening", "recorder", "references", "rounds", "sources", "walks",
                 "whole_lists")

    def __init__(self) -> None:
        self.longer: set[Any] = set()  # where loops over what is known are less text as loops

    # ---- for ---------------------------------------------------------------------------------

    def for_(self, iterable: Any, target: Callable[[Any], None], body: Callable[[], Any],
             orelse: Callable[[], Any] | None = None,
             rest: Callable[[], Any] | None = None) -> Any:
        iterable = self.references.seen(opened(self.machine, iterable))
        staged = self.loop_source(iterable)
        if staged is None and type(iterable) is tuple and self._is_long(iterable, body):
            staged = self.opening.constants(iterable)
        if staged is None:
            if type(iterable) in (list, tuple, zip, enumerate):
                self.opening.gather_whole(iterable, max(1, LONG_TEXT // _size(body)))
            if self.opening.may_open() and python_method(iterable, "__next__") is not None:
                return self._taken_for(iterable, target, body, orelse, rest)
            known = self.opening.known_walk(iterable)
            if known is not None and not self.assumed.unrolls(self.rounds.site(body)):
                return self._known_for(known, target, body, orelse, rest)
            self._note_items(iterable)
            return self.references.run_items(self.containers.outside_items(iterable), target, body,
                                             orelse, rest)
        if self._is_empty(staged):
            return self.loop_end(NORMAL, orelse, rest)
        return self._staged_for(staged, target, body, orelse, rest)

    def _is_long(self, items: tuple[Any, ...], body: Any) -> bool:
        """Are the iterations over known numbers too much text to be written out?  (Library code
        makes sizes of them, which must be known.)"""
        where = self.recorder.where()
        if where is not None and in_library(where.filename):
            return False
        return len(items) > 1 and _are_alike(items) and len(items) * _size(body) > WRITTEN_OUT

    def _is_empty(self, iterable: Any) -> bool:
        """Is nothing in what is gone through, as far as is known?"""
        if isinstance(iterable, (list, tuple)):
            state = self.symbolic_lists.get(id(iterable))
            return (state.value.aval.elem is None if type(state) is SymbolicList
                    else state is None and not iterable)
        if isinstance(iterable, (Zip, Mapped)):
            return any(map(self._is_empty, iterable.parts))
        if isinstance(iterable, Rows):  # what it goes through is one array, unless asked for
            return False
        inner = iterable.list if isinstance(iterable, Items) else getattr(iterable, "inner", None)
        return isinstance(inner, (Staged, list, tuple)) and self._is_empty(inner)

    def loop_source(self, iterable: Any) -> Any:
        """The staged form of what a for runs over; None where Python iterates."""
        if isinstance(iterable, range):
            return Range(iterable.start, iterable.stop, iterable.step)
        return staged_iterable(self.machine, iterable)

    def _note_items(self, iterable: Any) -> None:
        """Say in ``explain`` that a loop over a container runs while tracing."""
        if isinstance(iterable, (list, tuple, dict, set)):
            self.sources.note_here(
                f"loop unrolled {len(iterable)} times",
                f"the items of the {type(iterable).__name__} are known while compiling")

    def run_items(self, items: Any, target: Callable[[Any], None], body: Callable[[], Any],
                   orelse: Callable[[], Any] | None, rest: Callable[[], Any] | None) -> Any:
        """A loop whose items are known: it runs as Python; a jump that depends on data makes
        the following iterations part of a branch."""
        return self.loop_end(self._one_after_another(items, target, body), orelse, rest)

    def _taken_for(self, iterator: Any, target: Callable[[Any], None], body: Callable[[], Any],
                   orelse: Callable[[], Any] | None, rest: Callable[[], Any] | None) -> Any:
        """A loop over an iterator of a class: ``while`` until it raises StopIteration; if that
        cannot be, it is gone through while tracing."""
        mark = self.recorder.mark()
        self.journal.push()
        self.assumed.risk(KnownLengths())
        try:
            jump = self.machine.for_(self.machine.call(taken, iterator), target, body, orelse)
        except (Refusal, Unroll):
            mark.undo()
            return self.references.run_items(
                self.containers.outside_items(iterator), target, body, orelse, rest)
        except Exception:  # what has run up to here has
            mark.keep()
            raise
        self.journal.commit()
        return self.branches.after(jump, rest)

    def _known_for(self, staged: Any, target: Callable[[Any], None], body: Callable[[], Any],
                   orelse: Callable[[], Any] | None, rest: Callable[[], Any] | None) -> Any:
        """A loop over known texts: it runs as Python, but stays a loop if that is much text."""
        site = self.rounds.site(body)
        if site in self.longer:
            return self._staged_for(staged, target, body, orelse, rest)
        mark = self.recorder.mark()
        self.journal.push()
        try:
            jump = self._one_after_another(
                static_items(self.machine, staged), target, body, staged=staged)
        except Longer as found:
            if found.staged is not staged:
                raise
            mark.undo()
            self.opening.give_texts(staged)
            self.longer.add(site)
            return self._staged_for(staged, target, body, orelse, rest)
        except Exception:  # it has run as Python up to here
            mark.keep()
            raise
        self.journal.commit()
        return self.loop_end(jump, orelse, rest)

    def _one_after_another(self, items: Any, target: Callable[[Any], None],
                           body: Callable[[], Any], staged: Any = None) -> Any:
        """The jump with which a loop ends that runs as Python.  Where its iterations make much
        text, it is begun anew as a loop: over what is ``staged``, or over a list gathered."""
        iterator = self.walks.watched(items)
        most = self.recorder.node_count + (FEW_NODES if staged is None else FEW_FOR_TEXT)

        def go_on() -> Any:
            for one in iterator:
                if self.recorder.node_count > most:
                    if staged is not None:
                        raise Longer(staged)
                    self.whole_lists.gather_one()
                target(one)
                jump = body()
                if isinstance(jump, Jump):
                    if not jump.codes <= {NORMAL, CONTINUE}:
                        self.calls.leave(iterator)
                    if not jump.codes <= {NORMAL, CONTINUE} and cleans_up(iterator):
                        raise self.recorder.fatal(UnsupportedOperation(
                            "a loop over a generator with a try or with statement is left early, "
                            "which depends on data",
                            why="the rest of that statement would run where the loop is left",
                            fix="collect the items in a list before the loop"))
                    return self._after_iteration(jump, go_on)
                if jump == BREAK:
                    return BREAK
                if jump in (RETURN, RAISE):
                    return jump
            return NORMAL

        with on_top(self.merges.iterating, items if isinstance(items, (list, tuple)) else None):
            return go_on()

    def _after_iteration(self, jump: Jump, go_on: Callable[[], Any]) -> Any:
        """The following iterations, run where the jump did not leave the loop."""
        if jump.codes <= {NORMAL, CONTINUE}:
            return go_on()
        if not jump.codes & {NORMAL, CONTINUE}:
            return jump
        left = jump.codes - {NORMAL, CONTINUE}
        taken: Any = next(iter(left)) if len(left) == 1 else Jump(left, jump.leave, jump.leave,
                                                                  jump.back)
        return self.machine.if_(self.stays(jump), go_on, lambda: taken)

    def stays(self, jump: Jump) -> Any:
        """Does an iteration that ends with a jump not leave the loop?"""
        return self.machine.compare("==", self.as_tracer(jump.leave), 0)

    def as_tracer(self, value: Any) -> Any:
        return self.recorder.wrap(value) if isinstance(value, Value) else value

    def loop_end(self, jump: Any, orelse: Callable[[], Any] | None,
                  rest: Callable[[], Any] | None) -> Any:
        """What follows a loop that ended with ``jump``: its else, then the rest."""
        if not isinstance(jump, Jump):
            if jump in (NORMAL, None, CONTINUE) and orelse is not None:
                jump = orelse()
                return self.branches.after(jump, rest)
            return self.branches.after(NORMAL if jump == BREAK else jump, rest)
        outer: Any = NORMAL
        if RETURN in jump.codes:
            codes = frozenset(RETURN if c == RETURN else NORMAL for c in jump.codes)
            outer = Jump(codes, jump.back, jump.back, jump.back) if len(codes) > 1 else RETURN
        if orelse is None:
            return self.branches.after(outer, rest)
        finished = self.stays(jump)
        return self.branches.after(self.machine.if_(finished, orelse, lambda: outer), rest)

    def _staged_for(self, staged: Any, target: Callable[[Any], None], body: Callable[[], Any],
                    orelse: Callable[[], Any] | None, rest: Callable[[], Any] | None) -> Any:
        mark = self.recorder.mark()
        site = self.rounds.site(body)
        reason = self.assumed.reason_to_unroll(site)
        walked = self.walks.walked(staged)
        if reason is None:
            self.journal.push()
            lists = self._lists(staged)
            bounds, index = self._counted(staged, body)
            try:
                jump = self._trace_for(staged, target, body, bounds, index)
            except Unroll as need:
                if need.symbol not in index.atoms():
                    raise
                reason = need.reason
            except Bottom:  # as far as is known, no iteration comes to its end
                mark.undo()
                return self.loop_end(NORMAL, orelse, rest)
            except USER_ERRORS as error:
                if not is_of_program(error):
                    raise
                runs, number = self._certainly_runs(staged), self.count(staged)
                if runs and number is None and not self.recorder.trying:
                    raise
                mark.undo()
                if runs and number is not None:  # with what was done until it is raised
                    items = self.walks.checked(walked, self._unrolled(
                        staged, f"an iteration raises {type(error).__name__}"))
                    return self.references.run_items(items, target, body, orelse, rest)
                self.journal.push()
                bounds, index = self._counted(staged, body)  # what counted before is unwound
                jump = self._trace_for(staged, target, body, bounds, index, raises=True)
                self.journal.commit()
                return self.loop_end(jump, orelse, rest)
            except Refusal as refusal:
                known = site in self.longer
                if not known and not refusal.varies and not isinstance(
                        refusal.error, (JoinError, AliasError)):
                    raise
                count = length(self.machine, staged)
                kept = next((r for r in refusal.remedies if isinstance(
                    r, KEEPING_LOOPS) and r != PARTS and self.assumed.open(r)), None)
                few = type(count) is int and count <= FEW and count * _size(body) <= WRITTEN_OUT
                if kept is not None and not known and not few:
                    raise Restart(kept) from None
                if not known and self.count(staged) is None:
                    self.unroll_makers(staged)
                    raise
                reason = refusal.error.what
            else:
                if changed := self.walks.changed(walked):
                    mark.undo()
                    return self.machine.for_(self.walks.watchfully(staged, changed), target, body,
                                             orelse, rest)
                if not all(map(self._is_as_long, lists, self._lists(staged))):
                    mark.undo()
                    return self._while_there(staged, target, body, orelse, rest)
                if not self._loses_ranks(staged, mark.made):
                    self.journal.commit()
                    return self.loop_end(jump, orelse, rest)
                reason = "an array has another rank after each iteration"
            mark.undo()
        found: Any = static_items(self.machine, staged) if site in self.longer else (
            self._unrolled(staged, reason))
        items = self.walks.checked(walked, found)
        return self.references.run_items(items, target, body, orelse, rest)

    def _loses_ranks(self, staged: Any, nodes: list[Node]) -> bool:
        """Are there so few iterations that it is known what rank an array has after them?"""
        loops = [LoopParts(node) for node in nodes if node.op == "loop"]
        if not any(new.aval.kind is Kind.ANY and old.aval.is_array
                   for loop in loops for old, new in zip(loop.inits, loop.results)):
            return False
        count = self.count(staged)
        return type(count) is int and count <= FEW

    def _lists(self, staged: Any) -> list[Value]:
        """The lists of unknown length that a loop goes through, as they are now."""
        if isinstance(staged, Items):
            held = self.symbolic_lists.get(id(staged.list))
            if held is None:
                return []
            return [(held.columns[0] if type(held) is Columns else held).value]
        inner = staged.parts if isinstance(staged, (Zip, Mapped)) else (
            (staged.inner,) if isinstance(staged, (Enumerate, Reversed, Cursor)) else ())
        return [one for each in inner for one in self._lists(each)]

    def _is_as_long(self, before: Value, after: Value) -> bool:
        sizes = self.recorder.list_sizes
        return before is after or bool(sizes.of(before) == sizes.of(after))

    def _while_there(self, staged: Any, target: Callable[[Any], None], body: Callable[[], Any],
                     orelse: Callable[[], Any] | None, rest: Callable[[], Any] | None) -> Any:
        """A loop over a list whose length it changes: it ends where there is no next item."""
        inner = staged.inner if isinstance(staged, Enumerate) else staged
        if not isinstance(inner, Items):
            raise self.recorder.fatal(UnsupportedOperation(
                "a loop that changes the length of a list that it goes through with another",
                why="how many iterations there are depends on what they do",
                fix="loop over a copy of the list, or use while"))
        items = self.machine.call(growing, inner.list)
        if isinstance(staged, Enumerate):
            items = self.machine.call(enumerate, items, staged.start)
        return self.machine.for_(items, target, body, orelse, rest)

    def _certainly_runs(self, staged: Any) -> bool:
        """Is there an iteration in this call?  If not, what its body would raise is not raised."""
        expr = self.comparisons.int_expr(length(self.machine, staged))
        return expr is not None and not is_varying(expr) and evaluate(expr,
            self.sources.numbers) > 0

    def count(self, staged: Any) -> int | None:
        """The number of iterations in this call, if the loop may be unrolled."""
        count = length(self.machine, staged)
        expr = self.comparisons.int_expr(count)
        if expr is None or is_varying(expr):
            return None
        number = int(evaluate(expr, self.sources.numbers))
        return number if number <= (WRITTEN_LIMIT if type(count) is int else UNROLL_LIMIT) else None

    def _unrolled(self, staged: Any, reason: str) -> Iterator[Any]:
        """The items of a loop that must be unrolled, under a guard of their number."""
        count = length(self.machine, staged)
        if type(count) is int or isinstance(staged, Numbers):
            number = len(staged.numbers) if isinstance(staged, Numbers) else count
        else:
            self.unroll_makers(staged)
            for part in staged.parts if isinstance(staged, Zip) else ():
                if self.count(part) == self.count(staged):  # no longer than the others
                    self.escapes.demand(length(self.machine, part), reason)
            number = self.escapes.demand(count, f"{reason}, so the loop is unrolled")
            if number > UNROLL_LIMIT:
                raise self.recorder.of_forms(UnsupportedOperation(
                    f"a loop of {number} iterations would have to be unrolled",
                    why=f"the number of its index is needed while compiling: {reason}",
                    fix="keep what the index selects in one array, so that it can be indexed "
                        f"at run time (loops of up to {UNROLL_LIMIT} iterations are unrolled)"))
        self.sources.notes.append(f"loop unrolled {number} times: {reason}")
        return self.one_by_one(staged, number)

    def one_by_one(self, staged: Any, number: int) -> Iterator[Any]:
        """The items of a loop, each read when its iteration begins: what ran before may have
        changed it, and how many there are."""
        known = type(length(self.machine, staged)) is int
        for i in range(number):
            if known and i >= length(self.machine, staged):
                return
            yield item(self.machine, staged, i)

    def few_items(self, staged: Any) -> list[Any] | None:
        """The items of what is gone through, if they are few whatever the arguments are, under a
        guard of their number: ``zip(("a", "b"), x)``."""
        expr = None if staged is None else self.comparisons.int_expr(length(self.machine, staged))
        if expr is None or is_varying(expr) or not proves_nonnegative(UNROLL_LIMIT - expr):
            return None
        return list(self._unrolled(staged, "the keys of a dict"))

    def unroll_makers(self, staged: Any) -> None:
        """The number of items is needed: where they lie in lists that loops have filled, start
        again with those loops unrolled."""
        if isinstance(staged, Items) and isinstance(staged.list, list):
            self.lists.unroll_maker(staged.list)
        for name in ("inner", "parts"):
            part = getattr(staged, name, ())
            for one in part if isinstance(part, tuple) else (part,):
                self.unroll_makers(one)

    def _counted(self, staged: Any, body: Any) -> tuple[tuple[Any, Any, Any], Poly]:
        """The start, stop and step of a for loop, and the symbol of its index: a new one, from
        where all symbols of this trace come, with the bounds that are known."""
        if isinstance(staged, Range):
            bounds = (staged.start, staged.stop, staged.step)
        else:
            bounds = (0, length(self.machine, staged), 1)
        low = high = None
        start, stop, step = map(self.comparisons.int_expr, bounds)
        if start is not None and stop is not None and isinstance(step, int):
            low, high = (start, stop - 1) if step > 0 else (stop + 1, start)
        index = self.fresh("i", low=low, high=high)
        self.sources.loop_atoms.update(dict.fromkeys(index.atoms(), _size(body)))
        return bounds, index

    def _trace_for(self, staged: Any, target: Callable[[Any], None], body: Callable[[], Any],
                   bounds: tuple[Any, Any, Any], index: Poly, raises: bool = False) -> Any:
        number: Any = None

        def start(counted: Any) -> None:
            nonlocal number
            number = counted
            if not raises:
                take()

        def take() -> None:
            target(number if isinstance(staged, Range) else item(self.machine, staged, number))

        def iteration() -> Any:
            take()
            return body()

        user = "range" if isinstance(staged, Range) else "rows"
        return self.rounds.trace_loop("for", [self.recorder.as_value(b) for b in bounds], None,
                                      (index, start), body if not raises else (
                                          lambda: self.branches.ended(iteration)), user)

    # ---- while -------------------------------------------------------------------------------
    def while_(self, test: Callable[[], Any], body: Callable[[], Any],
               orelse: Callable[[], Any] | None = None,
               rest: Callable[[], Any] | None = None) -> Any:
        self.rounds.tested_inside = None
        jump = self._run_while(test, body)
        ended, self.rounds.tested_inside = self.rounds.tested_inside, None
        if ended is None or orelse is None:
            return self.loop_end(jump, orelse, rest)

        def follow() -> Any:
            return self.branches.after(self.machine.if_(self.machine.load(ended, "finished"),
                                                        orelse, lambda: NORMAL), rest)

        return self.loop_end(jump, None, follow)

    def _run_while(self, test: Callable[[], Any], body: Callable[[], Any]) -> Any:
        """Loops over static state run as Python while their test stays static; others are
        staged."""
        mark, raised = self.recorder.mark(), False
        self.journal.push()
        try:
            try:
                outcome = self._try_static(test, body)
            except Exception:  # it has run as Python up to here
                mark.keep()
                raised = True
                raise
            self.rounds.tested_inside = None
            if outcome is not None:
                self.journal.commit()
                return outcome[0]
            mark.undo()
            return self.rounds.trace_loop("while", [], test, None, body, "while")
        except USER_ERRORS as error:
            if raised:
                raise
            mark.undo()
            if not is_of_program(error) or (
                    not self.recorder.trying and self.machine.static_truth(self.machine.condition(
                        test()))):
                raise
            mark.undo()
            self.rounds.tested_inside = None
            return self.rounds.trace_loop("while", [], test, None,
                                          lambda: self.branches.ended(body), "while")
        except Bottom:  # as far as is known, no iteration comes to its end
            mark.undo()
            if self.machine.static_truth(self.machine.condition(test())):
                raise
            return NORMAL

    def _try_static(self, test: Callable[[], Any], body: Callable[[], Any]) -> Any:
        """Run a while as Python if its test stays static for a few iterations and ends."""
        for _ in range(UNROLL_LIMIT):
            known = self.machine.static_truth(self.machine.condition(test()))
            if known is None:
                return None
            if not known:
                return (NORMAL,)
            before = self.recorder.node_count
            jump = body()
            if isinstance(jump, Jump):
                return None
            if jump in (BREAK, RETURN, RAISE):
                return (jump,)
            if self.recorder.node_count > before + 2000:
                return None
        return None
