"""The fast paths: recorded arithmetic on one or two plain tensors, in one function each.

They handle what most programs do most of the time (float tensors of one dtype, Python numbers,
plain recording) and hand everything else to the general implementation, which has the same
meaning.  What they record is the same node with the same plan.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager.errstate import loud, quiet
from srcgrad.eager.grad_mode import state
from srcgrad.eager.nodes import sequence
from srcgrad.eager.plans import Plan
from srcgrad.eager.primitive import Primitive
from srcgrad.eager.tensor import Tensor, epoch, wrap
from srcgrad.eager.views import caller_place, gradient_edge, requires_grad

_new = object.__new__
_frame = sys._getframe
_PACKAGE = __file__.rpartition("/")[0] if "/" in __file__ else __file__.rpartition("\\")[0]
_LETTERS = "stg"  # a Python number, a tensor without gradient, a tensor with gradient


def _plan(prim: Primitive, letters: str) -> Plan:
    """The plan of a call whose leading arguments are as ``letters`` say; made once."""
    codes = tuple(letters) + ("n",) * (len(prim.names) - len(letters))
    found = prim.plans.get((codes, False))
    if found is None:
        found = prim.plans[codes, False] = Plan(prim, dict(zip(prim.names, codes)), False)
    return found


def _record(t: Tensor, cls: Any, plan: Plan, edges: tuple[Any, ...], meta: Any) -> Any:
    """Give ``t`` a node; what it saves is filled in by the caller."""
    node = _new(cls)
    node._plan = plan
    node._edges = edges
    node._meta = meta
    node._seq = sequence()
    node._ex = None
    t._rg = True
    t._fn = node
    if plan.frees:
        frame = _frame(2)
        code = frame.f_code
        node._where = (caller_place() if code.co_filename.startswith(_PACKAGE)
                      else (code, frame.f_lasti))
    else:
        node._where = None
    return node


def pair(prim: Primitive, slow: Callable[..., Any], *,
         numbers_only: bool = False) -> Callable[[Any, Any], Any]:
    """``prim`` of two operands; ``slow`` takes whatever is not plain."""
    if prim.entry.nondiff or not prim.entry.rules:
        return slow
    compute, cls, scalar_edges = prim.primal, prim.cls, prim.scalar_edges
    plans: list[Any] = [None] * 9

    def call(x: Any, y: Any) -> Any:
        mode = state.mode
        d = x._dt
        if mode > 1 or not d.fast:
            return slow(x, y)
        a = x._a
        if y.__class__ is float or y.__class__ is int:
            b: Any = y
            two = False
        elif not numbers_only and isinstance(y, Tensor) and y._dt is d:
            b = y._a
            two = True
        else:
            return slow(x, y)
        token = quiet()
        try:
            r = compute(a, b)
        except (ValueError, OverflowError):
            return slow(x, y)
        finally:
            loud(token)
        t = wrap(r, d)
        if not mode:
            return t
        edge = gradient_edge(x)
        other = gradient_edge(y) if two else None
        if edge is None and other is None:
            if (x._view is not None and requires_grad(x)) or (
                    two and y._view is not None and requires_grad(y)):
                return slow(x, y)
            return t
        if (x._x is not None and x._x.inference) or (
                two and y._x is not None and y._x.inference):
            return slow(x, y)
        kind = (0 if edge is None else 3) + (0 if not two else 1 if other is None else 2)
        plan = plans[kind]
        if plan is None:
            plan = plans[kind] = _plan(prim, "tg"[kind // 3] + _LETTERS[kind % 3])
        shape = t._a.shape
        same = a.shape == shape and (not two or b.shape == shape)
        meta = None if same else (None if edge is None else (a.shape, d),
                                  None if other is None else (b.shape, d))
        node = _record(t, cls, plan, (edge, other) if two or scalar_edges else (edge,), meta)
        node._saved = plan.make_saved(t, x, y)
        return t

    usable = all(_plan(prim, k).special for k in (
        ("gs",) if numbers_only else ("gs", "gt", "tg", "gg")))
    return call if usable else slow


def entry_of_two(call: Callable[[Any, Any], Any], slow: Callable[..., Any]) -> Callable[..., Any]:
    """``torch.mul`` and ``Tensor.mul``: the fast path for two positional arguments."""

    def entry(*args: Any, **kwargs: Any) -> Any:
        if len(args) == 2 and not kwargs and isinstance(args[0], Tensor):
            return call(*args)
        return slow(*args, **kwargs)

    return _like(entry, slow)


def in_place(prim: Primitive, slow: Callable[..., Any]) -> Callable[..., Any]:
    """``x += y`` where nothing is recorded: the ufunc writes into ``x`` itself."""
    compute = prim.primal
    if not isinstance(compute, np.ufunc):
        return slow

    def written(x: Tensor, *args: Any, **kwargs: Any) -> Any:
        d = x._dt
        if state.mode or kwargs or len(args) != 1 or not d.fast or x._view is not None:
            return slow(x, *args, **kwargs)
        y, = args
        if y.__class__ is float or y.__class__ is int:
            b: Any = y
        elif isinstance(y, Tensor) and y._dt is d and y._ver is not x._ver:
            b = y._a
        else:
            return slow(x, y)
        a = x._a
        if 0 in a.strides or (x._x is not None and x._x.inference):
            return slow(x, y)
        token = quiet()
        try:
            compute(a, b, out=a)
        except (ValueError, OverflowError):
            return slow(x, y)
        finally:
            loud(token)
        cell = x._ver
        cell[0] += 1
        cell[2] = (*caller_place(), epoch[0])
        return x

    return _like(written, slow)


def single(prim: Primitive, slow: Callable[..., Any]) -> Callable[..., Any]:
    """``prim`` of one tensor; ``slow`` takes whatever is not plain."""
    if prim.entry.nondiff or not prim.entry.rules:
        return slow
    compute = prim.primal
    plan = _plan(prim, "g")
    cls, save = prim.cls, plan.make_saved
    if not plan.special:
        return slow

    def call(*args: Any, **kwargs: Any) -> Any:
        mode = state.mode
        if mode > 1 or kwargs or len(args) != 1 or not isinstance(args[0], Tensor):
            return slow(*args, **kwargs)
        x, = args
        d = x._dt
        if not d.fast:
            return slow(x)
        token = quiet()
        try:
            r = compute(x._a)
        finally:
            loud(token)
        t = wrap(r, d)
        if not mode or (not x._rg and x._view is None):
            return t
        edge = gradient_edge(x)
        if edge is None:
            return slow(x) if x._view is not None and requires_grad(x) else t
        if x._x is not None and x._x.inference:
            return slow(x)
        node = _record(t, cls, plan, (edge,), None)
        node._saved = save(t, x)
        return t

    return _like(call, slow)


def _like(made: Callable[..., Any], slow: Callable[..., Any]) -> Callable[..., Any]:
    for name in ("__name__", "__qualname__", "__doc__", "__module__", "__wrapped__"):
        if hasattr(slow, name):
            setattr(made, name, getattr(slow, name))
    return made
