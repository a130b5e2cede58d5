"""``try`` around numeric code: whether the body raises is found out before it runs.

The body of ``try: z = solve(A, b)`` / ``except LinAlgError: z = lstsq(A, b)[0]`` raises only
where one operation meets unfit data.  That operation is tried first, by itself; its outcome is
the predicate of an ordinary branch between the handler and the body, so that both have their
adjoints.  Several such operations are tried one after the other: each is reached where those
before it did not raise, and what the body did up to it stays done where it does.  Where it is
a loop that may raise, or where arrays or the outside world were changed before, the statement
is refused.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...errors import UnsupportedSyntax
from ...graph.ir import Node, Ref, Value
from ...stage.regions import region_info
from ...types.dataclasses import dataclass, field, replace
from ...types.kinds import BOOL, OPAQUE
from ..flow.control import Signal
from ..flow.repeats import Repeat, alike
from ..record.homes import RAISE
from ..record.raising import (
    SUBSCRIPTS,
    OutsideError,
    attempted,
    catches,
    item_at,
    item_to_pop,
    item_to_replace,
    raised_by,
    raised_under,
    raises,
    raises_under,
    raising,
    stored_at,
)
from ..record.regions import shift_step
from ..record.scopes import during, on_top

MOST_TRIALS = 150  # of one statement
MOST_NESTED = 2000  # of statements in the bodies of others, which are tried again each time
UNTOLD = "an operation in it may raise where that cannot be told before"
Handler = tuple[Callable[[], Any], str | None, Callable[[], Any]]


def asks_for_error(handler: Handler) -> bool:
    """Does a handler need the exception itself, not only that there is one?"""
    info = region_info(handler[2])
    return handler[1] is not None or (info is not None and info.asks_for_error)


@dataclass(slots=True)
class Stop:
    """Where recording stops: at a node like this of ``region``, after ``before`` others like it
    (numbers of nodes would not do: an array that was read before is not read again).  ``later`` is
    where it stops in what an exception of this node leads to, which counts all nodes, too."""

    region: Any
    before: int
    node: Node
    later: Stop | None = None

    def meets(self, region: Any, op: str, params: Mapping[str, Any]) -> Stop | None:
        """The place that the node is which is about to be recorded."""
        if region is self.region and alike(op, params, self.node):
            self.before -= 1
            if self.before < 0:
                return self
        return None if self.later is None else self.later.meets(region, op, params)

    @property
    def counts(self) -> tuple[int, ...]:
        """How many nodes are still to come before each place."""
        return (self.before, *(() if self.later is None else self.later.counts))

    def count_again(self, counts: tuple[int, ...]) -> None:
        """Go on as if nodes had not come yet."""
        self.before, *more = counts
        if self.later is not None:
            self.later.count_again(tuple(more))


class Reached(Signal):
    """The node that may raise is about to be recorded; its operands are values."""

    def __init__(self, inputs: tuple[Value, ...], params: dict[str, Any], nodes: Sequence[Node],
                 stop: Stop | None = None) -> None:
        super().__init__()
        self.stop = stop
        self.inputs, self.params = inputs, params
        self.nodes = tuple(nodes)  # of the region, up to there


class Left(Exception):
    """A statement's body is left by the exception of a node, behind its ``finally`` parts."""


@dataclass(frozen=True, slots=True)
class Place:
    """A node of the body that may raise (``before``: how many like it come first), and the
    handler that would run."""

    number: int
    before: int
    node: Node
    errors: tuple[type[BaseException], ...]
    handler: Handler
    several: bool = False  # handlers, depending on which of the exceptions it is

    @property
    def error(self) -> type[BaseException]:
        """The first of the exceptions that it may raise."""
        return self.errors[0]


def refused(machine: Any, why: str) -> Exception:
    """The refusal of a try statement."""
    refusal: Exception = machine.recorder.fatal(UnsupportedSyntax(
        "a try statement whose body may raise while the generated code runs", why=why,
        fix="test for the condition with an if statement instead"))
    return refusal


@dataclass(slots=True)
class Met:
    """The branches that a try statement's body meets in ``region``: the number of nodes before
    each, and its predicate.  Recording stops at the one numbered ``stop``."""

    region: Any
    stop: int | None = None
    branches: list[tuple[int, Value]] = field(default_factory=list)

    def note(self, predicate: Value) -> None:
        """A branch is about to be traced."""
        number = len(self.branches)
        self.branches.append((len(self.region.builder.nodes), predicate))
        if number == self.stop:
            raise Reached((predicate,), {}, self.region.builder.nodes)


