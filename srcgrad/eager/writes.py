"""Writes: what may be written in place, and the history it leaves.

A write to a tensor that owns its storage gives it a new node.  A write through a view gives the
base a ``CopySlices`` node: outside the slice the base's gradient passes, inside it goes through
the node of the operation that wrote.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager import dtype as dt
from srcgrad.eager.grad_mode import FORWARD, GRAD, INFERENCE, TRANSFORM, state
from srcgrad.eager.layout import format_strides
from srcgrad.eager.nodes import BarePlan, freed_error, make_node, named, node_class
from srcgrad.eager.saving import check_guards, rebind_guards
from srcgrad.eager.strides import (
    address,
    is_dense,
    laid_out,
    memory,
    overlaps,
    partly_same,
    reduce_to,
    strided,
)
from srcgrad.eager.tangents import set_tangent, tangent_of
from srcgrad.eager.tensor import Array, Tensor, epoch, store, wrap, zeros_as
from srcgrad.eager.views import (
    attach,
    caller_place,
    grad_fn_of,
    gradient_edge,
    refuse_view,
    requires_grad,
    seen_in,
    set_history,
    view_like,
)


def check_writable(t: Tensor, active: bool) -> None:
    """Raise where autograd forbids writing to ``t``; ``active``: the write is recorded."""
    if t._x is not None and t._x.inference and not state.mode & INFERENCE:
        raise RuntimeError("Inplace update to inference tensor outside InferenceMode is not "
                           "allowed.You can make a clone to get a normal tensor before doing "
                           "inplace update.See https://github.com/pytorch/rfcs/pull/17 for more "
                           "details.")
    if state.mode & TRANSFORM:
        refuse_captured(t)
    if state.mutation is not None:
        state.mutation.before_write(t)
    if not active or not state.mode & GRAD:
        return
    view = t._view
    if view is not None:
        if view.creation != "default":
            refuse_view(t, view, indirect=False)
        if requires_grad(t) and view.base._fn is None:
            raise RuntimeError("a view of a leaf Variable that requires grad is being used in "
                               "an in-place operation.")
    if requires_grad(t) and grad_fn_of(t) is None:
        raise RuntimeError(
            "a leaf Variable that requires grad is being used in an in-place operation.")


def refuse_captured(t: Tensor, name: str = "copy_") -> None:
    """Raise if ``t`` was there before the transform of `func` that runs began."""
    stamp = t._ver[2]
    made = stamp[2] if isinstance(stamp, tuple) else stamp
    if made is None or made >= state.transform:
        return
    for s in (t, t if t._view is None else t._view.base):
        if s._x is not None and s._x.stands_in >= state.transform:
            return
    if state.mapping:
        raise RuntimeError(
            "vmap: inplace arithmetic(self, *extra_args) is not possible because there exists a "
            "Tensor `other` in extra_args that has more elements than `self`. This happened due to "
            "`other` being vmapped over but `self` not being vmapped over in a vmap. Please try to "
            "use out-of-place operators instead of inplace arithmetic. If said operator is being "
            "called inside the PyTorch framework, please file a bug report instead.")
    raise RuntimeError("During a grad (vjp, jvp, grad, etc) transform, the function provided "
                       f"attempted to call in-place operation (aten::{name}) that would mutate a "
                       "captured Tensor. This is not supported; please rewrite the function being "
                       "transformed to explicitly accept the mutated Tensor(s) as inputs.")


def bump(t: Tensor) -> None:
    """Count a write to ``t``'s storage and remember who wrote."""
    cell = t._ver
    cell[0] += 1
    cell[2] = (*caller_place(), epoch[0])


