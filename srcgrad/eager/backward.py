"""`Tensor.backward`, `autograd.backward` and `autograd.grad`: entries to the engine."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from srcgrad.eager import dtype as dt
from srcgrad.eager.calling_errors import refuse
from srcgrad.eager.dispatch import NAMESPACE
from srcgrad.eager.engine import Run
from srcgrad.eager.grad_mode import TRANSFORM, state
from srcgrad.eager.nodes import Node
from srcgrad.eager.size import Size
from srcgrad.eager.tensor import Tensor, wrap, zeros_as
from srcgrad.eager.views import gradient_edge, output_of, requires_grad


class GradientEdge(NamedTuple):
    """A node and one of its outputs: where a gradient passes."""

    node: Node
    output_nr: int
    ownership_token: Any = None


def _sequence(value: Any) -> tuple[Any, ...]:
    if isinstance(value, Tensor | GradientEdge):
        return (value,)
    return tuple(value)


def _edge(t: Any) -> Any:
    return (t.node, t.output_nr) if isinstance(t, GradientEdge) else gradient_edge(t)


def _seed(shape: tuple[int, ...], d: dt.dtype, given: Tensor | None, i: int) -> Tensor:
    """The gradient of root ``i``: the given one, checked, or 1 for a real scalar."""
    if given is None:
        refuse(math.prod(shape) != 1, "grad can be implicitly created only for scalar outputs")
        refuse(d.category != dt.FLOATING, "grad can be implicitly created only for real scalar "
               "outputs but got torch.{}", d.name)
        return wrap(np.ones(shape, d.numpy), d)
    if given._a.shape != shape:
        raise RuntimeError(f"Mismatch in shape: grad_output[{i}] has a shape of "
                           f"{Size(given._a.shape)} and output[{i}] has a shape of {Size(shape)}.")
    if (d.category == dt.COMPLEX) != (given._dt.category == dt.COMPLEX):
        raise RuntimeError("For complex Tensors, both grad_output and output are required to have "
                           f"the same dtype. Mismatch in dtype: grad_output[{i}] has a dtype of "
                           f"{given._dt!r} and output[{i}] has a dtype of {d!r}.")
    return given if given._dt is d else given.to(d)


def _roots(tensors: Sequence[Any], grads: Sequence[Any], graph: bool) -> list[Any]:
    roots = []
    for i, (out, given) in enumerate(zip(tensors, grads)):
        if not isinstance(out, GradientEdge | Tensor):
            raise AssertionError("Expected output to be a torch.Tensor")
        edge = _edge(out)
        shape, d = (out._a.shape, out._dt) if isinstance(out, Tensor) else output_of(*edge)
        if edge is not None or given is not None:
            ct = _seed(shape, d, given, i)
        refuse(edge is None, "element {} of tensors does not require grad and does not have a "
               "grad_fn", i)
        roots.append((*edge, ct if graph else ct._a))
    return roots


def _grad_list(grads: Any, count: int) -> tuple[Any, ...]:
    if grads is None:
        return (None,) * count
    listed = (grads,) if isinstance(grads, Tensor) else tuple(grads)
    for g in listed:
        if g is not None and not isinstance(g, Tensor):
            raise TypeError(f"gradients can be either Tensors or None, but got {type(g).__name__}")
    refuse(len(listed) != count, "got {} tensors and {} gradients", count, len(listed))
    return listed


def backward(tensors: Any, grad_tensors: Any = None, retain_graph: bool | None = None,
             create_graph: bool = False, grad_variables: Any = None, inputs: Any = None) -> None:
    """Accumulate gradients of ``tensors`` into the leaves (or into ``inputs`` only)."""
    roots = _sequence(tensors)
    if grad_variables is not None:
        warnings.warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning,
                      stacklevel=2)
        refuse(grad_tensors is not None, "`grad_tensors` and `grad_variables` (deprecated) "
               "arguments both passed to `backward()`. Please only use `grad_tensors`.")
        grad_tensors = grad_variables
    if inputs is not None:
        inputs = _sequence(inputs)
        refuse(not inputs, "`inputs` argument to `backward()` cannot be empty.")
    if create_graph:
        warnings.warn(
            "Using backward() with create_graph=True will create a reference cycle between the "
            "parameter and its gradient which can cause a memory leak. We recommend using "
            "autograd.grad when creating the graph to avoid this. If you have to use this "
            "function, make sure to reset the .grad fields of your parameters to None after use "
            "to break the cycle and avoid the leak.", UserWarning, stacklevel=3)
    if retain_graph is None:
        retain_graph = create_graph
    seeds = _roots(roots, _grad_list(grad_tensors, len(roots)), create_graph)
    ends = None if inputs is None else _ends(inputs)
    Run(retain_graph, create_graph, ends=ends).execute(seeds)


def _ends(inputs: Any) -> set[Any]:
    """The nodes of the ``inputs`` of a backward; those that are no leaves retain their gradient."""
    found = set()
    for t in inputs:
        if isinstance(t, Tensor):
            t.retain_grad()
        edge = _edge(t)
        refuse(edge is None, "One of the differentiated Tensors does not require grad")
        found.add(edge[0])
    return found


def grad(outputs: Any, inputs: Any, grad_outputs: Any = None, retain_graph: bool | None = None,
         create_graph: bool = False, only_inputs: bool = True, allow_unused: bool | None = None,
         is_grads_batched: bool = False, materialize_grads: bool = False) -> tuple[Any, ...]:
    """The gradients of ``outputs`` with respect to ``inputs``, returned instead of stored."""
    refuse(materialize_grads and allow_unused is False, "Expected allow_unused to be True or not "
           "passed when materialize_grads=True, but got: allow_unused=False.", kind=ValueError)
    if allow_unused is None:
        allow_unused = materialize_grads
    roots, wanted = _sequence(outputs), _sequence(inputs)
    refuse(not wanted, "`inputs` argument to `grad()` cannot be empty.")
    if retain_graph is None:
        retain_graph = create_graph
    listed = _grad_list(grad_outputs, len(roots))
    if is_grads_batched:
        return _batched(roots, wanted, listed, retain_graph, create_graph, allow_unused)
    seeds = _roots(roots, listed, create_graph)
    captures: dict[Any, list[int]] = {}
    for i, t in enumerate(wanted):
        refuse(not isinstance(t, GradientEdge | Tensor), "all inputs have to be Tensors or "
               "GradientEdges, but got {}", type(t).__name__)
        edge = _edge(t)
        if edge is None:
            if isinstance(t, Tensor) and requires_grad(t):  # only its base does: nothing leads here
                continue
            raise RuntimeError("One of the differentiated Tensors does not require grad")
        captures.setdefault(edge, []).append(i)
    run = Run(retain_graph, create_graph, captures)
    run.execute(seeds)
    results: list[Any] = []
    for i, t in enumerate(wanted):
        got = run.captured.get(i)
        refuse(got is None and not allow_unused, "The differentiated Tensor at index {} appears to "
               "not have been used in the graph. Set allow_unused=True if this is the desired "
               "behavior.", i)
        if got is None and materialize_grads:
            refuse(isinstance(t, GradientEdge), "materialize_grads cannot be used when the given "
                   "input is a GradientEdge")
            got = zeros_as(t)
            got._rg = create_graph
        elif got is not None and not isinstance(got, Tensor):
            got = _released(got, t, results, seeds)
        results.append(got)
    return tuple(results)


def _released(got: Any, t: Any, results: list[Any], seeds: Any) -> Tensor:
    """A result that aliases no other result and no seed."""
    d = dt.FROM_NUMPY[got.dtype] if isinstance(t, GradientEdge) else t._dt
    others = [r._a for r in results if r is not None] + [s[2] for s in seeds]
    if got.base is not None or any(got is o or np.may_share_memory(got, o) for o in others):
        got = got.copy()
    return wrap(got, d)


def _batched(roots: Any, wanted: Any, grads: Any, retain: bool, graph: bool,
             unused: bool) -> tuple[Any, ...]:
    """One backward per row of the batched gradients, results stacked."""
    for i, (g, out) in enumerate(zip(grads, roots)):
        if g is not None and isinstance(out, Tensor) and g._a.shape[1:] != out._a.shape:
            raise RuntimeError(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output "
                "as the batch dimension. The sizes of the remaining dimensions are expected to "
                "match the shape of corresponding output, but a mismatch was detected: "
                f"grad_output[{i}] has a shape of {Size(g._a.shape[2:])} and output[{i}] has a "
                f"shape of {Size(out._a.shape)}. If you only want some tensors in `grad_output` to "
                "be considered batched, consider using vmap.")
    if any(g is None for g in grads) or any(not g._a.ndim for g in grads):
        raise ValueError(
            "vmap(vjp, in_dims=0, ...)(<inputs>): Got in_dim=0 for some input, but that input is a "
            "Tensor of dimensionality 0 so expected in_dim to satisfy 0 <= in_dim < 0.")
    count = grads[0]._a.shape[0]
    rows = []
    for i in range(count):
        keep = retain or i < count - 1
        rows.append(grad(roots, wanted, [None if g is None else g[i] for g in grads], keep, graph,
                         allow_unused=unused))
    return tuple(None if column[0] is None else NAMESPACE["stack"](list(column))
                 for column in zip(*rows))


def tensor_backward(self: Tensor, gradient: Any = None, retain_graph: bool | None = None,
                    create_graph: bool = False, inputs: Any = None) -> None:
    """Accumulate the gradient of this tensor into the leaves it was computed from."""
    refuse(state.mode & TRANSFORM, "backward() called inside a functorch transform. This is not "
           "supported, please use functorch.grad or functorch.vjp instead or call backward() "
           "outside of functorch transforms.")
    backward(self, gradient, retain_graph, create_graph, inputs=inputs)


Tensor.backward = tensor_backward  # type: ignore[attr-defined]
