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

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import UnsupportedSyntax
from ..graph.ir import Block, Node, Value, free_values, rebuild, walk
from ..kinds import BOOL, OPAQUE, Kind
from ..spelling import raise_exception
from .control import Restart, Signal

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


def _alike(op: str, params: dict[str, Any], node: Node) -> bool:
    return op == node.op and params.get("fn") is node.params.get("fn")


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


def error_of(node: Node) -> type[BaseException] | None:
    """The exception that data can make a node raise."""
    if node.op == "effect":
        raised = node.params["args"][0] if node.params["fn"] is raise_exception else None
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


def raising(nodes: Sequence[Node]) -> Iterator[tuple[int, type[BaseException]]]:
    """The places of nodes that data can make raise, inside of regions too, and what."""
    for place, node in enumerate(nodes):
        for inner in (node, *(n for b in node.blocks for n in walk(b))):
            error = error_of(inner)
            if error is not None:
                yield place, error


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


def attempt(machine: Any, body: Callable[[], Any], orelse: Callable[[], Any] | None,
            handlers: list[Handler], handle: Callable[[BaseException, Handler], Any],
            handled: Callable[[Exception], Any], changed: bool) -> Any:
    """Run the body of a try statement whose handlers could be met at run time.

    The caller has found nothing that raises while tracing; ``changed`` says that a branch of the
    body changes something before it raises.  ``handle`` runs a handler, ``handled`` finds the one
    for an exception that is raised while tracing after all.  Returns the jump.
    """
    arm = machine.trace_arm(body)
    nodes = arm.region.builder.nodes
    caught = [(h, Exception if h[0] is None else h[0]()) for h in handlers]
    places: list[Place] = []
    for number, error in raising(nodes):
        chosen = next((h for h, types in caught if catches(error, types)), None)
        if chosen is None:
            continue
        if places and places[-1].number == number:
            if places[-1].handler is not chosen:
                raise refused(machine, "one branch of its body may raise exceptions for "
                                       "different handlers")
            continue
        node = nodes[number]
        before = sum(_alike(n.op, n.params, node) for n in nodes[:number])
        places.append(Place(number, before, node, error, chosen))
    for place in places:
        _check(machine, place, changed)
    if places and any(n.op in IMPURE and error_of(n) in (None, Exception) for n in walk(
            Block((), tuple(nodes[:places[-1].number]), ()))):
        raise refused(machine, "something is changed before the operation that may raise")
    return _go_on(machine, body, orelse, places, handle, handled)


IMPURE = ("write", "update", "acc", "append", "insert", "pop", "put", "effect")
MANY = 12


def _check(machine: Any, place: Place, changed: bool) -> None:
    """Refuse what cannot be told before it happens."""
    node = place.node
    if node.op == "apply":
        return
    if node.op == "loop":
        kind, site = machine.loop_sites[node.outputs[-1]]
        if kind == "for" and site not in machine.unrolled:
            raise Restart(("unroll", site, "an operation in it may raise what a try catches"))
    inner = [n for n in walk(Block((), (node,), ())) if n is not node]
    if node.op != "if" or any(n.op == "loop" or (
            n.op in IMPURE and n.params.get("fn") is not raise_exception) for n in inner):
        raise refused(machine, f"{place.error.__name__} may be raised inside of a loop of its "
                               "body, or of a branch with effects")
    if changed:
        raise refused(machine, "a branch of its body changes a variable before it raises")
    if place.handler[1] is not None and any(
            n.inputs for n in inner if error_of(n) is not None):
        raise refused(machine, "the exception that a branch of its body raises is made of "
                               "traced values, and the handler has a name for it")


def _go_on(machine: Any, body: Callable[[], Any], orelse: Callable[[], Any] | None,
           places: list[Place], handle: Callable[[BaseException, Handler], Any],
           handled: Callable[[Exception], Any]) -> Any:
    """Run the body where the operations before ``places`` are known not to raise."""
    if not places:
        machine.trying.append(machine.region)
        try:
            jump = body()
        except Exception as error:
            return handled(error)
        finally:
            machine.trying.pop()
        return machine.after(jump, orelse)
    if len(places) > MANY:
        raise refused(machine, f"more than {MANY} of its operations may raise")
    place = places[0]
    found = _run_until(machine, body, place, keep=False)
    if place.node.op == "if":
        made, fails = _raised_in(place, found), machine.as_value(machine.wrap(_condition(
            machine, found.inputs, found.blocks)))
    else:
        made, fails = _outcome(machine, place, found)

    def fail() -> Any:
        _run_until(machine, body, place, keep=True)
        return handle(made, place.handler)

    return machine.branch(fails, fail,
                          lambda: _go_on(machine, body, orelse, places[1:], handle, handled),
                          None)


