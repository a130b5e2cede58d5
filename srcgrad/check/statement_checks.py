"""Which statement has the wrong derivative: each call of a run is checked by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..adjoint.activity import Activity
from ..adjoint.binding import Bindings
from ..adjoint.calls import Calls
from ..compile.compiler import trace_call
from ..compile.frames import without_internal_frames
from ..compile.joints import inner_joint
from ..errors import Where
from ..graph.interpret import Watch, interpret
from ..graph.ir import Block, Graph, Node, Value
from ..types.dataclasses import dataclass

RUNS = 3  # executions of one operation that are checked
_STEP = {4: 1e-2, 8: 1e-5}  # of differences, by the size of a real number in bytes
_TOLERANCE = {4: 3e-2, 8: 1e-5}


@dataclass(frozen=True)
class Suspect:
    """A statement whose adjoint fails the dot-product test: for a random direction ``v`` and
    a random cotangent ``w``, ``<w, J v>`` by central differences is ``by_differences``, and
    ``<J* w, v>`` with the generated adjoint is ``by_adjoint``."""

    operation: str
    where: Where | None
    by_adjoint: float
    by_differences: float

    def __str__(self) -> str:
        place = "" if self.where is None else f"\n{self.where.render()}"
        return (f"the adjoint of {self.operation} fails the dot-product test: it gives "
                f"{self.by_adjoint:.6g}, central differences give {self.by_differences:.6g}{place}")


@without_internal_frames
def debug_grads(fun: Callable[..., Any], *args: Any) -> Suspect | None:
    """The first statement of ``fun(*args)`` whose adjoint fails the dot-product test, or None.

    The program is run operation by operation; each operation on a path from an argument to the
    result is compared, on the operands that it got, with central differences along random
    directions.  Where differences with two steps disagree (a kink, a jump) nothing is said.  Of an
    operation in a loop the first few executions are checked.  What finds fault is usually a rule
    given with :func:`custom_vjp`, :func:`custom_jvp` or :mod:`srcgrad.rules`.

    Raises what :func:`grad` raises.

    See also :func:`check_grads`, :func:`debug_nans`, :class:`custom_vjp`.

    >>> from srcgrad import custom_vjp
    >>> @custom_vjp
    ... def square(x):
    ...     return x * x
    >>> square.defvjp(lambda x: (x * x, x), lambda x, ct: (3.0 * x * ct,))
    >>> print(debug_grads(lambda x: np.sum(square(np.sin(x))), np.ones(2)).operation)
    square
    >>> debug_grads(lambda x: np.sum(np.sin(x)), np.ones(2)) is None
    True
    """
    graph, inputs = trace_call(fun, args)
    watch = _Statements(graph)
    if watch.some:
        try:
            interpret(graph, *inputs, watch=watch)
        except _Found as found:
            return found.suspect
    return None


class _Found(Exception):
    def __init__(self, suspect: Suspect) -> None:
        self.suspect = suspect


class _Statements(Watch):
    """Checks the operations of a graph while it is interpreted."""

    def __init__(self, graph: Graph) -> None:
        wrt = [v for v in graph.inputs if v.aval.is_inexact]
        of = [v for v in graph.outputs if v.aval.is_inexact]
        self.some = bool(wrt and of)
        self.activity = Activity(graph.block, Bindings(graph.block), wrt, of,
                                 Calls(graph, wrt, of)) if self.some else None
        self.content: dict[Value, Any] = {}
        self.runs: dict[Node, int] = {}
        self.tests: dict[Node, _Test] = {}
        self.stream = np.random.default_rng(0)

    def inside(self) -> _Statements:
        return self

    def value(self, value: Value, obj: Any, node: Node | None) -> None:
        self.content[value] = obj
        if node is None or node.op != "apply" or value is not node.outputs[-1] or (
                self.activity is None):
            return
        if not any(self.activity.active(o) for o in node.outputs) or (
                self.runs.get(node, 0) >= RUNS):
            return
        self.runs[node] = self.runs.get(node, 0) + 1
        if node not in self.tests:
            self.tests[node] = _Test(node, self.activity)
        suspect = self.tests[node].run([self.content[v] for v in node.inputs], self.stream)
        if suspect is not None:
            raise _Found(suspect)


class _Test:
    """The dot-product test of one operation."""

    def __init__(self, node: Node, activity: Activity) -> None:
        self.node = node
        distinct = list(dict.fromkeys(node.inputs))
        self.first = [node.inputs.index(v) for v in distinct]
        self.graph = Graph("statement", Block(tuple(distinct), (node,), node.outputs))
        self.wrt = [i for i, v in enumerate(distinct)
                    if v in activity.varied and v.aval.is_inexact and v.aval.is_numeric]
        self.of = [i for i, v in enumerate(node.outputs)
                   if v.aval.is_inexact and v.aval.is_numeric]
        self.joint = inner_joint(self.graph, self.wrt, self.of, []) if (
            self.wrt and self.of) else None

    def run(self, contents: list[Any], stream: np.random.Generator) -> Suspect | None:
        """The suspect, if the test fails for these operands."""
        if self.joint is None:
            return None
        operands = [contents[i] for i in self.first]
        directions = {i: _random_like(operands[i], stream) for i in self.wrt}
        out = interpret(self.graph, *operands)
        seeds = [_random_like(out[i], stream) for i in self.of]
        size = min(np.asarray(operands[i]).real.dtype.itemsize for i in self.wrt)
        if size not in _STEP or not all(np.all(np.isfinite(out[i])) for i in self.of):
            return None
        found = interpret(self.joint, *operands, *seeds)
        by_adjoint = sum(_dot(g, directions[i]) for g, i in zip(found, self.wrt, strict=True))
        slopes = [self._slope(operands, directions, seeds, _STEP[size] * s) for s in (1.0, 0.3)]
        scale = _TOLERANCE[size] * (1.0 + abs(slopes[0]) + abs(by_adjoint))
        if abs(slopes[0] - slopes[1]) > scale or abs(slopes[1] - by_adjoint) <= 3.0 * scale:
            return None
        fn, origin = self.node.params["fn"], self.node.origin
        return Suspect(str(getattr(fn, "__name__", getattr(fn, "name", fn))),
                       None if origin is None else origin.where, by_adjoint, slopes[1])

    def _slope(self, operands: list[Any], directions: dict[int, Any], seeds: list[Any],
               step: float) -> float:
        """The pairing of the seeds with the results' central differences."""
        sides = []
        for sign in (step, -step):
            moved = [_moved(x, directions[i], sign) if i in directions else x
                     for i, x in enumerate(operands)]
            out = interpret(self.graph, *moved)
            sides.append(sum(_dot(out[i], s) for i, s in zip(self.of, seeds, strict=True)))
        return (sides[0] - sides[1]) / (2.0 * step)


def _random_like(like: Any, stream: np.random.Generator) -> Any:
    drawn = np.asarray(stream.normal(size=np.shape(like)))
    if np.iscomplexobj(like):
        drawn = drawn + 1j * stream.normal(size=np.shape(like))
    if isinstance(like, np.ndarray):
        return drawn.astype(like.dtype)
    return type(like)(drawn[()])


def _moved(x: Any, direction: Any, by: float) -> Any:
    if isinstance(x, np.ndarray):
        return x + np.asarray(by * direction, x.dtype)
    return type(x)(x + by * direction)


def _dot(a: Any, b: Any) -> float:
    """The real pairing without conjugation, in which adjoints are transposes."""
    return float(np.real(np.sum(np.asarray(a) * np.asarray(b))))
