"""Losses between predictions and targets."""

from __future__ import annotations

import itertools
import math
import warnings
from typing import Any

import numpy as np

from ... import basis as torch
from ...calling_errors import bad_argument, refuse
from ...nodes import named
from ...ops.arguments import refuse_kinds, unexpected_type
from ...overloads import combination_error
from ...promotion import check_broadcast
from . import nodes

SIZES_DIFFER = (
    "Using a target size ({}) that is different to the input size ({}). This will likely lead to "
    "incorrect results due to broadcasting. Please ensure they have the same size."
)


def reduction_of(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    """The reduction, from the old pair of flags if either is given."""
    if size_average is not None or reduce is not None:
        average = True if size_average is None else size_average
        if reduce is False:
            reduction = "none"
        else:
            reduction = "mean" if average else "sum"
        warnings.warn("size_average and reduce args will be deprecated, please use "
                      f"reduction='{reduction}' instead.", stacklevel=4)
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return reduction


def reduced(loss: Any, reduction: str) -> Any:
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
    return reduced(loss, reduction)


def mse_loss(input: Any, target: Any, size_average: bool | None = None, reduce: bool | None = None,
             reduction: str = "mean", weight: Any = None) -> Any:
    """The squared error."""
    reduction = reduction_of(size_average, reduce, reduction)
    input, target = _broadcast(input, target)
    if weight is not None:
        return _weighted_mean(torch.pow(input - target, 2), weight, input, reduction)
    refuse_kinds("biuc", "mse_cpu", input._dt)
    return nodes.mse_loss(input, target, reduction)


def l1_loss(input: Any, target: Any, size_average: bool | None = None, reduce: bool | None = None,
            reduction: str = "mean", weight: Any = None) -> Any:
    """The absolute error."""
    reduction = reduction_of(size_average, reduce, reduction)
    input, target = _broadcast(input, target)
    loss = (input - target).abs()
    if weight is not None:
        return _weighted_mean(loss, weight, input, reduction)
    return reduced(loss, reduction)


def smooth_l1_loss(input: Any, target: Any, size_average: bool | None = None,
                   reduce: bool | None = None, reduction: str = "mean", beta: float = 1.0) -> Any:
    """Quadratic for errors below ``beta``, linear above."""
    reduction = reduction_of(size_average, reduce, reduction)
    input, target = _broadcast(input, target)
    refuse(beta < 0, "smooth_l1_loss does not support negative values for beta.")
    if beta == 0.0:
        return reduced((input - target).abs(), reduction)
    return nodes.smooth_l1_loss(input, target, reduction, beta)


def huber_loss(input: Any, target: Any, reduction: str = "mean", delta: float = 1.0,
               weight: Any = None) -> Any:
    """Quadratic for errors up to ``delta``, linear above with slope ``delta``."""
    reduction = reduction_of(None, None, reduction)
    kind = input.dtype
    input, target = _broadcast(input, target)
    input, target = input.to(kind), target.to(kind)
    refuse(delta <= 0, "huber_loss does not support non-positive values for delta.")
    if weight is not None:
        return _weighted_mean(nodes.huber_loss(input, target, "none", delta), weight, input,
                              reduction)
    return nodes.huber_loss(input, target, reduction, delta)


def binary_cross_entropy(input: Any, target: Any, weight: Any = None,
                         size_average: bool | None = None, reduce: bool | None = None,
                         reduction: str = "mean") -> Any:
    """``-(target * log(input) + (1 - target) * log(1 - input))`` for probabilities."""
    reduction = reduction_of(size_average, reduce, reduction)
    refuse(target.size() != input.size(), "Using a target size ({}) that is different to the input "
           "size ({}) is deprecated. Please ensure they have the same size.",
           target.size(), input.size(), kind=ValueError)
    if input.dtype != target.dtype:
        found, expected = target.dtype.tensor_name, input.dtype.tensor_name
        raise RuntimeError(f"Found dtype {found} but expected {expected}")
    with torch.no_grad():
        if not torch.logical_and(input >= 0, input <= 1).all():
            raise RuntimeError("all elements of input should be between 0 and 1")
        if not torch.logical_and(target >= 0, target <= 1).all():
            raise RuntimeError("all elements of target should be between 0 and 1")
    if weight is not None:
        weight = weight.expand(torch.broadcast_shapes(target.size(), weight.size()))
    return nodes.binary_cross_entropy(input, target, weight, reduction)


def binary_cross_entropy_with_logits(input: Any, target: Any, weight: Any = None,
                                     size_average: bool | None = None, reduce: bool | None = None,
                                     reduction: str = "mean", pos_weight: Any = None) -> Any:
    """:func:`binary_cross_entropy` of ``sigmoid(input)``, without overflow."""
    reduction = reduction_of(size_average, reduce, reduction)
    refuse(target.size() != input.size(), "Target size ({}) must be the same as input size ({})",
           target.size(), input.size(), kind=ValueError)
    nodes.binary_cross_entropy_with_logits.check(input)
    if not target.is_floating_point():
        kinds = [t.dtype.tensor_name for t in (input, target)]
        raise RuntimeError(f"result type {kinds[0]} can't be cast to the desired output type "
                           f"{kinds[1]}")
    check_broadcast(pos_weight, target)
    check_broadcast(target, weight)
    return nodes.binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction)


