"""Tangents of dual tensors.  A view has the part of its base's tangent that it sees, unless it
was given one of its own; a write through a view writes to the base's tangent."""

from __future__ import annotations

import numpy as np

from srcgrad.eager.grad_mode import FORWARD, state
from srcgrad.eager.strides import laid_out
from srcgrad.eager.tensor import Tensor, extra, wrap
from srcgrad.eager.views import seen_in, view_like


def own_tangent(t: Tensor) -> Tensor | None:
    """The tangent that ``t`` itself was given at this level."""
    x = t._x
    if x is None or x.tangent is None or x.tangent[0] is not state.dual_token:
        return None
    return x.tangent[1]  # type: ignore[no-any-return]


def tangent_of(t: Tensor) -> Tensor | None:
    """The tangent ``t`` carries at this level."""
    own = own_tangent(t)
    if own is not None or t._view is None:
        return own
    whole = own_tangent(t._view.base)
    return None if whole is None else _part(t, whole)


def follows_base(t: Tensor) -> bool:
    """Whether views of ``t`` have their tangents by way of its base."""
    return t._view is None or own_tangent(t) is None


def check_tangent(t: Tensor, tangent: Tensor) -> None:
    """Refuse a tangent of another shape than its tensor's."""
    if t._a.shape != tangent._a.shape:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of the original "
            f"Tensor, this is not supported. Tensor is of size {list(t._a.shape)} while the given "
            f"forward gradient is of size {list(tangent._a.shape)}.")


def set_tangent(t: Tensor, tangent: Tensor | None) -> None:
    """Give ``t``, which was written, another tangent (None: it is constant now)."""
    own = own_tangent(t)
    if t._view is None or own is not None:
        if own is not None and tangent is not None and tangent is not own:
            _write_constant(own, tangent)  # written as its primal was: whoever gave it sees that
        elif tangent is not None:
            extra(t).tangent = (state.dual_token, tangent)
        elif t._x is not None:
            t._x.tangent = None
        return
    base = t._view.base
    whole = own_tangent(base)
    if whole is None and tangent is None:
        return
    if whole is None or whole._a.strides != base._a.strides:
        laid = wrap(laid_out(base._a.shape, base._a.strides, base._a.dtype), base._dt)
        if whole is not None:
            _write_constant(laid, whole)
        whole = laid
        extra(base).tangent = (state.dual_token, whole)
    _write_constant(
        _part(t, whole), wrap(np.zeros((), t._a.dtype), t._dt) if tangent is None else tangent)


def _part(t: Tensor, whole: Tensor) -> Tensor:
    """What view ``t`` sees of its base, of ``whole``."""
    base = t._view.base
    if whole._a.strides != base._a.strides:
        laid = wrap(laid_out(base._a.shape, base._a.strides, whole._a.dtype), whole._dt)
        _write_constant(laid, whole)
        whole = laid
    return view_like(whole, seen_in(base, t))


def _write_constant(t: Tensor, value: Tensor) -> None:
    """``t.copy_(value)``, without tangents of these tangents."""
    before = state.mode
    state.mode = before & ~FORWARD
    try:
        t.copy_(value)
    finally:
        state.mode = before
