"""Dropout: random zeros in training, scaled so that the mean stays."""

from __future__ import annotations

import math
import warnings
from typing import Any

from ... import basis as torch

_SELU_LIMIT = 1.7580993408473766


def _checked(p: float) -> None:
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def _dropped(input: Any, p: float, training: bool, inplace: bool, by_feature: bool = False,
             alpha: bool = False) -> Any:
    _checked(p)
    if p == 0 or not training or input.numel() == 0:
        return input
    if p == 1:
        zero = torch.zeros((), dtype=input.dtype)
        return input.mul_(zero) if inplace else input.mul(zero)
    if by_feature and input.dim() < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    channels = (*input.shape[:2], *(1,) * (input.dim() - 2))
    noise = (torch.empty(channels, dtype=input.dtype) if by_feature else
             torch.empty_like(input.detach())).bernoulli_(1 - p)
    if not alpha:
        noise = noise.div_(1 - p)
        return input.mul_(noise) if inplace else input * noise
    scale = 1.0 / math.sqrt((_SELU_LIMIT * _SELU_LIMIT * p + 1) * (1 - p))
    shift = noise.add(-1).mul_(_SELU_LIMIT * scale).add_(_SELU_LIMIT * scale * p)
    noise = noise.mul_(scale)
    return input.mul_(noise).add_(shift) if inplace else input * noise + shift


def dropout(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Elements zero with probability ``p``, the others times ``1 / (1 - p)``."""
    return _dropped(input, p, training, inplace)


def dropout1d(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Whole channels of ``(N, C, L)`` or ``(C, L)`` zero with probability ``p``."""
    _checked(p)
    ndim = input.dim()
    if ndim not in (2, 3):
        raise RuntimeError(f"dropout1d: Expected 2D or 3D input, but received a {ndim}D input. "
                           "Note that dropout1d exists to provide channel-wise dropout on inputs "
                           "with 1 spatial dimension, a channel dimension, and an optional batch "
                           "dimension (i.e. 2D or 3D inputs).")
    return _batched(input, p, training, inplace, 3)


def _warn_ranks(input: Any, count: int) -> None:
    if input.dim() in (count + 1, count + 2):
        return
    name = f"dropout{count}d"
    warnings.warn(f"{name}: Received a {input.dim()}-D input to {name}, which is deprecated and "
                  "will result in an error in a future release. To retain the behavior and silence "
                  f"this warning, please use dropout instead. Note that {name} exists to provide "
                  f"channel-wise dropout on inputs with {count} spatial dimensions, a channel "
                  "dimension, and an optional batch dimension (i.e. "
                  f"{count + 1}D or {count + 2}D inputs).", stacklevel=3)


def dropout2d(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Whole channels of ``(N, C, H, W)`` zero with probability ``p``."""
    _checked(p)
    _warn_ranks(input, 2)
    if input.dim() == 3:
        warnings.warn("dropout2d: Received a 3D input to dropout2d and assuming that channel-wise "
                      "1D dropout behavior is desired - input is interpreted as shape (N, C, L), "
                      "where C is the channel dim. This behavior will change in a future release "
                      "to interpret the input as one without a batch dimension, i.e. shape (C, H, "
                      "W). To maintain the 1D channel-wise dropout behavior, please switch to "
                      "using dropout1d instead.", stacklevel=2)
    return _dropped(input, p, training, inplace, by_feature=True)


def dropout3d(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Whole channels of ``(N, C, D, H, W)`` or ``(C, D, H, W)`` zero with probability ``p``."""
    _checked(p)
    _warn_ranks(input, 3)
    return _batched(input, p, training, inplace, 5)


def _batched(input: Any, p: float, training: bool, inplace: bool, ndim: int) -> Any:
    if input.dim() == ndim:
        return _dropped(input, p, training, inplace, by_feature=True)
    if inplace:
        return _dropped(input.unsqueeze_(0), p, training, True, by_feature=True).squeeze_(0)
    return _dropped(input.unsqueeze(0), p, training, False, by_feature=True).squeeze(0)


def alpha_dropout(input: Any, p: float = 0.5, training: bool = False, inplace: bool = False) -> Any:
    """Dropout that keeps mean and variance of SELU activations (Klambauer et al. 2017)."""
    return _dropped(input, p, training, inplace, alpha=True)


def feature_alpha_dropout(input: Any, p: float = 0.5, training: bool = False,
                          inplace: bool = False) -> Any:
    """:func:`alpha_dropout` of whole channels."""
    return _dropped(input, p, training, inplace, by_feature=True, alpha=True)