def nll_loss(input: Any, target: Any, weight: Any = None, size_average: bool | None = None,
             ignore_index: int = -100, reduce: bool | None = None, reduction: str = "mean") -> Any:
    """Minus the log-probability of the target class: ``(C,)``, ``(N, C)`` or
    ``(N, C, d1, ...)``."""
    reduction = reduction_of(size_average, reduce, reduction)
    if not isinstance(input, torch.Tensor):
        raise bad_argument("nll_loss_nd", "input", 1, "Tensor", input)
    refuse(input.dim() < 1, "Expected 1 or more dimensions (got {})", input.dim(), kind=ValueError)
    if input.dim() != 1 and input.size(0) != target.size(0):
        raise ValueError(f"Expected input batch_size ({input.size(0)}) to match target batch_size "
                         f"({target.size(0)}).")
    if input.dim() == 2 and target.dim() > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    refuse(target.dtype not in (torch.int64, torch.uint8), "expected target dtype to be Long or "
           "Byte, but got {}", target.dtype.tensor_name)
    refuse(input.dim() == 1 and target.numel() != 1, "For 1D input, 1D target must have size 1, "
           "but got target size: {}", target.numel(), kind=ValueError)
    classes = input.size(0 if input.dim() < 2 else 1)
    if weight is not None and tuple(weight.shape) != (classes,):
        raise RuntimeError(f"weight tensor should be defined either for all {classes} classes or "
                           f"no classes but got weight tensor of shape: {list(weight.shape)}")
    if weight is not None and weight.dtype is not input.dtype:
        raise unexpected_type(input.dtype, weight.dtype)
    labels = torch.raw(target)
    bad = (labels != ignore_index) & ((labels < 0) | (labels >= classes))
    if bad.any():
        raise IndexError(f"Target {labels[bad].ravel()[0]} is out of bounds.")
    if input.dim() <= 2:
        return nodes.nll_loss(input, target, weight, reduction, ignore_index)
    refuse(input.dim() == 4 and target.dim() != 3, "only batches of spatial targets supported (3D "
           "tensors) but got targets of dimension: {}", target.dim())
    refuse(input.dim() == 4 and input.size()[2:] != target.size()[1:], "size mismatch (got input: "
           "{} , target: {}", list(input.size()), list(target.size()))
    if input.size()[2:] != target.size()[1:]:
        raise RuntimeError(f"Expected target size {[input.size(0), *input.size()[2:]]}, got "
                           f"{list(target.size())}")
    if input.dim() == 4:
        return nodes.nll_loss2d(input, target, weight, reduction, ignore_index)
    n, c = input.size(0), input.size(1)
    spots = math.prod(target.size()[1:])
    flat = nodes.nll_loss2d(input.reshape(n, c, 1, spots), target.reshape(n, 1, spots), weight,
                            reduction, ignore_index)
    return flat.view(target.size()) if reduction == "none" else flat


def cross_entropy(input: Any, target: Any, weight: Any = None, size_average: bool | None = None,
                  ignore_index: int = -100, reduce: bool | None = None, reduction: str = "mean",
                  label_smoothing: float = 0.0) -> Any:
    """The cross entropy of ``softmax(input)`` against class numbers or class probabilities."""
    reduction = reduction_of(size_average, reduce, reduction)
    if not 0.0 <= label_smoothing <= 1.0:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    dim = 0 if input.dim() == 1 else 1
    if input.dim() == 0:
        raise IndexError("Dimension specified as 1 but tensor has no dimensions")
    by_probability = target.size() == input.size()
    if by_probability and not target.is_floating_point():
        raise RuntimeError("Expected floating point type for target with class probabilities, got "
                           + target.dtype.tensor_name)
    if by_probability and ignore_index >= 0:
        raise RuntimeError("ignore_index is not supported for floating point target")
    log_p = torch.log_softmax(input, dim)
    if by_probability:
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


