"""Saved values: inputs guarded by their version, outputs without a cycle, hooked tensors."""

from __future__ import annotations

from typing import Any

from srcgrad.eager import dtype as dt
from srcgrad.eager.grad_mode import ANOMALY, GRAD, HOOKS, state
from srcgrad.eager.nodes import extra as node_extra
from srcgrad.eager.nodes import freed_error, modified_error
from srcgrad.eager.tensor import Array, Tensor, alias, wrap
from srcgrad.eager.views import attach, grad_fn_of, gradient_edge

INFERENCE_SAVED = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in "
    "inference mode in computation tracked by autograd. To work around this, you can make a clone "
    "to get a normal tensor and use it in autograd, or use `torch.no_grad()` instead of "
    "`torch.inference_mode()`.")


class Packed:
    """A saved tensor in the hands of saved-tensor hooks: what ``pack`` made of it, and the edge
    that it has (``nr``: it is that output of the node that saves it)."""

    __slots__ = ("edge", "nr", "packed", "unpack")

    def __init__(self, t: Tensor, nr: int | None, hooks: tuple[Any, Any]) -> None:
        self.edge = gradient_edge(t) if nr is None else None
        self.nr = nr
        pack, self.unpack = hooks
        version, before = t._ver[0], state.mode
        state.mode = before & ~GRAD
        try:
            self.packed = pack(t)
        finally:
            state.mode = before
        if t._ver[0] != version:
            raise RuntimeError(
                "A saved tensor pack hook is modifying its input in place. Tensors provided as "
                "input to pack hook cannot be modified by in-place operations as this can lead to "
                "unexpected side-effects. Please open an issue if you need to perform in-place "
                "operations on the input to a pack hook.")

    def tensor(self, node: Any) -> Tensor:
        """What ``unpack`` gives back, with the history of what was packed."""
        t = self.unpack(self.packed)
        if not isinstance(t, Tensor):
            raise TypeError("Output of saved tensor unpack_hook expected to be a Tensor but got "
                            f"result of type {type(t).__name__}")
        return attach(alias(t), self.edge if self.nr is None else (node, self.nr))


class SavedOutput:
    """An output saved by its own node: not the tensor, which would refer back to the node."""

    __slots__ = ("array", "cell", "d", "nr", "version")

    def __init__(self, t: Tensor, nr: int) -> None:
        self.array = t._a
        self.cell = t._ver
        self.d = t._dt
        self.nr = nr
        self.version = t._ver[0]


def pack_now(t: Tensor, nr: int | None = None) -> Packed:
    """``t`` in the hands of the innermost hooks; see :class:`Packed`."""
    return Packed(t, nr, state.hooks[-1])


def repacked(node: Any, value: Any, pack: Any, unpack_hook: Any) -> Packed:
    """The saved ``value`` of ``node``, handed over to hooks."""
    if value.__class__ is Packed:
        raise RuntimeError("Calling register_hooks on a saved tensor whose hooks have already been "
                           "set. Hint: only one pair of hooks is allowed at a time.")
    output = value.__class__ is SavedOutput
    t = unpack_output(node, value) if output else unpack(node, value)
    return Packed(t, value.nr if output else None, (lambda t: pack(t.detach()), unpack_hook))


def unpack(node: Any, value: Any) -> Tensor:
    """The saved input; raises if it was modified since."""
    if value.__class__ is Packed:
        return value.tensor(node)
    t, version = value
    if t._ver[0] != version:
        raise changed(node, t, version)
    return t  # type: ignore[no-any-return]


def guard(out: Tensor, *saved: Tensor) -> None:
    """Let the backward of ``out`` fail if one of the tensors ``saved`` is modified before.

    Rules save what their formulas need; PyTorch's formulas name other values, too.
    """
    if out._fn is not None and not state.mode & HOOKS:  # what hooks hold is not watched
        node_extra(out._fn).guards.extend((t, t._ver[0]) for t in saved)


def guard_as(node: Any, guards: tuple[Any, ...], named: dict[str, Any], names: tuple[str, ...],
             out: Tensor) -> None:
    """:func:`guard` for a table's entry: numbers of arguments, or ``"result"``."""
    kept = node_extra(node).guards
    for g in guards:
        t = out if g == "result" else named.get(names[g])
        if isinstance(t, Tensor):
            kept.append(SavedOutput(t, 0) if g == "result" else (t, t._ver[0]))


def check_guards(node: Any) -> None:
    """Raise if a value that PyTorch would have saved was modified, or freed, since."""
    if node._ex.guards and node._saved is None:
        raise freed_error()
    for value in node._ex.guards:
        if value.__class__ is SavedOutput:
            unpack_output_array(node, value)
        else:
            unpack(node, value)


def rebind_guards(node: Any, t: Tensor) -> None:
    """The output was written into ``t``: its version is the one to be watched."""
    if node._ex is not None:
        for value in node._ex.guards:
            if value.__class__ is SavedOutput:
                value.cell, value.version = t._ver, t._ver[0]


def changed(node: Any, t: Tensor, version: int) -> RuntimeError:
    fn = grad_fn_of(t)
    return modified_error(t._dt.tensor_name + "Tensor", t._a.shape,
                          None if fn is None else fn.short_name(), t._nr, t._ver[0], version,
                          node._where, t._ver[2], bool(state.mode & ANOMALY))


def unpack_output_array(node: Any, value: Any) -> Array:
    if value.__class__ is Packed:
        return unpack(node, value)._a
    if value.cell[0] != value.version:
        raise modified_error(
            value.d.tensor_name + "Tensor", value.array.shape, node.short_name(), value.nr,
            value.cell[0], value.version, node._where, value.cell[2], bool(state.mode & ANOMALY))
    return value.array


def unpack_output(node: Any, value: Any) -> Tensor:
    """The saved output as a tensor with its history."""
    if value.__class__ is Packed:
        return unpack(node, value)
    unpack_output_array(node, value)
    return shown_output(value, node)


def shown_output(value: SavedOutput, node: Any) -> Tensor:
    t = wrap(value.array, value.d)
    t._ver = value.cell
    if value.d.category >= dt.FLOATING and value.nr not in node._plan.prim.inactive_outputs:
        t._fn, t._nr, t._rg = node, value.nr, True
    return t
