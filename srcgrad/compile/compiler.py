"""The pipeline, top to bottom: the file to read first.

    trace -> differentiate -> simplify -> close -> simplify -> emit -> link -> dispatch

:func:`compile_call` takes a function, what is wanted of it, and the arguments of one call, and
gives a :class:`Specialization`: generated code that serves every call with the same signature.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..adjoint import carrying
from ..cache.anchors import anchor_of
from ..cache.dispatch import Dispatch
from ..cache.memory import rare_collections
from ..errors import SrcgradError
from ..graph.ir import Graph
from ..graph.seeds import unit_seeds
from ..simplify import simplify, with_known_tests, without_lookups
from ..stage.stack import room_to_recurse
from ..trace.entry import Traced, trace
from ..types.guards import Path
from ..types.identifiers import plain_name, signature_of
from ..types.tree import argument_leaves
from .backends import parameter_names
from .joints import joint_graph
from .pairs import compile_jvp, compile_pair
from .requests import Request, Wanted, check_separate, inputs_of, structure_guards, wanted_of
from .results import always_raises, checked_scalar, outside_aux, primal
from .specializations import Specialization, assemble_specialization, collect
from .templates import gradient_tree, may_vary, refs, renumbered
from .titles import title


@room_to_recurse()
@rare_collections()
def compile_call(function: Any, request: Request, args: tuple[Any, ...],
                 kwargs: Mapping[str, Any]) -> Specialization:
    """Compile ``function`` for calls like ``function(*args, **kwargs)``."""
    signature = signature_of(function)
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        raise TypeError(f"{plain_name(function)}(): {error}") from None
    bound.apply_defaults()
    wanted = [] if request.mode == "jit" else wanted_of(function, request, signature, bound)
    leaves = [leaf for *_, found in wanted for leaf, value in found if may_vary(value)]
    name = f"{plain_name(function)}{'' if request.mode == 'jit' else '_' + request.mode}"
    traced = trace(function, args, dict(kwargs), leaves, name)
    try:
        return _compile_traced(function, request, signature, traced, wanted, leaves, name)
    except SrcgradError as error:
        undo = [a for a in traced.risks if type(a).__name__ in error.lifted_by]
        if not undo:
            raise
    traced = trace(function, args, dict(kwargs), leaves, name, undo)
    return _compile_traced(function, request, signature, traced, wanted, leaves, name)


def _compile_traced(function: Any, request: Request, signature: inspect.Signature,
                    traced: Traced, wanted: list[Wanted], leaves: list[Path],
                    name: str) -> Specialization:
    """Everything after tracing."""
    check_separate(leaves, traced)
    traced = replace(traced, guards=(*traced.guards, *structure_guards(traced, wanted)))
    if "lookups" not in request.without:
        traced = replace(traced, graph=without_lookups(traced.graph))
    if "known tests" not in request.without:
        traced = replace(traced, graph=with_known_tests(traced.graph))
    if always_raises(traced.graph):
        request, wanted = replace(request, mode="jit"), []
    if request.mode in ("jit", "vjp", "jvp") and traced.leak is not None:
        raise traced.leak
    if request.mode in ("vjp", "jvp"):
        make = compile_pair if request.mode == "vjp" else compile_jvp
        return make(function, request, signature, traced, wanted, name)
    graph, result, defaults = _transform(function, request, traced, wanted)
    if traced.leak is not None:
        raise traced.leak
    graph = graph.but(title=title(function, request, traced, wanted))
    return assemble_specialization(plain_name(function), anchor_of(function), signature, traced,
                                   graph, result, defaults, name, request.backend)


def trace_call(function: Any, args: tuple[Any, ...]) -> tuple[Graph, tuple[Any, ...]]:
    """The graph of ``function(*args)`` as it was traced, and its inputs for that call."""
    signature = signature_of(function)
    bound = signature.bind(*args)
    bound.apply_defaults()
    leaves = [leaf for name, value in bound.arguments.items()
              for leaf, part in argument_leaves(value, Path(("arg", name), (), name))
              if may_vary(part)]
    traced = trace(function, args, {}, leaves, plain_name(function))
    dispatch = Dispatch(plain_name(function), signature, traced, collect)
    return traced.graph, dispatch.caller.bound(anchor_of(function), signature)(*args)


def _transform(function: Any, request: Request, traced: Traced,
               wanted: list[Wanted]
               ) -> tuple[Graph, Any, dict[str, Any]]:
    """The graph to emit, the structure of its result, and default values of its seeds."""
    if request.mode == "jit":
        graph = simplify(traced.graph, keep_raising=True, without=request.without)
        return graph, traced.result, {}
    wrt = inputs_of(traced, wanted)
    carrying(traced.graph, wrt, outside_aux(traced.result, request, refs(traced.result)))
    value, keep, of = primal(function, request, traced)
    place = {number: i + len(keep) for i, number in enumerate(wrt)}
    graph = checked_scalar(traced.graph, of, plain_name(function))
    joint = joint_graph(graph, wrt, of, keep, request.without, request.mode != "grad", unit=True)
    trees = [gradient_tree(value, path, leaves, traced, place)
             for path, value, leaves in wanted]
    gradient = trees[0] if request.single else tuple(trees)
    position = {number: i for i, number in enumerate(keep)}
    kept = renumbered(value, position)
    result = gradient if request.mode == "grad" and not request.has_aux else (
        (gradient, kept[1]) if request.mode == "grad" else (kept, gradient))
    seeds = joint.inputs[len(traced.graph.inputs):]
    names = parameter_names(joint)
    return joint, result, dict(zip(names[len(names) - len(seeds):], unit_seeds(seeds, joint)))