def _against_probabilities(log_p: Any, target: Any, weight: Any, reduction: str, smoothing: float,
                           dim: int) -> Any:
    classes = log_p.size(dim)
    if weight is not None and tuple(weight.shape) != (classes,):
        raise RuntimeError(
            f"cross_entropy: weight tensor should be defined either for all {classes} classes or no"
            f" classes but got weight tensor of shape: {list(weight.shape)}")
    if smoothing > 0.0:
        target = target * (1 - smoothing) + smoothing / classes
    loss = log_p * target
    if weight is not None:
        loss = loss * _channel_weight(weight, log_p, dim)
    if reduction == "mean":
        return named(-(loss.sum()) / (log_p.numel() / classes), "DivBackward1")
    return -(loss.sum()) if reduction == "sum" else -(loss.sum(dim))


def _smoothing_term(log_p: Any, target: Any, weight: Any, ignore_index: int, reduction: str,
                    dim: int) -> Any:
    weighted = log_p if weight is None else log_p * _channel_weight(weight, log_p, dim)
    loss = -weighted.sum(dim)
    ignored = target == ignore_index
    loss = loss.masked_fill(ignored, 0.0)
    if reduction != "mean":
        return reduced(loss, reduction)
    if weight is None:
        return loss.sum() / (~ignored).sum()
    kept = weight[target.masked_fill(ignored, 0)].masked_fill(ignored, 0.0)
    return loss.sum() / kept.sum()


def kl_div(input: Any, target: Any, size_average: bool | None = None, reduce: bool | None = None,
           reduction: str = "mean", log_target: bool = False) -> Any:
    """``target * (log(target) - input)``: the divergence from log-probabilities ``input``."""
    if reduction == "batchmean":
        total = kl_div(input, target, reduction="sum", log_target=log_target)
        return total / input.size()[0] if input.dim() != 0 else total
    if reduction == "mean":
        warnings.warn("reduction: 'mean' divides the total loss by both the batch size and the "
                      "support size.'batchmean' divides only by the batch size, and aligns with "
                      "the KL div math definition.'mean' will be changed to behave the same as "
                      "'batchmean' in the next major release.", stacklevel=2)
    reduction = reduction_of(size_average, reduce, reduction)
    if not (input.is_floating_point() and target.is_floating_point()):
        raise RuntimeError("kl_div: Integral inputs not supported.")
    if log_target:
        loss = target.exp() * (target - input)
    else:
        loss = torch.xlogy(target, target) - target * input
    return reduced(loss, reduction)


def poisson_nll_loss(input: Any, target: Any, log_input: bool = True, full: bool = False,
                     size_average: bool | None = None, eps: float = 1e-8,
                     reduce: bool | None = None, reduction: str = "mean") -> Any:
    """The Poisson likelihood of ``target`` with (logarithm of the) rate ``input``."""
    reduction = reduction_of(size_average, reduce, reduction)
    if log_input:
        loss = torch.exp(input) - target * input
    else:
        loss = input - target * torch.log(input + eps)
    if full:
        stirling = target * torch.log(target) - target + 0.5 * torch.log(2 * math.pi * target)
        loss = loss + stirling.masked_fill(target <= 1, 0)
    return reduced(loss, reduction)


def gaussian_nll_loss(input: Any, target: Any, var: Any, full: bool = False, eps: float = 1e-6,
                      reduction: str = "mean") -> Any:
    """The Gaussian likelihood of ``target`` with mean ``input`` and variance ``var``."""
    if not isinstance(var, torch.Tensor):
        refuse(var < 0, "var has negative entry/entries", kind=ValueError)
        var = torch.full_like(input, var)
    elif torch.lt(var, 0).any():
        raise ValueError("var has negative entry/entries")
    if var.size() != input.size():
        if input.size()[:-1] == var.size():
            var = torch.unsqueeze(var, -1)
        elif not (input.dim() == var.dim() and 1 in var.size()
                  and sum(a != b for a, b in zip(input.size(), var.size())) == 1):
            raise ValueError("var is of incorrect size")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not valid")
    var = var.clone()
    with torch.no_grad():
        var.clamp_(min=eps)
    loss = 0.5 * (torch.log(var) + (input - target) ** 2 / var)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return reduced(loss, reduction)


_CHECKING = "(while checking arguments for ctc_loss_allocate_outputs)"


