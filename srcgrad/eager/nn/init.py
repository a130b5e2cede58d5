"""Initial values of parameters, drawn from the generator in PyTorch's order.

All functions fill their tensor in place, without recording, and return it.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

from .. import basis as torch
from ..calling_errors import refuse

_GAINS = {
    **dict.fromkeys(("linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d",
                     "conv_transpose2d", "conv_transpose3d", "sigmoid"), 1),
    "tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4,
}


def calculate_gain(nonlinearity: str, param: Any = None) -> float:
    """The factor that keeps the variance through a nonlinearity.

    >>> calculate_gain("tanh")
    1.6666666666666667
    """
    if nonlinearity in _GAINS:
        return _GAINS[nonlinearity]
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, (int, float)):
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + slope**2))
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def uniform_(tensor: Any, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Any:
    """Uniform numbers between ``a`` and ``b``."""
    with torch.no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor: Any, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Any:
    """Normal numbers."""
    with torch.no_grad():
        return tensor.normal_(mean, std, generator=generator)


def constant_(tensor: Any, val: float) -> Any:
    """One value everywhere."""
    with torch.no_grad():
        return tensor.fill_(val)


def ones_(tensor: Any) -> Any:
    """Ones."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Any) -> Any:
    """Zeros."""
    return constant_(tensor, 0.0)


def eye_(tensor: Any) -> Any:
    """The identity matrix; ``ValueError`` unless there are two dimensions."""
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with torch.no_grad():
        return tensor.copy_(torch.eye(*tensor.shape))


def dirac_(tensor: Any, groups: int = 1) -> Any:
    """Convolution weights that pass channels through unchanged."""
    if tensor.ndimension() not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    sizes = tensor.size()
    refuse(sizes[0] % groups != 0, "dim 0 must be divisible by groups", kind=ValueError)
    per_group = sizes[0] // groups
    centre = tuple(n // 2 for n in sizes[2:])
    with torch.no_grad():
        tensor.zero_()
        for group in range(groups):
            for channel in range(min(per_group, sizes[1])):
                tensor[(group * per_group + channel, channel, *centre)] = 1
    return tensor


def _fans(tensor: Any) -> tuple[int, int]:
    refuse(tensor.dim() < 2, "Fan in and fan out can not be computed for tensor with fewer than 2 "
           "dimensions", kind=ValueError)
    field = math.prod(tensor.shape[2:])
    return tensor.size(1) * field, tensor.size(0) * field


_calculate_fan_in_and_fan_out = _fans


def xavier_uniform_(tensor: Any, gain: float = 1.0, generator: Any = None) -> Any:
    """Uniform with variance ``gain**2 * 2 / (fan_in + fan_out)`` (Glorot and Bengio 2010)."""
    fan_in, fan_out = _fans(tensor)
    bound = math.sqrt(3.0) * (gain * math.sqrt(2.0 / float(fan_in + fan_out)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Any, gain: float = 1.0, generator: Any = None) -> Any:
    """Normal with variance ``gain**2 * 2 / (fan_in + fan_out)`` (Glorot and Bengio 2010)."""
    fan_in, fan_out = _fans(tensor)
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / float(fan_in + fan_out)), generator)


def _kaiming_std(tensor: Any, a: float, mode: str, nonlinearity: str) -> float:
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of {['fan_in', 'fan_out']}")
    fan_in, fan_out = _fans(tensor)
    fan = fan_in if mode == "fan_in" else fan_out
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def _is_empty(tensor: Any) -> bool:
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
        return True
    return False


def kaiming_uniform_(tensor: Any, a: float = 0, mode: str = "fan_in",
                     nonlinearity: str = "leaky_relu", generator: Any = None) -> Any:
    """Uniform with standard deviation ``gain / sqrt(fan)`` (He et al. 2015)."""
    if _is_empty(tensor):
        return tensor
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(tensor: Any, a: float = 0, mode: str = "fan_in",
                    nonlinearity: str = "leaky_relu", generator: Any = None) -> Any:
    """Normal with standard deviation ``gain / sqrt(fan)`` (He et al. 2015)."""
    if _is_empty(tensor):
        return tensor
    return normal_(tensor, 0, _kaiming_std(tensor, a, mode, nonlinearity), generator)


