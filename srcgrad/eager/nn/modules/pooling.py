"""Pooling layers."""

from __future__ import annotations

from typing import Any

from .. import functional as F
from ..functional.conv import tupled
from .options import Layer

__all__ = ["AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveMaxPool1d",
           "AdaptiveMaxPool2d", "AdaptiveMaxPool3d", "AvgPool1d", "AvgPool2d", "AvgPool3d",
           "FractionalMaxPool2d", "FractionalMaxPool3d", "LPPool1d", "LPPool2d", "LPPool3d",
           "MaxPool1d", "MaxPool2d", "MaxPool3d", "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d"]


class _Pool(Layer):
    """Windows step by their own size unless ``stride`` is given."""

    def _keep(self, *, stride: Any = None, **options: Any) -> None:
        super()._keep(stride=options["kernel_size"] if stride is None else stride, **options)


class _MaxPool(_Pool, shown="kernel_size stride padding dilation ceil_mode"):
    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
                 return_indices: bool = False, ceil_mode: bool = False) -> None:
        self._keep(kernel_size=kernel_size, stride=stride, padding=padding, dilation=dilation,
                   return_indices=return_indices, ceil_mode=ceil_mode)


class MaxPool1d(_MaxPool, of=F.max_pool1d):
    """The maximum of each window of ``(N, C, L)``."""


class MaxPool2d(_MaxPool, of=F.max_pool2d):
    """The maximum of each window of ``(N, C, H, W)``."""


class MaxPool3d(_MaxPool, of=F.max_pool3d):
    """The maximum of each window of ``(N, C, D, H, W)``."""


class _TuplePool(_Pool, shown="kernel_size stride padding"):
    """Options are kept as tuples of ``count`` numbers."""

    count: int

    def _keep(self, **options: Any) -> None:
        super()._keep(**options)
        for name in ("kernel_size", "stride", "padding"):
            value = getattr(self, name)
            setattr(self, name, (value,) * self.count if isinstance(value, int) else tuple(value))


_UNPOOLED = "input indices output_size"


class MaxUnpool1d(_TuplePool, of=F.max_unpool1d, takes=_UNPOOLED, count=1):
    """Values back where :class:`MaxPool1d` took them from."""


class MaxUnpool2d(_TuplePool, of=F.max_unpool2d, takes=_UNPOOLED, count=2):
    """Values back where :class:`MaxPool2d` took them from."""


class MaxUnpool3d(_TuplePool, of=F.max_unpool3d, takes=_UNPOOLED, count=3):
    """Values back where :class:`MaxPool3d` took them from."""


class AvgPool1d(_TuplePool, of=F.avg_pool1d, count=1):
    """The mean of each window of ``(N, C, L)``."""


class AvgPool2d(_Pool, of=F.avg_pool2d, shown="kernel_size stride padding"):
    """The mean of each window of ``(N, C, H, W)``."""


class AvgPool3d(_Pool, of=F.avg_pool3d, shown="kernel_size stride padding"):
    """The mean of each window of ``(N, C, D, H, W)``."""


class _LPPool(Layer, shown="norm_type kernel_size stride ceil_mode"):
    """A window's p-norm; ``stride`` stays as it was given."""


class LPPool1d(_LPPool, of=F.lp_pool1d):
    """The p-norm of each window of ``(N, C, L)``."""


class LPPool2d(_LPPool, of=F.lp_pool2d):
    """The p-norm of each window of ``(N, C, H, W)``."""


class LPPool3d(_LPPool, of=F.lp_pool3d):
    """The p-norm of each window of ``(N, C, D, H, W)``."""


class _Adaptive(Layer, shown="output_size"):
    """Windows as wide as sizes ask for."""


class AdaptiveMaxPool1d(_Adaptive, of=F.adaptive_max_pool1d):
    """Maxima of the parts of ``(N, C, L)``."""


class AdaptiveMaxPool2d(_Adaptive, of=F.adaptive_max_pool2d):
    """Maxima of the parts of ``(N, C, H, W)``."""


class AdaptiveMaxPool3d(_Adaptive, of=F.adaptive_max_pool3d):
    """Maxima of the parts of ``(N, C, D, H, W)``."""


class AdaptiveAvgPool1d(_Adaptive, of=F.adaptive_avg_pool1d):
    """Means of the parts of ``(N, C, L)``."""


class AdaptiveAvgPool2d(_Adaptive, of=F.adaptive_avg_pool2d):
    """Means of the parts of ``(N, C, H, W)``."""


class AdaptiveAvgPool3d(_Adaptive, of=F.adaptive_avg_pool3d):
    """Means of the parts of ``(N, C, D, H, W)``."""


class _FractionalMaxPool(Layer):
    count: int

    def _keep(self, **options: Any) -> None:
        given, ratio, samples = (options.pop(name) for name in (
            "output_size", "output_ratio", "_random_samples"))
        size, n = options.pop("kernel_size"), self.count
        super()._keep(kernel_size=tupled("kernel_size", size, n), **options,
                      output_size=None if given is None else tupled("output_size", given, n),
                      output_ratio=(ratio,) * n if isinstance(ratio, float) else ratio)
        self.register_buffer("_random_samples", samples)
        if given is None and ratio is None:
            raise ValueError(f"{type(self).__name__} requires specifying either an output size, "
                             "or a pooling ratio")
        if given is not None and ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if ratio is not None and not all(0 < r < 1 for r in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {ratio})")


class FractionalMaxPool2d(_FractionalMaxPool, of=F.fractional_max_pool2d, count=2):
    """Maxima of windows at pseudo-random steps."""


class FractionalMaxPool3d(_FractionalMaxPool, of=F.fractional_max_pool3d, count=3):
    """:class:`FractionalMaxPool2d` of volumes."""
