"""Functions whose backward must not be differentiated."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from srcgrad.eager.grad_mode import GRAD, no_grad, state
from srcgrad.eager.nodes import make_node, node_class
from srcgrad.eager.tensor import Tensor, alias
from srcgrad.eager.views import requires_grad, set_history


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
        listed = outputs if isinstance(outputs, tuple) else (outputs,)
        marked = tuple(_once(o) if isinstance(o, Tensor) else o for o in listed)
        return marked if isinstance(outputs, tuple) else marked[0]

    return wrapper


class _OncePlan:
    outputs = 1
    frees = False

    def pull(self, node: Any, ct: Any) -> Any:
        raise RuntimeError("trying to differentiate twice a function that was marked with "
                           "@once_differentiable")

    pull_graph = pull

    def saved_value(self, node: Any, name: str) -> Any:
        raise AttributeError(name)


_ONCE = _OncePlan()


def _once(t: Tensor) -> Tensor:
    marked = alias(t)
    # an edge to itself would be a cycle: the node leads nowhere and raises when run
    set_history(marked, make_node(node_class("DelayedErrorBackward0"), _ONCE, (), (), None))
    return marked
