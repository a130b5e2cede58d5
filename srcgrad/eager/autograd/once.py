"""Functions whose backward must not be differentiated."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from srcgrad.eager.grad_mode import GRAD, no_grad, state
from srcgrad.eager.nodes import RefusingPlan, make_node, node_class
from srcgrad.eager.tensor import Tensor, alias
from srcgrad.eager.views import gradient_edge, requires_grad, set_history


def once_differentiable(function: Callable[..., Any]) -> Callable[..., Any]:
    """For a ``backward`` that must not be differentiated: doing so raises."""

    @functools.wraps(function)
    def wrapper(ctx: Any, *args: Any) -> Any:
        with no_grad():
            outputs = function(ctx, *args)
        if not state.mode & GRAD:
            return outputs
        if not any(isinstance(a, Tensor) and requires_grad(a) for a in args):
            return outputs
        marked = _once(outputs if isinstance(outputs, tuple) else (outputs,))
        return marked if isinstance(outputs, tuple) else marked[0]

    return wrapper


_ONCE = RefusingPlan("trying to differentiate twice a function that was marked with "
                     "@once_differentiable", outputs=2)  # or any other number


def _once(outputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The outputs, with one node that raises when it is run; it leads to leaves of its own."""
    leaves = [o.detach().requires_grad_() if isinstance(o, Tensor) else None for o in outputs]
    edges = tuple(None if t is None else gradient_edge(t) for t in leaves)
    node = make_node(node_class("Error"), _ONCE, edges, (), None)
    marked = [None if o is None else alias(o) for o in outputs]
    for nr, t in enumerate(marked):
        if t is not None:
            set_history(t, node, nr)
    return tuple(marked)
