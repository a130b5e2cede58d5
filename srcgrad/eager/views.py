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
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from srcgrad.eager import dtype as dt
from srcgrad.eager.grad_mode import FORWARD, GRAD, INFERENCE, state
from srcgrad.eager.nodes import ACCUMULATE_SEQUENCE, AccumulateGrad, make_node, node_class
from srcgrad.eager.tensor import Array, Tensor, alias, extra, store, wrap

_PACKAGE = __name__.rpartition(".")[0]  # srcgrad.eager


class View:
    """What makes a tensor a differentiable view.

    ``creation`` tells how it was made where that forbids writes: ``"no_grad"``,
    ``"multi_output"``, ``"inference"`` or ``"default"``.  ``replay`` rebuilds the view from the
    base's array where strides cannot (views of another dtype).
    """

    __slots__ = ("base", "creation", "replay", "seen")

    def __init__(
        self, base: Tensor, seen: int, creation: str, replay: Callable[[Array], Array] | None
    ) -> None:
        self.base = base
        self.seen = seen
        self.creation = creation
        self.replay = replay


def address(a: Array) -> int:
    """Where the first element of ``a`` lies."""
    return int(a.__array_interface__["data"][0])


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
    node = object.__new__(AccumulateGrad)
    node.plan = ACCUMULATE
    node.edges = ()
    node.saved = None
    node.meta = None
    node.seq = ACCUMULATE_SEQUENCE
    node.ex = None
    node.where = None
    node.variable = t
    x.accumulator = weakref.ref(node)
    return node


class _AccumulatePlan:
    """Marks accumulators; the engine adds to ``variable.grad`` itself."""

    outputs = 1
    frees = False

    def saved_value(self, node: Any, name: str) -> Any:
        raise AttributeError(f"'AccumulateGrad' object has no attribute '_saved_{name}'")


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
        plan = STRIDED if view.replay is None else REPLAYED
        geometry = (t._a.shape, t._a.strides, address(t._a) - address(base._a))
        saved = (base._a.shape, base._a.strides, geometry, view.replay)
        edge = gradient_edge(base)
        t._fn = make_node(node_class("AsStridedBackward0"), plan, (edge,), saved, base._dt)
        t._nr = 0
        t._rg = True
        view.seen = t._ver[0]
    return t._fn


def gradient_edge(t: Tensor) -> tuple[Any, int] | None:
    """Where the gradient of ``t`` goes: its node, a leaf's accumulator, or nowhere."""
    fn = t._fn if t._view is None else grad_fn_of(t)
    if fn is not None:
        return fn, t._nr
    if t._rg:
        return accumulator(t), 0
    return None


def set_history(t: Tensor, node: Any, nr: int = 0) -> None:
    t._fn = node
    t._nr = nr
    t._rg = True


def make_view(
    source: Tensor, a: Array, node: Any, *, nr: int = 0, d: dt.dtype | None = None,
    replay: Callable[[Array], Array] | None = None, multi: bool = False,
) -> Tensor:
    """A differentiable view of ``source`` over array ``a``, with history ``node`` if any."""
    t = wrap(a, d or source._dt)
    t._ver = source._ver
    outer = source._view
    base = source if outer is None else outer.base
    before = None if outer is None else outer.replay
    if replay is not None and before is not None:
        inner_replay, outer_replay = replay, before
        replay = lambda b: inner_replay(outer_replay(b))  # noqa: E731
    elif before is not None:
        geometry = (a.shape, a.strides, address(a) - address(source._a))
        replay = lambda b: as_strided_bytes(before(b), *geometry)  # noqa: E731
    elif replay is not None and source is not base:
        strides = (source._a.shape, source._a.strides, address(source._a) - address(base._a))
        last = replay
        replay = lambda b: last(as_strided_bytes(b, *strides))  # noqa: E731
    if multi:
        creation = "multi_output" if state.mode & GRAD else "no_grad"
    elif state.mode & INFERENCE:
        creation = "inference"
    elif not state.mode & GRAD:
        creation = "no_grad"
    else:
        creation = "default" if outer is None or outer.creation != "multi_output" else (
            "multi_output")
    if outer is not None and creation == "default" and outer.creation != "default":
        creation = outer.creation
    t._view = View(base, t._ver[0], creation, replay)
    t._fn = node
    t._nr = nr
    t._rg = node is not None or base._rg or source._rg
    return t


