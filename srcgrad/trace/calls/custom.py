"""Calls of functions with a derivative of their own: one node that brings its derivative along.

The function is traced aside for the types of its results only; at run time it is called as it
is.  Its derivative is traced beside the call, on fresh values for the cotangents (or tangents),
the results and the arguments, and becomes a graph in the node's parameters
(:mod:`srcgrad.graph.derivative`).  Values from around that it reads are further inputs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from types import FunctionType
from typing import Any

from ...errors import StructureError, UnsupportedOperation
from ...graph.derivative import Derivative, Direction, Source
from ...graph.infer import freeze
from ...graph.ir import Value, abstract
from ...graph.walking import walk
from ...rules.python.instances import instance_of
from ...stage.function import definition
from ...types.dataclasses import dataclass
from ...types.subclasses import assembled, native_class
from ...types.tree import argument_leaves, assemble, children, paths_below
from ..record.scopes import on_top
from ..record.tracers import is_tracer
from .aside import result_types
from .handlers import Traced
from .nested import opened, root, run_inside, varies


@dataclass(frozen=True)
class Custom:
    """What a call needs: the function that runs, and its derivative as functions of tracers.

    ``pull(machine, ct, results, args)`` returns one cotangent (a tree, or None) for each
    argument; ``push(machine, tangents, results, args)``, if given, the tangent of the result.
    """

    function: Any
    primal: Any
    pull: Callable[..., Any]
    push: Callable[..., Any] | None = None

    @property
    def name(self) -> str:
        return str(getattr(self.function, "__name__", "a function"))


def custom_call(machine: Any, custom: Custom, args: tuple[Any, ...]) -> Any:
    """The node of a call, and its result."""
    avals, many = result_types(machine, custom.name, custom.primal, args, {})
    args = tuple(opened(machine, a) for a in args)
    inputs: list[Value] = []
    template = abstract(machine.recorder.values_in(tuple(_handed(machine, a) for a in args)),
                        inputs)
    held = (machine.recorder.value_of(leaf) for a in args for _, leaf in paths_below(a, root("x"))
            if is_tracer(leaf))
    inputs += [v for v in held if v not in inputs]  # those inside of instances
    results = [Value(a) for a in avals]
    _check_reach(machine, custom, args, inputs)
    key = (custom.function, freeze(template), tuple(v.aval for v in inputs))
    derivative = next((d for known, d in machine.recursion.deriving if known == key), None)
    if derivative is None:
        derivative = Derivative()
        _trace(_Call(machine, custom, args, inputs, results, many), derivative, key)
    made = machine.recorder.emit("apply", tuple(inputs), avals, fn=custom.function, args=template,
                        kwargs={}, many=many, derivative=derivative)
    wrapped = tuple(machine.recorder.wrap(v) for v in made)
    return wrapped if many else wrapped[0]


def _handed(machine: Any, arg: Any) -> Any:
    """An argument as the function gets it at run time: instances that hold traced values, and
    containers of other classes than Python's plain ones, are made there."""
    parts = None if is_tracer(arg) else children(arg)
    if parts is None:
        return arg
    keys, cls = tuple(k for _, k, _ in parts), type(arg)
    given = [_handed(machine, part) for _, _, part in parts]
    if not any(is_tracer(leaf) for _, leaf in paths_below(arg, root("x"))):
        return arg
    if cls in (list, tuple, dict) or hasattr(cls, "_fields"):
        return assemble(cls, keys, given)
    if cls is deque:
        return machine.library_calls.apply_opaque(deque, (given,), {})
    if native_class(cls) is not None:
        return machine.library_calls.apply_opaque(assembled, (cls, keys, given), {})
    return machine.library_calls.apply_opaque(instance_of, (cls,), dict(
        zip(keys, given, strict=True)))


def _trace(call: _Call, derivative: Derivative, key: tuple[Any, ...]) -> None:
    """Trace both directions; calls of the function that they make have the same derivative."""
    machine, custom, count = call.machine, call.custom, len(call.inputs)
    with on_top(machine.recursion.deriving, (key, derivative)):
        if custom.push is not None:
            derivative.push = call.push()
        derivative.pull = call.pull()
    again = any(n.params.get("derivative") is derivative
                for part in (derivative.pull, derivative.push) if part is not None
                for n in walk(part.graph.block))
    if again and len(call.inputs) > count:
        raise machine.recorder.fatal(UnsupportedOperation(
            f"the derivative of {custom.name} calls {custom.name} and reads traced values from "
            "around it", why="each level would need them as arguments",
            fix="pass them to the function as arguments"))


def _check_reach(machine: Any, custom: Custom, args: tuple[Any, ...],
                 inputs: Sequence[Value]) -> None:
    """Refuse a function that was made while tracing and reads traced values from around it."""
    if not isinstance(custom.primal, FunctionType) or definition(custom.primal) is None:
        return
    inner = run_inside(machine, custom.primal, args, {}, [])
    if any(v not in inputs for v in inner.given):
        raise machine.recorder.fatal(UnsupportedOperation(
            f"{custom.name} has a derivative of its own and reads variables of the function that "
            "it is defined in", why="it is called as it is at run time, where they do not exist",
            fix="pass them as arguments, or define it outside"))


