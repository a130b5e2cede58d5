"""Losses between predictions and targets."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

from ... import basis as torch
from ...nodes import named
from ...ops.arguments import not_implemented
from . import nodes
from .activation import logsigmoid
from .distance import pairwise_distance

SIZES_DIFFER = (
    "Using a target size ({}) that is different to the input size ({}). This will likely lead to "
    "incorrect results due to broadcasting. Please ensure they have the same size."
)


def _mode(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    """The reduction, from the old pair of flags if either is given."""
    if size_average is not None or reduce is not None:
        average = True if size_average is None else size_average
        if reduce is False:
            reduction = "none"
        else:
            reduction = "mean" if average else "sum"
        warnings.warn(
            "size_average and reduce args will be deprecated, please use "
            f"reduction='{reduction}' instead.",
            stacklevel=4,
        )
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return reduction


def _reduced(loss: Any, reduction: str) -> Any:
    if reduction == "mean":
        return loss.mean()
    return loss.sum() if reduction == "sum" else loss


def _broadcast(input: Any, target: Any) -> tuple[Any, Any]:
    if target.size() != input.size():
        warnings.warn(SIZES_DIFFER.format(target.size(), input.size()), stacklevel=3)
        input, target = torch.broadcast_tensors(input, target)
    if input.dtype != target.dtype:
        common = torch.promote_types(input.dtype, target.dtype)
        input, target = input.to(common), target.to(common)
    return input, target


def _weighted_mean(loss: Any, weight: Any, input: Any, reduction: str) -> Any:
    if weight.size() != input.size():
        raise ValueError("Weights and input must have the same size.")
    loss = loss * weight
    if reduction == "mean":
        return torch.sum(loss) / torch.sum(weight)
    return _reduced(loss, reduction)


def mse_loss(
    input: Any, target: Any, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", weight: Any = None,
) -> Any:
    """The squared error."""
    reduction = _mode(size_average, reduce, reduction)
    input, target = _broadcast(input, target)
    if weight is not None:
        return _weighted_mean(torch.pow(input - target, 2), weight, input, reduction)
    if not input.is_floating_point():
        raise not_implemented("mse_cpu", input.dtype)
    return nodes.mse_loss(input, target, reduction)


def l1_loss(
    input: Any, target: Any, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", weight: Any = None,
) -> Any:
    """The absolute error."""
    reduction = _mode(size_average, reduce, reduction)
    input, target = _broadcast(input, target)
    loss = (input - target).abs()
    if weight is not None:
        return _weighted_mean(loss, weight, input, reduction)
    return _reduced(loss, reduction)


def smooth_l1_loss(
    input: Any, target: Any, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", beta: float = 1.0,
) -> Any:
    """Quadratic for errors below ``beta``, linear above."""
    reduction = _mode(size_average, reduce, reduction)
    input, target = _broadcast(input, target)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    if beta == 0.0:
        return _reduced((input - target).abs(), reduction)
    return nodes.smooth_l1_loss(input, target, reduction, beta)


def huber_loss(
    input: Any, target: Any, reduction: str = "mean", delta: float = 1.0, weight: Any = None
) -> Any:
    """Quadratic for errors up to ``delta``, linear above with slope ``delta``."""
    reduction = _mode(None, None, reduction)
    kind = input.dtype
    input, target = _broadcast(input, target)
    input, target = input.to(kind), target.to(kind)
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    if weight is not None:
        return _weighted_mean(
            nodes.huber_loss(input, target, "none", delta), weight, input, reduction
        )
    return nodes.huber_loss(input, target, reduction, delta)


def binary_cross_entropy(
    input: Any, target: Any, weight: Any = None, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Any:
    """``-(target * log(input) + (1 - target) * log(1 - input))`` for probabilities."""
    reduction = _mode(size_average, reduce, reduction)
    if target.size() != input.size():
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size "
            f"({input.size()}) is deprecated. Please ensure they have the same size."
        )
    if input.dtype != target.dtype:
        found, expected = target.type()[6:-6], input.type()[6:-6]
        raise RuntimeError(f"Found dtype {found} but expected {expected}")
    with torch.no_grad():
        if not torch.logical_and(input >= 0, input <= 1).all():
            raise RuntimeError("all elements of input should be between 0 and 1")
    if weight is not None:
        weight = weight.expand(torch.broadcast_shapes(weight.size(), target.size()))
    return nodes.binary_cross_entropy(input, target, weight, reduction)


def binary_cross_entropy_with_logits(
    input: Any, target: Any, weight: Any = None, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean", pos_weight: Any = None,
) -> Any:
    """:func:`binary_cross_entropy` of ``sigmoid(input)``, without overflow."""
    reduction = _mode(size_average, reduce, reduction)
    if target.size() != input.size():
        raise ValueError(
            f"Target size ({target.size()}) must be the same as input size ({input.size()})"
        )
    if not target.is_floating_point():
        kinds = [t.type().removeprefix("torch.").removesuffix("Tensor") for t in (input, target)]
        raise RuntimeError(
            f"result type {kinds[0]} can't be cast to the desired output type {kinds[1]}"
        )
    return nodes.binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction)


def _checked_classes(input: Any, target: Any, ignore_index: int) -> None:
    classes = input.size(1 if input.dim() > 1 else 0)
    labels = torch.raw(target)
    bad = (labels != ignore_index) & ((labels < 0) | (labels >= classes))
    if bad.any():
        raise IndexError(f"Target {labels[bad].ravel()[0]} is out of bounds.")


def nll_loss(
    input: Any, target: Any, weight: Any = None, size_average: bool | None = None,
    ignore_index: int = -100, reduce: bool | None = None, reduction: str = "mean",
) -> Any:
    """Minus the log-probability of the target class: ``(C,)``, ``(N, C)`` or
    ``(N, C, d1, ...)``."""
    reduction = _mode(size_average, reduce, reduction)
    if input.dim() < 1:
        raise ValueError(f"Expected 1 or more dimensions (got {input.dim()})")
    if input.dim() != 1 and input.size(0) != target.size(0):
        raise ValueError(
            f"Expected input batch_size ({input.size(0)}) to match target batch_size "
            f"({target.size(0)})."
        )
    if target.dtype not in (torch.int64, torch.uint8):
        kind = target.type().removeprefix("torch.").removesuffix("Tensor")
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {kind}")
    if input.dim() == 1 and target.numel() != 1:
        raise ValueError(
            "For 1D input, 1D target must have size 1, but got target size: "
            f"{target.numel()}"
        )
    classes = input.size(0 if input.dim() < 2 else 1)
    if weight is not None and tuple(weight.shape) != (classes,):
        raise RuntimeError(
            f"weight tensor should be defined either for all {classes} classes or no "
            f"classes but got weight tensor of shape: {list(weight.shape)}"
        )
    if input.dim() == 2 and target.dim() > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    _checked_classes(input, target, ignore_index)
    if input.dim() <= 2:
        return nodes.nll_loss(input, target, weight, reduction, ignore_index)
    if input.size()[2:] != target.size()[1:]:
        raise RuntimeError(
            f"Expected target size {[input.size(0), *input.size()[2:]]}, "
            f"got {list(target.size())}"
        )
    if input.dim() == 4:
        return nodes.nll_loss2d(input, target, weight, reduction, ignore_index)
    n, c = input.size(0), input.size(1)
    flat = nodes.nll_loss2d(
        input.reshape(n, c, 1, -1), target.reshape(n, 1, -1), weight, reduction, ignore_index
    )
    return flat.view(target.size()) if reduction == "none" else flat


def cross_entropy(
    input: Any, target: Any, weight: Any = None, size_average: bool | None = None,
    ignore_index: int = -100, reduce: bool | None = None, reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    """The cross entropy of ``softmax(input)`` against class numbers or class probabilities."""
    reduction = _mode(size_average, reduce, reduction)
    if not 0.0 <= label_smoothing <= 1.0:
        raise RuntimeError(
            f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}"
        )
    dim = 0 if input.dim() == 1 else 1
    log_p = torch.log_softmax(input, dim)
    if target.size() == input.size() and target.is_floating_point():
        return _against_probabilities(log_p, target, weight, reduction, label_smoothing, dim)
    nll = nll_loss(log_p, target, weight, ignore_index=ignore_index, reduction=reduction)
    if label_smoothing == 0.0:
        return nll
    smooth = _smoothing_term(log_p, target, weight, ignore_index, reduction, dim)
    return (1 - label_smoothing) * nll + smooth * (label_smoothing / input.size(dim))


def _channel_weight(weight: Any, input: Any, dim: int) -> Any:
    shape = [1] * input.dim()
    shape[dim] = weight.size(0)
    return weight.view(shape)


def _against_probabilities(
    log_p: Any, target: Any, weight: Any, reduction: str, smoothing: float, dim: int
) -> Any:
    classes = log_p.size(dim)
    if smoothing > 0.0:
        target = target * (1 - smoothing) + smoothing / classes
    loss = log_p * target
    if weight is not None:
        loss = loss * _channel_weight(weight, log_p, dim)
    if reduction == "mean":
        return named(-(loss.sum()) / (log_p.numel() / classes), "DivBackward1")
    return -(loss.sum()) if reduction == "sum" else -(loss.sum(dim))


def _smoothing_term(
    log_p: Any, target: Any, weight: Any, ignore_index: int, reduction: str, dim: int
) -> Any:
    weighted = log_p if weight is None else log_p * _channel_weight(weight, log_p, dim)
    loss = -weighted.sum(dim)
    ignored = target == ignore_index
    loss = loss.masked_fill(ignored, 0.0)
    if reduction != "mean":
        return _reduced(loss, reduction)
    if weight is None:
        return loss.sum() / (~ignored).sum()
    kept = weight[target.masked_fill(ignored, 0)].masked_fill(ignored, 0.0)
    return loss.sum() / kept.sum()


def kl_div(
    input: Any, target: Any, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", log_target: bool = False,
) -> Any:
    """``target * (log(target) - input)``: the divergence from log-probabilities ``input``."""
    if reduction == "batchmean":
        total = kl_div(input, target, reduction="sum", log_target=log_target)
        return total / input.size()[0] if input.dim() != 0 else total
    if reduction == "mean":
        warnings.warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size."
            "'batchmean' divides only by the batch size, and aligns with the KL div math "
            "definition.'mean' will be changed to behave the same as 'batchmean' in the next "
            "major release.",
            stacklevel=2,
        )
    reduction = _mode(size_average, reduce, reduction)
    if not (input.is_floating_point() and target.is_floating_point()):
        raise RuntimeError("kl_div: Integral inputs not supported.")
    if log_target:
        loss = target.exp() * (target - input)
    else:
        loss = torch.xlogy(target, target) - target * input
    return _reduced(loss, reduction)


def poisson_nll_loss(
    input: Any, target: Any, log_input: bool = True, full: bool = False,
    size_average: bool | None = None, eps: float = 1e-8, reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """The Poisson likelihood of ``target`` with (logarithm of the) rate ``input``."""
    reduction = _mode(size_average, reduce, reduction)
    if log_input:
        loss = torch.exp(input) - target * input
    else:
        loss = input - target * torch.log(input + eps)
    if full:
        stirling = target * torch.log(target) - target + 0.5 * torch.log(2 * math.pi * target)
        loss = loss + stirling.masked_fill(target <= 1, 0)
    return _reduced(loss, reduction)


def gaussian_nll_loss(
    input: Any, target: Any, var: Any, full: bool = False, eps: float = 1e-6,
    reduction: str = "mean",
) -> Any:
    """The Gaussian likelihood of ``target`` with mean ``input`` and variance ``var``."""
    if not isinstance(var, torch.Tensor):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = torch.full_like(input, var)
    elif torch.lt(var, 0).any():
        raise ValueError("var has negative entry/entries")
    if var.size() != input.size():
        if input.size()[:-1] == var.size():
            var = torch.unsqueeze(var, -1)
        elif not (
            input.dim() == var.dim()
            and sum(a != b for a, b in zip(input.size(), var.size())) == 1
            and 1 in var.size()
        ):
            raise ValueError("var is of incorrect size")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not valid")
    var = var.clone()
    with torch.no_grad():
        var.clamp_(min=eps)
    loss = 0.5 * (torch.log(var) + (input - target) ** 2 / var)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return _reduced(loss, reduction)


def soft_margin_loss(
    input: Any, target: Any, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """``log(1 + exp(-target * input))`` for targets 1 and -1."""
    reduction = _mode(size_average, reduce, reduction)
    torch.broadcast_shapes(input.shape, target.shape)
    return nodes.soft_margin_loss(input, target.to(input.dtype), reduction)


def multi_margin_loss(
    input: Any, target: Any, p: int = 1, margin: float = 1.0, weight: Any = None,
    size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
) -> Any:
    """Hinge between the target class and every other class."""
    reduction = _mode(size_average, reduce, reduction)
    if p != 1 and p != 2:
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.dim() != 1:
        raise ValueError("weight must be one-dimensional")
    if input.dim() == 0:
        input = input.reshape(1)
    _check_margins(input, target, weight)
    if input.dim() == 1 and target.dim() == 1:
        target = target.reshape(())
    return nodes.multi_margin_loss(input, target, p, margin, weight, reduction)


def _nonempty_rows(input: Any) -> None:
    if input.dim() > 2 or 0 in input.shape[-1:]:
        raise RuntimeError("Expected non-empty vector or matrix with optional 0-dim batch size, "
                           f"but got: {list(input.shape)}")


def _check_margins(input: Any, target: Any, weight: Any) -> None:
    _nonempty_rows(input)
    rows, classes = input.shape[0] if input.dim() == 2 else 1, input.shape[-1]
    if target.dim() > 1 or target.numel() != rows:
        raise RuntimeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input "
            f"samples (batch size). Expected target size [{rows}], but got {list(target.shape)}. "
            f"Input has shape {list(input.shape)}.")
    if weight is not None and weight.numel() != classes:
        raise RuntimeError(
            f"inconsistent weight size, expected {classes} but got {list(weight.shape)}")
    if target.dtype is not torch.int64:
        kind = target.type().removeprefix("torch.").removesuffix("Tensor")
        raise RuntimeError(f"expected scalar type Long but found {kind}")


def multilabel_margin_loss(
    input: Any, target: Any, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """Hinge between each target class and each class that is not one; targets end at -1."""
    reduction = _mode(size_average, reduce, reduction)
    if input.dim() == 0:
        input, target = input.reshape(1), target.reshape(1)
    _nonempty_rows(input)
    if target.shape != input.shape:
        raise RuntimeError(f"inconsistent target size: {list(target.shape)} for input of size: "
                           f"{list(input.shape)}")
    if target.dtype is not torch.int64:
        kind = target.type().removeprefix("torch.").removesuffix("Tensor")
        raise RuntimeError(f"expected scalar type Long but found {kind}")
    return nodes.multilabel_margin_loss(input, target, reduction)


def multilabel_soft_margin_loss(
    input: Any, target: Any, weight: Any = None, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Any:
    """The mean over classes of the binary cross entropies of each."""
    reduction = _mode(size_average, reduce, reduction)
    loss = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    if weight is not None:
        loss = loss * weight
    return _reduced(loss.sum(dim=input.dim() - 1) / input.size(input.dim() - 1), reduction)


def hinge_embedding_loss(
    input: Any, target: Any, margin: float = 1.0, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Any:
    """``input`` for targets 1, ``max(0, margin - input)`` for targets -1."""
    reduction = _mode(size_average, reduce, reduction)
    zeros = torch.zeros_like(input)
    away = torch.where(target != 1, (margin - input).clamp_min(0), zeros)
    return _reduced(away + torch.where(target != -1, input, zeros), reduction)


def margin_ranking_loss(
    input1: Any, input2: Any, target: Any, margin: float = 0, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Any:
    """``max(0, -target * (input1 - input2) + margin)``."""
    reduction = _mode(size_average, reduce, reduction)
    if not input1.dim() == input2.dim() == target.dim():
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {input1.size()}, input2: {input2.size()}, target: {target.size()} "
        )
    return _reduced((-target * (input1 - input2) + margin).clamp_min(0), reduction)


def cosine_embedding_loss(
    input1: Any, input2: Any, target: Any, margin: float = 0, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Any:
    """``1 - cos`` for targets 1, ``max(0, cos - margin)`` for targets -1."""
    reduction = _mode(size_average, reduce, reduction)
    tiny = 1e-12
    dim = target.dim()
    if dim == 1 and (input1.dim() != 2 or input2.dim() != 2):
        raise RuntimeError(
            "1D target tensor expects 2D input tensors, but found inputs with sizes "
            f"{list(input1.shape)} and {list(input2.shape)}.")
    dots = (input1 * input2).sum(dim)
    squares = ((input1 * input1).sum(dim) + tiny) * ((input2 * input2).sum(dim) + tiny)
    cos = dots / squares.sqrt()
    zeros = torch.zeros_like(cos)
    near = torch.where(target == 1, 1 - cos, zeros)
    far = torch.where(target == -1, (cos - margin).clamp_min(0), zeros)
    return _reduced(near + far, reduction)


def triplet_margin_loss(
    anchor: Any, positive: Any, negative: Any, margin: float = 1.0, p: float = 2,
    eps: float = 1e-6, swap: bool = False, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Any:
    """``max(0, margin + d(anchor, positive) - d(anchor, negative))``."""
    reduction = _mode(size_average, reduce, reduction)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    return triplet_margin_with_distance_loss(
        anchor, positive, negative, margin=margin, swap=swap, reduction=reduction,
        distance_function=lambda a, b: pairwise_distance(a, b, p, eps),
    )


def triplet_margin_with_distance_loss(
    anchor: Any, positive: Any, negative: Any, *,
    distance_function: Callable[[Any, Any], Any] | None = None, margin: float = 1.0,
    swap: bool = False, reduction: str = "mean",
) -> Any:
    """:func:`triplet_margin_loss` with a distance of one's own."""
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    if not anchor.dim() == positive.dim() == negative.dim():
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of "
            f"dimensions, but got: anchor {anchor.dim()}D, positive {positive.dim()}D, and "
            f"negative {negative.dim()}D inputs"
        )
    distance = distance_function or pairwise_distance
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = torch.minimum(far, distance(positive, negative))
    return _reduced((margin + near - far).clamp_min(0), reduction)
