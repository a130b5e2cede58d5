"""Convolution layers."""

from __future__ import annotations

import math
from typing import Any

from ...calling_errors import refuse
from .. import functional as F
from .. import init
from ..options import Layer, layers
from .utils import ntuple

_MODES = ("zeros", "reflect", "replicate", "circular")


class _ConvNd(Layer):
    """Options, parameters and text of all convolutions; ``count`` spatial axes."""

    count: int
    is_transposed = False

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any,
                 padding: Any, dilation: Any, output_padding: Any, groups: int, bias: bool,
                 padding_mode: str, device: Any, dtype: Any) -> None:
        n = self.count
        refuse(groups <= 0, "groups must be a positive integer", kind=ValueError)
        if in_channels % groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups != 0:
            raise ValueError("out_channels must be divisible by groups")
        self._keep(
            in_channels=in_channels, out_channels=out_channels, kernel_size=ntuple(kernel_size, n),
            stride=ntuple(stride, n),
            padding=padding if isinstance(padding, str) else ntuple(padding, n),
            dilation=ntuple(dilation, n), transposed=self.is_transposed,
            output_padding=ntuple(output_padding, n), groups=groups, padding_mode=padding_mode)
        self._check_padding()
        self._reversed_padding_repeated_twice = self._widths()
        self._register(self._weight_shape(), device, dtype, weight=True)
        self._register(out_channels, device, dtype, bias=bool(bias))
        self.reset_parameters()

    def _weight_shape(self) -> tuple[int, ...]:
        ends = self.out_channels, self.in_channels // self.groups
        if self.transposed:
            ends = self.in_channels, self.out_channels // self.groups
        return (*ends, *self.kernel_size)

    def _check_padding(self) -> None:
        if isinstance(self.padding, str):
            if self.padding not in ("same", "valid"):
                raise ValueError(f"Invalid padding string {self.padding!r}, should be one of "
                                 f"{ {'valid', 'same'} }")
            if self.padding == "same" and any(s != 1 for s in self.stride):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if self.padding_mode not in _MODES:
            raise ValueError(f"padding_mode must be one of {set(_MODES)}, but got "
                             f"padding_mode='{self.padding_mode}'")

    def _widths(self) -> Any:
        """The padding as ``F.pad`` wants it: last axis first, before and after."""
        if not isinstance(self.padding, str):
            return tuple(p for p in reversed(self.padding) for _ in range(2))
        widths = [0, 0] * len(self.kernel_size)
        if self.padding == "same":
            for place, (d, k) in enumerate(zip(reversed(self.dilation),
                                               reversed(self.kernel_size))):
                total = d * (k - 1)
                widths[2 * place:2 * place + 2] = [total // 2, total - total // 2]
        return widths

    def reset_parameters(self) -> None:
        """Draw new parameters."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._fans(self.weight)
            if fan_in != 0:
                bound = 1 / math.sqrt(fan_in)
                init.uniform_(self.bias, -bound, bound)

    def extra_repr(self) -> str:
        n = self.count
        parts = [
            f"{self.in_channels}, {self.out_channels}", f"kernel_size={self.kernel_size}",
            f"stride={self.stride}",
            *self._unusual(padding=(0,) * len(self.padding), dilation=(1,) * n,
                           output_padding=(0,) * n, groups=1),
            *(["bias=False"] if self.bias is None else []), *self._unusual(padding_mode="zeros"),
        ]
        return ", ".join(parts)


class _Direct(_ConvNd):
    """Convolution of ``{shape}``."""

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1,
                 padding: Any = 0, dilation: Any = 1, groups: int = 1, bias: bool = True,
                 padding_mode: str = "zeros", device: Any = None, dtype: Any = None) -> None:
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, 0,
                         groups, bias, padding_mode, device, dtype)

    def _conv_forward(self, input: Any, weight: Any, bias: Any) -> Any:
        convolve = (F.conv1d, F.conv2d, F.conv3d)[self.count - 1]
        padding: Any = self.padding
        if self.padding_mode != "zeros":
            input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            padding = 0
        return convolve(input, weight, bias, self.stride, padding, self.dilation, self.groups)

    def forward(self, input: Any) -> Any:
        return self._conv_forward(input, self.weight, self.bias)


Conv1d, Conv2d, Conv3d = layers("Conv{count}d", "", _Direct)


class _Transposed(_ConvNd):
    """The transpose of :class:`Conv{count}d`."""

    is_transposed = True

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1,
                 padding: Any = 0, output_padding: Any = 0, groups: int = 1, bias: bool = True,
                 dilation: Any = 1, padding_mode: str = "zeros", device: Any = None,
                 dtype: Any = None) -> None:
        refuse(padding_mode != "zeros", 'Only "zeros" padding mode is supported for {}',
               self.__class__.__name__, kind=ValueError)
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation,
                         output_padding, groups, bias, padding_mode, device, dtype)

    def _output_padding(self, input: Any, output_size: Any, stride: Any, padding: Any,
                        kernel_size: Any, num_spatial_dims: int, dilation: Any = None) -> Any:
        """The output padding that gives ``output_size`` (None: the layer's own)."""
        if output_size is None:
            return ntuple(self.output_padding, num_spatial_dims)
        n = num_spatial_dims
        if len(output_size) in (n + 1, n + 2):
            output_size = output_size[-n:]
        if len(output_size) != n:
            raise ValueError(f"ConvTranspose{n}D: for {input.dim()}D input, output_size must have "
                             f"{n} or {input.dim()} elements (got {len(output_size)})")
        low = [(size - 1) * s - 2 * p + (1 if dilation is None else dilation[axis]) * (k - 1) + 1
               for axis, (size, s, p, k) in enumerate(
                   zip(input.shape[-n:], stride, padding, kernel_size))]
        high = [least + s - 1 for least, s in zip(low, stride)]
        if any(w < a or w > b for w, a, b in zip(output_size, low, high)):
            raise ValueError(f"requested an output size of {output_size}, but valid sizes range "
                             f"from {low} to {high} (for an input of {input.size()[-n:]})")
        return [w - a for w, a in zip(output_size, low)]

    def forward(self, input: Any, output_size: Any = None) -> Any:
        convolve = (F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d)[self.count - 1]
        extra = self._output_padding(input, output_size, self.stride, self.padding,
                                     self.kernel_size, self.count, self.dilation)
        return convolve(input, self.weight, self.bias, self.stride, self.padding, extra,
                        self.groups, self.dilation)


ConvTranspose1d, ConvTranspose2d, ConvTranspose3d = layers("ConvTranspose{count}d", "", _Transposed)
