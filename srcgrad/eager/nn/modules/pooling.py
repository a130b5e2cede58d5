"""Pooling layers."""

from __future__ import annotations

from typing import Any

from ...calling_errors import refuse
from .. import functional as F
from ..functional.conv import tupled
from ..options import Layer, layer, layers


class _Pool(Layer):
    """Windows step by their own size unless ``stride`` is given."""

    def _keep(self, *, stride: Any = None, **options: Any) -> None:
        super()._keep(stride=options["kernel_size"] if stride is None else stride, **options)


class _MaxPool(_Pool, shown="kernel_size stride padding dilation ceil_mode"):
    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
                 return_indices: bool = False, ceil_mode: bool = False) -> None:
        self._keep(kernel_size=kernel_size, stride=stride, padding=padding, dilation=dilation,
                   return_indices=return_indices, ceil_mode=ceil_mode)


class _TuplePool(_Pool, shown="kernel_size stride padding"):
    """Options are kept as tuples of ``count`` numbers."""

    count: int

    def _keep(self, **options: Any) -> None:
        super()._keep(**options)
        for name in ("kernel_size", "stride", "padding"):
            value = getattr(self, name)
            setattr(self, name, (value,) * self.count if isinstance(value, int) else tuple(value))


MaxPool1d, MaxPool2d, MaxPool3d = layers("MaxPool{count}d", "max_pool{count}d", _MaxPool)
MaxUnpool1d, MaxUnpool2d, MaxUnpool3d = layers(
    "MaxUnpool{count}d", "max_unpool{count}d", _TuplePool, takes="input indices output_size")
AvgPool1d = layer("AvgPool1d", F.avg_pool1d, _TuplePool, count=1)
AvgPool2d, AvgPool3d = layers("AvgPool{count}d", "avg_pool{count}d", _Pool, counts=(2, 3),
                              shown="kernel_size stride padding")
LPPool1d, LPPool2d, LPPool3d = layers(  # their stride stays as it was given
    "LPPool{count}d", "lp_pool{count}d", shown="norm_type kernel_size stride ceil_mode")
AdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d = layers(
    "AdaptiveMaxPool{count}d", "adaptive_max_pool{count}d", shown="output_size")
AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d = layers(
    "AdaptiveAvgPool{count}d", "adaptive_avg_pool{count}d", shown="output_size")


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
        refuse(given is None and ratio is None, "{} requires specifying either an output size, or "
               "a pooling ratio", type(self).__name__, kind=ValueError)
        if given is not None and ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if ratio is not None and not all(0 < r < 1 for r in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {ratio})")


FractionalMaxPool2d, FractionalMaxPool3d = layers(
    "FractionalMaxPool{count}d", "fractional_max_pool{count}d", _FractionalMaxPool, counts=(2, 3))
