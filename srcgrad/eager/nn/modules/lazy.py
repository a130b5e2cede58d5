"""Layers that learn the sizes of their parameters from their first input."""

from __future__ import annotations

import types
from typing import Any

from ... import basis as torch
from ...calling_errors import refuse
from ..module_state import ModulePart
from ..parameter import UninitializedBuffer, UninitializedParameter, is_lazy
from .conv import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from .linear import Linear
from .normalization import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    InstanceNorm1d,
    InstanceNorm2d,
    InstanceNorm3d,
)


class LazyModuleMixin(ModulePart):
    """Makes the class after it in the list of bases lazy: it becomes ``cls_to_become`` at its
    first call, when :meth:`initialize_parameters` gives its tensors their shapes."""

    cls_to_become: type | None = None
    _learned = ""  # the size that the first call tells, 0 until then

    def __init_subclass__(cls, becomes: type | None = None, learned: str = "") -> None:
        super().__init_subclass__()
        cls.cls_to_become = becomes or cls.cls_to_become
        if learned:
            cls._learned = learned

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._load_hook = self._register_load_state_dict_pre_hook(
            LazyModuleMixin._take_shapes, with_module=True)
        self._initialize_hook = self.register_forward_pre_hook(
            LazyModuleMixin._infer_parameters, with_kwargs=True)

    def _take_shapes(self, state_dict: Any, prefix: str, *_: Any) -> None:
        for name, value in (*self._parameters.items(), *self._buffers.items()):
            given = state_dict.get(prefix + name)
            if is_lazy(value) and given is not None and not is_lazy(given):
                with torch.no_grad():
                    value.materialize(given.shape)

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Give the parameters their shapes; the arguments are those of the first call."""
        raise NotImplementedError(
            f"initialize_parameters is not implemented for {type(self).__name__}")

    def has_uninitialized_params(self) -> bool:
        """Whether a parameter or buffer has no shape yet."""
        return any(map(is_lazy, (*self._parameters.values(), *self._buffers.values())))

    def _infer_parameters(self, args: Any, kwargs: Any = None) -> None:
        self.initialize_parameters(*args, **(kwargs or {}))
        if self.has_uninitialized_params():
            raise RuntimeError(f"module {self._get_name()} has not been fully initialized")
        self._initialize_hook.remove()
        self._load_hook.remove()
        del self._initialize_hook, self._load_hook
        if self.cls_to_become is not None:
            self.__class__ = self.cls_to_become

    def reset_parameters(self) -> None:
        """Draw new parameters, once their shapes are known."""
        if not self.has_uninitialized_params() and getattr(self, self._learned, None) != 0:
            super().reset_parameters()  # type: ignore[misc]

    def _let_open(self, bias: bool, **kind: Any) -> None:
        """A weight, and a bias if wanted, that have no shape yet."""
        self.weight = UninitializedParameter(**kind)
        if bias:
            self.bias = UninitializedParameter(**kind)


class LazyLinear(LazyModuleMixin, Linear, becomes=Linear, learned="in_features"):
    """A :class:`Linear` layer that takes ``in_features`` from its first input."""

    def __init__(self, out_features: int, bias: bool = True, device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__(0, 0, False)
        self.out_features = out_features
        self._let_open(bias, device=device, dtype=dtype)

    def initialize_parameters(self, input: Any) -> None:
        """Shapes from the last axis of ``input``, or from weights that were loaded."""
        if self.has_uninitialized_params():
            with torch.no_grad():
                self.in_features = input.shape[-1]
                self.weight.materialize((self.out_features, self.in_features))
                if self.bias is not None:
                    self.bias.materialize((self.out_features,))
                self.reset_parameters()
        if self.in_features == 0:
            self.in_features = self.weight.shape[-1]


class _LazyConv(LazyModuleMixin, learned="in_channels"):
    """``out_channels`` and the options of a convolution; ``in_channels`` comes with the input."""

    def __init__(self, out_channels: int, kernel_size: Any, *options: Any, bias: bool = True,
                 device: Any = None, dtype: Any = None, **more: Any) -> None:
        super().__init__(0, 0, kernel_size, *options, bias=False, **more)
        self.out_channels = out_channels
        self._let_open(bias, device=device, dtype=dtype)

    def initialize_parameters(self, input: Any, *_: Any) -> None:
        """Shapes from the channels of ``input``."""
        if not self.has_uninitialized_params():
            return
        n = self.count
        refuse(input.dim() not in (n + 1, n + 2), "Expected {}D (unbatched) or {}D (batched) input "
               "to {}, but got input of size: {}", n + 1, n + 2, type(self).__name__, input.shape)
        self.in_channels = input.shape[-n - 1]
        if self.in_channels % self.groups:
            raise ValueError("in_channels must be divisible by groups")
        self.weight.materialize(self._weight_shape())
        if self.bias is not None:
            self.bias.materialize((self.out_channels,))
        self.reset_parameters()


class _LazyNorm(LazyModuleMixin, learned="num_features"):
    """The options of a normalisation; ``num_features`` comes with the input."""

    def __init__(self, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
                 track_running_stats: bool = True, device: Any = None, dtype: Any = None,
                 **more: Any) -> None:
        super().__init__(0, eps, momentum, False, False, **more)
        self.affine, self.track_running_stats = affine, track_running_stats
        kind = {"device": device, "dtype": dtype}
        if affine:
            self._let_open(more.get("bias", True), **kind)
        if track_running_stats:
            self.running_mean = UninitializedBuffer(**kind)
            self.running_var = UninitializedBuffer(**kind)
            self.num_batches_tracked = torch.tensor(0, dtype=torch.int64)

    def initialize_parameters(self, input: Any) -> None:
        """Shapes from the second axis of ``input``."""
        if not self.has_uninitialized_params():
            return
        self.num_features = input.shape[1]
        for value in (self.weight, self.bias, self.running_mean, self.running_var):
            if is_lazy(value):
                value.materialize((self.num_features,))
        self.reset_parameters()


def _lazy(mixin: type, *kinds: type) -> tuple[Any, ...]:
    """The lazy class of each of ``kinds``."""
    made = []
    for kind in kinds:
        cls: Any = types.new_class(f"Lazy{kind.__name__}", (mixin, kind), {"becomes": kind})
        cls.__module__, cls.__doc__ = __name__, f"A lazy :class:`{kind.__name__}`."
        made.append(cls)
    return tuple(made)


LazyConv1d, LazyConv2d, LazyConv3d = _lazy(_LazyConv, Conv1d, Conv2d, Conv3d)
LazyConvTranspose1d, LazyConvTranspose2d, LazyConvTranspose3d = _lazy(
    _LazyConv, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)
LazyBatchNorm1d, LazyBatchNorm2d, LazyBatchNorm3d = _lazy(
    _LazyNorm, BatchNorm1d, BatchNorm2d, BatchNorm3d)
LazyInstanceNorm1d, LazyInstanceNorm2d, LazyInstanceNorm3d = _lazy(
    _LazyNorm, InstanceNorm1d, InstanceNorm2d, InstanceNorm3d)
