"""Calls that are one node although they could be inlined: the function is traced aside, for the
types of its results."""

from __future__ import annotations

import types
from typing import Any

from ...errors import SrcgradError, StructureError, UnsupportedOperation
from ...graph.ir import Value, abstract, avals_in
from ...graph.purity import declare_pure
from ...graph.symbolic import infer_fresh
from ...types.kinds import Aval, aval_of
from ..collaborator import Args, Kwargs
from ..flow.control import Refusal
from ..objects.special_methods import python_method
from ..record.tracers import is_tracer
from .handlers import Traced

Types = tuple[tuple[Aval, ...], bool]


def result_types(machine: Any, name: str, function: Any, args: Args, kwargs: Kwargs) -> Types:
    """The types of the results of ``function(*args)``, and whether they are a tuple.  Refuses
    effects, and results other than numbers and arrays.

    A function that cannot be traced is tried on small examples: who gives its derivative says that
    it has no effects."""
    held: list[Any] = []
    try:
        arm = machine.merges.trace_arm(lambda: held.append(machine.call(function, *args, **kwargs)))
    except (Refusal, Exception) as failure:
        found = _tried(machine, getattr(function, "function", None) or function, args, kwargs)
        if found is None:
            raise failure
        return found
    if arm.changes or arm.region.effects:
        raise machine.recorder.fatal(UnsupportedOperation(
            f"{name} has a derivative of its own and changes something outside",
            why="its call is one operation of the graph", fix="return what it changes"))
    (result,) = held
    many = isinstance(result, tuple)
    parts = result if many else (result,)
    if any(not is_tracer(r) and not isinstance(r, (bool, int, float, complex)) for r in parts):
        raise machine.recorder.fatal(StructureError(
            f"{name} has a derivative of its own and returns a {type(result).__name__}",
            why="its call is one operation, whose results are numbers and arrays",
            fix="return an array, a number or a tuple of these"))
    return tuple(r.aval if is_tracer(r) else aval_of(r).but(expr=None) for r in parts), many


def _tried(machine: Any, function: Any, args: Args, kwargs: Kwargs) -> Types | None:
    declare_pure(function)
    try:
        found = infer_fresh(function, avals_in(machine.recorder.values_in(args)),
                            avals_in(machine.recorder.values_in(kwargs)))
    except (SrcgradError, TypeError, ValueError):
        return None
    return found.avals, found.many


def _inlined(machine: Any, function: Any) -> Traced:
    """A function with a rule, traced as if it had none."""
    method = None if isinstance(function, types.FunctionType) else (
        python_method(function, "__call__"))
    return Traced(lambda *args, **kwargs: machine.calls.inline(function, args, kwargs) if (
        method is None) else machine.call(method, function, *args, **kwargs), function)


def ruled_call(machine: Any, function: Any, args: Args, kwargs: Kwargs) -> Any:
    """A call of a function of the user's for which the rule book has a rule."""
    name = str(getattr(function, "__name__", type(function).__name__))
    declare_pure(function)  # who gives a rule says so
    args = tuple(machine.library_calls.opened(a) for a in args)
    kwargs = {k: machine.library_calls.opened(v) for k, v in kwargs.items()}
    inputs: list[Value] = []
    template = abstract(machine.recorder.values_in(args), inputs)
    keywords = abstract(machine.recorder.values_in(kwargs), inputs)
    if not inputs:
        return machine.call(_inlined(machine, function), *args, **kwargs)
    avals, many = result_types(machine, name, _inlined(machine, function), args, kwargs)
    outputs = machine.recorder.emit("apply", tuple(inputs), avals, fn=function, args=template,
                           kwargs=keywords, many=many)
    made = tuple(machine.recorder.wrap(v) for v in outputs)
    return made if many else made[0]
