"""Pooling over windows, fixed, adaptive, or at pseudo-random steps (Graham 2014)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcgrad.rules.nn.pooling import max_places, pooled_size

from ... import basis as torch
from ...calling_errors import refuse
from ...nodes import named
from ...ops.arguments import not_implemented
from ...tensor import Tensor
from ..signatures import builtin, family
from . import nodes
from .conv import tupled
from .window_checks import adaptive_size, check_unpool, option, positive, ranks, several_dimensions

Ints = tuple[int, ...]


def _windowed(name: str, input: Any, count: int, kernel_size: Any, stride: Any, padding: Any,
              dilation: Any, ceil_mode: bool) -> tuple[Ints, Ints, Ints, Ints]:
    """The options as tuples, checked with PyTorch's messages."""
    if name == "avg_pool1d":
        several_dimensions(name, input)
    kernel = option(name, "kernel_size", kernel_size, count)
    own = stride is None or stride in ([], ())
    stride = kernel if own else option(name, "stride", stride, count)
    padding = option(name, "padding", padding, count)
    dilation = option(name, "dilation", dilation, count)
    if name == "max_pool1d":
        ranks(name, input, count)
        _check_line(kernel, stride, padding, dilation)
    positive(kernel, stride, dilation)
    ranks(name, input, count)
    if name == "avg_pool3d" and any(n < k for n, k in zip(input.shape[-3:], kernel)):
        image, window = (" ".join(f"{letter}: {n}" for letter, n in zip(letters, numbers))
                         for letters, numbers in ((("T", "H", "W"), input.shape[-3:]),
                                                  (("kT", "kH", "kW"), kernel)))
        raise RuntimeError(f"input image ({image}) smaller than kernel size ({window})")
    for p, k, d in zip(padding, kernel, dilation):
        refuse(p < 0, "pad must be non-negative, but got pad: {}", p)
        refuse(p > k // 2, "pad should be at most half of effective kernel size, but got pad={}, "
               "kernel_size={} and dilation={}", p, k, d)
    size = tuple(input.shape[-count:])
    out = pooled_size(size, kernel, stride, padding, dilation, ceil_mode)
    if name == "max_pool1d" and out[0] < 1:
        raise RuntimeError(f"max_pool1d() Invalid computed output size: {out[0]}")
    if any(n < 1 for n in out):
        channel = input.shape[-count - 1]
        if name == "avg_pool1d":
            size, out = (1, *size), (1, *out)
        text = "x".join(str(n) for n in (channel, *size))
        result = "x".join(str(n) for n in (channel, *out))
        raise RuntimeError(f"Given input size: ({text}). Calculated output size: ({result}). "
                           "Output size is too small")
    return kernel, stride, padding, dilation


def _check_line(kernel: Ints, stride: Ints, padding: Ints, dilation: Ints) -> None:
    for name, value in (("kernel_size", kernel), ("stride", stride), ("dilation", dilation)):
        if value[0] <= 0:
            raise RuntimeError(f"max_pool1d() {name} must be greater than zero, but got {value[0]}")
    if padding[0] < 0:
        raise RuntimeError(f"max_pool1d() padding must be non-negative, but got {padding[0]}")
    if padding[0] > kernel[0] // 2:
        raise RuntimeError("max_pool1d() padding should be at most half of kernel size, but got "
                           f"padding={padding[0]} and kernel_size={kernel[0]}")


def _max_pool(count: int, input: Tensor, kernel_size: int | Sequence[int],
              stride: int | Sequence[int] | None = None, padding: int | Sequence[int] = 0,
              dilation: int | Sequence[int] = 1, ceil_mode: bool = False,
              return_indices: bool = False) -> Any:
    """The maximum of each window of ``{shape}``; also its place with ``return_indices``."""
    options = _windowed(f"max_pool{count}d", input, count, kernel_size, stride, padding, dilation,
                        ceil_mode)
    recorded = input.requires_grad and torch.is_grad_enabled()
    if count == 1:
        if not return_indices and not recorded and not input.is_floating_point():
            raise not_implemented("max_pool1d_impl", input.dtype)
        kernel, stride, padding, dilation = (
            (fill, *value) for fill, value in zip((1, 1, 0, 1), options)
        )
        out, where = _max_pool_planes(2, input.unsqueeze(-2), (kernel, stride, padding, dilation),
                                      ceil_mode)
        out, where = out.squeeze(-2), where.squeeze(-2)
        if not return_indices and not recorded:
            out = out.clone()  # of PyTorch's own function for lines, and no view
    else:
        out, where = _max_pool_planes(count, input, options, ceil_mode)
    if return_indices:
        torch.guard(out, where)
    return (out, where) if return_indices else out