def trunc_normal_(tensor: Any, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0,
                  generator: Any = None) -> Any:
    """Normal numbers, those outside ``[a, b]`` drawn again."""
    def cdf(x: float) -> float:
        return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0

    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn("mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The "
                      "distribution of values may be incorrect.", stacklevel=2)
    with torch.no_grad():
        if cdf((b - mean) / std) - cdf((a - mean) / std) > 0.3:
            low, high = tensor.new_tensor(a).item(), tensor.new_tensor(b).item()
            tensor.normal_(mean, std, generator=generator)
            while True:
                outside = (tensor < low) | (tensor > high)
                if not outside.any():
                    return tensor
                again = torch.empty_like(tensor).normal_(mean, std, generator=generator)
                tensor.copy_(torch.where(outside, again, tensor))
        return _trunc_by_rejection(tensor, mean, std, a, b, generator)


def _trunc_by_rejection(tensor: Any, mean: float, std: float, a: float, b: float,
                        generator: Any) -> Any:
    """Uniform candidates accepted in proportion to the density: for thin tails."""
    peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2
    tensor.uniform_(a, b, generator=generator)
    accept = torch.empty_like(tensor)

    def rejected(candidates: Any) -> Any:
        density = ((candidates - mean) / std) ** 2 * -0.5 - peak
        return accept.uniform_(generator=generator).log_() > density

    pending = rejected(tensor)
    while pending.any():
        candidates = torch.empty_like(tensor).uniform_(a, b, generator=generator)
        tensor.copy_(torch.where(pending, candidates, tensor))
        pending = pending & rejected(candidates)
    return tensor


def orthogonal_(tensor: Any, gain: float = 1, generator: Any = None) -> Any:
    """A (semi-)orthogonal matrix from the QR factorisation of normal numbers (Saxe 2013)."""
    if tensor.ndimension() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows = tensor.size(0)
    cols = tensor.numel() // rows
    with torch.no_grad():
        flat = tensor.new_empty((rows, cols)).normal_(0, 1, generator=generator)
        q, r = torch.linalg.qr(flat.t() if rows < cols else flat)
        q = q * torch.diag(r, 0).sign()
        if rows < cols:
            q = q.t()
        return tensor.copy_(q.reshape(tensor.shape)).mul_(gain)


def sparse_(tensor: Any, sparsity: float, std: float = 0.01, generator: Any = None) -> Any:
    """Normal numbers with a share of zeros in each column (Martens 2010)."""
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, cols = tensor.shape
    zeros = math.ceil(sparsity * rows)
    with torch.no_grad():
        tensor.normal_(0, std, generator=generator)
        for column in range(cols):
            tensor[torch.randperm(rows)[:zeros], column] = 0
    return tensor


def _old_name(function: Callable[..., Any]) -> Callable[..., Any]:
    new = function.__name__
    old = new[:-1]

    def deprecated(*args: Any, **kwargs: Any) -> Any:
        warnings.warn(f"`nn.init.{old}` is now deprecated in favor of `nn.init.{new}`.",
                      FutureWarning, stacklevel=2)
        return function(*args, **kwargs)

    deprecated.__name__ = deprecated.__qualname__ = old
    deprecated.__doc__ = f"The old name of :func:`{new}`."
    return deprecated


(uniform, normal, constant, eye, dirac, xavier_uniform, xavier_normal, kaiming_uniform,
 kaiming_normal, orthogonal, sparse) = [_old_name(function) for function in (
     uniform_, normal_, constant_, eye_, dirac_, xavier_uniform_, xavier_normal_, kaiming_uniform_,
     kaiming_normal_, orthogonal_, sparse_)]