@dataclass(slots=True)
class Attempt:
    """A try statement whose handlers could be met at run time.

    ``handle`` runs a handler, ``handled`` finds the one for an exception that is raised while
    tracing."""

    machine: Any
    body: Callable[[], Any]
    orelse: Callable[[], Any] | None
    handlers: list[Handler]
    handle: Callable[[BaseException, Handler], Any]
    handled: Callable[[Exception], Any]
    which: Callable[[Any], Any]  # runs the handler for an exception whose class a run tells
    caught: list[tuple[Handler, Any]] = field(default_factory=list)
    budget: int = MOST_TRIALS

    def run(self) -> Any:
        """Run the statement; returns the jump."""
        self.caught = [(h, h[0]()) for h in self.handlers]
        self.noted = len(self.machine.known_keys.noted_keys), len(
            self.machine.known_keys.alterations)
        with on_top(self.machine.escapes.catching, self.caught):
            return self._go_on(0, [])

    def _run_body(self, known: int, log: list[Node], stop: int | None = None) -> None:
        """Run the body in the present region, where its first ``known`` operations do not raise;
        what it has recorded before is in ``log``."""
        mark = self.machine.recorder.mark()
        again = self._repeat(log)
        try:
            self.jump = self._tried(Met(mark.region, stop), again)
        finally:
            if known:
                self.machine.branches.safe.update(
                    v for place in self._places(mark.made)[:known]
                    for v in place.node.outputs if not place.node.blocks)
            again.strip(mark.count)

    def _repeat(self, log: list[Node]) -> Repeat:
        """What looks up in the present region what is in the log."""
        recorder = self.machine.recorder
        return Repeat(recorder.region, log, recorder.homes_made, self.machine.statements.balanced)

    def _tried(self, met: Met, again: Repeat) -> Any:
        """The jump of the body, whose branches are noted, and which repeats what is in a log.  What
        it noted of keys is not known where it begins again."""
        machine = self.machine
        machine.known_keys.forget_keys(self.noted)
        with during(machine.branches, met=met), on_top(machine.recorder.trying, met.region):
            if not again.log:
                return self.body()
            with on_top(machine.recorder.echoes, again):
                return self.body()

    jump: Any = None
    noted: tuple[int, int] = (0, 0)

    def _trial(self, log: list[Node]) -> tuple[list[Node], Met]:
        """The nodes of the body, recorded aside, and the branches that it met."""
        held: list[Met] = []

        def body() -> Any:
            mark = self.machine.recorder.mark()
            held.append(Met(mark.region))
            try:
                return self._tried(held[0], self._repeat(log))
            except Exception:
                mark.leave()
                return RAISE

        self.budget -= 1
        nested = len(self.machine.escapes.catching) > 1
        self.machine.assumed.trials += nested
        if self.budget < 0 or (nested and self.machine.assumed.trials > MOST_NESTED):
            raise refused(self.machine, "too many of its operations may raise")
        arm = self.machine.merges.trace_arm(body)
        return arm.region.builder.nodes, held[0]

    def _places(self, nodes: list[Node]) -> list[Place]:
        """The nodes that may raise something that is caught."""
        places: list[Place] = []
        for number, error in raising(self.machine, nodes, [types for _, types in self.caught]):
            chosen = next((h for h, types in self.caught if catches(error, types)), None)
            if chosen is None:
                continue
            if places and places[-1].number == number:
                if error not in places[-1].errors:
                    places[-1] = replace(
                        places[-1], errors=(*places[-1].errors, error),
                        several=places[-1].several or chosen is not places[-1].handler)
                continue
            node = nodes[number]
            before = sum(alike(n.op, n.params, node) for n in nodes[:number])
            places.append(Place(number, before, node, (error,), chosen))
        return places

    def _go_on(self, known: int, log: list[Node]) -> Any:
        """Run the body where its first ``known`` operations are known not to raise."""
        machine = self.machine
        nodes, met = self._trial(log)
        places = self._places(nodes)
        if len(places) <= known:
            return self._finish(known, log)
        place = places[known]
        if place.node.op == "if":
            return self._split(known, log, place, met)
        if place.node.op == "loop":
            return self._leave_loop(known, log, place)
        if place.node.op == "call":
            raise refused(machine, f"{place.error.__name__} may be raised in calls of "
                                   f"{place.node.params['callee']!r}, which calls itself")
        found = self._run_until(known, log, place, keep=False)
        assert found is not None
        done = self._recorded(found)
        outside = place.error is OutsideError
        if outside:
            made, fails, result = _attempted(machine, place, found)
            after = [*done, result]
        else:
            made, fails = _outcome(machine, place, found)
            after = done

        def handle() -> Any:
            return self.which(made) if outside or place.several else (
                self.handle(made, place.handler))

        def fail() -> Any:
            self.budget += 1
            mark = machine.recorder.mark()
            machine.journal.push()
            try:
                reached = self._run_until(0, done, place, keep=True, error=made)
                raises_again = bool(self._places(mark.made))
            except Exception:
                raises_again = True
            if raises_again:  # in what it has led to
                mark.undo()
                return self._left(place, made, handle)._go_on(0, done)
            machine.journal.commit()
            if reached is None:  # an inner statement has swallowed the exception
                return machine.branches.after(self.jump, self.orelse)
            return handle()

        def go_on() -> Any:
            return self._go_on(0 if outside else 1, after)

        return machine.branches.branch(fails, fail, go_on, None)

    def _left(self, place: Place, error: Any, handle: Callable[[], Any]) -> Attempt:
        """The statement whose body a node leaves by an exception: what inner ``finally`` parts do
        then may raise another one."""
        statements, recorder = self.machine.statements, self.machine.recorder

        def body() -> Any:
            stop = Stop(recorder.region, place.before, place.node, recorder.stop_at)
            try:
                with during(recorder, stop_at=stop), on_top(statements.leaving, (stop, error)):
                    return self.body()
            except Reached as reached:
                if reached.stop is not stop:
                    raise
                raise Left from None

        return replace(self, body=body, handled=lambda raised: handle() if (
            type(raised) is Left) else self.handled(raised))

    def _recorded(self, reached: Reached) -> list[Node]:
        """What the body has recorded up to where it stopped."""
        return list(reached.nodes[self.start:])

    def _finish(self, known: int, log: list[Node]) -> Any:
        mark = self.machine.recorder.mark()
        try:
            self._run_body(known, log)
        except Exception as error:
            mark.keep()
            return self.handled(error)
        return self.machine.branches.after(self.jump, self.orelse)

    def _split(self, known: int, log: list[Node], place: Place, met: Met) -> Any:
        """A branch of the body may raise: the whole body for each outcome of its condition, from
        the first branch on that this decides (what is recorded before is looked up, so nothing
        there may come out otherwise); that one's own condition, which is known there already."""
        machine = self.machine
        (tested,) = place.node.inputs
        told = {v for truth in (True, False) for v in machine.truths.facts(tested, truth)}
        before = [p for nodes, p in met.branches if nodes <= place.number]
        number = next((i for i, p in enumerate(before) if p in told), None)
        recorded = any(n.op == "if" and n.inputs[0] in told for n in log)  # would come once more
        if number is None or tested not in before or recorded:
            raise refused(machine, f"{place.error.__name__} may be raised where it cannot be "
                                   "told before")
        try:
            self._in_layer(lambda: self._run_body(known, log, number), keep=False)
            raise refused(machine, UNTOLD)
        except Reached as reached:
            (predicate,) = reached.inputs
            done = self._recorded(reached)
        return machine.branches.branch(predicate, lambda: self._go_on(0, done),
                                       lambda: self._go_on(0, done), None)

    def _leave_loop(self, known: int, log: list[Node], place: Place) -> Any:
        """A loop of the body may still raise: so does its test, whose exceptions leave it by a
        jump, too."""
        _, site = self.machine.rounds.loop_sites[place.node.outputs[-1]]
        tests = self.machine.escapes.raising_tests
        if site in tests:
            raise refused(self.machine, f"{place.error.__name__} may be raised inside of a loop of "
                                        "its body")
        tests.add(site)
        return self._go_on(known, log)

    def _in_layer(self, act: Callable[[], Any], keep: bool) -> None:
        """Run something that may be stopped, in a layer that is kept or undone."""
        mark = self.machine.recorder.mark()
        self.start = mark.count
        self.machine.journal.push()
        try:
            act()
        finally:
            if keep:
                mark.keep()
            mark.leave()

    start: int = 0

    def _run_until(self, known: int, log: list[Node], place: Place, keep: bool,
                   error: BaseException | None = None) -> Reached | None:
        """Record the body up to a node; with ``keep`` what it did until then stays done, and
        inner ``finally`` parts see ``error``."""
        recorder, statements = self.machine.recorder, self.machine.statements
        outer = recorder.stop_at
        counts = () if outer is None else outer.counts
        stop = Stop(recorder.region, place.before, place.node, outer)
        try:
            with during(recorder, stop_at=stop), on_top(statements.leaving, (stop, error)):
                self._in_layer(lambda: self._run_body(known, log), keep)
        except Reached as reached:
            if reached.stop not in (stop, None):  # where a statement around this one stops
                raise
            if outer is not None and not keep:  # all that came comes again
                outer.count_again(counts)
            return reached
        if keep:
            return None
        raise refused(self.machine, UNTOLD)


