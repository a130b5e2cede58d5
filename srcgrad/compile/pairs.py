"""The split form and forward mode: what ``vjp``, ``jvp`` and ``linearize`` are made of."""

from __future__ import annotations

import inspect
from typing import Any

from ..adjoint import carrying, close, jvp, split
from ..cache.anchors import anchor_of
from ..simplify import find_quotients, simplify
from ..trace.entry import Traced
from ..types.identifiers import plain_name
from .backends import generated
from .joints import joint_graph
from .requests import Request, Wanted, argument_trees, inputs_of
from .results import outside_aux
from .specializations import Linear, Specialization, dispatched
from .templates import refs, renumbered
from .titles import title


def compile_pair(function: Any, request: Request, signature: inspect.Signature, traced: Traced,
                 wanted: list[Wanted], name: str) -> Specialization:
    """The split form: a forward function that returns the result and the residuals, and the
    linear function that takes the residuals and the cotangents.

    The specialization's call returns ``(result, linear)``; ``linear`` takes flat lists.
    """
    wrt, keep = inputs_of(traced, wanted), refs(traced.result)
    of = carrying(traced.graph, wrt, outside_aux(traced.result, request, keep))
    joint = joint_graph(traced.graph, wrt, of, keep, request.without, True, copies=True)
    forward, backward = split(joint, len(of))
    forward = simplify(forward.but(title=title(function, request, traced, wanted)),
                       keep_raising=True, without=request.without)
    linear, run = generated(backward.but(name=f"{name}_linear"), request.backend)
    result = renumbered(traced.result, {number: i for i, number in enumerate(keep)})
    emitted, target = generated(forward.but(name=name), request.backend)
    half = Linear(function.__name__ if hasattr(function, "__name__") else "function", linear, run,
                  argument_trees(traced, wanted, wrt), result, [keep.index(i) for i in of],
                  backward, request.backend)
    return dispatched(plain_name(function), anchor_of(function), signature, traced, forward,
                      result, {}, emitted, target, request.backend, half)


def compile_jvp(function: Any, request: Request, signature: inspect.Signature, traced: Traced,
                wanted: list[Wanted], name: str) -> Specialization:
    """Forward mode: one function of the inputs and their tangents.

    The specialization's call returns ``(linear, inputs)``; ``linear.run`` takes the flat inputs
    and the flat tangents and gives the flat results, then their tangents.
    """
    wrt, keep = inputs_of(traced, wanted), refs(traced.result)
    of = carrying(traced.graph, wrt, outside_aux(traced.result, request, keep))
    graph = close(find_quotients(jvp(traced.graph, wrt, of, keep=keep)))
    graph = simplify(graph, keep_raising=True, without=request.without)
    graph = graph.but(title=title(function, request, traced, wanted), name=name)
    emitted, target = generated(graph, request.backend)
    result = renumbered(traced.result, {number: i for i, number in enumerate(keep)})
    linear = Linear(plain_name(function), emitted, target, argument_trees(traced, wanted, wrt),
                    result, [keep.index(i) for i in of])
    return dispatched(plain_name(function), anchor_of(function), signature, traced, graph, result,
                      {}, emitted, target, request.backend, linear)