class _Call:
    """One call while its derivative is traced.  ``inputs`` grows by what the derivative reads."""

    def __init__(self, machine: Any, custom: Custom, args: tuple[Any, ...], inputs: list[Value],
                 results: list[Value], many: bool) -> None:
        self.machine, self.custom, self.args, self.inputs = machine, custom, args, inputs
        self.results, self.many = results, many
        self.places = [i for i, a in enumerate(args) if any(
            is_tracer(leaf) and varies(leaf) for _, leaf in argument_leaves(a, root("x")))]
        self.active = [i for i, v in enumerate(results) if v.aval.is_inexact]

    def pull(self) -> Direction:
        """The pullback: a cotangent for each varying leaf of the arguments that has one."""
        seeds = [self.results[i].like() for i in self.active]
        targets: list[int] = []
        leaves = [self._input(leaf) for leaf in self._leaves(self.args)]

        def run(seeded: Any, results: Any, *args: Any) -> Any:
            given: list[Any] = [None] * len(self.results)
            for i, seed in zip(self.active, seeded, strict=True):
                given[i] = seed
            found = self.custom.pull(self.machine, tuple(given) if self.many else given[0],
                                     results if self.many else results[0], args)
            cotangents = []
            pairs = [p for i in self.places for p in self._paired(args[i], found[i])]
            for number, (leaf, ct) in zip(leaves, pairs, strict=True):
                if ct is not None:
                    targets.append(number)
                    cotangents.append(self._fitting(ct, leaf, "cotangent"))
            return cotangents

        return self._part(run, seeds, targets)

    def push(self) -> Direction:
        """The pushforward: the tangents of the results that can have one."""
        leaves = self._leaves(self.args)
        seeds = [self.machine.recorder.as_value(leaf).like(obj=None) for leaf in leaves]

        def run(seeded: Any, results: Any, *args: Any) -> Any:
            assert self.custom.push is not None
            supply = iter(seeded)
            tangents = tuple(self._tree(a, supply) if i in self.places else None
                             for i, a in enumerate(args))
            found = self.custom.push(self.machine, tangents, results if self.many else results[0],
                                     args)
            parts = found if self.many else (found,)
            return [self._fitting(parts[i], results[i], "tangent") for i in self.active]

        numbers = [self._input(leaf) for leaf in leaves]
        return self._part(run, seeds, list(self.active), numbers)

    # ---- leaves --------------------------------------------------------------------------
    def _leaves(self, args: Sequence[Any]) -> list[Any]:
        """The varying leaves of the arguments that can carry a derivative."""
        return [leaf for i in self.places for _, leaf in argument_leaves(args[i], root("x"))
                if varies(leaf)]

    def _input(self, leaf: Any) -> int:
        """The number of a leaf among the inputs of the node."""
        return self._number(self.machine.recorder.as_value(leaf))

    def _number(self, value: Value) -> int:
        for number, known in enumerate(self.inputs):
            if known is value:
                return number
        self.inputs.append(value)
        return len(self.inputs) - 1

    def _paired(self, like: Any, tree: Any) -> Iterator[tuple[Any, Any]]:
        """The varying leaves of an argument with what stands there in its cotangent."""
        parts = None if is_tracer(like) else children(like)
        if parts is None:
            if varies(like):
                yield like, tree
            return
        inner = None if tree is None or is_tracer(tree) else children(tree)
        if tree is not None and (inner is None or [k for _, k, _ in inner] != [
                k for _, k, _ in parts]):
            raise self.machine.recorder.fatal(StructureError(
                f"a cotangent that {self.custom.name} gives has another structure than its "
                "argument", fix="return the same containers, or None for zero"))
        for n, (step, _, part) in enumerate(parts):
            if step != "fixed":
                yield from self._paired(part, None if inner is None else inner[n][2])

    def _tree(self, like: Any, supply: Iterator[Any]) -> Any:
        """The tangent of an argument: the next seed at each varying leaf, None elsewhere."""
        parts = None if is_tracer(like) else children(like)
        if parts is None:
            return next(supply) if varies(like) else None
        return assemble(type(like), tuple(k for _, k, _ in parts),
                        [None if step == "fixed" else self._tree(part, supply)
                         for step, _, part in parts])

    def _fitting(self, given: Any, like: Any, what: str) -> Any:
        """A cotangent or tangent as a tracer, of the shape of what it belongs to."""
        machine = self.machine
        if not is_tracer(given):
            if isinstance(given, (bool, int)):
                given = float(given)
            given = machine.recorder.wrap(machine.recorder.as_value(given))
        have, want = given.aval.shape, (like.aval.shape if is_tracer(like) else ())
        if have is not None and want is not None and (len(have) != len(want) or any(
                isinstance(a, int) and isinstance(b, int) and a != b
                for a, b in zip(have, want, strict=True))):
            raise machine.recorder.fatal(StructureError(
                f"a {what} that {self.custom.name} gives has the shape {have}, "
                f"what it belongs to has {want}",
                why="the derivative of a function keeps shapes",
                fix=f"return a {what} of that shape"))
        return given

    # ---- graphs --------------------------------------------------------------------------
    def _part(self, run: Callable[..., Any], seeds: list[Value], targets: list[int],
              numbers: Sequence[int] | None = None) -> Direction:
        """The graph of ``run(seeds, results, *args)``; ``numbers`` are those of the seeds."""
        machine = self.machine
        arguments = ([machine.recorder.wrap(s) for s in seeds],
                     tuple(map(machine.recorder.wrap, self.results)),
                     *self.args)
        inner = run_inside(machine, Traced(run), arguments, {},
                           [0, 1, *(2 + place for place in self.places)])
        known: dict[Value, Source] = {seed: ("seed", n) for seed, n in zip(
            seeds, self.active if numbers is None else numbers, strict=True)}
        known |= {result: ("result", i) for i, result in enumerate(self.results)}
        sources = tuple(known.get(v) or ("input", self._number(v)) for v in inner.given)
        return Direction(inner.graph, sources, tuple(targets))
