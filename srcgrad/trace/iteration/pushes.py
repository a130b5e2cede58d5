"""Generators whose items are handed to their consumer.

``for v in items(x): ...`` over a generator that nothing has been taken from runs the generator's
function, with the loop's body at each ``yield`` (the pushing form, see
:mod:`srcgrad.stage.convert.pushing`): both may branch and loop on data.  Where a generator has
no such form, or that fails, Python's own generator runs while tracing.
"""

from __future__ import annotations

import functools
import heapq
import inspect
import itertools
import types
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import UnsupportedOperation
from ...stage.function import Staged as StagedFunction
from ...stage.machine import BREAK, CONTINUE, EXPRESSION, NORMAL, RETURN, UNBOUND, Frame
from ...types.dataclasses import dataclass, field
from ..boundary.scratch import FOUND
from ..collaborator import Collaborator
from ..flow.control import Refusal
from ..flow.later import names_of_loop
from ..heap.unlike import things_in
from ..objects.special_methods import is_subscripted, python_method
from ..record.homes import RAISE
from ..record.journal import Field, Slot
from ..record.scopes import on_top
from ..record.structures import parts_of_iterator
from ..record.tracers import Jump, is_tracer
from .ahead import Ahead
from .iteration import Cursor, Staged, is_computed, length, opened, staged_iterable
from .iterator_tools import TOOLS, iterated, sliced, subscripted, zipped
from .iterators import EXHAUST, LOOKING

FRESH, ENDED, LEFT = 0, 1, 2
SEQUENCES = (list, tuple, str, range, np.ndarray, Staged)  # what items may be asked of by number
IN_TURN: tuple[Any, ...] = (max, min, functools.reduce)  # call a function for each item at once
LAZY: frozenset[Any] = frozenset({  # take items when asked
    zip, map, itertools.zip_longest, itertools.tee, itertools.cycle, heapq.merge})
TAKES_ALL = (EXHAUST | {any, all}) - {len, functools.reduce}


@dataclass(slots=True, eq=False)
class Generated:
    """A call of a generator function.  ``state``: is nothing taken yet, has it ended, or may it
    have been left before its end?"""

    generator: Any
    function: Any
    form: StagedFunction
    frame: Frame
    endless: bool
    state: int = FRESH

    @property
    def drawn_from(self) -> Any:
        """What a generator expression goes through; None for a generator function."""
        return self.frame.slots.get(self.form.parameters[0]) if (
            self.form.name == EXPRESSION) else None


@dataclass(slots=True)
class Consumer:
    """A loop over a generator: what it does with an item, in which frame; ``slots`` keep by which
    jump it has left the loop, ``codes`` are the possible ones.  ``passes_on``: a ``yield from``,
    which hands every item to the next consumer."""

    frame: Frame
    target: Callable[[Any], None]
    body: Callable[[], Any]
    slots: Frame
    depth: int
    passes_on: bool
    codes: set[int] = field(default_factory=set)


def _first_of(items: Any, *default: Any) -> Any:
    """``next(items, default)`` of a generator whose control depends on data, as it is staged."""
    for item in items:
        return item
    if default:
        return default[0]
    raise StopIteration


