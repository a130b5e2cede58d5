"""The split form and forward mode: what ``vjp``, ``jvp`` and ``linearize`` are made of."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cached_property
from typing import Any

from ..adjoint import carrying, close, jvp, split
from ..cache.anchors import anchor_of
from ..cache.dispatch import Dispatch
from ..graph.ir import Graph
from ..simplify import find_quotients, simplify
from ..trace.entry import Traced
from ..types.dataclasses import dataclass
from ..types.identifiers import plain_name
from .backends import NUMPY, Backend, generated
from .joints import joint_graph, transposed
from .requests import Request, Wanted, argument_trees, inputs_of
from .results import outside_aux
from .specializations import Specialization, collect
from .templates import rebuilt, refs, renumbered
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
    count = len(keep)
    linear, run = generated(backward.but(name=f"{name}_linear"), request.backend)
    result = renumbered(traced.result, {number: i for i, number in enumerate(keep)})
    emitted, target = generated(forward.but(name=name), request.backend)
    shapes = Linear(function.__name__ if hasattr(function, "__name__") else "function", run,
                    argument_trees(traced, wanted, wrt), result, [keep.index(i) for i in of],
                    backward, request.backend)

    def rebuild(flat: Any) -> Any:
        return rebuilt(result, flat), shapes, flat[count:], flat[:count]

    dispatch = Dispatch(plain_name(function), signature, traced, target, rebuild, True)
    return Specialization(dispatch, target, f"{emitted.text}\n\n{linear.text}", forward, traced,
                          forward.title, emitted, result, anchor_of(function), signature)


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
    linear = Linear(plain_name(function), target, argument_trees(traced, wanted, wrt), result,
                    [keep.index(i) for i in of])

    def rebuild(inputs: Any) -> Any:
        return linear, inputs

    dispatch = Dispatch(plain_name(function), signature, traced, collect, rebuild, True)
    return Specialization(dispatch, target, emitted.text, graph, traced, graph.title, emitted,
                          result, anchor_of(function), signature)


@dataclass(frozen=True)
class Linear:
    """The linear half of the split form, with the structures of its inputs and outputs.
    ``backward`` is its graph, whose last inputs are the cotangents of the results ``active``."""

    name: str
    run: Callable[..., Any]
    arguments: list[Any]
    result: Any
    active: list[int]
    backward: Graph | None = None
    backend: Backend = NUMPY

    @cached_property
    def forwards(self) -> Callable[..., Any]:
        """The transposed function: takes what ``run`` takes (of the cotangents only the shapes
        matter), then the tangents of the arguments; gives the tangents of the results."""
        assert self.backward is not None
        graph = transposed(self.backward, len(self.active))
        return generated(graph.but(name=f"{graph.name}_forwards"), self.backend)[1]
