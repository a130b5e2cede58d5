"""Losses with margins, and losses between embeddings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import basis as torch
from ...calling_errors import refuse
from ...nodes import named
from ...ops.arguments import unexpected_type
from ...promotion import check_broadcast
from . import nodes
from .activation import logsigmoid
from .distance import pairwise_distance
from .loss import reduced, reduction_of


def soft_margin_loss(input: Any, target: Any, size_average: bool | None = None,
                     reduce: bool | None = None, reduction: str = "mean") -> Any:
    """``log(1 + exp(-target * input))`` for targets 1 and -1."""
    reduction = reduction_of(size_average, reduce, reduction)
    check_broadcast(input, target)
    return nodes.soft_margin_loss(input, target.to(input.dtype), reduction)


def multi_margin_loss(input: Any, target: Any, p: int = 1, margin: float = 1.0, weight: Any = None,
                      size_average: bool | None = None, reduce: bool | None = None,
                      reduction: str = "mean") -> Any:
    """Hinge between the target class and every other class."""
    reduction = reduction_of(size_average, reduce, reduction)
    refuse(p != 1 and p != 2, "only p == 1 and p == 2 supported", kind=ValueError)
    if weight is not None and weight.dim() != 1:
        raise ValueError("weight must be one-dimensional")
    if input.dim() == 0:
        input = input.reshape(1)
    _check_margins(input, target, weight)
    listed = input.dim() == 1 and target.dim() == 1 and reduction == "none"
    if input.dim() == 1 and target.dim() == 1:
        target = target.reshape(())
    labels = torch.raw(target)
    refuse(np.any(labels < 0) or np.any(labels >= input.size(-1)), "target out of range")
    loss = nodes.multi_margin_loss(input, target, p, margin, weight, reduction)
    return named(loss.reshape(1).clone(), "MultiMarginLossBackward0") if listed else loss


def _nonempty_rows(input: Any) -> None:
    refuse(input.dim() > 2 or 0 in input.shape[-1:], "Expected non-empty vector or matrix with "
           "optional 0-dim batch size, but got: {}", list(input.shape))


def _check_margins(input: Any, target: Any, weight: Any) -> None:
    _nonempty_rows(input)
    rows, classes = input.shape[0] if input.dim() == 2 else 1, input.shape[-1]
    refuse(target.dim() > 1 or target.numel() != rows, "multi_margin_loss: target tensor should be "
           "1-D with size equal to the number of input samples (batch size). Expected target size "
           "[{}], but got {}. Input has shape {}.", rows, list(target.shape), list(input.shape))
    if weight is not None and weight.numel() != classes:
        raise RuntimeError(
            f"inconsistent weight size, expected {classes} but got {list(weight.shape)}")
    if target.dtype is not torch.int64:
        raise unexpected_type(torch.int64, target.dtype)


def multilabel_margin_loss(input: Any, target: Any, size_average: bool | None = None,
                           reduce: bool | None = None, reduction: str = "mean") -> Any:
    """Hinge between each target class and each class that is not one; targets end at -1."""
    reduction = reduction_of(size_average, reduce, reduction)
    if input.dim() == 0:
        input, target = input.reshape(1), target.reshape(1)
    _nonempty_rows(input)
    refuse(target.shape != input.shape, "inconsistent target size: {} for input of size: {}",
           list(target.shape), list(input.shape))
    if target.dtype is not torch.int64:
        raise unexpected_type(torch.int64, target.dtype)
    labels = torch.raw(target)
    if labels.size and (labels.min() < -1 or labels.max() >= input.shape[-1]):
        raise RuntimeError("argument #2 'target' is out of range")
    return nodes.multilabel_margin_loss(input, target, reduction)


def multilabel_soft_margin_loss(input: Any, target: Any, weight: Any = None,
                                size_average: bool | None = None, reduce: bool | None = None,
                                reduction: str = "mean") -> Any:
    """The mean over classes of the binary cross entropies of each."""
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not valid")
    reduction = reduction_of(size_average, reduce, reduction)
    loss = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    if weight is not None:
        loss = loss * weight
    return reduced(loss.sum(dim=input.dim() - 1) / input.size(input.dim() - 1), reduction)


def hinge_embedding_loss(input: Any, target: Any, margin: float = 1.0,
                         size_average: bool | None = None, reduce: bool | None = None,
                         reduction: str = "mean") -> Any:
    """``input`` for targets 1, ``max(0, margin - input)`` for targets -1."""
    reduction = reduction_of(size_average, reduce, reduction)
    zeros = torch.zeros_like(input)
    away = torch.where(target != 1, (margin - input).clamp_min(0), zeros)
    return reduced(away + torch.where(target != -1, input, zeros), reduction)


def margin_ranking_loss(input1: Any, input2: Any, target: Any, margin: float = 0.0,
                        size_average: bool | None = None, reduce: bool | None = None,
                        reduction: str = "mean") -> Any:
    """``max(0, -target * (input1 - input2) + margin)``."""
    reduction = reduction_of(size_average, reduce, reduction)
    refuse(not input1.dim() == input2.dim() == target.dim(), "margin_ranking_loss : All input "
           "tensors should have same dimension but got sizes: input1: {}, input2: {}, target: {} ",
           input1.size(), input2.size(), target.size())
    return reduced((-target * (input1 - input2) + margin).clamp_min(0), reduction)


def cosine_embedding_loss(input1: Any, input2: Any, target: Any, margin: float = 0.0,
                          size_average: bool | None = None, reduce: bool | None = None,
                          reduction: str = "mean") -> Any:
    """``1 - cos`` for targets 1, ``max(0, cos - margin)`` for targets -1."""
    reduction = reduction_of(size_average, reduce, reduction)
    tiny = 1e-12
    dim = target.dim()
    if dim == 1 and (input1.dim() != 2 or input2.dim() != 2):
        raise RuntimeError("1D target tensor expects 2D input tensors, but found inputs with sizes "
                           f"{list(input1.shape)} and {list(input2.shape)}.")
    if dim == 0 and (input1.dim() != 1 or input2.dim() != 1):
        raise RuntimeError("0D target tensor expects 1D input tensors, but found inputs with sizes "
                           f"{list(input1.shape)} and {list(input2.shape)}.")
    refuse(dim > 1, "0D or 1D target tensor expected, multi-target not supported")
    dots = (input1 * input2).sum(dim)
    squares = ((input1 * input1).sum(dim) + tiny) * ((input2 * input2).sum(dim) + tiny)
    cos = dots / squares.sqrt()
    zeros = torch.zeros_like(cos)
    near = torch.where(target == 1, 1 - cos, zeros)
    far = torch.where(target == -1, (cos - margin).clamp_min(0), zeros)
    return reduced(near + far, reduction)


def triplet_margin_loss(anchor: Any, positive: Any, negative: Any, margin: float = 1.0,
                        p: float = 2.0, eps: float = 1e-6, swap: bool = False,
                        size_average: bool | None = None, reduce: bool | None = None,
                        reduction: str = "mean") -> Any:
    """``max(0, margin + d(anchor, positive) - d(anchor, negative))``."""
    reduction = reduction_of(size_average, reduce, reduction)
    return triplet_margin_with_distance_loss(anchor, positive, negative, margin=margin, swap=swap,
                                             reduction=reduction, distance_function=lambda a,
                                             b: pairwise_distance(a, b, p, eps))


def triplet_margin_with_distance_loss(anchor: Any, positive: Any, negative: Any, *,
                                      distance_function: Callable[[Any, Any], Any] | None = None,
                                      margin: float = 1.0, swap: bool = False,
                                      reduction: str = "mean") -> Any:
    """:func:`triplet_margin_loss` with a distance of one's own."""
    reduction = reduction_of(None, None, reduction)
    refuse(margin <= 0, "margin must be greater than 0, got {}", margin, kind=ValueError)
    if not anchor.dim() == positive.dim() == negative.dim():
        raise RuntimeError("The anchor, positive, and negative tensors are expected to have the "
                           f"same number of dimensions, but got: anchor {anchor.dim()}D, positive "
                           f"{positive.dim()}D, and negative {negative.dim()}D inputs")
    distance = distance_function or pairwise_distance
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = torch.minimum(far, distance(positive, negative))
    return reduced((margin + near - far).clamp_min(0), reduction)
