"""What a tensor is: shape, strides, dtype, memory, and its autograd attributes."""

from __future__ import annotations

import warnings
import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from srcgrad.eager import dtype as dt
from srcgrad.eager.calling_errors import refuse
from srcgrad.eager.device import CPU
from srcgrad.eager.grad_mode import INFERENCE, TRANSFORM, state
from srcgrad.eager.layout import format_strides, is_arranged
from srcgrad.eager.nodes import extra as node_extra
from srcgrad.eager.removable import RemovableHandle, registered
from srcgrad.eager.size import sized
from srcgrad.eager.strides import address
from srcgrad.eager.tensor import Tensor, alias, extra, wrap
from srcgrad.eager.views import grad_fn_of, requires_grad


def _property(name: str, getter: Callable[[Tensor], Any]) -> None:
    def refusal(self: Tensor, value: Any = None) -> None:
        raise AttributeError(f"attribute '{name}' of 'torch._C.TensorBase' objects is not writable")

    setattr(Tensor, name, property(getter, refusal, refusal))


def as_method(function: Any) -> Any:
    """Attach a function to tensors under its own name."""
    setattr(Tensor, function.__name__, function)
    return function


def as_methods(functions: dict[str, Callable[..., Any]]) -> None:
    """Attach functions to tensors under the names given."""
    for name, function in functions.items():
        function.__name__ = function.__qualname__ = name
        as_method(function)


def _version(self: Tensor) -> int:
    if self._x is not None and self._x.inference:
        raise RuntimeError("Inference tensors do not track version counter.")
    return int(self._ver[0])


for _title, _getter in {
    "shape": lambda self: sized(self._a.shape),
    "dtype": lambda self: self._dt,
    "device": lambda self: CPU,
    "ndim": lambda self: int(self._a.ndim),
    "itemsize": lambda self: self._dt.itemsize,
    "nbytes": lambda self: int(self._a.size) * self._dt.itemsize,
    "_version": _version,
    "grad_fn": lambda self: self._fn if self._view is None else grad_fn_of(self),
    "is_leaf": lambda self: grad_fn_of(self) is None,
    "output_nr": lambda self: self._nr,
    "retains_grad": lambda self: (self._x is not None and self._x.retains_grad
                                  and grad_fn_of(self) is not None),
    "_base": lambda self: None if self._view is None else self._view.base,
    "name": lambda self: None if self._x is None else self._x.name,
    **dict.fromkeys(("is_cuda", "is_sparse", "is_quantized", "is_meta", "is_mps", "is_nested"),
                    lambda self: False),
}.items():
    _property(_title, _getter)


@as_method
def size(self: Tensor, dim: int | None = None) -> Any:
    if dim is None:
        return sized(self._a.shape)
    n = self._a.ndim
    if not -max(n, 1) <= dim < max(n, 1):
        raise IndexError(f"Dimension out of range (expected to be in range of "
                         f"[{-max(n, 1)}, {max(n, 1) - 1}], but got {dim})")
    if n == 0:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return int(self._a.shape[dim])


