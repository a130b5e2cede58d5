"""Gradients inside a traced function: what a call of one becomes.  How graphs are differentiated is
handed in."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import NonDifferentiable, NonScalarOutput, UnsupportedOperation
from ...graph.ir import Graph, Value
from ...graph.seeds import unit_seeds
from ...types.kinds import Kind, in_words
from ..record.tracers import ClassedArray, is_tracer
from .handlers import Traced
from .nested import Carrying, Inner, differentiable, inline, named, run_inside

Wanted = str | tuple[str, int | str]  # a parameter, or a place in ``*args`` or ``**kwargs``
Differentiate = Callable[[Graph, list[int], list[int], list[int]], Graph]


def inline_derivative(machine: Any, function: Any, bound: inspect.BoundArguments,
                      wanted: Sequence[Wanted], differentiate: Differentiate,
                      carrying: Carrying, has_aux: bool = False, allow_int: bool = False
                      ) -> tuple[Any, list[Any]]:
    """Run ``function`` on tracers and differentiate it in place.

    Returns its value (tracers) and, for each of the ``wanted`` parameters (a name, or that of
    ``*args`` and a place), the gradient in the argument's structure.  ``differentiate(graph, wrt,
    of, keep)`` makes the joint graph, with one seed input per differentiated output at the end;
    ``carrying(graph, wrt, of)`` tells which outputs have a derivative.
    """
    args, run, places = _by_position(machine, function, bound, wanted)
    for place, name in zip(places, wanted, strict=True):
        if not allow_int and not differentiable(machine, (args[place],)):
            raise machine.recorder.fatal(NonDifferentiable(
                f"{named(function)} is differentiated with respect to "
                f"{'{}[{}]'.format(*name) if isinstance(name, tuple) else name}, which holds no "
                "floating-point numbers",
                why="only real and complex floating-point numbers and arrays have derivatives",
                fix="pass a float, or choose another argument with argnums"))
    inner = run_inside(machine, run, args, {}, places)
    of = [0] if _is_scalar_first(inner, has_aux) else None
    if of is None:
        inner.carrying(carrying, has_aux)
        raise machine.recorder.fatal(_not_scalar(function, inner.result, has_aux))
    kept = list(range(len(inner.graph.outputs)))
    joint = differentiate(inner.graph, list(range(inner.count)), of, kept)
    seeds = joint.inputs[len(inner.given):]
    outputs = inline(machine, joint, [
        *inner.given, *(_seed_value(machine, s, number)
                        for s, number in zip(seeds, unit_seeds(seeds, joint), strict=True))])
    return inner.returned(outputs[:len(kept)])[1], inner.gradients(outputs[len(kept):])


def _by_position(machine: Any, function: Any, bound: inspect.BoundArguments,
                 wanted: Sequence[Wanted]) -> tuple[list[Any], Any, list[int]]:
    """The arguments, what takes them all by position, and the places of the wanted ones."""
    args, kwargs = list(bound.args), dict(bound.kwargs)
    count, names = len(args), list(bound.arguments)
    moved: list[str] = []
    places: list[int] = []
    for found in wanted:
        name = found[1] if isinstance(found, tuple) else found
        if isinstance(name, int):
            places.append(names.index(found[0]) + name)
        elif name in names and name not in bound.kwargs:
            places.append(names.index(name))
        elif name in moved:
            places.append(count + moved.index(name))
        elif name in kwargs:
            places.append(len(args))
            moved.append(name)
            args.append(kwargs.pop(name))
        else:
            raise machine.recorder.fatal(UnsupportedOperation(
                f"the derivative of {named(function)} with respect to {name}, which is not given",
                why="what a default holds is not an argument of the call",
                fix="pass the argument"))
    if not kwargs and not moved:
        return args, function, places
    return args, Traced(lambda *given: machine.call(
        function, *given[:count], **kwargs, **dict(zip(moved, given[count:], strict=True)))), places


def _seed_value(machine: Any, seed: Value, number: Any) -> Value:
    """The number as a value of the type of a seed."""
    value: Value = machine.recorder.const(number)
    if seed.aval.kind is not Kind.ARRAY:
        return value
    made: Value = machine.recorder.value_of(machine.call(np.asarray, machine.recorder.wrap(value)))
    return made


def _not_scalar(function: Any, result: Any, has_aux: bool) -> NonScalarOutput:
    name = named(function)
    what = in_words(result.aval) if is_tracer(result) else f"a {type(result).__name__}"
    if has_aux and not (isinstance(result, tuple) and len(result) == 2):
        return NonScalarOutput(
            f"{name} must return (value, aux) with has_aux=True, but it returns {what}",
            where=f"the result of {name}",
            why="has_aux says that the result is a pair: what is differentiated, and the rest",
            fix="return a tuple of the scalar and the rest, or leave has_aux out")
    return NonScalarOutput(
        f"the gradient of {name} needs a real scalar result, but it returns {what}",
        where=f"the result of {name}", why="a gradient is the derivative of one real number",
        fix="reduce the result, for instance with np.sum")


def _is_scalar_first(inner: Inner, has_aux: bool) -> bool:
    """Is the result one real number (with ``has_aux``: the first of two results)?"""
    if has_aux and not (isinstance(inner.result, tuple) and len(inner.result) == 2):
        return False
    first = inner.result[0] if has_aux else inner.result
    if isinstance(first, ClassedArray):
        first = first._array_
    return is_tracer(first) and bool(inner.graph.outputs) and _real_scalar(inner.graph.outputs[0])


def _real_scalar(value: Value) -> bool:
    aval = value.aval
    return aval.kind is Kind.ANY or (aval.shape == () and aval.is_inexact and (
        aval.dtype is None or aval.dtype.kind == "f"))
