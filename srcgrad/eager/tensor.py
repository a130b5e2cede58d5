"""The Tensor: an array, a dtype, a version cell and what autograd knows about it.

Slots
-----
``_a``    the NumPy array; its memory, strides and offset are the tensor's own.
``_dt``   the :class:`~srcgrad.eager.dtype.dtype`.
``_ver``  the version cell ``[version, root array, last writer]``, shared by all views of one
          storage and by ``detach()``.  A writer is a code object, an instruction and an epoch;
          before the first write there is the epoch alone.
``_rg``   whether gradients flow to it (leaf flag, or it has a ``grad_fn``).
``_fn``   the node that made it (stale for views: read it through :func:`views.grad_fn_of`).
``_nr``   which output of that node it is.
``_view`` its :class:`~srcgrad.eager.views.View`, if it is a differentiable view.
``_grad`` the accumulated gradient.
``_x``    everything rare (hooks, retained gradient, tangent, name), or None.

Operations attach themselves as methods: see :mod:`srcgrad.eager.dispatch`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from srcgrad.eager import dtype as dt
from srcgrad.eager.errstate import loud, quiet

Array = Any
_new = object.__new__
_ndarray = np.ndarray


epoch = [0]  # moves on when a transform of `func` begins


class Extra:
    """The rarely used part of a tensor."""

    __slots__ = ("accumulator", "backward_hooks", "inference", "name", "post_accumulate",
                 "retains_grad", "stands_in", "tangent")

    def __init__(self) -> None:
        self.accumulator: Any = None  # weak reference to the leaf's AccumulateGrad
        self.backward_hooks: OrderedDict[int, Any] | None = None
        self.inference = False
        self.name: str | None = None
        self.post_accumulate: OrderedDict[int, Any] | None = None
        self.retains_grad = False
        self.stands_in = 0  # the epoch of the transform for whose argument it stands
        self.tangent: Any = None  # (dual level, tangent tensor)


class Tensor:
    """An n-dimensional array of one dtype that records what is computed from it."""

    __slots__ = ("__dict__", "__weakref__", "_a", "_dt", "_fn", "_grad", "_nr", "_rg", "_ver",
                 "_view", "_x")
    __array_priority__ = 1000

    _a: Array
    _dt: dt.dtype
    _ver: list[Any]
    _rg: bool
    _fn: Any
    _nr: int
    _view: Any
    _grad: Tensor | None
    _x: Extra | None

    if TYPE_CHECKING:  # the operations of srcgrad.eager.ops, attached by dispatch

        __add__: Any
        __mul__: Any
        __neg__: Any
        __pow__: Any
        __rmul__: Any
        __rsub__: Any
        __sub__: Any
        __truediv__: Any
        new_empty: Any

        def __getattr__(self, name: str) -> Any: ...

    def __hash__(self) -> int:
        return id(self)


Tensor.__module__ = "torch"  # what print(type(x)) shows


def wrap(a: Array, d: dt.dtype) -> Tensor:
    """A new leaf tensor over array (or NumPy scalar) ``a``, whose memory it shares."""
    if a.__class__ is not _ndarray:
        a = np.asarray(a, d.numpy)
    t = _new(Tensor)
    t._a = a
    t._dt = d
    t._ver = [0, a, epoch[0]]
    t._nr = 0
    t._view = t._grad = t._x = t._fn = None
    t._rg = False
    return t


def zeros_as(t: Tensor) -> Tensor:
    """A tensor of zeros, of the shape and dtype of ``t``."""
    return wrap(np.zeros_like(t._a), t._dt)


def one_hots(t: Tensor, units: tuple[complex, ...] = (1,)) -> Iterator[Tensor]:
    """Each of ``units`` in each place of ``t``, zero elsewhere."""
    for place in np.ndindex(t._a.shape):
        for unit in units:
            one = zeros_as(t)
            one._a[place] = unit
            yield one


def wrap_fresh(a: Array) -> Tensor:
    """:func:`wrap` with the dtype read off the array."""
    a = np.asarray(a)
    return wrap(a, dt.FROM_NUMPY[a.dtype])


def alias(t: Tensor, a: Array | None = None) -> Tensor:
    """A tensor on the same storage, sharing the version cell, without autograd history."""
    s = wrap(t._a if a is None else a, t._dt)
    s._ver = t._ver
    return s


def extra(t: Tensor) -> Extra:
    """The rare part of ``t``, made if there is none yet."""
    if t._x is None:
        t._x = Extra()
    return t._x


def store(d: dt.dtype, a: Array) -> Array:
    """``a`` as storage of dtype ``d``: converted, and rounded for bfloat16."""
    if d is dt.bfloat16:
        return dt.round_bfloat16(a)
    if a.dtype is d.numpy:
        return a
    if a.dtype.kind == "c" and d.category != dt.COMPLEX and d is not dt.bool_:
        a = a.real
    token = quiet()  # NaN and overflow convert silently
    try:
        if a.dtype.kind == "f" and d.category == dt.INTEGRAL and d.numpy.kind == "u":
            return a.astype(np.int64).astype(d.numpy)  # negative floats wrap, as on the C side
        return a.astype(d.numpy)
    finally:
        loud(token)
