"""Saved values: inputs guarded by their version, outputs without a cycle, hooked tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.eager import dtype as dt
from srcgrad.eager.grad_mode import ANOMALY, state
from srcgrad.eager.nodes import modified_error
from srcgrad.eager.tensor import Array, Tensor, wrap
from srcgrad.eager.views import grad_fn_of

INFERENCE_SAVED = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in "
    "inference mode in computation tracked by autograd. To work around this, you can make a clone "
    "to get a normal tensor and use it in autograd, or use `torch.no_grad()` instead of "
    "`torch.inference_mode()`.")


class Packed:
    """A saved tensor in the hands of saved-tensor hooks."""

    __slots__ = ("packed", "unpack")

    def __init__(self, packed: Any, unpack: Callable[[Any], Tensor]) -> None:
        self.packed = packed
        self.unpack = unpack


class SavedOutput:
    """An output saved by its own node: not the tensor, which would refer back to the node."""

    __slots__ = ("array", "cell", "d", "nr", "version")

    def __init__(self, t: Tensor, nr: int) -> None:
        self.array = t._a
        self.cell = t._ver
        self.d = t._dt
        self.nr = nr
        self.version = t._ver[0]


def pack_now(t: Tensor) -> Any:
    pack, unpack_hook = state.hooks[-1]
    return Packed(pack(t), unpack_hook)


def unpack(node: Any, value: Any) -> Tensor:
    """The saved input; raises if it was modified since."""
    if value.__class__ is Packed:
        t = value.unpack(value.packed)
        if not isinstance(t, Tensor):
            raise TypeError(
                "Output of saved tensor unpack_hook expected to be a Tensor but got result of "
                f"type {type(t).__name__}")
        return t
    t, version = value
    if t._ver[0] != version:
        raise changed(node, t, version)
    return t  # type: ignore[no-any-return]


def changed(node: Any, t: Tensor, version: int) -> RuntimeError:
    fn = grad_fn_of(t)
    return modified_error(
        t._dt.tensor_name + "Tensor" if t._dt is not dt.bool_ else "BoolTensor", t._a.shape,
        None if fn is None else fn.short_name(), t._nr, t._ver[0], version, node.where, t._ver[2],
        bool(state.mode & ANOMALY))


def unpack_output_array(node: Any, value: Any) -> Array:
    if value.__class__ is Packed:
        return unpack(node, value)._a
    if value.cell[0] != value.version:
        raise modified_error(
            value.d.tensor_name + "Tensor", value.array.shape, node.short_name(), value.nr,
            value.cell[0], value.version, node.where, value.cell[2], bool(state.mode & ANOMALY))
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
    if value.d.category >= dt.FLOATING and value.nr not in node.plan.prim.inactive_outputs:
        t._fn, t._nr, t._rg = node, value.nr, True
    return t