# -- strided gradients -------------------------------------------------------------------


def as_strided_bytes(
    a: Array, shape: tuple[int, ...], strides: tuple[int, ...], offset: int
) -> Array:
    """The memory from ``a``'s first element on, seen with a shape, byte strides and offset."""
    start = np.ndarray(
        (1,), a.dtype, a if a.flags.c_contiguous else _flat_span(a), offset
    ) if shape and 0 not in shape or not shape else a.ravel()[:0]
    return as_strided(start, shape, strides)


def _flat_span(a: Array) -> Array:
    """A 1-d array over all memory that ``a`` spans."""
    span = 1 + sum((n - 1) * s for n, s in zip(a.shape, a.strides)) // a.itemsize
    return as_strided(a, (max(span, 0),), (a.itemsize,))


def laid_out(shape: tuple[int, ...], strides: tuple[int, ...], d: Any) -> Array:
    """Zeros with the given byte strides (contiguous if these overlap or leave gaps)."""
    item = d.itemsize
    if 0 in shape:
        return np.zeros(shape, d)
    span = 1 + sum((n - 1) * s for n, s in zip(shape, strides)) // item
    return as_strided(np.zeros(span, d), shape, strides)


def strided_transpose(ct: Array, saved: tuple[Any, ...]) -> Array:
    """The transpose of taking a strided view: ``ct`` added into zeros of the base's layout."""
    base_shape, base_strides, geometry, replay = saved
    out = laid_out(base_shape, base_strides, ct.dtype)
    target = as_strided_bytes(out, *geometry) if replay is None else replay(out)
    if overlaps(target):
        dense = np.zeros(out.size, ct.dtype)
        np.add.at(dense, strided_places(out, geometry), ct)
        return dense.reshape(base_shape)
    target[...] = ct
    return out


