"""Functions of the user's that library code calls back, traced to graphs of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import UnsupportedOperation
from ...graph.callback import Callback
from ...graph.ir import Block, Graph, Value
from ...graph.lift import called
from ...graph.walking import free_values, rebuild
from ...types.dataclasses import dataclass
from ...types.identifiers import name_or
from ...types.kinds import Aval, Kind, in_words
from ..record.tracers import is_tracer


@dataclass(frozen=True)
class Wanted:
    """A function and what it will be called with: arguments of these types, then ``extra``.
    ``like`` is the number of the argument whose shape the result has (None: it is a number);
    ``free`` results may have any shape."""

    function: Any
    avals: Sequence[Aval]
    extra: tuple[Any, ...] = ()
    like: int | None = None
    free: bool = False
    minimised: bool = False


@dataclass(frozen=True)
class Lifted:
    """Callbacks by their roles, and the values from around them that all of them take after
    their own arguments."""

    callbacks: Mapping[str, Callback]
    captured: tuple[Any, ...]


def lifted(machine: Any, solver: str, wanted: Mapping[str, Wanted]) -> Lifted:
    """Trace functions for ``solver``; what any of them reads from around becomes parameters."""
    blocks = {role: _traced(machine, solver, each) for role, each in wanted.items()}
    captured: dict[Value, None] = {}
    for block in blocks.values():
        captured.update(dict.fromkeys(free_values(block)))
    callbacks: dict[str, Callback] = {}
    for role, block in blocks.items():
        each = wanted[role]
        if called(block):
            raise machine.recorder.fatal(UnsupportedOperation(
                f"the function given to {solver} calls a function that calls itself",
                why="it is handed to SciPy as one piece of code",
                fix="write the recursion as a loop"))
        name = _name(each.function, {c.title for c in callbacks.values()})
        params = {v: v.like(obj=None) for v in captured}
        graph = Graph(name, rebuild(block, dict(params)).but(
            params=(*block.params, *params.values())), n_primal=1)
        callbacks[role] = Callback(name, graph, len(each.avals), (each.like,),
                                   minimised=each.minimised)
    return Lifted(callbacks, tuple(machine.recorder.wrap(v) for v in captured))


def _traced(machine: Any, solver: str, wanted: Wanted) -> Block:
    """The block of a function, on parameters of its own."""
    params = [Value(aval, hint) for aval, hint in zip(wanted.avals, _hints(wanted), strict=True)]
    results: list[Value] = []

    def body() -> None:
        arguments = [machine.recorder.wrap(p) for p in params]
        found = machine.call(wanted.function, *arguments, *wanted.extra)
        results.append(_numeric(machine, solver, wanted, found))

    arm = machine.merges.trace_arm(body)
    if arm.changes or arm.region.effects:
        raise machine.recorder.fatal(UnsupportedOperation(
            f"the function given to {solver} does something besides returning its value",
            why=f"{solver} calls it as often as it likes, which is no part of what is traced",
            fix="return the value only; print or count outside of it"))
    block: Block = arm.region.builder.block(tuple(results)).but(params=tuple(params))
    return block


def _numeric(machine: Any, solver: str, wanted: Wanted, found: Any) -> Value:
    """What a function returns, as one value of the form that the solver asks for."""
    if not is_tracer(found) and not isinstance(found, (bool, int, float)):
        found = machine.call(np.array, found)
    rank = None if wanted.free else 0 if wanted.like is None else (
        wanted.avals[wanted.like].ndim or 0)
    value: Value = machine.recorder.as_value(found)
    if rank == 0 and value.aval.is_array and value.aval.ndim == 0:  # a number to the solver
        value = machine.recorder.as_value(machine.getitem(found, ()))
    aval = value.aval
    if not aval.is_numeric or aval.kind is Kind.ANY or rank not in (None, aval.ndim or 0):
        raise machine.recorder.fatal(UnsupportedOperation(
            f"the function given to {solver} returns {in_words(aval)}",
            why="its result has to be a number" if not rank else
                "its result has to have the shape of its first argument",
            fix="return a number: y[0] or np.sum(y)" if not rank else
                "return an array of that shape"))
    if aval.dtype is not None and aval.dtype.kind == "c":
        raise machine.recorder.fatal(UnsupportedOperation(
            f"the function given to {solver} returns complex numbers",
            why="derivatives of what it finds are known for real ones",
            fix="treat real and imaginary parts as two functions"))
    return value


def _hints(wanted: Wanted) -> list[str]:
    """The user's names for the first arguments, where they are known."""
    code = getattr(wanted.function, "__code__", None)
    names = list(code.co_varnames[:code.co_argcount]) if code is not None else []
    return [names[i] if i < len(names) and names[i] not in names[:i] else f"x{i}"
            for i in range(len(wanted.avals))]


def _name(function: Any, taken: set[str]) -> str:
    name = name_or(getattr(function, "__name__", "function"), "function")
    found, number = name, 1
    while found in taken:
        number += 1
        found = f"{name}_{number}"
    return found
