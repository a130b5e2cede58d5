"""Views and writes: how history follows memory that several tensors share.

A differentiable view remembers its *base* and the version of the storage at which its own
``grad_fn`` was right.  A write through any member of the family moves the version on:

* a write to the base gives the base a new node; older views notice the version and regenerate
  an ``AsStridedBackward0`` onto the base's present node (:func:`grad_fn_of`);
* a write through a view gives the base a ``CopySlices`` node: the gradient of the base passes
  outside the slice, inside it goes through the node of the operation that wrote.
"""

from __future__ import annotations

import sys
import threading
import weakref
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad.eager import dtype as dt
from srcgrad.eager.grad_mode import GRAD, INFERENCE, state
from srcgrad.eager.nodes import ACCUMULATE_SEQUENCE, AccumulateGrad, BarePlan, make_node, node_class
from srcgrad.eager.nodes import extra as node_extra
from srcgrad.eager.strides import Scattering, Seen, address, laid_out, strided, strided_transpose
from srcgrad.eager.tensor import Array, Tensor, extra, wrap

_PACKAGE = __name__.rpartition(".")[0]  # srcgrad.eager


@dataclass(slots=True, eq=False)
class View:
    """What makes a tensor a differentiable view.

    ``creation`` tells how it was made where that forbids writes: ``"no_grad"``,
    ``"multi_output"``, ``"inference"`` or ``"default"``.
    """

    base: Tensor
    seen: int
    creation: str


def caller_place() -> Any:
    """The code object and instruction of the user's call: the first frame outside here."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if not name.startswith(_PACKAGE):
            return frame.f_code, frame.f_lasti
        frame = frame.f_back  # type: ignore[assignment]
    return None


def requires_grad(t: Tensor) -> bool:
    """Whether gradients flow to ``t``, also through a base that changed later."""
    return t._rg or (t._view is not None and t._view.base._rg)


def accumulator(t: Tensor) -> AccumulateGrad:
    """The one AccumulateGrad of leaf ``t``; it lives as long as some graph uses it."""
    x = extra(t)
    if x.accumulator is not None:
        found: AccumulateGrad | None = x.accumulator()
        if found is not None:
            return found
    node = make_node(AccumulateGrad, ACCUMULATE, (), None, None, ACCUMULATE_SEQUENCE)
    node.variable = t
    x.accumulator = weakref.ref(node)
    return node


class _AccumulatePlan(BarePlan):
    """Marks accumulators; the engine adds to ``variable.grad`` itself."""


ACCUMULATE = _AccumulatePlan()


def grad_fn_of(t: Tensor) -> Any:
    """The node of ``t``; a view whose storage was written since gets a fresh one."""
    view = t._view
    if view is None:
        return t._fn
    base = view.base
    if t._fn is None and not base._rg:
        return None
    if view.seen != t._ver[0]:
        if view.creation != "default":
            refuse_view(t, view, indirect=True)
        edge = gradient_edge(base)
        set_history(t, make_node(node_class("AsStridedBackward0"), STRIDED, (edge,),
                                 seen_in(base, t), base._dt))
        view.seen = t._ver[0]
    return t._fn


def seen_in(base: Tensor, t: Tensor) -> Seen:
    """How ``t``, a view of ``base``, is a strided view of its array."""
    kind = None if t._dt is base._dt else t._a.dtype
    return (base._a.shape, base._a.strides,
            (t._a.shape, t._a.strides, address(t._a) - address(base._a), kind))


_FORBIDDEN = (
    " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your "
    "code by moving both the view and the inplace either both inside the {0} block (if you don't "
    "want the inplace to be tracked) or both outside (if you want the inplace to be tracked).")
_REASONS = {
    "multi_output": (
        " This view is the output of a function that returns multiple views. Such functions do not "
        "allow the output views to be modified inplace. You should replace the inplace operation "
        "by an out-of-place one."),
    "custom": (
        " This view was created inside a custom Function (or because an input was returned as-is) "
        "and the autograd logic to handle view+inplace would override the custom backward "
        "associated with the custom Function, leading to incorrect gradients. This behavior is "
        "forbidden. You can fix this by cloning the output of the custom Function."),
    "no_grad": _FORBIDDEN.format("no_grad"),
    "inference": _FORBIDDEN.format("inference_mode"),
}


def refuse_view(t: Tensor, view: View, indirect: bool) -> None:
    """Raise: ``t`` was made in a way that forbids writing to it, or (``indirect``) its base or
    another view of that was written to."""
    what = "its base or another view of its base has been" if indirect else "is being"
    mode, end = ("inference", "in normal mode") if view.creation == "inference" else (
        "no_grad", "with grad mode enabled")
    made = f"created in {mode} mode and {what} modified inplace {end}."
    output = "" if t._fn is None else f"Output {t._nr} of {t._fn.short_name()} is a view"
    if t._fn is None:
        start = f"A view was {made}"
    elif view.creation in ("no_grad", "inference"):
        start = f"{output} of a view which was {made}"
    else:
        start = f"{output} and {what} modified inplace."
    raise RuntimeError(start + _REASONS[view.creation])


def gradient_edge(t: Tensor) -> tuple[Any, int] | None:
    """Where the gradient of ``t`` goes: its node, a leaf's accumulator, or nowhere."""
    fn = t._fn if t._view is None else grad_fn_of(t)
    if fn is not None:
        return fn, t._nr
    if t._rg:
        return accumulator(t), 0
    return None