def resize_memory(t: Tensor, shape: tuple[int, ...], form: Any = None) -> None:
    """Give ``t`` another shape (in memory format ``form``) from where it starts in its storage,
    which grows as needed."""
    root = memory(t._ver[1])
    item = t._a.itemsize
    offset = address(t._a) - address(root)
    offset = offset if 0 <= offset <= root.nbytes else 0  # arrays without elements lie anywhere
    strides = format_strides(shape, item, form)
    if offset + math.prod(shape) * item > root.nbytes:
        if root.nbytes and sys.getrefcount(t._ver) > _ALONE:
            raise RuntimeError(
                "resize_: the storage would have to grow while other tensors share it, which is "
                "not possible here. Resize the tensor before views of it are made, or clone() it.")
        grown = np.zeros(offset // item + math.prod(shape), t._a.dtype)
        kept = root.reshape(-1).view(np.uint8)
        grown.view(np.uint8)[: kept.size] = kept[: grown.nbytes]
        t._ver[1] = root = grown
    t._a = strided(root, shape, strides, offset, t._a.dtype)


_ALONE = 2  # references to a version cell that one tensor has: its own, and the argument


def expanded(t: Tensor) -> bool:
    """Whether elements of ``t`` share memory."""
    return 0 in t._a.strides and overlaps(t._a)


def refuse_overlap(t: Tensor) -> None:
    if expanded(t):
        raise RuntimeError("unsupported operation: more than one element of the written-to tensor "
                           "refers to a single memory location. Please clone() the tensor before "
                           "performing the operation.")


def refuse_partial_overlap(t: Tensor, other: Any) -> None:
    """Raise if ``other`` shares part of the memory that is to be written (all of it is fine)."""
    if other.__class__ is not Tensor and not isinstance(other, Tensor):
        return
    if other._ver is t._ver and other is not t and partly_same(t._a, other._a):
        raise _shared_error()


def refuse_shared(t: Tensor, other: Any) -> None:
    """Raise if ``other`` shares any of the memory that is to be written out of order."""
    if not isinstance(other, Tensor):
        return
    a, b = t._a, other._a
    if other._ver is t._ver and a.size and b.size and is_dense(a) and is_dense(b) and (
            address(a) < address(b) + b.nbytes and address(b) < address(a) + a.nbytes):
        raise _shared_error()


def _shared_error() -> RuntimeError:
    return RuntimeError("unsupported operation: some elements of the input tensor and the "
                        "written-to tensor refer to a single memory location. Please clone() the "
                        "tensor before performing the operation.")


def check_cast(d: dt.dtype, to: dt.dtype) -> None:
    """Raise unless results of dtype ``d`` may be stored as ``to``."""
    if not dt.can_cast(d, to):
        raise RuntimeError(f"result type {d.tensor_name} can't be cast to the desired output type "
                           f"{to.tensor_name}")


def check_result(t: Tensor, shape: tuple[int, ...], d: dt.dtype) -> None:
    """Raise unless a result of this shape and dtype may be written to ``t`` in place."""
    if shape != t._a.shape:
        raise RuntimeError(f"output with shape {list(t._a.shape)} doesn't match the broadcast "
                           f"shape {list(shape)}")
    check_cast(d, t._dt)


def apply_in_place(t: Tensor, compute: Callable[[Tensor], Tensor], checked: bool = True,
                   constant: bool = False) -> Tensor:
    """Replace the value of ``t`` by ``compute(old value)``: the general in-place form.

    ``checked`` says that the result's shape and dtype must fit as in-place operations demand,
    ``constant`` that all elements get the same value, so that they may share memory.
    """
    if state.mode & GRAD and requires_grad(t):
        check_writable(t, True)
    if not constant:
        refuse_overlap(t)
    old = wrap(t._a, t._dt)  # it shares the memory, at first
    if state.mode & GRAD:
        attach(old, gradient_edge(t))
    if old._rg:
        old._a = t._a.copy()  # nodes may save it, or views of it
    if state.mode & FORWARD:
        set_tangent(old, tangent_of(t))
    result = compute(old)
    if checked:
        check_result(t, result._a.shape, result._dt)
    if not result._rg and state.mode & GRAD and requires_grad(t):
        write(t, result, constant)  # what was there before no longer counts
        return t
    check_writable(t, result._rg)
    before = gradient_edge(old) if result._rg else None
    if result._rg and not old._rg:
        old._a = t._a.copy()
    np.copyto(t._a, store(t._dt, result._a))
    bump(t)
    if state.mode & FORWARD:
        set_tangent(t, tangent_of(result))
    if result._rg:
        if result._fn._plan is not None:
            result._fn._plan.rebind_output(result._fn, t)
            rebind_guards(result._fn, t)
        rebase(t, result, before)
    return t


def write(t: Tensor, value: Tensor, constant: bool = False, spread: bool = False) -> None:
    """``t[...] = value`` as recorded by autograd (``copy_``, item assignment); ``spread``: a value
    of another shape may be a part of ``t``, as if it had been expanded before."""
    active = state.mode & GRAD != 0 and t._dt.category >= dt.FLOATING and (
        requires_grad(value) or requires_grad(t))
    check_writable(t, active)
    if not constant:
        refuse_overlap(t)
    if not spread or value._a.shape == t._a.shape:
        refuse_partial_overlap(t, value)
    edge = gradient_edge(value) if active else None
    if value._a.dtype.kind == "c" and t._a.dtype.kind not in "cb":
        np.copyto(t._a, store(t._dt, value._a))
    else:
        source = dt.round_bfloat16(value._a) if (
            t._dt is dt.bfloat16 and value._dt is not t._dt) else value._a
        np.copyto(t._a, source, casting="unsafe")
    bump(t)
    if state.mode & FORWARD:
        given = tangent_of(value)
        set_tangent(t, given if given is None else given.expand(t._a.shape).to(t._dt))
    if active:
        saved = (value._a.shape, value._dt.numpy)
        one = spread and not value._a.ndim and t._a.ndim
        node = make_node(node_class("FillBackward3" if one else "CopyBackwards"), COPY,
                         (None, edge), saved, None)
        if t._view is None:
            node._edges = (gradient_edge(t), edge)
            set_history(t, node)
        else:
            copy_slices(t, node, 0)


class _CopyPlan(BarePlan):
    """``destination.copy_(source)``: nothing flows to the old value."""

    def pull(self, node: Any, ct: Array) -> tuple[Any, ...]:
        shape, d = node._saved
        old = None if node._edges[0] is None else np.zeros_like(ct)
        return old, None if node._edges[1] is None else reduce_to(ct, shape, d)

    def pull_graph(self, node: Any, ct: Tensor) -> tuple[Any, ...]:
        shape, d = node._saved
        old = None if node._edges[0] is None else zeros_as(ct)
        if node._edges[1] is None:
            return old, None
        return old, ct.sum_to_size(shape).to(dt.FROM_NUMPY[d])


COPY = _CopyPlan()


def rebase(t: Tensor, result: Tensor, before: Any) -> None:
    """Give ``t`` the history of ``result``, which was written to its memory.  ``before`` is
    the edge ``t`` had."""
    if t._dt is not result._dt:
        result = named(result.to(t._dt), type(result._fn).__name__)
    node = result._fn
    if t._view is None:
        set_history(t, node, result._nr)
        return
    places = [i for i, e in enumerate(node._edges) if e is not None and e == before]
    if node._plan.outputs == 1 and before is not None and places:
        copy_slices(t, node, places[0])
    else:
        saved = (result._a.shape, result._dt.numpy)
        copy = make_node(node_class("CopyBackwards"), COPY, (None, (node, result._nr)), saved, None)
        copy_slices(t, copy, 0)


def copy_slices(t: Tensor, node: Any, self_index: int) -> None:
    """Record on the base of view ``t`` that ``node`` wrote to ``t``; its edge ``self_index`` leads
    to what was there before (-1: it has none)."""
    view = t._view
    base = view.base
    edges = (gradient_edge(base), *(e for i, e in enumerate(node._edges) if i != self_index))
    saved = (node, self_index, seen_in(base, t))
    copy = make_node(node_class("CopySlices"), SLICES, edges, saved, None)
    set_history(base, copy)
    view.seen = -1  # whoever has looked at the view since the write saw the base's old node
    grad_fn_of(t)


def _as_given(node: Any, ct: Any) -> Any:
    """The cotangent of ``node``'s one output in the form that its plan takes; it runs next."""
    if node._ex is not None:
        check_guards(node)
    return ct if node._plan.outputs == 1 else [ct]


class _SlicesPlan(BarePlan):
    """Backward of a write through a view; see the module's text."""

    frees = True  # the inner node goes, whether or not it saved anything

    def pull(self, node: Any, ct: Array) -> list[Any]:
        inner, self_index, saved = self._saved(node)
        out = laid_out(saved[0], saved[1], ct.dtype)
        out[...] = ct
        part = strided(out, *saved[2])
        grads = list(inner._plan.pull(inner, _as_given(inner, part.copy())))
        own = grads.pop(self_index) if self_index >= 0 else None
        part[...] = 0 if own is None else own
        return [out, *grads]

    def pull_graph(self, node: Any, ct: Tensor) -> list[Any]:
        inner, self_index, saved = self._saved(node)
        out = wrap(laid_out(saved[0], saved[1], ct._a.dtype), ct._dt)
        write(out, ct)
        part = view_like(out, saved)
        grads = list(inner._plan.pull_graph(inner, _as_given(inner, part.clone())))
        own = grads.pop(self_index) if self_index >= 0 else None
        write(part, wrap(np.zeros(part._a.shape, part._a.dtype), part._dt) if own is None else own)
        return [out, *grads]

    @staticmethod
    def _saved(node: Any) -> Any:
        if node._saved is None:
            raise freed_error()
        return node._saved


SLICES = _SlicesPlan()
