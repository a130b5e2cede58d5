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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import UnsupportedSyntax
from ..graph.ir import Block, Index, Node, Ref, Value, walk
from ..kinds import BOOL, OPAQUE, Kind
from ..spelling import raise_exception, raise_from
from .control import Restart, Signal
from .homes import RAISE

LINALG = frozenset({"solve", "inv", "cholesky", "eigh", "eig", "svd", "pinv", "lstsq", "qr",
                    "eigvalsh", "eigvals", "matrix_power", "tensorsolve", "tensorinv"})
DIVISIONS = frozenset({"truediv", "floordiv", "mod", "pow"})
Handler = tuple[Callable[[], Any] | None, str | None, Callable[[], Any]]


@dataclass(slots=True)
class Stop:
    """Where recording stops: at a node like this of ``region``, after ``before`` others like it
    (numbers of nodes would not do: an array that was read before is not read again)."""

    region: Any
    before: int
    node: Node

    def meets(self, region: Any, op: str, params: dict[str, Any]) -> bool:
        """Is the node that is about to be recorded the one?"""
        if region is not self.region or not _alike(op, params, self.node):
            return False
        self.before -= 1
        return self.before < 0


class Reached(Signal):
    """The node that may raise is about to be recorded; its operands are values."""

    def __init__(self, inputs: tuple[Value, ...], blocks: tuple[Block, ...],
                 params: dict[str, Any]) -> None:
        super().__init__()
        self.inputs, self.blocks, self.params = inputs, blocks, params


@dataclass(frozen=True, slots=True)
class Place:
    """A node of the body that may raise (``before``: how many like it come first), and the
    handler that would run."""

    number: int
    before: int
    node: Node
    error: type[BaseException]
    handler: Handler


def _alike(op: str, params: Mapping[str, Any], node: Node) -> bool:
    return op == node.op and params.get("fn") is node.params.get("fn") and (
        op != "read" or params["steps"] == node.params["steps"])


def raises(fn: Callable[..., Any], error: type[BaseException], *args: Any,
           **kwargs: Any) -> bool:
    """Does ``fn(*args, **kwargs)`` raise ``error``?"""
    try:
        fn(*args, **kwargs)
    except error:
        return True
    return False


def raised_by(fn: Callable[..., Any], error: type[BaseException], *args: Any,
              **kwargs: Any) -> BaseException | None:
    """The exception of class ``error`` that ``fn(*args, **kwargs)`` raises, or None."""
    try:
        fn(*args, **kwargs)
    except error as raised:
        return raised
    return None


def raises_under(settings: dict[str, Any], fn: Callable[..., Any], error: type[BaseException],
                 *args: Any, **kwargs: Any) -> bool:
    """Does ``fn(*args, **kwargs)`` raise ``error`` under ``np.errstate(**settings)``?"""
    with np.errstate(**settings):
        return raises(fn, error, *args, **kwargs)


def raised_under(settings: dict[str, Any], fn: Callable[..., Any], error: type[BaseException],
                 *args: Any, **kwargs: Any) -> BaseException | None:
    """The exception that ``fn(*args, **kwargs)`` raises under ``np.errstate(**settings)``."""
    with np.errstate(**settings):
        return raised_by(fn, error, *args, **kwargs)


def error_of(node: Node) -> type[BaseException] | None:
    """The exception that data can make a node raise."""
    if node.op == "effect":
        place = {raise_exception: 0, raise_from: 1}.get(node.params["fn"])
        raised = None if place is None else node.params["args"][place]
        return raised if isinstance(raised, type) else Exception
    if node.op != "apply":
        return None
    fn = node.params["fn"]
    name = getattr(fn, "__name__", "")
    if name in LINALG and (getattr(fn, "__module__", "") or "").startswith("numpy.linalg"):
        return np.linalg.LinAlgError
    if getattr(fn, "__module__", "") == "math":
        return OverflowError if name in ("exp", "cosh", "sinh", "pow") else ValueError
    python = bool(node.inputs) and all(
        v.aval.kind in (Kind.FLOAT, Kind.INT, Kind.NUMBER) for v in node.inputs)
    return ZeroDivisionError if python and name in DIVISIONS else None


def raising(machine: Any, nodes: Sequence[Node], caught: Sequence[Any]
            ) -> Iterator[tuple[int, type[BaseException]]]:
    """The places of nodes that data can make raise, inside of regions too, and what.  Places out
    of bounds count where what is ``caught`` names them."""
    named = {t for types in caught for t in (types if isinstance(types, tuple) else (types,))}
    bounds = not named.isdisjoint((IndexError, LookupError))
    for place, node in enumerate(nodes):
        for inner in (node, *(n for b in node.blocks for n in walk(b))):
            if inner.outputs and inner.outputs[0] in machine.safe:
                continue
            error = error_of(inner)
            if error is None and inner.outputs and inner.outputs[0] in machine.checked:
                error = FloatingPointError
            if error is None and bounds and (inner.op == "get" or _is_subscript(inner)):
                error = IndexError
            if error is not None:
                yield place, error


