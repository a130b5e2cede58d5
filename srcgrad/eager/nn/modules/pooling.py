"""Pooling layers."""

from __future__ import annotations

from typing import Any

from .. import functional as F
from ..functional.conv import tupled
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


class _FractionalMaxPool(Module):
    count: int

    def __init__(
        self, kernel_size: Any, output_size: Any = None, output_ratio: Any = None,
        return_indices: bool = False, _random_samples: Any = None,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.kernel_size = tupled("kernel_size", kernel_size, self.count)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = (
            None if output_size is None else tupled("output_size", output_size, self.count))
        self.output_ratio = (
            (output_ratio,) * self.count if isinstance(output_ratio, float) else output_ratio)
        if output_size is None and output_ratio is None:
            raise ValueError(
                f"{name} requires specifying either an output size, or a pooling ratio")
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if self.output_ratio is not None and not all(0 < r < 1 for r in self.output_ratio):
            raise ValueError(
                f"output_ratio must be between 0 and 1 (got {output_ratio})")

    def forward(self, input: Any) -> Any:
        pool = getattr(F, f"fractional_max_pool{self.count}d")
        return pool(input, self.kernel_size, self.output_size, self.output_ratio,
                    self.return_indices, _random_samples=self._random_samples)


class FractionalMaxPool2d(_FractionalMaxPool):
    """Maxima of windows at pseudo-random steps."""

    count = 2


class FractionalMaxPool3d(_FractionalMaxPool):
    """:class:`FractionalMaxPool2d` of volumes."""

    count = 3
