"""Connectionist temporal classification (Graves et al. 2006): `ctc_loss`."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ... import basis as torch
from ...nodes import named
from ...ops.arguments import refuse_kinds
from ...overloads import combination_error

_CHECKING = "(while checking arguments for ctc_loss_allocate_outputs)"


def _lengths(name: str, lengths: Any, count: int) -> list[int]:
    if isinstance(lengths, torch.Tensor) and lengths.is_floating_point():
        raise RuntimeError(f"{name} must be integral")
    values = lengths.tolist() if isinstance(lengths, torch.Tensor) else list(lengths)
    if len(values) != count:
        raise RuntimeError(f"{name} must be of size batch_size")
    for n in values:
        if n < 0:
            raise RuntimeError(
                f"Expected {name} to have value at least 0, but got value {n} {_CHECKING}")
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
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    single = log_probs.dim() == 2
    scores = log_probs.unsqueeze(1) if single else log_probs
    refuse_kinds("biuc", "ctc_loss_cpu", log_probs._dt)
    steps, batch, classes = (int(n) for n in scores.shape)
    if not log_probs.numel():
        raise RuntimeError("log_probs tensor must not be empty")
    if not 0 <= blank < classes:
        raise RuntimeError("blank must be in label range")
    if single and isinstance(targets, torch.Tensor):
        targets = targets.reshape(1, -1)
    if isinstance(input_lengths, torch.Tensor):
        input_lengths = input_lengths.reshape(-1)
    if isinstance(target_lengths, torch.Tensor):
        target_lengths = target_lengths.reshape(-1)
    times = _lengths("input_lengths", input_lengths, batch)
    sizes = _lengths("target_lengths", target_lengths, batch)
    for n in times:
        if n > steps:
            raise RuntimeError(f"Expected input_lengths to have value at most {steps}, but got "
                               f"value {n} {_CHECKING}")
    losses = []
    for i, labels in enumerate(_rows(targets, sizes)):
        losses.append(_one(scores[:, i], labels, times[i], blank))
    loss = named(torch.stack(losses), "CtcLossBackward0")
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