@as_method
def stride(self: Tensor, dim: int | None = None) -> Any:
    item = self._a.itemsize
    strides = tuple(s // item for s in self._a.strides)
    if self._view is None and self._ver[1] is self._a and (
            self._a.size == 0 or 1 in self._a.shape):
        strides = _normal_strides(self._a.shape, strides)
    if dim is None:
        return strides
    size(self, dim)  # its errors
    return strides[dim]


def _normal_strides(shape: tuple[int, ...], strides: tuple[int, ...]) -> tuple[int, ...]:
    """NumPy leaves strides of lengths 0 and 1 open; take the contiguous ones when they fit."""
    contiguous = format_strides(tuple(max(n, 1) for n in shape), 1)
    fits = all(n == 1 or s == c for n, s, c in zip(shape, strides, contiguous))
    return contiguous if fits or 0 in shape else strides


@as_method
def is_contiguous(self: Tensor, memory_format: Any = None) -> bool:
    return is_arranged(self._a, memory_format)


as_methods({
    "storage_offset": lambda self: (address(self._a) - address(self._ver[1])) // self._a.itemsize,
    "data_ptr": lambda self: address(self._a),
    "dim": lambda self: int(self._a.ndim),
    "ndimension": lambda self: int(self._a.ndim),
    "numel": lambda self: int(self._a.size),
    "nelement": lambda self: int(self._a.size),
    "element_size": lambda self: self._dt.itemsize,
    "is_floating_point": lambda self: self._dt.category == dt.FLOATING,
    "is_complex": lambda self: self._dt.category == dt.COMPLEX,
    "is_signed": lambda self: self._dt.is_signed,
    "is_inference": lambda self: self._x is not None and self._x.inference,
    "_is_view": lambda self: self._view is not None,
})


# -- autograd ------------------------------------------------------------------------------


def _set_requires_grad(self: Tensor, value: Any) -> None:
    refuse(not isinstance(value, bool), "requires_grad must be a bool")
    if grad_fn_of(self) is not None:
        refuse(value, "you can only change requires_grad flags of leaf variables.")
        raise RuntimeError("you can only change requires_grad flags of leaf variables. If you want "
                           "to use a computed variable in a subgraph that doesn't require "
                           "differentiation use var_no_grad = var.detach().")
    if value and self._dt.category < dt.FLOATING:
        raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
    refuse(value and self._x is not None and self._x.inference and not state.mode & INFERENCE,
           "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.")
    self._rg = value


Tensor.requires_grad = property(  # type: ignore[attr-defined]
    requires_grad, _set_requires_grad, lambda self: _set_requires_grad(self, None))


def _refuse_within(name: str, or_else: str = "") -> None:
    """Refuse what a function that a transform of `func` runs may not do to its tensors."""
    refuse(state.mode & TRANSFORM, "You are attempting to call Tensor.{}(){} inside of a function "
           "being transformed by a functorch transform. This is unsupported, please attempt to use "
           "the functorch transforms (e.g. grad, vjp, jacrev, jacfwd, hessian) or call {}() "
           "outside of a function being transformed instead.", name, or_else, name)


@as_method
def requires_grad_(self: Tensor, requires_grad: bool = True) -> Tensor:
    """Set ``requires_grad`` in place."""
    refuse(not isinstance(requires_grad, bool), "requires_grad_(): argument 'requires_grad' "
           "(position 1) must be bool, not {}", type(requires_grad).__name__, kind=TypeError)
    _refuse_within("requires_grad_", " (or perhaps using torch.autograd.functional.* APIs)")
    if requires_grad and grad_fn_of(self) is not None:
        return self
    if requires_grad and self._dt.category < dt.FLOATING:
        raise RuntimeError("only Tensors of floating point dtype can require gradients")
    _set_requires_grad(self, requires_grad)
    return self


_LEAF_WARNING = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad "
    "attribute won't be populated during autograd.backward(). If you indeed want the .grad field "
    "to be populated for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. If you "
    "access the non-leaf Tensor by mistake, make sure you access the leaf Tensor instead. See "
    "github.com/pytorch/pytorch/pull/30531 for more informations."
)


def _get_grad(self: Tensor) -> Tensor | None:
    if self._grad is None and self._rg and grad_fn_of(self) is not None and not (
            self._x is not None and self._x.retains_grad):
        warnings.warn(_LEAF_WARNING, UserWarning, stacklevel=2)
    return self._grad