class Pushes(Collaborator):
    """Loops over generators, and the tools that take their items."""

    speaks_to = ("branches", "calls", "containers", "cursors", "escapes", "list_methods",
                 "loop_nodes", "loops", "merges", "recorder", "unions", "walks")

    def __init__(self) -> None:
        self.generated: dict[int, Generated] = {}
        self.consumers: list[Consumer] = []
        self.pushed: Any = None  # what the last generator has returned

    def run_frame(self, function: Any, staged: Any, frame: Frame) -> Any:
        result = self.cursors.run_frame(function, staged, frame)
        if staged.is_generator and staged.pushing is not None:
            made = Generated(result, function, staged.pushing, frame, staged.pushing.endless)
            self.generated[id(result)] = made
            self.machine.born(made)
        return result

    def fresh_generator(self, obj: Any) -> Generated | None:
        """The call behind a generator that has a pushing form, if nothing is taken from it."""
        if type(obj) is not types.GeneratorType:
            return obj if type(obj) is Generated else None
        found = self.generated.get(id(obj))
        if found is None or found.state != FRESH or (
                inspect.getgeneratorstate(obj) != inspect.GEN_CREATED):
            return None
        return found

    def check_iterator(self, iterator: Any) -> None:
        found = self.generated.get(id(iterator))
        if found is not None and found.state != FRESH:
            self.cursors.refuse_shared()
        self.calls.check_iterator(iterator)

    # ---- loops -------------------------------------------------------------------------------
    def for_(self, iterable: Any, target: Any, body: Any, orelse: Any = None,
             rest: Any = None) -> Any:
        iterable = opened(self.machine, iterable)
        call = self.fresh_generator(iterable)
        by_subscript = is_subscripted(iterable)
        if call is None and python_method(iterable, "__next__") is None and not by_subscript:
            return self.next.for_(iterable, target, body, orelse, rest)

        def plainly() -> Any:
            return self.next.for_(iterable, target, body, orelse, rest)

        def handed() -> Any:
            tool = subscripted if by_subscript else iterated
            made = call or self.fresh_generator(self.machine.call(tool, iterable))
            return self.loops.loop_end(self._handed_on(made, target, body), orelse, rest)

        if call is iterable:
            return handed()
        return self._either(*((handed, plainly) if call is not None else (plainly, handed)))

    def _either(self, first: Callable[[], Any], second: Callable[[], Any],
                of: Any = None, teed: bool = False) -> Any:
        """One way to take items (``of`` a generator that runs anew for the second, ``teed``: of
        items that are there for both); the second where the first is refused."""
        mark, consumers, frames = self.recorder.mark(), len(self.consumers), len(self.merges.frames)
        before, taken = self._positions(), list(self.walks.taken)
        self.journal.push()
        try:
            found = first()
        except Refusal as refusal:
            after = self._positions()
            if any(after[key] != position for key, position in before.items() if key != id(of)) or (
                    not teed and self.walks.taken[:len(taken)] != taken):
                raise  # what a generator of Python's has given is gone
            mark.undo()
            del self.consumers[consumers:], self.merges.frames[frames:]
            try:
                return second()
            except Refusal:
                raise refusal from None
        except Exception:
            mark.keep()
            raise
        mark.keep()
        return found

    def _positions(self) -> dict[int, int | None]:
        """Where the generators that Python runs are (None: at their end)."""
        return {key: made.gi_frame and made.gi_frame.f_lasti
                for key, (made, _) in self.calls.iterators.items() if isinstance(
                    made, types.GeneratorType)}

    def _handed_on(self, call: Any, target: Any, body: Any) -> Any:
        """Run a generator with a loop's body at each ``yield``; the loop's jump."""
        self.check_iterator(call.generator)
        self.calls.check_depth(call.function)
        slots = self.escapes.escape_frame()
        passes_on = getattr(body, "passes_on", False)
        consumer = Consumer(self.merges.frames[-1], target, body, slots,
                            len(self.recorder.callers), passes_on)
        self.consumers.append(consumer)
        where = self.recorder.where()
        self.branches.call_sites.append((call.function.__code__, (
            where.filename, where.line, where.column) if where is not None else None))
        if where is not None and call.form.name != EXPRESSION:
            self.recorder.callers.append(where)
        try:
            self.pushed = self.run_frame(call.function, call.form, call.frame)
        finally:
            self.consumers.remove(consumer)
            self.branches.call_sites.pop()
            del self.recorder.callers[consumer.depth:]
        if call.form.name == EXPRESSION:  # whose frame names what it went through no longer
            self.journal.write(Slot(call.frame, call.form.parameters[0]), UNBOUND)
        taker = self.taker(call.form) if passes_on else consumer
        self.journal.write(Field(call, "state"), LEFT if taker.codes else ENDED)
        left = self.machine.load(taker.slots, "left")
        if passes_on:  # whoever takes the items has left its loop: no more is wanted
            return self.machine.if_(self.machine.compare("==", left, 0), lambda: NORMAL,
                            lambda: self.machine.return_(self.merges.frames[-1], None))
        if type(left) is int:
            return left
        return self.loop_nodes.loop_jump(frozenset(consumer.codes), self.recorder.as_value(left))

    def taker(self, staged: StagedFunction) -> Any:
        if not staged.hands_on:
            return None
        return next((c for c in reversed(self.consumers) if not c.passes_on), None)

    def push(self, item: Any, rest: Any = None) -> Any:
        """``yield item``: the consumer's statements; returns from the generator where they leave
        their loop."""
        consumer = self.consumers.pop()
        callers = self.recorder.callers[consumer.depth:]
        del self.recorder.callers[consumer.depth:]
        try:
            with on_top(self.merges.frames, consumer.frame):
                consumer.target(item)
                jump = consumer.body()
        finally:
            self.recorder.callers.extend(callers)
            self.consumers.append(consumer)
        return self.branches.after(self._stop(consumer, jump), rest)

    def read_by_consumer(self, frame: Any) -> frozenset[str] | None:
        for consumer in reversed(self.consumers):
            if consumer.frame is frame:
                return names_of_loop(consumer.body).either
        return None

    def _stop(self, consumer: Consumer, jump: Any) -> Any:
        frame = self.merges.frames[-1]
        if isinstance(jump, Jump):
            leaving = jump.codes & {BREAK, RETURN}
            if not leaving:
                return NORMAL
            consumer.codes.update(leaving)
            left = self.loops.as_tracer(jump.leave)
            self.machine.store(consumer.slots, "left", left)
            if leaving == {RETURN}:
                return Jump(frozenset({NORMAL, RETURN}), jump.leave, jump.leave, jump.leave)
            return self.machine.if_(self.machine.compare("==", left, 0), lambda: NORMAL,
                            lambda: self.machine.return_(frame, None))
        if jump in (NORMAL, CONTINUE, None):
            return NORMAL
        if jump == RAISE:
            return RAISE
        consumer.codes.add(jump)
        self.machine.store(consumer.slots, "left", jump)
        return self.machine.return_(frame, None)

    def push_all(self, iterable: Any, rest: Any = None) -> Any:
        """``yield from iterable``."""
        held: list[Any] = []
        self.pushed = None

        def pass_on() -> Any:
            return self.push(held.pop())

        pass_on.passes_on = True  # type: ignore[attr-defined]
        return self.branches.after(self.machine.for_(iterable, held.append, pass_on), rest)

    def pushed_result(self) -> Any:
        """What the generator of the last ``yield from`` has returned."""
        return self.pushed

    # ---- tools -------------------------------------------------------------------------------
    def called(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if type(function) is types.FunctionType and function.__name__ == EXPRESSION:
            return self.calls.call_function(function, (self.unions.without_none(args[0]),), {})
        tool, takes_all = None, False
        if type(function) in (type, types.BuiltinFunctionType):
            tool = TOOLS.get(function)
            takes_all = function in TAKES_ALL and (
                len(args) == 1 or bool(args and function not in (max, min))) and not (
                function is dict and hasattr(type(args[0]), "keys"))
        if takes_all:
            first = self.begun(args[0])
            args = (self.collected(first) if is_subscripted(first) else first, *args[1:])
        if takes_all and function in (any, all):
            items = staged_iterable(self.machine, args[0])
            if hasattr(type(args[0]), "__next__") or (items is not None and type(
                    length(self.machine, items)) is not int):
                return self._found(args[0], function is any)
        if tool is sliced and any(is_tracer(a) or (type(a) is Cursor and a.kept) for a in args):
            return self.next.called(tool, args, {})
        if self.generated and any(map(self.fresh_generator, args)) and not (
                self.cursors.is_staged(function)):
            if tool is not None and (function is not map or len(args) == 2):
                return self.next.called(tool, args, kwargs)
            if function is zip and not kwargs:
                made = self._zipped(args)
                if made is not None:
                    return made
            if takes_all and function in (any, all):
                return self._found(args[0], function is any)
            if function is next:
                return self._next_of(*args)
            if function not in LOOKING:
                if function is not sorted and function not in LAZY and any(
                        map(_is_function, (*args, *kwargs.values()))):
                    return self._in_turn(function, args, kwargs)
                args = tuple([self.collected(a) if takes_all else a if not self._may_run(
                    a, function) else self.cursors.made_ahead(a) if function in LAZY
                    else self.collected(a) for a in args])
        if any(function is f for f in IN_TURN) and any(
                is_computed(a) or hasattr(type(a), "__next__") for a in args) and any(
                map(_is_function, (*args, *kwargs.values()))):
            return self._in_turn(function, args, kwargs)
        return self.next.called(function, args, kwargs)

    def _in_turn(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A function that calls one of the program's for each item of a generator as soon as it
        is there (``max`` with a key): the items are computed first, which nobody may notice."""
        given = *args, *kwargs.values()
        read = [Ahead(self.machine, f) for f in given if _is_function(f)]
        made = [Ahead(self.machine, a) for a in args if self.fresh_generator(a) is not None]
        args, changes = self.cursors.changes_of(lambda: tuple(map(self.collected, args)))
        changes = changes or not made  # then they are computed together with what is made of them
        found, changed = self.cursors.changes_of(lambda: self.next.called(function, args, kwargs))
        if (changed and (changes or any(one.changed() for one in made))) or (
                changes and any(one.changed() for one in read)):
            raise self.recorder.fatal(UnsupportedOperation(
                f"{function.__name__} over a generator, with a function, where one changes what "
                "the other reads", why="all items are computed before the function is called",
                fix="write a loop"))
        return found

    def _next_of(self, generator: Any, *default: Any) -> Any:
        """``next`` of a fresh generator: Python's, or the first round of a loop, as which an
        expression over things of run-time length runs (nobody can ask it for more)."""
        call = self.generated[id(generator)]

        def plainly() -> Any:
            return self.next.called(next, (generator, *default), {})

        def staged() -> Any:
            return self.machine.operators.helped(_first_of, call, *default)

        ways = (staged, plainly) if self.is_open(call) else (plainly, staged)
        return self._either(*ways, of=generator)

    def is_open(self, call: Generated) -> bool:
        """Does only a run know what a generator expression goes through?"""
        return any(staged_iterable(self.machine, one) is not None
                   for one in things_in(call.drawn_from, {}))

    def _may_run(self, generator: Any, function: Any) -> bool:
        """May a generator run as a whole before a function takes its items?"""
        call = self.fresh_generator(generator)
        if call is None or call.endless or call.form.makes_functions:
            return False
        return function not in (zip, map) or not (
            call.drawn_from is None or hasattr(type(call.drawn_from), "__next__"))

    def called_method(self, obj: Any, name: str, args: tuple[Any, ...],
                      kwargs: dict[str, Any]) -> Any:
        if self.generated and any(map(self.fresh_generator, args)) and name != "append" and (
                isinstance(obj, (list, dict, set, str, deque)) and (
                    python_method(obj, name) is None)):
            if any(Ahead(self.machine, a).reads(obj) for a in args):
                return self._one_by_one(obj, name, *args)
            args = tuple(self.collected(a) for a in args)
        return self.next.called_method(obj, name, args, kwargs)

    def _one_by_one(self, obj: Any, name: str, items: Any) -> None:
        """``obj.extend(items)`` where the items are made of what is in ``obj`` by then."""
        if name != "extend" or type(obj) is not list:
            raise self.recorder.fatal(UnsupportedOperation(
                f"{type(obj).__name__}.{name} with a generator that reads the {type(obj).__name__}",
                why="all items are computed before they are put in", fix="write a loop"))
        self.machine.for_(items, self.machine.hold, lambda: self.machine.append_held(obj))

    def begun(self, obj: Any) -> Any:
        """The generator that an object's ``__iter__`` makes, if it is one; else the object."""
        method = python_method(obj, "__iter__")
        code = getattr(method, "__code__", None)
        if code is None or not code.co_flags & inspect.CO_GENERATOR or (
                hasattr(type(obj), "__next__") or is_subscripted(obj)):
            return obj
        return self.machine.call(method, obj)

    def collected(self, iterable: Any) -> Any:
        """The items of a fresh generator, or of a class that is gone through by subscripts, in a
        list; anything else as it is."""
        call = self.fresh_generator(iterable)
        if call is None and not is_subscripted(iterable):
            return iterable

        def handed() -> Any:
            items: list[Any] = self.containers.made([])
            self.machine.for_(iterable if call is None else call, self.machine.hold,
                              lambda: self.machine.append_held(items))
            return items

        if call is None or call.drawn_from is None or self.is_open(call) or (
                self.fresh_generator(call.drawn_from) is not None) or (
                parts_of_iterator(call.drawn_from)):
            return handed()
        slots, name = call.frame.slots, call.form.parameters[0]
        source = again = slots[name]
        teed = hasattr(type(source), "__next__")
        if teed:  # what the first attempt takes is there for the next
            self.check_iterator(source)
            source, again = itertools.tee(source)

        def plainly() -> Any:
            slots[name] = source
            return self.containers.made(list(self.machine.iterate(iterable)))

        def pushed() -> Any:
            slots[name] = again
            return handed()

        return self._either(plainly, pushed, of=iterable, teed=teed)

    def _found(self, iterable: Any, wanted: bool) -> Any:
        """``any`` or ``all`` of a generator."""
        frame = self.machine.scratch_frame(FOUND, not wanted)

        def look() -> Any:
            test = self.list_methods.held if wanted else self.machine.not_(self.list_methods.held)

            def stop() -> Any:
                self.machine.store(frame, FOUND, wanted)
                return BREAK

            return self.machine.if_(test, stop, lambda: NORMAL)

        self.machine.for_(iterable, self.machine.hold, look)
        return self.machine.load(frame, FOUND)

    def _zipped(self, parts: tuple[Any, ...]) -> Any:
        """``zip`` with one generator, beside things of known length."""
        parts = tuple(p if _is_sequence(p) or hasattr(type(p), "__next__") or (
            self.fresh_generator(p) is not None) else self.machine.call(list, p) for p in parts)
        places = [i for i, p in enumerate(parts) if self.fresh_generator(p) is not None]
        others = [p for p in parts if self.fresh_generator(p) is None]
        if len(places) != 1 or not others or any(
                hasattr(type(p), "__next__") or is_computed(p) for p in others):
            return None
        place = places[0]
        before, after = list(parts[:place]), list(parts[place + 1:])
        return self.next.called(zipped, (before, parts[place], after), {})


def _is_function(obj: Any) -> bool:
    return isinstance(obj, (types.FunctionType, types.MethodType, functools.partial))


def _is_sequence(part: Any) -> bool:
    return is_tracer(part) or (
        isinstance(part, SEQUENCES) and python_method(part, "__iter__") is None)