def _max_pool_planes(count: int, input: Any, options: Any, ceil_mode: bool) -> tuple[Any, Any]:
    kernel, stride, padding, dilation = options
    nodes.max_pool[count].check(input)
    places = max_places(torch.raw(input), kernel, stride, padding, dilation, ceil_mode)
    where = torch.from_numpy(nodes.laid_as(places, torch.raw(input)))
    return nodes.max_pool[count](input, places, count), where


max_pool1d, max_pool2d, max_pool3d = family(_max_pool, "max_pool{count}d", builtin)


def _with_indices(function: Callable[..., Any]) -> Callable[..., Any]:
    def pooled(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **{**kwargs, "return_indices": True})

    pooled.__name__ = pooled.__qualname__ = f"{function.__name__}_with_indices"
    pooled.__doc__ = f":func:`{function.__name__}` with places."
    return pooled


max_pool1d_with_indices, max_pool2d_with_indices, max_pool3d_with_indices = map(
    _with_indices, (max_pool1d, max_pool2d, max_pool3d))


def _max_unpool(count: int, input: Any, indices: Any, kernel_size: Any, stride: Any = None,
                padding: Any = 0, output_size: Any = None) -> Any:
    """Values back at the places :func:`max_pool{count}d` took them from, zeros elsewhere."""
    kernel = tupled("kernel_size", kernel_size, count)
    stride = kernel if stride is None else tupled("stride", stride, count)
    padding = tupled("padding", padding, count)
    default = [(n - 1) * s + k - 2 * p
               for n, k, s, p in zip(input.shape[-count:], kernel, stride, padding)]
    size = default if output_size is None else list(output_size)
    if len(size) == count + 2:
        size = size[2:]
    refuse(len(size) != count, "output_size should be a sequence containing {} or {} elements, but "
           "it has a length of '{}'", count, count + 2, len(size), kind=ValueError)
    for axis in range(count if output_size is not None else 0):
        low, high = default[axis] - stride[axis], default[axis] + stride[axis]
        refuse(not low < size[axis] < high, 'invalid output_size "{}" (dim {} must be between {} '
               'and {})', tuple(size), axis, low, high, kind=ValueError)
    one = [1] if count == 1 else []
    check_unpool(input, indices, stride, count)
    places = torch.raw(indices)
    if places.size and (places.min() < 0 or places.max() >= math.prod(size)):
        bad = places[(places < 0) | (places >= math.prod(size))].flat[0]
        raise RuntimeError(f"Found an invalid max index: {bad} (output volumes are of size "
                           f"{'x'.join(map(str, [*size, *one]))})")
    if count == 1:
        flat = nodes.max_unpool[2](input.unsqueeze(-1), indices.unsqueeze(-1), (size[0], 1))
        return flat.squeeze(-1)
    return nodes.max_unpool[count](input, indices, tuple(size))


max_unpool1d, max_unpool2d, max_unpool3d = family(_max_unpool, "max_unpool{count}d")


def _avg_pool(count: int, input: Tensor, kernel_size: int | Sequence[int],
              stride: int | Sequence[int] | None = None, padding: int | Sequence[int] = 0,
              ceil_mode: bool = False, count_include_pad: bool = True,
              divisor_override: int | None = None) -> Any:
    """The mean of each window of ``{shape}``."""
    refuse(divisor_override == 0, "divisor must be not zero")
    kernel, stride, padding, _ = _windowed(f"avg_pool{count}d", input, count, kernel_size, stride,
                                           padding, 1, ceil_mode)
    rest = (ceil_mode, count_include_pad, divisor_override)
    if count == 1:
        planes = input.unsqueeze(-2)
        return nodes.avg_pool[2](planes, (1, *kernel), (1, *stride), (0, *padding), *rest).squeeze(
            -2)
    return nodes.avg_pool[count](input, kernel, stride, padding, *rest)


