"""The neural-network primitives under PyTorch's node names; the formulas are in the rule book.

Each entry pairs a NumPy function of :mod:`srcgrad.rules` with the node it leaves on the tape.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.rules import activations, convolution, losses, normalization, pooling, recurrent

from ...primitive import Primitive
from ...tensor import Tensor
from ...writes import apply_in_place

_SHOWN = {"input": "self", "ans": "result"}


def _node(function: Callable[..., Any], name: str, main: bool = True, **options: Any) -> Primitive:
    return Primitive(function, name, shown=_SHOWN, main=main, **options)


leaky_relu = _node(activations.leaky_relu, "LeakyReluBackward0")
leaky_relu_written = _node(activations.leaky_relu, "LeakyReluBackward1", main=False)
elu = _node(activations.elu, "EluBackward0")
elu_written = _node(activations.elu, "EluBackward1", main=False)
celu = _node(activations.elu, "CeluBackward0", main=False)
gelu = _node(activations.gelu, "GeluBackward0")
silu = _node(activations.silu, "SiluBackward0")
mish = _node(activations.mish, "MishBackward0")
softplus = _node(activations.softplus, "SoftplusBackward0")
log_sigmoid = _node(activations.log_sigmoid, "LogSigmoidBackward0")
hardtanh = _node(activations.hardtanh, "HardtanhBackward0")
hardsigmoid = _node(activations.hardsigmoid, "HardsigmoidBackward0")
hardswish = _node(activations.hardswish, "HardswishBackward0")
hardshrink = _node(activations.hardshrink, "HardshrinkBackward0")
softshrink = _node(activations.softshrink, "SoftshrinkBackward0")
threshold = _node(activations.threshold, "ThresholdBackward0")
glu = _node(activations.glu, "GluBackward0")
prelu = _node(activations.prelu, "PreluKernelBackward0")
rrelu = _node(activations.slopes, "RreluWithNoiseBackward0")
rrelu_written = _node(activations.slopes, "RreluWithNoiseBackward1", main=False)

mse_loss = _node(losses.mse_loss, "MseLossBackward0")
smooth_l1_loss = _node(losses.smooth_l1_loss, "SmoothL1LossBackward0")
huber_loss = _node(losses.huber_loss, "HuberLossBackward0")
binary_cross_entropy = _node(losses.binary_cross_entropy, "BinaryCrossEntropyBackward0")
binary_cross_entropy_with_logits = _node(
    losses.binary_cross_entropy_with_logits, "BinaryCrossEntropyWithLogitsBackward0"
)
nll_loss = _node(losses.nll_loss, "NllLossBackward0")
nll_loss2d = _node(losses.nll_loss2d, "NllLoss2DBackward0")
soft_margin_loss = _node(losses.soft_margin_loss, "SoftMarginLossBackward0")
multi_margin_loss = _node(losses.multi_margin_loss, "MultiMarginLossBackward0")
multilabel_margin_loss = _node(losses.multilabel_margin_loss, "MultilabelMarginLossBackward0")

convolve = _node(convolution.convolution, "ConvolutionBackward0", scalar_edges=True)
im2col = _node(convolution.im2col, "Im2ColBackward0")
col2im = _node(convolution.col2im, "Col2ImBackward0")

max_pool = {
    n: _node(pooling.pick, f"MaxPool{n}DWithIndicesBackward0", main=n == 2) for n in (2, 3)
}
adaptive_max_pool = {
    n: _node(pooling.pick, f"AdaptiveMaxPool{n}DBackward0", main=False) for n in (2, 3)
}
fractional_max_pool = {
    n: _node(pooling.pick, f"FractionalMaxPool{n}DBackward0", main=False) for n in (2, 3)
}
max_unpool = {
    n: _node(pooling.place, f"MaxUnpool{n}DBackward0", main=n == 2) for n in (2, 3)
}
avg_pool = {n: _node(pooling.average_pool, f"AvgPool{n}DBackward0", main=n == 2) for n in (2, 3)}
adaptive_avg_pool = {
    n: _node(pooling.along_axes, f"AdaptiveAvgPool{n}DBackward0", main=n == 2) for n in (2, 3)
}
upsample = {
    (mode, n): _node(
        pooling.take_along_axes if "Nearest" in mode else pooling.along_axes,
        f"Upsample{mode}{n}DBackward0", main=False,
    )
    for mode, n in (
        ("Nearest", 1), ("Nearest", 2), ("Nearest", 3), ("NearestExact", 1),
        ("NearestExact", 2), ("NearestExact", 3), ("Linear", 1), ("Bilinear", 2),
        ("Trilinear", 3), ("Bicubic", 2),
    )
}
pad_by_places = {
    (mode, n): _node(pooling.take_along_axes, f"{mode}Pad{n}DBackward0", main=False)
    for mode in ("Reflection", "Replication") for n in (1, 2, 3)
}
pad_by_places |= {  # PyTorch writes the parts of a fresh tensor
    ("Circular", n): _node(pooling.take_along_axes, "CopySlices", main=False) for n in (1, 2, 3)
}
pixel_shuffle = _node(pooling.pixel_shuffle, "PixelShuffleBackward0")
pixel_unshuffle = _node(pooling.pixel_unshuffle, "PixelUnshuffleBackward0")
constant_pad = _node(pooling.frame, "ConstantPadNdBackward0")

layer_norm = _node(normalization.layer_norm, "NativeLayerNormBackward0", scalar_edges=True)
batch_norm = _node(normalization.batch_norm, "NativeBatchNormBackward0", scalar_edges=True)
group_norm = _node(normalization.group_norm, "NativeGroupNormBackward0", scalar_edges=True)
lstm_layer = _node(
    recurrent.lstm_layer, "MkldnnRnnLayerBackward0", outputs=3, scalar_edges=True
)
embedding = _node(normalization.embedding, "EmbeddingBackward0")
attention = _node(normalization.attention, "ScaledDotProductFlashAttentionForCpuBackward0")


def written(input: Tensor, function: Callable[..., Any], *args: Any) -> Any:
    """The in-place form: the result of ``function`` written into ``input``."""
    return apply_in_place(input, lambda old: function(old, *args))
