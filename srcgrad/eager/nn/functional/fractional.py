"""Pooling over windows at pseudo-random steps (Graham 2014)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import basis as torch
from ...nodes import named
from ..signatures import family
from . import nodes
from .conv import tupled

Ints = tuple[int, ...]


def _fractional_starts(samples: Any, size: int, out: int, kernel: int) -> Any:
    """Where windows begin: pseudo-random steps (Graham 2014), the last at the end."""
    if out == 1:
        return np.full((*samples.shape, 1), size - kernel)
    alpha = (size - kernel) / (out - 1)
    steps = np.arange(out - 1)
    starts = ((steps + samples[..., None]) * alpha).astype(np.int64) - (
        samples[..., None] * alpha).astype(np.int64)
    return np.concatenate([starts, np.full((*samples.shape, 1), size - kernel)], -1)


def _fractional(count: int, input: Any, kernel_size: Any, output_size: Any = None,
                output_ratio: Any = None, return_indices: bool = False,
                _random_samples: Any = None) -> Any:
    """Maxima of windows of ``{shape}`` at pseudo-random steps that give ``output_size`` or a share
    of it."""
    name = f"fractional_max_pool{count}d"
    if output_size is None and output_ratio is None:
        raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
    if not isinstance(kernel_size, int) and len(kernel_size) not in (1, count):
        raise RuntimeError(f"{name}: kernel_size must either be a single Int or tuple of "
                           f"{'three ' * (count == 3)}Ints")
    kernel = tupled("kernel_size", kernel_size, count)
    single = input.dim() == count + 1
    images = input.unsqueeze(0) if single else input
    lead, size = tuple(images.shape[:2]), tuple(int(n) for n in images.shape[2:])
    if output_size is None:
        ratios = (output_ratio,) * count if isinstance(output_ratio, float) else output_ratio
        output_size = tuple(int(n * r) for n, r in zip(size, ratios))
    out = tupled("output_size", output_size, count)
    samples = _random_samples
    if samples is None:
        channels = input.size(-count - 1)
        samples = torch.rand(lead[0], channels, count, dtype=input.dtype)
    if 0 in out:
        none = torch.zeros(*images.shape[single:2], *out, dtype=input.dtype)
        return (none, none.long()) if return_indices else none
    _check(name + "_out" * (count == 3), input, samples, size, out, kernel)
    samples = samples[:lead[0]]  # further samples are not used
    shares = torch.raw(samples)
    flat = np.zeros((*lead, *out, *kernel), np.int64)
    for axis, (n, m, k) in enumerate(zip(size, out, kernel)):
        # in two dimensions PyTorch's first sample belongs to the last axis
        share = shares[..., 1 - axis if count == 2 else axis]
        starts = _fractional_starts(share, n, m, k)
        at = starts[..., None] + np.arange(k)
        shape = [1] * (2 * count)
        shape[axis], shape[count + axis] = m, k
        flat = flat * n + at.reshape(*lead, *shape)
    reach, places = math.prod(kernel), math.prod(size)
    windows = flat.reshape(*lead, *out, reach)
    values = np.take_along_axis(
        torch.raw(images).reshape(*lead, 1, places),
        windows.reshape(*lead, 1, math.prod(out) * reach), -1,
    ).reshape(windows.shape)
    chosen = np.take_along_axis(windows, values.argmax(-1)[..., None], -1)[..., 0]
    found = torch.from_numpy(np.ascontiguousarray(chosen))
    pooled = nodes.fractional_max_pool[count](images, found, count)
    if single:
        found = found.squeeze(0)
        pooled = named(pooled[0].clone(), f"FractionalMaxPool{count}DBackward0")
    return (pooled, found) if return_indices else pooled


def _check(name: str, input: Any, samples: Any, size: Ints, out: Ints, kernel: Ints) -> None:
    count = len(kernel)
    if samples.dtype != input.dtype:
        raise RuntimeError("Expect _random_samples to have the same dtype as input")
    if min(kernel) < 1 or min(out) < 1:
        what, value = ("kernel size", kernel) if min(kernel) < 1 else ("output size", out)
        raise RuntimeError(f"{name}: the {what} should be greater than zero, but got {value}")
    given = list(input.shape)
    for axis in range(len(given) - count - 1, len(given)):
        if given[axis] == 0:
            raise RuntimeError(f"{name}(): Expected input to have non-zero size for non-batch "
                               f"dimensions, but got{given} with dimension {axis} being empty.")
    if samples.shape[0] < (given[0] if len(given) == count + 2 else 1):
        raise RuntimeError("Expect _random_samples.size(0) no less then input batch size.")
    if samples.shape[1] != given[-count - 1]:
        raise RuntimeError("Expect _random_samples.size(1) equals to input channel size.")
    if samples.shape[2] != count:
        raise RuntimeError(f"Expect _random_samples.size(2) equals to {count}; got "
                           f"{samples.shape[2]}.")
    for axis, (n, m, k) in enumerate(zip(size, out, kernel)):
        if m + k - 1 > n:
            side = ("time", "height", "width")[axis - count]
            raise RuntimeError(f"{name}(): pool {side} {k} too large relative to input {side} {n}")


fractional_max_pool2d, fractional_max_pool3d = family(
    _fractional, "fractional_max_pool{count}d", counts=(2, 3))