def _set_grad(self: Tensor, value: Any) -> None:
    if value is None:
        self._grad = None
        return
    refuse(not isinstance(value, Tensor), "assigned grad expected to be a Tensor or None but got "
           "grad of type {}", type(value).__name__, kind=TypeError)
    refuse(value is self, "can't assign Variable as its own grad")
    if value._dt is not self._dt:
        raise RuntimeError(
            f"attempting to assign a gradient with dtype '{value._dt.c_name}' to a tensor "
            f"with grad_dtype '{self._dt.tensor_name}'. The gradient must match the tensor's "
            "grad_dtype (defaults to the tensor's dtype). You can set the tensor's grad_dtype "
            "attribute with a specific dtype, or None to allow any dtype. Set grad_dtype with "
            "caution. Diverging the dtypes of a tensor and its gradient may break downstream "
            "systems that assume they match.")
    refuse(value._a.shape != self._a.shape, "attempting to assign a gradient of size '{}' to a "
           "tensor of size '{}'. Please ensure that the gradient and the tensor are the same size",
           list(value._a.shape), list(self._a.shape))
    self._grad = value


def _get_data(self: Tensor) -> Tensor:
    t = wrap(self._a, self._dt)
    t._ver[1] = self._ver[1]
    return t


def _set_data(self: Tensor, value: Tensor) -> None:
    if not isinstance(value, Tensor):
        raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
    refuse(self._rg and value._dt.category < dt.FLOATING, "data set to a tensor that requires "
           "gradients must be floating point or complex dtype")
    self._a = value._a
    self._dt = value._dt
    self._ver = [self._ver[0], value._ver[1], self._ver[2]]


def _del_data(self: Tensor) -> None:
    raise RuntimeError("Deleting tensor data is not allowed. Delete tensor instead!")


Tensor.grad = property(  # type: ignore[attr-defined]
    _get_grad, _set_grad, lambda self: _set_grad(self, None))
Tensor.data = property(_get_data, _set_data, _del_data)  # type: ignore[attr-defined]


@as_method
def detach(self: Tensor) -> Tensor:
    """The same memory without history; writes to either are seen (and counted) by both."""
    t = alias(self)
    if self._x is not None and self._x.inference:
        extra(t).inference = True
    return t


@as_method
def detach_(self: Tensor) -> Tensor:
    """Cut this tensor from its history, in place."""
    refuse(self._view is not None, "Can't detach views in-place. Use detach() instead. If you are "
           "using DistributedDataParallel (DDP) for training, and gradient_as_bucket_view is set "
           "as True, gradients are views of DDP buckets, and hence detach_() cannot be called on "
           "these gradients. To fix this error, please refer to the Optimizer.zero_grad() function "
           "in torch/optim/optimizer.py as the solution.")
    self._fn, self._nr, self._rg, self._view = None, 0, False, None
    if self._x is not None:
        self._x.tangent = None
    return self


@as_method
def retain_grad(self: Tensor) -> None:
    """Keep the gradient of this non-leaf tensor in ``grad`` when it is computed."""
    _refuse_within("retain_grad")
    refuse(not requires_grad(self), "can't retain_grad on Tensor that has requires_grad=False")
    node = grad_fn_of(self)
    if node is None:
        return
    x = extra(self)
    if not x.retains_grad:
        x.retains_grad = True
        node_extra(node).retain[self._nr] = weakref.ref(self)


@as_method
def register_hook(self: Tensor, hook: Any) -> RemovableHandle:
    """Call ``hook(grad)`` when this tensor's gradient is known; it may return another one."""
    if not requires_grad(self):
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    x = extra(self)
    node = grad_fn_of(self)
    if x.backward_hooks is None or (node is not None and all(
            hooks is not x.backward_hooks for _, hooks, _ in node_extra(node).tensor_hooks)):
        x.backward_hooks = OrderedDict()
        if node is not None:
            node_extra(node).tensor_hooks.append((self._nr, x.backward_hooks, self._dt))
    return registered(x.backward_hooks, hook)


@as_method
def register_post_accumulate_grad_hook(self: Tensor, hook: Any) -> RemovableHandle:
    """Call ``hook(tensor)`` after a gradient was added to this leaf's ``grad``."""
    if not requires_grad(self):
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    if grad_fn_of(self) is not None:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    x = extra(self)
    if x.post_accumulate is None:
        x.post_accumulate = OrderedDict()
    return registered(x.post_accumulate, hook)
