"""Gradients added to the ``grad`` of tensors."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from srcgrad.eager import dtype as dt
from srcgrad.eager.tensor import Array, Tensor, wrap

_accumulating = threading.Lock()
_ndarray = np.ndarray


def retain(t: Tensor, g: Tensor) -> None:
    """Add to ``t.grad`` what arrives at a tensor that is no leaf."""
    t._grad = g if t._grad is None else t._grad + g
    if t._grad is g and not g._rg:
        t._grad = wrap(g._a.copy(), g._dt)


def accumulate(leaf: Tensor, ct: Any, graph: bool, ours: bool = False) -> None:
    """Add to ``leaf.grad``: in place on the same object, out of place under ``create_graph``.
    A first gradient is copied unless it is ``ours``."""
    if not isinstance(ct, Tensor):
        with _accumulating:
            have = leaf._grad
            if have is None:
                steal = (ours and ct.__class__ is _ndarray
                         and ct.size == (ct if ct.base is None else ct.base).size
                         and ct.strides == leaf._a.strides and ct.dtype is leaf._a.dtype)
                leaf._grad = wrap(ct if steal else own_layout(ct, leaf._a), leaf._dt)
            elif have._a.shape != ct.shape:
                raise RuntimeError(f"a gradient of shape {list(ct.shape)} does not fit the grad of "
                                   f"shape {list(have._a.shape)} that the leaf has")
            else:
                if have._dt is dt.bfloat16:
                    have._a[...] = dt.round_bfloat16(have._a + ct)
                else:
                    np.add(have._a, ct, out=have._a, casting="unsafe")
                have._ver[0] += 1
        return
    have = leaf._grad
    if have is not None:
        leaf._grad = have + ct
    elif ct._rg:
        leaf._grad = wrap(np.empty_like(leaf._a), leaf._dt).copy_(ct)
    else:
        leaf._grad = wrap(own_layout(ct._a, leaf._a), leaf._dt)


def own_layout(ct: Array, like: Array) -> Array:
    """A copy of ``ct`` that nobody else refers to, laid out like the leaf."""
    if ct.strides == like.strides or 0 in like.strides:
        return ct.copy()
    out = np.empty_like(like, dtype=ct.dtype)
    out[...] = ct
    return out
