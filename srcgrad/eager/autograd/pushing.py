"""Forward mode through custom Functions: their ``jvp``, and the checks of what it returns."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.grad_mode import FORWARD, state
from srcgrad.eager.tangents import set_tangent, tangent_of
from srcgrad.eager.tensor import Tensor, wrap


def push_tangents(cls: Any, ctx: Any, args: tuple[Any, ...], outputs: list[Any]) -> None:
    """Forward mode: tangents of the outputs by the user's ``jvp``."""
    tangents = [tangent_of(a) if isinstance(a, Tensor) else None for a in args]
    if all(t is None for t in tangents):
        return
    given = [
        wrap(np.zeros_like(a._a), a._dt)
        if t is None and isinstance(a, Tensor) and ctx.materialize_grads else t
        for a, t in zip(args, tangents)]
    before = state.mode
    state.mode &= ~FORWARD
    try:
        result = cls.jvp(ctx, *given)
    finally:
        state.mode = before
    results = result if isinstance(result, tuple) else (result,)
    if len(results) != len(outputs):
        raise RuntimeError("Function's jvp returned an invalid number of forward gradients "
                           f"(expected {len(outputs)} but got {len(results)})")
    dirty = {id(t) for t in ctx.dirty_tensors}
    for out, t in zip(outputs, results):
        if isinstance(out, Tensor) and t is not None:
            _check_pushed(out, t, id(out) in dirty, args, given)
            set_tangent(out, t)


def _check_pushed(
    out: Tensor, t: Tensor, dirty: bool, args: tuple[Any, ...], tangents: list[Any]
) -> None:
    """What ``jvp`` made for ``out`` must be as new, old or shared as ``out`` itself is."""
    if t._a.shape != out._a.shape:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of the original "
            f"Tensor, this is not supported. Tensor is of size {list(out._a.shape)} while the "
            f"given forward gradient is of size {list(t._a.shape)}.")
    if dirty:
        old = next((u for a, u in zip(args, tangents) if a is out), None)
        if old is not None and t is not old:
            raise RuntimeError(
                "An inplace custom Function is not modifying the forward mode gradients inplace. "
                "If the forward is modifying an input inplace, then the jvp function must modify "
                "the corresponding gradient inplace.")
    elif out._view is not None and t._view is None and any(
            isinstance(a, Tensor) and a._ver is out._ver for a in args):
        raise RuntimeError(
            "A custom Function's forward is returning a view (or an input as-is) but the jvp is "
            "not returning a view.")