def _lengths(name: str, lengths: Any, count: int) -> list[int]:
    if isinstance(lengths, torch.Tensor) and lengths.is_floating_point():
        raise RuntimeError(f"{name} must be integral")
    values = lengths.reshape(-1).tolist() if isinstance(lengths, torch.Tensor) else list(lengths)
    refuse(len(values) != count, "{} must be of size batch_size", name)
    for n in values:
        refuse(n < 0, "Expected {} to have value at least 0, but got value {} {}",
               name, n, _CHECKING)
    return [int(v) for v in values]


def _rows(targets: Any, sizes: list[int]) -> list[list[int]]:
    """The labels of each sequence, from a padded matrix or a concatenation."""
    a = torch.raw(targets)
    if a.ndim == 2:
        if a.shape[1] < max(sizes):
            raise RuntimeError(
                f"Expected tensor to have size at least {max(sizes)} at dimension 1, but got size "
                f"{a.shape[1]} for argument #2 'targets' {_CHECKING}")
        return [a[i, :n].tolist() for i, n in enumerate(sizes)]
    if a.size != sum(sizes):
        raise RuntimeError(f"Expected tensor to have size {sum(sizes)} at dimension 0, but got "
                           f"size {a.size} for argument #2 'targets' {_CHECKING}")
    ends = np.cumsum([0, *sizes])
    return [a[i:j].tolist() for i, j in itertools.pairwise(ends)]


def ctc_loss(log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: int = 0,
             reduction: str = "mean", zero_infinity: bool = False) -> Any:
    """Minus the log probability of ``targets`` summed over their alignments with the input.

    ``log_probs`` is ``(T, N, C)`` or ``(T, C)``, from a ``log_softmax``: as PyTorch's, the
    gradient is right only when it is pulled back through one.
    """
    if isinstance(input_lengths, torch.Tensor) != isinstance(target_lengths, torch.Tensor):
        raise combination_error("ctc_loss", (
            log_probs, targets, input_lengths, target_lengths, blank, 1, zero_infinity), {},
            False) or TypeError("ctc_loss(): lengths must be tensors or sequences, both")
    reduction = reduction_of(None, None, reduction)
    single = log_probs.dim() == 2
    scores = log_probs.unsqueeze(1) if single else log_probs
    refuse_kinds("biuc", "ctc_loss_cpu", log_probs._dt)
    steps, batch, classes = (int(n) for n in scores.shape)
    refuse(not log_probs.numel(), "log_probs tensor must not be empty")
    refuse(not 0 <= blank < classes, "blank must be in label range")
    if single and isinstance(targets, torch.Tensor):
        targets = targets.reshape(1, -1)
    times = _lengths("input_lengths", input_lengths, batch)
    sizes = _lengths("target_lengths", target_lengths, batch)
    for n in times:
        refuse(n > steps, "Expected input_lengths to have value at most {}, but got value {} {}",
               steps, n, _CHECKING)
    loss = named(torch.stack([_one(scores[:, i], labels, times[i], blank)
                              for i, labels in enumerate(_rows(targets, sizes))]),
                 "CtcLossBackward0")
    if zero_infinity:
        loss = torch.where(torch.from_numpy(np.isinf(torch.raw(loss))), 0.0, loss)
    if reduction == "mean":
        per = torch.tensor(sizes, dtype=loss.dtype).clamp_min(1)
        return (loss / per).mean()
    if reduction == "sum":
        return loss.sum()
    return loss[0] if single else loss


def _one(scores: Any, labels: list[int], steps: int, blank: int) -> Any:
    """The loss of one sequence: the forward recursion over labels with blanks between."""
    extended = np.full(2 * len(labels) + 1, blank)
    extended[1::2] = labels
    if steps == 0:
        nothing = -scores[:0].sum()
        return nothing + np.inf if labels else nothing
    emitted = scores[:steps].index_select(1, torch.from_numpy(extended.astype(np.int64)))
    skips = np.zeros(len(extended), bool)  # where the blank before may be left out
    skips[2:] = (extended[2:] != blank) & (extended[2:] != extended[:-2])
    closed = torch.from_numpy(~skips)
    start = np.full(len(extended), -np.inf, torch.raw(scores).dtype)
    start[:2] = 0
    alpha = emitted[0] + torch.from_numpy(start)
    low = scores.new_full((2,), -np.inf)
    for t in range(1, steps):
        one = torch.cat([low[:1], alpha[:-1]])
        two = torch.cat([low, alpha[:-2]])[: len(extended)].masked_fill(closed, -np.inf)
        alpha = torch.logsumexp(torch.stack([alpha, one, two]), 0) + emitted[t]
    loss = -torch.logsumexp(alpha[-2:], 0)
    # the part of the gradient that a log_softmax removes again
    whole = scores[:steps].exp().sum()
    return loss + (whole - whole.detach())