def _outcome(machine: Any, place: Place, found: Reached) -> tuple[Any, Value]:
    """The exception of an operation, and whether it raises one."""
    params, inputs = found.params, found.inputs
    named = place.several or asks_for_error(place.handler)
    fn: Callable[..., Any] = raised_by if named else raises
    tested = place.errors if len(place.errors) > 1 else place.error
    args = (params.get("fn"), tested, *params.get("args", ()))
    if place.node.op == "pop":
        args = (item_to_pop, tested, *map(Ref, range(len(inputs))))
    elif place.node.op in ("get", "put", "append"):
        if place.node.op != "get":  # what is put there does not matter
            inputs = (inputs[0], *inputs[2:])
        item = item_to_replace if place.node.op == "put" else (
            operator.getitem if len(inputs) == 2 else item_at)
        args = (item, tested, *map(Ref, range(len(inputs))))
    elif place.node.op in SUBSCRIPTS:
        steps = params["steps"]
        stores = place.node.op in ("write", "update") and ValueError in place.errors
        if place.node.op != "read" and not stores:  # what is written does not matter
            inputs = (inputs[0], *inputs[2:])
            steps = tuple(shift_step(step, -1) for step in steps)
        keys = tuple(step.key for step in steps)
        if stores:
            args = (stored_at, tested, Ref(0), Ref(1), params.get("fn"), *keys)
        else:
            item = operator.getitem if len(steps) == 1 else item_at
            args = (item, tested, Ref(0), *keys)
    elif FloatingPointError in place.errors:
        fn, args = raised_under if named else raises_under, (
            machine.recorder.checked[place.node.out], *args)
    (value,) = machine.recorder.emit("apply", inputs, (OPAQUE if named else BOOL,), fn=fn,
                            args=args, kwargs=params.get("kwargs", {}), many=False)
    if not named:
        unnamed = place.error("raised by the try statement's body")
        machine.statements.unnamed_errors[id(unnamed)] = unnamed
        return unnamed, value
    machine.statements.error_classes[value] = OutsideError if place.several else place.error
    error = machine.recorder.wrap(value)
    return error, machine.recorder.value_of(machine.compare("is not", error, None))


def _attempted(machine: Any, place: Place, found: Reached) -> tuple[Any, Value, Node]:
    """An effect that may raise has happened: its exception, whether there is one, and a node
    that stands for the effect where there is none."""
    params = found.params
    (pair,) = machine.recorder.emit("effect", found.inputs, (OPAQUE,), fn=attempted, args=(
        params["fn"], *params["args"]), kwargs=params["kwargs"])
    machine.recorder.region.effects += 1
    made = machine.recorder.computed(operator.getitem, OPAQUE, pair, 1)
    avals = tuple(v.aval for v in place.node.outputs)
    results = machine.recorder.emit("apply", (pair,), avals, fn=operator.getitem, args=(Ref(0), 0),
                           kwargs={}, many=False)
    machine.statements.error_classes[made.value] = OutsideError
    machine.branches.safe.update(results)
    return made, machine.recorder.value_of(machine.compare("is not", made, None)), Node(
        "effect", found.inputs, results, params, (), place.node.origin)