def strided_places(base: Array, geometry: Any) -> Array:
    """Where in the flattened base each element of a strided view lies."""
    shape, strides, offset = geometry
    flat = np.arange(base.size)
    item = base.itemsize
    return as_strided_bytes(flat, shape, tuple(s // item * 8 for s in strides), offset // item * 8)


def overlaps(a: Array) -> bool:
    """Whether two elements of ``a`` may share memory (expanded or unfolded views)."""
    steps = sorted((abs(s), n) for s, n in zip(a.strides, a.shape) if n > 1)
    reach = a.itemsize
    for step, n in steps:
        if step < reach:
            return a.size > 0
        reach = step * (n - 1) + reach
    return False


class _StridedPlan:
    """Backward of a regenerated view; ``replayed`` ones have a dtype of their own."""

    outputs = 1
    frees = False

    def __init__(self, replayed: bool) -> None:
        self.replayed = replayed

    def pull(self, node: Any, ct: Array) -> tuple[Any, ...]:
        if not self.replayed:
            return (strided_transpose(ct, node.saved),)
        base_shape, base_strides, _, replay = node.saved
        out = laid_out(base_shape, base_strides, node.meta.numpy)
        replay(out)[...] = ct
        return (out,)

    def pull_graph(self, node: Any, ct: Tensor) -> tuple[Any, ...]:
        out = wrap(laid_out(node.saved[0], node.saved[1], node.meta.numpy), node.meta)
        view = view_like(out, node.saved)
        if overlaps(view._a):  # repeated places add up, which a write cannot do
            places = wrap(strided_places(out._a, node.saved[2]), dt.int64)
            dense = wrap(np.zeros(out._a.size, out._a.dtype), node.meta)
            return (dense.index_put((places,), ct, True).reshape(node.saved[0]),)
        write(view, ct)
        return (out,)

    def saved_value(self, node: Any, name: str) -> Any:
        base_shape, _, (shape, strides, offset), _ = node.saved
        item = node.meta.numpy.itemsize
        shown = {"size": shape, "stride": tuple(s // item for s in strides),
                 "storage_offset": offset // item}
        if name not in shown:
            raise AttributeError(f"'AsStridedBackward0' object has no attribute '_saved_{name}'")
        return shown[name]


STRIDED = _StridedPlan(False)
REPLAYED = _StridedPlan(True)


def view_like(base: Tensor, saved: tuple[Any, ...]) -> Tensor:
    """The view of ``base`` that ``saved`` describes, recorded."""
    _, _, geometry, replay = saved
    a = as_strided_bytes(base._a, *geometry) if replay is None else replay(base._a)
    node = None
    if base._rg and state.mode & GRAD:
        plan = STRIDED if replay is None else REPLAYED
        node = make_node(node_class("AsStridedBackward0"), plan, (gradient_edge(base),),
                         saved, base._dt)
    return make_view(base, a, node, replay=replay, d=dt.FROM_NUMPY[a.dtype] if replay else None)


# -- writes ------------------------------------------------------------------------------


def check_writable(t: Tensor, active: bool) -> None:
    """Raise where autograd forbids writing to ``t``; ``active``: the write is recorded."""
    if t._x is not None and t._x.inference and not state.mode & INFERENCE:
        raise RuntimeError(
            "Inplace update to inference tensor outside InferenceMode is not allowed.You can "
            "make a clone to get a normal tensor before doing inplace update.See "
            "https://github.com/pytorch/rfcs/pull/17 for more details."
        )
    if not active or not state.mode & GRAD:
        return
    view = t._view
    if view is not None:
        if view.creation != "default":
            _refuse_view(t, view)
        if requires_grad(t) and view.base._fn is None:
            raise RuntimeError("a view of a leaf Variable that requires grad is being used in "
                               "an in-place operation.")
    if requires_grad(t) and grad_fn_of(t) is None:
        raise RuntimeError(
            "a leaf Variable that requires grad is being used in an in-place operation.")


def _refuse_view(t: Tensor, view: View) -> None:
    fn = grad_fn_of(t)
    made_by = f"Output {t._nr} of {fn.short_name()} is" if fn is not None else ""
    if view.creation == "multi_output":
        raise RuntimeError(
            f"{made_by} a view and is being modified inplace. This view is the output of a "
            "function that returns multiple views. Such functions do not allow the output views "
            "to be modified inplace. You should replace the inplace operation by an out-of-place "
            "one."
        )
    how = "inference mode" if view.creation == "inference" else "no_grad mode"
    if view.creation == "custom":
        raise RuntimeError(
            f"{made_by} a view and is being modified inplace. This view was created inside a "
            "custom Function (or because an input was returned as-is) and the autograd logic to "
            "handle view+inplace would override the custom backward associated with the custom "
            "Function, leading to incorrect gradients. This behavior is forbidden. You can fix "
            "this by cloning the output of the custom Function."
        )
    start = f"{made_by} a view and is being modified inplace. " if fn is not None else ""
    mode = how.split()[0]
    subject = "A view" if fn is None else "This view"
    raise RuntimeError(
        f"{start}{subject} was created in {how} and is being modified inplace with grad mode "
        "enabled. Given that this use case is ambiguous and error-prone, it is forbidden. You "
        f"can clarify your code by moving both the view and the inplace either both inside the "
        f"{mode} block (if you don't want the inplace to be tracked) or both outside (if you "
        "want the inplace to be tracked)."
    )


def bump(t: Tensor) -> None:
    """Count a write to ``t``'s storage and remember who wrote."""
    cell = t._ver
    cell[0] += 1
    cell[2] = caller_place()


def refuse_overlap(t: Tensor) -> None:
    if 0 in t._a.strides and overlaps(t._a):
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a "
            "single memory location. Please clone() the tensor before performing the operation."
        )


def shadow(t: Tensor) -> Tensor:
    """The value and history ``t`` has before a write."""
    s = wrap(t._a.copy(), t._dt)
    edge = gradient_edge(t)
    if edge is not None:
        s._rg = True
        if edge[0].plan is ACCUMULATE:
            extra(s).accumulator = weakref.ref(edge[0])
        else:
            s._fn, s._nr = edge
    return s


def shape_text(shape: tuple[int, ...]) -> str:
    return "[" + ", ".join(map(str, shape)) + "]"


def check_result(t: Tensor, shape: tuple[int, ...], d: dt.dtype) -> None:
    """Raise unless a result of this shape and dtype may be written to ``t`` in place."""
    if not dt.can_cast(d, t._dt):
        raise RuntimeError(f"result type {d.tensor_name} can't be cast to the desired output "
                           f"type {t._dt.tensor_name}")
    if shape != t._a.shape:
        raise RuntimeError(f"output with shape {shape_text(t._a.shape)} doesn't match the "
                           f"broadcast shape {shape_text(shape)}")


def apply_in_place(t: Tensor, compute: Callable[[Tensor], Tensor], checked: bool = True) -> Tensor:
    """Replace the value of ``t`` by ``compute(old value)``: the general in-place form.

    ``checked`` says that the result's shape and dtype must fit as in-place operations demand.
    """
    refuse_overlap(t)
    old = shadow(t) if state.mode & GRAD and requires_grad(t) else alias(t)
    if state.mode & FORWARD and t._x is not None:
        extra(old).tangent = t._x.tangent
    result = compute(old)
    if checked:
        check_result(t, result._a.shape, result._dt)
    check_writable(t, result._rg)
    before = gradient_edge(old) if result._rg else None
    np.copyto(t._a, store(t._dt, result._a))
    bump(t)
    if state.mode & FORWARD:
        extra(t).tangent = None if result._x is None else result._x.tangent
    if result._rg:
        if result._fn.plan is not None:
            result._fn.plan.rebind_output(result._fn, t)
        rebase(t, result, before)
    return t


def write(t: Tensor, value: Tensor) -> None:
    """``t[...] = value`` as recorded by autograd (``copy_``, item assignment)."""
    active = state.mode & GRAD != 0 and (requires_grad(value) or requires_grad(t))
    check_writable(t, active)
    refuse_overlap(t)
    if value._a.dtype.kind == "c" and t._a.dtype.kind not in "cb":
        np.copyto(t._a, store(t._dt, value._a))
    else:
        source = dt.round_bfloat16(value._a) if (
            t._dt is dt.bfloat16 and value._dt is not t._dt) else value._a
        np.copyto(t._a, source, casting="unsafe")
    bump(t)
    if state.mode & FORWARD:
        _write_tangent(t, value)
    if active:
        saved = (value._a.shape, value._dt.numpy)
        edge = gradient_edge(value)
        node = make_node(node_class("CopyBackwards"), COPY, (None, edge), saved, None)
        if t._view is None:
            node.edges = (gradient_edge(t), edge)
            set_history(t, node)
        else:
            _copy_slices(t, node, 0)


def _write_tangent(t: Tensor, value: Tensor) -> None:
    """Forward mode: the tangent of what was written, spread over ``t``."""
    given = value._x.tangent if value._x is not None else None
    if given is not None and given[0] is state.dual_token:
        spread = np.broadcast_to(given[1]._a, t._a.shape).astype(t._a.dtype)
        extra(t).tangent = (given[0], wrap(spread, t._dt))
    elif t._x is not None:
        t._x.tangent = None


class _CopyPlan:
    """``destination.copy_(source)``: nothing flows to the old value."""

    outputs = 1
    frees = False

    def pull(self, node: Any, ct: Array) -> tuple[Any, ...]:
        shape, d = node.saved
        old = None if node.edges[0] is None else np.zeros_like(ct)
        return old, None if node.edges[1] is None else reduce_to(ct, shape, d)

    def pull_graph(self, node: Any, ct: Tensor) -> tuple[Any, ...]:
        shape, d = node.saved
        old = None if node.edges[0] is None else wrap(np.zeros_like(ct._a), ct._dt)
        if node.edges[1] is None:
            return old, None
        return old, ct.sum_to_size(shape).to(dt.FROM_NUMPY[d])

    def rebind_output(self, node: Any, t: Tensor) -> None:
        """Nothing is saved."""

    def saved_value(self, node: Any, name: str) -> Any:
        raise AttributeError(f"'CopyBackwards' object has no attribute '_saved_{name}'")


COPY = _CopyPlan()


def reduce_to(g: Array, shape: tuple[int, ...], d: Any) -> Array:
    """``g`` summed to ``shape`` (undoing a broadcast) and converted to NumPy dtype ``d``."""
    have = g.shape
    if have != shape:
        lead = len(have) - len(shape)
        axes = tuple(range(lead)) + tuple(
            i + lead for i, n in enumerate(shape) if n == 1 and have[i + lead] != 1)
        g = np.sum(g, axis=axes, keepdims=True).reshape(shape) if axes else g.reshape(shape)
    if g.dtype is not d:
        if g.dtype.kind == "c" and d.kind != "c":
            g = g.real
        g = g.astype(d)
    return g


def rebase(t: Tensor, result: Tensor, before: Any) -> None:
    """Give ``t`` the history of ``result``, which was written to its memory.  ``before`` is
    the edge ``t`` had."""
    if t._dt is not result._dt:
        result = result.to(t._dt)
    node = result._fn
    if t._view is None:
        set_history(t, node, result._nr)
        return
    places = [i for i, e in enumerate(node.edges) if e is not None and e == before]
    if node.plan.outputs == 1 and before is not None and places:
        _copy_slices(t, node, places[0])
    else:
        saved = (result._a.shape, result._dt.numpy)
        copy = make_node(node_class("CopyBackwards"), COPY, (None, (node, result._nr)), saved, None)
        _copy_slices(t, copy, 0)


def _copy_slices(t: Tensor, node: Any, self_index: int) -> None:
    view = t._view
    base = view.base
    edges = (gradient_edge(base), *(e for i, e in enumerate(node.edges) if i != self_index))
    geometry = (t._a.shape, t._a.strides, address(t._a) - address(base._a))
    saved = (base._a.shape, base._a.strides, geometry, view.replay)
    copy = make_node(node_class("CopySlices"), SLICES, edges, (node, self_index, saved), None)
    set_history(base, copy)
    grad_fn_of(t)


class _SlicesPlan:
    """Backward of a write through a view; see the module's text."""

    outputs = 1
    frees = "inner"  # what can be freed is the saved state of the inner node

    def pull(self, node: Any, ct: Array) -> list[Any]:
        inner, self_index, saved = node.saved
        base_shape, base_strides, geometry, replay = saved
        out = laid_out(base_shape, base_strides, ct.dtype)
        out[...] = ct
        part = as_strided_bytes(out, *geometry) if replay is None else replay(out)
        grads = list(inner.plan.pull(inner, part.copy()))
        own = grads.pop(self_index)
        part[...] = 0 if own is None else own
        return [out, *grads]

    def pull_graph(self, node: Any, ct: Tensor) -> list[Any]:
        inner, self_index, saved = node.saved
        out = wrap(laid_out(saved[0], saved[1], ct._a.dtype), ct._dt)
        write(out, ct)
        part = view_like(out, saved)
        grads = list(inner.plan.pull_graph(inner, part.clone()))
        own = grads.pop(self_index)
        write(part, wrap(np.zeros(part._a.shape, part._a.dtype), part._dt) if own is None else own)
        return [out, *grads]

    def release(self, node: Any) -> None:
        inner, self_index, _ = node.saved
        if inner.plan.frees:
            inner.saved = None

    def rebind_output(self, node: Any, t: Tensor) -> None:
        """The inner node was bound to its view when it wrote."""

    def saved_value(self, node: Any, name: str) -> Any:
        raise AttributeError(f"'CopySlices' object has no attribute '_saved_{name}'")


SLICES = _SlicesPlan()
