"""Normalisation layers."""

from __future__ import annotations

import warnings
from typing import Any

from ... import basis as torch
from ...calling_errors import refuse
from .. import functional as F
from .. import init
from ..options import Layer, layer, layers


class _Affine(Layer):
    """What scales and shifts by parameters of one shape."""

    def reset_parameters(self) -> None:
        """Weight 1, bias 0."""
        for name, fill in (("weight", init.ones_), ("bias", init.zeros_)):
            if getattr(self, name, None) is not None:
                fill(getattr(self, name))


class _Statistics(_Affine):
    """Parameters and running statistics per channel."""

    _version = 2
    count: int

    def __init__(self, num_features: int, eps: float, momentum: float | None, affine: bool,
                 track_running_stats: bool, bias: bool, device: Any, dtype: Any) -> None:
        self._keep(num_features=num_features, eps=eps, momentum=momentum, affine=affine,
                   track_running_stats=track_running_stats)
        self._register(num_features, device, dtype, weight=affine, bias=affine and bias)
        if track_running_stats:
            kind = {"device": device, "dtype": dtype}
            self.register_buffer("running_mean", torch.zeros(num_features, **kind))
            self.register_buffer("running_var", torch.ones(num_features, **kind))
            self.register_buffer("num_batches_tracked", torch.tensor(0, dtype=torch.int64))
        else:
            for name in ("running_mean", "running_var", "num_batches_tracked"):
                self.register_buffer(name, None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Running mean 0, running variance 1."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Weight 1, bias 0, fresh statistics."""
        self.reset_running_stats()
        super().reset_parameters()

    def _check_input_dim(self, input: Any) -> None:
        ranks = self._ranks()
        if input.dim() not in ranks:
            expected = " or ".join(f"{rank}D" for rank in ranks)
            raise ValueError(f"expected {expected} input (got {input.dim()}D input)")

    def _ranks(self) -> tuple[int, ...]:
        """With and without a batch."""
        return self.count + 1, self.count + 2

    def extra_repr(self) -> str:
        return (f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, "
                f"affine={self.affine}, bias={self.bias is not None}, "
                f"track_running_stats={self.track_running_stats}")

    def _load_from_state_dict(self, state_dict: Any, prefix: str, local_metadata: dict[str, Any],
                              *rest: Any) -> None:
        version = local_metadata.get("version")
        key = prefix + "num_batches_tracked"
        if (version is None or version < 2) and self.track_running_stats:
            state_dict.setdefault(key, self.num_batches_tracked)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)


class _BatchNorm(_Statistics):
    """Standardises channels of ``{shape}`` over the batch."""

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1,
                 affine: bool = True, track_running_stats: bool = True, device: Any = None,
                 dtype: Any = None, *, bias: bool = True) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, bias, device,
                         dtype)

    def _ranks(self) -> tuple[int, ...]:
        return (2, 3) if self.count == 1 else (self.count + 2,)

    def forward(self, input: Any) -> Any:
        self._check_input_dim(input)
        factor = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:  # the cumulative average
                factor = 1.0 / float(self.num_batches_tracked)
        by_batch = self.training or (self.running_mean is None and self.running_var is None)
        keep = not self.training or self.track_running_stats
        return F.batch_norm(input, self.running_mean if keep else None,
                            self.running_var if keep else None, self.weight, self.bias, by_batch,
                            factor, self.eps)


BatchNorm1d, BatchNorm2d, BatchNorm3d = layers("BatchNorm{count}d", "", _BatchNorm)


class _InstanceNorm(_Statistics):
    """Standardises each channel of each sample of ``{shape}``."""

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float = 0.1,
                 affine: bool = False, track_running_stats: bool = False, device: Any = None,
                 dtype: Any = None, *, bias: bool = True) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, bias, device,
                         dtype)

    def _apply_norm(self, input: Any) -> Any:
        return F.instance_norm(input, self.running_mean, self.running_var, self.weight, self.bias,
                               self.training or not self.track_running_stats, self.momentum or 0.0,
                               self.eps)

    def forward(self, input: Any) -> Any:
        self._check_input_dim(input)
        batched = self.count + 2
        channels = input.size(-batched + 1)
        if channels != self.num_features and self.affine:
            raise ValueError(f"expected input's size at dim={input.dim() - batched + 1} to match "
                             f"num_features ({self.num_features}), but got: {channels}.")
        if channels != self.num_features:
            warnings.warn(f"input's size at dim={input.dim() - batched + 1} does not match "
                          "num_features. You can silence this warning by not passing in "
                          "num_features, which is not used because affine=False", stacklevel=2)
        if input.dim() == batched:
            return self._apply_norm(input)
        return self._apply_norm(input.unsqueeze(0)).squeeze(0)


InstanceNorm1d, InstanceNorm2d, InstanceNorm3d = layers("InstanceNorm{count}d", "", _InstanceNorm)


def _shape(normalized_shape: Any) -> tuple[int, ...]:
    return (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)


class LayerNorm(_Affine, of=F.layer_norm, own="weight bias",
                shown="{self.normalized_shape} eps elementwise_affine {self._biased}"):
    """Standardises over the last axes, then scales and shifts elementwise."""

    def __init__(self, normalized_shape: Any, eps: float = 1e-5, elementwise_affine: bool = True,
                 bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        self._keep(normalized_shape=_shape(normalized_shape), eps=eps,
                   elementwise_affine=elementwise_affine)
        self._register(self.normalized_shape, device, dtype,
                       weight=elementwise_affine, bias=elementwise_affine and bias)
        self.reset_parameters()


class RMSNorm(_Affine, of=F.rms_norm, own="weight",
              shown="{self.normalized_shape} eps elementwise_affine"):
    """Divides by the root mean square over the last axes, then scales elementwise."""

    def __init__(self, normalized_shape: Any, eps: float | None = None,
                 elementwise_affine: bool = True, device: Any = None, dtype: Any = None) -> None:
        self._keep(normalized_shape=_shape(normalized_shape), eps=eps,
                   elementwise_affine=elementwise_affine)
        self._register(self.normalized_shape, device, dtype, weight=elementwise_affine)
        self.reset_parameters()


class GroupNorm(_Affine, of=F.group_norm, own="weight bias",
                shown="{self.num_groups} {self.num_channels} eps affine {self._biased}"):
    """Standardises over groups of channels, then scales and shifts per channel."""

    def __init__(self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True,
                 device: Any = None, dtype: Any = None, *, bias: bool = True) -> None:
        refuse(num_channels % num_groups != 0, "num_channels ({}) must be divisible by num_groups "
               "({})", num_channels, num_groups, kind=ValueError)
        self._keep(num_groups=num_groups, num_channels=num_channels, eps=eps, affine=affine)
        self._register(num_channels, device, dtype, weight=affine, bias=affine and bias)
        self.reset_parameters()


LocalResponseNorm = layer(
    "LocalResponseNorm", F.local_response_norm, shown="{self.size} alpha beta k")
