"""``try`` around numeric code: whether the body raises is found out before it runs.

The body of ``try: z = solve(A, b)`` / ``except LinAlgError: z = lstsq(A, b)[0]`` raises only
where one operation meets unfit data.  That operation is tried first, by itself; its outcome is
the predicate of an ordinary branch between the handler and the body, so that both have their
adjoints.  Where more than one operation may raise, or something was changed or done before it,
the statement is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..errors import UnsupportedSyntax
from ..graph.ir import Node, Value, walk
from ..kinds import BOOL, Kind
from ..spelling import raise_exception
from .control import Signal

LINALG = frozenset({"solve", "inv", "cholesky", "eigh", "eig", "svd", "pinv", "lstsq", "qr",
                    "eigvalsh", "eigvals", "matrix_power", "tensorsolve", "tensorinv"})
DIVISIONS = frozenset({"truediv", "floordiv", "mod", "pow"})
Handler = tuple[Callable[[], Any] | None, str | None, Callable[[], Any]]


class Reached(Signal):
    """The operation that may raise is about to be recorded; its operands are values."""

    def __init__(self, fn: Any, args: Any, kwargs: Any, inputs: tuple[Value, ...]) -> None:
        super().__init__(fn)
        self.fn, self.args_, self.kwargs_, self.inputs = fn, args, kwargs, inputs


def raises(fn: Callable[..., Any], error: type[BaseException], *args: Any,
           **kwargs: Any) -> bool:
    """Does ``fn(*args, **kwargs)`` raise ``error``?"""
    try:
        fn(*args, **kwargs)
    except error:
        return True
    return False


def error_of(node: Node) -> type[BaseException] | None:
    """The exception that data can make a node raise."""
    if node.op == "effect":
        raised: type[BaseException] = (
            node.params["args"][0] if node.params["fn"] is raise_exception else Exception)
        return raised
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
            handlers: list[Handler],
            handle: Callable[[BaseException, Handler], Any]) -> Any:
    """Run the body of a try statement whose handlers could be met at run time.

    The caller has found nothing that raises while tracing.  Returns the jump.
    """
    arm = machine.trace_arm(body)
    nodes = arm.region.builder.nodes
    caught = [(h, Exception if h[0] is None else h[0]()) for h in handlers]
    places = []
    for place, error in raising(nodes):
        chosen = next((h for h, types in caught if catches(error, types)), None)
        if chosen is not None:
            places.append((place, error, chosen))
    if not places:
        return machine.after(body(), orelse)
    place, error, chosen = places[0]
    if nodes[place].op in ("if", "loop"):
        raise refused(machine, f"{error.__name__} may be raised inside of a branch or loop "
                               "of its body, depending on data")
    if len(places) > 1 or nodes[place].op != "apply":
        raise refused(machine, "more than one of its operations may raise, so that which "
                               "statements were finished depends on data")
    if any(n.op in ("write", "update", "acc", "append", "effect") for n in nodes[:place]):
        raise refused(machine, "something is changed before the operation that may raise")
    fails = _probe(machine, body, place, error)
    made = error("raised by the try statement's body")
    return machine.branch(fails, lambda: handle(made, chosen),
                          lambda: machine.after(body(), orelse), None)


def _probe(machine: Any, body: Callable[[], Any], place: int,
           error: type[BaseException]) -> Value:
    """Record the body up to the operation that may raise, then whether it does."""
    layers, region = len(machine.journal.layers), machine.region
    start = len(region.builder.nodes)
    machine.journal.push()
    machine.stop_at = start + place
    try:
        body()
        raise AssertionError("the operation that may raise was not reached")
    except Reached as reached:
        found = reached
    finally:
        machine.stop_at = None
        while len(machine.journal.layers) > layers:
            machine.journal.pop()
        machine.region = region
    (value,) = machine.emit("apply", found.inputs, (BOOL,), fn=raises,
                            args=(found.fn, error, *found.args_), kwargs=found.kwargs_,
                            many=False)
    result: Value = value
    return result
