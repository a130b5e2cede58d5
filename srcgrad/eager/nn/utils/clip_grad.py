"""Clipping of gradients by norm and by value."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from typing import Any

from ... import basis as torch
from ...calling_errors import refuse


def _tensors(parameters: Any) -> list[Any]:
    return [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)


def _gradients(parameters: Any) -> list[Any]:
    return [p.grad for p in _tensors(parameters) if p.grad is not None]


def get_total_norm(tensors: Any, norm_type: float = 2.0, error_if_nonfinite: bool = False,
                   foreach: bool | None = None) -> Any:
    """The norm of all tensors together, as if they were one vector."""
    given = _tensors(tensors)
    norm_type = float(norm_type)
    if not given:
        return torch.tensor(0.0)
    norms = [torch.linalg.vector_norm(t, norm_type) for t in given]
    total = torch.linalg.vector_norm(torch.stack(norms), norm_type)
    refuse(error_if_nonfinite and not math.isfinite(total.item()), "The total norm of order {} for "
           "gradients from `parameters` is non-finite, so it cannot be clipped. To disable this "
           "error and scale the gradients by the non-finite norm anyway, set "
           "`error_if_nonfinite=False`", norm_type)
    return total


def clip_grads_with_norm_(parameters: Any, max_norm: float, total_norm: Any,
                          foreach: bool | None = None) -> None:
    """Scale gradients in place by ``max_norm / total_norm`` if that is below 1."""
    factor = torch.clamp(float(max_norm) / (total_norm + 1e-6), max=1.0)
    with torch.no_grad():
        for grad in _gradients(parameters):
            grad.mul_(factor)


def clip_grad_norm_(parameters: Any, max_norm: float, norm_type: float = 2.0,
                    error_if_nonfinite: bool = False, foreach: bool | None = None) -> Any:
    """Scale gradients in place so that their total norm is at most ``max_norm``; returns the
    norm before."""
    if isinstance(parameters, Iterator):
        parameters = list(parameters)
        if not parameters:
            warnings.warn("`parameters` is an empty generator, no gradient clipping will occur.",
                          stacklevel=3)
    given = _tensors(parameters)
    with torch.no_grad():
        total = get_total_norm(_gradients(given), norm_type, error_if_nonfinite)
    clip_grads_with_norm_(given, max_norm, total)
    return total


def clip_grad_value_(parameters: Any, clip_value: float, foreach: bool | None = None) -> None:
    """Clip every element of the gradients to ``[-clip_value, clip_value]`` in place."""
    clip_value = float(clip_value)
    with torch.no_grad():
        for grad in _gradients(parameters):
            grad.clamp_(min=-clip_value, max=clip_value)
