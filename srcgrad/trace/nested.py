"""Transforms called inside a traced function: the inner derivative becomes part of the graph.

The inner function is run in a region of its own on fresh values for the arguments it is
differentiated with respect to; its free variables are the enclosing values themselves.  The
region is differentiated as a graph and its joint nodes take the place of the call.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ..errors import NonScalarOutput, UnsupportedOperation
from ..graph.ir import Graph, Value, free_values, rebuild, unit_seeds
from ..graph.lift import called
from ..guards import Path
from ..kinds import Kind
from ..tree import assemble, children, paths_below
from .iteration import Staged
from .recorder import Region
from .tracers import ArrayTracer, is_tracer

Differentiate = Callable[[Graph, list[int], list[int], list[int]], Graph]


def inline_derivative(machine: Any, function: Any, args: tuple[Any, ...],
                      kwargs: dict[str, Any], argnums: tuple[int | str, ...],
                      differentiate: Differentiate) -> tuple[Any, list[Any]]:
    """Run ``function`` on tracers and differentiate it in place.

    Returns its value (tracers) and, for each of ``argnums``, the gradient in the argument's
    structure.  ``differentiate(graph, wrt, of, keep)`` makes the joint graph, with one seed
    input per differentiated output at the end.
    """
    named = list(inspect.signature(function).bind(*args, **kwargs).arguments)
    places = [named.index(a) if isinstance(a, str) else a % len(args) for a in argnums]
    region = Region(machine.region)
    new_args = list(args)
    params: list[Value] = []
    given: list[Value] = []
    leaves: list[list[tuple[Path, Any]]] = []
    for place in places:
        path = Path(("arg", str(place)), (), str(place))
        found = paths_below(_opened(machine, args[place]), path)
        leaves.append(found)
    outer = machine.region
    machine.region = region
    try:
        for place, found in zip(places, leaves, strict=True):
            inner: dict[Path, Any] = {}
            for path, leaf in found:
                inner[path] = _parameter(machine, leaf, params, given)
            new_args[place] = _replaced(_opened(machine, args[place]),
                                        Path(("arg", str(place)), (), str(place)), inner)
        value = machine.call(function, *new_args, **kwargs)
        result = machine.value_of(value)
    finally:
        machine.region = outer
    if not isinstance(result, Value) or not _real_scalar(result):
        raise machine.fatal(NonScalarOutput(
            f"the gradient of {getattr(function, '__name__', 'a function')} needs a real scalar "
            "result", why="a gradient is the derivative of one number",
            fix="reduce the result, for instance with np.sum"))
    block = region.builder.block((result,)).but(params=tuple(params))
    free = free_values(block)
    lifted = {v: v.like() for v in free}
    graph = Graph("inner", rebuild(block, dict(lifted)).but(
        params=(*params, *lifted.values())), n_primal=1, callees=machine.callees)
    if any(name not in machine.callees for name in called(block)):
        raise machine.fatal(UnsupportedOperation(
            "a derivative, inside a function that calls itself, of a call of that function",
            why="the function's graph is not known before it has been traced",
            fix="take the derivative outside of the recursive function"))
    joint = differentiate(graph, list(range(len(params))), [0], [0])
    machine.callees.update(joint.callees)
    outputs = _inline(machine, joint, [*given, *free])
    made = [machine.wrap(v) for v in outputs]
    gradients = []
    taken = iter(made[1:])
    for place, found in zip(places, leaves, strict=True):
        inner = {path: next(taken) if _varies(leaf) else None for path, leaf in found}
        gradients.append(_replaced(_opened(machine, args[place]),
                                   Path(("arg", str(place)), (), str(place)), inner))
    return made[0], gradients


def _opened(machine: Any, arg: Any) -> Any:
    """An argument with containers from outside read through their paths."""
    if is_tracer(arg) or isinstance(arg, Staged):
        return arg
    parts = children(arg)
    if parts is None:
        return arg
    if isinstance(arg, dict):
        return {k: _opened(machine, machine.getitem(arg, k)) for k in arg}
    if isinstance(arg, (list, tuple)) and not hasattr(arg, "_fields"):
        return type(arg)(_opened(machine, x) for x in machine.iterate(arg))
    return assemble(type(arg), tuple(k for _, k, _ in parts),
                    [_opened(machine, machine.getattr(arg, k)) for _, k, _ in parts])


def _varies(leaf: Any) -> bool:
    if is_tracer(leaf):
        return bool(leaf.aval.is_inexact)
    return type(leaf) in (float, complex)


def _parameter(machine: Any, leaf: Any, params: list[Value], given: list[Value]) -> Any:
    """A fresh tracer in place of a differentiable leaf."""
    if not _varies(leaf):
        return leaf
    outer, machine.region = machine.region, machine.region.parent
    value = machine.as_value(leaf)
    machine.region = outer
    given.append(value)
    param = value.like(obj=None)
    params.append(param)
    tracer = machine.wrap(param)
    if type(tracer) is ArrayTracer:
        tracer.home.label = leaf.home.label
    return tracer


def _replaced(value: Any, path: Path, inner: dict[Path, Any]) -> Any:
    parts = None if is_tracer(value) else children(value)
    if parts is None:
        return inner[path]
    built = [_replaced(part, path.child(step, key), inner) for step, key, part in parts]
    return assemble(type(value), tuple(k for _, k, _ in parts), built)


def _real_scalar(value: Value) -> bool:
    aval = value.aval
    return aval.kind is Kind.ANY or (aval.shape == () and aval.is_inexact and (
        aval.dtype is None or aval.dtype.kind == "f"))


def _inline(machine: Any, joint: Graph, arguments: list[Value]) -> list[Value]:
    """Append the nodes of a joint graph to the present region."""
    seeds = joint.inputs[len(arguments):]
    values = [*arguments, *map(machine.const, unit_seeds(seeds, joint))]
    substitution = dict(zip(joint.inputs, values, strict=True))
    body = rebuild(joint.block, substitution)
    for node in body.nodes:
        machine.node_count += 1
        machine.region.builder.nodes.append(node)
    return list(body.outputs)

