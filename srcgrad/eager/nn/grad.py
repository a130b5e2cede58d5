"""`torch.nn.grad`: the gradients of convolutions as functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import basis as torch
from . import functional as F


def _of(convolve: Callable[..., Any], argument: int, name: str) -> Callable[..., Any]:
    """``convolve`` is linear in each argument, so that the other's value is enough."""

    def gradient(first: Any, second: Any, grad_output: Any, stride: Any = 1, padding: Any = 0,
                 dilation: Any = 1, groups: int = 1) -> Any:
        given = (first, second)[1 - argument]
        tracked = torch.is_grad_enabled() and (given.requires_grad or grad_output.requires_grad)
        with torch.enable_grad():
            size = (first, second)[argument]
            wanted = torch.zeros(tuple(size), dtype=given.dtype).requires_grad_()
            pair = (wanted, given) if argument == 0 else (given, wanted)
            output = convolve(*pair, None, stride, padding, dilation, groups)
            result, = torch.autograd.grad(output, wanted, grad_output, create_graph=tracked)
        return result

    gradient.__name__ = gradient.__qualname__ = name
    return gradient


conv1d_input = _of(F.conv1d, 0, "conv1d_input")
conv1d_weight = _of(F.conv1d, 1, "conv1d_weight")
conv2d_input = _of(F.conv2d, 0, "conv2d_input")
conv2d_weight = _of(F.conv2d, 1, "conv2d_weight")
conv3d_input = _of(F.conv3d, 0, "conv3d_input")
conv3d_weight = _of(F.conv3d, 1, "conv3d_weight")
