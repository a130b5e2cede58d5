"""Normalisation layers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import basis as torch
from ...calling_errors import need_tensor, refuse
from ...ops.arguments import refuse_kinds
from ...tangents import tangent_of
from . import nodes


def _several_values(size: Any) -> None:
    refuse(size[0] * math.prod(size[2:]) == 1, "Expected more than 1 value per channel when "
           "training, got input size {}", size, kind=ValueError)


def _update_running(array: Any, running_mean: Any, running_var: Any, momentum: float) -> None:
    """Move the running statistics towards those of ``array`` (axis 1 the channels)."""
    axes = (0, *range(2, array.ndim))
    count = array.size // array.shape[1]
    for running, batch in (
        (running_mean, array.mean(axis=axes)),
        (running_var, array.var(axis=axes) * (count / (count - 1) if count > 1 else np.nan)),
    ):
        if running is not None:
            values = torch.raw(running)
            values *= 1 - momentum
            values += (momentum * batch).astype(values.dtype, copy=False)
            torch.increment_version(running)


def batch_norm(input: Any, running_mean: Any, running_var: Any, weight: Any = None,
               bias: Any = None, training: bool = False, momentum: float = 0.1,
               eps: float = 1e-5) -> Any:
    """``input`` standardised per channel (axis 1), by its own statistics in training (which
    also move the running ones), else by the running ones."""
    if training:
        _several_values(input.size())
    if eps < 0.0 or (training and eps == 0.0):
        wanted = "positive during training" if training else "non-negative"
        raise ValueError(f"batch_norm eps must be {wanted}, but got {eps}")
    if not training and (running_mean is None or running_var is None):
        missing = "running_mean" if running_mean is None else "running_var"
        raise RuntimeError(f"{missing} must be defined in evaluation mode")
    channels = input.size(1) if input.dim() > 1 else 0
    named = (("running_mean", running_mean), ("running_var", running_var), ("weight", weight),
             ("bias", bias))
    for name, value in named:
        if value is not None and value.numel() != channels:
            raise RuntimeError(f"{name} should contain {channels} elements not {value.numel()}")
    nodes.batch_norm.check(input)
    if not training and tangent_of(input) is not None and any(
            t is not None and tangent_of(t) is not None for t in (running_mean, running_var)):
        raise RuntimeError("batch_norm is not differentiable wrt running_mean and running_var, "
                           "they cannot have forward grad defined")
    _same_types(input, *(value for _, value in named))
    if training and not input.numel():  # no statistics, nothing to move towards
        none = np.zeros(channels, torch.raw(input).dtype)
        return nodes.batch_norm(input, weight, bias, none, none + 1, False, eps)
    if training:
        out = nodes.batch_norm(input, weight, bias, None, None, True, eps)
        with np.errstate(all="ignore"):
            _update_running(torch.raw(input), running_mean, running_var, momentum)
        return out
    mean, var = torch.raw(running_mean).copy(), torch.raw(running_var).copy()
    return nodes.batch_norm(input, weight, bias, mean, var, False, eps)


def _same_types(input: Any, *others: Any) -> None:
    """Parameters have the dtype of ``input``, or single precision beside a half one."""
    allowed = {input.dtype}
    if input.dtype in (torch.float16, torch.bfloat16):
        allowed.add(torch.float32)
    if any(t is not None and t.dtype not in allowed for t in others):
        raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")


def instance_norm(input: Any, running_mean: Any = None, running_var: Any = None, weight: Any = None,
                  bias: Any = None, use_input_stats: bool = True, momentum: float = 0.1,
                  eps: float = 1e-5) -> Any:
    """``input`` standardised per sample and channel."""
    n, c = input.size(0), input.size(1)
    spatial = tuple(input.shape[2:])
    if use_input_stats:
        refuse(math.prod(spatial) == 1, "Expected more than 1 spatial element when training, got "
               "input size {}", input.size(), kind=ValueError)
    elif running_mean is None or running_var is None:
        raise RuntimeError("Expected running_mean and running_var to be defined when "
                           "use_input_stats is false")
    rows = input.contiguous().view(1, n * c, *spatial)

    def tiled(values: Any) -> Any:
        return None if values is None else values.repeat(n)

    scale, shift = tiled(weight), tiled(bias)
    mean, var = tiled(running_mean), tiled(running_var)
    out = batch_norm(rows, mean, var, scale, shift, use_input_stats, momentum, eps)
    if use_input_stats:
        with torch.no_grad():
            for running, moved in ((running_mean, mean), (running_var, var)):
                if running is not None:
                    running.copy_(moved.view(n, c).mean(0))
    return out.view(n, c, *spatial)


def layer_norm(input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None,
               eps: float = 1e-5) -> Any:
    """``input`` standardised over its last axes, then scaled and shifted elementwise."""
    refuse(isinstance(normalized_shape, int), "layer_norm(): argument 'normalized_shape' (position "
           "2) must be tuple of ints, not int", kind=TypeError)
    refuse_kinds("biuc", "LayerNormKernelImpl", need_tensor("layer_norm", input)._dt)
    shape = _normalized(input, normalized_shape, weight, bias)
    _same_types(input, weight, bias)
    return nodes.layer_norm(input, shape, weight, bias, eps)


def _normalized(input: Any, normalized_shape: Any, weight: Any, bias: Any) -> tuple[int, ...]:
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    refuse(not shape, "Expected normalized_shape to be at least 1-dimensional, i.e., containing at "
           "least one element, but got normalized_shape = []")
    for name, value in (("weight", weight), ("bias", bias)):
        if value is not None and tuple(value.shape) != shape:
            raise RuntimeError(f"Expected {name} to be of same shape as normalized_shape, but got "
                               f"{name} of shape {list(value.shape)} and normalized_shape = "
                               f"{list(shape)}")
    if input.dim() < len(shape) or tuple(input.shape[input.dim() - len(shape):]) != shape:
        stars = ", ".join(["*", *map(str, shape)])
        raise RuntimeError(f"Given normalized_shape={list(shape)}, expected input with shape "
                           f"[{stars}], but got input of size{list(input.shape)}")
    return shape


def rms_norm(input: Any, normalized_shape: Any, weight: Any = None,
             eps: float | None = None) -> Any:
    """``input`` over the root of its mean square over the last axes (Zhang, Sennrich 2019)."""
    try:
        shape = _normalized(input, normalized_shape, weight, None)
    except RuntimeError as error:  # PyTorch leaves out a comma here
        raise RuntimeError(str(error).replace("[*, ", "[*")) from None
    refuse_kinds("biu", "rms_norm", input._dt)
    if eps is None:
        eps = torch.finfo(input.dtype).eps
    dims = tuple(range(-len(shape), 0))
    out = input * torch.rsqrt(torch.pow(input, 2).mean(dims, keepdim=True) + eps)
    return out if weight is None else out * weight


def group_norm(input: Any, num_groups: int, weight: Any = None, bias: Any = None,
               eps: float = 1e-5) -> Any:
    """``input`` standardised over groups of channels, then scaled and shifted per channel."""
    refuse(input.dim() < 2, "Expected at least 2 dimensions for input tensor but received {}",
           input.dim())
    _several_values([input.size(0) * input.size(1) // num_groups, num_groups, *input.size()[2:]])
    refuse(input.size(1) % num_groups, "Expected number of channels in input to be divisible by "
           "num_groups, but got input of shape {} and num_groups={}", list(input.shape), num_groups)
    for name, value in (("weight", weight), ("bias", bias)):
        if value is not None and tuple(value.shape) != (input.size(1),):
            raise RuntimeError(f"Expected {name} to be a vector of size equal to the number of "
                               f"channels in input, but got {name} of shape {list(value.shape)} "
                               f"and input of shape {list(input.shape)}")
    _same_types(input, weight, bias)
    return nodes.group_norm(input, weight, bias, num_groups, eps)


def local_response_norm(input: Any, size: int, alpha: float = 1e-4, beta: float = 0.75,
                        k: float = 1.0) -> Any:
    """``input`` over a power of the mean square of its neighbouring channels."""
    refuse(input.dim() < 3, "Expected 3D or higher dimensionality                          input "
           "(got {} dimensions)", input.dim(), kind=ValueError)
    if input.numel() == 0:
        return input
    square = input.mul(input)
    spare = (0,) * (input.dim() - 2)
    before = (size // 2, *spare)
    after = ((size - 1) // 2, *spare)
    framed = nodes.constant_pad(square, before, after, 0.0)
    channels = input.size(1)
    total = framed[:, :channels]
    for start in range(1, size):
        total = total + framed[:, start:start + channels]
    return input / (total / size).mul(alpha).add(k).pow(beta)
