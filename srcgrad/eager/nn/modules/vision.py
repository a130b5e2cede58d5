"""Layers that pad, resample, rearrange and compare."""

from __future__ import annotations

from typing import Any

from .. import functional as F
from ..options import Layer, layer, layers


class _Pad(Layer, shown="{self.padding}"):
    """Pads the last {axes}, in the manner of the mode ``{mode}`` of :func:`pad`, by the same width
    everywhere or by given widths."""

    count: int
    mode = "constant"

    def __init__(self, padding: Any) -> None:
        widths = 2 * self.count
        self._keep(padding=(padding,) * widths if isinstance(padding, int) else tuple(padding))

    def forward(self, input: Any) -> Any:
        ranks = (self.count + 1, self.count + 2)
        if self.mode == "circular" and input.dim() not in ranks:
            raise ValueError(
                f"expected {ranks[0]}D or {ranks[1]}D input (got {input.dim()}D input)")
        return F.pad(input, self.padding, self.mode)


class _ConstantPad(_Pad, shown="padding value"):
    """Pads the last {axes} with a constant."""

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Any) -> Any:
        return F.pad(input, self.padding, "constant", self.value)


class _ZeroPad(_ConstantPad, shown="{self.padding}"):
    """Pads the last {axes} with zeros."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)


ConstantPad1d, ConstantPad2d, ConstantPad3d = layers("ConstantPad{count}d", "", _ConstantPad)
ZeroPad1d, ZeroPad2d, ZeroPad3d = layers("ZeroPad{count}d", "", _ZeroPad)
ReflectionPad1d, ReflectionPad2d, ReflectionPad3d = layers(
    "ReflectionPad{count}d", "", _Pad, mode="reflect")
ReplicationPad1d, ReplicationPad2d, ReplicationPad3d = layers(
    "ReplicationPad{count}d", "", _Pad, mode="replicate")
CircularPad1d, CircularPad2d, CircularPad3d = layers(
    "CircularPad{count}d", "", _Pad, mode="circular")
PixelShuffle = layer("PixelShuffle", F.pixel_shuffle, shown="upscale_factor")
PixelUnshuffle = layer("PixelUnshuffle", F.pixel_unshuffle, shown="downscale_factor")
ChannelShuffle = layer("ChannelShuffle", F.channel_shuffle, shown="groups")


class Upsample(Layer, of=F.interpolate, without="antialias"):
    """Resamples to ``size`` or by ``scale_factor``."""

    def __init__(self, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
                 align_corners: bool | None = None,
                 recompute_scale_factor: bool | None = None) -> None:
        if isinstance(scale_factor, tuple):
            scale_factor = tuple(map(float, scale_factor))
        else:
            scale_factor = float(scale_factor) if scale_factor else None
        self._keep(name=type(self).__name__, size=size, scale_factor=scale_factor, mode=mode,
                   align_corners=align_corners, recompute_scale_factor=recompute_scale_factor)

    def extra_repr(self) -> str:
        if self.scale_factor is not None:
            return f"scale_factor={self.scale_factor!r}, mode={self.mode!r}"
        return f"size={self.size!r}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Resamples by the nearest neighbour."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Resamples bilinearly, corners on corners."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)


Unfold = layer("Unfold", F.unfold, shown="kernel_size dilation padding stride")
Fold = layer("Fold", F.fold, shown="output_size kernel_size dilation padding stride")


class PairwiseDistance(Layer):
    """The norm of the difference along the last axis."""

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        self._keep(norm=p, eps=eps, keepdim=keepdim)

    def forward(self, x1: Any, x2: Any) -> Any:
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


CosineSimilarity = layer("CosineSimilarity", F.cosine_similarity, takes="x1 x2")