def _is_subscript(node: Node) -> bool:
    """Is it ``x[i]`` with an index that may be out of bounds?"""
    if node.op != "read" or node.params.get("handle") or len(node.params["steps"]) != 1:
        return False
    return isinstance(node.params["steps"][0], Index) and any(
        v.aval.kind is Kind.INT for v in node.inputs[1:])


def catches(error: type[BaseException], types: Any) -> bool:
    """Does an ``except types`` clause catch this kind of error?"""
    group = types if isinstance(types, tuple) else (types,)
    return any(issubclass(error, t) for t in group)


def refused(machine: Any, why: str) -> Exception:
    """The refusal of a try statement."""
    refusal: Exception = machine.fatal(UnsupportedSyntax(
        "a try statement whose body may raise while the generated code runs", why=why,
        fix="test for the condition with an if statement instead"))
    return refusal


IMPURE = ("write", "update", "acc", "append", "insert", "pop", "put", "effect")
MOST_TRIALS = 150
UNTOLD = "an operation in it may raise where that cannot be told before"


@dataclass(slots=True)
class Forced:
    """The outcomes of the first branches of a try statement's body that are taken as known:
    None for one that is traced as usual.  ``met`` are the branches met so far: the number of
    nodes before each, and its predicate."""

    region: Any
    outcomes: tuple[bool | None, ...]
    stop: int | None = None
    met: list[tuple[int, Value]] = field(default_factory=list)

    def outcome(self, predicate: Value) -> bool | None:
        """What is known of the branch that is about to be traced."""
        number = len(self.met)
        self.met.append((len(self.region.builder.nodes), predicate))
        if number == self.stop:
            raise Reached((predicate,), (), {})
        return self.outcomes[number] if number < len(self.outcomes) else None


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
    caught: list[tuple[Handler, Any]] = field(default_factory=list)
    budget: int = MOST_TRIALS

    def run(self) -> Any:
        """Run the statement; returns the jump."""
        self.caught = [(h, Exception if h[0] is None else h[0]()) for h in self.handlers]
        return self._go_on((), 0)

    def _run_body(self, outcomes: tuple[bool | None, ...], known: int,
                  stop: int | None = None) -> Forced:
        """Run the body in the present region, with known outcomes of its first branches, where
        its first ``known`` operations do not raise."""
        machine = self.machine
        nodes = machine.region.builder.nodes
        start = len(nodes)
        forced = Forced(machine.region, outcomes, stop)
        outer, machine.forced = machine.forced, forced
        machine.trying.append(machine.region)
        try:
            self.jump = self.body()
        finally:
            machine.forced = outer
            machine.trying.pop()
            machine.safe.update(v for place in self._places(nodes[start:])[:known]
                                for v in place.node.outputs if not place.node.blocks)
        return forced

    jump: Any = None

    def _trial(self, outcomes: tuple[bool | None, ...]) -> tuple[list[Node], Forced | None]:
        """The nodes of the body, recorded aside, and the branches that it met."""
        held: list[Forced] = []

        def body() -> Any:
            forced = Forced(self.machine.region, outcomes)
            held.append(forced)
            outer, self.machine.forced = self.machine.forced, forced
            self.machine.trying.append(self.machine.region)
            layers = len(self.machine.journal.layers)
            try:
                return self.body()
            except Exception:
                while len(self.machine.journal.layers) > layers:
                    self.machine.journal.pop()
                self.machine.region = forced.region
                return RAISE
            finally:
                self.machine.forced = outer
                self.machine.trying.pop()

        self.budget -= 1
        if self.budget < 0:
            raise refused(self.machine, "too many of its operations may raise")
        arm = self.machine.trace_arm(body)
        return arm.region.builder.nodes, held[0]

    def _places(self, nodes: list[Node]) -> list[Place]:
        """The nodes that may raise something that is caught."""
        places: list[Place] = []
        for number, error in raising(self.machine, nodes, [types for _, types in self.caught]):
            chosen = next((h for h, types in self.caught if catches(error, types)), None)
            if chosen is None or (places and places[-1].number == number):
                continue
            node = nodes[number]
            before = sum(_alike(n.op, n.params, node) for n in nodes[:number])
            places.append(Place(number, before, node, error, chosen))
        return places

    def _go_on(self, outcomes: tuple[bool | None, ...], known: int) -> Any:
        """Run the body where its first ``known`` operations are known not to raise."""
        machine = self.machine
        nodes, forced = self._trial(outcomes)
        places = self._places(nodes)
        if len(places) <= known:
            return self._finish(outcomes, known)
        place = places[known]
        if any(self._changes(n) for n in walk(Block((), tuple(nodes[:place.number]), ()))):
            raise refused(machine, "something is changed before the operation that may raise")
        if place.node.op == "if":
            return self._split(outcomes, known, place, forced)
        if place.node.op == "loop":
            self._unroll(place)
        found = self._run_until(outcomes, known, place, keep=False)
        assert found is not None
        made, fails = _outcome(machine, place, found)

        def fail() -> Any:
            self.budget += 1
            reached = self._run_until(outcomes, known, place, keep=True, error=made)
            if reached is None:  # an inner statement has swallowed the exception
                return machine.after(self.jump, self.orelse)
            return self.handle(made, place.handler)

        return machine.branch(fails, fail, lambda: self._go_on(outcomes, known + 1), None)

    def _changes(self, node: Node) -> bool:
        """Does a node change something, so that it may not be recorded twice?"""
        return node.op in IMPURE and error_of(node) in (None, Exception) and (
            node.params.get("fn") not in self.machine.balanced)

    def _finish(self, outcomes: tuple[bool | None, ...], known: int) -> Any:
        layers = len(self.machine.journal.layers)
        try:
            self._run_body(outcomes, known)
        except Exception as error:
            while len(self.machine.journal.layers) > layers:
                self.machine.journal.commit()
            return self.handled(error)
        return self.machine.after(self.jump, self.orelse)

    def _split(self, outcomes: tuple[bool | None, ...], known: int, place: Place,
               forced: Forced | None) -> Any:
        """A branch of the body may raise: the whole body for each outcome of its condition."""
        machine = self.machine
        met = forced.met if forced is not None else []
        number = next((i for i, (nodes, predicate) in reversed(list(enumerate(met)))
                       if nodes <= place.number and predicate is place.node.inputs[0]), None)
        if number is None or (number < len(outcomes) and outcomes[number] is not None):
            raise refused(machine, f"{place.error.__name__} may be raised where it cannot be "
                                   "told before")
        try:
            self._in_layer(lambda: self._run_body(outcomes, known, number), keep=False)
            raise refused(machine, UNTOLD)
        except Reached as reached:
            (predicate,) = reached.inputs
        before = outcomes + (None,) * (number - len(outcomes))
        return machine.branch(predicate, lambda: self._go_on((*before, True), known),
                              lambda: self._go_on((*before, False), known), None)

    def _unroll(self, place: Place) -> None:
        kind, site = self.machine.loop_sites[place.node.outputs[-1]]
        if kind == "for" and site not in self.machine.unrolled:
            raise Restart(("unroll", site, "an operation in it may raise what a try catches"))
        raise refused(self.machine, f"{place.error.__name__} may be raised inside of a loop of "
                                    "its body")

    def _in_layer(self, act: Callable[[], Any], keep: bool) -> None:
        """Run something that may be stopped, in a layer that is kept or undone."""
        machine = self.machine
        layers, region = len(machine.journal.layers), machine.region
        machine.journal.push()
        try:
            act()
        finally:
            while len(machine.journal.layers) > layers:
                if keep:
                    machine.journal.commit()
                else:
                    machine.journal.pop()
            machine.region = region

    def _run_until(self, outcomes: tuple[bool | None, ...], known: int, place: Place,
                   keep: bool, error: BaseException | None = None) -> Reached | None:
        """Record the body up to a node; with ``keep`` what it did until then stays done, and
        inner ``finally`` parts see ``error``."""
        machine = self.machine
        outer, leaving = machine.stop_at, machine.leaving
        machine.stop_at, machine.leaving = Stop(machine.region, place.before, place.node), error
        try:
            self._in_layer(lambda: self._run_body(outcomes, known), keep)
        except Reached as reached:
            return reached
        finally:
            machine.stop_at, machine.leaving = outer, leaving
        if keep:
            return None
        raise refused(machine, UNTOLD)


def _outcome(machine: Any, place: Place, found: Reached) -> tuple[Any, Value]:
    """The exception of an operation, and whether it raises one."""
    params = found.params
    named = place.handler[1] is not None
    fn: Callable[..., Any] = raised_by if named else raises
    args = (params.get("fn"), place.error, *params.get("args", ()))
    if place.node.op == "get":
        args = (operator.getitem, place.error, Ref(0), Ref(1))
    elif place.node.op == "read":
        args = (operator.getitem, place.error, Ref(0), params["steps"][0].key)
    elif place.error is FloatingPointError:
        fn, args = raised_under if named else raises_under, (machine.checked[place.node.out], *args)
    (value,) = machine.emit("apply", found.inputs, (OPAQUE if named else BOOL,), fn=fn,
                            args=args, kwargs=params.get("kwargs", {}), many=False)
    if not named:
        return place.error("raised by the try statement's body"), value
    error = machine.wrap(value)
    return error, machine.value_of(machine.compare("is not", error, None))