def output_of(node: Any, nr: int) -> tuple[tuple[int, ...], dt.dtype]:
    """Shape and dtype of an output of ``node`` that a gradient edge was made of."""
    if node._plan is ACCUMULATE:
        return node.variable._a.shape, node.variable._dt
    return node._ex.outputs[nr]  # type: ignore[no-any-return]


def attach(t: Tensor, edge: Any) -> Tensor:
    """Let the gradient of ``t``, which has no history, go where ``edge`` leads."""
    if edge is not None:
        t._rg = True
        if edge[0]._plan is ACCUMULATE:
            extra(t).accumulator = weakref.ref(edge[0])
        else:
            t._fn, t._nr = edge
    return t


def set_history(t: Tensor, node: Any, nr: int = 0) -> None:
    """Give ``t`` a new node; a gradient it retains is from now on the new node's."""
    if t._x is not None and t._x.retains_grad:
        if t._fn is not None and t._fn._ex is not None:
            t._fn._ex.retain.pop(t._nr, None)
        node_extra(node).retain[nr] = weakref.ref(t)
    t._fn = node
    t._nr = nr
    t._rg = True


def make_view(source: Tensor, a: Array, node: Any, *, nr: int = 0, d: dt.dtype | None = None,
              multi: bool = False) -> Tensor:
    """A differentiable view of ``source`` over array ``a``, with history ``node`` if any."""
    t = wrap(a, d or source._dt)
    t._ver = source._ver
    if source._x is not None and source._x.inference:  # autograd knows nothing of such tensors
        extra(t).inference = True
        return t
    outer = source._view
    base = source if outer is None else outer.base
    if multi:
        creation = "multi_output" if state.mode & GRAD else "no_grad"
    elif state.mode & INFERENCE:
        creation = "inference"
    elif not state.mode & GRAD:
        creation = "no_grad"
    else:
        creation = "default" if outer is None else outer.creation
    t._view = View(base, t._ver[0], creation)
    t._fn = node
    t._nr = nr
    t._rg = node is not None  # the base's flag counts, too: requires_grad()
    return t


class _StridedPlan(BarePlan):
    """Backward of a regenerated view."""

    def pull(self, node: Any, ct: Array) -> tuple[Any, ...]:
        return (strided_transpose(ct, node._saved, node._meta.numpy),)

    def pull_graph(self, node: Any, ct: Tensor) -> tuple[Any, ...]:
        d = node._meta
        spread = Scattering(node._saved, d.numpy)
        if spread.simple:
            out = wrap(laid_out(spread.shape, spread.strides, d.numpy), d)
            view_like(out, node._saved).copy_(ct)
            return (out,)
        dense = wrap(np.zeros(spread.size, d.numpy), d)
        dense = dense.index_put((wrap(spread.source, dt.int64),), ct, True)
        if spread.shared:
            dense = dense / wrap(spread.counts(d.numpy), d)
        return (dense[wrap(spread.base, dt.int64)],)

    def saved_value(self, node: Any, name: str) -> Any:
        _, _, (shape, strides, offset, _) = node._saved
        item = node._meta.numpy.itemsize
        shown = {"size": shape, "stride": tuple(s // item for s in strides),
                 "storage_offset": offset // item}
        return shown[name] if name in shown else super().saved_value(node, name)


STRIDED = _StridedPlan()


def view_like(base: Tensor, saved: Seen) -> Tensor:
    """The view of ``base`` that ``saved`` describes, recorded."""
    a = strided(base._a, *saved[2])
    node = None
    if base._rg and state.mode & GRAD:
        node = make_node(node_class("AsStridedBackward0"), STRIDED, (gradient_edge(base),),
                         saved, base._dt)
    return make_view(base, a, node, d=None if saved[2][3] is None else dt.FROM_NUMPY[a.dtype])


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
