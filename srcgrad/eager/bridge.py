"""Compiled functions on tensors: one call, one node.

A compiled function that is called with tensors asks the first of them, by
``tensor.__srcgrad_bridge__(function, args, kwargs)``, to make the call.  The tensor passes plain
arrays to ``function.__srcgrad_vjp__(args, kwargs)``, which gives ``(out, pullback)``, and records
a single node whose backward is ``pullback``: it takes cotangents of the shape of ``out`` and gives
a tuple of cotangents, one per positional argument, each of that argument's structure (None where
nothing flows).
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from srcgrad.eager import dtype as dt
from srcgrad.eager.calling_errors import refuse
from srcgrad.eager.func.trees import flatten
from srcgrad.eager.grad_mode import GRAD, state
from srcgrad.eager.nodes import BarePlan, freed_error, make_node, node_class
from srcgrad.eager.strides import reduce_to
from srcgrad.eager.tensor import Tensor, wrap
from srcgrad.eager.views import caller_place, gradient_edge, requires_grad


class Differentiable(Protocol):
    """What a compiled function offers the eager mode."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

    def __srcgrad_vjp__(self, args: Any, kwargs: Any) -> tuple[Any, Any]: ...


class _BridgePlan(BarePlan):
    """Backward of a compiled call: the generated pullback."""

    outputs = 2  # cotangents come as a list
    frees = True

    def pull(self, node: Any, cts: list[Any]) -> list[Any]:
        if node._saved is None:
            raise freed_error()
        pullback, rebuild, tensors = node._saved
        inputs, outputs = node._meta
        for t, version in tensors:
            refuse(t._ver[0] != version, "an argument of a compiled function was modified in place "
                   "before backward; pass a copy, or modify it afterwards")
        given = [
            (np.zeros(m[0], m[1]) if i >= len(cts) or cts[i] is None else cts[i])
            for i, m in enumerate(outputs)]
        return flatten_grads(pullback(rebuild(given)), node._edges, inputs)

    def pull_graph(self, node: Any, cts: list[Any]) -> Any:
        raise RuntimeError(
            "the backward of a compiled function cannot itself be recorded (create_graph=True); "
            "differentiate twice with the compiler instead: sg.grad(sg.grad(f)), sg.hessian(f)")


def flatten_grads(grads: Any, edges: Any, inputs: Any) -> list[Any]:
    """The cotangents of the tensor arguments, in their shapes and dtypes: the leaves of ``grads``
    at their paths (None where one is cut off)."""
    found: list[Any] = []
    tensors = [(path, meta) for path, meta in inputs if meta is not None]
    for edge, (path, (shape, d)) in zip(edges, tensors):
        g = grads
        for step in path:
            g = None if g is None else g[step]
        found.append(None if edge is None or g is None else reduce_to(np.asarray(g), shape, d))
    return found


def _paths(tree: Any, path: tuple[Any, ...] = ()) -> list[tuple[tuple[Any, ...], Any]]:
    if isinstance(tree, dict):
        return [x for k, v in tree.items() for x in _paths(v, (*path, k))]
    if isinstance(tree, list | tuple):
        return [x for i, v in enumerate(tree) for x in _paths(v, (*path, i))]
    return [(path, tree)]


_PLAN = _BridgePlan()


def call_compiled(function: Differentiable, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a compiled function on tensors; see the module's text."""
    leaves, rebuild_args = flatten(args)
    raw = rebuild_args([v._a if isinstance(v, Tensor) else v for v in leaves])
    options, rebuild_options = flatten(kwargs)
    raw_options = rebuild_options([v._a if isinstance(v, Tensor) else v for v in options])
    tensors = [v for v in (*leaves, *options) if isinstance(v, Tensor)]
    if not state.mode & GRAD or not any(requires_grad(t) for t in tensors):
        return _wrapped(function(*raw, **raw_options))[0]
    refuse(any(isinstance(v, Tensor) and requires_grad(v) for v in options),
           "a compiled function takes tensors that require gradients by position, not by keyword")
    located = _paths(args)
    out, pullback = function.__srcgrad_vjp__(raw, raw_options)
    result, made, rebuild = _wrapped(out)
    tensors = [v for v in leaves if isinstance(v, Tensor)]
    edges = tuple(gradient_edge(t) if t._dt.category >= dt.FLOATING else None for t in tensors)
    node = make_node(node_class("CompiledBackward0"), _PLAN, edges,
                     (pullback, rebuild, [(t, t._ver[0]) for t in tensors]), None)
    inputs = [(path, (v._a.shape, v._a.dtype) if isinstance(v, Tensor) else None)
              for path, v in located]
    node._meta = (inputs, [(o._a.shape, o._a.dtype) if isinstance(o, Tensor) else ((), float)
                          for o in made])
    node._where = caller_place()
    for nr, o in enumerate(made):
        if isinstance(o, Tensor) and o._dt.category >= dt.FLOATING:
            o._fn, o._nr, o._rg = node, nr, True
    return result


def _wrapped(out: Any) -> tuple[Any, list[Any], Any]:
    """A result with tensors for its arrays and numbers; its leaves; how to rebuild it."""
    outs, rebuild = flatten(out)
    made = [wrap(np.asarray(o), dt.from_numpy_dtype(np.asarray(o).dtype))
            if isinstance(o, np.ndarray | np.generic | float | int | complex) else o for o in outs]
    return rebuild(made), made, rebuild


Tensor.__srcgrad_bridge__ = (  # type: ignore[attr-defined]
    lambda self, function, args, kwargs: call_compiled(function, args, kwargs))