@builtin
def avg_pool1d(input: Tensor, kernel_size: int | Sequence[int],
               stride: int | Sequence[int] | None = None, padding: int | Sequence[int] = 0,
               ceil_mode: bool = False, count_include_pad: bool = True) -> Any:
    """The mean of each window of ``(N, C, L)``."""
    return _avg_pool(1, input, kernel_size, stride, padding, ceil_mode, count_include_pad, None)


avg_pool2d, avg_pool3d = family(_avg_pool, "avg_pool{count}d", builtin, counts=(2, 3))
_AVERAGES = (avg_pool1d, avg_pool2d, avg_pool3d)
_MAXIMA = (max_pool1d, max_pool2d, max_pool3d)


def _bounds(n: int, m: int) -> list[tuple[int, int]]:
    """The windows of adaptive pooling from ``n`` places to ``m``."""
    return [(i * n // m, -((-(i + 1) * n) // m)) for i in range(m)]


def _averaging_matrix(n: int, m: int, dtype: Any) -> Any:
    """The matrix of adaptive averages along one axis."""
    matrix = np.zeros((m, n), dtype)
    for row, (start, end) in zip(matrix, _bounds(n, m)):
        row[start:end] = 1 / (end - start)
    return matrix


def _adaptive_avg_pool(count: int, input: Any, output_size: Any) -> Any:
    """Means of windows that divide ``{shape}`` into ``output_size`` parts."""
    out = adaptive_size(f"adaptive_avg_pool{count}d", input, output_size, count)
    if count > 1 and all(m == 1 for m in out):
        return input.mean(tuple(range(-count, 0)), keepdim=True)
    dtype = torch.raw(input).dtype
    matrices = tuple(_averaging_matrix(n, m, dtype) for n, m in zip(input.shape[-count:], out))
    if count == 1:
        matrices = (np.ones((1, 1), dtype), *matrices)
        return nodes.adaptive_avg_pool[2](input.unsqueeze(-2), matrices).squeeze(-2)
    return nodes.adaptive_avg_pool[count](input, matrices)


adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d = family(
    _adaptive_avg_pool, "adaptive_avg_pool{count}d")


def _adaptive_places(x: Any, out: Ints) -> Any:
    """The flat places of the maxima of adaptive windows."""
    size = x.shape[-len(out):]
    plane = np.arange(math.prod(size)).reshape(size)
    lead = x.shape[: x.ndim - len(out)]
    places = np.empty(lead + out, np.int64)
    windows = [_bounds(n, m) for n, m in zip(size, out)]
    for spot in np.ndindex(*out):
        where = tuple(slice(*windows[axis][i]) for axis, i in enumerate(spot))
        block = x[(..., *where)]
        values = block.reshape(*lead, math.prod(block.shape[len(lead):]))
        best = np.argmax(values, axis=-1)
        if np.isnan(values).any():  # the last of them
            last = values.shape[-1] - 1 - np.argmax(np.isnan(values)[..., ::-1], axis=-1)
            best = np.where(np.isnan(values).any(axis=-1), last, best)
        places[(..., *spot)] = plane[where].reshape(-1)[best]
    return places


def _adaptive_max_pool(count: int, input: Any, output_size: Any,
                       return_indices: bool = False) -> Any:
    """Maxima of windows that divide ``{shape}`` into ``output_size`` parts."""
    out = adaptive_size(f"adaptive_max_pool{count}d", input, output_size, count)
    nodes.adaptive_max_pool[max(count, 2)].check(input)
    if count == 1:
        input, out = input.unsqueeze(-2), (1, *out)
    places = _adaptive_places(torch.raw(input), out)
    values = nodes.adaptive_max_pool[len(out)](input, places, len(out))
    where = torch.from_numpy(nodes.laid_as(places, torch.raw(input)))
    if return_indices:
        torch.guard(values, where)
    if count == 1:
        values, where = values.squeeze(-2), where.squeeze(-2)
    return (values, where) if return_indices else values


adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d = family(
    _adaptive_max_pool, "adaptive_max_pool{count}d")
(adaptive_max_pool1d_with_indices, adaptive_max_pool2d_with_indices,
 adaptive_max_pool3d_with_indices) = map(
    _with_indices, (adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d))


def _lp_pool(count: int, input: Any, norm_type: float, kernel_size: Any, stride: Any = None,
             ceil_mode: bool = False) -> Any:
    """The p-norm of each window of ``{shape}``."""
    average, largest = _AVERAGES[count - 1], _MAXIMA[count - 1]
    norm_type = float(norm_type)
    if norm_type == math.inf:
        return largest(input.abs(), kernel_size, stride, 0, 1, ceil_mode)
    if norm_type == -math.inf:
        return -largest(-input.abs(), kernel_size, stride, 0, 1, ceil_mode)
    elements = math.prod(tupled("kernel_size", kernel_size, count))
    out = average(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    return (torch.sign(out) * torch.relu(torch.abs(out))).mul(elements).pow(1.0 / norm_type)


lp_pool1d, lp_pool2d, lp_pool3d = family(_lp_pool, "lp_pool{count}d")


# -- windows at pseudo-random steps -----------------------------------------------------


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
    refuse(output_size is None and len(output_ratio) != count, "{} requires output_ratio to either "
           "be a single Int or tuple of Ints.", name, kind=ValueError)
    for label, value in (("kernel_size", kernel_size), ("output_size", output_size)):
        if value is not None and not isinstance(value, int) and len(value) != count:
            raise RuntimeError(f"{name}: {label} must either be a single Int or tuple of "
                               f"{'three ' * (count == 3)}Ints")
    kernel = tupled("kernel_size", kernel_size, count)
    single = input.dim() == count + 1
    images = input.unsqueeze(0) if single else input
    lead, size = tuple(images.shape[:2]), tuple(int(n) for n in images.shape[2:])
    if output_size is None:
        output_size = tuple(int(n * r) for n, r in zip(size, output_ratio))
    out = tupled("output_size", output_size, count)
    samples = _random_samples
    if samples is None:
        channels = input.size(-count - 1)
        samples = torch.rand(lead[0], channels, count, dtype=input.dtype)
    if 0 in out:
        none = torch.zeros(*images.shape[single:2], *out, dtype=input.dtype)
        return (none, none.long()) if return_indices else none
    _check(name + "_out" * (count == 3), input, samples, size, out, kernel)
    shares = torch.raw(samples)[:lead[0]]  # further samples are not used
    starts, windows = [], images.detach()
    for axis, (n, m, k) in enumerate(zip(size, out, kernel)):
        windows = windows.unfold(2 + axis, k, 1)
        # in two dimensions PyTorch's first sample belongs to the last axis
        share = shares[..., 1 - axis if count == 2 else axis]
        starts.append(_fractional_starts(share, n, m, k).reshape(
            *lead, *(m if d == axis else 1 for d in range(count))))
    each = np.ix_(*map(range, lead), *[(0,)] * count)[:2]  # the images and their channels
    values = torch.raw(windows)[(*each, *starts)]
    best = values.reshape(*lead, *out, math.prod(kernel)).argmax(-1)
    chosen = [start + k for start, k in zip(starts, np.unravel_index(best, kernel))]
    found = torch.from_numpy(np.asarray(np.ravel_multi_index(tuple(chosen), size), np.int64))
    pooled = nodes.fractional_max_pool[count](images, found, count)
    if single:
        found = found.squeeze(0)
        pooled = named(pooled[0].clone(), f"FractionalMaxPool{count}DBackward0")
    return (pooled, found) if return_indices else pooled


def _check(name: str, input: Any, samples: Any, size: Ints, out: Ints, kernel: Ints) -> None:
    count = len(kernel)
    refuse(samples.dtype != input.dtype, "Expect _random_samples to have the same dtype as input")
    if min(kernel) < 1 or min(out) < 1:
        what, value = ("kernel size", kernel) if min(kernel) < 1 else ("output size", out)
        raise RuntimeError(f"{name}: the {what} should be greater than zero, but got {value}")
    given = list(input.shape)
    for axis in range(len(given) - count - 1, len(given)):
        refuse(given[axis] == 0, "{}(): Expected input to have non-zero size for non-batch "
               "dimensions, but got{} with dimension {} being empty.", name, given, axis)
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
