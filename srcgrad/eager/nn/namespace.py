"""The functions of ``nn.functional`` that PyTorch also has as ``torch.<name>``.

Most are the same function; a few have another order of arguments there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..dispatch import NAMESPACE
from ..tensor import Tensor
from . import functional as F

_SAME = (
    "adaptive_avg_pool1d", "alpha_dropout", "avg_pool1d", "bilinear",
    "binary_cross_entropy_with_logits", "celu", "celu_", "channel_shuffle", "conv1d", "conv2d",
    "conv3d", "conv_tbc", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d",
    "cosine_embedding_loss", "ctc_loss", "dropout", "feature_alpha_dropout", "group_norm",
    "hardshrink",
    "hinge_embedding_loss", "layer_norm", "margin_ranking_loss", "max_pool1d",
    "max_pool1d_with_indices", "max_pool2d", "max_pool3d", "pairwise_distance", "pdist",
    "pixel_shuffle", "pixel_unshuffle", "poisson_nll_loss", "rms_norm", "rrelu", "rrelu_",
    "selu", "selu_", "threshold", "threshold_", "triplet_margin_loss",
)


def convolution(input: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any,
                transposed: bool, output_padding: Any, groups: int) -> Any:
    """A convolution over as many axes as ``weight`` has beyond two, or its transpose."""
    place = weight.dim() - 3
    if transposed:
        turned = (F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d)[place]
        return turned(input, weight, bias, stride, padding, output_padding, groups, dilation)
    return (F.conv1d, F.conv2d, F.conv3d)[place](
        input, weight, bias, stride, padding, dilation, groups)


def batch_norm(input: Any, weight: Any, bias: Any, running_mean: Any, running_var: Any,
               training: bool, momentum: float, eps: float, cudnn_enabled: bool = False) -> Any:
    """:func:`~srcgrad.eager.nn.functional.batch_norm`, weights before statistics."""
    return F.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)


def instance_norm(input: Any, weight: Any, bias: Any, running_mean: Any, running_var: Any,
                  use_input_stats: bool, momentum: float, eps: float,
                  cudnn_enabled: bool = False) -> Any:
    """:func:`~srcgrad.eager.nn.functional.instance_norm`, weights before statistics."""
    return F.instance_norm(input, running_mean, running_var, weight, bias, use_input_stats,
                           momentum, eps)


def embedding(weight: Any, indices: Any, padding_idx: int = -1, scale_grad_by_freq: bool = False,
              sparse: bool = False) -> Any:
    """:func:`~srcgrad.eager.nn.functional.embedding`, the table first."""
    row = None if padding_idx == -1 else padding_idx
    return F.embedding(indices, weight, row, None, 2.0, scale_grad_by_freq, sparse)


def adaptive_max_pool1d(input: Any, output_size: Any) -> Any:
    """:func:`~srcgrad.eager.nn.functional.adaptive_max_pool1d` with places."""
    return F.adaptive_max_pool1d(input, output_size, True)


NAMES: dict[str, Callable[..., Any]] = {
    **{name: getattr(F, name) for name in _SAME},
    "adaptive_max_pool1d": adaptive_max_pool1d,
    "batch_norm": batch_norm,
    "convolution": convolution,
    "embedding": embedding,
    "instance_norm": instance_norm,
}
for _name, _function in NAMES.items():
    NAMESPACE.setdefault(_name, _function)
if not hasattr(Tensor, "hardshrink"):
    Tensor.hardshrink = F.hardshrink  # type: ignore[attr-defined]
