"""Convolution layers."""

from __future__ import annotations

import math
from typing import Any

from ... import basis as torch
from .. import functional as F
from .. import init
from ..functional.conv import tupled
from ..module import Module
from ..parameter import Parameter

_MODES = ("zeros", "reflect", "replicate", "circular")


class _ConvNd(Module):
    """Options, parameters and text of all convolutions; ``count`` spatial axes."""

    count: int
    transposed = False

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any, padding: Any,
        dilation: Any, output_padding: Any, groups: int, bias: bool, padding_mode: str,
        device: Any, dtype: Any,
    ) -> None:
        super().__init__()
        n = self.count
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups != 0:
            raise ValueError("out_channels must be divisible by groups")
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = tupled("kernel_size", kernel_size, n)
        self.stride = tupled("stride", stride, n)
        self.padding = padding if isinstance(padding, str) else tupled("padding", padding, n)
        self.dilation = tupled("dilation", dilation, n)
        self.output_padding = tupled("output_padding", output_padding, n)
        self.groups = groups
        self.padding_mode = padding_mode
        self._check_padding()
        ends = (out_channels, in_channels // groups)
        if self.transposed:
            ends = (in_channels, out_channels // groups)
        self.weight = Parameter(torch.empty((*ends, *self.kernel_size), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(torch.empty(out_channels, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def _check_padding(self) -> None:
        if isinstance(self.padding, str):
            if self.padding not in ("same", "valid"):
                raise ValueError(
                    f"Invalid padding string {self.padding!r}, should be one of "
                    f"{ {'valid', 'same'} }"
                )
            if self.padding == "same" and any(s != 1 for s in self.stride):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if self.padding_mode not in _MODES:
            raise ValueError(
                f"padding_mode must be one of {set(_MODES)}, but got "
                f"padding_mode='{self.padding_mode}'"
            )

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
        ]
        if self.padding != (0,) * len(self.padding):
            parts.append(f"padding={self.padding}")
        if self.dilation != (1,) * n:
            parts.append(f"dilation={self.dilation}")
        if self.output_padding != (0,) * n:
            parts.append(f"output_padding={self.output_padding}")
        if self.groups != 1:
            parts.append(f"groups={self.groups}")
        if self.bias is None:
            parts.append("bias=False")
        if self.padding_mode != "zeros":
            parts.append(f"padding_mode={self.padding_mode}")
        return ", ".join(parts)


class _Direct(_ConvNd):
    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1,
        padding: Any = 0, dilation: Any = 1, groups: int = 1, bias: bool = True,
        padding_mode: str = "zeros", device: Any = None, dtype: Any = None,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, 0, groups, bias,
            padding_mode, device, dtype,
        )

    def _widths(self) -> list[int]:
        """The padding as ``F.pad`` wants it: last axis first, before and after."""
        widths = []
        for axis in reversed(range(self.count)):
            if self.padding == "same":
                total = self.dilation[axis] * (self.kernel_size[axis] - 1)
                widths += [total // 2, total - total // 2]
            else:
                p = 0 if isinstance(self.padding, str) else self.padding[axis]
                widths += [p, p]
        return widths

    def _conv_forward(self, input: Any, weight: Any, bias: Any) -> Any:
        convolve = (F.conv1d, F.conv2d, F.conv3d)[self.count - 1]
        padding: Any = self.padding
        if self.padding_mode != "zeros":
            input = F.pad(input, self._widths(), mode=self.padding_mode)
            padding = 0
        return convolve(input, weight, bias, self.stride, padding, self.dilation, self.groups)

    def forward(self, input: Any) -> Any:
        return self._conv_forward(input, self.weight, self.bias)


class Conv1d(_Direct):
    """Convolution of ``(N, C, L)``."""

    count = 1


class Conv2d(_Direct):
    """Convolution of ``(N, C, H, W)``."""

    count = 2


class Conv3d(_Direct):
    """Convolution of ``(N, C, D, H, W)``."""

    count = 3


class _Transposed(_ConvNd):
    transposed = True

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1,
        padding: Any = 0, output_padding: Any = 0, groups: int = 1, bias: bool = True,
        dilation: Any = 1, padding_mode: str = "zeros", device: Any = None, dtype: Any = None,
    ) -> None:
        if padding_mode != "zeros":
            raise ValueError(
                f'Only "zeros" padding mode is supported for {self.__class__.__name__}'
            )
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, output_padding,
            groups, bias, padding_mode, device, dtype,
        )

    def _extra(self, input: Any, output_size: Any) -> Any:
        """The output padding that gives ``output_size`` (None: the layer's own)."""
        if output_size is None:
            return self.output_padding
        n = self.count
        wanted = list(output_size)
        if len(wanted) in (n + 1, n + 2):
            wanted = wanted[-n:]
        if len(wanted) != n:
            raise ValueError(
                f"ConvTranspose{n}D: for {input.dim()}D input, output_size must have {n} or "
                f"{input.dim()} elements (got {len(wanted)})"
            )
        extra, low, high = [], [], []
        for axis in range(n):
            size = input.size(axis + input.dim() - n)
            smallest = (
                (size - 1) * self.stride[axis] - 2 * self.padding[axis]
                + self.dilation[axis] * (self.kernel_size[axis] - 1) + 1
            )
            low.append(smallest)
            high.append(smallest + self.stride[axis] - 1)
            extra.append(wanted[axis] - smallest)
        if any(w < a or w > b for w, a, b in zip(wanted, low, high)):
            raise ValueError(
                f"requested an output size of {wanted}, but valid sizes range from {low} to "
                f"{high} (for an input of {input.size()[-n:]})"
            )
        return tuple(extra)

    def forward(self, input: Any, output_size: Any = None) -> Any:
        convolve = (F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d)[self.count - 1]
        return convolve(
            input, self.weight, self.bias, self.stride, self.padding,
            self._extra(input, output_size), self.groups, self.dilation,
        )


class ConvTranspose1d(_Transposed):
    """The transpose of :class:`Conv1d`."""

    count = 1


class ConvTranspose2d(_Transposed):
    """The transpose of :class:`Conv2d`."""

    count = 2


class ConvTranspose3d(_Transposed):
    """The transpose of :class:`Conv3d`."""

    count = 3
