"""Forward mode through custom Functions: their ``jvp``, and the checks of what it returns."""

from __future__ import annotations

from typing import Any

from srcgrad.eager import dtype as dt
from srcgrad.eager.grad_mode import FORWARD, state
from srcgrad.eager.tangents import check_tangent, set_tangent, tangent_of
from srcgrad.eager.tensor import Tensor, extra, zeros_as


def push_tangents(cls: Any, ctx: Any, args: tuple[Any, ...], outputs: list[Any],
                  silent: frozenset[int]) -> None:
    """Forward mode: tangents of the outputs by the user's ``jvp``; those numbered in ``silent``
    have none."""
    tangents = [tangent_of(a) if isinstance(a, Tensor) else None for a in args]
    if all(t is None for t in tangents):
        return
    given = [
        zeros_as(a)
        if t is None and isinstance(a, Tensor) and a._dt.category >= dt.FLOATING
        and ctx.materialize_grads else t
        for a, t in zip(args, tangents)]
    before_it = [t._ver[0] if isinstance(t, Tensor) else None for t in given]
    before, saved = state.mode, ctx.to_save
    state.mode &= ~FORWARD
    ctx.to_save = ()  # only what is saved for forward is there
    try:
        result = cls.jvp(ctx, *given)
    finally:
        state.mode, ctx.to_save = before, saved
    results = result if isinstance(result, tuple) else (result,)
    if len(results) != len(outputs):
        raise RuntimeError("Function's jvp returned an invalid number of forward gradients "
                           f"(expected {len(outputs)} but got {len(results)})")
    dirty = {id(t) for t in ctx.dirty_tensors}
    for i, (out, t) in enumerate(zip(outputs, results)):
        if t is None:
            continue
        if not isinstance(out, Tensor) or i in silent or out._dt.category < dt.FLOATING:
            raise RuntimeError(f"Function's jvp returned a gradient at position {i}, but  the "
                               "corresponding forward output is not a differentiable Tensor.You "
                               "should return None at that position instead.")
        check_tangent(out, t)
        source = next((k for k, a in enumerate(args) if isinstance(a, Tensor) and (
            a is out if id(out) in dirty else a._ver is out._ver)), None)
        if source is None or (id(out) not in dirty and out._view is None):
            set_tangent(out, t)
            continue
        old = given[source]
        if id(out) not in dirty:
            _check_view(t, old)
        elif old is not None and tangents[source] is not None and (
                t is not old or t._ver[0] == before_it[source]):
            raise RuntimeError(
                "An inplace custom Function is not modifying the forward mode gradients inplace. "
                "If the forward is modifying an input inplace, then the jvp function must modify "
                "the corresponding gradient inplace.")
        extra(out).tangent = (state.dual_token, t)


def _check_view(t: Tensor, given: Tensor | None) -> None:
    """What ``jvp`` made for a view of an input must be a view of the input's tangent."""
    if t._view is None:
        raise RuntimeError("A custom Function's forward is returning a view (or an input as-is) "
                           "but the jvp is not returning a view.")
    if given is None:
        return
    if given._view is None and t._view.base is not given:
        raise RuntimeError("A custom Function is returning a view but the jvp is not returning a "
                           "view of the given grad input.")
    if given._view is not None and t._view.base is not given._view.base:
        raise RuntimeError("A custom Function is returning a view but the jvp is not returning a "
                           "view of the same base as the given grad input.")
