"""Pooling layers."""

from __future__ import annotations

from typing import Any

from .. import functional as F
from ..module import Module


class _MaxPool(Module):
    count: int

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
        return_indices: bool = False, ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def forward(self, input: Any) -> Any:
        pool = (F.max_pool1d, F.max_pool2d, F.max_pool3d)[self.count - 1]
        return pool(
            input, self.kernel_size, self.stride, self.padding, self.dilation,
            ceil_mode=self.ceil_mode, return_indices=self.return_indices,
        )

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPool):
    """The maximum of each window of ``(N, C, L)``."""

    count = 1


class MaxPool2d(_MaxPool):
    """The maximum of each window of ``(N, C, H, W)``."""

    count = 2


class MaxPool3d(_MaxPool):
    """The maximum of each window of ``(N, C, D, H, W)``."""

    count = 3


def _as_tuple(value: Any, count: int) -> tuple[int, ...]:
    return (value,) * count if isinstance(value, int) else tuple(value)


class _MaxUnpool(Module):
    count: int

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        self.kernel_size = _as_tuple(kernel_size, self.count)
        self.stride = _as_tuple(stride if stride is not None else kernel_size, self.count)
        self.padding = _as_tuple(padding, self.count)

    def forward(self, input: Any, indices: Any, output_size: Any = None) -> Any:
        unpool = (F.max_unpool1d, F.max_unpool2d, F.max_unpool3d)[self.count - 1]
        return unpool(
            input, indices, self.kernel_size, self.stride, self.padding, output_size
        )

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"
        )


class MaxUnpool1d(_MaxUnpool):
    """Values back where :class:`MaxPool1d` took them from."""

    count = 1


class MaxUnpool2d(_MaxUnpool):
    """Values back where :class:`MaxPool2d` took them from."""

    count = 2


class MaxUnpool3d(_MaxUnpool):
    """Values back where :class:`MaxPool3d` took them from."""

    count = 3


class _AvgPool(Module):
    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"
        )


class AvgPool1d(_AvgPool):
    """The mean of each window of ``(N, C, L)``."""

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = _as_tuple(kernel_size, 1)
        self.stride = _as_tuple(stride if stride is not None else kernel_size, 1)
        self.padding = _as_tuple(padding, 1)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Any) -> Any:
        return F.avg_pool1d(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
            self.count_include_pad,
        )


class _AvgPoolPlanes(_AvgPool):
    count: int

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
        count_include_pad: bool = True, divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Any) -> Any:
        pool = F.avg_pool2d if self.count == 2 else F.avg_pool3d
        return pool(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
            self.count_include_pad, self.divisor_override,
        )


class AvgPool2d(_AvgPoolPlanes):
    """The mean of each window of ``(N, C, H, W)``."""

    count = 2


class AvgPool3d(_AvgPoolPlanes):
    """The mean of each window of ``(N, C, D, H, W)``."""

    count = 3


class _LPPool(Module):
    count: int

    def __init__(
        self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def forward(self, input: Any) -> Any:
        pool = (F.lp_pool1d, F.lp_pool2d, F.lp_pool3d)[self.count - 1]
        return pool(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)

    def extra_repr(self) -> str:
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class LPPool1d(_LPPool):
    """The p-norm of each window of ``(N, C, L)``."""

    count = 1


class LPPool2d(_LPPool):
    """The p-norm of each window of ``(N, C, H, W)``."""

    count = 2


class LPPool3d(_LPPool):
    """The p-norm of each window of ``(N, C, D, H, W)``."""

    count = 3


class _AdaptiveMaxPool(Module):
    count: int

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def forward(self, input: Any) -> Any:
        pool = (F.adaptive_max_pool1d, F.adaptive_max_pool2d, F.adaptive_max_pool3d)
        return pool[self.count - 1](input, self.output_size, self.return_indices)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveMaxPool1d(_AdaptiveMaxPool):
    """Maxima of the parts of ``(N, C, L)``."""

    count = 1


class AdaptiveMaxPool2d(_AdaptiveMaxPool):
    """Maxima of the parts of ``(N, C, H, W)``."""

    count = 2


class AdaptiveMaxPool3d(_AdaptiveMaxPool):
    """Maxima of the parts of ``(N, C, D, H, W)``."""

    count = 3


class _AdaptiveAvgPool(Module):
    count: int

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Any) -> Any:
        pool = (F.adaptive_avg_pool1d, F.adaptive_avg_pool2d, F.adaptive_avg_pool3d)
        return pool[self.count - 1](input, self.output_size)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_AdaptiveAvgPool):
    """Means of the parts of ``(N, C, L)``."""

    count = 1


class AdaptiveAvgPool2d(_AdaptiveAvgPool):
    """Means of the parts of ``(N, C, H, W)``."""

    count = 2


class AdaptiveAvgPool3d(_AdaptiveAvgPool):
    """Means of the parts of ``(N, C, D, H, W)``."""

    count = 3