def _outcome(machine: Any, place: Place, found: Reached) -> tuple[Any, Value]:
    """The exception of an operation, and whether it raises one."""
    params = found.params
    fn = raises if place.handler[1] is None else raised_by
    aval = BOOL if place.handler[1] is None else OPAQUE
    (value,) = machine.emit("apply", found.inputs, (aval,), fn=fn,
                            args=(params["fn"], place.error, *params["args"]),
                            kwargs=params["kwargs"], many=False)
    if place.handler[1] is None:
        return place.error("raised by the try statement's body"), value
    error = machine.wrap(value)
    return error, machine.value_of(machine.compare("is not", error, None))


def _raised_in(place: Place, found: Reached) -> BaseException:
    """The exception that a branch raises (if the handler has a name for it, it is a constant)."""
    node = next(n for b in found.blocks for n in walk(b) if error_of(n) is not None)
    cls, *args = (node.params["args"] if node.op == "effect" and place.handler[1] is not None
                  else (place.error, "raised by the try statement's body"))
    made: BaseException = cls(*args)
    return made


def _condition(machine: Any, inputs: tuple[Value, ...], blocks: tuple[Block, ...]) -> Value:
    """Whether a branch raises: tells of its arms what its predicate chooses."""
    value: Value = machine.phi(inputs[0], lambda: _raises_in(machine, blocks[0].nodes, {}),
                               lambda: _raises_in(machine, blocks[1].nodes, {}), BOOL)
    return value


def _raises_in(machine: Any, nodes: Sequence[Node], renamed: dict[Value, Value]) -> Value:
    """Whether the nodes of an arm raise, with what they compute before recorded again."""
    for number, node in enumerate(nodes):
        inputs = tuple(renamed.get(v, v) for v in node.inputs)
        error = error_of(node)
        if node.op == "effect":
            found: Value = machine.const(True)
            return found
        blocks = tuple(rebuild(b, {v: renamed.get(v, v) for v in free_values(b)})
                       for b in node.blocks)
        if node.op == "if" and any(error_of(n) is not None for b in blocks for n in walk(b)):
            fails = _condition(machine, inputs, blocks)
        elif error is not None:
            (fails,) = machine.emit("apply", inputs, (BOOL,), fn=raises, args=(
                node.params["fn"], error, *node.params["args"]), kwargs=node.params["kwargs"],
                many=False)
        else:
            renamed.update(zip(node.outputs, machine.emit(
                node.op, inputs, tuple(o.aval for o in node.outputs), blocks, **node.params),
                strict=True))
            continue
        return _or_later(machine, fails, node, inputs, blocks, nodes[number + 1:], renamed)
    none: Value = machine.const(False)
    return none


def _or_later(machine: Any, fails: Value, node: Node, inputs: tuple[Value, ...],
              blocks: tuple[Block, ...], later: Sequence[Node],
              renamed: dict[Value, Value]) -> Value:
    """``fails``, or whether a later node of the arm raises."""
    if not any(raising(later)):
        return fails

    def go_on() -> Value:
        outputs = machine.emit(node.op, inputs, tuple(o.aval for o in node.outputs), blocks,
                               **node.params)
        return _raises_in(machine, later, {**renamed, **dict(zip(node.outputs, outputs,
                                                                 strict=True))})

    value: Value = machine.phi(fails, lambda: machine.const(True), go_on, BOOL)
    return value


def _run_until(machine: Any, body: Callable[[], Any], place: Place, keep: bool) -> Reached:
    """Record the body up to a node; with ``keep`` what it did until then stays done."""
    layers, region = len(machine.journal.layers), machine.region
    machine.journal.push()
    outer = machine.stop_at
    machine.stop_at = Stop(region, place.before, place.node)
    machine.trying.append(region)
    try:
        body()
        raise AssertionError("the operation that may raise was not reached")
    except Reached as reached:
        return reached
    finally:
        machine.stop_at = outer
        machine.trying.pop()
        while len(machine.journal.layers) > layers:
            if keep:
                machine.journal.commit()
            else:
                machine.journal.pop()
        machine.region = region
